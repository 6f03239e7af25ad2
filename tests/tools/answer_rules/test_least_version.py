"""The oldest version of a thing that something needs."""

from __future__ import annotations

import pytest
from answer_evidence import evidence
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS
from tools.answer_rules.least_version import find_least_version

LOOM = (
    "Loom",
    "We need several tools to build it:\n\n- Bobbin\n- Treadle (use 1.11.3 or later)\n- Python (use 3.6 or later)",
)
KEYS = ("Keys", "The macOS vault needs macOS 11 (Big Sur) and later and Python 3.8.7 or later with one binary.")
WARP = ("warp", "REQUIREMENTS:\n Linux kernel ≥ 3.15\n ≥ 4.3 for shuttles\n\nKernel versions below 4.15 have gaps.")
RAY = ("Ray", "Ray needs at least Python 3.9. It runs with glibc 2.17+ on Linux.")


@pytest.mark.parametrize(
    ("question", "version"),
    [
        ("Which Python version do I need to build Loom?", "3.6 or later"),
        ("Which version of Treadle is needed for Loom?", "1.11.3 or later"),
        ("What is the minimum kernel version for warp?", "3.15"),
        ("Which version of macOS does Keys need at least?", "11 (Big Sur) and later"),
        ("What Python version does Ray require?", "3.9"),
        ("which glibc version does ray need", "2.17+"),
        # Told of several, of nothing, of another thing; the newest, denied, no version asked for.
        ("Which Python version is required?", None),
        ("Which version of Ruby does Ray need?", None),
        ("Which Python version does Rails need?", None),
        ("Which Bobbin version does Loom need?", None),
        ("What is the latest Python version that Ray needs?", None),
        ("Which Python version does Ray not need?", None),
        ("Which Python version is Ray written in?", None),
        ("Which Python does Ray need?", None),
        ("", None),
    ],
)
def test_the_version_from_which_on_a_thing_will_do(question: str, version: str | None) -> None:
    found = find_least_version(question, evidence(LOOM, KEYS, WARP, RAY))
    assert (found.text if found else None) == version


def test_nothing_is_needed_by_no_passage() -> None:
    assert find_least_version("Which Python version does Ray need?", evidence()) is None


def test_hostile_text_takes_linear_time() -> None:
    def find(letters: int) -> None:
        texts = ("Python (" * 5_000, "Python at least " * 5_000, "Python 1" + ".1" * 20_000)
        rays = evidence(*(("Ray", text[:letters]) for text in texts))
        find_least_version("Which Python version does Ray need?", rays)

    assert is_linear(find, MAX_CHARS)
    # A longer question is not read.
    assert is_linear(
        lambda count: find_least_version("Which version of " + "the " * count + "does Ray need?", evidence(RAY)), 64
    )
