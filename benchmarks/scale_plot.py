"""How building and asking grow, as a figure: what `benchmarks.scale` has measured of some sizes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.evaluation.bench.figures import require_matplotlib

Figures = Mapping[str, Mapping[str, Any]]
"""What was measured of a size, by step; a step that was not done is not there."""

PANELS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "passages written a second": {"build": ("build", "passages a second")},
    "the file, MB": {"file": ("build", "MB of file")},
    "most memory, MB": {
        "build": ("build", "MB of memory"), "clew ask": ("cold", "MB of memory"), "session": ("asked", "MB of memory"),
    },
    "seconds": {
        "clew ask": ("cold", "clew ask s"), "warm, median": ("asked", "warm median s"), "warm, p95": ("asked", "p95 s"),
    },
}  # fmt: skip
"""The lines of each panel, by label: the step and its figure."""


def refuse_undrawable(path: Path) -> None:
    """Raise SystemExit, before anything is measured, where there would be no figure."""
    if path.suffix.casefold() not in (".png", ".svg"):
        raise SystemExit(f"--plot {path}: a figure is a .png or a .svg")
    require_matplotlib()


def lines(measured: Mapping[int, Figures]) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """By panel and label the points, (documents, figure), of the sizes of which it was measured."""
    return {
        panel: {
            label: [(size, steps[step][name]) for size, steps in sorted(measured.items()) if step in steps]
            for label, (step, name) in labels.items()
        }
        for panel, labels in PANELS.items()
    }


def draw(measured: Mapping[int, Figures], path: Path) -> None:
    """Write the figure of what was measured, by the number of documents."""
    from matplotlib.figure import Figure  # a third of a second, where there is a plot

    figure = Figure(figsize=(9.0, 6.4), layout="constrained")
    for axes, (panel, labels) in zip(figure.subplots(2, 2).flat, lines(measured).items(), strict=True):
        for label, points in labels.items():
            axes.plot([size for size, _ in points], [value for _, value in points], marker="o", label=label)
        axes.set(title=panel, xscale="log", xlabel="documents", ylim=(0, None))
        axes.grid(alpha=0.3)
        if len(labels) > 1:
            axes.legend()
    figure.savefig(path)
