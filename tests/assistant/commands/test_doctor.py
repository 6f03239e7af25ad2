"""The checklist: what works, what does not, what to do, and the exit code of the first thing that fails."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from small_server import Answer, called, models, refused, said, serve

from assistant.commands import doctor
from assistant.commands.cli import main
from assistant.models.keys import KeyringFailure
from kb.errors import UsageError

pytestmark = pytest.mark.usefixtures("model_requests_allowed")

CALL = called("population", '{"city": "Paris"}')
WRITTEN = said('{"city": "Paris"}')
SYSTEM = ["Python", "SQLite", "sqlite-vec", "embedding model", "terminal", "keyring", "config file"]


def clew(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, ["doctor", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def told(*arguments: str | Path) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code, and each check by its name."""
    result = clew(*arguments, "--json")
    answer = json.loads(result.stdout)
    assert answer["works"] == (result.exit_code == 0)
    return result.exit_code, {check["what"]: check for check in answer["checks"]}


def endpoint(*answers: Answer, names: tuple[str, ...] = ("scripted",)) -> Callable[[str, str], Answer]:
    """Lists `names`, and gives the answers one after the other."""
    left = list(answers)
    return lambda method, _: models(*names) if method == "GET" else left.pop(0)


def test_offline_everything_works(small_file: Path) -> None:
    code, checks = told(small_file)
    assert list(checks) == [*SYSTEM, "model", "file", "soundness", "its embeddings", "its scorer"]
    assert code == 0
    assert {check["state"] for check in checks.values()} == {"ok"}
    assert checks["file"]["says"].endswith("12 passages")
    assert "weights as expected" in checks["embedding model"]["says"]


def test_as_text_a_line_for_each_and_advice_below(tmp_path: Path) -> None:
    result = clew(tmp_path / "none.clew")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("✓ Python          3.")
    assert lines[-1].startswith("✗ file            there is no file")
    assert (result.exit_code, "\x1b" in result.stdout) == (3, False)


def test_an_endpoint_that_can_do_everything() -> None:
    with serve(endpoint(CALL, WRITTEN)) as server:
        code, checks = told("--model", "scripted", "--base-url", server.url)
    assert code == 0
    assert [(checks[name]["state"], checks[name]["says"]) for name in ("model", "tool calls", "JSON")] == [
        ("ok", "scripted is served there"),
        ("ok", "as they should be"),
        ("ok", "as it should be"),
    ]
    tool, written = server.bodies
    assert [one["function"]["name"] for one in tool["tools"]] == ["population"]
    assert written["response_format"] == {"type": "json_object"}
    assert max(tool["max_tokens"], written["max_tokens"]) == doctor.ANSWER_TOKENS


def test_it_is_said_before_that_tokens_are_spent_and_can_be_left_out() -> None:
    with serve(endpoint(CALL, WRITTEN)) as server:
        options = ("--model", "scripted", "--base-url", server.url)
        assert "asking scripted for a tool call and JSON: up to a thousand tokens" in clew(*options).stderr
        assert server.posts == 2
        code, checks = told(*options, "--no-requests")
        assert (code, server.posts) == (0, 2)
    assert list(checks) == [*SYSTEM, "key", "endpoint", "model"]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (said("The population is 2 million."), "wrote text instead of calling the tool"),
        (called("population", '{"city": '), "the arguments of the call are no JSON"),
        (called("population", '{"town": "Paris"}'), "with other arguments"),
        (refused(400, "scripted does not support tools"), "does not support tools"),
    ],
)
def test_a_model_that_cannot_call_tools_is_told_how_clew_asks_it_instead(answer: Answer, says: str) -> None:
    with serve(endpoint(answer, said("Sure! Paris"))) as server:
        code, checks = told("--model", "scripted", "--base-url", server.url)
    assert (code, checks["tool calls"]["state"], checks["JSON"]["state"]) == (0, "warning", "warning")
    assert says in checks["tool calls"]["says"]
    assert checks["tool calls"]["advice"] == "nothing: clew asks it for JSON instead"
    assert checks["JSON"]["says"] == "the model wrote something else than JSON"


def test_a_model_that_shall_only_call_tools_and_cannot() -> None:
    with serve(endpoint(refused(400, "scripted does not support tools"), WRITTEN)) as server:
        code, checks = told("--model", "scripted", "--base-url", server.url, "--calling", "tools")
    assert (code, checks["tool calls"]["state"], checks["JSON"]["state"]) == (4, "fails", "ok")
    assert checks["tool calls"]["advice"] == "set calling to auto: clew config calling auto"


@pytest.mark.parametrize(
    ("model", "calling", "says"),
    [
        ("qwen2.5:1.5b", "auto", "for an answer only, as the model is small"),
        ("qwen2.5:7b", "planned", "for an answer only, as calling is planned"),
    ],
)
def test_a_model_that_is_only_asked_for_answers_need_not_call_tools(model: str, calling: str, says: str) -> None:
    with serve(endpoint(WRITTEN, names=(model,))) as server:
        code, checks = told("--model", model, "--base-url", server.url, "--calling", calling)
        [asked] = server.bodies
    assert (code, list(checks)[-2:], checks["JSON"]["state"]) == (0, ["way of asking", "JSON"], "ok")
    assert checks["way of asking"]["says"].startswith(says)
    assert "tools" not in asked


