"""Settings and where each comes from: an option, else an environment variable, else the config file, else a default.

The config file is TOML with the keys of SETTINGS at its top level. It holds no key of any service: those are in the
environment or in the keyring (assistant.models.keys).
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, get_args

from assistant.shared.model_choice import (
    ANSWER_TOKENS,
    OFFLINE,
    OPENAI_URL,
    Calling,
    Judging,
    ModelChoice,
    Thinking,
    is_file,
    names_file,
    split_url,
    without_secrets,
)
from assistant.shared.spending_limits import Budget
from assistant.shared.user_folders import config_file
from kb.errors import UsageError
from tools.reading.certainty import RISK

Kind = Literal[
    "text", "url", "calling", "judge", "whole", "amount", "price", "share", "switch", "thinking", "endpoints", "keys"
]
"""A text, an address, a way of calling, a whole number over 0, a number over 0, a number from 0, one from 0 to 1, on or
off, on or off or a number of tokens, settings by endpoint, keys by command.
"""

CALLINGS: tuple[str, ...] = get_args(Calling)
JUDGES: tuple[str, ...] = get_args(Judging)
OWN_SCORER, SHIPPED_SCORER = "own", "shipped"
"""Values of the setting `scorer`, beside the name of a file: the one trained for a file, if any, or that of clew."""

_SWITCH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}
_THINKING = {"on": True, "off": False}
_SECRET = re.compile(r"(?i)(^|[_-])(key|keys|secret|password|token|authorization)$|api[_-]?key")


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be set; `variable` is the environment variable for it."""

    key: str
    kind: Kind
    default: Any
    about: str

    @property
    def variable(self) -> str:
        return f"CLEW_{self.key.upper()}"


SETTINGS: Mapping[str, Setting] = {
    one.key: one
    for one in (
        Setting("model", "text", OFFLINE, "the model that answers"),
        Setting("base_url", "url", "", "an OpenAI-compatible endpoint that serves it"),
        Setting("calling", "calling", "auto", "how it is asked: auto, tools, json or planned"),
        Setting("judge", "judge", "model", "who judges inside the techniques: model or offline"),
        Setting("max_tokens", "whole", None, "tokens a question may cost"),
        Setting("max_cost", "amount", None, "US dollars a question may cost"),
        Setting("max_seconds", "amount", None, "seconds a question may take"),
        Setting("price_input", "price", None, "US dollars for a million tokens of input"),
        Setting("price_output", "price", None, "US dollars for a million tokens of output"),
        Setting("context_window", "whole", None, "tokens that the model can take in"),
        Setting("answer_tokens", "whole", ANSWER_TOKENS, "tokens that one response of the model may have"),
        Setting("thinking", "thinking", None, "whether the model thinks first: on, off, or tokens for it"),
        Setting("endpoints", "endpoints", {}, "thinking and extra request fields by the address of an endpoint"),
        Setting("scorer", "text", "own", "what scores facts: own (of clew train, for its file), shipped, or a file"),
        Setting("risk", "share", RISK, "share of the answers given that may be wrong"),
        Setting("transcripts", "switch", True, "whether transcripts of questions are kept"),
        Setting("theme", "text", "textual-dark", "the colours of the chat"),
        Setting("keys", "keys", {}, 'keys of the chat by command, as in [keys] quit = "ctrl+x"'),
    )
}


@dataclass(frozen=True, slots=True)
class Value:
    """A setting's value, None for none, and its origin: an option, an environment variable, "file" or "default"."""

    key: str
    value: Any
    origin: str

    @property
    def rank(self) -> int:
        """0 for an option, 1 for the environment, 2 for the file, 3 for the default."""
        if self.origin in ("file", "default"):
            return 2 if self.origin == "file" else 3
        return 0 if self.origin.startswith("--") else 1


def value(key: str, option: Any = None) -> Value:
    """The value of a setting, from the first source that has one. Raises UsageError for a value that is none.

    `option` is what the command line gives, None for nothing.
    """
    setting = SETTINGS[key]
    if option is not None:
        name = f"--{key.replace('_', '-')}"
        return Value(key, checked(setting, option, name) if option != "" else setting.default, name)
    if text := os.environ.get(setting.variable, "").strip():
        return Value(key, checked(setting, from_text(setting, text), setting.variable), setting.variable)
    values = file_values()
    return Value(key, values[key], "file") if key in values else Value(key, setting.default, "default")


def file_value(key: str) -> Any:
    """What the config file says of a setting, None for nothing. Raises UsageError as `file_values`."""
    return file_values().get(key)


