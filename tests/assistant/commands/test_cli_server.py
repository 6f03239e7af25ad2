"""The commands over a knowledge base on a server, whose password is nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from servers import Server

from assistant.commands.cli import main
from assistant.conversations.session_files import SessionFolder
from assistant.conversations.transcripts.contents import known_fingerprint
from assistant.library.building import CLEW, building, is_update
from assistant.library.known_files import Library, is_same, typed_path
from assistant.serving.chat_server import chat_arguments
from assistant.shared.chosen_scorer import own_scorer
from kb.build import remove
from kb.store.addresses import ServerAddress, environment, place
from kb.store.copying import copy
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase
from kb.store.open_base import open_to_write

QUESTION = "Where was the director of The Glass Harbour born?"
HUSH = "hush-hush"


@pytest.fixture(scope="module")
def address(small_file: Path, server: Server) -> str:
    """With a password, which this server does not ask for."""
    shown = str(server.new())
    assert clew("copy", small_file, shown, "-q").exit_code == 0
    return shown.replace("postgres@", f"postgres:{HUSH}@")


def clew(*arguments: str | Path, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert HUSH not in result.output
    return result


def test_every_command_that_asks_gives_what_it_gives_of_the_file(
    small_file: Path, address: str, tmp_path: Path, own_places: Path
) -> None:
    (tmp_path / "questions.txt").write_text(QUESTION)
    for command in (
        ("ask", "{}", QUESTION, "--json"),
        ("browse", "{}"),
        ("browse", "{}", "Glass"),
        ("tool", "{}", "path_search", QUESTION, "--json"),
        ("info", "{}", "--documents"),
    ):
        of_file, of_server = (clew(*(one.format(base) for one in command)) for base in (small_file, address))
        assert of_server.exit_code == of_file.exit_code, of_server.output
        assert _timeless(of_server.stdout) == _timeless(of_file.stdout)
    assert clew("check", address).exit_code == 0
    for base, name in ((small_file, "file.jsonl"), (address, "server.jsonl")):
        assert clew("run", base, tmp_path / "questions.txt", "-o", tmp_path / name, "-q").exit_code == 0
    found = [json.loads((tmp_path / name).read_text()) for name in ("file.jsonl", "server.jsonl")]
    assert [one["answer"] for one in found[:1]] == [one["answer"] for one in found[1:]]
    assert clew("transcripts", "--kb", address).stdout.count(QUESTION) == 4  # of both, as they have the same content
    kept = [path for path in own_places.rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in (*kept, *tmp_path.iterdir()) if path.is_file() and HUSH.encode() in path.read_bytes()]


def _timeless(text: str) -> object:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return {key: one for key, one in found.items() if key not in ("seconds", "tools", "transcript")}


def test_what_is_kept_of_a_server_is_kept_under_its_address(address: str, tmp_path: Path) -> None:
    base = typed_path(f" {address} ")
    assert isinstance(base, ServerAddress)
    library, sessions = Library(tmp_path / "library.json"), SessionFolder(tmp_path / "sessions")
    library.note(base, 3)
    (known,) = library.all()
    assert is_same(known.path, base)
    assert known.is_there
    assert isinstance(known.path, ServerAddress)
    log = sessions.create(base, "a name")
    assert log.knowledge_base == str(base)
    assert own_scorer(base) == own_scorer(place(str(base)))
    assert HUSH not in f"{own_scorer(base)} {log.knowledge_base} {(tmp_path / 'library.json').read_text()}"


def test_processes_are_given_the_password_where_nobody_sees_it(address: str, server: Server) -> None:
    base = place(address)
    for arguments in (chat_arguments(base, ()), [*CLEW, *building([], base).arguments]):
        assert HUSH not in " ".join(arguments)
        assert environment(arguments) == {"PGPASSWORD": HUSH}
    assert is_update(base)
    assert not is_update(server.new())


def test_what_works_on_files_only_says_so(address: str, tmp_path: Path) -> None:
    for command in (
        ("check", address, "--gone", "Glass"),
        ("damage", address, "-o", str(tmp_path / "x.clew"), "--mode", "incomplete", "--rho", "0.5"),
    ):
        result = clew(*command)
        assert result.exit_code == 2
        assert "is a server: clew copy" in result.stderr
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.usefixtures("psycopg")
def test_a_server_that_is_away_is_one_line(tmp_path: Path) -> None:
    away = f"postgresql://ada:{HUSH}@127.0.0.1:1/notes"
    (tmp_path / "note.txt").write_text("A note.")
    for command in (("ask", away, QUESTION), ("info", away), ("build", str(tmp_path), "-o", away, "-q")):
        result = clew(*command)
        assert result.exit_code == 3, result.output
        assert result.stderr.count("\n") == 1
        assert "postgresql://ada@127.0.0.1:1/notes" in result.stderr


def test_results_are_written_again_over_those_that_are_there(address: str, tmp_path: Path) -> None:
    questions, out = tmp_path / "questions.txt", tmp_path / "out.jsonl"
    questions.write_text(QUESTION)
    for _ in range(2):
        assert clew("run", address, questions, "-o", out, "-q").exit_code == 0
        assert out.read_text()
    assert clew("run", address, questions, "-o", questions, "-q").exit_code == 2


def test_a_copy_to_what_is_being_written_says_so(small_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "base.clew"
    assert clew("copy", small_file, target, "-q").exit_code == 0
    writer = open_to_write(target, lambda _: None)
    try:
        result = clew("copy", small_file, target, "--replace", "-q")
        assert (result.exit_code, len(result.stderr.splitlines())) == (3, 1)
        assert "or with --wait" in result.stderr
    finally:
        writer.close()
    assert clew("copy", small_file, target, "--replace", "--wait", "-q").exit_code == 0


@pytest.mark.usefixtures("psycopg")
def test_half_an_address_is_a_mistake_of_usage_and_quoted_nowhere(small_file: Path) -> None:
    for given in (
        f"postgresql://h/notes?passwd={HUSH}", f"host=h password={HUSH} dbname=notes", f"jdbc:postgresql://u:{HUSH}@h/n",
        "postgresql://h/notes%zz",
    ):  # fmt: skip
        for command in (("info", given), ("copy", small_file, given), ("ask", given, QUESTION)):
            result = clew(*command)
            assert (result.exit_code, "zz" in result.stderr) == (2, False), result.output
            assert result.stderr.count("\n") == 1


def test_a_parameter_whose_name_is_encoded_is_secret_too(address: str, own_places: Path) -> None:
    given = address.replace(f":{HUSH}@", "@") + f"&passw%6Frd={HUSH}"
    assert json.loads(clew("info", given, "--json").stdout)["path"] == str(place(address))
    assert clew("ask", given, QUESTION).exit_code == 0
    assert not [path for path in own_places.rglob("*") if path.is_file() and HUSH.encode() in path.read_bytes()]


def test_a_server_that_did_not_say_its_state_is_not_taken_for_one_that_has_not_changed(
    server: Server, small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = ServerAddress(str(server.new()))
    copy(small_file, base)
    content = known_fingerprint(base)
    with monkeypatch.context() as patch:
        patch.setattr("kb.store.postgres.connecting.state_of", lambda _: ())
        with KnowledgeBase.open(base) as kb:
            key = kb.documents()[0][0]
        remove(base, [key])
        changed = known_fingerprint(base)
        assert changed == fingerprint(base) != content
        copy(small_file, base, replace=True)
        assert known_fingerprint(base) == content  # nor is what was found then remembered
    assert known_fingerprint(base) == content
