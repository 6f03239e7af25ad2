"""The oldest version of a thing that another one needs: "Which Python version do I need to build GnuTLS?" is told by
"Python (use 3.6 or later)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.recorded_rows import DENIES
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

STATED = 0.85
"""How sure it is that what is needed is told of the thing that the question means."""

_LONGEST = 300
_NAMED = 2
"""What a word of the question in a title, a heading or a file's name counts, beside one in the text."""
_LEADS = r"(?:the|is|minimum|minimal|oldest|lowest|earliest|least|supported|required|necessary)"
_ASKED = re.compile(
    rf"\b(?:which|what|minimum|minimal|oldest|lowest|earliest)\s+(?:{_LEADS}\s+)*"
    r"(?P<before>[\w.+#/-]+(?: [\w.+#/-]+)?)\s+versions?\b|\bversions?\s+of\s+(?:the\s+)?(?P<of>[\w.+#/-]+)",
    re.I,
)
_NEEDS = re.compile(
    r"\b(?:needs?|needed|requires?|required|minimum|minimal|at least|oldest|lowest|earliest|necessary|must|depends?)\b",
    re.I,
)
_NEWEST = re.compile(r"\b(?:latest|newest|current|maximum|highest|last|most recent)\b", re.I)
_VERSION = r"\d+(?:\.\d+){0,4}"
_OR_LATER = re.compile(
    rf"[^\n;.\d]{{0,30}}?(?P<told>{_VERSION}(?:\s*\([^()\n]{{1,30}}\))?"
    r"(?:\+(?!\w)|,?\s+(?:or|and)\s+(?:later|newer|above|higher|greater|up)\b))",
    re.I,
)
_AT_LEAST = re.compile(
    rf"[^\n;.\d]{{0,20}}?(?:≥|>=|\bat least|\bminimum(?: version)?(?: of|:)?)\s*(?P<told>{_VERSION})", re.I
)
_AT_LEAST_BEFORE = re.compile(r"(?:≥|>=|\bat least|\bminimum)\s*$", re.I)
_PLAIN = re.compile(rf"\s+(?P<told>{_VERSION})(?![\w.]*\d)")
_ASIDE = frozenset(
    content_stems(
        "which what version versions minimum minimal oldest lowest earliest least supported required necessary need "
        "needed needs require requires must depend depends have build run use install get work compile i we you it"
    )
)


def find_least_version(question: str, evidence: Evidence) -> Recorded | None:
    """The version from which on a thing will do, by the passages that speak most of what needs it.

    None where no version is asked for, the newest one is, nothing else that the question says is spoken of, or two
    passages that are as near tell different ones.
    """
    text = " ".join(question.split()).strip(" ?.!")
    asked = _ASKED.search(text) if len(text) <= _LONGEST else None
    if asked is None or not _NEEDS.search(text) or _NEWEST.search(text) or DENIES.search(text):
        return None
    thing = (asked["of"] or asked["before"]).split()[-1]
    about = frozenset(content_stems(text)) - _ASIDE - frozenset(content_stems(thing))
    found = [(_nearness(doc, about), one) for doc in evidence.docs for one in _told(doc, thing)]
    most = max((near for near, _ in found), default=0)
    best = [one for near, one in found if near == most]
    if not best or (about and not most) or len({one.text for one in best}) > 1:
        return None
    return Recorded(best[0].text, (best[0],), STATED)


def _nearness(doc: Doc, about: Stems) -> int:
    """How much of what else a question says a passage, and above all its title, its file and its headings say."""
    named = frozenset(content_stems(f"{doc.title} {doc.passage.source} {doc.passage.section}"))
    return _NAMED * len(about & named) + len(about & doc.stems)


def _told(doc: Doc, thing: str) -> Iterator[Found]:
    """The least versions that a passage tells of a thing: the first behind each place that names it."""
    for match in re.finditer(rf"(?<![\w-]){re.escape(thing)}(?![\w-])", doc.text, re.I):
        later = _OR_LATER.match(doc.text, match.end()) or _AT_LEAST.match(doc.text, match.end())
        if later is None and _AT_LEAST_BEFORE.search(doc.text, max(0, match.start() - 20), match.start()):
            later = _PLAIN.match(doc.text, match.end())
        if later:
            yield doc.found(later.start("told"), later.end("told"), STATED)
