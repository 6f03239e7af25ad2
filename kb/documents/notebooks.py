"""Reader of Jupyter notebooks (.ipynb)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kb.documents.markdown import read_markdown
from kb.documents.plaintext import Content, Unreadable, decode, one_line
from kb.documents.unpacking import origin_lines
from kb.records import Link
from kb.wellformed import without_escapes

_MAX_OUTPUT = 20_000


def read_notebook(data: bytes) -> Content:
    """Markdown as Markdown is read, code as it is, and what it printed. Raises Unreadable for what is no notebook."""
    try:
        book = json.loads(decode(data))
        cells = book["cells"] if "cells" in book else [cell for sheet in book["worksheets"] for cell in sheet["cells"]]
        parts = [part for cell in cells for part in _cell(cell)]
        authors = [one_line(str(one["name"])) for one in (book.get("metadata") or {}).get("authors") or []]
    except json.JSONDecodeError as error:
        raise Unreadable(f"is no notebook ({error.msg} at line {error.lineno})") from error
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise Unreadable("is no notebook: it has no cells") from error
    if not parts:
        raise Unreadable("has no text")
    # As one Markdown file, so that the first heading of any cell but the first is no title.
    content = read_markdown("\n\n".join(parts).encode("utf-8", "replace"))
    return _signed(content, origin_lines(", ".join(authors), ""))


def _signed(content: Content, origin: str) -> Content:
    """The text below the line that says whose it is, "" for none."""
    if not origin:
        return content
    above = f"{origin}\n\n"
    links = tuple(Link(one.start + len(above), one.end + len(above), one.target) for one in content.links)
    return replace(content, text=above + content.text, links=links)


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = _joined(cell.get("source", cell.get("input", "")))
    if cell.get("cell_type") in ("markdown", "heading"):
        level = int(cell.get("level", 1))
        yield f"{'#' * min(level, 6)} {source}" if cell["cell_type"] == "heading" else source
    elif source.strip():
        yield _fenced(source)
        for output in cell.get("outputs") or []:
            if text := _output(output).strip():
                yield _fenced(text[:_MAX_OUTPUT])


def _output(output: dict[str, Any]) -> str:
    """What an output says in plain text; pictures and HTML of tables say it there too."""
    if output.get("output_type") == "error":
        return f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"
    text = output.get("text") or (output.get("data") or {}).get("text/plain") or ""
    return without_escapes(_joined(text))


def _joined(text: Any) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def _fenced(text: str) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}\n{text}\n{fence}"
