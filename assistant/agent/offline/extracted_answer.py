"""The offline model's answer: extracted from what has been found, and put into words that cite it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from assistant.agent.final_answer import NO_ANSWER, Found, NotFound, Output
from assistant.agent.offline.own_year import answer_of_year, doubting
from assistant.agent.offline.reading_pool import by_reading, pool_of
from assistant.agent.offline.two_lines import answer_together
from assistant.agent.offline.two_steps import answer_in_steps
from assistant.agent.offline.unknown_names import unknown_name
from assistant.agent.offline.what_is_read import TELLING, rows_beside, saying, sentences_of, to_read, with_nearness
from assistant.agent.replying.closest import near_sentences
from assistant.agent.short_text import clip
from assistant.agent.workspace import ClosestSentence, Workspace
from assistant.shared.rendering import escape_markdown
from kb.name_keys import name_key
from kb.records import Passage
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.asked_before import ANSWERED, find_asked_before
from tools.answer_rules.docs import Evidence
from tools.answer_rules.others import is_anothers
from tools.answer_rules.text import STOP_WORDS, says, words
from tools.evidence.ranking import LEADER
from tools.planning.planner import plan_question
from tools.reading.answering import EvidencePassage, FoundAnswer, Hop, Quote, answer_question, raised
from tools.reading.certainty import RISK, SURE_SHARE, least_confidence
from tools.reading.considering import ALONE
from tools.reading.defining import with_subjects
from tools.reading.guess import ReaderPair, ReadOnce
from tools.reading.parts import split_question, standing_on
from tools.reading.procedures import asks_for_way, find_way, with_heading
from tools.reading.reader import load_reader
from tools.reading.reasons import is_without_reason
from tools.reading.second_reader import read_again
from tools.reading.telling import Kind, kind_of, tell
from tools.reading.told import Sentence, Told
from tools.reading.weighing import same
from tools.types import Hit

CONFIDENT = least_confidence(RISK * SURE_SHARE)
"""Confidence from which no step of the question is searched for by itself: that of a sure answer."""

SENTENCE = 300
"""Characters of a sentence that an explanation quotes."""

HINTED = 0.3
"""Confidence from which the sentence of an answer that is not given is among the closest ones."""

TOLD = 400
"""Characters of a sentence that is the answer itself."""

SHORT = 3
"""Sentences of an explanation behind which a reader still finds how they come to the answer."""

NUMBERED = 20
"""Passages without a quote that the text cites; what is cited besides, such as rows added up, stands in the sources."""


DEFINED = 0.65
"""The most confidence in what was read for what a thing is, where no sentence says it."""


NAMING = "browse"
"""What passages are found by that name what is to be defined, are rows beside the ones found, or were read besides."""

NAMED_IN, SPELLED_IN = 200, 60
"""Passages that name a thing among which those are looked for whose title does, and those of them whose sentences are
looked through for what letters stand for, which is often said but once.
"""

ONLY_TOLD = ("about", "connected")
"""Kinds of questions that no span answers; why, how and what a thing is may also stand in a few words."""

_THE = re.compile(r"\b(?:the|our|my|your|his|her|its|their)\b", re.IGNORECASE)
"""What asks for the value of something known, as in "the door code", and not for what a thing is."""

_BLOCK_START = re.compile(r"^(\d{0,9})([-+#>=|.)])")
"""What would make a list or a heading of a line that begins with a quoted sentence."""

_MARKER = re.compile(r"^(?:[-*+•]|#{1,6}|\d{1,3}[.)])\s+(?=\S)")
"""What begins an item of a list or a heading, which is no part of what it says."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was extracted, and whether it is good enough to look no further.

    `unknown` is the first name of the question's plan that no passage read speaks of, "" where all are spoken of.
    `told` are the sentences that answer a question for what or why, with the ids of their passages. `asked` are the
    questions that lead to the answer one after another, where it is not given otherwise. `is_quoted` says that the
    answer is a sentence whose own words were not likely enough.
    """

    found: FoundAnswer | None = None
    unknown: str = ""
    told: tuple[Sentence, ...] = ()
    asked: tuple[str, ...] = ()
    is_quoted: bool = False

    @property
    def confidence(self) -> float:
        """The probability that the answer is right, 0..1; 0 where a name of the question is spoken of nowhere."""
        return self.found.confidence if self.found and self.found.text and not self.unknown else 0.0

    @property
    def confident(self) -> bool:
        """Whether looking further is not worth it."""
        return self.confidence >= CONFIDENT

    def outdoes(self, other: Extracted, risk: float) -> bool:
        """Whether this is to be given rather than what was extracted before: a short answer that may be given rather
        than a sentence, else what is at least as likely.
        """
        if self.is_quoted != other.is_quoted:
            short = other if self.is_quoted else self
            if short.confidence >= least_confidence(risk):
                return short is self
        return self.confidence >= other.confidence

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The steps that led to it."""
        return self.found.hops if self.found else ()


