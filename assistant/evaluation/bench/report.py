"""The results as tables: Markdown for a file, aligned columns for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.evaluation.bench.intervals import Estimate, Spread
from assistant.evaluation.bench.tables import FolderResult
from assistant.shared.rendering import escape_markdown, plain

Rows = list[list[str]]
"""Cells of plain text, the header first; the first column is words, the others are figures."""

HEAD = """# Results of `clew bench`

Recall and full chains are of the first five documents, over the questions whose supporting documents are known; EM
and F1 are SQuAD's, over those with known answers, a refusal counting as wrong. All in per cent, with 95 % bootstrap
intervals over the questions in brackets; under damage with one standard deviation over the seeds. Seconds are of a
warm question on the machine in `manifest.json`.
"""


def markdown(results: Sequence[FolderResult], notes: Sequence[str]) -> str:
    """All results as one document."""
    blocks = [HEAD, *(f"- {escape_markdown(note)}" for note in notes)]
    for result in results:
        blocks += [f"## {escape_markdown(result.name)}", summary(result)]
        blocks += [f"- {escape_markdown(note)}" for note in result.notes]
        for title, rows in sections(result):
            blocks += [f"### {title}", _markdown_table(rows)]
    return "\n\n".join(block.strip() for block in blocks) + "\n"


def sections(result: FolderResult) -> list[tuple[str, Rows]]:
    """The titled tables of a folder, those that hold something."""
    tables = [
        ("Quality", quality_rows(result)),
        ("What is lost (-) or gained (+) without a step", ablation_rows(result)),
        ("Under damage", damage_rows(result)),
        ("Which tools the agent called, in the order of their first call", choice_rows(result)),
    ]
    return [(title, rows) for title, rows in tables if len(rows) > 1]


def summary(result: FolderResult) -> str:
    """What was asked of what."""
    return (
        f"{result.passages:,} passages; {result.questions:,} questions, {result.with_supporting:,} with known "
        f"supporting documents, {result.with_answers:,} with known answers."
    )


def quality_rows(result: FolderResult, *, intervals: bool = True) -> Rows:
    """A row a technique."""
    rows = [["technique", "recall@5", "full chain@5", "EM", "F1", "s p50", "s p95"]]
    for row in result.quality:
        estimates = (row.recall, row.chain, row.exact, row.f1)
        measures = [_estimate(one, intervals=intervals) for one in estimates]
        rows.append([row.technique, *measures, f"{row.p50:.3f}", f"{row.p95:.3f}"])
    return rows


def ablation_rows(result: FolderResult) -> Rows:
    """A row a step; the whole method first, with what it finds."""
    rows = [["method", "without", "recall@5", "full chain@5", "s p50"]]
    for row in result.ablations:
        recall, chain = (row.recall_change, row.chain_change) if row.without else (row.recall, row.chain)
        sign = "+" if row.without else ""
        rows.append([row.method, row.without, _estimate(recall, sign), _estimate(chain, sign), f"{row.p50:.3f}"])
    return rows


def damage_rows(result: FolderResult) -> Rows:
    """A row a technique, mode, scope and rho."""
    rows = [["facts", "where", "technique", "rho", "recall@5", "full chain@5", "EM", "F1"]]
    for row in result.damage:
        measures = [_spread(one) for one in (row.recall, row.chain, row.exact, row.f1)]
        rows.append([row.mode, row.scope, row.technique, f"{row.rho:g}", *measures])
    return rows


def choice_rows(result: FolderResult) -> Rows:
    """A row a type of question and order of tools."""
    rows = [["type", "questions", "tools", "share"]]
    for row in result.choices:
        kind = escape_markdown(row.type, 80).replace("|", "\\|") or "-"
        rows.append([kind, str(row.questions), " → ".join(row.tools), f"{row.share:.0f} %"])
    return rows


def aligned(rows: Rows) -> str:
    """A table for a terminal: words to the left, figures to the right."""
    cells = [[plain(cell, 80) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    lines = []
    for row in cells:
        first, *others = zip(row, widths, strict=True)
        lines.append("  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip())
    return "\n".join(lines)


def _markdown_table(rows: Rows) -> str:
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _estimate(one: Estimate | None, sign: str = "", *, intervals: bool = True) -> str:
    if one is None:
        return "-"
    if one.low is None or one.high is None or not intervals:
        return f"{one.value:{sign}.1f}"
    return f"{one.value:{sign}.1f} [{one.low:{sign}.1f}, {one.high:{sign}.1f}]"


def _spread(one: Spread | None) -> str:
    return "-" if one is None else f"{one.mean:.1f} ± {one.deviation:.1f}"
