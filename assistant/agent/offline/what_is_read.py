"""What is read for an answer: the passages, their sentences, and the rows of the tables that are among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assistant.agent.offline.copies import without_copies
from assistant.agent.offline.headed import passages_of_day, passages_of_record, passages_of_release
from assistant.agent.replying.closest import near_sentences
from assistant.agent.workspace import Workspace
from kb.documents.structure import path_of, structured_lines
from kb.records import Passage
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.asked_before import is_question
from tools.answer_rules.asked_rows import asks_of_rows
from tools.answer_rules.docs import Evidence
from tools.answer_rules.joined_rows import asks_of_two, references
from tools.answer_rules.planned_spent import asks_beside_plan
from tools.answer_rules.row_ranges import asks_in_range
from tools.answer_rules.rows_of_one import asks_of_one
from tools.answer_rules.whole_tables import asks_of_chosen, asks_of_whole
from tools.evidence.ranking import rank_evidence
from tools.planning.in_full import in_full
from tools.reading.answering import EvidencePassage
from tools.reading.defining import with_subjects
from tools.reading.lists import asks_for_list
from tools.reading.told import Sentence
from tools.types import Hit

READ = 12
"""Passages read for the answer, best first: on the train questions 8 to 16 give the same answers, 30 fewer right
ones.
"""

READ_FOR_LISTS = 40
"""Passages looked through where several things are asked for: every row of a table may be a passage."""

RANKED = 30
"""Passages of the ranking among which those to read are chosen: as many as the latest walk ranks."""

AS_RANKED = 3
"""Passages read in the order of the ranking, in which a thread's beginning stands before its end."""

READ_OF_OTHERS = 2
"""Passages read besides of what each other tool found when it was last called, where the ranking leaves them out."""

OTHERS = ("passage_search", "evidence_expansion", "evidence_chains")
"""Tools whose order is no measure of the ranking; the last two are a language model's alone."""

TELLING = 8
"""Passages whose sentences are looked through for a question that sentences answer."""

SAYING = 20
"""Passages looked through for what a value became that an answer is."""

ROWS = 1000
"""Passages of the longest table that is looked through: of a longer one a part would be taken for all."""

REFERRING, REFERENCES, REFERRED = 6, 12, 60
"""Passages, best first, whose codes and names are looked up, how many of them, and passages that say them."""

WHOLE = 10_000
"""Passages of a file up to which all its tables are looked through for what rows come to."""

TABLES = 8
"""Tables of which all rows are looked through; where more are found, none is."""


class ToRead(NamedTuple):
    """Passages, and the ids of those of a day, release or record that is named."""

    hits: list[Hit]
    named: frozenset[int] = frozenset()


def to_read(kb: KnowledgeBase, workspace: Workspace) -> ToRead:
    """The passages of a day or release that is named, the best of the ranking, then the best of each tool besides.

    Behind the first of it each passage stands for itself: the ranking has the other parts of a short document last,
    and what is asked for may well be there.
    """
    lists = workspace.lists
    wanted = READ_FOR_LISTS if asks_for_list(workspace.standalone) else READ
    among = max(RANKED, wanted)
    ranked = without_copies(rank_evidence(kb, workspace.standalone, workspace.plan, lists, workspace.bindings, among))
    hits = [*ranked[:AS_RANKED], *sorted(ranked[AS_RANKED:], key=lambda hit: (-hit.score, hit.passage.id))][:wanted]
    headed = [*passages_of_day(kb, workspace.standalone), *passages_of_release(kb, workspace.standalone)]
    scores = {hit.passage.id: hit.score for hit in hits}
    recorded = [Hit(one, scores.get(one.id, 0.0)) for one in passages_of_record(kb, workspace.plan)]
    hits = [*hits[:AS_RANKED], *recorded, *hits[AS_RANKED:]]
    hits = [*(Hit(one, 0.0) for one in headed), *hits]
    others = [*workspace.recovered.values(), *(workspace.latest.get(tool, ()) for tool in OTHERS)]
    best: dict[int, Hit] = {}
    for hit in hits:
        best.setdefault(hit.passage.id, hit)
    for found in others:
        for hit in found[:READ_OF_OTHERS]:
            best.setdefault(hit.passage.id, hit)
    named = frozenset(one.id for one in (*headed, *(hit.passage for hit in recorded)))
    return ToRead(list(best.values()), named)


