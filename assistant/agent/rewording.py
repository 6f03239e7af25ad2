"""Whether a question has others before it; only such a one may be put in other words."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.messages import ModelMessage, UserPromptPart

from assistant.agent.short_text import LINE_CHARACTERS, attribute
from assistant.agent.workspace import Workspace


def is_follow_up(messages: Sequence[ModelMessage]) -> bool:
    """Whether the latest question of the messages has another before it."""
    return sum(isinstance(part, UserPromptPart) for one in messages for part in one.parts) > 1


def understand(workspace: Workspace, messages: Sequence[ModelMessage], question: str) -> None:
    """Take a follow-up as the model puts it, and tell the reader; a first question stays as it was asked, as the
    answer to another one would be taken for its own. An empty `question` changes nothing.
    """
    worded = question.strip()
    if not worded or worded == workspace.standalone or not is_follow_up(messages):
        return
    workspace.standalone = worded
    workspace.notes.append(f"understood as: “{attribute(worded, LINE_CHARACTERS)}”")
