"""Files with bytes that nobody wrote: every command ends in an answer or in one line and exit 3."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assistant.commands.cli import main
from assistant.shared.rendering import as_text
from kb.store.check import check
from kb.store.knowledge_base import KnowledgeBase
from kb.store.sqlite import APPLICATION_ID, open_writer

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


NO_METADATA = "UPDATE documents SET metadata = 'Ą}' WHERE id = (SELECT min(id) FROM documents)"
NO_QUALIFIERS = "UPDATE facts SET qualifiers = '[]' WHERE id = (SELECT min(id) FROM facts)"


@pytest.mark.parametrize(
    ("statement", "told"),
    [(NO_METADATA, "1 documents whose metadata"), (NO_QUALIFIERS, "1 facts whose qualifiers")],
)
def test_what_is_no_json_is_damage(statement: str, told: str, copy: Path) -> None:
    spoil(copy, statement)
    assert check(copy) == [f"{told} cannot be read"]


def test_metadata_that_cannot_be_read_are_one_line(copy: Path) -> None:
    spoil(copy, NO_METADATA)
    assert is_told(clew("info", copy))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE documents SET key = x'ff' WHERE id = (SELECT min(id) FROM documents)",
        "UPDATE documents SET title = x'ff' WHERE id = (SELECT min(id) FROM documents)",
        "UPDATE documents SET metadata = x'ff'",
    ],
)
def test_bytes_where_a_text_should_stand_are_one_line(statement: str, copy: Path, tmp_path: Path) -> None:
    spoil(copy, statement)
    assert is_told(clew("info", copy))
    assert is_told(CliRunner().invoke(main, ["copy", str(copy), str(tmp_path / "other.clew"), "-q"]))


def test_a_mistake_of_ours_over_a_sound_file_is_not_called_damage(
    small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(KnowledgeBase, "info", mistaken)
    result = clew("info", small_file)
    assert isinstance(result.exception, KeyError)


# -- files that are none, and places that refuse -----------------------------------------------------------------------

LONG = "x" * 300


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe.clew")
    return tmp_path / "pipe.clew"


def line(*arguments: str | Path) -> str:
    """What a command that ends with exit 3 tells."""
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert is_told(result), (result.exit_code, result.stderr)
    return result.stderr


def test_a_name_that_no_system_takes_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Lindholm is a town.", "utf-8")
    for arguments in (
        ("info", tmp_path / LONG),
        ("ask", tmp_path / LONG, QUESTION),
        ("build", tmp_path / "a.txt", "-o", tmp_path / LONG / "a.clew", "-q"),
        ("build", tmp_path / "a.txt", "-o", tmp_path / LONG, "-q"),
    ):
        assert "too long" in line(*arguments)


def test_a_pipe_is_no_knowledge_base_and_no_config(pipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("Lindholm is a town.", "utf-8")
    for arguments in (("info", pipe), ("ask", pipe, QUESTION), ("add", pipe, tmp_path / "a.txt"), ("check", pipe)):
        assert "no regular file" in line(*arguments)
    monkeypatch.setenv("CLEW_CONFIG", str(pipe))
    result = CliRunner().invoke(main, ["config"])
    assert (result.exit_code, "it is a pipe" in result.stderr) == (2, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk here")
def test_what_cannot_be_printed_is_one_line(small_file: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "assistant", "info", str(small_file)], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (ran.returncode, ran.stderr.count("\n")) == (3, 1), ran.stderr


def test_tables_that_are_not_ours_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "foreign.clew"
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute("CREATE TABLE documents (x)")
    (tmp_path / "a.txt").write_text("Lindholm is a town.", "utf-8")
    before = path.read_bytes()
    for arguments in (
        ("info", path), ("check", path), ("ask", path, QUESTION), ("add", path, tmp_path / "a.txt"),
        ("build", tmp_path / "a.txt", "-o", path, "-q"),
    ):  # fmt: skip
        assert "tables that are not clew's" in line(*arguments)
    assert path.read_bytes() == before


def test_a_limit_of_the_size_of_files_is_no_damage(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Lindholm is a town.", "utf-8")
    command = [
        sys.executable,
        "-m",
        "assistant",
        "build",
        str(tmp_path / "a.txt"),
        "-o",
        str(tmp_path / "a.clew"),
        "-q",
    ]
    limited = (
        f"import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)); "
        f"sys.argv = {command[2:]!r}; runpy.run_module('assistant', run_name='__main__', alter_sys=True)"
    )
    ran = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True)
    assert ran.returncode == 3, ran.stderr
    assert "damaged" not in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_an_endpoint_without_a_model_is_no_concern_of_a_build_by_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BASE_URL", "http://127.0.0.1:1/v1")
    (tmp_path / "a.txt").write_text("Lindholm is a town.", "utf-8")
    for arguments in (
        ("build", tmp_path / "a.txt", "-o", tmp_path / "a.clew", "-q"),
        ("add", tmp_path / "a.clew", tmp_path / "a.txt", "-q"),
    ):
        assert CliRunner().invoke(main, [str(one) for one in arguments]).exit_code == 0


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Born in [Karsk](http://evil.example/?q=1) [1].", "Born in Karsk [1]."),
        ("![x](http://evil.example/a(b).png) end", "x end"),
        (r"A list \[x\](y) of [1](2)", "A list [x](y) of 1"),
        ("[not a link] (here)", "[not a link] (here)"),
    ],
)
def test_of_a_link_in_an_answer_only_its_words_are_printed(written: str, text: str) -> None:
    assert as_text(written) == text


@pytest.mark.parametrize("name", ["search", "ask"])
def test_a_vector_of_a_passage_that_is_none_is_damage(name: str, copy: Path) -> None:
    """sqlite-vec keeps the ids of a chunk's vectors beside them as well, and finds those."""
    with sqlite3.connect(copy) as database:
        (ids,) = database.execute("SELECT rowids FROM passage_vectors_chunks").fetchone()
        spoilt = bytes([ids[0] ^ 1]) + ids[1:]
        database.execute("UPDATE passage_vectors_chunks SET rowids = ?", (spoilt,))
    assert is_told(clew(name, copy))
    assert any("not where they should be" in problem for problem in check(copy))


def test_a_vector_that_is_found_by_its_id_alone_is_damage(copy: Path) -> None:
    """A bit of a chunk says of each of its vectors whether it is one: a search through all passes over the others."""
    with sqlite3.connect(copy) as database:
        (bits,) = database.execute("SELECT validity FROM sentence_vectors_chunks").fetchone()
        spoilt = bytes([bits[0] & 0xFE]) + bits[1:]
        database.execute("UPDATE sentence_vectors_chunks SET validity = ?", (spoilt,))
    assert is_told(clew("ask", copy))
    assert any("not where they should be" in problem for problem in check(copy))


def test_a_place_for_a_vector_that_is_none_is_damage(copy: Path) -> None:
    with sqlite3.connect(copy) as database:
        (bits,) = database.execute("SELECT validity FROM sentence_vectors_chunks").fetchone()
        database.execute("UPDATE sentence_vectors_chunks SET validity = ?", (bits[:-1] + b"\xff",))
    assert check(copy) == ["sentence_vectors has 8 places for vectors that are none"]
