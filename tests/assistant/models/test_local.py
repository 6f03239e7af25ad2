"""A model in a GGUF file: served in a process of its own, which ends with the one that asks it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from small_documents import QUESTION

from assistant.agent.replying.reply import Reply
from assistant.commands.cli import main
from assistant.conversations.session import Session, final_reply
from assistant.models.endpoints import price
from assistant.models.local import server as serving
from assistant.models.local.server import LocalServer, local_server
from assistant.models.openai_chat import endpoint_model, parameters_of
from assistant.shared.config import model_choice, value
from assistant.shared.config_edit import set_value
from assistant.shared.model_choice import CONTEXT_WINDOW, ModelChoice
from kb.errors import ModelFailure, UsageError

FAKE = Path(__file__).with_name("fake_llama")
FOUND = {
    "answer": "Tarnow Bay",
    "explanation": "The Glass Harbour was directed by Irena Valdis [1]. Irena Valdis was born in Tarnow Bay [2].",
    "cited": [1, 2],
}
REPLIES = [json.dumps(FOUND)]


pytestmark = pytest.mark.usefixtures("model_requests_allowed", "doubtful_reading")


@pytest.fixture(autouse=True)
def llama(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stand-in for llama.cpp, for this process and those that it starts."""
    monkeypatch.syspath_prepend(str(FAKE))
    monkeypatch.setenv("PYTHONPATH", str(FAKE))
    yield
    serving.stop()


def model(folder: Path, name: str = "small.gguf", **script: Any) -> Path:
    path = folder / name
    path.write_bytes(b"GGUF" + json.dumps({"replies": REPLIES, **script}).encode())
    return path


async def reply_of(file: Path, path: Path) -> Reply:
    with Session.open(file, ModelChoice(str(path), calling="planned")) as session:
        return await final_reply(session, QUESTION)


async def test_a_file_answers_like_an_endpoint(small_file: Path, tmp_path: Path) -> None:
    reply = await reply_of(small_file, model(tmp_path))
    assert (reply.answer, reply.model, reply.usage.cost) == ("Tarnow Bay", "small.gguf", 0.0)
    assert (reply.usage.requests, reply.notes) == (1, ())
    assert price(ModelChoice("small.gguf"), 1000, 1000) == 0.0


async def test_a_small_one_is_asked_for_an_answer_only_from_the_start(small_file: Path, tmp_path: Path) -> None:
    choice = ModelChoice(str(model(tmp_path, parameters=1_500_000_000)))
    with Session.open(small_file, choice) as session:
        reply = await final_reply(session, QUESTION)
    assert (reply.answer, reply.usage.requests, reply.notes) == ("Tarnow Bay", 1, ())


def test_it_is_there_for_whoever_has_the_key_and_for_this_machine_alone(tmp_path: Path) -> None:
    server = local_server(model(tmp_path, parameters=1_500_000_000), 2048)
    served = server.ensure()
    assert (served.parameters, served.url.split(":")[1]) == (1_500_000_000, "//127.0.0.1")
    assert served.key not in repr(served)
    assert served.key not in " ".join(map(str, server._process.args))  # type: ignore[union-attr]
    assert _status(served.url, served.key) == 200
    assert _status(served.url, "guessed") == 401
    assert server.ensure() == served


