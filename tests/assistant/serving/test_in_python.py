"""The Python API: a file opened and asked, from code without an event loop, from code with one, and closed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from kb.errors import NotAKnowledgeBase, UsageError

ROOT = Path(__file__).parents[3]
QUESTION = "Where was the director of The Glass Harbour born?"
UNANSWERABLE = "Who composed the anthem of Ruritania?"


def test_a_file_is_asked_in_a_line_and_left_as_it_was(small_file: Path) -> None:
    before = small_file.read_bytes()
    with clew.open(small_file) as base:
        reply = base.ask(QUESTION)
        assert (reply.answer, reply.citations[-1].title) == ("Tarnow Bay", "Irena Valdis")
        assert not base.ask(UNANSWERABLE).found
        assert base.ask(QUESTION).answer == reply.answer
    assert small_file.read_bytes() == before


async def test_it_is_asked_in_a_running_loop_too_which_goes_on_meanwhile(small_file: Path) -> None:
    with clew.open(str(small_file)) as base:
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
        clew.open(tmp_path / "none.clew")
    with clew.open(small_file) as base:
        with pytest.raises(UsageError, match="asks nothing"):
            base.ask("  ")
        assert base.ask(QUESTION).found


def test_one_that_is_closed_answers_nothing_and_closes_again(small_file: Path) -> None:
    base = clew.open(small_file)
    base.close()
    base.close()
    with pytest.raises(clew.ClewError, match=r"small.clew' is closed; open it again"):
        base.ask(QUESTION)


def test_what_goes_wrong_in_closing_is_raised(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = clew.open(small_file)
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
    code = f"import sys, clew; assert clew.Reply; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


TYPED = """import clew
base: clew.OpenBase = clew.open("my.clew", clew.ModelChoice())
reply: clew.Reply = base.ask("What?")
wrong: int = reply.answer
"""


def test_whoever_imports_it_is_told_of_wrong_types(tmp_path: Path) -> None:
    (tmp_path / "asking.py").write_text(TYPED)
    # With what `make check` left in its cache this takes half a second.
    settings = [f"--config-file={ROOT / 'pyproject.toml'}", f"--cache-dir={ROOT / '.mypy_cache'}"]
    check = [sys.executable, "-m", "mypy", *settings, "asking.py"]
    told = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert "asking.py:4: error: Incompatible types" in told
    assert "Found 1 error" in told


def test_all_that_it_names_is_there() -> None:
    assert all(hasattr(clew, name) for name in clew.__all__)
    with pytest.raises(AttributeError, match="no attribute 'shut'"):
        clew.shut  # noqa: B018 - that it is asked for is the test
