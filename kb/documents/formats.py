"""Readers of Word and PDF files, and the table of what is read how.

A reader takes the bytes of one file and returns a `Content`, or raises `Unreadable` with the reason and what to do.
Files are untrusted: what is unpacked is bounded, and what the parsing libraries raise for a damaged or hostile file
becomes `Unreadable`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

from kb.documents.asked_here import with_questions
from kb.documents.captions import read_captions
from kb.documents.chat_text import read_txt
from kb.documents.code import CODE_READERS
from kb.documents.data_files import read_json, read_xml, read_yaml
from kb.documents.ebooks import read_epub, read_odt
from kb.documents.links import marked, taken_out, without_marks
from kb.documents.mail import read_eml
from kb.documents.markdown import read_markdown
from kb.documents.notebooks import read_notebook
from kb.documents.office import read_pptx, read_xlsx
from kb.documents.plaintext import (
    BULLET,
    Block,
    Content,
    Unreadable,
    clean,
    has_room,
    heading,
    joined,
    one_line,
    tidy,
    without_title,
)
from kb.documents.rst_and_org import read_org, read_rst
from kb.documents.spanned_cells import MAX_COLUMNS, Cell, is_banner, laid_out, row_texts
from kb.documents.table_shape import table_blocks
from kb.documents.unpacking import DAMAGE as _DAMAGE
from kb.documents.unpacking import brief as _brief
from kb.documents.unpacking import core_properties, opened_zip, origin_lines, refuse_entities, sensible_title
from kb.documents.web_pages import read_html


def read_docx(data: bytes) -> Content:
    """A Word document; its title is that of its properties, else its first heading."""
    import docx

    with opened_zip(data, "Word document", ".docx") as archive:
        refuse_entities(archive)
        title, author, date = core_properties(archive)
        document = docx.Document(BytesIO(data))
        styles: Styles = {}
        title = sensible_title(title) or _first_heading(document, styles)
        blocks = list(with_questions(_docx_blocks(document, styles)))
        origin = [Block(origin_lines(author, date))] if author else []
        text, links = taken_out(joined([*origin, *blocks]) if blocks else "")
        return Content(title, text, links=links)


Styles = dict[str | None, str]
"""The names of styles by their ids, as far as they have been looked up: each look goes through all of them."""


def _first_heading(document: Any, styles: Styles) -> str:
    texts = (paragraph for paragraph in document.paragraphs if paragraph.text.strip())
    headings = (one.text for one in texts if _style(one, styles).startswith(("heading", "title")))
    return one_line(next(headings, ""))


def _style(paragraph: Any, styles: Styles) -> str:
    own = paragraph._p.style
    if own not in styles:
        styles[own] = (paragraph.style.name or "").lower() if paragraph.style is not None else ""
    return styles[own]


def _docx_blocks(container: Any, styles: Styles) -> Iterator[Block]:
    for part in container.iter_inner_content():
        if hasattr(part, "rows"):
            yield from _docx_rows(part, styles)
        elif text := _paragraph_text(part).strip():
            style = _style(part, styles)
            if style.startswith(("heading", "title")):
                yield heading(int(style[-1]) if style[-1:].isdigit() else 1, text)
            else:
                yield Block(f"- {text}", "item") if style.startswith("list") else Block(text)


def _paragraph_text(paragraph: Any) -> str:
    """The words of a paragraph, those of links with where they lead."""
    parts = ((without_marks(part.text), getattr(part, "address", "")) for part in paragraph.iter_inner_content())
    return "".join(marked(target, text) if target else text for text, target in parts)


def _docx_rows(table: Any, styles: Styles) -> Iterator[Block]:
    """The rows of a table, each with the words of the first; two columns with no marked header are keys and values."""
    grid = laid_out(_docx_cells(table, styles))
    rows = row_texts(grid)
    top = next((at for at, row in enumerate(grid) if not is_banner(row)), len(grid))
    first = rows[top] if len(rows) > top + 1 else ()
    # The corner of a table that is named along two sides may be empty.
    if first and (len(first) > 2 or all(cell.is_header for cell in grid[top])) and all(first[1:]):
        return table_blocks(first, [*rows[:top], *rows[top + 1 :]])
    return table_blocks((), rows)


def _docx_cells(table: Any, styles: Styles) -> list[list[Cell]]:
    """The cells of each row, those of the first marked where it is a header; one that goes on from the row above is
    that cell with a row more.
    """
    from docx.table import _Cell

    rows: list[list[Cell]] = []
    begun: dict[int, Cell] = {}
    for number, row in enumerate(table.rows):
        is_header = number == 0 and _is_header(row, table)
        column = min(row.grid_cols_before, MAX_COLUMNS)
        cells = [Cell("", is_header, column)] if column else []
        above, begun = begun, {}
        for one in row._tr.tc_lst:
            cell = above.get(column) if one.vMerge == "continue" else None
            if cell is not None:
                cell.rows += 1
            else:
                blocks = _docx_blocks(_Cell(one, table), styles)
                cell = Cell(" ".join(block.text for block in blocks), is_header, one.grid_span)
                cells.append(cell)
            begun[column] = cell
            column += one.grid_span
        rows.append(cells)
    return rows


def _is_header(row: Any, table: Any) -> bool:
    """Whether a row is marked to be repeated on every page, or all its words are bold."""
    from docx.table import _Cell

    marked = row._tr.trPr is not None and row._tr.trPr.find(f"{{{_WORD}}}tblHeader") is not None
    cells = [_Cell(one, table) for one in row._tr.tc_lst]
    runs = [run for cell in cells for paragraph in cell.paragraphs for run in paragraph.runs if run.text.strip()]
    return marked or (bool(runs) and all(run.bold for run in runs))


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


_PAGE_NUMBER = re.compile(r"(?i)[-–—\s]*(?:page\s*)?\d{1,3}(?:\s*(?:/|of)\s*\d{1,3})?[-–—\s]*")


def read_pdf(data: bytes) -> Content:
    """The text of each page, unwrapped; its title is that of its properties where somebody wrote it."""
    import pypdf
    from pypdf.errors import DependencyError, PyPdfError

    # It logs a warning for each of the many harmless faults that real files have.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("is protected by a password: save a copy without one")
        title = sensible_title(reader.metadata.title if reader.metadata else "")
        origin = _pdf_origin(reader.metadata) if reader.metadata else ""
        pages = [_unwrapped(page.extract_text()) for page in reader.pages]
    except DependencyError as error:
        raise Unreadable("is encrypted: save a copy without encryption") from error
    except (PyPdfError, *_DAMAGE) as error:
        raise Unreadable(f"is damaged or no PDF ({_brief(error)}): save it as PDF again") from error
    if not any(pages):
        raise Unreadable("has no text, as scanned pages do: run text recognition (OCR) on it first")
    return _paged(title, origin, pages)


def _pdf_origin(found: Any) -> str:
    """Author and day of the last change; "" where nobody is named: a day alone is mostly that of the printing."""
    author = clean(str(found.author or ""))
    if not re.search(r"[^\W\d_]{2}", author):
        return ""
    date = re.match(r"(?:D:)?(\d{4})(\d\d)(\d\d)", str(found.get("/ModDate") or found.get("/CreationDate") or ""))
    return origin_lines(author, "-".join(date.groups()) if date else "")


def _paged(title: str, origin: str, pages: list[str]) -> Content:
    """Pages joined by a line end, or by a blank line where one ends with a sentence; empty pages take no room."""
    first = next(number for number, page in enumerate(pages) if page)
    pages[first] = f"{origin}\n\n{without_title(pages[first], title)}".strip()
    parts: list[str] = []
    offsets: list[int] = []
    length = 0
    for page in pages:
        if page and parts:
            parts.append("\n\n" if parts[-1].endswith((".", "!", "?", "。")) else "\n")
            length += len(parts[-1])
        offsets.append(length)
        if page:
            parts.append(page)
            length += len(page)
    return Content(title, "".join(parts), tuple(offsets))


def _unwrapped(page: str) -> str:
    """Lines joined to paragraphs; words that a line end has split are joined as well."""
    lines = _without_number(clean(page).strip().split("\n"))
    lengths = sorted(map(len, lines))
    # Letters differ in width, so that a full line may have a tenth fewer than others; one line in ten may be longer.
    width = 0.9 * lengths[-1 - len(lengths) // 10]
    parts: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line[-1:] in ("-", "‐") and line[-2:-1].isalpha() and following[:1].islower():
            parts.append(line[:-1])
        else:
            parts += (line, _line_joint(line, following, width))
    return tidy("".join(parts))


def _without_number(lines: list[str]) -> list[str]:
    """Stripped lines, without the page's number at the top or at the bottom."""
    lines = [line.strip() for line in lines]
    if _PAGE_NUMBER.fullmatch(lines[0]):
        lines = lines[1:]
    if lines and _PAGE_NUMBER.fullmatch(lines[-1]):
        lines = lines[:-1]
    return lines or [""]


