"""A session that keeps transcripts, and a script for the model that it asks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from small_documents import PLAN

from assistant.agent.replying.reply import Reply
from assistant.conversations.events import Finished
from assistant.conversations.session import Session
from assistant.shared.model_choice import ModelChoice
from tools.planning.plan import Plan


def plan_first(_: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("constraint_retrieval", PLAN)]


def then_answer(request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The answer, with the numbers that the passages about film and director really have."""
    shown = "\n".join(str(message["content"]) for message in request["messages"] if message["role"] == "tool")
    film, director = _number(shown, "The Glass Harbour"), _number(shown, "Irena Valdis")
    explanation = f"The Glass Harbour was directed by Irena Valdis [{film}], who was born in Tarnow Bay [{director}]."
    return [("answer", {"answer": "Tarnow Bay", "explanation": explanation, "cited": [film, director]})]


PLANNED = (plan_first, then_answer)


def scripted(url: str) -> ModelChoice:
    return ModelChoice("scripted", url)


def _number(shown: str, title: str) -> int:
    match = re.search(rf'(?:number="|\[)(\d+)(?:"|\])[^\d\n]{{0,12}}{title}', shown)
    assert match, json.dumps(shown)
    return int(match[1])


async def ask_and_keep(
    file: Path,
    folder: Path,
    *questions: str,
    choice: ModelChoice | None = None,
    plan: Plan | None = None,
    **options: Any,
) -> list[Reply]:
    """The replies to the questions of one conversation, a transcript of each in `folder`."""
    replies = []
    with Session.open(file, choice, transcripts=folder, **options) as session:
        for question in questions:
            events = [event async for event in session.ask(question, plan)]
            replies += [event.reply for event in events if isinstance(event, Finished)]
    return replies
