"""What somebody says, and of whom: "I" and "my" are the speaker, "you" the other one of two who talk, "my sister Nora
moved" is Nora's doing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from kb.graph.mentions import Mention
from kb.graph.relation_words import last_clause, opens_sentence, relation_words
from kb.name_keys import name_key

_LEADING = r"\W*(?:[^,]{1,40},\s+)?(?:(?:and|but|so|well|yes|yeah|no|ok|okay|oh|then)\s+)*"
_WHO = re.compile(
    rf"{_LEADING}(?:(?P<first>I|we|my|our)|(?P<second>you|your)|(?P<third>he|she|they))\b(?P<short>['’](?:re|ve|ll|d)\b)?",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?P<whose>my|our|your)\s+(?P<what>[a-z][a-z-]*(?: [a-z][a-z-]*){0,2}),?\s*$", re.IGNORECASE)
_BETWEEN = frozenset(
    "a about after an and are as at be before but by did do does for from had has have in is of on or since that the "
    "till to until was were when where while who will with".split()
)
"""Words that show that what is somebody's and the name behind it are two things: "my flat in", "my car is a"."""

_ROLES = frozenset(
    "mother mum mom father dad parent sister brother sibling twin daughter son child aunt uncle cousin niece nephew "
    "grandmother grandma grandfather grandpa granddaughter grandson stepmother stepfather stepsister stepbrother "
    "wife husband spouse partner fiance fiancé fiancee fiancée girlfriend boyfriend ex mother-in-law father-in-law "
    "sister-in-law brother-in-law daughter-in-law son-in-law godmother godfather friend neighbour neighbor flatmate "
    "roommate landlord landlady tenant colleague coworker co-worker teammate classmate boss manager supervisor lead "
    "mentor assistant deputy director teacher tutor professor coach trainer student pupil doctor dentist nurse vet "
    "therapist lawyer accountant client customer guest host cat dog horse".split()
)
"""What one named can be to somebody: the last of the words between "my" and the name."""

_FORWARDED = re.compile(
    r"^[ \t>*_-]*(?:Begin forwarded message|Forwarded message|Original message|Weitergeleitete Nachricht"
    r"|Ursprüngliche Nachricht)\b|(?<=\n)[ \t>*]*(?:From|Von):",
    re.IGNORECASE | re.MULTILINE,
)
_ADVERB = r"(?:(?:also|already|always|finally|just|never|now|often|once|really|still|then|usually)\s+)*"
_DOES = (
    r"(?:is|was|are|were|has|had|will|would|can|could|should|may|might|must|does|did|went|came|got|took|gave|made|left"
    r"|bought|sold|sent|met|saw|told|said|wrote|found|lost|won|began|became|kept|held|ran|flew|drove|broke|built|paid"
    r"|spent|taught|thought|knew|grew|fell|chose|ate|sang|spoke|wore|put|let|set)\b"
    r"|(?!hundred\b)[a-z]+[a-df-z]ed\b(?=\s+(?:[A-Z0-9]|(?:a|an|the|me|him|us|them|my|his|her|our|your|their|about|after"
    r"|against|along|around|at|away|back|before|behind|by|down|during|for|from|home|in|into|near|off|on|out|over|past|since"
    r"|through|to|towards?|under|until|up|via|when|while|with|without)\b))"
)
_DID = re.compile(rf",?\s+(?:who\s+)?{_ADVERB}(?:{_DOES})")
_DOES_SO = re.compile(rf",?\s+(?:who\s+)?{_ADVERB}(?:{_DOES}|[a-z]{{2,}}[a-rt-z]s\b)")
_IN_FULL = {"re": "are", "ve": "have", "ll": "will", "d": "would"}

Triple = tuple[str, str, str]


def speaks_of_self(text: str, start: int, end: int) -> bool:
    """Whether a sentence begins in the first person, and not as a quotation or within one."""
    found = _WHO.match(text, start, end)
    return found is not None and found["first"] is not None and not _is_quoted(text, start)


def _is_quoted(text: str, start: int) -> bool:
    if text[start : start + 1] in ("'", "‘", "‚", "‹", "›", ">"):
        return True
    before = text[text.rfind("\n\n", 0, start) + 1 : start + 1]  # a mark that nobody closes ends with its paragraph
    is_open = before.count("„") + before.count("“") > before.count("”")
    return is_open or before.count('"') % 2 == 1 or before.count("«") != before.count("»")


