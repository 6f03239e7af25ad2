"""Text from documents, models and files made safe and short for people: plain lines, Markdown, and styled parts.

Nothing here knows a terminal or a widget. A styled `Line` is made of parts `(text, role)`; a surface maps the roles
to its own styles.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

    from assistant.conversation import Conversation
    from assistant.events import ToolFinished, ToolStarted
    from assistant.reply import Chain, Link, RankedPassage, Reply

Role = Literal["", "strong", "dim", "link", "good", "warning", "bad", "mark"]
Part = tuple[str, Role]


@dataclass(frozen=True, slots=True)
class Line:
    """A styled line; it, and what wraps of it, stands in by `indent` cells from the left."""

    parts: tuple[Part, ...] = ()
    indent: int = 0

    @property
    def text(self) -> str:
        """The line without its styles."""
        return "".join(text for text, _ in self.parts)


CITATION_LINK = "clew-citation:"

STATE_MARKS: Mapping[str, Part] = {
    "resolved": ("●", "good"),
    "recovered": ("◐", "warning"),
    "unresolved": ("○", "bad"),
}

_ESCAPE_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)")
_LINE_BREAKS = (0x09, 0x0A)
_CONTROLS: Mapping[int, str | None] = (
    dict.fromkeys((code for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in _LINE_BREAKS), None)
    | dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), None)
    | dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
    | dict.fromkeys((0x2028, 0x2029), "\n")
)
_CITATION = re.compile(r"(\[\d{1,3}\])")
_MARKDOWN_SPECIAL = re.compile(r"[\\`*_\[\]<~]|&(?=#?\w+;)|:(?=//)|(?<=www)\.|@")


def plain(text: str, limit: int | None = None) -> str:
    """`text` as one line: no terminal escapes, control or text-direction characters, white space collapsed.

    A lone surrogate becomes U+FFFD, since no terminal can be sent one. Over `limit` characters it is cut, with "…" as
    the last. Empty for empty input.
    """
    line = " ".join(plain_block(text if limit is None else text[: 8 * limit]).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def plain_block(text: str) -> str:
    """`text` without terminal escapes, control or text-direction characters; lines and tabs stay."""
    return _ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n")).translate(_CONTROLS)


def escape_markdown(text: str, limit: int | None = None) -> str:
    """`text` as one line of Markdown that reads as written: no emphasis, link, image, code, HTML or entity comes of it.

    For use inside a line. At the start of a line the caller puts something of its own before it.
    """
    return _MARKDOWN_SPECIAL.sub(r"\\\g<0>", plain(text, limit))


def duration(seconds: float) -> str:
    """A time for people: "8 ms", "1.4 s", "2 min 05 s"."""
    if seconds < 0.9995:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"


def arguments_line(arguments: Mapping[str, Any], limit: int = 200) -> str:
    """A tool call's arguments in one line, most telling first: texts, then lists, then numbers; empty ones left out."""
    given = [(name, value) for name, value in arguments.items() if value not in (None, "", [], (), {})]
    given.sort(key=lambda pair: (not isinstance(pair[1], str), isinstance(pair[1], (int, float))))
    return plain(" · ".join(_argument(name, value, limit) for name, value in given), limit)


def _argument(name: str, value: Any, limit: int) -> str:
    if isinstance(value, str):
        return f"“{plain(value, limit)}”"
    if isinstance(value, Mapping):
        return f"“{plain(' '.join(str(part) for part in value.values() if part), limit)}”"
    if isinstance(value, (list, tuple)) and all(isinstance(item, (str, Mapping)) for item in value):
        return ", ".join(_argument(name, item, limit) for item in value)
    return f"{name} {plain(str(value), limit)}"


def location(source: str, page: int | None) -> str:
    """Where a passage stands, "reports/2020.pdf · p. 3"; without a page just the source."""
    return plain(source, 120) + (f" · p. {page}" if page is not None else "")


