"""One line about a tool call, and one about a reply: what there is to say besides the text."""

from __future__ import annotations

from assistant.agent.replying.reply import Reply
from assistant.conversations.events import ToolFinished, ToolStarted
from assistant.shared.rendering import Line, Part, arguments_line, counted, duration, plain


def tool_line(started: ToolStarted, finished: ToolFinished | None, limit: int = 60) -> Line:
    """A tool call: a mark, name, arguments and, once it is over, the time it took and what came of it."""
    arguments, name = arguments_line(started.arguments, limit), plain(started.name, 60)
    if finished is None:
        return Line((("… ", "dim"), (name, ""), (f"  {arguments}", "dim")))
    mark: Part = ("✗ ", "bad") if finished.failed else ("✓ ", "good")
    summary = plain(finished.summary, 4 * limit)
    outcome: Part = (f"  failed: {summary}", "bad") if finished.failed else (f"  {summary}", "dim")
    return Line((mark, (name, ""), (f"  {arguments}  {duration(finished.seconds)}", "dim"), outcome))


def reply_line(reply: Reply, failed: int = 0) -> str:
    """What there is to say about a reply besides its text: how it ended, time, tool calls (`failed` of them), model."""
    calls = len(reply.tools)
    failed = failed or sum(tool.failed for tool in reply.tools)
    parts = [
        "■ stopped" if reply.partial else "" if reply.found else "∅ not found",
        duration(reply.seconds),
        counted(calls, "tool call"),
        f"{failed} failed" if failed else "",
        plain(reply.model, 60),
    ]
    return " · ".join(part for part in parts if part)