_NOT_FOLLOWED = Extracted(
    FoundAnswer("", (), (), 0.0, "what is asked: it is longer, or leads through more steps, than can be followed", "")
)
"""What is left of such a question must not be answered in its place."""


def extract(kb: KnowledgeBase, workspace: Workspace) -> Extracted:
    """Read the best passages found so far for the answer; for the sentence that tells it, where its words alone are not
    likely enough.
    """
    extracted = _extract(kb, workspace)
    found, least = extracted.found, least_confidence(workspace.risk)
    if found is None or found.quote is None or extracted.unknown:
        return extracted
    is_told = extracted.confidence < least <= found.quote.confidence
    return replace(extracted, found=_quoted(kb, found.quote, found.hops), is_quoted=True) if is_told else extracted


def _quoted(kb: KnowledgeBase, quote: Quote, hops: Sequence[Hop]) -> FoundAnswer:
    """A sentence as the answer, with the steps of the likeliest words where they lead to it; one that says "this flag"
    behind its heading.
    """
    is_end = bool(hops) and hops[-1].passage == quote.passage and hops[-1].sentence == quote.sentence
    support = tuple(dict.fromkeys((*(hop.passage for hop in hops if is_end and hop.passage), quote.passage)))
    stated = ((quote.passage, quote.around),)
    return FoundAnswer(
        _told_alone(_behind_heading(kb, quote)),
        tuple(hops) if is_end else (),
        support,
        quote.confidence,
        "",
        "",
        stated,
    )


def _behind_heading(kb: KnowledgeBase, quote: Quote) -> str:
    passage = kb.passages([quote.passage])[0]
    start = max(0, passage.text.find(quote.sentence))
    sentence = Sentence(quote.passage, passage.title, quote.sentence, start, 0, 0.0)
    return with_heading(Told(tuple(with_subjects([sentence], [passage])), quote.confidence))


def _told_alone(sentence: str) -> str:
    """A sentence as the answer itself: without the mark of a list or heading, and not longer than is read at once."""
    return clip(_MARKER.sub("", sentence), TOLD)


