from __future__ import annotations

import json
from pathlib import Path

import pytest
from kept_replies import replies_of

from assistant.agent.replying.reply import Reply
from assistant.conversations.session_files import SessionFolder, SessionLog, checked_name
from kb.errors import UsageError, WriteError

KB = Path("notes.clew")


def reply(question: str, answer: str = "yes") -> Reply:
    return Reply(question, answer)


def questions(log: SessionLog) -> list[str]:
    return [turn.question for turn in log.line()]


@pytest.fixture
def sessions(tmp_path: Path) -> SessionFolder:
    return SessionFolder(tmp_path / "sessions")


def again(sessions: SessionFolder, log: SessionLog) -> SessionLog:
    return sessions.find(log.id)


def test_an_empty_session_is_no_file(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    assert (log.title, log.line(), log.head) == ("new session", [], "")
    assert sessions.all() == []
    assert not sessions.folder.exists()


def test_turns_are_kept_in_order_and_only_for_their_owner(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    for question in ("one?", "two?"):
        log.append(reply(question))
    assert log.path.stat().st_mode & 0o777 == 0o600
    read = again(sessions, log)
    assert (questions(read), read.title) == (["one?", "two?"], "one?")
    assert replies_of(read.line()) == [reply("one?"), reply("two?")]


def test_a_question_asked_again_is_a_branch_and_loses_nothing(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    first, second, third = (log.append(reply(question)) for question in ("a?", "b?", "c?"))
    log.go_before(second.id)
    other = log.append(reply("b, edited?"))
    assert questions(log) == ["a?", "b, edited?"]
    assert [turn.question for turn in log.branches(second.id)] == ["b?", "b, edited?"]
    log.select(second.id)
    assert questions(again(sessions, log)) == ["a?", "b?", "c?"]
    log.select(other.id)
    assert questions(again(sessions, log)) == ["a?", "b, edited?"]
    assert (first.parent, third.parent) == ("", second.id)
    with pytest.raises(UsageError, match="no turn 'zz'"):
        log.select("zz")


def test_an_edited_first_question_is_another_first_one(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    first = log.append(reply("a?"))
    log.go_before(first.id)
    log.append(reply("A?"))
    assert questions(again(sessions, log)) == ["A?"]
    assert len(log.branches(first.id)) == 2


def test_two_chats_in_one_session_keep_both_their_turns(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    log.append(reply("a?"))
    other = again(sessions, log)
    log.append(reply("mine?"))
    other.append(reply("theirs?"))
    read = again(sessions, log)
    assert sorted(turn.question for turn in read.turns.values()) == ["a?", "mine?", "theirs?"]


def test_names_are_given_found_and_checked(sessions: SessionFolder) -> None:
    log = sessions.create(KB, "Kings")
    log.append(reply("a?"))
    log.rename("  Kings\nand [red]queens\x1b[31m ")
    assert again(sessions, log).title == "Kings and [red]queens"
    assert sessions.find("kings AND [red]queens").id == log.id
    assert sessions.find(log.id[:5]).id == log.id
    for bad in ("", " \x1b[0m ", "x" * 81):
        with pytest.raises(UsageError, match="is no name"):
            checked_name(bad)
    with pytest.raises(UsageError, match="there is no session 'queens'"):
        sessions.find("queens")


def test_one_name_for_two_sessions_is_told(sessions: SessionFolder) -> None:
    for _ in range(2):
        sessions.create(KB, "Kings").append(reply("a?"))
    with pytest.raises(UsageError, match="2 sessions are called 'Kings'; take one by its id: "):
        sessions.find("Kings")


def test_sessions_of_a_file_latest_first(sessions: SessionFolder) -> None:
    old, new, other = sessions.create(KB, "old"), sessions.create(KB, "new"), sessions.create(Path("b.clew"), "b")
    for log, at in ((old, "2026-01-01"), (new, "2026-01-02"), (other, "2026-01-03")):
        log._pending[0] = {**log._pending[0], "at": at}
        log.rename(log.name)
    assert [log.name for log in sessions.all(KB)] == ["new", "old"]
    assert [log.name for log in sessions.all()] == ["b", "new", "old"]


def test_search_looks_at_names_questions_and_answers(sessions: SessionFolder) -> None:
    log = sessions.create(KB, "Kings")
    log.append(reply("Who was Lothair's mother?", "Ermengarde"))
    log.append(reply("And when did she die?", "851"))
    assert [turn.question for _, turn in sessions.search("ERMEN lothair")] == ["Who was Lothair's mother?"]
    assert len(sessions.search("kings")) == 2
    assert sessions.search("nobody") == []


def test_a_fork_holds_the_turns_up_to_its_place(sessions: SessionFolder) -> None:
    log = sessions.create(KB, "Kings")
    first = log.append(reply("a?"))
    log.append(reply("b?"))
    fork = sessions.fork(log, first.id)
    assert (questions(fork), fork.title) == (["a?"], "Kings (fork)")
    fork.append(reply("c?"))
    assert questions(again(sessions, log)) == ["a?", "b?"]
    assert questions(again(sessions, fork)) == ["a?", "c?"]


def test_deleting_removes_the_file(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    log.append(reply("a?"))
    sessions.delete(log)
    sessions.delete(log)
    assert sessions.all() == []


def test_torn_and_foreign_lines_are_skipped_and_closed(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    log.append(reply("a?"))
    lines = [
        b"[1]",
        b'{"turn": "x", "parent": ["y"], "reply": {}}',
        b'{"head": [1]}',
        b"[" * 100_000,
        b'{"turn": "t", "par',
    ]
    with log.path.open("ab") as file:
        file.write(b"\n".join(lines))
    read = again(sessions, log)
    read.append(reply("b?"))
    assert questions(again(sessions, log)) == ["a?", "b?"]
    (sessions.folder / "other.jsonl").write_text(json.dumps({"clew_session": 99}) + "\n")
    (sessions.folder / "empty.jsonl").touch()
    (sessions.folder / "folder.jsonl").mkdir()
    assert len(sessions.all()) == 1


def test_a_turn_whose_reply_is_damaged_is_left_out(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    log.append(reply("a?"))
    log.append(reply("b?", "851"))
    log.path.write_bytes(
        log.path.read_bytes().replace(b'"citations": [], "passages": []', b'"citations": 7, "passages": [', 1)
    )
    read = again(sessions, log)
    assert questions(read) == ["a?", "b?"]
    assert [one.question for one in replies_of(read.line())] == ["b?"]


def test_a_line_that_was_written_by_another_program_is_read(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    log.append(reply('"a" \\ ä?\n', "yes"))
    log.append(reply("b?"))
    header, first, second = log.path.read_text(encoding="utf-8").splitlines()
    record = json.loads(first)
    record["reply"] = dict(sorted(record["reply"].items()))
    log.path.write_text("\n".join((header, json.dumps(record), second)), encoding="utf-8")
    read = again(sessions, log)
    assert questions(read) == ['"a" \\ ä?\n', "b?"]
    assert replies_of(read.line()) == replies_of(log.line())


def test_a_session_that_was_deleted_meanwhile_is_not_begun_in_the_middle(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    log.append(reply("a?"))
    sessions.delete(log)
    with pytest.raises(WriteError, match="cannot keep the session"):
        log.append(reply("b?"))
    assert not log.path.exists()


def test_the_branches_of_a_question_are_counted(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    first = log.append(reply("a?"))
    assert log.place(first.id) == (1, 1)
    log.go_before(first.id)
    second = log.append(reply("A?"))
    assert (log.place(first.id), log.place(second.id)) == ((1, 2), (2, 2))


def test_a_fork_keeps_when_each_turn_was_asked(sessions: SessionFolder) -> None:
    log = sessions.create(KB)
    log.append(reply("a?"))
    log.append(reply("b?"))
    fork = again(sessions, sessions.fork(log))
    assert [one.at for one in fork.line()] == [one.at for one in log.line()]
    assert replies_of(fork.line()) == replies_of(log.line())


def test_a_folder_that_refuses(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    log = SessionFolder(tmp_path / "file" / "sessions").create(KB)
    with pytest.raises(WriteError, match="cannot keep the session"):
        log.append(reply("a?"))
    assert log.line() == []
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
