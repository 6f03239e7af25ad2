"""From a plan and its evidence to the shortest right answer, with no language model; or to the hop that is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from tools.answer_rules.asked_before import ANSWERED, find_asked_before
from tools.answer_rules.asked_most import find_most
from tools.answer_rules.asked_relation import missing_fact
from tools.answer_rules.asked_rows import asks_of_rows, count_rows, find_rows
from tools.answer_rules.compare import Verdict, compare_options
from tools.answer_rules.countries import country_of, is_adjective
from tools.answer_rules.dated_entries import DATED, find_changes, find_dated, find_told_time, find_uploader
from tools.answer_rules.docs import Doc, Evidence, EvidencePassage, Found
from tools.answer_rules.permissions import find_permission
from tools.answer_rules.recorded_rows import asks_for_members, find_recorded, find_values
from tools.answer_rules.recorded_sides import Recorded, decide_recorded
from tools.answer_rules.text import says, squeeze
from tools.answer_rules.things import find_things
from tools.answer_rules.values import find_dates, is_relative_time
from tools.answer_rules.walk import SURE, Chain, Hop, Step, Walker, target_of
from tools.planning.plan import Constraint, Plan
from tools.reading import second_reader
from tools.reading.candidates import Candidate, fits_type, gather, is_year_of, wanted_type
from tools.reading.certainty import RISK, least_confidence
from tools.reading.choice import Chosen, choose, load_choice
from tools.reading.guess import Answer, Read, ReadingGuesser
from tools.reading.lists import asks_for_list, members
from tools.reading.parts import all_named, is_anothers, lacks_number, whole_value, whole_word
from tools.reading.reader import load_reader
from tools.reading.times import counted_from, day_of
from tools.reading.verdicts import READ, Judged, judge_verdict
from tools.reading.yes_or_no import asked_plainly, is_claim, is_yesno, offers_choice, weigh

__all__ = ["EvidencePassage", "FoundAnswer", "Hop", "Quote", "answer_question"]

_NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})
ALONE = 0.6
"""The most confidence in a yes or no that no plan decides and that is not asked as a claim. Of BoolQ's questions two
in three such answers are right, however much of the question a sentence says. The same for a claim of which no sentence
says every word, or all but a name or number; for a time that is told from a day that nobody knows; for what another
speaker says than the one who is asked about; for what somebody is ("Swedish") where a place is asked for; and for what
has no number in it where "which phone number" is.
"""

LEAST = least_confidence(RISK)
"""Confidence in a yes or no from which the sentences that say most of the claim are not weighed besides: of what the
plan decides with less one in five is right.
"""

GUESSED = 0.85
"""The most confidence in a comparison of which a side was read and not found by a rule: never sure."""

HARDLY = 0.05
"""A side of a comparison that was read with less is not known: of three such answers one is right."""

LISTED = 0.85
"""What is left of the confidence in an answer where it is a list, which may lack a member."""

QUOTED = 20
"""Members of a list whose lines are quoted; the others are cited by number."""

SINGLE = 0.6
"""What is left of it where several are asked for and one was found."""

MOST_QUOTED = 0.94
"""The most confidence in a quoted sentence, of which nobody says which words answer: it is never sure."""

_IN_MARKS = re.compile(r"^<([^<>]*)>?$")
_SEVERAL = re.compile(r"\w, \w|\w,? (?:and|&) \w|\w; \w")
_WHO = re.compile(
    r"\W*(?:(?:and|so) )?who(?:m)?\b(?! (?:is|was) the (?:first|last|only|main|lead|chief|head)\b)", re.IGNORECASE
)
_WHEN = re.compile(r"\bwhen\b", re.IGNORECASE)
_COUNTRY_ASKED = re.compile(r"\b(?:country|nation)\b|\bfrom\W*$", re.IGNORECASE)
_NUMBER_ASKED = re.compile(r"\b(?:what|which)(?: [\w-]+){0,2} number\b(?! of)", re.IGNORECASE)
_TITLE = re.compile(
    r"(?:Sultan|Emperor|Empress|President|Senator|Dr\.?|Professor|Prof\.|Mr\.|Mrs\.|General|Rev\.|Hon\.)\s+(?=[A-Z])"
)
_ROYAL = re.compile(r"(?:King|Queen)\s+(?=[A-Z][^ ]* ?(?!.*\bof\b))")


class Quote(NamedTuple):
    """A sentence of a passage that answers, whichever of its words do, how likely it does (0..1), and the sentence with
    those around it in its paragraph.
    """

    passage: int
    sentence: str
    confidence: float
    around: str


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """The answer to a question and how it was reached.

    `text` is a span of a passage, one of the plan's options, "yes" or "no", or a year of a date; "" where none was
    found. `support` are the ids of the passages that it rests on, in the order of the hops. `confidence` (0..1) is the
    probability that it is right. `missing` says which hop found nothing ("when Ann Lee was born"), "" where all found
    something or nobody would put it so; with a text beside it, the text is what the question as a whole led to.
    `stated` are passages with the sentences that the answer stands in, where no hop ends there. `asked` is the fact
    that the last hop asks for, in the words of `missing`. `quote` is the sentence to tell where `text` is not likely
    enough; None where none is likelier than it. `chances` are all spans that were weighed for a look-up, each with its
    probability.
    """

    text: str
    hops: tuple[Hop, ...]
    support: tuple[int, ...]
    confidence: float
    missing: str
    reason: str
    stated: tuple[tuple[int, str], ...] = ()
    asked: str = ""
    quote: Quote | None = None
    chances: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Considered:
    """What one question's evidence offers: candidates for a look-up, or a judged verdict; and the likeliest chain."""

    candidates: tuple[Candidate, ...] = ()
    verdict: Verdict | None = None
    judged: Judged | None = None
    read: tuple[Doc, ...] = ()
    best: Chain = field(default_factory=Chain)
    answers: tuple[Answer, ...] = ()
    listed: tuple[Found, ...] = ()
    counted: tuple[Found, ...] = ()
    known: bool = False
    named: bool = True
    outright: Recorded | None = None


