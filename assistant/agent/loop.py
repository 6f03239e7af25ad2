"""The agent: its tools, and the typed answer they lead to."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pydantic_ai
from pydantic_ai import Agent, ModelRetry, ToolOutput
from pydantic_ai.toolsets import FunctionToolset

from assistant.agent.deps import Deps, RecordedToolset, is_answered_offline
from assistant.agent.final_answer import Found, NotFound, Output, citation_problem, struck_out
from assistant.agent.guidance import Guidance, GuidedToolset
from assistant.agent.moving_citations import LONG, with_moved_citations
from assistant.agent.offering import look_further
from assistant.agent.offline.extracted_answer import agreeing_hops
from assistant.agent.replying.trust import is_contradicted
from assistant.agent.streaming import ANSWER_TOOL, NOT_FOUND_TOOL
from assistant.agent.toolbox.method_tools import TECHNIQUES
from assistant.agent.toolbox.stage_tools import STAGE_TOOLS
from assistant.agent.toolbox.text_tools import TEXT_TOOLS, Context

pydantic_ai.BANNER_ENABLED = False

TOOLS = (*TEXT_TOOLS, *TECHNIQUES, *STAGE_TOOLS)


@cache
def agent() -> Agent[Deps, Output]:
    """The agent, the same for every model; made once, as its schemas take a tenth of a second."""
    made: Agent[Deps, Output] = Agent(
        output_type=[ToolOutput(Found, name=ANSWER_TOOL), ToolOutput(NotFound, name=NOT_FOUND_TOOL)],
        deps_type=Deps,
        instructions=_instructions,
        toolsets=[GuidedToolset(RecordedToolset(FunctionToolset(TOOLS, sequential=True)))],
        capabilities=[Guidance()],
        retries={"tools": 3, "output": 3},
    )
    made.output_validator(_checked)
    return made


def _instructions(ctx: Context) -> str:
    """How to work, and what is left of a budget to plan within: one text, as some local models take only one."""
    left = ctx.deps.meter.left.text()
    return _how_to_work() + (f"\nLeft for this question: {left}. Answer before it runs out.\n" if left else "")


@cache
def _how_to_work() -> str:
    return files("assistant.agent").joinpath("instructions.md").read_text(encoding="utf-8")


async def _checked(ctx: Context, output: Output) -> Output:
    """The output, if its citations hold; else it is sent back once, and the next time what does not hold is struck."""
    workspace = ctx.deps.workspace
    # The offline model, which also stands in for others, reads the Workspace, not what they are shown.
    shown = None if is_answered_offline(ctx.messages) else ctx.deps.shown
    if shown is not None and isinstance(output, NotFound) and (further := look_further(workspace)):
        raise ModelRetry(further)
    problem = citation_problem(output, workspace, shown)
    if problem and isinstance(output, Found) and shown is not None:
        output = await _moved(ctx, output)
        problem = citation_problem(output, workspace, shown)
    if problem and not workspace.sent_back:
        workspace.sent_back = True
        raise ModelRetry(problem)
    return struck_out(output, workspace, shown) if problem else output


async def _moved(ctx: Context, output: Found) -> Found:
    """The output with citations put right, where the evidence, read without the model, comes to the same answer, or to
    none and the answer is a whole phrase of a passage: one that lies is not cited for a model that believes it.
    """
    moved = with_moved_citations(output, ctx.deps.workspace, ctx.deps.shown)
    if moved == output:
        return output
    extracted, _ = await ctx.deps.call(agreeing_hops, ctx.deps.workspace, moved)
    reading = None if extracted.unknown else extracted.found
    if reading is None or not reading.text:
        return moved if len(moved.answer.split()) >= LONG else output
    return output if is_contradicted(moved.answer, reading) else moved
