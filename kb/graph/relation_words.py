"""The words of a relation: what a sentence says between the thing that it is about and the thing that it mentions."""

from __future__ import annotations

import re

_CLAUSE_END = re.compile(r"[;:!?]|\.\s")
_LEAD = re.compile(r"^(?:[\s,()\[\]\"“”'’@\-–]|(?:and|or|but|who|which|that|he|she|it|they)\b)+", re.IGNORECASE)
_TRAIL = re.compile(r"(?:[\s,()\[\]\"“”'@\-–]|\b(?:the|a|an)\s*$)+$", re.IGNORECASE)
_RELATION_WORDS = 8
"""Words of a relation that are kept, the last ones: those nearest to what they relate to."""
_PRONOUNS = frozenset("he she it they his her its their".split())
_GREETING = re.compile(
    r"\s*(?:Hi|Hello|Hey|Dear|Thanks|Thank you|Good (?:morning|afternoon|evening))\b"
    r"(?: (?:again|there|all|both|everyone|team|[A-Z][\w'’.-]{0,40})){0,4}(?:[ \t]*[,!–—]\s*|[ \t]*(?:\n|\Z))"
)


_BESIDE = re.compile(r"\w\W+(?:and|or)(?: (?:the|a|an))?\W*$", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:the|a|an"
    r"|(?:(?:(?:next|last|this|every|on|by|until|since|from) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|yesterday|today|tomorrow|tonight)(?: (?:morning|afternoon|evening|night))?,?)?",
    re.IGNORECASE,
)


def last_clause(between: str) -> str:
    """The clause nearest to the object."""
    return _CLAUSE_END.split(between)[-1]


def relation_words(between: str) -> str:
    """The words of a relation: the clause nearest to the object, without lead-in, articles and brackets."""
    clause = _TRAIL.sub("", _LEAD.sub("", last_clause(between)))
    words = [word for word in clause.split() if word.casefold() not in _PRONOUNS]
    return " ".join(words[-_RELATION_WORDS:])


def goes_on_a_list(between: str) -> bool:
    """Whether what stands before a name puts it beside a thing that is no name: "See the runbook and" Picker."""
    return _BESIDE.search(last_clause(between)) is not None


def opens_sentence(text: str, start: int, name: int) -> bool:
    """Whether the name at `name` is the first of the sentence at `start`, but for an article or a day."""
    return _OPENING.fullmatch(text[start:name].strip(" \"“'‘@")) is not None


def behind_greeting(text: str, start: int) -> int:
    """Where a sentence begins behind "Hi Tomasz,"; `start` where nobody is greeted."""
    greeting = _GREETING.match(text, start)
    return greeting.end() if greeting else start