def file_values() -> dict[str, Any]:
    """The settings in the config file; none where there is no file.

    Raises UsageError for a file that cannot be read, for an unknown key and for a value of the wrong type.
    """
    path = config_file()
    if path.is_fifo():
        raise UsageError(f"the config file {str(path)!r} cannot be read: it is a pipe")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"the config file {str(path)!r} cannot be read: {reason}") from error
    return checked_values(text, str(path))


def checked_values(text: str, path: str) -> dict[str, Any]:
    """The settings in the text of a config file. Raises UsageError as `file_values`."""
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"the config file {path!r} is no TOML: {error}") from error
    for key, given in values.items():
        source = f"the config file {path!r}"
        values[key] = checked(known(key, source), given, source, stored=True)
    return values


def known(key: str, source: str) -> Setting:
    """The setting of that name. Raises UsageError for an unknown one; its value, maybe a secret, is not shown."""
    if key in SETTINGS:
        return SETTINGS[key]
    # "key" is more likely a secret than a slip for "keys".
    close = difflib.get_close_matches(key, [name for name in SETTINGS if name != "keys"], 1, cutoff=0.75)
    if _SECRET.search(key) and not close:
        raise UsageError(
            f"{source} names {key!r}: keys of services do not belong in a file; remove it, and run "
            "clew config --set-key URL, or set CLEW_API_KEY"
        )
    advice = f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(SETTINGS)}"
    raise UsageError(f"{source} names {key!r}, which is no setting{advice}")


def from_text(setting: Setting, text: str) -> Any:
    """A value written as text, as the environment and the command line give it; the text itself where it is none."""
    try:
        match setting.kind:
            case "whole":
                return int(text)
            case "amount" | "price" | "share":
                return float(text)
            case "switch":
                return _SWITCH.get(text.lower(), text)
            case "thinking":
                return _THINKING.get(text.lower()) if text.lower() in _THINKING else int(text)
            case "keys" | "endpoints":
                return tomllib.loads(f"value = {text}")["value"]
            case _:
                return text
    except (ValueError, RecursionError):  # as a TOMLDecodeError is one
        return text


def model_choice(
    model: str | None,
    base_url: str | None,
    calling: str | None,
    judge: str | None = None,
    answer_tokens: int | None = None,
) -> ModelChoice:
    """The model to ask, from options where they are not None, else from the other sources.

    A model that is stated to be `offline`, or a GGUF file that is there, needs no endpoint: one of lower rank is passed
    over. Raises UsageError.
    """
    name, url = value("model", model), value("base_url", base_url)
    if name.value == OFFLINE and url.value:
        if name.rank >= url.rank:
            raise UsageError(
                f"{url.origin if url.rank < 2 else 'base_url in the config file'} {shown(url)!r} needs the name of a "
                "model that it serves: --model NAME, or clew config model NAME"
            )
        url = Value("base_url", "", "default")
    if url.value and name.rank < url.rank and is_file(name.value):
        # A file that is named now is meant, whatever endpoint is usually asked.
        url = Value("base_url", "", "default")
    thinking, extra = request_settings(name.value, url.value)
    return ModelChoice(
        name.value,
        url.value,
        value("calling", calling).value,
        price_input=value("price_input").value,
        price_output=value("price_output").value,
        context_window=value("context_window").value,
        judge=value("judge", judge).value,
        answer_tokens=value("answer_tokens", answer_tokens).value,
        thinking=thinking,
        extra=extra,
    )


def request_settings(name: str, base_url: str) -> tuple[Thinking, Mapping[str, Any]]:
    """Whether a model is to think first, and the further fields of requests to its endpoint. Raises UsageError as
    `file_values`.
    """
    asked = base_url or ("" if name == OFFLINE or names_file(name) else OPENAI_URL)
    own = value("endpoints").value.get(_address(asked), {}) if asked else {}
    thinking = value("thinking")
    # What is set now goes before what the file says of an endpoint, and that before what it says of all.
    thinks = own["thinking"] if "thinking" in own and thinking.rank >= 2 else thinking.value
    return thinks, own.get("extra", {})


def checked(setting: Setting, given: Any, source: str, *, stored: bool = False) -> Any:
    """A setting's value, numbers with a fraction as float; `stored` where it is, or is to be, in the config file.

    Raises UsageError, with `source` first, for a value of the wrong type or range, or with a secret to be stored.
    """
    test, wanted = _TESTS[setting.kind]
    if not test(given):
        told = without_secrets(str(given)) if setting.kind == "url" else given
        shown_part = "" if setting.kind in ("keys", "endpoints") else f"is {told!r}, but "
        raise UsageError(f"{source}: {setting.key} {shown_part}must be {wanted}")
    if stored and setting.kind == "url" and "@" in split_url(given).netloc:
        raise UsageError(
            f"{source}: {setting.key} holds a user name or password, which do not belong in a file; leave them out, "
            f"and run clew config --set-key {without_secrets(given)}"
        )
    if setting.kind == "thinking" and isinstance(given, str):
        return _THINKING[given]
    if setting.kind == "endpoints":
        return {_address(url): _endpoint(one) for url, one in given.items()}
    return float(given) if setting.kind in ("amount", "price", "share") else given


