"""From a plan and its evidence to the shortest right answer, with no language model; or to the hop that is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tools.answer_rules.asked_relation import missing_fact
from tools.answer_rules.converses import is_turned_round
from tools.answer_rules.countries import is_adjective
from tools.answer_rules.docs import EvidencePassage, Found
from tools.answer_rules.ends_of_life import is_of_other_end
from tools.answer_rules.key_records import is_of_another_record
from tools.answer_rules.kin import is_kin_of_another
from tools.answer_rules.others import is_anothers, is_of_his_thing, is_of_namesake, is_said
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import name_score, says, squeeze
from tools.answer_rules.walk import Chain, Hop, Step, leads_back
from tools.answer_rules.whole_tables import is_one_of_several
from tools.answer_rules.whose import is_told_of_another
from tools.planning.plan import Plan, is_variable
from tools.reading.abbreviated import Read
from tools.reading.answer_form import COUNTRY_ASKED, answer_form, is_told_from_its_day, time_as_date
from tools.reading.asked_measure import is_other_measure
from tools.reading.candidates import Candidate
from tools.reading.certainty import likelier
from tools.reading.changed_later import find_said_later, is_turned_down, may_be_overtaken
from tools.reading.choice import Chosen, choose
from tools.reading.considering import ALONE, NOTHING, QUOTED, Considered, consider
from tools.reading.found_answer import FoundAnswer, Quote, Rival, held, hops_of, support_of
from tools.reading.lists import asks_for_list, members
from tools.reading.meant import as_meant
from tools.reading.parts import lacks_number
from tools.reading.reasons import is_reason_of_another
from tools.reading.reckoning import asks_to_reckon, is_reckoned
from tools.reading.revisions import LATER, REPLACED, Saying, denies, find_revision, later_of, widened
from tools.reading.told_verdict import told_verdict
from tools.reading.wanted_sort import (
    fits_sort,
    is_no_share,
    is_piece_of_link,
    is_unfit,
    is_year_told,
    wanted_sort,
)
from tools.reading.weighing import is_year_of, same
from tools.reading.yes_or_no import offers_choice

__all__ = ["EvidencePassage", "FoundAnswer", "Hop", "Quote", "Rival", "answer_question", "held", "raised"]

LISTED = 0.85
"""What is left of the confidence in an answer where it is a list, which may lack a member."""

NAMED = 0.9
"""The same where structure names all members: of such lists fewer lack one."""

SINGLE = 0.6
"""What is left of it where several are asked for and one was found."""

SAME = 0.85
"""How alike a name and a title are from which on a passage is held to be about whoever has the name."""

RAISED, RAISED_TO = (0.75 / 0.25) / (0.7 / 0.3), 0.9
"""How the odds grow of what was chosen by reading, and up to what confidence: of such answers from 0.7 on 87 to 92 in
100 are right; of an encyclopaedia's not where a hop is open, of people's own documents not of single steps.
"""

AS_RECORDED, HALF = 0.8, 0.5
"""The least confidence in what was chosen with at least half of the probability, where structure states the same under
the very words of the question and no encyclopaedia is asked. Of what was chosen with less, four of five were wrong.
"""

MOST_QUOTED = 0.94
"""The most confidence in a quoted sentence, of which nobody says which words answer: it is never sure."""

BEFORE = 0.05
"""Probability of another value of the same kind from which it may be the one of before."""

TRIED = 3
"""Other values of which it is looked for what has taken their place."""

RIVAL = 0.15
"""Probability from which it may be the one of now."""

AS_LIKELY = 0.5
"""Share of the likeliest one's probability that it must have besides."""

_SEVERAL = re.compile(r"\w, \w|\w,? (?:and|&) \w|\w; \w")
_WHEN = re.compile(r"\bwhen\b", re.IGNORECASE)
_NUMBER_ASKED = re.compile(r"\b(?:what|which)(?: [\w-]+){0,2} number\b(?! of)", re.IGNORECASE)


def answer_question(
    question: str,
    plan: Plan,
    passages: Sequence[EvidencePassage],
    bindings: Mapping[str, Sequence[str]] = NOTHING,
    read: Read | None = None,
    read_again: Read | None = None,
    beside: Sequence[EvidencePassage] | None = None,
    saying: Saying | None = None,
) -> FoundAnswer:
    """Answer a question from passages along its plan; a plan without constraints leaves the question's own words.

    `passages` come best first, most of them may be beside the point. `bindings` are values that a graph offers for the
    plan's variables; they decide between values that the passages give, and are none themselves. `read` reads passages
    for questions, `read_again` the best of them once more; without `read` the two readers that ship do, and with it
    alone nobody reads again. `beside` are all other rows of the tables that are among the passages: they are counted
    and listed, not read; without them no rows are. `saying` finds further passages that say a value, to see whether
    another has taken its place. The same arguments give the same answer. Never raises for any text; no passages give
    an answer with text "".
    """
    considered = consider(question, plan, passages, bindings, read, read_again, beside)
    if considered.outright is not None:
        return _outright(considered.outright)
    if considered.judged is not None:
        answer = told_verdict(question, considered)
    else:
        answer = _looked_up(question, plan, considered, saying)
    return raised(answer) if considered.alike and not answer.missing else answer


