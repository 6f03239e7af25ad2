"""Evidence made up for the tests of answering."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tools.answer_rules.docs import Evidence, EvidencePassage, Found
from tools.reading.abbreviated import Read
from tools.reading.spans import Reading, Span


def passages(*texts: tuple[str, str]) -> list[EvidencePassage]:
    """Passages with ids 1, 2, ... from titles and texts, best first."""
    return [EvidencePassage(i, title, text, 1.0 / i) for i, (title, text) in enumerate(texts, 1)]


def evidence(*texts: tuple[str, str]) -> Evidence:
    """The passages parsed."""
    return Evidence(passages(*texts))


def best(found: Iterable[Found]) -> str:
    """The text of the surest find, "" where there is none."""
    ranked = sorted(found, key=lambda one: -one.score)
    return ranked[0].text if ranked else ""


def blind(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
    """A reader that finds nothing anywhere."""
    return [Reading() for _ in pairs]


def pointing_at(phrase: str, chance: float = 1.0) -> Read:
    """A reader that finds the phrase wherever it stands."""

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        places = [text.find(phrase) for _, _, text in pairs]
        return [
            Reading((Span(at, at + len(phrase), chance),), answered=chance) if at >= 0 else Reading() for at in places
        ]

    return read
