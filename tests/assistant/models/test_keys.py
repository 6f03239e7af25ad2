"""A key reaches the endpoint that it is meant for, nothing else, and nobody's eyes."""

from __future__ import annotations

import asyncio
import base64
import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from click.testing import CliRunner, Result
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyringHere
from keyring.errors import KeyringLocked
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse
from small_server import Answer, models, refused, said, serve

from assistant.commands.cli import main
from assistant.models.endpoints import listing, model_failures
from assistant.models.keys import Key, KeyringFailure, checked_key, forget_key, key_for, reveals, store_key, stored_key
from assistant.models.openai_chat import endpoint_model
from assistant.shared.model_choice import ModelChoice
from kb.errors import ModelFailure, UsageError

SECRET = "sk-clew-0123456789"
OPENAI = "https://api.openai.com/v1"
HERE = "http://localhost:11434/v1"


class Memory(KeyringBackend):
    """A keyring that forgets everything at the end, and may be locked."""

    priority = 1.0  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.stored: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("locked")
        return self.stored.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise KeyringLocked(f"cannot store {password}")
        self.stored[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.stored[service, username]


@pytest.fixture(autouse=True)
def memory() -> Iterator[Memory]:
    before = keyring.get_keyring()
    backend = Memory()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


@pytest.fixture
def no_keyring(memory: Memory) -> None:
    keyring.set_keyring(NoKeyringHere())


def clew(*arguments: str, stdin: str = "") -> Result:
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def ask(url: str) -> str:
    """One request to a model at `url`."""
    choice = ModelChoice("scripted", url)

    async def asked() -> str:
        async with endpoint_model(choice) as model:
            response = await model_request(model, [ModelRequest.user_text_prompt("hello")])
        return response.text or ""

    with model_failures(choice):
        return asyncio.run(asked())


# -- to whom a key belongs --------------------------------------------------------------------------------------------


def test_an_openai_key_is_for_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    assert (key_for(OPENAI).secret, key_for(OPENAI).source) == (SECRET, "OPENAI_API_KEY")
    for url in (
        HERE,
        "http://api.openai.com/v1",
        "https://api.openai.com:8443/v1",
        "https://api.openai.com.evil.org/v1",
    ):
        assert not key_for(url), url
    assert "OPENAI_API_KEY is for https://api.openai.com:443 and was not sent" in key_for(HERE).reason


def test_clews_key_is_for_the_endpoint_of_the_environment_else_of_the_file_else_for_the_one_asked(
    own_places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_API_KEY", SECRET)
    asked, of_file, of_environment = "https://one.org/v1", "https://two.org/v1", "https://three.org/v1"
    assert key_for(asked).secret == SECRET
    (own_places / "config.toml").write_text(f'base_url = "{of_file}"\n')
    assert not key_for(asked)
    assert key_for(of_file + "/other/path").secret == SECRET
    monkeypatch.setenv("CLEW_BASE_URL", of_environment)
    assert not key_for(of_file)
    assert key_for(of_environment).secret == SECRET
    assert not key_for(of_environment.replace("https", "http"))
    assert key_for(of_file).reason == "CLEW_API_KEY is for https://three.org:443 and was not sent"


def test_the_keyring_has_a_key_for_each_origin(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store_key("https://one.org/v1", f" {SECRET}\n") == "https://one.org:443"
    assert memory.stored == {("clew", "https://one.org:443"): SECRET}
    assert (key_for("https://ONE.org:443/v2").secret, key_for("https://one.org").source) == (SECRET, "keyring")
    assert not key_for("https://one.org:444")
    monkeypatch.setenv("CLEW_API_KEY", "sk-from-environment")
    assert key_for("https://one.org").source == "CLEW_API_KEY"
    assert forget_key("https://one.org") == "https://one.org:443"
    assert stored_key("https://one.org:443") == ""
    with pytest.raises(UsageError, match=r"has no key for https://one\.org:443"):
        forget_key("https://one.org")


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://192.168.1.20:8000/v1", True),
        ("http://100.64.0.7/v1", True),
        ("http://gpu-box:8000/v1", True),
        ("http://gpu.local/v1", True),
        ("http://8.8.8.8/v1", False),
        ("http://models.example.com/v1", False),
        ("http://gpu.local.example.com/v1", False),
        ("https://models.example.com/v1", True),
    ],
)
def test_over_plain_http_a_key_stays_in_the_local_network(
    url: str, sent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_API_KEY", SECRET)
    assert bool(key_for(url)) == sent
    assert ("use https" in key_for(url).reason) != sent


@pytest.mark.parametrize("text", ["", "   ", "two words", "schlüssel", "a\nb"])
def test_keys_that_no_header_can_carry(text: str) -> None:
    with pytest.raises(UsageError, match="from CLEW_API_KEY is empty or holds") as error:
        checked_key(text, "CLEW_API_KEY")
    assert not text.strip() or text.strip() not in str(error.value)


# -- a keyring that is missing or locked ------------------------------------------------------------------------------


def test_a_locked_keyring_is_one_line_and_stops_no_endpoint_that_needs_no_key(memory: Memory) -> None:
    memory.locked = True
    assert key_for(HERE).reason == "the keyring does not answer (KeyringLocked): unlock it, or set CLEW_API_KEY instead"
    result = clew("config", "--set-key", HERE, stdin=SECRET)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "the keyring does not answer (KeyringLocked)" in result.stderr
    assert SECRET not in result.output


@pytest.mark.usefixtures("no_keyring")
def test_without_a_keyring() -> None:
    assert key_for(HERE) == Key()
    with pytest.raises(KeyringFailure, match="no keyring that can be used; set CLEW_API_KEY"):
        store_key(HERE, SECRET)


def test_where_the_package_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert key_for(HERE) == Key()
    result = clew("config", "--forget-key", HERE)
    assert result.exit_code == 2
    assert "pip install 'clew[keyring]'" in result.stderr


def test_keys_are_stored_and_forgotten_from_the_command_line(memory: Memory) -> None:
    result = clew("config", "--set-key", OPENAI, stdin=f"{SECRET}\n")
    assert (result.exit_code, result.stdout) == (0, "")
    assert list(memory.stored.values()) == [SECRET]
    assert SECRET not in result.output
    assert clew("config", "--forget-key", OPENAI).exit_code == 0
    assert memory.stored == {}
    for arguments in (("--set-key", OPENAI), ("--set-key", "openai"), ("--forget-key", OPENAI)):
        result = clew("config", *arguments, stdin="\n")
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


# -- nobody else sees it ----------------------------------------------------------------------------------------------


def test_a_key_is_in_no_representation() -> None:
    assert SECRET not in f"{Key(SECRET, 'keyring')!r} {Key(SECRET, 'keyring')}"


def test_reveals() -> None:
    assert reveals("Bearer sk-clew-0123456789", (SECRET,))
    assert reveals("your key …clew-01… is wrong", (SECRET,))
    assert not reveals("your key sk-c… is wrong", (SECRET,))
    assert reveals("a short one: abc", ("abc",))
    assert not reveals("anything", ("",))


@pytest.mark.usefixtures("model_requests_allowed")
@pytest.mark.parametrize("status", [200, 307, 308, 400, 401, 403, 404, 429, 500, 503])
def test_a_server_that_repeats_the_key_does_not_get_it_printed(
    status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CLEW_API_KEY", SECRET)
    monkeypatch.setenv("CLEW_BASE_URL", "http://127.0.0.1")
    caplog.set_level(logging.INFO)
    echo = refused(status, f"you sent 'Authorization: Bearer {SECRET}'", code=SECRET)
    with serve(Answer(status, echo.body, {**echo.headers, "Location": f"http://x/?key={SECRET}"})) as server:
        monkeypatch.setenv("CLEW_BASE_URL", server.url)
        with pytest.raises(ModelFailure) as failure:
            ask(server.url)
    assert {sent for _, _, sent in server.requests} == {f"Bearer {SECRET}"}
    error: BaseException | None = failure.value
    while error is not None:
        assert not reveals(f"{error} {error!r} {vars(error)}", (SECRET,)), error
        error = error.__cause__
    assert not reveals(caplog.text, (SECRET,))
    assert "\n" not in str(failure.value)


@pytest.mark.usefixtures("model_requests_allowed")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_neither_key_nor_question_to_another_host(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_API_KEY", SECRET)
    with (
        serve(lambda method, _: models("stolen") if method == "GET" else said("stolen")) as other,
        serve(Answer(status, "", {"Location": f"{other.url}/chat/completions"})) as server,
    ):
        with pytest.raises(ModelFailure, match=f"sends requests on to {re.escape(other.url)}/chat/completions"):
            ask(server.url)
        assert asyncio.run(listing(server.url, Key(SECRET, "CLEW_API_KEY"))) == (f"HTTP status {status}", None)
        assert [sent for _, _, sent in server.requests] == [f"Bearer {SECRET}"] * 2
    assert other.requests == []


@pytest.mark.usefixtures("model_requests_allowed")
def test_a_password_in_the_address_is_sent_and_in_no_message() -> None:
    async def asked(url: str) -> ModelResponse:
        async with endpoint_model(ModelChoice("scripted", url)) as model:
            return await model_request(model, [ModelRequest.user_text_prompt("hello")])

    with serve(said("hello")) as server:
        response = asyncio.run(asked(server.url.replace("//", "//me:secret-word@")))
    assert (response.text, response.provider_url) == ("hello", f"{server.url}/")
    assert "secret-word" not in repr(response)
    basic = base64.b64encode(b"me:secret-word").decode()
    assert server.requests == [("POST", "/v1/chat/completions", f"Basic {basic}")]
    with serve(refused(400, f"what is {basic}?")) as server, pytest.raises(ModelFailure) as error:
        ask(server.url.replace("//", "//me:secret-word@"))
    assert not reveals(str(error.value), ("secret-word", basic))


@pytest.mark.usefixtures("model_requests_allowed")
def test_a_refusal_says_which_key_was_not_sent_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_API_KEY", SECRET)
    monkeypatch.setenv("CLEW_BASE_URL", "https://other.org/v1")
    with serve(refused(401, "no")) as server, pytest.raises(ModelFailure) as error:
        ask(server.url)
    assert "wants a key (CLEW_API_KEY is for https://other.org:443 and was not sent)" in str(error.value)
    assert not reveals(str(server.requests), (SECRET,))


@pytest.mark.usefixtures("model_requests_allowed")
def test_a_refused_key_is_named_by_its_source(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(refused(403, "no")) as server:
        with pytest.raises(ModelFailure, match="wants a key: run clew config --set-key URL"):
            ask(server.url)
        store_key(server.url, SECRET)
        with pytest.raises(ModelFailure, match="refuses the key in the keyring"):
            ask(server.url)
        monkeypatch.setenv("CLEW_API_KEY", "another-key")
        with pytest.raises(ModelFailure, match="refuses the key in CLEW_API_KEY"):
            ask(server.url)
    assert [sent for _, _, sent in server.requests][1:] == [f"Bearer {SECRET}", "Bearer another-key"]
