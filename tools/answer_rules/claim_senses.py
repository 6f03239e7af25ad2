"""Yes or no by the sense of a sentence, where a closed class of words gives it and not by a word like "not".

"Nobody objected" denies that anybody did, "only members may vote" that guests may, "we are out of flour" that there is
any; "the heating works again" that it is broken, and "the key isn't lost" says that it was found. Each rule has to find
all that is asked in one clause; what it does not know it leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tools.answer_rules.asked_claims import (
    AUX,
    NOT,
    UNSURE,
    AskedClaim,
    Stems,
    Verdict,
    asked_claim,
    first_stem,
    in_words,
    is_past,
    stems_of,
)
from tools.answer_rules.dealings import ONE
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.opposites import is_bounded, lasting_sense, opposite_sense
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import MAX_SENTENCE, stem

TOLD = 0.82
"""How sure such an answer is: never sure, for another sentence may take it back."""

_SETTLED = re.compile(r"\b(?:again|after all|no longer|any ?(?:longer|more))\b", re.I)
_ANYBODY = re.compile(r"^(?:any|some)(?:body|one|thing)\b|^any (?:of|people)\b", re.I)
_GENERIC = re.compile(r"^(?:i|we|you|one|people|they|he|she|it|there)\b", re.I)
_NOBODY = re.compile(
    r"(?:^\W*|[,;:–—-] |\b(?:and|but|so|that) )(?:nobody|no[ -]one|nothing)\b(?P<told>.*)", re.I | re.S
)
_BUT_ONE = re.compile(rf"^ (?:but|except(?: for)?|other than|apart from) (?P<but>{ONE}) (?P<told>.+)", re.S)
_EXCEPT = re.compile(
    r"^(?P<told>.+?),? (?:except(?: for)?|other than|apart from|(?<=(?:thing|.body) )but|(?<=everyone )but)"
    r" (?P<but>[^,.;:()]+)\W*$",
    re.I | re.S,
)
_ONLY = re.compile(
    rf"^\W*(?:(?:[Aa]nd|[Bb]ut|[Ss]o) )?[Oo]nly (?P<who>{ONE}(?: and {ONE})?|(?:[a-z]+ )?[a-z]+s) (?P<told>.+)$", re.S
)
_NEITHER = re.compile(rf"\b[Nn]either (?P<one>{ONE}) nor (?P<other>{ONE}) (?P<told>.+)$", re.S)
_LACKS = re.compile(
    r"\b(?:(?:is|are|am|was|were|been|['’](?:re|m|s)|run|ran|running) (?:all |completely )?out of"
    r"|lacks?|lacked|\b(?:is|are|am|was|were|been) without(?! (?:his|her|their|its|my|our|the)\b)"
    r"|(?:has|have|had) no|there (?:is|are|was|were) no|there['’]s no)\s+(?P<thing>.+)",
    re.I,
)
_THERE = r"(?:still )?(?:got )?(?:any |some |enough )?(?P<thing>[\w -]+?)(?: left)?$"
_HAVING = re.compile(
    rf"^(?:(?:(?!have\b|still\b)[\w'’-]+ ){{1,4}}?(?:still )?have {_THERE}|there {_THERE.replace('thing', 'there')})",
    re.I,
)
_OURS = re.compile(r"^\W*(?:we|i|they|there)\b", re.I)
_LEFT = frozenset((stem("leave"),))
_OUTSTANDING = re.compile(r"^(?P<who>.+?) still (?:(?:have|need) to )?(?P<told>.+)$", re.I)
_COUNTED = re.compile(r"^(?:one|two|three|four|a few|some)\b", re.I)
_EVERY = re.compile(r"\b(?:every\w*|all|each|any\w*|always|whole)\b", re.I)
_NOT_YET = re.compile(r"\b(?:has|have)(?:n['’]t| not)\b", re.I)
_ELSE = re.compile(
    rf"^(?P<first>.+?)(?:[,;] (?:but |and |though |while |whereas )?| (?:but|while|whereas) )(?P<who>{ONE}) "
    rf"{AUX}(?P<not>n['’]t| not)?(?: yet| too| though)?\W*$",
    re.S,
)
_CLAUSE = re.compile(r"[,;:()–—]|\b(?:and|but|so|because|while|when|who|which|since|as)\b", re.I)
_BOUND = re.compile(
    r"\b(?:only|except|unless|until|till|before|after(?! all\b)|from|almost|nearly|hardly|partly)\b", re.I
)
_WHEN = re.compile(r"\b(?:when(?:ever)?|while)\b", re.I)
_NEXT = re.compile(r"[,;:] (?:so|and|but|because)\b", re.I)
_AT_FIRST = re.compile(r"\b(?:at (?:first|once|the time)|(?:first|then|before|after|more|most)\b)", re.I)
_WORD = re.compile(r"[\w'’-]+")


def find_sense(question: str, evidence: Evidence) -> Recorded | None:
    """Yes or no by the sentences whose sense is told by a rule; None where none is, where two disagree, and where
    another one says the claim itself otherwise, unless it is so "again" or "after all".
    """
    asked = asked_claim(question)
    if asked is None:
        return None
    told: dict[Verdict, Found] = {}
    plainly = set[Verdict]()
    for doc in evidence.docs:
        for start, end in doc.sentences:
            text = doc.text[start:end]
            if verdict := _told(asked, text):
                told.setdefault(verdict, doc.found(start, end, TOLD))
            elif len(asked.stems) > 1 and asked.stems <= stems_of(text):
                plainly.add("no" if NOT.search(text) else "yes")
    if len(told) != 1:
        return None
    [(verdict, place)] = told.items()
    is_settled = plainly <= {verdict} or _SETTLED.search(place.text)
    return Recorded(verdict, (place,), TOLD) if is_settled else None


def _told(asked: AskedClaim, sentence: str) -> Verdict:
    """What the first rule that knows the sense of a sentence says."""
    text = in_words(sentence[:MAX_SENTENCE].strip())
    if UNSURE.search(text) or not asked.stems & stems_of(text):
        return ""
    return next((verdict for rule in _RULES if (verdict := rule(asked, text.rstrip(" .!")))), "")


def _of_another(asked: AskedClaim, text: str) -> Verdict:
    """ "Mr Able didn't come, Mrs Able did": of each by its own auxiliary."""
    match = _ELSE.match(text)
    if match is None or re.search(r"\bstill\b", asked.text, re.I):
        return ""
    who, told = stems_of(match["who"]), stems_of(match["first"])
    if who <= asked.stems and asked.stems - who <= told and not who <= told:
        return "no" if match["not"] else "yes"
    return opposite_sense(asked, match["first"], text)


def _of_nobody(asked: AskedClaim, text: str) -> Verdict:
    """ "Nobody may park except the doctor"."""
    match = _NOBODY.search(text)
    if match is None:
        return ""
    besides = _BUT_ONE.match(match["told"]) or _EXCEPT.match(match["told"])
    told = besides["told"] if besides else _NEXT.split(match["told"])[0]
    but = stems_of(besides["but"]) if besides else Stems()
    said = stems_of(told)
    if first_stem(told) not in asked.stems or _says_more(asked, told):
        return ""
    if but and but <= asked.stems and asked.stems - but <= said:
        return "yes"
    if _ANYBODY.match(asked.text) or _GENERIC.match(asked.text):
        is_one = bool(but) and bool(_ANYBODY.match(asked.text))
        return ("yes" if is_one else "no") if asked.stems <= said else ""
    subject = asked.split(said)
    return "no" if subject and not stems_of(subject) & but else ""


def _of_only(asked: AskedClaim, text: str) -> Verdict:
    """ "Only members may vote": of members, of guests; of Bob nothing, who may be a member."""
    match = _ONLY.match(text)
    if (
        match is None
        or NOT.search(text)
        or _COUNTED.match(match["who"])
        or first_stem(match["told"]) not in asked.stems
        or _says_more(asked, match["told"])
    ):
        return ""
    who, said = stems_of(match["who"]), stems_of(match["told"])
    if asked.stems <= said:
        return "yes" if _ANYBODY.match(asked.text) else ""
    subject = asked.split(said)
    one = stems_of(subject)
    if not one or _GENERIC.match(subject):
        return ""
    if one <= who:
        return "yes"
    is_alike = _is_name(subject) == _is_name(match["who"]) and not one & who
    return "no" if is_alike or one - who == {"non"} else ""


def _says_more(asked: AskedClaim, told: str) -> bool:
    """Whether it is told with more than is asked: "in the deep pool", "at first"."""
    return bool(stems_of(told) - asked.stems or _AT_FIRST.search(told))


def _is_name(text: str) -> bool:
    return text.split()[-1][:1].isupper()


def _of_neither(asked: AskedClaim, text: str) -> Verdict:
    match = _NEITHER.search(text)
    if match is None or first_stem(match["told"]) not in asked.stems or _says_more(asked, match["told"]):
        return ""
    subject = stems_of(asked.split(stems_of(match["told"])))
    return "no" if subject and any(subject <= stems_of(match[one]) for one in ("one", "other")) else ""


def _of_exception(asked: AskedClaim, text: str) -> Verdict:
    """ "Everyone must pay except children": of children the other way round."""
    match = _EXCEPT.match(text)
    if match is None:
        return ""
    but, is_not = stems_of(match["but"]), bool(NOT.search(match["told"]))
    if not is_not and not _EVERY.search(match["told"]) and " except" not in text:
        return ""
    verb = next((one.end() for one in _WORD.finditer(match["told"]) if stems_of(one[0]) & asked.stems - but), 0)
    if _says_more(asked, match["told"][verb:]):
        return ""
    is_asked = but and but <= asked.stems and asked.stems - but and asked.stems - but <= stems_of(match["told"])
    return ("yes" if is_not else "no") if is_asked else ""


def _of_lacking(asked: AskedClaim, text: str) -> Verdict:
    """ "We are out of flour": whether there is any, or somebody has any."""
    match = _HAVING.match(asked.text)
    thing = stems_of(match["thing"] or match["there"]) if match else Stems()
    rest = asked.stems - thing - _LEFT
    clauses = _CLAUSE.split(text)
    if not thing or is_past(asked, text) or is_bounded(asked, clauses) or _WHEN.search(text):
        return ""
    return "no" if any(_is_lacking(thing, rest, one) for one in clauses) else ""


def _is_lacking(thing: Stems, rest: Stems, clause: str) -> bool:
    """Whether a clause says of the one who is asked for that he lacks a thing, and no more."""
    one = _LACKS.search(clause)
    if one is None or _BOUND.search(clause):
        return False
    who, lacked = stems_of(clause[: one.start()]), stems_of(one["thing"]) - _LEFT
    if one[0].lower().startswith("there"):
        return bool(rest) and not who and lacked == thing | rest
    is_ours = "out of" in one[0].lower() and bool(_OURS.match(clause))
    return lacked == thing and who == rest and (bool(rest) or is_ours)


def _of_outstanding(asked: AskedClaim, text: str) -> Verdict:
    """ "Anna hasn't paid yet": whether she still has to."""
    match = _OUTSTANDING.match(asked.text)
    is_duty = match and (re.search(r"\bstill (?:have|need) to\b", asked.text, re.I) or asked.aux == "must")
    clause = next((one for one in _CLAUSE.split(text) if asked.stems - {"need"} <= stems_of(one)), "")
    is_open = _says_more(asked, clause) or bool(_BOUND.search(clause))
    return "yes" if is_duty and clause and not is_open and _NOT_YET.search(clause) else ""


def _of_opposite(asked: AskedClaim, text: str) -> Verdict:
    parts = _CLAUSE.split(text)
    if is_bounded(asked, parts) or _WHEN.search(text):
        return ""
    clauses = (one.strip() for one in parts if not _BOUND.search(one) or " again" in one)
    told = (opposite_sense(asked, one, text) or lasting_sense(asked, one) for one in clauses)
    return next(filter(None, told), "")


_RULES: tuple[Callable[[AskedClaim, str], Verdict], ...] = (
    _of_another,
    _of_nobody,
    _of_only,
    _of_neither,
    _of_exception,
    _of_lacking,
    _of_outstanding,
    _of_opposite,
)