def chain_lines(chain: Chain, numbers: Mapping[int, int]) -> list[Line]:
    """A chain hop by hop, four lines at most for each, the last of them empty.

    `numbers` gives a cited passage's citation number.
    """
    return [line for hop, link in enumerate(chain.links, 1) for line in _link_lines(hop, link, numbers)]


def _link_lines(hop: int, link: Link, numbers: Mapping[int, int]) -> list[Line]:
    mark, role = STATE_MARKS[link.state]
    head, relation, tail = (plain(term, 120) for term in (link.head, link.relation, link.tail))
    state: list[Part] = [(f"{hop} ", "dim"), (f"{mark} {link.state}", role)]
    if link.n_eff is not None:
        state.append((f" · N_eff {link.n_eff:.1f}", "dim"))
    if link.passage_id is not None and link.passage_id in numbers:
        state += [(" · ", "dim"), (f"[{numbers[link.passage_id]}]", "link")]
    lines = [Line(tuple(state)), Line(((head, "strong"), (f" — {relation} → ", "dim"), (tail, "strong")), indent=4)]
    if sentence := plain(link.sentence, 400):
        lines.append(Line(((f"“{sentence}”", "dim"),), indent=4))
    return [*lines, Line()]


def thread_lines(reply: Reply) -> list[Line]:
    """What led from the question to the answer: what is missing, then each chain hop by hop."""
    lines: list[Line] = []
    if not reply.found and not reply.partial:
        lines += [Line((("∅ missing: ", "warning"), (plain(reply.missing, 400) or "not said", ""))), Line()]
    numbers = {citation.passage_id: citation.number for citation in reversed(reply.citations)}
    for index, chain in enumerate(reply.chains, 1):
        if len(reply.chains) > 1:
            lines.append(Line(((f"chain {index} of {len(reply.chains)}", "dim"),)))
        lines += chain_lines(chain, numbers)
    if not reply.chains:
        lines.append(Line((("No chain of facts; see Passages.", "dim"),)))
    return lines


def passage_lines(passage: RankedPassage, number: int | None, quote: str = "") -> list[Line]:
    """A passage as a title line, a line on where it is from and what found it, and its text with `quote` marked."""
    title = plain(passage.title, 160) or plain(passage.document, 160) or "untitled"
    mark: Part = (f"[{number}] ", "link") if number else ("· ", "dim")
    where = (location(passage.source, passage.page), plain(passage.document, 80), f"score {passage.score:.3g}")
    found_by = ", ".join(plain(name, 40) for name in passage.sources)
    details = " · ".join(part for part in dict.fromkeys((*where, found_by)) if part)
    return [
        Line((mark, (title, "strong"))),
        Line(((details, "dim"),)),
        Line(_marked(plain(passage.text, 4000), plain(quote))),
    ]


def _marked(text: str, quote: str) -> tuple[Part, ...]:
    start = text.casefold().find(quote.casefold()) if quote else -1
    if start < 0 or len(text.casefold()) != len(text):
        return ((text, ""),)
    end = start + len(quote)
    return (text[:start], ""), (text[start:end], "mark"), (text[end:], "")


def passages_lines(reply: Reply, limit: int = 20) -> list[tuple[int | None, list[Line]]]:
    """The passages of a reply, each with its citation number, if any, and its lines.

    Cited ones first in the order of their numbers, then the others as ranked, `limit` in all unless more are cited.
    """
    cited = {citation.passage_id: citation for citation in reversed(reply.citations)}
    ranked = sorted(reply.passages, key=lambda passage: cited[passage.id].number if passage.id in cited else 1_000_000)
    shown = []
    for passage in ranked[: max(limit, len(cited))]:
        citation = cited.get(passage.id)
        number, quote = (citation.number, citation.quote) if citation else (None, "")
        shown.append((number, passage_lines(passage, number, quote)))
    return shown


