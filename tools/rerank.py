"""Scoring text against a constraint where no cross-encoder can be had: calibrated similarity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kb.records import Passage
from kb.store import KnowledgeBase

Floats = NDArray[np.float32]

_WORD = re.compile(r"\w+")
_SUFFIX = re.compile(r"(?:ational|ation|ations|ing|ings|ers|er|ors|or|ies|ied|ed|es|s|e|y)$")
_STOP = frozenset(
    """a an the of in on at by for from to with and or is are was were be been being has have had do does did that which
    who whom whose what when where how it its this these those as not no into than then there their his her he she they
    one some any also name named called""".split()
)
_NOTHING = frozenset({""})


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


def score_passages(kb: KnowledgeBase, text: str, passages: Sequence[Passage]) -> list[float]:
    """How well each passage speaks to `text`: the mean of its cosine and the share of the words that it has.

    A passage's words tell what its vector blurs (names, numbers), and the other way round. 0..1 in practice.
    """
    if not passages:
        return []
    wanted = stems(text)
    cosines = kb.passage_vectors([one.id for one in passages]) @ kb.embed([text])[0]
    return [
        0.5 * float(cosine) + 0.5 * coverage(wanted, stems(f"{one.title} {one.text}"))
        for cosine, one in zip(cosines, passages, strict=True)
    ]
