"""Readers of Markdown and HTML: readable text, its blocks kept apart."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice, pairwise, takewhile
from typing import TYPE_CHECKING, Any

from kb.documents.asked_here import with_questions
from kb.documents.data_files import yaml_record
from kb.documents.definition_lists import Terms
from kb.documents.links import marked, taken_out, without_marks
from kb.documents.markdown_lines import DEFINITION, defined, lines_joined
from kb.documents.plaintext import (
    Block,
    Content,
    Unreadable,
    clean,
    code,
    decode,
    heading,
    joined,
    one_line,
    without_title,
)
from kb.documents.structure import LONGEST_VALUE
from kb.documents.table_shape import table_blocks
from kb.records import OTHER_NAMES

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_DROPPED = frozenset(
    "script style nav header footer aside head title template noscript iframe svg canvas object select button".split()
)
_DROPPED_ROLES = frozenset("banner contentinfo navigation search".split())
_BLOCKS = frozenset(
    "address article blockquote body caption center dd details div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5"
    " h6 hr html legend li main ol p pre section summary table tbody tfoot thead tr ul".split()
)


def read_markdown(data: bytes) -> Content:
    """Markdown as readable text; its title is the front matter's, else the first heading."""
    from markdown_it import MarkdownIt

    text = without_marks(clean(decode(data)))
    title, lines, names = "", "", list[str]()
    front = _FRONT_MATTER.match(text)
    if front and (said := _front_matter(front[1], front[2])):
        text = text[front.end() :]
        title, lines, names = said
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and not title:
            title = _inline_text(inline)
    body = joined(with_questions(_markdown_blocks(tokens)))
    if lines:
        body = f"{lines}\n\n{without_title(body, one_line(title))}"
    body, links = taken_out(body.strip())
    metadata = {OTHER_NAMES: names} if names else {}
    return Content(without_marks(one_line(taken_out(title)[0])), body, links=links, metadata=metadata)


_LONGEST_FRONT = 100_000
_FRONT_LINE = re.compile(r"([A-Za-z][\w -]{0,40}?)[ \t]*[:=][ \t]*(.*)")


def _front_matter(fence: str, text: str) -> tuple[str, str, list[str]] | None:
    """The title, what else is said of the note as `Key: value` lines, a list's values apart by commas, and its other
    names.

    None for what is no front matter: text between two lines across the page.
    """
    text = _WIKILINK.sub(lambda link: marked(link[1], link[2] or link[1]), text)
    record = yaml_record(text) if fence == "---" and len(text) <= _LONGEST_FRONT else None
    pairs = list(_front_lines(text) if record is None else _front_pairs("", record))
    if record is None and not pairs:
        return None
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(one_line(value))
    title = next((one for key in found if key.lower() == "title" for one in found.pop(key)), "")
    lines = [f"{key[:1].upper()}{key[1:]}: {', '.join(filter(None, values))}" for key, values in found.items()]
    names = [taken_out(one)[0] for key in found if key.lower() in ("alias", "aliases") for one in found[key] if one]
    return title, "\n".join(line for line in lines if not line.endswith(": ")), names


