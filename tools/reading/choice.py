"""Which candidate is the answer, and how likely it is right: a small trained model over what speaks for each.

One hidden layer over standardised features gives each candidate a score, and a softmax over the scores of a question's
candidates and of "none of them", which is 0, their probabilities. Trained with questions whose passages the reader has
not seen (`benchmarks/train_choice.py`), so that of the answers at 0.8 eight in ten are right (docs/results.md has the
curve).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.answer_rules.docs import Found
from tools.answer_rules.text import name_score, says, words
from tools.reading.candidates import Candidate
from tools.reading.weighing import same

Floats = NDArray[np.float32]
_AROUND = 2
"""Words that one span may have more than another around the same answer."""
_HALF = 0.7
"""How alike two names are of which one has at least half of the other's words: "F3 board", "F3 development board"."""
_NEAR = 0.3
"""What the cosine to the question counts between sentences that have the same words that may answer."""
OTHERS = 4
"""The likeliest of those that were not chosen, which a question in two steps tries as well."""
SENTENCES, NEARLY, SPEAKS = 3, 0.05, 0.2
"""Likeliest sentences that are told of, how likely they have to be, and their least cosine to the question: what is
farther has mostly nothing to do with it (docs/results.md).
"""
WEIGHTS = Path(__file__).with_name("choice.npz")


@dataclass(frozen=True, slots=True)
class ChoiceModel:
    """`mean` and `scale` of shape (features,), `hidden` (features, units), `out` (units,), with their offsets."""

    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_offset: Floats
    out: Floats
    out_offset: Floats

    def probabilities(self, features: Floats) -> Floats:
        """How likely each of a question's candidates is right: rows of `features`, shape (rows, features) -> (rows,).

        They add up to less than 1; what is left is the probability that none is right.
        """
        inner = np.tanh((features - self.mean) / self.scale @ self.hidden + self.hidden_offset)
        scores = np.append(inner @ self.out + self.out_offset, np.float32(0.0)).astype(np.float64)
        likely = np.exp(scores - scores.max())
        return np.asarray((likely / likely.sum())[:-1], dtype=np.float32)


@lru_cache(maxsize=4)
def load_choice(part: str = "span", weights: Path = WEIGHTS) -> ChoiceModel:
    """The model that ships: for spans, for what comparisons end in ("compared"), for yes and no ("claims"), or for the
    sentences that tell why, how and what happened ("told").
    """
    with np.load(weights) as arrays:
        names = ("mean", "scale", "hidden", "hidden_offset", "out", "out_offset")
        return ChoiceModel(*(arrays[f"{part}_{name}"] for name in names))


class Chosen(NamedTuple):
    """The likeliest candidate with the probability of all that say the same, and a place in the sentence that most of
    the probability stands in, with that: readers that find the right sentence often differ over which of its words
    are asked for. `chances` are what all candidates say with the probability of each by itself, `near` the likeliest
    sentences by their passages, without those that are hardly likely or far from the question; `others` the likeliest
    that tell something else than the candidate.
    """

    candidate: Candidate
    confidence: float
    told: Found
    told_confidence: float
    chances: tuple[tuple[str, float], ...] = ()
    near: tuple[tuple[int, str], ...] = ()
    others: tuple[tuple[Found, float], ...] = ()


def choose(candidates: Sequence[Candidate]) -> Chosen | None:
    """The likeliest candidate and the likeliest sentence; of equals the first. None for none."""
    if not candidates:
        return None
    chances = load_choice().probabilities(np.stack([one.features for one in candidates]))
    places = [one.found for one in candidates]
    best, together = likeliest(chances, [place_of(one) for one in places])
    said = [told_together(chances, places, one) for one in places]
    likely = int(
        np.argmax([told + _NEAR * one.doc.nearness(one.start) for told, one in zip(said, places, strict=True)])
    )
    offered = tuple((one.text, float(chance)) for one, chance in zip(places, chances, strict=True))
    others = _others(chances, places, best)
    likely_first = (places[at] for at in np.argsort(-np.array(said), kind="stable") if said[at] >= NEARLY)
    near = [one for one in likely_first if one.doc.nearness(one.start) >= SPEAKS]
    sentences = tuple(dict.fromkeys((one.doc.passage.id, one.sentence) for one in near))[:SENTENCES]
    return Chosen(candidates[best], together, places[likely], said[likely], offered, sentences, others)


def _others(chances: Floats, places: Sequence[Found], best: int) -> tuple[tuple[Found, float], ...]:
    """What else may answer than the best and all that tells the same, likeliest first, each with the probability of all
    that tell it.
    """
    told = [place_of(one) for one in places]
    taken = [told[best]]
    others: list[tuple[Found, float]] = []
    for at in np.argsort(-chances, kind="stable"):
        if len(others) < OTHERS and not any(told[at].tells(one) for one in taken):
            taken.append(told[at])
            others.append((places[at], _together(chances, told, int(at))))
    return tuple(others)


def told_together(chances: Floats, places: Sequence[Found], told: Found) -> float:
    """The probability of all candidates that stand in the sentence of one, or whose words it has: 0..1.

    A row of a table that has a name in another cell does not tell it: two rows name one person as two things.
    """
    sentence, is_row = told.sentence, told.doc.kind_at(told.start) == "row"
    has = (one.sentence == sentence or (not is_row and says(sentence, one.text)) for one in places)
    return min(1.0, sum(float(chance) for chance, is_said in zip(chances, has, strict=True) if is_said))


class Place(NamedTuple):
    """What a candidate says, and where it stands: the rank of its passage and the characters there."""

    text: str
    doc: int = 0
    start: int = 0
    end: int = 0

    def tells(self, other: Place) -> bool:
        """Whether both come to the same: the same name, half of it or more, or one is the other with a few words more
        around it.
        """
        if _are_alike(self.text, other.text):
            return True
        overlap = self.doc == other.doc and self.start < other.end and other.start < self.end
        return overlap and abs(len(self.text.split()) - len(other.text.split())) <= _AROUND


@lru_cache(maxsize=20_000)
def _are_alike(one: str, other: str) -> bool:
    if same(one, other):
        return True
    # By its letters alone the 12th of March is like the 13th.
    short, long = sorted((frozenset(words(one)), frozenset(words(other))), key=len)
    return short <= long and name_score(one, other) >= _HALF


def place_of(found: Found, text: str = "") -> Place:
    """Where a find stands; `text` where it is told in another form."""
    return Place(text or found.text, found.doc.rank, found.start, found.end)


def likeliest(chances: Floats, places: Sequence[Place]) -> tuple[int, float]:
    """The place of the largest probability, and the sum of those that tell the same."""
    best = int(np.argmax(chances))
    return best, _together(chances, places, best)


def _together(chances: Floats, places: Sequence[Place], at: int) -> float:
    """The sum of the probabilities of all that tell the same as one of the places."""
    return min(1.0, sum(float(chance) for chance, one in zip(chances, places, strict=True) if one.tells(places[at])))


def chance_of(text: str, chances: Sequence[tuple[str, float]]) -> float:
    """The probability, 0..1, of all candidates that say the same as a text; 0 where none does."""
    return min(1.0, sum(chance for one, chance in chances if same(one, text)))
