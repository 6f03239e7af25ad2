"""What each rule that reads an answer is worth: every question on which it found something, asked again without it.

    python -m benchmarks.rule_ablation FILE.clew QUESTIONS.jsonl [FILE.clew QUESTIONS.jsonl ...] [-o OUT.jsonl]

A rule is a function that one module of the answering calls and that may find nothing. Right and wrong are as
`benchmarks.own_questions` has them. A question on which a rule found nothing is answered the same without it, so it is
not asked again. `--resume` goes on with what an OUT.jsonl has; `--rule` looks at one rule, or some, alone.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import clew
from assistant.agent.offline import extracted_answer
from assistant.agent.offline.two_steps import Stepped
from benchmarks.model_ways import read_lines
from benchmarks.own_questions import verdict
from tools.answer_rules import facts, recorded_sides, walk
from tools.reading import answering, considering

RULES: tuple[tuple[Any, str, Any], ...] = (
    *((considering, name, None) for name in (
        "decide_recorded", "find_asked_before", "find_permission", "find_least_version", "find_signed", "find_change",
        "find_told_time", "find_dated", "find_uploader", "find_beside_plan", "find_placed", "find_row",
        "find_in_range", "find_on_day", "find_joined", "find_whole", "find_chosen", "find_recorded", "find_in_record",
        "compare_options",
    )),
    *((considering, name, ()) for name in ("find_changes", "find_rows", "count_rows", "find_values", "find_things")),
    (extracted_answer, "find_asked_before", None),
    (extracted_answer, "answer_in_steps", Stepped()),
    (recorded_sides, "compare_told", None),
    *((walk, name, ()) for name in ("find_facts", "find_owners", "find_stated")),
    *((facts, name, ()) for name in ("find_kin", "find_roles", "find_countries", "find_locations", "topic_countries")),
    (answering, "is_of_namesake", False),
    (answering, "is_said", False),
    (answering, "is_anothers", False),
)  # fmt: skip
"""Module, function, and what it gives where it finds nothing."""


def name_of(rule: tuple[Any, str, Any]) -> str:
    module, function, _ = rule
    return f"{module.__name__.rpartition('.')[2]}.{function}"


@contextmanager
def watched(found: set[str]) -> Iterator[None]:
    """Names of the rules that find something are added to `found`."""
    with ExitStack() as stack:
        for rule in RULES:
            module, function, _ = rule
            stack.enter_context(
                patch.object(module, function, _noting(getattr(module, function), name_of(rule), found))
            )
        yield


def _noting(real: Callable[..., Any], name: str, found: set[str]) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Any:
        told = real(*given, **named)
        told = told if not isinstance(told, Iterator) else list(told)
        if told not in (None, False, [], (), Stepped()):
            found.add(name)
        return told

    return call


def line_of(reply: Any) -> dict[str, Any]:
    record: dict[str, Any] = reply.to_json()
    return record


def ask(base: Any, question: dict[str, Any], names: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """A line for the question as it is answered, and one for each rule that found something, without it; of `names`
    alone where there are any.
    """
    found: set[str] = set()
    with watched(found):
        whole = line_of(base.ask(question["question"]))
    yield {"id": question["id"], "without": "", "verdict": verdict(question, whole), "answer": whole["answer"]}
    for rule in RULES:
        if name_of(rule) in found and (not names or name_of(rule) in names):
            module, function, nothing = rule
            with patch.object(module, function, lambda *_, nothing=nothing, **__: nothing):
                line = line_of(base.ask(question["question"]))
            told = verdict(question, line)
            yield {"id": question["id"], "without": name_of(rule), "verdict": told, "answer": line["answer"]}


def report(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each rule: questions on which it found something, and what became of those that it changed."""
    whole = {(one["of"], one["id"]): one for one in lines if not one["without"]}
    changed: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    fired: Counter[str] = Counter()
    for one in lines:
        if one["without"]:
            fired[one["without"]] += 1
            changed[one["without"]][(whole[one["of"], one["id"]]["verdict"], one["verdict"])] += 1
    told = Counter(one["verdict"] for one in whole.values())
    yield f"{len(whole)} questions: {told['right']} right, {told['wrong']} wrong, {told['refused']} refused"
    for rule in RULES:
        name = name_of(rule)
        moves = changed[name]
        right = sum(count for (before, after), count in moves.items() if before == "right" != after)
        right -= sum(count for (before, after), count in moves.items() if after == "right" != before)
        wrong = sum(count for (before, after), count in moves.items() if before == "wrong" != after)
        wrong -= sum(count for (before, after), count in moves.items() if after == "wrong" != before)
        yield f"{name}: found something on {fired[name]}, right {right:+d}, wrong {wrong:+d}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--rule", action="append", default=[], choices=[name_of(rule) for rule in RULES])
    arguments = parser.parse_args()
    lines = read_lines(arguments.output) if arguments.resume and arguments.output.exists() else []
    known = {(one["of"], one["id"]) for one in lines}
    for file, questions in zip(arguments.files[::2], arguments.files[1::2], strict=True):
        with clew.open(file) as base:
            for question in read_lines(questions):
                if (str(questions), question["id"]) in known:
                    continue
                new = [{"of": str(questions), **one} for one in ask(base, question, arguments.rule)]
                lines += new
                if arguments.output:
                    with arguments.output.open("a", encoding="utf-8") as out:
                        out.writelines(f"{json.dumps(one)}\n" for one in new)
    print(*report(lines), sep="\n")


if __name__ == "__main__":
    main()