def raised(answer: FoundAnswer) -> FoundAnswer:
    """The answer with as many times its odds as those of 0.75 are of those of 0.7 (`RAISED`), and its sentence with
    that.
    """
    quote = answer.quote
    quote = quote._replace(confidence=_raised(quote.confidence)) if quote else None
    return replace(answer, confidence=_raised(answer.confidence), quote=quote)


def _raised(confidence: float) -> float:
    """A confidence up to `RAISED_TO`; what is held back with `ALONE` stays."""
    likely = likelier(confidence, RAISED) if ALONE < confidence < RAISED_TO else 0.0
    return max(confidence, round(min(RAISED_TO, likely), 4))


def _outright(recorded: Recorded) -> FoundAnswer:
    """What structure decides, with the lines that it rests on; of very many the first ones."""
    places = recorded.places
    asked = [(places[0].doc.passage.id, recorded.question)] if recorded.question else []
    stated = tuple(dict.fromkeys((*asked, *((one.doc.passage.id, one.sentence) for one in places))))[:QUOTED]
    support = tuple(dict.fromkeys(one.doc.passage.id for one in places))
    return FoundAnswer(recorded.text, (), support, recorded.confidence, "", recorded.reason, stated)


def _looked_up(question: str, plan: Plan, considered: Considered, saying: Saying | None) -> FoundAnswer:
    best, chosen = considered.best, choose(considered.candidates)
    if considered.listed:
        return replace(_listed(considered.listed), reason=considered.lacking)
    if considered.counted:
        text = str(len(considered.counted))
        return replace(_listed(considered.counted), text=text, reason=considered.lacking)
    if chosen is None:
        return FoundAnswer("", hops_of(best.steps), (), 0.0, _missing(best), "")
    confidence = chosen.confidence
    candidate = _whole_day(question, chosen.candidate, considered.candidates)
    meant = as_meant(question, candidate, chosen)
    if meant.candidate is not candidate:
        candidate, chosen = meant.candidate, chosen._replace(candidate=meant.candidate)
    found, chain = candidate.found, candidate.chain
    text = answer_form(question, plan, found)
    counted = time_as_date(text, found, question) if is_told_from_its_day(question, plan, found, text) else text
    is_one_step = chain is None or len(plan.constraints) <= 1
    is_others = _is_others(question, found, chain) or (
        is_one_step
        and (_is_of_another(found, question, plan) or is_of_another_record(question, found, considered.docs))
    )
    is_no_answer = _is_no_answer(question, plan, found, text) or (chain is not None and leads_back(chain, found))
    is_doubtful = not counted or is_others or meant.is_not_so or is_no_answer
    recorded = None if considered.alike else considered.recorded
    is_recorded = recorded is not None and same(recorded.text, found.text)
    is_list = asks_for_list(question) and not is_recorded
    quote = None if is_doubtful or is_list else _quote(question, plan, chosen)
    if is_doubtful:
        confidence = min(confidence, ALONE)
    elif is_recorded and confidence >= HALF:
        confidence = max(confidence, AS_RECORDED)
    confidence = min(confidence, meant.most)
    text = counted or text
    steps = chain.steps if chain else best.steps
    is_beside = chain is None and not considered.alike and not _is_told_of(steps, found.sentence)
    missing = "" if chain and not chain.missing else _missing(best)
    places = [found]
    if is_list:
        listed = members(found, considered.answers)
        text, places = ", ".join(one for one, _ in listed), [place for _, place in listed]
        confidence *= LISTED if len(listed) > 1 or _SEVERAL.search(text) else SINGLE
    places += meant.before
    support = tuple(dict.fromkeys((*(support_of(steps) if chain else ()), *(one.doc.passage.id for one in places))))
    answer = FoundAnswer(
        text,
        hops_of(steps),
        support,
        round(min(1.0, confidence), 4),
        missing,
        "",
        tuple(dict.fromkeys((one.doc.passage.id, one.sentence) for one in places)),
        missing_fact(steps[-1].constraint, steps[-1].subject) if steps else "",
        quote,
        chosen.chances,
        chosen.near,
        tuple(Rival(one.text, one.doc.passage.id, one.sentence, round(chance, 4)) for one, chance in chosen.others),
        is_doubtful,
        is_beside,
    )
    if is_list or considered.alike or is_doubtful:
        return answer
    return _as_of_now(question, answer, chosen, considered, saying)


