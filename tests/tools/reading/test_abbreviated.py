"""Short names of fields, read in full where a question says them so."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tools.reading.abbreviated import reading_in_full, spelt_for
from tools.reading.reader import load_reader
from tools.reading.spans import Reading, Span

ROW = "Name: Ana Souza; Ext.: 141; Max. qty: 12"


@pytest.mark.parametrize(
    ("question", "text", "spelt"),
    [
        ("What is Ana's extension?", ROW, "Name: Ana Souza; extension: 141; Max. qty: 12"),
        ("What is the maximum quantity?", ROW, "Name: Ana Souza; Ext.: 141; maximum quantity: 12"),
        ("Ana's date of birth?", "- DOB: 3 May 1981", "- date of birth: 3 May 1981"),
        ("When is the date?", "DOB: 3 May 1981", "DOB: 3 May 1981"),
        ("Ana's room?", ROW, ROW),
        ("", ROW, ROW),
        ("What is Ana's extension?", "", ""),
        # Only what stands before a colon is the name of a field.
        ("What is the extension?", "We built an ext. in May; ring ext 12.", "We built an ext. in May; ring ext 12."),
        ("What is the number?", "Paid: no; No: 7", "Paid: no; number: 7"),
    ],
)
def test_a_field_is_spelt_as_it_is_asked_for(question: str, text: str, spelt: str) -> None:
    assert spelt_for(question, text).text == spelt


def test_places_lead_back_to_the_text() -> None:
    """By hand: "Ext." at 17 to 21 is "extension", 5 letters more; "qty" behind "141; Max. " is 5 more again."""
    spelt = spelt_for("extension and quantity?", ROW)
    for word in ("Ana Souza", "141", "Max.", "12"):
        at = spelt.text.index(word)
        assert (spelt.place(at), spelt.place(at + len(word))) == (ROW.index(word), ROW.index(word) + len(word))
    at = spelt.text.index("extension")
    assert (spelt.place(at), spelt.place(at + len("extension"))) == (17, 21)
    assert 17 <= spelt.place(at + 6) <= 21
    assert spelt.place(len(spelt.text)) == len(ROW)


def test_what_is_read_stands_in_the_text() -> None:
    seen: list[str] = []

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        seen.extend(text for _, _, text in pairs)
        return [Reading((Span(at := text.index("141"), at + 3, 0.9),), 0.8) for _, _, text in pairs]

    (told,) = reading_in_full(read, [("What is Ana's extension?", "Staff", ROW)])
    assert seen == ["Name: Ana Souza; extension: 141; Max. qty: 12"]
    assert [ROW[span.start : span.end] for span in told.spans] == ["141"]
    assert told.answered == 0.8
    assert reading_in_full(read, []) == []


def test_the_reader_reads_it() -> None:
    read = load_reader().read
    pairs = [("What is the extension of Ana Souza?", "Staff", "Name: Ana Souza; Room: G12; Ext.: 141")]
    (short,), (told,) = read(pairs), reading_in_full(read, pairs)
    assert pairs[0][2][told.spans[0].start : told.spans[0].end] == "141"
    assert told.answered > 0.9 > short.answered
