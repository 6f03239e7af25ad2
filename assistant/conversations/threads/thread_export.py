"""A thread as a file: Markdown to read, JSON to keep, SVG to show."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from assistant.agent.replying.reply import NOT_IN_PASSAGES, SOURCES, Citation, Reply
from assistant.conversations.threads.cells import merged, width_of, wrapped
from assistant.conversations.threads.drawing import draw_reply
from assistant.conversations.threads.lines import shown_passages, thread_lines, tools_lines
from assistant.conversations.threads.svg import svg_of
from assistant.shared.rendering import (
    CLOSEST,
    NOT_FOUND,
    Line,
    Part,
    Role,
    as_text,
    certainty_mark,
    duration,
    escape_markdown,
    location,
    marked,
    plain,
)
from assistant.shared.writing import write_new
from kb.errors import UsageError

MARKDOWN_WIDTH = 100
SVG_WIDTH = 132
"""Cells of a drawing in a file."""

MOST_WRAPPED = 12
"""Lines that one line of text is broken into."""


def write_thread(reply: Reply, path: Path) -> Path:
    """Write the thread of a reply to a file, its form by the file's ending: .md, .json or .svg; gives the path.

    Raises UsageError for another ending and for a file that is there already, WriteError where it cannot be written.
    """
    form = check_place(path)
    write_new(path, form(reply))
    return path


def check_place(path: Path) -> Callable[[Reply], str]:
    """The form that a file is to have, by its ending. UsageError for another ending, or where there is such a file."""
    form = FORMS.get(path.suffix.casefold())
    if form is None:
        raise UsageError(f"{str(path)!r} is no file for a thread: name one that ends in .md, .json or .svg")
    if os.path.lexists(path):
        raise UsageError(f"{str(path)!r} is there already; name another file, or delete it")
    return form


def thread_json(reply: Reply) -> str:
    """The whole reply as JSON, which `Reply.from_json` reads."""
    return json.dumps(reply.to_record(), ensure_ascii=False, indent=1) + "\n"


def thread_markdown(reply: Reply) -> str:
    """The thread as Markdown: nothing in it is a link, an image, HTML, code or a heading but what stands here."""
    return "\n\n".join(block for block in _blocks(reply) if block) + "\n"


def thread_svg(reply: Reply) -> str:
    """The thread as SVG: question, answer, the graph, the hops and what is cited."""
    lines = [Line(((plain(reply.question, 400), "strong"),)), Line(), *_answer_lines(reply), Line()]
    lines += [*draw_reply(reply, SVG_WIDTH), Line(), *thread_lines(reply), Line()]
    lines += [_source_line(citation) for citation in reply.sources[:SOURCES]]
    lines += [Line(((reply.sources_left, "dim"),))] if reply.sources_left else []
    broken = [short for line in lines for short in _broken(line, SVG_WIDTH)]
    return svg_of(broken, f"{plain(reply.question, 400)} {_ending(reply)} {_mark(reply)}".strip())


FORMS: Mapping[str, Callable[[Reply], str]] = {
    ".md": thread_markdown,
    ".markdown": thread_markdown,
    ".json": thread_json,
    ".svg": thread_svg,
}


def _blocks(reply: Reply) -> Iterator[str]:
    yield f"# Question: {escape_markdown(reply.question, 2_000)}"
    yield f"**{escape_markdown(_ending(reply), 2_000)}**   {_mark(reply)}".rstrip()
    explanation = escape_markdown(as_text(reply.explanation), 8_000)
    yield f"Why: {explanation}" if explanation else ""
    yield CLOSEST if reply.closest else ""
    yield "\n".join(f"- “{escape_markdown(one.sentence, 400)}” [{one.number}]" for one in reply.closest)
    yield "\n".join(f"- ~~{escape_markdown(text)}~~ {NOT_IN_PASSAGES}" for text in reply.struck)
    yield "\n".join(f"- Note: {escape_markdown(note)}" for note in reply.notes)
    yield "## Thread"
    yield "\n".join(_items(thread_lines(reply)))
    yield "## Graph"
    # Four spaces make it code as a whole: no fence that a name could end.
    yield "\n".join(f"    {line.text}".rstrip() for line in draw_reply(reply, MARKDOWN_WIDTH))
    yield "## Passages"
    for number, passage, marker in shown_passages(reply):
        title = escape_markdown(passage.title, 200) or escape_markdown(passage.document, 200) or "untitled"
        where = escape_markdown(location(passage.source, passage.page))
        cited = f"[{number}] " if number else ""
        yield f"- {cited}{title}" + (f" · {where}" if where else "")
        text = "".join(map(_emphasised, marker.parts(plain(passage.text, 4_000))))
        yield f"  > “{text}”" if text else ""
    yield "## Tools"
    yield "\n".join(_items(tools_lines(reply)))


def _items(lines: list[Line]) -> Iterator[str]:
    """Lines as a list: what stands in belongs to the item before it."""
    for line in lines:
        if line.text.strip():
            indent = "  " if line.indent else ""
            yield f"{indent}- {''.join(_emphasised(part) for part in line.parts).strip()}"


def _emphasised(part: Part) -> str:
    """A part with what is marked in bold; the space around it stays outside, since bold cannot begin with one."""
    text, role = part
    inner = escape_markdown(text)
    if role not in ("mark", "strong") or not inner:
        return " " * (text[:1] == " ") + inner + " " * (text[-1:] == " " and bool(inner))
    return f"{' ' * (text[:1] == ' ')}**{inner}**{' ' * (text[-1:] == ' ')}"


def _ending(reply: Reply) -> str:
    if not reply.found and not reply.partial:
        return NOT_FOUND
    return f"Answer: {reply.answer}" if reply.answer else "Stopped before there was an answer."


def _mark(reply: Reply) -> str:
    """How sure the answer is; "" where the run was stopped before there was one."""
    return certainty_mark(reply.told_certainty)[0] if reply.answer or not reply.partial else ""


def _answer_lines(reply: Reply) -> list[Line]:
    role: Role = "good" if reply.found else "warning"
    usage = f"{plain(reply.model, 60)} · {duration(reply.seconds)}" if reply.model else duration(reply.seconds)
    ending = plain(_ending(reply), 400)
    headline = marked(ending, reply.told_certainty, role) if _mark(reply) else Line(((ending, role),))
    return [headline, Line(((usage, "dim"),))]


def _source_line(citation: Citation) -> Line:
    title = plain(citation.title, 160) or plain(citation.document, 160) or "untitled"
    where = location(citation.source, citation.page)
    return Line(((f"[{citation.number}] ", "link"), (title, ""), (f" · {where}" if where else "", "dim")))


def _broken(line: Line, width: int) -> list[Line]:
    """A line broken at spaces into lines of at most `width` cells, its roles kept."""
    if line.indent + width_of(line.text) <= width:
        return [line]
    broken: list[Line] = []
    at = 0
    roles = [role for text, role in line.parts for _ in text]
    for text in wrapped(line.text, width - line.indent, MOST_WRAPPED):
        at = max(line.text.find(text.rstrip("…"), at), at)
        parts = ((character, roles[min(at + place, len(roles) - 1)]) for place, character in enumerate(text))
        broken.append(Line(merged(parts), line.indent))
        at += len(text)
    return broken
