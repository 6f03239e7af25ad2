"""The command thread, and what ask has of it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from recorded import ask_and_keep
from small_documents import QUESTION

from assistant.agent.replying.reply import Reply
from assistant.commands.cli import main
from assistant.conversations.session_files import SessionFolder
from assistant.conversations.transcripts.transcript_folder import Store, read


def clew(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def asked(small_file: Path) -> Reply:
    """The reply in the only transcript that there is."""
    asyncio.run(ask_and_keep(small_file, Store().folder, QUESTION))
    return read(Store().find("last")).reply


def test_the_thread_of_the_last_answer_is_shown(asked: Reply) -> None:
    shown = clew("thread").stdout
    assert shown.startswith(f"{QUESTION}\n\n1 ")
    assert "planned: " in shown
    assert "● by facts  ◐ by text  ○ open" in shown
    assert f"✓ {asked.tools[0].name}" in shown


def test_it_is_written_as_its_file_is_named(asked: Reply, tmp_path: Path) -> None:
    assert clew("thread", "last", "-o", tmp_path / "a.json").exit_code == 0
    assert Reply.from_json(json.loads((tmp_path / "a.json").read_text("utf-8"))) == asked
    assert clew("thread", Store().summaries()[0].id[:4], "-o", tmp_path / "a.svg").exit_code == 0
    assert (tmp_path / "a.svg").read_text("utf-8").startswith("<svg ")
    again = clew("thread", "-o", tmp_path / "a.svg")
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)


def test_a_session_is_found_by_its_name_and_its_questions_by_their_number(
    asked: Reply, small_file: Path, tmp_path: Path
) -> None:
    log = SessionFolder().create(small_file, "harbours")
    log.append(asked)
    log.append(replace(asked, question="Which one?"))
    assert clew("thread", "harbours").stdout.startswith("Which one?\n")
    assert clew("thread", "harbours", "--turn", "1").stdout.startswith(f"{QUESTION}\n")
    missing = clew("thread", "harbours", "--turn", "3")
    assert (missing.exit_code, "has 2 questions" in missing.stderr) == (2, True)


def test_what_is_not_there_is_one_line() -> None:
    for arguments in (["thread"], ["thread", "nobody"], ["thread", "abcd"], ["thread", "nobody", "--turn", "1"]):
        result = clew(*arguments)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1


def test_the_file_behind_a_source_is_named(asked: Reply, small_file: Path) -> None:
    number = asked.citations[0].number
    told = clew("thread", "--source", str(number))
    assert told.stdout == f"{(small_file.parent / 'corpus.jsonl').resolve()}\n"
    none = clew("thread", "--source", "99")
    assert f"no source [99]; it has [{number}]" in none.stderr


def test_ask_draws_the_graph_and_writes_the_thread(small_file: Path, tmp_path: Path) -> None:
    result = clew("ask", small_file, QUESTION, "-q", "--graph", "--thread", tmp_path / "a.md")
    assert result.exit_code == 0
    assert "● by facts  ◐ by text  ○ open" in result.stdout
    assert (tmp_path / "a.md").read_text("utf-8").startswith("# Question: ")


def test_ask_refuses_a_bad_file_before_it_asks(small_file: Path, tmp_path: Path) -> None:
    result = clew("ask", small_file, QUESTION, "-q", "--thread", tmp_path / "a.txt")
    assert (result.exit_code, result.stdout) == (2, "")
