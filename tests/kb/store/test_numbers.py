"""What refers to many passages and names knows them by short numbers; what is read of a file is the same as before."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from earlier_files import stored_rows, write_earlier

from kb.build import build, remove
from kb.errors import LockedFileError
from kb.store.check import check
from kb.store.embeddings import load_embedder
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase
from kb.store.listing import list_documents, list_entities
from kb.store.writer import Writer

TABLES = ("passages", "sentences", "entities", "aliases", "mentions", "triples", "degrees", "synonyms")


@pytest.fixture(params=["m008_numbers", "m009_facts_of_passages", "m010_small_chunks"])
def earlier(request: pytest.FixtureRequest, small_file: Path, tmp_path: Path) -> Path:
    """The same file as clews left it that did not know this step."""
    write_earlier(tmp_path / "earlier.clew", small_file, request.param)
    return tmp_path / "earlier.clew"


def said(path: Path) -> list[object]:
    """What look-ups and searches of all kinds say of a file."""
    with KnowledgeBase.open(path) as kb:
        passages, names = kb.graph.passages.tolist(), kb.graph.entities.tolist()
        info = kb.info()
        return [
            (info.documents, info.passages, info.sentences, info.entities, info.triples, info.mentions),
            kb.search_words("the town where he was born", 20),
            [kb.find_entities(name, 3) for name in ("Darwin", "the Fram", "London")],
            kb.links.names_in(passages), kb.links.mentioning(names), kb.links.degrees(names),
            kb.triples_of(names), kb.passage_triples(passages), kb.entities(names),
            list_documents(kb, "the"), list_entities(kb), list_entities(kb, "l"),
            kb.graph.mentions.tolist(), kb.fact_graph.facts.tolist(), kb.fact_graph.contexts.tolist(),
        ]  # fmt: skip


def test_a_file_of_before_says_the_same_and_stays_as_it_is(earlier: Path, small_file: Path) -> None:
    content = earlier.read_bytes()
    assert said(earlier) == said(small_file)
    assert fingerprint(earlier) == fingerprint(small_file)
    assert check(earlier) == []
    assert earlier.read_bytes() == content


def test_it_is_moved_by_the_first_command_that_writes(earlier: Path, small_file: Path) -> None:
    before = said(earlier)
    with Writer(earlier, load_embedder()):
        pass
    assert said(earlier) == before
    assert fingerprint(earlier) == fingerprint(small_file)
    assert check(earlier) == []
    tables = [one for one in TABLES if one != "entities"]
    assert stored_rows(earlier, tables) == stored_rows(small_file, tables)


def test_a_move_that_is_stopped_has_not_begun(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = said(earlier)
    with KnowledgeBase.open(earlier) as kb:
        schema = kb.info().schema
    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_create_vectors", stop)
        with pytest.raises(KeyboardInterrupt):
            Writer(earlier, load_embedder())
    with KnowledgeBase.open(earlier) as kb:
        assert kb.info().schema == schema
    assert said(earlier) == before
    assert check(earlier) == []


def test_numbers_of_what_is_gone_are_no_other_ones_words(tmp_path: Path) -> None:
    folder, path = tmp_path / "notes", tmp_path / "a.clew"
    folder.mkdir()
    for name, text in (("ann", "Ann Lee keeps bees in Rome."), ("bob", "Bob Hill sells honey in Lyon.")):
        (folder / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n")
    build([str(folder)], path)
    assert remove(path, ["bob.md"]) == ["bob.md"]
    (folder / "bob.md").unlink()
    (folder / "cleo.md").write_text("# Cleo\n\nCleo Fox draws maps of Lyon.\n")
    build([str(folder)], path)
    build([str(folder)], tmp_path / "fresh.clew")
    for words in ("honey", "maps", "bees", "Lyon"):
        with KnowledgeBase.open(path) as kb, KnowledgeBase.open(tmp_path / "fresh.clew") as fresh:
            assert [one for one, _ in kb.search_words(words, 5)] == [one for one, _ in fresh.search_words(words, 5)]
            assert kb.find_entities(words) == fresh.find_entities(words)
    assert stored_rows(path, TABLES) == stored_rows(tmp_path / "fresh.clew", TABLES)
    assert check(path) == []


def test_a_fact_whose_sentence_is_gone_is_damage(small_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    path.write_bytes(small_file.read_bytes())
    with sqlite3.connect(path) as database:
        database.execute("UPDATE facts SET start = 9999 WHERE id = (SELECT min(id) FROM facts)")
    assert "1 triples without a sentence" in check(path)


def test_a_mention_of_a_name_that_is_none_is_damage(small_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    path.write_bytes(small_file.read_bytes())
    with sqlite3.connect(path) as database:
        database.execute("UPDATE mention_rows SET entity = 999999 WHERE passage = 1")
    assert any("mention_rows refers to a row of entities" in problem for problem in check(path))


def test_who_has_a_file_of_before_numbers_open_while_it_moves_is_told_to_ask_again(
    small_file: Path, tmp_path: Path
) -> None:
    earlier = tmp_path / "earlier.clew"
    write_earlier(earlier, small_file, "m008_numbers")
    with KnowledgeBase.open(earlier) as kb:
        assert kb.search_words("town", 3)
        with Writer(earlier, load_embedder()):
            pass
        with pytest.raises(LockedFileError, match="ask again"):
            kb.search_words("the town where he was born", 3)
