"""Entities by name: one mention, or all those in a question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.name_keys import name_key
from kb.records import EntityMatch
from kb.store.knowledge_base import KnowledgeBase

_WORD = re.compile(r"[\w$€£%+&]+(?:['’]\w+)*")
_LONGEST = 12
"""Words of the longest name looked for in a question."""
_MAX_WORDS = 400
"""Words of a question that are looked at."""
_COMMON = frozenset(
    """who whom whose what which when where why how is are was were be been do does did has have had can could will
    would in on at by for from to of with the a an and or but if as it its his her he she they their this that these
    those both same first last one two three film song album band city country state county company school
    university""".split()
)


@dataclass(frozen=True, slots=True)
class NamedSpan:
    """A stretch `start:end` of a question that names entities of the knowledge base."""

    start: int
    end: int
    text: str
    entities: tuple[int, ...]
    is_title: bool


def look_up_entity(kb: KnowledgeBase, mention: str, k: int = 5) -> list[EntityMatch]:
    """The k entities whose names best cover a mention, best first. None for a mention without words."""
    return kb.find_entities(mention, k)


def named_in(kb: KnowledgeBase, question: str) -> list[NamedSpan]:
    """What the question names, in text order, longest names first and none overlapping (CatRAG's symbolic anchors).

    A name of one word must be written with a capital, unless the question has none at all.
    """
    return list(kb.once(("named_in", question), lambda: _find_names(kb, question)))


def _find_names(kb: KnowledgeBase, question: str) -> list[NamedSpan]:
    words = [(match.start(), match.end()) for match in _WORD.finditer(question)][:_MAX_WORDS]
    stretches = [
        (words[first][0], end)
        for first in range(len(words))
        for last in range(first, min(first + _LONGEST, len(words)))
        for end in _ends(question, words[last][1])
    ]
    keys = {(start, end): name_key(question[start:end]) for start, end in stretches}
    known = kb.named([key for key in keys.values() if key])
    titles = kb.title_entities({one for ids in known.values() for one in ids})
    has_capitals = any(char.isupper() for char in question[1:])
    spans = [
        NamedSpan(start, end, question[start:end], tuple(known[key]), bool(titles.intersection(known[key])))
        for (start, end), key in keys.items()
        if key in known and _is_name(question[start:end].split(), has_capitals)
    ]
    return _longest(spans)


def _ends(question: str, end: int) -> tuple[int, ...]:
    """Where a name may end: with the word, and before its "'s" ("McDonald's" is a name, "Ada Moor's" is not)."""
    return (end, end - 2) if question[end - 2 : end] in ("'s", "’s") else (end,)


def _is_name(words: list[str], has_capitals: bool) -> bool:
    if words[0].casefold() in _COMMON and len(words) == 1:
        return False
    if all(word.casefold() in _COMMON for word in words):
        return False
    return not has_capitals or any(word[0].isupper() or word[0].isdigit() for word in words)


def _longest(spans: list[NamedSpan]) -> list[NamedSpan]:
    kept: list[NamedSpan] = []
    for span in sorted(spans, key=lambda one: (one.start - one.end, not one.is_title, one.start)):
        if all(span.end <= other.start or span.start >= other.end for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda one: one.start)