def question_budget(tokens: int | None, cost: float | None, seconds: float | None) -> Budget:
    """What a question may spend, from options where they are not None, else from the other sources."""
    limits = (value("max_tokens", tokens), value("max_cost", cost), value("max_seconds", seconds))
    return Budget(*(limit.value for limit in limits))


def shown(given: Value) -> str:
    """A value for people, without what may be secret in an address; "-" for none."""
    if given.value is None or given.value == "":
        return "-"
    if isinstance(given.value, bool):
        return "on" if given.value else "off"
    if given.key == "endpoints":
        return ", ".join(map(without_secrets, given.value)) or "-"
    if isinstance(given.value, Mapping):
        return ", ".join(f"{name} = {keys}" for name, keys in given.value.items()) or "-"
    return without_secrets(str(given.value)) if given.key == "base_url" else str(given.value)


def _is_number(given: Any) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool) and -inf < given < inf


def _is_whole(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and given > 0


def _is_line(given: Any) -> bool:
    return isinstance(given, str) and bool(given.strip()) and given.isprintable()


def _is_keys(given: Any) -> bool:
    return isinstance(given, dict) and all(isinstance(one, str) and one.isprintable() for one in given.values())


def _is_thinking(given: Any) -> bool:
    return isinstance(given, bool) or _is_whole(given) or (isinstance(given, str) and given in _THINKING)


def _is_endpoints(given: Any) -> bool:
    return isinstance(given, dict) and all(
        _is_url(url)
        and "@" not in split_url(url).netloc
        and isinstance(one, dict)
        and one.keys() <= {"thinking", "extra"}
        and _is_thinking(one.get("thinking", False))
        and _is_extra(one.get("extra", {}))
        for url, one in given.items()
    )


def _is_extra(given: Any) -> bool:
    """Whether it can be sent as fields of a request, and none is named like a secret, however deep."""
    try:
        json.dumps(given, allow_nan=False)
        return isinstance(given, dict) and not any(map(_SECRET.search, _names(given)))
    except (TypeError, ValueError, RecursionError):
        return False


def _names(given: Any) -> Iterator[str]:
    """The names of all fields in a value, those of its parts included."""
    if isinstance(given, dict):
        yield from given
    for part in given.values() if isinstance(given, dict) else given if isinstance(given, list) else ():
        yield from _names(part)


def _address(url: str) -> str:
    """An endpoint's address as the settings for it are looked up: however it is written, without what may be secret."""
    parts = split_url(without_secrets(url))
    return parts._replace(netloc=parts.netloc.lower()).geturl().rstrip("/")


def _endpoint(one: Mapping[str, Any]) -> dict[str, Any]:
    thinking = one.get("thinking")
    return {**one, "thinking": _THINKING[thinking]} if isinstance(thinking, str) else dict(one)


def _is_url(given: Any) -> bool:
    try:
        return _is_line(given) and bool(split_url(given))
    except UsageError:
        return False


_TESTS: Mapping[Kind, tuple[Callable[[Any], bool], str]] = {
    "text": (_is_line, "a name"),
    "url": (_is_url, "an http(s) address like http://localhost:11434/v1"),
    "calling": (lambda given: given in CALLINGS, f"one of {', '.join(CALLINGS)}"),
    "judge": (lambda given: given in JUDGES, f"one of {', '.join(JUDGES)}"),
    "whole": (_is_whole, "a whole number over 0"),
    "amount": (lambda given: _is_number(given) and given > 0, "a number over 0"),
    "price": (lambda given: _is_number(given) and given >= 0, "a number from 0 on"),
    "share": (lambda given: _is_number(given) and 0 <= given <= 1, "a number from 0 to 1"),
    "switch": (lambda given: isinstance(given, bool), "true or false"),
    "thinking": (_is_thinking, "on, off, or a whole number of tokens over 0"),
    "endpoints": (
        _is_endpoints,
        'tables by address with thinking and extra, like [endpoints."http://localhost:8000/v1"] thinking = "off"; '
        "extra holds what JSON can hold (no dates, no nan); keys of services and passwords do not belong in it",
    ),
    "keys": (_is_keys, 'a table of keys by command, like {quit = "ctrl+x", model = "f3"}'),
}
