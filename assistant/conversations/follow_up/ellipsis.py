"""Questions that leave out what the question before them said: "what about Metropolis?", "and when?"."""

from __future__ import annotations

import re
from collections.abc import Callable

from assistant.conversations.follow_up.spoken_of import MAKING, names_in, role_of, things_in
from tools.planning.lexicon import NOUNS, VERBS, singular

_ABOUT = re.compile(
    r"(?:(?:and |but |so )?(?:what|how) about|and)\s+(?P<name>(?:the )?(?-i:[A-Z\d“\"])[^?]*?)\s*\?*\s*|"
    r"(?:and |but |so )?(?:what|how) about\s+(?P<small>[^?]+?)\s*\?*\s*|"
    r"(?:and|but)\s+(?P<thing>(?:the|our|my|your|his|her|their)\s+[^?]+?)\s*\?*\s*",
    re.I,
)
_OTHER_WORD = re.compile(
    r"(?:and|but|so)?,?\s*(?P<word>when|where|why|how|in (?:what|which) year)"
    r"(?:\s+(?:was|did|is)\s+(?:that|this)(?:\s+happen(?:ed)?)?)?\s*\?*\s*",
    re.I,
)
_ASKED = re.compile(
    r"(?P<word>who|whom|what|which|when|where|why|how|in (?:what|which) \w+)\s+"
    r"(?P<auxiliary>was|were|did|does|do|is|are|has|had)\s+(?P<rest>.+?)\s*\?*\s*",
    re.I,
)
_WHO_DID = re.compile(r"who\s+(?P<verb>[a-z]+)\s+(?P<object>.+?)\s*\?*\s*", re.I)
_WHETHER = re.compile(r"(?P<auxiliary>did|was|were|has|had)\s+(?P<rest>.+?)\s*\?*\s*", re.I)
_PARTICIPLES = {"wrote": "written", "sang": "sung", "drew": "drawn", "gave": "given", "took": "taken", "won": "won"}
_NO_REASON = re.compile(r"\b(?:born|from|located|called|named)\b", re.I)
_TWICE = re.compile(r"\bthe the ", re.I)
_THAT_OF = re.compile(r"^(?:that|those|the one) (?:of|in) ", re.I)
_BESIDE = r"on|for|in|at|by|with|from|to|of|under|over|after|before|since|between|near"
_BESIDES = re.compile(
    rf"(?:and|but|so|what about|how about)\s+(?P<word>{_BESIDE})\s+"
    r"(?!(?:who|whom|whose|what|which|where|when|why|how)\b)(?P<other>[^?,;]{1,80}?)\s*\?*\s*",
    re.I,
)
_PART = re.compile(
    rf"\b(?P<word>{_BESIDE})\s+(?P<old>(?:(?!\s(?:{_BESIDE}|and|or|in total|altogether)\b)[^?,;])+)", re.I
)
_AS_MANY = re.compile(
    r"(?:(?:and|but|so)\s+)?(?:(?P<many>how (?:many|much))|what about|how about|and)\s+(?P<other>[a-z][\w-]*)\s*\?*\s*",
    re.I,
)
_MANY = re.compile(r"how (?:many|much)\s+(?P<old>[a-z][\w-]*)\s+(?=\S)", re.I)
_WHICH_ONES = re.compile(
    r"(?:(?:and|but|so),?\s+)?(?:"
    r"which(?:\s+ones?)?(?:\s+(?:are|were)\s+(?:they|those|these))?|which\s+ones?\s+(?:are|were)\s+(?:they|those|these)|"
    r"(?:who|what)\s+(?:are|were)\s+(?:they|those|these)(?:\s+called)?|what\s+are\s+their\s+names|"
    r"(?:(?:can|could)\s+you\s+)?(?:list|name|show)\s+(?:me\s+)?(?:them|those|these)(?:\s+all)?"
    r")(?:,?\s+please)?\s*[?.!]*\s*",
    re.I,
)
_HOW_MANY = re.compile(
    r"(?:(?:and|but|so),?\s+)?how many\s+(?P<rest>[^?]+?)(?:\s+(?:in total|altogether|in all))?\s*\?*\s*", re.I
)
_THE_ROLE = re.compile(r"(?:the|its|his|her)\s+(?P<role>[a-z][\w-]*)", re.I)


