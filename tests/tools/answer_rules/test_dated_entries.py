"""Dates and releases above entries."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.dated_entries import find_changes, find_dated, find_told_time, find_uploader
from tools.answer_rules.docs import Evidence, EvidencePassage

DIARY = (
    "Diary",
    "9 March\nPloughed the Long Acre. Found a clay pipe.\n\n30 May\nFirst hay cut on Brook Meadow, 9 loads.\n\n"
    "2 June – Sold two lambs to the butcher.\n- 4 June: Mended the gate.",
)
CHANGES = (
    "Changes",
    "# Changes\n\n## 2.1.0 – 2024-03-01\n\n- Added export to CSV\n\n## 2.0.1 – 2024-01-15\n\n- Fixed the clock",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("On what day was the first hay cut?", "30 May"),
        ("When was the clay pipe found?", "9 March"),
        ("When did we sell two lambs?", "2 June"),
        ("When was the gate mended?", "4 June"),
        ("In which version was the export to CSV added?", "2.1.0"),
        ("When was the clock fixed?", "2024-01-15"),
        ("When did version 2.1.0 come out?", "2024-03-01"),
        # Said under no date, asked of what is to come, too little asked, another kind of question.
        ("When was the barn painted?", ""),
        ("When will the first hay be cut?", ""),
        ("When was it found?", ""),
        ("Who cut the first hay?", ""),
        ("", ""),
    ],
)
def test_the_date_or_release_above_an_entry(question: str, answer: str) -> None:
    found = find_dated(question, evidence(DIARY, CHANGES))
    assert (found.text if found else "") == answer


def test_an_entry_with_a_day_of_its_own_is_not_dated_by_its_heading() -> None:
    text = ("Post-mortem", "## 27 April 2025\n\n- Bigger disk for heron (Tom, 6 May)")
    assert find_dated("When did heron get its bigger disk?", evidence(text)) is None


def test_entries_of_two_days_that_say_the_same_decide_nothing() -> None:
    twice = ("Diary", "9 March\nMended the gate.\n\n4 June\nMended the gate again.")
    assert find_dated("When was the gate mended?", evidence(twice)) is None


def test_the_next_chapter_has_no_date_of_the_one_before() -> None:
    text = ("Notes", "## 9 March\n\nMended the gate.\n\n# Later\n\nSold two lambs.")
    assert find_dated("When were two lambs sold?", evidence(text)) is None


def test_a_section_without_a_date_has_not_that_of_the_one_before() -> None:
    text = ("Notes", "## 30 May\n\nFirst hay cut.\n\n## Undated notes\n\nThe barn roof was repaired by Tom.")
    assert find_dated("When was the barn roof repaired?", evidence(text)) is None


def test_a_release_of_two_programs_is_that_of_the_one_named() -> None:
    alpha, beta = ("Alpha", "## 2.3.0 - 2024-01-05\n\nNew."), ("Beta", "## 2.3.0 - 2025-07-09\n\nNew.")
    assert find_dated("When was 2.3.0 released?", evidence(alpha, beta)) is None
    assert find_dated("When was 2.3.0 of Gamma released?", evidence(alpha, beta)) is None
    found = find_dated("When was 2.3.0 of Beta released?", evidence(alpha, beta))
    assert found is not None
    assert found.text == "2025-07-09"


NEWS = (
    "Quillpost NEWS",
    "## Noteworthy changes in release 1.4.0 (2024-03-02)\n\n### Added\n\n- Stamps on two pages.\n- A dark theme.\n\n"
    "### Removed\n\n- The export to XLS.\n\n## Noteworthy changes in release 1.3.2 (2023-12-19)\n\n"
    "- Fixed: a crash.\n\n## Changes in release 1.3.0\n\n### Bug fixes\n\n  The old menu\n  is back.  It is faster.",
)
UPLOADS = (
    "tern: Changelog",
    "## tern (1.2-3), 2024-02-06\n\nUrgency: low\nMaintainer: Ruth Amadi\n\n  * Add a timer.\n\n"
    "## tern (1.2-2), 2024-01-08\n\nUrgency: low\nMaintainer: Jonas Weil\n\n  * Fix it.",
)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What changed in Quillpost 1.4.0?", ["Stamps on two pages.", "A dark theme.", "The export to XLS."]),
        ("What was removed in 1.4.0?", ["The export to XLS."]),
        ("What was fixed in version 1.3.2 of Quillpost?", ["Fixed: a crash."]),
        ("What is new in tern 1.2-3?", ["Add a timer."]),
        ("What changed in Quillpost 1.3.0?", ["The old menu is back.", "It is faster."]),
        ("What changed in Brambling 1.4.0?", []),
        ("What changed in 1.5?", []),
        ("What changed in Quillpost?", []),
    ],
)
def test_what_changed_in_a_release(question: str, answers: list[str]) -> None:
    assert [one.text for one in find_changes(question, evidence(NEWS, UPLOADS))] == answers


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who uploaded tern 1.2-2?", "Jonas Weil"),
        ("Who uploaded tern 1.2?", ""),
        ("Who uploaded brambling 1.2-2?", ""),
        ("Who likes tern 1.2-2?", ""),
    ],
)
def test_who_uploaded_a_release(question: str, answer: str) -> None:
    found = find_uploader(question, evidence(NEWS, UPLOADS))
    assert (found.text if found else "") == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was Quillpost 1.3.2 released?", "2023-12-19"),
        ("When was tern 1.2-3 uploaded?", "2024-02-06"),
        ("Which version of Quillpost added the dark theme?", "1.4.0"),
        ("Which version of Brambling added the dark theme?", ""),
    ],
)
def test_a_release_is_told_by_its_heading_and_the_title_together(question: str, answer: str) -> None:
    found = find_dated(question, evidence(NEWS, UPLOADS))
    assert (found.text if found else "") == answer


CHAT = (
    "Family",
    "## Sunday 12 May 2024\n[09:13] Lena: My sister Nora moved to Bergen yesterday. She works in a bank.\n"
    "[09:14] Omar: Left Rome on Friday. Did Karl visit Lisbon last week?\n"
    "[09:15] Lena: Ida sold the boat last week, or two weeks ago.",
)


@pytest.mark.parametrize(
    ("question", "time"),
    [
        ("When did Nora move to Bergen?", "yesterday"),
        ("When did Omar leave Rome?", "on Friday"),
        ("On what day had Omar left Rome?", "on Friday"),
        # Asked, told twice, told of something else, another kind of question.
        ("When did Karl visit Lisbon?", ""),
        ("When did Ida sell the boat?", ""),
        ("When did Nora work in a bank?", ""),
        ("Who moved to Bergen?", ""),
    ],
)
def test_the_time_in_what_is_said_of_it(question: str, time: str) -> None:
    found = find_told_time(question, evidence(CHAT))
    assert (found.text if found else "") == time


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I did not visit Oakham mill yesterday.", "When did Lena visit Oakham mill?"),
        ("The new millstone may arrive at Oakham mill next week.", "When did the new millstone arrive at Oakham mill?"),
        ("If the roof holds, Clara will repair the barn tomorrow.", "When did Clara repair the barn?"),
        ("Clara will repair the barn tomorrow.", "When did Clara repair the barn?"),
    ],
)
def test_what_is_denied_doubtful_or_yet_to_come_has_no_time(said: str, question: str) -> None:
    chat = f"## Sunday 12 May 2024\n[09:13] Lena: {said}\n[09:14] Omar: Good.\n[09:15] Lena: Yes."
    assert find_told_time(question, evidence(("Chat", chat))) is None


def test_what_changed_is_not_what_changed_in_the_release_before() -> None:
    """A passage may begin within one release and go on with another."""
    text = "### Fixes\n\n- The wheel turns.\n\n## Release 3.6 (2020-11-08)\n\n- The old wheel is gone.\n"
    passage = EvidencePassage(1, "Mill NEWS", text, 1.0, "Release 3.7 (2021-08-14)")
    for version, item in (("3.7", "The wheel turns."), ("3.6", "The old wheel is gone.")):
        found = find_changes(f"What changed in mill {version}?", Evidence([passage]))
        assert [one.text for one in found] == [item]


def test_what_changed_is_told_in_the_order_of_the_text() -> None:
    first = EvidencePassage(4, "Mill NEWS", "- The wheel turns.\n", 0.5, "Release 3.7 (2021-08-14)")
    second = EvidencePassage(5, "Mill NEWS", "- The sluice opens.\n", 0.9, "Release 3.7 (2021-08-14)")
    found = find_changes("What changed in mill 3.7?", Evidence([second, first]))
    assert [one.text for one in found] == ["The wheel turns.", "The sluice opens."]


def test_a_line_that_tells_its_own_day_is_no_entry_under_it() -> None:
    life = ("Maureen Pugh", "Born 3 May 1951 in Machynlleth. Married Alun in 1974.")
    assert find_dated("When was Alun Pugh born?", evidence(life)) is None
    diary = ("Diary", "Sat 3 May 1951: Alun cut the first hay.\n\nThe 4 May 1951, rain.")
    found = find_dated("When did Alun cut the hay?", evidence(diary))
    assert found is not None
    assert found.text == "3 May 1951"
