"""Who holds an office, by how the letter of its holder is signed: "Greta, treasurer", or the line below the name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems

Stems = frozenset[str]

SIGNED = 0.86
"""How sure it is that who signs so holds the office."""

_ASKS = re.compile(
    r"\W*(?:(?:and|so)\s+)?who(?:['’]s|\s+is|\s+are)\s+(?:the|our|your)?\s*(?P<role>[^?]{3,80}?)\W*$", re.I
)
_FROM = re.compile(r"\AFrom: (?P<name>[^<\n]{2,80}?)(?: <[^>\n]*>)?$", re.M)
_ROLE = r"[^\W\d_][^\d@:;.!?()]{2,58}"
_WORDS = 7
"""Words of the longest role; a longer line is a sentence."""


def find_signed(question: str, evidence: Evidence) -> Recorded | None:
    """The sender whose letter is signed with the office that a question names; None where nobody's or two people's is.

    What the question says besides the office ("of the club") a title of the passages has to say.
    """
    match = _ASKS.match(question[:300])
    asked = frozenset(content_stems(match["role"])) if match else frozenset()
    if not asked:
        return None
    titles = frozenset[str]().union(*(content_stems(doc.title) for doc in evidence.docs))
    found: dict[str, tuple[Found, Found]] = {}
    for doc in evidence.docs:
        for sender, signed in _signed(doc):
            role = frozenset(content_stems(signed.text)) - frozenset(content_stems(sender.text))
            if role and role <= asked and asked - role <= titles:
                found.setdefault(sender.text, (sender, signed))
    if len(found) != 1:
        return None
    [(name, places)] = found.items()
    return Recorded(name, places, SIGNED)


def _signed(doc: Doc) -> Iterator[tuple[Found, Found]]:
    """The sender of a letter, and the line with the office that it is signed with."""
    sender = _FROM.search(doc.text)
    name = sender["name"].strip(' "') if sender else ""
    if sender is None or not name:
        return
    first = name.split()[0]
    signed = rf"(?:{re.escape(name)}|{re.escape(first)})"
    line = re.compile(
        rf"^{signed}(?:,? *\((?P<in>{_ROLE})\)|(?:,| [-–—]) *(?P<on>{_ROLE})|,? *\n+(?P<below>{_ROLE}))$", re.M
    )
    at = doc.text.find(name, sender.start())
    for match in line.finditer(doc.text, sender.end()):
        role = next(group for group in ("in", "on", "below") if match[group])
        if len(match[role].split()) <= _WORDS:
            yield doc.found(at, at + len(name), SIGNED), doc.found(match.start(role), match.end(role), SIGNED)
