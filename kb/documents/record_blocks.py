"""Records as people keep them in plain text: blocks of `Key: value` lines below a line of their own, in capitals or
between signs, or each begun by the key that names it.

    == Corks ==                     FIRM LIST

    Name: Lusocork UK               Firm: Calder Heating
    Account no: LC/0883             Phone: 01632 960711

Such a line is made a heading, and a block that is named by its first line gets that name for one, so that what the
lines say is said of it, as below any heading. Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kb.documents.structure import PAIR, is_heading

_SIGNS = re.compile(r"(?P<signs>[=*~_+-]{1,6}) *(?P<words>[^\W_](?:[^\n]{0,78}[^\s=*~_+-])?) *(?P=signs)")
_CAPITALS = re.compile(r"(?P<words>[^\W\d_](?:[^\W_]|[ ,&/'’.-]){2,58}(?: \([^()\n]{1,60}\))?):?")
_LEAST_LINES = 3
"""Lines of a block that is a record: two pairs of words with colons may be anything."""
_LEAST_LETTERS = 3
"""Letters of a line that is a heading in capitals: fewer are a mark or an abbreviation."""
_LEAST = 2
"""Lines in capitals, and records that begin with one key, from which they are how a text is written."""
_NAMING = frozenset("name firm company customer client supplier producer practice organisation business shop".split())
_LONGEST_TITLE = 100
"""Characters of a line that stands above a record."""
_LONGEST_NAME = 8
"""Words of what names a record."""
_SENTENCE = re.compile(r"[.!?]\s+[A-Z]|[.!?,;]$")


def with_records(text: str) -> str:
    """`text` with a heading for each line that is drawn as one, and above each record that names itself."""
    paragraphs = text.split("\n\n")
    titles = _titles(paragraphs) | _titling(paragraphs)
    parted = [part for at, one in enumerate(paragraphs) for part in _parted(one, titles, is_first=at == 0)]
    names = [record for part in parted if (record := _record(part))]
    # What names a record is its own: "Urgency: low" may begin each of many.
    counts, distinct = Counter(key for key, _ in names), Counter(key for key, _ in set(names))
    leading = {key for key, count in counts.items() if count >= _LEAST and count == distinct[key]}
    level = "###" if any(is_heading(part) for part in parted) else "##"
    made: list[str] = []
    for part in parted:
        record = _record(part)
        # One that has a heading of its own is called by that, unless its first line says that it is a name.
        is_called = bool(made) and is_heading(made[-1]) and record and record[0].casefold() not in _NAMING
        if record and record[0] in leading and not is_called:
            made.append(f"{level} {record[1]}")
        made.append(part)
    return "\n\n".join(made)


def _titles(paragraphs: Sequence[str]) -> frozenset[str]:
    """The first lines of paragraphs that are written in capitals, where there are several; that of the text is none."""
    lines = [one.split("\n", 1)[0].strip() for one in paragraphs[1:]]
    found = [line for line in lines if _is_in_capitals(line)]
    return frozenset(found) if len(found) >= _LEAST else frozenset()


def _titling(paragraphs: Sequence[str]) -> frozenset[str]:
    """The lines that stand right above a block of pairs, where several do: "COLDWELL DAIRY - cheese, butter, milk"."""
    found = []
    for first, _, rest in (one.partition("\n") for one in paragraphs[1:]):
        is_title = len(first) <= _LONGEST_TITLE and first[:1].isalnum() and not PAIR.fullmatch(first.strip())
        if is_title and not _SENTENCE.search(first.strip()) and _pairs(rest):
            found.append(first.strip())
    return frozenset(found) if len(found) >= _LEAST else frozenset()


def _pairs(paragraph: str) -> list[re.Match[str]]:
    """The lines of a block in which every line is a pair, each of another key; [] for any other paragraph."""
    found = [PAIR.fullmatch(line.strip()) for line in paragraph.split("\n")]
    pairs = [pair for pair in found if pair]
    is_block = len(pairs) >= max(len(found), _LEAST_LINES) and len({pair["key"] for pair in pairs}) == len(pairs)
    return pairs if is_block else []


def _is_in_capitals(line: str) -> bool:
    match = _CAPITALS.fullmatch(line)
    words = match["words"].partition(" (")[0] if match else ""
    return words.isupper() and sum(map(str.isalpha, words)) >= _LEAST_LETTERS and not _SENTENCE.search(words)


def _parted(paragraph: str, titles: frozenset[str], *, is_first: bool) -> list[str]:
    """A paragraph, or a heading and what stands below it."""
    first, _, rest = paragraph.partition("\n")
    signs = _SIGNS.fullmatch(first.strip())
    is_title = first.strip() in titles and not is_first
    if is_heading(first) or not (signs or is_title):
        return [paragraph]
    words = signs["words"].strip() if signs else first.strip().rstrip(":")
    return [f"## {words}", rest] if rest else [f"## {words}"]


def _record(paragraph: str) -> tuple[str, str] | None:
    """The key that begins a block of pairs, and what it names; None for any other paragraph."""
    pairs = _pairs(paragraph)
    if not pairs:
        return None
    first = pairs[0]
    is_name = len(first["value"].split()) <= _LONGEST_NAME and not _SENTENCE.search(first["value"])
    return (first["key"], first["value"].strip()) if is_name else None
