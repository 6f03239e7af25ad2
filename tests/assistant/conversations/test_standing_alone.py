from __future__ import annotations

from functools import partial

import pytest

from assistant.agent.offline.sorts import Sort, sort_of, sort_of_document
from assistant.agent.replying.reply import Chain, Link, Reply
from assistant.conversations.follow_up.standing_alone import standing_alone
from kb.store.knowledge_base import KnowledgeBase

DIRECTOR = Link("The Glass Harbour", "director", "Irena Valdis")
BORN = Link("Irena Valdis", "place of birth", "Tarnow Bay")

WHERE_BORN = Reply("Where was the director of The Glass Harbour born?", "Tarnow Bay", chains=(Chain((DIRECTOR, BORN)),))
WHO = Reply("Who directed The Glass Harbour?", "Irena Valdis", chains=(Chain((DIRECTOR,)),))
WHEN = Reply(
    "When was Irena Valdis born?", "4 May 1899", chains=(Chain((Link("Irena Valdis", "date", "4 May 1899"),)),)
)


@pytest.mark.parametrize(
    ("question", "last", "alone"),
    [
        ("When did she die?", WHERE_BORN, "When did Irena Valdis die?"),
        ("And when did she die?", WHERE_BORN, "when did Irena Valdis die?"),
        ("When did she die?", WHO, "When did Irena Valdis die?"),
        ("Where did she die?", WHEN, "Where did Irena Valdis die?"),
        ("Who was her father?", WHO, "Who was Irena Valdis's father?"),
        ("Who taught her in school?", WHO, "Who taught Irena Valdis in school?"),
        ("Where is it?", WHERE_BORN, "Where is Tarnow Bay?"),
        ("And who wrote it?", WHERE_BORN, "who wrote The Glass Harbour?"),
        ("When was it filmed?", WHO, "When was The Glass Harbour filmed?"),
        ("When was it released?", WHO, "When was The Glass Harbour released?"),
        ("What is its population?", WHERE_BORN, "What is Tarnow Bay's population?"),
        ("And Seven Lanterns?", WHERE_BORN, "Where was the director of Seven Lanterns born?"),
        ("What about Seven Lanterns?", WHO, "Who directed Seven Lanterns?"),
    ],
)
def test_what_refers_to_the_last_turn_is_filled_in(question: str, last: Reply, alone: str) -> None:
    assert standing_alone(question, [WHEN, last]) == alone


@pytest.mark.parametrize(
    "question", ["When did Oskar Valdis find that it was her?", "How many bridges are there in Karsk?", "Why?", ""]
)
def test_what_names_something_or_refers_to_nothing_stays(question: str) -> None:
    assert standing_alone(question, [WHERE_BORN]) == question


def test_a_sentence_that_was_the_answer_is_no_name() -> None:
    told = Reply("Who has the key?", "On Mondays Irena Valdis has it.", chains=WHO.chains, is_sentence=True)
    assert standing_alone("Where does she live?", [told]) == "Where does Irena Valdis live?"
    assert standing_alone("Where does she live?", [Reply(told.question, told.answer, is_sentence=True)]).endswith(
        "she live?"
    )


def test_nothing_before_or_nothing_found_before() -> None:
    assert standing_alone("When did she die?", []) == "When did she die?"
    assert standing_alone("When did she die?", [Reply("Who?", "", found=False)]) == "When did she die?"


def test_a_turn_that_found_nothing_is_passed_over() -> None:
    assert standing_alone("When did she die?", [WHO, Reply("Who?", "", found=False)]) == "When did Irena Valdis die?"


def test_a_last_turn_without_a_chain() -> None:
    bare = Reply("Who was it?", "Irena Valdis")
    assert standing_alone("When did she die?", [bare]) == "When did Irena Valdis die?"
    assert standing_alone("And Seven Lanterns?", [bare]) == "And Seven Lanterns?"


# -- with the documents ------------------------------------------------------------------------------------------------

