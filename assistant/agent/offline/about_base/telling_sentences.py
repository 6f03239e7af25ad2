"""The most telling sentences of a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tools.answer_rules.text import content_stems

SHORTEST, LONGEST = 30, 450
"""Characters of a sentence that may stand in an extract: what is shorter is a heading, what is longer a list."""
_OPENING = 0.35
"""What standing first is worth, beside the share of the document's frequent words; the next half as much."""
_NAMED = 0.05
"""What each name, date or number in a sentence is worth, up to four."""
_REPEATED = 0.5
"""Share of its words by which a sentence repeats one that was chosen, from which it is left out."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, the id of its passage, and how many names, dates and numbers it has."""

    text: str
    passage: int
    named: int = 0


def how_many(sentences: int) -> int:
    """Sentences of an extract from a document of so many: three to five."""
    return 3 if sentences <= 8 else 4 if sentences <= 20 else 5


def telling_sentences(said: Sequence[Said], count: int) -> list[Said]:
    """At most `count` sentences, in their order: the first, and those with most of the words that recur and most names.

    A sentence that repeats another is left out. [] for no sentence of fitting length.
    """
    fit = [one for one in said if SHORTEST <= len(one.text) <= LONGEST]
    stems = [content_stems(one.text) for one in fit]
    recurring = Counter(stem for words in stems for stem in words)
    scores = [_score(one, words, recurring, at) for at, (one, words) in enumerate(zip(fit, stems, strict=True))]
    chosen: list[int] = []
    for at in sorted(range(len(fit)), key=lambda place: (place != 0, -scores[place], place)):
        if len(chosen) < count and not any(_repeats(stems[at], stems[other]) for other in chosen):
            chosen.append(at)
    return [fit[at] for at in sorted(chosen)]


def _score(one: Said, words: Sequence[str], recurring: Counter[str], place: int) -> float:
    most = max(recurring.values(), default=1)
    central = sum(recurring[word] for word in words) / (most * max(len(words), 8))
    return central + _NAMED * min(one.named, 4) + _OPENING / (1 + place)


def _repeats(words: Sequence[str], others: Sequence[str]) -> bool:
    return bool(words) and len({*words} & {*others}) > _REPEATED * len({*words})
