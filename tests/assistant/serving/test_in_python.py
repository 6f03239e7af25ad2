"""The Python API: a file opened and asked, from code without an event loop, from code with one, and closed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import assistant
from kb.errors import NotAKnowledgeBase, UsageError

QUESTION = "Where was the director of The Glass Harbour born?"
UNANSWERABLE = "Who composed the anthem of Ruritania?"


def test_a_file_is_asked_in_a_line_and_left_as_it_was(small_file: Path) -> None:
    before = small_file.read_bytes()
    with assistant.open(small_file) as base:
        reply = base.ask(QUESTION)
        assert (reply.answer, reply.citations[-1].title) == ("Tarnow Bay", "Irena Valdis")
        assert not base.ask(UNANSWERABLE).found
        assert base.ask(QUESTION).answer == reply.answer
    assert small_file.read_bytes() == before


async def test_it_is_asked_in_a_running_loop_too_which_goes_on_meanwhile(small_file: Path) -> None:
    with assistant.open(str(small_file)) as base:
        waiting = asyncio.create_task(base.ask_async(QUESTION))
        turns = 0
        while not waiting.done():
            await asyncio.sleep(0.01)
            turns += 1
        assert turns > 1
        # As in a notebook, whose loop runs while its cells do.
        assert base.ask(QUESTION).answer == waiting.result().answer != ""


def test_what_goes_wrong_is_raised_and_the_next_question_answered(small_file: Path, tmp_path: Path) -> None:
    with pytest.raises(NotAKnowledgeBase):
        assistant.open(tmp_path / "none.clew")
    with assistant.open(small_file) as base:
        with pytest.raises(UsageError, match="asks nothing"):
            base.ask("  ")
        assert base.ask(QUESTION).found


def test_one_that_is_closed_answers_nothing_and_closes_again(small_file: Path) -> None:
    base = assistant.open(small_file)
    base.close()
    base.close()
    with pytest.raises(RuntimeError):
        base.ask(QUESTION)


def test_what_goes_wrong_in_closing_is_raised(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = assistant.open(small_file)
    close = base._session.close

    def fail() -> None:
        close()
        raise RuntimeError("the log could not be written")

    monkeypatch.setattr(base._session, "close", fail)
    with pytest.raises(RuntimeError, match="the log"):
        base.close()
    base.close()


def test_importing_the_package_loads_nothing_of_what_answering_needs() -> None:
    heavy = "{'numpy', 'pydantic_ai', 'sqlite_utils', 'assistant.serving.in_python'}"
    code = f"import sys, assistant; assert assistant.open; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
