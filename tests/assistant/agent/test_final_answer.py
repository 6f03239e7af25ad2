from __future__ import annotations

import pytest

from assistant.agent.final_answer import (
    Found,
    NotFound,
    Output,
    citation_problem,
    cited_numbers,
    struck_out,
    without_citations,
)
from assistant.agent.workspace import Workspace
from kb.records import Passage
from tools.types import Hit


def workspace(passages: int) -> Workspace:
    found = Workspace("Q?")
    texts = [Passage(n, f"d{n}", f"T{n}", "text", "s", 0, 4, None, 0) for n in range(100, 100 + passages)]
    found.add_hits("passage_search", [Hit(passage, 1.0) for passage in texts])
    return found


def test_numbers_in_the_text_come_first_and_once() -> None:
    assert cited_numbers(Found(answer="x", explanation="A [3], b [1][3] and c [2, 4].", cited=[1, 5])) == (
        3,
        1,
        2,
        4,
        5,
    )
    assert cited_numbers(NotFound(missing="no [2]")) == (2,)


@pytest.mark.parametrize(
    "output",
    [
        Found(answer="x", explanation="A [1], b [2].", cited=[1, 2]),
        Found(answer="x", explanation="As is known.", cited=[2]),
        Found(answer="x", explanation="Quoting \\[77\\] and arr[0x1] [1]", cited=[]),
        NotFound(missing="the year"),
        NotFound(missing="the year of [1]", cited=[2]),
    ],
)
def test_citations_of_what_was_found_pass(output: Output) -> None:
    assert citation_problem(output, workspace(2)) == ""


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (Found(answer="x", explanation="A [3].", cited=[1]), "There is no passage [3]. Cite only passages that"),
        (Found(answer="x", explanation="A.", cited=[0, 1]), "There is no passage [0]"),
        (Found(answer="x", explanation="A.", cited=[]), "The answer cites no passage"),
        (Found(answer=" ", explanation="A [1].", cited=[1]), "The answer is empty"),
        (NotFound(missing="the year of [7]"), "There is no passage [7]"),
    ],
)  # fmt: skip
def test_other_citations_are_sent_back_with_the_valid_ones(output: Output, problem: str) -> None:
    assert citation_problem(output, workspace(2)).startswith(problem)


def test_without_evidence_nothing_can_be_cited() -> None:
    assert "search first" in citation_problem(Found(answer="x", explanation="A [1].", cited=[1]), workspace(0))


def test_a_text_without_its_citations() -> None:
    assert without_citations("Ada [1] wrote [2, 3].") == "Ada wrote."


DIRECTOR = Passage(
    7, "d7", "Irena Valdis", "Irena Valdis was born in Tarnow Bay. She died in 1970.", "s", 0, 52, None, 0
)
FILM = Passage(8, "d8", "The Glass Harbour", "A 1931 film by Irena Valdis.", "s", 0, 27, None, 0)


def two_passages() -> Workspace:
    found = Workspace("Where was the director of The Glass Harbour born?")
    found.add_hits("passage_search", [Hit(FILM, 1.0), Hit(DIRECTOR, 0.9)])
    return found


TRUE = "It is by Irena Valdis [1], who was born in Tarnow Bay [2]."


def test_what_is_not_in_the_passage_is_told_with_the_sentence_and_the_passage() -> None:
    wrong = Found(answer="Hamburg", explanation="It is by Irena Valdis [1]. She was born in Hamburg [2].", cited=[])
    assert citation_problem(wrong, two_passages()) == (
        "In “She was born in Hamburg.”: “Hamburg” is not in [2]. The answer “Hamburg” is not in [1][2]. "
        "Cite the passage that says it, in its words, or leave it out and say less."
    )
    assert citation_problem(Found(answer="Tarnow Bay", explanation=TRUE, cited=[]), two_passages()) == ""


def test_what_a_model_was_not_shown_cannot_be_cited() -> None:
    output = Found(answer="Tarnow Bay", explanation=TRUE, cited=[])
    assert citation_problem(output, two_passages(), {1}).startswith("You have not been shown [2]: call read_passage")
    assert citation_problem(output, two_passages(), {1, 2}) == ""


def test_the_message_stays_short_whatever_the_model_wrote() -> None:
    explanation = " ".join(f"Then {'very ' * 200} Fritz Lang went to Hamburg [1]." for _ in range(7))
    output = Found(answer="Hamburg " * 100, explanation=explanation, cited=[1])
    assert len(citation_problem(output, two_passages())) < 1_000


