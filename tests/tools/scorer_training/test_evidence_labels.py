"""Which facts count as evidence, by hand: paths that may be, those that a judge keeps, those that documents tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from knowledge_bases import build_file

from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.offline_judge import OfflineJudge
from tools.scorer_training.evidence_labels import KnownAnswer, Labeller
from tools.scorer_training.evidence_paths import answer_paths, candidate_paths
from tools.search.entity_lookup import named_in

DOCUMENTS = {
    "Silver Lanterns": "Silver Lanterns is a film directed by Tomas Brandel. It was shown in Lindholm.",
    "Tomas Brandel": "Tomas Brandel was born in Lindholm. He kept bees in Ulvik.",
    "Lindholm": "Lindholm lies in Karsk. It has a harbour.",
}
FACTS = {
    "Silver Lanterns": [
        ("Silver Lanterns", "directed by", "Tomas Brandel"),
        ("Silver Lanterns", "shown in", "Lindholm"),
        ("Silver Lanterns", "has", "12 reels"),
    ],
    "Tomas Brandel": [("Tomas Brandel", "born in", "Lindholm"), ("Tomas Brandel", "kept bees in", "Ulvik")],
    "Lindholm": [("Lindholm", "lies in", "Karsk")],
}
BORN = "Where was the director of Silver Lanterns born?"


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("films"), DOCUMENTS, FACTS)) as kb:
        yield kb


class Picky(OfflineJudge):
    """Keeps the paths that have exactly these relations, and remembers what it was shown."""

    def __init__(self, kb: KnowledgeBase, *relations: tuple[str, ...]) -> None:
        super().__init__(kb)
        self.relations = relations
        self.shown: list[tuple[str, ...]] = []
        self.answers: Sequence[str] = ()

    def sensible_paths(
        self, question: str, answers: Sequence[str], paths: Sequence[Sequence[Triple]]
    ) -> tuple[int, ...]:
        self.shown, self.answers = [tuple(fact.relation for fact in path) for path in paths], answers
        return tuple(at for at, shown in enumerate(self.shown) if shown in self.relations)


def sources(kb: KnowledgeBase) -> list[int]:
    return sorted({one for span in named_in(kb, BORN) for one in span.entities})


def labelled(kb: KnowledgeBase, known: KnownAnswer, judge: OfflineJudge | None = None) -> set[str]:
    every = kb.triples(kb.fact_graph.facts.tolist())
    marked = Labeller(kb).evidence(known, every, sources(kb), judge)
    return {one.relation for one, is_evidence in zip(every, marked, strict=True) if is_evidence}


def test_the_shortest_path_is_the_one_that_jumps_over_the_director(films: KnowledgeBase) -> None:
    (path,) = answer_paths(films, ("Lindholm",), sources(films))
    assert [one.relation for one in films.triples(films.fact_graph.facts[list(path)].tolist())] == ["shown in"]
    assert answer_paths(films, ("Nowhere",), sources(films)) == []


def test_candidates_are_the_paths_to_the_answer_and_the_facts_at_both_ends(films: KnowledgeBase) -> None:
    found = [
        tuple(fact.relation for fact in one.shown) for one in candidate_paths(films, BORN, ("Ulvik",), sources(films))
    ]
    # The path; the three facts at the film; the one at the answer.
    assert found[0] == ("directed by", "kept bees in")
    assert set(found[1:-1]) == {("directed by",), ("shown in",), ("has",)}
    assert found[-1] == ("kept bees in",)


def test_paths_that_read_alike_are_one_candidate(tmp_path: Path) -> None:
    facts = {**FACTS, "Lindholm": [("Lindholm", "lies in", "Karsk"), ("Lindholm", "lies in", "Osmark")]}
    with KnowledgeBase.open(build_file(tmp_path, DOCUMENTS, facts)) as kb:
        (one,) = (one for one in candidate_paths(kb, BORN, ("Lindholm",), sources(kb)) if len(one.paths) > 1)
        assert {fact.tail_name for _, (fact,) in one.paths} == {"Karsk", "Osmark"}
        # Judged sensible, the one that was shown counts; the other one would have to be close by itself.
        assert labelled(kb, KnownAnswer(BORN, ("Lindholm",)), Picky(kb, ("lies in",))) == {"lies in"}
        marked = Labeller(kb).evidence(
            KnownAnswer(BORN, ("Lindholm",)), (every := kb.triples(kb.fact_graph.facts.tolist())), sources(kb),
            Picky(kb, ("lies in",)),
        )  # fmt: skip
        assert [every[at].id for at in marked.nonzero()[0]] == [one.shown[0].id]


def test_the_judge_says_which_paths_make_sense(films: KnowledgeBase) -> None:
    judge = Picky(films, ("directed by",), ("born in",))
    known = KnownAnswer(BORN, ("Lindholm",))
    assert labelled(films, known, judge) == {"directed by", "born in"}
    assert judge.answers == ("Lindholm",)
    assert ("shown in",) in judge.shown
    # Unrefined, what joins the ends by chance is evidence as well, or alone.
    assert labelled(films, known, Picky(films, ("shown in",))) == {"shown in"}
    assert labelled(films, known, Picky(films)) == set()


def test_offline_those_make_sense_that_say_what_the_plan_asks_for(films: KnowledgeBase) -> None:
    kept = labelled(films, KnownAnswer(BORN, ("Lindholm",)))
    assert {"directed by", "born in"} <= kept
    assert "kept bees in" not in kept
    assert "has" not in kept


def test_documents_tell_the_evidence_and_no_judge_is_asked(films: KnowledgeBase) -> None:
    judge = Picky(films)
    known = KnownAnswer(BORN, ("Lindholm",), frozenset({"Silver Lanterns", "Tomas Brandel"}))
    # "shown in" states the answer too, and stands in a document that the answer rests on.
    assert labelled(films, known, judge) == {"directed by", "shown in", "born in"}
    assert judge.shown == []
    # A document without a fact that leads on gives its closest one.
    alone = KnownAnswer("What does Lindholm lie in?", (), frozenset({"Lindholm"}))
    assert labelled(films, alone) == {"lies in"}


def test_nothing_known_is_no_evidence(films: KnowledgeBase) -> None:
    assert labelled(films, KnownAnswer(BORN, ("42",))) <= {"directed by", "shown in", "has"}
    assert labelled(films, KnownAnswer("?", ("Nowhere",)), Picky(films)) == set()
