"""The words of a file: how they are written in its passages, and which names are nearly spelt like one.

Everything is looked up in the full text indexes; no list of words is read whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from string import ascii_lowercase

from kb.name_keys import name_key
from kb.store.engine import Phrase
from kb.store.knowledge_base import KnowledgeBase

_WORD = re.compile(r"\w+")
_LOOKED_AT = 20
"""Passages in which the writing of a word is looked at: of a word that is often written small, some will do so."""
_FORMS = 200
"""Passages that are looked through for a word: the index finds other forms of it too."""
_KNOWN_NAMES = 5
"""Names looked at for the writing of one word in names."""
_SHARED = 2
"""Letters with which a misspelt word and the name begin alike, unless one of just these is the wrong one."""


def writings(kb: KnowledgeBase, phrase: str) -> Counter[str]:
    """How the words of a phrase are written in the first passages and titles that have them, and how often.

    Accents and case make no other phrase, endings do. Empty for a phrase that stands nowhere, or without words.
    """
    wanted = [folded(word) for word in _WORD.findall(phrase)]
    if not wanted:
        return Counter()
    rows = kb._engine.texts("passages", [[Phrase(" ".join(wanted))]], _LOOKED_AT)
    return Counter(writing for row in rows for text in row for writing in _runs(text, wanted))


def written_in(text: str, phrase: str) -> list[str]:
    """The words of a phrase as they are written wherever a text has them; accents and case make no difference."""
    wanted = [folded(word) for word in _WORD.findall(phrase)]
    return list(_runs(text, wanted)) if wanted else []


def is_written(kb: KnowledgeBase, word: str) -> bool:
    """Whether a passage or title has just this word, accents and case aside.

    A word whose other forms are too frequent to look through counts as written.
    """
    wanted = re.compile(rf"\b{re.escape(folded(word))}\b")
    rows = kb._engine.texts("passages", [[Phrase(folded(word))]], _FORMS)
    return len(rows) == _FORMS or any(wanted.search(folded(text)) for row in rows for text in row)


def share_a_name(kb: KnowledgeBase, word: str, others: Iterable[str]) -> bool:
    """Whether a known name has `word` and one of the others."""
    query = [[Phrase(folded(word)), Phrase(folded(other))] for other in others]
    return bool(query and kb._engine.texts("entities", query, 1))


def names_near(kb: KnowledgeBase, word: str, distance: int) -> list[str]:
    """The words of known names at the least distance from `word` that is not 0 and at most `distance`, as written.

    Distance counts letters added, left out, replaced, or swapped with the next. The first two letters are the same
    except where one of them is the only fault.
    """
    wanted = folded(word)
    found: dict[int, dict[str, str]] = {}
    for term in dict.fromkeys((*_terms_like(kb, wanted), *kb._engine.known_name_words(_wrong_at_start(wanted)))):
        if 0 < (away := edits(wanted, term, distance)) <= distance and (name := in_names(kb, term)):
            found.setdefault(away, {})[term] = name
    return list(found[min(found)].values()) if found else []


def in_names(kb: KnowledgeBase, word: str) -> str:
    """The word as known names write it; "" where none writes it with a capital, and for several words."""
    term = folded(word)
    if not term.isalnum():
        return ""
    rows = kb._engine.texts("entities", [[Phrase(term)]], _KNOWN_NAMES)
    written = (word for row in rows for word in _WORD.findall(row[0]) if folded(word) == term)
    return next((word for word in written if word[0].isupper()), "")


def in_titles(kb: KnowledgeBase, word: str) -> bool:
    """Whether the title of a document has the word, or another form of it."""
    return bool(kb._engine.texts("passages", [[Phrase(folded(word), column="title")]], 1))


def titles_of(kb: KnowledgeBase, key: str) -> list[str]:
    """The titles of the documents that are known by this normalised name, in alphabetical order."""
    ids = [one for found in kb.named([name_key(key)]).values() for one in found]
    rows = kb._by_ids("SELECT title FROM documents WHERE entity IN ", ids)
    return sorted({row[0] for row in rows})


def edits(word: str, other: str, most: int) -> int:
    """How many letters are added, left out, replaced or swapped with the next; `most` + 1 where it is more than that.

    >>> edits("tarkovski", "tarkovsky", 2), edits("herschel", "hershcel", 2), edits("bath", "fram", 2)
    (1, 1, 3)
    """
    if abs(len(word) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(word, 1):
        earlier, before, row = before, row, [at]
        for place, its in enumerate(other, 1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != its))
            if earlier and place > 1 and letter == other[place - 2] and word[at - 2] == its:
                cost = min(cost, earlier[place - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


@lru_cache(maxsize=50_000)
def folded(word: str) -> str:
    """A word as the indexes have it: small letters without accents."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _runs(text: str, wanted: Sequence[str]) -> Iterator[str]:
    words = [(folded(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]
    size = len(wanted)
    for at in range(len(words) - size + 1):
        if words[at][0] == wanted[0] and all(words[at + step][0] == wanted[step] for step in range(1, size)):
            yield text[words[at][1] : words[at + size - 1][2]]


def _terms_like(kb: KnowledgeBase, word: str) -> list[str]:
    """The words of names that begin as `word` does."""
    start = word[:_SHARED]
    return kb._engine.name_words(start, start + "\U0010ffff")


def _wrong_at_start(word: str) -> list[str]:
    """What `word` may be if one of its first letters is wrong, missing, too many, or swapped with the next."""
    return list(dict.fromkeys(_with_another_start(word)))


def _with_another_start(word: str) -> Iterator[str]:
    for at in range(_SHARED):
        head, tail = word[:at], word[at:]
        yield head + tail[1:]
        yield head + tail[1:2] + tail[:1] + tail[2:]
        for letter in ascii_lowercase:
            yield head + letter + tail
            yield head + letter + tail[1:]
