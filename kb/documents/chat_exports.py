"""Chats that messengers export as JSON: Slack, Telegram, Discord, Messenger and the like, told by their shape."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from kb.documents.chat_text import Turn, chat_text
from kb.documents.plaintext import Content, clean, one_line

_WHO = ("from", "author", "sender", "sender_name", "user_profile", "user", "username", "speaker")
_WORDS = ("text", "content", "message", "body")
_WHEN = ("date", "timestamp", "timestamp_ms", "ts", "time", "created_at", "sent_at", "date_unixtime")
_NAMES = ("real_name", "display_name", "nickname", "global_name", "name", "username", "id")
_TITLED = frozenset(("title", "subject", "headline", "summary"))
_SLACK_ID = re.compile(r"[UWB][A-Z0-9]{6,14}")

People = Callable[[], Mapping[str, str]]
"""Gives the names of people by the ids that messages have instead; called only where one has."""


def chat_of(value: Any, people: People = dict) -> Content | None:
    """The chat, or the chats, that a messenger has exported as JSON (Slack, Telegram, Discord, Messenger and the like).

    None where `value` is something else: messages have somebody who says something at some time, and no title.
    """
    several = value.get("chats") if isinstance(value, dict) else None
    listed = several.get("list") if isinstance(several, dict) else several
    if isinstance(listed, list):
        parts = [(_chat_name(one), text) for one in listed if (text := _json_text(one, people))]
        return Content("", "\n\n".join(f"# {name or 'Chat'}\n\n{text}" for name, text in parts)) if parts else None
    text = _json_text(value, people)
    return Content(_chat_name(value), text) if text else None


def _json_text(value: Any, people: People) -> str:
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        return ""
    found = [(when, one) for one in messages if isinstance(one, dict) and (when := _when(one)) and _is_message(one)]
    if not found or 4 * len(found) < 3 * sum(
        isinstance(one, dict) and one.get("type") != "service" for one in messages
    ):
        return ""
    known, is_asked = _named_here(one for _, one in found), False
    turns = []
    for when, one in sorted(found, key=lambda pair: pair[0]):  # some exports begin with the newest
        words, who = _plain_words(_first(one, _WORDS)), _who(one)
        if not is_asked and (_SLACK_ID.fullmatch(who) or "<@" in words):
            known, is_asked = {**known, **people()}, True
        if not str(one.get("subtype") or "").endswith(("_join", "_leave")):
            turns.append(Turn(when.date(), f"{when:%H:%M}", known.get(who, who), _slack_words(words, known)))
    return chat_text(turns)


def _named_here(messages: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The names that messages give beside the ids of those who write them, by id."""
    pairs = ((one.get("user"), _who(one)) for one in messages)
    return {user: who for user, who in pairs if isinstance(user, str) and who != user}


def _is_message(one: Mapping[str, Any]) -> bool:
    return bool(_who(one)) and _first(one, _WORDS) is not None and not _TITLED & one.keys()


def _first(one: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((one[name] for name in names if one.get(name) is not None), None)


def _who(one: Mapping[str, Any]) -> str:
    for name in _WHO:
        value = one.get(name)
        if isinstance(value, dict):
            value = next((value[key] for key in _NAMES if isinstance(value.get(key), str) and value[key]), "")
        if isinstance(value, str) and value.strip():
            return one_line(value)[:120]
    return ""


def _when(one: Mapping[str, Any]) -> datetime | None:
    """When a message was sent, as the file has it: on the clock that it gives, or in UTC."""
    value = _first(one, _WHEN)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        if isinstance(value, str) and not re.fullmatch(r"\d{9,13}(?:\.\d{1,9})?", value):
            return datetime.fromisoformat(value).replace(tzinfo=None)
        seconds = float(value)
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None


def _plain_words(value: Any) -> str:
    """The words of a message, which some messengers keep in pieces, each with its kind."""
    parts = value if isinstance(value, list) else [value]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return clean("".join(text for text in texts if isinstance(text, str)))


def _slack_words(words: str, names: Mapping[str, str]) -> str:
    """Slack's marks for people, channels and links as the words that they show."""

    def shown(found: re.Match[str]) -> str:
        kind, target, label = found[1], found[2], found[3]
        if kind == "@":
            return "@" + (label or names.get(target, target))
        return f"#{label or target}" if kind == "#" else label or target

    return html.unescape(re.sub(r"<([@#!]?)([^<>|\s]{1,500})(?:\|([^<>]{0,300}))?>", shown, words))


def _chat_name(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    places = [value.get("name"), value.get("title"), value.get("channel")]
    names = [one.get("name") if isinstance(one, dict) else one for one in places]
    return next((one_line(name)[:120] for name in names if isinstance(name, str) and name.strip()), "")


def people_of(users: Any) -> dict[str, str]:
    """The names in a Slack export's users.json, by id; {} where it is something else."""
    found: dict[str, str] = {}
    for one in users if isinstance(users, list) else ():
        if isinstance(one, dict) and isinstance(one.get("id"), str):
            profile = one["profile"] if isinstance(one.get("profile"), dict) else {}
            names = (one.get("real_name"), profile.get("real_name"), profile.get("display_name"), one.get("name"))
            name = next((name for name in names if isinstance(name, str) and name.strip()), "")
            found |= {one["id"]: one_line(name)[:120]} if name else {}
    return found
