"""What speaks for a candidate, in numbers that can be worked out by hand."""

from __future__ import annotations

import math

import pytest
from answer_evidence import evidence

from tools.answer_rules.walk import Chain, Step
from tools.planning.plan import AnswerType, Constraint, Plan
from tools.reading.candidates import Candidate, gather
from tools.reading.guess import Answer
from tools.reading.wanted_sort import Wanted, wanted_sort
from tools.reading.weighing import FEATURES

FILM = "Alder is a film directed by Ann Lee. It was shot in Troy."
EVIDENCE = evidence(("Alder (film)", FILM), ("Ann Lee", "Ann Lee is a painter."))
DIRECTOR = Constraint("Alder", "director", "?d")
PLAN = Plan((DIRECTOR,), "?d", answer_type="person")


def read(text: str, span: float, answered: float, rank: int = 0) -> Answer:
    doc = EVIDENCE.docs[rank]
    at = doc.text.index(text)
    return Answer(doc.found(at, at + len(text), span), span, answered)


def chain(text: str, score: float) -> Chain:
    doc = EVIDENCE.docs[0]
    at = doc.text.index(text)
    return Chain().then(Step(DIRECTOR, "?d", doc.found(at, at + len(text), score), "Alder"), score)


def gathered(chains: list[Chain], answers: list[Answer], question: str = "Who directed Alder?") -> list[Candidate]:
    return gather(question, PLAN, EVIDENCE, chains, "?d", answers)


def values(one: Candidate) -> dict[str, float]:
    return dict(zip(FEATURES, one.features.tolist(), strict=True))


BY_HAND = {
    "chain": 0.9,
    "chain_sure": 1.0,
    "chain_weakest": 0.9,
    "chain_open": 0.0,
    "chain_rival": 0.0,
    "no_chain": 0.0,
    "best_open": 0.0,
    "span": 0.8,
    "answered": 0.5,
    # The square root of 0.8 · 0.5, and for the rival that of 0.4 · 0.1.
    "read_sum": 0.4**0.5,
    "read_rank": 1.0,
    "read_rival": 0.2,
    "unread": 0.0,
    "both": 1.0,
    "agree": 1.0,
    # Its sentence says "directed" and "Alder", all that the question asks with.
    "sentence_cover": 1.0,
    "passage_cover": 1.0,
    "names_held": 1.0,
    "number_asked": 0.0,
    "date_asked": 0.0,
    "person_asked": 1.0,
    "place_asked": 0.0,
    "type_fits": 1.0,
    "type_clashes": 0.0,
    "constraints": 1 / 5,
    "unplanned": 0.0,
    "length": 2 / 12,
    "repeats": 0.0,
    "first_passage": 1.0,
    "in_sentence_name": 1.0,
    "numeral": 0.0,
    "capital": 1.0,
    # Both passages hold it.
    "holders": 2 / 5,
    "about": 0.0,
    # Its passage has the names asked for, in its title too, and every word, of which none is rarer than the other.
    "doc_names": 1.0,
    "title_asked": 1.0,
    "bridged": 0.0,
    "rare_sentence": 1.0,
    "rare_passage": 1.0,
    "rare_behind": 0.0,
    "read_here": 0.4**0.5,
}


def test_a_candidate_by_hand() -> None:
    ann, troy = gathered([chain("Ann Lee", 0.9)], [read("Ann Lee", 0.8, 0.5), read("Troy", 0.4, 0.1)])
    assert (ann.found.text, troy.found.text) == ("Ann Lee", "Troy")
    assert {name: value for name, value in values(ann).items() if name in BY_HAND} == pytest.approx(BY_HAND, abs=1e-6)


def test_a_candidate_that_is_only_read_by_hand() -> None:
    _, troy = gathered([chain("Ann Lee", 0.9)], [read("Ann Lee", 0.8, 0.5), read("Troy", 0.4, 0.1)])
    found = values(troy)
    assert troy.chain is None
    assert (found["no_chain"], found["chain"], found["both"], found["agree"]) == (1.0, 0.0, 0.0, 0.0)
    assert found["chain_rival"] == pytest.approx(0.9)
    assert found["read_sum"] == pytest.approx(0.2)
    assert found["read_rival"] == pytest.approx(0.4**0.5)
    # "It was shot in Troy." has of "directed" and "Alder" only the title's name; the passage has both.
    assert found["sentence_cover"] == pytest.approx(1 / 2)
    assert found["passage_cover"] == 1.0
    assert found["rare_sentence"] == pytest.approx(1 / 2)
    assert found["holders"] == pytest.approx(1 / 5)


