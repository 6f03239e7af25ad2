"""Readers of Markdown and HTML: readable text, its blocks kept apart."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from kb.plaintext import Block, Content, Unreadable, clean, decode, joined, one_line, row_text

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(\S.*)$", re.MULTILINE)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_DROPPED = frozenset(
    "script style nav header footer aside head title template noscript iframe svg canvas object select button".split()
)
_BLOCKS = frozenset(
    "address article blockquote body caption center dd details div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5"
    " h6 hr html legend li main ol p pre section summary table tbody tfoot thead tr ul".split()
)


def read_markdown(data: bytes) -> Content:
    """Markdown as readable text; its title is the front matter's, else the first heading."""
    from markdown_it import MarkdownIt

    text = clean(decode(data))
    title = ""
    if front := _FRONT_MATTER.match(text):
        text = text[front.end() :]
        if given := _FRONT_TITLE.search(front[2]):
            title = given[1].strip().strip("\"'")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and not title:
            title = _inline_text(inline)
    return Content(one_line(title), joined(_markdown_blocks(tokens)))


def _markdown_blocks(tokens: list[Token]) -> Iterator[Block]:
    marker = ""
    cells: list[str] | None = None
    for token in tokens:
        if token.type == "list_item_open":
            marker = f"{token.info}. " if token.info else "- "
        elif token.type == "tr_open":
            cells = []
        elif token.type == "tr_close" and cells is not None:
            yield Block(row_text(cells), "row")
            cells = None
        elif token.type == "inline" and cells is not None:
            cells.append(_inline_text(token))
        elif text := _token_text(token):
            yield Block(marker + text, "item" if marker else "")
            marker = ""


def _token_text(token: Token) -> str:
    if token.type == "inline":
        return _inline_text(token)
    if token.type in ("fence", "code_block"):
        return token.content.rstrip()
    if token.type == "html_block":
        return joined(_html_blocks(_parse_html(token.content)))
    return ""


def _inline_text(token: Token) -> str:
    """The words of a line: links without targets, no images, no marks of emphasis, no tags."""
    parts = []
    for child in token.children or ():
        if child.type == "softbreak":
            parts.append(" ")
        elif child.type == "hardbreak" or (child.type == "html_inline" and child.content.startswith("<br")):
            parts.append("\n")
        elif child.type in ("text", "code_inline", "text_special"):
            parts.append(child.content)
    return "".join(parts).strip()


def read_html(data: bytes) -> Content:
    """A web page without its boilerplate; its title is `<title>`, without the site's name where `<h1>` shows it."""
    declared = _CHARSET.search(data[:4096])
    soup = _parse_html(decode(data, declared[1].decode("ascii") if declared else ""))
    title, heading = (one_line(tag.get_text()) if tag else "" for tag in (soup.title, soup.h1))
    if heading and (not title or re.match(re.escape(heading) + r" [-|–—·:] ", title)):
        title = heading
    return Content(title, joined(_html_blocks(soup)))


def _parse_html(markup: str) -> BeautifulSoup:
    import bs4

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bs4.XMLParsedAsHTMLWarning)
        warnings.simplefilter("ignore", bs4.MarkupResemblesLocatorWarning)
        try:
            # lxml is linear where Python's own parser is quadratic: 2 ms for 20,000 "<a " in a row, against minutes.
            return bs4.BeautifulSoup(markup, "lxml")
        except (bs4.ParserRejectedMarkup, AssertionError, ValueError) as error:
            raise Unreadable("is not readable HTML: open it in a browser and save it again") from error


def _html_blocks(soup: BeautifulSoup) -> Iterator[Block]:
    """Runs of text with the same nearest block element, in order. One pass, so that deep nesting costs nothing."""
    for block, run in groupby(_html_strings(soup), key=itemgetter(0)):
        text = "".join(piece for _, piece in run)
        if block.name == "pre":
            text = text.strip("\n")
        elif block.name == "tr":
            text = row_text(text.split("\t"))
        else:
            text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()
        if block.name == "li" and text:
            yield Block(f"- {text}", "item")
        elif text.strip():
            yield Block(text, "row" if block.name == "tr" else "")


def _html_strings(soup: BeautifulSoup) -> Iterator[tuple[Tag, str]]:
    """Each string with the block element that it belongs to; a tab starts a table cell, what is dropped is left out."""
    from bs4.element import NavigableString, Tag

    owners: dict[int, Tag | None] = {id(soup): soup}
    for node in soup.descendants:
        owner = owners[id(node.parent)]
        if isinstance(node, Tag):
            owners[id(node)] = _html_owner(node, owner)
            if owner is not None:
                yield from ((owner, mark) for mark in _html_mark(node, owner))
        elif owner is not None and type(node) is NavigableString:  # subclasses are comments, declarations and the like
            yield owner, str(node) if owner.name == "pre" else re.sub(r"\s", " ", node)


def _html_owner(tag: Tag, owner: Tag | None) -> Tag | None:
    if owner is None or tag.name in _DROPPED:
        return None
    return tag if tag.name in _BLOCKS and not _is_wrapper(tag) else owner


def _is_wrapper(tag: Tag) -> bool:
    """Whether a block merely wraps the text of a list item or table cell."""
    return tag.name in ("p", "div") and tag.parent is not None and tag.parent.name in ("li", "td", "th")


def _html_mark(tag: Tag, owner: Tag) -> str:
    """The white space that a tag stands for, none for most."""
    if tag.name in ("td", "th") and owner.name == "tr":
        return "\t"
    if tag.name == "br":
        return "\n"
    return " " if _is_wrapper(tag) else ""
