"""A language model that answers judgements from a script, and a judge that asks it from another thread."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from assistant.models.budget import Meter
from assistant.models.judging.cache import JudgementCache
from assistant.models.judging.model_judge import ModelJudge
from assistant.models.judging.one_judgement import SECONDS, prompt
from kb.store.knowledge_base import KnowledgeBase

T = TypeVar("T")
KINDS = ("concepts", "facts", "edges", "choice", "summaries", "paths")
Answer = str | dict[str, Any] | Exception | Callable[[str], Any]


class Script:
    """Answers each kind of judgement in turn, the last answer for all that follow; `asked` has what it was shown."""

    def __init__(self, **answers: Answer | Sequence[Answer]) -> None:
        self._answers = {kind: list(of) if isinstance(of, list) else [of] for kind, of in answers.items()}
        self.asked: list[tuple[str, str]] = []
        self.histories: list[list[ModelMessage]] = []
        self.model = FunctionModel(self._answer)

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.asked]

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        latest = messages[-1]
        assert isinstance(latest, ModelRequest)
        (kind,) = (one for one in KINDS if prompt(one) == latest.instructions)
        (part,) = latest.parts
        assert isinstance(part, UserPromptPart)
        shown = str(part.content)
        self.asked.append((kind, shown))
        self.histories.append(messages)
        answers = self._answers[kind]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        answer = answer(shown) if callable(answer) else answer
        if asyncio.iscoroutine(answer):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return ModelResponse([TextPart(text)], usage=RequestUsage(input_tokens=100, output_tokens=10))


@contextmanager
def judging(
    kb: KnowledgeBase,
    script: Script,
    *,
    name: str = "scripted",
    path: Path | None = None,
    notes: list[str] | None = None,
    meter: Meter | None = None,
    seconds: float = SECONDS,
) -> Iterator[ModelJudge]:
    """A judge in the running loop; its methods are to be called by `apart`."""
    cache = JudgementCache(kb, path)
    told = [] if notes is None else notes
    loop = asyncio.get_running_loop()
    judge = ModelJudge(kb, script.model, name=name, loop=loop, cache=cache, notes=told, meter=meter, seconds=seconds)
    with judge:
        yield judge
    cache.close()


async def apart(function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """The result of a call in another thread, as in the knowledge base's."""
    return await asyncio.to_thread(function, *args, **kwargs)
