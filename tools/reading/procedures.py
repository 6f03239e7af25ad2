"""How something is done, and with which option or command: the section of a manual that tells it.

Such a question names what somebody wants, hardly ever what the manual calls it; what does it may stand in a heading
(`--check`), in a sentence below it or in a line of code behind that. So sentences compete with what surrounds them:
their heading, the sentences beside them, their passage, and what two readers make of their section. A small trained
model weighs that (a softmax over all sentences and "none of them"); all that it holds for one section together is how
likely that section tells it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from tools.answer_rules.text import content_stems, stem
from tools.reading.answering import FoundAnswer
from tools.reading.certainty import certainty_of
from tools.reading.guess import ReaderPair
from tools.reading.spans import Reading
from tools.reading.told import Sentence, Told

Floats = NDArray[np.float64]
Section = tuple[int, str]
"""A passage and the heading within it."""

MOST = 0.94
"""The most confidence in a section that tells how: it may tell it only in part."""

READ = 5
"""Sections that are read, the likeliest by their words and meaning."""

BEFORE, BEHIND = 4, 8
"""Sentences of a long section that are read, around the one that comes closest."""

DOUBTED, DOUBTFUL = 0.35, 0.7
"""What is held for its section below which a few words are doubted, and the most confidence that is left to them: of 19
such over sixteen manuals and ten folders 8 were right, of 39 others 34 (docs/results.md).
"""

SHOWN = 6
"""Sentences of a section that are told, from the one before the likeliest on."""

FEATURES = (
    "cosine", "own", "heading", "headed", "unit", "around", "rank", "passage", "section", "next", "cue", "code",
    "option", "purpose", "colon", "code_next", "opens", "place", "words", "short", "item", "of_heading", "long",
    "cosine_less", "own_less", "heading_less", "headed_less", "unit_less", "around_less", "section_less",
    "first_answers", "second_answers", "first_here", "second_here", "first_heading", "second_heading", "is_read",
    "first_answers_less", "second_answers_less", "first_here_less", "second_here_less",
)  # fmt: skip
"""What speaks for a sentence. "own" to "around" are the share of the question's words, rare ones more, that it says by
itself, its heading, both, these with the next two sentences, and with the one before and the title as well; "…_less" is
how much less it has than the best. "first_…" and "second_…" are log-odds of what the readers make of its section.
"""
_COMPARED = (0, 1, 2, 3, 4, 5, 8)
_UNREAD = 0.003
"""Added to what a reader says before its odds are taken: what is not read counts as hardly likely."""

_CUE = re.compile(
    r"\b(?:us(?:e|ing)|run(?:ning)?|set(?:ting)?|add(?:ing)?|pass(?:ing)?|call(?:ing)?|specify|type|put|install|enable"
    r"|disable|configure|invoke|provide|write|create|by \w+ing|you can|can be|you may|simply|just)\b",
    re.I,
)
_CODE = re.compile(r"(?<![\w-])--?[a-z][\w-]+|^\$ |`|\w\(\)|\w+_\w+|\w\.\w+\(|[{}=<>]| = ", re.I)
_POINTS_UP = re.compile(r"(?:This|These) [a-z]")
_PURPOSE = re.compile(
    r"^(?:in order )?to\b|\bif you (?:want|need|would like|wish|have|['’]d like)\b|\bwhen you\b", re.I
)
_HOW_TO = re.compile(r"\W*(?:and |so |but )?how (?:do|can|could|should|would|to|does one)\b(?!.*\bcome\b)", re.I)
_WITH_WHICH = re.compile(
    r"\W*(?:with |by )?(?:which|what) (?:[\w-]+ ){0,2}?(?:option|command|subcommand|setting|flag|switch|parameter"
    r"|variable|decorator|directive|hook|plugin)\b",
    re.I,
)
_ASKING = frozenset(
    stem(word)
    for word in (
        "how do does can could should would to i we you one which what option command setting flag variable function "
        "cant dont make get go have need want use way possible my our your"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Model:
    """Weights of the features, shape (features,), of "none of them", what is taken off and divided by, and how the
    share of a section becomes a probability (slope and shift of its log-odds).
    """

    weights: Floats
    none: float
    mean: Floats
    spread: Floats
    slope: float
    shift: float


@dataclass(frozen=True, slots=True)
class Way:
    """The section that tells how, and for each section with its sentences what is held for it (0..1)."""

    told: Told = field(default_factory=Told)
    shares: tuple[tuple[float, tuple[Sentence, ...]], ...] = ()

    def share_of(self, passage: int, sentence: str) -> float:
        """What is held for the section of a passage that has a sentence; 0 where none has."""
        said = " ".join(sentence.split())
        return max((share for share, section in self.shares if _has(section, passage, said)), default=0.0)

    def doubting(self, found: FoundAnswer) -> FoundAnswer:
        """A few words for how something is done, doubted where their section hardly tells it; never sure ones."""
        held = max((self.share_of(*stated) for stated in found.stated), default=1.0)
        if held >= DOUBTED or certainty_of(found.confidence) == "sure":
            return found
        return replace(found, confidence=min(found.confidence, DOUBTFUL), quote=None)


def _has(section: Sequence[Sentence], passage: int, said: str) -> bool:
    is_of_it = bool(said) and section[0].passage == passage
    return is_of_it and any(said in one.text or one.text in said for one in section)


@cache
def load_model() -> Model:
    """The trained model, of two kilobytes."""
    with resources.files(__package__).joinpath("procedures.npz").open("rb") as file, np.load(file) as kept:
        none, slope, shift = (float(kept[name]) for name in ("none", "slope", "shift"))
        return Model(kept["weights"], none, kept["mean"], kept["spread"], slope, shift)


def asks_for_way(question: str) -> bool:
    """Whether it is asked how something is done, or with which option, command or setting."""
    return bool(_HOW_TO.match(question) or _WITH_WHICH.match(question))


def find_way(question: str, sentences: Sequence[Sentence], readers: ReaderPair) -> Way:
    """The section that tells how, its likeliest sentence first, and how likely it does; nothing for no sentences."""
    if not sentences:
        return Way()
    model = load_model()
    shares = shares_of(model, features_of(question, sentences, read_sections(question, sentences, readers)))
    sections = tuple(
        (sum(float(shares[at]) for at in section), tuple(sentences[at] for at in section))
        for section in sections_of(sentences).values()
    )
    return Way(told_of(sentences, shares, model), sections)


def told_of(sentences: Sequence[Sentence], shares: Floats, model: Model) -> Told:
    """The likeliest sentence with those around it in its section, and how likely that section is."""
    best = int(shares.argmax())
    section = sections_of(sentences)[_section(sentences[best])]
    share = sum(float(shares[at]) for at in section)
    place = section.index(best)
    around = [sentences[at] for at in section[max(0, place - 1) :][:SHOWN] if at != best]
    confidence = 1 / (1 + math.exp(-(model.slope * _log_odds(share) + model.shift)))
    return Told((sentences[best], *around), min(MOST, confidence))


def with_heading(told: Told) -> str:
    """The likeliest sentence as the answer, behind its heading where that names the option or command, or what the
    sentence only calls "this flag".
    """
    best = told.sentences[0]
    is_name = bool(_CODE.search(best.subject)) or bool(best.subject and _POINTS_UP.match(best.text))
    names = is_name and best.subject.casefold() not in best.text.casefold()
    return f"{best.subject}: {best.text}" if names else best.text


def shares_of(model: Model, features: Floats) -> Floats:
    """What the model holds for each sentence, shape (sentences,); together with "none of them" 1."""
    scores = np.append((features - model.mean) / model.spread @ model.weights, model.none)
    weights = np.exp(scores - scores.max())
    shares: Floats = weights[:-1] / weights.sum()
    return shares


def sections_of(sentences: Sequence[Sentence]) -> dict[Section, list[int]]:
    """The places of the sentences of each section, in the order of the text."""
    found: dict[Section, list[int]] = {}
    for at in sorted(range(len(sentences)), key=lambda at: (sentences[at].rank, sentences[at].start)):
        found.setdefault(_section(sentences[at]), []).append(at)
    return found


def _section(one: Sentence) -> Section:
    return one.passage, one.subject


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a question with their weights, and the stems of each sentence, heading and title."""

    weights: Mapping[str, float]
    texts: list[frozenset[str]]
    headings: list[frozenset[str]]
    titles: list[frozenset[str]]

    @classmethod
    def of(cls, question: str, sentences: Sequence[Sentence]) -> _Words:
        texts, headings, titles = (
            [frozenset(content_stems(text)) for text in parts]
            for parts in zip(*((one.text, one.subject, one.title) for one in sentences), strict=True)
        )
        asked = frozenset(content_stems(question))
        counts = {
            word: sum(word in text or word in heading for text, heading in zip(texts, headings, strict=True))
            for word in sorted(asked - _ASKING or asked)
        }
        rarity = {word: math.log((len(sentences) + 1) / (count + 0.5)) for word, count in counts.items()}
        return cls(rarity, texts, headings, titles)

    def share(self, said: frozenset[str]) -> float:
        """The share of the question's words that are said, rare ones more."""
        whole = sum(self.weights.values()) or 1.0
        return sum(weight for word, weight in self.weights.items() if word in said) / whole


