"""Building, adding and forgetting in processes of their own."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.commands.cli import main
from assistant.commands.options import progress_on_stderr
from assistant.library import building
from assistant.library.building import Pace, Step, Work
from kb.build import add, remove
from kb.errors import BadFileError, NotAKnowledgeBase, UsageError
from kb.store.knowledge_base import KnowledgeBase

FAKE = (sys.executable, str(Path(__file__).parents[1] / "fake_clew.py"))


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[dict[str, object]]]:
    """What the stand-in for the command line was called with."""
    log = tmp_path / "calls.jsonl"
    monkeypatch.setattr(building, "CLEW", FAKE)
    monkeypatch.setenv("FAKE_LOG", str(log))
    return lambda: [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


async def test_progress_and_result_come_back(tmp_path: Path, calls: Callable[[], list[dict[str, object]]]) -> None:
    steps: list[Step] = []
    (tmp_path / "-notes").mkdir()
    outcome = await building.building([str(tmp_path / "-notes")], tmp_path / "n.clew").run(steps.append)
    assert [(step.stage, step.done, step.total) for step in steps] == [("embedding", done, 3) for done in (1, 2, 3)]
    assert outcome.told[-1] == "clew: left out bad.md: is empty"  # behind a line of two million characters
    assert building.told_of(outcome) == [
        "n.clew: documents: 1 added; 2 new passages",
        "left out [/foo].md: is empty",
    ]
    paths = [str(tmp_path / "n.clew"), "--", str(tmp_path / "-notes")]
    assert calls() == [{"arguments": ["build", "--json", "-o", *paths], "progress": "json"}]


async def test_a_failure_is_the_error_that_the_command_tells(calls: object) -> None:
    with pytest.raises(BadFileError, match=r"^'x.clew' is being written by another process$"):
        await Work(("add", "locked")).run(lambda step: None)


async def test_a_command_that_dies_in_silence_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "CLEW", (sys.executable, "-c", "import os; os._exit(9)"))
    with pytest.raises(UsageError, match="code 9"):
        await Work((), "text that is not read" * 100_000).run(lambda step: None)


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """What a shell starts in the background ignores Ctrl-C, and so does whatever that starts."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


async def ended_when_cancelled(work: Work, monkeypatch: pytest.MonkeyPatch) -> int | None:
    """How a command ends that is cancelled once it has told of its first step."""
    started = asyncio.Event()
    ended: list[int | None] = []
    stop = building._stop

    async def watched(process: asyncio.subprocess.Process) -> None:
        await stop(process)
        ended.append(process.returncode)

    monkeypatch.setattr(building, "_stop", watched)
    run = asyncio.create_task(work.run(lambda step: started.set()))
    await asyncio.wait_for(started.wait(), 60)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    return ended[0]


@pytest.mark.parametrize("behaviour", ["slow", "stubborn"])
@pytest.mark.usefixtures("in_the_background")
async def test_cancelling_ends_the_process(behaviour: str, calls: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_PATIENCE", 20 if behaviour == "slow" else 0.1)
    assert await ended_when_cancelled(Work((behaviour,)), monkeypatch) == (130 if behaviour == "slow" else -9)


@pytest.mark.usefixtures("in_the_background")
async def test_a_build_is_stopped_as_by_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_PATIENCE", 60)
    (tmp_path / "in").mkdir()
    for number in range(600):
        (tmp_path / "in" / f"{number}.txt").write_text(
            f"Mill {number}\n\n" + f"The mill {number} stood at Karsk. " * 90
        )
    work = building.building([str(tmp_path / "in")], tmp_path / "kb.clew")
    assert await ended_when_cancelled(work, monkeypatch) == 130


def test_rate_and_time_left_are_of_the_stage() -> None:
    times = iter([0.0, 10.0, 20.0, 21.0])
    pace = Pace(lambda: next(times))
    assert pace.step("embedding", 100, 400) == Step("embedding", 100, 400)
    assert pace.step("embedding", 200, 400) == Step("embedding", 200, 400, 10.0, 20.0)
    assert pace.step("linking", 0, 5) == Step("linking", 0, 5)
    assert pace.step("linking", 5, 5) == Step("linking", 5, 5, 5.0, None)


def test_the_command_line_tells_programs_its_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLEW_PROGRESS", "json")
    with progress_on_stderr(quiet=False) as report:
        report("embedding", 1, 2)
        report("embedding", 2, 2, "3 tokens")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        {"stage": "embedding", "done": 1, "total": 2, "note": ""},
        {"stage": "embedding", "done": 2, "total": 2, "note": "3 tokens"},
    ]


