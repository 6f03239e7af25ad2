"""What a build reads again, and that it leaves a file alone where nothing has changed."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from kb.build import BuildReport, add, build, remove
from kb.documents import sources as kb_sources
from kb.documents.extent import Extent
from kb.documents.rows import Place
from kb.store.check import check
from kb.store.embeddings import Embedder
from kb.store.fingerprint import fingerprint
from kb.store.following import PATIENCE, FileWatch
from kb.store.knowledge_base import KnowledgeBase
from kb.store.sqlite import close_writer, open_writer
from kb.store.writer import Writer

NOTES = {
    "ann.md": "# Ann\n\nFriend: Ben Karr\n\nAnn was a baker at Ostby, like [her friend](cleo.md) and [[Ben]].",
    "ben.md": "# Ben\n\nBen sailed to Karsk in 1911. See [Ann](ann.md).",
}


def write(path: Path, text: str, age: float = 3600) -> Path:
    """Write a file that seems to be `age` seconds old."""
    path.write_text(text, "utf-8")
    made = path.stat().st_mtime - age
    os.utime(path, (made, made))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        write(tmp_path / "notes" / name, text)
    return tmp_path / "notes"


@pytest.fixture
def path(folder: Path) -> Path:
    build([str(folder)], folder.parent / "a.clew")
    return folder.parent / "a.clew"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read."""
    read: list[str] = []
    usual = kb_sources.read_file

    def noted(path: Path, place: Place, extent: Extent) -> Iterator[Any]:
        read.append(path.name)
        return usual(path, place, extent)

    monkeypatch.setattr(kb_sources, "read_file", noted)
    return read


def titles(path: Path) -> list[str]:
    with KnowledgeBase.open(path) as kb:
        return sorted(title for _, title, _, _ in kb.documents())


