"""Files with bytes that nobody wrote: every command ends in an answer or in one line and exit 3."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assistant.cli import main
from kb.check import check
from kb.sqlite import open_writer
from kb.store import KnowledgeBase

QUESTION = "Where was the director of The Glass Harbour born?"
COMMANDS = {
    "info": ("info", "FILE", "--documents"),
    "search": ("tool", "passage_search", "FILE", "--args", json.dumps({"query": QUESTION})),
    "ask": ("ask", "FILE", QUESTION),
    "race": ("race", "FILE", QUESTION, "-q"),
    "browse": ("browse", "FILE", "Tomas Brandel"),
}


@pytest.fixture
def copy(small_file: Path, tmp_path: Path) -> Path:
    path = tmp_path / "copy.clew"
    path.write_bytes(small_file.read_bytes())
    return path


def clew(name: str, file: Path) -> Result:
    return CliRunner().invoke(main, [str(file) if part == "FILE" else part for part in COMMANDS[name]])


def is_told(result: Result) -> bool:
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code == 3 and result.stderr.count("\n") == 1 and result.stderr.startswith("clew: ")


def spoil(path: Path, *statements: str) -> None:
    database = open_writer(path)
    for statement in ("PRAGMA foreign_keys = OFF", *statements, "PRAGMA journal_mode = DELETE"):
        database.conn.execute(statement)
    database.conn.commit()
    database.close()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_schema_that_is_no_text_is_damage(name: str, copy: Path) -> None:
    data = copy.read_bytes()
    assert data.count(b"CREATE TABLE documents (") == 1
    copy.write_bytes(data.replace(b"CREATE TABLE documents (", b"CREATE \xc9\xffBLE documents ("))
    assert is_told(clew(name, copy))
    assert check(copy)


@pytest.mark.parametrize("name", COMMANDS)
def test_tables_of_vectors_that_have_lost_a_column_do_not_crash_their_library(name: str, copy: Path) -> None:
    data = copy.read_bytes()
    copy.write_bytes(data.replace(b"chunk_id INTEGER", b"chunk_if INTEGER"))
    assert is_told(clew(name, copy))


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM passage_vectors_vector_chunks00",
        "DELETE FROM passage_vectors_chunks",
        "UPDATE passage_vectors_vector_chunks00 SET vectors = x'00'",
    ],
)
@pytest.mark.parametrize("name", ["search", "ask"])
def test_vectors_that_are_not_there_are_damage(statement: str, name: str, copy: Path) -> None:
    spoil(copy, statement)
    assert is_told(clew(name, copy))


@pytest.mark.parametrize("name", ["search", "ask", "race"])
def test_an_index_that_finds_what_is_not_there_is_damage(name: str, copy: Path) -> None:
    """The words and vectors of passages that are gone."""
    spoil(copy, "DROP TRIGGER passages_deleted", "DELETE FROM passages")
    assert is_told(clew(name, copy))
    assert check(copy)


def test_a_mistake_of_ours_over_a_sound_file_is_not_called_damage(
    small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(KnowledgeBase, "info", mistaken)
    result = clew("info", small_file)
    assert isinstance(result.exception, KeyError)
