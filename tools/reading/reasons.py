"""Whether a reason is given for what a question asks why of, and not for something else that is told beside it.

A sentence tells a reason in one clause and in the other what it is the reason for, the effect: "Kim stayed at home
because the ferry was full". That says nothing of why the trip was cancelled, however near the two stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tools.answer_rules.asked_person import TITLES
from tools.answer_rules.text import MAX_SENTENCE, content_stems, stem
from tools.reading.telling import WHY, asked_stems
from tools.reading.yes_or_no import NEGATED, PREFIX

_BECAUSE = re.compile(r"\b(?:because(?: of)?|bc|due to|owing to|on account of)\b", re.I)
_BREAK = re.compile(r"[.;:!?]\s+")
_STANDS_FOR = re.compile(
    r"(?:^|[,–—-] |\b(?:and|but|that|as|then|said|says) )\W*(?:i|he|she|they|we|you|it|this|that|these|those|which|who)"
    r"(?:['’]\w+)?\b",
    re.I,
)
"""A clause whose subject stands for somebody or something that is told of elsewhere."""
_BRACKETS = re.compile(r"\([^()]*\)")
_DETERMINER = r"(?i:the|an?|my|our|your|his|her|their|its|this|that|these|those|some|all|no)\b"
_ADDRESS = rf"(?:(?i:{TITLES})\.? )?"
_BE = r"(?i:was|were|is|are|has|have|had|does|did|do|can|could|will|would|should|must)(?:n['’]t)?"
_SUBJECT = re.compile(
    rf"^\W*(?:(?i:and|but|so|then|only|even) )*(?!{_DETERMINER}){_ADDRESS}(?P<name>[A-Z][\w-]+)\b(?!['’])"
    r"(?! (?:all|about|for|the|an?|to|it|them|this|that|these|those|everything|every|each|our|my|your)\b)"
)
"""Whoever a clause says something of; "Repeat all" and "Sorry about" are nobody."""
_ASKED_OF = re.compile(rf"\b[Ww]hy {_BE} (?!{_DETERMINER}){_ADDRESS}(?P<name>[A-Z][\w-]+)\b(?!['’])")
_THEIRS = re.compile(r"^\W*(?i:his|her|their) (?P<thing>[\w-]+) ")
"""Somebody's kin or thing that is told of, not he himself."""
_THING = rf"(?i:the|our|my) (?P<thing>[\w'’-]+(?: (?!{_BE} )[\w'’-]+){{0,2}}?)"
_THING_TOLD = re.compile(rf"^\W*{_THING} {_BE} ")
_THING_ASKED = re.compile(
    rf"\b[Ww]hy (?:was|were|is|are) {_THING}(?: not)? \w+(?: (?:off|out|up|down|away|late|early))?\W*$"
)
_SOME_THING = re.compile(r"^\W*(?:(?:and|but|so|then) )*(?:the|an?|that|those|these|some|all|no)\b", re.I)
"""A subject that is told outright; of "my last day" it may well be why I leave."""
_NOT = re.compile(r"\b(?:not|never|\w+n['’]t) (?:[a-z]+ly )?(?P<verb>\w+)", re.I)
_ALIKE = (
    "cancel call drop scrap abandon,postpone put delay move shift defer reschedule,resign leave quit step stand retire",
    "stop end cease quit give discontinue drop,close shut,buy purchase get acquire take,begin start,fix repair mend",
    "refuse reject turn decline,throw discard bin,replace change swap,absent miss come,choose chose chosen pick select",
    "sack fire dismiss",
)
_FAILS = re.compile(
    r"\b(?:stop(?:s|ped)? working|br(?:eaks?|oke|oken) down|break down|pack(?:s|ed) (?:up|in)|g(?:ives?|ave) out"
    r"|out of order|went wrong)\b",
    re.I,
)
"""What is said of a thing that fails."""
_BUT_FOR = re.compile(
    r"[^.;!?]{0,120}?\b(?:because|due to|for)\b(?P<no>[^.;!?]{1,120}?),? \bbut (?:rather |only |simply )?"
    r"(?:because|due to|owing to|on account of)\b",
    re.I,
)
"""Behind a "not" that denies a reason, and not what it is the reason for, the reason denied."""


