"""The results as figures, PNG and SVG, the same bytes for the same results.

Colours are Okabe and Ito's, which people with any colour vision can tell apart; marks differ in shape as well.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assistant.evaluation.bench.intervals import Estimate, Spread
from assistant.evaluation.bench.measure import AGENT, PLANNED_AGENT
from assistant.evaluation.bench.tables import Damaged, FolderResult
from assistant.shared.rendering import plain
from kb.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from assistant.evaluation.calibration import Calibration

BLUE, ORANGE, GREEN, PINK, SKY, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#555555"
LINES = ((ORANGE, "o"), (BLUE, "s"), (GREEN, "^"), (PINK, "D"), (SKY, "v"), (GREY, "P"))
"""Colour and mark of a technique's line; the agent has the first."""
MARKS = {AGENT: ("s", ORANGE, ORANGE, 7), PLANNED_AGENT: ("D", ORANGE, "white", 7)}
"""Mark, colour, face and points of what is no single technique."""

STYLE: Any = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "text.parse_math": False,  # a name with a dollar sign is a name
    "svg.hashsalt": "clew",  # ids in the file, else drawn by chance
}
ROW_INCHES = 0.26
SHIFT = 0.15
"""Rows between a row's middle and its marks, of which it has two."""
DPI = 160
PER_CENT = (0, 20, 40, 60, 80, 100)
OFFSETS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""Where a label may stand to its point, the best place first."""


def require_matplotlib() -> None:
    """Raises UsageError, saying what to install, where figures cannot be drawn."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise UsageError("figures are drawn with matplotlib, which is not there; install it: pip install 'clew[bench]'")


def draw_all(result: FolderResult) -> Iterator[tuple[str, bytes]]:
    """(name with suffix, content) of every figure that the results of a folder have something for."""
    figures: Mapping[str, tuple[object, Callable[[FolderResult], Figure]]] = {
        "quality": (any(row.recall or row.f1 for row in result.quality), draw_quality),
        "time": (any(row.recall for row in result.quality), draw_time),
        "ablations": (result.ablations, draw_ablations),
        "damage": (any(row.recall for row in result.damage), draw_damage),
        "damage-answers": (any(row.f1 for row in result.damage), draw_damaged_answers),
    }
    for name, (wanted, draw) in figures.items():
        if wanted:
            with _style():
                figure = draw(result)
                png = _bytes(figure, format="png", metadata={"Software": None}, dpi=DPI)
                svg = _bytes(figure, format="svg", metadata={"Date": None, "Creator": None})
            yield from ((f"{name}.png", png), (f"{name}.svg", svg))


def curve_figure(found: Calibration, suffix: str) -> bytes:
    """The risk by coverage of a run as a .svg or .png. UsageError for another suffix, and without matplotlib."""
    if suffix.casefold() not in (".svg", ".png"):
        raise UsageError(f"a figure is a .svg or a .png, got {suffix!r}")
    require_matplotlib()
    from matplotlib.figure import Figure

    with _style():
        figure = Figure(figsize=(7.2, 4.0), layout="constrained")
        axes = figure.subplots()
        coverage, risk = [one.coverage for one in found.curve], [one.risk for one in found.curve]
        axes.plot(coverage, risk, color=BLUE, linewidth=1.6)
        axes.set(xlim=(0, 102), xticks=PER_CENT, ylim=(0, max(*risk, 10.0) * 1.1))
        axes.set(xlabel="questions answered, the surest first, per cent", ylabel="wrong answers among them, per cent")
        title = f"Risk by coverage, {found.questions} questions, AURC {found.aurc:.1f}"
        figure.suptitle(title, x=0.01, horizontalalignment="left", fontsize=11)
        if suffix.casefold() == ".png":
            return _bytes(figure, format="png", metadata={"Software": None}, dpi=DPI)
        return _bytes(figure, format="svg", metadata={"Date": None, "Creator": None})


