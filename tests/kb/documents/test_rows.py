from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import pytest
from linear import is_linear

from kb.documents import rows
from kb.documents.plaintext import Unreadable
from kb.documents.rows import Place, Row, looks_like_jsonl, read_csv, read_jsonl
from kb.documents.structure import structured_lines
from kb.errors import SourceError
from kb.records import Document

Reader = Callable[[BinaryIO, Place], Iterator[Row]]

PLACE = Place("data/rows.x", "rows.x", "/data")


def read(reader: Reader, text: str | bytes, place: Place = PLACE) -> list[Row]:
    return list(reader(io.BytesIO(text.encode() if isinstance(text, str) else text), place))


def documents(reader: Reader, text: str | bytes, place: Place = PLACE) -> list[Document]:
    found = [item for _, item in read(reader, text, place)]
    assert all(isinstance(item, Document) for item in found), found
    return [item for item in found if isinstance(item, Document)]


# JSON Lines


def test_jsonl_document() -> None:
    line = '{"id": "w0", "title": "The Nile", "text": " A river.\\r\\nLong. ", "year": 1902, "tags": ["a", null]}'
    (document,) = documents(read_jsonl, line)
    assert document == Document(
        "w0",
        "The Nile",
        "A river.\nLong.\n\nYear: 1902",
        "rows.x",
        "/data",
        "jsonl",
        {"year": 1902, "tags": ["a", None]},
    )


@pytest.mark.parametrize(
    "beside",
    [
        "",
        ', "more": ""',
        ', "more": null, "is": true',
        ', "more": {"a": 1}',
        ', "more": "http://a.example"',
        ', "more": "%s"' % ("x" * 101),
    ],
)
def test_only_short_values_beside_a_text_are_told_with_it(beside: str) -> None:
    (document,) = documents(read_jsonl, f'{{"title": "The Nile", "text": "A river."{beside}}}')
    assert document.text == "A river."


@pytest.mark.parametrize(
    ("line", "key", "title"),
    [
        ('{"id": 7, "text": "The Nile flows."}', "7", "The Nile flows"),
        ('{"id": 1.5, "title": 1984, "text": "x"}', "1.5", "1984"),
        ('{"id": null, "title": "", "text": "x"}', "rows.x#1", "x"),
        ('{"id": " ", "title": null, "text": "x"}', "rows.x#1", "x"),
        ('{"text": "x", "title": "a\\n b\\u0000"}', "rows.x#1", "a b"),
        ('{"text": "Title\\n\\nText", "title": "Title"}', "rows.x#1", "Title"),
        ('{"id": "\'; DROP TABLE documents; --", "text": "x"}', "'; DROP TABLE documents; --", "x"),
        ('{"id": "../../etc/passwd", "text": "x"}', "../../etc/passwd", "x"),
    ],
)
def test_jsonl_key_and_title(line: str, key: str, title: str) -> None:
    (document,) = documents(read_jsonl, line)
    assert (document.key, document.title) == (key, title)


def test_jsonl_numbers_are_told_as_they_are_written() -> None:
    line = '{"id": 12345678901234567.10, "text": "A bolt.", "price": 1.50, "torque": 1e5, "number": 9007199254740993}'
    (document,) = documents(read_jsonl, line)
    assert document.key == "12345678901234567.10"
    assert document.text == "A bolt.\n\nPrice: 1.50\nTorque: 1e5\nNumber: 9007199254740993"


def test_jsonl_bad_lines_leave_the_others() -> None:
    lines = [f'{{"id": "d{number}", "text": "Text {number}."}}' for number in range(1, 10)]
    lines[6] = '{"id": "d7", "text": "broken'
    lines[2] = ""
    found = read(read_jsonl, "\n".join(lines))
    assert [number for number, item in found if isinstance(item, Document)] == [1, 2, 4, 5, 6, 8, 9]
    ((number, error),) = [(number, item) for number, item in found if isinstance(item, SourceError)]
    assert number == 7
    assert str(error).startswith("data/rows.x: line 7: is not JSON (Unterminated string")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('["a"]', 'is a list, not an object: write {"id": ..., "title": ..., "text": ...}'),
        ('"a"', "is a string, not an object"),
        ("3", "is a number, not an object"),
        ("null", "is nothing, not an object"),
        ('{"id": "a"}', 'needs "text" with a string, but has nothing'),
        ('{"text": 5}', 'needs "text" with a string, but has a number'),
        ('{"text": true}', 'needs "text" with a string, but has true or false'),
        ('{"text": " \\u200b\\n"}', 'has an empty "text"'),
        ('{"text": "x", "id": ["a"]}', 'needs "id" with a string or a number, but has a list'),
        ('{"text": "x", "title": {}}', 'needs "title" with a string or a number, but has an object'),
        ("[" * 100_000, "has too long a number or too many levels"),
        ('{"text": "x", "a": ' + "[" * 60 + "]" * 60 + "}", "has too long a number or too many levels"),
        ('{"text": "x", "a": ' + "9" * 5_000 + "}", "has too long a number or too many levels"),
        (b'{"text": "Gr\xc3\xbc\xc3\x9fe \xc3"}', "is damaged UTF-8 (at byte 18): save it as UTF-8"),
        (b'{"text": "\x01\x02\x03\x04\x05"}', "is binary, not text"),
    ],
)
def test_jsonl_bad_line(line: str | bytes, reason: str) -> None:
    data = line.encode() if isinstance(line, str) else line
    found = read(read_jsonl, b'{"text": "first"}\n' + data + b'\n{"text": "last"}\n')
    assert [number for number, _ in found] == [1, 2, 3]
    assert str(found[1][1]).startswith(f"data/rows.x: line 2: {reason}")
    assert isinstance(found[2][1], Document)


