"""What was forgotten is nowhere: in no table, no index, no free page, no log, whenever a build was stopped."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import kb.build
from kb.build import add, build, remove
from kb.store.check import check
from kb.store.knowledge_base import KnowledgeBase
from kb.store.sqlite import open_reader, open_writer
from kb.store.text_traces import traces_of
from kb.store.writer import Writer

BEFORE = "Zanzibar Quillfeather (born 4 May 1899) was a miller at Lindholm, and Zanzibar kept parrots."
AFTER = "The mill at Lindholm burned down in 1911."


class Killed(BaseException):
    """Nothing of the process runs after it."""


def source(folder: Path, text: str) -> str:
    path = folder / "corpus.jsonl"
    path.write_text(
        json.dumps({"id": "mill", "title": "The mill", "text": text})
        + "\n"
        + json.dumps({"id": "town", "title": "Lindholm", "text": "Lindholm is a town on the Skarn."}),
        "utf-8",
    )
    return str(path)


@pytest.fixture
def killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file whose rebuild of a changed document was killed before it came to its end."""
    path = tmp_path / "mill.clew"
    build([source(tmp_path, BEFORE)], path)
    assert traces_of(path, "Quillfeather")

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(kb.build._Build, "_finish", lambda *_, **__: kill())
        with pytest.raises(Killed):
            build([source(tmp_path, AFTER)], path)
    return path


def names(path: Path) -> list[str]:
    with sqlite3.connect(path) as database:
        return [name for (name,) in database.execute("SELECT name FROM entities")]


def without(path: Path) -> None:
    assert not any("Quillfeather" in name or name == "Zanzibar" for name in names(path))
    assert b"quillfeather" not in path.read_bytes().lower()
    assert traces_of(path, "Quillfeather") == []
    assert check(path) == []


def test_check_counts_the_names_that_a_killed_build_left(killed: Path) -> None:
    assert any("nothing refers to" in problem for problem in check(killed))


@pytest.mark.parametrize(
    "carry_on",
    [
        lambda folder, path: build([source(folder, AFTER)], path),
        lambda folder, path: add([source(folder, AFTER)], path),
        lambda folder, path: remove(path, ["town"]),
    ],
    ids=["build", "add", "remove"],
)
def test_whatever_comes_next_forgets_the_rest(
    killed: Path, tmp_path: Path, carry_on: Callable[[Path, Path], object]
) -> None:
    carry_on(tmp_path, killed)
    if carry_on.__name__ == "<lambda>" and check(killed):
        build([source(tmp_path, AFTER)], killed)
    without(killed)


