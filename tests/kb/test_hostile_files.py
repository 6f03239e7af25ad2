"""Files made to hold up or to end a build: the build goes on, and names them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.styles.styles import Styles

from kb.documents.formats import READERS
from kb.documents.plaintext import MOST_MARKS, Content, clean
from kb.documents.sources import read_sources, read_unknown
from kb.errors import SourceError
from kb.records import Document


def reader(monkeypatch: pytest.MonkeyPatch, read: Callable[[bytes], Content]) -> None:
    monkeypatch.setitem(READERS, ".html", ("html", read))


def folder(path: Path) -> str:
    (path / "a.html").write_text("<p>hostile</p>", "utf-8")
    (path / "b.txt").write_text("Lindholm is a town.", "utf-8")
    return str(path)


@pytest.mark.parametrize("error", [RecursionError("deep"), KeyError("x"), MemoryError(), AssertionError("a\nb")])
def test_whatever_a_file_does_to_its_reader_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(_: bytes) -> Content:
        raise error

    reader(monkeypatch, fail)
    problem, document = read_sources([folder(tmp_path)])
    assert isinstance(problem, SourceError)
    assert isinstance(document, Document)
    assert type(error).__name__ in str(problem)
    assert "\n" not in str(problem)


def test_a_file_that_takes_too_long_is_named_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_: bytes) -> Content:
        while True:
            try:
                sum(range(1000))
            except Exception:  # noqa: BLE001 - as parsing libraries do
                continue

    reader(monkeypatch, never)
    found = list(read_unknown([folder(tmp_path)], lambda _: False, file_seconds=0.05))
    problem = next(one for one in found if isinstance(one, SourceError))
    assert str(problem).endswith("takes longer than 0.05 seconds to read: split it, or allow more with --file-seconds")
    assert [one.key for one in found if isinstance(one, Document)] == ["b.txt"]


def test_more_marks_than_any_writing_has_are_left_out() -> None:
    marked = "e" + "\u0323\u0301" * 5_000
    assert len(clean(f"{marked} Zoë e\u0301 {marked}")) <= 2 * (MOST_MARKS + 1) + 8
    assert clean("Zoe\u0308 Việt") == unicodedata.normalize("NFC", "Zoe\u0308 Việt")


def test_styles_are_looked_up_once_however_many_paragraphs_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    document = docx.Document()
    document.add_heading("The mill", 1)
    for number in range(200):
        document.add_paragraph(f"Paragraph {number}." if number % 2 else "")
    data = BytesIO()
    document.save(data)
    looked: list[Any] = []
    get = Styles.get_by_id
    monkeypatch.setattr(Styles, "get_by_id", lambda self, *given: looked.append(given) or get(self, *given))
    content = READERS[".docx"][1](data.getvalue())
    assert (content.title, content.text.count("Paragraph")) == ("The mill", 100)
    assert len(looked) <= 8
