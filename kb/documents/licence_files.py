"""Debian's files of copyrights (DEP-5): each stanza is about the files that it names."""

from __future__ import annotations

import re

from kb.documents.plaintext import one_line, record_text

_FORMAT = re.compile(r"Format(?:-Specification)?: *\S*(?:copyright-format|dep5?)\b", re.IGNORECASE)
_FIELD = re.compile(r"(?P<name>[A-Za-z][A-Za-z-]{1,30}):(?P<value>.*)")


def licence_text(text: str) -> str:
    """The text of such a file: fields of its head and of `Files: *` as `Key: value` lines, each other stanza that names
    files as a row, and each licence below a heading. "" for any other text.
    """
    if not _FORMAT.match(text):
        return ""
    head, *stanzas = [_fields(one) for one in re.split(r"\n[ \t]*\n", text)]
    about = [f"{key}: {one_line(value)}" for key, value in head.items() if value and not key.startswith("Format")]
    rows: list[str] = []
    licences: list[str] = []
    for fields in filter(None, stanzas):
        files = one_line(fields.get("Files", ""))
        if not files:
            licences.append(_licence(fields))
        elif files == "*":
            about += [f"{key}: {_short(key, value)}" for key, value in fields.items() if key != "Files"]
            licences.append(_licence(fields))
        else:
            rows.append(record_text(list(fields), [_short(key, value) for key, value in fields.items()]))
            licences.append(_licence(fields))
    name = one_line(head.get("Upstream-Name", ""))
    parts = ["\n".join(about), f"## Files of {name}" if rows and name else "", "\n".join(rows), *licences]
    return "\n\n".join(filter(None, parts))


def _fields(stanza: str) -> dict[str, str]:
    """The fields of a stanza in order; a line that is written further in goes on with the one above."""
    fields: dict[str, str] = {}
    for line in stanza.split("\n"):
        match = _FIELD.fullmatch(line)
        if match and match["name"] not in fields:
            fields[match["name"]] = match["value"].strip()
        elif fields:
            fields[next(reversed(fields))] += f"\n{line.strip()}"
    return fields


def _short(key: str, value: str) -> str:
    """A value in one line: of a licence its name, of several holders one behind the other."""
    lines = [one for one in map(str.strip, value.split("\n")) if one]
    return (lines or [""])[0] if key == "License" else ", ".join(one.rstrip(",") for one in lines)


def _licence(fields: dict[str, str]) -> str:
    """The text of a licence below its name; "" where there is only the name."""
    name, _, said = fields.get("License", "").partition("\n")
    said = "\n".join("" if line.strip() == "." else line.strip() for line in said.split("\n")).strip()
    return f"## {name.strip()}\n\n{said}" if name and said else ""
