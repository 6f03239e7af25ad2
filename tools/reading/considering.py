"""All that the evidence of one question offers for an answer, before one is chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from tools.answer_rules.asked_before import ANSWERED, find_asked_before
from tools.answer_rules.asked_columns import COUNT
from tools.answer_rules.asked_rows import asks_of_rows, count_rows, find_row, find_rows
from tools.answer_rules.bounds import is_bounded
from tools.answer_rules.chosen_rows import ChosenRows
from tools.answer_rules.claim_senses import find_sense
from tools.answer_rules.compare import Verdict, compare_options
from tools.answer_rules.converses import find_converse
from tools.answer_rules.dated_entries import DATED, find_changes, find_dated, find_told_time, find_uploader
from tools.answer_rules.day_rows import find_on_day
from tools.answer_rules.docs import Doc, Evidence, EvidencePassage, Found
from tools.answer_rules.elected_holders import find_holder
from tools.answer_rules.joined_rows import find_joined
from tools.answer_rules.key_records import find_in_record
from tools.answer_rules.least_version import find_least_version
from tools.answer_rules.listed_states import find_listed
from tools.answer_rules.permissions import find_permission
from tools.answer_rules.placed_rows import find_placed
from tools.answer_rules.planned_spent import find_beside_plan
from tools.answer_rules.recorded_rows import asks_for_members, find_recorded, find_values
from tools.answer_rules.recorded_sides import Recorded, decide_recorded
from tools.answer_rules.row_ranges import find_in_range
from tools.answer_rules.rows_of_one import find_of_one, find_source
from tools.answer_rules.said_comparisons import find_comparison
from tools.answer_rules.signed_roles import find_signed
from tools.answer_rules.things import find_things
from tools.answer_rules.time_rows import days_of, find_in_time
from tools.answer_rules.told_changes import find_change
from tools.answer_rules.values import find_dates
from tools.answer_rules.walk import SURE, Chain, Step, Walker, target_of
from tools.answer_rules.whole_tables import find_chosen, find_counted, find_whole
from tools.planning.in_full import in_full
from tools.planning.plan import Constraint, Plan
from tools.reading import second_reader
from tools.reading.abbreviated import Read
from tools.reading.answer_form import time_as_date
from tools.reading.candidates import Candidate, gather
from tools.reading.certainty import RISK, least_confidence
from tools.reading.choice import load_choice
from tools.reading.guess import Answer, ReadingGuesser, read_whole
from tools.reading.lists import asks_for_list
from tools.reading.reader import load_reader
from tools.reading.revisions import find_successor
from tools.reading.verdicts import READ, Judged, judge_verdict
from tools.reading.wanted_sort import fits_sort, wanted_sort
from tools.reading.yes_or_no import asked_plainly, is_claim, is_yesno, weigh

NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})
"""No values that a graph offers."""

HARDLY = 0.05
"""A side of a comparison that was read with less is not known: of three such answers one is right."""

GUESSED = 0.85
"""The most confidence in a comparison of which a side was read and not found by a rule: never sure."""

MOSTLY = 0.6
"""The share of a claim's words from which a sentence that says them and "not" speaks against it."""

QUOTED = 20
"""Members of a list whose lines are quoted; the others are cited by number."""

ALONE = 0.6
"""The most confidence in a yes or no that no plan decides and that is not asked as a claim. Of BoolQ's questions two
in three such answers are right, however much of the question a sentence says. The same for a claim of which no sentence
says every word, or all but a name or number; for a time that is told from a day that nobody knows; for what another
speaker says than the one who is asked about; for what somebody is ("Swedish") where a place is asked for; and for what
has no number in it where "which phone number" is.
"""

ARTICLES = 0.2
"""The share of the passages that begin as an article does from which an encyclopaedia is asked."""

LEAST = least_confidence(RISK)
"""Confidence in a yes or no from which the sentences that say most of the claim are not weighed besides: of what the
plan decides with less one in five is right.
"""


