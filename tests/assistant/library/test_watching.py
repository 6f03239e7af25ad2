"""A knowledge base that is kept equal to a folder, with the system's own notices of changes."""

from __future__ import annotations

import json
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from watchfiles import Change

from assistant.commands.cli import main
from assistant.library.watching import Update, Watcher
from kb.build import build
from kb.errors import UsageError
from kb.store.check import check
from kb.store.knowledge_base import KnowledgeBase
from kb.store.sqlite import open_writer

PATIENCE = 60


class Watched:
    """A watch in a thread of its own, what it tells and what it notes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder.parent / "a.clew"
        self.updates: queue.Queue[Update] = queue.Queue()
        self.notes: queue.Queue[str] = queue.Queue()
        self.watcher = Watcher([str(folder)], self.path, self.updates.put, self.notes.put)
        self.first = self.watcher.begin()
        self.thread = threading.Thread(target=self.watcher.follow)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, "utf-8")

    def until(self, **counts: int) -> None:
        """Wait until the updates add up to these counts."""
        total = dict.fromkeys(("added", "changed", "removed"), 0)
        while total != total | counts:
            update = self.updates.get(timeout=PATIENCE)
            total = {name: count + getattr(update, name) for name, count in total.items()}

    def is_on(self) -> None:
        """Wait until changes are noticed, which is so once one has been."""
        self.write("dora.md", "# Dora\n\nDora knew Ann.")
        self.until(added=1)

    def texts(self) -> dict[str, str]:
        with KnowledgeBase.open(self.path) as kb:
            return {key: kb.document_passages(key)[0].text for key, _, _, _ in kb.documents()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "ann.md").write_text("# Ann\n\nAnn was a baker at Ostby.", "utf-8")
    return tmp_path / "notes"


@pytest.fixture
def watched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    monkeypatch.setattr("kb.store.sqlite._WRITE_TIMEOUT_SECONDS", 0.1)
    with watching(folder) as watched:
        yield watched


@contextmanager
def watching(folder: Path) -> Iterator[Watched]:
    watched = Watched(folder)
    watched.thread.start()
    try:
        yield watched
    finally:
        watched.watcher.stop.set()
        watched.thread.join(PATIENCE)
    assert not watched.thread.is_alive()
    assert check(watched.path) == []


def test_saved_renamed_and_deleted_notes_are_taken_up(watched: Watched) -> None:
    assert (watched.first.added, watched.first.unchanged) == (1, 0)
    watched.write("ben.md", "# Ben\n\nBen sailed to Karsk.")
    watched.until(added=1)
    watched.write("ann.md", "# Ann\n\nAnn was a miller at Lindholm.")
    watched.until(changed=1)
    assert watched.texts() == {"ann.md": "Ann was a miller at Lindholm.", "ben.md": "Ben sailed to Karsk."}
    (watched.folder / "ben.md").rename(watched.folder / "benjamin.md")
    watched.until(added=1, removed=1)
    (watched.folder / "more").mkdir()
    watched.write("more/cleo.md", "# Cleo\n\nCleo knew Ann.")
    watched.until(added=1)
    (watched.folder / "benjamin.md").unlink()
    watched.until(removed=1)
    assert sorted(watched.texts()) == ["ann.md", "more/cleo.md"]


def test_what_cannot_be_read_is_told_once_and_the_watch_goes_on(watched: Watched) -> None:
    watched.write("bad.docx", "no Word document")
    told = watched.updates.get(timeout=PATIENCE)
    assert [path for path, _ in told.problems] == [str(watched.folder / "bad.docx")]
    watched.write("ben.md", "# Ben\n\nBen sailed to Karsk.")
    update = watched.updates.get(timeout=PATIENCE)
    assert (update.added, update.problems) == (1, ())


def test_another_writer_is_waited_for(watched: Watched) -> None:
    other = open_writer(watched.path)
    other.execute("BEGIN IMMEDIATE")
    watched.write("ben.md", "# Ben\n\nBen sailed to Karsk.")
    assert "is being written by another process" in watched.notes.get(timeout=PATIENCE)
    other.execute("ROLLBACK")
    other.close()
    watched.until(added=1)
    assert watched.notes.empty()


def test_a_folder_that_is_away_changes_nothing_until_it_is_back(watched: Watched) -> None:
    away = watched.folder.rename(watched.folder.parent / "away")
    assert "does not exist" in watched.notes.get(timeout=PATIENCE)
    assert list(watched.texts()) == ["ann.md"]
    (away / "ben.md").write_text("# Ben\n\nBen sailed to Karsk.", "utf-8")
    away.rename(watched.folder)
    watched.until(added=1)
    watched.write("cleo.md", "# Cleo\n\nCleo knew Ann.")
    watched.until(added=1)


def renamed(folder: Path, new: Path) -> None:
    folder.rename(folder.with_name("old"))
    new.rename(folder)


def made_again(folder: Path, new: Path) -> None:
    """As its own self for the system, which gives the number of a file that is gone to the next."""
    shutil.rmtree(folder)
    shutil.copytree(new, folder)


@pytest.mark.parametrize("replace", [renamed, made_again])
def test_a_folder_that_is_replaced_is_watched_on(watched: Watched, replace: Callable[[Path, Path], None]) -> None:
    watched.is_on()
    replace(watched.folder, folder_of_ben(watched.folder.parent))
    watched.until(added=1, removed=2)
    watched.write("cleo.md", "# Cleo\n\nCleo knew Ann.")
    watched.until(added=1)


def test_a_link_that_leads_elsewhere_is_followed_there(folder: Path) -> None:
    (link := folder.with_name("current")).symlink_to(folder)
    (other := folder.with_name("other")).symlink_to(folder_of_ben(folder.parent))
    with watching(link) as watched:
        watched.is_on()
        other.rename(link)
        watched.until(added=1)
        watched.write("cleo.md", "# Cleo\n\nCleo knew Ben.")
        watched.until(added=1)


def folder_of_ben(place: Path) -> Path:
    (place / "new").mkdir()
    (place / "new" / "ben.md").write_text("# Ben\n\nBen sailed to Karsk.", "utf-8")
    return place / "new"


def test_changes_that_come_together_are_one_update(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(folder)

    def changes(self: Watcher) -> Iterator[set[tuple[Change, str]]]:
        for name in ("ben", "cleo"):
            watched.write(f"{name}.md", f"# {name}\n\nThis is {name}.")
        (folder / "ann.md").unlink()
        yield {(Change.deleted, "ann.md"), (Change.added, "ben.md"), (Change.added, "cleo.md")}
        self.stop.set()

    monkeypatch.setattr(Watcher, "_changes", changes)
    watched.watcher.follow()
    update = watched.updates.get_nowait()
    assert (update.added, update.removed, watched.updates.empty()) == (2, 1, True)
    assert update.text() == f"2 added, 1 removed · {update.seconds:.1f} s"


def test_only_what_may_be_a_document_matters(tmp_path: Path) -> None:
    folder = str(tmp_path.resolve())
    watcher = Watcher([folder], tmp_path / "a.clew", print, print)
    names = ("a.clew", "a.clew-wal", ".git/index", "notes/.ann.md.swp", "~$letter.docx", "ann.md", "old/ann", ".")
    matters = [name for name in names if watcher._matters(str(Path(folder, name)), [folder])]
    assert matters == ["ann.md", "old/ann", "."]


def test_what_is_no_folder_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        Watcher([str(folder / "ann.md")], folder.parent / "a.clew", print, print).begin()
    ran = CliRunner().invoke(main, ["watch", str(folder / "none"), "-o", str(folder.parent / "a.clew")])
    assert (ran.exit_code, ran.stdout) == (2, "")


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_a_line_an_update_and_ends_well(folder: Path, end: signal.Signals) -> None:
    path = folder.parent / "a.clew"
    build([str(folder)], path)
    command = [sys.executable, "-m", "assistant", "watch", str(folder), "-o", str(path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["unchanged"] == 1
        while "ctrl-c ends it" not in process.stderr.readline():
            pass
        (folder / "ben.md").write_text("# Ben\n\nBen sailed to Karsk.", "utf-8")
        record = json.loads(process.stdout.readline())
        process.send_signal(end)
        assert process.wait(PATIENCE) == 0
    assert (record["added"], record["changed"], record["removed"], record["problems"]) == (1, 0, 0, [])
    assert check(path) == []
    assert not path.with_name("a.clew-wal").exists()


def test_what_a_model_judged_of_changed_notes_is_forgotten(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder.parent / "a.clew"
    forgotten: list[Path] = []
    monkeypatch.setattr("assistant.models.judging.cache.forget", forgotten.append)
    monkeypatch.setattr(Watcher, "follow", lambda self: None)
    command = ["watch", str(folder), "-o", str(path), "-q"]
    assert CliRunner().invoke(main, command).exit_code == 0
    assert forgotten == []
    (folder / "ann.md").write_text("# Ann\n\nAnn was a miller at Lindholm.", "utf-8")
    assert CliRunner().invoke(main, command).exit_code == 0
    assert forgotten == [path]
