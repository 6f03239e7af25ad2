"""The same structures in each format give the same text; what is hostile ends in one line."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.documents import data_files, office, unpacking
from kb.documents.formats import READERS
from kb.documents.mail import read_mbox
from kb.documents.plaintext import Content, Unreadable, clean
from kb.documents.rows import Place
from kb.documents.structure import Outline
from kb.errors import SourceError
from kb.records import Document

ROWS = "Service: Payments; Owner: Ana Souza; Language: Kotlin\nService: Search; Language: Go, Rust"


def read(suffix: str, data: str | bytes) -> Content:
    return READERS[suffix][1](data.encode() if isinstance(data, str) else data)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def workbook(sheets: Mapping[str, list[list[Any]]], author: str = "openpyxl") -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.properties.creator = author
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def slides() -> bytes:
    import pptx
    from pptx.util import Inches

    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Warehouse"
    frame = slide.placeholders[1].text_frame
    frame.text = "one"
    inner = frame.add_paragraph()
    inner.text, inner.level = "two", 1
    shown = slide.shapes.add_table(3, 3, Inches(1), Inches(1), Inches(4), Inches(1)).table
    cells = [["Service", "Owner", "Language"], ["Payments", "Ana Souza", "Kotlin"], ["Search", "", "Go; Rust"]]
    for row, texts in zip(shown.rows, cells, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    slide.notes_slide.notes_text_frame.text = "Say this slowly."
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()


_ODF = (
    'xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:b="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def odt(body: str) -> bytes:
    meta = f'<o:document-meta {_ODF} xmlns:dc="http://purl.org/dc/elements/1.1/"><o:meta>'
    meta += "<dc:creator>Ana Souza</dc:creator><dc:date>2025-04-03T10:00:00</dc:date></o:meta></o:document-meta>"
    content = f"<o:document-content {_ODF}><o:body><o:text>{body}</o:text></o:body></o:document-content>"
    return zipped({"content.xml": content, "meta.xml": meta})


def epub(chapters: Mapping[str, str], encryption: str = "", title: str = "A Book") -> bytes:
    items = "".join(f'<item id="i{number}" href="{name}"/>' for number, name in enumerate(chapters))
    refs = "".join(f'<itemref idref="i{number}"/>' for number in range(len(chapters)))
    package = (
        '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>{title}</dc:title>"
        f"<dc:creator>Ana Souza</dc:creator></metadata><manifest>{items}</manifest><spine>{refs}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>'
    parts = {"META-INF/container.xml": container, "OEBPS/b.opf": package}
    parts |= {f"OEBPS/{name}": markup for name, markup in chapters.items()}
    return zipped(parts | ({"META-INF/encryption.xml": encryption} if encryption else {}))


RECORDS = [
    {"service": "Payments", "owner": "Ana Souza", "language": "Kotlin"},
    {"service": "Search", "owner": None, "language": "Go; Rust"},
]
SHEET = [["Service", "Owner", "Language"], ["Payments", "Ana Souza", "Kotlin"], ["Search", None, "Go; Rust"]]
ODT_TABLE = "".join(
    "<b:table-row>"
    + "".join(f"<b:table-cell><t:p>{cell or ''}</t:p></b:table-cell>" for cell in row)
    + "</b:table-row>"
    for row in SHEET
)
RST_TABLE = """\
========  =========  ========
Service   Owner      Language
========  =========  ========
Payments  Ana Souza  Kotlin
Search    \\          Go; Rust
========  =========  ========
"""
ORG_TABLE = (
    "| Service | Owner | Language |\n|---+---+---|\n| Payments | Ana Souza | Kotlin |\n| Search | | Go; Rust |\n"
)


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        (".json", json.dumps(RECORDS)),
        (".yaml", json.dumps(RECORDS)),
        (".xml", "<all>" + "".join(
            "<one>" + "".join(f"<{key}>{value}</{key}>" for key, value in row.items() if value) + "</one>"
            for row in RECORDS) + "</all>"),
        (".xlsx", workbook({"S": SHEET})),
        (".pptx", slides()),
        (".odt", odt(f"<b:table>{ODT_TABLE}</b:table>")),
        (".rst", RST_TABLE),
        (".org", ORG_TABLE),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith(".") else "",
)  # fmt: skip
def test_each_row_of_a_table_repeats_its_header(suffix: str, data: str | bytes) -> None:
    assert ROWS in read(suffix, data).text


NESTED_LIST = "- one\n  - two"


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        (".pptx", slides()),
        (".odt", odt(
            "<t:h t:outline-level='2'>Warehouse</t:h><t:list><t:list-item><t:p>one</t:p><t:list><t:list-item>"
            "<t:p>two</t:p></t:list-item></t:list></t:list-item></t:list>")),
        (".rst", "Top\n===\n\nWarehouse\n---------\n\n- one\n\n  - two\n"),
        (".org", "* Top\n** Warehouse :tag:\n- one\n  - two\n"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith(".") else "",
)  # fmt: skip
def test_headings_and_lists_show_their_level(suffix: str, data: str | bytes) -> None:
    assert f"## Warehouse\n\n{NESTED_LIST}" in read(suffix, data).text


# Mail

MAIL = """\
From: Ana Souza <ana@example.org>
To: Bo <bo@example.org>
Date: Thu, 3 Apr 2025 14:05:00 +0200
Message-ID: <two@example.org>
Subject: Re: =?utf-8?q?B=C3=BCdget?=
In-Reply-To: <one@example.org>

