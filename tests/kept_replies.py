"""What was answered in a session that is kept."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.agent.replying.reply import Reply
from assistant.conversations.session_files import Turn, readable


def replies_of(turns: Iterable[Turn]) -> list[Reply]:
    """The replies of turns; those that cannot be read are left out."""
    return [turn.reply for turn in readable(turns)]
