"""A question as atomic constraints (CS-RAG, section 3.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["lookup", "comparison", "yesno", "count"]
Comparison = Literal["", "earlier", "later", "more", "less", "same"]
AnswerType = Literal[
    "person", "place", "date", "year", "number", "work", "organisation", "nationality", "yesno", "option", "text"
]


def is_variable(term: str) -> bool:
    """Whether a term of a constraint is an unknown, written `?name`."""
    return term.startswith("?")


_SPEAKER = re.compile(r"\bI\b(?:['’](?:m|ve|d|ll)\b)?")


def is_name(term: str) -> bool:
    """Whether a term has a capital as names have: not that of the one who asks ("I"); "Elizabeth I" is a name."""
    return not is_variable(term) and any(character.isupper() for character in _SPEAKER.sub("", term))


NAME_WORDS = 6
"""Words of a name; what is longer is a question that could not be read."""

_ASKING = frozenset(
    "who whom whose what which when where why how is are was were do does did can true name list".split()
)


def is_unread(term: str) -> bool:
    """Whether a term is a question that could not be read, and not a name: it is long, or begins as questions do."""
    parts = term.lower().split()
    return len(parts) > NAME_WORDS or not _ASKING.isdisjoint(parts[:1])


_VERBAL = re.compile(r"^(?:is|was|are|were|has|had|does|did)\b|(?:ed|es|s)\b|\b(?:in|at|by|to|on|from|with|for|of)$")


@dataclass(frozen=True, slots=True)
class Constraint:
    """One triple pattern. `variants` are other ways to say the relation; a type is "person", "place", ... or ""."""

    head: str
    relation: str
    tail: str
    variants: tuple[str, ...] = ()
    head_type: str = ""
    tail_type: str = ""

    def text(self) -> str:
        """The constraint as one line; a variable reads as its bare name ("?director1" as "director")."""
        return " ".join(_bare(term) for term in (self.head, self.relation, self.tail) if term)

    @property
    def variables(self) -> tuple[str, ...]:
        """The distinct unknowns, head first."""
        return tuple(dict.fromkeys(term for term in (self.head, self.tail) if is_variable(term)))


@dataclass(frozen=True, slots=True)
class Plan:
    """Constraints in the order in which they can be resolved, and what is asked of their variables.

    `target` is the variable asked for ("" where the answer is a comparison or a yes or no), `options` the things
    compared. `is_whole` is False where the question was too long, or too deeply nested, to be read to its end: what is
    left of it asks something else.
    """

    constraints: tuple[Constraint, ...]
    target: str = ""
    kind: Kind = "lookup"
    comparison: Comparison = ""
    options: tuple[str, ...] = ()
    answer_type: AnswerType = "text"
    is_whole: bool = True


def _bare(term: str) -> str:
    return term[1:].rstrip("0123456789").replace("_", " ") if is_variable(term) else term


def is_verbal(relation: str) -> bool:
    """Whether a relation reads as a verb between its ends ("was built by"), and not as a noun of the head's."""
    return _VERBAL.search(relation) is not None
