"""Questions in as few words as can be, written out: "code of the gate" asks "What is the code of the gate?"."""

from __future__ import annotations

import re

from tools.planning.lexicon import noun_type, singular
from tools.planning.possessed import is_personal
from tools.planning.words import PREPOSITIONS, PRONOUNS, WH

_LONGEST = 200
"""Characters of a question that is written out: who writes more writes it whole."""
_VERBS_FIRST = frozenset(
    "am is are was were do does did has have had can could will would should may must shall tell name list give show "
    "find explain describe compare summarise summarize got having being if while when once because since after before "
    "although though as there here please and so but or not no yes let lets let's still only just too very "
    "also according isn't aren't wasn't weren't don't doesn't didn't hasn't haven't can't couldn't won't wouldn't "
    "shouldn't".split()
)
_NO_START = _VERBS_FIRST | PRONOUNS | WH
_ON_FILE = re.compile(
    r"\s+(?:that (?:we|you|they) have )?(?:on (?:the|our|your) books|on (?:file|record)|(?:so )?listed)$", re.I
)
_OF_LISTED = re.compile(r"\b(?:of )?(?:the|our) listed\b", re.I)
_COSTS_NOTHING = re.compile(r"\b(?:(?P<many>cost)|costs) (?:nothing|no money)\b", re.I)
_IS_SAID = re.compile(
    r"(?:(?!\b(?:that|which|who|whose|whom|whoever|where|when|as|it|if|what)\b).)*?\b(?:is|are|was|were|will|can|has|have|had)\b",
    re.I,
)
"""A statement, or a question that has its verb: "Line 5 is in operation, right?"."""
_ASKS_BESIDE = re.compile(
    r",\s*(?:and )?(?:who|what|which|when|where|how|right|name)\b|\b(?:which|what|till when)\s+\w+$|\bwhen$", re.I
)
_COUNT = re.compile(
    r"(?:the )?(?:total )?(?:number|count) of (?:all )?(?:the |our |my )?(?P<things>(?:\w+ )?\w{2,}s\b.*)", re.I
)
_NAMES = re.compile(r"(?:the )?(?:full )?(?:names|list) of (?:all )?(?P<things>.+)", re.I)
_OWNED = re.compile(
    r"(?:what|which|who) are (?P<owner>(?:[\w'’-]+ ){0,3}[\w'’-]+?)(?:['’]s|(?<=s)['’]) (?P<kind>\w+s)", re.I
)
_MOST = re.compile(r"(?:the )?(?P<most>(?:most|least) \w+|\w{2,}est|best|worst)(?P<rest> .+)?", re.I)
_ASKED_BEHIND = re.compile(
    r"(?P<things>.+?)(?:,\s*(?:and )?(?P<asks>how (?:much|many|long|old|far|high|big)|what|who|when|where)"
    r"|,?\s+(?P<costs>cost|costs|price)\s*)",
    re.I,
)
_FRONTED = re.compile(
    r"(?P<things>[^,]+?)(?:,| altogether| all together| together),? "
    r"(?P<asks>(?:what|when|where|how (?:much|many|long|often|old)) (?:do|does|did|is|are|was|were|have|has|can)) "
    r"(?:they|it|he|she|that|those)\b(?P<rest>.*)",
    re.I,
)
"""What is asked about stands before it: "all suppliers together, what do they cost?"."""
_HAD = re.compile(
    r"(?P<things>(?:[\w'’-]+ ){0,3}\w+s) (?P<who>we|I|they) (?:(?:have|had) )?"
    r"(?P<done>(?:already |still |just |never )*"
    r"(?:\w+ed|bought|sent|lent|paid|sold|kept|made|seen|given|taken|read|left))",
    re.I,
)
"""Of what somebody did something, in as few words: "paint colours we already bought"."""
_TOLD_OF = re.compile(
    r"(?:the |our |my )?(?P<noun>(?:[\w'’-]+ ){0,3}?[\w'’-]+) "
    r"(?:of|for|from|at|on|in|to|by|with|that|which|who|whose|beginning|starting)\s.+",
    re.I,
)
_TOLD_OF_OWNER = re.compile(
    r"(?P<owner>(?:[\w-]+ ){0,2}[\w-]+)(?:['’]s|(?<=s)['’]) (?P<noun>(?:[\w-]+ ){0,3}[\w-]+)", re.I
)


def in_full(question: str) -> str:
    """The question as one that asks with a verb and a word for what it asks, where it does not; else as it is.

    What is written out asks for the same, in the words that there are: nothing is guessed.
    """
    text = " ".join(question.split()).strip(" ?.!")
    if not text or len(text) > _LONGEST or re.search(r"[.!?;:]\s", text):
        return question
    plain = _OF_LISTED.sub("the", _ON_FILE.sub("", text))
    plain = _COSTS_NOTHING.sub(lambda found: "are free" if found["many"] else "is free", plain)
    full = _written_out(plain)
    if owned := _OWNED.fullmatch(full):
        full = f"Which {owned['kind']} does {owned['owner']} have"
    return question if full.lower() == text.lower() else f"{full[:1].upper()}{full[1:]}?"


def _written_out(text: str) -> str:
    first = text.split()[0].lower().strip(",")
    if first not in _NO_START and (match := _FRONTED.fullmatch(text)):
        return f"{match['asks']} {match['things']}{match['rest']}"
    if match := _HAD.fullmatch(text):
        return f"which {match['things']} have {match['who']} {match['done']}"
    if first in _NO_START or re.split(r"['’]", first)[0] in _NO_START or first in PREPOSITIONS or _IS_SAID.match(text):
        return text
    if text[:2].istitle() and "'" not in first and "’" not in first and not re.match(r"\w+ [A-Z]", text):
        text = f"{text[0].lower()}{text[1:]}"  # else it would be held for a name
    if match := _COUNT.fullmatch(text):
        return f"how many {match['things']}"
    if match := _NAMES.fullmatch(text):
        return f"what are {match['things']}"
    if match := _ASKED_BEHIND.fullmatch(text):
        things = match["things"]
        return f"what does {things} cost" if match["costs"] else f"{match['asks']} {_be(things)} {things}"
    if _MOST.fullmatch(text) and first not in ("rest", "test", "guest", "west", "forest", "request", "interest"):
        return f"what is the {text.removeprefix('the ')}"
    match = _TOLD_OF.fullmatch(text) or _TOLD_OF_OWNER.fullmatch(text)
    if match is None or set(match["noun"].lower().split()) & (_NO_START | PREPOSITIONS) or _ASKS_BESIDE.search(text):
        return text
    noun = match["noun"].split()[-1].lower()
    asks = "who" if is_personal(noun) and noun_type(noun) != "thing" else "what"
    has_owner = "owner" in match.groupdict() or text.split()[0].lower() in ("the", "our", "my")
    return f"{asks} {_be(noun)} {'' if has_owner else 'the '}{text}"


def _be(noun: str) -> str:
    last = noun.split()[-1].lower()
    return "are" if last != singular(last) else "is"
