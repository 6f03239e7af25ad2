from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import blind, passages
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS
from tools.planning.plan import AnswerType, Comparison, Constraint, Plan
from tools.planning.planner import plan_question
from tools.reading import answering
from tools.reading.answering import EvidencePassage, FoundAnswer, Quote, _raised, answer_question
from tools.reading.certainty import certainty_of
from tools.reading.considering import consider
from tools.reading.spans import Reading, Span

FILMS = passages(
    ("Alder (1950 film)", "Alder is a 1950 crime film directed by Ann Lee and starring Bob Day."),
    ("Ann Lee", "Ann Lee (born 12 May 1920 in Troy, New York) is an American film director. She married Bob Day."),
    ("Birch (film)", "Birch is a 1961 drama film directed by Cy Fox."),
    ("Cy Fox", "Cy Fox (3 June 1937 – 4 July 1999) was a Dutch film director. He died in Rome."),
    ("Dale", "Dale is a village in Hill County, Ohio, United States. Its population was 1,404 in 2010."),
    ("Elm", "Elm is a village in Hill County, Ohio, United States. It has 2,500 inhabitants."),
)


Asked = tuple[str, str, str]


def look_up(*constraints: Constraint, answer_type: AnswerType = "text", question: str = "") -> FoundAnswer:
    """What the rules alone find: the reader reads nothing."""
    plan = Plan(constraints, answer_type=answer_type)
    return answer_question(question or "What is it?", plan, FILMS, read=blind)


def compare(comparison: Comparison, *constraints: Constraint, question: str = "Which one?") -> FoundAnswer:
    options = tuple(item.head for item in constraints if not item.head.startswith("?"))
    plan = Plan(constraints, "", "comparison", comparison, options, "option")
    return answer_question(question, plan, FILMS, read=blind)


def test_two_hops_with_their_sentences() -> None:
    answer = look_up(Constraint("Alder", "director", "?director"), Constraint("?director", "place of birth", "?place"))
    assert answer.text == "Troy"
    assert [(hop.value, hop.passage) for hop in answer.hops] == [("Ann Lee", 1), ("Troy", 2)]
    assert answer.hops[0].sentence.startswith("Alder is a 1950 crime film directed by Ann Lee")
    assert answer.support == (1, 2)
    assert answer.missing == ""
    assert 0.0 < answer.confidence <= 1.0


def test_a_look_up_quotes_the_sentence_that_its_answer_stands_in_and_adds_none_of_its_own() -> None:
    answer = look_up(Constraint("Alder", "director", "?d"), question="Who directed Alder?")
    assert answer.stated == ((1, "Alder is a 1950 crime film directed by Ann Lee and starring Bob Day."),)
    assert answer.reason == ""


def test_the_hop_that_is_missing_is_named() -> None:
    answer = look_up(Constraint("Alder", "director", "?d"), Constraint("?d", "place of death", "?place"))
    assert answer.text == ""
    assert answer.missing == "where Ann Lee died"
    assert answer.confidence == 0.0
    assert [hop.value for hop in answer.hops] == ["Ann Lee", ""]


def test_what_only_another_persons_passage_says_is_not_certain() -> None:
    """Ann Lee's death is told nowhere; the reader finds Cy Fox's, and that is not good enough to be given."""
    question = "Where did the director of Alder die?"
    plan = Plan(
        (Constraint("Alder", "director", "?d"), Constraint("?d", "place of death", "?place")), answer_type="place"
    )
    assert certainty_of(answer_question(question, plan, FILMS).confidence) == "none"


def test_what_an_encyclopaedia_tells_is_held_for_likelier() -> None:
    """At 0.7 the odds are 7 to 3; 9 / 7 of them are 9 to 3, which is 0.75."""
    assert _raised(0.7) == 0.75
    assert _raised(0.88) == 0.9, "no more than that"
    assert [_raised(one) for one in (0.0, 0.6, 0.9, 0.97, 1.0)] == [0.0, 0.6, 0.9, 0.97, 1.0]


@pytest.mark.parametrize(
    ("question", "listed"),
    [("What did Gethin do?", []), ("Which days does Gethin do?", ["Wednesday", "Friday"])],
)
def test_days_are_not_what_somebody_did(question: str, listed: list[str]) -> None:
    rota = ("Rota", "Day: Wednesday; Evening: Gethin\nDay: Thursday; Evening: Priya\nDay: Friday; Evening: Gethin")
    considered = consider(question, plan_question(question), passages(rota), read=blind, beside=())
    assert [one.text for one in considered.listed] == listed


