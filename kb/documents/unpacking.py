"""What the readers of untrusted files share: bounds, archives that are never unpacked to disk, XML without entities."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from kb.documents.plaintext import Unreadable, one_line

MAX_UNPACKED = 200_000_000
"""Most bytes that an archive, such as a .docx, may unpack to. A book of a thousand pages takes some 20 MB."""

MAX_NESTING = 50
"""Levels of lists, objects and elements that are followed; Python's own calls fail near a thousand."""

# What the parsing libraries were seen to raise for damaged files, beside their own error classes.
DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,  # RecursionError and NotImplementedError among them
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)

_DTD = re.compile(rb"<\0?!\0?D\0?O\0?C\0?T\0?Y\0?P\0?E|<\0?!\0?E\0?N\0?T\0?I\0?T\0?Y")  # in UTF-16 as well


def megabytes(size: int) -> str:
    """A number of bytes for people, in units of 10⁶."""
    return f"{size / 1e6:,.1f} MB".replace(".0 ", " ")


def brief(error: BaseException) -> str:
    """The start of what an error says, in one line."""
    return one_line(str(error))[:80] or type(error).__name__


@contextmanager
def opened_zip(data: bytes, what: str, suffix: str) -> Iterator[zipfile.ZipFile]:
    """An archive that unpacks to no more than is allowed; whatever is raised on the way becomes Unreadable."""
    from lxml.etree import LxmlError

    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise Unreadable(f"is of an old format or has a password: save it as {suffix} without one")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
            if unpacked > MAX_UNPACKED:
                raise Unreadable(
                    f"would unpack to {megabytes(unpacked)}, over the limit of {megabytes(MAX_UNPACKED)}: split it"
                )
            yield archive
    except Exception as error:
        # The libraries of Office files have classes of their own for some kinds of damage.
        own = type(error).__module__.partition(".")[0] in ("openpyxl", "pptx", "docx")
        if not own and not isinstance(error, (LxmlError, *DAMAGE)):
            raise
        raise Unreadable(f"is damaged or no {what} ({brief(error)}): save it as {suffix} again") from error


def refuse_entities(archive: zipfile.ZipFile) -> None:
    """Raise Unreadable where an XML part declares entities: office files have no use for them, only attacks do."""
    for name in archive.namelist():
        if name.endswith((".xml", ".rels")) and _DTD.search(archive.read(name)):
            raise Unreadable("declares entities, which no such file needs: it is not read")


def parse_xml(data: bytes, *, mend: bool = True) -> Any:
    """The root element, or None. Entities are not expanded, nothing is loaded; faults are passed over.

    Without `mend`, they raise lxml's XMLSyntaxError.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=mend, huge_tree=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    return etree.fromstring(data, parser)


def local(element: Any) -> str:
    """An element's name without its namespace; "" for comments and the like."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


# Names that programs put in as an author by themselves.
_PROGRAMS = frozenset((
    "openpyxl", "python-pptx", "python-docx", "steve canny", "xlsxwriter", "apache poi", "microsoft office user",
    "unknown", "un-named", "user", "author", "admin", "administrator", "windows user",
))  # fmt: skip


def origin_lines(author: str, date: str) -> str:
    """`Author: …` and `Date: …` lines of a file's properties; nothing where a program is named as the author."""
    author = one_line(author)
    if author.casefold() in _PROGRAMS:
        return ""
    day = re.match(r"\d{4}(?:-\d\d(?:-\d\d)?)?", date.strip())
    lines = [f"Author: {author}"] if author else []
    return "\n".join(lines + ([f"Date: {day[0]}"] if day else []))


def sensible_title(title: object) -> str:
    """A title from a file's properties, unless it is what programs write there by themselves."""
    text = one_line(title) if isinstance(title, str) else ""
    made_up = re.match(
        r"(?i)(untitled|unknown$|microsoft (word|powerpoint|excel)|word document|document ?\d*$"
        r"|(powerpoint )?presentation$)", text
    )  # fmt: skip
    file_name = re.search(r"(?i)\.(docx?|pdf|tex|dvi|indd|qxd|rtf|odt|pptx?|ps|eps|txt|html?)$", text)
    has_words = re.search(r"[^\W\d_]{2}", text)
    return "" if made_up or file_name or not has_words or len(text) > 300 else text


_TEMPLATE_DAYS = ("2013-12-23T23:15:00Z", "2013-01-27T09:15:58Z", "2013-01-27T09:14:16Z")
"""When the templates were made that python-docx and python-pptx copy, dates and all."""


def core_properties(archive: zipfile.ZipFile) -> tuple[str, str, str]:
    """Title, author and day of the last change, from the properties of an Office file."""
    if "docProps/core.xml" not in archive.namelist():
        return "", "", ""
    root = parse_xml(archive.read("docProps/core.xml"))
    found = {local(part): part.text or "" for part in (root if root is not None else ())}
    if one_line(found.get("creator") or found.get("lastModifiedBy", "")).casefold() in _PROGRAMS:
        return found.get("title", ""), "", ""  # the day is then often that of the program's template
    days = (found.get(name, "") for name in ("modified", "created"))
    date = next((day for day in days if day and day not in _TEMPLATE_DAYS), "")
    return found.get("title", ""), found.get("creator", ""), date