def _front_pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Keys with their values; the key of what is within another has both names."""
    if isinstance(value, tuple):
        for key, one in value:
            yield from _front_pairs(f"{name} {key[:1].lower()}{key[1:]}" if name else key, one)
    elif isinstance(value, list):
        for one in value:
            yield from _front_pairs(name, one)
    else:
        yield name, value


def _front_lines(text: str) -> Iterator[tuple[str, str]]:
    """Keys with their values in what is no YAML; nothing where a line at the margin is not of that kind."""
    pairs: list[tuple[str, str]] = []
    for line in text.split("\n"):
        if line.lstrip().startswith("- ") and pairs:
            pairs.append((pairs[-1][0], _front_value(line.lstrip()[2:])))
        elif pair := _FRONT_LINE.fullmatch(line):
            values = pair[2].strip("[] \t").split(",") if pair[2].startswith("[") else [pair[2]]
            pairs += ((pair[1].replace("_", " "), _front_value(one)) for one in values)
        elif line[:1].isalpha():
            return iter(())
    return iter(pairs)


def _front_value(text: str) -> str:
    return one_line(text).strip("\"'")


def _markdown_blocks(tokens: list[Token]) -> Iterator[Block]:
    marker, level, depth = "", 0, 0
    table = _Rows()
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
            table = _Rows()
        elif token.type == "inline" and table.is_open:
            table.cells[-1] = _inline_text(token)
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


class _Rows:
    """A table as far as it has been read: a first row of nothing but headers names the cells of the others."""

    def __init__(self) -> None:
        self.cells: list[str] = []
        self._marks: list[bool] = []
        self._header: list[str] = []
        self._rows: list[list[str]] = []
        self._keys_first = True

    @property
    def is_open(self) -> bool:
        return bool(self.cells)

    def open(self, *, is_header: bool) -> None:
        self.cells.append("")
        self._marks.append(is_header)

    def close(self) -> None:
        """Take the row whose cells have been given."""
        if self.cells and all(self._marks) and not self._header and not self._rows:
            self._header = self.cells
        elif self.cells:
            self._rows.append(self.cells)
            self._keys_first = self._keys_first and self._marks[0] and not any(self._marks[1:])
        self.cells, self._marks = [], []

    def blocks(self) -> Iterator[Block]:
        """The rows that have been read and not given yet."""
        rows, self._rows = self._rows, []
        yield from table_blocks(self._header, rows, keys_first=self._keys_first)


def _token_text(token: Token, *, is_listed: bool) -> str:
    if token.type == "inline":
        return _inline_text(token, is_listed=is_listed)
    if token.type in ("fence", "code_block"):
        return code(token.content.rstrip())
    if token.type == "html_block":
        return joined(_html_blocks(_parse_html(token.content)))
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
    text = _WIKILINK.sub(lambda link: marked(link[1], link[2] or link[1]), "".join(parts)).replace("\x01", "[[")
    lines = text.strip().split("\x00")
    written = token.content.split("\n")
    indented = [one[:1].isspace() for one in written] if len(written) == len(lines) else [False] * len(lines)
    return lines_joined(lines, [is_listed or one for one in indented])


_WIKILINK = re.compile(r"!?\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|([^\[\]\n]{1,200}))?\]\]")


def read_html(data: bytes) -> Content:
    """A web page without its boilerplate; its title is `<title>`, without the site's name where `<h1>` shows it."""
    declared = _CHARSET.search(data[:4096])
    soup = _parse_html(decode(data, declared[1].decode("ascii") if declared else ""))
    page = _main_part(soup)
    title = one_line(soup.title.get_text()) if soup.title else ""
    shown = (_words(one) for one in soup.find_all("h1", limit=_HEADLINES))
    title = next((one for one in shown if one and _is_of_site(title, one)), title)
    text, links = taken_out(joined(with_questions(_html_blocks(page))))
    return Content(without_marks(title) or _words(page.h1 or soup.h1), text, links=links)


def _words(tag: Tag | None) -> str:
    return one_line(taken_out(_html_text(_html_strings(tag)))[0]) if tag else ""


def _is_of_site(title: str, page: str) -> bool:
    """Whether a title is that of a page with the name of its site behind it."""
    return title.startswith(tuple(f"{page} {joint} " for joint in "-|–—·:"))


def _main_part(soup: BeautifulSoup) -> Tag:
    """The only `<main>` of a page, where what stands around it is what all pages of a site repeat: less than a quarter
    of the text, without headings, paragraphs, tables, addresses and definition lists, but for a headline above the
    page's own. Else the page.
    """
    mains = soup.find_all("main") or soup.find_all(True, attrs={"role": "main"})
    if len(mains) != 1:
        return soup
    main = mains[0]
    within = {id(tag) for tag in (main, *main.find_all(True))}
    telling = _TELLING - {"h1"} if main.h1 else _TELLING
    sizes = {True: 0, False: 0}
    for owner, _, text in _html_strings(soup):
        is_within = id(owner) in within
        if text.strip() and not is_within and owner.name in telling:
            return soup
        sizes[is_within] += len(text.strip())
    return main if sizes[True] >= 3 * sizes[False] else soup


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