def read_sections(question: str, sentences: Sequence[Sentence], readers: ReaderPair) -> dict[int, tuple[float, ...]]:
    """For each sentence of the sections that are read: what both readers hold for an answer in its section, in itself
    and in its heading.
    """
    said = _Words.of(question, sentences)
    score = [one.cosine + said.share(said.texts[at] | said.headings[at]) for at, one in enumerate(sentences)]
    sections = sections_of(sentences)
    best = sorted(sections, key=lambda key: (-max(score[at] for at in sections[key]), key))[:READ]
    parts = [_around(sections[key], score) for key in best]
    texts = [_joined(sentences, part) for part in parts]
    pairs = [(question, sentences[part[0]].title, text) for part, (text, _) in zip(parts, texts, strict=True)]
    told: dict[int, tuple[float, ...]] = {}
    for part, (_, starts), *readings in zip(parts, texts, readers.read(pairs), readers.read_again(pairs), strict=True):
        answers = [one.answered for one in readings]
        headings = [_mass(one, 0, starts[0]) for one in readings]
        for at, start in zip(part, starts, strict=True):
            here = [_mass(one, start, start + len(sentences[at].text)) for one in readings]
            told[at] = (*answers, *here, *headings)
    return told


def _around(section: Sequence[int], score: Sequence[float]) -> Sequence[int]:
    place = max(range(len(section)), key=lambda at: (score[section[at]], -at))
    return section[max(0, place - BEFORE) : place + BEHIND]


