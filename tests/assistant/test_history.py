from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assistant.history import History, Kept, Recall
from assistant.reply import Reply
from kb.errors import BadFileError, WriteError


def replies(*questions: str) -> tuple[Reply, ...]:
    return tuple(Reply(question, f"answer to {question}") for question in questions)


def filled(path: Path, *questions: str) -> History:
    history = History(path)
    for reply in replies(*questions):
        history.append(reply)
    return history


def test_the_file_lies_beside_the_knowledge_base(tmp_path: Path) -> None:
    assert History.beside(tmp_path / "films.v2.clew").path == tmp_path / "films.v2.chat.jsonl"
    assert History.beside(tmp_path / "films").path == tmp_path / "films.chat.jsonl"


def test_no_file_is_no_history_and_makes_none(tmp_path: Path) -> None:
    history = History(tmp_path / "a.chat.jsonl")
    assert history.load() == Kept()
    assert list(tmp_path.iterdir()) == []


def test_turns_come_back_in_order(tmp_path: Path) -> None:
    assert filled(tmp_path / "h", "a", "b").load() == Kept(replies("a", "b"))


def test_only_the_last_turns_are_read_and_the_others_counted(tmp_path: Path) -> None:
    assert filled(tmp_path / "h", "a", "b", "c").load(limit=2) == Kept(replies("b", "c"), older=1)


def test_a_line_says_its_version_and_question(tmp_path: Path) -> None:
    filled(tmp_path / "h", "naïve?")
    line = json.loads((tmp_path / "h").read_text("utf-8"))
    assert (line["clew_chat"], line["question"], line["reply"]["answer"]) == (1, "naïve?", "answer to naïve?")


def test_a_torn_last_line_is_skipped_and_does_not_swallow_the_next(tmp_path: Path) -> None:
    history = filled(tmp_path / "h", "a", "b")
    whole = history.path.read_bytes()
    history.path.write_bytes(whole[:-40])
    assert history.load() == Kept(replies("a"))
    history.append(replies("c")[0])
    assert history.load() == Kept(replies("a", "c"))
    assert history.path.read_bytes().startswith(whole[:-40])


@pytest.mark.parametrize(
    "foreign",
    [
        b"not json\n",
        b"\xff\xfe\x00\n",
        b"\n",
        b"[" * 100_000 + b"\n",
        b'{"role": "user"}\n',
        b'{"clew_chat": 2, "reply": {"question": "q", "answer": "a"}}\n',
        b'{"clew_chat": 1, "reply": {"question": 5}}\n',
        b'{"clew_chat": 1, "reply": "text"}\n',
    ],
)
def test_foreign_lines_are_skipped_and_kept(tmp_path: Path, foreign: bytes) -> None:
    history = History(tmp_path / "h")
    history.path.write_bytes(foreign)
    history.append(replies("a")[0])
    assert history.load().replies == replies("a")
    assert history.path.read_bytes().startswith(foreign)


def test_a_lone_surrogate_can_be_written_and_read(tmp_path: Path) -> None:
    assert filled(tmp_path / "h", "half \ud83d").load().replies[0].question == "half ?"


def test_what_is_no_file_is_refused_in_one_line(tmp_path: Path) -> None:
    history = History(tmp_path)
    with pytest.raises(BadFileError, match="not a regular file"):
        history.load()
    with pytest.raises(WriteError, match="goes on without being kept"):
        history.append(replies("a")[0])


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadFileError):
        History(tmp_path / "pipe").load()


def test_a_missing_folder_is_a_write_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="No such file"):
        History(tmp_path / "none" / "h").append(replies("a")[0])


def test_recall_walks_back_to_the_oldest_and_forward_to_the_draft() -> None:
    recall = Recall()
    recall.add("first")
    recall.add("second")
    assert recall.older("draft") == "second"
    assert recall.older("second") == "first"
    assert recall.older("first") == "first"
    assert recall.newer("first") == "second"
    assert recall.newer("second") == "draft"
    assert (recall.newer("draft"), recall.walking) == ("draft", False)


def test_recall_of_nothing_keeps_the_draft() -> None:
    recall = Recall()
    assert (recall.older("draft"), recall.newer("draft"), recall.walking) == ("draft", "draft", False)
