"""Names in questions: which are found, where, and that no question breaks it; token coverage by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records import EntityMatch
from kb.store.knowledge_base import KnowledgeBase, token_coverage
from tools.search.entity_lookup import look_up_entity, named_in


def found(kb: KnowledgeBase, question: str) -> list[str]:
    return [span.text for span in named_in(kb, question)]


def scores(matches: list[EntityMatch]) -> dict[str, float]:
    return {match.entity.name: match.score for match in matches}


def test_the_longest_name_wins(town: KnowledgeBase) -> None:
    # "Tower of London" holds "London", which is a name of its own; a leading article belongs to the name.
    assert found(town, "Who kept ravens at the Tower of London?") == ["the Tower of London"]


def test_a_name_is_found_again_outside_the_longer_one(town: KnowledgeBase) -> None:
    assert found(town, "Is the Tower of London in London?") == ["the Tower of London", "London"]


def test_spans_come_in_text_order_and_tell_where_they_are(town: KnowledgeBase) -> None:
    question = "Did Ada Moor rob London?"
    spans = named_in(town, question)
    assert [(span.start, span.end) for span in spans] == [(4, 12), (17, 23)]
    assert all(question[span.start : span.end] == span.text for span in spans)


def test_titles_are_told_from_other_names(town: KnowledgeBase) -> None:
    # London has a document, Lyon is only mentioned.
    assert [(span.text, span.is_title) for span in named_in(town, "From London to Lyon")] == [
        ("London", True),
        ("Lyon", False),
    ]


def test_a_name_of_one_word_needs_a_capital(town: KnowledgeBase) -> None:
    assert found(town, "Did Ada Moor like london fog?") == ["Ada Moor"]
    assert found(town, "Did Ada Moor like London fog?") == ["Ada Moor", "London"]


def test_without_any_capital_small_letters_will_do(town: KnowledgeBase) -> None:
    # The first letter of a question is a capital whatever the writer's habits.
    assert found(town, "Did ada moor like london fog?") == ["ada moor", "london"]


def test_accents_and_case_do_not_matter(town: KnowledgeBase) -> None:
    for spelling in ("Credit Lyonnais", "CRÉDIT LYONNAIS", "Cre\u0301dit Lyonnais"):
        assert found(town, f"When was {spelling} founded?") == [spelling]


def test_a_title_is_known_without_its_brackets(town: KnowledgeBase) -> None:
    (span,) = named_in(town, "What is The Bank Job about?")
    assert (span.text, span.is_title) == ("The Bank Job", True)


def test_a_name_with_two_meanings_gives_both(town: KnowledgeBase) -> None:
    (span,) = named_in(town, "Who is Mercury?")
    assert {town.entity(one).name for one in span.entities} >= {"Mercury (planet)", "Mercury (god)"}


@pytest.mark.parametrize("question", ["", "   ", "?!", "who is it?", "伦敦塔在哪里？", "\x00\ufffd"])
def test_a_question_that_names_nothing(town: KnowledgeBase, question: str) -> None:
    assert named_in(town, question) == []


@pytest.mark.parametrize(
    "question", ["<b>[London]</b>", "'; DROP TABLE entities; -- London", "[/]London[red]", '"London"*']
)
def test_markup_and_syntax_are_only_text(town: KnowledgeBase, question: str) -> None:
    (span,) = named_in(town, question)
    assert span.text == "London"


def test_a_question_of_ten_thousand_words_is_read_in_part(town: KnowledgeBase) -> None:
    assert len(named_in(town, "London " * 10_000)) == 400
    assert named_in(town, "fog " * 400 + "London") == []


def test_an_empty_file_knows_no_name(empty: KnowledgeBase) -> None:
    assert named_in(empty, "Where is Skarn?") == []
    assert look_up_entity(empty, "Skarn") == []


@given(
    st.lists(
        st.sampled_from(["London", "the Tower of London", "Tower", "of", "Ada", "Moor", "Ada Moor", "lyon", ",", "é"])
    )
)
def test_spans_never_overlap(town: KnowledgeBase, words: list[str]) -> None:
    question = " ".join(words)
    spans = named_in(town, question)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(question[span.start : span.end] == span.text and span.entities for span in spans)


@pytest.mark.parametrize(
    ("mention", "name", "expected"),
    [
        ("tower of london", "tower of london", 1.0),
        ("tower of london castle", "tower of london", 3 / 4),  # a word of the mention is missing
        ("london", "tower of london", (1 / 3) ** 0.2),  # two words of the name are more than was asked
        ("white tower of london", "tower bridge", 1 / 4 * (1 / 2) ** 0.2),
        ("london london", "london", 1.0),  # each word counts once
        ("paris", "london", 0.0),
        ("", "london", 0.0),
        ("london", "", 0.0),
    ],
)
def test_token_coverage_by_hand(mention: str, name: str, expected: float) -> None:
    assert token_coverage(mention.split(), name.split()) == pytest.approx(expected)


def test_a_look_up_gives_coverage_best_first(town: KnowledgeBase) -> None:
    matches = look_up_entity(town, "Tower of London")
    assert matches[0].entity.name == "Tower of London"
    # Of the mention's three words "London" has one, and all of its own: 1/3.
    assert scores(matches)["London"] == pytest.approx(1 / 3)
    assert [match.score for match in matches] == sorted((match.score for match in matches), reverse=True)


def test_an_alias_counts_as_the_whole_name(town: KnowledgeBase) -> None:
    assert scores(look_up_entity(town, "bank job"))["The Bank Job (film)"] == 1.0
    assert {match.entity.name for match in look_up_entity(town, "Mercury") if match.score == 1.0} >= {
        "Mercury (god)",
        "Mercury (planet)",
    }


def test_titles_come_before_other_names_of_equal_score(town: KnowledgeBase) -> None:
    kinds = [match.entity.kind for match in look_up_entity(town, "Mercury") if match.score == 1.0]
    assert kinds == sorted(kinds, key=lambda kind: kind != "title")


@pytest.mark.parametrize(("mention", "k"), [("", 5), ("?!", 5), ("Zanzibar", 5), ("London", 0)])
def test_a_mention_without_words_or_unknown_has_no_match(town: KnowledgeBase, mention: str, k: int) -> None:
    assert look_up_entity(town, mention, k) == []


def test_a_possessive_is_no_part_of_a_name(town: KnowledgeBase) -> None:
    for mark in ("'", "’"):
        (span,) = named_in(town, f"Where did Ada Moor{mark}s mother live?")
        assert (span.text, span.is_title) == ("Ada Moor", True)
