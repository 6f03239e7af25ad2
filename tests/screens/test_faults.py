"""What breaks around the chat is told in a line, and the next question is answered: disk, file, other processes."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from chatting import ANSWER, Script, ask, chat, kept, run, send, text, until

from assistant.conversations.session_files import SessionFolder
from assistant.library import building
from kb.build import build
from kb.errors import WriteError
from screens.browse_screen import BrowseScreen
from screens.library_screen import WorkScreen
from tui import ClewApp


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    (folder / "note.txt").write_text("The Glass Harbour is a film directed by Irena Valdis.")
    build([str(folder / "note.txt")], folder / "kings.clew")
    return folder / "kings.clew"


@pytest.fixture
def kings(built: Path, tmp_path: Path) -> Path:
    """The file that `app` is over."""
    return Path(shutil.copy(built, tmp_path / "kings.clew"))


def harm(file: Path, fault: str) -> None:
    if fault == "deleted":
        file.unlink()
    else:
        file.write_text("no knowledge base")


def is_there(file: Path) -> bool:
    return file.exists()


def errors(app: ClewApp) -> list[str]:
    return [text(one) for one in app.base.query(".error")]


@pytest.mark.parametrize("reason", ["full", "no folder"])
async def test_the_chat_goes_on_where_nothing_can_be_kept(
    app: ClewApp, own_places: Path, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if reason == "full":
        monkeypatch.setattr(os, "fsync", full)
    else:
        (own_places / "state").write_text("a file stands where the folder should be")
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "one")
        await until(pilot, lambda: len(errors(app)) == 1)
        assert "cannot keep the session" in errors(app)[0]
        await ask(pilot, "two")
        await run(pilot, "/rename kept")
        await until(pilot, lambda: len(errors(app)) == 2)
        await run(pilot, "/new other")
        await ask(pilot, "three")
        assert [turn.question for turn in app.view.turns] == ["three"]


def test_a_session_that_could_not_be_begun_is_kept_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SessionFolder().create(tmp_path / "kings.clew")
    with monkeypatch.context() as patched:
        patched.setattr(
            "assistant.conversations.session_files.os.fsync",
            lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")),
        )
        with pytest.raises(WriteError, match="cannot keep"):
            log.append(ANSWER)
    assert not log.path.exists()
    log.append(ANSWER)
    assert kept(tmp_path) == [ANSWER]


@pytest.mark.parametrize("fault", ["deleted", "replaced"])
async def test_a_file_that_is_gone_or_another_is_told(
    kings: Path, app: ClewApp, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kings.parent)
    (kings.parent / "note.txt").write_text("More text.")
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "one")
        harm(kings, fault)
        await run(pilot, "/browse")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen))
        await until(pilot, lambda: "✗" in text(app.screen.query_one("#count")))
        await pilot.press("escape")
        for command in ("/forget glass", "/open kings.clew", "/add note.txt"):
            await run(pilot, command)
            await until(pilot, lambda: len(app.query(".refused")) == 1 and app.screen is app.base)
        assert is_there(kings) == (fault == "replaced")
        await ask(pilot, "two")


async def test_a_build_that_is_killed_is_told(
    kings: Path, app: ClewApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "dies.py"
    script.write_text(f"import os\nos.kill(os.getpid(), {signal.SIGKILL.value})\n")
    monkeypatch.setattr(building, "CLEW", (sys.executable, str(script)))
    (tmp_path / "note.txt").write_text("More text.")
    async with app.run_test(size=(120, 40)) as pilot:
        await ask(pilot, "one")
        await run(pilot, f"/add {tmp_path / 'note.txt'}")
        await until(pilot, lambda: errors(app))
        assert not isinstance(app.screen, WorkScreen)
        assert "was killed" in errors(app)[0]
        await ask(pilot, "two")


async def test_two_chats_in_one_session_keep_the_turns_of_both(tmp_path: Path, script: Script) -> None:
    SessionFolder().create(tmp_path / "kings.clew").append(ANSWER)
    second_script = Script()
    first, second = chat(tmp_path, script.open), chat(tmp_path, second_script.open)
    async with first.run_test() as one:
        await until(one, lambda: first.view.turns)
        async with second.run_test() as two:
            await until(two, lambda: second.view.turns)
            await ask(one, "from the first")
            await ask(two, "from the second")
            await ask(one, "from the first again")
    (log,) = SessionFolder().all(tmp_path / "kings.clew")
    asked = {turn.question for turn in log.turns.values()}
    assert asked == {"", "from the first", "from the second", "from the first again"}


async def test_a_session_that_is_deleted_elsewhere_is_told(tmp_path: Path, app: ClewApp) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "one")
        SessionFolder().delete(app.view.conversation.log)
        await ask(pilot, "two")
        await until(pilot, lambda: errors(app))
        await run(pilot, "/new")
        await ask(pilot, "three")
    assert [reply.question for reply in kept(tmp_path)] == ["three"]


KILLED = """
import sys
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from chatting import ANSWER
from assistant.conversations.session_files import SessionFolder
log = SessionFolder().create(Path(sys.argv[1]))
for number in range(100_000):
    log.append(replace(ANSWER, question=f"question {number}", explanation="long " * 20_000))
    print(number, flush=True)
"""


def test_a_kill_while_a_turn_is_written_loses_that_turn_at_most(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "kings.clew"), str(Path(__file__).parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(5):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        told = 5 + len(process.stdout.readlines())
    (log,) = SessionFolder().all(tmp_path / "kings.clew")
    assert len(log.turns) in (told, told + 1)
    log.append(ANSWER)
    (again,) = SessionFolder().all(tmp_path / "kings.clew")
    assert len(again.turns) == len(log.turns)


async def test_a_command_that_fails_as_none_should_is_told(app: ClewApp, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("[/foo]")

    async with app.run_test() as pilot:
        await ask(pilot, "one")
        monkeypatch.setattr(app.view, "toggle_evidence", broken)
        await run(pilot, "/evidence")
        await until(pilot, lambda: errors(app))
        assert errors(app) == ["✗ unexpected RuntimeError: [/foo]"]
        await ask(pilot, "two")


async def test_typing_after_the_panel_was_closed_goes_to_the_prompt(app: ClewApp, script: Script) -> None:
    async with app.run_test(size=(40, 12)) as pilot:
        turn = await send(pilot, "one")
        await until(pilot, lambda: turn.reply)
        await pilot.press("ctrl+e", "tab")
        assert app.view.evidence.has_focus_within
        await pilot.press("ctrl+e", *"to nobody")
        assert app.prompt.text == "to nobody"
