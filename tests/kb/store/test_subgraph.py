"""The graph of facts of some passages alone, in each engine."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from servers import BOTH, in_engine

from kb.build import build
from kb.graph.fact_graph import FactGraph
from kb.store.knowledge_base import KnowledgeBase
from kb.store.subgraph import SubgraphBase

TEXTS = {
    "Silver Lanterns": "Silver Lanterns is a film directed by Tomas Brandel. It was shot in Lindholm.",
    "Tomas Brandel": "Tomas Brandel was born in Lindholm. He wrote plays.",
    "Lindholm": "Lindholm is a town on the banks of Skarn.",
    "Lindholms": "Lindholms is a hamlet.",
    "Skarn": "Skarn flows to the Grey Sea.",
}
"""Two names are alike, so that a synonym edge joins them."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("surroundings")
    corpus = folder / "corpus.jsonl"
    rows = [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    build([str(corpus)], folder / "small.clew")
    return folder / "small.clew"


@pytest.fixture(scope="module", params=BOTH)
def kb(request: pytest.FixtureRequest, file: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(in_engine(request, file)) as opened:
        yield opened


def ids_of(kb: KnowledgeBase, *titles: str) -> list[int]:
    return [kb.document_passages(title)[0].id for title in titles]


def arrays(graph: FactGraph) -> dict[str, list[object]]:
    found = {field.name: getattr(graph, field.name) for field in dataclasses.fields(graph)}
    return {name: np.round(array.astype(np.float64), 5).tolist() for name, array in found.items()}


def test_around_all_passages_stands_the_whole_graph(kb: KnowledgeBase) -> None:
    part = SubgraphBase(kb, lambda: ids_of(kb, *TEXTS))
    assert arrays(part.fact_graph) == arrays(kb.fact_graph)
    assert len(part.fact_graph.synonyms)
    assert (part.fact_graph.adjacency != kb.fact_graph.adjacency).nnz == 0


def test_a_part_has_the_facts_and_names_of_its_passages_alone(kb: KnowledgeBase) -> None:
    inside = ids_of(kb, "Tomas Brandel", "Lindholm")
    part = SubgraphBase(kb, lambda: [*inside, *inside])
    graph = part.fact_graph
    assert graph.passages.tolist() == sorted(inside)
    assert graph.facts.tolist() == [one.id for one in kb.passage_triples(inside)]
    names = {one.name for one in kb.entities(graph.entities.tolist())}
    assert {"Tomas Brandel", "Lindholm", "Skarn"} <= names
    assert not {"Silver Lanterns", "Grey Sea"} & names
    about = {kb.entity(int(graph.entities[entity])).name for entity, _ in graph.abouts}
    assert about == {"Tomas Brandel", "Lindholm"}


def test_the_sentences_of_a_part_are_those_of_its_facts(kb: KnowledgeBase) -> None:
    part = SubgraphBase(kb, lambda: ids_of(kb, "Skarn"))
    sentences = part.sentence_vectors.all
    assert sentences.ids.tolist() == sorted(set(part.fact_graph.fact_sentences.tolist()))
    whole = kb.sentence_vectors.rows_of(sentences.ids)
    assert part.sentence_vectors.rows_of(sentences.ids) == pytest.approx(whole)


def test_all_else_is_the_whole_files(kb: KnowledgeBase) -> None:
    part = SubgraphBase(kb, lambda: ids_of(kb, "Skarn"))
    vector = kb.embed(["Where was the director of Silver Lanterns born?"])
    assert part.search_dense(vector[0], 5) == kb.search_dense(vector[0], 5)
    assert part.find_entities("Tomas Brandel") == kb.find_entities("Tomas Brandel")
    assert part.links is kb.links
    assert "fact_graph" not in part.__dict__, "the graph is read when it is asked for"
    part.close()
    assert kb.passage_count == len(TEXTS)


def test_a_part_of_nothing_is_empty(kb: KnowledgeBase) -> None:
    part = SubgraphBase(kb, list)
    assert {
        len(array) for array in (part.fact_graph.facts, part.fact_graph.entities, part.sentence_vectors.all.ids)
    } == {0}
    assert part.fact_graph.adjacency.shape == (0, 0)


def test_the_scan_of_the_latest_query_is_kept_for_the_whole_and_its_parts(kb: KnowledgeBase) -> None:
    first = kb.scan_of("Where was Tomas Brandel born?")
    part = SubgraphBase(kb, list)
    assert part.scan_of("Where was Tomas Brandel born?") is first
    ids = np.array(sorted(ids_of(kb, *TEXTS)))
    assert first.about(ids).tolist() == kb.scan(kb.embed(["Where was Tomas Brandel born?"])).about(ids).tolist()
    assert kb.scan_of("Another question?") is not first
    assert kb.scan_of("Where was Tomas Brandel born?") is not first, "one is kept, as a large file's is large"