def answer_question(
    question: str,
    plan: Plan,
    passages: Sequence[EvidencePassage],
    bindings: Mapping[str, Sequence[str]] = _NOTHING,
    read: Read | None = None,
    read_again: Read | None = None,
    beside: Sequence[EvidencePassage] | None = None,
) -> FoundAnswer:
    """Answer a question from passages along its plan; a plan without constraints leaves the question's own words.

    `passages` come best first, most of them may be beside the point. `bindings` are values that a graph offers for the
    plan's variables; they decide between values that the passages give, and are none themselves. `read` reads passages
    for questions, `read_again` the best of them once more; without `read` the two readers that ship do, and with it
    alone nobody reads again. `beside` are all other rows of the tables that are among the passages: they are counted
    and listed, not read; without them no rows are. The same arguments give the same answer. Never raises for any text;
    no passages give an answer with text "".
    """
    considered = consider(question, plan, passages, bindings, read, read_again, beside)
    if considered.outright is not None:
        return _outright(considered.outright)
    if considered.judged is not None:
        return _compared(question, considered)
    return _looked_up(question, plan, considered)


def consider(
    question: str,
    plan: Plan,
    passages: Sequence[EvidencePassage],
    bindings: Mapping[str, Sequence[str]] = _NOTHING,
    read: Read | None = None,
    read_again: Read | None = None,
    beside: Sequence[EvidencePassage] | None = None,
) -> Considered:
    """All that may be the answer, before one is chosen; the arguments are those of `answer_question`."""
    evidence = Evidence(passages)
    tables = None if beside is None else Evidence([*passages, *beside]) if beside else evidence
    if outright := _stated_outright(question, evidence) or (find_most(question, tables) if tables else None):
        return Considered(outright=outright)
    if read is None:
        read, read_again = load_reader().read, second_reader.read_again
    guesser = ReadingGuesser(evidence, question, plan, read, read_again)
    walker = Walker(evidence, guesser.value, bindings)
    compares = plan.kind in ("comparison", "yesno")
    if compares or is_yesno(question):
        # A claim is weighed by what the text says: its own words confuse a plan.
        verdict = compare_options(question, plan, evidence, walker) if compares and not is_claim(question) else None
        docs = evidence.docs[:READ]
        readings = guesser.judged(asked_plainly(question), docs)
        known = bool(plan.options) and all(evidence.about(option, 0.85) for option in plan.options)
        text = verdict.text if verdict else ""
        named = text not in plan.options or bool(evidence.about(text, 0.85))
        judged = judge_verdict(question, plan, verdict, readings, docs)
        made = Considered(known=known, named=named, verdict=verdict, judged=judged, read=docs)
        if is_yesno(question) and read_again and _verdict_confidence(question, made) < LEAST:
            judged = replace(judged, weighed=weigh(question, evidence.docs, read, read_again, readings))
        return replace(made, judged=judged)
    chains = walker.walk(plan.constraints) if plan.constraints else []
    recorded = find_recorded(question, evidence) if len(plan.constraints) <= 1 else None
    if recorded and not asks_for_list(question) and fits_type(wanted_type(question, plan), recorded.text):
        chains = [_as_chain(recorded, target_of(plan)), *chains]
    answers = guesser.whole(_ends(chains))
    close = guesser.close()
    again = guesser.again(close) if _is_open(chains) else []
    narrow = guesser.narrow(again, close) if again else []
    target = target_of(plan) or "?answer"
    candidates = gather(question, plan, evidence, chains, target, answers, close, again, narrow)
    listed, counted = _members(question, evidence, tables)
    return Considered(
        tuple(candidates),
        listed=listed,
        counted=counted,
        best=chains[0] if chains else Chain(),
        answers=tuple(answers),
    )