def test_jsonl_metadata_is_plain_json() -> None:
    (document,) = documents(read_jsonl, '{"text": "x", "a": NaN, "b": [-Infinity, "\\ud800y"], "c\\u0000": {"d": 1e3}}')
    assert document.metadata == {"a": None, "b": [None, "y"], "c": {"d": 1000.0}}
    json.dumps(document.metadata, allow_nan=False).encode()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_jsonl_encodings(encoding: str, ends: str) -> None:
    text = ends.join(['{"id": "é", "text": "Café"}', '{"id": "b", "text": "b"}', ""])
    assert [(d.key, d.text) for d in documents(read_jsonl, text.encode(encoding))] == [("é", "Café"), ("b", "b")]


def test_a_line_over_the_limit_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_ROW", 100)
    limit = json.dumps({"text": "x" * 88})
    assert len(limit) + 1 == 101
    lines = [limit[:-3] + '"}', json.dumps({"text": "x" * 500}), '{"text": "last"}']
    found = read(read_jsonl, "\n".join(lines))
    assert [type(item) for _, item in found] == [Document, SourceError, Document]
    assert "line 2: is longer than 0.0001 MB" in str(found[1][1])


@pytest.mark.parametrize(
    ("data", "reason"), [(b"", "is empty"), (b" \n\n", "is empty"), (b"PK\x03\x04\x00", "is binary")]
)
@pytest.mark.parametrize("reader", [read_jsonl, read_csv])
def test_a_file_without_rows(reader: Reader, data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(reader, data)


def test_jsonl_is_recognised() -> None:
    for text, expected in [
        ('{"text": "x"}\n', True),
        ('\n\ufeff{"text": "x"}', True),
        ('{broken\n{"text": "x"}', True),
        ('{\n "text": "x"\n}', False),
        ('A text with\n{"text": "x"}', False),
        ("[1]", False),
        ("", False),
    ]:
        file = io.BytesIO(text.encode())
        assert looks_like_jsonl(file) is expected, text
        assert file.tell() == 0


# CSV


def test_csv_document_with_text() -> None:
    text = 'ID,Name,Text,birth_year\n7,Ann,"Ann lives\nin Rome, ""here"".",1950\n'
    (document,) = documents(read_csv, text)
    assert document == Document(
        "7",
        "Ann",
        'Ann lives\nin Rome, "here".\n\nBirth year: 1950',
        "rows.x",
        "/data",
        "csv",
        {"birth_year": "1950"},
    )


def test_csv_row_without_text_column_is_put_in_words() -> None:
    (document,) = documents(read_csv, "id,title,country,notes,height_m\nk2,K2,Pakistan,Climbed in 1954!,8611\nx,,,,\n")[
        :1
    ]
    assert document.title == "K2"
    assert document.text == "Title: K2; Id: k2; Country: Pakistan; Notes: Climbed in 1954!; Height m: 8611"
    assert document.metadata == {"country": "Pakistan", "notes": "Climbed in 1954!", "height_m": "8611"}


def test_csv_title_is_the_first_column_with_letters() -> None:
    (document,) = documents(read_csv, "rank,peak,m\n2,K2 East,8611\n")
    assert (document.key, document.title) == ("rows.x#2", "K2 East")
    assert document.text == "Peak: K2 East; Rank: 2; M: 8611"
    assert document.metadata == {"rank": "2", "peak": "K2 East", "m": "8611"}
    (numbers,) = documents(read_csv, "a,b\n1,2\n")
    assert numbers.text == "A: 1; B: 2"


def test_csv_rows_are_all_called_by_the_same_column() -> None:
    """The first with words in most rows, also where a cell of it looks like a code; a row without it by the next."""
    lines = ("id,note,what,where", "1,,rope 2,Hall", "2,,black tea,Yard", "3,old,planks,Barn", "4,,white paint,Inn")
    text = "\n".join((*lines, "5,,,Loft"))
    found = documents(read_csv, text)
    assert [one.title for one in found] == ["rope 2", "black tea", "planks", "white paint", "Loft"]
    assert found[1].text == "What: black tea; Id: 2; Where: Yard"


@pytest.mark.parametrize(
    ("lines", "titles"),
    [
        # Who is on duty comes again and again: a week or a code names its row, or another column in words.
        (("week,duty,waste", "14,Ann,Tom", "15,Tom,Ann", "16,Ann,Tom", "17,Tom,Ann"), ["14", "15", "16", "17"]),
        (("ref,type,place", "R1,birth,Hull", "R2,birth,Hull", "R3,birth,Hull"), ["R1", "R2", "R3"]),
        (("shop,item,price", "Lidl,oats,2", "Lidl,milk,1", "Lidl,salt,3"), ["oats", "milk", "salt"]),
        # What is said beside the rows names none, and neither does what counts them.
        (("nr,kind,note", "1,cat,old", "2,cat,ill", "3,cat,new", "4,cat,shy"), ["cat", "cat", "cat", "cat"]),
    ],
)  # fmt: skip
def test_csv_rows_are_called_by_what_tells_them_apart(lines: Sequence[str], titles: list[str]) -> None:
    assert [one.title for one in documents(read_csv, "\n".join(lines))] == titles


def test_csv_header_with_a_colon_or_a_question_is_that_of_a_row() -> None:
    (document,) = documents(read_csv, "who,starts (Mon 10:00),paid?,state: now\nAnn,2 March,yes,open\n")
    assert document.text == "Who: Ann; Starts (Mon 10:00): 2 March; Paid?: yes; State, now: open"
    (line,) = structured_lines(document.title, document.text)
    assert line.kind == "row"
    assert [value.relation for value in line.values] == ["Starts (Mon 10:00)", "Paid?", "State, now"]


def test_csv_keys() -> None:
    in_folder = Place("d/sub/rows.csv", "sub/rows.csv", "/d", in_folder=True)
    text = 'id,text\na,x\n,y\n\n"c","z\n"\nd,w\n'
    assert [d.key for d in documents(read_csv, text)] == ["a", "rows.x#3", "c", "d"]
    keys = [d.key for d in documents(read_csv, text, in_folder)]
    assert keys == ["sub/rows.csv#a", "sub/rows.csv#3", "sub/rows.csv#c", "sub/rows.csv#d"]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("name;text\nAnn;Hello, you\n", "r.csv"),
        ("name\ttext\nAnn\tHello, you\n", "r.csv"),
        ("name|text\nAnn|Hello, you\n", "r.csv"),
        ("name\ttext,\nAnn\tHello, you\n".replace("text,", "text"), "r.tsv"),
        ('\n\nname,text\r\nAnn,"Hello, you"\r\n', "r.csv"),
        ('﻿name,text\nAnn,"Hello, you"', "r.csv"),
    ],
)
def test_csv_dialects(text: str, source: str) -> None:
    (document,) = documents(read_csv, text, Place(source, source, "/"))
    assert (document.title, document.text) == ("Ann", "Hello, you")


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\nItem;Price, net\nNut;1,50\nBolt;2,25\n",
        '"sep=;"\r\nItem;Price, net\r\nNut;1,50\r\nBolt;2,25\r\n',
        "Item;Price, net\nNut;1,50\nBolt;2,25\n",
        "Prices of the spring\n\nItem|Price, net\nNut|1,50\nBolt|2,25\n",
        'Prices,"spring"\n\nItem,"Price, net",Note\nNut,"1,50",\nBolt,"2,25",\n',
        'Prices,,\nItem,"Price, net",Note\nNut,"1,50",\nBolt,"2,25",\n',
    ],
)
def test_csv_as_other_programs_export_it(text: str) -> None:
    found = documents(read_csv, text)
    assert [one.text for one in found] == ["Item: Nut; Price, net: 1,50", "Item: Bolt; Price, net: 2,25"]