@pytest.mark.parametrize(("missing", "confidence"), [("", 0.8372), ("where Ann Lee died", 0.8)])
def test_of_articles_it_is_what_is_told_without_an_open_hop(
    missing: str, confidence: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0.8 has odds of 4, and 9 / 7 of them are 36 to 7, which is 36 / 43."""
    told = FoundAnswer("Rome", (), (), 0.8, missing, "", quote=Quote(4, "He died in Rome.", 0.8, "He died in Rome."))
    monkeypatch.setattr(answering, "_looked_up", lambda *_: told)
    question = "Where did Cy Fox die?"
    answer = answer_question(question, plan_question(question), FILMS, read=blind)
    assert answer.quote is not None
    assert (answer.confidence, answer.quote.confidence) == (confidence, confidence)
    notes = passages(("Notes", "Cy died in Rome in July.\n\nAsk Ann for the rest."))
    assert answer_question(question, plan_question(question), notes, read=blind) == told


def test_a_list_of_what_structure_names_is_likely() -> None:
    course = passages(("First aid", "Name: Ada; Registered: yes\nName: Ben; Registered: no\nName: Cat; Registered: no"))
    question = "Who has not registered?"
    answer = answer_question(question, plan_question(question), course, read=blind, beside=())
    assert (answer.text, certainty_of(answer.confidence)) == ("Ben, Cat", "likely")


@pytest.mark.parametrize(
    ("question", "text", "support"),
    [
        ("Who directed Birch?", "Cy Fox", (3,)),
        ("When was Ann Lee born?", "12 May 1920", (2,)),
        ("Where did Cy Fox die?", "Rome", (4,)),
        ("Whom did Ann Lee marry?", "Bob Day", (2,)),
    ],
)
def test_plain_questions_with_their_own_plans(question: str, text: str, support: tuple[int, ...]) -> None:
    answer = answer_question(question, plan_question(question), FILMS)
    assert answer.text == text
    assert answer.support == support


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
    assert answer_question("Which country is Ann Rao from?", plan, indian, read=blind).text == "India"
    assert answer_question("What nationality is Ann Rao?", plan, indian, read=blind).text == "Indian"


def test_composite_kinship_is_walked() -> None:
    family = passages(
        ("Max Day", "Max Day is a singer, the son of Tom Day and Eve Day."),
        ("Tom Day", "Tom Day was a baker, the son of Sam Day and Lil Day."),
    )
    plan = Plan((Constraint("Max Day", "paternal grandmother", "?person"),), answer_type="person")
    assert answer_question("Who is Max Day's paternal grandmother?", plan, family, read=blind).text == "Lil Day"


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
    assert answer.missing == "when Ann Lee died"
    assert compare("later", *died, question="?").text == ""


def test_who_lived_longer() -> None:
    lives = passages(("Ann", "Ann (1900–1990) was a poet."), ("Eve", "Eve (1950–1999) was a poet."))
    constraints = (Constraint("Ann", "lifespan", "?a"), Constraint("Eve", "lifespan", "?b"))
    plan = Plan(constraints, "", "comparison", "more", ("Ann", "Eve"), "option")
    answer = answer_question("Who lived longer, Ann or Eve?", plan, lives, read=blind)
    assert answer.text == "Ann"
    assert answer.reason == "Ann lived 90.0 years; Eve lived 49.0 years."


def same(*constraints: Constraint) -> str:
    plan = Plan(constraints, "", "yesno", "same", answer_type="yesno")
    return answer_question("Are they the same?", plan, FILMS, read=blind).text


def test_the_same_country_or_not() -> None:
    assert same(Constraint("Dale", "country", "?c1"), Constraint("Elm", "country", "?c2")) == "yes"
    assert same(Constraint("Ann Lee", "country", "?c1"), Constraint("Cy Fox", "country", "?c2")) == "no"
    assert same(Constraint("Dale", "country", "?c"), Constraint("Nowhere", "country", "?c")) == ""


def test_whether_both_are_something() -> None:
    def both(claim: str) -> str:
        constraints = (Constraint("Ann Lee", "is", claim), Constraint("Cy Fox", "is", claim))
        plan = Plan(constraints, "", "yesno", "", ("Ann Lee", "Cy Fox"), "yesno")
        return answer_question("Are both?", plan, FILMS, read=blind).text

    assert both("film directors") == "yes"
    assert both("American film directors") == "no"


def test_which_of_two_is_something() -> None:
    constraints = (Constraint("Ann Lee", "is", "Dutch"), Constraint("Cy Fox", "is", "Dutch"))
    plan = Plan(constraints, "", "comparison", "", ("Ann Lee", "Cy Fox"), "option")
    assert answer_question("Which one is Dutch?", plan, FILMS, read=blind).text == "Cy Fox"


def test_a_relation_without_rules_is_answered_from_a_sentence_with_its_words() -> None:
    town = passages(("Dale", "Dale is a town. Its waterfall, Silver Falls, was found in 1990. Its mayor is Ann Lee."))
    plan = Plan((Constraint("Dale", "waterfall", "?waterfall"),), answer_type="place")
    answer = answer_question("What is the waterfall in Dale?", plan, town)
    assert answer.text == "Silver Falls"
    assert answer.stated == ((1, "Its waterfall, Silver Falls, was found in 1990."),)


def test_a_plan_without_constraints_leaves_the_questions_words() -> None:
    answer = answer_question("How many inhabitants has Elm?", Plan((), answer_type="number"), FILMS)
    assert answer.text == "2,500"
    assert answer.support == (6,)


def test_bindings_decide_between_values_and_are_none_themselves() -> None:
    two = passages(("Alder", "Alder is a film directed by Ann Lee and Bob Day."))
    plan = Plan((Constraint("Alder", "director", "?d"),), "?d", answer_type="person")

    def first(bindings: dict[str, list[str]]) -> str:
        return consider("Who directed Alder?", plan, two, bindings, blind).candidates[0].found.text

    assert first({}) == "Ann Lee"
    assert first({"?d": ["Bob Day"]}) == "Bob Day"
    assert first({"?d": ["Max Fox"]}) == "Ann Lee"


def test_a_hop_without_rules_is_read_for_as_a_question_and_each_passage_once() -> None:
    asked: list[Asked] = []

    def read(pairs: Sequence[Asked]) -> list[Reading]:
        asked.extend(pairs)
        return [_pointing_at("Ann Lee", text) for _, _, text in pairs]

    plan = Plan((Constraint("Birch", "director", "?d"), Constraint("?d", "mentor", "?mentor")), answer_type="person")
    answer_question("Who was the mentor of the director of Birch?", plan, FILMS, read=read)
    assert ("Who is the mentor of Cy Fox?", "Cy Fox", FILMS[3].text) in asked
    assert len(asked) == len(set(asked))


def test_what_the_reader_points_at_is_the_answer_with_its_sentence() -> None:
    answer = answer_question("?", Plan(()), FILMS[:1], read=lambda pairs: [_pointing_at("Bob Day", pairs[0][2])])
    assert answer.text == "Bob Day"
    assert answer.stated == ((1, FILMS[0].text),)
    assert answer.hops == ()
    assert answer.support == (1,)


def _pointing_at(name: str, text: str, chance: float = 0.9) -> Reading:
    at = text.find(name)
    return Reading((Span(at, at + len(name), chance),), chance) if at >= 0 else Reading()


def test_a_list_is_told_with_all_its_members() -> None:
    crew = passages(("Alder", "The lamps were hung by Ann Lee, Bob Day and Cy Fox. It rained."))
    question = "Which technicians were at work?"
    answer = answer_question(question, Plan(()), crew, read=lambda pairs: [_pointing_at("Bob Day", pairs[0][2])])
    assert answer.text == "Ann Lee, Bob Day, Cy Fox"
    assert answer.support == (1,)


DIRAC = passages(("Paul Dirac", "Paul Dirac was born in Bristol on 8 August 1902."))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Was Dirac born in Bristol?", "yes"),
        ("Was Dirac born in London?", "no"),
        ("Is it true that Dirac was born in Bristol?", "yes"),
        ("Is it true that Dirac was born in London?", "no"),
        ("True or false: Dirac was born in Bristol.", "yes"),
        ("True or false: Dirac was born in London.", "no"),
    ],
)
def test_a_claim_is_judged_by_the_sentence_that_tells(question: str, text: str) -> None:
    answer = answer_question(question, plan_question(question), DIRAC)
    assert answer.text == text
    assert answer.support == (1,)


def test_a_claim_of_which_nothing_is_said_is_left_open() -> None:
    question = "Did Dirac like cheese?"
    assert answer_question(question, plan_question(question), DIRAC, read=blind) == FoundAnswer("", (), (), 0.0, "", "")


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
    answer_question("Is it?", plan, FILMS, read=blind)


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


def answer_all(text: str) -> None:
    """Questions of each kind in a text's words, answered from a passage that tells it and one with it for a title."""
    constraints = (
        Constraint("Ann", "director", "?d"),
        Constraint("?d", "father", "?f"),
        Constraint("?f", "place of birth", "?p"),
        Constraint("?p", "located in", "?county"),
    )
    evidence = [EvidencePassage(1, "Ann", text, 1.0), EvidencePassage(2, text, "Ann is a film.", 0.5)]
    for kind in ("lookup", "comparison", "yesno"):
        answer_question(text, Plan(constraints, kind=kind), evidence, read=blind)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_neither_raises_nor_stalls(text: str) -> None:
    # A passage is read up to MAX_CHARS, a question as a whole.
    assert all(is_linear(lambda letters: answer_all(text[:letters]), size) for size in (MAX_CHARS, len(text)))


def test_the_same_arguments_give_the_same_answer() -> None:
    plan = Plan((Constraint("Alder", "director", "?d"), Constraint("?d", "spouse", "?s")), "?s")
    assert answer_question("Who?", plan, FILMS) == answer_question("Who?", plan, FILMS)
    assert look_up(*plan.constraints).text == "Bob Day"


def test_things_are_older_by_when_they_began() -> None:
    question = "Is the Ash Bridge older than the Birch Bridge?"
    texts = passages(
        ("Ash Bridge", "The Ash Bridge was opened in 1887."), ("Birch Bridge", "The Birch Bridge was opened in 1890.")
    )
    assert answer_question(question, plan_question(question), texts, read=blind).text == "yes"
    question = "Is the Birch Bridge older than the Ash Bridge?"
    assert answer_question(question, plan_question(question), texts, read=blind).text == "no"


@pytest.mark.parametrize(("said", "day"), [("moved yesterday", "2 May 2024"), ("came yesterday", "13 May 2024")])
def test_yesterday_is_counted_from_the_day_above_it(said: str, day: str) -> None:
    chat = passages(
        ("Crew since 1 January 2020", "## Friday 3 May 2024\n[09:13] Ana: I moved yesterday.\n[09:14] Tom: Really?\n"
         "## Tuesday 14 May 2024\n[21:05] Ana: The sofa came yesterday."),
    )  # fmt: skip

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        texts = [(text, text.find(said)) for _, _, text in pairs]
        return [Reading((Span(at + len(said) - 9, at + len(said), 0.9),), 0.9) if at >= 0 else Reading()
                for text, at in texts]  # fmt: skip

    assert answer_question("When was that?", Plan(()), chat, read=read).text == day


@pytest.mark.parametrize(
    ("question", "day"),
    [("When did Nora move to Bergen?", "2 May 2024"), ("When does Karl visit Oslo?", "10 May 2024")],
)
def test_a_day_that_is_told_in_passing_is_no_day_of_the_entry(question: str, day: str) -> None:
    chat = passages(
        ("Crew", "## Friday 3 May 2024\n[09:13] Ana: Nora moved to Bergen yesterday.\n[09:14] Tom: Really?\n"
         "[09:15] Tom: Next Friday Karl visits Oslo."),
    )  # fmt: skip
    assert answer_question(question, plan_question(question), chat, read=blind).text == day


def test_the_best_passages_are_read_again_only_where_rules_do_not_settle_it() -> None:
    asked: list[Asked] = []

    def read_again(pairs: Sequence[Asked]) -> list[Reading]:
        asked.extend(pairs)
        return blind(pairs)

    settled = Plan((Constraint("Alder", "director", "?d"),), "?d", answer_type="person")
    answer = answer_question("Who directed Alder?", settled, FILMS, {}, blind, read_again)
    assert answer.text == "Ann Lee"
    assert asked == []
    answer_question("Why is Alder loved?", Plan(()), FILMS, {}, blind, read_again)
    assert [(question, title) for question, title, _ in asked] == [
        ("Why is Alder loved?", title) for title in ("Alder (1950 film)", "Ann Lee", "Birch (film)")
    ]


def test_what_only_the_second_reader_finds_can_be_the_answer() -> None:
    def read_again(pairs: Sequence[Asked]) -> list[Reading]:
        return [_pointing_at("crime", text) for _, _, text in pairs]

    found = consider("Of what sort is Alder?", Plan(()), FILMS, {}, blind, read_again)
    assert [one.found.text for one in found.candidates] == ["crime"]


def test_the_passages_that_hold_the_likeliest_sentences_are_read_again_too() -> None:
    """Three of the best are, and besides those in which the first reader found most; each once, and only two more."""
    likely, titles = {"A": 0.1, "B": 0.5, "C": 0.1, "D": 0.2, "E": 0.9, "F": 0.8}, list[str]()

    def read(pairs: Sequence[Asked]) -> list[Reading]:
        return [_pointing_at("teak", text, likely[text[0]]) for _, _, text in pairs]

    def read_again(pairs: Sequence[Asked]) -> list[Reading]:
        titles.extend(title for _, title, _ in pairs)
        return blind(pairs)

    texts = {ship: f"{ship} has a deck of teak." for ship in likely}
    ships = [
        EvidencePassage(at, ship, text, 1 / at, near=((0, 0.5),)) for at, (ship, text) in enumerate(texts.items(), 1)
    ]
    consider("Of what is the deck?", Plan(()), ships, {}, read, read_again)
    assert titles == ["A", "B", "C", "E", "F"]
