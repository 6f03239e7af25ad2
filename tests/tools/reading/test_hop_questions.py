"""What the reader is asked about a hop: a question that a person might ask, with the known end in it."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.planning.plan import Constraint, Plan
from tools.reading.asking import hop_question
from tools.reading.guess import MOST, ReadingGuesser
from tools.reading.spans import Reading, Span


@pytest.mark.parametrize(
    ("constraint", "kind", "question"),
    [
        (Constraint("Ann", "place of birth", "?p"), "", "Where was Ann born?"),
        (Constraint("Ann", "date of death", "?d"), "date", "When did Ann die?"),
        (Constraint("Ann", "director", "?d"), "person", "Who directed Ann?"),
        (Constraint("Ann", "anthem", "?anthem"), "", "What is the anthem of Ann?"),
        (Constraint("Ann", "mentor", "?m"), "person", "Who is the mentor of Ann?"),
        (Constraint("Ann", "wears", "?color2"), "", "What color Ann wears?"),
        (Constraint("Ann", "lies in", "?county"), "", "What county Ann lies in?"),
        (Constraint("Ann", "lies in", "?answer"), "", "What Ann lies in?"),
        (Constraint("Ann", "opened", "?x"), "date", "Ann: opened? When?"),
        (Constraint("Ann", "opened", "?x"), "year", "Ann: opened? In which year?"),
        (Constraint("Ann", "children", "?n"), "number", "Ann: children? How many?"),
        (Constraint("Ann", " spouse ", "?s"), "", "Who is Ann married to?"),
    ],
)
def test_the_tail_is_asked_for(constraint: Constraint, kind: str, question: str) -> None:
    assert hop_question(constraint, "Ann", wants_tail=True, kind=kind) == question


@pytest.mark.parametrize(
    ("constraint", "kind", "question"),
    [
        (Constraint("?film", "directed by", "Ann"), "", "What film directed by Ann?"),
        (Constraint("?who", "directed", "Ann"), "person", "Who directed Ann?"),
        (Constraint("?answer", "borders", "Ann"), "", "What borders Ann?"),
    ],
)
def test_the_head_is_asked_for(constraint: Constraint, kind: str, question: str) -> None:
    assert hop_question(constraint, "Ann", wants_tail=False, kind=kind) == question


Asked = tuple[str, str, str]
TOWN = evidence(
    ("Dale", "Dale is a town. Its mayor is Ann Lee."),
    ("Elm", "Elm is a village near Dale."),
    ("Oak", "Oak is a tree."),
    ("Ash", "Ash is a tree."),
)
MAYOR = Constraint("Dale", "mayor", "?mayor")


class Recorder:
    """A reader that finds "Ann Lee" where the text has it, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []

    def __call__(self, pairs: list[Asked]) -> list[Reading]:
        self.asked += pairs
        return [_pointing(text) for _, _, text in pairs]


def _pointing(text: str) -> Reading:
    at = text.find("Ann Lee")
    return Reading((Span(at, at + len("Ann Lee."), 0.9),), 0.4) if at >= 0 else Reading()


def guesser(reader: Recorder, plan: Plan, question: str = "Who is it?") -> ReadingGuesser:
    return ReadingGuesser(TOWN, question, plan, reader)  # type: ignore[arg-type]


def test_a_hop_on_the_way_is_asked_of_the_passages_about_its_subject_first() -> None:
    reader = Recorder()
    plan = Plan((MAYOR, Constraint("?mayor", "pet", "?pet")), "?pet")
    (found,) = guesser(reader, plan).value(MAYOR, "Dale", wants_tail=True)
    assert [title for _, title, _ in reader.asked] == ["Dale", "Elm"]
    assert {question for question, _, _ in reader.asked} == {"What is the mayor of Dale?"}
    assert found.text.rstrip(".") == "Ann Lee"
    # The square root of 0.9 · 0.4 is 0.6.
    assert found.score == pytest.approx(MOST * 0.6)


def test_a_question_of_one_hop_is_asked_as_it_stands() -> None:
    reader = Recorder()
    guesser(reader, Plan((MAYOR,), "?mayor"), "Who runs Dale?").value(MAYOR, "Dale", wants_tail=True)
    assert {question for question, _, _ in reader.asked} == {"Who runs Dale?"}


def test_three_subjects_of_a_hop_are_read_about_and_no_fourth() -> None:
    reader = Recorder()
    guessed = guesser(reader, Plan((MAYOR, Constraint("?mayor", "pet", "?pet")), "?pet"))
    for subject in ("Dale", "Elm", "Oak", "dale"):
        assert guessed.value(MAYOR, subject, wants_tail=True)
    assert guessed.value(MAYOR, "Ash", wants_tail=True) == []


def test_a_subject_is_no_value_of_its_own() -> None:
    assert guesser(Recorder(), Plan((MAYOR,))).value(MAYOR, "Ann Lee", wants_tail=True) == []


def test_the_whole_question_is_read_in_the_best_passages_once() -> None:
    reader = Recorder()
    answers = guesser(reader, Plan(())).whole([TOWN.docs[0], TOWN.docs[3]])
    assert [one.found.text.rstrip(".") for one in answers] == ["Ann Lee"]
    assert answers[0].score == pytest.approx(0.6)
    assert [title for _, title, _ in reader.asked] == ["Dale", "Elm", "Oak", "Ash"]
