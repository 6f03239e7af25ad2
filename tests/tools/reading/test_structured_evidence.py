"""What structure and closeness say of a candidate: its subject, the word that names it, the sentence it stands in."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tools.answer_rules.docs import Doc, Evidence, EvidencePassage
from tools.planning.plan import Plan
from tools.reading.candidates import gather
from tools.reading.guess import Answer, ReadingGuesser
from tools.reading.spans import Reading, Span
from tools.reading.weighing import FEATURES

TEXT = "## Warehouse\n\nLead: Ana Souza\nFloor: second\n\n## Garage\n\nLead: Tom Hill"
LEADS = EvidencePassage(1, "Teams", TEXT, 1.0, "Offices", "", ((14, 0.7), (30, 0.2), (57, 0.6)))


def doc(passage: EvidencePassage = LEADS) -> Doc:
    return Evidence([passage]).docs[0]


def test_a_value_has_the_subject_of_the_heading_above() -> None:
    one = doc()
    assert [one.subject_at(one.text.index(name)) for name in ("Ana", "second", "Tom")] == [
        "Warehouse", "Warehouse", "Garage",
    ]  # fmt: skip
    value = one.value_at(one.text.index("Souza"))
    assert value is not None
    assert (value.relation, one.text[value.start : value.end]) == ("Lead", "Ana Souza")
    assert one.value_at(0) is None
    assert one.headings_at(one.text.index("Tom")) == "Teams Offices Garage"
    assert one.heading == "Teams. Offices"


def test_nearness_is_that_of_the_stored_sentence() -> None:
    one = doc()
    assert [one.nearness(one.text.index(name)) for name in ("Ana", "second", "Tom")] == [0.7, 0.2, 0.6]
    assert one.nearest == 0.7
    assert doc(EvidencePassage(1, "T", "Text.", 1.0)).nearness(0) == 0.0


def features(question: str) -> dict[str, dict[str, float]]:
    found = gather(question, Plan(()), Evidence([LEADS]), [], "", [])
    return {one.found.text: dict(zip(FEATURES, one.features.tolist(), strict=True)) for one in found}


def test_what_a_word_of_the_question_names_is_a_candidate_though_nobody_read_it() -> None:
    by_name = features("Who is the lead of the Garage?")
    assert set(by_name) == {"Ana Souza", "Tom Hill"}, "the floor is not asked for"
    tom, ana = by_name["Tom Hill"], by_name["Ana Souza"]
    assert (tom["key_asked"], tom["key_subject"], tom["subject_asked"], tom["subject_other"]) == (1, 1, 1, 0)
    assert (ana["key_asked"], ana["key_subject"], ana["subject_asked"], ana["subject_other"]) == (1, 0, 0, 1)
    assert ana["key_rival"] == tom["key_rival"] == 1
    assert tom["whole_value"] == 1
    assert features("How many stamps are there?") == {}


def test_the_closest_sentences_are_read_with_their_headings() -> None:
    asked: list[tuple[str, str, str]] = []

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        asked.extend(pairs)
        return [Reading((Span(text.index("Tom"), text.index("Tom") + 8, 0.5),), 0.8) if "Tom" in text else Reading()
                for _, _, text in pairs]  # fmt: skip

    evidence = Evidence([LEADS])
    answers = ReadingGuesser(evidence, "Who leads the Garage?", Plan(()), read).close()
    assert {(title, text) for _, title, text in asked} >= {("Teams Offices", "## Garage\nLead: Tom Hill")}
    assert {one.found.text for one in answers} == {"Tom Hill"}
    assert answers[0].score == pytest.approx((0.5 * 0.8) ** 0.5)


def test_without_a_comparison_no_sentence_is_read() -> None:
    evidence = Evidence([EvidencePassage(1, "T", "Text. More.", 1.0)])
    assert ReadingGuesser(evidence, "Who?", Plan(()), lambda pairs: pytest.fail("read")).close() == []


@pytest.mark.parametrize(
    ("text", "span", "is_kept"),
    [
        ("Out w/ wrist", "w/", False),
        ("Bob got a piano", "a", False),
        ("It is a shaver's.", "s", False),
        ("It begins with //! here", "//!", True),
        ("Use -f to push", "f", True),
        ("Press q to quit", "q", True),
        ("It stands in Silo A now", "A", True),
    ],
)
def test_a_piece_of_what_stands_there_is_no_answer(text: str, span: str, is_kept: bool) -> None:
    evidence = Evidence([EvidencePassage(1, "Day", text, 1.0)])
    at = text.rindex(span) if span == "s" else text.index(span)
    read = [Reading((Span(at, at + len(span), 0.5),), 0.8)]
    found = ReadingGuesser(evidence, "What is it?", Plan(()), lambda pairs: read * len(pairs)).whole()
    assert [one.found.text for one in found] == [span] * is_kept


def test_the_second_reader_reads_likely_sentences_by_themselves() -> None:
    """What it found, what stands close, and what nobody compared: each sentence once, with those around it."""
    lines = "Ann came. Bob left. Cid sang. Dot fell. Eve won."
    evidence = Evidence([EvidencePassage(1, "Day", lines, 1.0)])
    doc, asked = evidence.docs[0], []

    def answer(name: str) -> Answer:
        return Answer(doc.found(lines.index(name), lines.index(name) + 3, 0.9), 0.9, 0.9)

    def read_again(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        asked.extend(pairs)
        return [Reading((Span(0, 3, 0.5),), 0.8) for _ in pairs]

    guesser = ReadingGuesser(evidence, "Who fell?", Plan(()), lambda pairs: pytest.fail("read"), read_again)
    found = guesser.narrow([answer("Dot"), answer("Ann")], [answer("Dot")])
    assert asked == [("Who fell?", "Day", "Cid sang. Dot fell. Eve won."), ("Who fell?", "Day", "Ann came. Bob left. ")]
    assert [(one.found.text, one.found.start) for one in found] == [("Ann", 0), ("Cid", lines.index("Cid"))]
    assert ReadingGuesser(evidence, "Who fell?", Plan(()), lambda pairs: pytest.fail("read")).narrow(found, ()) == []
