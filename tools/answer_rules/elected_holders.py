"""Who holds an office of which a sentence says how somebody came to it: "Ana Roe was elected treasurer"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.answer_rules.asked_person import NO_NAMES, TITLES
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.recorded_sides import Recorded
from tools.answer_rules.text import content_stems, says

HELD = 0.85
"""How sure it is that who came to an office holds it, where nobody else is said to."""

_LONGEST = 300
"""Characters of a question, and of a sentence, that are looked at."""

_ASKED = re.compile(
    r"\W*(?:(?:and|so) )?who(?:['’]s| is)(?: currently| now)? (?:the|our|your|their)(?: new| current| present)?"
    r" (?P<role>[a-z][\w-]+(?: [a-z][\w-]+){0,2}?)(?: (?:of|for|at) (?P<of>[^,?]{1,60}?))?"
    r"(?: now| currently| at the moment| at present| these days)?\W*",
    re.I,
)
_CHAIR = re.compile(r"chair(?:man|woman|person|lady)?", re.I)
_WORD = rf"(?!(?:{NO_NAMES})\b)[A-Z][\w'’-]+"
_NAME = rf"(?P<name>(?:(?:{TITLES})\.? )?{_WORD}(?: (?:[a-z]{{2,3}} )?{_WORD}){{0,2}})"
_CHOSEN = r"(?:(?:re-?)?elected|(?:re-?)?appointed|named|chosen|confirmed|voted in)"
_CAME_TO_IT = (
    rf"{_NAME}(?:, [^,.;]{{1,40}},)? (?:was|is|has been|got)(?: unanimously| again)? {_CHOSEN}"
    r"(?: (?:as|the|our|new))*",
    rf"\b(?:re-?)?(?:elected|appointed|chose|named|confirmed) {_NAME}(?: (?:as|the|our|new))*",
    rf"{_NAME} (?:has been|remains|stays|becomes|became)(?: now)?(?: our| the)(?: new)?",
)
_GIVEN = r"\b(?:place|post|job|office|role|duties) (?:as|of)(?: the| our)? ROLE (?:goes|went|passes|passed) to " + _NAME
_ENDS = (
    r"\b(?=\s*(?:[.,;:)]|$)| (?:with|by|on|in|at|since|from|and|of(?! the year)|for (?:another|the next|a further))\b)"
)
_PRONOUN = r"\b(?:she|he) (?:is|has been)(?: now)? (?:our|the)(?: new)? ROLE\b"
_ANY_NAME = re.compile(_NAME)
_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|if|whether|would|might|(?-i:may)|perhaps|maybe|almost|nearly|declined|refused|until|till"
    r"|former(?:ly)?|then)\b|n['’]t\b|\?",
    re.I,
)
_LEFT = re.compile(
    r"\b(?:resign\w*|retire[sd]?|st(?:and|ands|ood|anding|ep|eps|epped|epping) down|steps? back|died|passed away|left"
    r"|leaves|leaving|no longer|hand(?:s|ed) over|gives? up|gave up|replaced|succeed\w*|fired|dismissed|sacked"
    r"|former)\b",
    re.I,
)


def find_holder(question: str, evidence: Evidence) -> Recorded | None:
    """Who came to the office that a question asks for; None where nobody is said to have, two people are, or the one is
    said to have left.
    """
    asked = _ASKED.fullmatch(question[:_LONGEST])
    if asked is None:
        return None
    said = _CHAIR.sub(lambda _: _CHAIR.pattern, re.escape(asked["role"]).replace(r"\ ", " "))
    of = frozenset(content_stems(asked["of"] or ""))
    found = [one for doc in evidence.docs for one in _holders(doc, said) if of <= _named_around(one)]
    if not found or any(not _is_one(one.text, found[0].text) for one in found):
        return None
    longest = max(found, key=lambda one: len(one.text))
    if any(_has_left(doc, longest) or _has_another(doc, said, longest) for doc in evidence.docs):
        return None
    return Recorded(longest.text, (longest, *(one for one in found if one is not longest)), HELD)


def _named_around(holder: Found) -> frozenset[str]:
    """The stems of the sentence and of what its document is called: of what somebody is the chair."""
    return frozenset(content_stems(f"{holder.doc.title} {holder.doc.file_words} {holder.sentence}"))


def _holders(doc: Doc, said: str) -> Iterator[Found]:
    """Whom the sentences of a passage say to have come to an office, which is `said` by a pattern."""
    ways = [re.compile(rf"{way} {said}{_ENDS}") for way in _CAME_TO_IT]
    ways.append(re.compile(_GIVEN.replace("ROLE", said)))
    pronoun = re.compile(_PRONOUN.replace("ROLE", said), re.I)
    for start, end in doc.sentences:
        sentence = doc.text[start:end]
        if len(sentence) > _LONGEST or not re.search(said, sentence, re.I) or _DENIED.search(sentence):
            continue
        told = [match for way in ways for match in way.finditer(sentence)]
        if not told and (she := pronoun.search(sentence)):
            named = list(_ANY_NAME.finditer(sentence[: she.start()]))
            told = named if len(named) == 1 else []
        for match in told:
            yield doc.found(start + match.start("name"), start + match.end("name"), HELD)


def _is_one(name: str, other: str) -> bool:
    """Whether two ways to write a name are of one person: one has all words of the other."""
    return says(name, other) or says(other, name)


def _has_another(doc: Doc, said: str, holder: Found) -> bool:
    """Whether somebody else's name stands right beside the office: "Treasurer: Bo Lim", "Bo Lim, our treasurer"."""
    ways = (
        rf"(?i:{said})(?:\s*[:–(]|,|(?i: is| was| since \d+))(?: (?:is|now|the|our))*\s*{_NAME}",
        rf"{_NAME}(?:,| is| was| as| \(|\s*[–:])(?: ?(?:the|our|new|now|a))*\s*(?i:{said})\b",
    )
    named = [match["name"] for way in ways for match in re.finditer(way, doc.text)]
    return any(not _is_one(name, holder.text) for name in named)


def _has_left(doc: Doc, holder: Found) -> bool:
    """Whether another sentence says that somebody of the name has left."""
    name = holder.text.split()[-1]
    return any(
        _LEFT.search(doc.text[start:end]) and says(doc.text[start:end], name)
        for start, end in doc.sentences
        if doc is not holder.doc or not start <= holder.start < end
    )
