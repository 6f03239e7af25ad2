"""Putting questions to one technique, or to the agent, and holding what comes against the gold."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from assistant.conversations.session import Session, checked_question, final_reply
from assistant.evaluation.evaluate import best_f1, exact_match, recall_at
from assistant.models.judging.opened import open_judges
from assistant.shared.model_choice import ModelChoice
from assistant.shared.question_files import Question
from assistant.shared.recorded_plans import complete_plan
from kb.errors import BadFileError, ClewError
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint
from tools.registry import Technique, preset_techniques, techniques
from tools.types import Hit

DEPTH = 30
"""Passages asked of a technique: enough for five documents, of which a long one has several."""

CUTOFF = 5
"""Documents that recall and full chains are taken of, as in the papers' tables."""

AGENT = "agent"
PLANNED_AGENT = "agent, recorded plans"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question: shares (0..1), None where the gold for it is not known, and wall-clock seconds.

    `tools` are those that the agent called, in the order of their first call; `error` says why nothing came, or is "";
    `notes` tell which judgements were not those of the model that was to make them, `judge_failed` whether it failed.
    """

    question: str
    recall: float | None
    exact: float | None
    f1: float | None
    seconds: float
    tools: tuple[str, ...] = ()
    error: str = ""
    notes: tuple[str, ...] = ()
    judge_failed: bool = False

    @property
    def chain(self) -> float | None:
        """1 where all supporting documents are there, else 0."""
        return None if self.recall is None else float(self.recall == 1)

    def to_json(self) -> dict[str, Any]:
        """Plain types for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Outcome:
        """What `to_json` wrote; KeyError or TypeError for anything else."""
        return cls(**{**record, "tools": tuple(record["tools"]), "notes": tuple(record.get("notes", ()))})


@dataclass(frozen=True, slots=True)
class Found:
    """Documents, best first, each once; an answer, None from what gives none; the tools that were called; and what a
    model was to judge and did not, for its failure where `judge_failed`.
    """

    documents: Sequence[str]
    answer: str | None = None
    tools: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    judge_failed: bool = False


Ask = Callable[[Question], Found]


@dataclass(frozen=True, slots=True)
class Runner:
    """Something that finds passages for questions; `open` prepares it for the knowledge base at a path.

    `answers` says whether it answers them as well, `plans` whether recorded plans change what it does, `judge` is the
    model that makes its judgements, None for the offline one.
    """

    name: str
    open: Callable[[Path], AbstractContextManager[Ask]]
    answers: bool = False
    plans: bool = False
    judge: ModelChoice | None = None

    def asked(self, questions: Sequence[Question]) -> list[Question]:
        """Those whose gold it can be held against."""
        return [one for one in questions if one.supporting or (self.answers and one.answers)]


def technique_runners(presets: Sequence[str] = ()) -> list[Runner]:
    """Every technique that needs nothing but a question, in the order of the tools, then those that have presets of
    these names, with them. Raises UsageError for a name that no preset has.
    """
    return [finder(one.name, partial(_find, one.find)) for one in (*techniques(), *preset_techniques(presets))]


def judged_runners(choice: ModelChoice, presets: Sequence[str] = ()) -> list[Runner]:
    """The techniques that make judgements, and those with presets, with the model as their judge."""
    return [
        Runner(f"{one.name}, judged by {choice.title}", partial(_open_judged, one, choice), judge=choice)
        for one in (*techniques(), *preset_techniques(presets))
        if one.takes_judge
    ]


def finder(name: str, find: Callable[[KnowledgeBase, str], Sequence[Hit]]) -> Runner:
    """A runner of a function that ranks passages."""
    return Runner(name, partial(_open_finder, find))


def agent_runner(plans: Mapping[str, tuple[Constraint, ...]] | None = None) -> Runner:
    """The agent as a whole, offline; with `plans` it uses a question's recorded one, where there is one."""
    return Runner(PLANNED_AGENT if plans else AGENT, partial(_open_agent, plans or {}), answers=True, plans=bool(plans))


def measure(
    runner: Runner, path: Path, questions: Sequence[Question], tick: Callable[[], None] = lambda: None
) -> list[Outcome]:
    """An outcome for each question that the runner can be measured with, in their order; `tick` is called after each.

    The runner opens the file for itself, so that none lives on what another has read or embedded, and is asked the
    first question in other words beforehand: seconds are those of a warm question. A question that fails counts as
    one for which nothing was found. Raises BadFileError where the file cannot be used.
    """
    asked = runner.asked(questions)
    outcomes: list[Outcome] = []
    with runner.open(path) as ask:
        for question in asked[:1]:
            _outcome(ask, Question(question.id, f"Please tell me this: {question.text}"))
        for question in asked:
            outcomes.append(_outcome(ask, question))
            tick()
    return outcomes


def _outcome(ask: Ask, question: Question) -> Outcome:
    start, error = time.perf_counter(), ""
    try:
        found = ask(Question(question.id, checked_question(question.text)))
    except BadFileError:
        raise
    except ClewError as failure:
        found, error = Found((), ""), str(failure)
    seconds = time.perf_counter() - start
    graded = bool(question.answers) and found.answer is not None
    return Outcome(
        question=question.id,
        recall=recall_at(list(found.documents), question.supporting, CUTOFF) if question.supporting else None,
        exact=exact_match(found.answer or "", question.answers) if graded else None,
        f1=best_f1(found.answer or "", question.answers) if graded else None,
        seconds=seconds,
        tools=found.tools,
        error=error,
        notes=found.notes,
        judge_failed=found.judge_failed,
    )


def _find(find: Callable[..., Sequence[Hit]], kb: KnowledgeBase, question: str) -> Sequence[Hit]:
    return find(kb, question, k=DEPTH)


@contextmanager
def _open_finder(find: Callable[[KnowledgeBase, str], Sequence[Hit]], path: Path) -> Iterator[Ask]:
    with KnowledgeBase.open(path) as kb:
        yield lambda question: Found(_distinct(hit.passage.document for hit in find(kb, question.text)))


@contextmanager
def _open_judged(technique: Technique, choice: ModelChoice, path: Path) -> Iterator[Ask]:
    with KnowledgeBase.open(path) as kb, open_judges(choice) as judges:

        def ask(question: Question) -> Found:
            notes: list[str] = []
            with judges.judging(kb, notes) as judge:
                hits = technique.find(kb, question.text, DEPTH, judge)
            documents = _distinct(hit.passage.document for hit in hits)
            return Found(documents, notes=tuple(notes), judge_failed=bool(judge and judge.failure))

        yield ask


@contextmanager
def _open_agent(plans: Mapping[str, tuple[Constraint, ...]], path: Path) -> Iterator[Ask]:
    with asyncio.Runner() as loop, Session.open(path, top=DEPTH) as session:

        def ask(question: Question) -> Found:
            constraints = plans.get(question.id, ())
            plan = complete_plan(question.text, constraints) if constraints else None
            reply = loop.run(final_reply(session, question.text, plan))
            called = tuple(dict.fromkeys(use.name for use in reply.tools))
            return Found(_distinct(one.document for one in reply.passages), reply.answer, called)

        yield ask


def _distinct(documents: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(documents))
