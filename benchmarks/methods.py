"""What each technique finds alone, what the chain of them finds, and what is left under damage.

    python -m benchmarks.methods techniques FILE.clew QUESTIONS.jsonl ...
    python -m benchmarks.methods ablations  FILE.clew QUESTIONS.jsonl ...
    python -m benchmarks.methods damage     FILE.clew QUESTIONS.jsonl [--rho 0.5] [--seeds 5] [--mentions]
    python -m benchmarks.methods policy     FILE.clew QUESTIONS.jsonl ...

Tables in Markdown on stdout; recall@5 and full chain@5 in per cent over the questions with known gold, and the median
seconds of a warm question. Deterministic but for the seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from assistant.damaging import question_scope
from assistant.evaluate import recall_at
from assistant.questions import Question, read_questions
from assistant.session import Session, final_reply
from benchmarks.ablations import ABLATIONS
from kb.damage import MODES, damage
from kb.store import KnowledgeBase
from tools.registry import techniques

DEPTH = 30
"""Passages asked of a technique: enough for five documents."""

Ranking = Callable[[str], Sequence[Any]]
"""For a question hits, or the passages of a reply, best first."""


@dataclass(frozen=True, slots=True)
class Result:
    """Per question: recall@5 (0..1) and seconds."""

    recalls: tuple[float, ...]
    seconds: tuple[float, ...]

    @property
    def recall(self) -> float:
        """Mean, in per cent."""
        return 100 * statistics.fmean(self.recalls)

    @property
    def chain(self) -> float:
        """Questions with all of it, in per cent."""
        return 100 * statistics.fmean(float(one == 1) for one in self.recalls)

    def cell(self) -> str:
        """As a cell of a table."""
        return f"{self.recall:.1f} / {self.chain:.1f} ({statistics.median(self.seconds):.3f} s)"


def measure(questions: Sequence[Question], ranking: Ranking) -> Result:
    """Recall of the first five distinct documents for each question."""
    recalls, seconds = [], []
    for question in questions:
        start = time.perf_counter()
        ranked = ranking(question.text)
        seconds.append(time.perf_counter() - start)
        found = list(dict.fromkeys(_document(one) for one in ranked))
        recalls.append(recall_at(found, question.supporting, 5))
    return Result(tuple(recalls), tuple(seconds))


def _document(found: Any) -> str:
    return str(getattr(found, "passage", found).document)


def agent_ranking(session: Session, loop: asyncio.AbstractEventLoop) -> Ranking:
    """The whole agent, offline."""
    return lambda text: loop.run_until_complete(final_reply(session, text)).passages


def measure_agent(path: Path, questions: Sequence[Question]) -> Result:
    """The chain of techniques as the offline policy puts it together."""
    loop = asyncio.new_event_loop()
    try:
        with Session.open(path, top=DEPTH) as session:
            ranking = agent_ranking(session, loop)
            ranking(questions[0].text)
            return measure(questions, ranking)
    finally:
        loop.close()


def with_gold(path: Path, limit: int | None) -> list[Question]:
    """The questions whose supporting documents are known."""
    return [question for question in read_questions(path) if question.supporting][:limit]


def row(*cells: str) -> None:
    """A line of a Markdown table."""
    print("| " + " | ".join(cells) + " |", flush=True)


def run_techniques(pairs: Sequence[tuple[Path, Path]], limit: int | None) -> None:
    """One row a technique, one column a file; the agent last."""
    header(pairs, "technique")
    opened = [(KnowledgeBase.open(path), with_gold(gold, limit)) for path, gold in pairs]
    for technique in techniques():
        cells = []
        for kb, questions in opened:
            find = partial(technique.find, kb, k=DEPTH)
            find(questions[0].text)
            cells.append(measure(questions, find).cell())
        row(technique.name, *cells)
    row("agent", *(measure_agent(path, with_gold(gold, limit)).cell() for path, gold in pairs))


def run_ablations(pairs: Sequence[tuple[Path, Path]], limit: int | None, only: str) -> None:
    """Each technique as it is, then with a step switched off: the difference in recall@5 and full chain@5."""
    header(pairs, "technique", "without")
    opened = [(KnowledgeBase.open(path), with_gold(gold, limit)) for path, gold in pairs]
    for technique, variants_of in ABLATIONS.items():
        if only not in ("", technique):
            continue
        whole: list[Result] = []
        for label, find in variants_of():
            results = [measure(questions, partial(find, kb)) for kb, questions in opened]
            whole = whole or results
            cells = [
                result.cell()
                if result is base
                else f"{result.recall - base.recall:+.1f} / {result.chain - base.chain:+.1f}"
                for result, base in zip(results, whole, strict=True)
            ]
            row(technique, label, *cells)


def run_damage(
    pairs: Sequence[tuple[Path, Path]], limit: int | None, rho: float, seeds: int, *, mentions: bool
) -> None:
    """The agent's recall@5 on damaged copies: mean over the seeds, lowest, and the change from the sound file."""
    for path, gold in pairs:
        questions = with_gold(gold, limit)
        sound = measure_agent(path, questions)
        print(f"\n{path.stem}, sound: {sound.cell()}\n")
        row("mode", "scope", "recall@5", "lowest", "change", "full chain@5")
        row(*["---"] * 6)
        with KnowledgeBase.open(path) as kb:
            scope = question_scope(kb, [question.text for question in questions])
        for mode in MODES:
            for name, (roots, relations) in (("question", scope), ("all", (None, frozenset[str]()))):
                ways = (mode, rho), (roots, relations), mentions
                results = [spoilt(path, questions, seed, *ways) for seed in range(seeds)]
                recalls = [result.recall for result in results]
                mean = statistics.fmean(recalls)
                chain = statistics.fmean(result.chain for result in results)
                row(mode, name, f"{mean:.1f}", f"{min(recalls):.1f}", f"{mean - sound.recall:+.1f}", f"{chain:.1f}")


