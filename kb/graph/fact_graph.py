"""The graph of facts as arrays: entities, passages, and the relation, synonym and context edges between them.

It is the graph of HippoRAG 2 and CatRAG. Rows are numbered in the order of ids: `entities[i]` and `passages[j]` give
the ids back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.graph.by_ids import ByIds, as_array
from kb.graph.passage_graph import known_rows

SYNONYM_WEIGHT = 2.0
"""A synonym edge weighs this times the cosine of the names (HippoRAG 2's, METHODS under CatRAG)."""
CONTEXT_WEIGHT = 1.0
"""Of the edge between an entity and a passage that names it."""

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]
Rows = Callable[[str], list[tuple[Any, ...]]]


def held_rows(held: Ids, ids: Iterable[int]) -> Ids:
    """Where the ids stand in an ascending array, ascending; those that it does not hold are left out."""
    wanted = np.array(sorted(set(ids)), dtype=np.int64)
    return np.searchsorted(held, wanted[_are_in(held, wanted)])


def _are_in(held: Ids, wanted: Any) -> NDArray[np.bool_]:
    """Shape (len(wanted),): which of the ids an ascending array holds; `np.isin` would sort all of it again."""
    ids = np.asarray(wanted, dtype=np.int64)
    if not len(held):
        return np.zeros(ids.shape, dtype=bool)
    return np.asarray(held[np.minimum(np.searchsorted(held, ids), len(held) - 1)] == ids)


@dataclass(frozen=True)
class FactGraph:
    """Every fact, and what it joins.

    entities        shape (entities,): ids of all that a fact, a mention or a title names
    passages        shape (passages,): ids
    facts           shape (facts,): ids, ascending; `heads` and `tails` are entity rows, `fact_passages` passage rows,
                    `fact_sentences` sentence ids, all of the same shape
    synonyms        shape (s, 2): entity rows; `similarities`, shape (s,): cosines of the names
    contexts        shape (c, 2): entity row and passage row, once for each passage that names the entity
    abouts          shape (a, 2): entity row, and the row of the first passage of the document that it is the title of
    named           shape (n,): entity rows that have a name vector; `name_vectors`, shape (n, dimension), unit rows
    """

    entities: Ids
    passages: Ids
    facts: Ids
    heads: Ids
    tails: Ids
    fact_passages: Ids
    fact_sentences: Ids
    synonyms: Ids
    similarities: Floats
    contexts: Ids
    abouts: Ids
    named: Ids
    name_vectors: Floats

    def entity_rows(self, ids: Any) -> Ids:
        """Rows of entity ids, which must all be known."""
        return np.searchsorted(self.entities, np.asarray(ids, dtype=np.int64))

    def passage_rows(self, ids: Any) -> Ids:
        """Rows of passage ids, which must all be known."""
        return np.searchsorted(self.passages, np.asarray(ids, dtype=np.int64))

    def fact_places(self, ids: Any) -> Ids:
        """Places of fact ids, which must all be known."""
        return np.searchsorted(self.facts, np.asarray(ids, dtype=np.int64))

    def holds_facts(self, ids: Any) -> NDArray[np.bool_]:
        """Shape (len(ids),): which of the facts are in the graph; of the whole file's all are."""
        return _are_in(self.facts, ids)

    def holds_entities(self, ids: Any) -> NDArray[np.bool_]:
        """Shape (len(ids),): which of the entities are in the graph."""
        return _are_in(self.entities, ids)

    def holds_passages(self, ids: Any) -> NDArray[np.bool_]:
        """Shape (len(ids),): which of the passages are in the graph; of the whole file's all are."""
        return _are_in(self.passages, ids)

    @cached_property
    def passage_counts(self) -> Ids:
        """Shape (entities,): how many passages name each entity."""
        return np.bincount(self.contexts[:, 0], minlength=len(self.entities))

    @cached_property
    def facts_by_entity(self) -> tuple[Ids, Ids]:
        """CSR of the facts at each entity: `places[starts[i]:starts[i + 1]]` index `facts`, ascending, either end."""
        ends = np.concatenate([self.heads, self.tails])
        places = np.concatenate([np.arange(len(self.facts)), np.arange(len(self.facts))])
        loops = np.concatenate([np.zeros(len(self.heads), dtype=bool), self.heads == self.tails])
        ends, places = ends[~loops], places[~loops]
        order = np.lexsort((places, ends))
        starts = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=len(self.entities)))])
        return starts.astype(np.int64), places[order].astype(np.int64)

    @cached_property
    def relations(self) -> Any:
        """Sparse (entities, entities), CSR float32, symmetric: how many facts join two entities; none joins itself."""
        from scipy.sparse import csr_array

        apart = self.heads != self.tails
        ones = np.ones(int(apart.sum()), dtype=np.float32)
        one_way = csr_array((ones, (self.heads[apart], self.tails[apart])), (len(self.entities),) * 2)
        return (one_way + one_way.T).tocsr()

    @cached_property
    def adjacency(self) -> Any:
        """Sparse (n, n), CSR float32, symmetric, n = entities + passages, entities first: the weighted graph of
        HippoRAG 2.

        A relation edge weighs the number of facts, a synonym edge twice the cosine, a context edge 1; an entity pair
        that has both of the first two weighs their sum.
        """
        from scipy.sparse import block_array, csr_array

        count = len(self.entities)
        weights = (SYNONYM_WEIGHT * self.similarities).astype(np.float32)
        one_way = csr_array((weights, (self.synonyms[:, 0], self.synonyms[:, 1])), (count, count))
        between = self.relations + one_way + one_way.T
        weight = np.full(len(self.contexts), CONTEXT_WEIGHT, dtype=np.float32)
        context = csr_array((weight, (self.contexts[:, 0], self.contexts[:, 1])), (count, len(self.passages)))
        return block_array([[between, context], [context.T, None]]).tocsr()