def test_what_is_too_long_to_be_checked_is_no_answer() -> None:
    for output in (
        Found(answer="x" * 1_001, explanation=TRUE, cited=[]),
        Found(answer="x", explanation=TRUE * 200, cited=[]),
    ):
        assert citation_problem(output, two_passages()).startswith("That is too long.")
        assert isinstance(struck_out(output, two_passages()), NotFound)


def test_a_sentence_that_does_not_hold_is_struck_with_its_citation() -> None:
    found = two_passages()
    explanation = "She was born in Tarnow Bay [2]. It was made in Hamburg [1]. She died in 1970 [2]."
    output = struck_out(Found(answer="Tarnow Bay", explanation=explanation, cited=[1, 2]), found)
    assert isinstance(output, Found)
    assert output.explanation == "She was born in Tarnow Bay [2]. She died in 1970 [2]."
    assert cited_numbers(output) == (2,)
    assert found.struck == ["It was made in Hamburg."]
    assert found.notes == ["a sentence of the explanation was struck out, as it is not in the passages cited"]


def test_a_number_of_nothing_goes_where_the_others_hold() -> None:
    found = two_passages()
    output = struck_out(Found(answer="Tarnow Bay", explanation="Born in Tarnow Bay [9, 2].", cited=[8]), found, {2})
    assert output == Found(answer="Tarnow Bay", explanation="Born in Tarnow Bay [2].", cited=[2])
    assert (found.struck, found.notes) == ([], [])


def test_an_answer_stays_where_all_of_its_explanation_is_struck() -> None:
    found = two_passages()
    output = struck_out(Found(answer="Tarnow Bay", explanation="Fritz Lang says so [2].", cited=[1]), found)
    assert output == Found(answer="Tarnow Bay", explanation="", cited=[2, 1])
    assert citation_problem(output, found) == ""


@pytest.mark.parametrize(
    ("answer", "explanation"),
    [
        ("Hamburg", "She was born in Hamburg [2]."),
        ("Hamburg", TRUE),
        ("yes", "Fritz Lang says so [2]."),
        ("Tarnow Bay", "She was born in Tarnow Bay [9]."),
        ("Tarnow Bay", "She was born in Tarnow Bay."),
        ("  ", TRUE),
    ],
)
def test_an_answer_that_rests_on_nothing_is_not_found(answer: str, explanation: str) -> None:
    found = two_passages()
    output = struck_out(Found(answer=answer, explanation=explanation, cited=[]), found)
    assert isinstance(output, NotFound)
    assert "the model" in output.missing
    assert all(number in (1, 2) for number in cited_numbers(output))
    assert found.notes


def test_what_holds_is_left_as_it_is() -> None:
    found = two_passages()
    output = Found(answer="Tarnow Bay", explanation=TRUE, cited=[])
    left = struck_out(output, found)
    assert (left.explanation, found.struck, found.notes) == (TRUE, [], [])  # type: ignore[union-attr]


def test_what_is_missing_loses_the_numbers_of_nothing() -> None:
    assert struck_out(NotFound(missing="the year [9] of [1, 7]", cited=[9, 2]), two_passages()) == NotFound(
        missing="the year  of [1]", cited=[2]
    )


def test_what_is_checked_is_what_is_seen() -> None:
    output = Found(answer="Ham\u200bburg\u202e", explanation="By \x1b[1mher [\u200b1], so [\u200d5].", cited=[])
    assert (output.answer, output.explanation) == ("Hamburg", "By her [1], so [5].")


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        ("【2】［3，4］", (2, 3, 4)),
        ("[1; 2]", (1, 2)),
        ("[passage 2]", (2,)),
        ("[2-4][6]", (2, 3, 4, 6)),
    ],
)
def test_citations_in_other_brackets_count(written: str, numbers: tuple[int, ...]) -> None:
    assert cited_numbers(Found(answer="x", explanation=f"So it is {written}.", cited=[])) == numbers


def test_brackets_with_other_things_stay() -> None:
    text = "An [aside], [1984-1990], [1-300], a[0x1] and \\[7\\] [see](x) [1](y)"
    assert Found(answer="x", explanation=text, cited=[]).explanation == text


def test_what_the_rules_worked_out_of_cited_cells_needs_no_passage() -> None:
    """A sum of more rows than are quoted stands nowhere; of a model's answer nothing is worked out so."""
    space = two_passages()
    output = Found(answer="7,005", explanation="Picked kg of rows with Variety: Katy. Added up: 7,005. [1]", cited=[1])
    assert "7,005" in citation_problem(output, space)
    space.worked_out = "7,005. Picked kg of rows with Variety: Katy. Added up: 7,005."
    assert citation_problem(output, space) == ""
    assert struck_out(output, space) == output
    other = Found(answer="8,120", explanation="Added up: 8,120. [1]", cited=[1])
    assert "8,120" in citation_problem(other, space)
