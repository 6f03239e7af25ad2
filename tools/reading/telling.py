"""Questions that no short answer ends: what a thing is, why, how, what happened, what there is to tell.

They are answered by the sentences that say it, quoted: the likeliest first, then what belongs to it in the order of the
text. Which sentence tells why, how or what happened, and how likely it does, says a small trained model (`choice.py`,
"told").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tools.answer_rules.asked_before import is_question
from tools.answer_rules.converses import asks_for_side
from tools.answer_rules.text import content_stems, name_score, stem
from tools.reading.choice import load_choice
from tools.reading.defining import defined, headed
from tools.reading.spelled import spelled
from tools.reading.told import Sentence, Told, best_of
from tools.search.word_match import coverage

Kind = Literal["definition", "stands", "does", "why", "how", "happened", "about", "connected"]

_DEFINITION = re.compile(
    r"^(?:(?:what|who)(?:['’]s| is| are| was| were)|define|what do you (?:call|mean by))\s+(?P<topic>.+?)$"
    r"|^what (?:does|do|did) (?P<meant>.+?) mean$"
    r"|^(?:what is )?the meaning of (?P<said>.+)$|^(?P<bare>[\w-]+) meaning$",
    re.I,
)
_STANDS = re.compile(
    r"^what (?:does|do|did|is|are) (?:the (?:letters?|initials|abbreviation|acronym) )?(?P<topic>.+?)"
    r" (?:stand|short) for$",
    re.I,
)
_DOES = re.compile(
    r"^what (?:does|do) (?:the )?(?P<topic>(?-i:[a-z_.$-])[\w .$-]{1,50}?)"
    r"(?: (?:command|function|option|flag|setting|script))? do$",
    re.I,
)
"""Asks what something does that has no name of its own: a command, an option, a thing."""
_OF = re.compile(
    r"\b(?:of|in|at|on|by|for|from|to|with|that|which|who|whose|where|when|than|most|first|last|largest|biggest|between|and|or)\b"
    r"|['’]s\s|\b\w+est\b|\b(?:my|his|her|its|their|our|your)\b|\d{4}",
    re.I,
)  # fmt: skip
WHY = re.compile(r"^\W*(?:(?:so|and|but) )?(?:why\b|for what reason\b|what (?:is|was) the reason\b)", re.I)
_HOW = re.compile(
    r"^how\s+(?:do|does|did|to|can|could|should|must|is|are|was|were|has|have|had|would|will|come)\b(?!\s+\w+\s+(?:old|tall)\b)",
    re.I,
)
_ABOUT = re.compile(
    r"^(?:please )?(?:tell me (?:more |something )?about|what (?:do you|can you) (?:know|tell me) (?:of|about)|describe"
    r"|what is (?:known|said|told) (?:of|about)|give me (?:some )?information (?:on|about))\s+(?P<topic>.+)$",
    re.I,
)
_CONNECTED = re.compile(
    r"\bhow (?:are|is|were|was) (?P<one>.+?) (?:and|to|with) (?P<other>.+?) (?:connected|related|linked)\b"
    r"|\b(?:what|which) (?:connects|links) (?P<a>.+?) (?:and|to|with) (?P<b>.+)$"
    r"|\b(?:connection|link|relation(?:ship)?) between (?P<x>.+?) and (?P<y>.+)$",
    re.I,
)
_CAUSE = re.compile(
    r"\b(?:because|since|due to|owing to|as a result|so that|in order to|reason|therefore|thus|caused|cause|to avoid|"
    r"on account of|thanks to|led to|which is why|for fear|so|too)\b",
    re.I,
)
# A sentence that tells what follows from the one before it.
_FOLLOWS = re.compile(
    r"^(?:(?:and )?(?:this|that|it|these|those)(?: (?:is|was|are|were)|['’]s)(?: (?:also|exactly|partly))?"
    r"(?: (?:the )?(?:(?:main |only )?reasons?|because of (?:this|that)))? why\b"
    r"|(?:for (?:this|that|these|those) reasons?|because of (?:this|that))\b"
    r"|to (?:avoid|prevent) (?:this|that|these|those)\b|(?:therefore|hence|thus)\b|as a (?:result|consequence)\b)",
    re.I,
)
# Words of such a question that no sentence has to say.
_ASKING = frozenset(
    stem(word)
    for word in (
        "reason happened wrong place come cant dont didnt doesnt isnt wasnt wont cannot can could should would must "
        "may might will shall we i you us our my your they there get go going do done make made take so"
    ).split()
)

TOLD_FEATURES = (
    "cover", "own", "cosine", "closer", "fuller", "cause", "rank", "words", "why", "how", "happened", "asked", "item",
    "keyed", "fits", "first",
)  # fmt: skip

MOST = 0.94
"""The most confidence in a sentence that tells why, how or what happened: it may tell it only in part."""

HOW = 0.75
"""What is left of the confidence in a sentence that tells how: cross-validated, of those from 0.7 on half are right, of
those that tell why or what happened nine in ten.
"""

# Sentences among which the trained model chooses.
_OFFERED = 8
# Sentences that are told beside the best one, and how near to it they stand.
_MORE = 2
# The share of what is asked about that a sentence names before its "because" counts.
_MOST = 0.6
# Words that a sentence has at least which tells why, how or what happened: what has fewer only names a thing.
_WORDS = 4


def kind_of(question: str) -> tuple[Kind, str] | None:
    """The kind of a question that sentences answer, and what it is about; None for a question with a short answer."""
    text = " ".join(question.split()).strip(" ?.!")
    if match := _CONNECTED.search(text):
        return "connected", " | ".join(part for part in match.groups() if part)
    if match := _ABOUT.match(text):
        return "about", match["topic"]
    if WHY.match(text):
        return "why", text
    if re.match(r"^(?:and |so )?what (?:has )?(?:happened|went wrong|occurred|took place)\b", text, re.I):
        return "happened", text
    if _HOW.match(text):
        return "how", text
    if match := _STANDS.match(text):
        return "stands", match["topic"]
    if match := _DOES.match(text):
        return "does", match["topic"]
    return _definition(text)


_LACKING = re.compile(r"(?:(?:and|so) )?who (?:is|are|was|were)(?:n['’]t| not) ", re.I)
"""Asks for those of whom something is not so, not who somebody is."""
_HOLDER = re.compile(r"who(?:['’]s| is| are| was| were) the (?=[a-z])")
"""Asks who has an office, not what that is: "Who is the treasurer?"."""


def _definition(text: str) -> tuple[Kind, str] | None:
    match = _DEFINITION.match(text)
    if not match or _LACKING.match(text) or _HOLDER.match(text[:1].lower() + text[1:]) or asks_for_side(text):
        return None
    topic = re.sub(r"^(?:an?|the)\s+", "", next(part for part in match.groups() if part), flags=re.I).strip("\"'“”‘’ ")
    asked_meaning = match["topic"] is None
    if not topic or (not asked_meaning and (_OF.search(topic) or len(topic.split()) > 3)):
        return None
    return "definition", topic


def tell(kind: Kind, topic: str, sentences: Sequence[Sentence]) -> Told:
    """The sentences that say it; `sentences` are those of the best passages, in any order. None of them asks."""
    sentences = [one for one in sentences if not is_question(one.text)]
    if kind == "definition":
        return defined(topic, sentences)
    if kind == "stands":
        return spelled(topic, sentences)
    if kind == "does":
        return headed(topic, sentences)
    if kind == "about":
        return _about(topic, sentences)
    if kind == "connected":
        return _connected(topic, sentences)
    return _explained(kind, topic, sentences)


def _about(topic: str, sentences: Sequence[Sentence]) -> Told:
    wanted = frozenset(content_stems(topic))
    titled = [one for one in sentences if name_score(topic, one.title) >= 0.85]
    if titled:
        first = sorted(titled, key=lambda one: (one.rank, one.start))
        return Told(tuple(first[: 1 + _MORE]), 0.92)
    naming = [(_cover(wanted, one) + 0.1 * one.cosine - 0.01 * one.rank, one) for one in sentences]
    naming = [(score, one) for score, one in naming if _cover(wanted, one, titled=False) >= 0.99]
    best = [one for _, one in sorted(naming, key=lambda pair: (-pair[0], pair[1].rank, pair[1].start))][: 1 + _MORE]
    return Told(tuple(best), 0.8 if best else 0.0)


def _connected(topic: str, sentences: Sequence[Sentence]) -> Told:
    """A sentence that names both, or one of each that share a passage."""
    both = [frozenset(content_stems(part)) for part in topic.split(" | ")]
    scored = [
        (min(_cover(part, one) for part in both) + 0.1 * one.cosine - 0.01 * one.rank, one)
        for one in sentences
        if all(_cover(part, one) >= 0.5 for part in both)
    ]
    return best_of([(min(0.8, score), one) for score, one in scored], more=0)


def _explained(kind: Kind, question: str, sentences: Sequence[Sentence]) -> Told:
    """The sentence that the trained model holds for the likeliest, with those that follow it; where it tells why by
    what stands before it ("This is why the ferry is late"), with that one first.
    """
    offered = offer(kind, question, sentences)
    if not offered:
        return Told()
    chances = load_choice("told").probabilities(told_features(kind, question, offered))
    likely = int(np.argmax(chances))
    scored = [(float(chance), one) for chance, one in zip(chances, offered, strict=True)]
    best = scored[likely]
    beside = [(-1.0, one) for one in sentences if one.passage == best[1].passage and _is_full(one) and one != best[1]]
    told = best_of([best, *beside], more=_MORE if kind in ("how", "happened") else 1)
    follows = kind == "why" and _FOLLOWS.match(best[1].text.lstrip("-*• "))
    if follows and (cause := _before(best[1], sentences)):
        told = Told((cause, best[1]), told.confidence)
    return Told(told.sentences, min(MOST, told.confidence * (HOW if kind == "how" else 1.0)))


def _before(one: Sentence, sentences: Sequence[Sentence]) -> Sentence | None:
    """The sentence before one in its passage."""
    earlier = [other for other in sentences if other.passage == one.passage and other.start < one.start]
    return max(earlier, key=lambda other: other.start, default=None)


def offer(kind: Kind, question: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that may tell why, how or what happened, best first by how much of the question they name, how
    close they come to it, and whether they give a cause; at most eight.
    """
    wanted = asked_stems(question)
    scored = [(_fits(kind, wanted, one), one) for one in sentences if _is_full(one)]
    return [one for _, one in sorted(scored, key=lambda pair: (-pair[0], pair[1].rank, pair[1].start))[:_OFFERED]]


