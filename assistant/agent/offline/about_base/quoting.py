"""How answers about the knowledge base itself quote and cite."""

from __future__ import annotations

from assistant.agent.workspace import Workspace
from kb.records import Passage
from tools.types import Hit

TOOL = "browse"
"""What these passages are found by."""

QUOTED = 220
"""Characters of a sentence or line that is quoted in a list."""


def cite(workspace: Workspace, passage: Passage) -> int:
    """The number of a passage, which is in the Workspace then."""
    return workspace.add_hits(TOOL, [Hit(passage, 1.0)])[0].number


def one_line(sentence: str) -> str:
    """A sentence without the mark of a list before it."""
    return " ".join(sentence.split()).lstrip("-–•* ")