def _synonyms() -> dict[str, frozenset[str]]:
    alike: dict[str, frozenset[str]] = {}
    for group in ",".join(_ALIKE).split(","):
        stems = frozenset(stem(word)[:PREFIX] for word in group.split())
        for one in stems:
            alike[one] = alike.get(one, frozenset()) | stems
    return alike


_SYNONYMS = _synonyms()
"""The first letters of verbs, with those of the verbs that say the same of a plan, a person or a thing."""


def is_reason_of_another(question: str, sentence: str, answer: str = "") -> bool:
    """Whether a question asks why, and the clause for which a sentence gives its reason tells of something else, or
    the sentence says that it is not so.

    That clause has to name something of what is asked besides who does it, and nobody and nothing else in the place of
    whom or what is asked of, or to say "he" or "it" of them. With an `answer` only the reason in which it stands
    counts. A sentence without a word like "because" is left alone.
    """
    if not WHY.match(question):
        return False
    wanted = frozenset(one[:PREFIX] for one in asked_stems(_FAILS.sub("fail", question)))
    if _is_denied(question, wanted, sentence, answer):
        return True
    is_whole = not answer or bool(_BECAUSE.search(answer))
    told = [effect for effect, reason in _reasons(sentence) if is_whole or answer in reason]
    return bool(told and wanted) and all(_is_of_another(question, wanted, effect) for effect in told)


def is_without_reason(question: str, sentences: Sequence[str]) -> bool:
    """Whether a question asks why, and of the sentences that tell it the first that says anything new does not."""
    if not WHY.match(question):
        return False
    wanted = frozenset(one[:PREFIX] for one in asked_stems(question))
    new = next((one for one in sentences if not _stems(one) <= wanted), "")
    return not new or is_reason_of_another(question, new)


def _is_denied(question: str, wanted: frozenset[str], sentence: str, answer: str) -> bool:
    """Whether it is asked why something was done, and a sentence says "not" of that, "didn't buy" for "buy", or of the
    reason that is the answer: "not because of the money but because of the boss".
    """
    if NEGATED.search(question):
        return False
    for match in _NOT.finditer(sentence[:MAX_SENTENCE]):
        if not wanted & _stems(match["verb"]):
            continue
        but = _BUT_FOR.match(sentence, match.end())
        if but is None or (answer and answer in but["no"]):
            return True
    return False


def _reasons(sentence: str) -> Iterator[tuple[str, str]]:
    """What a sentence gives a reason for, and the reason; what follows the comma where it begins with its reason."""
    sentence = sentence[:MAX_SENTENCE]
    for match in _BECAUSE.finditer(sentence):
        before = _BREAK.split(sentence[: match.start()])[-1]
        reason = _BREAK.split(sentence[match.start() :])[0]
        if before.strip(" ,-–—*•("):
            yield before, reason
        elif ", " in (main := _BRACKETS.sub("", reason)):
            yield main.partition(", ")[2], reason


def _is_of_another(question: str, wanted: frozenset[str], effect: str) -> bool:
    if _STANDS_FOR.search(effect):
        return False
    subject, asked = _SUBJECT.match(effect), _ASKED_OF.search(question)
    if subject and asked and asked["name"] not in effect and subject["name"] not in question:
        return True
    theirs = _THEIRS.match(effect)
    if theirs and asked and asked["name"] not in effect and not _stems(theirs["thing"]) & _stems(question):
        return True
    thing, asked_thing = _THING_TOLD.match(effect), _THING_ASKED.search(question)
    if thing and asked_thing and not _stems(asked_thing["thing"]) & _stems(effect):
        return not _is_in_other_words(wanted - _stems(asked_thing["thing"]), _stems(effect) - _stems(thing["thing"]))
    doing = _stems(subject["name"]) if subject else frozenset()
    said = _stems(_FAILS.sub("fail", effect))
    said |= frozenset[str]().union(*(_SYNONYMS.get(one, frozenset()) for one in said))
    if (wanted - doing or wanted) & said:
        return False
    return bool(subject or _SOME_THING.match(effect))


def _is_in_other_words(wanted: frozenset[str], said: frozenset[str]) -> bool:
    """Whether a clause tells by another verb what is asked for, so that it may call the thing by another word too:
    "the fete was postponed" of the party that was moved.
    """
    return not wanted & said and any(said & _SYNONYMS.get(one, frozenset()) for one in wanted)


def _stems(text: str) -> frozenset[str]:
    return frozenset(one[:PREFIX] for one in content_stems(text))