def test_texts_below_one_word_are_one_column_whatever_signs_they_have() -> None:
    texts = documents(read_csv, "text\nHello; there you are\nI am; well\nYes; no\n")
    assert [one.title for one in texts] == ["Hello; there you are", "I am; well", "Yes; no"]
    refused = [one for _, one in read(read_csv, "note\nbuy milk, eggs\ncall Tom, Ben\n")]
    assert not any(isinstance(one, Document) for one in refused)
    assert [one.text for one in documents(read_csv, "Name,,\nAnna,12,red\nBen,13,blue\n")] == [
        "Name: Anna; Column 2: 12; Column 3: red",
        "Name: Ben; Column 2: 13; Column 3: blue",
    ]


def test_csv_whose_first_line_has_a_name_for_one_column_keeps_its_rows() -> None:
    assert [one.text for one in documents(read_csv, "name,\nAnn,x\nBob,y\n")] == [
        "Name: Ann; Column 2: x",
        "Name: Bob; Column 2: y",
    ]
    assert [one.title for one in documents(read_csv, "name\nAnn\nBob\n")] == ["Ann", "Bob"]
    named = [one for _, one in read(read_csv, "name\nAnn\nBob,y\nCy\n")]
    assert [one.title for one in named if isinstance(one, Document)] == ["Ann", "Cy"]


