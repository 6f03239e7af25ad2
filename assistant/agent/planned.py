"""One planned pass: clew plans the question, chooses the tools and calls them; where what it reads then is not likely
enough to be given, the model writes the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from assistant.agent.deps import Deps
from assistant.agent.mending import known_tools, mended
from assistant.agent.offline.offline_model import OfflineModel
from assistant.agent.streaming import ANSWER_TOOL
from assistant.agent.toolbox.excerpts import choose_sentences, focus_of, weigh_sentences
from assistant.agent.toolbox.findings import fenced
from assistant.agent.workspace import Evidence
from assistant.models.calling.json_calls import as_chat, either_schema, prompt
from assistant.models.calling.json_chat import Stopped, ask_for_json, read_reply
from assistant.models.calling.likelihood import likelihood_of
from assistant.models.calling.one_request import Events, Turn, model_asked
from assistant.models.calling.repair import Tool
from assistant.models.calling.rungs import Rungs

PASSAGES = 10
"""Passages that the model reads for the answer, best first."""

CHARACTERS_SHOWN = 4_500
"""Of the passages: the sentences nearest to what is asked. Whole passages are 6,100 characters on MuSiQue and 6,300 on
the example's workspace, and hold the answer for 32 and 31 of 40 questions each; these for 31 and 31, in 30% less.
"""

FRAME = 1_000
"""Tokens of what is asked besides the passages, of the answer's schema, and of the answer."""

CHARACTERS = 3
"""Of a passage that are taken for a token, as a budget estimates them."""

OWN_ANSWER = "the model's answer could not be used twice, so clew gave none"

OWN_READING = "clew's own reading is likely enough, so the model was not asked"


@dataclass
class PlannedPass:
    """How far the pass over one question has come: how often the model has been asked for an answer."""

    deps: Deps
    rungs: Rungs
    answers: int = 0

    async def events(
        self,
        turn: Turn,
        messages: Sequence[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> Events:
        """The next calls of the policy, and its answer, where what it reads is likely enough to be given: such answers
        are right more often than those of a model that is asked in this way. Else the model's answer.
        """
        workspace = self.deps.workspace
        self.deps.judge = None  # a model that is only asked for an answer is not up to judging
        offline = OfflineModel(self.deps)
        response = await offline.request(without_refusals(messages, parameters), None, parameters)
        if _is_given(response):
            response = self._own(response, OWN_READING)
        elif _ends(response, parameters) and workspace.evidence:
            written = None
            if self.answers < 2:
                self.answers += 1
                yield model_asked()
                written = await self._answer(turn, messages, settings, parameters)
            if written is None:
                self.answers = 2
                response = self._own(response, OWN_ANSWER)
            else:
                workspace.is_sentence = False
                response = written
        for event in turn.settle(response):
            yield event

    def _own(self, response: ModelResponse, note: str) -> ModelResponse:
        self.deps.workspace.is_own = True
        self.deps.workspace.notes.append(note)
        return response

    async def _answer(
        self,
        turn: Turn,
        messages: Sequence[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> ModelResponse | None:
        chat = as_chat(parameters, prompt("finish").template)
        put = partial(_put, turn, self.rungs, settings, chat, "answer", either_schema(parameters.output_tools))
        evidence, refused = await self._evidence(), refusal(messages, parameters)
        told = f"{evidence}\n\n{refused}" if refused else evidence
        asked: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(told)])]
        answers = {tool.name for tool in parameters.output_tools}
        tools = [tool for tool in known_tools() if tool.name in answers]
        read = await read_reply(put, asked, partial(self._read, turn, tools), "one JSON object as described")
        return None if isinstance(read, str) else read

    def _read(self, turn: Turn, tools: Sequence[Tool], response: ModelResponse) -> ModelResponse | str:
        if turn.ran_away:
            return Stopped("it repeats itself")
        self.deps.workspace.likelihood = likelihood_of(response, "answer")
        known = range(1, len(self.deps.workspace.evidence) + 1)
        made = mended(response, tools, known, ())
        if made.wrong or not made.fits:
            return made.wrong or "it is not in the form described"
        return made.response

    async def _evidence(self) -> str:
        """The question and the passages that were found for it, best first: their sentences nearest to the question."""
        deps = self.deps
        best = _best(deps)[:PASSAGES]
        weighed = await deps.call(weigh_sentences, focus_of(deps.workspace), [item.passage for item in best])
        found = [weighed[item.passage.id] for item in best]
        limit = min(CHARACTERS_SHOWN, _room(deps))
        chosen = list(zip(best, choose_sentences(best, found, limit), strict=True))
        # The best one is shown at any rate: a request without any passage is of no use.
        shown = [(item, sentences) for item, sentences in chosen if sentences] or [(best[0], found[0][:1])]
        deps.shown.update(item.number for item, _ in shown)
        passages = "\n".join(fenced(item.number, item.passage, sentences) for item, sentences in shown)
        return f"{passages}\n\nQuestion: {deps.workspace.standalone}"


async def _put(
    turn: Turn,
    rungs: Rungs,
    settings: ModelSettings | None,
    chat: ModelRequestParameters,
    name: str,
    schema: Mapping[str, object],
    messages: Sequence[ModelMessage],
) -> ModelResponse:
    return await ask_for_json(turn.ask, rungs, messages, settings, chat, name, schema, with_likelihoods=True)


def _ends(response: ModelResponse, parameters: ModelRequestParameters) -> bool:
    """Whether a response is an answer or a refusal, and no call of a technique."""
    answers = {tool.name for tool in parameters.output_tools}
    return any(isinstance(part, ToolCallPart) and part.tool_name in answers for part in response.parts)


def _is_given(response: ModelResponse) -> bool:
    """Whether a response gives an answer: an offline one is given only where it is likely right."""
    return any(isinstance(part, ToolCallPart) and part.tool_name == ANSWER_TOOL for part in response.parts)


def _room(deps: Deps) -> int:
    """Characters of passages that fit the model's context, and what is left of the budget."""
    left = deps.meter.left.tokens
    tokens = deps.context_window if left is None else min(deps.context_window, left)
    return max(0, tokens - FRAME) * CHARACTERS


def _best(deps: Deps) -> list[Evidence]:
    """All that was found, in the order of the evidence walk where there was one."""
    return list(dict.fromkeys([*deps.workspace.ranked, *deps.workspace.evidence]))


def refusal(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> str:
    """Why the latest answer was sent back, "" where none was."""
    answers = {tool.name for tool in parameters.output_tools}
    last = messages[-1] if messages else None
    parts = last.parts if isinstance(last, ModelRequest) else ()
    told = [part for part in parts if isinstance(part, ToolReturnPart) and part.tool_name in answers]
    return "\n".join(part.model_response_str(wrap_if_error=False) for part in told)


def without_refusals(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> list[ModelMessage]:
    """The messages without answers that were sent back: the offline model takes such an answer for its own."""
    answers = {tool.name for tool in parameters.output_tools}
    kept: list[ModelMessage] = []
    for message in messages:
        parts = [
            part
            for part in message.parts
            if not (isinstance(part, ToolCallPart | ToolReturnPart) and part.tool_name in answers)
        ]
        if parts:
            kept.append(replace(message, parts=parts))  # type: ignore[arg-type]
    return kept
