"""The graph of facts as arrays, against the records that it is made of."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kb.build import build, remove
from kb.graph.fact_graph import FactGraph, held_rows
from kb.store.knowledge_base import KnowledgeBase

CORPUS = {
    "Marie Curie": "Marie Curie's doctoral advisor was Gabriel Lippmann. She worked in Paris. Her husband worked too.",
    "Gabriel Lippmann": "Gabriel Lippmann taught Marie Curie in Paris. The Lippmann plate is his.",
    "Lippmann plate": "The Lippmann plate shows colours. Lippmann plates are rare.",
    "Lippmann plates": "See the Lippmann plate.",
    "Radium": "Radium was found by Marie Curie.",
    "Lake Skarn": "Nothing is told of it here.",
}
FACTS = {
    "Marie Curie": [
        ["Marie Curie", "advisor", "Gabriel Lippmann"],
        ["Marie Curie", "worked in", "Paris"],
        ["Marie Curie", "was", "Marie Curie"],
    ],
    "Gabriel Lippmann": [
        ["Gabriel Lippmann", "taught", "Marie Curie"],
    ],
    "Lippmann plate": [["Lippmann plate", "plural", "Lippmann plates"]],
    "Radium": [["Radium", "found by", "Marie Curie"]],
}
"""Two facts join the same pair, in two directions; one joins a name to itself; two names are alike."""


def build_facts(folder: Path, corpus: dict[str, str], facts: dict[str, list[list[str]]]) -> Path:
    source, given, path = folder / "corpus.jsonl", folder / "openie.jsonl", folder / "facts.clew"
    rows = [{"id": title, "title": title, "text": text} for title, text in corpus.items()]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    lines = [{"id": title, "entities": [], "triples": triples} for title, triples in facts.items()]
    given.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    build([str(source)], path, openie=given)
    return path


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_facts(tmp_path_factory.mktemp("facts"), CORPUS, FACTS)) as opened:
        yield opened


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    path = build_facts(tmp_path_factory.mktemp("empty"), {"Radium": CORPUS["Radium"]}, {})
    remove(path, ["Radium"])
    with KnowledgeBase.open(path) as opened:
        yield opened


def names(kb: KnowledgeBase) -> list[str]:
    """Of the entities, by row."""
    return [kb.entity(int(one)).name for one in kb.fact_graph.entities]


def titles(kb: KnowledgeBase) -> list[str]:
    """Of the passages, by row."""
    return [kb.passage(int(one)).title for one in kb.fact_graph.passages]


def test_every_fact_is_there(kb: KnowledgeBase) -> None:
    graph, entities, passages = kb.fact_graph, names(kb), titles(kb)
    found = [
        (int(fact), entities[head], entities[tail], passages[passage], int(sentence))
        for fact, head, tail, passage, sentence in zip(
            graph.facts, graph.heads, graph.tails, graph.fact_passages, graph.fact_sentences, strict=True
        )
    ]
    stored = kb.passage_triples([int(one) for one in graph.passages])
    assert found == [
        (one.id, one.head_name, one.tail_name, kb.passage(one.passage).title, one.sentence_id) for one in stored
    ]
    assert len(found) == 6


def test_rows_are_in_the_order_of_ids(kb: KnowledgeBase) -> None:
    graph = kb.fact_graph
    for ids in (graph.entities, graph.passages, graph.facts):
        assert ids.tolist() == sorted(set(ids.tolist()))
    assert graph.entity_rows(graph.entities[::-1]).tolist() == list(range(len(graph.entities)))[::-1]
    assert graph.passage_rows([int(graph.passages[2])]).tolist() == [2]


def test_what_the_graph_holds(kb: KnowledgeBase) -> None:
    graph = kb.fact_graph
    for held, holds in (
        (graph.facts, graph.holds_facts),
        (graph.entities, graph.holds_entities),
        (graph.passages, graph.holds_passages),
    ):
        asked = [*held[::-1].tolist(), 0, -1, int(held.max()) + 1, int(held[0])]
        assert holds(asked).tolist() == np.isin(asked, held).tolist()
        assert holds([]).tolist() == []
    assert held_rows(graph.entities, [-1, *graph.entities[[2, 0]].tolist(), 7]).tolist() == [0, 2]
    assert held_rows(graph.entities[:0], [1]).tolist() == []


def test_a_passage_names_what_it_mentions_and_what_its_facts_join(kb: KnowledgeBase) -> None:
    graph, entities, passages = kb.fact_graph, names(kb), titles(kb)
    found = sorted((passages[passage], entities[entity]) for entity, passage in graph.contexts)
    ids = [int(one) for one in graph.passages]
    expected = {(kb.passage(p).title, kb.entity(e).name) for p, _, _, e in kb.passage_mentions(ids)}
    expected |= {(kb.passage(one.passage).title, one.head_name) for one in kb.passage_triples(ids)}
    expected |= {(kb.passage(one.passage).title, one.tail_name) for one in kb.passage_triples(ids)}
    assert found == sorted(expected)
    counts = Counter(entity for _, entity in expected)
    assert {name: int(count) for name, count in zip(entities, graph.passage_counts, strict=True) if count} == counts
    assert counts["Marie Curie"] == 3


def test_a_title_is_about_its_own_first_passage(kb: KnowledgeBase) -> None:
    graph, entities, passages = kb.fact_graph, names(kb), titles(kb)
    assert sorted((entities[entity], passages[passage]) for entity, passage in graph.abouts) == [
        (title, title) for title in sorted(CORPUS)
    ]


def test_facts_by_entity_are_those_at_either_end(kb: KnowledgeBase) -> None:
    graph, entities = kb.fact_graph, names(kb)
    starts, places = graph.facts_by_entity
    for row in range(len(entities)):
        mine = places[starts[row] : starts[row + 1]].tolist()
        assert mine == [at for at in range(len(graph.facts)) if row in (graph.heads[at], graph.tails[at])]
    row = entities.index("Marie Curie")
    # Five facts, of which the one that joins her to herself counts once.
    assert starts[row + 1] - starts[row] == 5


def test_a_relation_weighs_the_number_of_its_facts(kb: KnowledgeBase) -> None:
    entities = names(kb)
    marie, advisor, paris = (entities.index(name) for name in ("Marie Curie", "Gabriel Lippmann", "Paris"))
    relations = kb.fact_graph.relations.toarray()
    assert relations[marie, advisor] == relations[advisor, marie] == 2
    assert relations[marie, paris] == relations[paris, marie] == 1
    assert not relations.diagonal().any()
    # Five facts join two entities, in both directions.
    assert relations.sum() == 10


def slow_adjacency(kb: KnowledgeBase) -> dict[tuple[int, int], float]:
    """Edge by edge, from the records."""
    graph = kb.fact_graph
    rows = {int(one): at for at, one in enumerate(graph.entities)}
    passages = {int(one): len(rows) + at for at, one in enumerate(graph.passages)}
    weights: Counter[tuple[int, int]] = Counter()
    context: set[tuple[int, int]] = set()
    for fact in kb.passage_triples(list(passages)):
        head, tail, passage = rows[fact.head], rows[fact.tail], passages[fact.passage]
        context |= {(head, passage), (tail, passage)}
        if head != tail:
            weights[head, tail] += 1
            weights[tail, head] += 1
    context |= {(rows[entity], passages[passage]) for passage, _, _, entity in kb.passage_mentions(list(passages))}
    found: dict[tuple[int, int], float] = {pair: float(weight) for pair, weight in weights.items()}
    for (a, b), cosine in zip(graph.synonyms.tolist(), graph.similarities.tolist(), strict=True):
        for pair in ((a, b), (b, a)):
            found[pair] = found.get(pair, 0.0) + 2.0 * cosine
    for entity, passage in context:
        found[entity, passage] = found[passage, entity] = 1.0
    return found


def test_the_adjacency_matches_the_reference(kb: KnowledgeBase) -> None:
    matrix = kb.fact_graph.adjacency.tocoo()
    found = dict(zip(zip(matrix.row.tolist(), matrix.col.tolist(), strict=True), matrix.data.tolist(), strict=True))
    assert found == pytest.approx(slow_adjacency(kb))
    assert matrix.shape == (len(kb.fact_graph.entities) + len(kb.fact_graph.passages),) * 2


def test_synonyms_join_names_that_are_alike(kb: KnowledgeBase) -> None:
    graph, entities = kb.fact_graph, names(kb)
    vectors = dict(zip(graph.named.tolist(), graph.name_vectors, strict=True))
    assert {entities[a] for pair in graph.synonyms.tolist() for a in pair} >= {"Lippmann plate", "Lippmann plates"}
    for (a, b), cosine in zip(graph.synonyms.tolist(), graph.similarities.tolist(), strict=True):
        assert a != b
        assert cosine >= 0.8
        assert float(vectors[a] @ vectors[b]) == pytest.approx(cosine, abs=0.01)


def test_a_pair_of_a_fact_and_a_synonym_weighs_both(kb: KnowledgeBase) -> None:
    entities = names(kb)
    a, b = entities.index("Lippmann plate"), entities.index("Lippmann plates")
    pairs = kb.fact_graph.synonyms.tolist()
    at = pairs.index([a, b] if [a, b] in pairs else [b, a])
    cosine = float(kb.fact_graph.similarities[at])
    assert kb.fact_graph.adjacency[a, b] == pytest.approx(1 + 2 * cosine)
    assert kb.fact_graph.adjacency[b, a] == pytest.approx(1 + 2 * cosine)


def test_name_vectors_are_units(kb: KnowledgeBase) -> None:
    graph = kb.fact_graph
    assert graph.name_vectors.shape == (len(graph.named), kb.dimension)
    assert np.linalg.norm(graph.name_vectors, axis=1) == pytest.approx(1, abs=1e-3)


def test_an_empty_file_gives_an_empty_graph(empty: KnowledgeBase) -> None:
    graph: FactGraph = empty.fact_graph
    starts, places = graph.facts_by_entity
    assert (starts.tolist(), places.tolist()) == ([0], [])
    assert len(graph.entities) == len(graph.passages) == len(graph.facts) == len(graph.synonyms) == 0
    assert graph.passage_counts.tolist() == []
    assert graph.relations.shape == graph.adjacency.shape == (0, 0)
    assert graph.entity_rows([]).tolist() == graph.passage_rows([]).tolist() == []
