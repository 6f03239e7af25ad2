"""What is looked up of passages against the same measures of the whole graph, the slow way."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from earlier_files import write_earlier
from servers import BOTH, in_engine

from kb.build import build, remove
from kb.errors import LockedFileError
from kb.store.check import check
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence.evidence_walk import evidence_walk
from tools.textual_recovery import titled

HARBOUR = " ".join(f"In {1700 + at} Ada Moor counted {at} ships in Lyon and salt from Rome." for at in range(60))
TOWN = {
    "London": "London is a city on the Thames. Ada Moor lived there.",
    "Tower of London": "The Tower of London is a castle in London. It was a prison until 1952.",
    "Ada Moor": "Ada Moor was a keeper of ravens at the Tower of London. She was born in London and died in Lyon.",
    "Mercury (planet)": "Mercury is the planet closest to the Sun.",
    "Mercury (god)": "Mercury was a god of trade in Rome. Rome and Mercury go together.",
    "Salt Harbour": HARBOUR,
    "Salt Trade": "The salt trade of Salt Harbour made Ada Moor rich. Mercury was its patron in Lyon and in Rome.",
    "Nothing": "it is about nothing.",
}
"""Names with two meanings, a document of several passages, and one that nothing joins to the others."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("town")
    documents = [{"id": title, "title": title, "text": text} for title, text in TOWN.items()]
    lines = "".join(json.dumps(one) + "\n" for one in documents)
    (folder / "town.jsonl").write_text(lines, "utf-8")
    build([str(folder / "town.jsonl")], folder / "town.clew")
    return folder / "town.clew"


@pytest.fixture(scope="module", params=BOTH)
def path(request: pytest.FixtureRequest, file: Path) -> Path:
    return in_engine(request, file)


