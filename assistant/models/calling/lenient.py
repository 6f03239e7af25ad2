"""JSON as language models write it: read where there is one way to read it, refused otherwise.

Taken are code fences and prose around one object, comments, trailing commas, single quotes, bare keys, Python's True,
False and None, raw line breaks in strings, and brackets left open at the very end where nothing else is missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from kb.wellformed import well_formed

DEPTH = 16
"""Brackets within brackets: tool calls have five; what is deeper is refused, so that no input exhausts the stack."""

FUEL = 3
"""How often, all attempts together, a text's length is read in search of JSON; hostile text stops the search."""

ATTEMPT = 100
"""Characters that an attempt counts for besides those it reads, so that a million brackets are not a million attempts;
200 are free.
"""

_SPACE = re.compile(r"[\s\ufeff]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,30})(?:\.\d{1,60})?(?:[eE][+-]?\d{1,3})?(?![\w.])")
_NAME = re.compile(r"[A-Za-z_$][\w$-]{0,99}")
_PLAIN = {'"': re.compile(r'[^"\\]*'), "'": re.compile(r"[^'\\]*")}
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Unreadable(ValueError):
    """No JSON, or not in one way only. `place` is where reading stopped."""

    def __init__(self, place: int) -> None:
        super().__init__(f"no JSON at character {place}")
        self.place = place


@dataclass(frozen=True, slots=True)
class Span:
    """A value found in a text, from `start` up to `end`."""

    value: Any
    start: int
    end: int


def read_json(text: str, *, closed: bool = False) -> Any:
    """The value that the whole text is, strict JSON or nearly.

    With `closed` no bracket may be left open. Raises Unreadable.
    """
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        reader = _Reader(text, closed=closed)
        value = reader.value(0)
        reader.skip()
        if reader.place < len(text):
            raise Unreadable(reader.place) from None
        return value


def find_json(text: str, *, closed: bool = False) -> list[Span]:
    """The objects, and lists of objects, that stand in the text, in order; none within another."""
    found: list[Span] = []
    fuel = FUEL * len(text) + 200 * ATTEMPT
    place = _opening(text, 0)
    while place >= 0 and fuel > 0:
        reader = _Reader(text, place, closed=closed)
        try:
            value = reader.value(0)
        except Unreadable as error:
            fuel -= error.place - place + ATTEMPT
            place = _opening(text, place + 1)
            continue
        fuel -= reader.place - place + ATTEMPT
        if isinstance(value, dict) or (isinstance(value, list) and value and all(isinstance(v, dict) for v in value)):
            found.append(Span(value, place, reader.place))
        place = _opening(text, reader.place)
    return found


def value_at(text: str, start: int) -> Span:
    """The value that starts here, and where it ends. Raises Unreadable."""
    reader = _Reader(text, start, closed=True)
    return Span(reader.value(0), start, reader.place)


_OPENING = re.compile(r"[{\[]")


def _opening(text: str, start: int) -> int:
    match = _OPENING.search(text, start)
    return match.start() if match else -1


class _Reader:
    """One value from `place` on. Every character is looked at a fixed number of times."""

    def __init__(self, text: str, place: int = 0, *, closed: bool = False) -> None:
        self.text, self.place, self.closed = text, place, closed

    def value(self, depth: int) -> Any:
        self.skip()
        character = self.text[self.place : self.place + 1]
        if depth > DEPTH or not character:
            raise Unreadable(self.place)
        if character == "{":
            return self._object(depth)
        if character == "[":
            return self._array(depth)
        if character in _PLAIN:
            return self._string(character)
        return self._number_or_word()

    def skip(self) -> None:
        """Past spaces and comments."""
        while True:
            self.place = _end(_SPACE.match(self.text, self.place), self.place)
            if self.text.startswith(("//", "#"), self.place):
                line = self.text.find("\n", self.place)
                self.place = len(self.text) if line < 0 else line
            elif self.text.startswith("/*", self.place):
                end = self.text.find("*/", self.place + 2)
                if end < 0:
                    self.place = len(self.text)
                    raise Unreadable(self.place)
                self.place = end + 2
            else:
                return

    def _object(self, depth: int) -> dict[str, Any]:
        read: dict[str, Any] = {}
        self.place += 1
        while not self._ends("}"):
            key = self._key()
            self.skip()
            if not self.text.startswith(":", self.place):
                raise Unreadable(self.place)
            self.place += 1
            read[key] = self.value(depth + 1)
            if self._no_comma("}"):
                break
        return read

    def _array(self, depth: int) -> list[Any]:
        read: list[Any] = []
        self.place += 1
        while not self._ends("]"):
            read.append(self.value(depth + 1))
            if self._no_comma("]"):
                break
        return read

    def _ends(self, closer: str) -> bool:
        """Whether the closer comes here, perhaps after a comma too many; after that comma the end of text may not."""
        self.skip()
        if self.text.startswith(closer, self.place):
            self.place += 1
            return True
        if self.place >= len(self.text):
            raise Unreadable(self.place)
        return False

    def _no_comma(self, closer: str) -> bool:
        """Past the comma after a value; whether the value was the last instead."""
        self.skip()
        if self.text.startswith(",", self.place):
            self.place += 1
            return False
        if self.text.startswith(closer, self.place):
            self.place += 1
            return True
        if self.place >= len(self.text) and not self.closed:
            return True
        raise Unreadable(self.place)

    def _key(self) -> str:
        character = self.text[self.place]
        if character in _PLAIN:
            return self._string(character)
        name = _NAME.match(self.text, self.place)
        if not name:
            raise Unreadable(self.place)
        self.place = name.end()
        return name[0]

    def _string(self, quote: str) -> str:
        pieces: list[str] = []
        self.place += 1
        while True:
            end = _end(_PLAIN[quote].match(self.text, self.place), self.place)
            pieces.append(self.text[self.place : end])
            self.place = end
            if self.place >= len(self.text):
                raise Unreadable(self.place)
            self.place += 1
            if self.text[self.place - 1] == quote:
                return well_formed("".join(pieces))
            pieces.append(self._escape())

    def _escape(self) -> str:
        """The character after a backslash; one that JSON does not know ("\\_") stands for itself."""
        character = self.text[self.place : self.place + 1]
        if not character:
            raise Unreadable(self.place)
        self.place += 1
        if character != "u":
            return _ESCAPES.get(character, character)
        digits = _HEX.match(self.text, self.place)
        if not digits:
            raise Unreadable(self.place)
        self.place = digits.end()
        return chr(int(digits[0], 16))

    def _number_or_word(self) -> Any:
        if number := _NUMBER.match(self.text, self.place):
            if number.end() == len(self.text) and self.place:
                # The text may have been cut within the number.
                raise Unreadable(self.place)
            self.place = number.end()
            value = from_json(number[0], allow_inf_nan=True)
            if isinstance(value, float) and value in (float("inf"), float("-inf")):
                raise Unreadable(self.place)
            return value
        word = _NAME.match(self.text, self.place)
        if not word or word[0] not in _WORDS:
            raise Unreadable(self.place)
        self.place = word.end()
        return _WORDS[word[0]]


def _end(match: re.Match[str] | None, otherwise: int) -> int:
    return match.end() if match else otherwise
