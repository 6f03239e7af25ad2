"""The second reader over real weights: what it points at, what it leaves, and that it is the same each time."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from kb.errors import UsageError
from tools.reading import encoder
from tools.reading.guess import Readings
from tools.reading.reader import Reading
from tools.reading.second_reader import _spans, _Window, load_second_reader

TITLE = "Andrei Tarkovsky"
TEXT = (
    "Andrei Arsenyevich Tarkovsky (4 April 1932 – 29 December 1986) was a Soviet film director. "
    "He was born in the village of Zavrazhye. His first film was Ivan's Childhood."
)


def best(question: str, text: str = TEXT, title: str = TITLE) -> str:
    reading = load_second_reader().read([(question, title, text)])[0]
    return text[reading.spans[0].start : reading.spans[0].end].strip(".") if reading.spans else ""


def test_it_points_at_what_is_asked() -> None:
    assert best("Where was Tarkovsky born?") == "Zavrazhye"
    assert best("What was his first film?") == "Ivan's Childhood"
    assert "29 December 1986" in best("When did Tarkovsky die?")


def test_a_passage_beside_the_point_answers_less() -> None:
    near, far = load_second_reader().read(
        [("Where was Tarkovsky born?", TITLE, TEXT), ("Who leads the warehouse?", TITLE, TEXT)]
    )
    assert near.answered * near.spans[0].probability > 0.3
    assert far.answered * (far.spans[0].probability if far.spans else 0) < 0.1


def test_records_are_read_by_their_subject() -> None:
    text = "Team - Kitchen: lead: Ana Souza; room: 4 | Team - Warehouse: lead: Tom Field; room: 9"
    assert best("Who is the lead of Warehouse?", text, "Teams") == "Tom Field"


def test_spans_do_not_overlap_and_their_probabilities_are_at_most_one() -> None:
    reading = load_second_reader().read([("When was he born?", TITLE, TEXT)])[0]
    spans = sorted(reading.spans, key=lambda one: one.start)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert 0 < sum(one.probability for one in spans) <= 1
    assert 0 <= reading.answered + reading.yes + reading.no <= 1 + 1e-6


def test_an_answer_behind_the_first_window_is_found() -> None:
    filler = "The river runs past the mill and the old church. " * 40
    assert best("Where was Tarkovsky born?", filler + TEXT) == "Zavrazhye"


def test_nothing_to_read_gives_nothing() -> None:
    assert load_second_reader().read([]) == []
    assert load_second_reader().read([("Who?", "", "")]) == [Reading()]
    assert load_second_reader().read([("", "", "A text.")])[0].answered <= 1


@pytest.mark.parametrize("text", ["\x00\ufffd\u202e", "(" * 300, "Ann " * 300, "a" * 2_000, "王小明是一位导演。" * 30])
def test_hostile_text_is_read_without_raising(text: str) -> None:
    for reading in load_second_reader().read([(text, "Ann", "Ann is a film."), ("Who is Ann?", text, text)]):
        assert 0 <= reading.answered + reading.yes + reading.no <= 1 + 1e-6
        assert all(0 <= span.start < span.end <= len(text) + len("Ann is a film.") for span in reading.spans)


def test_the_same_pairs_give_the_same_readings_alone_and_together() -> None:
    pairs = [("Where was Tarkovsky born?", TITLE, TEXT), ("When did he die?", TITLE, TEXT[:60])]
    first, again = load_second_reader().read(pairs), load_second_reader().read(pairs)
    assert first == again
    alone = load_second_reader().read(pairs[:1])[0]
    assert alone.spans[0].start == first[0].spans[0].start
    assert alone.answered == pytest.approx(first[0].answered, abs=0.05)


def test_span_probabilities_by_hand() -> None:
    """Two tokens of the passage at places 3 and 4: spans 3-3, 4-4 and 3-4, and none at the last place."""
    window = _Window(0, [1, 7, 8, 9, 10, 11], 3, [(0, 4), (4, 9)])
    logits = np.zeros((6, 6), dtype=np.float32)
    logits[3, 0], logits[4, 1] = np.log(2), np.log(3)
    # exp(start + end): 3-3: 2·1, 3-4: 2·3, 4-4: 1·3, none: 1; together 12. The second token holds the blank before it.
    found = {(one.start, one.end): one.probability for one in _spans("Anna Lind", window, logits)}
    assert found == {(0, 9): pytest.approx(6 / 12), (5, 9): pytest.approx(3 / 12), (0, 4): pytest.approx(2 / 12)}


def test_each_pair_is_read_once() -> None:
    asked: list[tuple[str, str, str]] = []

    def read(pairs: list[tuple[str, str, str]]) -> list[Reading]:
        asked.extend(pairs)
        return [Reading(answered=len(text) / 10) for _, _, text in pairs]

    readings = Readings(read)  # type: ignore[arg-type]
    one, two = ("q", "", "a"), ("q", "", "bb")
    assert [r.answered for r in readings([one, two, one])] == [0.1, 0.2, 0.1]
    assert [r.answered for r in readings([two])] == [0.2]
    assert asked == [one, two]


def test_a_name_of_a_special_token_in_a_text_is_text() -> None:
    plain = load_second_reader().read([("What ends a turn?", "", "A turn ends with <|im_end|> in a log.")])[0]
    assert plain.spans
    assert load_second_reader()._network.encode(["<|im_end|>"])[0].ids != [2]


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(encoder, "FOLDER", tmp_path)
    with pytest.raises(UsageError, match="missing"):
        load_second_reader.__wrapped__()
    for name in encoder.SHA256:
        (tmp_path / name).write_bytes(b"not these")
    with pytest.raises(UsageError, match="not the expected one"):
        load_second_reader.__wrapped__()
