"""What a question for yes or no claims: its auxiliary, and the stems of the words that count."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.answer_rules.text import STOP_WORDS, stem, words
from tools.planning.words import PLAIN_VERBS

Stems = frozenset[str]
Verdict = str
"""Yes, no, or "" for what a rule leaves open."""

AUX = r"(?:do|does|did|is|are|was|were|has|have|had|can|could|may|must|will|would|should|am)"
_ASKS = re.compile(rf"^\W*(?:(?:and|so|but) )?(?P<aux>{AUX}) (?P<asked>.+?)\W*$", re.I)
NOT = re.compile(r"\b(?:not|no|never|nobody|nothing|none|neither|nor|cannot)\b|n['’]t\b", re.I)
UNSURE = re.compile(
    r"\b(?:if|whether|unless|would|might|perhaps|maybe|probably|almost|nearly|want(?:s|ed)?|hope[sd]?|planned|plans? to"
    r"|rumou?r|false|den(?:y|ied)|claim(?:s|ed)?|says?|said|thought|believed?|used to|wonders?)\b|\?",
    re.I,
)
"""What leaves open whether a sentence tells what is so."""
_PAST = re.compile(r"\b(?:was|were|had|ran|stayed|remained|continued|kept)\b", re.I)
_LIGHT = frozenset(
    "any anybody anyone anything some somebody someone something still already ever yet there now too really again "
    "longer more all i we you us our my your me please is are can could may must will would should am "
    "dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant cannot wont couldnt wouldnt shouldnt".split()
)
_NO_STEMS = STOP_WORDS | _LIGHT
_BASES = PLAIN_VERBS | {"found": "find", "came": "come"}
_PHRASES = ((re.compile(r"\bout of order\b", re.I), "broken"), (re.compile(r"\bturned up\b", re.I), "found"))
_MONTH = re.compile(r"(?<=\w )May\b|(?<=\bin )may\b|(?<=\bof )may\b")
"""The month, which is no auxiliary."""
_LONGEST = 4
"""Words of a subject."""


@dataclass(frozen=True, slots=True)
class AskedClaim:
    """What a question for yes or no asks: its auxiliary, its words behind that, and the stems of those that count."""

    aux: str
    text: str
    stems: Stems

    def split(self, said: Stems) -> str:
        """The subject: the words before those that are said; "" where nothing or all is said, and for a long one."""
        tokens = self.text.split()
        start = len(tokens)
        while start and stems_of(tokens[start - 1]) <= said:
            start -= 1
        is_told = bool(stems_of(" ".join(tokens[start:])))
        return " ".join(tokens[:start]) if is_told and 0 < start <= _LONGEST else ""


def asked_claim(question: str) -> AskedClaim | None:
    """What a question for yes or no asks; None for any other, one that denies something and one of two things."""
    text = " ".join(question[:300].split())
    match = _ASKS.match(text)
    if match is None or NOT.search(text) or re.search(r"\bor\b", text, re.I):
        return None
    asked = in_words(match["asked"])
    stems = stems_of(asked)
    return AskedClaim(match["aux"].lower(), asked, stems) if stems else None


def in_words(text: str) -> str:
    """A text with a plain word in the place of a phrase that says the same: "broken" for "out of order"."""
    for phrase, word in _PHRASES:
        text = phrase.sub(word, text)
    return text


def stems_of(text: str) -> Stems:
    """The stems of the words that count, verbs by their base form."""
    text = _MONTH.sub("maymonth", text)
    return frozenset(stem(_BASES.get(one, one)) for one in words(text) if one not in _NO_STEMS)


def first_stem(text: str) -> str:
    """The stem of the first word that counts: a clause's verb, behind its subject."""
    return next((one for word in words(text) for one in stems_of(word)), "")


def is_past(asked: AskedClaim, text: str) -> bool:
    """Whether it is asked what is so, and told what was."""
    return asked.aux in ("is", "are", "do", "does", "can", "may", "must", "will") and bool(_PAST.search(text))