def asked_about(question: str, before: str, is_like: Callable[[str, str], bool]) -> str:
    """The question `before` about what this one names instead: "what about Metropolis?"; "" where it is no such
    question, or the one before names nothing that it could stand for.

    `is_like` tells whether two names may stand for things of the same sort.
    """
    if (match := _ABOUT.fullmatch(question)) is None:
        return ""
    return _TWICE.sub("the ", _with_other(question, match, before, is_like))


def _with_other(question: str, match: re.Match[str], before: str, is_like: Callable[[str, str], bool]) -> str:
    name = _THAT_OF.sub("", match["name"] or match["small"] or match["thing"])
    if role := asks_role(question):
        return _of_role(role, before)
    if things_in(name) == (name,) and (spoken_of := things_in(before)):
        return before.replace(spoken_of[0], name)
    if match["thing"]:
        return ""
    described = names_in(before, described=True)
    owner = next(iter(names_in(name)), "")
    if role_of(name) and owner and owner in before:
        return before.replace(next((one for one in described if owner in one), owner), name)
    if role_of(name) and described:
        return before.replace(described[0], name)
    names = names_in(before)
    like = next((one for one in names if is_like(one, name)), None)
    if like is None and described and is_like(name, ""):
        return before.replace(described[0], name)
    return before.replace(like, name) if like else ""


def asked_besides(question: str, before: str) -> str:
    """The question `before` of another place, time, purpose or kind of thing that is counted.

    "And in week 15?" after "Who was on call in week 14?", "and how many cellos?" after "How many violins do we own?".
    "" where it is no such question, or the one before has no such part.
    """
    if besides := _BESIDES.fullmatch(question):
        word = besides["word"].lower()
        part = next((one for one in reversed(list(_PART.finditer(before))) if one["word"].lower() == word), None)
        return _exchanged(before, part, besides["other"]) if part else ""
    other, many = _AS_MANY.fullmatch(question), _MANY.match(before)
    if other is None or many is None:
        return ""
    is_plural = singular(other["other"].lower()) != other["other"].lower()
    return _exchanged(before, many, other["other"]) if other["many"] or is_plural else ""


def asked_which(question: str, before: str) -> str:
    """ "Which hedgehogs died?" for "which ones?" or "list them" after "How many hedgehogs died?"; "" for others."""
    counted = _HOW_MANY.fullmatch(before) if _WHICH_ONES.fullmatch(question) else None
    return f"Which {counted['rest']}?" if counted else ""


def _exchanged(before: str, part: re.Match[str], other: str) -> str:
    return f"{before[: part.start('old')]}{other}{before[part.end('old') :]}"


def asks_role(question: str) -> str:
    """The role in "what about the director?"; "" for any other question."""
    match = _ABOUT.fullmatch(question)
    role = _THE_ROLE.fullmatch(match["small"] or "") if match else None
    return role["role"] if role and singular(role["role"].lower()) in NOUNS else ""


def asked_otherwise(question: str, before: str, answer: str) -> str:
    """What "and when?" asks after the question `before`, whose answer is given; "" where it is no such question, or
    cannot be asked of that one.
    """
    match = _OTHER_WORD.fullmatch(question)
    if match is None:
        return ""
    word = match["word"].capitalize()
    if word == "Why" and _NO_REASON.search(before):
        return ""
    if (made := _WHO_DID.fullmatch(before)) and made["verb"].lower() in VERBS:
        verb = made["verb"].lower()
        return f"{word} was {made['object']} {_PARTICIPLES.get(verb, verb)}?"
    if asked := _ASKED.fullmatch(before):
        return _other_word(word, asked, answer)
    if (whether := _WHETHER.fullmatch(before)) is not None:
        return f"{word} {whether['auxiliary'].lower()} {whether['rest']}?"
    return ""


def _other_word(word: str, asked: re.Match[str], answer: str) -> str:
    was, auxiliary, rest = asked["word"].lower(), asked["auxiliary"].lower(), asked["rest"]
    if was in ("who", "whom", "what", "which"):
        return f"{word} {auxiliary} {rest} {answer}?" if auxiliary in ("did", "has", "had") and answer else ""
    return f"{word} {auxiliary} {rest}?"


def _of_role(role: str, before: str) -> str:
    """ "What about the director?" after a question about the composer of something, or about who made it."""
    described = names_in(before, described=True)
    if described and (other := role_of(described[0])):
        return before.replace(described[0], described[0].replace(other, role))
    names = names_in(before)
    return f"Who is the {role} of {names[0]}?" if names and MAKING.search(before) else ""
