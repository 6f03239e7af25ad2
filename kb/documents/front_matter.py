"""What stands above a note between lines of dashes: its title, its other names, and what else is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from kb.documents.data_files import yaml_record
from kb.documents.links import taken_out, wiki_links_marked
from kb.documents.plaintext import one_line

_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)

_LONGEST_FRONT = 100_000

_FRONT_LINE = re.compile(r"([A-Za-z][\w -]{0,40}?)[ \t]*[:=][ \t]*(.*)")


class FrontMatter(NamedTuple):
    """The title, what else is said of the note as `Key: value` lines, a list's values apart by commas, its other names,
    and where in the text it ends.
    """

    title: str
    lines: str
    names: list[str]
    end: int


def front_matter(text: str) -> FrontMatter | None:
    """The front matter that a text begins with; None for what is none: text between two lines across the page."""
    matched = _FRONT_MATTER.match(text)
    pairs = _pairs(matched[1], wiki_links_marked(matched[2])) if matched else None
    if matched is None or pairs is None:
        return None
    found: dict[str, list[str]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(one_line(value))
    title = next((one for key in found if key.lower() == "title" for one in found.pop(key)), "")
    lines = [f"{key[:1].upper()}{key[1:]}: {', '.join(filter(None, values))}" for key, values in found.items()]
    names = [taken_out(one)[0] for key in found if key.lower() in ("alias", "aliases") for one in found[key] if one]
    return FrontMatter(title, "\n".join(line for line in lines if not line.endswith(": ")), names, matched.end())


def _pairs(fence: str, text: str) -> list[tuple[str, str]] | None:
    """Keys with their values, of a record in YAML or of lines like one; None where it is neither."""
    record = yaml_record(text) if fence == "---" and len(text) <= _LONGEST_FRONT else None
    return (list(_front_lines(text)) or None) if record is None else list(_front_pairs("", record))


def _front_pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Keys with their values; the key of what is within another has both names."""
    if isinstance(value, tuple):
        for key, one in value:
            yield from _front_pairs(f"{name} {key[:1].lower()}{key[1:]}" if name else key, one)
    elif isinstance(value, list):
        for one in value:
            yield from _front_pairs(name, one)
    else:
        yield name, value


def _front_lines(text: str) -> Iterator[tuple[str, str]]:
    """Keys with their values in what is no YAML; nothing where a line at the margin is not of that kind."""
    pairs: list[tuple[str, str]] = []
    for line in text.split("\n"):
        if line.lstrip().startswith("- ") and pairs:
            pairs.append((pairs[-1][0], _front_value(line.lstrip()[2:])))
        elif pair := _FRONT_LINE.fullmatch(line):
            values = pair[2].strip("[] \t").split(",") if pair[2].startswith("[") else [pair[2]]
            pairs += ((pair[1].replace("_", " "), _front_value(one)) for one in values)
        elif line[:1].isalpha():
            return iter(())
    return iter(pairs)


def _front_value(text: str) -> str:
    return one_line(text).strip("\"'")