def test_nothing_is_read_loaded_or_written_where_nothing_has_changed(
    folder: Path, path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> Embedder:
        raise AssertionError(f"{name} is loaded")

    monkeypatch.setattr("kb.build.load_embedder", load)
    before = path.read_bytes(), path.stat().st_mtime_ns
    report = build([str(folder)], path)
    assert (report.unchanged, report.added, report.changed, report.removed, report.passages) == (2, 0, 0, 0, 0)
    assert reads == []
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_only_what_changed_is_read(folder: Path, path: Path, reads: list[str]) -> None:
    write(folder / "ben.md", "# Ben\n\nBen sailed to Tarnow Bay in 1912.")
    write(folder / "cleo.md", "# Cleo\n\nFriend: Ben Karr\n\nCleo knew [[Ben]] and Ann.")
    report = build([str(folder)], path)
    assert (report.unchanged, report.added, report.changed) == (1, 1, 1)
    assert sorted(reads) == ["ben.md", "cleo.md"]
    build([str(folder)], folder.parent / "fresh.clew")
    assert fingerprint(path) == fingerprint(folder.parent / "fresh.clew")


def test_a_change_that_keeps_size_and_time_is_seen(folder: Path, path: Path) -> None:
    before = (folder / "ann.md").stat()
    (folder / "ann.md").write_text(NOTES["ann.md"].replace("Ostby", "Karsk"), "utf-8")
    os.utime(folder / "ann.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert build([str(folder)], path).changed == 1


def test_a_file_that_changed_just_before_it_was_read_is_read_again(folder: Path, reads: list[str]) -> None:
    write(folder / "ann.md", NOTES["ann.md"], age=0)
    path = folder.parent / "a.clew"
    for _ in range(2):
        reads.clear()
        assert build([str(folder)], path).problems == []
        assert "ann.md" in reads
    assert reads == ["ann.md"]


def test_a_folder_that_was_moved_is_known_where_it_is_now(folder: Path, path: Path, reads: list[str]) -> None:
    moved = folder.rename(folder.parent / "moved")
    report = build([str(moved)], path)
    assert (report.unchanged, report.added, report.changed, report.removed, reads) == (2, 0, 0, 0, [])
    shutil.copytree(moved, folder)
    (moved / "ben.md").unlink()
    report = build([str(moved)], path)
    assert (report.unchanged, report.added, report.removed, reads) == (1, 0, 1, [])
    assert check(path) == []


@pytest.mark.parametrize("take", [build, add])
def test_a_project_that_has_a_readme_too_takes_nothing_from_one_that_is_gone(
    folder: Path, path: Path, take: Callable[..., BuildReport]
) -> None:
    for name in ("README.md", "LICENSE.md"):
        write(folder / name, f"# {name}\n\nOf the notes.")
    build([str(folder)], path)
    shutil.rmtree(folder)
    other = folder.parent / "other"
    other.mkdir()
    for name in ("README.md", "LICENSE.md"):
        write(other / name, f"# {name}\n\nOf the other one.")
    report = take([str(other)], path)
    assert (report.added, report.changed, report.removed) == (2, 0, 0)
    assert titles(path) == ["Ann", "Ben", "LICENSE.md", "LICENSE.md", "README.md", "README.md"]


def test_a_title_that_has_the_folders_name_follows_it(folder: Path, path: Path, reads: list[str]) -> None:
    write(folder / "README", "The mill is shut.")
    build([str(folder)], path)
    reads.clear()
    build([str(folder.rename(folder.parent / "mill"))], path)
    assert reads == ["README"]
    assert "mill: README" in titles(path)


def test_a_folder_within_one_that_is_added_is_not_read_twice(folder: Path, path: Path, reads: list[str]) -> None:
    write(folder.parent / "top.md", "# Top\n\nAbove all.")
    assert (add([str(folder.parent)], path).added, reads) == (1, ["top.md"])
    (folder / "ben.md").unlink()
    assert build([str(folder.parent)], path).removed == 1


def test_a_folder_within_one_that_is_stored_says_nothing_of_the_others(folder: Path, path: Path) -> None:
    inner = folder / "work"
    inner.mkdir()
    write(inner / "plan.md", "# Plan\n\nBake at five.")
    build([str(folder)], path)
    (folder / "ben.md").unlink()
    assert build([str(inner)], path).removed == 0
    write(inner / "more.md", "# More\n\nBake at six.")
    (inner / "plan.md").unlink()
    report = build([str(inner)], path)
    assert (report.added, report.removed, titles(path)) == (1, 1, ["Ann", "Ben", "More"])


def test_a_folder_that_was_read_by_itself_is_forgotten_with_the_one_above(folder: Path, path: Path) -> None:
    inner = folder / "work"
    inner.mkdir()
    write(inner / "plan.md", "# Plan\n\nBake at five.")
    build([str(inner)], path)
    build([str(folder)], path)
    shutil.rmtree(inner)
    assert (build([str(folder)], path).removed, titles(path)) == (1, ["Ann", "Ben"])


def test_a_file_that_is_named_says_nothing_of_those_that_are_there(folder: Path, path: Path) -> None:
    assert build([str(folder / "ann.md")], path).removed == 0
    (folder / "ben.md").unlink()
    assert (build([str(folder / "ann.md")], path).removed, titles(path)) == (1, ["Ann"])


def test_what_went_while_its_folder_was_moved_is_forgotten(folder: Path, path: Path) -> None:
    write(folder / "cleo.md", "# Cleo\n\nCleo knew Ann.")
    build([str(folder)], path)
    moved = folder.rename(folder.parent / "moved")
    (moved / "ben.md").unlink()
    write(moved / "ann.md", "# Ann\n\nAnn was a weaver.")
    report = build([str(moved)], path)
    assert (report.unchanged, report.changed, report.removed) == (1, 1, 1)


def test_a_renamed_and_a_deleted_file(folder: Path, path: Path, reads: list[str]) -> None:
    (folder / "ann.md").rename(folder / "anna.md")
    (folder / "ben.md").unlink()
    report = build([str(folder)], path)
    assert (report.added, report.removed, reads) == (1, 2, ["anna.md"])
    assert b"ben.md" not in path.read_bytes()
    assert check(path) == []


def test_what_was_removed_by_hand_is_added_by_the_next_build(folder: Path, path: Path) -> None:
    remove(path, ["ann.md"])
    assert titles(path) == ["Ben"]
    assert build([str(folder)], path).added == 1
    assert titles(path) == ["Ann", "Ben"]


def _row(file: Path, text: str, *others: str) -> str:
    file.parent.mkdir(exist_ok=True)
    if file.suffix == ".csv":
        return str(write(file, "".join(f"{line}\n" for line in ["id,title,text", f"x,X,{text}", *others])))
    return str(write(file, json.dumps({"id": "x", "title": "X", "text": text}) + "\n" + "\n".join(others)))


def _texts(path: Path) -> dict[str, str]:
    with KnowledgeBase.open(path) as kb:
        return dict(kb._rows("SELECT d.key, p.text FROM documents d JOIN passages p ON p.document = d.id"))


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_an_id_that_rows_of_two_files_have_is_that_of_the_first_in_whatever_order_they_are_read(
    folder: Path, suffix: str
) -> None:
    path = folder.parent / "a.clew"
    old = _row(folder.parent / "one" / f"b{suffix}", "X is old.")
    build([old], path)
    new = _row(folder.parent / "two" / f"a{suffix}", "X is new.")
    for sources in ([new], [old], [new, old], [old, new]):
        report = build(sources, path)
        assert (report.problems, report.removed) == ([], 0)
        assert _texts(path) == {"x": "X is old.", f"a{suffix}#x": "X is new."}
    _row(folder.parent / "one" / f"b{suffix}", "X is older.")
    build([old], path)
    assert _texts(path) == {"x": "X is older.", f"a{suffix}#x": "X is new."}
    both = folder.parent / "both.clew"
    build([old, new], both)
    assert _texts(both) == _texts(path)


def test_a_row_is_itself_in_a_file_of_another_name_or_place_where_it_says_the_same_or_its_file_is_gone(
    folder: Path,
) -> None:
    path = folder.parent / "a.clew"
    old = _row(folder.parent / "one" / "b.jsonl", "X is old.")
    build([old], path)
    build([_row(folder.parent / "two" / "copy.jsonl", "X is old.")], path)
    assert _texts(path) == {"x": "X is old."}
    (folder.parent / "two" / "copy.jsonl").unlink()
    build([_row(folder.parent / "two" / "renamed.jsonl", "X is new.")], path)
    assert _texts(path) == {"x": "X is new."}
    shutil.rmtree(folder.parent / "two")  # it may be on another disk, and come back
    build([_row(folder.parent / "three" / "c.jsonl", "X is another.")], path)
    assert _texts(path) == {"x": "X is new.", "c.jsonl#x": "X is another."}


def test_what_was_piped_in_is_not_replaced_by_a_file(folder: Path) -> None:
    path = folder.parent / "a.clew"
    build(["-"], path, stdin=BytesIO(b'{"id": "x", "title": "X", "text": "X was piped."}\n'))
    build([_row(folder.parent / "one" / "b.jsonl", "X is in a file.")], path)
    assert _texts(path) == {"x": "X was piped.", "b.jsonl#x": "X is in a file."}


def test_what_cannot_be_read_is_told_each_time_and_stays(folder: Path, path: Path) -> None:
    write(folder / "ann.md", "")
    for _ in range(2):
        report = build([str(folder)], path)
        assert ([one.reason for one in report.problems], report.removed) == (["is empty"], 0)
    assert titles(path) == ["Ann", "Ben"]


def test_other_sources_stay(folder: Path, path: Path) -> None:
    more = write(folder.parent / "cleo.txt", "Cleo knew Ben.")
    assert add([str(more)], path).added == 1
    report = build([str(folder)], path)
    assert (report.unchanged, report.removed) == (2, 0)
    assert len(titles(path)) == 3


def test_a_build_that_was_stopped_is_not_taken_for_done(
    folder: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "cleo.md", "# Cleo\n\nCleo knew Ben, and Ann.")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "add_title_mentions", stop)
        with pytest.raises(KeyboardInterrupt):
            build([str(folder)], path)
    build([str(folder)], path)
    build([str(folder)], folder.parent / "fresh.clew")
    assert fingerprint(path) == fingerprint(folder.parent / "fresh.clew")


def test_a_file_of_an_earlier_clew_opens_and_builds(folder: Path, path: Path, reads: list[str]) -> None:
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE file_stamps")
        database.execute("DELETE FROM _sqlite_migrations WHERE name = 'm004_file_stamps'")
        database.execute("DELETE FROM meta WHERE key = 'finished'")
    assert titles(path) == ["Ann", "Ben"]
    assert build([str(folder)], path).unchanged == 2
    assert sorted(reads) == ["ann.md", "ben.md"]
    assert build([str(folder)], path).unchanged == 2
    assert len(reads) == 2


def test_stamps_taken_by_another_way_of_reading_do_not_count(
    folder: Path, path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.documents.file_stamps._reading", lambda: "another")
    assert build([str(folder)], path).unchanged == 2
    assert sorted(reads) == ["ann.md", "ben.md"]


def test_who_has_a_file_open_is_told_what_others_changed(folder: Path, path: Path) -> None:
    watch = FileWatch(path)
    watch.opening()
    assert not watch.look()
    write(folder / "ben.md", "# Ben\n\nBen stayed at home.")
    write(folder / "cleo.md", "# Cleo\n\nCleo knew Ben.")
    build([str(folder)], path)
    assert watch.look()
    assert watch.changed == 2
    remove(path, ["ann.md"])
    assert watch.look()
    assert watch.changed == 3
    watch.told()
    assert (watch.changed, watch.look()) == (0, False)


def test_a_build_at_work_is_waited_for_but_not_for_ever(path: Path) -> None:
    watch = FileWatch(path)
    watch.opening()
    writer = open_writer(path)
    writer.execute("UPDATE meta SET value = '0' WHERE key = 'finished'")
    writer.conn.commit()
    close_writer(writer)
    assert [watch.look() for _ in range(PATIENCE + 1)] == [False] * PATIENCE + [True]
    path.unlink()
    assert not watch.look()
