from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest
from answer_evidence import passages

from tools.answering import EvidencePassage, FoundAnswer, answer_question
from tools.plan import AnswerType, Comparison, Constraint, Plan

FILMS = passages(
    ("Alder (1950 film)", "Alder is a 1950 crime film directed by Ann Lee and starring Bob Day."),
    ("Ann Lee", "Ann Lee (born 12 May 1920 in Troy, New York) is an American film director. She married Bob Day."),
    ("Birch (film)", "Birch is a 1961 drama film directed by Cy Fox."),
    ("Cy Fox", "Cy Fox (3 June 1937 – 4 July 1999) was a Dutch film director. He died in Rome."),
    ("Dale", "Dale is a village in Hill County, Ohio, United States. Its population was 1,404 in 2010."),
    ("Elm", "Elm is a village in Hill County, Ohio, United States. It has 2,500 inhabitants."),
)


def look_up(*constraints: Constraint, answer_type: AnswerType = "text", question: str = "") -> FoundAnswer:
    return answer_question(question or "What is it?", Plan(constraints, answer_type=answer_type), FILMS)


def compare(comparison: Comparison, *constraints: Constraint, question: str = "Which one?") -> FoundAnswer:
    options = tuple(item.head for item in constraints if not item.head.startswith("?"))
    return answer_question(question, Plan(constraints, "", "comparison", comparison, options, "option"), FILMS)


def test_two_hops_with_their_sentences() -> None:
    answer = look_up(Constraint("Alder", "director", "?director"), Constraint("?director", "place of birth", "?place"))
    assert answer.text == "Troy"
    assert [(hop.value, hop.passage) for hop in answer.hops] == [("Ann Lee", 1), ("Troy", 2)]
    assert answer.hops[0].sentence.startswith("Alder is a 1950 crime film directed by Ann Lee")
    assert answer.support == (1, 2)
    assert answer.missing == ""
    assert 0.7 < answer.confidence <= 1.0
    assert answer.reason == "The director of Alder is Ann Lee; the place of birth of Ann Lee is Troy."


def test_the_hop_that_is_missing_is_named() -> None:
    answer = look_up(Constraint("Alder", "director", "?d"), Constraint("?d", "place of death", "?place"))
    assert answer.text == ""
    assert answer.missing == "the place of death of Ann Lee"
    assert answer.confidence == 0.0
    assert [hop.value for hop in answer.hops] == ["Ann Lee", ""]


def test_constraints_run_backwards_too() -> None:
    assert look_up(Constraint("?film", "directed by", "Cy Fox")).text == "Birch"
    assert look_up(Constraint("?person", "directed", "Birch")).text == "Cy Fox"


def test_a_date_or_its_year_as_asked() -> None:
    born = Constraint("Ann Lee", "date of birth", "?date")
    assert look_up(born, answer_type="date").text == "12 May 1920"
    assert look_up(born, answer_type="year").text == "1920"


def test_a_country_or_a_nationality_as_asked() -> None:
    indian = passages(("Ann Rao", "Ann Rao is an Indian singer."))
    plan = Plan((Constraint("Ann Rao", "country of citizenship", "?country"),), answer_type="place")
    assert answer_question("Which country is Ann Rao from?", plan, indian).text == "India"
    assert answer_question("What nationality is Ann Rao?", plan, indian).text == "Indian"


def test_composite_kinship_is_walked() -> None:
    family = passages(
        ("Max Day", "Max Day is a singer, the son of Tom Day and Eve Day."),
        ("Tom Day", "Tom Day was a baker, the son of Sam Day and Lil Day."),
    )
    plan = Plan((Constraint("Max Day", "paternal grandmother", "?person"),), answer_type="person")
    assert answer_question("Who is Max Day's paternal grandmother?", plan, family).text == "Lil Day"


