"""What is done with a question before it is planned."""

from __future__ import annotations

from assistant.agent.final_answer import Output
from assistant.agent.offline.about_base import about_base
from assistant.agent.offline.wording import (
    as_known,
    of_its_maker,
    spelled_out,
    unaddressed,
    with_its_verb,
    with_months,
)
from assistant.agent.offline.yes_or_no_wording import asked_first
from assistant.agent.workspace import Workspace
from kb.store.knowledge_base import KnowledgeBase


def prepared(kb: KnowledgeBase, workspace: Workspace) -> Output | None:
    """The answer to a question about the knowledge base itself; None for any other, which then stands in the Workspace
    in the file's own words.

    `workspace.standalone` is changed, and `workspace.notes` tell what else than capitals was.
    """
    workspace.standalone = asked_first(unaddressed(with_its_verb(with_months(workspace.standalone))))
    if (output := about_base(kb, workspace)) is not None:
        return output
    known, notes = as_known(kb, workspace.standalone)
    asked = spelled_out(known)
    workspace.notes += notes
    if asked != known:
        workspace.notes.append(f"read as “{asked}”")
    workspace.standalone = of_its_maker(asked)
    return None