@pytest.fixture
def kb(path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(path) as opened:
        yield opened


@pytest.mark.parametrize("looked_up", ["links_from", "links_to", "rare_neighbours"])
def test_what_joins_passages_is_what_the_whole_graph_says(kb: KnowledgeBase, looked_up: str) -> None:
    graph = kb.graph
    whole = {"links_from": graph.links, "links_to": graph.links.T, "rare_neighbours": graph.rare_neighbours}
    matrix = whole[looked_up].toarray()
    found = getattr(kb.links, looked_up)(graph.passages.tolist())
    assert list(found) == graph.passages.tolist()
    mine = np.zeros_like(matrix)
    for passage, joined in found.items():
        for other, strength in joined.items():
            mine[graph.passage_rows(passage), graph.passage_rows(other)] = strength
    np.testing.assert_allclose(mine, matrix, rtol=1e-6)
    assert (matrix > 0).sum() > 5


def test_links_are_the_same_where_the_names_are_known(kb: KnowledgeBase) -> None:
    passages = kb.graph.passages.tolist()
    names = kb.links.names_in(passages)
    assert kb.links.links_from(passages, names) == kb.links.links_from(passages)
    assert kb.links.rare_neighbours(passages[:2], names) == kb.links.rare_neighbours(passages[:2])
    assert names == {one: sorted(own) for one, own in names.items()}
    assert any(len(own) > 1 for own in names.values())


def test_of_a_title_that_many_passages_name_some_are_looked_at(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    (keeper,) = [one[0] for one in kb._rows("SELECT id FROM passages WHERE title = 'Ada Moor'")]
    everything = kb.links.links_to([keeper])[keeper]
    (named,) = kb.named(["ada moor"])["ada moor"]
    assert len(kb.links.mentioning([named])[named]) > 2
    monkeypatch.setattr("kb.store.passage_links._HUB", 2)
    with KnowledgeBase.open(kb.path) as other:
        some = other.links.links_to([keeper])[keeper]
    assert 0 < len(some) <= 2 < len(everything)
    assert some.items() <= everything.items()


def test_degrees_titles_and_documents_are_what_the_whole_graph_says(kb: KnowledgeBase) -> None:
    graph = kb.graph
    names = graph.entities.tolist()
    assert list(kb.links.degrees([*names, 1]).values()) == [*graph.mention_degree.tolist(), 0]
    abouts = {(name, passage) for name, found in kb.links.abouts(names).items() for passage, _, _ in found}
    assert abouts == {(int(graph.entities[row]), int(graph.passages[passage])) for row, passage in graph.abouts}
    passages = graph.passages.tolist()
    titles = {(name, passage) for passage, own in kb.links.titles(passages).items() for name in own}
    assert titles == abouts
    documents = kb.links.documents(passages)
    sizes = kb.links.sizes(documents.values())
    of_each = np.bincount(graph.documents)[graph.documents].tolist()
    assert [sizes[documents[one]] for one in passages] == of_each


def test_a_name_with_two_meanings_leads_to_the_first_passages_of_both(kb: KnowledgeBase) -> None:
    names = frozenset(kb.named(["mercury"])["mercury"])
    titles = {one.title for one in kb.passages(titled(kb, names))}
    assert titles == {"Mercury (god)", "Mercury (planet)"}


def test_a_question_reads_no_whole_graph(kb: KnowledgeBase) -> None:
    hits = evidence_walk(kb, "Where did the keeper of ravens at the Tower of London die?")
    assert {hit.passage.title for hit in hits[:2]} == {"Ada Moor", "Tower of London"}
    assert not {"graph", "fact_graph"} & kb.__dict__.keys()
    assert "all" not in kb.sentence_vectors.__dict__


def counted(path: Path) -> dict[int, int]:
    with sqlite3.connect(path) as database:
        return dict(database.execute("SELECT entity, count(DISTINCT passage) FROM mentions GROUP BY entity"))


def kept(path: Path) -> dict[int, int]:
    with sqlite3.connect(path) as database:
        return dict(database.execute("SELECT entity, passages FROM degrees"))


def test_degrees_follow_what_is_added_changed_and_removed(tmp_path: Path) -> None:
    folder, path = tmp_path / "notes", tmp_path / "a.clew"
    folder.mkdir()
    (folder / "ann.md").write_text("# Ann Lee\n\nAnn Lee met Bob Hill in Rome. Bob Hill met Ann Lee.\n")
    (folder / "bob.md").write_text("# Bob Hill\n\nBob Hill lives in Rome.\n")
    build([str(folder)], path)
    assert kept(path) == counted(path) != {}
    (folder / "bob.md").write_text("# Bob Hill\n\nBob Hill left for Lyon with Ann Lee.\n")
    (folder / "cleo.md").write_text("# Cleo\n\nCleo saw Rome, Rome, and Rome.\n")
    build([str(folder)], path)
    assert kept(path) == counted(path)
    remove(path, ["ann.md"])
    assert kept(path) == counted(path) != {}
    assert check(path) == []
    with sqlite3.connect(path) as database:
        database.execute("UPDATE entities SET passages = 7 WHERE id = (SELECT min(entity) FROM degrees)")
    assert check(path) == ["1 names whose passages are miscounted"]


def test_a_file_of_before_degrees_were_kept_says_the_same_and_gets_them(file: Path, tmp_path: Path) -> None:
    before = tmp_path / "before.clew"
    write_earlier(before, file, "m006_degrees")
    assert check(before) == []
    with KnowledgeBase.open(file) as now, KnowledgeBase.open(before) as earlier:
        names = now.graph.entities.tolist()
        assert now.links.degrees(names) == earlier.links.degrees(names)
        assert now.entities(names) == earlier.entities(names)
    content = before.read_bytes()
    with KnowledgeBase.open(before) as earlier:
        evidence_walk(earlier, "Where did Ada Moor die?")
    assert before.read_bytes() == content
    assert remove(before, ["Nothing"]) == ["Nothing"]
    assert kept(before) == counted(before) != {}


def test_what_another_process_removed_meanwhile_is_no_damage(file: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied.clew"
    copied.write_bytes(file.read_bytes())
    with KnowledgeBase.open(copied) as opened:
        (passage,) = (one.id for one in opened.document_passages("Nothing"))
        remove(copied, ["Nothing"])
        with pytest.raises(LockedFileError, match="ask again"):
            opened.passage_vectors([passage])


def test_nothing_is_joined_to_nothing(kb: KnowledgeBase) -> None:
    for look_up in (kb.links.links_from, kb.links.links_to, kb.links.rare_neighbours, kb.links.titles):
        assert look_up([]) == {}
    assert kb.links.degrees([]) == {}
    assert kb.links.abouts([1, 2]) == {}


def test_what_is_kept_of_names_is_forgotten_where_it_becomes_much(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.store.passage_links._REMEMBERED", 3)
    names = kb.graph.entities.tolist()
    for start in range(0, len(names), 2):
        degrees = kb.links.degrees(names[start : start + 4])
        rows = kb.graph.entity_rows(list(degrees))
        assert list(degrees.values()) == kb.graph.mention_degree[rows].tolist()
