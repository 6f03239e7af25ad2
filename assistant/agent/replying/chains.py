"""The evidence chain of a finished question, hop by hop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isfinite

from assistant.agent.replying.reply import Chain, Link
from assistant.agent.workspace import Workspace
from kb.name_keys import name_key
from tools.constraint_retrieval import ConstraintState
from tools.planning.plan import Constraint, is_unread
from tools.reading.answering import Hop
from tools.relations.alignment import ScoredTriple

RIVALS = 3
"""Other values of a hop's unknown that are named."""

NEAREST = 3
"""Passages that are told where a hop was left open."""

_PRONOUNS = frozenset("I i me we We us you You he she they one He She They somebody anybody people".split())
"""Ends of a fact that are nobody, as the question has them; "It" may be a film."""


def chains(workspace: Workspace, cited: Iterable[int]) -> tuple[Chain, ...]:
    """A chain for each group of constraints that share unknowns, its links in plan order.

    The links are the hops of the answer where it was extracted, else the facts that ground the plan; `cited` are the
    ids of the passages that the answer cites.
    """
    links = _hop_links(workspace) if workspace.hops else _fact_links(workspace, frozenset(cited))
    groups: list[tuple[set[str], list[Link]]] = []
    for constraint, link in links:
        unknowns = set(constraint.variables)
        joined = [group for group in groups if group[0] & unknowns]
        groups = [group for group in groups if group not in joined]
        before = [one for _, earlier in joined for one in earlier]
        is_new = all(_said(link) != _said(one) for one in before)
        groups.append((unknowns.union(*(group[0] for group in joined)), [*before, link] if is_new else before))
    return tuple(Chain(tuple(group)) for _, group in groups)


def of_somebody(thread: Iterable[Chain]) -> tuple[Chain, ...]:
    """The chains without links of which an end is a mere "I" or "they", or the whole of a question that could not be
    read: these are no facts. One without links is left out.
    """
    kept = (tuple(link for link in chain.links if not _is_no_fact(link)) for chain in thread)
    return tuple(Chain(links) for links in kept if links)


def _is_no_fact(link: Link) -> bool:
    is_whole_question = link.relation == "about" and is_unread(link.head)
    return is_whole_question or bool(_PRONOUNS & {link.head, link.tail})


def _said(link: Link) -> Link:
    """The link without what was planned: two constraints may come to the same fact."""
    return replace(link, planned=(), unknown="", value="", rivals=(), nearest=())


def _hop_links(workspace: Workspace) -> list[tuple[Constraint, Link]]:
    values: dict[str, str] = {}
    return [(hop.constraint, _hop_link(workspace, hop, values)) for hop in workspace.hops]


def _hop_link(workspace: Workspace, hop: Hop, values: dict[str, str]) -> Link:
    """The hop with its unknown filled in; what the text gave where the graph did not suffice is recovered."""
    constraint = hop.constraint
    unknown = next((variable for variable in constraint.variables if variable not in values), None)
    if hop.value and unknown:
        values[unknown] = hop.value
    place = next((at for at, one in enumerate(workspace.states) if one.constraint == constraint), None)
    state = None if place is None else workspace.states[place]
    link = Link(
        values.get(constraint.head, constraint.head),
        constraint.relation,
        values.get(constraint.tail, constraint.tail),
        hop.passage,
        hop.sentence,
        "unresolved" if not hop.value else "resolved" if state and state.status == "resolved" else "recovered",
        _n_eff(state),
    )
    return _planned(workspace, link, constraint, place, unknown or "")


def _fact_links(workspace: Workspace, cited: frozenset[int]) -> list[tuple[Constraint, Link]]:
    """One link a constraint: its best fact that agrees with what the links before it have found."""
    values: dict[str, str] = {}
    links: list[tuple[Constraint, Link]] = []
    for place, state in enumerate(workspace.states):
        fact = _agreeing_fact(state, values) if state.status == "resolved" else None
        if fact is None:
            link = _open_link(workspace, place, cited)
            unknown = next((term for term in (link.head, link.tail) if term in state.constraint.variables), "")
            links.append((state.constraint, _planned(workspace, link, state.constraint, place, unknown)))
            continue
        unknown = next((variable for variable in state.constraint.variables if variable not in values), "")
        for variable in state.constraint.variables:
            values.setdefault(variable, fact.other_name)
        triple = fact.triple
        link = Link(triple.head_name, triple.relation, triple.tail_name, triple.passage, triple.sentence)
        link = replace(link, n_eff=_n_eff(state), value=fact.other_name if unknown else "")
        links.append((state.constraint, _planned(workspace, link, state.constraint, place, unknown)))
    return links


def _planned(workspace: Workspace, link: Link, constraint: Constraint, place: int | None, unknown: str) -> Link:
    """The link with the constraint as it was planned, what else its unknown might be, and what comes nearest to it."""
    state = None if place is None else workspace.states[place]
    value = link.value or _value(link, constraint, unknown)
    named = dict.fromkeys(one.other_name for one in state.triples) if state else ()
    others = [name for name in named if name_key(name) != name_key(value)]
    hits = workspace.recovered.get(place, ()) if place is not None and link.state == "unresolved" else ()
    return replace(
        link,
        planned=(constraint.head, constraint.relation, constraint.tail),
        unknown=unknown,
        value=value,
        rivals=tuple(others[:RIVALS]) if unknown else (),
        nearest=tuple(dict.fromkeys(hit.passage.id for hit in hits))[:NEAREST],
    )


def _value(link: Link, constraint: Constraint, unknown: str) -> str:
    """What stands in the link where the constraint has its unknown; "" where nothing does."""
    ends = ((constraint.head, link.head), (constraint.tail, link.tail))
    return next((name for term, name in ends if unknown and term == unknown != name), "")


def _agreeing_fact(state: ConstraintState, values: Mapping[str, str]) -> ScoredTriple | None:
    known = {name_key(values[variable]) for variable in state.constraint.variables if variable in values}
    agreeing = [
        one for one in state.triples if known <= {name_key(one.triple.head_name), name_key(one.triple.tail_name)}
    ]
    return next(iter(agreeing or state.triples), None)


def _open_link(workspace: Workspace, place: int, cited: frozenset[int]) -> Link:
    """An unresolved constraint; recovered where the answer rests on a passage that was found for it in the text."""
    state, bound = workspace.states[place], workspace.bound(place)
    hits = workspace.recovered.get(place, ())
    passage = next((hit.passage.id for hit in hits if hit.passage.id in cited), None)
    link = Link(bound.head, bound.relation, bound.tail, passage, n_eff=_n_eff(state))
    return replace(link, state="unresolved" if passage is None else "recovered")


def _n_eff(state: ConstraintState | None) -> float | None:
    return state.n_eff if state and isfinite(state.n_eff) else None
