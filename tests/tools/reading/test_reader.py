"""Both readers over real weights: what they point at, what they leave, and that it is the same each time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kb.errors import UsageError
from tools.reading import encoder, reader, second_reader
from tools.reading.abbreviated import Read
from tools.reading.encoder import END, START
from tools.reading.guess import ReadOnce
from tools.reading.reader import load_reader
from tools.reading.second_reader import _loaded, load_second_reader, read_again
from tools.reading.spans import Reading, Window, WindowLogits, spans_of

TITLE = "Andrei Tarkovsky"
BORN = ("Zavrazhye", "the village of Zavrazhye")
TEXT = (
    "Andrei Arsenyevich Tarkovsky (4 April 1932 – 29 December 1986) was a Soviet film director. "
    "He was born in the village of Zavrazhye. His first film was Ivan's Childhood."
)


@pytest.fixture(params=["first", "second"])
def read(request: pytest.FixtureRequest) -> Read:
    return load_reader().read if request.param == "first" else read_again


def best(read: Read, question: str, text: str = TEXT, title: str = TITLE) -> str:
    reading = read([(question, title, text)])[0]
    return text[reading.spans[0].start : reading.spans[0].end].strip(".") if reading.spans else ""


def test_it_points_at_what_is_asked(read: Read) -> None:
    assert best(read, "Where was Tarkovsky born?") in BORN
    assert best(read, "What was his first film?") == "Ivan's Childhood"
    assert "29 December 1986" in best(read, "When did Tarkovsky die?")


def test_a_passage_beside_the_point_answers_less(read: Read) -> None:
    near, far = read([("Where was Tarkovsky born?", TITLE, TEXT), ("Who leads the warehouse?", TITLE, TEXT)])
    assert near.answered > 0.9
    assert near.answered * near.spans[0].probability > 0.2
    assert far.answered < 0.1


def test_records_are_read_by_their_subject(read: Read) -> None:
    text = "Team - Kitchen: lead: Ana Souza; room: 4 | Team - Warehouse: lead: Tom Field; room: 9"
    assert best(read, "Who is the lead of Warehouse?", text, "Teams") == "Tom Field"


def test_spans_do_not_overlap_and_their_probabilities_are_at_most_one(read: Read) -> None:
    reading = read([("When was he born?", TITLE, TEXT)])[0]
    spans = sorted(reading.spans, key=lambda one: one.start)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert 0 < sum(one.probability for one in spans) <= 1
    assert 0 <= reading.answered + reading.yes + reading.no <= 1 + 1e-6


def test_an_answer_behind_the_first_window_is_found(read: Read) -> None:
    filler = "The river runs past the mill and the old church. " * 40
    assert best(read, "Where was Tarkovsky born?", filler + TEXT) in BORN


def test_nothing_to_read_gives_nothing(read: Read) -> None:
    assert read([]) == []
    assert read([("Who?", "", "")]) == [Reading()]
    assert read([("", "", "A text.")])[0].answered <= 1


@pytest.mark.parametrize("text", ["\x00\ufffd\u202e", "(" * 300, "Ann " * 300, "a" * 2_000, "王小明是一位导演。" * 30])
def test_hostile_text_is_read_without_raising(read: Read, text: str) -> None:
    for reading in read([(text, "Ann", "Ann is a film."), ("Who is Ann?", text, text)]):
        assert 0 <= reading.answered + reading.yes + reading.no <= 1 + 1e-6
        assert all(0 <= span.start < span.end <= len(text) + len("Ann is a film.") for span in reading.spans)


def test_the_same_pairs_give_the_same_readings_alone_and_together(read: Read) -> None:
    pairs = [("Where was Tarkovsky born?", TITLE, TEXT), ("When did he die?", TITLE, TEXT[:60])]
    first, again = read(pairs), read(pairs)
    assert first == again
    alone = read(pairs[:1])[0]
    assert alone.spans[0].start == first[0].spans[0].start
    assert alone.answered == pytest.approx(first[0].answered, abs=0.05)


@pytest.mark.parametrize(("nothing", "offsets"), [(0, [(0, 4), (5, 9)]), (5, [(0, 4), (4, 9)])])
def test_span_probabilities_by_hand(nothing: int, offsets: list[tuple[int, int]]) -> None:
    """Two tokens of the passage at places 3 and 4: spans 3-3, 4-4 and 3-4, and none at the first or the last place.

    The second token may hold the blank before it.
    """
    logits = np.zeros((6, 2), dtype=np.float32)
    logits[3, 0], logits[4, 1] = np.log(2), np.log(3)
    window, kinds = Window(0, [1, 7, 8, 9, 10, 11], 3, offsets), np.zeros(4, dtype=np.float32)
    told = WindowLogits(window, logits, logits[nothing], kinds)
    # exp(start + end): 3-3: 2·1, 3-4: 2·3, 4-4: 1·3, none: 1; together 12.
    found = {(one.start, one.end): one.probability for one in spans_of("Anna Lind", told)}
    assert found == {(0, 9): pytest.approx(6 / 12), (5, 9): pytest.approx(3 / 12), (0, 4): pytest.approx(2 / 12)}


def test_each_pair_is_read_once() -> None:
    asked: list[tuple[str, str, str]] = []

    def read(pairs: list[tuple[str, str, str]]) -> list[Reading]:
        asked.extend(pairs)
        return [Reading(answered=len(text) / 10) for _, _, text in pairs]

    readings = ReadOnce(read)  # type: ignore[arg-type]
    one, two = ("q", "", "a"), ("q", "", "bb")
    assert [r.answered for r in readings([one, two, one])] == [0.1, 0.2, 0.1]
    assert [r.answered for r in readings([two])] == [0.2]
    assert asked == [one, two]


def test_a_name_of_a_special_token_in_a_text_is_text(read: Read) -> None:
    assert read([("What ends a turn?", "", "A turn ends with </s> or [SEP] in a log.")])[0].spans
    ids = load_reader()._encode(["[CLS] [SEP] [MASK]"])[0][0]
    assert not {reader._CLS, reader._SEP, 103} & set(ids)
    assert all(START != token != END for token in load_second_reader()._network.encode(["</s> <s> [SEP] [CLS]"])[0][0])


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reader, "WEIGHTS", tmp_path / "reader.onnx")
    monkeypatch.setattr(encoder, "FOLDER", tmp_path)
    for load in (load_reader, _loaded):
        with pytest.raises(UsageError, match="missing"):
            load.__wrapped__()
    for name in ("reader.onnx", *encoder.SHA256):
        (tmp_path / name).write_bytes(b"not these")
    for load in (load_reader, _loaded):
        with pytest.raises(UsageError, match="not the expected one"):
            load.__wrapped__()


@pytest.fixture
def unloaded() -> Iterator[None]:
    """No second reader yet; the one that ships afterwards. What is still being loaded beside a test is waited for."""

    def unload() -> None:
        for thread in threading.enumerate():
            if thread.name == "second reader":
                thread.join()
        second_reader._loaded.cache_clear()

    unload()
    yield
    unload()


@pytest.mark.usefixtures("unloaded")
def test_loading_beside_other_work_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that begin it and one that reads get one reader."""
    made: list[object] = []

    class Network:
        def __init__(self) -> None:
            time.sleep(0.05)  # long enough for the others to come
            made.append(self)

        def encode(self, texts: list[str]) -> list[Any]:
            return [([1], [(0, 1)]) for _ in texts]

    monkeypatch.setattr(second_reader, "Encoder", Network)
    second_reader.begin_loading()
    second_reader.begin_loading()
    assert load_second_reader() is load_second_reader()
    second_reader.begin_loading()
    assert len(made) == 1


@pytest.mark.usefixtures("unloaded")
def test_what_is_wrong_with_the_weights_is_told_to_who_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    def network() -> object:
        raise UsageError("the reader's weights are not the expected ones")

    monkeypatch.setattr(second_reader, "Encoder", network)
    second_reader.begin_loading()
    with pytest.raises(UsageError, match="not the expected ones"):
        load_second_reader()


def test_the_readers_tell_nobody_that_they_run(tmp_path: Path) -> None:
    """ONNX Runtime would note its use in the home folder and report it to its makers."""
    reading = "from tools.reading.reader import load_reader as load; print(load().read([('Who?', '', 'Ana.')]))"
    home = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", reading], env=home, check=True, capture_output=True)
    assert not [*tmp_path.rglob("*")]


def test_one_module_imports_the_runtime_that_has_to_be_told_so() -> None:
    root = Path(encoder.__file__).parents[2]
    code = [path for name in ("assistant", "kb", "tools", "screens") for path in (root / name).rglob("*.py")]
    importing = [
        path for path in code if re.search(r"^\s*(?:import|from) onnxruntime\b", path.read_text("utf-8"), re.M)
    ]
    assert [path.name for path in importing] == ["networks.py"]
