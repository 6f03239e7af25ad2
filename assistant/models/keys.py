"""Keys of model endpoints, from the environment or the system's keyring, each only for the host that it is meant for.

A key is sent
- to the endpoint that it belongs to and no other: `OPENAI_API_KEY` to https://api.openai.com; `CLEW_API_KEY` to that of
  `CLEW_BASE_URL`, else of `base_url` in the config file, else to the one that is asked; a key in the keyring to the
  scheme, host and port under which it was stored;
- over plain http only within this machine or the local network, since anybody on the way can read it.

Everywhere else no key is sent, and `Key.reason` says why, for the error that follows if the endpoint wants one.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from assistant.shared.config import file_value
from assistant.shared.model_choice import OPENAI_URL, origin, split_url
from kb.errors import UsageError

SERVICE = "clew"
"""The name under which the keyring keeps our keys; the user name of each is its endpoint's origin."""

_LOCAL_SUFFIXES = (".localhost", ".local", ".lan", ".home.arpa", ".internal")


@dataclass(frozen=True, slots=True)
class Key:
    """A key for one endpoint, or none.

    `source` names where it is from: an environment variable or "keyring"; "" for none. `reason` then says why there is
    none, as far as there is something to say.
    """

    secret: str = field(default="", repr=False)
    source: str = ""
    reason: str = ""

    def __bool__(self) -> bool:
        return bool(self.secret)


class KeyringFailure(UsageError):
    """The system's keyring is missing, locked or broken."""


class NoKeyring(KeyringFailure):
    """There is none."""


def key_for(url: str) -> Key:
    """The key for the endpoint at `url`. Raises UsageError for an unusable address, key or config file."""
    place = origin(url)
    if not _safe(url):
        return Key(reason=f"over plain http, which anybody on the way can read, no key is sent to {place}: use https")
    reasons = []
    for name, owner in (("CLEW_API_KEY", _owner_of_clew_key(place)), ("OPENAI_API_KEY", origin(OPENAI_URL))):
        if secret := os.environ.get(name, "").strip():
            if owner == place:
                return Key(checked_key(secret, name), name)
            reasons.append(f"{name} is for {owner} and was not sent")
    try:
        if secret := stored_key(place):
            return Key(secret, "keyring")
    except KeyringFailure as error:
        reasons.append(str(error))
    return Key(reason="; ".join(reasons))


def checked_key(secret: str, source: str) -> str:
    """`secret` itself. Raises UsageError, which does not show it, where no HTTP header can carry it."""
    secret = secret.strip()
    if not secret or not secret.isascii() or not secret.isprintable() or " " in secret:
        raise UsageError(f"the key from {source} is empty or holds a space or a special character; copy it anew")
    return secret


def stored_key(place: str) -> str:
    """The key that the keyring has for an origin, "" for none or where no keyring is installed.

    Raises KeyringFailure where there is one that does not answer.
    """
    try:
        backend = _keyring()
    except NoKeyring:
        return ""
    with _keyring_failures():
        return backend.get_password(SERVICE, place) or ""


def store_key(url: str, secret: str) -> str:
    """Keep `secret` in the keyring for the endpoint at `url`; gives its origin. Raises UsageError."""
    place, secret = origin(url), checked_key(secret, "your input")
    backend = _keyring()
    with _keyring_failures():
        backend.set_password(SERVICE, place, secret)
    return place


def forget_key(url: str) -> str:
    """Take the key for the endpoint at `url` out of the keyring; gives its origin. Raises UsageError for none."""
    place, backend = origin(url), _keyring()
    with _keyring_failures():
        known = backend.get_password(SERVICE, place) is not None
        if known:
            backend.delete_password(SERVICE, place)
    if not known:
        raise UsageError(f"the keyring has no key for {place}")
    return place


def keyring_name() -> str:
    """The kind of keyring in use, after it has been asked something. Raises KeyringFailure."""
    backend = _keyring()
    with _keyring_failures():
        backend.get_password(SERVICE, origin(OPENAI_URL))
        return f"{type(backend).__module__}.{type(backend).__name__}"


def reveals(text: str, secrets: tuple[str, ...]) -> bool:
    """Whether `text` shows a part of a secret: six characters of it in a row, or all of a shorter one."""
    return any(
        secret[start : start + 6] in text for secret in secrets if secret for start in range(max(1, len(secret) - 5))
    )


def _owner_of_clew_key(asked: str) -> str:
    stated = os.environ.get("CLEW_BASE_URL") or file_value("base_url")
    return origin(stated) if stated else asked


def _safe(url: str) -> bool:
    parts = split_url(url)
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme == "https":
        return True
    try:
        return not ipaddress.ip_address(host.partition("%")[0]).is_global
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_SUFFIXES)


def _keyring() -> Any:
    try:
        import keyring  # 70 ms, which only a model with no key in the environment needs
        from keyring.backends import fail, null
    except ImportError as error:
        raise NoKeyring("no keyring is installed: pip install 'clew[keyring]', or set CLEW_API_KEY") from error
    with _keyring_failures():
        backend: Any = keyring.get_keyring()
    if isinstance(backend, (fail.Keyring, null.Keyring)):
        raise NoKeyring("this system has no keyring that can be used; set CLEW_API_KEY instead")
    return backend


@contextmanager
def _keyring_failures() -> Iterator[None]:
    """Backends are plug-ins and raise what they like: locked, dismissed, no bus, no such secret."""
    try:
        yield
    except Exception as error:
        raise KeyringFailure(
            f"the keyring does not answer ({type(error).__name__}): unlock it, or set CLEW_API_KEY instead"
        ) from error
