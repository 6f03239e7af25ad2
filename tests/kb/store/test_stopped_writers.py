"""Writers that were killed where it hurts: the next one carries on, and a reader finds a whole file or an empty one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import kb.build
from kb.build import build, remove
from kb.errors import NotAKnowledgeBase
from kb.store.check import check
from kb.store.embeddings import load_embedder
from kb.store.knowledge_base import KnowledgeBase
from kb.store.migrations import migrations
from kb.store.sqlite import APPLICATION_ID, close_writer, open_writer
from kb.store.writer import Writer


class Killed(BaseException):
    """Nothing of the process runs after it."""


def kill(*_: object, **__: object) -> None:
    raise Killed


@pytest.fixture
def source(tmp_path: Path) -> str:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "town.md").write_text("# Lindholm\n\nLindholm is a town on the [Skarn](river.md).", "utf-8")
    (folder / "river.md").write_text("# Skarn\n\nThe Skarn is a river.", "utf-8")
    return str(folder)


def test_a_build_that_came_as_far_as_the_table_of_migrations_is_carried_on(source: str, tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    database = open_writer(path)
    migrations.ensure_migrations_table(database)
    close_writer(database)
    with pytest.raises(NotAKnowledgeBase, match="stopped at the very start"):
        KnowledgeBase.open(path)
    build([source], path)
    assert check(path) == []


def test_a_build_whose_first_page_is_taken_back_is_carried_on(source: str, tmp_path: Path) -> None:
    """A kill between the first page and the end of its journal: SQLite rolls the page back, and with it whose it is."""
    path = tmp_path / "a.clew"
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = PERSIST")
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.close()
    page, journal = path.read_bytes(), path.with_name("a.clew-journal")
    # As SQLite writes it before the first page of a new file: magic, no records, no pages before, its sizes.
    header = (
        b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(8) + bytes(4) + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")
    )
    journal.write_bytes(header.ljust(512, b"\0"))
    path.write_bytes(page[: len(page) // 2])  # nor had the page been written whole
    build([source], path)
    assert check(path) == []


def test_a_file_has_all_its_tables_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.clew"
    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_create_vectors", kill)
        with pytest.raises(Killed):
            Writer(path, load_embedder())
    with pytest.raises(NotAKnowledgeBase, match="stopped at the very start"):
        KnowledgeBase.open(path)


@pytest.mark.parametrize("step", ["follow_changes", "link_titles", "join_short_names"])
def test_a_removal_that_is_killed_leaves_a_file_that_is_finished(
    step: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.clew"
    build([source], path)
    with monkeypatch.context() as patch:
        patch.setattr(kb.build, step, kill)
        with pytest.raises(Killed):
            remove(path, ["river.md"])
    finished(path, 2)
    assert remove(path, ["river.md"]) == ["river.md"]
    finished(path, 1)


def finished(path: Path, documents: int) -> None:
    with KnowledgeBase.open(path) as knowledge:
        assert (knowledge.is_finished, knowledge.info().documents) == (True, documents)
    assert check(path) == []
