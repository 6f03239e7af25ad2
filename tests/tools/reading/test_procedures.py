"""How something is done: sections of a manual that compete for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from assistant.agent.offline import extracted_answer
from assistant.conversations.session import Session, final_reply
from kb.build import build
from tools.reading import procedures
from tools.reading.answering import FoundAnswer
from tools.reading.guess import ReaderPair, ReadOnce
from tools.reading.procedures import (
    FEATURES,
    Model,
    Way,
    asks_for_way,
    features_of,
    find_way,
    load_model,
    read_sections,
    sections_of,
    shares_of,
    told_of,
    with_heading,
)
from tools.reading.spans import Reading, Span
from tools.reading.told import Sentence, Told


def sentence(text: str, start: int = 0, *, heading: str = "", passage: int = 1, cosine: float = 0.3) -> Sentence:
    return Sentence(passage, "Manual", text, start, passage - 1, cosine, heading)


MANUAL = (
    sentence("Don't write the files back, just return the status.", 10, heading="--check", cosine=0.4),
    sentence("The status is 0 where nothing would change.", 70, heading="--check"),
    sentence("Print a diff instead of writing.", 150, heading="--diff"),
    sentence("Folders are searched for files.", 0, heading="Files", passage=2, cosine=0.2),
)
QUESTION = "How can I see the status without writing files?"


def nothing_read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
    return [Reading() for _ in pairs]


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("How do I restart the pump?", True),
        ("how to stop it", True),
        ("and how can we undo that", True),
        ("Which option prints names only?", True),
        ("What environment variable sets the proxy?", True),
        ("How did the fire start?", False),
        ("How many pumps are there?", False),
        ("How does it come that we pay more?", False),
        ("Which dog is ill?", False),
        ("", False),
    ],
)
def test_what_asks_for_a_way(question: str, is_asked: bool) -> None:
    assert asks_for_way(question) is is_asked


def test_sections_are_told_apart_by_their_heading_in_the_order_of_the_text() -> None:
    shuffled = (MANUAL[3], MANUAL[1], MANUAL[0], MANUAL[2])
    assert list(sections_of(shuffled).items()) == [((1, "--check"), [2, 1]), ((1, "--diff"), [3]), ((2, "Files"), [0])]


def test_shares_are_a_softmax_with_none_of_them() -> None:
    model = Model(np.array([2.0, 0.0]), math.log(3), np.array([1.0, 0.0]), np.array([2.0, 1.0]), 1.0, 0.0)
    # (1 + 2 log 2 - 1) / 2 * 2 = 2 log 2, e to that 4; (1 - 1) / 2 * 2 = 0, e to that 1; none 3: 4/8, 1/8.
    shares = shares_of(model, np.array([[1 + 2 * math.log(2), 5.0], [1.0, -7.0]]))
    assert shares.tolist() == pytest.approx([0.5, 0.125])


def test_a_section_is_as_likely_as_its_sentences_together() -> None:
    model = Model(np.zeros(1), 0.0, np.zeros(1), np.ones(1), 2.0, -1.0)
    told = told_of(MANUAL, np.array([0.4, 0.2, 0.1, 0.1]), model)
    assert [one.text for one in told.sentences] == [MANUAL[0].text, MANUAL[1].text]
    odds = math.log((0.6 + 0.003) / (1.003 - 0.6))  # 0.4 + 0.2 for its section, then twice the log-odds less one
    assert told.confidence == pytest.approx(1 / (1 + math.exp(-(2 * odds - 1))))
    sure = told_of(MANUAL, np.array([1.0, 0.0, 0.0, 0.0]), model)
    assert sure.confidence == procedures.MOST, "never sure"


def test_what_speaks_for_a_sentence() -> None:
    rows = features_of(QUESTION, MANUAL, {0: (0.5, 0.9, 0.25, 0.0, 0.0, 0.0)})
    assert rows.shape == (4, len(FEATURES))
    of = {name: rows[:, at].tolist() for at, name in enumerate(FEATURES)}
    assert of["cosine"] == [0.4, 0.3, 0.3, 0.2]
    assert of["cosine_less"] == pytest.approx([0.0, -0.1, -0.1, -0.2])
    assert of["option"] == [1.0, 1.0, 1.0, 0.0]
    assert of["opens"] == [1.0, 0.0, 1.0, 1.0]
    assert of["is_read"] == [1.0, 0.0, 0.0, 0.0]
    assert of["first_answers"] == pytest.approx([0.0, *[math.log(0.003 / 1.003)] * 3])  # log(0.503 / 0.503)
    assert of["own"][0] > of["own"][2], "it says status and files, and something is said with writing"
    assert features_of(QUESTION, MANUAL[:1], {}).shape == (1, len(FEATURES))


def test_a_section_is_read_with_its_heading() -> None:
    seen: list[tuple[str, str, str]] = []

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        seen.extend(pairs)
        return [
            Reading((Span(0, 7, 0.2), Span(8, 13, 0.5)), 0.7) if text.startswith("--check") else Reading()
            for *_, text in pairs
        ]

    told = read_sections(QUESTION, MANUAL, ReaderPair(ReadOnce(read), ReadOnce(nothing_read)))
    assert seen[0] == (QUESTION, "Manual", f"--check\n{MANUAL[0].text}\n{MANUAL[1].text}\n")
    # what the first reader holds for the section, the sentence and the heading; the second holds nothing
    assert told[0] == pytest.approx((0.7, 0.0, 0.5, 0.0, 0.2, 0.0))
    assert told[1] == pytest.approx((0.7, 0.0, 0.0, 0.0, 0.2, 0.0))
    assert told[3] == (0.0,) * 6


def test_of_nothing_nothing_is_told() -> None:
    assert find_way(QUESTION, (), ReaderPair(ReadOnce(nothing_read), ReadOnce(nothing_read))) == Way()


def test_the_heading_is_told_where_it_names_the_option() -> None:
    assert with_heading(Told(MANUAL[:2], 0.8)) == f"--check: {MANUAL[0].text}"
    assert with_heading(Told(MANUAL[3:], 0.8)) == MANUAL[3].text
    by_this = sentence("This flag keeps dead code.", heading="Link dead code")
    assert with_heading(Told((by_this,), 0.8)) == "Link dead code: This flag keeps dead code."
    assert with_heading(Told((sentence("This flag keeps dead code."),), 0.8)) == "This flag keeps dead code."
    said = sentence("This keeps dead code.", heading="Dead code")
    assert with_heading(Told((said,), 0.8)) == said.text


def test_what_is_held_for_the_section_of_a_sentence() -> None:
    way = Way(shares=((0.6, MANUAL[:2]), (0.1, MANUAL[2:3])))
    assert way.share_of(1, "The  status is 0") == 0.6
    assert way.share_of(1, MANUAL[2].text) == 0.1
    assert way.share_of(2, MANUAL[0].text) == way.share_of(1, "Nothing of this.") == way.share_of(1, "") == 0.0


@pytest.mark.parametrize(
    ("confidence", "held", "left"), [(0.8, 0.34, 0.7), (0.8, 0.36, 0.8), (0.96, 0.1, 0.96), (0.5, 0.1, 0.5)]
)
def test_a_few_words_are_doubted_where_another_section_is_likelier(confidence: float, held: float, left: float) -> None:
    found = FoundAnswer("0", (), (1,), confidence, "", "", stated=((1, MANUAL[1].text),))
    assert Way(shares=((held, MANUAL[:2]),)).doubting(found).confidence == left


def test_the_model_that_ships_has_a_weight_for_each_feature() -> None:
    model = load_model()
    assert model.weights.shape == model.mean.shape == model.spread.shape == (len(FEATURES),)
    assert np.isfinite(model.weights).all()
    assert (model.spread > 0).all()


TIDY = (
    "# Tidy\n\n## Options\n\n### `--check`\n\nDon't write the files back, just return the status.\n\n### `--quiet`\n\n"
    "Stop printing all messages that are not errors.\n\n## Files\n\nFolders whose name begins with a dot are skipped.\n"
)


@pytest.mark.parametrize(
    ("confidence", "answer"), [(0.8, "--quiet: Stop printing all messages that are not errors."), (0.7, "")]
)
async def test_the_section_is_the_answer_where_it_is_likely_enough(
    confidence: float, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(_question: str, sentences: Sequence[Sentence], _readers: ReaderPair) -> Way:
        return Way(Told(tuple(one for one in sentences if one.subject.strip("`") == "--quiet"), confidence))

    (tmp_path / "tidy.md").write_text(TIDY, encoding="utf-8")
    build([str(tmp_path / "tidy.md")], tmp_path / "tidy.clew")
    monkeypatch.setattr(extracted_answer, "find_way", found)
    with Session.open(tmp_path / "tidy.clew") as session:
        reply = await final_reply(session, "how do i make it say less")
    assert reply.answer.replace("`", "") == answer
    assert reply.certainty == ("likely" if answer else "none")
