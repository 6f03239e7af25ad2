"""The walk along a plan: each constraint resolved from the passages about what the one before it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tools.answer_rules.asked_relation import Relation, expansions, read_relation
from tools.answer_rules.countries import country_of, is_adjective
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.facts import find_facts, find_owners
from tools.answer_rules.places import address_part, sort_of
from tools.answer_rules.recorded_rows import find_stated
from tools.answer_rules.text import fold, name_score
from tools.planning.plan import Constraint, Plan, is_variable, is_verbal

# Chains kept side by side, and values tried for a hop: enough for a film's two directors and a wrong reading of each.
BEAM = 8
WIDTH = 4
# What a value keeps where the chain goes on from it and no passage is about it, and where the graph has others.
_UNTOLD = 0.75
_UNBOUND = 0.95
# From here on a value is one that a rule read in a sentence made for it, not a guess.
SURE = 0.6
_OPPOSITE = {
    "father": "child",
    "mother": "child",
    "parent": "child",
    "child": "parent",
    "spouse": "spouse",
    "sibling": "sibling",
}

Guess = Callable[[Constraint, str, bool], list[Found]]
"""(constraint, subject, whether the tail is wanted) -> spans that may answer it where no rule knows the relation."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A constraint and the value found for its unknown ("" = unresolved), with the sentence that says so."""

    constraint: Constraint
    value: str
    passage: int | None
    sentence: str
    score: float


@dataclass(frozen=True, slots=True)
class Step:
    """A hop as the walk made it: the constraint, the find, and the variable that it bound."""

    constraint: Constraint
    variable: str
    found: Found | None
    subject: str

    @property
    def hop(self) -> Hop:
        if self.found is None:
            return Hop(self.constraint, "", None, "", 0.0)
        found = self.found
        return Hop(self.constraint, found.text, found.doc.passage.id, found.sentence, round(min(1.0, found.score), 4))


@dataclass(frozen=True, slots=True)
class Chain:
    """Steps taken so far, what they bound, and how sure they are together (a product, 0..1)."""

    steps: tuple[Step, ...] = ()
    bound: Mapping[str, Found] = field(default_factory=dict)
    score: float = 1.0

    def then(self, step: Step, factor: float) -> Chain:
        bound = dict(self.bound)
        if step.found is not None and step.variable:
            bound[step.variable] = step.found
        return Chain((*self.steps, step), bound, self.score * factor)

    @property
    def sure(self) -> bool:
        """Whether rules found every step."""
        return all(step.found is not None and step.found.score >= SURE for step in self.steps)

    @property
    def sure_steps(self) -> int:
        """How many of its steps rules found."""
        return sum(step.found is not None and step.found.score >= SURE for step in self.steps)

    def between(self, target: str) -> list[str]:
        """What the steps bound apart from the target."""
        return [found.text for variable, found in self.bound.items() if variable != target]

    @property
    def missing(self) -> Step | None:
        """The first step that found nothing."""
        return next((step for step in self.steps if step.found is None), None)


def leads_back(chain: Chain, found: Found) -> bool:
    """Whether a chain ends at what it has come by: "who played the girlfriend of the actor who …" is not that actor."""
    return sum(fold(one.text) == fold(found.text) for one in chain.bound.values()) > 1


