"""Finding known titles in running text, whatever words they are made of.

The extractor sees capitalised runs only; "Sing to the Moon" or "King Lothair II" need the titles themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kb.name_keys import name_key

_WORD = re.compile(r"[\w$€£%+&]+(?:['’]\w+)*")


@dataclass(slots=True)
class TitleIndex:
    """Keys of two and more words. A single word is an entity only where it stands as a name."""

    _keys: dict[tuple[str, ...], str] = field(default_factory=dict)
    _longest: dict[tuple[str, ...], int] = field(default_factory=dict)
    """By their first two words, how many words the longest of those keys has."""

    def add(self, key: str) -> None:
        """Make `key` known; keys of one word are left out."""
        words = tuple(key.split())
        if len(words) > 1:
            self._keys[words] = key
            self._longest[words[:2]] = max(self._longest.get(words[:2], 0), len(words))

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """Where keys stand in `text`, as (start, end, key) in text order, one inside another included.

        Of those that start at the same place the shorter comes first.
        """
        words = [(name_key(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]
        words = [word for word in words if word[0]]
        keys = tuple(word[0] for word in words)
        found: list[tuple[int, int, str]] = []
        for first, (_, start, _) in enumerate(words):
            longest = self._longest.get(keys[first : first + 2], 0)
            for last in range(first + 2, min(first + longest, len(keys)) + 1):
                key, end = self._keys.get(keys[first:last]), words[last - 1][2]
                if key is not None and _is_written_as_a_name(text[start:end]):
                    found.append((start, end, key))
        return found


def _is_written_as_a_name(words: str) -> bool:
    """ "the end" in passing is not the film "The End": one of its words must be written as a name."""
    return any(char.isupper() for char in words) or not words.isascii()
