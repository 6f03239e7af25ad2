"""Who may read what clew writes: what is the user's own only the user, whatever the umask lets through."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.commands.cli import main
from assistant.conversations.session_files import SessionFolder
from assistant.library.known_files import Library
from assistant.models.judging.cache import judgements_file
from kb.build import build
from kb.store.answer_store import AnswerStore
from kb.store.locking import SUFFIX, WriterLock


def run(*arguments: str) -> None:
    ran = CliRunner().invoke(main, arguments)
    assert ran.exit_code == 0, ran.output


def set_config(file: Path) -> None:
    run("config", "risk", "0.1")


def ask(file: Path) -> None:
    run("ask", str(file), "Where was the director of The Glass Harbour born?")


def keep_session(file: Path) -> None:
    SessionFolder().create(file).rename("Harbours")


def keep_judgements(file: Path) -> None:
    AnswerStore(judgements_file()).close()


def note_file(file: Path) -> None:
    Library().note(file)


@pytest.fixture(params=[0o000, 0o022], ids=["umask 000", "umask 022"])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("write", [set_config, ask, keep_session, keep_judgements, note_file])
def test_the_users_own_files_are_the_users_alone(
    write: Callable[[Path], None], small_file: Path, own_places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Several folders are missing, and each kind of file may be the first to need them.
    monkeypatch.setenv("CLEW_HOME", str(own_places / "share" / "clew"))
    monkeypatch.setenv("CLEW_CONFIG", str(own_places / "settings" / "clew" / "config.toml"))
    write(small_file)
    made = list(own_places.rglob("*"))
    assert any(path.is_file() for path in made)
    assert {str(path): mode(path) for path in made} == {str(path): 0o700 if path.is_dir() else 0o600 for path in made}


def test_a_knowledge_base_has_the_mode_of_any_new_file_and_its_lock_is_private(tmp_path: Path, umask: int) -> None:
    (tmp_path / "a.txt").write_text("The Fram was designed by Colin Archer.", "utf-8")
    build([str(tmp_path / "a.txt")], tmp_path / "a.clew")
    assert mode(tmp_path / "a.clew") == 0o644 & ~umask
    lock = WriterLock(tmp_path / "a.clew")
    assert mode(tmp_path / f"a.clew{SUFFIX}") == 0o600
    lock.release()
