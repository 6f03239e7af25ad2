"""The whole of CS-RAG's retrieval: constraints grounded in the graph, and the text for those that it does not resolve
(sections 3.2 to 3.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kb.name_keys import name_key
from kb.store.knowledge_base import KnowledgeBase
from tools.constraint_retrieval import (
    ConstraintParams,
    ConstraintResult,
    ConstraintState,
    anchor_of,
    filled,
    find_anchors,
    goes_on,
    passage_scores,
    ranked,
    retrieve_by_constraints,
)
from tools.planning.plan import Constraint, Plan, is_variable
from tools.planning.planner import plan_question
from tools.relations.alignment import Asked, PassageOdds, ScoredTriple
from tools.relations.reranker import Reranker, chance, load_reranker
from tools.search.passage_search import search_passages, search_together, similar_passages
from tools.textual_recovery import CANDIDATES, query_of, recover
from tools.types import Hit


@dataclass(frozen=True, slots=True)
class RecoveryParams:
    """The paper's defaults (appendix C), and what its ablations (section 4.3) switch off."""

    retrieval: ConstraintParams = field(default_factory=ConstraintParams)
    """Of constraint retrieval."""
    candidates: int = CANDIDATES
    """Kt': passages by similarity to a constraint, before reranking."""
    by_vectors: bool = False
    """Take them by their vectors alone, as the paper does; else by words too, by titles, and by facts and values."""
    kept: int = 5
    """Kt: passages kept of an unresolved constraint."""
    plan: bool = True
    """Plan the question. Without ("w/o Planner"), it is one request for passages."""
    ground: bool = True
    """Ground constraints in the graph. Without ("w/o Constraint"), each is matched with passages only."""
    recover: bool = True
    """Recover unresolved constraints from the text. Without, their candidates' passages stand for them."""
    rerank: bool = True
    """Rerank recovered passages. Without ("w/o Rerank (Txt)"), they count by the order of similarity alone, from 0
    down, and suggest nothing."""
    resolved_too: bool = True
    """Look in the text for resolved constraints as well, and let the ranking decide; the paper does not."""
    suggest: int = 3
    """Names that an unresolved constraint suggests to those that follow, for the search in text alone; 0 as in the
    paper, where they are searched for without a name."""


@dataclass(frozen=True, slots=True)
class Block:
    """The evidence of one constraint, best first: the linearised constraint, known names filled in, and passages
    (equation 4).
    """

    text: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """Constraints and bindings as grounded, a block for each constraint in plan order, and all passages, best first by
    their highest log-odds over all constraints.
    """

    states: tuple[ConstraintState, ...]
    bindings: Mapping[str, tuple[str, ...]]
    blocks: tuple[Block, ...]
    hits: tuple[Hit, ...]


def retrieve_with_recovery(
    kb: KnowledgeBase, question: str, plan: Plan | None = None, params: RecoveryParams | None = None
) -> RecoveryResult:
    """Ground the plan, recover what stays unresolved from the text, and rank all passages on one scale.

    Without a plan the question is planned offline. Nothing for a blank question or an empty file. Raises UsageError
    where the reranker named in the parameters cannot be loaded.
    """
    params = params or RecoveryParams()
    if not question.strip():
        return RecoveryResult((), {}, (), ())
    if not params.plan:
        plan = Plan((Constraint(question, "", "?answer"),))
    elif plan is None:
        plan = plan_question(question)
    if params.ground and params.plan:
        result = retrieve_by_constraints(kb, question, plan, params.retrieval)
    else:
        states = tuple(ConstraintState(one, "unresolved", float("inf")) for one in plan.constraints)
        result = ConstraintResult(states, {}, ())
    return recover_constraints(kb, question, result, params)


def recover_constraints(
    kb: KnowledgeBase, question: str, result: ConstraintResult, params: RecoveryParams | None = None
) -> RecoveryResult:
    """The second half of `retrieve_with_recovery`: the text for what the first, whose result is given, left open."""
    params = params or RecoveryParams()
    return _Recovery(kb, question, params, load_reranker(params.retrieval.reranker), result).run()