_FACTS = "SELECT id, head, tail, passage, sentence FROM triples"
_MENTIONS = "SELECT passage, entity FROM mentions"
_ABOUTS = "SELECT d.entity, p.id FROM documents d JOIN passages p ON p.document = d.id WHERE p.ordinal = 0"
_SYNONYMS = "SELECT a, b, similarity FROM synonyms"

_Joined = tuple[list[tuple[Any, ...]], tuple[Ids, Floats]]
"""Rows of `_SYNONYMS` between entities, by ids; and their vectors, by ascending ids."""


def load_fact_graph(rows: Rows, vectors: tuple[Ids, Floats]) -> FactGraph:
    """Read the graph; `rows` runs a query, and `vectors` are those of names, by ascending ids.

    An empty file gives empty arrays.
    """
    return _graph_of(
        [row[0] for row in rows("SELECT id FROM passages")],
        as_array(rows(_FACTS), 5),
        as_array(rows(_MENTIONS), 2),
        as_array(rows(_ABOUTS), 2),
        lambda _: (rows(f"{_SYNONYMS} ORDER BY a, b"), vectors),
    )


def load_subgraph(
    by_ids: ByIds,
    passages: Sequence[int],
    facts_and_mentions: tuple[Ids, Ids],
    vectors_of: Callable[[Sequence[int]], tuple[Ids, Floats]],
) -> FactGraph:
    """The graph of some passages alone, whose ids must be known: their facts, the names in them, the documents that
    begin with them, and what joins these names.

    `facts_and_mentions` are those of the passages, as `GraphRows` of kb/store/graph_rows.py gives them; `vectors_of`
    gives the vectors of names, by ascending ids.
    """

    def between(entities: Sequence[int]) -> _Joined:
        return sorted(by_ids(f"{_SYNONYMS} WHERE a IN ", entities)), vectors_of(entities)

    return _graph_of(passages, *facts_and_mentions, as_array(by_ids(f"{_ABOUTS} AND p.id IN ", passages), 2), between)


def _graph_of(
    of_passages: Sequence[int],
    facts: Ids,
    mentions: Ids,
    abouts: Ids,
    between: Callable[[Sequence[int]], _Joined],
) -> FactGraph:
    facts = facts[np.argsort(facts[:, 0])]
    passages = np.unique(np.asarray(of_passages, dtype=np.int64))
    every = np.concatenate([facts[:, 1], facts[:, 2], mentions[:, 1], abouts[:, 0]])
    entities, rows = np.unique(every, return_inverse=True)
    heads, tails, mentioned, about = np.split(rows, np.cumsum([len(facts), len(facts), len(mentions)]))
    fact_passages, mentioning = known_rows(passages, facts[:, 3]), known_rows(passages, mentions[:, 0])
    named = np.concatenate([heads, tails, mentioned])
    naming = np.concatenate([fact_passages, fact_passages, mentioning])
    pairs, (names, matrix) = between(entities.tolist())
    synonyms = as_array([row[:2] for row in pairs], 2)
    known, current = _are_in(entities, synonyms).all(axis=1), _are_in(entities, names)
    return FactGraph(
        entities=entities,
        passages=passages,
        facts=facts[:, 0],
        heads=heads,
        tails=tails,
        fact_passages=fact_passages,
        fact_sentences=facts[:, 4],
        synonyms=known_rows(entities, synonyms[known]),
        similarities=np.array([row[2] for row in pairs], dtype=np.float32)[known],
        contexts=_distinct_pairs(named, naming),
        abouts=_distinct_pairs(about, known_rows(passages, abouts[:, 1])),
        named=known_rows(entities, names[current]),
        name_vectors=matrix[current],
    )


def _distinct_pairs(first: Ids, second: Ids) -> Ids:
    """Each pair of rows once, in their order; pairs as numbers are sorted in a fraction of the time of pairs."""
    most = second.max(initial=0) + 1
    numbers = np.sort(first * most + second)
    return np.column_stack(np.divmod(numbers[np.diff(numbers, prepend=-1) > 0], most))