def _extract(kb: KnowledgeBase, workspace: Workspace) -> Extracted:
    assert workspace.plan is not None, "a question is planned before it is answered"
    question, plan = workspace.standalone, workspace.plan
    if not plan.is_whole:
        return _NOT_FOLLOWED
    if workspace.readers is None:
        workspace.readers = ReaderPair(ReadOnce(load_reader().read), ReadOnce(read_again))
    readers = workspace.readers
    pool = pool_of(kb, question, to_read(kb, workspace))
    hits = by_reading(question, pool, readers.read)
    workspace.foremost = hits[0].passage.id if pool.before else None
    kind = kind_of(question)
    told = _told_by_sentences(kb, workspace, kind, hits) if kind else _answered_before(question, hits)
    if kind and told.told and (kind[0] in ONLY_TOLD or told.confidence >= least_confidence(workspace.risk)):
        return told
    passages = with_nearness(kb, question, hits)
    if halves := split_question(question):
        return Extracted(_both(halves, passages, readers))
    beside = rows_beside(kb, question, hits)
    found = answer_question(question, plan, passages, workspace.bindings, *readers, beside, partial(saying, kb))
    told_by = max(found.confidence, found.quote.confidence if found.quote else 0.0)
    if pool.before is not None and found.chances and told_by < least_confidence(workspace.risk):
        found = raised(found)
    if kind is not None and kind[0] in ("definition", "stands") and not _THE.search(question):
        # A name beside a thing is no definition of it: of those read where no sentence defines it most are wrong.
        found = replace(found, confidence=min(found.confidence, DEFINED), quote=None)
    if asks_for_way(question):
        way = find_way(question, sentences_of(kb, question, hits), readers)
        found = way.doubting(found)
        if way.told.confidence >= max(least_confidence(workspace.risk), told.confidence) > found.confidence:
            return _told(way.told, with_heading(way.told))
    found = doubting(question, found)
    if found.confidence < least_confidence(workspace.risk) and kind is None:
        dated = answer_of_year(kb, question, passages, readers, partial(saying, kb))
        found = dated if dated and dated.confidence > found.confidence else found
    is_weak = kind is not None or found.confidence < least_confidence(workspace.risk)
    if is_weak and told.confidence > max(found.confidence, found.quote.confidence if found.quote else 0.0):
        return told
    unknown = unknown_name(workspace.question, plan, hits)
    is_open = unknown or found.confidence < least_confidence(workspace.risk)
    if not is_open or plan.kind not in ("lookup", "count") or LEADER not in workspace.lists:
        return Extracted(found, unknown)
    stepped = _in_steps(kb, workspace, found, unknown)
    told_by = max(stepped.confidence, found.quote.confidence if found.quote else 0.0)
    if unknown or kind is not None or told_by >= least_confidence(workspace.risk):
        return stepped
    together = answer_together(kb, question, plan, hits, workspace.read_linked, readers.read_again)
    is_likely = together is not None and together.confidence >= least_confidence(workspace.risk)
    return Extracted(together) if is_likely else stepped


def _in_steps(kb: KnowledgeBase, workspace: Workspace, found: FoundAnswer, unknown: str) -> Extracted:
    """What was found for the whole question, or what its steps come to, where that is likelier."""
    assert workspace.readers is not None, "a question is read before its steps are"
    stepped = answer_in_steps(kb, workspace, workspace.standalone, workspace.readers, found.chances)
    is_known = stepped.found is not None and not (unknown or stepped.found.missing)
    # What is doubted as the answer to the whole is no surer for having been asked for in two steps.
    is_doubted = stepped.found is not None and found.is_doubtful and same(stepped.found.text, found.text)
    if stepped.found and is_known and not is_doubted and stepped.found.confidence > found.confidence:
        return Extracted(replace(stepped.found, quote=found.quote, chances=found.chances), asked=stepped.asked)
    if stepped.found and stepped.found.missing:
        found = replace(found, missing=stepped.found.missing, asked=stepped.found.missing)
    return Extracted(found, unknown, asked=stepped.asked)


def _told_by_sentences(
    kb: KnowledgeBase, workspace: Workspace, kind: tuple[Kind, str], hits: Sequence[Hit]
) -> Extracted:
    """The sentences that say what a question for what, why or how asks; empty where none does."""
    question = workspace.standalone
    answered = _answered_before(question, hits)
    if answered.told:
        return answered
    passages = [hit.passage for hit in hits[:TELLING]]
    if kind[0] in ("definition", "stands", "does"):
        known = {passage.id for passage in passages}
        named = listing.passages_saying(kb, [kind[1]], limit=NAMED_IN)
        named.sort(key=lambda passage: not says(passage.title, kind[1]))  # a page of its own says best what it is
        looked_at = SPELLED_IN if kind[0] == "stands" else TELLING
        passages += [passage for passage in named[:looked_at] if passage.id not in known]
    told = tell(*kind, with_subjects(near_sentences(kb, question, passages), passages))
    if not told.sentences:
        return Extracted()
    is_others = _is_of_other_speaker(question, told.sentences[0], passages)
    is_others = is_others or is_without_reason(question, [one.text for one in told.sentences])
    return _told(replace(told, confidence=min(ALONE, told.confidence)) if is_others else told)