@lru_cache(maxsize=1)  # asked for each passage of a mail, one after another
def own_words_end(text: str) -> int:
    """Where the words of a mail's sender end and a mail forwarded below them begins; the text's end for none."""
    found = _FORWARDED.search(text)
    return found.start() if found else len(text)


class Turn:
    """What one says in one go, sentence by sentence; of a later one "she" may be whom an earlier one was about."""

    def __init__(self, speaker: str, speakers: Sequence[str] = ()) -> None:
        """`speakers` are all who talk; where they are two, "you" is the other one."""
        self._speaker, self._speakers = speaker, speakers
        others = [one for one in speakers if one != speaker]
        self._hearer = others[0] if len(speakers) == 2 and len(others) == 1 else ""
        self._other = ""

    def facts(self, text: str, span: tuple[int, int], mentions: Sequence[Mention]) -> Iterator[Triple]:
        """Triples of the sentence at `span`, whose `mentions` are given in order; a question tells nothing of "you"."""
        position = span[0]
        subject, relation, hearer = self._speaker, "", "" if text[span[1] - 1] == "?" else self._hearer
        for at, one in enumerate(mentions):
            opens = at == 0 and one.kind == "name" and opens_sentence(text, position, one.start)
            if opens and (named := self._named(one.name)) and text[one.end : one.end + 1] == ",":
                hearer, position = named, one.end + 1  # whom it is said to
                continue
            if opens and _DOES_SO.match(text, one.end):
                subject = self._other = one.name
                position = one.end
                continue
            if (opens and " " not in one.name) or one.key in (name_key(self._speaker), name_key(subject)):
                continue
            before = text[position : one.start]
            owned = _owned(before) if one.kind == "name" else None
            if owned and (owner := self._speaker if owned["whose"].lower() != "your" else hearer):
                yield owner, owned["what"].lower(), one.name
                if not before[: owned.start()].strip(" ,"):
                    subject, position = one.name, one.end
                    self._other = one.name
                    continue
            subject, said = self._told(before, subject, hearer)
            relation = said or relation
            yield subject, relation or "says", one.name
            position = one.end
            if one.kind == "name" and _DID.match(text, one.end):
                subject, relation = one.name, ""
                self._other = one.name

    def _named(self, name: str) -> str:
        """The speaker who is called by a name or by the first of it; "" for nobody, or several."""
        key = name_key(name)
        found = [one for one in self._speakers if key in (name_key(one), name_key(one).split(" ")[0])]
        return found[0] if len(found) == 1 and found[0] != self._speaker else ""

    def _told(self, before: str, subject: str, hearer: str) -> tuple[str, str]:
        """Of whom the words before a name tell, and what: the `subject` so far where they begin with nobody else."""
        clause, said = last_clause(before), relation_words(before)
        who = _WHO.match(clause)
        if who is None:
            said = re.sub(r"^s (?=\w)", "", said) if re.match(r"['’]s\b", before) else said
            return subject, self._spelled_out(said, subject, hearer)
        if who["first"]:
            return self._speaker, self._spelled_out(said, self._speaker, hearer)
        rest = relation_words(f"{_IN_FULL.get((who['short'] or '')[1:], '')} {clause[who.end() :]}")
        if who["second"]:
            return (hearer, self._spelled_out(rest, hearer, hearer)) if hearer else (self._speaker, said)
        return (self._other, rest) if self._other else (self._speaker, f"{who['third'].lower()} {rest}")

    def _spelled_out(self, said: str, subject: str, hearer: str) -> str:
        """What is said with the names of those whom it is done to: "owe me" is "owe Lena Hart"."""
        if subject != self._speaker:
            said = re.sub(r"\bme\b", lambda _: self._speaker, said)
        return re.sub(r"\byou$", lambda _: hearer, said) if hearer and subject != hearer else said


def _owned(before: str) -> re.Match[str] | None:
    """The words "my sister" right before a name, where they say what the one named is to somebody."""
    found = _RELATIVE.search(before)
    *others, last = found["what"].lower().split() if found else [""]
    return found if last in _ROLES and not (_BETWEEN | _ROLES) & {*others} else None
