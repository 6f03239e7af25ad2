"""The commands replay and transcripts."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from recorded import ask_and_keep
from small_documents import QUESTION

from assistant.commands.cli import main
from assistant.conversations.transcripts.transcript_folder import Store, read
from assistant.models.judging.cache import judgements_file
from assistant.shared.user_folders import transcripts_folder
from kb.store.answer_store import AnswerStore, StoredAnswer
from kb.store.model_cache import ModelAnswer


def clew(*arguments: str | Path, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def asked(small_file: Path, tmp_path: Path) -> Path:
    """A knowledge base of which two things were asked."""
    file = tmp_path / "notes.clew"
    file.write_bytes(small_file.read_bytes())
    asyncio.run(ask_and_keep(file, transcripts_folder(), QUESTION, "Who composed the anthem of Ruritania?"))
    return file


def test_replay_says_that_the_answer_is_the_same(asked: Path) -> None:
    first = Store().summaries()[-1].id
    result = clew("replay", first)
    assert result.exit_code == 0
    assert result.stdout.startswith(("Tarnow Bay   ● sure\n", "Tarnow Bay   ◐ likely\n"))
    assert result.stdout.endswith("Replayed: the same answer, citations and ranked passages.\n")
    assert result.stderr == f"reading {asked}\n"
    assert clew("replay", "last").exit_code == 0


def test_replay_as_json(asked: Path) -> None:
    result = clew("replay", "last", "--json")
    data = json.loads(result.stdout)
    assert (data["same"], data["differences"], data["shown_from_record"], data["error"]) == (True, [], "", None)
    assert data["reply"]["found"] is False


def test_replay_of_a_changed_transcript_is_exit_1(asked: Path, tmp_path: Path) -> None:
    record = read(Store().summaries()[-1].path).to_json()
    record["reply"]["answer"] = "Karsk\x1b[31m"
    (tmp_path / "shared.json").write_text(json.dumps(record))
    result = clew("replay", tmp_path / "shared.json")
    assert result.exit_code == 1
    assert "Replayed: not the same as recorded.\n- answer was 'Karsk" in result.stdout
    assert "\x1b" not in result.stdout


def test_replay_without_the_file_shows_the_record(asked: Path, small_file: Path) -> None:
    first = Store().summaries()[-1].id
    asked.unlink()
    result = clew("replay", first)
    assert result.exit_code == 1
    assert result.stdout.startswith(("Tarnow Bay   ● sure\n", "Tarnow Bay   ◐ likely\n"))
    assert "From the record, not run again: the knowledge base is not there any more (" in result.stdout
    assert clew("replay", first, "--kb", small_file).exit_code == 0


def test_replay_over_other_content_says_what_became_of_the_passages(asked: Path, tmp_path: Path) -> None:
    assert clew("remove", asked, "valdis").exit_code == 0
    result = clew("replay", Store().summaries()[-1].id)
    assert result.exit_code == 1
    assert "the knowledge base holds other content" in result.stdout
    assert "[1] The Glass Harbour: unchanged" in result.stdout
    assert "Irena Valdis: gone" in result.stdout


def test_what_is_no_transcript_is_one_line(asked: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    for which, code, message in (
        (bad, 3, "it is no transcript"),
        ("zzz", 2, "'zzz' is no transcript"),
        (asked, 3, "torn"),
    ):
        for command in (("replay", which), ("transcripts", "show", which)):
            result = clew(*command)
            assert result.exit_code == code
            assert message in result.stderr
            assert result.stderr.count("\n") == 1


def test_the_list(asked: Path) -> None:
    result = clew("transcripts")
    last, first = result.stdout.splitlines()
    assert last.endswith("Who composed the anthem of Ruritania?")
    assert "∅" in last
    assert "● sure  offline, no tokens, " in first or "◐ likely  offline, no tokens, " in first
    assert result.stderr == f"2 transcripts in {transcripts_folder()}\n"
    assert "1 shown" not in clew("transcripts", "--search", "harbour").stderr
    (one,) = json.loads(clew("transcripts", "--search", "TARNOW", "--json").stdout)
    assert (one["answer"], one["knowledge_base"], one["id"] in first) == ("Tarnow Bay", str(asked), True)
    assert len(json.loads(clew("transcripts", "--kb", asked, "--json").stdout)) == 2
    limited = clew("transcripts", "--limit", "1")
    assert limited.stdout.splitlines() == [last]
    assert "the latest 1 shown; --limit shows more" in limited.stderr


def test_an_empty_list() -> None:
    result = clew("transcripts")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("0 transcripts in ")
    assert clew("replay", "last").exit_code == 2


def test_show(asked: Path) -> None:
    first = Store().summaries()[-1].id
    text = clew("transcripts", "show", first).stdout
    assert text.startswith(f"{QUESTION}\ntranscript {first} · 20")
    for part in ("Tarnow Bay", "The Glass Harbour — director → Irena Valdis", "Tool calls\n✓ constraint_retrieval  "):
        assert part in text
    assert json.loads(clew("transcripts", "show", first, "--json").stdout)["question"] == QUESTION


def test_export_as_json_is_replayed_and_as_markdown_read(asked: Path, tmp_path: Path) -> None:
    first = Store().summaries()[-1].id
    shared, notes = tmp_path / "shared.json", tmp_path / "answer.md"
    assert clew("transcripts", "export", first, "-o", shared).exit_code == 0
    assert read(shared) == read(Store().find(first))
    assert clew("replay", shared).exit_code == 0
    assert clew("transcripts", "export", first, "-o", notes).exit_code == 0
    assert notes.read_text().startswith(f"# Question: {QUESTION}\n")
    assert clew("transcripts", "export", first, "-o", "-", "--format", "md").stdout == notes.read_text()
    again = clew("transcripts", "export", first, "-o", asked)
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)
    nowhere = clew("transcripts", "export", first, "-o", tmp_path / "none" / "a.md")
    assert (nowhere.exit_code, "cannot write" in nowhere.stderr) == (3, True)


def test_clear_asks_first(asked: Path) -> None:
    nobody = clew("transcripts", "clear", stdin="")
    assert (nobody.exit_code, "give --yes" in nobody.stderr) == (2, True)
    assert "nothing deleted" in clew("transcripts", "clear", stdin="n\n").stderr
    assert "0 transcripts deleted" in clew("transcripts", "clear", "--older-than", "1").stderr
    assert len(Store().summaries()) == 2
    assert "2 transcripts deleted" in clew("transcripts", "clear", stdin="y\n").stderr
    assert "0 transcripts deleted" in clew("transcripts", "clear", "--yes").stderr
    assert Store().summaries() == []


def test_clear_keeps_the_transcripts_of_other_files(asked: Path, tmp_path: Path) -> None:
    other = tmp_path / "folder" / ".." / "other.clew"
    (tmp_path / "folder").mkdir()
    other.write_bytes(asked.read_bytes())
    assert clew("add", other, "-", "-q", stdin="Dunmore is a village.").exit_code == 0
    asyncio.run(ask_and_keep(other, transcripts_folder(), QUESTION))
    assert "1 transcripts deleted" in clew("transcripts", "clear", "--yes", "--kb", tmp_path / "other.clew").stderr
    assert {one.knowledge_base for one in Store().summaries()} == {str(asked)}


def test_options_of_the_list_are_not_taken_for_those_of_clear(asked: Path) -> None:
    result = clew("transcripts", "--kb", asked, "clear", "--yes")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert len(Store().summaries()) == 2


def test_remove_leaves_no_word_in_the_file_and_says_what_may_still_quote_it(asked: Path) -> None:
    store = AnswerStore(judgements_file())
    store.put([StoredAnswer("summaries", "m", "v1", ModelAnswer("a", '{"of": "Irena Valdis"}'))], asked, 0)
    store.close()
    result = clew("remove", asked, "valdis")
    assert result.stderr.splitlines()[1:] == [
        f"2 transcripts may still quote what was removed; to delete: clew transcripts clear --kb {asked}"
    ]
    kept = [*asked.parent.glob("notes.clew*"), *judgements_file().parent.glob("judgements.db*")]
    assert not any(b"Irena Valdis was born" in one.read_bytes() for one in kept)
    assert not any(b"Irena Valdis" in one.read_bytes() for one in judgements_file().parent.glob("judgements.db*"))


def test_a_failure_is_not_shown_as_not_found(asked: Path, tmp_path: Path) -> None:
    record = read(Store().summaries()[0].path).to_json() | {"error": "the server is down", "calls": []}
    (tmp_path / "failed.json").write_text(json.dumps(record))
    shown = clew("transcripts", "show", tmp_path / "failed.json").stdout
    text = clew("transcripts", "export", tmp_path / "failed.json", "-o", "-", "--format", "md").stdout
    assert "failed: the server is down" in shown
    assert "Tool calls" not in shown
    assert "failed: the server is down" in text
    assert "Not found" not in text
