"""The constraints of a plan while it is being made: variables, relations along a path, the order of resolution."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tools.planning.lexicon import NOUNS, RELATIONS, Relation, described, noun_type, singular, spoken_relation
from tools.planning.plan import Constraint, is_variable

TermKind = Literal["name", "variable", "phrase"]

# Qualifiers that tell nothing apart.
_IDLE = frozenset("famous main major real original current former late own very so-called individual specific".split())
# More than this many constraints is no question any more but a text; the benchmarks' longest has six.
MAX_CONSTRAINTS = 12


@dataclass(frozen=True, slots=True)
class Term:
    """An end of a constraint. A phrase is a noun phrase that names nothing in particular ("an explanation")."""

    text: str
    kind: TermKind
    type: str = ""

    @property
    def noun(self) -> str:
        """The words of a phrase or a name; those that a variable is named after."""
        return self.text[1:].rstrip("0123456789").replace("_", " ") if self.kind == "variable" else self.text


@dataclass(slots=True)
class Net:
    """Constraints in the order in which they were read, with the variables that they use."""

    constraints: list[Constraint] = field(default_factory=list)
    variables: dict[str, Term] = field(default_factory=dict)

    def fresh(self, hint: str, kind: str = "") -> Term:
        """A new variable named after `hint`, numbered where the name is taken."""
        name = re.sub(r"\W+", "_", hint.lower()).strip("_0123456789")[:40] or "answer"
        text, count = f"?{name}", 2
        while text in self.variables:
            text, count = f"?{name}{count}", count + 1
        self.variables[text] = Term(text, "variable", kind)
        return self.variables[text]

    def mark(self) -> tuple[int, int]:
        """A point to return to with `undo`, should a reading turn out to be wrong."""
        return len(self.constraints), len(self.variables)

    def undo(self, mark: tuple[int, int]) -> None:
        """Forget what was added since `mark`."""
        del self.constraints[mark[0] :]
        for name in list(self.variables)[mark[1] :]:
            del self.variables[name]

    def latest(self, accept: Sequence[str]) -> Term | None:
        """The newest variable whose name or type is in `accept`: what "that country" or "he" refers to."""
        found = (
            term
            for term in reversed(self.variables.values())
            if term.type in accept or term.noun.split(" ")[-1] in accept
        )
        return next(found, None)

    def add(self, head: Term, relation: Relation, tail: Term) -> None:
        """Add a constraint, once; nothing may relate to itself."""
        if head.text == tail.text or not head.text or not tail.text:
            return
        tail_type = tail.type or (relation.tail_type if tail.kind == "variable" else "")
        made = Constraint(head.text, relation.name, tail.text, relation.variants[:4], head.type, tail_type)
        if len(self.constraints) < MAX_CONSTRAINTS and made not in self.constraints:
            self.constraints.append(made)

    def follow(self, base: Term, path: Sequence[Relation], last: Term | None = None, hint: str = "") -> Term:
        """Lead from `base` along `path`, through a new variable for each step, to `last` or to a new variable."""
        for step, relation in enumerate(path):
            ends = step == len(path) - 1
            name = hint if ends and hint else relation.name
            tail = last if ends and last else self.fresh(name, relation.tail_type)
            self.add(base, relation, tail)
            base = tail
        return base

    def ordered_as_read(self) -> tuple[Constraint, ...]:
        """The constraints as they were added, for things that are read side by side."""
        return tuple(self.constraints)

    def ordered(self) -> tuple[Constraint, ...]:
        """The constraints so that, as far as possible, each has at most one variable that none before it has."""
        waiting, known, done = list(self.constraints), set[str](), list[Constraint]()
        while waiting:
            ready = (item for item in waiting if sum(name not in known for name in item.variables) <= 1)
            anchored = (item for item in waiting if not (is_variable(item.head) and is_variable(item.tail)))
            chosen = next(ready, None) or next(anchored, waiting[0])
            waiting.remove(chosen)
            known.update(chosen.variables)
            done.append(chosen)
        return tuple(done)


def noun_path(words: Sequence[str]) -> tuple[Relation, ...]:
    """The relations that a noun phrase stands for: "first wife" first spouse, "paternal aunt" father, then sibling."""
    for start in range(len(words)):
        names = NOUNS.get(" ".join([*words[start:-1], singular(words[-1])])) or NOUNS.get(" ".join(words[start:]))
        if names:
            modifiers = " ".join(word for word in words[:start] if word not in _IDLE)
            path = tuple(RELATIONS[name] for name in names)
            path = (*path[:-1], _as_said(path[-1], words[-1]))
            return (*path[:-1], described(path[-1], modifiers)) if modifiers and len(path) == 1 else path
    return (spoken_relation(" ".join(words), noun_type(words[-1]) if words else ""),)


def _as_said(relation: Relation, word: str) -> Relation:
    """The relation with the question's own noun for it among the variants, in front: "widow" for spouse."""
    variants = dict.fromkeys((singular(word), *relation.variants)) if word not in relation.name else relation.variants
    return replace(relation, variants=tuple(variants)[:4])


def is_relational(words: Sequence[str]) -> bool:
    """Whether a noun phrase names something by what it is to another thing: "birthplace" does, "river" does not."""
    return any(" ".join([*words[start:-1], singular(words[-1])]) in NOUNS for start in range(len(words)))