def _line_joint(line: str, following: str, width: float) -> str:
    if not line or not following or BULLET.match(following):
        return "\n"
    ended = line.endswith((".", "!", "?", ":", "”", '"', "。")) or not following[0].islower()
    return "\n\n" if ended and has_room(line, following, width) else " "


READERS: dict[str, tuple[str, Callable[[bytes], Content]]] = {
    ".txt": ("text", read_txt),
    ".md": ("markdown", read_markdown),
    ".markdown": ("markdown", read_markdown),
    ".html": ("html", read_html),
    ".htm": ("html", read_html),
    ".pdf": ("pdf", read_pdf),
    ".docx": ("docx", read_docx),
    ".eml": ("email", read_eml),
    ".json": ("json", read_json),
    ".yaml": ("yaml", read_yaml),
    ".yml": ("yaml", read_yaml),
    ".xml": ("xml", read_xml),
    ".xlsx": ("xlsx", read_xlsx),
    ".pptx": ("pptx", read_pptx),
    ".odt": ("odt", read_odt),
    ".epub": ("epub", read_epub),
    ".ipynb": ("notebook", read_notebook),
    ".rst": ("rst", read_rst),
    ".org": ("org", read_org),
    ".vtt": ("captions", read_captions),
    ".srt": ("captions", read_captions),
    **{suffix: ("code", reader) for suffix, reader in CODE_READERS.items()},
}
"""Suffix -> the name of the format, and its reader."""
