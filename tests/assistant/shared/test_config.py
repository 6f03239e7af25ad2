"""Settings: which source comes first, what the file may hold, and how it is changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assistant.commands.cli import main
from assistant.shared.config import SETTINGS, checked_values, file_values, model_choice, question_budget, value
from assistant.shared.config_edit import set_value, unset_value
from assistant.shared.model_choice import ModelChoice, is_openai, origin, without_secrets
from kb.errors import UsageError

URL = "http://localhost:11434/v1"


@pytest.fixture
def file(own_places: Path) -> Path:
    return own_places / "config.toml"


def clew(*arguments: str, stdin: str = "") -> Result:
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_option_then_environment_then_file_then_default(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (value("model").value, value("model").origin) == ("offline", "default")
    file.write_text('model = "from-file"\n')
    assert (value("model").value, value("model").origin) == ("from-file", "file")
    monkeypatch.setenv("CLEW_MODEL", "from-environment")
    assert (value("model").value, value("model").origin) == ("from-environment", "CLEW_MODEL")
    assert (value("model", "from-option").value, value("model", "from-option").origin) == ("from-option", "--model")
    assert [value("model", "x").rank, value("model").rank, value("base_url").rank] == [0, 1, 3]


def test_every_setting_can_come_from_environment_and_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "model": "qwen3", "base_url": URL, "calling": "json", "max_tokens": "6000", "max_cost": "0.5",
        "max_seconds": "90", "price_input": "0", "price_output": "0.6", "context_window": "8192", "transcripts": "off",
        "judge": "offline", "answer_tokens": "2048", "risk": "0.1", "theme": "nord",
        "keys": '{quit = "ctrl+x", model = "f3,f4"}', "thinking": "300",
        "endpoints": f'{{"{URL}" = {{thinking = "off", extra = {{top_k = 20}}}}}}', "scorer": "shipped",
    }  # fmt: skip
    assert set(texts) == set(SETTINGS)
    for key, text in texts.items():
        set_value(key, text)
    wanted = {
        "model": "qwen3", "base_url": URL, "calling": "json", "max_tokens": 6000, "max_cost": 0.5,
        "max_seconds": 90.0, "price_input": 0.0, "price_output": 0.6, "context_window": 8192, "transcripts": False,
        "judge": "offline", "answer_tokens": 2048, "risk": 0.1, "theme": "nord",
        "keys": {"quit": "ctrl+x", "model": "f3,f4"}, "thinking": 300,
        "endpoints": {URL: {"thinking": False, "extra": {"top_k": 20}}}, "scorer": "shipped",
    }  # fmt: skip
    assert file_values() == wanted
    file.unlink()
    for key, text in texts.items():
        monkeypatch.setenv(SETTINGS[key].variable, text)
    assert {key: value(key).value for key in SETTINGS} == wanted
    assert model_choice(None, None, None) == ModelChoice(
        "qwen3", URL, "json", 0.0, 0.6, 8192, "offline", 2048, 300, {"top_k": 20}
    )
    budget = question_budget(7000, None, None)
    assert (budget.tokens, budget.cost, budget.seconds) == (7000, 0.5, 90.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 'red'", "names 'colour', which is no setting; there are model, base_url"),
        ("max_tokesn = 3", "did you mean 'max_tokens'?"),
        ("max_tokens = 'many'", "max_tokens is 'many', but must be a whole number over 0"),
        ("max_tokens = 0", "max_tokens is 0, but"),
        ("max_tokens = true", "max_tokens is True, but"),
        ("max_cost = nan", "max_cost is nan, but must be a number over 0"),
        ("max_seconds = -1", "max_seconds is -1, but"),
        ("risk = 1.5", "risk is 1.5, but must be a number from 0 to 1"),
        ("risk = nan", "risk is nan, but must be a number from 0 to 1"),
        ("risk = 'low'", "risk is 'low', but must be a number from 0 to 1"),
        ("price_input = inf", "price_input is inf, but must be a number from 0 on"),
        ("calling = 'loud'", "calling is 'loud', but must be one of auto, tools, json, planned"),
        ("transcripts = 'on'", "transcripts is 'on', but must be true or false"),
        ("base_url = 'localhost:11434'", "base_url is 'localhost:11434', but must be an http(s) address"),
        ("model = ''", "model is '', but must be a name"),
        ('model = "a\\u001bb"', "must be a name"),
        ("[model]\nname = 'x'", "model is {'name': 'x'}, but must be a name"),
        ("model = ", "is no TOML"),
    ],
)
def test_a_bad_file_is_one_error_with_file_key_and_value(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    result = clew("config")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert str(file) in result.stderr
    assert message in result.stderr


@pytest.mark.parametrize(
    "text", ["api_key = 'sk-secret'", "openai_api_key = 'sk-secret'", "token = 'sk-secret'", "password = 'sk-secret'"]
)
def test_keys_are_refused_in_the_file_and_not_shown(file: Path, text: str) -> None:
    file.write_text(text)
    result = clew("config")
    assert result.exit_code == 2
    assert "clew config --set-key URL" in result.stderr
    assert "secret" not in result.stderr
    assert "secret" not in clew("config", "api_key", "sk-secret").output


def test_a_password_in_an_address_is_neither_stored_nor_shown(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for how in (lambda: set_value("base_url", "http://me:secret@host/v1"), lambda: file_values()):
        with pytest.raises(UsageError, match="holds a user name or password") as error:
            how()
        assert "secret" not in str(error.value)
        file.write_text('base_url = "http://me:secret@host/v1"\n')
    file.unlink()
    monkeypatch.setenv("CLEW_BASE_URL", "http://me:secret@host/v1?key=secret")
    assert "secret" not in clew("config").output
    assert "secret" not in clew("config", "--json").output


def test_values_from_the_environment_are_checked_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_MAX_TOKENS", "many")
    with pytest.raises(UsageError, match="CLEW_MAX_TOKENS: max_tokens is 'many', but must be a whole number"):
        value("max_tokens")


def test_a_stated_offline_model_needs_no_endpoint(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(f'base_url = "{URL}"\n')
    assert model_choice("offline", None, None).offline
    with pytest.raises(UsageError, match="base_url in the config file 'http://localhost:11434/v1' needs the name"):
        model_choice(None, None, None)
    monkeypatch.setenv("CLEW_MODEL", "offline")
    assert model_choice(None, None, None).offline
    with pytest.raises(UsageError, match="--base-url 'http://host/v1' needs the name"):
        model_choice(None, "http://host/v1", None)
    assert model_choice("gpt", "", None) == ModelChoice("gpt", "")


def test_config_shows_the_file_and_each_origin(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "(not there yet)" in clew("config").stdout
    file.write_text('model = "qwen3"\nmax_seconds = 30\n')
    monkeypatch.setenv("CLEW_MAX_TOKENS", "5000")
    told = json.loads(clew("config", "--json").stdout)
    assert (told["file"], told["exists"]) == (str(file), True)
    assert told["settings"]["model"] == {"value": "qwen3", "origin": "file"}
    assert told["settings"]["max_tokens"] == {"value": 5000, "origin": "CLEW_MAX_TOKENS"}
    assert told["settings"]["max_cost"] == {"value": None, "origin": "default"}
    first, *rows = clew("config").stdout.splitlines()
    assert first == str(file)
    assert [row.split()[0] for row in rows] == list(SETTINGS)
    assert clew("config", "max_seconds").stdout.splitlines()[1].split()[:3] == ["max_seconds", "30.0", "file"]


COMMENTED = """\
# my settings
model = "llama3"  # the small one
  'max_tokens' = 4000

