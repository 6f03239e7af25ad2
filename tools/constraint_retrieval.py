"""Constraint retrieval with its sufficiency check (CS-RAG, sections 3.2 and 3.3).

A question's constraints are grounded one by one: anchors by token coverage, their triples as candidates, relation
alignment, contextual reranking, and N_eff, which says whether the candidates left agree enough to bind a variable and
go on from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from kb.errors import UsageError
from kb.name_keys import name_key
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint, Plan, is_variable
from tools.relations.alignment import Asked, ScoredTriple, align, other_end, says_relation
from tools.relations.reranker import Reranker, chance, load_reranker, score_candidates
from tools.types import Hit

Status = Literal["resolved", "unresolved"]


@dataclass(frozen=True, slots=True)
class ConstraintParams:
    """The paper's defaults (appendix C), and what its ablations (section 4.3) switch off."""

    anchors: int = 3
    """Entities that a constant may mean."""
    aligned: int = 10
    """R: candidates kept by their relation."""
    kept: int = 6
    """Ks: candidates kept by their context; the paper has 5 and 7."""
    gamma: float = 1.6
    """Accept at N_eff <= gamma: the best candidate then has at least 1 / gamma of the probability."""
    gate: bool = True
    """Ask of the best candidate, beside N_eff, that it is likely in itself and says the relation. Off, as in the paper,
    which compares candidates with each other alone: a lone one has N_eff = 1 however poor it is."""
    min_log_odds: float = -1.0
    """Of the best candidate, for a binding, where `gate` is on. -1 is a chance of 0.27."""
    min_coverage: float = 0.6
    """Of an anchor's words that its entity must cover: below that it is another thing of a similar name."""
    neighbourhood: int = 200
    """Triples of an anchor that are looked at, at either end, so that a hub costs what others do."""
    max_bindings: int = 3
    """Entities of a binding from which a later constraint is anchored."""
    binding_margin: float = 1.0
    """Log-odds below the best at which a candidate of a resolved constraint still binds: those that share the
    probability that made N_eff small. The paper binds all that are kept: any number above their spread."""
    each_binding: bool = True
    """Put a constraint to the reranker once for each of these, with its name filled in, for the triples at it. Without,
    the first name is filled in for the triples of all."""
    by_relation: bool = True
    """Align by relation. Without (the paper's "w/o Relation"), any R candidates stay, and the constraint's words are
    hidden from the reranker."""
    by_context: bool = True
    """Rerank with the question. Without, all candidates that alignment keeps are equally likely."""
    check: bool = True
    """Check sufficiency. Without ("w/o Check"), every candidate pool resolves its constraint."""
    by_distribution: bool = True
    """Decide by N_eff. Without ("w/o Dist"), resolved is what has a candidate likelier than 0.5."""
    propagate: bool = True
    """Bind variables and go on from them. Without, only constraints with a constant are grounded."""
    intersect: bool = True
    """Intersect what several constraints say of a variable. Without ("w/o Intersection"), unite it."""
    typed: bool = True
    """Let the types of variables count. Without ("w/o Typed-Var"), any name may fill them."""
    reranker: str = ""
    """A cross-encoder's name or folder on this machine; "" for the shipped scorer."""

    def __post_init__(self) -> None:
        for name in ("anchors", "aligned", "kept", "neighbourhood", "max_bindings"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} counts something and must be at least 1, not {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class ConstraintState:
    """A constraint as grounded: the candidates kept, best first, what they come from, its ends by the best of them.

    `asked` are the constraints as they were put to the reranker, known ends filled in, likeliest name first; () where
    none was known.
    """

    constraint: Constraint
    status: Status
    n_eff: float
    triples: tuple[ScoredTriple, ...] = ()
    passages: tuple[Hit, ...] = ()
    instantiated: tuple[str, str] = ("", "")
    asked: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class ConstraintResult:
    """All constraints in plan order, the names that each variable may have, and the passages, best first."""

    states: tuple[ConstraintState, ...]
    bindings: Mapping[str, tuple[str, ...]]
    hits: tuple[Hit, ...]


def effective_number(scores: Sequence[float]) -> float:
    """N_eff = 1 / sum of p², p the softmax of the scores (CS-RAG, equation 2): between 1 and their number; inf for
    none.

    >>> effective_number([1.0, 1.0])
    2.0
    """
    if not scores:
        return float("inf")
    shifted = np.exp(np.asarray(scores, dtype=np.float64) - max(scores))
    p = shifted / shifted.sum()
    return float(1.0 / (p * p).sum())


def retrieve_by_constraints(
    kb: KnowledgeBase, question: str, plan: Plan, params: ConstraintParams | None = None
) -> ConstraintResult:
    """Ground the plan: one-variable constraints first, then those that a binding makes so, until nothing changes.

    A constraint without variables, or whose anchors are not in the file, is unresolved; so is every one of an empty
    pool. Raises UsageError where the reranker named in the parameters cannot be loaded.
    """
    params = params or ConstraintParams()
    # One pass of the model for all texts that the constraints will be compared with.
    kb.embed([question, *(one.text() for one in plan.constraints)])
    return _Grounding(kb, question, plan, params, load_reranker(params.reranker)).run()


class _Start(NamedTuple):
    """The end that a constraint was grounded from, the other one, the names that the first then had, and whether it is
    the head.
    """

    anchor: str
    other: str
    names: tuple[str, ...]
    is_head: bool


@dataclass(slots=True)
class _Grounding:
    kb: KnowledgeBase
    question: str
    plan: Plan
    params: ConstraintParams
    reranker: Reranker
    states: dict[int, ConstraintState] = field(default_factory=dict)
    """Of the constraints grounded so far, in the order of grounding."""
    starts: dict[int, _Start] = field(default_factory=dict)
    bindings: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def run(self) -> ConstraintResult:
        # Each round takes back what rests on a binding that has changed since; three settle all that were seen.
        for left in reversed(range(len(self.plan.constraints) + 1)):
            while (at := self._next()) is not None:
                self._ground(at)
                self._bind()
            if not (stale := self._stale()) or not left:
                break
            for at in stale:
                del self.states[at], self.starts[at]
            self._bind()
        states = tuple(
            self._consistent(at) if at in self.states else ConstraintState(one, "unresolved", float("inf"))
            for at, one in enumerate(self.plan.constraints)
        )
        return ConstraintResult(states, dict(self.bindings), ranked(hit for state in states for hit in state.passages))

    def _next(self) -> int | None:
        """The constraint to ground next: of those with a known end, first those with one variable, then in plan
        order.
        """
        ready = []
        for at, constraint in enumerate(self.plan.constraints):
            ends = (constraint.head, constraint.tail)
            free = [end for end in ends if is_variable(end) and end not in self.bindings]
            if at not in self.states and len(constraint.variables) > 0 and len(free) < len(set(ends)):
                ready.append((len(constraint.variables), at))
        return min(ready)[1] if ready else None

    def _stale(self) -> list[int]:
        """Constraints anchored at what their variable no longer is."""
        return [at for at, start in self.starts.items() if self._names(start.anchor) != start.names]

    def _names(self, term: str) -> tuple[str, ...]:
        return self.bindings.get(term, (term,))[: self.params.max_bindings]

    def _ground(self, at: int) -> None:
        constraint = self.plan.constraints[at]
        anchor, other, is_head = anchor_of(constraint, self.bindings)
        names = self._names(anchor)
        asked = self._asked(constraint, names, other, is_head)
        kept = self._candidates(asked, other)
        n_eff = effective_number([one.score for one in kept])
        status: Status = "resolved" if self._is_sufficient(_of_all(asked), kept, n_eff) else "unresolved"
        self.starts[at] = _Start(anchor, other, names, is_head)
        self.states[at] = self._state(at, ConstraintState(constraint, status, n_eff, asked=asked), kept)

    def _asked(self, constraint: Constraint, names: Sequence[str], other: str, is_head: bool) -> tuple[Asked, ...]:
        """The constraint for each name of its known end, an entity belonging to the first name that it may have."""
        onward, taken = goes_on(constraint, other, self.plan.constraints), set[int]()
        groups = [(name, [name]) for name in names] if self.params.each_binding else [(names[0], list(names))]
        found = []
        for name, meant in groups:
            ids = frozenset(find_anchors(self.kb, meant, self.params)) - taken
            taken |= ids
            one = filled(constraint, is_head, name)
            found.append(Asked(self.question, one, constraint, name, ids, goes_on=onward, typed=self.params.typed))
        return tuple(found)

    def _candidates(self, asked: Sequence[Asked], other: str) -> list[ScoredTriple]:
        """The Ks best of the R best aligned triples of the anchors, each scored for the name that it is at; where the
        other end is bound already, of those that join both if there are any.
        """
        whole = _of_all(asked)
        triples = self.kb.triples_of(sorted(whole.anchors), self.params.neighbourhood) if whole.anchors else []
        if other in self.bindings and self.params.intersect:
            wanted = {name_key(name) for name in self.bindings[other]}
            consistent = [one for one in triples if wanted & {name_key(one.head_name), name_key(one.tail_name)}]
            triples = consistent or triples
        aligned = align(self.kb, whole, triples, self.params.aligned, self.params.by_relation)
        if not self.params.by_context:
            return [ScoredTriple(one, 0.0, other_end(one, whole.anchors)) for one in aligned[: self.params.kept]]
        scored = []
        for one in asked:
            mine = [triple for triple in aligned if _is_at(triple, one, whole)]
            seen = one if self.params.by_relation else _without_relation(one)
            scored += score_candidates(self.kb, seen, mine, self.reranker)
        return sorted(scored, key=lambda one: (-one.score, one.triple.id))[: self.params.kept]

    def _is_sufficient(self, asked: Asked, kept: Sequence[ScoredTriple], n_eff: float) -> bool:
        """Whether one candidate stands out (N_eff), is likely enough in itself, and says the relation at all.

        The paper asks for the first alone, which compares candidates with each other: where none is right, the least
        wrong stands out as well.
        """
        if not kept or not self.params.check:
            return bool(kept)
        if not self.params.by_distribution:
            return chance(kept[0].score) > 0.5
        if n_eff > self.params.gamma or not self.params.gate:
            return n_eff <= self.params.gamma
        likely = kept[0].score >= self.params.min_log_odds
        return likely and (not self.params.by_relation or says_relation(asked, kept[0].triple))

    def _bind(self) -> None:
        """All bindings anew from what is resolved, in the order of grounding: the intersection of what the constraints
        of a variable say, the union where that is empty.
        """
        self.bindings = {}
        for at, state in self.states.items():
            if state.status == "resolved" and self.params.propagate:
                other = self.starts[at].other
                if is_variable(other):
                    values = tuple(dict.fromkeys(one.other_name for one in self._dominant(state.triples)))
                    known = self.bindings.get(other)
                    self.bindings[other] = values if known is None else _merge(known, values, self.params.intersect)

    def _dominant(self, triples: Sequence[ScoredTriple]) -> list[ScoredTriple]:
        """The candidates that bind, all within the margin of the best."""
        return [one for one in triples if one.score >= triples[0].score - self.params.binding_margin]

    def _consistent(self, at: int) -> ConstraintState:
        """A resolved constraint with only those candidates that its variable is bound to (section 3.3)."""
        state, bound = self.states[at], self.bindings.get(self.starts[at].other, ())
        keys = {name_key(name) for name in bound}
        triples = tuple(one for one in state.triples if name_key(one.other_name) in keys)
        if state.status != "resolved" or not triples:
            return state
        return self._state(at, state, triples)

    def _state(self, at: int, state: ConstraintState, triples: Sequence[ScoredTriple]) -> ConstraintState:
        """The state with these candidates, best first, and what follows from them: passages, and both ends."""
        start = self.starts[at]
        known, found = _ends(triples[0], state.asked) if triples else (start.names[0], "")
        return replace(
            state,
            triples=tuple(triples),
            passages=self._passages(triples),
            instantiated=(known, found) if start.is_head else (found, known),
        )

    def _passages(self, kept: Sequence[ScoredTriple]) -> tuple[Hit, ...]:
        best = passage_scores(kept)
        order = sorted(best, key=lambda passage: (-best[passage], passage))
        return tuple(Hit(passage, best[passage.id]) for passage in self.kb.passages(order))


def anchor_of(constraint: Constraint, known: Mapping[str, object]) -> tuple[str, str, bool]:
    """The end to start from, the other one, and whether the first is the head.

    A constant is the anchor wherever there is one: the names at the other end are then the variable's.
    """
    is_head = not is_variable(constraint.head) or (is_variable(constraint.tail) and constraint.head in known)
    return (constraint.head, constraint.tail, True) if is_head else (constraint.tail, constraint.head, False)


def goes_on(constraint: Constraint, end: str, constraints: Iterable[Constraint]) -> bool:
    """Whether another constraint of the plan speaks of this end of one."""
    return is_variable(end) and any(one != constraint and end in one.variables for one in constraints)


def filled(constraint: Constraint, is_head: bool, name: str) -> Constraint:
    """The constraint with a name at the end that it starts from."""
    return replace(constraint, head=name) if is_head else replace(constraint, tail=name)


def find_anchors(kb: KnowledgeBase, names: Sequence[str], params: ConstraintParams) -> list[int]:
    """Ids of the entities that the names may mean, by token coverage, best first (CS-RAG, section 3.2)."""
    found: list[int] = []
    for name in names:
        matches = kb.find_entities(name, params.anchors)
        found += [match.entity.id for match in matches if match.score >= params.min_coverage]
    return list(dict.fromkeys(found))


def ranked(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Passages by their highest score over all constraints (CS-RAG, appendix C), ties by id."""
    best: dict[int, Hit] = {}
    for hit in hits:
        if hit.passage.id not in best or hit.score > best[hit.passage.id].score:
            best[hit.passage.id] = hit
    return tuple(sorted(best.values(), key=lambda hit: (-hit.score, hit.passage.id)))


def passage_scores(kept: Iterable[ScoredTriple]) -> dict[int, float]:
    """The highest score of the candidates of each passage, by passage id."""
    best: dict[int, float] = {}
    for one in kept:
        best[one.triple.passage] = max(best.get(one.triple.passage, one.score), one.score)
    return best


def _without_relation(asked: Asked) -> Asked:
    planned = replace(asked.planned, relation="", variants=())
    return replace(asked, planned=planned, constraint=replace(asked.constraint, relation="", variants=()))


def _of_all(asked: Sequence[Asked]) -> Asked:
    """The first, with the anchors of all names."""
    return replace(asked[0], anchors=frozenset[int]().union(*(one.anchors for one in asked)))


def _is_at(triple: Triple, asked: Asked, whole: Asked) -> bool:
    """Whether a triple of all anchors' is at one of this name's."""
    return (triple.head if triple.head in whole.anchors else triple.tail) in asked.anchors


def _ends(one: ScoredTriple, asked: Sequence[Asked]) -> tuple[str, str]:
    """The name that the candidate was scored for, and the one at its other end."""
    whole = _of_all(asked)
    return next((name.anchor for name in asked if _is_at(one.triple, name, whole)), asked[0].anchor), one.other_name


def _merge(before: Sequence[str], values: Sequence[str], intersect: bool = True) -> tuple[str, ...]:
    """The intersection of two sets of names, the union where that is empty or not wanted (CS-RAG, section 3.3)."""
    keys = {name_key(value) for value in values} if intersect else set[str]()
    shared = tuple(name for name in before if name_key(name) in keys)
    return shared or tuple(dict.fromkeys((*before, *values)))
