"""Transcripts for people: lines for a terminal, and Markdown. Others send them, so all is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assistant.conversations.transcripts.form import Call, Exchange, Transcript
from assistant.conversations.transcripts.transcript_folder import Summary
from assistant.shared.rendering import (
    CLOSEST,
    NOT_FOUND,
    Line,
    Part,
    arguments_line,
    as_text,
    certainty_mark,
    duration,
    escape_markdown,
    plain,
)

PASSAGE_CHARACTERS = 4_000
SHOWN = 200
"""Calls, requests, passages and notes of each kind: a question has ten to thirty."""


def summary_line(summary: Summary) -> Line:
    """A transcript in a list: id, time, how it ended, model, tokens, question."""
    ended: Part = certainty_mark(summary.certainty) if summary.found else ("∅", "warning")
    if summary.error or summary.partial:
        ended = ("✗", "bad") if summary.error else ("■", "warning")
    tokens = f"{summary.tokens:,} tokens" if summary.tokens else "no tokens"
    return Line(
        (
            (plain(summary.id, 8), "link"),
            (f"  {_minute(summary.when)}  ", "dim"),
            ended,
            (f"  {plain(summary.model, 30)}, {tokens}, {_time(summary.seconds)}  ", "dim"),
            (plain(summary.question, 100), ""),
        )
    )


def heading_lines(transcript: Transcript) -> list[Line]:
    """What was asked, when, of whom, and of which file."""
    used, model, usage = transcript.knowledge_base, transcript.model, transcript.reply.usage
    asked = " at ".join(part for part in (plain(model.name, 60), plain(model.base_url, 120)) if part)
    cost = f", ${usage.cost:.4f}" if usage.cost is not None else ""
    return [
        Line(((plain(transcript.question, 1_000), "strong"),)),
        Line(
            (
                (
                    f"transcript {plain(transcript.id, 8)} · {_minute(transcript.when)} · "
                    f"clew {plain(transcript.clew, 20)}",
                    "dim",
                ),
            )
        ),
        Line(((f"{plain(used.path, 200)} · {used.passages:,} passages · {plain(used.fingerprint, 12)}", "dim"),)),
        Line(
            (
                (
                    f"{asked} · {usage.requests} requests, {usage.input_tokens:,} tokens in, "
                    f"{usage.output_tokens:,} out{cost} · {_time(transcript.reply.seconds)}",
                    "dim",
                ),
            )
        ),
        *([Line(((f"failed: {plain(transcript.error, 400)}", "bad"),))] if transcript.error else []),
    ]


def call_lines(transcript: Transcript) -> list[Line]:
    """The calls of tools in order."""
    return [_call_line(call) for call in transcript.calls[:SHOWN]]


def exchange_lines(transcript: Transcript) -> list[Line]:
    """The requests to the model in the order in which they were sent."""
    return [
        Line(((_exchange_text(one), "dim" if one.failure is None else "bad"),)) for one in transcript.exchanges[:SHOWN]
    ]


def markdown(transcript: Transcript) -> str:
    """The transcript as Markdown: question, answer, chain, passages, calls, requests. Nothing in it is a link, an
    image, HTML or a heading but what stands here.
    """
    return "\n\n".join(block for block in _blocks(transcript) if block) + "\n"


def _blocks(transcript: Transcript) -> Iterator[str]:
    reply = transcript.reply
    question, *facts = [line.text for line in heading_lines(transcript)]
    yield f"# Question: {escape_markdown(question)}"
    yield "\n".join(f"- {escape_markdown(fact)}" for fact in facts)
    if transcript.earlier:
        yield "## Asked before"
        yield "\n".join(
            f"- “{escape_markdown(turn.question, 400)}”: {_answer(turn.answer)}" for turn in transcript.earlier
        )
    yield "## Answer"
    mark = certainty_mark(reply.told_certainty)[0]
    none = "**None: it failed.**" if transcript.error else f"**{NOT_FOUND}**   {mark}"
    yield f"**Answer:** {_answer(reply.answer)}   {mark}" if reply.found else none
    yield f"Why: {escape_markdown(as_text(reply.explanation), 8_000)}" if reply.explanation else ""
    yield f"Missing: {escape_markdown(reply.missing, 2_000)}" if reply.missing else ""
    yield CLOSEST if reply.closest else ""
    yield "\n".join(f"- “{escape_markdown(one.sentence, 400)}” ({one.number})" for one in reply.closest[:SHOWN])
    yield "\n".join(f"- Note: {escape_markdown(note, 1_000)}" for note in reply.notes[:SHOWN])
    yield from _section("Chain", _chain(transcript))
    yield from _section("Passages", _passages(transcript), between="\n\n")
    yield from _section("Tool calls", [f"- {escape_markdown(line.text)}" for line in call_lines(transcript)])
    yield from _section("Model requests", [f"- {escape_markdown(line.text)}" for line in exchange_lines(transcript)])


def _section(title: str, items: list[str], between: str = "\n") -> Iterator[str]:
    if items:
        yield f"## {title}"
        yield between.join(items)


def _chain(transcript: Transcript) -> list[str]:
    return [
        f"{number}. {escape_markdown(link.head, 200)} — {escape_markdown(link.relation, 200)} → "
        f"{escape_markdown(link.tail, 200)} ({link.state})"
        for chain in transcript.reply.chains[:SHOWN]
        for number, link in enumerate(chain.links[:SHOWN], 1)
    ]


def _passages(transcript: Transcript) -> list[str]:
    cited = {citation.passage_id for citation in transcript.reply.citations}
    # What is cited first; within that by number.
    found = sorted(transcript.evidence, key=lambda one: (one.passage not in cited, one.number))
    return [
        f"({one.number}) {escape_markdown(one.title, 200)} · {escape_markdown(one.document, 200)}"
        f"{' · cited' if one.passage in cited else ''}\n\n> “{escape_markdown(one.text, PASSAGE_CHARACTERS)}”"
        for one in found[:SHOWN]
    ]


def _call_line(call: Call) -> Line:
    mark: Part = ("✗ ", "bad") if call.failed else ("✓ ", "good")
    return Line(
        (
            mark,
            (plain(call.tool, 60), ""),
            (f"  {arguments_line(call.arguments)}  {_time(call.seconds)}  ", "dim"),
            (plain(call.summary, 300), ""),
        )
    )


def _exchange_text(one: Exchange) -> str:
    usage = (one.response or {}).get("usage")
    tokens = (usage.get("input_tokens"), usage.get("output_tokens")) if isinstance(usage, dict) else (None, None)
    counted = f", {tokens[0]} tokens in, {tokens[1]} out" if all(isinstance(count, int) for count in tokens) else ""
    failed = ""
    if one.failure is not None:
        status = f" {one.failure.status}" if one.failure.status else ""
        failed = f", failed: {plain(one.failure.error, 60)}{status}"
    return f"{one.kind} {plain(one.request, 16)}  {_time(one.seconds)}{counted}{failed}"


def _answer(answer: str) -> str:
    return escape_markdown(answer, 1_000) or "none"


def _minute(when: str) -> str:
    return plain(when, 40)[:16].replace("T", " ")


def _time(seconds: float) -> str:
    return duration(seconds) if math.isfinite(seconds) else "?"