SORTS: dict[str, Sort] = {
    "Stalker": "thing",
    "Andrei Tarkovsky": "person",
    "Eduard Artemyev": "he",
    "Ada Lovelace": "she",
    "Lord Byron": "he",
    "Paul Dirac": "he",
    "Ralph Fowler": "he",
    "Larvik": "thing",
}


def chained(question: str, answer: str, *links: tuple[str, str, str]) -> Reply:
    return Reply(question, answer, chains=(Chain(tuple(Link(*link) for link in links)),))


MUSIC = chained("Who composed the music of Stalker?", "Eduard Artemyev", ("Stalker", "composer", "Eduard Artemyev"))
POET = chained("Who was Ada Lovelace's father?", "Lord Byron", ("Ada Lovelace", "father", "Lord Byron"))
DIRAC = chained("Where was Paul Dirac born?", "Bristol", ("Paul Dirac", "place of birth", "Bristol"))
FOWLER = chained("When was Ralph Fowler born?", "17 January 1889", ("Ralph Fowler", "date", "17 January 1889"))
LOST = Reply("When was Paul Dirac married?", "", found=False, missing="no passage tells it")
TOGETHER = "Did Ralph Fowler and Paul Dirac work at the same laboratory?"
FILMED = Reply("And who directed it?", "Andrei Tarkovsky")
WIFE = Reply("Where was Leslie Stephen's first wife born?", "", found=False)
ALONE = Reply("How many moons are there?", "5", chains=(Chain((Link("moons", "number", "5"),)),))


@pytest.mark.parametrize(
    ("question", "turns", "alone"),
    [
        ("And who directed it?", [MUSIC], "who directed Stalker?"),
        ("where was he born?", [MUSIC], "where was Eduard Artemyev born?"),
        ("where did she live?", [MUSIC, POET], "where did Ada Lovelace live?"),
        ("When did he die?", [MUSIC, POET], "When did Lord Byron die?"),
        ("when was she born?", [POET, DIRAC], "when was Ada Lovelace born?"),
        ("Where did he study?", [FOWLER], "Where did Ralph Fowler study?"),
        ("how about his wife?", [DIRAC], "Where was Paul Dirac's wife born?"),
        ("what about Ralph Fowler?", [DIRAC], "Where was Ralph Fowler born?"),
        ("what about ralph fowler?", [DIRAC], "Where was ralph fowler born?"),
        ("And the Larvik?", [MUSIC], "Who composed the music of the Larvik?"),
        ("who was her father?", [WIFE], "who was Leslie Stephen's first wife's father?"),
        ("what about that of Solaris?", [MUSIC], "Who composed the music of Solaris?"),
        ("what about the director?", [MUSIC], "Who is the director of Stalker?"),
        ("Did they work at the same laboratory?", [FOWLER, DIRAC], TOGETHER),
        ("and when?", [DIRAC], "When was Paul Dirac born?"),
        ("when was that?", [DIRAC], "When was Paul Dirac born?"),
        ("And where?", [FOWLER], "Where was Ralph Fowler born?"),
        ("and when?", [MUSIC], "When was the music of Stalker composed?"),
        ("where was he born?", [POET, LOST], "where was Paul Dirac born?"),
        ("what about Ralph Fowler?", [LOST], "When was Ralph Fowler married?"),
        ("Who taught him there?", [DIRAC], "Who taught Paul Dirac there?"),
        ("Did he work with Ernest Rutherford?", [DIRAC], "Did Paul Dirac work with Ernest Rutherford?"),
        ("Who directed that film?", [MUSIC], "Who directed Stalker?"),
        ("summarise it", [MUSIC], "summarise Stalker"),
        ("which documents mention him?", [DIRAC], "which documents mention Paul Dirac?"),
        ("where was he born?", [MUSIC, Reply("thanks", "You are welcome.")], "where was Eduard Artemyev born?"),
        ("where was he born?", [MUSIC, FILMED], "where was Andrei Tarkovsky born?"),
        ("Where did it happen?", [FOWLER], "Where did it happen?"),
        ("Who discovered it?", [ALONE], "Who discovered it?"),
        ("What is in this file?", [DIRAC], "What is in this file?"),
        ("What films are there?", [DIRAC], "What films are there?"),
        ("Which was the ship that sank?", [DIRAC], "Which was the ship that sank?"),
    ],
)  # fmt: skip
def test_what_the_documents_say_of_a_name_decides(question: str, turns: list[Reply], alone: str) -> None:
    assert standing_alone(question, turns, lambda name: SORTS.get(name, "")) == alone


