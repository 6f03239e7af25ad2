"""Cells that span rows and columns: in every format a value stands below its own header, in each row that it covers."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from linear import is_linear
from test_formats import odt, read

from kb.documents.office import spanned
from kb.documents.spanned_cells import MAX_COVERED, Cell, laid_out

Spans = list[tuple[int, int, int, int]]

PRICES = [
    ["Region", "City", "Price", "", "Stock"],
    ["", "", "Net", "Gross", ""],
    ["North", "Oslo", "10", "12", "4"],
    ["", "Bergen", "11", "13", "5"],
    ["South", "", "9", "", "6"],
]
SPANS: Spans = [(0, 0, 1, 0), (0, 1, 1, 1), (0, 2, 0, 3), (0, 4, 1, 4), (2, 0, 3, 0), (4, 0, 4, 1), (4, 2, 4, 3)]
"""First row and column, last row and column."""

LINES = [
    "Region: North; City: Oslo; Price Net: 10; Price Gross: 12; Stock: 4",
    "Region: North; City: Bergen; Price Net: 11; Price Gross: 13; Stock: 5",
    "Region: South; Price Net: 9; Price Gross: 9; Stock: 6",
]


def _cells(tag: Callable[[int, int, str, int, int], str], row: str) -> str:
    """The table in markup, without the places that a cell of another place covers."""
    covered = {
        (down, along)
        for top, left, bottom, right in SPANS
        for down in range(top, bottom + 1)
        for along in range(left, right + 1)
        if (down, along) != (top, left)
    }
    ends = {(top, left): (bottom - top + 1, right - left + 1) for top, left, bottom, right in SPANS}
    rows = (
        "".join(
            tag(down, along, text, *ends.get((down, along), (1, 1)))
            for along, text in enumerate(cells)
            if (down, along) not in covered
        )
        for down, cells in enumerate(PRICES)
    )
    return "".join(f"<{row}>{cells}</{row}>" for cells in rows)


def in_html() -> bytes:
    def tag(down: int, _: int, text: str, rows: int, columns: int) -> str:
        name = "th" if down < 2 else "td"
        return f'<{name} rowspan="{rows}" colspan={columns}>{text}</{name}>'

    return f"<table>{_cells(tag, 'tr')}</table>".encode()


def in_odt() -> bytes:
    def tag(_: int, __: int, text: str, rows: int, columns: int) -> str:
        spans = f'b:number-rows-spanned="{rows}" b:number-columns-spanned="{columns}"'
        return f"<b:table-cell {spans}><t:p>{text}</t:p></b:table-cell>"

    return odt(f"<b:table>{_cells(tag, 'b:table-row')}</b:table>")


def in_docx() -> bytes:
    import docx

    document = docx.Document()
    table = document.add_table(len(PRICES), 5)
    for down, cells in enumerate(PRICES):
        for along, text in enumerate(cells):
            table.cell(down, along).text = text
    for top, left, bottom, right in SPANS:
        table.cell(top, left).merge(table.cell(bottom, right))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def in_xlsx() -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Prices of the spring"])
    sheet.append([])
    for cells in PRICES:
        sheet.append([int(cell) if cell.isdecimal() else cell or None for cell in cells])
    for top, left, bottom, right in SPANS:
        sheet.merge_cells(start_row=top + 3, start_column=left + 1, end_row=bottom + 3, end_column=right + 1)
    sheet.merge_cells("A1:E1")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def in_pptx() -> bytes:
    import pptx

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(len(PRICES), 5, 0, 0, 100, 100).table
    for down, cells in enumerate(PRICES):
        for along, text in enumerate(cells):
            table.cell(down, along).text = text
    for top, left, bottom, right in SPANS:
        table.cell(top, left).merge(table.cell(bottom, right))
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


RST = b"""
+--------+--------+-------------+-------+
| Region | City   | Price       | Stock |
|        |        +-----+-------+       |
|        |        | Net | Gross |       |
+========+========+=====+=======+=======+
| North  | Oslo   | 10  | 12    | 4     |
|        +--------+-----+-------+-------+
|        | Bergen | 11  | 13    | 5     |
+--------+--------+-----+-------+-------+
| South           | 9           | 6     |
+-----------------+-------------+-------+
"""


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        (".html", in_html()), (".odt", in_odt()), (".docx", in_docx()), (".xlsx", in_xlsx()), (".pptx", in_pptx()),
        (".rst", RST),
    ],
)  # fmt: skip
def test_values_stay_below_their_headers_in_every_format(suffix: str, data: bytes) -> None:
    assert read(suffix, data).text.split("\n")[-3:] == LINES


def test_a_title_above_a_sheet_is_no_row() -> None:
    assert read(".xlsx", in_xlsx()).text.split("\n")[2] == "Prices of the spring"


def test_a_cell_across_a_table_is_a_title_of_the_rows_below_and_names_nothing() -> None:
    page = """<table><tr><th colspan=2>Ana Souza</th></tr><tr><th>Born</th><td>1970</td></tr>
        <tr><th colspan=2>Career</th></tr><tr><th>Office</th><td>Mayor</td></tr></table>"""
    assert read(".html", page).text.split("\n\n") == ["Ana Souza", "Born: 1970", "Career", "Office: Mayor"]


def test_a_cell_over_several_columns_holds_for_each_but_a_label_in_front() -> None:
    page = """<table><tr><th>Hour<th>Mon<th>Tue<th>Cost</tr><tr><td>12:00<td colspan=2>Lunch<td>8</tr>
        <tr><td colspan=3>Total<td>8</tr></table>"""
    assert read(".html", page).text.split("\n") == [
        "Hour: 12:00; Mon: Lunch; Tue: Lunch; Cost: 8",
        "Hour: Total; Cost: 8",
    ]


def test_two_columns_below_one_name_are_no_second_header() -> None:
    page = "<table><tr><th>Who<th colspan=2>Address</tr><tr><td>Ana<td>Mill Lane<td>Oslo</tr></table>"
    assert read(".html", page).text == "Who: Ana; Address: Mill Lane; Address: Oslo"


@pytest.mark.parametrize(
    ("cell", "width", "row", "size"),
    [
        ('<td rowspan="999999" colspan="999999">' + "x" * 1000, 1, "<tr><td>y</td></tr>", 1_000),
        ('<td rowspan="65534">x', 2_000, "<tr>", 20_000),
        ("<td>x", 0, "<tr><td colspan=9>y</tr>", 2_000),  # as wide as it is long
    ],
)
def test_spans_of_millions_of_cells_use_up_neither_memory_nor_time(cell: str, width: int, row: str, size: int) -> None:
    def read_spans(count: int) -> None:
        rows = f"<tr>{cell * (width or count)}</tr>{row * count}"
        assert len(read(".html", f"<table>{rows}</table>").text) < 3_000_000

    assert is_linear(read_spans, size)


def test_a_cell_far_to_the_right_reaches_down_as_far_as_the_places_in_front_of_it_are_counted() -> None:
    width, count = 1_000, 5_000
    first = [*(Cell("x") for _ in range(width)), Cell("last", rows=65_534)]
    grid = laid_out([first, *([Cell("y")] for _ in range(count))])
    reached = sum(row[-1] is first[-1] for row in grid)
    assert MAX_COVERED // width <= reached < count
    assert len(grid) == 1 + count
    assert sum(map(len, grid)) <= len(first) + count + MAX_COVERED


def test_columns_that_are_merged_downwards_are_looked_at_no_more_often_than_there_are_cells() -> None:
    class LastRow(int):
        asked = 0

        def __ge__(self, row: int) -> bool:
            LastRow.asked += 1
            return int(self) >= row

    width, count = 500, 400
    merged = [(0, column, LastRow(count), column) for column in range(width)]
    rows = list(spanned([["x"] * width, *([""] for _ in range(count)), ["y"]], merged))
    assert list(map(len, rows)) == [width, *([0] * count), 1]
    assert LastRow.asked <= width + count + 1
