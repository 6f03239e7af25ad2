"""The agent run over a small file with a model behind the fake endpoint, and the turns of its scripts."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fake_endpoint import Says
from small_documents import PLAN, QUESTION

from assistant.agent.deps import Deps
from assistant.agent.final_answer import Output
from assistant.agent.ladder import calling_model
from assistant.agent.loop import agent
from assistant.agent.streaming import AnswerStream
from assistant.agent.workspace import Workspace
from assistant.models.calling.rungs import Rungs
from assistant.models.openai_chat import endpoint_model
from assistant.shared.model_choice import Calling, ModelChoice
from kb.store.knowledge_base import KnowledgeBase

STEPS = PLAN["constraints"]

Script = dict[str, Any]


@dataclass
class Ran:
    """What came of a run: the output, the Workspace, the tokens, and the answer's Markdown as it arrived."""

    output: Output
    workspace: Workspace
    tokens: tuple[int, int]
    pieces: list[str] = field(default_factory=list)

    @property
    def answer(self) -> str:
        return getattr(self.output, "answer", "")

    @property
    def called(self) -> list[str]:
        return [call.name for call in self.workspace.calls]


async def run(
    file: Path, url: str, calling: Calling = "auto", *, rungs: Rungs | None = None, streamed: bool = True
) -> Ran:
    """The question put to the agent, with `calling_model` around the endpoint."""
    choice = ModelChoice("scripted", url, calling)
    with KnowledgeBase.open(file) as kb, ThreadPoolExecutor(max_workers=1) as thread:
        deps = Deps(kb, Workspace(QUESTION), thread)
        model = calling_model(endpoint_model(choice), choice, deps, rungs)
        pieces: list[str] = []
        async with model:
            if streamed:
                stream = AnswerStream()
                async with agent().run_stream_events(QUESTION, model=model, deps=deps) as events:
                    async for event in events:
                        if event.event_kind in ("part_start", "part_delta") and (piece := stream.feed(event)):
                            pieces.append(piece)
                        elif event.event_kind == "agent_run_result":
                            result = event.result
            else:
                result = await agent().run(QUESTION, model=model, deps=deps)
        return Ran(result.output, deps.workspace, (result.usage.input_tokens, result.usage.output_tokens), pieces)


def shown(request: Script) -> str:
    """All that the request tells the model."""
    return "\n".join(str(message.get("content")) for message in request["messages"])


def number(request: Script, title: str) -> int:
    match = re.search(rf'<passage number="(\d+)" title="{title}">', shown(request))
    assert match, shown(request)
    return int(match[1])


def found(request: Script) -> dict[str, Any]:
    """The right answer, with the numbers that the passages really have."""
    film, director = number(request, "The Glass Harbour"), number(request, "Irena Valdis")
    explanation = f"The Glass Harbour was directed by Irena Valdis [{film}]. She was born in Tarnow Bay [{director}]."
    return {"answer": "Tarnow Bay", "explanation": explanation, "cited": [film, director]}


def plan(_: Script) -> Says:
    return Says(calls=[("constraint_retrieval", json.dumps(PLAN))])


def answer(request: Script) -> Says:
    return Says(calls=[("answer", json.dumps(found(request)))])


def plan_as_json(_: Script) -> str:
    return json.dumps({"tool": "constraint_retrieval", "arguments": PLAN})


def answer_as_json(request: Script) -> str:
    return json.dumps({"tool": "answer", "arguments": found(request)})


def bare_answer(request: Script) -> str:
    return json.dumps(found(request))


def bare_plan(_: Script) -> str:
    return json.dumps({"question": QUESTION, **PLAN})


def chat(_: Script) -> str:
    return "I would rather talk about the weather."


def nothing(_: Script) -> Says:
    return Says()