class Walker:
    """Resolves constraints over one question's evidence."""

    def __init__(self, evidence: Evidence, guess: Guess, bindings: Mapping[str, Sequence[str]]) -> None:
        self._evidence = evidence
        self._guess = guess
        self._bindings = bindings
        self._cache: dict[tuple[Constraint, str, bool], list[Found]] = {}

    def walk(self, constraints: Sequence[Constraint]) -> list[Chain]:
        """The chains through the constraints, surest first; at least one, whose steps may have found nothing."""
        chains = [Chain()]
        for alternatives in _expanded(constraints):
            planned, *others = alternatives
            longer = self._along(chains, planned)
            for path in others:
                # A step that is sure of what it leads to is no mere word of the next one's relation.
                if len(path) == len(planned) or not any(chain.sure_steps for chain in longer):
                    found = self._along(chains, path)
                    longer += found if len(path) == len(planned) else [one for one in found if not one.missing]
            chains = _best(longer)
        return chains

    def _along(self, chains: list[Chain], path: Sequence[Constraint]) -> list[Chain]:
        rest = list(path)
        while rest:
            constraint = _next(rest, chains[0].bound)
            rest.remove(constraint)
            needed_later = {variable for other in rest for variable in other.variables}
            chains = _best([longer for chain in chains for longer in self._step(chain, constraint, needed_later)])
        return chains

    def _step(self, chain: Chain, constraint: Constraint, needed_later: set[str]) -> list[Chain]:
        head, tail = (self._term(term, chain) for term in (constraint.head, constraint.tail))
        if head and tail:
            return [chain.then(*self._check(constraint, head, tail))]
        if not head and not tail:
            return [chain.then(Step(constraint, "", None, ""), 0.3)]
        subject, variable = (head, constraint.tail) if head else (tail, constraint.head)
        finds = self.values(constraint, subject, bool(head))[:WIDTH]
        if not finds:
            return [chain.then(Step(constraint, variable, None, subject), 0.3)]
        return [
            chain.then(Step(constraint, variable, one, subject), one.score * self._support(one, variable, needed_later))
            for one in finds
        ]

    def _term(self, term: str, chain: Chain) -> str:
        if not is_variable(term):
            return term
        found = chain.bound.get(term)
        if found and is_adjective(found.text):
            return country_of(found.text)
        return found.text if found else ""

    def _support(self, found: Found, variable: str, needed_later: set[str]) -> float:
        """What else speaks for a value: a passage about it where the chain goes on from it, the graph's bindings."""
        offered = self._bindings.get(variable, ())
        bound = not offered or any(name_score(found.text, name) >= 0.8 for name in offered)
        known = variable not in needed_later or self._evidence.about(found.text, 0.8)
        return (1.0 if known else _UNTOLD) * (1.0 if bound else _UNBOUND)

    def _check(self, constraint: Constraint, head: str, tail: str) -> tuple[Step, float]:
        """A constraint with both ends known: whether the passages put them together."""
        best: Found | None = None
        for wants_tail, subject, value in ((True, head, tail), (False, tail, head)):
            for found in self.values(constraint, subject, wants_tail):
                if name_score(found.text, value) >= 0.6 and (best is None or found.score > best.score):
                    best = found
        if best is None:
            best = _together(self._evidence, head, tail)
        return Step(constraint, "", best, head), 0.6 + 0.4 * best.score if best else 0.5

    def values(self, constraint: Constraint, subject: str, wants_tail: bool) -> list[Found]:
        """The values of a constraint's unknown end for a subject at the other, surest first, each once."""
        key = (constraint, fold(subject), wants_tail)
        if key not in self._cache:
            self._cache[key] = _distinct(self._read(constraint, self._known_as(subject), wants_tail), subject)
        return self._cache[key]

    def _known_as(self, subject: str) -> str:
        """A subject without the rest of its address where no passage has the whole ("Wilmington, Delaware")."""
        core = subject.split(",")[0]
        if core == subject or len(core) < 3 or self._evidence.about(subject):
            return subject
        return core

    def _read(self, constraint: Constraint, subject: str, wants_tail: bool) -> list[Found]:
        relation = read_relation(constraint)
        finds = self._by_rule(relation, subject, wants_tail) if relation.kind else []
        stated = find_stated(self._evidence, constraint, subject, wants_tail)
        finds = sorted([*stated, *finds], key=lambda one: -one.score)
        finds = _of_sort(finds, sort_of(constraint.tail if wants_tail else constraint.head))
        if not finds or finds[0].score < SURE:
            finds = sorted([*finds, *self._guess(constraint, subject, wants_tail)], key=lambda one: -one.score)
        return finds

    def _by_rule(self, relation: Relation, subject: str, wants_tail: bool) -> list[Found]:
        if relation.head_owns == wants_tail:
            return find_facts(self._evidence, subject, relation.kind, relation.sort)
        if relation.kind in _OPPOSITE:
            return find_facts(self._evidence, subject, _OPPOSITE[relation.kind])
        return find_owners(self._evidence, subject, relation.kind)


