"""The judgements that the techniques need inside, as one protocol.

The papers put each of them to a language model. Offline they come from rules, vectors and the trained scorer
(`offline_judge`); a language model can take their place, one by one or all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kb.records import Entity, Passage, Triple


@dataclass(frozen=True, slots=True)
class Concept:
    """A thing that the evidence should speak of, and how much of the question hangs on it; a question's weights sum to
    1.

    `alternatives` are other ways to say it: specialised for the question, or relaxed to what the passages say.
    """

    text: str
    weight: float
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """A step from one entity to a neighbour: the facts that join them, and facts of the neighbour as its context.

    `summary` says what a neighbour is that has more facts than can be shown; "" for one whose context has them all.
    """

    source: Entity
    target: Entity
    facts: tuple[Triple, ...]
    context: tuple[Triple, ...] = ()
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The facts picked, by id and best first, and whether what is known is now enough to answer."""

    facts: tuple[int, ...]
    enough: bool = False


class Judge(Protocol):
    """What a technique may ask for. Each call is about one question and sees nothing but its arguments."""

    def concepts(self, question: str, passages: Sequence[Passage]) -> tuple[Concept, ...]:
        """The question's concepts, most important first, weights summing to 1 (BubbleRAG, section 3.2).

        Each brings how it reads bound to the others (specialisation), and how the `passages`, found beforehand, put it
        (relaxation; there is none without them). None for a question without content.
        """

    def is_answered(self, question: str, passages: Sequence[Passage]) -> bool:
        """Whether the passages already answer the question (BubbleRAG's pre-retrieval)."""

    def filter_facts(self, question: str, facts: Sequence[Triple]) -> tuple[int, ...]:
        """The ids of the facts that help to answer, in the order given (HippoRAG 2's recognition memory)."""

    def summarise(self, entities: Sequence[Entity], facts: Sequence[Sequence[Triple]], most: int) -> tuple[str, ...]:
        """What each entity is, from its facts, in `most` words and signs, whatever is asked (CatRAG, section 3.3.2).

        "" for an entity without facts.
        """

    def score_edges(self, question: str, edges: Sequence[Edge], facts: Sequence[Triple] = ()) -> tuple[float, ...]:
        """How much each edge helps to answer, 0..10, given the facts that were found and verified beforehand (CatRAG,
        section 3.3 and appendix B).
        """

    def choose_facts(self, question: str, known: Sequence[Triple], frontier: Sequence[Triple], most: int) -> Choice:
        """Up to `most` facts of the frontier with which to go on from what is known (BubbleRAG, section 3.5)."""

    def sensible_paths(
        self, question: str, answers: Sequence[str], paths: Sequence[Sequence[Triple]]
    ) -> tuple[int, ...]:
        """Places of the paths, each of one fact or more, that lead sensibly to the known answers (ReG, section 4.1)."""
