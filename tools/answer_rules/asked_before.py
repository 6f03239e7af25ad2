"""Questions that a document asks itself, as the lists of what is often asked do: what follows one answers it.

"Can zlib handle .zip archives? Not by itself, no." answers whoever asks so. The question itself states nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.text import content_stems

ANSWERED = 0.87
"""How sure a yes or no is that stands at the head of such an answer, or at its end: likely."""

_ALIKE = 0.75
"""Share of the words of both questions together that they have in common for one to be the other."""

_YES = re.compile(
    r"^(?:a(?:nswer)?:\s*)?(?:yes|yeah|yep|sure|certainly|of course|it is|it does|they do|they are)\b", re.I
)
_NO = re.compile(
    r"^(?:a(?:nswer)?:\s*)?(?:no\b(?! (?:problem|doubt))|nope|never|sorry|not (?:by itself|yet|at all|really))"
    r"|,\s*no[.!]?$",
    re.I,
)
_NEXT = re.compile(r"\d+[.)]|Q:|#")
_LONGEST = 3
"""Sentences of an answer that are told."""


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """Where an answer stands, its sentences; "yes" or "no" where it begins or ends so, else ""."""

    sentences: tuple[Found, ...]
    verdict: str


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, and so states nothing."""
    return sentence.rstrip(" \n\"'”’)*_").endswith("?")


def find_asked_before(question: str, evidence: Evidence) -> AskedBefore | None:
    """The answer that follows the one sentence which asks the same; None where none asks it, or two do."""
    wanted = frozenset(content_stems(question))
    if not wanted:
        return None
    found = []
    for doc in evidence.docs:
        for index, (start, end) in enumerate(doc.sentences):
            if not is_question(doc.text[start:end]):
                continue
            asked = frozenset(stem for stem in content_stems(doc.text[start:end]) if not stem.isdigit())
            # The subject of a list may stand in its title alone.
            whole = asked | (wanted & frozenset(content_stems(doc.heading)))
            if asked and len(wanted & whole) / len(wanted | asked) >= _ALIKE:
                answer = _following(doc.text, doc.sentences, index)
                if answer:
                    found.append(tuple(doc.found(*place, ANSWERED) for place in answer))
    if len({one[0].text for one in found}) != 1:
        return None
    return AskedBefore(found[0], _verdict(found[0][0].text))


def _following(text: str, sentences: list[tuple[int, int]], index: int) -> list[tuple[int, int]]:
    """The sentences behind a question, up to the next one; none that is only the number or the mark of one."""
    following: list[tuple[int, int]] = []
    for start, end in sentences[index + 1 : index + 2 + _LONGEST]:
        said = text[start:end]
        is_apart = "\n" in text[max(0, start - 2) : start]
        if is_question(said) or (following and is_apart and _NEXT.match(said)):
            break
        if re.search(r"[^\W\d_]", said):
            following.append((start, end))
    return following[:_LONGEST]


def _verdict(first: str) -> str:
    if _NO.search(first):
        return "no"
    return "yes" if _YES.match(first) else ""
