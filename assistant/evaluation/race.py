"""The same question through every technique and through the agent, side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.conversations.session import Session, checked_question, final_reply
from assistant.models.judging.opened import JudgeMaker, open_judges
from assistant.shared.chosen_scorer import open_to_ask
from assistant.shared.model_choice import ModelChoice
from kb.errors import ClewError
from kb.store.knowledge_base import KnowledgeBase
from tools.reading.certainty import Certainty
from tools.registry import Technique, preset_techniques, techniques
from tools.search.surroundings import surroundings

AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Found:
    """A passage in a runner's list."""

    id: int
    document: str
    title: str


@dataclass(frozen=True, slots=True)
class Runner:
    """What one technique found, best first, and how long it took; `error` says why it found nothing, if it failed,
    `notes` which judgements were not the model's.
    """

    name: str
    seconds: float
    passages: tuple[Found, ...] = ()
    error: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Race:
    """All runners of one question; `answer` is the agent's, "" where it found none, and `certainty` how sure it is."""

    question: str
    answer: str
    runners: tuple[Runner, ...]
    certainty: Certainty = "none"

    def only(self, runner: Runner) -> tuple[Found, ...]:
        """The passages that no other runner found."""
        others = {one.id for other in self.runners if other.name != runner.name for one in other.passages}
        return tuple(one for one in runner.passages if one.id not in others)

    def overlap(self, a: Runner, b: Runner) -> float:
        """Passages that both found by those that either did (Jaccard), 0..1; 0 where neither found any."""
        first, second = ({one.id for one in runner.passages} for runner in (a, b))
        return len(first & second) / len(first | second) if first | second else 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain types for JSON."""
        return {
            "question": self.question,
            "answer": self.answer,
            "certainty": self.certainty,
            "runners": [
                {
                    "name": runner.name,
                    "seconds": round(runner.seconds, 4),
                    "passages": [_row(one) for one in runner.passages],
                    "only_here": [one.id for one in self.only(runner)],
                    "overlap": {
                        other.name: round(self.overlap(runner, other), 3)
                        for other in self.runners
                        if other.name != runner.name
                    },
                    **({"error": runner.error} if runner.error else {}),
                    **({"notes": list(runner.notes)} if runner.notes else {}),
                }
                for runner in self.runners
            ],
        }


async def race(
    path: Path,
    question: str,
    k: int,
    model: ModelChoice | None = None,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    presets: Sequence[str] = (),
) -> Race:
    """Run every technique that needs nothing but a question, those with `presets` of these names once more with them,
    then the agent; each gives its k best passages.

    The file is read before the first one starts, so that none of them pays for it; what two techniques need of the
    question is made by the first. The agent opens the file anew, as `clew ask` does, and pays for that. A technique
    that cannot run is shown with its error. A model that was chosen makes the techniques' judgements, each technique's
    as those of one question. Raises UsageError for an unusable question, ModelFailure, BadFileError.
    """
    question = checked_question(question)
    names = (*techniques(), *preset_techniques(presets))
    with open_to_ask(path) as kb, open_judges(model or ModelChoice()) as judges:
        _warm(kb, question)
        runners = []
        for done, technique in enumerate(names):
            progress(technique.name, done, len(names) + 1)
            runners.append(_run(kb, technique, judges, question, k))
    progress(AGENT, len(names), len(names) + 1)
    with Session.open(path, model, top=k) as session:
        start = time.perf_counter()
        reply = await final_reply(session, question)
        seconds = time.perf_counter() - start
    found = tuple(Found(one.id, one.document, one.title) for one in reply.passages[:k])
    progress(AGENT, len(names) + 1, len(names) + 1)
    return Race(question, reply.answer, (*runners, Runner(AGENT, seconds, found)), reply.certainty)


def _run(kb: KnowledgeBase, technique: Technique, judges: JudgeMaker, question: str, k: int) -> Runner:
    start, notes = time.perf_counter(), list[str]()
    try:
        with judges.judging(kb, notes) as judge:
            hits = technique.find(kb, question, k, judge)
    except ClewError as error:
        return Runner(technique.name, time.perf_counter() - start, error=str(error))
    passages = [Found(hit.passage.id, hit.passage.document, hit.passage.title) for hit in hits]
    return Runner(technique.name, time.perf_counter() - start, tuple(passages), notes=tuple(notes))


def _warm(kb: KnowledgeBase, question: str) -> None:
    kb.scan(kb.embed([question]))
    around = surroundings(kb, question)
    _ = (kb.graph.links, around.fact_graph.adjacency, around.sentence_vectors.all.norms)


def _row(found: Found) -> dict[str, Any]:
    return {"id": found.id, "document": found.document, "title": found.title}
