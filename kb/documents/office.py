"""Readers of Excel and PowerPoint files; the libraries are imported once there is such a file."""

from __future__ import annotations

import datetime
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import islice
from typing import Any

from kb.documents.number_formats import shown_number, shown_time
from kb.documents.plaintext import Block, Content, Unreadable, clean, heading, joined, one_line
from kb.documents.spanned_cells import MAX_COLUMNS, Cell, laid_out, row_texts
from kb.documents.table_shape import Banner, table_blocks
from kb.documents.unpacking import core_properties, opened_zip, origin_lines, refuse_entities, sensible_title

MAX_CELLS = 1_000_000
"""Most cells of a workbook, empty ones in front of others counted: some twenty seconds of reading."""

_MAX_GROUPS = 20

_MERGED = re.compile(rb'<(?:\w{1,20}:)?mergeCell\s[^<>]{0,200}?ref="([A-Z]{1,3}[1-9]\d{0,6}:[A-Z]{1,3}[1-9]\d{0,6})"')


def read_xlsx(data: bytes) -> Content:
    """Each sheet a heading and its rows below it, with the words of its header. Raises Unreadable for what is none."""
    import openpyxl

    with opened_zip(data, "Excel workbook", ".xlsx") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and extensions that it passes over
        refuse_entities(archive)
        title, author, date = core_properties(archive)
        book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True)
        left = MAX_CELLS
        blocks = [Block(origin_lines(author, date))]
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # as stated they may be a million rows of nothing
            rows = []
            for row in sheet.iter_rows():
                left -= max(len(row), 1)
                if left < 0:
                    raise Unreadable(f"has more than {MAX_CELLS:,} cells: save the sheets that matter as .csv")
                rows.append([_cell_text(cell) for cell in row])
            merged = merged_ranges(archive.read(sheet._worksheet_path))
            filled = row_texts(laid_out(spanned(rows, merged))) if merged else [row for row in rows if any(row)]
            if filled:
                blocks += [heading(2, sheet.title), *table(filled)]
        return Content(sensible_title(title), _text(blocks))


def merged_ranges(sheet: bytes) -> list[tuple[int, int, int, int]]:
    """The ranges of cells that a sheet has merged: first row and column, then the last ones, all from 0."""
    from openpyxl.utils import range_boundaries

    found = islice(_MERGED.finditer(sheet), MAX_CELLS)
    bounds = (range_boundaries(one[1].decode("ascii")) for one in found)
    return [(top - 1, left - 1, bottom - 1, right - 1) for left, top, right, bottom in bounds]


def spanned(rows: Iterable[Sequence[str]], merged: Sequence[tuple[int, int, int, int]]) -> Iterator[list[Cell]]:
    """The rows of a sheet without the empty cells that a merged one covers; it is as large as its range."""
    begins = {(top, left): (bottom, right) for top, left, bottom, right in merged}
    above: dict[int, int] = {}
    """The columns that a range covers or has covered, with its last row."""
    for number, row in enumerate(rows):
        cells: list[Cell] = []
        covered = -1
        for column, text in enumerate(row):
            if column <= covered or above.get(column, -1) >= number:
                continue
            bottom, covered = begins.get((number, column), (number, column))
            covered = min(covered, column + MAX_COLUMNS - 1)
            cells.append(Cell(text, columns=covered - column + 1, rows=bottom - number + 1))
            if bottom > number:
                above |= dict.fromkeys(range(column, covered + 1), bottom)
        yield cells


def _text(blocks: Sequence[Block]) -> str:
    """The text, or "" where there is nothing but an author and a date."""
    return joined(block for block in blocks if block.text) if any(block.text for block in blocks[1:]) else ""


def table(rows: Sequence[Sequence[str]], *, header: bool | None = None) -> Iterator[Block]:
    """A table's rows; unless it is told, its first row of several words is the header if no cell of it is a number."""
    names: Sequence[str] = ()
    things: list[Sequence[str]] = []
    waiting = header is not False
    for number, row in enumerate(rows):
        filled = [cell for cell in row if cell]
        if waiting and not isinstance(row, Banner) and (header or len(filled) > 1):
            waiting = False
            if header or (number + 1 < len(rows) and not any(map(_is_number, filled))):
                names = row
                things = [Banner(" ".join(filter(None, one))) for one in things]  # the title stands above the header
                continue
        things.append(row)
    yield from table_blocks(names, things)


def spanned_table(rows: Iterable[Sequence[Cell]], *, header: bool | None = None) -> Iterator[Block]:
    """A table, as `table` gives it, whose cells may cover several rows and columns."""
    yield from table(row_texts(laid_out(rows)), header=header)


def _is_number(text: str) -> bool:
    return text.strip("%€$£-+").replace(",", "").replace(".", "").isdigit()


def _cell_text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    code = str(getattr(cell, "number_format", "") or "")
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return shown_time(value, code)
    if isinstance(value, (int, float)):
        return shown_number(value, code)
    return one_line(str(value))


def read_pptx(data: bytes) -> Content:
    """Each slide a heading with its title, then its text, tables and notes. Raises Unreadable for what is none."""
    import pptx

    with opened_zip(data, "PowerPoint file", ".pptx") as archive:
        refuse_entities(archive)
        title, author, date = core_properties(archive)
        slides = list(pptx.Presentation(BytesIO(data)).slides)
        blocks = [Block(origin_lines(author, date))]
        for number, slide in enumerate(slides, 1):
            blocks += _slide(slide, number)
        first = next((one_line(slide.shapes.title.text) for slide in slides if slide.shapes.title is not None), "")
        return Content(sensible_title(title) or first, _text(blocks))


def _slide(slide: Any, number: int) -> Iterator[Block]:
    title = slide.shapes.title
    name = one_line(title.text) if title is not None else ""
    blocks = [block for shape in slide.shapes if title is None or shape.shape_id != title.shape_id
              for block in _shape(shape, 0)]  # fmt: skip
    notes = clean(slide.notes_slide.notes_text_frame.text).strip() if _has_notes(slide) else ""
    if name or blocks or notes:
        yield heading(2, name or f"Slide {number}")
        yield from blocks
    if notes:
        yield Block(f"Notes: {notes}")


def _has_notes(slide: Any) -> bool:
    return bool(slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None)


def _shape(shape: Any, level: int) -> Iterator[Block]:
    if level > _MAX_GROUPS:
        raise Unreadable("has groups of shapes in too many levels")
    if hasattr(shape, "shapes"):
        for inner in shape.shapes:
            yield from _shape(inner, level + 1)
    elif getattr(shape, "has_table", False):
        rows = [
            [Cell(one_line(cell.text), columns=cell.span_width, rows=cell.span_height)
             for cell in row.cells if not cell.is_spanned]
            for row in shape.table.rows
        ]  # fmt: skip
        yield from spanned_table(rows, header=bool(shape.table.first_row) and len(rows) > 1)
    elif getattr(shape, "has_text_frame", False):
        paragraphs = [paragraph for paragraph in shape.text_frame.paragraphs if paragraph.text.strip()]
        listed = shape.is_placeholder and len(paragraphs) > 1  # a body's paragraphs are its points
        for paragraph in paragraphs:
            text = one_line(paragraph.text)
            yield Block(f"{'  ' * paragraph.level}- {text}", "item") if listed else Block(text)
