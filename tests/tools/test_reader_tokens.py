"""What the readers learn from, as tokens: each row with its place, how often it is read, each passage kept once."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import reader_tokens
from benchmarks.reader_tokens import TokenRow, read_rows, write_rows
from benchmarks.row import KINDS, Row, stretch_of
from kb.store.minilm import load_tokenizer

NOTES = "Garden. Keys and watering: Bo Lind"
ROWS = Counter(
    {
        Row("own", "Who waters?", NOTES, "span", NOTES.index("Bo"), len(NOTES)): 3,
        Row("own", "Does Bo water?", NOTES, "yes", 8, len(NOTES)): 2,
        Row("near-own", "Who mows?", NOTES, "none"): 1,
        Row("held", "Who mows?", "Shed. Ana Ruiz", "none"): 0,
    }
)


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[TokenRow]:
    monkeypatch.setattr(reader_tokens, "_drawn", lambda data: ROWS)
    assert write_rows(tmp_path, tmp_path / "rows.npz") == 4
    return read_rows(tmp_path / "rows.npz")


def test_a_row_comes_back_as_tokens(rows: list[TokenRow]) -> None:
    assert [(row.source, KINDS[row.kind], row.times) for row in rows] == [
        ("own", "span", 3), ("own", "yes", 2), ("near-own", "none", 1), ("held", "none", 0),
    ]  # fmt: skip
    words = load_tokenizer()
    assert words.decode(rows[0].question.tolist()) == "who waters?"
    first, last = rows[0].place or (0, 0)
    assert words.decode(rows[0].passage[first : last + 1].tolist()) == "bo lind"
    assert rows[2].place is None


def test_what_decides_is_no_span(rows: list[TokenRow]) -> None:
    assert [row.span for row in rows] == [True, False, False, False]
    assert rows[1].place is not None


@pytest.mark.parametrize("seed", range(20))
def test_a_stretch_holds_the_answer_and_fits(seed: int) -> None:
    stretch = stretch_of(300, (200, 203), 90, random.Random(seed), span=True)
    assert stretch.start <= 200
    assert 203 < stretch.stop <= 300
    assert 64 <= len(stretch) <= 90


def test_a_stretch_of_a_short_passage_is_all_of_it_or_its_beginning() -> None:
    lengths = {len(stretch_of(80, None, 200, random.Random(seed), span=False)) for seed in range(40)}
    assert max(lengths) == 80
    assert min(lengths) >= 64


def test_an_answer_too_long_to_be_read_gives_nothing() -> None:
    assert not stretch_of(300, (10, 90), 224, random.Random(0), span=True)
    assert stretch_of(300, (10, 90), 224, random.Random(0), span=False)
