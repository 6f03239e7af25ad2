from __future__ import annotations

from pathlib import Path

from assistant.agent.replying.reply import Reply
from assistant.conversations.recall import Recall, past_questions, with_words
from assistant.conversations.session_files import SessionFolder


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


def test_questions_of_other_sessions_come_before_what_was_asked_here() -> None:
    recall = Recall()
    recall.add("here")
    recall.add("here")
    recall.fill(["old", "older file's"])
    recall.fill(["old"])
    assert recall.questions == ["old", "here"]


def test_past_questions_are_told_once_this_files_first(tmp_path: Path) -> None:
    sessions = SessionFolder(tmp_path / "sessions")
    here, there = tmp_path / "a.clew", tmp_path / "b.clew"
    for file, question in ((here, "one?"), (there, "two?"), (here, "three?"), (here, "one?")):
        sessions.create(file).append(Reply(question, "yes"))
    questions = past_questions(sessions.all(), here)
    assert questions == ["one?", "three?", "two?"]
    assert with_words(questions, "E O") == ["one?"]
