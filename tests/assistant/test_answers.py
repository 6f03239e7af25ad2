from __future__ import annotations

import pytest

from assistant.answers import Found, NotFound, Output, citation_problem, cited_numbers, without_citations
from assistant.workspace import Workspace
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
