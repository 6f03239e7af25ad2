"""Whether passages already answer a question, offline: every constraint of its plan is stated by a fact of theirs."""

from __future__ import annotations

from collections.abc import Sequence

from kb.names import name_key
from kb.records import Passage, Triple
from kb.store import KnowledgeBase
from tools.plan import Constraint, Plan, is_variable
from tools.relations import fits_type
from tools.rerank import stems


def is_answered(kb: KnowledgeBase, question: str, plan: Plan, passages: Sequence[Passage]) -> bool:
    """Whether the facts of the passages resolve the plan from its names to its end (BubbleRAG, section 3.2).

    Each constraint needs a fact between what is known of its ends that says its relation and whose other end looks
    like the type asked for. False for a plan or passages without content.
    """
    facts = kb.passage_triples([one.id for one in passages])
    known: dict[str, set[str]] = {}
    return bool(plan.constraints and facts) and all(_states(facts, one, known) for one in plan.constraints)


def says_relation(constraint: Constraint, fact: Triple) -> bool:
    """Whether the fact's relation has a content word of the constraint's relation or of one of its variants."""
    asked = frozenset[str]().union(*map(stems, (constraint.relation, *constraint.variants)))
    return bool(asked & stems(fact.relation))


def _states(facts: Sequence[Triple], constraint: Constraint, known: dict[str, set[str]]) -> bool:
    """Whether a fact states the constraint; its variables become known, as name keys."""
    wanted = {end: _meant(end, known) for end in (constraint.head, constraint.tail)}
    anchors = [end for end, names in wanted.items() if names]
    if not anchors:
        return False
    anchor = anchors[0]
    other = constraint.tail if anchor == constraint.head else constraint.head
    other_type = constraint.tail_type if anchor == constraint.head else constraint.head_type
    found = {
        name
        for fact in facts
        if says_relation(constraint, fact)
        for name in _far_ends(fact, wanted[anchor])
        if fits_type(name, other_type) >= 0.5 and (not wanted[other] or name_key(name) in wanted[other])
    }
    if is_variable(other) and other not in known:
        known[other] = {name_key(name) for name in found}
    return bool(found)


def _meant(end: str, known: dict[str, set[str]]) -> set[str]:
    return known.get(end, set()) if is_variable(end) else {name_key(end)} - {""}


def _far_ends(fact: Triple, names: set[str]) -> list[str]:
    """The names at the end that is not one of `names`, where the other end is."""
    ends = ((fact.head_name, fact.tail_name), (fact.tail_name, fact.head_name))
    return [far for near, far in ends if name_key(near) in names]
