"""Whom a question asks about, with the kin of that one that it names, and where a sentence names the same one."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from kb.documents.plaintext import MONTHS
from tools.answer_rules.text import STOP_WORDS

TITLES = "Mrs?|Ms|Miss|Dr|Prof(?:essor)?|Sir|Dame|Lady|Lord|Aunt|Uncle|Canon|Father|Sister|Captain"
"""What stands before a name."""
NO_NAMES = (
    "He|She|It|They|We|I|His|Her|Their|My|Our|The|A|An|This|That|In|On|At|As|By|And|But|So|After|Before|When|While|Since"
    "|Then|Now|Once|Later|Last|Yesterday|Today|Finally|Also|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    f"|{'|'.join(MONTHS)}"
)
"""What has a capital, mostly at the beginning of a sentence, and is no name."""
RELATIVES = (
    "father|mother|parents?|dad|mum|son|daughter|child|children|brother|sister|siblings?|husband|wife|spouse|widow|"
    "widower|uncle|aunt|cousin|nephew|niece|grandfather|grandmother|grandparents|grandson|granddaughter|grandchild|"
    "grandchildren|stepson|stepdaughter|stepfather|stepmother|(?:father|mother|brother|sister|son|daughter)-in-law|"
    "fianc[ée]e?|boyfriend|girlfriend|godson|goddaughter|godfather|godmother|twin"
)
_OTHERS = (
    "partner|boss|friend|neighbour|neighbor|colleague|flatmate|roommate|landlord|landlady|teacher|tutor|pupil|student|"
    "assistant|secretary|gardener|nanny|cleaner|driver|lawyer|doctor|dog|cat|horse"
)
KIN = rf"(?:{RELATIVES}|{_OTHERS})(?:e?s)?"
DESCRIBED = rf"(?:[a-z-]+ ){{0,2}}?(?P<kin>{KIN})\b(?![-'’])"
_KIN_ASKED = re.compile(rf"(?:[a-z-]+ ){{0,2}}?(?P<kin>{KIN})\b(?!-)")

NAME = r"(?:[A-Z][\w'’.-]*?)(?: (?:(?:von|van|de|der|den|du|la|le|di|da) )*[A-Z][\w.-]*?)*"
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)(?:n['’]t)? (?P<rest>.+)", re.I
)
_OWNED = re.compile(rf"^(?:(?:the |an? )?[a-z]+ of )?(?P<name>{NAME})(?:['’]s|(?<=s)['’]) (?P<thing>.+)$")
_OF = re.compile(rf"^(?:the |an? )?(?P<thing>[a-z][a-z -]*?) of (?P<name>{NAME})(?P<rest>(?: [a-z].*)?)$")
_NAMED = re.compile(rf"^(?P<name>{NAME})(?![\w'’])(?P<thing>.*)$")
_NOUN = re.compile(r"^(?P<name>(?:the|my|our|his|her|their) [a-z][\w-]*)(?![\w'’-])(?P<thing>.*)$", re.I)
ADDRESS = re.compile(rf"^(?:(?:{TITLES})\.?\s+)+", re.I)
SUBJECT_PRONOUN = re.compile(r"\b(?:I|he|she|they|we|you|it)\b", re.I)
_LONGEST_THING = 2
"""Words of what somebody has ("phone number") that a question asks for and says nothing more of."""
_SPELT = 0.8
"""The share of letters that a last name has in common with one that is the same but for a letter or two."""

_NO_LAST_NAME = (
    r"(?:(?:Mobile|Cell|Phone|Telephone|Tel|Home|House|Work|Office|Fax|Email|Mail|Address|Extension|Ext|Contact|Number"
    r"|Landline|Birthday|Born|Age|Aged|Senior|Junior|Sr|Jr|Elder|Younger)\b)"
)
"""What stands behind a first name and is no last name: "Anna Mobile: 0555"."""


class Asked(NamedTuple):
    """Whom a question asks about, the kin of that one that it names ("" where none), and its other words."""

    name: str
    kin: str
    rest: str
    is_name: bool


def asked_about(question: str, passage: str) -> Asked | None:
    """Whom or what a question to a passage asks about, None where its words do not make that plain."""
    text = _as_written(" ".join(question.split()).strip(" ?.!"), passage)
    auxiliary = _AUXILIARY.search(text)
    if auxiliary is None:
        return None
    lead, rest = text[: auxiliary.start()], auxiliary["rest"]
    for pattern in (_OWNED, _OF):
        if match := pattern.match(rest):
            thing, more = match["thing"], match.groupdict().get("rest") or ""
            kin = _KIN_ASKED.match(thing)
            if kin is None and (more or len(thing.split()) > _LONGEST_THING):
                return None  # "the director of Alder", who was born somewhere, is somebody else than Alder
            return Asked(match["name"], kin["kin"] if kin else "", f"{lead} {thing}{more}", True)
    match = _NAMED.match(rest) or _NOUN.match(rest)
    return Asked(match["name"], "", f"{lead} {match['thing']}", match.re is _NAMED) if match else None


def _as_written(question: str, passage: str) -> str:
    """A question that writes all words small, with its names as a passage writes them."""
    if question[1:] != question[1:].lower():
        return question
    small = {*re.findall(r"\b[a-z]+\b", passage), *STOP_WORDS}
    names = {name.lower(): name for name in re.findall(r"\b[A-Z][a-z]+\b", passage)}
    return re.sub(r"\b[a-z]+\b", lambda one: one[0] if one[0] in small else names.get(one[0], one[0]), question)


def mention(asked: Asked, text: str, at: int) -> tuple[int, int] | None:
    """Where a sentence names the one asked about for the last time before a place, in full or by a part of the name."""
    parts = [asked.name]
    if asked.is_name:
        own = ADDRESS.sub("", asked.name).split() or [asked.name]
        parts += [" ".join(own), own[-1], own[0]]
    for part in dict.fromkeys(parts):
        places = list(re.finditer(rf"(?<![\w-]){re.escape(part)}(?![\w-])", text[:at], 0 if asked.is_name else re.I))
        if places:
            return places[-1].span()
    return None


def says_kin(question: str, kin: str) -> bool:
    """Whether a question names such kin, one of them or several."""
    return re.search(rf"\b{re.escape(kin.rstrip('s'))}s?\b", question, re.I) is not None


def tells_of_namesake(name: str, text: str, before: str, answer: str) -> bool:
    """Whether a sentence, or the one before it where it begins with a pronoun, is about "Anna Berg", and not about
    "Anna Holm" who is asked about.
    """
    own = ADDRESS.sub("", name).split()
    if len(own) < 2 or not own[-1][:1].isupper() or own[0] in ("The", "A", "An"):
        return False
    told = f"{before} {text}" if SUBJECT_PRONOUN.match(text.lstrip("-*• ")) else text
    if any(_is_spelt_alike(own[-1], word) for word in re.findall(r"\w+", told)):
        return False
    others = re.findall(rf"\b{re.escape(own[0])} (?!{_NO_LAST_NAME})[A-Z][a-z][\w-]*", told)
    return any(other not in answer and other not in name for other in others)


def _is_spelt_alike(name: str, word: str) -> bool:
    """Whether a word is the name, or the name with a letter or two mistaken."""
    return name[0] == word[0] and SequenceMatcher(None, name.lower(), word.lower()).ratio() >= _SPELT
