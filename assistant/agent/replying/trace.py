"""What a reply keeps of how it was come by, beside chains and passages: bounded, and plain JSON types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Fact(NamedTuple):
    """A fact near the thread; `rank` is the place of its passage in the reply's, from 1, or 0 where it has none."""

    head: str
    relation: str
    tail: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Trace:
    """Facts around the thread, the most telling first, and what the techniques handed on, each as a line.

    `groups` are what concepts may mean, `graphs` the evidence graphs and `paths` the paths kept, best first; `revived`
    are paths that were pruned and brought back. `kept` and `pruned` count the things that paths led to.
    """

    facts: tuple[Fact, ...] = ()
    groups: tuple[str, ...] = ()
    graphs: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    revived: tuple[str, ...] = ()
    kept: int = 0
    pruned: int = 0
