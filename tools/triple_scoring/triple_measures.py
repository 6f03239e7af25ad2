"""What is measured of a fact before the trained scorer judges it: words, cosines, distances, and the vectors of its
parts.

Nothing but the question is embedded; all vectors are those that the file holds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kb.graph.fact_graph import held_rows
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import is_variable
from tools.planning.planner import plan_question
from tools.relations.alignment import fits_type
from tools.search.word_match import best_coverage, coverage, stems, ways_to_say
from tools.triple_scoring.distance_encoding import encode_distances

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Words = frozenset[str]
Wanted = tuple[list[Words], str]
"""The words of each way to say a relation, and the type of what it leads to ("" where that is not known)."""

WORD_MEASURES = (
    "relation in question", "known end's relation", "open relation", "type fits",
    "question in sentence", "known end's relation in sentence", "open relation in sentence", "early in passage",
    "head in question", "tail in question", "tail has digits", "tail has a year",
)  # fmt: skip
GRAPH_MEASURES = (
    "cosine of sentence", "cosine of passage", "cosine of head", "cosine of tail", "head has vector", "tail has vector",
    "passage by words", "passage about head", "passage about tail", "head has a document", "tail has a document",
    "passages of head", "passages of tail", "closest link of head", "closest link of tail", "link says relation: head",
    "link says relation: tail",
)  # fmt: skip
DISTANCES = tuple(f"{end}, {step}" for end in ("head", "tail") for step in ("source", "1", "2", "-1", "-2"))
MEASURES = WORD_MEASURES + GRAPH_MEASURES + DISTANCES
"""Each about 0..1, but for the logarithms of passage counts."""

_LINKS = 300
"""Facts at the question's entities whose relations are read as links, the closest first: more only where a hub is
named, and each costs 20 us."""
_WORD_HITS = 50
"""Passages of the full text search; below, a passage counts as not found by words."""
_NEAR_START = 200.0
"""Characters after which a sentence counts half as early: about two sentences."""
_YEAR = re.compile(r"\b\d{3,4}\b")
_DIGIT = re.compile(r"\d")


class TripleMeasures:
    """The measures of a file's facts for one question; what does not depend on the facts is read once.

    `sources` are the ids of the question's entities, from which distances are counted; unknown ones are left out.
    """

    def __init__(self, kb: KnowledgeBase, question: str, sources: Collection[int]) -> None:
        self._kb = kb
        self._graph = kb.fact_graph
        self._question = question
        self._asked = stems(question)
        self.vector: Floats = kb.embed([question])[0]
        self._sources = held_rows(self._graph.entities, sources)

    def measures(self, triples: Sequence[Triple]) -> Floats:
        """Shape (len(triples), len(MEASURES)); the facts must be the file's."""
        if not triples:
            return np.zeros((0, len(MEASURES)), dtype=np.float32)
        heads, tails = self._ends(triples)
        distances = np.sqrt(np.concatenate([self._distances[heads], self._distances[tails]], axis=1))
        return np.concatenate([self._words(triples), self._places(triples, heads, tails), distances], axis=1)

    def vectors(self, triples: Sequence[Triple]) -> tuple[Floats, Floats, Floats]:
        """Of heads, sentences and tails, each (len(triples), dimension), unit rows; zeros where a name has none.

        A sentence's vector stands for the relation: it was made in its passage, so it carries who is meant as well.
        """
        heads, tails = self._ends(triples)
        sentences = self._kb.sentence_vectors.rows_of([one.sentence_id for one in triples])
        return self._names(heads)[0], sentences, self._names(tails)[0]

    def _ends(self, triples: Sequence[Triple]) -> tuple[Ids, Ids]:
        rows = self._graph.entity_rows
        return rows([one.head for one in triples]), rows([one.tail for one in triples])

    def _names(self, rows: Ids) -> tuple[Floats, NDArray[np.bool_]]:
        graph = self._graph
        if not len(graph.named):
            return np.zeros((len(rows), len(self.vector)), dtype=np.float32), np.zeros(len(rows), dtype=bool)
        at = np.minimum(np.searchsorted(graph.named, rows), len(graph.named) - 1)
        known = graph.named[at] == rows
        return np.where(known[:, None], graph.name_vectors[at], np.float32(0.0)), known

    # -- words --------------------------------------------------------------------------------------------------------

    def _words(self, triples: Sequence[Triple]) -> Floats:
        """Shape (len(triples), len(WORD_MEASURES)); what several facts share is read once."""
        relations = {text: self._relation_measures(text) for text in {one.relation for one in triples}}
        places = self._kb.passage_sentences(sorted({one.passage for one in triples}))
        starts = {sentence: start for _, start, _, sentence in places}
        sentences = {one.sentence_id: one.sentence for one in triples}
        carried = {at: self._sentence_measures(text, starts.get(at, 0)) for at, text in sentences.items()}
        rows = [
            (
                *relations[one.relation][:3],
                _fit(one.tail_name, relations[one.relation][3]),
                *carried[one.sentence_id],
                coverage(stems(one.head_name), self._asked),
                coverage(stems(one.tail_name), self._asked),
                bool(_DIGIT.search(one.tail_name)),
                bool(_YEAR.search(one.tail_name)),
            )
            for one in triples
        ]
        return np.array(rows, dtype=np.float32).reshape(len(triples), len(WORD_MEASURES))

    def _relation_measures(self, relation: str) -> tuple[float, float, float, str]:
        words = stems(relation)
        asked, (known, unknown) = coverage(words, self._asked), self._wanted
        if words.isdisjoint(self._wanted_words):
            return asked, 0.0, 0.0, "none"
        best = max((best_coverage(ways, words), kind) for ways, kind in (*known, *unknown))
        return asked, _most_said(known, words), _most_said(unknown, words), best[1]

    def _sentence_measures(self, sentence: str, start: int) -> tuple[float, float, float, float]:
        words = stems(sentence)
        known, unknown = (_most_said(wanted, words) for wanted in self._wanted)
        return coverage(self._asked, words), known, unknown, 1.0 / (1.0 + start / _NEAR_START)

    @cached_property
    def _wanted(self) -> tuple[list[Wanted], list[Wanted]]:
        """What the plan's constraints ask for: of those with a known end, and of those without."""
        parts: tuple[list[Wanted], list[Wanted]] = ([], [])
        for one in plan_question(self._question).constraints:
            kind = one.tail_type if is_variable(one.tail) else one.head_type
            parts[len(one.variables) > 1].append((ways_to_say((one.relation, *one.variants)), kind))
        return parts

    @cached_property
    def _wanted_words(self) -> Words:
        return frozenset().union(*(way for part in self._wanted for ways, _ in part for way in ways))

    # -- graph --------------------------------------------------------------------------------------------------------

    def _places(self, triples: Sequence[Triple], heads: Ids, tails: Ids) -> Floats:
        """Shape (len(triples), len(GRAPH_MEASURES))."""
        passages = self._graph.passage_rows([one.passage for one in triples])
        sentences = self._kb.sentence_vectors.cosines([one.sentence_id for one in triples], self.vector[None])[:, 0]
        (head_names, head_known), (tail_names, tail_known) = self._names(heads), self._names(tails)
        counts = np.log1p(self._graph.passage_counts)
        closest, says = self._links
        columns = (
            sentences, self._kb.passage_vectors([one.passage for one in triples]) @ self.vector,
            head_names @ self.vector, tail_names @ self.vector, head_known, tail_known,
            self._by_words[passages], self._about[heads] == passages, self._about[tails] == passages,
            self._about[heads] >= 0, self._about[tails] >= 0, counts[heads], counts[tails],
            closest[heads], closest[tails], says[heads], says[tails],
        )  # fmt: skip
        return np.stack(columns, axis=1).astype(np.float32)

    @cached_property
    def _distances(self) -> Floats:
        entities = self._graph.entities[self._sources]
        return encode_distances(self._graph, entities.tolist())

    @cached_property
    def _about(self) -> Ids:
        """Shape (entities,): the row of the first passage of the entity's own document, or -1."""
        own = np.full(len(self._graph.entities), -1, dtype=np.int64)
        own[self._graph.abouts[:, 0]] = self._graph.abouts[:, 1]
        return own

    @cached_property
    def _by_words(self) -> Floats:
        """Shape (passages,): the score of the full text search as a share of the best passage's; 0 where not found."""
        shares = np.zeros(len(self._graph.passages), dtype=np.float32)
        hits = self._kb.search_words(self._question, _WORD_HITS)
        for (one, score), is_held in zip(hits, self._graph.holds_passages([one for one, _ in hits]), strict=True):
            if is_held:
                shares[self._graph.passage_rows(one)] = score / hits[0][1]
        return shares

    @cached_property
    def _links(self) -> tuple[Floats, Floats]:
        """Each (entities,): of the facts that join an entity to one of the question's, the best cosine with the
        question, and how well one says the relation asked of a known end; 0 where none does, and for the question's
        own.
        """
        graph = self._graph
        closest, says = np.zeros((2, len(graph.entities)), dtype=np.float32)
        starts, places = graph.facts_by_entity
        at = np.unique(np.concatenate([places[:0], *(places[starts[row] : starts[row + 1]] for row in self._sources)]))
        cosines = self._kb.sentence_vectors.cosines(graph.fact_sentences[at], self.vector[None])[:, 0]
        kept = np.lexsort((at, -cosines))[:_LINKS]
        at, cosines = at[kept], cosines[kept]
        said = [_most_said(self._wanted[0], stems(one.relation)) for one in self._kb.triples(graph.facts[at].tolist())]
        for ends in (graph.heads[at], graph.tails[at]):
            np.maximum.at(closest, ends, cosines)
            np.maximum.at(says, ends, np.array(said, dtype=np.float32))
        closest[self._sources] = says[self._sources] = 0.0
        return closest, says


def _most_said(wanted: Sequence[Wanted], words: Words) -> float:
    return max((best_coverage(ways, words) for ways, _ in wanted), default=0.0)


def _fit(name: str, kind: str) -> float:
    """Whether the tail looks like what the relation leads to; 0.5 where the relation is none of those asked for."""
    return 0.5 if kind == "none" else fits_type(name, kind)