@dataclass(slots=True)
class _Recovery:
    kb: KnowledgeBase
    question: str
    params: RecoveryParams
    reranker: Reranker
    result: ConstraintResult
    names: dict[str, dict[str, float]] = field(default_factory=dict)
    """What each variable may be for the search in text, with the chance that it is."""

    def run(self) -> RecoveryResult:
        states = self.result.states
        blocks: dict[int, Block] = {}
        for variable, names in self.result.bindings.items():
            self.names[variable] = dict.fromkeys(names[: self.params.retrieval.max_bindings], 1.0)
        while len(blocks) < len(states):
            at = min((at for at in range(len(states)) if at not in blocks), key=self._turn)
            blocks[at] = self._block(states[at])
        in_order = tuple(blocks[at] for at in range(len(states)))
        hits = ranked(hit for block in in_order for hit in block.hits)
        return RecoveryResult(states, self.result.bindings, in_order, hits)

    def _turn(self, at: int) -> tuple[int, int]:
        """Constraints with a known end come first, those whose unknown has been suggested next."""
        state = self.result.states[at]
        if state.asked or any(not is_variable(end) for end in (state.constraint.head, state.constraint.tail)):
            return 0, at
        return (1 if self.names.keys() & set(state.constraint.variables) else 2), at

    def _block(self, state: ConstraintState) -> Block:
        asked = state.asked or self._asked(state.constraint)
        is_resolved = state.status == "resolved"
        hits: list[Hit] = []
        if is_resolved or not self.params.recover:
            hits += ranked(hit for one in asked for hit in self._structural(one, state))
        if self.params.recover and (self.params.resolved_too or not is_resolved):
            # One pass of the model for all that will be searched for.
            self.kb.embed([one.constraint.text() for one in asked])
            if self.params.rerank and not self.params.by_vectors:
                search_together(self.kb, [query_of(one) for one in asked if one.constraint.text().strip()])
            hits += ranked(hit for one in asked for hit in self._recovered(one, state))[: self.params.kept]
        return Block(asked[0].constraint.text(), ranked(hits))

    def _structural(self, asked: Asked, state: ConstraintState) -> tuple[Hit, ...]:
        """The passages that the candidates come from."""
        passages = [hit.passage for hit in state.passages]
        found = PassageOdds(passage_scores(state.triples), {}, state.status == "resolved")
        scores = self.reranker.score_passages(self.kb, asked, passages, found)
        why = f"states: {asked.constraint.text()}"
        return ranked(Hit(passage, float(score), why) for passage, score in zip(passages, scores, strict=True))

    def _asked(self, constraint: Constraint) -> tuple[Asked, ...]:
        """An ungrounded constraint with each name suggested for its unknown, likeliest first, and as it is: a name that
        is a guess does not replace the question's own words. A constant is no guess.
        """
        constants = [end for end in (constraint.head, constraint.tail) if end and not is_variable(end)]
        known = {end: {end: 1.0} for end in constants}
        known |= {end: names for end, names in self.names.items() if end in constraint.variables}
        anchor, other, is_head = anchor_of(constraint, known)
        onward = goes_on(constraint, other, [state.constraint for state in self.result.states])
        found = []
        for name, certainty in known.get(anchor, {}).items():
            ids = frozenset(find_anchors(self.kb, [name], self.params.retrieval))
            one = filled(constraint, is_head, name)
            typed = self.params.retrieval.typed
            found.append(Asked(self.question, one, constraint, name, ids, certainty, onward, typed))
        bare = Asked(self.question, constraint, constraint, certainty=0.0, goes_on=onward)
        return tuple(found) if anchor in constants else (*found, bare)

    def _recovered(self, asked: Asked, state: ConstraintState) -> tuple[Hit, ...]:
        params = self.params
        if not params.rerank:
            search = similar_passages if params.by_vectors else search_passages
            hits = search(self.kb, asked.constraint.text(), params.candidates)
            return tuple(replace(hit, score=-float(rank)) for rank, hit in enumerate(hits))
        found = recover(
            self.kb, asked, self.reranker, params.candidates, state.triples, params.suggest, params.by_vectors
        )
        self._suggest(asked, found.values)
        return found.hits

    def _suggest(self, asked: Asked, values: Sequence[ScoredTriple]) -> None:
        """Keep the likeliest names for the unknown end; those of a bound variable stay as they are."""
        other = asked.planned.tail if asked.constraint.tail == asked.planned.tail else asked.planned.head
        if not is_variable(other) or other in self.result.bindings or not self.params.suggest:
            return
        names = dict(self.names.get(other, {}))
        keys = {name_key(name): name for name in names}
        for one in values:
            name = keys.setdefault(name_key(one.other_name), one.other_name)
            names[name] = max(names.get(name, 0.0), chance(one.score) * asked.certainty)
        best = sorted(names, key=lambda name: (-names[name], name))[: self.params.suggest]
        self.names[other] = {name: names[name] for name in best}
