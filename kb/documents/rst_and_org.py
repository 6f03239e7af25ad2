"""Readers of reStructuredText (docutils, imported once there is such a file) and Org."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from kb.documents.asked_here import with_questions
from kb.documents.links import marked, taken_out, without_marks
from kb.documents.office import spanned_table, table
from kb.documents.plaintext import (
    Block,
    Content,
    Unreadable,
    clean,
    code,
    decode,
    first_heading,
    heading,
    joined,
    one_line,
)
from kb.documents.spanned_cells import Cell
from kb.documents.unpacking import DAMAGE, brief, megabytes

MAX_RST = 5_000_000
"""Most bytes of reStructuredText, whose parser takes a minute for them."""

_SETTINGS = {
    "file_insertion_enabled": False, "raw_enabled": False, "report_level": 5, "halt_level": 5, "traceback": True,
    "_disable_config": True, "warning_stream": "", "input_encoding": "unicode", "syntax_highlight": "none",
    "doctitle_xform": False, "sectsubtitle_xform": False, "smart_quotes": False,
}  # fmt: skip
_RST_LINK = re.compile(r":(?:doc|ref|numref):`~?([^`<]{1,300}?)(?:\s{0,9}<([^`>]{1,300})>)?`")
_ROLE = re.compile(r":[a-z][\w:+.-]{0,40}:`~?([^`<]{0,300}?)(?:\s{0,9}<[^`>]{0,300}>)?`")


def read_rst(data: bytes) -> Content:
    """reStructuredText; includes are not followed. Its title is the first heading. Raises Unreadable for damage."""
    from docutils import core

    text = without_marks(clean(decode(data)))
    if len(data) > MAX_RST:
        raise Unreadable(f"has {megabytes(len(data))}, over the limit of {megabytes(MAX_RST)} for .rst: split it")
    try:
        tree = core.publish_doctree(text, settings_overrides=_SETTINGS)
        for message in list(tree.findall(lambda node: type(node).__name__ == "system_message")):
            if not _unknown_directive(message):  # what docutils says of faults is no part of the text
                message.parent.remove(message)
        blocks = list(with_questions(_rst_blocks(tree, 0, 0)))
    except (*DAMAGE, SystemExit) as error:
        raise Unreadable(f"cannot be read as reStructuredText ({brief(error)})") from error
    text, links = taken_out(joined(blocks))
    return Content(taken_out(first_heading(blocks))[0], text, links=links)


_RST_DROPPED = frozenset(
    "comment substitution_definition target raw image figure_image pending meta footnote_reference".split()
)


def _rst_blocks(parent: Any, level: int, depth: int) -> Iterator[Block]:
    """`level` counts sections, `depth` lists."""
    for node in parent.children:
        name = type(node).__name__
        if name == "section":
            yield from _rst_blocks(node, level + 1, depth)
        elif name == "title":
            yield heading(level, _rst_words(node))
        elif name in ("bullet_list", "enumerated_list"):
            yield from _rst_items(node, depth)
        elif name == "table":
            yield from _rst_table(node)
        elif name in ("definition_list_item", "field"):
            term, said = _rst_words(node.children[0]), _rst_words(node.children[-1])
            yield Block(f"{_named(term)}: {said}", "row" if name == "field" else "item")
        elif name == "docinfo":
            yield from (_rst_info(one) for one in node.children)
        elif name in ("paragraph", "caption", "rubric", "attribution", "term", "subtitle"):
            if text := _rst_words(node):
                yield Block(text)
        elif name in ("literal_block", "doctest_block", "math_block", "line_block"):
            yield Block(code(node.astext()))
        elif name == "system_message":
            if text := _unknown_directive(node):
                yield Block(text)
        elif name not in _RST_DROPPED and node.children:
            yield from _rst_blocks(node, level, depth)


def _named(term: str) -> str:
    return (term[:1].upper() + term[1:]).rstrip(":")


def _rst_info(node: Any) -> Block:
    if type(node).__name__ == "field":
        return Block(f"{_named(_rst_words(node.children[0]))}: {_rst_words(node.children[-1])}", "row")
    return Block(f"{type(node).__name__.capitalize()}: {_rst_words(node)}", "row")


def _rst_words(node: Any) -> str:
    """The words of a node; roles that only Sphinx knows give their text, :doc: and :ref: a link as well."""
    return one_line(_without_roles(_rst_text(node)).replace("\n\n", " "))


def _without_roles(text: str) -> str:
    text = _RST_LINK.sub(lambda link: marked(link[2] or link[1], link[1]), text)
    return _ROLE.sub(r"\1", text)


def _rst_text(node: Any) -> str:
    """The text of a node with its links."""
    if not node.children:
        return str(node.astext())
    text = str(node.child_text_separator).join(map(_rst_text, node.children))
    return marked(node.get("refuri", ""), text) if type(node).__name__ == "reference" else text


def _rst_items(node: Any, depth: int) -> Iterator[Block]:
    numbered = type(node).__name__ == "enumerated_list"
    for number, item in enumerate(node.children, int(node.get("start", 1))):
        marker = f"{number}. " if numbered else "- "
        for block in _rst_blocks(item, 1, depth + 1):
            nested = block.kind == "item" and block.text.startswith("  ")
            yield block if nested else Block(f"{'  ' * depth}{marker or '  '}{block.text}", "item")
            marker = ""


def _rst_table(node: Any) -> Iterator[Block]:
    head = [part for part in node.findall() if type(part).__name__ == "thead"]
    rows = [part for part in node.findall() if type(part).__name__ == "row"]
    cells = (
        [Cell(_rst_words(cell), row.parent in head, cell.get("morecols", 0) + 1, cell.get("morerows", 0) + 1)
         for cell in row.children]
        for row in rows
    )  # fmt: skip
    yield from spanned_table(cells, header=bool(head))


def _unknown_directive(node: Any) -> str:
    """What stands within a directive that docutils does not know, such as Sphinx's versionadded."""
    source = next((part.astext() for part in node.children if type(part).__name__ == "literal_block"), "")
    first, _, rest = source.partition("\n")
    if not re.match(r"\.\. [\w:-]+::", first) or re.match(r"\.\. (?:raw|include|csv-table|toctree|auto\w+)::", first):
        return ""
    lines = [line for line in textwrap.dedent(rest).strip("\n").split("\n") if not re.match(r":[\w-]+:", line)]
    return one_line(_without_roles(f"{first.partition('::')[2].strip()} {' '.join(lines)}"))


