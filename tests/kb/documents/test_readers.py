from __future__ import annotations

import logging
import zipfile
from collections.abc import Callable
from datetime import datetime
from io import BytesIO

import pytest
from documents import docx, pdf
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.documents import unpacking
from kb.documents.formats import READERS, read_docx, read_pdf
from kb.documents.plaintext import Content, Unreadable
from kb.documents.unpacking import megabytes

REPORT = [
    ["Rivers of Africa", "The Nile is a river of Africa and it is long enough to be wrap-", "ped. It flows north."],
    [],
    ["It ends in a delta, of which many people say that it is a very", "fertile", "Its mouth", "is wide"],
]


def test_pdf_text_is_unwrapped_and_pages_are_known() -> None:
    content = read_pdf(pdf(REPORT, title="Rivers of Africa"))
    assert content.title == "Rivers of Africa"
    first = "The Nile is a river of Africa and it is long enough to be wrapped. It flows north."
    second = "It ends in a delta, of which many people say that it is a very fertile\n\nIts mouth is wide"
    assert content.text == f"{first}\n\n{second}"
    # Page 2 is empty and takes no room.
    assert content.pages == (0, len(first), len(first) + 2)


def test_pdf_sentence_runs_over_the_page() -> None:
    content = read_pdf(pdf([["It flows through many"], ["lands."]]))
    assert content.text == "It flows through many\nlands."
    assert content.pages == (0, 22)


def test_pdf_page_numbers_are_dropped() -> None:
    content = read_pdf(pdf([["1", "Text of one."], ["- 2 -", "Text of 1990", "1990"], ["Last.", "Page 3 of 3"], ["4"]]))
    assert content.text == "Text of one.\n\nText of 1990 1990\nLast."
    assert content.pages == (0, 14, 32, 37)


@pytest.mark.parametrize(
    ("given_title", "title"),
    [
        ("My  Report", "My Report"),
        ("", ""),
        ("untitled", ""),
        ("Microsoft Word - thesis.doc", ""),
        ("thesis_final.tex", ""),
        ("Document1", ""),
        ("2019-04", ""),
    ],
)
def test_pdf_title_only_if_somebody_wrote_it(given_title: str, title: str) -> None:
    assert read_pdf(pdf([["Text."]], title=given_title)).title == title


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pdf([["Secret."]], password="x"), "protected by a password: save a copy without one"),
        (pdf([[], []]), "has no text, as scanned pages do"),
        (pdf([["Text."]])[:300], "is damaged or no PDF"),
        (b"%PDF-1.7 and nothing else", "is damaged or no PDF"),
        (b"no PDF at all", "is damaged or no PDF"),
    ],
    ids=["password", "scanned", "truncated", "header", "text"],
)
def test_pdf_that_cannot_be_read(data: bytes, reason: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Unreadable, match=reason) as error:
        read_pdf(data)
    assert "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")


