"""Which models there are to choose from: the built-in one, and what endpoints list.

Besides the endpoint that the user has set, only this machine is ever asked, and without any key.
"""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from assistant.shared.config import value
from assistant.shared.model_choice import OFFLINE, OPENAI_URL, ModelChoice, without_secrets
from assistant.shared.rendering import plain
from kb.errors import ClewError

CONNECT_SECONDS = 0.3
"""A server on this machine takes a connection within a millisecond."""

LOCAL_SECONDS = 2.0
"""For its list, which none of them has to compute."""


@dataclass(frozen=True, slots=True)
class Place:
    """An endpoint that may list models; `local` for one that is only looked for on this machine."""

    name: str
    url: str
    local: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """The models that a place lists, and in one line what is wrong where it lists none."""

    models: tuple[str, ...] = ()
    trouble: str = ""


LOCAL_PLACES = (
    Place("Ollama", "http://127.0.0.1:11434/v1", local=True),
    Place("LM Studio", "http://127.0.0.1:1234/v1", local=True),
    Place("llama.cpp", "http://127.0.0.1:8080/v1", local=True),
)


def places(choice: ModelChoice) -> list[Place]:
    """The endpoint of `choice`, the one that is set, and the usual ones on this machine, each once."""
    stated = [choice.base_url, str(value("base_url").value or "")]
    if not choice.base_url and choice.name != OFFLINE and not choice.local:
        stated.append(OPENAI_URL)
    found = [Place(plain(without_secrets(url), 80), url) for url in dict.fromkeys(stated) if url]
    return found + [place for place in LOCAL_PLACES if _port(place.url) not in {_port(one.url) for one in found}]


def listed(place: Place) -> Listed | None:
    """What a place lists; None where nothing is there that was only looked for. Blocks: for a thread."""
    if place.local and not _answers(place.url):
        return None
    from assistant.models.endpoints import listing  # a second: pydantic-ai
    from assistant.models.keys import Key, key_for

    async def ask() -> Listed | None:
        key = Key() if place.local else key_for(place.url)
        async with asyncio.timeout(LOCAL_SECONDS if place.local else None):
            trouble, names = await listing(place.url, key)
        if names is None:
            return None if place.local else Listed(trouble=plain(trouble, 200))
        return Listed(tuple(name for name in names if name and plain(name) == name))

    try:
        return asyncio.run(ask())
    except ClewError as error:
        return Listed(trouble=plain(str(error), 200))
    except TimeoutError:
        return None


def save_choice(choice: ModelChoice) -> str:
    """Make a model that of later chats; says where it is kept. Raises UsageError where it cannot be."""
    from assistant.shared.config import file_value
    from assistant.shared.config_edit import set_value, unset_value

    path = set_value("model", choice.name)
    if choice.base_url:
        set_value("base_url", choice.base_url)
    elif file_value("base_url"):
        unset_value("base_url")
    over = [one.origin for one in (value("model"), value("base_url")) if one.rank < 2]
    return plain(f"saved in {path}" + (f"; {' and '.join(over)} comes first" if over else ""), 300)


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=CONNECT_SECONDS):
            return True
    except OSError:
        return False


def _port(url: str) -> tuple[str, int | None]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    return ("127.0.0.1" if host == "localhost" else host), parts.port
