"""The line below a chat, and what a session has cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.agent.replying.reply import Reply, Usage
from assistant.conversations.chat import Conversation
from assistant.conversations.events import Finished, Progress, Spent
from assistant.conversations.session_files import SessionFolder
from assistant.conversations.status import Bill, budget_line, spent, state_line
from assistant.models.budget import Left, Spending
from assistant.shared.spending_limits import Budget


def conversation(tmp_path: Path, model: str = "qwen3") -> Conversation:
    made = Conversation(tmp_path / "notes.clew", model, lambda: pytest.fail("opened"))
    made.passages = 6119
    return made


def answering(tmp_path: Path) -> Conversation:
    made = conversation(tmp_path)
    made.progress = Progress("q", "qwen3")
    made.progress.add(Spent(Spending(2, 1200, 340, 0.0021), Left(4460, 0.0079)))
    return made


def test_an_idle_chat_says_where_it_is(tmp_path: Path) -> None:
    made = conversation(tmp_path)
    made.last = Reply("q", "a", seconds=1.25)
    assert state_line(made, 0) == "qwen3 · notes.clew · 6,119 passages · last answer 1.2 s"
    made.passages = None
    assert state_line(made, 2).startswith("2 waiting · opening … · qwen3")


def test_a_question_tells_what_it_costs_and_what_is_left(tmp_path: Path) -> None:
    bill = Bill()
    bill.add(10_000, None)
    line = state_line(answering(tmp_path), 0, bill, Budget(tokens=6000))
    assert line.startswith(
        "answering 0 s · esc stops · qwen3 · 1,540 tokens $0.0021 · 4,460 tokens, $0.0079 left · "
        "session 11,540 tokens $0.0021"
    )


def test_a_narrow_line_keeps_what_matters_most(tmp_path: Path) -> None:
    made, bill = answering(tmp_path), Bill()
    lines = {width: state_line(made, 0, bill, Budget(tokens=6000), width) for width in (38, 60, 90, 120)}
    assert lines[38] == "answering 0 s · esc stops · qwen3"
    assert lines[60] == "answering 0 s · esc stops · qwen3 · 1,540 tokens $0.0021"
    assert lines[90].endswith("4,460 tokens, $0.0079 left")
    assert "session" in lines[120]
    assert all(len(line) <= width for width, line in lines.items())


def test_names_are_shown_as_text(tmp_path: Path) -> None:
    assert state_line(conversation(tmp_path, "\x1b[2J[/x]" + "y" * 99), 0, width=40).startswith("[/x]yyy")


def test_seconds_run_down_between_two_events(tmp_path: Path) -> None:
    made = conversation(tmp_path)
    made.progress = Progress("q", "qwen3")
    assert "90 s left" in state_line(made, 0, budget=Budget(seconds=90))


def test_a_session_costs_what_its_file_tells(tmp_path: Path) -> None:
    log = SessionFolder(tmp_path).create(tmp_path / "notes.clew")
    reply = Reply('what is "usage": {"input_tokens": 9}', "a", usage=Usage(2, 1000, 50, 0.01))
    log.append(reply)
    log.append(replace(reply, usage=Usage(1, 10, 0, None)))
    bill = Bill()
    bill.read(log.path)
    assert (bill.tokens, bill.cost) == (1060, 0.01)
    bill.read(tmp_path / "none.jsonl")
    log.path.write_bytes(b'{"usage": {"input_tokens": "x"}}\n\xff\n{"usage": {torn')
    bill.read(log.path)
    assert bill.tokens == 1060


def test_a_question_is_added_once_however_it_ended() -> None:
    bill, stopped, answered = Bill(), Progress("q", "m"), Progress("q", "m")
    stopped.add(Spent(Spending(1, 100, 1, 0.5), Left()))
    answered.add(Spent(Spending(1, 7, 1), Left()))
    answered.add(Finished(Reply("q", "a", usage=Usage(2, 10, 5))))
    for progress in (stopped, stopped, answered, None, None):
        bill.follow(progress)
    assert (bill.tokens, bill.cost) == (116, 0.5)


def test_costs_in_words() -> None:
    assert (spent(0, 0.0), spent(1540, None), spent(1540, 0.0021)) == ("", "1,540 tokens", "1,540 tokens $0.0021")
    assert budget_line(Budget(tokens=6000)) == "Each question may cost 6,000 tokens."
    assert budget_line(Budget()) == "Questions may cost what they need."
