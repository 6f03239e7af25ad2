"""Questions that no short answer ends: what a thing is, why, how, what happened, what there is to tell.

They are answered by the sentences that say it, quoted: the likeliest first, then what belongs to it in the order of the
text. How sure that is follows from how much of what was asked the sentence names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tools.answer_rules.asked_before import is_question
from tools.answer_rules.text import content_stems, fold, name_score, stem, words

Kind = Literal["definition", "why", "how", "happened", "about", "connected"]

_DEFINITION = re.compile(
    r"^(?:(?:what|who)(?:['’]s| is| are| was| were)|define|what do you (?:call|mean by))\s+(?P<topic>.+?)$"
    r"|^what (?:does|do|did) (?P<meant>.+?) (?:mean|stand for)$"
    r"|^(?:what is )?the meaning of (?P<said>.+)$|^(?P<bare>[\w-]+) meaning$",
    re.I,
)
_OF = re.compile(
    r"\b(?:of|in|at|on|by|for|from|to|with|that|which|who|whose|where|when|than|most|first|last|largest|biggest|between|and|or)\b"
    r"|['’]s\s|\b\w+est\b|\b(?:my|his|her|its|their|our|your)\b|\d{4}",
    re.I,
)  # fmt: skip
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
_COPULA = (
    r"\s*(?:\([^)]{0,80}\)\s*)?[,;]?\s*(?:(?:is|are|was|were)\s(?:an?|the|one|our|any|what|when|where|how|short|all)\b"
    r"|(?:means?|stands? for|refers? to|[:=–—-])\s)"
)

# Words of such a question that no sentence has to say.
_ASKING = frozenset(
    stem(word)
    for word in (
        "reason happened wrong place come cant dont didnt doesnt isnt wasnt wont cannot can could should would must "
        "may might will shall we i you us our my your they there get go going do done make made take so"
    ).split()
)

# Sentences that are told beside the best one, and how near to it they stand.
_MORE = 2
# The share of what is asked about that a sentence names before its "because" counts.
_MOST = 0.6
# Words that a sentence has at least which tells why, how or what happened: what has fewer only names a thing.
_WORDS = 4


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, at [start, end) of its text, with its cosine to the question (-1..1)."""

    passage: int
    title: str
    text: str
    start: int
    rank: int
    cosine: float


@dataclass(frozen=True, slots=True)
class Told:
    """The sentences that answer, best first, then in order, and how sure that is (0..1); () where none does."""

    sentences: tuple[Sentence, ...] = ()
    confidence: float = 0.0


def kind_of(question: str) -> tuple[Kind, str] | None:
    """The kind of a question that sentences answer, and what it is about; None for a question with a short answer."""
    text = " ".join(question.split()).strip(" ?.!")
    if match := _CONNECTED.search(text):
        return "connected", " | ".join(part for part in match.groups() if part)
    if match := _ABOUT.match(text):
        return "about", match["topic"]
    if re.match(r"^(?:so |and |but )?(?:why\b|for what reason\b|what (?:is|was) the reason\b)", text, re.I):
        return "why", text
    if re.match(r"^(?:and |so )?what (?:has )?(?:happened|went wrong|occurred|took place)\b", text, re.I):
        return "happened", text
    if _HOW.match(text):
        return "how", text
    return _definition(text)


def _definition(text: str) -> tuple[Kind, str] | None:
    match = _DEFINITION.match(text)
    if not match:
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
        return _defined(topic, sentences)
    if kind == "about":
        return _about(topic, sentences)
    if kind == "connected":
        return _connected(topic, sentences)
    return _explained(kind, topic, sentences)


def _defined(topic: str, sentences: Sequence[Sentence]) -> Told:
    folded = re.escape(fold(topic))
    says = re.compile(rf"(?:^|[\s\"“‘'*(\[|-]){folded}[\"”’'*)\]]*{_COPULA}")
    scored: list[tuple[float, Sentence]] = []
    for one in sentences:
        text = fold(one.text)
        at = says.search(text)
        titled = name_score(topic, one.title) >= 0.85
        score = 0.0
        if at:
            score = 0.95 if at.start() < 40 else 0.8
        elif titled and one.start <= len(one.title) + 4:
            score = 0.9
        elif re.search(rf"\({folded}\)", text):
            score = 0.8
        elif f" {fold(topic)} " in f" {' '.join(words(one.text))} ":
            score = 0.5
        if score:
            scored.append((score + 0.05 * titled + 0.05 * one.cosine - 0.001 * one.rank, one))
    return _best(scored, more=0)


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
    return _best([(min(0.8, score), one) for score, one in scored], more=0)


def _explained(kind: Kind, question: str, sentences: Sequence[Sentence]) -> Told:
    wanted = frozenset(content_stems(question)) - _ASKING
    scored: list[tuple[float, Sentence]] = []
    for one in sentences:
        if len(one.text.split()) < _WORDS:
            continue
        cover = _cover(wanted, one)
        cue = kind == "why" and cover >= _MOST and bool(_CAUSE.search(one.text))
        scored.append((0.45 * cover + 0.35 * max(0.0, one.cosine) + 0.15 * cue - 0.005 * one.rank + 0.05, one))
    return _best(scored, more=_MORE if kind in ("how", "happened") else 1)


def _cover(wanted: frozenset[str], one: Sentence, *, titled: bool = True) -> float:
    """The share of the wanted stems that a sentence names, with the title of its passage or without."""
    said = frozenset(content_stems(f"{one.title} {one.text}" if titled else one.text))
    return len(wanted & said) / len(wanted) if wanted else 0.0


def _best(scored: Sequence[tuple[float, Sentence]], more: int) -> Told:
    """The best sentence, with up to `more` that follow it in its passage."""
    if not scored:
        return Told()
    score, best = max(scored, key=lambda pair: (pair[0], -pair[1].rank, -pair[1].start))
    after = sorted(
        (one for _, one in scored if one.passage == best.passage and one.start > best.start), key=lambda one: one.start
    )
    return Told((best, *after[:more]), max(0.0, min(0.95, score)))
