"""Names over which evidence may go on from one passage of a pool to another, and how well each would carry it.

A chain's middle is a name that the question does not say: "Pocahontas Mounds ... in Mississippi" leads to whatever
tells when Mississippi became a state. Where the next document bears that very name there is a link. Where it is one of
hundreds that mention it, only what the sentences around the name say tells it from the others: that of the one passage
speaks of one part of the question, that of the other of another part.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kb.records import Passage
from tools.search.word_match import stems

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

BRIDGE_FEATURES = (
    "bridge source", "bridge target", "bridge target words", "bridge rarity", "bridge in title", "bridge place",
)  # fmt: skip

_WORDS = 0.5
"""Weight of words beside cosines and rarity, where the name is chosen that carries best."""
_SHARPNESS = 4.0
_FAR = 1 << 32
"""More characters than a passage has."""


@dataclass(frozen=True)
class PooledMentions:
    """Where the passages of a pool mention names, a row for each passage and name, ascending.

    `passages` and `names`, shape (m,); `cosines`, shape (m, parts): of the sentences that mention the name, the closest
    to each part of the question; `words`, shape (m,): the largest share of the question's words in such a sentence;
    `in_title`, shape (m,): 1 where all of the name stands in the passage's title.
    """

    passages: Rows
    names: Rows
    cosines: Floats
    words: Floats
    in_title: Floats


def read_places(
    passages: Sequence[Passage],
    mentions: Sequence[Sequence[tuple[int, int, int]]],
    sentences: Sequence[Sequence[tuple[int, int, float]]],
    cosines: Floats,
    share: Callable[[frozenset[str]], float],
    sources: Rows,
    left_out: Collection[int],
) -> PooledMentions:
    """The places of all names that a source, given by its place, shares with another passage.

    Of each passage the mentions (start, end, name) and the sentences (start, end, ...), in their order; `cosines`,
    shape (sentences of all passages, parts); `share` gives the share of the question's words. Names in `left_out` join
    nothing, and neither do mentions outside of all sentences.
    """
    found = np.array(
        [(at, start, end, name) for at, own in enumerate(mentions) for start, end, name in own], dtype=np.int64
    ).reshape(-1, 4)
    found = found[~np.isin(found[:, 3], sorted(left_out))]
    found = found[_joining(found[:, 0], found[:, 3], sources)]
    bounds = np.array(
        [(at * _FAR + start, at, start, end) for at, own in enumerate(sentences) for start, end, *_ in own],
        dtype=np.int64,
    ).reshape(-1, 4)
    at = np.searchsorted(bounds[:, 0], found[:, 0] * _FAR + found[:, 1], "right") - 1
    inside = at >= 0
    inside[inside] = bounds[at[inside], 1] == found[inside, 0]
    found, at = found[inside], at[inside]
    by_name = np.lexsort((found[:, 1], found[:, 3], found[:, 0]))
    found, at = found[by_name], at[by_name]
    first = np.flatnonzero(np.any(np.diff(found[:, [0, 3]], axis=0, prepend=-1) != 0, axis=1))
    words = np.zeros(len(bounds), dtype=np.float32)
    for one in np.unique(at).tolist():
        _, passage, start, end = bounds[one].tolist()
        words[one] = share(stems(passages[passage].text[start:end]))
    titles = [stems(one.title) for one in passages]
    in_title = [
        bool(name := stems(passages[passage].text[start:end])) and name <= titles[passage]
        for passage, start, end, _ in found.tolist()
    ]
    return PooledMentions(
        found[first, 0],
        found[first, 3],
        np.maximum.reduceat(cosines[at], first, axis=0) if len(first) else cosines[:0],
        np.maximum.reduceat(words[at], first) if len(first) else words[:0],
        np.maximum.reduceat(np.array(in_title, dtype=np.float32), first) if len(first) else words[:0],
    )


def _joining(passages: Rows, names: Rows, sources: Rows) -> NDArray[np.bool_]:
    """Of each mention whether its name stands in a source and in another passage."""
    if not len(names):
        return np.zeros(0, dtype=bool)
    pairs = np.unique(np.column_stack([names, passages]), axis=0)
    held, holders = np.unique(pairs[:, 0], return_counts=True)
    several = held[holders > 1]
    return np.isin(names, several) & np.isin(names, names[np.isin(passages, sources)])


def bridge_features(places: PooledMentions, sources: Rows, count: int, rarity: Floats) -> Floats:
    """Shape (sources, count, features): of each source and each of `count` targets the measures of the name that
    carries best; 0 where they share none. `rarity`, 0..1, is by name.

    The last is the place of that name among all that lead on from the source: 1 for the best, falling to 0.
    """
    found = np.zeros((len(sources), count, len(BRIDGE_FEATURES)), dtype=np.float32)
    at, to = _joined(places, sources)
    if not len(at):
        return found
    part = places.cosines[at].argmax(axis=1)
    others = places.cosines[to]
    if others.shape[1] > 1:
        others[np.arange(len(to)), part] = -1.0
    source, target, words = places.cosines[at].max(axis=1), others.max(axis=1), places.words[to]
    rare = rarity[places.names[at]]
    value = source + target + rare + _WORDS * words
    which = np.full(count, -1, dtype=np.int64)
    which[sources] = np.arange(len(sources))
    # Of several names between the same two the one written last stays, which is the best.
    order = np.argsort(value, kind="stable")
    measures = np.column_stack([source, target, words, rare, places.in_title[to], value])
    found[which[places.passages[at[order]]], places.passages[to[order]]] = measures[order]
    values = found[:, :, -1]
    behind = values - values.max(axis=1, keepdims=True)
    found[:, :, -1] = np.where(values > 0, np.exp(_SHARPNESS * behind), 0.0)
    return found


def _joined(places: PooledMentions, sources: Rows) -> tuple[Rows, Rows]:
    """Rows of a source and of another passage that have the same name, all such pairs."""
    order = np.argsort(places.names, kind="stable")
    names = places.names[order]
    mine = order[np.isin(places.passages[order], sources)]
    low, high = (np.searchsorted(names, places.names[mine], side) for side in ("left", "right"))
    sizes = high - low
    at = np.repeat(mine, sizes)
    inside = np.arange(len(at)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    to = order[np.repeat(low, sizes) + inside]
    apart = places.passages[at] != places.passages[to]
    return at[apart], to[apart]
