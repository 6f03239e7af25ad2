"""Whether passages already answer a question, offline: every constraint of its plan is stated by a fact of theirs."""

from __future__ import annotations

from collections.abc import Sequence

from kb.name_keys import name_key
from kb.records import Passage, Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint, Plan, is_variable
from tools.relations.alignment import fits_type
from tools.search.word_match import stems


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
    pairs = {
        (name_key(near), name_key(far))
        for fact in facts
        if says_relation(constraint, fact)
        for near, far in ((fact.head_name, fact.tail_name), (fact.tail_name, fact.head_name))
        if name_key(near) in wanted[anchor] and fits_type(far, other_type) >= 0.5
        if not wanted[other] or name_key(far) in wanted[other]
    }
    # What both ends may be is narrowed to what this constraint leaves of it.
    for end, at in ((anchor, 0), (other, 1)):
        if is_variable(end):
            known[end] = {pair[at] for pair in pairs}
    return bool(pairs)


def _meant(end: str, known: dict[str, set[str]]) -> set[str]:
    return known.get(end, set()) if is_variable(end) else {name_key(end)} - {""}
