"""How sure an answer is: offline by its confidence and its thread, with a model by the reading beside it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_endpoint import endpoint
from recorded import PLANNED, plan_first, scripted
from small_documents import QUESTION

from assistant.agent.final_answer import Found, NotFound
from assistant.agent.replying.reply import Reply
from assistant.agent.replying.trust import (
    BesideReading,
    certainty_beside,
    differ,
    held_alone,
    mark_beside_reading,
    mark_certainty,
    withheld,
)
from assistant.agent.workspace import Workspace
from assistant.conversations.session import Session, final_reply
from assistant.shared.spending_limits import Budget
from kb.records import Passage
from tools.planning.plan import Constraint, Plan
from tools.reading.answering import Hop
from tools.reading.certainty import Certainty, certainty_of
from tools.types import Hit

SURE, LIKELY, UNSURE = 0.95, 0.75, 0.3
FOUND = Found(answer="Karsk", explanation="He was born in Karsk [1].", cited=[1])


def workspace(*values: str, risk: float = 0.15) -> Workspace:
    """With one passage, and a hop for each of the values that it gave."""
    asked = Workspace("Where was he born?", risk=risk)
    asked.add_hits("passage_search", [Hit(Passage(7, "d", "Oskar", "He was born in Karsk.", "", 0, 0, None, 0), 1.0)])
    asked.hops = tuple(Hop(Constraint("he", "born in", f"?{at}"), value, 7, "", 1.0) for at, value in enumerate(values))
    return asked


@pytest.mark.parametrize(
    ("values", "confidence", "risk", "certainty"),
    [
        (("Karsk",), SURE, 0.15, "sure"),
        (("Karsk", ""), SURE, 0.15, "likely"),  # a hop is open
        (("Karsk",), LIKELY, 0.15, "likely"),
        (("Karsk",), UNSURE, 0.15, "none"),
        (("Karsk",), UNSURE, 0.5, "likely"),
        (("Karsk",), SURE, 0.01, "none"),
    ],
)
def test_an_offline_answer_is_marked_by_its_confidence_its_thread_and_the_risk(
    values: tuple[str, ...], confidence: float, risk: float, certainty: Certainty
) -> None:
    asked = workspace(*values, risk=risk)
    mark_certainty(asked, FOUND, confidence)
    assert (asked.certainty, asked.confidence) == (certainty, confidence)
    assert isinstance(withheld(asked, FOUND), NotFound) == (certainty == "none")


@pytest.mark.parametrize("risk", [0.15, 0.3])
def test_a_sentence_that_is_quoted_is_likely_at_most(risk: float) -> None:
    asked = workspace("Karsk", risk=risk)
    mark_certainty(asked, FOUND, SURE, is_quoted=True)
    assert asked.certainty == "likely"


def test_a_long_sentence_does_not_differ_from_what_stands_at_its_end() -> None:
    sentence = "The key of the studio is kept " + "by whoever has closed it " * 9 + "and on Mondays by Ana Ruiz."
    assert not differ(sentence, "Ana Ruiz")
    assert differ(sentence, "Bob Day")


def test_a_refusal_has_no_certainty_but_keeps_the_confidence_in_what_was_not_given() -> None:
    asked = workspace()
    mark_certainty(asked, NotFound(missing="where he was born"), SURE)
    assert (asked.certainty, asked.confidence) == ("none", SURE)


@pytest.mark.parametrize(
    ("answer", "certainty"),
    [
        (BesideReading(SURE, agrees=True), "sure"),
        (BesideReading(SURE, agrees=True, held=False), "likely"),
        (BesideReading(SURE, agrees=True, open_hop=True), "likely"),
        (BesideReading(SURE, agrees=True, partial=True), "likely"),
        (BesideReading(LIKELY, agrees=True), "likely"),
        (BesideReading(UNSURE, agrees=True), "likely"),
        (BesideReading(SURE, agrees=True, stated=False), "sure"),  # a year of a date, say
        (BesideReading(), "likely"),  # the model's word, stated in what it cites
        (BesideReading(held=False), "likely"),
        (BesideReading(stated=False), "none"),
        (BesideReading(UNSURE, differs=True), "likely"),
        (BesideReading(LIKELY, differs=True), "none"),
        (BesideReading(0.5, differs=True), "likely"),
        (BesideReading(0.5, differs=True, free=True), "none"),  # a yes, where the passages rather say no
        (BesideReading(SURE, differs=True), "none"),
        (BesideReading(SURE), "likely"),  # one answer is a part of the other
    ],
)
def test_a_models_answer_is_weighed_beside_the_reading(answer: BesideReading, certainty: Certainty) -> None:
    assert certainty_beside(answer)[1] == certainty


def test_less_risk_asks_for_the_reading_to_agree() -> None:
    assert certainty_beside(BesideReading(), risk=0.1)[1] == "none"
    assert certainty_beside(BesideReading(SURE, agrees=True), risk=0.05)[1] == "likely"
    assert certainty_beside(BesideReading(stated=False), risk=1.0)[1] == "none"


@pytest.mark.parametrize(
    ("answer", "certainty"),
    [
        (BesideReading(), "none"),  # stated in what it cites, which is not enough
        (BesideReading(backing=0.49), "none"),
        (BesideReading(backing=0.5), "likely"),
        (BesideReading(0.51, agrees=True), "likely"),
        (BesideReading(0.4, agrees=True), "none"),
        (BesideReading(0.45, differs=True, backing=0.5), "likely"),
        (BesideReading(LIKELY, differs=True, backing=0.5), "none"),
        (BesideReading(stated=False, backing=0.6), "none"),
    ],
)
def test_a_model_that_was_only_asked_for_an_answer_needs_the_reading_to_back_it(
    answer: BesideReading, certainty: Certainty
) -> None:
    assert certainty_beside(replace(answer, answers_only=True))[1] == certainty


@pytest.mark.parametrize(
    ("likelihood", "backing", "confidence"),
    [
        # 0.3; 0.65 ln 9 + 0.34 ln 1 + 0.3 = 1.7282; 0.65 ln 9 + 0.34 ln (1/19) + 0.3 = 0.7271, also with nothing
        (0.5, 0.5, 0.5744),
        (0.9, 0.5, 0.8492),
        (0.9, 0.05, 0.6742),
        (0.9, 0.0, 0.6742),
        # 0.65 ln 49 + 0.3 - 0.34 ln 19 = 1.8286, the most that a model's word alone is worth
        (1.0, 0.0, 0.8616),
        (0.98, 0.0, 0.8616),
        (0.0, 0.0, 0.0380),
    ],
)
def test_what_a_model_says_that_was_only_asked_for_an_answer(
    likelihood: float, backing: float, confidence: float
) -> None:
    assert held_alone(likelihood, backing) == pytest.approx(confidence, abs=1e-4)


@pytest.mark.parametrize(
    ("answer", "certainty"),
    [
        (BesideReading(likelihood=0.95), "likely"),  # its own word, stated in what it cites
        (BesideReading(likelihood=0.85), "none"),
        (BesideReading(likelihood=0.8, backing=0.5), "likely"),
        (BesideReading(0.5, agrees=True, likelihood=0.8), "likely"),
        (BesideReading(likelihood=0.3, backing=0.6), "none"),  # it is not sure itself
        (BesideReading(likelihood=0.99, stated=False), "none"),
        (BesideReading(SURE, agrees=True, likelihood=0.99), "likely"),  # never sure on its word
        (BesideReading(likelihood=None, backing=0.6), "likely"),
    ],
)
def test_its_own_likelihood_decides_where_the_server_tells_it(answer: BesideReading, certainty: Certainty) -> None:
    assert certainty_beside(replace(answer, answers_only=True))[1] == certainty


def test_a_model_that_is_unsure_of_what_stands_in_a_passage_is_told_of_as_that() -> None:
    for likelihood, missing in (
        (0.4, "the model answers “Karsk”, which stands in a passage, but it is not sure enough of it"),
        (None, "the model's answer “Karsk” is not borne out well enough by the passages that it cites"),
    ):
        asked = workspace("Karsk")
        asked.likelihood = likelihood
        output = mark_beside_reading(asked, FOUND, None, answers_only=True)
        assert isinstance(output, NotFound)
        assert output.missing == missing


def says(answer: str, explanation: str, *cited: int) -> Any:
    return lambda _: [("answer", {"answer": answer, "explanation": explanation, "cited": list(cited)})]


def asked_of(file: Path, *script: Any, **options: Any) -> Reply:
    with endpoint([plan_first, *script]) as server, Session.open(file, scripted(server.url), **options) as session:
        return asyncio.run(final_reply(session, QUESTION))


@pytest.mark.usefixtures("model_requests_allowed")
def test_a_model_that_the_reading_agrees_with_is_as_sure_as_the_reading(small_file: Path) -> None:
    reply = asked_of(small_file, *PLANNED[1:])
    assert (reply.answer, reply.certainty) == ("Tarnow Bay", certainty_of(reply.confidence))
    assert reply.certainty != "none"


@pytest.mark.usefixtures("model_requests_allowed")
def test_a_model_that_a_sure_reading_contradicts_is_not_given(small_file: Path) -> None:
    reply = asked_of(small_file, says("Oskar Valdis", "Irena Valdis was the daughter of Oskar Valdis [1].", 1, 2))
    assert (reply.found, reply.answer, reply.certainty) == (False, "", "none")
    assert "“Oskar Valdis”" in reply.missing
    assert "“Tarnow Bay”" in reply.missing
    assert 0 < reply.confidence < 0.5


@pytest.mark.usefixtures("model_requests_allowed")
def test_an_answer_whose_explanation_was_struck_is_likely_at_most(small_file: Path) -> None:
    invented = says("Tarnow Bay", "Irena Valdis was born in Tarnow Bay [1][2]. She moved to Ulmen in 1920 [1].", 1, 2)
    reply = asked_of(small_file, invented, invented)
    assert (reply.answer, len(reply.struck), reply.certainty) == ("Tarnow Bay", 1, "likely")


def test_a_run_that_was_cut_short_is_likely_at_most(small_file: Path) -> None:
    with Session.open(small_file, budget=Budget(seconds=0.001)) as session:
        reply = asyncio.run(final_reply(session, QUESTION))
    assert reply.partial
    assert reply.certainty in ("likely", "none")


def test_the_risk_of_a_session_moves_the_levels(small_file: Path) -> None:
    """Where any answer may be wrong all are sure, and where none may be, none but a certain one is given."""

    def reply(risk: float) -> Reply:
        with Session.open(small_file, risk=risk) as session:
            return asyncio.run(final_reply(session, QUESTION))

    assert (reply(1.0).answer, reply(1.0).certainty) == ("Tarnow Bay", "sure")
    given = reply(0.0)
    assert (given.found, given.certainty == "none") == (given.confidence >= 1, given.confidence < 1)


def test_a_refusal_cites_the_sentences_closest_to_the_question(small_file: Path) -> None:
    with Session.open(small_file) as session:
        reply = asyncio.run(final_reply(session, "Where in Ruritania was clockmaking taught?"))
    assert not reply.found
    first = reply.closest[0]
    assert first.sentence == "Clockmaking was taught in the hill towns from the seventeenth century on."
    assert (first.title, first.document, len(reply.closest) <= 3) == ("Clockmaking", "clock", True)
    assert first.number in {source.number for source in reply.sources}


def test_nothing_is_close_to_a_question_about_something_else(small_file: Path) -> None:
    with Session.open(small_file) as session:
        reply = asyncio.run(final_reply(session, "How do I bake sourdough bread?"))
    assert (reply.found, reply.closest) == (False, ())


ONE_STEP = Plan((Constraint("Noor", "joined", "?date"),), "?date")
TWO_STEPS = Plan((Constraint("?who", "leads", "Noor"), Constraint("?who", "joined", "?date")), "?date")


@pytest.mark.parametrize(
    ("plan", "explanation", "given"),
    [
        (ONE_STEP, "Ana Kovarik joined in 2019 [1].", False),
        (ONE_STEP, "Noor Haddin joined in 2019 [1].", True),
        (ONE_STEP, "She joined in 2019 [1].", True),
        (TWO_STEPS, "Ana Kovarik joined in 2019 [1].", True),  # the step before need not be told
        (None, "Ana Kovarik joined in 2019 [1].", True),
    ],
)
def test_what_a_model_tells_of_somebody_else_is_no_answer(plan: Plan | None, explanation: str, given: bool) -> None:
    """Of one that is only asked for answers, and asked when Noor joined; it is as good as certain of itself."""
    asked = Workspace("When did Noor join?", plan)
    text = "Noor Haddin and Ana Kovarik work here. One joined in 2019."
    asked.add_hits("passage_search", [Hit(Passage(7, "d", "People", text, "", 0, 0, None, 0), 1.0)])
    asked.likelihood = 0.98
    output = Found(answer="2019", explanation=explanation, cited=[1])
    assert isinstance(mark_beside_reading(asked, output, None, answers_only=True), Found) == given
    assert isinstance(mark_beside_reading(asked, output, None), Found)  # whoever chose tools has looked further
