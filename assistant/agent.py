"""The agent: its tools, and the typed answer they lead to."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pydantic_ai
from pydantic_ai import Agent, ModelRetry, ToolOutput
from pydantic_ai.toolsets import FunctionToolset

from assistant.answers import Found, NotFound, Output, citation_problem
from assistant.deps import Deps, RecordedToolset
from assistant.graph_tools import GRAPH_TOOLS
from assistant.streaming import ANSWER_TOOL, NOT_FOUND_TOOL
from assistant.toolset import TEXT_TOOLS, Context

pydantic_ai.BANNER_ENABLED = False

TOOLS = (*TEXT_TOOLS, *GRAPH_TOOLS)


@cache
def agent() -> Agent[Deps, Output]:
    """The agent, the same for every model; made once, as its schemas take a tenth of a second."""
    made: Agent[Deps, Output] = Agent(
        output_type=[ToolOutput(Found, name=ANSWER_TOOL), ToolOutput(NotFound, name=NOT_FOUND_TOOL)],
        deps_type=Deps,
        instructions=files("assistant").joinpath("instructions.md").read_text(encoding="utf-8"),
        toolsets=[RecordedToolset(FunctionToolset(TOOLS, sequential=True))],
        retries={"tools": 3, "output": 3},
    )
    made.output_validator(_checked)
    return made


def _checked(ctx: Context, output: Output) -> Output:
    if problem := citation_problem(output, ctx.deps.workspace):
        raise ModelRetry(problem)
    return output