def test_a_removal_that_is_killed_half_way_is_whole_or_has_not_begun(
    killed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build([source(tmp_path, BEFORE)], killed)

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_prune_entities", kill)
        with pytest.raises(Killed):
            remove(killed, ["mill"])
    with KnowledgeBase.open(killed) as knowledge:
        assert knowledge.info().documents == 2
    remove(killed, ["mill"])
    without(killed)


def test_traces_name_every_place_that_holds_a_text(tmp_path: Path) -> None:
    path = tmp_path / "mill.clew"
    build([source(tmp_path, BEFORE)], path)
    own = tmp_path / "own" / "sessions"
    own.mkdir(parents=True)
    (own / "a.jsonl").write_text(json.dumps({"reply": "Zanzibar Quillfeather"}), "utf-8")
    told = [trace.text() for trace in traces_of(path, "Zanzibar Quillfeather", own.parent)]
    for place in ("passages.text: 1 row", "entities.name: 1 row", "passages_fts", "entities_fts", "a.jsonl"):
        assert any(place in line for line in told), told
    assert traces_of(path, "Quillfeather Zanzibar", own.parent) == []


def test_free_pages_and_logs_are_looked_through(tmp_path: Path) -> None:
    """A writer without secure_delete leaves words in pages that no table has any more."""
    path = tmp_path / "mill.clew"
    build([source(tmp_path, BEFORE)], path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA secure_delete = OFF")
        database.execute("CREATE TABLE notes (text)")
        database.executemany("INSERT INTO notes VALUES (?)", [("Oberon Tallow " * 200,)] * 9)
        database.commit()
        database.execute("DROP TABLE notes")
    assert any("free page" in trace.text() for trace in traces_of(path, "Oberon Tallow"))
    log = path.with_name(path.name + "-wal")
    log.write_bytes(b"..Peaseblossom..")
    told = [trace.text() for trace in traces_of(path, "peaseblossom")]
    assert "mill.clew-wal: 1 place" in told


def test_words_that_lie_in_parts_on_free_pages_count_as_there(tmp_path: Path) -> None:
    """A long row is cut where its pages end, wherever these lie."""
    path = tmp_path / "mill.clew"
    build([source(tmp_path, BEFORE)], path)
    characters, header = 9_000, 4
    on_the_first = 489 + (characters + header - 489) % 4_092 - header
    text = ("." * (on_the_first - 7) + "Oberon Tallow").ljust(characters, ".")
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA secure_delete = OFF")
        database.execute("CREATE TABLE others (text)")  # its page will list the free ones after it
        database.execute("CREATE TABLE notes (text)")
        database.execute("INSERT INTO notes VALUES (?)", (text,))
        database.commit()
        database.execute("DROP TABLE others")
        database.execute("DROP TABLE notes")
    assert b"Oberon Tallow" not in path.read_bytes()
    assert all(part in path.read_bytes() for part in (b"Oberon ", b"Tallow"))
    told = [trace.text() for trace in traces_of(path, "Oberon Tallow")]
    assert told == ["mill.clew, not overwritten when they were freed: 3 free pages"]


LONG = " ".join(f"{number}{'z' * 150}" for number in range(90))
"""More than a page in one passage: a word that no model knows is one token."""


def test_pages_that_clew_frees_hold_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mill.clew"
    build([source(tmp_path, f"{BEFORE} {LONG}")], path)
    remove(path, ["mill"])
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA freelist_count").fetchone()[0] > 3
    assert traces_of(path, "Zanzibar Quillfeather") == []
    assert b"zzzz" not in path.read_bytes()


def test_nothing_is_gone_while_its_log_is_not_written_back(tmp_path: Path) -> None:
    """What others read meanwhile stays in the file, where a text can lie in parts."""
    path = tmp_path / "mill.clew"
    build([source(tmp_path, BEFORE)], path)
    writer, reader = open_writer(path), open_reader(path)
    reader.conn.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM passages").fetchall() == [(2,)]
    writer.close()
    remove(path, ["mill"])
    told = [trace.text() for trace in traces_of(path, "Peaseblossom")]
    assert told == ["mill.clew-wal: 1 log that is still to be written back: the file holds what it replaces"]
    reader.close()
    remove(path, ["town"])
    assert traces_of(path, "Peaseblossom") == []


@pytest.mark.parametrize(
    "written",
    [
        "ZOË ÄNGSTRÖM",
        "zoë\n  Ängström",
        "Zoe\u0308 A\u0308ngstro\u0308m",
        json.dumps("Zoë\nÄngström"),
        json.dumps(json.dumps("ZOË\tÄngström")),
    ],
    ids=["capitals", "two lines", "accents by themselves", "JSON", "JSON within JSON"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzipped"])
def test_files_are_looked_through_however_a_text_is_written_there(
    tmp_path: Path, written: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "mill.clew"
    build([source(tmp_path, BEFORE)], path)
    own = tmp_path / "own"
    own.mkdir()
    (own / "kept").write_bytes(pack(f"… {written} …".encode() * 2))
    assert [(trace.place, trace.count) for trace in traces_of(path, "Zoë Ängström", own)] == [(str(own / "kept"), 2)]
    assert traces_of(path, "Zoë Ångström", own) == []


def test_what_only_sounds_alike_to_an_index_or_without_its_signs_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mill.clew"
    build([source(tmp_path, "They write C, take vitamin C, use the net, and ask Ana. The cook cooked.")], path)
    for text in ("C#", ".NET", "@ana", "Cooks"):
        assert traces_of(path, text) == [], text
    build([source(tmp_path, "They write C# on .NET and ask @ana.")], path)
    for text in ("C#", ".NET", "@ana"):
        assert {"passages.text", "full text index passages_fts"} <= {one.place for one in traces_of(path, text)}, text


def test_an_index_that_finds_what_its_row_has_not_is_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "mill.clew"
    build([source(tmp_path, "The miller kept parrots.")], path)
    with sqlite3.connect(path) as database:
        number = database.execute("SELECT number FROM passages WHERE title = 'The mill'").fetchone()[0]
        database.execute(
            "INSERT INTO passages_fts(rowid, title, text, section) VALUES (?, '', 'Zanzibar Quillfeather', '')",
            (number,),
        )
    database.close()
    assert [one.text() for one in traces_of(path, "Quillfeather")] == ["full text index passages_fts: 1 row"]


def test_sharp_s_is_found_in_capitals(tmp_path: Path) -> None:
    path = tmp_path / "mill.clew"
    build([source(tmp_path, "He lived in the LANGE STRASSE of Lindholm.")], path)
    assert any("passages.text" in trace.text() for trace in traces_of(path, "Lange Straße"))


def test_packed_bytes_are_no_text_and_what_cannot_be_unpacked_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mill.clew"
    build([source(tmp_path, BEFORE)], path)
    own = tmp_path / "own"
    own.mkdir()
    with (own / "a.gz").open("wb") as raw, gzip.GzipFile("peaseblossom", "wb", fileobj=raw) as packed:
        packed.write(b"Mustardseed")
    assert traces_of(path, "Peaseblossom", own) == []
    (own / "a.gz").write_bytes(gzip.compress(b"Mustardseed " * 9)[:-6])
    told = [trace.text() for trace in traces_of(path, "Mustardseed", own)]
    assert f"{own / 'a.gz'}: 1 part that cannot be read" in told


def test_a_text_is_found_where_two_blocks_of_a_file_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.store.text_traces._BLOCK", 100)
    monkeypatch.setattr("kb.store.text_traces._LONGEST", 30)
    path = tmp_path / "mill.clew"
    build([source(tmp_path, BEFORE)], path)
    log = path.with_name(path.name + "-wal")
    for start in range(80, 130):
        log.write_bytes(b"." * start + b"Peaseblossom" + b"." * 200)
        assert "mill.clew-wal: 1 place" in [trace.text() for trace in traces_of(path, "peaseblossom")]
