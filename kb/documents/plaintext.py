"""From bytes to clean plain text: encodings, line ends, characters that nobody sees, titles, paragraphs.

What the readers of all formats share. Input is untrusted: every step takes time linear in its length.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, Literal

from kb.documents.structure import is_heading
from kb.records import Link
from kb.wellformed import without_escapes

_BOMS = (  # the longer first: a UTF-32 mark begins with a UTF-16 one
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NEWLINES = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")  # not escape, which coloured terminal output is full of
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\ufeff\ufffe\uffff\ud800-\udfff]")
_UTF8_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH_BYTES = bytes(range(0x80, 0x100))
_SAMPLE = 65536

MOST_MARKS = 30

MONTHS = "January February March April May June July August September October November December".split()
"""As texts have them: the calendar module's follow the locale."""

BULLET = re.compile(r"(?:[-*+•‣◦▪–—]|\d{1,3}[.)])[ \t]")
"""The start of a list item, at the start of a line."""


_HEADING_MARKS = re.compile(r"#{1,6} ")
_COMMENT = re.compile(r"^([ \t]*#{1,6}) ", re.MULTILINE)


class Unreadable(Exception):
    """A file, line or row cannot be read; `str()` says why and what to do, and the caller adds the path."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds. `title` is empty where the file names none; `pages` are the offsets at which pages start.

    `metadata` is what is kept of it beside the text.
    """

    title: str
    text: str
    pages: tuple[int, ...] = ()
    links: tuple[Link, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or heading, or a list's item or table's row: those stand right below another of their kind."""

    text: str
    kind: Literal["", "item", "row"] = ""


def code(text: str) -> str:
    """Lines of code, whose comments must not be taken for headings: behind `#` stands a space that does not break."""
    return _COMMENT.sub("\\1\u00a0", text)


def first_heading(blocks: Iterable[Block]) -> str:
    """The words of the first heading, for a title; "" where there is none."""
    return next((one_line(_HEADING_MARKS.sub("", one.text, count=1)) for one in blocks if is_heading(one.text)), "")


def heading(level: int, text: str) -> Block:
    """A heading as every format's text has it: one to six marks, and its words in one line."""
    return Block(f"{'#' * min(max(level, 1), 6)} {one_line(text)}")


def day_in_words(day: date) -> str:
    """A day as a text has it, "7 May 2023"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def decode(data: bytes, declared: str = "") -> str:
    """The text of `data`: by its byte order mark, as UTF-8, in the `declared` encoding, or as Windows-1252.

    Raises Unreadable for binary data and for text in an encoding that cannot be told.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _checked(_decoded(data, encoding))
    if b"\0" in data:
        raise Unreadable("is binary, not text")
    try:
        return _checked(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _checked(_decode_legacy(data, declared, error.start))


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError) as error:
        raise Unreadable(f"is not valid {encoding.upper()}: save it as UTF-8") from error


def _decode_legacy(data: bytes, declared: str, bad_byte: int) -> str:
    """Text that is not UTF-8. Windows-1252 makes letters of nearly all bytes, so it has to be plausible first."""
    if declared:
        return _decoded(data, declared)
    _refuse_binary(data.decode("latin-1"))
    high = len(data) - len(data.translate(None, _HIGH_BYTES))
    if 2 * sum(map(len, _UTF8_SEQUENCE.findall(data))) > high:
        raise Unreadable(f"is damaged UTF-8 (at byte {bad_byte:,}): save it as UTF-8")
    # European text has one accented letter in eight at most; Cyrillic, Greek or Chinese bytes are nearly all high.
    if high > max(8, 0.3 * len(data)):
        raise Unreadable("is in an encoding that cannot be told: save it as UTF-8")
    return _decoded(data, "cp1252")


def _checked(text: str) -> str:
    _refuse_binary(text)
    return text


def _refuse_binary(text: str) -> None:
    sample = text[:_SAMPLE]
    # Text has a stray one at most; of compressed or random bytes they are a tenth.
    if "\0" in sample or len(_CONTROLS.findall(sample)) > max(2, 0.05 * len(sample)):
        raise Unreadable("is binary, not text")


@lru_cache(maxsize=1)
def _marks() -> re.Pattern[str]:
    """More combining marks on one letter than any writing has, of which the first are kept (Unicode's stream-safe text
    format): to put n of them in order takes n² steps.
    """
    marks = "".join(chr(code) for code in range(0x300, 0x1F000) if unicodedata.combining(chr(code)))
    return re.compile(f"([{marks}]{{{MOST_MARKS}}})[{marks}]+")


def clean(text: str) -> str:
    """`text` in NFC, with `\\n` for every kind of line end and without what is no text: terminal escapes, control,
    invisible and unpaired characters.
    """
    text = _INVISIBLE.sub("", without_escapes(_NEWLINES.sub("\n", text)))
    if not text.isascii():
        text = _marks().sub(r"\1", text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def one_line(text: str) -> str:
    """`text` cleaned, with every run of white space as one space."""
    return " ".join(clean(text).split())


def readable_key(name: str) -> str:
    """The name of a column or a key as words: "first_name" is "First name"."""
    words = one_line(name.replace("_", " "))
    return words[:1].upper() + words[1:]


def tidy(text: str) -> str:
    """`text` cleaned, without trailing spaces and without more than one blank line in a row."""
    lines = "\n".join(line.rstrip() for line in clean(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def joined(blocks: Iterable[Block]) -> str:
    """Blocks separated by blank lines, the items of a list and the rows of a table by line ends."""
    parts: list[str] = []
    previous = ""
    for block in blocks:
        if parts:
            parts.append("\n" if block.kind and block.kind == previous else "\n\n")
        parts.append(block.text)
        previous = block.kind
    return tidy("".join(parts))


def row_text(cells: Iterable[str]) -> str:
    """A table row without a header as one line."""
    return " | ".join(cell for cell in map(one_line, cells) if cell)


def record_text(headers: Sequence[str], cells: Sequence[str]) -> str:
    """A table row as one line that repeats its header: "Service: Payments; Owner: Ana". "" where no cell has text.

    So a row can be read, found and quoted by itself, however far its header stands. A column without a name gives its
    cell alone; two columns that both have none are a key and its value.
    """
    names = [one_line(name).rstrip(":").replace(";", ",").replace(": ", ", ") for name in headers]
    values = [one_line(cell).replace(";", ",") for cell in cells]
    if not any(names):
        return f"{values[0].rstrip(':')}: {values[1]}" if len(values) == 2 and all(values) else row_text(cells)
    names += [""] * (len(values) - len(names))
    return "; ".join(f"{name}: {value}" if name else value for name, value in zip(names, values, strict=False) if value)


def without_title(text: str, title: str) -> str:
    """`text` without its first line if that repeats the title and more follows."""
    first, _, rest = text.partition("\n")
    rest = rest.lstrip()
    return rest if rest and one_line(_HEADING_MARKS.sub("", first, count=1)).casefold() == title.casefold() else text


def readable_name(stem: str) -> str:
    """A file's stem as a title: `annual_report-2020` becomes "Annual report 2020"."""
    words = one_line(stem.replace("_", " "))
    if " " not in words:
        words = one_line(words.replace("-", " "))
    return words[:1].upper() + words[1:]


def first_words(text: str) -> str:
    """The start of `text` as a title for want of another: its first sentence, or eight words of it."""
    words = text[:400].split()[:8]
    for count, word in enumerate(words, 1):
        if word.endswith((".", "!", "?", "。")) and count > 1:
            return " ".join(words[:count])[:80].rstrip(".。")
    return " ".join(words)[:80].rstrip(" ,;:.")


def has_room(line: str, following: str, width: float) -> bool:
    """Whether the first word of the following line would have fitted, so that the line was ended on purpose."""
    word = following.split(maxsplit=1)[0] if following else ""
    return not word or len(line) + 1 + len(word) <= width