def _expanded(constraints: Sequence[Constraint]) -> list[list[tuple[Constraint, ...]]]:
    """Runs of constraints, each with its alternative readings; composite kinship has several."""
    runs: list[list[tuple[Constraint, ...]]] = []
    plain: list[Constraint] = []
    for constraint in constraints:
        longer = expansions(constraint)
        if longer:
            if plain:
                runs.append(_readings(plain))
                plain = []
            runs.append([*longer])
        else:
            plain.append(constraint)
    if plain:
        runs.append(_readings(plain))
    return runs


def _readings(constraints: Sequence[Constraint]) -> list[tuple[Constraint, ...]]:
    """A run of plain constraints as planned, and with the steps joined that may only be words of one relation.

    "The lease of the cheese shop in Norbeck" is planned as Norbeck's shop and the shop's lease: right where a text
    names the shop, one step too many where it does not. What such a step leads to is of no sort that a plan knows.
    """
    joined = list(constraints)
    for first in constraints:
        then = [one for one in joined if one.head == first.tail]
        uses = [one for one in joined if first.tail in one.variables]
        if (
            is_variable(first.head)
            or not is_variable(first.tail)
            or first.tail_type
            or len(then) != 1
            or len(uses) != 2
        ):
            continue
        joined[joined.index(then[0])] = _joined(first, then[0])
        joined.remove(first)
    return [tuple(constraints)] if len(joined) == len(constraints) else [tuple(constraints), tuple(joined)]


def _joined(first: Constraint, then: Constraint) -> Constraint:
    """Both as one constraint between the first one's head and the second one's tail."""
    verbal = is_verbal(then.relation)
    relation = f"{first.relation} {then.relation}" if verbal else f"{then.relation} of the {first.relation}"
    return Constraint(first.head, relation, then.tail, (), first.head_type, then.tail_type)


def _next(rest: Sequence[Constraint], bound: Mapping[str, Found]) -> Constraint:
    """The first constraint with a single unknown, else the first."""
    unknowns = [(sum(variable not in bound for variable in item.variables), item) for item in rest]
    return next((item for count, item in unknowns if count <= 1), rest[0])


def _best(chains: list[Chain]) -> list[Chain]:
    return sorted(chains, key=lambda chain: -chain.score)[:BEAM]


def _of_sort(finds: list[Found], sort: str) -> list[Found]:
    """Finds with those that are not of the sort of place that a variable's name asks for at half their score.

    "Hoosick, Rensselaer County" found for a county gives the county; a country may be told by an adjective.
    """
    if sort in ("", "country"):
        return finds
    weighed = []
    for one in finds:
        part = address_part(one, sort)
        weighed.append(part or replace(one, score=one.score / 2))
    return sorted(weighed, key=lambda one: -one.score)


def _distinct(finds: Sequence[Found], subject: str) -> list[Found]:
    """The finds without repetitions and without the subject itself."""
    kept: dict[str, Found] = {}
    for found in finds:
        key = fold(found.text)
        if key and key not in kept and name_score(found.text, subject) < 0.97:
            kept[key] = found
    return list(kept.values())


def _together(evidence: Evidence, head: str, tail: str) -> Found | None:
    """A passage about one end that mentions the other."""
    for one, other in ((head, tail), (tail, head)):
        for doc, certainty in evidence.about(one):
            places = doc.mentions(other)
            if places:
                return replace(doc.found(*places[0], 0.6), score=0.6 * certainty)
    return None


def target_of(plan: Plan) -> str:
    """The variable that a look-up asks for: the plan's target, else the last unknown of its last constraint."""
    if plan.target:
        return plan.target
    return next((item.variables[-1] for item in reversed(plan.constraints) if item.variables), "")
