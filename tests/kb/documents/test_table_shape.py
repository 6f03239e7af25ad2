"""Whichever way a table lies, and in whatever format, it gives the same facts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from documents import docx
from test_formats import odt, workbook

from kb.documents.passages import sentences
from kb.documents.sources import read_sources
from kb.documents.structure import structured_lines
from kb.documents.table_shape import is_property, is_transposed, key_values, table_blocks
from kb.documents.web_pages import read_html
from kb.graph.extraction import find_facts, find_mentions
from kb.records import Document

Fact = tuple[str, str, str]
Rows = list[list[str]]

UPRIGHT: Rows = [
    ["Service", "Owner", "Language", "Since"],
    ["Ledger", "Ana Souza", "Kotlin", "2019"],
    ["Harbour", "Tom Hill", "Go", "2021"],
]
LYING: Rows = [list(row) for row in zip(*UPRIGHT, strict=True)]
FACTS = {(row[0], name, cell) for row in UPRIGHT[1:] for name, cell in zip(UPRIGHT[0][1:], row[1:], strict=True)}

PAIRS: Rows = [["Owner", "Ana Souza"], ["Language", "Kotlin"], ["Start date", "3 May 2019"]]
NAMED_PAIRS: Rows = [["Field", "Value"], *PAIRS]
PAIR_FACTS = {("Ledger", key, value) for key, value in PAIRS}


def markdown(rows: Rows, *, empty_header: bool = False) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    columns = len(rows[0])
    return "\n".join([*([f"{'| ' * columns}|"] if empty_header else lines[:1]), f"{'|---' * columns}|",
                      *(lines if empty_header else lines[1:])])  # fmt: skip


def html(rows: Rows, header: str = "th", first: str = "td") -> str:
    def row(cells: list[str], name: str, others: str) -> str:
        tags = [name, *[others] * (len(cells) - 1)]
        return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for tag, cell in zip(tags, cells, strict=True)) + "</tr>"

    return f"<table>{row(rows[0], header, header)}{''.join(row(cells, first, 'td') for cells in rows[1:])}</table>"


def csv(rows: Rows) -> str:
    return "\n".join(",".join(row) for row in rows)


def org(rows: Rows) -> str:
    first, *others = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([first, "|---|", *others])


def in_odt(rows: Rows) -> bytes:
    cells = ("".join(f"<b:table-cell><t:p>{cell}</t:p></b:table-cell>" for cell in row) for row in rows)
    first, *others = (f"<b:table-row>{row}</b:table-row>" for row in cells)
    return odt(f"<b:table><b:table-header-rows>{first}</b:table-header-rows>{''.join(others)}</b:table>")


def facts_in(folder: Path, name: str, data: str | bytes) -> set[Fact]:
    """The facts of a file that is read from a folder, as a build extracts them."""
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    found: set[Fact] = set()
    for one in read_sources([str(folder)]):
        assert isinstance(one, Document), one
        spans = sentences(one.text)
        lines = structured_lines(one.title, one.text)
        facts = find_facts(one.title, one.text, spans, find_mentions(one.text, spans, lines), lines)
        found |= {(fact.head, fact.relation, fact.tail) for fact in facts}
    return found


@pytest.mark.parametrize("rows", [UPRIGHT, LYING], ids=["upright", "lying"])
@pytest.mark.parametrize("suffix", [".md", ".html", ".csv", ".tsv", ".xlsx", ".docx", ".odt", ".org"])
def test_a_table_lies_as_it_likes(tmp_path: Path, suffix: str, rows: Rows) -> None:
    written: dict[str, str | bytes] = {
        ".md": markdown(rows), ".html": html(rows), ".csv": csv(rows), ".tsv": csv(rows).replace(",", "\t"),
        ".xlsx": workbook({"Sheet": [list(row) for row in rows]}), ".docx": docx([rows]), ".odt": in_odt(rows),
        ".org": org(rows),
    }  # fmt: skip
    assert facts_in(tmp_path, f"table{suffix}", written[suffix]) >= FACTS


ROTA: Rows = [["Week", "Engineer", "Backup"], ["18", "Karl Lindqvist", "Mia Wong"], ["19", "Mia Wong", "Tom Hill"]]
COUNTED: Rows = [["No", "Machine", "Bought"], ["1", "Flour sifter", "2012"], ["2", "Oven", "2015"]]
CODED: Rows = [["Code", "Name", "Unit"], ["M9", "Magnesium", "mg"], ["K2", "Potassium", "mg"]]


@pytest.mark.parametrize("suffix", [".md", ".html", ".csv", ".tsv", ".xlsx", ".docx", ".org", ".json", ".txt"])
@pytest.mark.parametrize(("rows", "about"), [(ROTA, 0), (COUNTED, 1), (CODED, 1)], ids=["a key", "a count", "a name"])
def test_what_a_row_is_about_is_the_same_in_every_format(tmp_path: Path, suffix: str, rows: Rows, about: int) -> None:
    written: dict[str, str | bytes] = {
        ".md": markdown(rows), ".html": html(rows), ".csv": csv(rows), ".tsv": csv(rows).replace(",", "\t"),
        ".xlsx": workbook({"Sheet": [list(row) for row in rows]}), ".docx": docx([rows]), ".org": org(rows),
        ".json": json.dumps([dict(zip(rows[0], row, strict=True)) for row in rows[1:]]),
        ".txt": markdown(rows).replace("---|---", "---+---"),
    }  # fmt: skip
    if suffix in (".csv", ".tsv") and rows is ROTA:
        about = 1  # a row is a document of its own, about what names it
    expected = {
        (row[about], name, cell)
        for row in rows[1:]
        for at, (name, cell) in enumerate(zip(rows[0], row, strict=True))
        if at != about
    }
    assert facts_in(tmp_path, f"table{suffix}", written[suffix]) >= expected
    assert not {fact for fact in facts_in(tmp_path, f"table{suffix}", written[suffix]) if fact[1] == rows[0][about]}


def test_a_web_page_that_marks_the_keys_of_a_lying_table(tmp_path: Path) -> None:
    rows = [["Boat", "Fulmar", "Petrel"], ["Keel", "oak", "elm"], ["Mast", "pine", "ash"]]
    found = facts_in(
        tmp_path, "boats.html", html(rows, header="td", first="th").replace("<td>Boat</td>", "<th>Boat</th>")
    )
    assert ("Fulmar", "Keel", "oak") in found
    assert ("Petrel", "Mast", "ash") in found


@pytest.mark.parametrize(
    ("rows", "fact"),
    [
        ([["id", "city", "mayor"], ["1", "Lyon", "Ana Souza"]], ("Lyon", "Mayor", "Ana Souza")),
        ([["date", "customer", "amount"], ["2024-05-01", "Tom Hill", "15"]], ("Tom Hill", "Amount", "15")),
    ],
    ids=["an id", "a date"],
)
def test_a_row_of_a_file_is_about_what_names_its_document(tmp_path: Path, rows: Rows, fact: Fact) -> None:
    assert fact in facts_in(tmp_path, "table.csv", csv(rows))


MARKED_PAIRS = html([["", ""], *PAIRS], first="th").replace("<tr><th></th><th></th></tr>", "")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Ledger.md", markdown(PAIRS)),
        ("Ledger.md", markdown(PAIRS, empty_header=True)),
        ("Ledger.md", markdown(NAMED_PAIRS)),
        ("Ledger.html", html(PAIRS, header="td")),
        ("Ledger.html", html(NAMED_PAIRS)),
        ("Ledger.html", MARKED_PAIRS),
        ("Ledger.csv", csv(PAIRS)),
        ("Ledger.csv", csv(NAMED_PAIRS)),
        ("Ledger.xlsx", workbook({"Ledger": [list(row) for row in PAIRS]})),
        ("Ledger.xlsx", workbook({"Ledger": [list(row) for row in NAMED_PAIRS]})),
        ("Ledger.docx", docx([PAIRS])),
        ("Ledger.docx", docx([NAMED_PAIRS])),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("Ledger") else "",
)
def test_keys_and_values_speak_of_what_the_table_is_about(tmp_path: Path, name: str, data: str | bytes) -> None:
    assert facts_in(tmp_path, name, data) == PAIR_FACTS


def test_a_file_of_pairs_is_about_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "export.csv").write_text("key,value\nName,Ledger\nOwner,Ana Souza\n")
    (document,) = read_sources([str(tmp_path)])
    assert isinstance(document, Document)
    assert (document.key, document.title, document.text) == ("export.csv", "Ledger", "Name: Ledger\nOwner: Ana Souza")
    (tmp_path / "export.csv").write_text("key,value\nName,Ledger\n,Moved to Lima\n")
    (document,) = read_sources([str(tmp_path)])
    assert isinstance(document, Document)
    assert document.text == "Name: Ledger\nMoved to Lima"


def test_a_lying_table_of_a_web_page_with_lists_and_paragraphs_in_its_cells() -> None:
    rows = [list(row) for row in LYING]
    rows[1][1] = "<div><p>Ana</p> <p>Souza</p></div>"
    rows[2][1] = "<ul><li>Kotlin</li><li>Go</li></ul>"
    text = read_html(html(rows).encode()).text
    assert text == (
        "Service: Ledger; Owner: Ana Souza; Language: Kotlin, Go; Since: 2019\n"
        "Service: Harbour; Owner: Tom Hill; Language: Go; Since: 2021"
    )


def test_ordinary_tables_stay_as_they_are() -> None:
    assert not is_transposed(UPRIGHT[0], UPRIGHT[1:])
    assert not is_transposed(
        ["Field", "Type", "Description"], [["owner", "text", "who"], ["start date", "date", "when"]]
    )
    assert not is_transposed(["", "January", "February"], [["Fulmar", "12", "14"], ["Petrel", "9", "11"]])
    assert not is_transposed(["Fish", "Sunday"], [["cod", "12"]])
    assert not is_transposed([], [])
    assert key_values(["Service", "Owner"], [["Ledger", "Ana Souza"], ["Harbour", "Tom Hill"]]) is None
    assert key_values(["Name", "Details"], [["Ana Souza", "skipper"], ["Tom Hill", "cook"]]) is None
    assert key_values([], []) is None


def test_a_cell_beside_an_empty_key_is_kept() -> None:
    """As lists of frequent questions are laid out: a number and a question, and below it the answer alone."""
    page = (
        "<table><tr><td><b>1.1.</b></td><td>Where is it from?</td></tr><tr><td></td><td><p>From Lima.</p></td></tr>"
        "<tr><td>Owner</td><td>Ana</td></tr><tr><td>Fax</td><td></td></tr></table>"
    )
    assert read_html(page.encode()).text == "1.1. Where is it from?\n\nFrom Lima.\n\nOwner: Ana"
    assert key_values(["", ""], [["Street", "Mill 3"], ["", "Lima"]]) == [("Street", "Mill 3"), ("", "Lima")]


def test_rows_of_one_sort_lie_though_no_name_is_known() -> None:
    assert is_transposed(["", "Fulmar", "Petrel"], [["Keel laid", "1931", "1946"], ["Yard", "Brandt", "Moll"]])


@pytest.mark.parametrize(
    "name", ["Owner", "owners", "Start date", "Date of birth", "Reports to", "E-mail", "On call since"]
)
def test_properties(name: str) -> None:
    assert is_property(name)


@pytest.mark.parametrize("name", ["Ledger", "Ana Souza", "", "12", "A long line of words that tells of something"])
def test_what_is_no_property(name: str) -> None:
    assert not is_property(name)


def test_a_long_file_is_streamed(tmp_path: Path) -> None:
    lines = ["key,value", *(f"Owner {n},Ana" for n in range(500))]
    (tmp_path / "long.csv").write_text("\n".join(lines))
    assert len(list(read_sources([str(tmp_path)]))) == 500


def test_one_long_row_above_many_short_ones_is_not_turned_round() -> None:
    """Turned round, a thousand columns by a thousand rows would be a million places for two thousand cells."""
    rows = [["a", *["x"] * 999], *[["b"]] * 999]
    assert sum(len(block.text) for block in table_blocks((), rows, keys_first=True)) < 10 * 2_000
    small = [["Name", "Ann", "Bob"], ["Age", "7", "9"]]
    assert [block.text for block in table_blocks((), small, keys_first=True)] == [
        "Name: Ann; Age: 7",
        "Name: Bob; Age: 9",
    ]
    assert not is_transposed(["", *["x"] * 999], [["Age"]] * 999)
