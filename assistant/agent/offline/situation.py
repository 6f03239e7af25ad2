"""How a question stands, read from the Workspace."""

from __future__ import annotations

from assistant.agent.offline.extracted_answer import Extracted, extract
from assistant.agent.offline.policy import Situation
from assistant.agent.workspace import Workspace
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence.ranking import LEADER


def situated(
    kb: KnowledgeBase, workspace: Workspace, called: tuple[str, ...], *, at_once: bool = False
) -> tuple[Situation, Extracted]:
    """The situation after these calls, and the answer as far as it can be read from what they found: nothing before
    the ranking was called, unless it is wanted at once.

    The question has been planned.
    """
    assert workspace.plan is not None, "a question is planned before it is searched for"
    is_read = workspace.evidence and (at_once or LEADER in called)
    extracted = extract(kb, workspace) if is_read else Extracted()
    situation = Situation(
        question=workspace.standalone,
        plan=workspace.plan,
        called=called,
        unresolved=open_steps(workspace, extracted),
        grounded=bool(workspace.states),
        anchored=any(state.triples for state in workspace.states),
        confident=extracted.confident,
        next_asked=next((one for one in extracted.asked if one not in workspace.searched), ""),
    )
    return situation, extracted


def open_steps(workspace: Workspace, extracted: Extracted) -> tuple[int, ...]:
    """The places in the plan of the constraints for which neither the graph nor the text read so far has a value."""
    stated = {hop.constraint for hop in extracted.hops if hop.value}
    return tuple(
        place
        for place, state in enumerate(workspace.states)
        if state.status == "unresolved" and state.constraint not in stated
    )