def tool_line(started: ToolStarted, finished: ToolFinished | None, limit: int = 60) -> Line:
    """A tool call: a mark, name, arguments and, once it is over, the time it took and what came of it."""
    arguments, name = arguments_line(started.arguments, limit), plain(started.name, 60)
    if finished is None:
        return Line((("… ", "dim"), (name, ""), (f"  {arguments}", "dim")))
    mark: Part = ("✗ ", "bad") if finished.failed else ("✓ ", "good")
    summary = plain(finished.summary, 4 * limit)
    outcome: Part = (f"  failed: {summary}", "bad") if finished.failed else (f"  {summary}", "dim")
    return Line((mark, (name, ""), (f"  {arguments}  {duration(finished.seconds)}", "dim"), outcome))


def greeting_lines(name: str, examples: bool) -> list[Line]:
    """What an empty chat over the file `name` says, above example questions if there are any."""
    lines = [
        Line((("clew", "strong"), (f" · {plain(name, 80)}", "dim"))),
        Line((("Questions whose answer no single document holds, and the thread to it.", "dim"),)),
    ]
    return [*lines, Line(), Line((("For example (tab chooses, enter asks):", "dim"),))] if examples else lines


def help_lines(keys: Iterable[tuple[str, str]]) -> list[Line]:
    """The keys, each with what it does."""
    lines = [Line(((f"{key:<31}", "link"), (what, ""))) for key, what in keys]
    hint = Line((("A number like [1] in an answer opens the passage behind it.", "dim"),))
    return [Line((("clew", "strong"),)), Line(), *lines, Line(), hint]


def state_line(conversation: Conversation, waiting: int) -> str:
    """How a chat stands, what is under way first, so that a narrow terminal cuts off the rest."""
    progress, last, passages = conversation.progress, conversation.last, conversation.passages
    parts = [
        f"answering {progress.seconds:.0f} s · esc stops" if progress else "",
        f"{waiting} waiting" if waiting else "",
        plain(conversation.path.name, 60),
        "opening …" if passages is None else f"{passages:,} passages",
        plain(conversation.model, 60),
        f"last answer {duration(last.seconds)}" if last and not progress else "",
    ]
    return " · ".join(part for part in parts if part)


def reply_line(reply: Reply, failed: int = 0) -> str:
    """What there is to say about a reply besides its text: how it ended, time, tool calls (`failed` of them), model."""
    calls = len(reply.tools)
    parts = [
        "■ stopped" if reply.partial else "" if reply.found else "∅ not found",
        duration(reply.seconds),
        f"{calls} tool call" if calls == 1 else f"{calls} tool calls",
        f"{failed} failed" if failed else "",
        plain(reply.model, 60),
    ]
    return " · ".join(part for part in parts if part)


def citation_parser() -> MarkdownIt:
    """A Markdown parser that makes `[1]` a link to `CITATION_LINK` + "1".

    HTML, bare addresses and reference definitions, which could hide or replace text, are text to it.
    """
    from markdown_it import MarkdownIt  # 20 ms that `clew --help` does without

    parser = MarkdownIt("gfm-like", {"html": False, "linkify": False}).disable("reference")
    parser.core.ruler.push("citations", _link_citations)
    return parser


def _link_citations(state: StateCore) -> None:
    for block in state.tokens:
        if block.type == "inline" and block.children:
            block.children = list(_linked(block.children))


def _linked(tokens: Iterable[Token]) -> Iterable[Token]:
    depth = 0
    for token in tokens:
        depth += (token.type == "link_open") - (token.type == "link_close")
        if token.type != "text" or depth:
            yield token
        else:
            for index, text in enumerate(_CITATION.split(token.content)):
                yield from _link(text) if index % 2 else [dataclasses.replace(token, content=text)]


def _link(citation: str) -> Iterable[Token]:
    from markdown_it.token import Token

    yield Token("link_open", "a", 1, attrs={"href": f"{CITATION_LINK}{citation[1:-1]}"})
    yield Token("text", "", 0, content=citation)
    yield Token("link_close", "a", -1)