def test_a_pasted_text_is_a_document_of_its_own(small_file: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(small_file, tmp_path / "small.clew"))
    texts = ["The lamp was lit.\nTwice [/foo].", "The lamp was lit.\nTwice [/foo].", "Another lamp \ud83d."]
    works = [building.adding_text(path, "Lamp\x1b[31m notes", text) for text in texts]
    works.append(building.adding_text(path, "", "A text without a title is named by its first words."))
    for work in works:
        assert work.arguments == ("add", "--json", "--", str(path), "-")
        add(["-"], path, stdin=io.BytesIO((work.text or "").encode("utf-8", "replace")))
    with KnowledgeBase.open(path) as kb:
        pasted = [(key, title) for key, title, *_ in kb.documents() if key.startswith("pasted/")]
        titles = sorted(title for _, title in pasted)
        assert titles[1:] == ["Lamp notes", "Lamp notes"]
        assert titles[0].startswith("A text without a title")
        assert any("Twice [/foo]." in one.text for key, _ in pasted for one in kb.document_passages(key))


def test_a_text_without_words_is_refused() -> None:
    with pytest.raises(UsageError, match="no text to add"):
        building.adding_text(Path("x.clew"), "Title", " \n…")


def test_what_is_not_there_is_refused_before_anything_starts(tmp_path: Path) -> None:
    for work in (building.adding, lambda path, sources: building.building(sources, path)):
        with pytest.raises(UsageError, match=r"'nowhere\.md' does not exist"):
            work(tmp_path / "x.clew", ["nowhere.md"])
    with pytest.raises(UsageError, match="nothing to add"):
        building.adding(tmp_path / "x.clew", [])


def test_typed_paths_are_split_unless_they_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my notes.md").write_text("x")
    assert building.split_paths(" my notes.md ") == ["my notes.md"]
    assert building.split_paths("'my notes.md' b.md") == ["my notes.md", "b.md"]
    assert building.split_paths("it's") == ["it's"]
    assert building.split_paths(" ") == []


def test_only_a_knowledge_base_is_built_again(small_file: Path, tmp_path: Path) -> None:
    other = tmp_path / "letter.txt"
    other.write_text("Dear reader")
    assert building.is_update(small_file)
    assert not building.is_update(tmp_path / "new.clew")
    with pytest.raises(NotAKnowledgeBase):
        building.is_update(other)
    with pytest.raises(UsageError, match="there is no folder"):
        building.is_update(tmp_path / "nowhere" / "new.clew")


def test_each_row_of_a_table_is_a_document_so_files_are_told_as_well_and_each_stage_ends_once(tmp_path: Path) -> None:
    (tmp_path / "vet.md").write_text("# Vet\n\nOur vet is Hannah Brandt.\n")
    (tmp_path / "patients.csv").write_text("name,found by\nRich Tea,Carys Tagg\nFig Roll,Idris Tagg\n")
    command = ["build", str(tmp_path), "-o", str(tmp_path / "a.clew")]
    told = CliRunner().invoke(main, command).stderr
    assert "a.clew: 2 files, 3 documents: 3 added; 3 new passages" in told
    ends = [line for line in told.splitlines() if line.startswith("linking")]
    assert ends == list(dict.fromkeys(ends))
    result = json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)
    assert building.told_of(building.Outcome(result)) == ["a.clew: 2 files, 3 documents: 3 unchanged; 0 new passages"]


def test_forgetting_names_the_key_alone(tmp_path: Path) -> None:
    assert building.forgetting(tmp_path / "x.clew", "--json").arguments == (
        "remove", "--json", "--", str(tmp_path / "x.clew"), "--json",
    )  # fmt: skip


def test_a_file_that_is_read_can_be_written_and_what_is_finished_is_seen(small_file: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(small_file, tmp_path / "small.clew"))
    (tmp_path / "new.md").write_text("# Lamps\nLamps burn oil.\n")
    with KnowledgeBase.open(path) as reader:
        assert reader.info().documents == 12
        add([str(tmp_path / "new.md")], path)
        assert reader.info().documents == 13
        remove(path, ["clock", "new.md"])
        with KnowledgeBase.open(path) as other:
            assert reader.info().documents == other.info().documents == 11


def test_what_is_left_aside_in_a_folder_is_counted_and_read_with_all(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / ".trash").mkdir(parents=True)
    for name in ("ann.md", ".trash/old.md", "a.exe", "b.exe"):
        (notes / name).write_text(f"This is {name}.", "utf-8")
    told = CliRunner().invoke(main, ["build", str(notes), "-o", str(tmp_path / "a.clew")]).stderr
    others = f"; 2 files of other types skipped ({notes}/a.exe, {notes}/b.exe)"
    assert f"{others}; 1 left aside as hidden, ignored or without text ({notes}/.trash)" in told
    told = CliRunner().invoke(main, ["build", str(notes), "-o", str(tmp_path / "a.clew"), "--all"]).stderr
    assert told.endswith(f"; 2 files of other types skipped ({notes}/a.exe, {notes}/b.exe)\n")
    with KnowledgeBase.open(tmp_path / "a.clew") as kb:
        assert [key for key, *_ in kb.documents()] == [".trash/old.md", "ann.md"]
