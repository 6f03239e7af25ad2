"""What each paper's method adds to a language model's first search, where it fits what that search left open.

    python -m benchmarks.technique_gain FILE.clew QUESTIONS.jsonl [--limit N]

A scripted model calls find_evidence with the steps that planning by rule has, in the real loop. From there, anew for
each, it calls one of the techniques that fit what is open, with the names found filled in, and gives up. Counted are
the gold documents among the first five and ten of the ranking, among the passages that the model was shown, and among
all that was found, before and after. Questions need `supporting`.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from assistant.agent.deps import Deps
from assistant.agent.loop import agent
from assistant.agent.offering import AT_ONCE, fitting
from assistant.agent.workspace import Evidence, Workspace
from assistant.shared.question_files import Question, read_questions
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint, is_variable
from tools.planning.planner import plan_question

TECHNIQUES = ("join_concepts", "follow_paths", "walk_facts", "chain_facts", "resolve_constraints")

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Seen:
    """Of a question's gold documents the share (0..1) among the first five and ten passages of the ranking, among those
    that the model was shown, and among all that were found.
    """

    five: float
    ten: float
    shown: float
    found: float


@dataclass(frozen=True, slots=True)
class Gain:
    """One technique after one question's search: whether it was among those offered at once, and what it changed."""

    technique: str
    is_offered: bool
    before: Seen
    after: Seen


async def gains(kb: KnowledgeBase, thread: ThreadPoolExecutor, question: Question) -> list[Gain]:
    """What each technique that fits adds; nothing where the search leaves nothing open or there is nothing to plan."""
    steps = plan_question(question.text).constraints
    if not steps:
        return []
    searched = Workspace(question.text)
    shown = await _play(kb, thread, searched, ("find_evidence", {"steps": [_line(step) for step in steps]}))
    before, found = seen(searched, shown, question.supporting), []
    for place, technique in enumerate(fitting(searched)):
        after = deepcopy(replace(searched, readers=None, calls=[]))
        more = await _play(kb, thread, after, (technique, arguments(technique, after)))
        found.append(Gain(technique, place < AT_ONCE, before, seen(after, shown | more, question.supporting)))
    return found


def arguments(technique: str, workspace: Workspace) -> dict[str, Any]:
    """What a model that has read the search's result gives a technique: the names and steps that it has."""
    bound = [workspace.bound(place) for place in range(len(workspace.states))]
    names = list(dict.fromkeys(end for step in bound for end in (step.head, step.tail) if not is_variable(end)))
    if technique == "resolve_constraints":
        return {"steps": [_line(step) for step in bound]}
    # The whole question, or what it speaks of, is what these take by themselves.
    return {"names": names} if technique == "follow_paths" else {}


def seen(workspace: Workspace, shown: Collection[int], gold: Sequence[str]) -> Seen:
    """How much of the gold documents the ranking has in front, the passages of these numbers, and the evidence."""

    def share(passages: Iterable[Evidence]) -> float:
        return len({one.passage.document for one in passages} & set(gold)) / len(set(gold))

    evidence, ranked = workspace.evidence, workspace.ranked
    told = [one for one in evidence if one.number in shown]
    return Seen(share(ranked[:5]), share(ranked[:10]), share(told), share(evidence))


def report(found: Sequence[Gain], questions: int) -> Iterator[str]:
    """A row of a table for each technique, means in per cent over the questions that it fits, before and after; and in
    how many of them the model was shown more gold documents.
    """
    yield f"{questions} questions"
    yield "| technique | fits, offered | recall@5 | recall@10 | among those shown | more in | among all found |"
    yield "|---|---|---|---|---|---|---|"
    for technique in TECHNIQUES:
        mine = [one for one in found if one.technique == technique]
        if not mine:
            yield f"| {technique} | 0 | | | | | |"
            continue
        offered = sum(one.is_offered for one in mine)
        more = sum(one.after.shown > one.before.shown for one in mine)
        five, ten, shown, all_found = (_means(mine, name) for name in ("five", "ten", "shown", "found"))
        yield f"| {technique} | {len(mine)}, {offered} | {five} | {ten} | {shown} | {more} | {all_found} |"


def _means(gained: Sequence[Gain], name: str) -> str:
    """A measure before and after, in per cent."""
    before, after = (
        100 * sum(getattr(one, name) for one in some) / len(gained)
        for some in ([one.before for one in gained], [one.after for one in gained])
    )
    return f"{before:.1f} → {after:.1f}"


async def _play(kb: KnowledgeBase, thread: ThreadPoolExecutor, workspace: Workspace, call: Call) -> set[int]:
    """The call, then a refusal, which counts whatever the loop says to it; the numbers of the passages shown."""
    calls = iter([ToolCallPart(*call)])

    def model(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        return ModelResponse([next(calls, ToolCallPart("not_found", {"missing": "all of it"}))])

    deps = Deps(kb, workspace, thread)
    await agent().run(workspace.question, model=FunctionModel(model), deps=deps)
    return deps.shown


def _line(step: Constraint) -> str:
    return f"{step.head} | {step.relation} | {step.tail}"


async def _all(path: Path, questions: Sequence[Question]) -> list[Gain]:
    with ThreadPoolExecutor(1) as thread:
        kb = thread.submit(KnowledgeBase.open, path).result()
        try:
            return [gain for question in questions for gain in await gains(kb, thread, question)]
        finally:
            thread.submit(kb.close).result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--limit", type=int, default=None, help="every so-many-th question, so that there are N")
    asked = parser.parse_args()
    known = [one for one in read_questions(asked.questions) if one.supporting]
    step = max(1, len(known) // asked.limit) if asked.limit else 1
    chosen = known[::step][: asked.limit]
    print(*report(asyncio.run(_all(asked.file, chosen)), len(chosen)), sep="\n")


if __name__ == "__main__":
    main()