@dataclass(frozen=True, slots=True)
class Considered:
    """What one question's evidence offers: candidates for a look-up, or a judged verdict; and the likeliest chain.

    `alike` says that the passages are an encyclopaedia's, many of which tell the same of others. `docs` are all
    passages of a look-up. `recorded` is the value that structure states under the very words of the question.
    """

    candidates: tuple[Candidate, ...] = ()
    verdict: Verdict | None = None
    judged: Judged | None = None
    read: tuple[Doc, ...] = ()
    best: Chain = field(default_factory=Chain)
    answers: tuple[Answer, ...] = ()
    listed: tuple[Found, ...] = ()
    counted: tuple[Found, ...] = ()
    lacking: str = ""
    known: bool = False
    named: bool = True
    outright: Recorded | None = None
    alike: bool = False
    docs: tuple[Doc, ...] = ()
    recorded: Found | None = None


def consider(
    question: str,
    plan: Plan,
    passages: Sequence[EvidencePassage],
    bindings: Mapping[str, Sequence[str]] = NOTHING,
    read: Read | None = None,
    read_again: Read | None = None,
    beside: Sequence[EvidencePassage] | None = None,
) -> Considered:
    """All that may be the answer, before one is chosen; the arguments are those of `answer_question`."""
    evidence = Evidence(passages)
    tables = None if beside is None else Evidence([*passages, *beside]) if beside else evidence
    full = in_full(question)
    if outright := _stated_outright(full, evidence) or (_told_by_rows(full, tables) if tables else None):
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
        readings = read_whole(asked_plainly(question), docs, read)
        known = bool(plan.options) and all(evidence.about(option, 0.85) for option in plan.options)
        text = verdict.text if verdict else ""
        named = text not in plan.options or bool(evidence.about(text, 0.85))
        judged = judge_verdict(question, plan, verdict, readings, docs)
        alike = is_of_articles(evidence)
        made = Considered(known=known, named=named, verdict=verdict, judged=judged, read=docs, alike=alike)
        if is_yesno(question) and read_again and verdict_confidence(question, made) < LEAST:
            judged = replace(judged, weighed=weigh(question, evidence.docs, read, read_again, readings))
        return replace(made, judged=judged)
    chains = walker.walk(plan.constraints) if plan.constraints else []
    is_plain = len(plan.constraints) <= 1 or asks_for_members(question)
    recorded = find_recorded(full, evidence) if is_plain else None
    if recorded and not asks_for_list(question) and fits_sort(wanted_sort(question, plan), recorded.text):
        chains = [_as_chain(recorded, target_of(plan)), *chains]
    answers = guesser.whole(_ends(chains))
    close = guesser.close()
    again = guesser.again(close) if _is_open(chains) else []
    narrow = guesser.narrow(again, close) if again else []
    target = target_of(plan) or "?answer"
    candidates = gather(question, plan, evidence, chains, target, answers, close, again, narrow)
    chosen = find_chosen(full, tables) if tables else None
    listed, counted = _members(full, evidence, tables, chosen)
    return Considered(
        tuple(candidates),
        listed=listed,
        counted=counted,
        lacking=chosen.lacking if chosen else "",
        best=chains[0] if chains else Chain(),
        answers=tuple(answers),
        alike=is_of_articles(evidence),
        docs=tuple(evidence.docs),
        recorded=find_recorded(full, evidence, lacking=0) if recorded else None,
    )


def is_of_articles(evidence: Evidence) -> bool:
    """Whether the passages are an encyclopaedia's, many of which tell the same of others."""
    return sum(doc.is_article for doc in evidence.docs) >= ARTICLES * len(evidence.docs)


_PRESENT = re.compile(
    r"\W*how many (?:people|persons|members|of us|colleagues|staff)\s+(?=(?:is|are|was|were|sit)\b)", re.IGNORECASE
)

_DOES = re.compile(r"\W*(?:(?:and|so) )?what (?:did|does|do|has|have) .+ (?:do|done)\W*$", re.IGNORECASE)

_ON_LIST = re.compile(
    r"\b(?:on|in) (?:the|our|this) (?:[\w-]+ )?(?:list|register|rota|roster|table)\W*$", re.IGNORECASE
)