def test_what_is_read_in_two_passages_adds_up() -> None:
    (ann,) = gathered([], [read("Ann Lee", 0.8, 0.5), read("Ann Lee", 0.4, 0.1, rank=1)])
    assert values(ann)["read_sum"] == pytest.approx(0.4**0.5 + 0.2)
    assert values(ann)["read_here"] == pytest.approx(0.4**0.5)
    assert values(ann)["read_rival"] == 0.0


def test_an_open_chain_and_a_value_that_was_not_read() -> None:
    open_chain = Chain().then(Step(DIRECTOR, "?d", None, "Alder"), 0.3)
    ann, _ = gathered([open_chain, chain("Ann Lee", 0.5)], [read("Troy", 0.4, 0.1)])
    found = values(ann)
    assert (found["best_open"], found["chain_open"], found["unread"]) == (1.0, 0.0, 1.0)
    # 0.5 is below what a rule is sure of.
    assert found["chain_sure"] == 0.0


def test_a_type_that_clashes() -> None:
    (ann,) = gathered([], [read("Ann Lee", 0.8, 0.5)], question="How many people directed Alder?")
    assert (values(ann)["number_asked"], values(ann)["type_fits"], values(ann)["type_clashes"]) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Why did Ann Lee direct Alder?", {"reason_asked"}),
        ("What made Alder so long?", {"reason_asked"}),
        ("What is the big reel for?", {"reason_asked"}),
        ("What did both reels cost altogether?", {"reckoned_asked"}),
        ("Who directs Alder now?", {"now_asked"}),
        ("Who directed our Alder?", {"own_asked"}),
        ("Who directed Alder?", set()),
    ],
)
def test_what_a_question_asks_for_counts_for_each_candidate(question: str, asked: set[str]) -> None:
    (ann,) = gathered([], [read("Ann Lee", 0.8, 0.5)], question=question)
    found = values(ann)
    names = ("reason_asked", "reckoned_asked", "now_asked", "own_asked")
    assert {name for name in names if found[name]} == asked
    assert found["asked_words"] == pytest.approx(len(question.split()) / 24)


def test_words_that_no_passage_has_are_unheld() -> None:
    (ann,) = gathered([], [read("Ann Lee", 0.8, 0.5)], question="Who directed Alder?")
    assert values(ann)["unheld"] == 0.0
    # "directed" and "Alder" stand in one of two passages, "Norway" in none: log(3 / 1.5) each, and log(3 / 0.5).
    (ann,) = gathered([], [read("Ann Lee", 0.8, 0.5)], question="Who directed Alder in Norway?")
    lacking = math.log(3 / 0.5)
    assert values(ann)["unheld"] == pytest.approx(lacking / (lacking + 2 * math.log(3 / 1.5)))


def test_each_span_is_a_candidate_once_and_only_so_many_are_weighed() -> None:
    both = gathered([chain("Ann Lee", 0.9), chain("Ann Lee", 0.5)], [read("Ann Lee", 0.8, 0.5)])
    assert [(one.found.text, one.chain.score if one.chain else None) for one in both] == [("Ann Lee", 0.9)]
    doc = EVIDENCE.docs[0]
    many = [Answer(doc.found(at, at + 4, 0.1), 0.1, 0.1) for at in range(30)]
    assert len(gathered([], many)) == 26
    assert gathered([], []) == []


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When was it built?", "date"),
        ("In what year was it built?", "date"),
        ("How many came?", "number"),
        ("What is the population of Dale?", "number"),
        ("Who came?", "person"),
        ("Where is it?", "place"),
        ("Which city is it in?", "place"),
        ("Who took the notes when they met?", "person"),
        ("On which floor is whoever signs for it?", ""),
        ("And for how long may it stay where it is?", "number"),
        ("Why is it shut when it rains?", ""),
        ("What is the month when hay is cut?", "date"),
        ("How damp is it where it stands?", ""),
        ("The hall that stands where the mill stood, when was it built?", "date"),
        ("What is it?", ""),
        ("", ""),
    ],
)
def test_the_type_that_the_words_ask_for(question: str, wanted: Wanted) -> None:
    assert wanted_sort(question, Plan(())) == wanted


@pytest.mark.parametrize(
    ("answer_type", "wanted"), [("year", "date"), ("number", "number"), ("place", "place"), ("text", "")]
)
def test_else_the_plan_tells_the_type(answer_type: AnswerType, wanted: Wanted) -> None:
    assert wanted_sort("What is it?", Plan((), answer_type=answer_type)) == wanted
    assert wanted_sort("Who is it?", Plan((), answer_type=answer_type)) == "person"


