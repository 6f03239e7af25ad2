"""A build reads, embeds and writes as it goes: nothing waits for the last document, and a kill loses a batch."""

from __future__ import annotations

import gc
import io
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import Any, cast

import pytest
from scripted_extractor import ScriptedExtractor

import kb.build
from kb.build import BuildReport, Progress, add, build
from kb.documents import sources as kb_sources
from kb.documents.extent import Extent
from kb.documents.rows import Place, Row
from kb.errors import ModelFailure
from kb.records import Document, Piece
from kb.store.check import check, damage_in
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase
from kb.store.writer import Writer

FILES = 12


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve notes, each with a link to the next, in batches of two."""
    monkeypatch.setattr("kb.build._BATCH", 2)
    monkeypatch.setattr("kb.build._TOLD_SECONDS", 0.0)
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(FILES):
        text = f"# Note {number}\n\nOvens number {number} are described in [[Note {number + 1}]].\n"
        (folder / f"note{number:02}.md").write_text(text, "utf-8")
    return folder


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read."""
    read: list[str] = []
    usual = kb_sources.read_file

    def noted(path: Path, place: Place, extent: Extent) -> object:
        read.append(path.name)
        return usual(path, place, extent)

    monkeypatch.setattr(kb_sources, "read_file", noted)
    return read


def test_the_first_documents_are_written_before_the_last_are_read(
    folder: Path, tmp_path: Path, reads: list[str]
) -> None:
    path, told = tmp_path / "a.clew", list[tuple[Progress, int]]()
    build([str(folder)], path, progress=lambda step: told.append((step, len(reads))))
    assert told[0][0] == Progress("reading", 1, 0)
    embedded = [(step, read) for step, read in told if step.stage == "embedding"]
    first, read = embedded[0]
    assert (first.done, read) == (2, 2)
    assert embedded[-1][0] == Progress("embedding", FILES, FILES)
    assert all(10 <= step.total <= 14 for step, _ in embedded), "the total is told from the share of bytes"


def test_the_total_of_one_large_document_is_that_of_all_its_passages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.build._BATCH", 2)
    file, told = tmp_path / "long.md", list[Progress]()
    file.write_text("# Ovens\n\n" + "\n\n".join(f"Oven {one} is described here. " * 40 for one in range(12)), "utf-8")
    report = build([str(file)], tmp_path / "a.clew", progress=told.append)
    embedded = [step for step in told if step.stage == "embedding"]
    assert report.passages >= 12
    assert len(embedded) > 3
    assert all(abs(step.total - report.passages) <= 2 for step in embedded)
    assert embedded[-1] == Progress("embedding", report.passages, report.passages)