def _is_of_other_speaker(question: str, sentence: Sentence, passages: Sequence[Passage]) -> bool:
    """Whether one speaker of a talk is asked about and another one says the sentence."""
    passage = next(one for one in passages if one.id == sentence.passage)
    doc = Evidence([EvidencePassage.of(passage, 1.0)]).docs[0]
    return is_anothers(doc, sentence.start, question)


def _answered_before(question: str, hits: Sequence[Hit]) -> Extracted:
    """What a document answers where it asks the same itself, as lists of frequent questions do and people in a talk;
    the question is quoted with it.
    """
    passages = [EvidencePassage.of(one.passage, one.score) for one in hits]
    before = find_asked_before(question, Evidence(passages))
    if before is None:
        return Extracted()
    sentences = [
        Sentence(one.doc.passage.id, one.doc.title, one.text, one.start, one.doc.rank, 1.0) for one in before.sentences
    ]
    extracted = _told(Told(tuple(sentences), ANSWERED))
    assert extracted.found is not None, "sentences are told"
    stated = ((sentences[0].passage, before.question),)
    return replace(extracted, found=replace(extracted.found, text=_told_alone(before.answer), stated=stated))


def _both(halves: tuple[str, str], passages: Sequence[EvidencePassage], readers: ReaderPair) -> FoundAnswer:
    """The answers to two questions as one, as likely right as the less likely of them; none where one has none.

    Of the development questions, nine in ten of those from 0.7 on are right: what makes one answer right, that the
    documents speak of the thing, mostly makes the other right as well.
    """
    first = answer_question(halves[0], plan_question(halves[0]), passages, {}, *readers)
    asked = standing_on(halves[1], halves[0], first.text)
    second = answer_question(asked, plan_question(asked), passages, {}, *readers)
    return FoundAnswer(
        f"{first.text}; {second.text}" if first.text and second.text else "",
        (*first.leading, *second.leading),
        tuple(dict.fromkeys((*first.support, *second.support))),
        min(first.confidence, second.confidence),
        first.missing or second.missing,
        " ".join(filter(None, (first.reason, second.reason))),
        (*first.stated, *second.stated),
    )


def _told(told: Told, text: str = "") -> Extracted:
    best = told.sentences[0]
    support = tuple(dict.fromkeys(one.passage for one in told.sentences))
    found = FoundAnswer(_told_alone(text or best.text), (), support, round(told.confidence, 4), "", "")
    return Extracted(found, told=told.sentences)


def agreeing_hops(kb: KnowledgeBase, workspace: Workspace, output: Output) -> tuple[Extracted, tuple[Hop, ...]]:
    """What the evidence of a language model's answer, read offline, comes to in few words; and the steps, where that is
    the same answer, else none.
    """
    if not isinstance(output, Found) or workspace.plan is None or not workspace.evidence:
        return Extracted(), ()
    extracted = _extract(kb, workspace)
    agrees = extracted.found is not None and name_key(extracted.found.text) == name_key(output.answer)
    return extracted, extracted.hops if agrees else ()


def take_in(kb: KnowledgeBase, workspace: Workspace, extracted: Extracted) -> None:
    """Number the passages that no tool has found and that an answer rests on, or, where it is too uncertain to be
    given, in which what comes closest stands; and the foremost by its reading.
    """
    support = list(extracted.found.support) if extracted.found else []
    support += [workspace.foremost] if workspace.foremost is not None else []
    if extracted.confidence < least_confidence(workspace.risk):
        support += [one.passage for one in nearly_said(extracted)]
    new = [one for one in dict.fromkeys(support) if not workspace.of_passage(one)]
    if new:
        workspace.add_hits(NAMING, [Hit(passage, 0.0) for passage in kb.passages(new)])


