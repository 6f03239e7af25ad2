"""The command sessions, and which session a chat goes on with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assistant.agent.replying.reply import Citation, Reply
from assistant.commands.cli import main
from assistant.conversations.session_files import SessionFolder, SessionLog
from kb.errors import UsageError


def clew(*arguments: str | Path, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(main, ["sessions", *map(str, arguments)], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def kings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SessionLog:
    """A session with an edited question, and one over another file."""
    monkeypatch.chdir(tmp_path)
    SessionFolder().create(tmp_path / "b.clew").append(Reply("Who was queen?", "Judith"))
    log = SessionFolder().create(tmp_path / "a.clew", "Kings [/foo]")
    log.append(Reply("Who was *Lothair*'s mother?", "Ermengarde", citations=(Citation(1, 7, "d", "A king"),)))
    edited = log.append(Reply("And his father?", "Louis"))
    log.go_before(edited.id)
    log.append(Reply("And his wife?", "", found=False, missing="the wife"))
    return log


def test_sessions_are_listed_latest_first(kings: SessionLog, tmp_path: Path) -> None:
    result = clew()
    first, second = result.stdout.splitlines()
    assert first.startswith(f"{kings.id}  Kings [/foo]  ")
    assert first.endswith(" · 3 questions · a.clew")
    assert second.endswith(" · 1 question · b.clew")
    assert result.stderr.startswith("2 sessions in ")
    (record,) = json.loads(clew("list", "--kb", tmp_path / "b.clew", "--json").stdout)
    assert (record["title"], record["questions"]) == ("Who was queen?", 1)
    assert "the latest 1 shown" in clew("list", "--limit", "1").stderr
    for options in (["--json"], ["--json", "--kb", tmp_path / "b.clew"], ["--json", "--limit", "1"]):
        assert clew(*options).stdout == clew("list", *options).stdout


def test_options_in_front_of_a_command_are_refused(kings: SessionLog) -> None:
    result = clew("--limit", "5", "list")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'list': write it behind, clew sessions list --limit" in result.stderr


def test_search_shows_what_it_found_and_says_when_nothing(kings: SessionLog) -> None:
    assert clew("search", "LOTHAIR", "ermen").stdout.splitlines()[1] == "  Who was *Lothair*'s mother? → Ermengarde"
    assert len(clew("search", "kings").stdout.splitlines()) == 2
    assert (clew("search", "zebra").exit_code, clew("search", "zebra").stdout) == (1, "")


def test_a_session_is_shown(kings: SessionLog) -> None:
    shown = clew("show", "kings [/FOO]").stdout
    assert shown.startswith("# Kings \\[/foo\\]\n\n## Who was \\*Lothair\\*'s mother?\n\n**Ermengarde**")
    assert "[1] A king" in shown
    assert "Missing: the wife" in shown
    assert "father" not in shown
    turns = json.loads(clew("show", kings.id[:6], "--json", "--branches").stdout)["turns"]
    assert [turn["question"] for turn in turns] == ["Who was *Lothair*'s mother?", "And his father?", "And his wife?"]
    assert turns[1]["parent"] == turns[2]["parent"] == turns[0]["turn"]


def test_a_session_is_renamed_and_forked(kings: SessionLog) -> None:
    assert "is now called “Old kings”" in clew("rename", kings.id, " Old\nkings ").stderr
    fork = clew("fork", "old kings")
    assert "holds 2 of 3 questions" in fork.stderr
    assert SessionFolder().find(fork.stdout.strip()).title == "Old kings (fork)"
    assert clew("rename", kings.id, "\x1b[31m").exit_code == 2


def test_answers_are_exported_and_no_file_is_overwritten(kings: SessionLog, tmp_path: Path) -> None:
    assert clew("export", kings.id).stdout == "kings-foo.md\n"
    assert clew("export", kings.id).stdout == "kings-foo-2.md\n"
    assert (tmp_path / "kings-foo.md").read_text() == clew("show", kings.id).stdout
    assert clew("export", kings.id, "--last", "1", "-o", "one.json").exit_code == 0
    (turn,) = json.loads((tmp_path / "one.json").read_text())["turns"]
    assert turn["question"] == "And his wife?"
    again = clew("export", kings.id, "-o", "one.json")
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)
    assert clew("export", kings.id, "-o", "one.txt").exit_code == 2
    assert clew("export", kings.id, "-o", "no/such/folder.md").exit_code == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kings-foo-2.md", "kings-foo.md", "one.json"]


def test_deleting_asks_first(kings: SessionLog) -> None:
    assert "nothing deleted" in clew("delete", kings.id, stdin="n\n").stderr
    assert kings.path.exists()
    assert clew("delete", kings.id, "--yes").exit_code == 0
    assert not kings.path.exists()
    missing = clew("delete", kings.id, "--yes")
    assert (missing.exit_code, "there is no session" in missing.stderr) == (2, True)


def test_the_session_that_a_chat_goes_on_with(kings: SessionLog, tmp_path: Path) -> None:
    file, sessions = tmp_path / "a.clew", SessionFolder()
    assert sessions.chosen(file, None, is_new=False) is None
    found = sessions.chosen(file, "kings [/foo]", is_new=False)
    assert found is not None
    assert found.id == kings.id
    new = sessions.chosen(file, "Queens", is_new=True)
    assert new is not None
    assert (new.title, new.turns) == ("Queens", {})
    with pytest.raises(UsageError, match="there is no session 'Queens'"):
        sessions.chosen(file, "Queens", is_new=False)