def test_the_passage_that_the_question_is_about_is_told_from_one_beside_it() -> None:
    """Of two persons' passages the one whose title is asked for has what the other lacks."""
    two = evidence(("Ann Lee", "Ann Lee was born in Troy."), ("Bob Day", "Bob Day was born in Rome."))
    answers = [Answer(doc.found(len(doc.text) - 5, len(doc.text) - 1, 0.9), 0.9, 0.9) for doc in two.docs]
    troy, rome = gather("Where was Ann Lee born?", PLAN, two, [], "?d", answers)
    assert (troy.found.text, rome.found.text) == ("Troy", "Rome")
    assert (values(troy)["title_asked"], values(rome)["title_asked"]) == (1.0, 0.0)
    assert (values(troy)["doc_names"], values(rome)["doc_names"]) == (1.0, 0.0)
    # Of "Ann", "Lee" and "born" the passage about Bob has the last, which both have.
    assert values(rome)["rare_behind"] == pytest.approx(1 - values(rome)["rare_passage"], abs=1e-6)
    assert values(rome)["rare_passage"] < 1 / 3


def test_what_the_second_reader_finds_is_weighed_beside_the_first() -> None:
    """The second one holds Troy for the best (0.9 · 0.4, 0.6 together), and Ann Lee for less (0.4 · 0.1, 0.2)."""
    again = [read("Troy", 0.9, 0.4), read("Ann Lee", 0.4, 0.1)]
    found = gather("Who directed Alder?", PLAN, EVIDENCE, [], "?d", [read("Ann Lee", 0.8, 0.5)], (), again)
    by_text = {one.found.text: values(one) for one in found}
    troy, ann = by_text["Troy"], by_text["Ann Lee"]
    assert (troy["again"], troy["again_rival"], troy["again_first"]) == (pytest.approx(0.6), pytest.approx(0.2), 1.0)
    assert (ann["again"], ann["again_lead"], ann["again_first"]) == (pytest.approx(0.2), pytest.approx(-0.4), 0.0)
    assert troy["readers"] == ann["readers"] == 0.0


def test_two_readers_that_hold_the_same_for_the_best_agree() -> None:
    first, second = [read("Ann Lee", 0.8, 0.5), read("Troy", 0.4, 0.1)], [read("Ann Lee", 0.5, 0.5)]
    found = gather("Who directed Alder?", PLAN, EVIDENCE, [], "?d", first, (), second)
    agreed = {one.found.text: values(one)["readers"] for one in found}
    assert agreed == {"Ann Lee": 1.0, "Troy": 0.0}


def test_what_the_second_reader_finds_in_single_sentences_is_weighed_besides() -> None:
    """In a sentence Ann Lee is the best (0.9 · 0.9), and in the passage (0.4 · 0.1, 0.2 together) Troy was (0.6)."""
    again = [read("Troy", 0.9, 0.4), read("Ann Lee", 0.4, 0.1)]
    narrow = [read("Ann Lee", 0.9, 0.9), read("Troy", 0.8, 0.2)]
    found = gather("Who directed Alder?", PLAN, EVIDENCE, [], "?d", [read("Ann Lee", 0.8, 0.5)], (), again, narrow)
    by_text = {one.found.text: values(one) for one in found}
    ann, troy = by_text["Ann Lee"], by_text["Troy"]
    assert (ann["narrow"], ann["narrow_rival"], ann["narrow_first"]) == (pytest.approx(0.9), pytest.approx(0.4), 1.0)
    assert (troy["narrow_lead"], troy["narrow_first"], troy["narrow_missing"]) == (pytest.approx(-0.5), 0.0, 0.0)
    assert ann["narrow_again"] == pytest.approx(0.9 * 0.2)


def test_what_only_a_single_sentence_gave_is_a_candidate() -> None:
    found = gather("Who directed Alder?", PLAN, EVIDENCE, [], "?d", [], (), (), [read("Troy", 0.9, 0.9)])
    assert [one.found.text for one in found] == ["Troy"]
    assert values(found[0])["narrow"] == pytest.approx(0.9)


def test_without_a_second_reading_nothing_is_said_of_it() -> None:
    (one,) = gathered([], [read("Ann Lee", 0.8, 0.5)])
    assert values(one)["again_read"] == values(one)["again"] == values(one)["readers"] == 0.0
    assert values(one)["again_missing"] == values(one)["narrow_missing"] == 1.0
    assert values(one)["narrow_read"] == values(one)["narrow"] == 0.0
