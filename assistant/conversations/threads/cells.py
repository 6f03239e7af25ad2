"""Text measured in cells of a terminal: wide and combining characters count as what they take."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from assistant.shared.rendering import Part

_JOINER = "\N{ZERO WIDTH JOINER}"


@lru_cache(maxsize=4096)
def width_of(text: str) -> int:
    """Cells that a line takes."""
    from rich.cells import cell_len  # 14 ms, which `clew --help` does without

    return len(text) if text.isascii() else sum(cell_len(cluster) for cluster in clusters(text))


def clusters(text: str) -> Iterator[str]:
    """The characters of a text, each with what combines with it; one that has nothing to combine with gets a circle."""
    if text.isascii():
        yield from text
        return
    from rich.cells import cell_len

    cluster = ""
    for character in text:
        if cluster and (cell_len(character) == 0 or cluster.endswith(_JOINER)):
            cluster += character
            continue
        if cluster:
            yield cluster
        cluster = f"\N{DOTTED CIRCLE}{character}" if unicodedata.combining(character) else character
    if cluster:
        yield cluster


def fitted(text: str, width: int) -> str:
    """A line cut to `width` cells, with "…" as the last where something is missing; "" where there is no room."""
    if width_of(text) <= width:
        return "".join(clusters(text))
    kept, used = "", 1
    for cluster in clusters(text):
        used += width_of(cluster)
        if used > width:
            break
        kept += cluster
    return f"{kept.rstrip()}…" if width > 0 else ""


def padded(text: str, width: int) -> str:
    """A line of exactly `width` cells, cut or filled with spaces."""
    text = fitted(text, width)
    return text + " " * (width - width_of(text))


def wrapped(text: str, width: int, lines: int) -> list[str]:
    """A text in at most `lines` lines of `width` cells, broken at spaces where there are any, the rest cut off."""
    found: list[str] = []
    left = "".join(clusters(text))
    while width_of(left) > width and len(found) < lines - 1:
        cut = _break(left, width)
        found.append(left[:cut].rstrip())
        left = left[cut:].lstrip()
    return [*found, fitted(left, width)]


def merged(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts of a line, those side by side of one role as one."""
    found: list[Part] = []
    for text, role in parts:
        if found and found[-1][1] == role:
            found[-1] = (found[-1][0] + text, role)
        else:
            found.append((text, role))
    return tuple(found)


def _break(text: str, width: int) -> int:
    """Where a text that is too wide is broken: after the last word that fits, or the last character."""
    used = end = 0
    for cluster in clusters(text):
        used += width_of(cluster)
        if used > width:
            break
        end += len(cluster)
    space = text.rfind(" ", 1, end + 1)
    return space if space > 0 else max(end, 1)
