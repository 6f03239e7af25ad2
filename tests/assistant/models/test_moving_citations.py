"""Citations of another of the shown passages than the one that says so."""

from __future__ import annotations

import pytest
from small_documents import DOCUMENTS, QUESTION

from assistant.agent.final_answer import Found, citation_problem
from assistant.agent.moving_citations import with_moved_citations
from assistant.agent.workspace import Workspace
from kb.records import Passage
from tools.types import Hit

FILM, DIRECTOR, OTHER = 1, 3, 4


@pytest.fixture
def asked() -> Workspace:
    """A question for which the first five of the documents were found, in this order."""
    found = Workspace(QUESTION)
    first = list(DOCUMENTS.items())[:5]
    hits = [
        Hit(Passage(100 + at, key, title, text, "", 0, len(text), None, 0), 1.0)
        for at, (key, (title, text)) in enumerate(first)
    ]
    found.add_hits("passage_search", hits)
    return found


def moved(asked: Workspace, explanation: str, *cited: int, answer: str = "Tarnow Bay", shown: int = 5) -> Found:
    output = Found(answer=answer, explanation=explanation, cited=list(cited))
    return with_moved_citations(output, asked, range(1, shown + 1))


def test_a_sentence_cites_the_passage_that_says_so(asked: Workspace) -> None:
    told = "The Glass Harbour was directed by Irena Valdis [1]. She was born in Tarnow Bay [2]."
    made = moved(asked, told, 1, 2)
    assert made.explanation == told.replace("[2]", "[3]")
    assert made.cited == [FILM, DIRECTOR]
    assert citation_problem(made, asked, range(1, 6)) == ""


def test_a_sentence_over_two_passages_keeps_its_own_beside_the_other(asked: Workspace) -> None:
    made = moved(asked, "Irena Valdis, born in Tarnow Bay, made The Glass Harbour, a film of 1931 [1].", 1)
    assert made.explanation.endswith("[1][3].")


def test_an_answer_without_a_word_of_explanation_cites_where_it_stands(asked: Workspace) -> None:
    assert moved(asked, "", 1).cited == [FILM]  # nothing of the question is named there
    asked.standalone = "Where was Irena Valdis born?"
    assert moved(asked, "", 1).cited == [FILM, DIRECTOR]


def test_a_place_alone_is_no_reason_to_cite_a_passage(asked: Workspace) -> None:
    """Tomas Brandel was born in Lindholm, but nobody asked about him."""
    wrong = moved(asked, "She was born in Lindholm [1].", 1, answer="Lindholm")
    assert (wrong.explanation, wrong.cited) == ("She was born in Lindholm [1].", [1])
    assert citation_problem(wrong, asked, range(1, 6))


def test_a_long_answer_that_is_quoted_names_its_passage_by_itself(asked: Workspace) -> None:
    answer = "is a 1948 film directed by"
    made = moved(asked, f"It {answer} somebody [1].", 1, answer=answer)
    assert (made.explanation, made.cited) == (f"It {answer} somebody [2].", [2])


def test_a_sentence_without_the_answer_is_left_to_be_struck(asked: Workspace) -> None:
    told = (
        "The Glass Harbour was directed by Irena Valdis [1]. She was born in Tarnow Bay [3]. Oskar Valdis painted [1]."
    )
    assert moved(asked, told, 1, 3).explanation == told


def test_what_was_not_shown_is_not_cited(asked: Workspace) -> None:
    told = "She was born in Tarnow Bay [1]."
    assert moved(asked, told, 1, shown=2).explanation == told


def test_what_holds_stays_as_it_is(asked: Workspace) -> None:
    told = "The Glass Harbour was directed by Irena Valdis [1]. She was born in Tarnow Bay [3]."
    assert moved(asked, told, 1, 3) == Found(answer="Tarnow Bay", explanation=told, cited=[1, 3])