def _joined(sentences: Sequence[Sentence], part: Sequence[int]) -> tuple[str, list[int]]:
    """A section as it is read, its heading first, and where each sentence begins in it."""
    text, starts = f"{sentences[part[0]].subject}\n", []
    for at in part:
        starts.append(len(text))
        text += f"{sentences[at].text}\n"
    return text, starts


def _mass(reading: Reading, start: int, end: int) -> float:
    return sum(span.probability for span in reading.spans if span.start < end and span.end > start)


def features_of(question: str, sentences: Sequence[Sentence], readings: Mapping[int, tuple[float, ...]]) -> Floats:
    """What speaks for each sentence, shape (sentences, features), float64."""
    said = _Words.of(question, sentences)
    closest: dict[int, float] = {}
    for one in sentences:
        closest[one.passage] = max(closest.get(one.passage, -1.0), one.cosine)
    rows: list[list[float]] = [[] for _ in sentences]
    for section in sections_of(sentences).values():
        nearest = max(sentences[at].cosine for at in section)
        for place, at in enumerate(section):
            one = sentences[at]
            near = (one.rank / 8, closest[one.passage], nearest)
            rows[at] = [
                one.cosine, *_of_words(said, section, place), *near, *_of_text(sentences, section, place, said)
            ]  # fmt: skip
    table = np.array(rows, dtype=np.float64)
    compared = table[:, _COMPARED] - table[:, _COMPARED].max(axis=0)
    unread = (*(_log_odds(0.0),) * 6, 0.0)
    read = np.array([(*map(_log_odds, readings[at]), 1.0) if at in readings else unread for at in range(len(table))])
    return np.concatenate([table, compared, read, read[:, :4] - read[:, :4].max(axis=0)], axis=1)


def _of_words(said: _Words, section: Sequence[int], place: int) -> list[float]:
    at = section[place]
    own, heading = said.texts[at], said.headings[at]
    after = frozenset().union(*(said.texts[one] for one in section[place + 1 : place + 3]))
    before = frozenset().union(*(said.texts[one] for one in section[max(0, place - 1) : place]))
    parts = (own, heading, own | heading, own | heading | after, own | heading | after | before | said.titles[at])
    return [said.share(one) for one in parts]


def _of_text(sentences: Sequence[Sentence], section: Sequence[int], place: int, said: _Words) -> list[float]:
    one, after = sentences[section[place]], [sentences[at] for at in section[place + 1 : place + 3]]
    words, heading = len(one.text.split()), said.headings[section[place]]
    return [
        max((next_.cosine for next_ in after), default=0.0),
        bool(_CUE.search(one.text)), bool(_CODE.search(one.text)), bool(_CODE.search(one.subject)),
        bool(_PURPOSE.search(one.text)), one.text.rstrip().endswith(":"),
        any(_CODE.search(next_.text) for next_ in after), place == 0, min(place, 6) / 6, min(words, 40) / 40, words < 4,
        one.text.lstrip()[:1] in "-*•[", len(heading & said.weights.keys()) / (len(heading) or 1),
        min(len(section), 8) / 8,
    ]  # fmt: skip


def _log_odds(share: float) -> float:
    return math.log((share + _UNREAD) / (1 + _UNREAD - min(share, 1.0)))
