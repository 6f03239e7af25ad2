"""What a question costs a language model, counted on what its server really receives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.agent.toolbox.method_tools import TECHNIQUES
from benchmarks.tokens import ask, cost_of, count, four_hops, quoting, recorded, saying, schema_tokens, shares
from kb.build import build
from tools.planning.plan import Constraint

pytestmark = pytest.mark.usefixtures("model_requests_allowed")

MOST = 6_000
"""Of a question of four hops in three requests, prompts and answers together."""

MOST_OF_SCHEMAS = 550
"""Of the tools that a question starts with, sent with every request."""

MOST_OF_JUDGEMENTS = 2_500
"""Of what one technique asks the model besides."""

MOST_OF_LATER_SCHEMAS = 460
"""Of the four that are offered later at most, beside the ways to end."""

QUESTION = "What is made in the town where the father of the director of The Glass Harbour's painter was born?"
STEPS = (
    Constraint("The Glass Harbour", "directed by", "?director"),
    Constraint("?director", "child of", "?father"),
    Constraint("?father", "place of birth", "?town"),
    Constraint("?town", "known for making", "?product"),
)
HOPS = (
    "The Glass Harbour is a 1931 silent film directed by Irena Valdis.",
    "She was the daughter of the painter Oskar Valdis.",
    "Oskar Valdis was born in 1860 in Karsk.",
    "Its people are known for making bells of bronze.",
)
PADDING = (
    "The town council met there twice a year in a hall with a painted roof, and kept its papers in an oak chest. ",
    "A list of its visitors was kept from 1790 on by the innkeeper, who wrote down what each of them had eaten. ",
    "The floods of that spring carried away the lower bridge, which was built again of stone four years later. ",
    "An essay on the subject appeared in a yearbook of the coast and was answered by three angry letters. ",
)


@pytest.fixture(scope="module")
def town_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chain of four hops in long documents, among thirty others that are as long and speak of the same things."""
    texts = {
        "The Glass Harbour": f"{HOPS[0]} {PADDING[0]}{PADDING[1]}",
        "Irena Valdis": f"Irena Valdis was a director of films. {PADDING[2]}{HOPS[1]} {PADDING[3]}",
        "Oskar Valdis": f"Oskar Valdis was a painter of harbours. {PADDING[1]}{HOPS[2]} {PADDING[0]}",
        "Karsk": f"Karsk is a town on the river Oder. {PADDING[3]}{PADDING[2]}{HOPS[3]}",
    }
    for number in range(30):
        text = f"Harbour {number} is a port with a painter's house and a film theatre. {''.join(PADDING)}"
        texts[f"Harbour {number}"] = text
    folder = tmp_path_factory.mktemp("town")
    lines = [json.dumps({"id": title, "title": title, "text": text}) for title, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    build([str(folder / "corpus.jsonl")], folder / "town.clew")
    return folder / "town.clew"


def test_four_hops_stay_within_six_thousand_tokens(town_file: Path) -> None:
    costs = ask(town_file, QUESTION, four_hops(STEPS))
    assert len(costs) == 3
    parts = shares(costs)
    assert sum(parts.values()) == sum(cost.total for cost in costs)
    assert sum(parts.values()) < MOST, parts
    assert max(cost.total for cost in costs) < 3_000
    assert parts["instructions"] < 480 * len(costs)
    assert costs[0].history == costs[0].results == 0
    # What a request carries again is what the one before it carried or answered.
    assert costs[2].history >= costs[1].results + costs[1].history


def test_the_sentences_of_all_hops_are_shown_and_the_others_mostly_not(town_file: Path) -> None:
    requests = recorded(town_file, QUESTION, four_hops(STEPS, searches=0))
    told = requests[1][0]["messages"][-1]["content"]
    assert [hop for hop in HOPS if hop not in told] == []
    assert told.count(PADDING[0].strip()) < 8, "of more than a dozen passages that have it"


def test_schemas_are_few_and_short(town_file: Path) -> None:
    ((request, _),) = recorded(town_file, QUESTION, [lambda _: ("not_found", {"missing": "all"})])
    assert count(request["tools"]) < MOST_OF_SCHEMAS
    assert [tool["function"]["name"] for tool in request["tools"]] == [
        "find_evidence",
        "passage_search",
        "answer",
        "not_found",
    ]
    sizes = schema_tokens()
    techniques = sorted(sizes[one.__name__] for one in TECHNIQUES)
    assert sum(techniques[-2:]) + sizes["passage_search"] + sizes["read_passage"] < MOST_OF_LATER_SCHEMAS


def test_a_technique_in_between_keeps_four_hops_within_the_limit(town_file: Path) -> None:
    steps = [
        *STEPS[:2],
        Constraint("?father", "taught by", "?teacher"),
        Constraint("?teacher", "known for", "?product"),
    ]
    find, *_ = four_hops(steps)
    walk = saying("walk_facts", {"query": "Which town was Oskar Valdis born in?"})
    made = recorded(town_file, QUESTION, [find, walk, quoting])
    _, later, _ = (request for request, _ in made if "tools" in request)
    assert "walk_facts" in [tool["function"]["name"] for tool in later["tools"]]
    in_loop = sum(cost_of(request, answer).total for request, answer in made if "tools" in request)
    judged = sum(cost_of(request, answer).total for request, answer in made if "tools" not in request)
    assert in_loop < MOST
    assert 0 < judged < MOST_OF_JUDGEMENTS


def test_tokens_are_counted_without_the_escapes_of_json() -> None:
    assert count("two words") == 2
    assert count({"a": 'x"\ny'}) == count('{"a":"x"\ny"}')