def _html_blocks(soup: Tag) -> Iterator[Block]:
    """Runs of text with the same nearest block element, in order. One pass, so that deep nesting costs nothing."""
    tables: dict[int, _Rows] = {}
    open_table = _Rows()
    terms = Terms(soup)
    for _, run in groupby(_html_strings(soup), key=lambda one: id(one[0])):  # tags compare by all that they hold
        pieces = list(run)
        block, text = pieces[0][0], _html_text(pieces)
        if block.name == "tr":
            table = tables.setdefault(id(block.find_parent("table")), _Rows())
            if table is not open_table:
                yield from open_table.blocks()
                yield from terms.before(block)
            open_table = table
            _html_row(block, text, table)
            continue
        text = text.strip("\n") if block.name == "pre" else "\n".join(" ".join(one.split()) for one in text.split("\n"))
        if not text.strip():
            continue
        yield from open_table.blocks()
        yield from terms.before(block)
        if block.name == "dt":
            terms.take(block, one_line(text))
        elif block.name == "dd":
            yield Block(terms.described(block, one_line(text)), "item")
        elif block.name == "li":
            yield Block(f"{'  ' * _list_depth(block)}- {text.strip()}", "item")
        elif block.name in _HEADINGS:
            yield heading(int(block.name[1]), text)
        else:
            yield Block(code(text) if block.name == "pre" else text.strip())
    yield from open_table.blocks()
    yield from terms.alone()


def _html_text(pieces: Iterable[_Piece]) -> str:
    """The text of a run; the words of a link are told as one, whatever tags there are within.

    Links that lead to the place where they stand are left out, unless there is nothing else.
    """
    parts: list[str] = []
    permalinks: list[str] = []
    for _, group in groupby(pieces, key=lambda one: id(one[1])):
        same = list(group)
        block, link = same[0][:2]
        words = "".join(text for _, _, text in same)
        is_permalink = link is not None and _is_permalink(link, words, block)
        (permalinks if is_permalink else parts).append(words if link is None else marked(str(link["href"]), words))
    return "".join(parts if any(map(str.strip, parts)) else permalinks)


_CELL, _ITEM = "\t", "\x00"
_Piece = tuple["Tag", "Tag | None", str]
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_DEEPEST = 5
_TELLING = _HEADINGS | {"address", "dd", "dt", "p", "tr"}
_NAMED = _HEADINGS | {"dt", "caption", "figcaption", "legend", "summary"}
"""What links to itself."""
_HEADLINES = 5
"""How many `<h1>` of a page are held against its title."""
_PERMALINK_MARKS = frozenset("¶#§🔗\uf0c1")
_PERMALINK_CLASSES = frozenset("anchor-link anchorjs-link hash-link header-anchor headerlink permalink".split())


def _list_depth(item: Tag) -> int:
    """How many lists the list of `item` stands in, as far as an indent shows it."""
    lists = islice(item.find_parents(("ul", "ol"), limit=_DEEPEST), 1, None)
    return sum(1 for _ in lists)


def _html_row(row: Tag, text: str, table: _Rows) -> None:
    """Take a row with all that its cells hold; the items of lists in a cell are apart by commas."""
    before, *cells = text.split(_CELL)
    if before.strip():
        cells = [f"{before} {' '.join(cells[:1])}", *cells[1:]]
    marks = [cell.name == "th" for cell in row.find_all(("th", "td"), recursive=False)]
    marks += [False] * (len(cells) - len(marks))
    for cell, is_header in zip(cells, marks, strict=False):
        table.open(is_header=is_header)
        table.cells[-1] = ", ".join(filter(None, map(one_line, cell.split(_ITEM))))
    table.close()


def _html_strings(soup: Tag) -> Iterator[_Piece]:
    """Each string with the block element that it belongs to and the link that it stands in; what is dropped is left
    out. In a row, marks stand before cells and before the items of lists in them.
    """
    from bs4.element import NavigableString, Tag

    around: dict[int, tuple[Tag | None, Tag | None, Tag]] = {id(soup): (soup, None, soup)}
    placing, telling = _placing_rows(soup), _around_data(soup)
    last: tuple[Tag, Tag] | None = None
    for node in soup.descendants:
        owner, link, inner = around[id(node.parent)]
        if isinstance(node, Tag):
            around[id(node)] = (
                None if _is_dropped(node, telling) else _html_owner(node, owner, placing),
                node if node.name == "a" and node.get("href") else link,
                node if node.name in _BLOCKS else inner,
            )
            if owner is not None and (mark := _html_mark(node, owner, placing)):
                yield owner, None if mark in (_CELL, _ITEM) else link, mark
        elif owner is not None and type(node) is NavigableString:  # subclasses are comments, declarations and the like
            if last is not None and last[0] is owner and last[1] is not inner:
                yield owner, None, " "  # between what wrappers hold
            last = (owner, inner)
            yield owner, link, without_marks(str(node) if owner.name == "pre" else re.sub(r"\s", " ", node))