def _members(
    question: str, evidence: Evidence, tables: Evidence | None, chosen: ChosenRows | None
) -> tuple[tuple[Found, ...], tuple[Found, ...]]:
    """What structure names where several things are asked for, and what it counts where it is asked how many; of
    `tables` all rows are there, of which some may be `chosen`.
    """
    if chosen:
        return ((), chosen.counted) if COUNT.match(question) else (chosen.named, ())
    if listed := find_listed(question, evidence):
        return ((), tuple(listed)) if COUNT.match(question) else (tuple(listed), ())
    if tables and is_bounded(question):
        return (), ()  # rows that have the number are not those beyond it
    if COUNT.match(question):
        present = find_values(_PRESENT.sub("who ", question), evidence) if _PRESENT.match(question) else []
        if present or tables is None or (not _ON_LIST.search(question) and find_recorded(question, evidence)):
            return (), tuple(present)
        return (), tuple(count_rows(question, tables))
    rows = find_rows(question, tables) if tables and asks_of_rows(question) else []
    if _DOES.match(question) and all(days_of(one.text) or find_dates(one.text) for one in rows):
        rows = []  # the days that somebody's name stands beside are nothing that is done
    values = find_values(question, evidence) if asks_for_list(question) or asks_for_members(question) else []
    is_of_group = bool(values) and asks_for_members(question)  # "on the board" is no cell "on board"
    named = rows if len(rows) >= len(values) and not is_of_group else values
    named = named or find_things(question, evidence)
    return tuple(named) or (find_counted(question, tables) if tables else ()), ()


def _is_open(chains: Sequence[Chain]) -> bool:
    """Whether rules do not settle the question: then the passages are read a second time, which takes the longest."""
    return not chains or not chains[0].sure or bool(chains[0].missing)


def _told_by_rows(question: str, tables: Evidence) -> Recorded | None:
    """What one row of a table tells, of which all rows are there, or two records together."""
    finders = (
        find_of_one,
        find_beside_plan,
        find_placed,
        find_row,
        find_in_range,
        find_on_day,
        find_in_time,
        find_joined,
        find_whole,
    )
    return next((found for find in finders if (found := find(question, tables))), None)


def _stated_outright(question: str, evidence: Evidence) -> Recorded | None:
    """What needs no plan: two rows compared, what is allowed or needed, the day of an entry; None for nothing told."""
    if decided := decide_recorded(question, evidence):
        return decided
    asked = find_asked_before(question, evidence) if is_yesno(question) else None
    if asked and asked.verdict:
        return Recorded(asked.verdict, asked.sentences[:1], ANSWERED, asked.question)
    if compared := find_comparison(question, evidence):
        return compared
    if not is_of_articles(evidence) and (by_sense := find_sense(question, evidence)):
        return by_sense
    if permitted := find_permission(question, evidence):
        return Recorded(permitted[0], (permitted[1],), permitted[1].score)
    if least := find_least_version(question, evidence):
        return least
    if not is_of_articles(evidence) and (dealt := find_converse(question, evidence)):
        return dealt
    finders = (find_signed, find_change, find_in_record, find_holder, find_source)
    if told := next((found for find in finders if (found := find(question, evidence))), None):
        return told
    timed = find_told_time(question, evidence)
    if timed and (day := time_as_date(timed.text, timed, question)):
        return Recorded(day, (timed,), timed.score)
    if (successor := find_successor(question, evidence)) and not is_of_articles(evidence):
        return Recorded(successor.text, (successor,), successor.score)
    if changes := find_changes(question, evidence):
        return Recorded("; ".join(one.text for one in changes), tuple(changes[:QUOTED]), DATED)
    dated = find_dated(question, evidence) or find_uploader(question, evidence)
    return Recorded(dated.text, (dated,), dated.score) if dated else None


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


def verdict_confidence(question: str, considered: Considered) -> float:
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
    if judged.text == "yes" and judged.claim.negated and judged.claim.cover >= MOSTLY:
        confidence = min(confidence, ALONE)  # the sentence that says most of it denies it
    steps = [step for chain in verdict.chains for step in chain.steps] if verdict else []
    weakest = min((step.found.score if step.found else 0.0 for step in steps), default=1.0)
    if weakest < SURE:
        confidence = min(confidence, GUESSED if weakest >= HARDLY else ALONE)
    return confidence
