"""Scores, comparisons and failures as styled lines for people, at most 100 cells wide."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assistant.evaluation.calibration_text import calibration_lines
from assistant.evaluation.evaluate import PASSAGE_MEASURES
from assistant.shared.rendering import STATE_MARKS, Line, Part, Role, duration, plain

if TYPE_CHECKING:
    from assistant.evaluation.comparison import Comparison, Difference
    from assistant.evaluation.evaluate import Estimate, Score, Verdict
    from assistant.evaluation.failures import Failure, GoldPassage, Lost
    from assistant.evaluation.run_lines import Hop

WIDTH = 100
ROWS = {
    "recall": "recall",
    "chain": "full chain",
    "strict": "strict hits",
    "support_precision": "support prec.",
    "support_f1": "support F1",
    "joint": "joint success",
    "em": "exact match",
    "f1": "F1",
    "precision": "right if answered",
    "found": "answered",
    "hub_share": "hub share",
    "hub_strength": "hub strength",
}
"""What the measures are called in tables."""

_CELL = 19
_LABEL = 18
_BLANK = Line()


def score_lines(scores: Sequence[Score]) -> list[Line]:
    """All questions first: each measure at each cutoff, the answers, what they cost; then the groups side by side."""
    overall, *groups = scores
    lines = [*_heading(overall), *_passages(overall), *_answers(overall)]
    lines += calibration_lines(overall.calibration) if overall.calibration else []
    lines += _hubs(overall)
    return lines + (_groups(groups) if groups else [])


def comparison_lines(comparison: Comparison, names: Sequence[str], k: int) -> list[Line]:
    """Measures with their differences and tests, then the questions that changed at k."""
    alone = f"; {comparison.only_this} only in this run, {comparison.only_other} only in the other"
    either = comparison.only_this or comparison.only_other
    this, other = (plain(name, 40) for name in names)
    title = f"{comparison.questions} questions in both{alone if either else ''}"
    lines = [Line(((title, ""),)), Line(((f"this   {this}", "dim"),)), Line(((f"other  {other}", "dim"),)), _BLANK]
    header = f"{'per cent':<17}{'this':>6}{'other':>6}  {'difference':<23}{'p':>7} {'won':>5}{'lost':>5}{'tied':>6}"
    lines.append(Line(((header, "strong"),)))
    lines += [_difference(one) for one in comparison.differences]
    changed = comparison.changes([f"recall@{k}", "em"])
    lines += [
        _BLANK,
        Line(((f"{len(changed)} questions changed in recall@{k} or exact match, losses first", "strong"),)),
    ]
    return lines + [_change(question, moved) for question, moved in changed.items()]


def failure_lines(found: Sequence[Failure], k: int, judged: int, width: int = WIDTH) -> list[Line]:
    """Every failure with its gold passages and hops, wrapped at `width`, and at the end how many have which cause."""
    return [line for one in found for line in _failure(one, k, width)] + cause_lines(found, k, judged)


def cause_lines(found: Sequence[Failure], k: int, judged: int) -> list[Line]:
    """How many failures have which cause and answer, and how the missed gold passages were lost."""
    from assistant.evaluation.failures import CAUSES, LOSSES, counts_by_cause, counts_by_loss, counts_of_answers

    verdicts: tuple[Verdict, ...] = ("right", "inexact", "wrong", "refused")
    lines = [Line(((f"{len(found)} of {judged} questions failed, at k = {k}", "strong"),))]
    if found:
        lines.append(Line(((f"{'cause':<14}{'questions':>9}" + "".join(f"{one:>9}" for one in verdicts), "strong"),)))
    for cause, counts in counts_by_cause(found).items():
        cells = "".join(f"{counts[one] or '':>9}" for one in verdicts)
        lines += [
            Line(((f"{cause:<14}{counts.total():>9}{cells}".rstrip(), ""),)),
            Line(((CAUSES[cause], "dim"),), indent=2),
        ]
    if answers := counts_of_answers(found, k):
        text = f"of {answers[1]} answers not right, {answers[0]} stand word for word in the first {k} passages"
        lines += [_BLANK, Line(((text, ""),))]
    losses = counts_by_loss(found)
    if losses:
        lines += [_BLANK, Line(((f"{sum(losses.values())} gold passages missed; what the chain did", "strong"),))]
        lines += [Line(((f"{how:<14}{count:>9}  ", ""), (LOSSES[how], "dim"))) for how, count in losses.items()]
    alone = sum(passage.bridges == () for one in found for passage in one.passages)
    if alone:
        lines.append(Line(((f"{alone} of them share no name with the other gold passages of their question", ""),)))
    return lines


def measure_name(measure: str) -> str:
    """What a measure is called in tables, "full chain @5"."""
    name, at, k = measure.partition("@")
    return f"{ROWS[name]} {at}{k}".strip()


def _heading(score: Score) -> list[Line]:
    text = f"{score.questions} questions, {score.with_supporting} with gold passages, {score.with_answers} with answers"
    return [Line(((text, "strong"), (" · % [95 % interval]", "dim"))), _BLANK]


def _passages(score: Score) -> list[Line]:
    if not score.with_supporting:
        return []
    header = f"{'passages':<{_LABEL}}" + "".join(f"@{k:<{_CELL - 1}}" for k in score.cutoffs)
    lines = [Line(((header.rstrip(), "strong"),))]
    for name in PASSAGE_MEASURES:
        cells = [score.measures.get(f"{name}@{k}") for k in score.cutoffs]
        if any(cells):
            lines.append(_row(ROWS[name], cells))
    return [*lines, _BLANK]


def _answers(score: Score) -> list[Line]:
    counts, cost = score.abstention, score.cost
    lines = [Line((("answers", "strong"),))]
    lines += [_row(ROWS[name], [score.measures[name]]) for name in ("em", "f1", "precision") if name in score.measures]
    if score.with_answers:
        judged = f"{counts.right} right, {counts.wrong} wrong ({counts.inexact} inexact)"
        held = f"{counts.refused_with_gold} have an answer ({counts.refused_with_evidence} with full chain @{score.k})"
    else:
        judged = held = ""
    judged += _more(counts.answered_without_gold, judged)
    held += _more(counts.refused_without_gold, held)
    lines += [_count("answered", counts.answered, judged), _count("refused", counts.refused, held)]
    lines += [_count("failed", counts.failed, "run again to ask them again")] if counts.failed else []
    tokens = f"{cost.input_tokens:,} in, {cost.output_tokens:,} out, {cost.tokens_per_question:,.0f} a question"
    lines.append(Line(((f"{'tokens':<{_LABEL}}{tokens}", ""),)))
    if cost.p50 is not None and cost.p95 is not None:
        times = f"{duration(cost.p50)} median, {duration(cost.p95)} at the 95th percentile"
        lines.append(Line(((f"{'time':<{_LABEL}}{times}", ""),)))
    return [*lines, _BLANK]


def _more(without_gold: int, told: str) -> str:
    return f"{', ' if told else ''}{without_gold} without a gold answer" if without_gold else ""


def _count(label: str, count: int, what: str) -> Line:
    parts: list[Part] = [(f"{label:<{_LABEL}}{count}", "")]
    return Line(tuple([*parts, (f"  {what}", "dim")] if what and count else parts))


def _hubs(score: Score) -> list[Line]:
    names = [f"hub_share@{score.k}", f"hub_strength@{score.k}"]
    if not any(name in score.measures for name in names):
        return []
    header = f"{'hubs':<{_LABEL}}{f'first {score.k}':<{_CELL}}{'gold passages':<{_CELL}}"
    lines = [Line(((header.rstrip(), "strong"),))]
    for name in names:
        gold = f"{name.partition('@')[0]}@gold"
        lines.append(_row(ROWS[name.partition("@")[0]], [score.measures.get(name), score.measures.get(gold)]))
    return [*lines, _BLANK]


def _groups(groups: Sequence[Score]) -> list[Line]:
    k = groups[0].k
    tables = [[f"recall@{k}", f"chain@{k}", f"joint@{k}"], ["em", "f1", "found"]]
    lines: list[Line] = []
    for names in tables:
        names = [name for name in names if any(name in group.measures for group in groups)]
        if not names:
            continue
        labels = "".join(f"{measure_name(name):<{_CELL}}" for name in names)
        lines.append(Line(((f"{'group':<{_LABEL}}{'n':>5}  {labels}".rstrip(), "strong"),)))
        lines += [
            _row(f"{plain(one.group, _LABEL - 1):<{_LABEL}}{one.questions:>5}  ", [one.measures.get(n) for n in names])
            for one in groups
        ]
        lines.append(_BLANK)
    return lines


def _row(label: str, cells: Sequence[Estimate | None]) -> Line:
    parts: list[Part] = [(f"{label:<{_LABEL}}", "")]
    for cell in cells:
        if cell is None:
            parts.append((f"{'-':<{_CELL}}", "dim"))
            continue
        bounds = f" [{_figure(cell.interval[0])}, {_figure(cell.interval[1])}]" if cell.interval else ""
        mean = _figure(cell.mean)
        parts += [(mean, ""), (f"{bounds:<{_CELL - len(mean)}}", "dim")]
    return Line((*parts[:-1], (parts[-1][0].rstrip(), parts[-1][1])))


def _figure(value: float) -> str:
    return f"{value:.1f}" if abs(value) < 99.95 else f"{value:.0f}"


def _difference(one: Difference) -> Line:
    bounds = f" [{one.interval[0]:+.1f}, {one.interval[1]:+.1f}]" if one.interval else ""
    moved = f"{one.difference:+.1f}{bounds}"
    p = "<0.001" if one.p < 0.0005 else f"{one.p:.3f}"
    counts = f"{len(one.won):>5}{len(one.lost):>5}{one.tied:>6}"
    role: Role = "strong" if one.p < 0.05 else ""
    label = f"{measure_name(one.measure):<17}{_figure(one.mean):>6}{_figure(one.other):>6}  "
    return Line(((label, ""), (f"{moved:<23}{p:>7}", role), (f" {counts}", "")))


def _change(question: str, moved: Mapping[str, int]) -> Line:
    parts: list[Part] = []
    for measure, sign in moved.items():
        role: Role = "good" if sign > 0 else "bad"
        parts += [(" · " if parts else "", ""), (f"{'+' if sign > 0 else '−'} {measure_name(measure)}", role)]
    return Line((*parts, (f"  {plain(question, 60)}", "")), indent=2)


def _failure(one: Failure, k: int, width: int) -> list[Line]:
    kind = f" · {plain(one.type, 30)}" if one.type else ""
    lines = [Line(((plain(one.id, 60), "strong"), (f"{kind} · ", "dim"), (one.cause, "warning")))]
    lines += _wrapped(plain(one.question), "", 2, width)
    gold = " / ".join(plain(answer, 60) for answer in one.gold[:3]) + (" / …" if len(one.gold) > 3 else "")
    lines += _wrapped(f"gold   {gold or 'not given'}", "", 2, width)
    lines += _wrapped(*_given(one), 2, width)
    if one.answer_rank is not None and one.verdict != "right":
        stands = f"stands in the passage at rank {one.answer_rank}" if one.answer_rank else "stands in no passage found"
        lines += _wrapped(f"       the gold answer {stands}", "dim", 2, width)
    for passage in one.passages:
        lines += _gold_passage(one, passage, k, width)
    ranks = {passage.document: passage.rank for passage in one.passages}
    return [*lines, *(line for hop in one.hops for line in _hop(hop, ranks, width)), _BLANK]


def _given(one: Failure) -> tuple[str, Role]:
    if one.error:
        return f"failed {plain(one.error)}", "bad"
    if one.verdict == "refused":
        return f"given  none: {plain(one.missing) or 'not said why'}", "warning"
    return f"given  {plain(one.answer, 120)} ({one.verdict})", "good" if one.verdict == "right" else "bad"


def _gold_passage(one: Failure, passage: GoldPassage, k: int, width: int) -> list[Line]:
    mark: Part = ("✓", "good") if passage.lost is None else ("✗", "bad")
    name = f"{plain(passage.document, 40)} {plain(passage.title, 50)}".rstrip()
    where = f"rank {passage.rank}" if passage.rank else f"not among the {one.found} found"
    lines = [Line((mark, (f" {name}", ""), (f" · {where}", "dim" if passage.lost is None else "warning")), indent=2)]
    if passage.lost is None:
        return lines
    if passage.rank:
        every = set(passage.tools) == set(one.tools)
        lines += _wrapped(f"found by {'every tool that ranks' if every else ', '.join(passage.tools)}", "dim", 6, width)
    lines += _wrapped(f"lost   {_lost(passage.lost, k)}", "", 6, width)
    if passage.bridges == ():
        lines += _wrapped("shares no name with the other gold passages", "warning", 6, width)
    elif passage.bridges:
        shared = ", ".join(f"{plain(name, 40)} (in {count})" for name, count in passage.bridges)
        lines += _wrapped(f"shares {shared} with the other gold passages", "dim", 6, width)
    return lines


def _lost(lost: Lost, k: int) -> str:
    hop = f"{'' if lost.sure else 'probably '}by hop {lost.hop}"
    told = {
        "no-document": "the knowledge base has no document of this key",
        "no-evidence": f"{hop}, which found no passage",
        "other-passage": f"{hop}, which took another passage",
        "ranked-low": f"by the ranking: hop {lost.hop} rests on it, and yet it is not among the first {k}",
        "no-hop": "every hop rests on another gold passage; none was left for this one",
        "no-chain": "cannot be told, since the run has no chain",
    }
    return told[lost.how]


def _hop(hop: Hop, ranks: Mapping[str, int | None], width: int) -> list[Line]:
    mark, role = STATE_MARKS.get(hop.state, ("·", ""))
    if not hop.document:
        rests = "no passage"
    else:
        gold = (" (gold)" if hop.document in ranks else " (not gold)") if ranks else ""
        rests = f"{plain(hop.document, 40)} {plain(hop.title, 40)}{gold}"
    first, *more = textwrap.wrap(f"{plain(hop.text)}  ⟵ {rests}", width - 6) or [""]
    lines = [Line(((f"{hop.number} ", "dim"), (mark, role), (f" {first}", "")), indent=2)]
    return lines + [Line(((line, ""),), indent=6) for line in more]


def _wrapped(text: str, role: Role, indent: int, width: int) -> list[Line]:
    lines = textwrap.wrap(text, width - indent, subsequent_indent=" " * 7)
    return [Line(((line, role),), indent=indent) for line in lines]