It is 300 euros.

On Wed, Apr 2, 2025 at 1:00 PM Bo <bo@example.org>
wrote:
> How much is it?
"""


def test_mail_says_who_when_and_what_but_not_what_it_answers() -> None:
    content = read(".eml", MAIL)
    assert content.title == "Re: Büdget"
    assert content.text == (
        "From: Ana Souza <ana@example.org>\nTo: Bo <bo@example.org>\nDate: 3 April 2025, 14:05\nIn reply to: Büdget\n\n"
        "It is 300 euros."
    )
    assert content.metadata == {"message_id": "<two@example.org>", "sender": "Ana Souza"}
    (link,) = content.links
    assert (content.text[link.start : link.end], link.target) == ("Büdget", "<one@example.org>")


@pytest.mark.parametrize(
    ("sent", "charset"),
    [
        ("latin-1", "iso-8859-1"),
        ("cp1251", "windows-1251"),
        ("utf-8", "us-ascii"),
        ("cp1252", ""),
        ("cp1252", "unheard-of"),
    ],
)
def test_letters_of_a_header_that_names_no_encoding(sent: str, charset: str) -> None:
    subject = "Приве́т"[:4] if sent == "cp1251" else "Grüße aus Köln"
    kind = f"Content-Type: text/plain; charset={charset}\n" if charset else ""
    data = f"From: {subject} <a@example.org>\nSubject: {subject}\n  again\n{kind}\nHello.".encode(sent)
    content = read(".eml", data)
    assert content.title == f"{subject} again"
    assert content.text.startswith(f"From: {subject} <a@example.org>")
    assert content.metadata["sender"] == subject


def test_a_mail_that_answers_none_keeps_what_it_forwards() -> None:
    body = "See below.\n\n---------- Forwarded message ---------\nFrom: Bo\n\nThe key is under the mat.\n"
    assert "under the mat" in read(".eml", f"From: Ana\nSubject: Fwd: Key\n\n{body}").text
    assert "under the mat" not in read(".eml", f"From: Ana\nSubject: Re: Key\n\n{body}").text


@pytest.mark.parametrize("subject", ["Fwd: Key", "FW: Re: Key", "WG: Key", "Tr : Key"])
def test_a_forwarded_mail_of_a_thread_keeps_what_it_forwards(subject: str) -> None:
    head = f"From: Ana\nSubject: {subject}\nIn-Reply-To: <a@b>\nReferences: <a@b>\n\n"
    body = "---------- Forwarded message ---------\nFrom: Bo\n\nThe key is under the mat.\n"
    assert "under the mat" in read(".eml", head + body).text


def test_mail_in_html_with_attachments() -> None:
    from email.message import EmailMessage

    message = EmailMessage()
    message["From"], message["Subject"] = "ana@example.org", "Re: Plan"
    message.set_content("<p>We <b>move</b>.</p><blockquote>When?</blockquote>", subtype="html")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="a.pdf")
    text = read(".eml", b"Date: some day\n" + message.as_bytes()).text
    assert text == "From: ana@example.org\nDate: some day\nAttachments: a.pdf\n\nWe move."


@pytest.mark.parametrize("kind", ["mixed", "related"])
@pytest.mark.parametrize("subtype", ["plain", "html"])
def test_what_stands_below_a_picture_in_a_mail_is_read(kind: str, subtype: str) -> None:
    def part(head: str, words: str) -> str:
        return f"--b\n{head}\n\n{words}\n"

    text = f"Content-Type: text/{subtype}"
    body = part(text, "The key is red.") + part("Content-Type: image/png\nContent-Disposition: inline", "x")
    body += part(text, "It hangs behind the door.") + part(f'{text}; name="log.txt"', "What a file says.")
    body += part(f"{text}\nContent-Disposition: attachment", "A file as well.")
    mail = f"From: Ana\nSubject: Key\nContent-Type: multipart/{kind}; boundary=b\n\n{body}--b--\n"
    said = "The key is red.\n\nIt hangs behind the door."
    assert read(".eml", mail).text == f"From: Ana\nAttachments: log.txt\n\n{said}"


def test_a_mail_that_says_the_same_plain_and_as_a_page_says_it_once() -> None:
    body = "--b\nContent-Type: text/plain\n\nWe move.\n--b\nContent-Type: text/html\n\n<p>We <b>move</b>.</p>\n--b--\n"
    for kind in ("mixed", "alternative"):
        mail = f"From: Ana\nSubject: Key\nContent-Type: multipart/{kind}; boundary=b\n\n{body}"
        assert read(".eml", mail).text == "From: Ana\n\nWe move."


@pytest.mark.parametrize(
    ("plain", "page", "told"),
    [
        ("We move on Monday.", "We move on <b>Monday</b>.<p>Sent by phone", ["We move on Monday.", "Sent by phone"]),
        ("We move on Monday.", "As a page:<p>We move on Monday.", ["As a page:", "We move on Monday."]),
        ("We move on Monday.\n\nSent as text.", "We move on Monday.", ["We move on Monday.", "Sent as text."]),
        ("No.", "<p>There is no way to know.", ["No.", "There is no way to know."]),
        ("We move on.", "<p>We move only.", ["We move on.", "We move only."]),
    ],
)
def test_a_mail_whose_page_says_the_plain_text_and_a_line_more_says_it_once(
    plain: str, page: str, told: list[str]
) -> None:
    body = f"--b\nContent-Type: text/plain\n\n{plain}\n--b\nContent-Type: text/html\n\n<p>{page}</p>\n--b--\n"
    mail = f"From: Ana\nSubject: Key\nContent-Type: multipart/mixed; boundary=b\n\n{body}"
    assert read(".eml", mail).text.split("\n\n")[1:] == told


def test_a_part_of_a_mail_is_decoded_once_however_deep_it_stands_in_alternatives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoded: list[str] = []

    def counted(text: str) -> str:
        decoded.append(text)
        return clean(text)

    monkeypatch.setattr("kb.documents.mail.clean", counted)
    body = "Content-Type: text/html\n\nWe move.\n"
    for level in range(50):
        body = f'Content-Type: multipart/alternative; boundary="b{level}-"\n\n--b{level}-\n{body}\n--b{level}---\n'
    assert read(".eml", f"From: Ana\nSubject: Key\n{body}").text == "From: Ana\n\nWe move."
    assert len(decoded) == 1


@pytest.mark.parametrize(
    "quote",
    [
        "<div class='gmail_quote'>When?</div>",
        "<div class='yahoo_quoted'>When?</div>",
        "<div class='moz-cite-prefix'>Bo asked:</div><blockquote>When?</blockquote>",
    ],
)
def test_what_mail_programs_quote_is_left_out(quote: str) -> None:
    head = "From: Ana\nSubject: Re: Plan\nContent-Type: text/html\n\n"
    assert read(".eml", f"{head}<p>We move.</p>{quote}").text == "From: Ana\n\nWe move."


def test_an_answer_that_quotes_without_marks() -> None:
    body = "Soon.\n\nOn Wed, Apr 2, 2025 at 1:00 PM Bo <bo@example.org> wrote:\n\nWhen do we move?\n"
    assert read(".eml", f"From: Ana\nSubject: Re: Plan\n\n{body}").text == "From: Ana\n\nSoon."


def test_a_mailbox_has_a_document_for_each_mail() -> None:
    box = f"From ana Thu Apr  3\n{MAIL}\nFrom bo Fri Apr  4\nFrom: Bo\nSubject: Fine\n\n>From here on.\n\n"
    box += "From x\nno mail\n"
    found = [item for _, item in read_mbox(io.BytesIO(box.encode()), Place("d/in.mbox", "in.mbox", "/d"))]
    assert [(one.key, one.title) for one in found if isinstance(one, Document)] == [
        ("in.mbox#two@example.org", "Re: Büdget"), ("in.mbox#2", "Fine"),
    ]  # fmt: skip
    (error,) = [str(one) for one in found if isinstance(one, SourceError)]
    assert error.startswith("d/in.mbox: line 21: is no mail")
    bare = list(read_mbox(io.BytesIO(b"From x\nSubject: Hello\n\n"), Place("d/in.mbox", "in.mbox", "/d")))
    assert [str(one) for _, one in bare] == ["d/in.mbox: line 1: has no text"]
    with pytest.raises(Unreadable, match="is empty or no mailbox"):
        list(read_mbox(io.BytesIO(b"text"), Place("x", "x", "")))


# Data


def test_records_are_lines_and_headings() -> None:
    data = {"name": "Payments", "limits": {"cpu": 2, "memory": {"max": "1G"}}, "on_call": ["Ana", "Bo"], "old": None}
    for suffix in (".json", ".yaml"):
        content = read(suffix, json.dumps(data))
        assert content.title == "Payments"
        assert content.text == ("Name: Payments\nOn call: Ana, Bo\n\n## Limits\n\nCpu: 2\n\n### Memory\n\nMax: 1G")


def test_yaml_of_other_programs() -> None:
    text = read(".yaml", "base: &b {image: x}\nweb:\n  <<: *b\n  port: 80\nvalue: !Ref Thing\nday: 2025-04-03\n").text
    assert text == "Value: Thing\nDay: 2025-04-03\n\n## Base\n\nImage: x\n\n## Web\n\nImage: x\nPort: 80"


def test_yaml_types_that_python_has_no_plain_value_for() -> None:
    text = read(".yaml", "o: !!omap [abc: 1, b: 2]\np: !!pairs [x: 1, x: 2]\ns: !!set {eve, dan, cy, bo, ann}\n").text
    assert text == "S: eve, dan, cy, bo, ann\n\n## O\n\nAbc: 1\nB: 2\n\n## P\n\nX: 1\nX: 2"


def test_values_stay_as_they_are_written() -> None:
    text = "opens: 9:30\non: push\ncountry: NO\nversion: 1.10\nphone: 0123456\nsign: =\nbig: 1e400\nnone: ~\n"
    assert read(".yaml", text).text == (
        "Opens: 9:30\nOn: push\nCountry: NO\nVersion: 1.10\nPhone: 0123456\nSign: =\nBig: 1e400"
    )
    assert (
        read(".json", '{"a": 12.50, "b": 1e400, "c": -0, "d": true, "e": NaN}').text
        == "A: 12.50\nB: 1e400\nC: -0\nD: true"
    )


LAUGHS = 'a0: &a0 ["x","x","x","x","x","x","x","x"]\n' + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 9)
)
MERGES = "a0: &a0 {k: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9))


@pytest.mark.parametrize(
    ("suffix", "data", "reason"),
    [
        (".json", "{", "is not JSON .* at line 1"),
        (".json", "[" * 100_000, "too many levels"),
        (".json", "[" * 60 + "]" * 60, "more than 50 levels"),
        (".yaml", "a: : b", "is not YAML"),
        (".yaml", "[" * 3_000, "is not YAML|too many levels"),
        (".yaml", "a: &a [*a]", "more than 50 levels"),
        (".yaml", LAUGHS, "more than 1,000 values"),
        (".yaml", MERGES, "merges too many values"),
        (".xml", "<a>" * 3_000, "more than 50 levels|is not XML"),
        (".xml", "no element", "is not XML"),
        (".yaml", "a: &a 1\nb: [" + "*a," * 5_001 + "]", "names more than 5,000 values again"),
        (".xml", "<a><b>one</b><b>two</a>", "is not XML .*line 1"),
        (".rst", "x" * 5_000_001, "over the limit of 5 MB for .rst: split it"),
        (".c", "x" * 2_000_001, "over the limit of 2 MB for source code"),
        (".eml", "Just a text.", "is no mail"),
        (".xlsx", "PK nothing", "is damaged or no Excel workbook"),
        (".pptx", "PK nothing", "is damaged or no PowerPoint file"),
        (".pptx", zipped({"a.xml": "<a/>"}), "is damaged or no PowerPoint file"),
        (".xlsx", zipped({"a.xml": '<!DOCTYPE a [<!ENTITY x "y">]><a/>'}), "declares entities"),
        (".pptx", zipped({"a.xml": '<!DOCTYPE a [<!ENTITY x "y">]><a/>'}), "declares entities"),
        (".odt", b"\xd0\xcf\x11\xe0" + bytes(100), "old format or has a password"),
        (".odt", zipped({"content.xml": "<a>" * 300}), "is damaged or no OpenDocument text"),
        (".odt", odt("<t:section>" * 60), "more than 50 levels"),
        (".epub", zipped({"a": "b"}), "is damaged or no EPUB book"),
        (".epub", epub({"a.html": "<p>x</p>"}, encryption="<a URI='OEBPS/a.html'/>"), "protected against copying"),
        (".ipynb", "{}", "is no notebook"),
        (".ipynb", '{"cells": [3]}', "is no notebook"),
        (".vtt", "WEBVTT", "has no captions"),
        (".py", bytes(range(256)), "is binary"),
    ],
)
def test_hostile_and_damaged_files(
    suffix: str, data: str | bytes, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_files, "MAX_VALUES", 1_000)
    with pytest.raises(Unreadable, match=reason) as error:
        read(suffix, data)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("suffix", [".xlsx", ".pptx", ".odt", ".epub"])
def test_archives_that_would_fill_the_memory(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_UNPACKED", 1_000_000)
    with pytest.raises(Unreadable, match="would unpack to 2 MB, over the limit of 1 MB"):
        read(suffix, zipped({"a.xml": bytes(2_000_000)}))


@pytest.mark.parametrize("suffix", [".xml", ".odt"])
def test_entities_are_not_expanded(suffix: str) -> None:
    dtd = '<!DOCTYPE d [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY l "lol">]>'
    data = f"{dtd}<d {_ODF}><o:body><t:p>seen &f;&l;</t:p></o:body></d>"
    text = read(suffix, data if suffix == ".xml" else zipped({"content.xml": data})).text
    assert "seen" in text
    assert "root" not in text
    assert "lol" not in text


def test_sheets_of_a_million_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "MAX_CELLS", 100)
    with pytest.raises(Unreadable, match=r"more than 100 cells: save the sheets that matter as \.csv"):
        read(".xlsx", workbook({"S": [[1] * 20 for _ in range(10)]}))


WHOLE: list[tuple[str, bytes]] = [
    (".xlsx", workbook({"S": SHEET})),
    (".pptx", slides()),
    (".odt", odt(f"<t:h>Plan</t:h><b:table>{ODT_TABLE}</b:table>")),
    (".epub", epub({"a.html": "<h1>One</h1><p>Text.</p>"})),
    (".eml", MAIL.encode()),
    (".json", json.dumps(RECORDS).encode()),
    (".yaml", b"a: &x {b: [1, 2]}\nc: *x\nd: !Ref e\nf: !!omap [g: 1]\nh: !!set {i, j}\n"),
    (".xml", b"<a b='c'><d>e</d><d>f <i>g</i></d></a>"),
    (".rst", f"Top\n===\n\n- a\n\n  - b\n\n{RST_TABLE}\n:field: x\n\n.. note:: y\n".encode()),
    (".org", f"* A :t:\n- b\n  - [X] c\n{ORG_TABLE}#+begin_src\nd\n#+end_src\n".encode()),
    (".ipynb", b'{"cells": [{"cell_type": "markdown", "source": ["# A"]}, {"source": "b", "outputs": []}]}'),
    (".vtt", b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>Yes.\n"),
    (".py", b'"""Doc."""\n@d\nclass A(B):\n    def m(self, x: int = 3) -> str: "Does."\n'),
    (".ts", b"/** A */\nexport class B {\n  // c\n  d(e) {\n"),
]
EDITS = st.lists(st.tuples(st.integers(0, 40_000), st.integers(0, 40), st.binary(max_size=6)), min_size=1, max_size=6)


@settings(max_examples=300)
@given(EDITS, st.sampled_from(WHOLE))
def test_damage_anywhere_is_unreadable_at_worst(edits: list[tuple[int, int, bytes]], file: tuple[str, bytes]) -> None:
    suffix, data = file
    for position, removed, inserted in edits:
        at = position % (len(data) + 1)
        data = data[:at] + inserted + data[at + removed :]
    with contextlib.suppress(Unreadable):
        read(suffix, data)


# Office files and books


def test_a_workbook_has_a_heading_for_each_sheet_and_values_as_people_write_them() -> None:
    import datetime

    content = read(
        ".xlsx", workbook({"Costs": [["Item", "When", "Sum"], ["Rent", datetime.datetime(2025, 4, 3), 300.0]]}, "Ana")
    )
    assert content.text.startswith("Author: Ana\nDate: ")
    assert content.text.endswith("\n\n## Costs\n\nItem: Rent; When: 2025-04-03; Sum: 300")
    assert read(".xlsx", workbook({"Empty": []}, "Ana")).text == ""


@pytest.mark.parametrize(
    ("value", "shown", "said"),
    [
        (12345678901234.56, "General", "12345678901234.6"),
        (123456789012.25, "General", "123456789012.25"),
        (0.1 + 0.2, "General", "0.3"),
        (0.125, "0.0%", "12.5%"),
        (123456.789, "0%", "12345679%"),
        (1, "0%", "100%"),
    ],
)
def test_numbers_of_a_workbook_read_as_a_person_writes_them(value: float, shown: str, said: str) -> None:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(workbook({"S": [["Sum"], [value]]})))
    book["S"]["A2"].number_format = shown
    out = io.BytesIO()
    book.save(out)
    assert read(".xlsx", out.getvalue()).text.split("\n")[-1] == said


@pytest.mark.parametrize("author", ["openpyxl", "Apache POI", "Administrator"])
def test_a_program_is_no_author(author: str) -> None:
    assert read(".xlsx", workbook({"S": SHEET}, author)).text.startswith("## S\n\n")
    assert unpacking.origin_lines(author, "2025-04-03") == ""


def test_the_day_of_a_template_is_none() -> None:
    import docx
    import pptx

    for suffix, file in ((".docx", docx.Document()), (".pptx", pptx.Presentation())):
        file.core_properties.author = "Ana Souza"
        out = io.BytesIO()
        file.save(out)
        with zipfile.ZipFile(out) as archive:
            assert unpacking.core_properties(archive) == ("", "Ana Souza", ""), suffix


def test_a_title_that_a_program_made_up_is_none() -> None:
    made_up = "<o:document-meta {}><o:meta><dc:title>Microsoft Word - plan.doc</dc:title></o:meta></o:document-meta>"
    odf = f'{_ODF} xmlns:dc="http://purl.org/dc/elements/1.1/"'
    content = f"<o:document-content {_ODF}><o:body><o:text><t:h>Plan</t:h></o:text></o:body></o:document-content>"
    assert read(".odt", zipped({"content.xml": content, "meta.xml": made_up.format(odf)})).title == "Plan"
    assert read(".epub", epub({"a.html": "<p>x</p>"}, title="Untitled")).title == ""
    assert read(".epub", epub({"a.html": "<p>x</p>"}, title="Unknown Pleasures")).title == "Unknown Pleasures"


def test_slides_and_their_notes() -> None:
    content = read(".pptx", slides())
    assert content.title == "Warehouse"
    assert content.text.startswith("## Warehouse\n\n- one")
    assert content.text.endswith("Notes: Say this slowly.")


def test_odt_says_who_wrote_it_when() -> None:
    content = read(".odt", odt("<t:h t:outline-level='1'>Plan</t:h><t:p>A<t:s/>b<t:line-break/>c</t:p>"))
    assert content.title == "Plan"
    assert content.text == "Author: Ana Souza\nDate: 2025-04-03\n\n# Plan\n\nA b\nc"


def test_a_table_of_an_odt_has_the_header_that_is_marked_and_cells_that_are_repeated() -> None:
    def row(*cells: str, repeated: int = 1) -> str:
        texts = "".join(f"<b:table-cell><t:p>{cell}</t:p></b:table-cell>" for cell in cells[:-1])
        texts += f"<b:table-cell b:number-columns-repeated='{repeated}'><t:p>{cells[-1]}</t:p></b:table-cell>"
        return f"<b:table-row>{texts}</b:table-row>"

    table = f"<b:table><b:table-header-rows>{row('Year', '2024', '2025')}</b:table-header-rows>"
    table += row("Rent", "5", repeated=2) + "</b:table>"
    assert read(".odt", odt(table)).text.endswith("\n\nYear: Rent; 2024: 5; 2025: 5")


def test_notes_and_boxes_of_an_odt_stand_apart_from_the_words_around_them() -> None:
    note = "<t:note><t:note-citation>1</t:note-citation><t:note-body><t:p>See page 5.</t:p></t:note-body></t:note>"
    box = "<t:span><t:box><t:p>In a</t:p><t:p>box.</t:p></t:box></t:span>"
    text = read(".odt", odt(f"<t:p>Bread{note} and{box}milk<t:line-break/>here</t:p>")).text
    assert text.endswith("Bread See page 5. and In a box. milk\nhere")


def test_a_book_in_the_order_of_its_chapters() -> None:
    content = read(".epub", epub({"z.html": "<p>First.</p>", "a%20b.html": "<p>Lost.</p>", "a.html": "<p>Second.</p>"}))
    assert content.title == "A Book"
    assert content.text == "Author: Ana Souza\n\nFirst.\n\nSecond."


# Notebooks, markups, captions


def test_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Sales\n", "By *month*."]},
        {"cell_type": "code", "source": "x = 1\n# so\nx", "outputs": [{"data": {"text/plain": ["1"]}}]},
        {
            "cell_type": "code",
            "source": "1/0",
            "outputs": [{"output_type": "error", "ename": "E", "evalue": "by zero"}],
        },
    ]
    content = read(".ipynb", json.dumps({"cells": cells}))
    assert content.title == "Sales"
    assert content.text.endswith("By month.\n\nx = 1\n#\u00a0so\nx\n\n1\n\n1/0\n\nE: by zero")


def test_a_notebook_says_who_wrote_it() -> None:
    book = {
        "metadata": {"authors": [{"name": "Ana Souza"}, {"name": "Rui Alves"}]},
        "cells": [{"cell_type": "markdown", "source": "See [the map](map.md)."}],
    }
    content = read(".ipynb", json.dumps(book))
    assert content.text == "Author: Ana Souza, Rui Alves\n\nSee the map."
    (link,) = content.links
    assert content.text[link.start : link.end] == "the map"


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        (".md", "```sh\n# up\n  # down\nls\n```\n\n## Plan\n"),
        (".html", "<pre># up\n  # down\nls</pre><h2>Plan</h2>"),
        (".rst", "::\n\n    # up\n      # down\n    ls\n\nPlan\n====\n"),
        (".org", "#+begin_src sh\n# up\n  # down\nls\n#+end_src\n* Plan\n"),
        (".ipynb", json.dumps({"cells": [
            {"cell_type": "code", "source": "# up\n  # down\nls"}, {"cell_type": "markdown", "source": "# Plan"}]})),
    ],
    ids=lambda value: value if value.startswith(".") else "",
)  # fmt: skip
def test_comments_in_code_are_no_headings(suffix: str, data: str) -> None:
    content = read(suffix, data)
    assert content.text.replace("\u00a0", " ").startswith("# up\n  # down\nls\n\n#")
    # A passage may begin in any line, without the space before it.
    outlines = [Outline(line.lstrip()) for line in content.text.split("\n")]
    assert [outline.headings for outline in outlines if outline.headings] == [("Plan",)]
    if suffix != ".html":
        assert content.title == "Plan"


def test_rst_includes_nothing() -> None:
    text = read(
        ".rst", "T\n=\n\n.. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\nEnd :ref:`of it <x>`."
    ).text
    assert text == "# T\n\nEnd of it."


def test_rst_of_sphinx() -> None:
    text = "T\n=\n\n.. versionadded:: 2.0\n   With :class:`~a.Thing`.\n\n.. toctree::\n   :maxdepth: 2\n\n"
    text += "   intro\n\nEnd.\n"
    assert read(".rst", text).text == "# T\n\n2.0 With a.Thing.\n\nEnd."


def test_org() -> None:
    text = (
        "#+TITLE: Plan\n* TODO Move\nDEADLINE: <2025-04-03 Thu>\nTo *the* [[http://x][house]]\nnow.\n- [X] box\n# no\n"
    )
    content = read(".org", text)
    assert content.title == "Plan"
    assert content.text == "# Move\n\nState: TODO\n\nDeadline: 2025-04-03 Thu\n\nTo the house now.\n\n- [x] box"


def test_org_properties_are_facts_of_their_heading() -> None:
    text = (
        "* DONE [#A] Lift the roof :house:\n"
        ":PROPERTIES:\n:OWNER: Rui Alves\n:ID: 8f2-c1\n:Due_date: May\n:EMPTY:\n:END:\n"
        ":LOGBOOK:\nCLOCK: [2025-04-03]\n:END:\nIt leaks.\n"
    )
    content = read(".org", text)
    assert content.title == "Lift the roof"
    assert content.text == "# Lift the roof\n\nState: DONE\nOwner: Rui Alves\nDue date: May\n\nIt leaks."


def test_captions_are_turns_without_times() -> None:
    cues = [
        "WEBVTT",
        "00:01.000 --> 00:02.000\n<v Ana Souza>We <i>start</i>.",
        "00:02.000 --> 00:03.000\n<v Ana Souza>Now.",
    ]
    cues += ["NOTE not said", "00:03.000 --> 00:04.000\nBo: Yes &amp; no"]
    assert read(".vtt", "\n\n".join(cues)).text == "Ana Souza: We start. Now.\n\nBo: Yes & no"
    times = ["00:00:01,000 --> 00:00:02,000", "00:00:02,000 --> 00:00:03,000", "00:01:00,000 --> 00:01:02,000"]
    srt = "\n\n".join(f"1\n{time}\n{words}" for time, words in zip(times, ["Hello", "you.", "Later."], strict=True))
    assert read(".srt", srt).text == "Hello you.\n\nLater."


@pytest.mark.parametrize(
    "cue",
    [
        "<v Ana>We won.</v> <v Bo>By -5?",
        "<v Ana>We won.\n<v Bo>By -5?",
        "- <v.loud Ana>We won.</v> - <v Bo>By <i>-5</i>?</v>",
        "- <v Ana>We won.</v>\n- <v Bo>By -5?</v>",
    ],
)
def test_a_cue_of_two_voices_is_two_turns(cue: str) -> None:
    cues = f"00:01.000 --> 00:02.000\n{cue}\n\n00:02.000 --> 00:03.000\n<v Ana>Yes."
    assert read(".vtt", f"WEBVTT\n\n{cues}").text == "Ana: We won.\n\nBo: By -5?\n\nAna: Yes."


def test_captions_that_say_the_same_twice() -> None:
    def cues(*words: str) -> str:
        return "\n\n".join(f"00:0{at}.000 --> 00:0{at + 1}.000\n{one}" for at, one in enumerate(words))

    assert read(".vtt", "WEBVTT\n\n" + cues("<v Ana>Yes.", "<v Bo>Yes.", "<v Bo>Yes.")).text == "Ana: Yes.\n\nBo: Yes."
    assert read(".vtt", "WEBVTT\n\n" + cues("one", "one\ntwo", "two\nthree")).text == "one two three"
    assert read(".vtt", "WEBVTT\n\n" + cues("Bo: one", "one\ntwo")).text == "Bo: one two"


def test_a_cue_with_a_blank_line_in_it_is_read_to_its_end() -> None:
    text = "WEBVTT\n\nSTYLE\na {}\n\n00:01.000 --> 00:02.000\n<v Ana>One\n\nand two.\n\nNOTE x\n\n7\n\n"
    text += "00:02.000 --> 00:03.000\n<v Ana>Three."
    assert read(".vtt", text).text == "Ana: One and two. Three."


# Source code


def test_python_by_its_names_and_docstrings() -> None:
    code = '"""Doc."""\nLIMIT = 3\n# Adds.\ndef add(a: int, b=2) -> int:\n    return a\n'
    code += 'class A(B):\n    def m(self): "Does."\n'
    assert read(".py", code).text == (
        "Doc.\n\nLIMIT = 3\n\n## def add(a: int, b=2) -> int\n\nAdds.\n\n## class A(B)\n\n### def m(self)\n\nDoes."
    )
    assert read(".py", "# Old.\ndef f(x):\n  print x\n").text == "## def f(x):\n\nOld."


@pytest.mark.parametrize("comment", ["// see src/*.c", "// ends */ here", "/* a */ /* b */"])
def test_a_comment_ends_with_its_line(comment: str) -> None:
    assert "## func Add()\n\nAdds." in read(".go", f"{comment}\n\n// Adds.\nfunc Add() {{\n").text


@pytest.mark.parametrize(
    ("suffix", "code", "heading"),
    [
        (".js", "/** Adds. */\nexport function add(a, b) {\n  return a(b)\n}", "## export function add(a, b)"),
        (".ts", "// Adds.\ninterface A<T> {\n}", "## interface A<T>"),
        (".go", "// Adds.\nfunc (r *T) Add(x int) error {\n", "## func (r *T) Add(x int) error"),
        (".rs", "/// Adds.\n#[inline]\npub fn add<T>(a: T) -> T {", "## pub fn add<T>(a: T) -> T"),
        (
            ".java",
            "class A {\n  /** Adds. */\n  public int add(int x) {\n    return f(x);\n",
            "### public int add(int x)",
        ),
        (".c", "/* Adds. */\nint add(int a)\n{\n  return f(a);\n}", "## int add(int a)"),
        (".cpp", "// Adds.\nclass A : public B {", "## class A : public B"),
        (".sh", "#!/bin/sh\n\n# Adds.\nadd() {\n", "## add()"),
        (".sql", "-- Adds.\nCREATE TABLE a (\n  id INTEGER, -- x\n  b TEXT\n);", "## CREATE TABLE a"),
    ],
)
def test_code_by_its_signatures_and_comments(suffix: str, code: str, heading: str) -> None:
    text = read(suffix, code).text
    assert f"{heading}\n\nAdds." in text
    assert "return" not in text
