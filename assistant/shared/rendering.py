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

from kb.wellformed import without_escapes
from tools.reading.certainty import Certainty

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

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

CERTAINTY_MARKS: Mapping[Certainty, Part] = {
    "sure": ("● sure", "good"),
    "likely": ("◐ likely", "warning"),
    "none": ("○ none", "bad"),
}

NOT_FOUND = "Not found in this knowledge base."

CLOSEST = "Closest to the question:"
"""What stands above the sentences that are quoted where no answer is given."""

_LINE_BREAKS = (0x09, 0x0A)
_CONTROLS: Mapping[int, str | None] = (
    dict.fromkeys((code for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in _LINE_BREAKS), None)
    | dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), None)
    | dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
    | dict.fromkeys((0x2028, 0x2029), "\n")
)
_CITATION = re.compile(r"(\[\d{1,3}\])")
_MARKDOWN_LINK = re.compile(
    r"(?<!\\)!?(?<!\\)\[((?:[^\[\]]|\[[^\[\]]{0,200}\](?!\()){0,500})\]"
    r"\([^()]{0,2000}(?:\((?:[^()]|\([^()]{0,500}\)){0,500}\)[^()]{0,2000}){0,8}\)"
)
_ELEMENTS = (
    "a|abbr|b|big|blockquote|br|center|code|del|details|div|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|q|s|script|"
    "small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|th|thead|tr|tt|u|ul"
)
_HTML_TAG = re.compile(
    rf"</[a-zA-Z][^<>]{{0,2000}}>|<[a-zA-Z][\w:-]*[\s/][^<>=]{{0,2000}}=[^<>]{{0,2000}}>|<(?:{_ELEMENTS})\s*/?>"
)
"""An end, attributes, or the name of an element: "list<String>" and "git checkout <branch>" have none of these."""
_MARKDOWN_ESCAPE = re.compile(r"\\([^\w\s]|_)")
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
    return without_escapes(text.replace("\r\n", "\n")).translate(_CONTROLS)


def escape_markdown(text: str, limit: int | None = None) -> str:
    """`text` as one line of Markdown that reads as written: no emphasis, link, image, code, HTML or entity comes of it.

    For use inside a line. At the start of a line the caller puts something of its own before it.
    """
    return _MARKDOWN_SPECIAL.sub(r"\\\g<0>", plain(text, limit))


def as_text(markdown: str) -> str:
    """Markdown as plain text, as far as escapes and links go: what `escape_markdown` put before a sign is taken off,
    and of a link only its words are left.

    Not safe to be read as Markdown again. Empty for empty input.
    """
    text, links = plain_block(markdown), 1
    while links:  # an image may be what a link shows
        text, links = _MARKDOWN_LINK.subn(r"\1", text)
    return _MARKDOWN_ESCAPE.sub(r"\1", text).strip()


def words_said(markdown: str, limit: int | None = None) -> str:
    """What a model has said, to be quoted in one line: of links and HTML only their words. Cut as `plain` cuts."""
    return plain(_HTML_TAG.sub("", as_text(markdown)), limit)


def certainty_mark(certainty: Certainty | None) -> Part:
    """How sure an answer is, in a sign and a word, as every surface puts it behind the answer: ("● sure", "good");
    nothing for None.
    """
    return CERTAINTY_MARKS[certainty] if certainty else ("", "")


def marked(text: str, certainty: Certainty | None, role: Role = "strong") -> Line:
    """The line of an answer, or of a refusal, with its mark behind it; None for small talk, which has no mark."""
    return Line(((text, role), ("   ", ""), certainty_mark(certainty))) if certainty else Line(((text, role),))


def duration(seconds: float) -> str:
    """A time for people: "8 ms", "1.4 s", "2 min 05 s"."""
    if seconds < 0.9995:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"


def counted(number: int, noun: str) -> str:
    """ "1 passage", "2,000 passages"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


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


def greeting_lines(name: str, examples: bool) -> list[Line]:
    """What an empty chat over the file `name` says, above example questions if there are any."""
    lines = [
        Line((("clew", "strong"), (f" · {plain(name, 80)}", "dim"))),
        Line((("Questions whose answer no single document holds, and the thread to it.", "dim"),)),
    ]
    return [*lines, Line(), Line((("For example (tab chooses, enter asks):", "dim"),))] if examples else lines


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