def test_a_reason_is_asked_of_what_happened_and_not_of_a_birth() -> None:
    left = chained("When did Paul Dirac leave Bristol?", "1923", ("Paul Dirac", "left", "1923"))
    assert standing_alone("why?", [left]) == "Why did Paul Dirac leave Bristol?"
    assert standing_alone("why?", [DIRAC]) == "why?"


def test_pronouns_are_told_apart_by_the_documents(small: KnowledgeBase) -> None:
    shot = chained("Who directed Seven Lanterns?", "Tomas Brandel", ("Seven Lanterns", "director", "Tomas Brandel"))
    alone = partial(standing_alone, sort_of=partial(sort_of, small))
    assert alone("When did she die?", [shot, WHO]) == "When did Irena Valdis die?"
    assert alone("When was he born?", [shot, WHO]) == "When was Tomas Brandel born?"
    assert alone("When was it shot?", [WHO, shot]) == "When was Seven Lanterns shot?"


@pytest.mark.parametrize(
    ("name", "sort"),
    [("Irena Valdis", "she"), ("Tarnow Bay", "thing"), ("Seven Lanterns", "thing"), ("Nobody Known", ""), ("", "")],
)
def test_sorts(small: KnowledgeBase, name: str, sort: Sort) -> None:
    assert sort_of(small, name) == sort


def test_the_sort_of_a_document() -> None:
    assert (
        sort_of_document("Fram", "The Fram is a wooden ship. She was launched in 1892. Her crew sailed north.")
        == "thing"
    )
    assert sort_of_document("Fram", "Nansen had her built. She was a good ship, and her crew sailed far.") == "thing"
    assert sort_of_document("Ada Moor", "Ada Moor was born in Bath. Her father left her mother.") == "she"
    assert sort_of_document("Lord Moor", "Lord Moor was born in Bath. His mother was fond of her sister.") == "he"
    assert sort_of_document("", "") == ""


def test_a_document_about_a_thing_is_not_the_person_whom_it_names() -> None:
    assert sort_of_document("Vet stuff", "Our vet is Ada Moor. She pins bones.") == ""
    assert sort_of_document("Catherine of Aragon", "Queen from 1509. She sewed shirts.") == "she"


KEY = Reply("Where is the key to the score cabinet?", "behind the piano")
PRICE = Reply("What is the price of the plate reader?", "31500")
WHOSE = Reply("Who looks after the autoclave?", "Anneke Visser")
SERVICED = Reply("When was our boat serviced?", "")
BEGUN = Reply("When does the lease begin?", "1 May")


CALL = Reply("Who was on call in week 14?", "Ann")
VIOLINS = Reply("How many violins do we own in total?", "2,630")
SPENT = Reply("What did we spend on lodging in May?", "64")


@pytest.mark.parametrize(
    ("question", "turn", "alone"),
    [
        ("and in week 15?", CALL, "Who was on call in week 15?"),
        ("what about in week 16?", CALL, "Who was on call in week 16?"),
        ("and how many cellos?", VIOLINS, "How many cellos do we own in total?"),
        ("How many cellos?", VIOLINS, "How many cellos do we own in total?"),
        ("and cellos?", VIOLINS, "How many cellos do we own in total?"),
        ("what about double basses?", VIOLINS, "what about double basses?"),
        ("and on food?", SPENT, "What did we spend on food in May?"),
        ("and in June?", SPENT, "What did we spend on lodging in June?"),
        ("and for food?", SPENT, "and for food?"),
        ("and at the harbour?", CALL, "and at the harbour?"),
        ("and why?", VIOLINS, "and why?"),
        ("and thanks?", CALL, "and thanks?"),
        ("and in which week?", CALL, "and in which week?"),
    ],
)
def test_another_part_is_asked_of_the_question_before(question: str, turn: Reply, alone: str) -> None:
    assert standing_alone(question, [turn]) == alone


