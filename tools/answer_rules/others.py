"""What is told of somebody else than the one who is asked about: by the other speaker of a talk, or of a namesake."""

from __future__ import annotations

import re

from tools.answer_rules.asked_person import ADDRESS
from tools.answer_rules.docs import Doc
from tools.answer_rules.text import says, words

_SPEAKER = re.compile(r"(?:^|(?<=[\s\]]))([A-Z][\w'’-]{1,20}):(?=\s)")
_CAPITAL = re.compile(r"\b[A-Z]\w*(?:-\w+)*")

LIVES = re.compile(
    r"\W*(?i:(?:and |so )?(?:in )?(?:where|(?:what|which) [a-z]+)) (?:does|do|did) "
    r"(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3}) (?:live|work|sleep|study|stay)\b"
)
"""Asks where somebody is at home or at work."""


def is_of_his_thing(doc: Doc, start: int, question: str) -> bool:
    """Whether what stands at `start` is told of a thing in whose row somebody stands beside it, and it is asked where
    he lives or works: the place of a key is not that of its holder.
    """
    asked, line = LIVES.match(question[:300]), doc.line_at(start)
    if asked is None or line is None or line.kind != "row" or says(line.subject, asked["name"]):
        return False
    return says(doc.text[line.start : line.end], asked["name"])


def is_said(doc: Doc, start: int) -> bool:
    """Whether what stands at `start` is a turn of a talk."""
    return doc.kind_at(start) == "turn"


def is_anothers(doc: Doc, start: int, question: str) -> bool:
    """Whether a question asks of one speaker of a talk ("Name: …" lines) and what stands at `start` is another's.

    Who talks is told by the turns of the passage and by its title ("Ana and Leo, 3 May").
    """
    begun = ((match.start(), match[1]) for match in _SPEAKER.finditer(doc.text))
    said = [(at, name) for at, name in begun if doc.kind_at(at) != "row"]
    speaker = next((name for at, name in reversed(said) if at <= start), "")
    speakers, titled = {name for _, name in said}, set(_CAPITAL.findall(doc.title.partition(",")[0]))
    if speaker in titled:
        speakers |= titled
    elif doc.kind_at(start) not in ("", "turn"):
        return False
    asked = {name for name in speakers if re.search(rf"\b{re.escape(name)}\b", question)}
    return bool(speaker) and len(asked) == 1 and speaker not in asked


def is_of_namesake(doc: Doc, name: str) -> bool:
    """Whether a passage is about somebody with the last name of `name` and another first one, and says nothing of
    `name`: "William Fowler" for "John Fowler".
    """
    if not all(one[:1].isupper() for one in name.split()):
        return False  # "cas number of proline" and a document called "L-proline" are no people of one name
    asked, titled = words(ADDRESS.sub("", name)), words(ADDRESS.sub("", doc.title))
    is_alike = 1 < len(asked) <= 4 and 1 < len(titled) <= 4 and asked[-1] == titled[-1]
    is_other = not any(one.startswith(other) or other.startswith(one) for one in asked[:-1] for other in titled[:-1])
    return is_alike and is_other and not says(doc.text, name)