def _placing_rows(soup: Tag) -> set[int]:
    """The rows of tables that hold no data but place things on a page: what their cells hold is read by itself.

    They hold another table; or, in a table without header cells, a heading, or several blocks in their only cell.
    """
    rows: dict[int, Tag | None] = {id(soup): None}
    tables: dict[int, Tag | None] = {id(soup): None}
    cells, blocks = Counter[int](), Counter[int]()
    table_of: dict[int, int] = {}
    named, placing, perhaps = set[int](), set[int](), set[int]()
    for tag in soup.find_all(True):
        row, table = rows[id(tag.parent)], tables[id(tag.parent)]
        rows[id(tag)] = tag if tag.name == "tr" else None if tag.name == "table" else row
        tables[id(tag)] = tag if tag.name == "table" else table
        if row is None:
            continue
        table_of[id(row)] = id(table)
        if tag.name == "table":
            placing.add(id(row))
        elif tag.name in ("td", "th"):
            cells[id(row)] += 1
            if tag.name == "th":
                named.add(id(table))
        elif tag.name in _HEADINGS:
            perhaps.add(id(row))
        elif tag.name in _BLOCKS:
            blocks[id(row)] += 1
    perhaps |= {row for row, count in blocks.items() if count > 1 and cells[row] == 1}
    return placing | {row for row in perhaps if table_of[row] not in named}


def _around_data(soup: Tag) -> set[int]:
    """The elements that hold a table or a definition list."""
    found: set[int] = set()
    for tag in soup.find_all(("table", "dl")):
        found.update(id(one) for one in takewhile(lambda one: id(one) not in found, tag.parents))
    return found


def _is_dropped(tag: Tag, telling: set[int]) -> bool:
    """Whether a tag is boilerplate or nothing to be read; what stands aside with data in it is neither."""
    if tag.name == "aside" and id(tag) in telling:
        return False
    return tag.name in _DROPPED or tag.get("role") in _DROPPED_ROLES


def _html_owner(tag: Tag, owner: Tag | None, placing: set[int]) -> Tag | None:
    if owner is None:
        return None
    if owner.name == "tr":
        return tag if id(owner) in placing else owner
    return tag if tag.name in _BLOCKS and not _is_wrapper(tag, owner) else owner


def _is_permalink(link: Tag, words: str, block: Tag) -> bool:
    """Whether a link is the mark beside a heading, a term or the like that leads to itself."""
    if block.name not in _NAMED or "#" not in str(link["href"]):
        return False
    return words.strip() in _PERMALINK_MARKS or not _PERMALINK_CLASSES.isdisjoint(link.get("class") or ())


def _is_wrapper(tag: Tag, owner: Tag) -> bool:
    """Whether a block merely wraps the text of a term, of a list's item or the beginning of a description."""
    if owner.name == "dt" and tag.name in _HEADINGS:
        return True
    if tag.name not in ("p", "div") or tag.parent is None:
        return False
    return owner.name == "dt" or tag.parent.name == "li" or (tag.parent.name == "dd" and _is_first(tag))


def _is_first(tag: Tag) -> bool:
    """Whether nothing but white space stands before a tag in its parent."""
    from bs4.element import PreformattedString

    before = (one for one in tag.previous_siblings if not isinstance(one, PreformattedString))  # as comments are
    return not any(one.strip() if isinstance(one, str) else True for one in before)


def _html_mark(tag: Tag, owner: Tag, placing: set[int]) -> str:
    """What a tag stands for, "" for most."""
    if owner.name == "tr" and id(owner) not in placing:
        if tag.name in ("td", "th"):
            return _CELL
        if tag.name == "li":
            return _ITEM
    return "\n" if tag.name == "br" else ""
