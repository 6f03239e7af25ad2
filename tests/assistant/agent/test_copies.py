"""What is said again is read once: whole copies, a page within a longer one; not the next version of a text."""

from __future__ import annotations

from assistant.agent.offline.copies import COPIED, LEAST, without_copies
from kb.records import Passage
from tools.types import Hit

LINES = [
    f"In room {number} the heating is turned down to {number} degrees at night by the porter on duty."
    for number in "123456"
]
PAGE = "\n".join(LINES)
"""Six lines of 81 characters."""


def kept(*texts: str) -> list[int]:
    """The places of the passages of these texts that are kept."""
    hits = [
        Hit(Passage(at, f"{at}.md", "Rooms", text, f"{at}.md", 0, len(text), None, 0), 1.0)
        for at, text in enumerate(texts)
    ]
    return [hit.passage.id for hit in without_copies(hits)]


def test_a_copy_is_left_out() -> None:
    assert kept(PAGE, PAGE.upper(), "Something else.") == [0, 2]
    assert kept() == []


def test_a_window_that_two_passages_say_together_is_a_copy() -> None:
    assert kept("\n".join(LINES[:3]), "\n".join(LINES[3:]), "\n\n".join(LINES[1:5])) == [0, 1]


def test_a_passage_with_a_fifth_of_its_own_is_none() -> None:
    """486 characters are said; with 24 more they are 0.95 of the whole, with 168 more 0.74."""
    own = "The attic is not heated. "
    assert COPIED * len(PAGE) > LEAST
    assert kept(PAGE, f"{PAGE}\n{own}") == [0]
    assert kept(PAGE, f"{PAGE}\n{own * 6}Nor is the cellar.") == [0, 1]


def test_the_next_version_of_a_text_is_none() -> None:
    """The line that differs stands between those that do not: the longest run is half of it."""
    changed = "\n".join(
        [*LINES[:3], "From May on nobody turns anything down in room 4, not even at night or at noon.", *LINES[3:]]
    )
    assert kept(PAGE, changed) == [0, 1]


def test_little_that_is_said_again_may_be_of_another_day() -> None:
    assert len(LINES[0]) * 3 < LEAST
    assert kept("\n".join(LINES[:3]), "\n".join(LINES[:3])) == [0, 1]