def spoilt(path: Path, questions: Sequence[Question], seed: int, how: Any, scope: Any, mentions: bool) -> Result:
    """The agent on one damaged copy."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "damaged.clew"
        damage(path, out, *how, seed, *scope, mentions=mentions)
        return measure_agent(out, questions)


def run_policy(pairs: Sequence[tuple[Path, Path]], limit: int | None) -> None:
    """Which tools the offline policy called, in which order, by type of question."""
    row("file", "type", "questions", "tools in the order of their first call", "share")
    row(*["---"] * 5)
    loop = asyncio.new_event_loop()
    for path, gold in pairs:
        orders: dict[str, Counter[tuple[str, ...]]] = {}
        with Session.open(path) as session:
            for question in read_questions(gold)[:limit]:
                reply = loop.run_until_complete(final_reply(session, question.text))
                order = tuple(dict.fromkeys(use.name for use in reply.tools))
                orders.setdefault(question.type or "-", Counter())[order] += 1
        for kind, counts in sorted(orders.items()):
            total = counts.total()
            for order, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
                row(path.stem, kind, str(total), " → ".join(order), f"{100 * count / total:.0f} %")
    loop.close()


def header(pairs: Sequence[tuple[Path, Path]], *columns: str) -> None:
    """The head of a table with a column for each file."""
    row(*columns, *(path.stem for path, _ in pairs))
    row(*["---"] * (len(columns) + len(pairs)))


def main() -> None:
    """Read the arguments and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("techniques", "ablations", "damage", "policy"))
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE QUESTIONS", help="knowledge bases, each with its questions"
    )
    parser.add_argument("--limit", type=int, help="only the first questions of each")
    parser.add_argument("--only", default="", choices=("", *ABLATIONS), help="ablations of one method")
    parser.add_argument("--rho", type=float, default=0.5)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--mentions", action="store_true", help="damage the mentions as well")
    arguments = parser.parse_args()
    if len(arguments.files) % 2:
        sys.exit("name a question file after each knowledge base")
    pairs = list(zip(arguments.files[::2], arguments.files[1::2], strict=True))
    if arguments.table == "techniques":
        run_techniques(pairs, arguments.limit)
    elif arguments.table == "ablations":
        run_ablations(pairs, arguments.limit, arguments.only)
    elif arguments.table == "policy":
        run_policy(pairs, arguments.limit)
    else:
        run_damage(pairs, arguments.limit, arguments.rho, arguments.seeds, mentions=arguments.mentions)


if __name__ == "__main__":
    main()
