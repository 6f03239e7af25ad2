"""The second reader: the best passages once more, by a larger network that was brought up on other texts.

It points at the start and the end of an answer (Devlin et al. 2019, sections 4.2 and 4.3) as the first one does, over
the layers of MPNet (`tools/reading/encoder.py`). Its worth is also that it errs elsewhere: where both hold the same
span for the best it is right more often than where one of them is sure. `docs/reader.md` has its card.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from threading import Lock, Thread
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kb.errors import UsageError
from tools.reading.encoder import END, START, Encoder
from tools.reading.spans import Reading, Tokens, WindowLogits, reading_of, windows_for

Floats = NDArray[np.float32]


class Network(Protocol):
    """What the reader needs of its network."""

    def encode(self, texts: Sequence[str]) -> list[Tokens]: ...

    def logits(self, ids: Sequence[int], linked: bool = False) -> Floats: ...


_loading = Lock()


def load_second_reader() -> SecondReader:
    """The second reader that ships. Raises UsageError where its weights are missing or not the expected ones."""
    with _loading:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> SecondReader:
    return SecondReader(Encoder())


def begin_loading() -> None:
    """Load the second reader beside what comes before its reading, which would wait for it; at once where it is loaded.

    What is wrong with its weights is raised where it reads.
    """
    if not _loaded.cache_info().currsize:
        Thread(target=_load_quietly, name="second reader").start()


def _load_quietly() -> None:
    with suppress(UsageError):
        load_second_reader()


def read_again(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
    """As `SecondReader.read` of the one that ships, which is not loaded before it has something to read."""
    return load_second_reader().read(pairs) if pairs else []


def read_linked(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
    """As `read_again`, where each text is two lines that share a name."""
    return load_second_reader().read(pairs, linked=True) if pairs else []


class SecondReader:
    """Reads passages for questions. The same pairs give the same readings on the same machine."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def read(self, pairs: Sequence[tuple[str, str, str]], linked: bool = False) -> list[Reading]:
        """The reading of each (question, title, text): the title is read before the text, answers stand in the text;
        `linked` texts are two lines that share a name.

        Windows are read one by one: what several need together no longer fits a core's own memory, and shorter ones
        would be filled up. () gives [], an empty text an empty reading.
        """
        windows = windows_for(pairs, self._network.encode, START, (END, END), END)
        read: dict[int, list[WindowLogits]] = {}
        for window in windows:
            logits = self._network.logits(window.ids, linked)
            read.setdefault(window.pair, []).append(WindowLogits(window, logits[:, :2], logits[0, :2], logits[0, 2:]))
        return [reading_of(text, read.get(i, ())) for i, (_, _, text) in enumerate(pairs)]
