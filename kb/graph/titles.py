"""Finding known titles in running text, whatever words they are made of.

The extractor sees capitalised runs only; "Sing to the Moon" or "King Lothair II" need the titles themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from kb.name_keys import name_key

_WORD = re.compile(r"[\w$€£%+&]+(?:['’]\w+)*")


@dataclass(slots=True)
class TitleIndex:
    """Keys of two and more words, by their first word. A single word is an entity only where it stands as a name."""

    _by_first_word: dict[str, dict[tuple[str, ...], str]] = field(default_factory=dict)

    def add(self, key: str) -> None:
        """Make `key` known; keys of one word are left out."""
        words = tuple(key.split())
        if len(words) > 1:
            self._by_first_word.setdefault(words[0], {})[words] = key

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """Where keys stand in `text`, as (start, end, key) in text order, one inside another included."""
        words = [(name_key(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]
        words = [word for word in words if word[0]]
        return [hit for position in range(len(words)) for hit in self._at(text, words, position)]

    def _at(self, text: str, words: list[tuple[str, int, int]], position: int) -> Iterable[tuple[int, int, str]]:
        for key_words, key in self._by_first_word.get(words[position][0], {}).items():
            last = position + len(key_words) - 1
            if last >= len(words):
                continue
            if all(words[position + offset][0] == word for offset, word in enumerate(key_words)):
                start, end = words[position][1], words[last][2]
                # "the end" in passing is not the film "The End": one of its words must be written as a name.
                if any(char.isupper() for char in text[start:end]) or not text[start:end].isascii():
                    yield start, end, key
