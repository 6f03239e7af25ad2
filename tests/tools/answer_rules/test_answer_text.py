from __future__ import annotations

import pytest

from tools.answer_rules.text import (
    MAX_SENTENCE,
    bare_title,
    fold,
    name_score,
    sentence_spans,
    squeeze,
    stem,
    told_sentences,
    words,
)


def sentences(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in sentence_spans(text)]


def test_fold_forgives_case_accents_and_apostrophes() -> None:
    assert fold("Jølsen") == fold("JOLSEN") == "jolsen"
    assert fold("O’Brien") == "obrien"
    assert words("St. John's (Łódź)") == ["st", "johns", "lodz"]


@pytest.mark.parametrize("word", ["directed", "director", "directing", "directs"])
def test_words_of_one_family_share_a_stem(word: str) -> None:
    assert stem(word) == "direct"


def test_irregular_words_join_their_family() -> None:
    assert stem("born") == stem("birth") == stem("birthplace")
    assert stem("wrote") == stem("writer")


def test_sentences_do_not_end_at_initials_or_abbreviations() -> None:
    text = "B. Reeves met Dr. Who in St. Louis, Mo. He left in 1990. She stayed!"
    assert sentences(text) == ["B. Reeves met Dr. Who in St. Louis, Mo.", "He left in 1990.", "She stayed!"]


def test_sentences_of_empty_and_broken_text() -> None:
    assert sentence_spans("") == []
    assert sentence_spans("   ") == []
    assert sentences("one line\nanother line") == ["one line", "another line"]


def test_what_is_too_long_for_a_sentence_is_cut_between_words() -> None:
    spans = sentence_spans("word " * 1_000)
    assert [start for start, _ in spans[1:]] == [end for _, end in spans[:-1]]
    assert max(end - start for start, end in spans) <= MAX_SENTENCE
    assert all(start % 5 == 0 for start, _ in spans)


def test_bare_title_drops_brackets_but_never_everything() -> None:
    assert bare_title("Alibi (1929 film)") == "Alibi"
    assert bare_title("(brackets)") == "(brackets)"
    assert squeeze("  a \n b ") == "a b"


def test_name_score_orders_agreement() -> None:
    assert name_score("alibi", "Alibi") == 1.0
    assert name_score("Alibi", "Alibi (1929 film)") == pytest.approx(0.9)
    assert name_score("Alibi (1929 Film)", "Alibi (1929 film)") == 1.0
    # Same name, brackets that share one of three words: 0.5 + 0.5 / 3.
    assert name_score("Alibi (1929 film)", "Alibi (1942 film)") == pytest.approx(0.5 + 0.5 / 3)


def test_name_score_takes_parts_and_initials() -> None:
    # Two of three words: 0.55 + 0.35 * 2 / 3.
    assert name_score("John Ford", "John Martin Ford") == pytest.approx(0.55 + 0.35 * 2 / 3)
    assert name_score("J. Ford", "John Ford") > 0.85
    assert name_score("Ford John", "John Ford") == 0.0


def test_name_score_forgives_a_damaged_letter_and_no_other_name() -> None:
    assert name_score("Holm J酶lsen", "Holm Jølsen") > 0.6
    assert name_score("Anna Smith", "Emma Jones") == 0.0
    assert name_score("", "Anna") == 0.0
    assert name_score("...", "Anna") == 0.0


def test_sentences_are_told_without_headings_and_marks_of_lists() -> None:
    assert told_sentences("# Ann Lee\n\nAnn  was a potter.\n- She lived\tin Ostby.\n") == [
        "Ann was a potter.",
        "She lived in Ostby.",
    ]
    assert told_sentences("") == told_sentences("# Ann Lee") == []