# Org ------------------------------------------------------------------------------------------------------------------

_ORG_KEY = re.compile(r"(?i)#\+(title|author|date):\s*(.*)")
_ORG_HEADING = re.compile(r"(\*+) +(?:(TODO|DONE|NEXT|WAITING|CANCELLED) +)?(?:\[#[A-Z]\] +)?(.*)")
_ORG_ITEM = re.compile(r"([ \t]*)(?:([-+])|(\d{1,3})[.)]|(?<=[ \t])(\*))[ \t]+(?:\[@\d+\] )?(?:\[([ xX-])\] )?(.*)")
_ORG_BLOCK = re.compile(r"(?i)[ \t]*#\+begin_(\w+)")
_ORG_LINK = re.compile(r"\[\[([^\[\]\n]{1,500})\](?:\[([^\[\]\n]{1,500})\])?\]")
_ORG_MARK = re.compile(r"(?<![\w*/_=~+])([*/_=~+])(?=\S)([^\n*/_=~+]{1,300}?)(?<=\S)\1(?![\w*/_=~+])")
_ORG_PROPERTY = re.compile(r":([^\W\d_][\w-]{0,40})\+?:[ \t]+(\S.*)")
_ORG_PLAN = re.compile(r"(SCHEDULED|DEADLINE|CLOSED): *[<\[]([^>\]\n]{1,60})[>\]]")


def read_org(data: bytes) -> Content:
    """Org; its title is #+TITLE, else the first heading. Raises Unreadable for what is no text."""
    reader = _Org(without_marks(clean(decode(data))).split("\n"))
    blocks = list(with_questions(reader.blocks()))
    title = reader.keys.pop("Title", "")
    origin = [Block(f"{key}: {value}", "row") for key, value in reader.keys.items() if value]
    text, links = taken_out(joined([*origin, *blocks]) if blocks else "")
    return Content(taken_out(title or first_heading(blocks))[0], text, links=links)


def _org_words(text: str) -> str:
    text = _ORG_LINK.sub(lambda link: marked(_org_target(link[1]), link[2] or link[1]), text)
    return one_line(_ORG_MARK.sub(r"\2", text))


def _org_target(target: str) -> str:
    """A file's path, without the place in it."""
    return target.removeprefix("file:").partition("::")[0]


def _org_property(line: str) -> str:
    """`Owner: Rui Alves` of `:OWNER: Rui Alves`; "" for an empty one, and for the ids that programs write."""
    found = _ORG_PROPERTY.fullmatch(line)
    if found is None or found[1].upper() in ("ID", "CUSTOM_ID"):
        return ""
    return f"{found[1].replace('_', ' ').capitalize()}: {_org_words(found[2])}"


