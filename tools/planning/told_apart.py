"""What a preposition tells apart in a question: "the van for the Aldgarth round", "our contact at Quill Voice"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.planning.lexicon import PARTICIPLES, VERBS, noun_type, singular
from tools.planning.possessed import WORD, Word, is_apart, is_personal
from tools.planning.words import CONJUNCTIONS, PLAIN_VERBS, PRONOUNS, WH

BASE_VERBS = frozenset(verb.lemma for verb in VERBS.values()) | frozenset(PLAIN_VERBS.values())
_DETERMINED = frozenset("the our my your their".split())
_PREPOSITIONS = frozenset("of for on behind in at from with under near beside opposite".split())
_OBJECTS = _DETERMINED | frozenset("a an his her its this that these those".split())
"""What one thing begins with, as a name does with a capital or a figure."""
_BEING = frozenset("is are was were".split())
_AUXILIARY = _BEING | frozenset("do does did has have had can could may might must shall should will would".split())
_ENDS = _AUXILIARY | CONJUNCTIONS | WH | PRONOUNS | frozenset("that not".split())
_NO_OBJECT = PRONOUNS | WH | frozenset("there here that this case total all".split())
_NO_NOUN = frozenset(
    "end start beginning top bottom middle front back side rest amount total sum half part kind sort type size list "
    "name names number numbers price cost costs fee rate time times day days date week month year hour way case course "
    "use reason purpose most least first last next only same other best worst latest whole full".split()
)
"""What stands before "of" and tells nothing apart, and what says itself which one is meant."""
_TIMES = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday spring summer autumn winter morning afternoon evening today tomorrow".split()
)
_OF_VALUE = re.compile(
    r"\b(?:number|phone|mobile|extension|e-?mail|address|plate|registration|price|cost|rent|fee|deposit|wage|salary|rate"
    r"|size|length|width|height|depth|weight|capacity|range|speed|colour|color|age|model|make|version|default|year|date"
    r"|birthday|role|job|title|town|place|room|office|floor|desk|shelf|code|password|owner|boss|deputy|stand-in|mentor"
    r"|leader|driver|captain|contact|supplier|minder|keeper)(?:\s+in\s+\w+)?\s+(?:of|for)\s+$",
    re.I,
)
"""What is asked of the thing told apart, as its value."""
_OF_SUBJECT = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|how)\b.*\b(?:is|are|was|were|does|do|did|has|have|had|can|may|must)\s+$",
    re.I,
)
_STATES = frozenset("open closed free available due valid ready finished away empty full".split())
_CLAUSES = frozenset("who that which whose where when we".split())
_ADVERBS = frozenset("really finally last now still ever actually usually normally just yet".split())
_PEOPLE = frozenset("deputy mentor".split())
_MOST = 3
"""Words of the longest noun."""


def told_apart(text: str, only_named: re.Pattern[str]) -> tuple[int, int, str] | None:
    """Where the first words stand that a preposition tells apart and of which something is asked, and the question for
    which one they mean; None where there are none. `only_named` matches what stands before words of which only the
    name is asked.
    """
    found = list(WORD.finditer(text))
    for at, word in enumerate(found):
        joint = _joint(text, found, at) if word[0].lower() in _DETERMINED else None
        end = _end(text, found, at, joint) if joint else None
        if joint is None or end is None:
            continue
        before, behind = text[: word.start()], text[found[end].end() :]
        ahead = found[end + 1][0].lower() if end + 1 < len(found) else ""
        is_asked = _OF_VALUE.search(before) or _OF_SUBJECT.search(before) or (ahead in _AUXILIARY and before.strip())
        if is_asked and not (only_named.match(before) and not behind.strip()):
            return word.start(), found[end].end(), _question(text, found, at, joint, end)
    return None


def _joint(text: str, found: Sequence[Word], at: int) -> int | None:
    """Where the preposition stands behind "the" and a noun of up to three words in lower case."""
    for place in range(at + 1, min(len(found), at + _MOST + 2)):
        word = found[place][0]
        if word in _PREPOSITIONS and place > at + 1:
            head = found[place - 1][0]
            is_plain = not ({one[0] for one in found[at + 1 : place]} & _NO_NOUN) and noun_type(head) != "number"
            is_superlative = len(found[at + 1][0]) > 5 and found[at + 1][0].endswith("est")
            is_doing = head.endswith("ing") and place - at > 2  # "the firm asking for"
            is_telling = is_plain and not (is_superlative or is_doing)
            return place if is_telling and place + 1 < len(found) else None
        if not word[:1].islower() or word in _ENDS or is_apart(text, found, place):
            return None
    return None


def _end(text: str, found: Sequence[Word], at: int, joint: int) -> int | None:
    """The last word of what begins at `at`: where the next verb or clause begins, or with the question."""
    first, last = joint + 1, joint
    low = found[first][0].lower()
    is_of_place = first + 1 < len(found) and found[first + 1][0].lower() in _NO_NOUN
    if is_of_place or low in _NO_OBJECT | _TIMES or not (low in _OBJECTS or not found[first][0][0].islower()):
        return None
    while last + 1 < len(found) and not is_apart(text, found, last + 1):
        word = found[last + 1][0]
        is_joined = word == "and" and last + 2 < len(found) and found[last + 2][0][:1].isdigit()  # "on 17 and 18 May"
        is_noun = found[last][0].lower() in _DETERMINED  # "the will", "the can"
        if word in _ENDS and not (is_joined or is_noun):
            break
        last += 1
    if last + 1 < len(found) and found[last + 1][0] in _CLAUSES:
        return None
    while last > first and found[last][0].lower() in _ADVERBS:
        last -= 1
    ahead = found[at - 1][0].lower() if at else ""
    verb = next((place for place in range(last, first, -1) if _is_verb(found, place, ahead)), None)
    if verb is not None:
        return verb - 1
    return None if ahead in _AUXILIARY or last < first else last


def _is_verb(found: Sequence[Word], place: int, ahead: str) -> bool:
    """Whether a word is the verb that belongs to the auxiliary before the noun: "does ... have", "was ... built"."""
    word, before = found[place][0].lower(), found[place - 1][0].lower()
    if before in _DETERMINED or before in _PREPOSITIONS:
        return False
    if ahead in _BEING or ahead in ("has", "have", "had"):
        return word in _STATES or _is_participle(word)
    return ahead in _AUXILIARY and found[place][0] in BASE_VERBS


def _is_participle(word: str) -> bool:
    return word in PARTICIPLES or (word.endswith("ed") and len(word) > 4)


def _question(text: str, found: Sequence[Word], at: int, joint: int, end: int) -> str:
    # "the piece written for the church": what is done to it stands behind its noun.
    done = joint - 1 if joint - at > 2 and _is_participle(found[joint - 1][0]) else joint
    noun, head = text[found[at + 1].start() : found[done - 1].end()], found[done - 1][0]
    if (is_personal(head) or head in _PEOPLE) and done == joint:
        return f"Who is {text[found[at].start() : found[end].end()]}?"
    preposition = text[found[done].start() : found[joint].end()]
    rest = text[found[joint + 1].start() : found[end].end()]
    if preposition == "with":
        return f"Which {noun} {'has' if singular(head) == head else 'have'} {rest}?"
    return f"Which {noun} {'is' if singular(head) == head else 'are'} {preposition} {rest}?"