def worded(workspace: Workspace, extracted: Extracted) -> Output:
    """The answer with the sentences that lead to it, or what is missing; every number is in the Workspace."""
    found = extracted.found
    if found is None:
        return NotFound(missing="nothing in this knowledge base speaks to the question")
    # A quoted answer is itself the sentence of its last step.
    hops = found.leading[:-1] if extracted.is_quoted else found.leading
    quotes = [(hop.passage, hop.sentence, hop.value) for hop in hops if hop.sentence]
    quotes += [(passage, sentence, found.text) for passage, sentence in found.stated]
    quotes += [(one.passage, one.text, "") for one in extracted.told]
    stated = [
        (number, _around(sentence, value))
        for passage, sentence, value in quotes
        if (number := _number(workspace, passage))
    ]
    numbers = [number for number, _ in stated]
    numbers += [number for passage in found.support if (number := _number(workspace, passage))]
    numbers += _naming(workspace, found.text, numbers, " ".join(sentence for _, sentence in stated))
    cited = list(dict.fromkeys(numbers))
    if not found.text or extracted.unknown or not cited:
        return NotFound(missing=_missing(extracted), cited=[] if extracted.unknown else cited)
    workspace.worked_out = f"{found.text}. {found.reason}" if found.reason else ""
    return Found(answer=found.text, explanation=_explanation(stated, found.reason, cited), cited=cited)


def _naming(workspace: Workspace, text: str, cited: Sequence[int], said: str) -> list[int]:
    """The passage that is about an answer by its full name, where none of those cited has that and the sentences that
    are `said` have a part of it: "her brother William" is William Herschel.
    """
    key, told = name_key(text), [one.passage for one in workspace.evidence if one.number in cited]
    is_in_part = any(says(said, word) for word in frozenset(words(text)) - STOP_WORDS)
    if not key or not is_in_part or any(says(f"{one.title} {one.text}", text) for one in told):
        return []
    return [one.number for one in workspace.evidence if name_key(one.passage.title) == key][:1]


def _around(sentence: str, value: str) -> str:
    """A sentence, or, where it is a list that runs on, the stretch of it around a value."""
    at = sentence.find(value) if value else 0
    if len(sentence) <= SENTENCE or at < SENTENCE // 2:
        return clip(sentence, SENTENCE)
    start = sentence.find(" ", max(0, at - SENTENCE // 2)) + 1
    return f"… {clip(sentence[start:], SENTENCE)}"


def nearly_said(extracted: Extracted) -> tuple[ClosestSentence, ...]:
    """The sentences that an answer too uncertain to be given stands in, then those that were read for likeliest; none
    where a name of the question is spoken of nowhere.
    """
    found = extracted.found
    if found is None or extracted.unknown:
        return ()
    is_hint = extracted.confidence >= HINTED
    said = [*found.stated, *((one.passage, one.text) for one in extracted.told)][:2] if is_hint else []
    return tuple(
        ClosestSentence(passage, clip(_around(sentence, found.text), TOLD))
        for passage, sentence in dict.fromkeys((*said, *found.near))
    )


def _number(workspace: Workspace, passage: int | None) -> int | None:
    evidence = workspace.of_passage(passage) if passage is not None else None
    return evidence.number if evidence else None


def _explanation(stated: list[tuple[int, str]], reason: str, cited: list[int]) -> str:
    """The sentences of the steps, quoted in their order, then how they compare; Markdown that shows them as written."""
    told = [(number, _ended(sentence)) for number, sentence in stated if sentence]
    lines = list(dict.fromkeys(f"{escape_markdown(sentence)} [{number}]" for number, sentence in told))
    if reason:
        # Behind many rows nobody would find how they were chosen and added up.
        lines.insert(0 if len(lines) > SHORT else len(lines), escape_markdown(reason))
    quoted_numbers = {number for number, sentence in stated if sentence}
    rest = "".join([f"[{number}]" for number in cited if number not in quoted_numbers][:NUMBERED])
    return _BLOCK_START.sub(r"\1\\\2", " ".join([*lines, rest]).strip())


def _ended(sentence: str) -> str:
    """A line of a record with a full stop, so that it does not run on ("Owner: Ana Lee Telephone: 12")."""
    return sentence if sentence[-1] in ".!?…:\"”'’)" else f"{sentence}."


def _missing(extracted: Extracted) -> str:
    if extracted.unknown:
        return f"nothing here speaks of {extracted.unknown}"
    if extracted.found and extracted.found.missing:
        return f"no passage says {extracted.found.missing}"
    return NO_ANSWER
