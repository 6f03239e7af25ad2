"""Small documents for tests, made on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO


def pdf(pages: Sequence[Sequence[str]], title: str = "", password: str = "", about: str = "") -> bytes:
    """A PDF with the given lines on each page; `about` are more of its properties."""
    content: list[bytes] = []
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    content.append(b"<< /Type /Catalog /Pages 2 0 R >>")
    content.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    content.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    for number, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj T* " for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown}ET".encode("cp1252")
        content.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        content.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    content.append(f"<< /Title ({title}) {about} >>".encode())
    out = BytesIO(b"")
    out.write(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(content, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    entries = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out.write(b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(content) + 1, entries))
    info = f" /Info {len(content)} 0 R" if title or about else ""
    out.write(f"trailer << /Size {len(content) + 1} /Root 1 0 R{info} >>\nstartxref\n{start}\n%%EOF".encode())
    return _encrypted(out.getvalue(), password) if password else out.getvalue()


def _encrypted(data: bytes, password: str) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    writer.encrypt(password, algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(parts: Sequence[tuple[str, str] | Sequence[Sequence[str]]], title: str = "", author: str = "") -> bytes:
    """A Word document of (style, text) paragraphs and of tables, given as rows of cells."""
    import docx as python_docx

    document = python_docx.Document()
    document.core_properties.title = title
    if author:
        document.core_properties.author = author
        document.core_properties.modified = datetime(2025, 4, 3, 12, 0)
    for part in parts:
        if isinstance(part, tuple):
            style, text = part
            document.add_paragraph(text, style=style)
        else:
            table = document.add_table(rows=len(part), cols=len(part[0]))
            for row, cells in zip(table.rows, part, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
    out = BytesIO()
    document.save(out)
    return out.getvalue()
