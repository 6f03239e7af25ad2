"""Reader of HTML: readable text without a page's boilerplate, its blocks kept apart."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice, takewhile
from typing import TYPE_CHECKING

from kb.documents.asked_here import with_questions
from kb.documents.definition_lists import DefinedTerms
from kb.documents.links import marked, taken_out, without_marks
from kb.documents.plaintext import Block, Content, Unreadable, code, decode, heading, joined, one_line
from kb.documents.spanned_cells import OpenTable

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_DROPPED = frozenset(
    "script style nav header footer aside head title template noscript iframe svg canvas object select button".split()
)
_DROPPED_ROLES = frozenset("banner contentinfo navigation search".split())
_BLOCKS = frozenset(
    "address article blockquote body caption center dd details div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5"
    " h6 hr html legend li main ol p pre section summary table tbody tfoot thead tr ul".split()
)


def read_html(data: bytes) -> Content:
    """A web page without its boilerplate; its title is `<title>`, without the site's name where `<h1>` shows it."""
    declared = _CHARSET.search(data[:4096])
    soup = parse_html(decode(data, declared[1].decode("ascii") if declared else ""))
    page = _main_part(soup)
    title = one_line(soup.title.get_text()) if soup.title else ""
    shown = (_words(one) for one in soup.find_all("h1", limit=_HEADLINES))
    title = next((one for one in shown if one and _is_of_site(title, one)), title)
    text, links = taken_out(joined(with_questions(html_blocks(page))))
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


def parse_html(markup: str) -> BeautifulSoup:
    import bs4

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bs4.XMLParsedAsHTMLWarning)
        warnings.simplefilter("ignore", bs4.MarkupResemblesLocatorWarning)
        try:
            # lxml is linear where Python's own parser is quadratic: 2 ms for 20,000 "<a " in a row, against minutes.
            return bs4.BeautifulSoup(markup, "lxml")
        except (bs4.ParserRejectedMarkup, AssertionError, ValueError) as error:
            raise Unreadable("is not readable HTML: open it in a browser and save it again") from error


def html_blocks(soup: Tag) -> Iterator[Block]:
    """Runs of text with the same nearest block element, in order. One pass, so that deep nesting costs nothing."""
    tables: dict[int, OpenTable] = {}
    open_table = OpenTable()
    terms = DefinedTerms(soup)
    for _, run in groupby(_html_strings(soup), key=lambda one: id(one[0])):  # tags compare by all that they hold
        pieces = list(run)
        block, text = pieces[0][0], _html_text(pieces)
        if block.name == "tr":
            table = tables.setdefault(id(block.find_parent("table")), OpenTable())
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
_ALL_ROWS = 65_534
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


def _html_row(row: Tag, text: str, table: OpenTable) -> None:
    """Take a row with all that its cells hold; the items of lists in a cell are apart by commas."""
    before, *cells = text.split(_CELL)
    if before.strip():
        cells = [f"{before} {' '.join(cells[:1])}", *cells[1:]]
    tags: list[Tag | None] = list(row.find_all(("th", "td"), recursive=False))
    tags += [None] * (len(cells) - len(tags))
    for cell, tag in zip(cells, tags, strict=False):
        table.open(
            is_header=tag is not None and tag.name == "th",
            columns=_span(tag, "colspan"),
            rows=_span(tag, "rowspan"),
        )
        table.cells[-1].text = ", ".join(filter(None, map(one_line, cell.split(_ITEM))))
    table.close()


def _span(tag: Tag | None, name: str) -> int:
    """How many columns or rows a cell covers; 0 rows are all that are left."""
    given = str(tag.get(name) or "").strip()[:6] if tag is not None else ""
    span = int(given) if given.isascii() and given.isdecimal() else 1
    return span or (_ALL_ROWS if name == "rowspan" else 1)


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