@pytest.fixture
def long_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A document of some forty passages, cut in stretches of three or four, in batches of two."""
    monkeypatch.setattr("kb.build._BATCH", 2)
    monkeypatch.setattr("kb.documents.passages._STRETCH", 4_000)
    path = tmp_path / "long.md"
    path.write_text("# Ovens\n\n" + "\n\n".join(f"Oven {one} is described here. " * 40 for one in range(40)), "utf-8")
    return path


def test_the_first_passages_of_a_long_document_are_written_before_the_last_are_cut(
    long_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut, told = list[int](), list[tuple[Progress, int]]()
    usual = kb.build.cut

    def counted(*arguments: Any) -> Iterator[Piece]:
        for piece in usual(*arguments):
            cut.append(piece.ordinal)
            yield piece

    monkeypatch.setattr("kb.build.cut", counted)
    # What is told in the middle of a batch, of a machine that is slow, finds the batch's own passages cut.
    monkeypatch.setattr("kb.build._TOLD_SECONDS", inf)
    report = build([str(long_text)], tmp_path / "a.clew", progress=lambda step: told.append((step, len(cut))))
    assert report.passages == len(cut) >= 40
    ahead = [found - step.done for step, found in told if step.stage == "embedding"]
    assert len(ahead) >= 20
    assert max(ahead) <= 2, "the passage that shows whether the last of a batch is the document's"


def test_a_long_document_that_was_stopped_half_way_goes_on_there(long_text: Path, tmp_path: Path) -> None:
    path, whole = tmp_path / "a.clew", tmp_path / "whole.clew"
    passages = build([str(long_text)], whole).passages

    def stop(step: Progress) -> None:
        if (step.stage, step.done) == ("embedding", 20):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build([str(long_text)], path, progress=stop)
    assert not damage_in(path)
    report = build([str(long_text)], path)
    assert (report.added, report.passages) == (1, passages - 20)
    assert fingerprint(path) == fingerprint(whole)
    assert check(path) == []


@pytest.mark.parametrize("read", [build, add])
def test_what_takes_too_long_to_cut_half_way_leaves_nothing(
    long_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[..., BuildReport]
) -> None:
    path, note = tmp_path / "a.clew", tmp_path / "note.md"
    note.write_text("# Note\n\nAna Souza lives in Lindholm.", "utf-8")
    build([str(note)], path)
    before, sources = fingerprint(path), [str(long_text), str(note)]
    usual = kb.build.cut

    def slow(*arguments: Any) -> Iterator[Piece]:
        for piece in usual(*arguments):
            time.sleep(0.6 if piece.ordinal == 20 else 0)
            yield piece

    monkeypatch.setattr("kb.build.cut", slow)
    report = read(sources, path, file_seconds=0.5)
    assert [one.path.rpartition("/")[2] for one in report.problems] == ["long.md"]
    assert (report.added, report.unchanged, report.removed, report.passages) == (0, 1, 0, 0)
    assert fingerprint(path) == before
    assert check(path) == []
    monkeypatch.setattr("kb.build.cut", usual)
    assert read(sources, path).added == 1


def test_a_changed_document_stays_until_all_of_it_is_cut(
    long_text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.clew"
    build([str(long_text)], path)
    before, usual = fingerprint(path), kb.build.cut

    def slow(*arguments: Any) -> Iterator[Piece]:
        for piece in usual(*arguments):
            time.sleep(0.6 if piece.ordinal == 20 else 0)
            yield piece

    monkeypatch.setattr("kb.build.cut", slow)
    long_text.write_text(long_text.read_text("utf-8").replace("described", "painted"), "utf-8")
    report = build([str(long_text)], path, file_seconds=0.5)
    assert (report.changed, report.passages, len(report.problems)) == (0, 0, 1)
    assert fingerprint(path) == before


def test_no_more_documents_are_in_memory_than_a_batch_has(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, alive = Writer.write, list[int]()
    before = {id(one) for one in gc.get_objects() if type(one) is Document}

    def counted(self: Writer, *arguments: object) -> None:
        alive.append(sum(type(one) is Document and id(one) not in before for one in gc.get_objects()))
        usual(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Writer, "write", counted)
    build([str(folder)], tmp_path / "a.clew")
    assert len(alive) == FILES / 2
    assert max(alive) <= 5


def test_a_kill_loses_a_batch_and_the_next_build_goes_on_behind_it(
    folder: Path, tmp_path: Path, reads: list[str]
) -> None:
    path, whole = tmp_path / "a.clew", tmp_path / "whole.clew"
    for file in folder.iterdir():  # of before two seconds, so that a look at them is enough
        os.utime(file, (1_600_000_000, 1_600_000_000))
    build([str(folder)], whole)

    def stop(step: Progress) -> None:
        if (step.stage, step.done) == ("embedding", 8):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build([str(folder)], path, progress=stop)
    with KnowledgeBase.open(path) as opened:
        written = len(opened.documents())
        assert written == 8
        assert not opened.is_finished
    reads.clear()
    report = build([str(folder)], path)
    assert (report.added, report.unchanged, report.passages) == (FILES - written, written, FILES - written)
    assert len(reads) <= FILES - written + 2
    assert fingerprint(path) == fingerprint(whole)


def test_of_one_long_file_the_lines_are_written_as_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.build._BATCH", 10)
    rows = [{"id": str(number), "text": f"The oven number {number} is red." * 40} for number in range(30)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    told: list[Progress] = []
    report = build([str(tmp_path / "corpus.jsonl")], tmp_path / "a.clew", progress=told.append)
    embedded = [step for step in told if step.stage == "embedding"]
    assert embedded[-1].done == embedded[-1].total == report.passages > 30
    assert embedded[0].done == 10
    assert 0.5 * report.passages < embedded[1].total < 2 * report.passages


def test_rows_are_followed_by_their_bytes(tmp_path: Path) -> None:
    (tmp_path / "ten").write_bytes(b"123456789\n" * 10)
    extent, rows = Extent(total=200), list[Row | bytes]()
    with (tmp_path / "ten").open("rb", buffering=0) as stream:
        for row in extent.follow(stream, iter(stream.readline, b"")):
            rows.append(row)
            assert extent.share == len(rows) * 10 / 200
    extent.end_file(100, read=True)
    assert extent.share == 0.5
    extent.end_file(100, read=False)
    assert extent.share == 1.0
    assert Extent().share == 1.0


def test_a_model_that_cannot_be_asked_is_known_before_anything_is_written(folder: Path, tmp_path: Path) -> None:
    class Refusing:
        prompt = None

        def ask(self, *_: object) -> None:
            raise ModelFailure("no")

    path = tmp_path / "a.clew"
    with pytest.raises(ModelFailure):
        build([str(folder)], path, extractor=Refusing())  # type: ignore[arg-type]
    with KnowledgeBase.open(path) as opened:
        assert not opened.documents()


def test_a_build_by_a_model_that_is_stopped_leaves_nothing_stale(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.clew"
    build([str(folder)], path)
    for note in folder.iterdir():
        note.write_text(note.read_text("utf-8") + "Now they are cold.\n", "utf-8")
        os.utime(note, (1_700_000_000, 1_700_000_000))  # what is as new as the build is always read again
    usual, written = Writer.write, list[int]()

    def stops(writer: Writer, *arguments: Any) -> None:
        written.append(1)
        if len(written) == 2:
            raise KeyboardInterrupt
        usual(writer, *arguments)

    monkeypatch.setattr(Writer, "write", stops)
    with pytest.raises(KeyboardInterrupt):
        build([str(folder)], path, extractor=ScriptedExtractor({}))
    monkeypatch.setattr(Writer, "write", usual)
    assert build([str(folder)], path).changed == FILES - 2
    with KnowledgeBase.open(path) as kb:
        assert all("cold" in one.text for one in kb.passages([*range(1, 100)]))


def test_what_standard_input_says_again_is_unchanged(tmp_path: Path) -> None:
    rows = b"".join(
        json.dumps({"id": str(i), "title": f"T{i}", "text": f"Oven {i}."}).encode() + b"\n" for i in range(3)
    )
    first, second = (build(["-"], tmp_path / "a.clew", stdin=io.BytesIO(rows)) for _ in range(2))
    assert (first.added, first.unchanged) == (3, 0)
    assert (second.added, second.unchanged, second.passages) == (0, 3, 0)


def test_a_batch_is_written_without_savepoints(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within one SQLite goes through a list of all pages that were changed, for every row: seven times the time."""
    statements = list[str]()
    begun = Writer.begin_work

    def traced(writer: Writer) -> None:
        cast(Any, writer._engine).db.conn.set_trace_callback(statements.append)
        begun(writer)

    monkeypatch.setattr(Writer, "begin_work", traced)
    build([str(folder)], tmp_path / "a.clew")
    assert any(one.startswith("BEGIN") for one in statements)
    assert not any(one.startswith("SAVEPOINT") for one in statements)