def draw_quality(result: FolderResult) -> Figure:
    """Recall@5 and full chain@5 of each technique, and EM and F1 of what answers, with their intervals."""
    from matplotlib.figure import Figure

    rows = result.quality
    figure = Figure(figsize=(7.2, 1.5 + ROW_INCHES * len(rows)), layout="constrained")
    axes = figure.subplots()
    series: Sequence[tuple[str, str, str, str, Sequence[Estimate | None]]] = (
        ("recall@5", BLUE, "o", BLUE, [row.recall for row in rows]),
        ("full chain@5", ORANGE, "s", ORANGE, [row.chain for row in rows]),
        ("answer F1", GREEN, "D", "white", [row.f1 for row in rows]),
        ("answer EM", PINK, "^", "white", [row.exact for row in rows]),
    )
    drawn = [(at, one) for at, one in enumerate(series) if any(one[4])]
    for at, (label, colour, mark, face, estimates) in drawn:
        # Answers share the lines of passages: only the agent has both, and they seldom meet.
        style = {"color": colour, "marker": mark, "markerfacecolor": face, "label": label}
        _intervals(axes, estimates, -SHIFT if at % 2 == 0 else SHIFT, style)
    _names(axes, [row.technique for row in rows])
    axes.set(xlim=(-2, 102), xticks=PER_CENT, xlabel="per cent, with 95 % intervals over the questions")
    _title(figure, f"{result.name}: what each technique finds", result)
    figure.legend(loc="outside lower center", ncols=len(drawn))
    return figure