def _is_of_last_step(found: Found, chain: Chain | None) -> bool:
    """Whether a passage is about what the step before the last one has found."""
    return chain is not None and len(chain.steps) > 1 and name_score(chain.steps[-1].subject, found.doc.title) >= SAME


def _is_told_of(steps: Sequence[Step], sentence: str) -> bool:
    """Whether a sentence names what any step has found."""
    return any(step.found is not None and says(sentence, step.found.text) for step in steps)


def _is_no_answer(question: str, plan: Plan, found: Found, text: str) -> bool:
    """Whether a text is of another sort than what is asked for: no place, no number, none of the two that are offered,
    or one of several that are meant together.
    """
    told = f"{_relation(found)} {text}"
    is_nationality = wanted_sort(question, plan) == "place" and is_adjective(text)
    return (
        (offers_choice(question) and not says(question, text))
        or (is_nationality and not COUNTRY_ASKED.search(question))
        or (bool(_NUMBER_ASKED.search(question)) and not fits_sort("number", text))
        or is_unfit(question, text)
        or is_piece_of_link(question, found)
        or is_year_told(question, text, found.sentence)
        or asks_to_reckon(question, told)
        or is_no_share(question, told)
        or is_reckoned(question, text, f"{told} {found.sentence}")
        or is_one_of_several(question, found)
        or is_other_measure(question, text)
    )


def _is_others(question: str, found: Found, chain: Chain | None) -> bool:
    """Whether an answer is told of somebody or something else, by whatever steps it was come to. A step from what one
    speaker of a talk tells of himself hardly ever leads to what another tells of himself. Whoever an earlier step has
    led to may well have a name like the one that is asked about: his father.
    """
    return (
        (is_said(found.doc, found.start) and is_anothers(found.doc, found.start, question))
        or is_of_his_thing(found.doc, found.start, question)
        or (not _is_of_last_step(found, chain) and is_told_of_another(question, found))
        or is_reason_of_another(question, found.sentence, found.text)
        or is_turned_round(question, found.text, found.sentence)
        or is_of_other_end(question, found)
    )


def _as_of_now(
    question: str, answer: FoundAnswer, chosen: Chosen, considered: Considered, saying: Saying | None
) -> FoundAnswer:
    """The answer with the value of now: what has taken the place of the one that was found or stands where that is
    denied, or what a later day tells where two are likely, each of which is then as likely to be meant as both
    together, as is one that has taken the place of others.
    """
    found = chosen.candidate.found
    docs = widened(considered.docs, saying, found.text)
    if now := find_revision(question, found, considered.docs, saying) or find_said_later(question, found, docs):
        likely = sum(chance for text, chance in chosen.chances if same(text, now.text))
        revised = _as_revised(answer, found, now, min(now.score, max(answer.confidence, chosen.confidence + likely)))
        is_off = is_turned_down(question, found, docs)  # what never was so is nothing that was before
        return replace(revised, reason=f"{found.text} was turned down.") if is_off else revised
    offered = zip(chosen.chances, considered.candidates, strict=False)  # none where nothing else was weighed
    others = [(chance, one.found) for (text, chance), one in offered if not same(text, found.text)]
    denying = [(chance, one) for chance, one in others if chance >= BEFORE and denies(question, one, found)]
    if denying:
        chance, told = max(denying, key=lambda pair: pair[0])
        return _as_revised(answer, found, told, min(REPLACED, max(answer.confidence, chosen.confidence + chance)))
    chance, rival = max(others, key=lambda pair: pair[0], default=(0.0, found))
    if replaced := _replaced_by(question, found, others, considered):
        confidence = min(max(now.score for _, _, now in replaced), chosen.confidence + sum(one[0] for one in replaced))
        confidence = max(answer.confidence, round(confidence, 4))
        return replace(answer, confidence=confidence, reason=answer.reason or _before(replaced[0][1]))
    now = later_of(question, found, rival) if chance >= BEFORE else None
    if now is None or (now is rival and chance < max(RIVAL, chosen.confidence * AS_LIKELY)):
        return held(answer) if may_be_overtaken(question, found, docs) else answer
    before = found if now is rival else rival
    revised = _as_revised(answer, before, now, min(LATER, max(answer.confidence, chosen.confidence + chance)))
    return held(revised) if may_be_overtaken(question, now, docs) else revised


