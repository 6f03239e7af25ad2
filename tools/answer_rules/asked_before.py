"""Questions that a document asks itself, as the lists of what is often asked do, and that people ask each other in a
talk: what follows one answers it.

"Can zlib handle .zip archives? Not by itself, no." answers whoever asks so, and so does the next turn of another
speaker. The question itself states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.documents.structure import Line
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.others import is_anothers
from tools.answer_rules.text import content_stems, squeeze

ANSWERED = 0.87
"""How sure a yes or no is that stands at the head of such an answer, or at its end: likely."""

_ALIKE = 0.75
"""Share of the words of both questions together that they have in common for one to be the other."""

_YES = re.compile(
    r"^(?:a(?:nswer)?[:.]\s*)?(?:yes|yeah|yep|sure|certainly|of course|it is|it does|they do|they are)\b", re.I
)
_NO = re.compile(
    r"^(?:a(?:nswer)?[:.]\s*)?(?:no\b(?! (?:problem|doubt))|nope|never|sorry|not (?:by itself|yet|at all|really))"
    r"|,\s*no[.!]?$",
    re.I,
)
_NEXT = re.compile(r"\d+[.)]|Q\d{0,3}[.:]|#")
_LABEL = re.compile(r"(?:#{1,6} +)?(?:[-*•] +)?(?:\d+(?:\.\d+)*[.)]? +)?(?:Q(?:uestion)?(?: ?\d{1,3})?[.:)]\s*)?")
_CONTENTS = re.compile(r":\s\d+(?:\.\d+)+[.)]\s*$")
"""How a row of a list of contents goes on before what it names: "1. Background: 1.2. Where is it from?"."""
_LONGEST = 3
"""Sentences of an answer that are told."""

_SHORT = 30
"""Words of a turn that answers the one before; what is longer may be about something else."""

_ASKED = re.compile(r"\b(?:who|whom|whose|when|where|why|how|which|what)\b", re.I)
_NEEDED = re.compile(r"\b(?:needs?|needed|must|(?:have|has|had|got) to|required?|necessary|should|obliged)\b", re.I)
_PRICE = re.compile(r"\bhow much\b", re.I)
_EMPTY = frozenset(
    content_stems(
        "am can could may might must should will would shall i we you one they us our my me your use using used work "
        "works run support supports supported handle allow allowed permit permitted possible able need needed required "
        "necessary ok okay get have got please also still mean means stand meet really exactly there anybody somebody"
    )
)
"""What two questions may say differently and ask the same: "Can I use it with …", "Does it work with …"."""
_COSTS = frozenset(content_stems("much cost price charge"))
_NAME = re.compile(r"(?<!^)\b(?:[A-Z][\w'’+-]*|\w*\d\w*)")
_POLITE = re.compile(
    r"(?:(?i:oh|aw+|a+h|wow|hey|hi|hello|thanks|thank you|(?:ha)+|well|that['’]s (?:so )?(?:sweet|kind|nice))\b"
    r"[,!. ]*)+(?i:(?:so much|a lot|again|for asking)\b[,!. ]*)?(?:[A-Z]\w+[,!. ]*)?"
)
"""What a turn begins with before it answers: "Aw, thanks, Mel!"."""
_SELF = re.compile(r"(?:me|i|myself|i (?:do|will|can|am|did|have)|i['’]ll(?: do (?:it|that))?|me too)[.!]*", re.I)


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """Where an answer stands, its sentences; "yes" or "no" where it begins or ends so, else "".

    `question` is what it answers, as the document asks it, and `answer` what it comes to: the first of the sentences,
    or whoever says "me" to a question for who.
    """

    sentences: tuple[Found, ...]
    verdict: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question of a document and where what follows it stands; `speaker` is who answers, "" outside of a talk."""

    question: str
    answer: tuple[tuple[int, int], ...]
    speaker: str = ""


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, and so states nothing."""
    return sentence.rstrip(" \n\"'”’)*_").endswith("?")


def find_asked_before(question: str, evidence: Evidence) -> AskedBefore | None:
    """The answer that follows the one question which asks the same; None where none asks it, or two do.

    What one speaker of a talk answers of himself is no answer about another.
    """
    if not content_stems(question):
        return None
    found = []
    for doc in evidence.docs:
        for asked in _asked(doc):
            start = asked.answer[0][0] if asked.answer else 0
            is_same = bool(asked.answer) and _is_alike(question, asked.question, doc.headings_at(start))
            if is_same and not is_anothers(doc, start, question):
                found.append((tuple(doc.found(*place, ANSWERED) for place in asked.answer), asked))
    if len({sentences[0].text.casefold() for sentences, _ in found}) != 1:
        return None
    sentences, asked = found[0]
    first = sentences[0].text
    answer = asked.speaker if asked.speaker and _SELF.fullmatch(first) and _sort(question)[0] == "who" else first
    return AskedBefore(sentences, _verdict(first), asked.question, answer)


def _is_alike(question: str, asked: str, above: str) -> bool:
    """Whether two questions ask the same: for the same sort of thing, of the same names, in much the same words.

    The subject of a list may stand `above` it alone.
    """
    if _sort(question) != _sort(asked):
        return False
    wanted, own, known = _stems(question), _stems(asked), frozenset(content_stems(above))
    names, theirs = (frozenset(content_stems(" ".join(_NAME.findall(one)))) - _EMPTY for one in (question, asked))
    if not wanted or not own or not names <= own | known or not theirs <= wanted | known:
        return False
    return len(wanted & (own | known)) / len(wanted | own) >= _ALIKE


def _sort(question: str) -> tuple[str, bool]:
    """The word that asks, "" where yes or no is asked, and whether it asks what is needed."""
    found = _ASKED.search(question)
    begins = found is not None and len(question[: found.start()].split()) < 3
    word = found[0].lower() if found and begins else ""
    return {"whom": "who", "which": "what"}.get(word, word), bool(_NEEDED.search(question))


def _stems(question: str) -> frozenset[str]:
    """The words of a question that tell which one it is; all of them where none does more than ask."""
    stems = frozenset(content_stems(question))
    return (stems - _EMPTY - (_COSTS if _PRICE.search(question) else frozenset())) or stems


def _asked(doc: Doc) -> Iterator[_Asked]:
    """Every question of a passage, with up to three sentences of what follows it."""
    yield from _asked_above(doc)
    for index, (start, end) in enumerate(doc.sentences):
        if not is_question(doc.text[start:end]):
            continue
        line = doc.line_at(start)
        if line is not None and line.is_said:
            yield _replied(doc, line, start, end)
        else:
            yield _Asked(_LABEL.sub("", squeeze(doc.text[start:end]), count=1), _following(doc, index))
    for line in doc.lines:
        if is_question(line.subject) and line.kind != "pair" and line.values:
            yield _Asked(line.subject, tuple((one.start, one.end) for one in line.values[:1]))


def _asked_above(doc: Doc) -> Iterator[_Asked]:
    """The question in the heading above the beginning of a passage."""
    above = next(reversed(doc.headings(0)), "")
    if is_question(above) and doc.sentences and not is_question(doc.text[slice(*doc.sentences[0])]):
        yield _Asked(_LABEL.sub("", above, count=1), _following(doc, -1))


def _following(doc: Doc, index: int) -> tuple[tuple[int, int], ...]:
    """The sentences behind a question, up to the next one; none that is only the number or the mark of one."""
    following: list[tuple[int, int]] = []
    for start, end in doc.sentences[index + 1 : index + 2 + _LONGEST]:
        said = doc.text[start:end]
        is_apart = "\n" in doc.text[max(0, start - 2) : start]
        is_next = said.startswith("#") or bool(_CONTENTS.search(said))
        if is_question(said) or is_next or (following and is_apart and _NEXT.match(said)):
            break
        if re.search(r"[^\W\d_]", said):
            following.append((start, end))
    return tuple(following[:_LONGEST])


def _replied(doc: Doc, line: Line, start: int, end: int) -> _Asked:
    """A question in a talk, with the next turn, where that is short and another's, and nothing else is said between."""
    question = squeeze(doc.text[max(start, line.key[1] + 1) : end])
    turn = next((one for one in doc.lines if one.start >= line.end), None)
    if turn is None or not turn.is_said or turn.subject == line.subject or doc.text[end : line.end].strip():
        return _Asked(question, ())
    begin = turn.key[1] + 1
    if len(doc.text[begin : turn.end].split()) > _SHORT:
        return _Asked(question, ())
    spans = [(max(first, begin), last) for first, last in doc.sentences if begin < last and first < turn.end]
    told = [one for one in spans if not is_question(doc.text[slice(*one)])]
    while told and _POLITE.fullmatch(squeeze(doc.text[slice(*told[0])])):
        del told[0]
    return _Asked(question, tuple(told), turn.subject)


def _verdict(first: str) -> str:
    if _NO.search(first):
        return "no"
    return "yes" if _YES.match(first) else ""
