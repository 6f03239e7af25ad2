"""What plain text sets apart with lines of signs, and the entries of a list of changes, as headings.

An underlined line is a heading, as is the line that begins a release in a NEWS file or a Debian changelog. Lines of
signs say nothing else and are left out, as are the frames of boxes. Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from email.utils import parsedate_to_datetime

from kb.documents.structure import is_heading

_RULER = re.compile(r"\s*([=*~_#+^•·—–-])(?: ?\1){2,}\s*")
_BOXED = re.compile(r"\s*([|*#])\s+(?P<inside>\S(?:.*?\S)?)\s+\1\s*")
_LONGEST = 100
"""Characters of a heading."""

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = (
    rf"(?:\d{{4}}[-/]\d\d?[-/]\d\d?|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}}"
    rf"|{_MONTH} (?:\d{{1,2}},? )?\d{{4}}|unreleased)"
)
_VERSION = r"[vV]?\d{1,5}(?:\.\d{1,6}){1,3}(?:[-~+.]?(?:rc|alpha|beta|pre|dfsg|p)?\.?\d{1,4})?(?![\w.]*[\w])"
_RELEASE = re.compile(
    r"(?:[*=]{1,3} )?(?:(?P<said>(?:noteworthy |changes? |new |in |of |release |version )+)"
    r"|[A-Za-z][\w+.-]{0,30} (?:version |release )?)?"
    rf"[\[(]?{_VERSION}[\])]?(?P<dated>[ ,:–—/-]*[(\[]?(?:released )?(?:on )?{_DATE}[)\]]?)?(?: \[\w+\])?[ :=]*",
    re.IGNORECASE,
)
_BELOW = re.compile(r"\*{2,4} (?P<words>[A-Z][^\n.:]{2,60})")
_DEBIAN = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9+.-]+) \((?P<version>[^()\s]+)\) (?P<into>[\w ./-]+); urgency=(?P<urgency>\w+).*"
)
_SIGNED = re.compile(r" -- (?P<who>\S.*?)  (?P<date>\w{3}, {1,2}\d{1,2} \w{3} \d{4} [\d:]{5,8} [+-]\d{4}).*")
_OUTLINE = re.compile(r"\s*-\*-.{1,40}-\*-\s*$")


def with_headings(text: str) -> str:
    """`text` with a heading, set apart, for each line that is underlined or begins a release. A first line that alone
    is underlined as it is has one mark and is the title of the whole; all others have two and more.
    """
    lines = text.split("\n")
    if len(lines[0]) <= _LONGEST:
        lines[0] = _OUTLINE.sub("", lines[0])
    if _DEBIAN.fullmatch(lines[0]):
        return re.sub(r"\n{3,}", "\n\n", "\n".join(_debian(lines))).strip("\n")
    made = _releases(list(_underlined(lines)))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(made)).strip("\n")


def without_rulers(lines: Sequence[str]) -> list[str]:
    """Lines of a paragraph of prose without those of signs alone, and without the frame of a box that they draw."""
    words = [line for line in lines if not _is_ruler(line)]
    if len(words) == len(lines):
        return words
    boxed = [_BOXED.fullmatch(line) for line in words]
    return [box["inside"] if box else line for box, line in zip(boxed, words, strict=True)]


def _is_ruler(line: str) -> bool:
    return _RULER.fullmatch(line) is not None


def _underlined(lines: Sequence[str]) -> Iterator[str]:
    """The lines with those that are underlined as headings, a level for each way of it, in the order they come."""
    styles: list[str] = []
    found = dict(_marked(lines))
    first = next((at for at, line in enumerate(lines) if line.strip() and not _is_ruler(line)), 0)
    is_title = first in found and sum(found[first] == one for one in found.values()) == 1
    skipped = {
        at for heading in found for at in (heading - 1, heading + 1) if 0 <= at < len(lines) and _is_ruler(lines[at])
    }
    for at, line in enumerate(lines):
        if at in found:
            if found[at] not in styles and not (is_title and at == first):
                styles.append(found[at])
            level = 1 if is_title and at == first else 2 + styles.index(found[at])
            yield from ("", f"{'#' * min(level, 6)} {line.strip()}", "")
        elif at not in skipped:
            yield line


def _marked(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where a line stands alone above a line of signs as long as it, and how that is drawn."""
    for at in range(len(lines) - 1):
        words, below = lines[at].strip(), lines[at + 1].strip()
        if not words or len(words) > _LONGEST or not _is_ruler(below) or _is_ruler(words) or is_heading(words):
            continue
        above = lines[at - 1].strip() if at else ""
        is_alone = not above or _is_ruler(above)
        is_long = len(below) >= min(len(words), 4) and (_is_ruler(above) or len(below) <= len(words) + 20)
        is_table = "  " in words or words[0] in "|*" or words.startswith("- ")
        if is_alone and is_long and not is_table and words[0].isalnum() and words[-1] not in ".,;":
            yield at, below[0] + ("^" if above else "")


def _releases(lines: list[str]) -> list[str]:
    """The lines with those that begin a release as headings, and what the outline of such a file has below them."""
    found = {
        at: match
        for at, line in enumerate(lines)
        if len(line) <= _LONGEST
        and (at == 0 or not lines[at - 1].strip())
        and (match := _RELEASE.fullmatch(line.strip()))
        if match["dated"] or match["said"] or line.startswith(("v", "V"))
    }
    if len(found) < 2:
        return lines
    made: list[str] = []
    for at, line in enumerate(lines):
        below = _BELOW.fullmatch(line.strip()) if at + 1 < len(lines) and not lines[at + 1].strip() else None
        if at in found:
            made += ["", f"## {line.strip().lstrip('*= ').rstrip(' :=')}", ""]
        elif below:
            made += ["", f"### {below['words']}", ""]
        else:
            made.append(line)
    return made


def _debian(lines: Sequence[str]) -> Iterator[str]:
    """A Debian changelog: each upload is a heading with its day, below it who signed it and what it says."""
    head, said = None, list[str]()
    for line in lines:
        opened, signed = _DEBIAN.fullmatch(line), _SIGNED.fullmatch(line) if head else None
        if opened or signed:
            yield from _upload(head, signed, said)
            head, said = opened, []
        else:
            said.append(line)
    yield from _upload(head, None, said)


def _upload(head: re.Match[str] | None, signed: re.Match[str] | None, said: Sequence[str]) -> Iterator[str]:
    """One upload; of one that nobody has signed there is no day."""
    if head:
        day = f", {_day(signed['date'])}" if signed else ""
        who = f"Maintainer: {signed['who']}\n" if signed else ""
        yield f"\n## {head['name']} ({head['version']}){day}\n"
        yield f"Distribution: {head['into'].strip()}\nUrgency: {head['urgency']}\n{who}"
    yield "\n".join(said).strip("\n")


def _day(date: str) -> str:
    try:
        return parsedate_to_datetime(date).date().isoformat()
    except ValueError:  # a day that is none stays as it is written
        return " ".join(date.split())
