"""Words of texts as they are compared: stems without endings, how many of them another text has, names in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kb.name_keys import name_key

_WORD = re.compile(r"\w+")
_SUFFIX = re.compile(r"(?:ational|ation|ations|ing|ings|ers|er|ors|or|ies|ied|ed|es|s|e|y)$")
_STOP = frozenset(
    """a an the of in on at by for from to with and or is are was were be been being has have had do does did that which
    who whom whose what when where how it its this these those as not no into than then there their his her he she they
    one some any also name named called""".split()
)
_NOTHING = frozenset({""})


@lru_cache(maxsize=8_192)
def stems(text: str) -> frozenset[str]:
    """The content words of a text, without common endings ("directed", "director" and "directing" are all "direct").

    >>> sorted(stems("was directed by the directors"))
    ['direct']
    """
    return frozenset(map(_stem, _WORD.findall(text.casefold()))) - _NOTHING


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    if word in _STOP:
        return ""
    shorter = _SUFFIX.sub("", word)
    return shorter if len(shorter) >= 3 else word


def coverage(wanted: frozenset[str], found: frozenset[str]) -> float:
    """The share of the wanted words that are found, 0..1; 0 where none is wanted."""
    return len(wanted & found) / len(wanted) if wanted else 0.0


def ways_to_say(texts: Iterable[str]) -> list[frozenset[str]]:
    """The stems of each text that has any; a relation and its variants are ways to say one thing."""
    found = [stems(text) for text in dict.fromkeys(texts)]
    return [one for one in found if one]


def best_coverage(ways: Iterable[frozenset[str]], found: frozenset[str]) -> float:
    """The coverage of the way that is said best; 0 where there is none."""
    # Asked hundreds of thousands of times in a question, mostly of ways that are not said at all.
    return max([coverage(one, found) for one in ways if not one.isdisjoint(found)], default=0.0)


def plain(text: str) -> str:
    """A text as its words' name keys, for `said_in`; of any length, which `name_key` cuts."""
    return " ".join(map(_word_key, text.split()))


_word_key = lru_cache(maxsize=100_000)(name_key)


def said_in(name: str, text: str) -> bool:
    """Whether a name stands, word for word, in a text that `plain` has made plain; never for a name without words."""
    key = name_key(name)
    return bool(key) and f" {key} " in f" {text} "


def margins(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each value is above the best of the others; 0 for one alone."""
    if len(values) < 2:
        return np.zeros(len(values))
    second, best = np.sort(values)[-2:]
    others: NDArray[np.float64] = np.full(len(values), best)
    others[int(values.argmax())] = second
    return np.asarray(values - others)
