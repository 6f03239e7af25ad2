"""Things of a list that are told to be so, or not: "Which chapters have not been begun?" by "Model: not begun"."""

from __future__ import annotations

import re
from collections import defaultdict

from kb.documents.structure import Line
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

LISTED = 0.86
"""How sure it is that the list is the one that is meant."""

_LONGEST = 300
_ASKS = re.compile(
    r"\W*(?:(?:and|so)\s+)?(?:which|what|how many)\s+(?:of (?:the|our|my)\s+)?"
    r"(?P<kind>[a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+"
    r"(?:is|are|was|were|has|have|had)(?P<short>n['’]t)?\s+(?P<not>not\s+)?"
    r"(?:(?:yet|been|already|still|all)\s+)*(?P<said>[a-z][a-z -]{2,40})",
    re.I,
)
_BESIDE = re.compile(r"[,;.(]")
_DENIED = re.compile(r"\b(?:not|never|un(?=[a-z]{4}))", re.I)
_LATER = frozenset(content_stems("yet so far already still now"))


def find_listed(question: str, evidence: Evidence) -> list[Found]:
    """The names of a list below the heading of the kind that is asked for whose text begins with what is said of them,
    in their order; [] for none, and where two lists have some.
    """
    match = _ASKS.fullmatch(" ".join(question.split()).strip(" ?.!")) if len(question) <= _LONGEST else None
    if match is None:
        return []
    kind = frozenset(content_stems(match["kind"]))
    said = frozenset(content_stems(_DENIED.sub("", match["said"]))) - _LATER
    is_denied = bool(match["short"] or match["not"]) != bool(_DENIED.match(match["said"]))
    found = [
        told
        for doc in evidence.docs
        for lines in _lists(doc, kind)
        if said and (told := [doc.found(*line.key, LISTED) for line in lines if _is_so(doc, line, said, is_denied)])
    ]
    return found[0] if len(found) == 1 else []


def _lists(doc: Doc, kind: Stems) -> list[list[Line]]:
    """The lines "name: value" of each list whose heading names the kind, at least two."""
    lists: dict[tuple[str, ...], list[Line]] = defaultdict(list)
    for line in doc.lines:
        above = doc.headings(line.start)
        if line.kind == "pair" and line.values and above and kind & frozenset(content_stems(above[-1])):
            lists[above].append(line)
    return [lines for lines in lists.values() if len(lines) > 1]


def _is_so(doc: Doc, line: Line, said: Stems, is_denied: bool) -> bool:
    """Whether the text of a line begins by saying so, and denies it or not as is asked."""
    first = _BESIDE.split(doc.text[line.values[0].start : line.end].strip(), maxsplit=1)[0]
    told = frozenset(content_stems(_DENIED.sub("", first))) - _LATER
    return said == told and bool(_DENIED.search(first)) == is_denied