def test_it_ends_with_the_process_that_started_it_even_if_that_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from assistant.models.local.server import LocalServer\n"
        "server = LocalServer(Path(sys.argv[1]), 2048); server.ensure(); print(server.pid, flush=True); time.sleep(60)"
    )
    path = f"{Path(__file__).parents[2]}{os.pathsep}{FAKE}"
    asking = subprocess.Popen(
        [sys.executable, "-c", script, str(model(tmp_path))],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    with asking:
        assert asking.stdout is not None
        pid = int(asking.stdout.readline())
        assert _runs(pid)
        asking.kill()
    until = time.monotonic() + 20
    while _runs(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _runs(pid)


async def test_one_that_has_died_is_started_again(small_file: Path, tmp_path: Path) -> None:
    path = model(tmp_path)
    with Session.open(small_file, ModelChoice(str(path), calling="planned")) as session:
        first = await final_reply(session, QUESTION)
        assert serving._latest is not None
        assert serving._latest.pid is not None
        os.kill(serving._latest.pid, signal.SIGKILL)
        second = await final_reply(session, QUESTION)
    # Without a model clew would answer so too, but with a note, and with no request.
    for reply in (first, second):
        assert (reply.answer, reply.usage.requests, reply.notes) == ("Tarnow Bay", 1, ())


def test_another_file_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    one, other = model(tmp_path, "one.gguf"), model(tmp_path, "other.gguf")
    first = local_server(one, 2048)
    first.ensure()
    second = local_server(other, 2048)
    assert (first.pid, local_server(other, 2048)) == (None, second)
    assert second.ensure()


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ({"refused": "unknown model architecture: 'pear'"}, "unknown model architecture: 'pear'"),
        ({"dies": True}, "its process ended while it loaded"),
    ],
)
def test_one_that_llama_does_not_take_is_told_in_a_line(tmp_path: Path, script: dict[str, Any], wanted: str) -> None:
    path = model(tmp_path, **script)
    with pytest.raises(ModelFailure, match=r"'small\.gguf' cannot be served") as caught:
        LocalServer(path, 2048).ensure()
    assert wanted in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_model_is_told_before_anything_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tmp_path / "page.gguf"
    text.write_text("<html>")
    for path, wanted in ((text, "begins with 'GGUF'"), (tmp_path / "none.gguf", "cannot be read: No such file")):
        with pytest.raises(UsageError, match=wanted):
            local_server(path, 2048)
    with pytest.raises(UsageError, match="is no file"):
        local_server(tmp_path, 2048)
    monkeypatch.setattr(serving, "can_serve", lambda: False)
    with pytest.raises(UsageError, match=r"pip install 'clew\[local\]'"):
        local_server(model(tmp_path), 2048)


def test_too_little_memory_is_told_instead_of_bringing_the_machine_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "free_bytes", lambda: 300_000_000)
    with pytest.raises(ModelFailure, match=r"needs about 1\.0 GB of memory and 300 MB are free"):
        LocalServer(model(tmp_path), 2048).ensure()


def test_one_line_and_the_code_of_a_model_on_the_command_line(small_file: Path, tmp_path: Path) -> None:
    path = model(tmp_path, refused="tensor 'x' is out of bounds")
    result = CliRunner().invoke(main, ["ask", str(small_file), QUESTION, "--model", str(path)])
    assert (result.exit_code, result.stdout) == (4, "")
    assert "tensor 'x' is out of bounds" in result.stderr


def test_a_file_that_is_named_now_comes_before_the_endpoint_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = model(tmp_path)
    set_value("base_url", "http://localhost:11434/v1")
    assert model_choice(str(path), None, None).local
    assert not model_choice("served.gguf", None, None).local
    assert not model_choice(str(path), "http://localhost:1/v1", None).local
    monkeypatch.chdir(tmp_path)
    set_value("model", "small.gguf")
    assert value("model").value == str(path)


def test_names_of_services_are_no_files() -> None:
    for name in ("gpt-4o-mini", "qwen2.5:1.5b", "org/name:tag", "hf.co/org/name"):
        assert not ModelChoice(name).local
    for name in ("m.gguf", "./m", "/models/blob", "~/m.GGUF"):
        assert ModelChoice(name).local


def _status(url: str, key: str) -> int:
    request = urllib.request.Request(f"{url}/models", headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


async def test_one_whose_name_says_that_it_is_small_is_not_loaded_before_it_is_asked(tmp_path: Path) -> None:
    """Half of the questions are answered without it."""
    sizes = {"small-1.5b.gguf": (1_500_000_000, False), "large-7b.gguf": (8_000_000_000, True)}
    for name, (parameters, is_loaded) in sizes.items():
        choice = ModelChoice(str(model(tmp_path, name, parameters=8_000_000_000)))
        assert await parameters_of(endpoint_model(choice), choice) == parameters
        assert (local_server(Path(choice.name), CONTEXT_WINDOW).pid is not None) == is_loaded
