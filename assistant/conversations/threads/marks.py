"""What counts in the text of a passage: the sentences that carry the answer, and the names and dates of the hops."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.shared.rendering import Part, Role, plain

SHORTEST = 2
"""Characters of a name that is marked."""

MOST_NAMES = 60


@dataclass(frozen=True)
class Marker:
    """Marks quotes as "mark" and names outside of them as "strong"; case does not count. Unknowns are no names."""

    quotes: Iterable[str]
    names: Iterable[str]

    def parts(self, text: str, usual: Role = "") -> tuple[Part, ...]:
        """`text`, a plain line, in parts; what is not marked has the `usual` role. No parts for an empty text."""
        return _runs(text, self._roles(text, usual))

    def lines(self, lines: Sequence[str]) -> list[tuple[Part, ...]]:
        """Plain lines of one text, each in parts: a quote may go on from one to the next."""
        roles, start, told = self._roles(" ".join(lines), ""), 0, []
        for line in lines:
            told.append(_runs(line, roles[start : start + len(line)]))
            start += len(line) + 1
        return told

    def _roles(self, text: str, usual: Role) -> list[Role]:
        roles: list[Role] = [usual] * len(text)
        for name in re.finditer(self._pattern(), text) if self._pattern() else ():
            roles[name.start() : name.end()] = ["strong"] * (name.end() - name.start())
        for quote in map(plain, self.quotes):
            start = _find(text, quote)
            if start >= 0:
                roles[start : start + len(quote)] = ["mark"] * len(quote)
        return roles

    def _pattern(self) -> str:
        names = {plain(name, 120) for name in self.names if _is_name(name)}
        long = sorted((name for name in names if len(name) >= SHORTEST), key=lambda name: (-len(name), name))
        return f"(?i)(?<!\\w)(?:{'|'.join(map(re.escape, long[:MOST_NAMES]))})(?!\\w)" if long else ""


def _is_name(term: str) -> bool:
    """Whether a term is a name, a date or a number, and no common word or unknown."""
    return not term.startswith("?") and (term != term.lower() or not any(map(str.islower, term)) or _has_digit(term))


def _has_digit(term: str) -> bool:
    return any(map(str.isdigit, term))


def _find(text: str, quote: str) -> int:
    """Where the quote stands in the text, in any case where that keeps its length; -1 for nowhere."""
    if not quote:
        return -1
    exact = text.find(quote)
    folded = text.casefold()
    return folded.find(quote.casefold()) if exact < 0 and len(folded) == len(text) else exact


def _runs(text: str, roles: list[Role]) -> tuple[Part, ...]:
    parts: list[Part] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or roles[end] != roles[start]:
            parts.append((text[start:end], roles[start]))
            start = end
    return tuple(parts)
