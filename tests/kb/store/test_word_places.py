"""What a server is told of the words of a text."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from kb.store.postgres.word_search import PLACES, places


def test_the_words_of_each_column_and_where_they_stand() -> None:
    titled = places("passages", [("Mills", "Two mills, red mill", "")])
    text = [("two", PLACES), ("mill", PLACES + 1), ("red", PLACES + 2), ("mill", PLACES + 3)]
    assert titled == [[("mill", 0), *text]]
    assert places("entities", [("Zürich",), ("",)]) == [[("zurich", 0)], []]
    assert places("entities", []) == []


def test_threads_are_told_their_own_words() -> None:
    rows = [[(f"word{thread}x{row}",) for row in range(50)] for thread in range(8)]
    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(lambda one: places("entities", one), rows * 5))
    assert told == [[[(name, 0)] for (name,) in one] for one in rows * 5]
