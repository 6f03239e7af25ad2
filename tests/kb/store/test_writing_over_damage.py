"""Commands that write over a knowledge base with a value in it that nobody wrote: one line, and nothing lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb.build import add, build, remove
from kb.errors import ClewError, DamagedFileError
from kb.store.check import check, damage_told
from kb.store.sqlite import sqlite3

Write = Callable[[Path, Path], object]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "ferry.md").write_text("# Ferry\n\nThe ferry is blue.\n", "utf-8")
    (folder / "boat.md").write_text("# Boat\n\nThe boat is red, as the [ferry](ferry.md) was.\n", "utf-8")
    build([str(folder)], tmp_path / "a.clew")
    return folder


def spoil(path: Path, column: str, value: object) -> None:
    with sqlite3.connect(str(path)) as connection:
        connection.execute(f"UPDATE documents SET {column} = ? WHERE key = 'ferry.md'", (value,))  # noqa: S608
    connection.close()


def rebuild(path: Path, notes: Path) -> None:
    (notes / "ferry.md").write_text("# Ferry\n\nThe ferry is green.\n", "utf-8")
    build([str(notes)], path)


def extend(path: Path, notes: Path) -> None:
    (notes / "ferry.md").write_text("# Ferry\n\nThe ferry is green.\n", "utf-8")
    add([str(notes / "ferry.md")], path)


def forget(path: Path, _: Path) -> None:
    remove(path, ["ferry.md"])


@pytest.mark.parametrize("write", [rebuild, extend, forget])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("metadata", "{bad"),
        ("metadata", "[1]"),
        ("metadata", b"\xff\x00"),
        ("root", b"\xff"),
        ("source", b"\xff"),
        ("key", b"\xff"),
        ("digest", b"\xff"),
        ("complete", "yes"),
    ],
)
def test_a_strange_value_ends_in_one_line_or_does_no_harm(
    write: Write, column: str, value: object, notes: Path, tmp_path: Path
) -> None:
    path = tmp_path / "a.clew"
    spoil(path, column, value)
    before = check(path)
    assert before, "it is found by who looks for it"
    told = one_line_or_nothing(write, path, notes)
    if "is damaged" in told:
        assert check(path) == before
    elif told:
        assert (column, write) == ("key", forget), "the document is not found by its name any more"


def one_line_or_nothing(write: Write, path: Path, notes: Path) -> str:
    """What the user is told, "" where nothing stood in the way."""
    try:
        write(path, notes)
    except ClewError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - there need not be one
        return str(error)
    return ""


def test_metadata_that_cannot_be_read_are_told_by_a_build(notes: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    spoil(path, "metadata", "{bad")
    with pytest.raises(DamagedFileError, match="1 documents whose metadata cannot be read"):
        rebuild(path, notes)


def test_bytes_where_a_text_should_stand_are_found(notes: Path, tmp_path: Path) -> None:
    assert check(tmp_path / "a.clew") == []
    spoil(tmp_path / "a.clew", "root", b"\xff")
    assert check(tmp_path / "a.clew") == ["1 documents whose root is no text"]


def test_a_fault_over_a_sound_file_stays_what_it_is(notes: Path, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="ours"), damage_told(tmp_path / "a.clew"):
        raise TypeError("ours")


def test_an_index_that_is_not_as_it_was_made_is_found(notes: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    with sqlite3.connect(str(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'PRIMARY', 'PRIMXRY') WHERE name = 'entities_fts_data'"
        )
    connection.close()
    assert "entities_fts keeps its data in a table that is not as it was made" in check(path)[0]


def test_rows_of_an_index_that_are_of_nothing_are_found(notes: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    with sqlite3.connect(str(path)) as connection:
        connection.execute(
            "UPDATE entities_fts_docsize SET id = 99 WHERE id = (SELECT min(id) FROM entities_fts_docsize)"
        )
    connection.close()
    assert check(path) == ["the full text index entities_fts has 1 rows of no entities"]