@pytest.mark.parametrize(
    ("question", "turns", "alone"),
    [
        ("and the centrifuge?", [WHOSE], "Who looks after the centrifuge?"),
        ("what about our boat?", [WHOSE], "Who looks after our boat?"),
        ("and my printer?", [PRICE], "What is the price of my printer?"),
        ("when was it bought?", [PRICE], "when was the plate reader bought?"),
        ("Who has it?", [KEY], "Who has the key?"),
        ("who repaired it?", [SERVICED], "who repaired our boat?"),
        ("who signed it?", [BEGUN], "who signed the lease?"),
        ("when was it bought?", [PRICE, WHOSE], "when was the autoclave bought?"),
        ("and when does the lease end?", [WHOSE], "and when does the lease end?"),
        ("and the rest of the day?", [DIRAC], "and the rest of the day?"),
    ],
)
def test_things_without_a_name_are_spoken_of_as_well(question: str, turns: list[Reply], alone: str) -> None:
    assert standing_alone(question, turns) == alone


COUNT = Reply("How many hedgehogs died?", "2")
IN_CARE = Reply("how many are in care?", "3")
ADA = Reply("Who is Ada Lovelace?", "Born in London.", is_sentence=True)
VET = Reply("who is our vet?", "Hannah Brandt")
JOINED = Reply("when did she join Ceulan Vets?", "2014")


@pytest.mark.parametrize(
    ("question", "turn", "alone"),
    [
        ("which ones?", COUNT, "Which hedgehogs died?"),
        ("and which are they?", COUNT, "Which hedgehogs died?"),
        ("list them", COUNT, "Which hedgehogs died?"),
        ("who are they?", IN_CARE, "Which are in care?"),
        ("which ones?", CALL, "which ones?"),
        ("who are they?", VIOLINS, "Which violins do we own?"),
    ],
)
def test_what_was_counted_may_be_asked_for(question: str, turn: Reply, alone: str) -> None:
    assert standing_alone(question, [turn]) == alone


@pytest.mark.parametrize(
    ("question", "turns", "alone"),
    [
        ("how many of them are released?", [ADA], "how many of them are released?"),
        ("how many did they find?", [ADA], "how many did they find?"),
        ("how many of them are released?", [COUNT, ADA], "how many of the hedgehogs that died are released?"),
        ("how many of them weigh 90 g?", [IN_CARE], "how many of those that are in care weigh 90 g?"),
        ("who fostered them?", [COUNT], "who fostered the hedgehogs that died?"),
        ("which of them was born first?", [FOWLER, DIRAC], "which of Ralph Fowler and Paul Dirac was born first?"),
        ("where do they live?", [ADA], "where do Ada Lovelace live?"),
    ],
)
def test_one_person_is_not_many(question: str, turns: list[Reply], alone: str) -> None:
    assert standing_alone(question, turns, lambda name: SORTS.get(name, "")) == alone


@pytest.mark.parametrize(
    ("question", "turn", "alone"),
    [
        ("no, I meant her husband", WHEN, "When was Irena Valdis's husband born?"),
        ("I meant Ralph Fowler", DIRAC, "Where was Ralph Fowler born?"),
        ("tell me more", WHO, "Tell me about Irena Valdis"),
        ("tell me more", FOWLER, "Tell me about Ralph Fowler"),
        ("tell me more", IN_CARE, "tell me more"),
        ("are you sure?", WHO, "are you sure?"),
        ("is that right?", WHO, "is that right?"),
    ],
)
def test_what_is_said_of_the_last_answer(question: str, turn: Reply, alone: str) -> None:
    assert standing_alone(question, [turn]) == alone


def test_who_was_called_she_is_not_it() -> None:
    assert standing_alone("and who founded it?", [VET, JOINED]) == "who founded Ceulan Vets?"
    assert standing_alone("who founded it?", [Reply("When did Hannah Brandt join?", "2014")]).endswith("Brandt?")