def draw_time(result: FolderResult) -> Figure:
    """Recall@5 against the median seconds of a question: a point a technique."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    rows = [row for row in result.quality if row.recall]
    figure = Figure(figsize=(7.2, 4.8), layout="constrained")
    axes = figure.subplots()
    points = [(1000 * row.p50, row.recall.value if row.recall else 0.0) for row in rows]
    for (x, y), row in zip(points, rows, strict=True):
        mark, colour, face, size = MARKS.get(row.technique, ("o", BLUE, BLUE, 6))
        axes.plot(x, y, mark, color=colour, markerfacecolor=face, markersize=size)
    axes.set_xscale("log")
    lowest = min(y for _, y in points)
    axes.set_ylim(max(-3.0, 10 * (lowest // 10) - 3), 103)
    axes.set_xlim(min(x for x, _ in points) / 1.6, max(x for x, _ in points) * 2.4)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set(xlabel="median milliseconds of a warm question, logarithmic")
    axes.set_ylabel("recall@5, per cent")
    _title(figure, f"{result.name}: quality against time", result)
    figure.draw_without_rendering()
    _label_points(axes, points, [row.technique for row in rows])
    return figure


def draw_ablations(result: FolderResult) -> Figure:
    """The change of recall@5 and of full chain@5 without each step, by method."""
    from matplotlib.figure import Figure

    rows = [row for row in result.ablations if row.without]
    figure = Figure(figsize=(7.2, 1.5 + ROW_INCHES * len(rows)), layout="constrained")
    axes = figure.subplots()
    recall = {"color": BLUE, "marker": "o", "label": "recall@5"}
    chain = {"color": ORANGE, "marker": "s", "label": "full chain@5"}
    _intervals(axes, [row.recall_change for row in rows], -SHIFT, recall)
    _intervals(axes, [row.chain_change for row in rows], SHIFT, chain)
    _names(axes, [f"{row.method}: {row.without}" for row in rows])
    for at, row in enumerate(rows[1:], 1):
        if row.method != rows[at - 1].method:
            axes.axhline(at - 0.5, color="#999999", linewidth=0.6)
    axes.axvline(0, color="black", linewidth=0.8, zorder=1)
    axes.set(xlabel="change without the step, points (95 % intervals)")
    _title(figure, f"{result.name}: each method with one step switched off", result)
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def draw_damage(result: FolderResult) -> Figure:
    """Recall@5 of each technique against rho, one panel a mode and scope; bands are one standard deviation."""
    return _damage_panels(result, f"{result.name}: passages found under damage", "recall@5, per cent", "recall")


def draw_damaged_answers(result: FolderResult) -> Figure:
    """F1 of the agent's answers against rho, as in CS-RAG's figure 3."""
    return _damage_panels(result, f"{result.name}: answers under damage", "answer F1, per cent", "f1")


def _damage_panels(result: FolderResult, title: str, unit: str, measure: str) -> Figure:
    from matplotlib.figure import Figure

    rows = [row for row in result.damage if getattr(row, measure)]
    modes, scopes = (list(dict.fromkeys(getattr(row, name) for row in rows)) for name in ("mode", "scope"))
    names = sorted({row.technique for row in rows}, key=lambda name: (name != AGENT, name))
    figure = Figure(figsize=(2.6 * len(scopes) + 0.8, 2.1 * len(modes) + 1.0), layout="constrained")
    grid = figure.subplots(len(modes), len(scopes), sharex=True, sharey=True, squeeze=False)
    for at, mode in enumerate(modes):
        for beside, scope in enumerate(scopes):
            panel = grid[at][beside]
            for name, (colour, mark) in zip(names, LINES, strict=False):
                line = [row for row in rows if (row.mode, row.scope, row.technique) == (mode, scope, name)]
                # The agent lies broad underneath, so that a technique as good as it does not hide it.
                size = {"linewidth": 3.2, "markersize": 7} if name == AGENT else {"linewidth": 1.3, "markersize": 4}
                _curve(panel, line, measure, {"color": colour, "marker": mark, "label": name, **size})
            panel.set_title(f"{mode} facts,\n{scope}")
            panel.set(xticks=sorted({row.rho for row in rows}), ylim=(-4, 106), yticks=PER_CENT)
        grid[at][0].set_ylabel(unit)
    grid[-1][len(scopes) // 2].set_xlabel(
        "rho: share of the facts in scope that are spoilt\n(bands: one standard deviation over seeds)"
    )
    _title(figure, title, result)
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def _curve(axes: Axes, rows: Sequence[Damaged], measure: str, style: Mapping[str, Any]) -> None:
    spreads: list[Spread] = [getattr(row, measure) for row in rows]
    rhos = [row.rho for row in rows]
    axes.plot(rhos, [one.mean for one in spreads], **style)
    low = [one.mean - one.deviation for one in spreads]
    high = [one.mean + one.deviation for one in spreads]
    axes.fill_between(rhos, low, high, color=style["color"], alpha=0.2, linewidth=0)


def _intervals(axes: Axes, estimates: Sequence[Estimate | None], shift: float, style: Mapping[str, Any]) -> None:
    """A mark with its interval for each row, from the top down, `shift` rows below its middle."""
    known = [(at + shift, one) for at, one in enumerate(estimates) if one]
    xs, ys = [one.value for _, one in known], [at for at, _ in known]
    ends = [
        (one.value if one.low is None else one.low, one.value if one.high is None else one.high) for _, one in known
    ]
    lengths = [
        [x - low for x, (low, _) in zip(xs, ends, strict=True)],
        [high - x for x, (_, high) in zip(xs, ends, strict=True)],
    ]
    axes.errorbar(xs, ys, xerr=lengths, linestyle="none", markersize=5, elinewidth=1.2, capsize=0, **style)


def _names(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [plain(name, 60) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def _title(figure: Figure, title: str, result: FolderResult) -> None:
    count = result.with_supporting or result.with_answers
    text = plain(f"{title} ({count} question{'' if count == 1 else 's'})", 90)
    figure.suptitle(text, x=0.01, horizontalalignment="left", fontsize=11)


def _label_points(axes: Axes, points: Sequence[tuple[float, float]], labels: Sequence[str]) -> None:
    """Each label beside its point, where it covers the fewest other points and labels, the topmost points first."""
    at = axes.transData.transform(points)
    taken: list[Sequence[float]] = [(x - 6, y - 6, x + 6, y + 6) for x, y in at]
    # What lies beyond the axes is taken as well: a label does not cross one.
    taken += [(-_FAR, -_FAR, axes.bbox.x0, _FAR), (axes.bbox.x1, -_FAR, _FAR, _FAR)]
    for one in sorted(range(len(points)), key=lambda place: (-at[place][1], at[place][0])):
        width, height = 5.2 * len(labels[one]) * axes.figure.dpi / 100, 12 * axes.figure.dpi / 100
        boxes = [_box(at[one], width, height, offset) for offset in OFFSETS]
        best = min(range(len(boxes)), key=lambda place: (sum(_overlap(boxes[place], other) for other in taken), place))
        taken.append(boxes[best])
        dx, dy = OFFSETS[best]
        axes.annotate(
            labels[one],
            points[one],
            xytext=(7 * dx, 7 * dy if dx == 0 or dy == 0 else 5 * dy),
            textcoords="offset points",
            ha=("right", "center", "left")[dx + 1],
            va=("top", "center", "bottom")[dy + 1],
            fontsize=8,
        )


_FAR = 1e6
"""More pixels than a figure has."""


def _box(point: Sequence[float], width: float, height: float, offset: tuple[int, int]) -> tuple[float, ...]:
    x = point[0] + offset[0] * (9 + width / 2)
    y = point[1] + offset[1] * (6 + height / 2)
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _overlap(one: Sequence[float], other: Sequence[float]) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


@contextmanager
def _style() -> Iterator[None]:
    """Our settings whatever those of the machine are, without a word on letters that the font does not have."""
    import matplotlib as mpl

    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


def _bytes(figure: Figure, **how: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, **how)
    return buffer.getvalue()