_PRESENT = re.compile(
    r"\W*how many (?:people|persons|members|of us|colleagues|staff)\s+(?=(?:is|are|was|were|sit)\b)", re.IGNORECASE
)
_COUNTED = re.compile(r"\W*(?:(?:and|so) )?how many\b", re.IGNORECASE)


def _members(question: str, evidence: Evidence, tables: Evidence | None) -> tuple[tuple[Found, ...], tuple[Found, ...]]:
    """What structure names where several things are asked for, and what it counts where it is asked how many; of
    `tables` all rows are there.
    """
    if _COUNTED.match(question):
        present = find_values(_PRESENT.sub("who ", question), evidence) if _PRESENT.match(question) else []
        if present or tables is None or find_recorded(question, evidence):
            return (), tuple(present)
        return (), tuple(count_rows(question, tables))
    rows = find_rows(question, tables) if tables and asks_of_rows(question) else []
    values = find_values(question, evidence) if asks_for_list(question) or asks_for_members(question) else []
    named = rows if len(rows) >= len(values) else values
    return tuple(named or find_things(question, evidence)), ()


def _is_open(chains: Sequence[Chain]) -> bool:
    """Whether rules do not settle the question: then the passages are read a second time, which takes the longest."""
    return not chains or not chains[0].sure or bool(chains[0].missing)


def _stated_outright(question: str, evidence: Evidence) -> Recorded | None:
    """What needs no plan: two rows compared, what is allowed, the day of an entry; None where nothing tells."""
    if decided := decide_recorded(question, evidence):
        return decided
    asked = find_asked_before(question, evidence) if is_yesno(question) else None
    if asked and asked.verdict:
        return Recorded(asked.verdict, asked.sentences[:1], ANSWERED, asked.question)
    if permitted := find_permission(question, evidence):
        return Recorded(permitted[0], (permitted[1],), permitted[1].score)
    told = find_told_time(question, evidence)
    if told and (day := _counted(told.text, told, question)):
        return Recorded(day, (told,), told.score)
    if changes := find_changes(question, evidence):
        return Recorded("; ".join(one.text for one in changes), tuple(changes[:QUOTED]), DATED)
    dated = find_dated(question, evidence) or find_uploader(question, evidence)
    return Recorded(dated.text, (dated,), dated.score) if dated else None


def _outright(recorded: Recorded) -> FoundAnswer:
    """What structure decides, with the lines that it rests on."""
    places = recorded.places
    asked = [(places[0].doc.passage.id, recorded.question)] if recorded.question else []
    stated = tuple(dict.fromkeys((*asked, *((one.doc.passage.id, one.sentence) for one in places))))
    support = tuple(dict.fromkeys(one.doc.passage.id for one in places))
    return FoundAnswer(recorded.text, (), support, recorded.confidence, "", "", stated)


def _as_chain(recorded: Found, target: str) -> Chain:
    """A value that structure states as the only step of a chain."""
    line, value = recorded.doc.line_at(recorded.start), recorded.doc.value_at(recorded.start)
    assert line is not None
    assert value is not None
    variable = target or "?answer"
    constraint = Constraint(line.subject, value.relation, variable)
    return Chain((Step(constraint, variable, recorded, line.subject),), {variable: recorded}, recorded.score)


