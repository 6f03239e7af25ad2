"""Which tools a language model is offered: those that fit what of the question is open."""

from __future__ import annotations

from assistant.agent.workspace import Workspace
from assistant.shared.spending_limits import MOST_CALLS
from tools.constraint_retrieval import ConstraintState
from tools.planning.plan import is_variable

AT_ONCE = 2
"""Techniques that are offered at a time: with two tools for the text and the two ways to end they make six schemas."""


def offered(workspace: Workspace) -> tuple[str, ...]:
    """The names of the tools to offer now, in the order in which they should be read; in the end none.

    Before anything is found a whole search, or one for a phrase. Once there is a plan with open steps the techniques
    that fit these steps best, those that have been called behind the others.
    """
    if len(workspace.calls) >= MOST_CALLS:
        return ()
    if not workspace.evidence:
        return ("find_evidence", "passage_search")
    techniques = fitting(workspace)
    called = {call.name for call in workspace.calls if not call.failed}
    techniques.sort(key=lambda name: name in called)
    # Without a plan, or where all of it is resolved, only another plan can find more.
    whole = () if workspace.states and techniques else ("find_evidence",)
    return (*whole, "passage_search", "read_passage", *techniques[: AT_ONCE - len(whole)])


def look_further(workspace: Workspace) -> str:
    """What to tell a model that gives up after one search though a technique fits what is open; "" where it may.

    It is told once: small models give up beside the answer, and a technique that they ask for may find it.
    """
    called = [call.name for call in workspace.calls if not call.failed]
    techniques = [name for name in fitting(workspace) if name not in called] if workspace.states else []
    if called != ["find_evidence"] or workspace.looked_further or not techniques:
        return ""
    workspace.looked_further = True
    return (
        f"Not yet: call {' or '.join(techniques[:AT_ONCE])} for what is open, with the names found. If a passage above "
        "states it, call answer."
    )


def fitting(workspace: Workspace) -> list[str]:
    """The techniques that fit what is open, best first; none where the graph resolves every step."""
    if not workspace.states:
        return ["join_concepts"]
    left_open = [state for state in workspace.states if state.status == "unresolved" and state.constraint.variables]
    if not left_open:
        return []
    ends = {end for state in workspace.states for end in (state.constraint.head, state.constraint.tail)}
    names = {end for end in ends if not is_variable(end)}
    is_lookup = workspace.plan is not None and workspace.plan.kind in ("lookup", "count")
    ranked = [
        # Nothing to set out from: what the question speaks of has to come together somewhere.
        ("join_concepts", all(not _has_known_end(workspace, state) for state in left_open) or not _anchored(workspace)),
        # Names at both ends.
        ("follow_paths", len(names) > 1 and is_lookup),
        # A chain with a missing middle.
        ("walk_facts", is_lookup),
        # Facts that go on from one another.
        ("chain_facts", len(workspace.states) > 1),
        ("resolve_constraints", True),
        ("join_concepts", True),
        ("walk_facts", True),
        ("follow_paths", len(names) > 1),
    ]
    return list(dict.fromkeys(name for name, fits in ranked if fits))


def _has_known_end(workspace: Workspace, state: ConstraintState) -> bool:
    """Whether an end of the step is a name, the question's own or one that was found."""
    ends = (state.constraint.head, state.constraint.tail)
    return any(not is_variable(end) or workspace.bindings.get(end) for end in ends)


def _anchored(workspace: Workspace) -> bool:
    return any(state.triples for state in workspace.states)
