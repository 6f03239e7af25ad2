"""One planned pass: the offline policy chooses and calls the tools, the model writes the plan and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from assistant.agent.deps import Deps
from assistant.agent.mending import known_tools, mended
from assistant.agent.offline.offline_model import OfflineModel
from assistant.agent.replying.trust import differ
from assistant.agent.rewording import understand
from assistant.agent.streaming import ANSWER_TOOL
from assistant.agent.toolbox.excerpts import choose_sentences, focus_of, weigh_sentences
from assistant.agent.toolbox.findings import fenced
from assistant.agent.workspace import Evidence
from assistant.models.calling.json_calls import as_chat, as_texts, either_schema, prompt
from assistant.models.calling.json_chat import Stopped, ask_for_json, read_reply
from assistant.models.calling.one_request import Turn
from assistant.models.calling.repair import Tool
from assistant.models.calling.rungs import Rungs
from assistant.models.calling.shapes import fits
from assistant.models.calling.worded_steps import worded_plan
from assistant.shared.recorded_plans import complete_plan
from tools.planning.plan import Constraint, Plan

T = TypeVar("T")

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

OWN_PLAN = "the model's plan could not be read twice, so clew planned the question itself"
OWN_ANSWER = "the model's answer could not be used twice, so clew gave its own"

OWN_FIND = "the model found no answer in the passages, and clew's own reading did"

OWN_READING = "the model gave another answer than clew's own reading, which is likelier right and is given"

_TERM = {"type": "string"}
_CONSTRAINT = {
    "type": "object",
    "properties": {"head": _TERM, "relation": _TERM, "tail": _TERM, "variants": {"type": "array", "items": _TERM}},
    "required": ["head", "relation", "tail"],
}
PLAN_SCHEMA = {
    "type": "object",
    "properties": {
        "question": _TERM,
        "constraints": {"type": "array", "items": _CONSTRAINT},
        "target": _TERM,
    },
    "required": ["constraints"],
}


@dataclass
class PlannedPass:
    """How far the pass over one question has come: whether the model has been asked for a plan, and for answers.

    A plan may have `plan_tokens`, which is less than an answer.
    """

    deps: Deps
    rungs: Rungs
    plan_tokens: int
    planned: bool = False
    answers: int = 0

    async def respond(
        self,
        turn: Turn,
        messages: Sequence[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The next calls of the policy; the model's answer once the policy would answer."""
        workspace = self.deps.workspace
        self.deps.judge = None  # a model that is only asked for a plan and an answer is not up to judging
        if workspace.plan is None and not self.planned:
            self.planned = True
            await self._plan(turn, messages, settings, parameters)
        offline = OfflineModel(self.deps)
        response = await offline.request(without_refusals(messages, parameters), None, parameters)
        answers = {tool.name for tool in parameters.output_tools}
        if not any(isinstance(part, ToolCallPart) and part.tool_name in answers for part in response.parts):
            return response
        if self.answers < 2 and workspace.evidence:
            self.answers += 1
            if written := await self._answer(turn, messages, settings, parameters):
                if not _is_given(response) or (_is_given(written) and not _differs(written, response)):
                    workspace.is_sentence = False
                    return written
                workspace.notes.append(OWN_FIND if not _is_given(written) else OWN_READING)
                return response
            self.answers = 2
        workspace.notes.append(OWN_ANSWER)
        return response

    async def _plan(
        self,
        turn: Turn,
        messages: Sequence[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> None:
        chat = as_chat(parameters, prompt("plan").template)
        short: ModelSettings = {**(settings or {}), "max_tokens": self.plan_tokens}
        put = partial(_put, turn, self.rungs, short, chat, "plan", PLAN_SCHEMA)
        earlier = as_texts(messages[: _question_at(messages)])
        asked = [*earlier, ModelRequest(parts=[UserPromptPart(self.deps.workspace.question)])]
        read = await read_reply(
            put,
            asked,
            partial(self._unless_gone, turn, partial(self._read_plan, messages)),
            "one JSON object with constraints and target",
        )
        if isinstance(read, str):
            self.deps.workspace.notes.append(OWN_PLAN)
        else:
            self.deps.workspace.plan = read

    @staticmethod
    def _unless_gone(turn: Turn, read: Callable[[ModelResponse], T | str], response: ModelResponse) -> T | str:
        return Stopped("it repeats itself") if turn.ran_away else read(response)

    def _read_plan(self, messages: Sequence[ModelMessage], response: ModelResponse) -> Plan | str:
        made = mended(response, [Tool("plan", PLAN_SCHEMA)], (), ())
        calls = [part for part in made.response.parts if isinstance(part, ToolCallPart)]
        if made.wrong or not calls:
            return "it is no plan"
        arguments = calls[0].args_as_dict()
        if not arguments.get("constraints") or not fits(arguments, PLAN_SCHEMA):
            return "its constraints are not a list of objects with head, relation and tail"
        workspace = self.deps.workspace
        understand(workspace, messages, str(arguments.get("question") or ""))
        constraints = worded_plan(
            [
                Constraint(one["head"], one["relation"], one["tail"], tuple(one.get("variants") or ()))
                for one in arguments["constraints"]
            ]
        )
        plan = complete_plan(workspace.standalone, constraints)
        target = str(arguments.get("target") or "")
        unknowns = {variable for constraint in constraints for variable in constraint.variables}
        return replace(plan, target=target) if plan.target and target in unknowns else plan

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
        reader = partial(self._unless_gone, turn, partial(self._read_answer, tools))
        read = await read_reply(put, asked, reader, "one JSON object as described")
        return None if isinstance(read, str) else read

    def _read_answer(self, tools: Sequence[Tool], response: ModelResponse) -> ModelResponse | str:
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
    return await ask_for_json(turn.ask, rungs, messages, settings, chat, name, schema)


def _is_given(response: ModelResponse) -> bool:
    """Whether a response gives an answer: an offline one is given only where it is likely right."""
    return any(isinstance(part, ToolCallPart) and part.tool_name == ANSWER_TOOL for part in response.parts)


def _differs(written: ModelResponse, own: ModelResponse) -> bool:
    """Whether two responses that give answers give different ones."""
    return differ(_answer_of(written), _answer_of(own))


def _answer_of(response: ModelResponse) -> str:
    given = (part for part in response.parts if isinstance(part, ToolCallPart) and part.tool_name == ANSWER_TOOL)
    return next((str(part.args_as_dict().get("answer", "")) for part in given), "")


def _room(deps: Deps) -> int:
    """Characters of passages that fit the model's context, and what is left of the budget."""
    left = deps.meter.left.tokens
    tokens = deps.context_window if left is None else min(deps.context_window, left)
    return max(0, tokens - FRAME) * CHARACTERS


def _best(deps: Deps) -> list[Evidence]:
    """All that was found, in the order of the evidence walk where there was one."""
    return list(dict.fromkeys([*deps.workspace.ranked, *deps.workspace.evidence]))


def _question_at(messages: Sequence[ModelMessage]) -> int:
    """Where the latest question stands in the messages."""
    places = [
        place
        for place, message in enumerate(messages)
        if isinstance(message, ModelRequest) and any(isinstance(part, UserPromptPart) for part in message.parts)
    ]
    return places[-1] if places else len(messages)


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