def test_pdf_without_user_password_is_read() -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf([["Open to all."]]))))
    writer.encrypt("", owner_password="owner", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    assert read_pdf(out.getvalue()).text == "Open to all."


def test_faulty_but_readable_pdf_is_read_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    data = pdf([["Text."]]).replace(b"startxref\n", b"startxref\n9")
    with caplog.at_level(logging.WARNING):
        assert read_pdf(data).text == "Text."
    assert caplog.records == []


def test_docx_paragraphs_lists_and_tables() -> None:
    data = docx(
        [
            ("Heading 1", "Rivers"),
            ("Normal", "The Nile\tis long."),
            ("Normal", "  "),
            ("List Bullet", "one"),
            ("List Number", "two"),
            [["River", "Length"], ["Nile", "6,650 km"], ["", ""]],
            ("Normal", "The end."),
        ]
    )
    content = read_docx(data)
    assert content.title == "Rivers"
    assert content.text.split("\n") == [
        "# Rivers", "", "The Nile\tis long.", "", "- one", "- two", "",
        "River: Length", "Nile: 6,650 km", "", "The end.",
    ]  # fmt: skip


def test_docx_title_of_its_properties_goes_first() -> None:
    assert read_docx(docx([("Heading 1", "Rivers"), ("Normal", "x")], title="All Rivers")).title == "All Rivers"
    assert read_docx(docx([("Heading 1", "Rivers"), ("Normal", "x")], title="Word Document")).title == "Rivers"
    assert read_docx(docx([("Normal", "x")])).title == ""


def test_who_wrote_it_when_stands_at_the_top() -> None:
    parts = [("Heading 1", "Rivers"), ("Normal", "The Nile is long.")]
    origin = "Author: Ana Souza\nDate: 2025-04-03"
    assert read_docx(docx(parts, author="Ana Souza")).text == f"{origin}\n\n# Rivers\n\nThe Nile is long."
    assert read_docx(docx(parts, author="python-docx")).text == "# Rivers\n\nThe Nile is long."
    assert read_docx(docx([], author="Ana Souza")).text == ""
    about = "/Author (Ana Souza) /ModDate (D:20250403120000Z)"
    content = read_pdf(pdf([[], ["One."], ["Two."]], about=about))
    assert content.text == f"{origin}\n\nOne.\n\nTwo."
    assert content.pages == (0, 0, len(content.text) - 4)
    assert read_pdf(pdf([["One."]], about="/Author (Ana Souza) /ModDate (soon)")).text == "Author: Ana Souza\n\nOne."
    assert read_pdf(pdf([["One."]], about="/ModDate (D:20250403120000Z)")).text == "One.", "a day of some printing"


def rezipped(data: bytes, document: bytes) -> bytes:
    """A .docx with another main part."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, document if name == "word/document.xml" else old.read(name))
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
            "of an old format or has a password: save it as .docx without one",
        ),
        (b"plain text", "damaged or no Word document"),
        (docx([("Normal", "x")])[:2000], "damaged or no Word document"),
        (rezipped(docx([("Normal", "x")]), document=b"<w:document><unclosed>"), "damaged or no Word document"),
        (rezipped(docx([("Normal", "x")]), document=b""), "damaged or no Word document"),
    ],
    ids=["ole", "text", "truncated", "xml", "empty xml"],
)
def test_docx_that_cannot_be_read(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason) as error:
        read_docx(data)
    assert "\n" not in str(error.value)


def test_docx_bomb_is_refused_unopened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_UNPACKED", 1_000_000)
    bomb = rezipped(docx([("Normal", "x")]), document=bytes(2_000_000))
    assert len(bomb) < 100_000
    with pytest.raises(Unreadable, match=r"would unpack to 2\.\d MB, over the limit of 1 MB"):
        read_docx(bomb)


def test_docx_with_entities_is_refused() -> None:
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = (
        f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY l0 "lol">{lol}<!ENTITY f SYSTEM "file:///etc/passwd">]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        "<w:p><w:r><w:t>seen &l9; &f;</w:t></w:r></w:p></w:body></w:document>"
    )
    with pytest.raises(Unreadable, match="declares entities"):
        read_docx(rezipped(docx([("Normal", "x")]), document=body.encode()))


PDF = pdf(REPORT, title="A title")
DOCX = docx([("Heading 1", "Rivers"), ("Normal", "The Nile is long."), [["a", "b"]]])
EDITS = st.lists(st.tuples(st.integers(0, 40_000), st.integers(0, 40), st.binary(max_size=6)), min_size=1, max_size=8)


@settings(max_examples=150)
@given(EDITS, st.sampled_from([(read_pdf, PDF), (read_docx, DOCX)]))
def test_damage_anywhere_is_unreadable_at_worst(
    edits: list[tuple[int, int, bytes]], reader_and_file: tuple[Callable[[bytes], Content], bytes]
) -> None:
    reader, data = reader_and_file
    for position, removed, inserted in edits:
        at = position % (len(data) + 1)
        data = data[:at] + inserted + data[at + removed :]
    try:
        content = reader(data)
    except Unreadable:
        return
    assert list(content.pages) == sorted(content.pages)


def test_megabytes() -> None:
    assert [megabytes(size) for size in (50_000_000, 104_857_600, 1)] == ["50 MB", "104.9 MB", "0 MB"]


def test_who_wrote_a_word_file_and_a_pdf_stands_at_the_top() -> None:
    import docx as python_docx
    from pypdf import PdfReader, PdfWriter

    document = python_docx.Document(BytesIO(docx([("Normal", "The oven is cold.")])))
    document.core_properties.author = "Ana Souza"
    document.core_properties.modified = datetime(2025, 4, 3, 14, 5)
    out = BytesIO()
    document.save(out)
    assert READERS[".docx"][1](out.getvalue()).text == "Author: Ana Souza\nDate: 2025-04-03\n\nThe oven is cold."

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf([["The oven is cold."], ["So is the loft."]]))))
    writer.add_metadata({"/Author": "Ana Souza", "/CreationDate": "D:20250403140500"})
    out = BytesIO()
    writer.write(out)
    content = READERS[".pdf"][1](out.getvalue())
    assert content.text == "Author: Ana Souza\nDate: 2025-04-03\n\nThe oven is cold.\n\nSo is the loft."
    assert content.text[content.pages[1] :] == "So is the loft."

    writer.add_metadata({"/CreationDate": "some day"})
    out = BytesIO()
    writer.write(out)
    assert READERS[".pdf"][1](out.getvalue()).text.startswith("Author: Ana Souza\n\nThe oven")
