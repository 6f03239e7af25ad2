"""Which documents are about things of a kind: "Which films were directed by Tarkovsky?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.name_keys import name_key
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.recorded_rows import DENIES
from tools.answer_rules.text import bare_title, content_stems, told_sentences
from tools.planning.lexicon import noun_type

STATED = 0.86
"""How sure it is that a thing is one of those asked for."""

OPENING = 2
"""Sentences in which a document says what its subject is."""

_BETWEEN = r"(?:(?!of\b|by\b|to\b|for\b|in\b|from\b|with\b|on\b|at\b|who\b|which\b|that\b|and\b)[\w’'-]+,?\s+){0,6}"
_BRACKETS = re.compile(r"\(([^()]*)\)\s*$")
_ASKED = re.compile(
    r"^(?:which|what|(?:list|name|show)(?: me)?(?: all| every)?(?: of)?(?: the)?) "
    r"(?P<kind>(?!(?:is|was|has|does|its|this)\b)[a-z][a-z-]+(?<![sui])s|people|men|women)(?P<rest>\s.+)$"
)
_PEOPLE = frozenset("people persons men women".split())
_SOFT = frozenset(content_stems("these those the documents document here file there that which who are were is was"))
_LONGEST = 300


def says_it_is(sentence: str, words: Sequence[str]) -> bool:
    """Whether a sentence says of something that it is one of these: "Solaris is a Soviet film of 1972"."""
    either = "|".join(re.escape(word) for word in words)
    is_one = rf"\b(?:is|was|are|were|became)\s+(?:one of\s+)?(?:an?|the|one|two|three)?\s*{_BETWEEN}(?:{either})s?\b"
    match = re.search(is_one + r"(?:\s+(?P<next>[a-z-]+))?", sentence)
    return match is not None and not noun_type(match["next"] or "")  # a film director is no film


def is_titled(title: str, words: Sequence[str]) -> bool:
    """Whether the title says it: "Forth Bridge", "Stalker (film)"."""
    inside = _BRACKETS.search(title)
    last = name_key(bare_title(title)).split()[-1:]
    said = {*last, *(name_key(inside[1]).split() if inside else ())}
    return bool(said & {*words})


def find_things(question: str, evidence: Evidence) -> list[Found]:
    """What the passages are about that is of the kind asked for, and of which one sentence says all else; by title.

    [] for fewer than two, and for a question that asks for no kind of thing.
    """
    text = " ".join(question.split()).strip(" ?.!")
    match = _ASKED.match(text[:1].lower() + text[1:]) if len(text) <= _LONGEST else None
    if match is None or DENIES.search(text):
        return []
    wanted = frozenset(content_stems(match["rest"])) - _SOFT
    found: dict[str, Found] = {}
    for doc in evidence.docs if wanted else ():
        if _is_one(doc, match["kind"]) and (at := _says(doc, wanted)) is not None:
            start, end = doc.sentences[at]
            name = _BRACKETS.sub("", doc.title).strip() or doc.title
            found.setdefault(doc.title, Found(name, doc, start, end, STATED))
    return sorted(found.values(), key=lambda one: one.text) if len(found) > 1 else []


def _is_one(doc: Doc, kind: str) -> bool:
    if doc.is_talk or any(line.kind == "row" for line in doc.lines):
        return False
    if kind in _PEOPLE:
        return bool(doc.gender) and doc.topic[:1].isupper() and " " in doc.topic
    one = kind[:-3] + "y" if kind.endswith("ies") else kind[:-1]
    return is_titled(doc.title, [one]) or any(says_it_is(said, [one]) for said in told_sentences(doc.text)[:OPENING])


def _says(doc: Doc, wanted: frozenset[str]) -> int | None:
    """The place of the first sentence that says all that is wanted, the title aside, and denies nothing."""
    titled = frozenset(content_stems(doc.title))
    saying = (at for at, said in enumerate(doc.sentence_stems) if wanted <= said | titled)
    return next((at for at in saying if not DENIES.search(doc.text[slice(*doc.sentences[at])])), None)