def _ends(chains: Sequence[Chain]) -> list[Doc]:
    """The passages in which the best chains end."""
    return [chain.steps[-1].found.doc for chain in chains[:2] if chain.steps and chain.steps[-1].found]


def _compared(question: str, considered: Considered) -> FoundAnswer:
    judged, verdict = considered.judged, considered.verdict
    assert judged is not None, "a verdict is weighed before it is told"
    chains = verdict.chains if verdict else ()
    steps = [step for chain in chains for step in chain.steps]
    missing = verdict.missing if verdict else ""
    decided, weighed = _verdict_confidence(question, considered), judged.weighed
    if weighed and weighed.confidence > decided:
        place = weighed.statement.doc.passage.id
        confidence = round(weighed.confidence, 4)
        return FoundAnswer(weighed.text, (), (place,), confidence, "", "", ((place, squeeze(weighed.statement.text)),))
    if not judged.text:
        return FoundAnswer("", _hops(steps), _support(steps), 0.0, missing, "")
    confidence = decided
    if judged.by_reading:
        claim = judged.claim
        told = claim.doc or next(iter(considered.read), None)
        stated = ((told.passage.id, claim.sentence),) if told and claim.sentence else ()
        support = (told.passage.id,) if told else ()
        return FoundAnswer(judged.text, (), support, round(confidence, 4), "", "", stated)
    reason = verdict.reason if verdict else ""
    return FoundAnswer(judged.text, _hops(steps), _support(steps), round(confidence, 4), missing, reason)


def _verdict_confidence(question: str, considered: Considered) -> float:
    """How sure a judged verdict is, by the trained model and by what it cannot know."""
    judged, verdict = considered.judged, considered.verdict
    if judged is None or not judged.text:
        return 0.0
    confidence = float(load_choice("compared").probabilities(judged.features[None, :])[0])
    if judged.by_reading:
        return confidence if is_claim(question) and judged.claim.verdict else min(confidence, ALONE)
    if (judged.text == "no" and not considered.known) or not considered.named:
        # What no sentence says of a thing is denied only where a passage is about that thing, and an answer names one.
        confidence = min(confidence, ALONE)
    steps = [step for chain in verdict.chains for step in chain.steps] if verdict else []
    weakest = min((step.found.score if step.found else 0.0 for step in steps), default=1.0)
    if weakest < SURE:
        confidence = min(confidence, GUESSED if weakest >= HARDLY else ALONE)
    return confidence


def _looked_up(question: str, plan: Plan, considered: Considered) -> FoundAnswer:
    best, chosen = considered.best, choose(considered.candidates)
    if considered.listed:
        return _listed(considered.listed)
    if considered.counted:
        return replace(_listed(considered.counted), text=str(len(considered.counted)))
    if chosen is None:
        return FoundAnswer("", _hops(best.steps), (), 0.0, _missing(best), "")
    confidence = chosen.confidence
    candidate = _whole_day(question, chosen.candidate, considered.candidates)
    found, chain = candidate.found, candidate.chain
    text = answer_form(question, plan, found)
    counted = _counted(text, found, question) if _is_told_from_its_day(question, plan, found, text) else text
    is_one_step = chain is None or len(plan.constraints) <= 1
    is_no_choice = offers_choice(question) and not says(question, text)
    is_no_place = wanted_type(question, plan) == "place" and not _COUNTRY_ASKED.search(question) and is_adjective(text)
    is_no_number = bool(_NUMBER_ASKED.search(question)) and not fits_type("number", text)
    is_no_answer = is_no_choice or is_no_place or is_no_number
    is_doubtful = not counted or is_no_answer or (is_one_step and _is_of_another(found, question))
    if is_doubtful:
        confidence = min(confidence, ALONE)
    text = counted or text
    steps = chain.steps if chain else best.steps
    missing = "" if chain and not chain.missing else _missing(best)
    places = [found]
    if asks_for_list(question):
        listed = members(found, considered.answers)
        text, places = ", ".join(one for one, _ in listed), [place for _, place in listed]
        confidence *= LISTED if len(listed) > 1 or _SEVERAL.search(text) else SINGLE
    support = tuple(dict.fromkeys((*(_support(steps) if chain else ()), *(one.doc.passage.id for one in places))))
    return FoundAnswer(
        text,
        _hops(steps),
        support,
        round(min(1.0, confidence), 4),
        missing,
        "",
        tuple(dict.fromkeys((one.doc.passage.id, one.sentence) for one in places)),
        missing_fact(steps[-1].constraint, steps[-1].subject) if steps else "",
        None if is_doubtful or asks_for_list(question) else _quote(question, chosen),
        chosen.chances,
    )


