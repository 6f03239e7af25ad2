"""Comparisons that a sentence makes outright: "Mary is older than Nick" tells who is older, Mary or Nick."""

from __future__ import annotations

import re

from tools.answer_rules.docs import Doc, Evidence
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import says, words

SAID = 0.85
"""How sure it is that the sentence compares what the question does."""

_LONGEST = 300
"""Characters of a question, and of a sentence, that are looked at."""

_COMPARING = r"(?:(?:more|less) [a-z]{3,}|[a-z]{2,}er|further|better|worse)"
_ASKED = re.compile(
    rf"\W*(?:(?:and|so) )?(?:who|which|what)(?: of (?:them|the two|both))?(?: [\w-]+){{0,3}}? (?P<more>{_COMPARING})"
    r"(?P<rest>(?: [\w-]+){0,4}?)\s?[,:;–—-]\s?(?P<one>[^,?]+?),? or (?P<other>[^,?]+?)\W*",
    re.I,
)
_SAID = re.compile(rf"\b(?P<more>{_COMPARING})(?P<rest>(?: [\w-]+){{0,3}}?) than\b", re.I)
_IS = re.compile(
    r"^\W*(?:[\w ]{1,20}: )?(?:(?:and|but|so|because|that) )?(?P<side>.+?) (?:is|was|are|were)"
    r"(?: (?:much|far|a lot|a little|a bit|slightly|still|always|also"
    r"|(?:[\w-]+ ){1,3}(?:years?|months?|weeks?|days?|cm|m|inch(?:es)?|kg|pounds?|euros?)))?\s*$",
    re.I,
)
"""What stands before the comparing word where it is all told of one: "Mary is two years" older."""
_ENDS = re.compile(r"\s*(?:$|[.,;:!)–—-]|(?:and|but|so|because|by|in|at|on)\b)", re.I)
_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|if|whether|would|might|(?-i:may)|perhaps|maybe|hardly|nobody|false|untrue|thinks?"
    r"|thought|but|now|used to)\b|n['’]t\b|\?",
    re.I,
)
_FREE = frozenset("the a an to of in at".split())
_OPPOSITES = {
    one: other
    for pair in (
        "older younger", "older newer", "taller shorter", "longer shorter", "higher lower", "bigger smaller",
        "larger smaller", "faster slower", "quicker slower", "earlier later", "heavier lighter", "dearer cheaper",
        "warmer colder", "hotter colder", "wider narrower", "richer poorer", "stronger weaker", "better worse",
        "nearer further", "deeper shallower", "louder quieter",
    )
    for one, other in (pair.split(), pair.split()[::-1])
}  # fmt: skip
_ALIKE = {
    "dearer": "more expensive", "pricier": "more expensive", "cheaper": "less expensive", "bigger": "larger",
    "quicker": "faster", "newer": "younger", "hotter": "warmer", "cooler": "colder", "farther": "further",
}  # fmt: skip


def asks_to_compare(question: str) -> bool:
    """Whether a question may ask which of two is more of something."""
    return " or " in question[:_LONGEST] and _ASKED.fullmatch(question[:_LONGEST]) is not None


def find_comparison(question: str, evidence: Evidence) -> Recorded | None:
    """Which of two a sentence says is the more so; None where none says it, or two say otherwise.

    A sentence that denies it, or doubts it, says nothing.
    """
    asked = _ASKED.fullmatch(question) if asks_to_compare(question) else None
    if asked is None:
        return None
    sides = (asked["one"].strip(), asked["other"].strip())
    told = [
        (side, doc, span)
        for doc in evidence.docs
        for span in doc.sentences
        if (side := _more(doc.text[slice(*span)], _plain(asked["more"]), sides, asked["rest"])) is not None
    ]
    if not told or len({side for side, _, _ in told}) > 1:
        return None
    side, doc, span = told[0]
    place = doc.found(*_place(doc, span, sides[side]), SAID)
    return Recorded(sides[side], (place,), SAID)


def _more(sentence: str, more: str, sides: tuple[str, str], rest: str) -> int | None:
    """Which of the two a sentence says is `more`, in the same respect (`rest`); None where it does not say so."""
    if len(sentence) > _LONGEST or _DENIED.search(sentence) or not all(says(sentence, one) for one in sides):
        return None
    match = _SAID.search(sentence)
    if match is None or frozenset(words(match["rest"])) - _FREE != frozenset(words(rest)) - _FREE:
        return None
    said = _plain(match["more"])
    if said != more and _opposite(said) != more:
        return None
    told, behind = _IS.match(sentence[: match.start()]), sentence[match.end() :]
    first = next((at for at in (0, 1) if told and words(told["side"]) == words(sides[at])), None)
    if first is None or not _is_all(behind, sides[1 - first]):
        return None
    return first if said == more else 1 - first


def _is_all(behind: str, name: str) -> bool:
    """Whether a text begins with a name that ends there, or a clause does: no "Nick thought"."""
    match = re.match(rf"\s*(?:(?:the|our|my) )?{re.escape(name)}(?!\w)", behind, re.I)
    return match is not None and _ENDS.match(behind, match.end()) is not None


def _plain(more: str) -> str:
    """A comparing word as the one that is written for it: "dearer" is "more expensive"."""
    word = more.lower()
    return _ALIKE.get(word, word)


def _opposite(more: str) -> str:
    first, _, rest = more.partition(" ")
    if rest:
        return f"{'less' if first == 'more' else 'more'} {rest}"
    return _plain(_OPPOSITES.get(more, ""))


def _place(doc: Doc, span: tuple[int, int], name: str) -> tuple[int, int]:
    """Where a name stands in a sentence, else the sentence."""
    match = re.search(re.escape(name), doc.text[slice(*span)], re.I)
    return (span[0] + match.start(), span[0] + match.end()) if match else span
