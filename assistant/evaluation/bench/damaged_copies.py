"""Quality on damaged copies of a knowledge base (CS-RAG 4.2, figure 3; appendix D.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant.evaluation.bench.measure import Runner, agent_runner, technique_runners
from assistant.evaluation.damage_target import question_scope
from assistant.shared.question_files import Question
from kb.errors import WriteError
from kb.store.damage import Mode, damage
from kb.store.knowledge_base import KnowledgeBase

RHOS = (0.25, 0.5, 0.75)
"""Shares of the facts in scope that are spoilt; the paper goes up to a half."""

TECHNIQUES = ("passage_search", "constraint_recovery", "edge_scoring", "evidence_walk")
"""Measured beside the agent: text alone, which no damage to facts can reach, then plans and walks over the graph."""

Around = tuple[frozenset[int], frozenset[str]]
"""The entities around which facts may be spoilt, and the relations that are asked for."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which facts may be spoilt, and whether it is also forgotten where the names of spoilt ones stand in the text."""

    name: str
    around_questions: bool
    mentions: bool

    def around(self, path: Path, questions: Sequence[Question]) -> Around | None:
        """Where facts may be spoilt; None for anywhere."""
        if not self.around_questions:
            return None
        with KnowledgeBase.open(path) as kb:
            return question_scope(kb, [question.text for question in questions])


SCOPES = (
    Scope("around the questions", around_questions=True, mentions=False),
    Scope("whole graph", around_questions=False, mentions=False),
    Scope("whole graph and mentions", around_questions=False, mentions=True),
)
"""The paper's two, and a harder one: mentions join passages here as facts do, and it leaves such an index alone."""


def damage_runners() -> list[Runner]:
    """What is measured on each copy."""
    return [one for one in technique_runners() if one.name in TECHNIQUES] + [agent_runner()]


@contextmanager
def spoilt_copy(
    path: Path, work: Path, mode: Mode, rho: float, seed: int, around: Around | None, *, mentions: bool
) -> Iterator[Path]:
    """The path of a damaged copy, gone again at the end; one that a kill left behind is replaced. Raises WriteError."""
    out = work / "damaged.clew"
    roots, relations = around or (None, frozenset[str]())
    _remove(out)
    try:
        damage(path, out, mode, rho, seed, roots, relations, mentions=mentions)
        yield out
    finally:
        _remove(out)


def _remove(path: Path) -> None:
    try:
        for one in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            one.unlink(missing_ok=True)
    except OSError as error:
        raise WriteError(f"{str(path)!r} cannot be removed ({error.strerror or error})") from error
