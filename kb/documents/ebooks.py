"""Readers of OpenDocument texts (.odt) and e-books (.epub): archives of XML, read in memory and within bounds."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

from kb.documents.asked_here import with_questions
from kb.documents.links import marked, taken_out, without_marks
from kb.documents.office import spanned_table
from kb.documents.plaintext import Block, Content, Unreadable, first_heading, heading, joined, one_line
from kb.documents.spanned_cells import Cell
from kb.documents.unpacking import MAX_NESTING, local, opened_zip, origin_lines, parse_xml, sensible_title
from kb.documents.web_pages import read_html

_LEFT_OUT = frozenset("tracked-changes annotation annotation-end note-citation sequence-decls forms".split())
_APART = frozenset("note p h list-item".split())  # what stands within a paragraph without being a part of it
_MAX_REPEATED = 100


def read_odt(data: bytes) -> Content:
    """A text of LibreOffice's; its title is its property, else its first heading. Raises Unreadable for others."""
    with opened_zip(data, "OpenDocument text", ".odt") as archive:
        found = _properties(archive, "meta.xml")
        if b"encryption-data" in _part(archive, "META-INF/manifest.xml"):
            raise Unreadable("is protected by a password: save a copy without one")
        root = parse_xml(archive.read("content.xml"))
        body = next((part for part in root.iter() if local(part) == "body"), None) if root is not None else None
        if body is None:
            raise Unreadable("is damaged or no OpenDocument text: save it as .odt again")
        blocks = list(with_questions(_blocks(body, 0)))
        author = found.get("creator") or found.get("initial-creator", "")
        origin = origin_lines(author, found.get("date") or found.get("creation-date", ""))
        text = joined(blocks)
        text, links = taken_out(f"{origin}\n\n{text}".strip() if text else "")
        title = sensible_title(found.get("title")) or taken_out(first_heading(blocks))[0]
        return Content(title, text, links=links)


def _part(archive: ZipFile, name: str) -> bytes:
    return archive.read(name) if name in archive.namelist() else b""


def _properties(archive: ZipFile, name: str) -> dict[str, str]:
    """The first text of each element of a part, by the element's name."""
    data = _part(archive, name)
    root = parse_xml(data) if data else None
    found: dict[str, str] = {}
    for part in root.iter() if root is not None else ():
        if part.text and part.text.strip():
            found.setdefault(local(part), part.text.strip())
    return found


def _blocks(parent: Any, level: int) -> Iterator[Block]:
    if level > MAX_NESTING:
        raise Unreadable(f"has more than {MAX_NESTING} levels")
    for part in parent:
        name = local(part)
        if name == "h":
            depth = _attribute(part, "outline-level")
            if text := _words(part, 0).strip():
                yield heading(int(depth) if depth.isdigit() else 1, text)
        elif name == "p":
            lines = map(one_line, _words(part, 0).split("\n"))
            if text := "\n".join(lines).strip():
                yield Block(text)
        elif name == "list":
            yield from _items(part, 0)
        elif name == "table":
            rows, header = _rows(part)
            yield from spanned_table(rows, header=header or None)
        elif name not in _LEFT_OUT:
            yield from _blocks(part, level + 1)


def _attribute(element: Any, name: str) -> str:
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _words(element: Any, level: int) -> str:
    """The text of a paragraph; spaces, tabs and line ends are elements of their own."""
    if level > MAX_NESTING:
        raise Unreadable(f"has more than {MAX_NESTING} levels")
    parts = [without_marks(element.text or "")]
    for child in element:
        name = local(child)
        if name == "line-break":
            parts.append("\n")
        elif name in ("s", "tab"):
            parts.append(" ")
        elif name and name not in _LEFT_OUT:
            words = _words(child, level + 1)
            words = marked(_attribute(child, "href"), words) if name == "a" else words
            parts.append(f" {words} " if name in _APART else words)
        parts.append(without_marks(child.tail or ""))
    return "".join(parts)


def _items(element: Any, depth: int) -> Iterator[Block]:
    if depth > MAX_NESTING:
        raise Unreadable(f"has more than {MAX_NESTING} levels")
    for item in element:
        marker = "- "
        for part in item:
            if local(part) == "list":
                yield from _items(part, depth + 1)
            elif text := one_line(_words(part, 0)):
                yield Block(f"{'  ' * depth}{marker}{text}", "item")
                marker = "  "


def _rows(element: Any) -> tuple[list[list[Cell]], bool]:
    """The rows that have cells of their own, and whether the first is marked as the header."""
    rows: list[list[Cell]] = []
    header = False
    for row in element.iter():
        if local(row) != "table-row":
            continue
        is_header = local(row.getparent()) == "table-header-rows"
        cells: list[Cell] = []
        for cell in row:
            if local(cell) == "table-cell":
                text = one_line(" ".join(_words(part, 0) for part in cell))
                columns, down = _count(cell, "number-columns-spanned"), _count(cell, "number-rows-spanned")
                # A sheet's last cell may be repeated a million times, empty.
                times = min(_count(cell, "number-columns-repeated"), _MAX_REPEATED)
                cells += [Cell(text, is_header, columns, down) for _ in range(times)]
        header = header or (not rows and is_header)
        rows.append(cells)
    return rows, header


def _count(element: Any, name: str) -> int:
    given = _attribute(element, name)
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 8 else 1


def read_epub(data: bytes) -> Content:
    """A book, its chapters in order. Raises Unreadable for what is none, or is bound to one reader's device."""
    with opened_zip(data, "EPUB book", ".epub") as archive:
        names = set(archive.namelist())
        container = parse_xml(_part(archive, "META-INF/container.xml"))
        root_file = next((_attribute(part, "full-path") for part in container.iter() if local(part) == "rootfile"), "")
        found = _properties(archive, root_file)
        chapters = [name for name in _spine(parse_xml(_part(archive, root_file)), root_file) if name in names]
        locked = _part(archive, "META-INF/encryption.xml")
        if any(name.encode() in locked for name in chapters):
            raise Unreadable("is protected against copying (DRM): it cannot be read")
        texts = [text for name in chapters if (text := _chapter(archive.read(name)))]
        origin = origin_lines(found.get("creator", ""), found.get("date", ""))
        return Content(sensible_title(found.get("title")), "\n\n".join([origin, *texts]).strip() if texts else "")


def _chapter(data: bytes) -> str:
    return read_html(data).text if data.strip() else ""


def _spine(package: Any, root_file: str) -> Iterator[str]:
    """The names of a book's parts in the order of reading."""
    folder = posixpath.dirname(root_file)
    files = {_attribute(part, "id"): _attribute(part, "href") for part in package.iter() if local(part) == "item"}
    seen: set[str] = set()
    for part in package.iter():
        href = files.get(_attribute(part, "idref"), "") if local(part) == "itemref" else ""
        if href and href not in seen:
            seen.add(href)
            yield posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))
