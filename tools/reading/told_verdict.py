"""Yes, no or one of two: the verdict as an answer, held back where its sentence tells it of another."""

from __future__ import annotations

from dataclasses import replace

from tools.answer_rules.docs import Doc
from tools.answer_rules.scopes import is_of_another_scope, is_only_limited
from tools.answer_rules.text import squeeze
from tools.answer_rules.whose import is_verdict_on_namesake
from tools.reading.considering import ALONE, Considered, verdict_confidence
from tools.reading.found_answer import FoundAnswer, hops_of, support_of


def told_verdict(question: str, considered: Considered) -> FoundAnswer:
    """The verdict that was come to, with the steps or the sentence that it rests on; "" for none."""
    judged, verdict = considered.judged, considered.verdict
    assert judged is not None, "a verdict is weighed before it is told"
    chains = verdict.chains if verdict else ()
    steps = [step for chain in chains for step in chain.steps]
    missing = verdict.missing if verdict else ""
    decided, weighed = verdict_confidence(question, considered), judged.weighed
    if weighed and weighed.confidence > decided:
        said = weighed.statement.text
        confidence = _unless_bounded(weighed.confidence, question, weighed.text, said, weighed.statement.above)
        answer = FoundAnswer(weighed.text, (), (), confidence, "", "")
        return _held(question, answer, weighed.statement.doc, squeeze(said))
    if not judged.text:
        return FoundAnswer("", hops_of(steps), support_of(steps), 0.0, missing, "")
    if judged.by_reading:
        claim = judged.claim
        decided = _unless_bounded(decided, question, judged.text, claim.sentence)
        told = claim.doc or next(iter(considered.read), None)
        return _held(question, FoundAnswer(judged.text, (), (), decided, "", ""), told, claim.sentence)
    reason = verdict.reason if verdict else ""
    return FoundAnswer(judged.text, hops_of(steps), support_of(steps), round(decided, 4), missing, reason)


def _held(question: str, verdict: FoundAnswer, told: Doc | None, sentence: str) -> FoundAnswer:
    """A verdict with the passage and the sentence that it rests on, held back where these tell it of a namesake."""
    confidence, is_doubtful = round(verdict.confidence, 4), False
    if told is None:
        return replace(verdict, confidence=confidence)
    if is_verdict_on_namesake(question, told, sentence):
        confidence, is_doubtful = min(confidence, ALONE), True
    stated = ((told.passage.id, sentence),) if sentence else ()
    support = (told.passage.id,)
    return replace(verdict, support=support, confidence=confidence, stated=stated, is_doubtful=is_doubtful)


def _unless_bounded(confidence: float, question: str, text: str, sentence: str, above: str = "") -> float:
    """The confidence in a yes or no, held back where its sentence tells of another place or time, and a no where it
    says "only" and denies nothing.
    """
    is_limited = text == "no" and is_only_limited(question, sentence)
    return min(confidence, ALONE) if is_limited or is_of_another_scope(question, sentence, above) else confidence
