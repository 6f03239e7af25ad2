"""Names that are close to each other by their vectors, without a comparison of each with all.

Vectors are put into groups around the mean of those in it, and a name is compared with the names of the groups nearest
to it: what one of two close names misses, the other finds, if it is asked for as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kb.graph.stored_vectors import Codes, Ids, unit_rows

Floats = NDArray[np.float32]
_Kind = TypeVar("_Kind", bound=np.generic)
Pair = tuple[int, int, float]
"""The smaller id, the larger one, and their cosine."""

_ALL = 8_192
"""Names up to this many are compared with all, in about a second."""
_GROUPS = 4
"""Groups for the root of the number of names: finding a name's groups and looking through them take as long then."""
_NEAREST = 24
"""Groups that a name is compared with: of 5,943 pairs among 19,781 names 99.6 of 100 are found, with 16 groups 99.3."""
_SAMPLE = 50_000
"""Names whose means the groups are made around, at most, in so many rounds."""
_ROUNDS = 3
_ASKED = 16_384
"""Names that are looked for at once: what is kept of them beside all codes are some 100 MB."""
_BLOCK = 2_048
"""Names whose cosines with those of a group are worked out at once."""


def close_names(ids: Ids, codes: Codes, asked: Ids, least: float, most: int) -> Iterator[tuple[int, list[Pair]]]:
    """Pairs of the names asked for and the `most` nearest others of each with a cosine of `least`, in parts that come
    with how many have been looked for.

    `ids`, shape (n,), are ascending, `codes` have shape (n, dimension), and `asked` are places in them.
    """
    means = _means(codes, len(asked))
    groups = _members(codes, means)
    for start in range(0, len(asked), _ASKED):
        some = asked[start : start + _ASKED]
        yield min(start + _ASKED, len(asked)), _pairs(ids, some, *_nearest(codes, some, means, groups, least, most))


def _means(codes: Codes, asked: int) -> Floats:
    """The unit means of the groups, shape (groups, dimension); one group where few names are known or asked for."""
    count = int(_GROUPS * np.sqrt(len(codes)))
    if len(codes) <= _ALL or asked <= count:
        return np.zeros((1, codes.shape[1]), dtype=np.float32)
    # Names lie by their ids, which are drawn from their letters: every so many is a sample without order.
    rows = unit_rows(codes[np.linspace(0, len(codes) - 1, min(len(codes), _SAMPLE)).astype(np.int64)])
    means = rows[np.linspace(0, len(rows) - 1, count).astype(np.int64)]
    for _ in range(_ROUNDS):
        own = np.concatenate([(part @ means.T).argmax(axis=1) for part in _blocks(rows)])
        for group in np.unique(own):
            mean = rows[own == group].mean(axis=0)
            means[group] = mean / max(np.linalg.norm(mean), 1e-6)
    return means


def _members(codes: Codes, means: Floats) -> list[Ids]:
    """The places of each group's names, ascending."""
    own = [(unit_rows(part) @ means.T).argmax(axis=1) for part in _blocks(codes)]
    return _by_group(np.concatenate([np.zeros(0, dtype=np.int64), *own]), len(means))


def _nearest(
    codes: Codes, asked: Ids, means: Floats, groups: Sequence[Ids], least: float, most: int
) -> tuple[Ids, Floats]:
    """Places of the nearest names of those asked for, and their cosines, both of shape (asked, most): 0 for none."""
    looked_at = min(_NEAREST, len(means))
    near = [np.argpartition(-(unit_rows(codes[part]) @ means.T), looked_at - 1)[:, :looked_at]
            for part in _blocks(asked)]  # fmt: skip
    askers = _by_group(np.concatenate(near).ravel(), len(means))
    places, cosines = np.zeros((len(asked), most), dtype=np.int64), np.zeros((len(asked), most), dtype=np.float32)
    for members, asking in zip(groups, askers, strict=True):
        for others in _blocks(members):
            rows = unit_rows(codes[others])
            for part in _blocks(asking // looked_at):
                found = unit_rows(codes[asked[part]]) @ rows.T
                found[(found < least) | (asked[part, None] == others)] = 0.0
                hits = np.flatnonzero(found.any(axis=1))
                both = np.hstack([cosines[part[hits]], found[hits]])
                best = np.argsort(-both, axis=1, kind="stable")[:, :most]
                cosines[part[hits]] = np.take_along_axis(both, best, axis=1)
                known = np.hstack([places[part[hits]], np.broadcast_to(others, (len(hits), len(others)))])
                places[part[hits]] = np.take_along_axis(known, best, axis=1)
    return places, cosines


def _pairs(ids: Ids, asked: Ids, places: Ids, cosines: Floats) -> list[Pair]:
    found: dict[tuple[int, int], float] = {}
    for at, nth in zip(*np.nonzero(cosines), strict=True):
        one, other = int(ids[asked[at]]), int(ids[places[at, nth]])
        found[min(one, other), max(one, other)] = round(min(float(cosines[at, nth]), 1.0), 6)
    return [(a, b, cosine) for (a, b), cosine in sorted(found.items())]


def _by_group(own: Ids, groups: int) -> list[Ids]:
    """For each group the places where it stands in `own`, ascending."""
    order = np.argsort(own, kind="stable")
    return np.split(order, np.searchsorted(own[order], np.arange(1, groups)))


def _blocks(rows: NDArray[_Kind]) -> Iterator[NDArray[_Kind]]:
    for start in range(0, len(rows), _BLOCK):
        yield rows[start : start + _BLOCK]