def test_who_is_older_or_younger() -> None:
    born = (Constraint("Ann Lee", "date of birth", "?b1"), Constraint("Cy Fox", "date of birth", "?b2"))
    answer = compare("earlier", *born)
    assert answer.text == "Ann Lee"
    assert answer.reason == "Ann Lee was born 12 May 1920; Cy Fox was born 3 June 1937."
    assert compare("later", *born).text == "Cy Fox"
    age = (Constraint("Ann Lee", "age", "?a1"), Constraint("Cy Fox", "age", "?a2"))
    assert compare("more", *age).text == "Ann Lee"
    assert compare("", *born, question="Who is younger?").text == "Cy Fox"


def test_which_film_has_the_older_director() -> None:
    answer = compare(
        "earlier",
        Constraint("Birch", "director", "?d1"),
        Constraint("Alder", "director", "?d2"),
        Constraint("?d1", "date of birth", "?b1"),
        Constraint("?d2", "date of birth", "?b2"),
    )
    assert answer.text == "Alder"
    assert len(answer.hops) == 4


def test_which_came_out_later_and_which_has_more_people() -> None:
    out = (Constraint("Alder", "publication date", "?y1"), Constraint("Birch", "publication date", "?y2"))
    assert compare("later", *out).text == "Birch"
    people = (Constraint("Dale", "population", "?n1"), Constraint("Elm", "population", "?n2"))
    assert compare("more", *people).text == "Elm"
    assert compare("less", *people).text == "Dale"


def test_who_died_first_where_one_death_is_on_record() -> None:
    died = (Constraint("Ann Lee", "date of death", "?d1"), Constraint("Cy Fox", "date of death", "?d2"))
    answer = compare("earlier", *died)
    assert answer.text == "Cy Fox"
    assert answer.missing == "the date of death of Ann Lee"
    assert answer.confidence < 0.5
    assert compare("later", *died, question="?").text == ""


def test_who_lived_longer() -> None:
    lives = passages(("Ann", "Ann (1900–1990) was a poet."), ("Eve", "Eve (1950–1999) was a poet."))
    constraints = (Constraint("Ann", "lifespan", "?a"), Constraint("Eve", "lifespan", "?b"))
    plan = Plan(constraints, "", "comparison", "more", ("Ann", "Eve"), "option")
    answer = answer_question("Who lived longer, Ann or Eve?", plan, lives)
    assert answer.text == "Ann"
    assert answer.reason == "Ann lived 90.0 years; Eve lived 49.0 years."


def same(*constraints: Constraint) -> str:
    plan = Plan(constraints, "", "yesno", "same", answer_type="yesno")
    return answer_question("Are they the same?", plan, FILMS).text


def test_the_same_country_or_not() -> None:
    assert same(Constraint("Dale", "country", "?c1"), Constraint("Elm", "country", "?c2")) == "yes"
    assert same(Constraint("Ann Lee", "country", "?c1"), Constraint("Cy Fox", "country", "?c2")) == "no"
    assert same(Constraint("Dale", "country", "?c"), Constraint("Nowhere", "country", "?c")) == ""


def test_whether_both_are_something() -> None:
    def both(claim: str) -> str:
        constraints = (Constraint("Ann Lee", "is", claim), Constraint("Cy Fox", "is", claim))
        plan = Plan(constraints, "", "yesno", "", ("Ann Lee", "Cy Fox"), "yesno")
        return answer_question("Are both?", plan, FILMS).text

    assert both("film directors") == "yes"
    assert both("American film directors") == "no"


def test_which_of_two_is_something() -> None:
    constraints = (Constraint("Ann Lee", "is", "Dutch"), Constraint("Cy Fox", "is", "Dutch"))
    plan = Plan(constraints, "", "comparison", "", ("Ann Lee", "Cy Fox"), "option")
    assert answer_question("Which one is Dutch?", plan, FILMS).text == "Cy Fox"


