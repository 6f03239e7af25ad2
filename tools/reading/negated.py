"""What a clause says is not so: "Nora doesn't live in Hull any more" for where Nora lives.

A "not" is of its own verb: "The prize of £200 was never paid" tells how much the prize is, and not how much was paid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tools.answer_rules.text import content_stems

_BREAK = re.compile(
    r"[;:!?()–—]|\.(?:\s|$)|,? \bbut\b|,? \b(?:because|although|though|whereas|so that)\b|, (?=(?:so|or)\b)"
    r"|, (?=(?:and |so |or |yet )?(?:who|which|where|whose|when|while|as|then|he|she|it|they|we|I|you|that|this|there"
    r"|the|his|her|its|their|our|an?|in the end)(?:\b|['’]))"
    r"|,? \band (?=(?:is|was|are|were|has|had|have|did|does|got|cost|\w+ed|he|she|it|they|we|I|then|so)\b)",
    re.I,
)
"""Where a clause ends."""
_RELATIVE = re.compile(r",? ?\b(?:who|which)\b[^,]{0,200}$", re.I)
_GOES_ON = re.compile(r",| (?:should|must|can|may|will|shall|would|ha(?:s|ve) to|needs? to|is|are|was|were)\b", re.I)
_NOT = re.compile(
    r"(?:n['’]t|\b(?:not|never|no longer)) (?!(?:only|just|merely|until|till|before|so much|later|more|less|least|as"
    r"|too|far|all|every\w*|yet known)\b)"
    r"(?P<small>(?:(?:\w+ly|even|yet|ever|to|be|been|actually) )*)(?P<verb>[^\w\s]?[\w-]+)",
    re.I,
)
_IS_BEFORE = re.compile(r"\b(?:is|was|are|were|be|been) ?$|['’]s $", re.I)
_BE = re.compile(r"\bbe(?:en)? ", re.I)
_IS_OUT = re.compile(
    r"['’\"”]? (?:(?:is|was|are|were|will be|would be)(?:n['’]?t| not| no longer) (?:\w+ )?"
    r"(?:realistic|possible|feasible|an option|true|correct|right|doable|practicable|on offer|happening)"
    r"|(?:is|was|are|were) (?:\w+ )?(?:impossible|unrealistic|out of the question|wrong|untrue|off the table))\b",
    re.I,
)
"""What is said right behind words that do not hold: "autumn 2024 is not realistic"."""
_LIMIT = re.compile(
    r"\b(?:until|till|before|after|since|than|except|unless|without|besides|apart|under|over|above|below|within|because"
    r"|for)\b",
    re.I,
)
"""What stands between "not" and what is so all the same: "not before 10", "not more than £5", "not since 2019"."""
_ASKS_WHAT_IS = re.compile(
    r"\W*(?:who|what|when|where|which|how)\b(?:['’]s\b"
    r"|(?: [\w-]+){0,3}? (?:(?:will|shall) .{0,60}\bbe|is|was|are|were)\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Clauses:
    """A sentence and where its clauses break."""

    text: str
    breaks: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, text: str) -> Clauses:
        """A sentence with its breaks, of which the first stands before it and the last behind it."""
        return cls(text, ((0, 0), *(one.span() for one in _BREAK.finditer(text)), (len(text), len(text))))

    def around(self, start: int, end: int) -> tuple[int, int]:
        """Where the clause of a word begins and ends; one that a "who" begins ends at the next comma or verb of who is
        meant: "Parents who want to help should ring Cole".
        """
        begin = max(last for _, last in self.breaks[:-1] if last <= start or last == 0)
        close = min((first for first, _ in self.breaks[1:] if first >= end), default=len(self.text))
        on = _GOES_ON.search(self.text, end, close) if _RELATIVE.search(self.text, 0, start) else None
        return begin, on.start() if on else close


class _Negation(NamedTuple):
    """A "not": where its clause begins, where it stands, where its verb does, where what it is said of ends."""

    begin: int
    word: int
    verb: int
    end: int
    stems: frozenset[str]
    is_of_be: bool


def is_ruled_out(sentence: str, end: int) -> bool:
    """Whether a sentence says right behind the words that end at a place that these do not hold."""
    return bool(_IS_OUT.match(sentence, end))


def is_negated(question: str, clauses: Clauses, start: int, end: int, asked: frozenset[str]) -> bool:
    """Whether a sentence says "not" of the very verb that is asked of with the words at [start, end), or with a form of
    "be" that they are what is asked for.
    """
    for one in _negations(clauses):
        is_behind = one.verb <= start and end <= one.end and not _LIMIT.search(clauses.text, one.word, end)
        is_before = one.begin <= start and end <= one.word
        if not (is_behind or is_before):
            continue
        other_side = clauses.text[one.begin : one.word] if is_behind else clauses.text[one.verb : one.end]
        is_what = one.is_of_be and _ASKS_WHAT_IS.match(question) and asked & frozenset(content_stems(other_side))
        if is_what or asked & one.stems:
            return True
    return False


def _negations(clauses: Clauses) -> Iterator[_Negation]:
    for match in _NOT.finditer(clauses.text):
        begin, end = clauses.around(*match.span())
        comma = clauses.text.find(",", match.end(), end)
        is_of_be = bool(_IS_BEFORE.search(clauses.text, 0, match.start()) or _BE.search(match["small"]))
        stems = frozenset(content_stems(match["verb"]))
        yield _Negation(begin, match.start(), match.start("verb"), end if comma < 0 else comma, stems, is_of_be)
