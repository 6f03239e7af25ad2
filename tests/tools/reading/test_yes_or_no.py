"""Yes or no by the sentences that say most of a claim."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import evidence

from tools.reading.spans import Reading, Span
from tools.reading.yes_or_no import (
    CLAIM_FEATURES,
    STATEMENTS,
    claim_features,
    claimed,
    read_statements,
    statements,
    weigh,
)

FERRY = ("Ferry", "Dogs travel free, pigs do not. The ferry leaves at 9:30 on Mondays. Tickets are sold on board.")
RULES = ("Rules", "## Bonfires\n\nOnly on the first Saturday of November.\n\n## Hoses\n\nNot in July.")


def features(question: str, *texts: tuple[str, str]) -> dict[str, float]:
    """What speaks for "yes", read by nobody."""
    found = statements(question, evidence(*texts).docs)
    return dict(zip(CLAIM_FEATURES, claim_features(question, found, [], [], [])[0].tolist(), strict=True))


def test_the_sentence_that_says_most_comes_first() -> None:
    found = statements("Does the ferry leave at 9:30 on Mondays?", evidence(RULES, FERRY).docs)
    assert len(found) == STATEMENTS
    assert "9:30" in found[0].text
    # "leave", "ferry", "9:30" and Monday: all four.
    assert found[0].cover == 1.0


def test_what_stands_above_a_sentence_counts() -> None:
    found = statements("Are bonfires allowed on the first Saturday of November?", evidence(RULES).docs)
    assert "first Saturday" in found[0].text
    assert (found[0].cover, found[0].own < 1.0) == (1.0, True)


def test_another_day_or_number_in_the_place_of_the_claimed_one() -> None:
    assert features("Does the ferry leave at 10:45 on Mondays?", FERRY)["number_instead"] == 1.0
    assert features("Does the ferry leave on Fridays at 9:30?", FERRY)["day_instead"] == 1.0
    assert features("Does the ferry leave at 9:30 on Mondays?", FERRY)["day_instead"] == 0.0


@pytest.mark.parametrize(
    ("question", "scope"),
    [("Do dogs travel free?", 0.0), ("Do pigs do it?", 1.0), ("Are tickets sold on board?", 0.0)],
)
def test_a_denial_counts_in_its_own_clause(question: str, scope: float) -> None:
    assert features(question, FERRY)["scope"] == scope


@pytest.mark.parametrize(
    ("question", "text", "denied"),
    [
        ("Is the blue lamp used?", "When no lamp is named, the blue lamp is used.", 0.0),
        ("Is the blue lamp used?", "The blue lamp is used if nobody names one.", 0.0),
        ("Is the blue lamp used if no lamp is named?", "When no lamp is named, the blue lamp is used.", 0.0),
        ("Is the blue lamp used if no lamp is named?", "The blue lamp is used if a lamp is named.", 1.0),
        ("Is the blue lamp used?", "When it is dark, the blue lamp is not used.", 1.0),
        ("Is the blue lamp used?", "If it is not dark, the blue lamp is not used.", 1.0),
    ],
)
def test_a_negated_condition_denies_nothing(question: str, text: str, denied: float) -> None:
    assert features(question, ("Lamps", text))["denied"] == denied


def test_both_sides_are_weighed_by_what_speaks_for_each() -> None:
    question = "Do dogs travel free?"
    docs = evidence(FERRY).docs
    found = statements(question, docs)
    read = [Reading((), 0.0, 0.9, 0.1) for _ in found]
    yes, no = claim_features(question, found, read, read, read)
    at = CLAIM_FEATURES.index("for")
    assert (round(float(yes[at]), 3), round(float(no[at]), 3)) == (0.9, 0.1)
    assert yes.shape == (len(CLAIM_FEATURES),)


def test_readers_are_shown_the_question_the_headings_and_the_sentence() -> None:
    asked: list[tuple[str, str, str]] = []

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        asked.extend(pairs)
        return [Reading((), 0.0, 0.8, 0.1) for _ in pairs]

    found = statements("True or false: bonfires are allowed in November.", evidence(RULES).docs)
    once, twice = read_statements("True or false: bonfires are allowed in November.", found, read, read)
    assert len(once) == len(found)
    assert 0 < len(twice) <= len(once)
    assert asked[0][0] == "Is it true that bonfires are allowed in November."
    assert "Bonfires" in asked[0][1]


def test_nothing_said_is_nothing_weighed() -> None:
    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [Reading() for _ in pairs]

    assert weigh("Is the moon made of cheese?", evidence(("Ferry", "")).docs, read, read, []) is None
    assert weigh("Is the moon made of cheese?", (), read, read, []) is None


def test_what_is_claimed() -> None:
    assert claimed("Is it true that Ann came?") == "Ann came"
    assert claimed("and did she win?") == "she win"


def test_the_line_by_which_the_second_reader_decides_stands_first() -> None:
    docs = evidence(FERRY, RULES).docs
    rules = docs[1].text
    at = rules.index("Not in July")
    told = {
        FERRY[1]: Reading((Span(0, 4, 0.9),), 0.1, 0.2, 0.1),
        rules: Reading((Span(at, at + 3, 0.9),), 0.0, 0.1, 0.8),
    }
    asked: list[tuple[str, str, str]] = []

    def read_again(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        asked.extend(pairs)
        return [told.get(text, Reading((), 0.0, 0.5, 0.4)) for _, _, text in pairs]

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [Reading((), 0.0, 0.5, 0.4) for _ in pairs]

    question = "May dogs use it when it is dry?"
    weighed = weigh(question, docs, read, read_again, [Reading((), 0.0, 0.3, 0.2), Reading((), 0.0, 0.4, 0.7)])
    assert weighed is not None
    assert weighed.statement.text == "Not in July."
    assert [text for _, _, text in asked[:2]] == [FERRY[1], rules]
    yes, no = (dict(zip(CLAIM_FEATURES, row.tolist(), strict=True)) for row in weighed.features)
    names = ("decides", "best_for", "best_against", "first_for", "first_against", "leaning", "most_for", "best_span")
    # The second passage decides most, 0.9 against 0.3. For yes (0.2 + 0.1 / 2) of (0.3 + 0.9 / 2) = 0.75 speak.
    assert [round(yes[name], 3) for name in names] == [1.0, 0.1, 0.8, 0.4, 0.7, 0.333, 0.2, 0.0]
    assert [round(no[name], 3) for name in names] == [1.0, 0.8, 0.1, 0.7, 0.4, 0.667, 0.8, 0.0]
    assert round(yes["best_rank"] * STATEMENTS) == 1


@pytest.mark.parametrize(("heading", "is_mere"), [("## Blank lines", True), ("## No blank lines", False)])
def test_a_mere_heading_decides_nothing(heading: str, is_mere: bool) -> None:
    def sure(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [Reading((Span(0, 8, 0.9),), 0.0, 0.02, 0.97) for _ in pairs]

    docs = evidence(("Style", f"{heading}\n\nItems stand apart.")).docs
    weighed = weigh("May I leave blank lines?", docs, sure, sure, sure([("", "", "")]))
    assert weighed is not None
    assert weighed.statement.text.startswith(heading)
    assert (weighed.confidence <= 0.6) is is_mere


def test_where_no_passage_was_read_the_sentence_that_says_most_decides() -> None:
    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [Reading((), 0.0, 0.5, 0.4) for _ in pairs]

    weighed = weigh("Do dogs travel free?", evidence(FERRY).docs, read, read, [])
    assert weighed is not None
    assert "Dogs travel free" in weighed.statement.text
    assert weighed.features[0][CLAIM_FEATURES.index("decides")] == 0.0


@pytest.mark.parametrize(
    ("headed", "bare", "is_doubted"),
    [
        ((0.1, 0.6), (0.1, 0.6), True),
        ((0.1, 0.6), (0.6, 0.1), False),  # as the headings make it
        ((0.6, 0.1), (0.1, 0.6), False),  # as it is without what they say
        ((0.01, 0.02), (0.01, 0.02), False),  # twice as likely, and hardly read at all: 0.05 is not 1.65 times 0.04
    ],
)
def test_what_the_second_reader_takes_for_the_opposite_by_itself_is_doubted(
    headed: tuple[float, float], bare: tuple[float, float], is_doubted: bool
) -> None:
    line = "Dogs travel free, pigs do not."

    def read_again(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        alone = {True: headed, False: bare}
        return [Reading((), 0.0, *alone[bool(above)]) if text.strip() == line else sure for _, above, text in pairs]

    sure = Reading((Span(0, 4, 0.9),), 0.0, 0.97, 0.02)
    docs = evidence(FERRY).docs
    weighed = weigh("Do dogs travel free?", docs, lambda pairs: [sure] * len(pairs), read_again, [sure])
    assert weighed is not None
    assert (weighed.text, weighed.statement.text.strip()) == ("yes", line)
    assert (weighed.confidence <= 0.6) is is_doubted