def told_features(kind: Kind, question: str, offered: Sequence[Sentence]) -> NDArray[np.float32]:
    """What speaks for each sentence offered, shape (sentences, features)."""
    wanted = asked_stems(question)
    covers = [_cover(wanted, one) for one in offered]
    cosines = [one.cosine for one in offered]
    rows = []
    for place, one in enumerate(offered):
        values = {
            "cover": covers[place], "own": _cover(wanted, one, titled=False), "cosine": one.cosine,
            "closer": one.cosine - max([*cosines[:place], *cosines[place + 1 :], 0.0]),
            "fuller": covers[place] - max([*covers[:place], *covers[place + 1 :], 0.0]),
            "cause": float(bool(_CAUSE.search(one.text))), "rank": one.rank / 8,
            "words": min(len(one.text.split()), 40) / 40, "why": float(kind == "why"), "how": float(kind == "how"),
            "happened": float(kind == "happened"), "asked": min(len(wanted), 8) / 8,
            "item": float(one.text.lstrip()[:1] in "-*•["), "keyed": float(": " in one.text[:30]),
            "fits": _fits(kind, wanted, one), "first": float(place == 0),
        }  # fmt: skip
        rows.append([values[name] for name in TOLD_FEATURES])
    return np.array(rows, dtype=np.float32)


def asked_stems(question: str) -> frozenset[str]:
    """What a sentence has to say, of the words of a question."""
    return frozenset(content_stems(question)) - _ASKING


def _is_full(one: Sentence) -> bool:
    return len(one.text.split()) >= _WORDS


def _fits(kind: Kind, wanted: frozenset[str], one: Sentence) -> float:
    cover = _cover(wanted, one)
    cue = kind == "why" and cover >= _MOST and bool(_CAUSE.search(one.text))
    return 0.45 * cover + 0.35 * max(0.0, one.cosine) + 0.15 * cue - 0.005 * one.rank + 0.05


def _cover(wanted: frozenset[str], one: Sentence, *, titled: bool = True) -> float:
    """The share of the wanted stems that a sentence names, with the title of its passage or without."""
    said = frozenset(content_stems(f"{one.title} {one.text}" if titled else one.text))
    return coverage(wanted, said)