def test_what_takes_too_long_to_cut_is_left_out_and_stays_as_it_was(
    folder: Path, tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.clew"
    build([str(folder)], path)
    usual = kb.build.cut

    def slow(document: Document, *rest: Any) -> Iterator[Piece]:
        time.sleep(0.6 if document.key == "note03.md" else 0)
        yield from usual(document, *rest)

    monkeypatch.setattr("kb.build.cut", slow)
    for name in ("note03.md", "note05.md"):
        (folder / name).write_text("# Changed\n\nA new text.", "utf-8")
    for note in folder.iterdir():
        os.utime(note, (1_700_000_000, 1_700_000_000))  # what is as new as the build is always read again
    report = build([str(folder)], path, file_seconds=0.5)
    assert [str(one) for one in report.problems] == [
        "note03.md: takes longer than 0.5 seconds to read: split it, or allow more with --file-seconds"
    ]
    assert (report.added, report.changed, report.unchanged, report.removed) == (0, 1, FILES - 2, 0)
    with KnowledgeBase.open(path) as knowledge:
        assert knowledge.info().documents == FILES
        assert [key for key, title, *_ in knowledge.documents() if title == "Changed"] == ["note05.md"]
    reads.clear()
    assert build([str(folder)], path).changed == 1
    assert reads == ["note03.md"]


def test_half_a_document_that_now_takes_too_long_is_forgotten(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.clew"
    build([str(folder)], path)
    with sqlite3.connect(path) as base:
        base.execute("UPDATE documents SET complete = 0 WHERE key = 'note03.md'")
    base.close()
    usual = kb.build.cut

    def slow(document: Document, *rest: Any) -> Iterator[Piece]:
        time.sleep(0.6 if document.key == "note03.md" else 0)
        yield from usual(document, *rest)

    monkeypatch.setattr("kb.build.cut", slow)
    report = build([str(folder)], path, file_seconds=0.5)
    assert [one.path.rpartition("/")[2] for one in report.problems] == ["note03.md"]
    with KnowledgeBase.open(path) as knowledge:
        assert knowledge.info().complete
        assert "note03.md" not in {key for key, *_ in knowledge.documents()}
    assert build([str(folder)], path).added == 1


def test_what_lies_in_a_folder_that_cannot_be_looked_into_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    for name in ("a.txt", "locked/b.txt", "locked/deep/c.txt"):
        (notes / name).parent.mkdir(parents=True, exist_ok=True)
        (notes / name).write_text(f"{name} tells something.\n", "utf-8")
    build([str(notes)], tmp_path / "a.clew")
    scan = os.scandir

    def refuse(path: Path) -> object:
        if path.name == "locked":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    (notes / "a.txt").write_text("Changed.\n", "utf-8")
    monkeypatch.setattr(os, "scandir", refuse)
    report = build([str(notes)], tmp_path / "a.clew")
    assert [str(one) for one in report.problems] == [f"{notes}/locked: cannot be read (Permission denied)"]
    assert (report.changed, report.removed) == (1, 0)
    with KnowledgeBase.open(tmp_path / "a.clew") as knowledge:
        assert knowledge.info().documents == 3
