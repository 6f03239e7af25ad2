"""What a technique adds to a first search, as the benchmark counts it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assistant.agent.workspace import Workspace
from assistant.shared.question_files import Question
from benchmarks.technique_gain import TECHNIQUES, Gain, Seen, arguments, gains, report, seen
from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.types import Hit


def passage(number: int) -> Passage:
    return Passage(number, f"d{number}", f"Title {number}", "", "", 0, 0, None, 0)


def test_what_is_in_front_what_was_shown_and_all_that_was_found_are_counted() -> None:
    """Of d1, d6, d7 and d9 the first is among five, the second among ten, the third was found first and shown as [1],
    and the last was not found.
    """
    workspace = Workspace("?")
    workspace.add_hits("passage_search", [Hit(passage(7), 1.0)])
    workspace.rank("evidence_walk", [Hit(passage(number), 1 / number) for number in (1, 2, 3, 4, 5, 6)])
    assert seen(workspace, {1}, ("d1", "d6", "d7", "d9")) == Seen(0.25, 0.5, 0.25, 0.75)


def test_a_row_has_the_means_over_the_questions_that_a_technique_fits() -> None:
    """Of two questions, shown half and all before, all and all after: 75 per cent, then 100, and more in one."""
    found = [
        Gain("walk_facts", True, Seen(0.5, 0.5, 0.5, 0.5), Seen(0.5, 1.0, 1.0, 1.0)),
        Gain("walk_facts", False, Seen(1.0, 1.0, 1.0, 1.0), Seen(0.0, 1.0, 1.0, 1.0)),
    ]
    rows = list(report(found, 3))
    assert rows[0] == "3 questions"
    means = "75.0 → 25.0 | 75.0 → 100.0 | 75.0 → 100.0 | 1 | 75.0 → 100.0"
    assert f"| walk_facts | 2, 1 | {means} |" in rows
    assert sum(row.endswith("| 0 | | | | | |") for row in rows) == len(TECHNIQUES) - 1


@pytest.fixture
def thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as made:
        yield made


async def test_each_technique_that_fits_goes_on_from_the_same_search(
    small_file: Path, thread: ThreadPoolExecutor
) -> None:
    kb = thread.submit(KnowledgeBase.open, small_file).result()
    question = Question("1", "Who taught the director of The Glass Harbour?", (), ("glasswork", "valdis"))
    try:
        found = await gains(kb, thread, question)
    finally:
        thread.submit(kb.close).result()
    assert len(found) == len({one.technique for one in found}) > 2
    assert {one.technique for one in found} <= set(TECHNIQUES)
    assert sum(one.is_offered for one in found) == 2
    assert len({one.before for one in found}) == 1
    assert {one.before.found for one in found} == {1.0}
    assert all(one.after.shown >= one.before.shown for one in found)


def test_names_found_are_filled_in() -> None:
    workspace = Workspace("?")
    assert arguments("walk_facts", workspace) == {}
    assert arguments("follow_paths", workspace) == {"names": []}
