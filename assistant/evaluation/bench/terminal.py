"""The figures drawn with characters, for a terminal of 80 columns or more."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assistant.evaluation.bench.intervals import Estimate
from assistant.evaluation.bench.tables import Damaged, FolderResult
from assistant.shared.rendering import plain

NAME = 26
WIDTH, HEIGHT = 60, 14
BLOCKS = " ▁▂▃▄▅▆▇█"


def drawings(result: FolderResult) -> list[str]:
    """Every figure that the results of a folder have something for."""
    figures = (draw_quality(result), draw_time(result), _draw_ablations(result), _draw_damage(result))
    return [figure for figure in figures if figure]


def draw_quality(result: FolderResult) -> str:
    """Recall@5 with its interval, and the place of the full chain; of answers F1, where there is no recall."""
    rows = [(row.technique, row.recall or row.f1, row.chain) for row in result.quality if row.recall or row.f1]
    if not rows:
        return ""
    lines = [
        f"{plain(name, NAME):<{NAME}} {_interval(one, 0, 100, mark=chain)} {one.value:5.1f}"
        for name, one, chain in rows
        if one
    ]
    unit = "recall@5, per cent (● with 95 % interval); □ full chain@5" if result.with_supporting else "F1, per cent"
    return "\n".join([unit, *lines, f"{'':<{NAME}} {_scale('0', '50', '100')}"])


def draw_time(result: FolderResult) -> str:
    """Recall@5 against median milliseconds, a letter a technique."""
    rows = [row for row in result.quality if row.recall]
    if not rows:
        return ""
    xs = [math.log10(max(1000 * row.p50, 0.01)) for row in rows]
    ys = [row.recall.value if row.recall else 0.0 for row in rows]
    left, right, bottom, top = min(xs), max(xs), 10 * (min(ys) // 10), 100.0
    canvas = [[" "] * WIDTH for _ in range(HEIGHT)]
    for at, (x, y) in enumerate(zip(xs, ys, strict=True)):
        column, row = _place(x, left, right, WIDTH), HEIGHT - 1 - _place(y, bottom, top, HEIGHT)
        while canvas[row][column] != " " and column + 1 < WIDTH:  # beside one that is as good and as fast
            column += 1
        canvas[row][column] = chr(ord("A") + at)
    labels = {0: f"{top:.0f}", HEIGHT - 1: f"{bottom:.0f}"}
    lines = [f"{labels.get(at, ''):>4} │{''.join(line)}".rstrip() for at, line in enumerate(canvas)]
    axis = f"     └{'─' * WIDTH}\n      {_scale(f'{10**left:.3g} ms', '', f'{10**right:.3g} ms', WIDTH)}"
    names = [f"{chr(ord('A') + at)} {row.technique}" for at, row in enumerate(rows)]
    return "\n".join(["recall@5, per cent, against median milliseconds (logarithmic)", *lines, axis, *_columns(names)])


def _draw_ablations(result: FolderResult) -> str:
    """The change of recall@5 without each step, around a middle of 0."""
    rows = [(row, row.recall_change) for row in result.ablations if row.without]
    reach = max((max(abs(one.low or one.value), abs(one.high or one.value)) for _, one in rows if one), default=0.0)
    if not rows:
        return ""
    reach = max(reach, 1.0)
    lines = []
    for row, one in rows:
        if one:
            name = plain(f"{row.method}: {row.without}", 2 * NAME)
            lines.append(f"{name:<{2 * NAME}} {_interval(one, -reach, reach, WIDTH // 2 + 1)} {one.value:+5.1f}")
    scale = _scale(f"-{reach:.0f}", "0", f"+{reach:.0f}", WIDTH // 2 + 1)
    return "\n".join(["change of recall@5 without a step, points", *lines, f"{'':<{2 * NAME}} {scale}"])


def _draw_damage(result: FolderResult) -> str:
    """Recall@5 at each rho, or F1 where no supporting documents are known; a block is as high as the figure."""
    measure = "recall" if any(row.recall for row in result.damage) else "f1"
    curves: dict[tuple[str, str], dict[str, list[Damaged]]] = {}
    for row in result.damage:
        if getattr(row, measure):
            curves.setdefault((row.mode, row.scope), {}).setdefault(row.technique, []).append(row)
    if not curves:
        return ""
    rhos = sorted({row.rho for row in result.damage})
    name = "recall@5" if measure == "recall" else "F1"
    lines = [f"{name} under damage, per cent", f"{'rho':>{NAME}}       {''.join(f'{rho:>7g}' for rho in rhos)}"]
    for (mode, scope), techniques in curves.items():
        lines.append(f"{mode} facts, {scope}")
        for technique, rows in techniques.items():
            means = [getattr(row, measure).mean for row in rows]
            blocks = "".join(BLOCKS[max(1, round(8 * mean / 100))] for mean in means)
            lines.append(f"{plain(technique, NAME):>{NAME}}  {blocks:<4} {''.join(f'{mean:7.1f}' for mean in means)}")
    return "\n".join(lines)


def _interval(one: Estimate, low: float, high: float, width: int = WIDTH - 20, mark: Estimate | None = None) -> str:
    """A line from `low` to `high` with the interval, the value and a second value on it."""
    cells = ["·"] * width
    if low < 0:
        cells[_place(0, low, high, width)] = "│"
    if one.low is not None and one.high is not None:
        for at in range(_place(one.low, low, high, width), _place(one.high, low, high, width) + 1):
            cells[at] = "─"
    if mark:
        cells[_place(mark.value, low, high, width)] = "□"
    cells[_place(one.value, low, high, width)] = "●"
    return "".join(cells)


def _place(value: float, low: float, high: float, cells: int) -> int:
    share = (value - low) / (high - low) if high > low else 0.5
    return min(max(round(share * (cells - 1)), 0), cells - 1)


def _scale(left: str, middle: str, right: str, width: int = WIDTH - 20) -> str:
    return left + middle.center(width - len(left) - len(right)) + right


def _columns(texts: Sequence[str]) -> list[str]:
    return [
        "      " + "".join(f"{text:<{NAME}}" for text in texts[at : at + 3]).rstrip() for at in range(0, len(texts), 3)
    ]