def sentences_of(kb: KnowledgeBase, question: str, hits: Sequence[Hit]) -> list[Sentence]:
    """The sentences of the best passages with what they speak of, but for those that ask something themselves."""
    passages = [hit.passage for hit in hits[:TELLING]]
    near = with_subjects(near_sentences(kb, question, passages), passages)
    return [one for one in near if not is_question(one.text)]


def with_nearness(kb: KnowledgeBase, question: str, hits: Sequence[Hit]) -> list[EvidencePassage]:
    """The passages to read, with how close each of their sentences comes to the question."""
    near: dict[int, list[tuple[int, float]]] = {}
    for one in near_sentences(kb, question, [hit.passage for hit in hits]):
        near.setdefault(one.passage, []).append((one.start, one.cosine))
    return [EvidencePassage.of(hit.passage, hit.score, near.get(hit.passage.id, ())) for hit in hits]


def rows_beside(kb: KnowledgeBase, question: str, hits: Sequence[Hit]) -> list[EvidencePassage] | None:
    """The other rows of the tables that were found, where a question may ask for several, how many, what a range
    of them tells or what they add up to; None where it does not, and where a table is too long to be looked through.
    """
    full = in_full(question)
    is_of_two = asks_of_two(full)
    if not is_of_two and not any(
        asks(full)
        for asks in (asks_of_rows, asks_of_one, asks_in_range, asks_beside_plan, asks_of_chosen, asks_of_whole)
    ):
        return None
    passages = [hit.passage for hit in hits]
    passages += _referred_to(kb, passages) if is_of_two else []
    tables: dict[str, str] = {}
    for passage in passages:
        if _has_rows(passage):
            tables.setdefault(passage.document.rpartition("#")[0] or passage.document, passage.document)
    read = [listing.passages_beside(kb, key, limit=ROWS + 1) for key in list(tables.values())[:TABLES]]
    if len(tables) > TABLES or any(len(table) > ROWS for table in read):
        return None
    read += _other_tables(kb, tables) if asks_of_whole(full) else []
    known = {hit.passage.id for hit in hits}
    beside = {one.id: one for one in (*passages, *(row for table in read for row in table)) if one.id not in known}
    return [EvidencePassage.of(one, 0.0) for one in beside.values()]


def _other_tables(kb: KnowledgeBase, known: Iterable[str]) -> list[list[Passage]]:
    """The rows of the other tables of a small knowledge base, those aside that are too long: a question for what rows
    come to may have no word by which they would be found.
    """
    if kb.passage_count > WHOLE:
        return []
    keys = listing.row_tables(kb, limit=TABLES + 1)
    others = [key for key in keys if key.rpartition("#")[0] not in set(known)] if len(keys) <= TABLES else []
    read = (listing.passages_beside(kb, key, limit=ROWS + 1) for key in others)
    return [table for table in read if len(table) <= ROWS]


def saying(kb: KnowledgeBase, value: str) -> list[EvidencePassage]:
    """The passages that say a value."""
    return [EvidencePassage.of(one, 0.0) for one in listing.passages_saying(kb, [value], limit=SAYING)]


def _referred_to(kb: KnowledgeBase, passages: Sequence[Passage]) -> list[Passage]:
    """The passages that speak of the codes and full names in the records of the first ones."""
    first = Evidence([EvidencePassage.of(one, 0.0) for one in passages[:REFERRING]])
    return listing.passages_saying(kb, references(first)[:REFERENCES], limit=REFERRED)


def _has_rows(passage: Passage) -> bool:
    lines = structured_lines(passage.title, passage.text, path_of(passage.section))
    return any(line.kind == "row" for line in lines)