# prices are old
price_input = 0.1
"""


def test_setting_and_unsetting_leave_everything_else_as_it_is(file: Path) -> None:
    file.write_text(COMMENTED)
    file.chmod(0o640)
    set_value("model", 'qwen "3"')
    set_value("max_tokens", "5000")
    set_value("transcripts", "off")
    assert file.read_text() == (
        COMMENTED.replace('"llama3"', '"qwen \\"3\\""').replace("  'max_tokens' = 4000", "max_tokens = 5000")
        + "transcripts = false\n"
    )
    unset_value("model")
    unset_value("price_input")
    assert file.read_text() == "# my settings\n# the small one\nmax_tokens = 5000\n\n# prices are old\n" + (
        "transcripts = false\n"
    )
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_line_ends_and_a_missing_last_one_are_kept(file: Path) -> None:
    file.write_bytes(b'model = "a"\r\nmax_tokens = 1')
    set_value("max_cost", "2")
    assert file.read_bytes() == b'model = "a"\r\nmax_tokens = 1\r\nmax_cost = 2.0\r\n'


def test_tables_within_tables_are_set_again_and_their_comment_stays(file: Path) -> None:
    first = {URL: {"thinking": False, "extra": {"top_k": 20, "note": "a # b"}}}
    set_value("endpoints", f'{{"{URL}" = {{thinking = "off", extra = {{top_k = 20, note = "a # b"}}}}}}')
    assert file_values() == {"endpoints": first}
    file.write_text(file.read_text().rstrip("\n") + "  # as the server likes it\nmax_tokens = 5\n")
    set_value("endpoints", f'{{"{URL}" = {{extra = {{chat = {{deep = {{x = [1, 2]}}}}}}}}}}')
    assert file_values() == {"endpoints": {URL: {"extra": {"chat": {"deep": {"x": [1, 2]}}}}}, "max_tokens": 5}
    assert "}  # as the server likes it\nmax_tokens = 5\n" in file.read_text()
    unset_value("endpoints")
    assert file.read_text() == "# as the server likes it\nmax_tokens = 5\n"


@pytest.mark.parametrize("text", ['model = """\nqwen3"""\n', 'max_tokens = 1_000\nmodel = """a\\\n   b"""\n'])
def test_what_cannot_be_edited_a_line_at_a_time_is_left_alone(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(UsageError, match="in a way that clew cannot edit; change model there"):
        set_value("model", "x")
    assert file.read_text() == text


def test_changes_from_the_command_line(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert clew("config", "max_tokens", "6000").exit_code == 0
    assert file.read_text() == "max_tokens = 6000\n"
    monkeypatch.setenv("CLEW_MAX_TOKENS", "9")
    assert "CLEW_MAX_TOKENS is set as well and comes first" in clew("config", "max_tokens", "7000").stderr
    assert clew("config", "--unset", "max_tokens").exit_code == 0
    assert file.read_text() == ""
    for arguments, message in (
        (("max_tokens", "many"), "must be a whole number"),
        (("colour", "red"), "which is no setting"),
        (("--unset", "model"), "is not set"),
        (("--unset", "colour"), "which is no setting"),
        (("model", "x", "--unset", "model"), "different things"),
    ):
        result = clew("config", *arguments)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.stderr
        assert message in result.stderr


def test_a_file_that_cannot_be_read_or_written(file: Path) -> None:
    file.write_bytes(b"model = '\xff'")
    with pytest.raises(UsageError, match="not UTF-8"):
        value("model")
    file.unlink()
    file.mkdir()
    with pytest.raises(UsageError, match=r"config\.toml' cannot be read"):
        value("model")


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://API.openai.com/v1", "https://api.openai.com:443"),
        ("http://user:pw@host/v1?x=1", "http://host:80"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_origins(url: str, place: str) -> None:
    assert origin(url) == place
    assert is_openai(url) == ("openai" in url)


def test_addresses_are_shown_without_what_may_be_secret() -> None:
    assert without_secrets("http://me:pw@host:8/v1?key=1#x") == "http://host:8/v1"
    for bad in ("host", "ftp://host", "http://", "http://host:port", "http://[::1"):
        with pytest.raises(UsageError, match="no http"):
            origin(bad)


def test_a_command_takes_the_model_from_the_file(small_file: Path, file: Path) -> None:
    file.write_text('model = "gpt-4o-mini"\n')
    result = clew("ask", str(small_file), "Who directed Seven Lanterns?")
    assert (result.exit_code, "there is no key" in result.stderr) == (4, True)
    assert clew("ask", str(small_file), "Who directed Seven Lanterns?", "--model", "offline").exit_code == 0


def test_a_config_file_that_is_nested_too_deep_is_told_in_one_line() -> None:
    with pytest.raises(UsageError, match="is no TOML"):
        checked_values("keys = " + "[" * 5_000, "config.toml")


@pytest.mark.parametrize(("written", "thinking"), [('"on"', True), ('"off"', False), ("2000", 2000), ("true", True)])
def test_thinking_is_on_or_off_or_a_number_of_tokens(file: Path, written: str, thinking: object) -> None:
    assert model_choice("m", URL, None).thinking is None
    file.write_text(f"thinking = {written}\n")
    assert model_choice("m", URL, None).thinking == thinking


def test_an_endpoint_has_its_own_thinking_and_fields(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(f'thinking = "on"\n[endpoints."{URL}/"]\nthinking = "off"\nextra = {{top_k = 20}}\n')
    own, other = model_choice("m", URL, None), model_choice("m", "http://localhost:1/v1", None)
    assert (own.thinking, own.extra) == (False, {"top_k": 20})
    assert (other.thinking, other.extra) == (True, {})
    monkeypatch.setenv("CLEW_THINKING", "300")
    assert model_choice("m", URL, None).thinking == 300


@pytest.mark.parametrize(
    "text",
    [
        'thinking = "loud"',
        "thinking = 0",
        '[endpoints."no address"]\nthinking = "on"',
        f'[endpoints."{URL}"]\ntemperature = 1',
        f'[endpoints."{URL}"]\nextra = {{api_key = "sk-1"}}',
        f'[endpoints."{URL}"]\nextra = {{headers = {{authorization = "sk-1"}}}}',
        f'[endpoints."{URL}"]\nextra = {{headers = [{{X-Api-Key = "sk-1"}}]}}',
        '[endpoints."http://user:sk-1@localhost/v1"]\nthinking = "on"',
        f'[endpoints."{URL}"]\nextra = {{since = 2020-01-01}}',
        f'[endpoints."{URL}"]\nextra = {{top_p = [nan]}}',
    ],
)
def test_what_is_no_way_of_thinking_is_refused(file: Path, text: str) -> None:
    file.write_text(text + "\n")
    with pytest.raises(UsageError, match="must be") as refused:
        model_choice("m", URL, None)
    assert "sk-1" not in str(refused.value)


def test_fields_of_an_endpoint_are_written_as_they_are_read(file: Path) -> None:
    extra = {"stop": ["a", "b"], "tools": [{"type": "search", "sites": [{"name": "x"}]}], "on": True}
    told = '{"stop" = ["a", "b"], tools = [{type = "search", sites = [{name = "x"}]}], on = true}'
    set_value("endpoints", f'{{"{URL}" = {{extra = {told}}}}}')
    assert file_values() == {"endpoints": {URL: {"extra": extra}}}


def test_the_settings_of_an_endpoint_are_found_however_its_address_is_written(file: Path) -> None:
    file.write_text('[endpoints."HTTP://LOCALHOST:8000/v1/"]\nthinking = 300\n')
    assert model_choice("m", "http://localhost:8000/v1", None).thinking == 300
    file.write_text('[endpoints."http://localhost:8000/v1"]\nthinking = 300\n')
    assert model_choice("m", "http://LocalHost:8000/v1/", None).thinking == 300
    assert model_choice("m", "http://localhost:8000/V1", None).thinking is None


def test_a_model_without_an_address_has_the_settings_of_openai(file: Path) -> None:
    file.write_text('[endpoints."https://api.openai.com/v1"]\nthinking = "off"\nextra = {user = "x"}\n')
    asked = model_choice("gpt", None, None)
    assert (asked.thinking, asked.extra) == (False, {"user": "x"})
    for elsewhere in ("offline", "./model.gguf"):
        assert model_choice(elsewhere, None, None).extra == {}
