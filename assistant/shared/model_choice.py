"""Which language model answers, as the user chose it, and the addresses of endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from kb.errors import UsageError

OFFLINE = "offline"

OPENAI_URL = "https://api.openai.com/v1"
"""Where a model name goes for which no endpoint is given; stated, so that no environment variable redirects the key."""

CONTEXT_WINDOW = 8_192
"""Tokens that a model is taken to have room for where nobody says: what small local ones are commonly run with."""

ANSWER_TOKENS = 1_024
"""Of one reply, where nobody says: ten times an answer of four sentences. Small models that go in circles do so up to
whatever limit there is.
"""

Judging = Literal["model", "offline"]

Calling = Literal["auto", "tools", "json", "planned"]
"""How a model is asked: with tool calls, for JSON that names a tool, or for an answer only; `auto` finds
out.
"""


Thinking = bool | int | None
"""Whether a model thinks before it answers: on, off, on with so many tokens for it at most, or as it does by itself."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model by name, at an OpenAI-compatible endpoint where `base_url` is given; a GGUF file by its path.

    `offline` needs no endpoint and no key. Keys are no part of the choice: they are looked up when the model is made,
    so that they appear in no representation, transcript or error of it. Prices are US dollars for a million tokens of
    input and of output, None where the user has given none; `context_window` is in tokens, None where not known.
    `judge` says who makes the judgements inside the techniques, `answer_tokens` how many one response may have, beside
    those of a budget for `thinking`. `extra` are further fields of each request, which go before all others.
    """

    name: str = OFFLINE
    base_url: str = ""
    calling: Calling = "auto"
    price_input: float | None = None
    price_output: float | None = None
    context_window: int | None = None
    judge: Judging = "model"
    answer_tokens: int = ANSWER_TOKENS
    thinking: Thinking = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def offline(self) -> bool:
        """Whether the answers come from the built-in policy instead of a language model."""
        return self.name == OFFLINE and not self.base_url

    @property
    def local(self) -> bool:
        """Whether it is a GGUF file on this machine, which clew serves to itself."""
        return not self.base_url and names_file(self.name)

    @property
    def title(self) -> str:
        """The model's name for people: of a file, its name without the folders."""
        return PurePath(self.name).name if self.local else self.name


def names_file(name: str) -> bool:
    """Whether a model's name is the path of a GGUF file: it ends so, or says which folder it begins at.

    Names that services give their models ("org/name:tag") do neither.
    """
    return name.lower().endswith(".gguf") or name.startswith(("/", "./", "../", "~/")) or PurePath(name).is_absolute()


def is_file(name: str) -> bool:
    """Whether a model's name is the path of a file that is there."""
    try:
        return names_file(name) and Path(name).expanduser().is_file()
    except (OSError, RuntimeError, ValueError):
        return False


def split_url(url: str) -> SplitResult:
    """The parts of an endpoint's address. Raises UsageError for what is no http(s) address."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{without_secrets(url)!r} is no http(s) address; try one like http://localhost:11434/v1")
    return parts


def origin(url: str) -> str:
    """Scheme, host and port, always with the port: "https://api.openai.com:443". Raises UsageError as `split_url`."""
    parts = split_url(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def without_secrets(url: str) -> str:
    """The address without user name, password, query and fragment, all of which may hold secrets."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2].partition("?")[0]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def is_openai(url: str) -> bool:
    """Whether it is OpenAI's own service."""
    return origin(url) == origin(OPENAI_URL)
