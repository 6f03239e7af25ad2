"""The choice among candidates: a model small enough to be worked out by hand, and the shapes of the one that ships."""

from __future__ import annotations

import math

import numpy as np
import pytest
from answer_evidence import evidence

from tools.answer_rules.docs import Doc
from tools.reading import choice
from tools.reading.candidates import Candidate
from tools.reading.choice import ChoiceModel, Place, choose, likeliest, load_choice, told_together
from tools.reading.verdicts import VERDICT_FEATURES
from tools.reading.weighing import FEATURES


def row(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


# Two features and one hidden unit: tanh((x - 1) / 2), and nothing of y; then log(3) / 0.6 of that.
BY_HAND = ChoiceModel(
    mean=row(1, 0), scale=row(2, 1), hidden=np.array([[1], [0]], dtype=np.float32), hidden_offset=row(0),
    out=row(math.log(3) / 0.6), out_offset=np.float32(0),  # type: ignore[arg-type]
)  # fmt: skip


ROME = 3 ** (math.tanh(math.log(2) / 2) / 0.6)
"""The odds of what lies half as far off: tanh(log(2) / 2) = 1 / 3, so 3 to the power of 5 / 9, about 1.84."""


def test_probabilities_by_hand() -> None:
    """tanh(log 2) = (4 - 1) / (4 + 1) = 0.6, so e to the scores is 1, 3 and 1 / 3, and 1 for none: 16 / 3 together."""
    rows = np.stack([row(1, 9), row(1 + 2 * math.log(2), 9), row(1 - 2 * math.log(2), -9)])
    assert BY_HAND.probabilities(rows) == pytest.approx([3 / 16, 9 / 16, 1 / 16], abs=1e-6)
    assert BY_HAND.probabilities(rows[1:2]) == pytest.approx([3 / 4], abs=1e-6), "one alone has the odds 3"


def test_a_score_beyond_all_measure_is_certain() -> None:
    wild = ChoiceModel(*(getattr(BY_HAND, name) for name in ("mean", "scale", "hidden", "hidden_offset")),
                       out=row(1e6), out_offset=np.float32(0))  # type: ignore[arg-type]  # fmt: skip
    assert wild.probabilities(np.stack([row(9, 0), row(-9, 0)])) == pytest.approx([1, 0])


def candidate(*features: float, text: str = "Alder", rank: int = 0) -> Candidate:
    doc = evidence(*[("Alder", f"{text} is a film.")] * (rank + 1)).docs[rank]
    return Candidate(doc.found(0, len(text), 1.0), None, row(*features))


def test_the_likeliest_is_chosen_and_of_equals_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "load_choice", lambda: BY_HAND)
    low = candidate(1, 0, text="Birch", rank=1)
    high, equal = candidate(1 + 2 * math.log(2), 0), candidate(1 + 2 * math.log(2), 7)
    chosen = choose([low, high, equal])
    assert chosen is not None
    assert chosen.candidate is high
    assert chosen.confidence == pytest.approx(6 / 8, abs=1e-6), "3 and 3 for the same name, of 1, 3, 3 and 1 for none"


def test_what_was_not_chosen_is_told_once_each_likeliest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """1, 1, 3, 3 and 1 / 3, with 1 for none 28 / 3: both of Alder are 2 of that, Cedar 1 / 3."""
    monkeypatch.setattr(choice, "load_choice", lambda: BY_HAND)
    likely, unlikely = 1 + 2 * math.log(2), 1 - 2 * math.log(2)
    alder, again = candidate(1, 0), candidate(1, 0)
    birch, other = candidate(likely, 0, text="Birch", rank=1), candidate(likely, 0, text="Birch", rank=2)
    chosen = choose([alder, again, birch, other, candidate(unlikely, 0, text="Cedar", rank=3)])
    assert chosen is not None
    assert chosen.candidate is birch
    assert [one.text for one, _ in chosen.others] == ["Alder", "Cedar"]
    assert [chance for _, chance in chosen.others] == pytest.approx([2 / (28 / 3), 1 / 28], abs=1e-6)
    alone = choose([alder])
    assert alone is not None
    assert alone.others == ()


def test_a_sentence_has_the_chances_of_all_that_it_says() -> None:
    """Of 0.3 and 0.25 in one sentence and 0.35 in another the first sentence has more, 0.55 with "Rome" said again."""
    doc = evidence(("Alder", "Alder was shot in Rome. Ann Lee made it in Paris in Rome.")).docs[0]
    places = [doc.found(18, 22, 0.0), doc.found(24, 31, 0.0), doc.found(43, 48, 0.0)]
    assert [one.text for one in places] == ["Rome", "Ann Lee", "Paris"]
    chances = row(0.35, 0.3, 0.25)
    assert told_together(chances, places, places[0]) == pytest.approx(0.35)
    assert told_together(chances, places, places[1]) == pytest.approx(0.9)
    assert told_together(row(0.8, 0.3, 0.25), places, places[2]) == 1.0


