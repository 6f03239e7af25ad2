"""How far a run's certainty can be believed, as styled lines for people, the curve drawn in a few of them."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.evaluation.calibration import Calibration, Level, Point
from assistant.shared.rendering import Line

ROWS = 4
COLUMNS = 60
BLOCKS = " ▁▂▃▄▅▆▇█"
_LABEL = 18


def calibration_lines(found: Calibration) -> list[Line]:
    """Right answers by level, the calibration errors, and the curve; an empty line at the end."""
    header = f"{'certainty':<{_LABEL}}{'given':<9}{'right':<18}right or containing"
    lines = [Line(((header, "strong"),))]
    lines += [_level(name, level) for name, level in found.levels.items()]
    if found.ece_given is not None:
        lines.append(_figure("calibration error", f"{found.ece_given:.1f} of the answers given"))
    if found.ece_all is not None:
        lines.append(_figure("", f"{found.ece_all:.1f} of all, with refusals as not right"))
    if found.aurc is not None:
        lines.append(_figure("AURC", f"{found.aurc:.1f}"))
    return [*lines, Line(), *curve_lines(found.curve)]


def curve_lines(curve: Sequence[Point]) -> list[Line]:
    """The risk by coverage as a drawing of four rows, an empty line at the end; no lines for no points."""
    if not curve:
        return []
    heights = [_risk_at(curve, (at + 1) / COLUMNS * curve[-1].coverage) for at in range(COLUMNS)]
    top = max(*heights, 1.0)
    steps = [round(height / top * ROWS * (len(BLOCKS) - 1)) for height in heights]
    lines = [Line((("wrong answers among the surest, by how many of the questions they are", "strong"),))]
    for row in reversed(range(ROWS)):
        label = f"{top:.0f} %" if row == ROWS - 1 else "0 %" if row == 0 else ""
        blocks = "".join(BLOCKS[min(max(step - row * (len(BLOCKS) - 1), 0), len(BLOCKS) - 1)] for step in steps)
        lines.append(Line(((f"{label:>7} ┤", "dim"), (blocks.rstrip(), ""))))
    end = f"{curve[-1].coverage:.0f} %"
    return [*lines, Line(((f"{'':>9}0 %{end:>{COLUMNS - 3}}", "dim"),)), Line()]


def _risk_at(curve: Sequence[Point], coverage: float) -> float:
    return next((one.risk for one in curve if one.coverage >= coverage - 1e-9), curve[-1].risk)


def _level(name: str, level: Level) -> Line:
    counted = "".join(f"{count:<6}{_share(count, level.given):<12}" for count in (level.right, level.contains))
    return Line(((f"{name:<{_LABEL}}{level.given:<9}{counted}".rstrip(), ""),))


def _share(count: int, given: int) -> str:
    return f"{100 * count / given:.1f} %" if given else "-"


def _figure(label: str, text: str) -> Line:
    return Line(((f"{label:<{_LABEL}}{text}", ""),))