def test_a_relation_without_rules_is_answered_from_a_sentence_with_its_words() -> None:
    town = passages(("Dale", "Dale is a town. Its waterfall, Silver Falls, was found in 1990. Its mayor is Ann Lee."))
    plan = Plan((Constraint("Dale", "waterfall", "?waterfall"),), answer_type="place")
    answer = answer_question("What is the waterfall in Dale?", plan, town)
    assert answer.text == "Silver Falls"
    assert answer.confidence < 0.8


def test_a_plan_without_constraints_leaves_the_questions_words() -> None:
    answer = answer_question("How many inhabitants has Elm?", Plan((), answer_type="number"), FILMS)
    assert answer.text == "2,500"
    assert answer.support == (6,)


def test_bindings_decide_between_values_and_are_none_themselves() -> None:
    two = passages(("Alder", "Alder is a film directed by Ann Lee and Bob Day."))
    plan = Plan((Constraint("Alder", "director", "?d"),), "?d", answer_type="person")
    assert answer_question("Who directed Alder?", plan, two).text == "Ann Lee"
    assert answer_question("Who directed Alder?", plan, two, {"?d": ["Bob Day"]}).text == "Bob Day"
    assert answer_question("Who directed Alder?", plan, two, {"?d": ["Max Fox"]}).text == "Ann Lee"


def test_an_embedding_is_used_for_hops_without_rules() -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> np.ndarray:
        asked.extend(texts)
        return np.full((len(texts), 2), 0.5**0.5, dtype=np.float32)

    plan = Plan((Constraint("Dale", "anthem", "?anthem"),))
    answer_question("What is the anthem of Dale?", plan, FILMS, embed=embed)
    assert any("anthem" in text for text in asked)


@pytest.mark.parametrize(
    "plan",
    [
        Plan(()),
        Plan((), kind="comparison"),
        Plan((), kind="yesno", options=("a", "b")),
        Plan((Constraint("?a", "related to", "?b"),)),
        Plan((Constraint("", "", ""),)),
        Plan((Constraint("?x", "director", "?x"),), "?x"),
        Plan((Constraint("Ann", "uncle", "?u"),), "?nobody"),
    ],
)
def test_odd_plans_and_no_passages_do_not_raise(plan: Plan) -> None:
    assert answer_question("", plan, []).text == ""
    answer_question("Who?", plan, FILMS)


HOSTILE = [
    "",
    "\x00\ufffd\u202e",
    "<script>alert(1)</script> [bold]x[/bold] ((((((((",
    '"' * 5_000,
    "(" * 20_000,
    " " * 100_000,
    "born " * 20_000,
    "Ann " * 25_000,
    "son of " * 10_000,
    "directed and " * 8_000,
    "1920 – " * 10_000,
    "a" * 100_000,
    "Born in Rome to Ann Lee and " * 4_000,
    "died of " + "a-" * 40_000,
    "王小明是一位导演。" * 5_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_neither_raises_nor_stalls(text: str) -> None:
    constraints = (
        Constraint("Ann", "director", "?d"),
        Constraint("?d", "father", "?f"),
        Constraint("?f", "place of birth", "?p"),
        Constraint("?p", "located in", "?county"),
    )
    evidence = [EvidencePassage(1, "Ann", text, 1.0), EvidencePassage(2, text, "Ann is a film.", 0.5)]
    start = time.perf_counter()
    for kind in ("lookup", "comparison", "yesno"):
        answer_question(text, Plan(constraints, kind=kind), evidence)
    # The limit is a hundred times what ordinary evidence takes: it fails on backtracking, not on a busy machine.
    assert time.perf_counter() - start < 3.0


def test_the_same_arguments_give_the_same_answer() -> None:
    plan = Plan((Constraint("Alder", "director", "?d"), Constraint("?d", "spouse", "?s")), "?s")
    assert answer_question("Who?", plan, FILMS) == answer_question("Who?", plan, FILMS)
    assert answer_question("Who?", plan, FILMS).text == "Bob Day"