def test_a_row_does_not_tell_what_another_row_says() -> None:
    """Wen Li is the deputy in June and has the key in July: what speaks for him speaks for July's row."""
    text = "Month: June; Key: Sam Birch; Deputy: Wen Li\nMonth: July; Key: Wen Li; Deputy: Joan Pike"
    doc = evidence(("Keys", text)).docs[0]
    sam, joan, wen = text.index("Sam"), text.index("Joan"), text.rindex("Wen")
    places = [
        doc.found(at, at + len(name), 0.5) for at, name in ((sam, "Sam Birch"), (wen, "Wen Li"), (joan, "Joan Pike"))
    ]
    chances = row(0.1, 0.6, 0.2)
    assert [told_together(chances, places, one) for one in places] == pytest.approx([0.1, 0.8, 0.8])


def test_where_the_chances_are_one_sentences_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "load_choice", lambda: BY_HAND)
    doc = evidence(("Alder", "Ann Lee made it in Paris. It is long. It was shot in Rome.")).docs[0]
    lee, paris, rome = (
        Candidate(doc.found(doc.text.index(text), doc.text.index(text) + len(text), 1.0), None, row(*features))
        for text, features in (("Ann Lee", (1, 0)), ("Paris", (1, 0)), ("Rome", (1 + math.log(2), 0)))
    )
    chosen = choose([rome, lee, paris])
    assert chosen is not None
    assert chosen.candidate is rome
    assert chosen.confidence == pytest.approx(ROME / (ROME + 3), abs=1e-6), "of Rome's odds, 1, 1 and 1 for none"
    assert chosen.told.sentence == "Ann Lee made it in Paris."
    assert chosen.told_confidence == pytest.approx(2 / (ROME + 3), abs=1e-6)


def test_a_span_with_a_few_words_more_around_it_tells_the_same() -> None:
    short, longer = Place("3 minutes", 0, 27, 36), Place("within 3 minutes", 0, 20, 36)
    assert short.tells(longer)
    assert longer.tells(short)
    assert not Place("3", 0, 27, 28).tells(Place("3 minutes", 1, 27, 36)), "in another passage"
    assert not short.tells(Place("ring the office within 3 minutes", 0, 4, 36)), "far more words"
    assert likeliest(np.array([0.5, 0.2, 0.1], dtype=np.float32), [short, longer, Place("Rome", 0, 90, 94)]) == (
        0,
        pytest.approx(0.7),
    )


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("F3 board", "F3 development board", True),
        ("Father Lorin", "Lorin", True),
        ("3 minutes", "within 3 minutes", True),
        ("Lorin", "Father Lorin from the kindergarten", False),  # less than half of it
        ("Wednesday 12 September 2024", "Wednesday 13 September 2024", False),
        ("Ann Lee", "Ann Lane", False),
    ],
)
def test_in_another_passage_half_of_a_name_tells_the_same(one: str, other: str, are_alike: bool) -> None:
    places = Place(one, 0, 0, len(one)), Place(other, 1, 0, len(other))
    assert places[0].tells(places[1]) is are_alike
    assert places[1].tells(places[0]) is are_alike


def test_the_likeliest_sentences_that_speak_of_the_question_are_near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "load_choice", lambda: BY_HAND)
    monkeypatch.setattr(Doc, "nearness", lambda doc, start: (0.4, 0.19, 0.2)[doc.rank])
    close, likely = candidate(1, 0, text="Alder"), candidate(1 + 2 * math.log(2), 0, text="Birch", rank=1)
    far_off = candidate(1 + 2 * math.log(2), 0, text="Cedar", rank=2)
    unlikely = candidate(1 - 20 * math.log(2), 0, text="Elm")
    chosen = choose([unlikely, close, likely, far_off])
    assert chosen is not None
    # The chances are 3, 1 and next to none; that of the second passage is too far from the question.
    assert [sentence for _, sentence in chosen.near] == ["Cedar is a film.", "Alder is a film."]


def test_of_nothing_nothing_is_chosen() -> None:
    assert choose([]) is None


@pytest.mark.parametrize(("part", "features"), [("span", FEATURES), ("compared", VERDICT_FEATURES)])
def test_the_weights_that_ship_fit_the_features(part: str, features: tuple[str, ...]) -> None:
    model = load_choice(part)
    units = model.hidden.shape[1]
    assert len(set(features)) == len(features)
    assert model.mean.shape == model.scale.shape == (len(features),)
    assert model.hidden.shape == (len(features), units)
    assert model.hidden_offset.shape == model.out.shape == (units,)
    assert model.out_offset.size == 1
    assert (model.scale > 0).all()
    chances = model.probabilities(np.zeros((3, len(features)), dtype=np.float32))
    assert chances.shape == (3,)
    assert ((chances >= 0) & (chances <= 1)).all()
