"""Mentions and facts as arrays, in each engine: by a file's numbers against the views of the same rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from earlier_files import write_earlier
from servers import BOTH, in_engine

from kb.errors import DamagedFileError
from kb.store.graph_rows import Ids, RowsByIds, RowsByNumbers
from kb.store.knowledge_base import KnowledgeBase
from kb.store.subgraph import SubgraphBase


@pytest.fixture(scope="module", params=BOTH)
def kb(request: pytest.FixtureRequest, small_file: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(in_engine(request, small_file)) as opened:
        yield opened


def in_order(rows: Ids) -> list[list[int]]:
    return sorted(rows.tolist())


def test_what_is_read_at_once_is_what_the_views_say_row_by_row(kb: KnowledgeBase) -> None:
    rows, every = kb._engine.graph_rows, kb.graph
    mentions = sorted({(row[0], row[3]) for row in kb.passage_mentions(every.passages.tolist())})
    assert in_order(rows.mentions("passage", every.passages.tolist())) == [list(one) for one in mentions]
    assert in_order(rows.mentions("entity", every.entities.tolist())) == [list(one) for one in mentions]
    some = every.passages[::3].tolist()
    facts, mentioned = rows.facts_and_mentions(some)
    told = [[one.id, one.head, one.tail, one.passage, one.sentence_id] for one in kb.passage_triples(some)]
    assert in_order(facts) == told != []
    assert in_order(mentioned) == [list(one) for one in mentions if one[0] in some] != []


def test_of_what_is_unknown_and_of_nothing_there_are_no_rows(kb: KnowledgeBase) -> None:
    rows = kb._engine.graph_rows
    for ids in ([], [1, 2]):
        facts, mentions = rows.facts_and_mentions(ids)
        assert facts.shape == (0, 5)
        assert mentions.shape == rows.mentions("entity", ids).shape == (0, 2)
    assert len(rows.mentions("passage", kb.graph.passages[[0, 0]].tolist())) == len(
        rows.mentions("passage", kb.graph.passages[:1].tolist())
    ), "each pair once"


@pytest.mark.parametrize(("before", "kind"), [("m008_numbers", RowsByIds), ("m009_facts_of_passages", RowsByNumbers)])
def test_a_file_of_before_has_the_same_rows(before: str, kind: type, small_file: Path, tmp_path: Path) -> None:
    write_earlier(tmp_path / "earlier.clew", small_file, before)
    with KnowledgeBase.open(small_file) as now, KnowledgeBase.open(tmp_path / "earlier.clew") as earlier:
        assert isinstance(earlier._engine.graph_rows, kind)
        passages = now.graph.passages.tolist()
        mine, others = (one._engine.graph_rows.facts_and_mentions(passages) for one in (now, earlier))
        assert [in_order(one) for one in mine] == [in_order(one) for one in others]


def test_the_facts_of_a_passage_are_read_from_their_index_alone(small_file: Path) -> None:
    with KnowledgeBase.open(small_file) as kb:
        plan = kb._rows("EXPLAIN QUERY PLAN SELECT id, head, tail, passage, start FROM facts WHERE passage IN (1, 2)")
    assert "COVERING INDEX facts_passage" in plan[0][3]


@pytest.mark.parametrize(
    "broken",
    ["UPDATE facts SET start = 9999", "UPDATE facts SET tail = 999999", "UPDATE mention_rows SET entity = 999999"],
)
def test_a_row_that_refers_to_nothing_is_damage(broken: str, small_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    path.write_bytes(small_file.read_bytes())
    with sqlite3.connect(path) as database:
        database.execute(f"{broken} WHERE passage = 1")
    with KnowledgeBase.open(path) as kb:
        every = [row[0] for row in kb._rows("SELECT id FROM passages")]
        with pytest.raises(DamagedFileError):
            _ = SubgraphBase(kb, lambda: every).fact_graph
