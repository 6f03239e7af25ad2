"""Reader of Markdown: readable text, its blocks kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from kb.documents.asked_here import with_questions
from kb.documents.front_matter import FrontMatter, front_matter
from kb.documents.links import marked, taken_out, wiki_links_marked, without_marks
from kb.documents.markdown_lines import DEFINITION, defined, lines_joined
from kb.documents.plaintext import Block, Content, clean, code, decode, heading, joined, one_line, without_title
from kb.documents.spanned_cells import OpenTable
from kb.documents.structure import LONGEST_VALUE
from kb.documents.web_pages import html_blocks, parse_html
from kb.records import OTHER_NAMES

if TYPE_CHECKING:
    from markdown_it.token import Token


def read_markdown(data: bytes) -> Content:
    """Markdown as readable text; its title is the front matter's, else the first heading."""
    from markdown_it import MarkdownIt

    text = without_marks(clean(decode(data)))
    front = front_matter(text) or FrontMatter("", "", [], 0)
    title = front.title
    tokens = MarkdownIt("commonmark").enable("table").parse(text[front.end :])
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and not title:
            title = _inline_text(inline)
    body = joined(with_questions(_markdown_blocks(tokens)))
    if front.lines:
        body = f"{front.lines}\n\n{without_title(body, one_line(title))}"
    body, links = taken_out(body.strip())
    metadata = {OTHER_NAMES: front.names} if front.names else {}
    return Content(without_marks(one_line(taken_out(title)[0])), body, links=links, metadata=metadata)


def _markdown_blocks(tokens: list[Token]) -> Iterator[Block]:
    marker, level, depth = "", 0, 0
    table = OpenTable()
    term = ""
    for at, token in enumerate(tokens):
        if token.type in _LISTS:
            depth += token.nesting
        elif token.type == "list_item_open":
            marker = "  " * (depth - 1) + (f"{token.info}. " if token.info else "- ")
        elif token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "tr_close":
            table.close()
        elif token.type in ("th_open", "td_open"):
            table.open(is_header=token.type == "th_open")
        elif token.type == "table_close":
            yield from table.blocks()
            table = OpenTable()
        elif token.type == "inline" and table.is_open:
            table.cells[-1].text = _inline_text(token)
        elif text := _token_text(token, is_listed=depth > 0):
            is_paragraph = token.type == "inline" and not level and not depth
            if is_paragraph and DEFINITION.search(token.content):
                blocks, term = defined(text, term)
                yield from blocks
            elif is_paragraph and _is_term(tokens, at):
                term = text
            else:
                term = ""
                yield heading(level, text) if level else Block(marker + text, "item" if marker else "")
            marker, level = "", 0


def _is_term(tokens: Sequence[Token], at: int) -> bool:
    """Whether a definition (": text") follows a paragraph of one line, behind an empty one."""
    following = tokens[at + 3] if tokens[at + 2 : at + 3] and tokens[at + 2].type == "paragraph_open" else None
    words = tokens[at].content
    is_short = "\n" not in words and not words.endswith((".", "!", "?")) and len(words.split()) <= LONGEST_VALUE
    return is_short and following is not None and DEFINITION.match(following.content) is not None


_LISTS = frozenset(("bullet_list_open", "bullet_list_close", "ordered_list_open", "ordered_list_close"))


def _token_text(token: Token, *, is_listed: bool) -> str:
    if token.type == "inline":
        return _inline_text(token, is_listed=is_listed)
    if token.type in ("fence", "code_block"):
        return code(token.content.rstrip())
    if token.type == "html_block":
        return joined(html_blocks(parse_html(token.content)))
    return ""


def _inline_text(token: Token, *, is_listed: bool = False) -> str:
    """The words of a line: links without targets, no images, no marks of emphasis, no tags.

    Lines of a paragraph are joined, but for `Key: value` lines and what stands below them, as people write them.
    """
    parts: list[str] = []
    targets: list[tuple[str, int]] = []
    for child in token.children or ():
        if child.type == "link_open":
            targets.append((str(child.attrs.get("href", "")), len(parts)))
        elif child.type == "link_close" and targets:
            target, start = targets.pop()
            parts[start:] = [marked(target, "".join(parts[start:]).replace("\x00", " "))]
        elif child.type == "softbreak":
            parts.append("\x00")
        elif child.type == "hardbreak" or (child.type == "html_inline" and child.content.startswith("<br")):
            parts.append("\n")
        elif child.type == "code_inline":
            parts.append(child.content.replace("[[", "\x01"))  # which is no link there
        elif child.type in ("text", "text_special"):
            parts.append(child.content)
    text = wiki_links_marked("".join(parts)).replace("\x01", "[[")
    lines = text.strip().split("\x00")
    written = token.content.split("\n")
    indented = [one[:1].isspace() for one in written] if len(written) == len(lines) else [False] * len(lines)
    return lines_joined(lines, [is_listed or one for one in indented])