def _replaced_by(
    question: str, found: Found, others: Sequence[tuple[float, Found]], considered: Considered
) -> list[tuple[float, Found, Found]]:
    """Those values whose place a found one has taken, each with its probability and the sentence that tells that: who
    asks for them asks for what is so now.
    """
    likely = sorted((one for one in others if one[0] >= BEFORE), key=lambda one: -one[0])[:TRIED]
    docs = considered.docs
    return [
        (chance, one, now)
        for chance, one in likely
        if (now := find_revision(question, one, docs) or find_said_later(question, one, docs))
        if same(now.text, found.text)
    ]


def _before(found: Found) -> str:
    return f"Before that it was {found.text}."


def _as_revised(answer: FoundAnswer, before: Found, now: Found, confidence: float) -> FoundAnswer:
    """An answer with the value of now, and the one of before told beside it."""
    stated = ((now.doc.passage.id, now.sentence), (before.doc.passage.id, before.sentence))
    quote = answer.quote
    return replace(
        answer,
        text=now.text,
        hops=answer.hops[:-1],
        support=tuple(dict.fromkeys((*(passage for passage, _ in stated), *answer.support))),
        confidence=round(confidence, 4),
        reason=_before(before),
        stated=stated,
        quote=Quote(now.doc.passage.id, now.sentence, min(confidence, quote.confidence), _paragraph(now))
        if quote
        else None,
    )


def _quote(question: str, plan: Plan, chosen: Chosen) -> Quote | None:
    """The likeliest sentence, where it is likelier than the likeliest span and speaks of what is asked about."""
    told = chosen.told
    if chosen.told_confidence <= chosen.confidence or _is_of_another(told, question, plan):
        return None
    if is_told_of_another(question, told):
        return None
    if is_reckoned(question, told.sentence, told.sentence) or is_reason_of_another(question, told.sentence):
        return None
    confidence = round(min(MOST_QUOTED, chosen.told_confidence), 4)
    return Quote(told.doc.passage.id, told.sentence, confidence, _paragraph(told))


def _paragraph(found: Found) -> str:
    """The sentence of a find with the one before and the one behind it, as far as they stand in the same line."""
    doc = found.doc
    start, end = doc.around(doc.sentence_index(found.start), 1)
    before, behind = doc.text.rfind("\n", start, found.start), doc.text.find("\n", found.end, end)
    return squeeze(doc.text[start if before < 0 else before : end if behind < 0 else behind])


def _whole_day(question: str, chosen: Candidate, candidates: Sequence[Candidate]) -> Candidate:
    """The day that a chain leads to where its year alone was chosen, and the question is for when."""
    if not _WHEN.search(question):
        return chosen
    days = (one for one in candidates if one.chain and one.found.doc is chosen.found.doc)
    longer = (one for one in days if len(one.found.text) > len(chosen.found.text))
    return next((one for one in longer if is_year_of(one.found.text, chosen.found.text)), chosen)


def _relation(found: Found) -> str:
    """What a value of a row is called; the sentence of any other value, with what stands above it."""
    line, value = found.doc.line_at(found.start), found.doc.value_at(found.start)
    if line is not None and line.kind == "row" and value is not None:
        return value.relation
    return f"{found.doc.headings_at(found.start)} {found.sentence}"


def _is_of_another(found: Found, question: str, plan: Plan) -> bool:
    """Whether an answer is what another speaker says than the one asked about, or is told of another number, of a
    namesake or as somebody else's kin. Where more than one step is asked for, a namesake may well be kin.
    """
    doc, single = found.doc, plan.constraints[0] if len(plan.constraints) == 1 else None
    is_namesakes = single is not None and any(is_of_namesake(doc, end) for end in (single.head, single.tail))
    subject = "" if single is None else single.tail if is_variable(single.head) else single.head
    if single is not None and is_kin_of_another(found, subject, single.relation):
        return True
    return is_namesakes or is_anothers(doc, found.start, question) or lacks_number(doc, question)


def _listed(found: Sequence[Found]) -> FoundAnswer:
    """All members that structure names, each cited, the first of them with their lines."""
    return FoundAnswer(
        ", ".join(one.text for one in found),
        (),
        tuple(dict.fromkeys(one.doc.passage.id for one in found)),
        round(min(one.score for one in found) * NAMED, 4),
        "",
        "",
        tuple(dict.fromkeys((one.doc.passage.id, one.sentence) for one in found[:QUOTED])),
    )


def _missing(chain: Chain) -> str:
    step = chain.missing
    return missing_fact(step.constraint, step.subject) if step else ""