def test_a_small_model_may_be_told_to_choose_tools() -> None:
    with serve(endpoint(CALL, WRITTEN, names=("qwen2.5:1.5b",))) as server:
        code, checks = told("--model", "qwen2.5:1.5b", "--base-url", server.url, "--calling", "tools")
    assert (code, checks["tool calls"]["state"], "way of asking" in checks) == (0, "ok", False)


def test_a_model_that_fails_is_not_asked_again() -> None:
    with serve(endpoint(refused(403, "no"), WRITTEN)) as server:
        code, checks = told("--model", "scripted", "--base-url", server.url)
    assert (code, list(checks)[-1], server.posts) == (4, "tool calls", 1)


def test_a_wrong_name_and_a_wrong_address() -> None:
    with serve(endpoint(CALL, WRITTEN, names=("a", "b"))) as server:
        _, checks = told("--model", "scripted", "--base-url", server.url)
        assert (checks["model"]["state"], checks["model"]["says"]) == ("warning", "scripted is not in its list: a, b")
    with serve(Answer(404, "<html>", kind="text/html")) as server:
        code, checks = told("--model", "scripted", "--base-url", server.url)
    assert (code, checks["endpoint"]["state"], checks["tool calls"]["state"]) == (4, "warning", "fails")
    assert "often /v1" in checks["endpoint"]["advice"]


def test_no_server_is_exit_4_and_nothing_is_asked() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    code, checks = told("--model", "scripted", "--base-url", url)
    assert (code, list(checks)[-1]) == (4, "endpoint")
    assert checks["endpoint"]["says"].endswith("cannot be reached: is the server running?")
    assert told("--model", "gpt-4o-mini")[0] == 4
    assert told("--base-url", url)[0] == 4


def test_a_refused_key_says_how_to_store_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_API_KEY", "sk-secret-0123")
    with serve(refused(401, "sk-secret-0123 is wrong")) as server:
        result = clew("--model", "scripted", "--base-url", server.url)
    assert result.exit_code == 4
    assert "→ store its key: clew config --set-key URL" in result.stdout
    assert "sk-secret" not in result.output


def test_a_bad_config_file_is_shown_and_does_not_stop_the_rest(own_places: Path, small_file: Path) -> None:
    (own_places / "config.toml").write_text("max_tokens = 'many'\n")
    code, checks = told(small_file)
    assert code == 2
    assert "max_tokens is 'many'" in checks["config file"]["says"]
    assert "model" not in checks
    assert checks["file"]["state"] == "ok"


def test_files_that_are_damaged_or_of_another_model(small_file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.clew"
    damaged.write_bytes(small_file.read_bytes()[:9000])
    code, checks = told(damaged)
    assert (code, checks["file"]["state"]) == (3, "fails")
    other = Path(shutil.copy(small_file, tmp_path / "other.clew"))
    with sqlite3.connect(other) as database:
        database.execute("UPDATE meta SET value = 'no-such-model' WHERE key = 'embedding_model'")
        database.execute("DELETE FROM documents WHERE id = (SELECT min(id) FROM documents)")
    database.close()
    code, checks = told(other)
    assert (code, checks["soundness"]["state"], checks["its embeddings"]["state"]) == (3, "fails", "fails")
    assert "'no-such-model' is not on this machine" in checks["its embeddings"]["says"]


def test_the_system_where_something_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise UsageError("the bundled embedding model is not the expected one")

    def locked() -> str:
        raise KeyringFailure("the keyring does not answer (KeyringLocked)")

    monkeypatch.setattr("kb.store.embeddings.load_embedder", fails)
    monkeypatch.setattr(
        "kb.store.sqlite.sqlite_vec.load", lambda _: (_ for _ in ()).throw(AttributeError("no extension"))
    )
    monkeypatch.setattr("assistant.commands.doctor.keyring_name", locked)
    monkeypatch.setattr("sys.version_info", (3, 10, 1))
    code, checks = told()
    assert code == 2
    states = [checks[name]["state"] for name in ("Python", "sqlite-vec", "embedding model", "keyring")]
    assert states == ["fails", "fails", "fails", "warning"]
    assert all(check["advice"] for check in checks.values() if check["state"] != "ok")


@pytest.mark.parametrize(
    ("variables", "size", "encoding", "state", "says"),
    [
        ({"COLORTERM": "truecolor"}, (120, 40), "utf-8", "ok", "120 × 40, 16 million colours, utf-8"),
        ({"TERM": "xterm-256color"}, (80, 24), "utf-8", "ok", "256 colours"),
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, (80, 24), "utf-8", "ok", "no colours (NO_COLOR)"),
        ({"TERM": "dumb"}, (80, 24), "utf-8", "ok", "no colours"),
        ({"TERM": "xterm"}, (40, 10), "utf-8", "warning", "40 × 10, 16 colours"),
        ({"TERM": "xterm"}, (80, 24), "ascii", "warning", "ascii"),
    ],
)
def test_terminals(
    variables: dict[str, str],
    size: tuple[int, int],
    encoding: str,
    state: str,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal:
        def __init__(self) -> None:
            self.encoding = encoding

        def isatty(self) -> bool:
            return True

    for name in ("NO_COLOR", "COLORTERM", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: size)
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setattr("sys.stdin", Terminal())
    checks = doctor.checks(lambda: pytest.fail("the model comes after the terminal"), None)
    found = next(check for check in checks if check.what == "terminal")
    assert (found.state, says in found.says) == (state, True)
