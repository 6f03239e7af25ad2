"""Who is asked for by the converse of the verb that a sentence has: who bought what another sold.

Told where the sides of the one dealing are named, and doubted where an answer stands on the other side than the one
that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.answer_rules.asked_claims import NOT, UNSURE
from tools.answer_rules.dealings import PRONOUNS, WHO, Dealing, Party, Side, asked_dealing, dealings
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import fold
from tools.planning.lexicon import singular
from tools.planning.possessed import is_personal

TOLD, BY_PRONOUN = 0.86, 0.78
"""How sure such an answer is, and one where "she" in the sentence has to be the one named in the sentence before."""

_ANY_WAY = frozenset(("sell", "lend", "give", "leave", "rent"))
"""Kinds of dealing by which somebody gets a thing."""

_OPEN = re.compile(
    rf"{NOT.pattern}|{UNSURE.pattern}"
    r"|\b(?:without|could|may|should|must|can|going to|supposed to|offer(?:s|ed)?|refuse[sd]?|fail(?:s|ed)?)\b",
    re.I,
)
"""What leaves open whether a sentence tells what has happened."""

_ROUND = re.compile(r"\b(?:semi-?finals?|quarter-?finals?|rounds?|legs?|heats?|match(?:es)?|every|that)\b", re.I)
"""What tells of a part of a thing, of a habit or of what somebody heard."""
_ENDS = re.compile(r"\s*(?:$|[.,;:!)]|(?:for|on|in|at|last|yesterday|because|and|when|by|as)\b)")
_WHO_ASKED = re.compile(r"^\W*(?:(?:and|so|but) )?whom?\b", re.I)
_PARENTS, _CHILDREN = "parent|father|mother", "child|son|daughter"
_WHOSE = re.compile(
    rf"^\W*whose (?:(?P<child>{_CHILDREN})|(?P<parent>{_PARENTS})) (?:is|was) (?P<name>(?-i:[A-Z]).*?)\W*$", re.I
)
_ADDRESSED = frozenset(("he", "she", "they", "him", "her", "them"))
_OTHER: dict[Side, Side] = {"giver": "taker", "taker": "giver"}


def find_converse(question: str, evidence: Evidence) -> Recorded | None:
    """Who is on the side of a dealing that a question asks for; None where no sentence or several name one, or only a
    pronoun does.
    """
    asked = asked_dealing(question)
    side = _asked_side(asked) if asked else None
    if asked is None or side is None:
        return None
    found: dict[str, Found] = {}
    for doc in evidence.docs:
        for index, (start, end) in enumerate(doc.sentences):
            if not asked.rest <= doc.sentence_stems[index] or _OPEN.search(text := doc.text[start:end]):
                continue
            if _ROUND.search(text) and not _ROUND.search(question):
                continue  # who won the semi-final has not won the cup
            before = doc.sentence_stems[index - 1] if index else frozenset[str]()
            for party, score in _answering(asked, side, text, before):
                at = start + party.start
                found.setdefault(fold(party.text), doc.found(at, at + len(party.text), score))
    best = max((one.score for one in found.values()), default=0.0)
    told = [one for one in found.values() if one.score == best]
    if len(told) != 1:
        return None
    [place] = told
    return Recorded(place.text, (place,), place.score) if _is_somebody(place, asked.kind) else None


def _is_somebody(place: Found, kind: str) -> bool:
    """Whether a side is a name or a word for a person, or, of a thing that changes hands, some words that end there:
    "the wrong" of "the wrong address" is nobody, and "she" none who is known.
    """
    text = place.text
    if fold(text) in PRONOUNS:
        return False
    if any(letter.isupper() for letter in text) or is_personal(singular(text.split()[-1].lower())):
        return True
    return kind in _ANY_WAY and _ENDS.match(place.doc.text, place.start + len(text)) is not None


def asks_for_side(question: str) -> bool:
    """Whether a question asks who stands on a side of a dealing: "Who was given a watch?"."""
    asked = asked_dealing(question)
    return asked is not None and _asked_side(asked) is not None


def _asked_side(asked: Dealing) -> Side | None:
    return next((one for one in _OTHER if (party := asked.side(one)) and fold(party.text) == WHO), None)


def _answering(asked: Dealing, side: Side, text: str, before: frozenset[str]) -> Iterator[tuple[Party, float]]:
    """Who stands on the side that is asked for in a sentence's dealings of that kind with the one who is named."""
    given = asked.side(_OTHER[side])
    for told in dealings(text):
        party, beside = told.side(side), told.side(_OTHER[side])
        if party is None or not _is_alike(asked, told, side):
            continue
        if given is None or (beside and _is_same(given, beside)):
            yield party, TOLD
        elif beside and fold(beside.text) in _ADDRESSED and given.stems <= before:
            yield party, BY_PRONOUN


def _is_alike(asked: Dealing, told: Dealing, side: Side | None) -> bool:
    """Whether two dealings are of one kind; who "got" a thing may have bought, borrowed or inherited it."""
    return told.kind == asked.kind or (asked.kind == "give" and side == "taker" and told.kind in _ANY_WAY)


def _is_same(one: Party, other: Party) -> bool:
    return bool(one.stems) and (one.stems <= other.stems or (bool(other.stems) and other.stems <= one.stems))


def is_turned_round(question: str, answer: str, sentence: str) -> bool:
    """Whether a sentence has the sides of a dealing the other way round than a question, or an answer stands on the
    side that is not asked for; or "she" is the answer to who.
    """
    if _WHO_ASKED.match(question) and fold(answer.strip(" .,")) in PRONOUNS:
        return True
    if whose := _WHOSE.match(question):
        turned = _PARENTS if whose["child"] else _CHILDREN
        name, kin = re.escape(whose["name"]), re.escape(answer)
        return bool(re.search(rf"\b{name} (?:is|was) (?:the |a )?(?:{turned}) of (?:\w+ )?{kin}", sentence))
    asked = asked_dealing(question)
    if asked is None:
        return False
    side, said = _asked_side(asked), Party(answer, 0)
    told = [one for one in dealings(sentence) if _is_alike(asked, one, side)]
    return any(_is_reversed(asked, one) or (side and _is_other_side(said, side, one)) for one in told)


def _is_reversed(asked: Dealing, told: Dealing) -> bool:
    """Whether one whom a question names on one side stands on the other one."""
    return any(_is_other_side(party, side, told) for side in _OTHER if (party := asked.side(side)))


def _is_other_side(said: Party, side: Side, told: Dealing) -> bool:
    """Whether one who belongs on a side of a dealing stands on the other one."""
    own, other = told.side(side), told.side(_OTHER[side])
    return other is not None and _is_same(said, other) and not (own and _is_same(said, own))
