"""Records as people keep them in plain text."""

from __future__ import annotations

from pathlib import Path

import pytest
from linear import is_linear

from kb.build import build
from kb.documents.record_blocks import with_records
from kb.documents.structure import structured_lines
from kb.documents.text_files import read_text
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase

FIRMS = """CONTRACTORS   (Paul, April 2024)

Firm: Calder Heating
For: boiler, plumbing
Phone: 01632 960711
VAT number: GB 733 5120 84

Firm: Pike Roofing
For: roof, gutters
Phone: 01632 960759
"""
SUPPLIERS = """SUPPLIERS - Hollin Bank

== Glass ==
Name: Severnside Glass
Phone: 01452 555 902
Account no: SG-20741

== Corks ==
Name: Lusocork UK
Account no: LC/0883
Terms: 60 days
"""
NUMBERS = """NUMBERS AND ACCOUNTS

Year end: 31 May

VET
Practice: Wash View
Tel: 01205 555 310

INSURER (dogs in foster too)
Company: Petlake Mutual
Policy no: PM-448-0172
Excess: £250
"""


def stated(text: str) -> dict[tuple[str, str], str]:
    """What lines say of which subject."""
    content = read_text(text.encode())
    lines = structured_lines(content.title, content.text)
    return {
        (line.subject, value.relation): content.text[value.start : value.end] for line in lines for value in line.values
    }


def test_a_block_is_called_by_the_value_of_the_key_that_begins_each() -> None:
    told = stated(FIRMS)
    assert told["Calder Heating", "VAT number"] == "GB 733 5120 84"
    assert told["Pike Roofing", "Phone"] == "01632 960759"
    assert ("Pike Roofing", "VAT number") not in told


def test_a_line_between_signs_is_a_heading_and_the_record_below_it_has_its_own() -> None:
    assert read_text(SUPPLIERS.encode()).text.count("\n## ") == 2
    assert "## Corks\n\n### Lusocork UK\n\nName: Lusocork UK" in read_text(SUPPLIERS.encode()).text
    assert stated(SUPPLIERS)["Lusocork UK", "Account no"] == "LC/0883"


def test_lines_in_capitals_are_headings_where_there_are_several() -> None:
    content = read_text(NUMBERS.encode())
    assert content.title == "NUMBERS AND ACCOUNTS"
    assert "\n## INSURER (dogs in foster too)\n\nCompany: Petlake Mutual" in content.text
    assert stated(NUMBERS)["INSURER (dogs in foster too)", "Excess"] == "£250"
    assert "## " not in with_records("NOTES\n\nIt rained.\n\nVET\nTel: 01205 555 310")  # one alone may be a shout


def test_a_line_right_above_a_block_is_its_heading() -> None:
    told = stated(
        "PRODUCERS\n\nPEG LANE EGGS\nContact: Moira Fitch\nPhone: 01632\nPay: cash\n\n"
        "COLDWELL DAIRY - cheese, milk\nContact: Anneliese\nPhone: 01633\nVAT no: GB 207\n\n"
        "Others, less often\nContact: nobody\nPhone: none\nPay: never"
    )
    assert told["COLDWELL DAIRY - cheese, milk", "VAT no"] == "GB 207"
    assert ("PEG LANE EGGS", "VAT no") not in told
    assert told["Others, less often", "Pay"] == "never"


def test_what_is_no_record_stays_as_it_is() -> None:
    for text in (
        "",
        "One line.",
        "Ann: Are you there?\n\nBob: Yes.\n\nAnn: Good.\n\nBob: What now?",
        # no name: the same each time, or a sentence
        "Status: open\nBy: Ann\nOn: Monday\n\nStatus: open\nBy: Bob\nOn: Friday",
        "Note: It rained. We left.\nBy: Ann\nOn: Monday\n\nNote: It shone. We stayed.\nBy: Bob\nOn: Friday",
        # lists of one kind of thing, and blocks too short or mixed to be records
        "Tag: red\nTag: blue\nTag: green\n\nTag: old\nTag: new\nTag: used",
        "Name: Ann\nAge: 4\n\nName: Bob\nAge: 5",
        "Name: Ann\nAge: 4\nwho likes tea\n\nName: Bob\nAge: 5\nwho does not",
        "NO!\n\nNEVER AGAIN, I SAY.\n\nSTOP;",
        "** not closed\n\n= a = b",
    ):
        assert with_records(text) == text


def test_a_knowledge_base_tells_what_stands_in_the_record_that_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "firms.txt").write_text(FIRMS)
    build([str(tmp_path / "firms.txt")], tmp_path / "firms.clew")
    with KnowledgeBase.open(tmp_path / "firms.clew") as kb:
        facts = {(one.head, one.relation, one.tail) for one in listing.some_facts(kb, 100)}
    assert ("Calder Heating", "VAT number", "GB 733 5120 84") in facts
    assert ("Pike Roofing", "Phone", "01632 960759") in facts


@pytest.mark.parametrize(
    ("unit", "end"), [("Name: A\nB: c\nD: e\n\n", ""), ("= ", ""), ("A", ""), ("A ", "\n\nVET\n\nCAT")]
)
def test_records_are_looked_for_in_linear_time(unit: str, end: str) -> None:
    assert is_linear(lambda letters: with_records(unit * (letters // len(unit)) + end), 400_000)