def test_csv_header_without_or_with_equal_names() -> None:
    (document,) = documents(read_csv, "name,,a,a\nAnn,1,2,3\n")
    assert document.metadata == {"column 2": "1", "a": "2", "a 4": "3"}


def test_csv_bad_rows_leave_the_others() -> None:
    text = (
        "id,text\n"
        "a,fine\n"
        "b,one,two\n"  # 3
        'c,"closed" badly\n'  # 4
        "d,\n"  # 5
        "e,fine,,\n"
        'f,"never closed\n'  # 7
        "g,fine\n"
        "h,fine\n"
    )
    found = read(read_csv, text)
    assert [item.key for _, item in found if isinstance(item, Document)] == ["a", "e", "g", "h"]
    assert [str(item).split("(")[0] for _, item in found if isinstance(item, SourceError)] == [
        "data/rows.x: line 3: has 3 values for 2 columns: quote those that hold the delimiter",
        "data/rows.x: line 4: is not CSV ",
        "data/rows.x: line 5: has an empty 'text'",
        "data/rows.x: line 7: is not CSV ",
    ]
    assert [number for number, _ in found] == [2, 3, 4, 5, 6, 7, 8, 9]


def test_csv_undecodable_line_within_quotes_is_reported_with_the_row() -> None:
    found = read(read_csv, b'id,text\na,"open\n\x01\x02\x03\x04\nb,fine\n')
    assert [(number, type(item)) for number, item in found] == [(2, SourceError), (3, SourceError), (4, Document)]
    assert "a quotation mark is not closed" in str(found[0][1])
    assert "binary" in str(found[1][1])


def test_csv_row_over_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_ROW", 60)
    text = 'id,text\na,"' + "line of text\n" * 10 + '"\nb,fine\n'
    found = read(read_csv, text)
    assert "line 2: is not CSV (over the limit of 6e-05 MB a row)" in str(found[0][1])
    assert isinstance(found[-1][1], Document)
    assert found[-1][1].key == "b"


def test_csv_field_as_long_as_a_book_is_read() -> None:
    assert csv.field_size_limit() == rows.MAX_ROW
    (document,) = documents(read_csv, f"id,text\na,{'word ' * 200_000}\n")
    assert len(document.text) == 999_999


def test_csv_header_alone() -> None:
    with pytest.raises(Unreadable, match="has a header and no rows"):
        read(read_csv, "id,text\n")


@pytest.mark.parametrize("line", ['"open\n', 'a,"x\n', '""\n', '"a""\n', '"""a\n', '",\n', "\n", ',""",\n'])
def test_csv_takes_linear_time(line: str) -> None:
    assert is_linear(lambda count: read(read_csv, "id,text\n" + line * count), 20_000)


def test_csv_with_very_many_columns_takes_linear_time() -> None:
    def read_wide(count: int) -> None:
        columns = ",".join(f"value {number}" for number in range(count))
        (document,) = documents(read_csv, f"name,{columns}\nAda{',1' * count}\n")
        assert document.text.endswith("1")

    assert is_linear(read_wide, 40_000)


def test_a_file_in_utf_16_may_be_read_again() -> None:
    """What is read as text and let go does not close the file behind it."""
    file = io.BytesIO("name,port\nAna,8443\nTom,22\n".encode("utf-16"))
    first = [item for _, item in read_csv(file, PLACE)]
    file.seek(0)
    assert [item for _, item in read_csv(file, PLACE)] == first
    assert len(first) == 2