class _Org:
    """A line at a time, with what of a paragraph, a table or a list has been seen."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._paragraph: list[str] = []
        self._indents: list[int] = []
        self.keys: dict[str, str] = {}

    def blocks(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            made = self._special(line)
            if made is None:
                self._paragraph.append(line)
                self._at += 1
            else:
                yield from self._flush()
                yield from made
        yield from self._flush()

    def _flush(self) -> Iterator[Block]:
        text, self._paragraph = _org_words(" ".join(self._paragraph)), []
        if text:
            yield Block(text)

    def _special(self, line: str) -> list[Block] | None:
        """The blocks that begin at the current line, which is then behind them; None for a line of a paragraph."""
        if found := _ORG_HEADING.match(line):
            self._at += 1
            self._indents = []
            text, _, last = found[3].rstrip().rpartition(" ")
            is_tag = len(last) > 2 and last.startswith(":") and last.endswith(":")
            words = _org_words(text if is_tag else found[3])
            state = [Block(f"State: {found[2]}", "row")] if found[2] else []
            return [heading(len(found[1]), words), *state] if words else []
        if _ORG_BLOCK.match(line):
            return self._fenced()
        if line.lstrip().startswith("|"):
            return self._table()
        if found := _ORG_ITEM.match(line):
            return [self._item(found)]
        return self._left_out(line)

    def _left_out(self, line: str) -> list[Block] | None:
        """Keys, comments, drawers and blank lines, which give nothing; properties and dates of tasks, a line each."""
        stripped = line.strip()
        if key := _ORG_KEY.match(stripped):
            self.keys.setdefault(key[1].capitalize(), _org_words(key[2]))
        elif re.fullmatch(r":[A-Za-z_-]+:", stripped):
            end = next((at for at in range(self._at, min(self._at + 500, len(self._lines)))
                        if self._lines[at].strip().upper() == ":END:"), self._at)  # fmt: skip
            properties = self._lines[self._at + 1 : end] if stripped.upper() == ":PROPERTIES:" else []
            self._at = end + 1
            return [Block(line, "row") for one in properties if (line := _org_property(one.strip()))]
        elif plans := _ORG_PLAN.findall(stripped):
            self._at += 1
            return [Block("; ".join(f"{name.capitalize()}: {when}" for name, when in plans))]
        elif stripped and not re.match(r"#(?:\+\w|\s|$)|-{5,}$", stripped):
            return None
        self._at += 1
        return []

    def _fenced(self) -> list[Block]:
        kind = _ORG_BLOCK.match(self._lines[self._at])
        closing = f"#+end_{kind[1].lower()}" if kind else ""
        begin = self._at + 1
        end = next((at for at in range(begin, len(self._lines))
                    if self._lines[at].strip().lower() == closing), len(self._lines))  # fmt: skip
        self._at = end + 1
        if kind and kind[1].lower() == "comment":
            return []
        text = "\n".join(self._lines[begin:end])
        words = kind is not None and kind[1].lower() in ("quote", "center", "verse")
        return [Block(_org_words(text) if words else code(textwrap.dedent(text).strip("\n")))]

    def _table(self) -> list[Block]:
        rows: list[list[str]] = []
        header = False
        while self._at < len(self._lines) and (line := self._lines[self._at].strip()).startswith("|"):
            if line.startswith("|-"):
                header = header or len(rows) == 1
            else:
                rows.append([_org_words(cell) for cell in line.strip("|").split("|")])
            self._at += 1
        return list(table(rows, header=header))

    def _item(self, found: re.Match[str]) -> Block:
        """An item with the lines that it runs on in, which stand further in than its mark."""
        indent = len(found[1].expandtabs(8))
        while self._indents and self._indents[-1] >= indent:
            self._indents.pop()
        depth = len(self._indents)
        self._indents.append(indent)
        box = f"[{'x' if found[5] in 'xX' else ' '}] " if found[5] else ""
        words = [found[6]]
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            inner = len(line) - len(line.lstrip())
            if not line.strip() or inner <= indent or _ORG_ITEM.match(line) or line.lstrip().startswith(("|", "#+")):
                break
            words.append(line)
            self._at += 1
        marker = f"{found[3]}. " if found[3] else "- "
        return Block(f"{'  ' * depth}{marker}{box}{_org_words(' '.join(words)).replace(' :: ', ': ')}", "item")