def _quote(question: str, chosen: Chosen) -> Quote | None:
    """The likeliest sentence, where it is likelier than the likeliest span and speaks of what is asked about."""
    told = chosen.told
    if chosen.told_confidence <= chosen.confidence or _is_of_another(told, question):
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


def _is_of_another(found: Found, question: str) -> bool:
    """Whether an answer is what another speaker says than the one asked about, or is told of another number."""
    return is_anothers(found.doc, found.start, question) or lacks_number(found.doc, question)


def _listed(found: Sequence[Found]) -> FoundAnswer:
    """All members that structure names, each cited, the first of them with their lines."""
    return FoundAnswer(
        ", ".join(one.text for one in found),
        (),
        tuple(dict.fromkeys(one.doc.passage.id for one in found)),
        round(min(one.score for one in found) * LISTED, 4),
        "",
        "",
        tuple(dict.fromkeys((one.doc.passage.id, one.sentence) for one in found[:QUOTED])),
    )


_AHEAD = re.compile(r"\b(?:when|day|date|time)\s+(?:will|shall|do|does|is|are)\b|\bgoing to\b", re.IGNORECASE)


def _is_told_from_its_day(question: str, plan: Plan, found: Found, text: str) -> bool:
    """Whether an answer to "when" is told from the day of its text, in prose or talk; a record's day is not."""
    line = found.doc.line_at(found.start)
    is_told = line is None or line.kind == "turn"
    return is_told and wanted_type(question, plan) == "date" and is_relative_time(text)


def _counted(time: str, found: Found, question: str) -> str:
    """A time that is told from the day of its text, as a date; "" where the text has none.

    A heading with a day, as a diary and a chat have them, is nearer than the title of the whole.
    """
    passage = found.doc.passage
    day = day_of(*reversed(found.doc.headings(found.start)), passage.title, passage.source)
    return counted_from(time, day, is_past=not _AHEAD.search(question)) if day else ""


def answer_form(question: str, plan: Plan, found: Found) -> str:
    """A value in the form that the question asks for: a year, a country where its name is in the text, a name alone."""
    start, end = whole_word(found.doc, *whole_value(found.doc, found.start, found.end))
    if _WHO.match(question):
        start, end = all_named(found.doc, start, end)
    stretch = squeeze(found.doc.text[start:end])
    is_verbatim = found.text == squeeze(found.doc.text[found.start : found.end])
    text = stretch if is_verbatim or found.text in stretch else found.text
    text = _begun(question, found, start, _IN_MARKS.sub(r"\1", text.strip(" \"“”'’,;:")))
    if plan.answer_type == "year":
        dates = [date for date in find_dates(text) if date.year]
        year = re.search(r"\d{3,4}", dates[0].text) if dates else None
        return year.group() if year else text
    if _COUNTRY_ASKED.search(question) and is_adjective(text):
        country = country_of(text)
        return country if text.startswith(country) else text
    if plan.answer_type in ("person", "text"):
        return _ROYAL.sub("", _TITLE.sub("", text, count=1), count=1)
    return text


_FROM = re.compile(r"\b(?:start|starts|begin|begins|open|opens|from when)\b", re.IGNORECASE)
_RANGE_BEFORE = re.compile(r"(\d{1,2}(?:[.:]\d\d)?)(?: ?[ap]m)?\s?(?:to|until|till|-|–|—)\s?$")


def _begun(question: str, found: Found, start: int, text: str) -> str:
    """The first time of a stretch where it is asked when something starts and the second one was read."""
    before = _RANGE_BEFORE.search(found.doc.text[max(0, start - 16) : start])
    return before[1] if before and _FROM.search(question) and text[:1].isdigit() else text


def _hops(steps: Sequence[Step]) -> tuple[Hop, ...]:
    return tuple(step.hop for step in steps)


def _support(steps: Sequence[Step]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(step.found.doc.passage.id for step in steps if step.found))


def _missing(chain: Chain) -> str:
    step = chain.missing
    return missing_fact(step.constraint, step.subject) if step else ""
