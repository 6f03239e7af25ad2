"""The passages that may belong to a question's evidence, and how they hang together, as numbers.

A pool is gathered around the question: what text search finds, what the question names, and two steps along links (a
passage links to the one whose title it names). Of each passage, and of each pair of passages that may follow one
another, it holds the measures that the ranking in tools/evidence/evidence_walk.py is trained on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence.bridges import BRIDGE_FEATURES, bridge_features, read_places
from tools.evidence.type_signs import type_fits
from tools.planning.plan import Plan, is_variable
from tools.search.entity_lookup import NamedSpan, named_in
from tools.search.passage_search import RANK_CONSTANT
from tools.search.word_match import coverage, stems

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

RANKED_BY = ("constraint_recovery", "edge_scoring", "path_resurrection")
"""Techniques whose ranking, where they were called, is a measure of a passage: those that find gold that the pool's own
measures rank low, at a cost below its own."""

PASSAGE_FEATURES = (
    "cosine", "best sentence", "second sentence", "bm25 share", "dense rank", "bm25 rank", "is named", "named words",
    "title covered", "question covered", "relation words", "named entities", "names in question", "named rarity",
    "is later part",
    "constraint cosine", "constraint sentence", "constraint rank", *(f"{name} rank" for name in RANKED_BY),
)  # fmt: skip
PAIR_FEATURES = (
    "link", "link is exact", "link sentence cosine", "link window relation", "link sentence relation", "link place",
    "back link", "back sentence cosine", "back window relation", "back degree", "shared names", "shared rarity",
    "cosine", "residual covered", "source out degree", "target is named", "type fits", "source is named",
    "same document", *BRIDGE_FEATURES,
)  # fmt: skip

_TEXT = 40
_EXPAND = 16
_OUT = 24
_BACK = 8
_RARE = 20
_PART = 8
_AGAIN = 8
_CONSTRAINTS = 6
_WINDOW = 60
_LISTED = 20
_SOURCES = 32
_CARRIES = 0.3


@dataclass(frozen=True)
class Pool:
    """`features`, shape (n, len(PASSAGE_FEATURES)); `pairs`, shape (m, 2): source and target, as places in `passages`;
    `pair_features`, shape (m, len(PAIR_FEATURES)). Passages are in the order of their ids.
    """

    passages: list[Passage]
    features: Floats
    pairs: Rows
    pair_features: Floats


def gather(
    kb: KnowledgeBase, question: str, plan: Plan | None, lists: Mapping[str, Sequence[int]] | None = None
) -> Pool:
    """The pool of a question; `lists` are the ids of the passages that other tools have found, best first, by tool.

    Empty for an empty file.
    """
    return _Gathering(kb, question, plan, lists or {}).pool() if len(kb.graph.passages) else _empty_pool()


class _Gathering:
    def __init__(self, kb: KnowledgeBase, question: str, plan: Plan | None, lists: Mapping[str, Sequence[int]]) -> None:
        self.kb, self.graph = kb, kb.graph
        self.question = question
        self.lists = {name: list(ids)[:_LISTED] for name, ids in lists.items()}
        self.rare = self.graph.mention_degree <= _RARE
        self.spans = named_in(kb, question)
        self.named = [span for span in self.spans if span.is_title]
        self.constraints = plan.constraints[:_CONSTRAINTS] if plan else ()
        self.relations = _relations(plan)
        self.words = stems(_without(question, self.spans))
        self.all_words = stems(question)
        ends = [((one.head, one.head_type), (one.tail, one.tail_type)) for one in (plan.constraints if plan else ())]
        self.types = frozenset(kind for both in ends for term, kind in both if is_variable(term))

    def pool(self) -> Pool:
        self._ask()
        self.bm25 = self.kb.search_words(self.question, _TEXT)
        rows = self._base()
        rows = self._grow(rows)
        rows = self._grow(rows)
        self.rows: Rows = np.array(sorted(rows), dtype=np.int64)
        ids = [int(one) for one in self.graph.passages[self.rows]]
        self.passages = self.kb.passages(ids)
        self._read_text(ids)
        if not ids:
            return _empty_pool()
        features = self._passage_features()
        pairs, pair_features = self._pair_features(features)
        return Pool(self.passages, features, pairs, pair_features)

    def _ask(self) -> None:
        """Search for the question, and for each constraint on its own: what the whole drowns is often a part's best
        hit.
        """
        texts = [text for one in self.constraints if (text := one.text()) and len(self.constraints) > 1]
        vectors = self.kb.embed([self.question, *texts])
        self.vector, self.asked = vectors[0], vectors[1:]
        cosines = self.graph.passage_vectors @ vectors.T
        self.dense = self._best_rows(cosines[:, 0], _TEXT)
        self.constraint_ranks: dict[int, int] = {}
        for at, text in enumerate(texts, 1):
            words = [passage for passage, _ in self.kb.search_words(text, _PART)]
            for found in (self._best_rows(cosines[:, at], _PART), words):
                for rank, passage in enumerate(found, 1):
                    self.constraint_ranks[passage] = min(rank, self.constraint_ranks.get(passage, rank))

    def _best_rows(self, scores: Floats, k: int) -> list[int]:
        """Ids of the k passages with the highest scores, best first, ties by id."""
        return [int(self.graph.passages[row]) for row in _highest(scores, k)]

    # -- which passages -----------------------------------------------------------------------------------------------

    def _base(self) -> set[int]:
        listed = [one for ids in self.lists.values() for one in ids]
        ids = [*self.dense, *(one for one, _ in self.bm25), *self.constraint_ranks, *listed]
        rows = {int(row) for row in self.graph.passage_rows(ids)}
        self.named_rows = self._title_rows()
        rows |= set(self.named_rows)
        rest = self.graph.entity_rows(sorted({e for span in self.spans for e in span.entities}))
        rare = rest[self.graph.mention_degree[rest] <= _RARE]
        self.question_entities = {int(row) for row in rest}
        mentioning = self.graph.mentions[np.isin(self.graph.mentions[:, 1], rare), 0]
        return rows | {int(row) for row in mentioning}

    def _title_rows(self) -> dict[int, float]:
        """Rows of the first passages of documents that the question names, with 1 / how many the name may mean."""
        found: dict[int, float] = {}
        for span in self.named:
            wanted = self.graph.entity_rows(sorted(span.entities))
            about = self.graph.abouts[np.isin(self.graph.abouts[:, 0], wanted)]
            rows = np.unique(about[self.graph.ordinals[about[:, 1]] == 0, 1])
            for row in rows:
                found[int(row)] = max(found.get(int(row), 0.0), 1.0 / len(rows))
        return found

    def _grow(self, rows: set[int]) -> set[int]:
        """Add what the most promising passages link to and what links to them, the closest to the question first."""
        at: Rows = np.array(sorted(rows), dtype=np.int64)
        promise = self.graph.passage_vectors[at] @ self.vector
        promise = promise + np.array([1.0 if row in self.named_rows else 0.0 for row in at], dtype=np.float32)
        reached = getattr(self, "reached", {})
        promise = promise + np.array([reached.get(int(row), 0.0) for row in at], dtype=np.float32)
        sources = at[np.lexsort((at, -promise))][:_EXPAND]
        links = self.graph.links
        found: dict[int, float] = {}
        for source in sources:
            own = slice(links.indptr[source], links.indptr[source + 1])
            self._nearest(links.indices[own], links.data[own], _OUT, 0.5, found)
        back = self.graph.back_links
        for source in sources:
            own = slice(back.indptr[source], back.indptr[source + 1])
            self._nearest(back.indices[own], back.data[own], _BACK, 0.0, found)
        shared = self.graph.rare_neighbours
        for source in sources[:_AGAIN]:
            own = slice(shared.indptr[source], shared.indptr[source + 1])
            self._nearest(shared.indices[own], shared.data[own], _BACK, 0.0, found)
        again = self.graph.passage_vectors[sources[:_AGAIN]] + self.vector
        for scores in again @ self.graph.passage_vectors.T:
            for row in _highest(scores, _BACK):
                found.setdefault(int(row), 0.0)
        self.reached = {**reached, **found}
        return rows | set(found)

    def _nearest(self, rows: Rows, strengths: Floats, most: int, gain: float, found: dict[int, float]) -> None:
        cosines = self.graph.passage_vectors[rows] @ self.vector
        for at in np.lexsort((rows, -cosines * strengths))[:most]:
            found[int(rows[at])] = max(found.get(int(rows[at]), 0.0), gain * float(strengths[at]))

    # -- text ---------------------------------------------------------------------------------------------------------

    def _read_text(self, ids: list[int]) -> None:
        place = {one: at for at, one in enumerate(ids)}
        sentences = self.kb.passage_sentences(ids)
        queries = np.vstack([self.vector[None], self.asked])
        all_cosines = self.kb.sentence_vectors.cosines([one[3] for one in sentences], queries)
        cosines = all_cosines[:, 0]
        self.constraint_sentence = np.zeros(len(ids), dtype=np.float32)
        if len(self.asked):
            places = np.array([place[one[0]] for one in sentences], dtype=np.int64)
            np.maximum.at(self.constraint_sentence, places, all_cosines[:, 1:].max(axis=1))
        self.sentences: list[list[tuple[int, int, float]]] = [[] for _ in ids]
        for (passage, start, end, _), cosine in zip(sentences, cosines, strict=True):
            self.sentences[place[passage]].append((start, end, float(cosine)))
        self.part_cosines = all_cosines[:, 1:] if len(self.asked) else all_cosines
        self.mentions: list[list[tuple[int, int, int]]] = [[] for _ in ids]
        mentions = self.kb.passage_mentions(ids)
        rows = np.searchsorted(self.graph.entities, np.array([one[3] for one in mentions], dtype=np.int64))
        for (passage, start, end, _), row in zip(mentions, rows, strict=True):
            self.mentions[place[passage]].append((start, end, int(row)))
        self.stems = [stems(f"{one.title} {one.text}") for one in self.passages]
        counts: dict[str, int] = {}
        for words in self.stems:
            for word in words:
                counts[word] = counts.get(word, 0) + 1
        self.rarity = {word: float(np.log(1 + len(ids) / counts.get(word, 1))) for word in self.all_words}

    def _covered(self, wanted: frozenset[str], found: frozenset[str]) -> float:
        total = sum(self.rarity.get(word, 0.0) for word in wanted)
        return sum(self.rarity.get(word, 0.0) for word in wanted & found) / total if total else 0.0

    # -- measures of a passage ----------------------------------------------------------------------------------------

    def _passage_features(self) -> Floats:
        dense = {one: rank for rank, one in enumerate(self.dense, 1)}
        bm25 = {one: rank for rank, (one, _) in enumerate(self.bm25, 1)}
        top = self.bm25[0][1] if self.bm25 else 1.0
        scores = {one: score / top for one, score in self.bm25}
        cosines = self.graph.passage_vectors[self.rows] @ self.vector
        parts = self.graph.passage_vectors[self.rows] @ self.asked.T
        constraint = parts.max(axis=1) if len(self.asked) else np.zeros(len(self.rows))
        degree = self.graph.mention_degree
        listed = [{one: rank for rank, one in enumerate(self.lists.get(name, ()), 1)} for name in RANKED_BY]
        rows = []
        for at, passage in enumerate(self.passages):
            best = [*sorted((one[2] for one in self.sentences[at]), reverse=True), 0.0, 0.0]
            title = stems(passage.title)
            named = self.named_rows.get(int(self.rows[at]), 0.0)
            entities = {one[2] for one in self.mentions[at]} & self.question_entities
            rows.append(
                (
                    float(cosines[at]), best[0], best[1], scores.get(passage.id, 0.0),
                    (RANK_CONSTANT + 1) / (RANK_CONSTANT + dense.get(passage.id, 1000)),
                    (RANK_CONSTANT + 1) / (RANK_CONSTANT + bm25.get(passage.id, 1000)),
                    named, min(len(title), 6) / 6 if named else 0.0, coverage(title, self.all_words),
                    self._covered(self.all_words, self.stems[at]), _best(self.relations, self.stems[at]),
                    min(len(entities), 3) / 3, min(len(self.named), 3) / 3,
                    max((1.0 / (1 + float(np.log1p(degree[one]))) for one in entities), default=0.0),
                    float(passage.ordinal > 0), float(constraint[at]), float(self.constraint_sentence[at]),
                    1.0 / self.constraint_ranks.get(passage.id, 100),
                    *(1.0 / (1.0 + 0.5 * ranks[passage.id]) if passage.id in ranks else 0.0 for ranks in listed),
                )
            )  # fmt: skip
        return np.array(rows, dtype=np.float32).reshape(len(rows), len(PASSAGE_FEATURES))

    # -- measures of a pair -------------------------------------------------------------------------------------------

    def _pair_features(self, features: Floats) -> tuple[Rows, Floats]:
        """Pairs of a promising source and what it may lead to: a link either way, a rare name shared, or a text hit."""
        n = len(self.passages)
        promise = features[:, 0] + features[:, 6] + features[:, 3]
        promise = promise + np.array([self.reached.get(int(row), 0.0) for row in self.rows], dtype=np.float32)
        sources = np.lexsort((np.arange(n), -promise))[:_SOURCES]
        links, shared, vectors = self._link_features(), self._shared_names(), self.graph.passage_vectors[self.rows]
        near = np.zeros(n, dtype=bool)
        near[np.lexsort((np.arange(n), -features[:, 0] - features[:, 3]))[:_TEXT]] = True
        out, back = links[sources], links[:, sources].transpose(1, 0, 2)
        over = self._bridges(sources)
        common = shared[sources]
        wanted = (out[:, :, 0] > 0) | (back[:, :, 0] > 0) | (common[:, :, 0] > 0) | near[None, :]
        wanted |= over[:, :, -1] > _CARRIES
        wanted[np.arange(len(sources)), sources] = False
        rows, targets = np.nonzero(wanted)
        source_rows = sources[rows]
        out_degree = np.diff(self.graph.links.indptr)[self.rows]
        named = (features[:, 6] > 0).astype(np.float32)
        same = self.graph.documents[self.rows]
        columns = [
            *out[rows, targets].T,
            *back[rows, targets][:, [0, 2, 3]].T,
            1.0 / (1.0 + np.log1p(self.back_degree[source_rows])),
            *common[rows, targets].T,
            (vectors[sources] @ vectors.T)[rows, targets],
            self._residual(sources)[rows, targets],
            1.0 / (1.0 + np.log1p(out_degree[source_rows])),
            named[targets],
            np.array([type_fits(one.text, self.types) for one in self.passages], dtype=np.float32)[targets],
            named[source_rows],
            (same[source_rows] == same[targets]).astype(np.float32),
            *over[rows, targets].T,
        ]
        return np.column_stack([source_rows, targets]), np.column_stack(columns).astype(np.float32)

    def _bridges(self, sources: Rows) -> Floats:
        places = read_places(
            self.passages, self.mentions, self.sentences, self.part_cosines,
            lambda found: self._covered(self.words, found), sources, self.question_entities,
        )  # fmt: skip
        rarity = (1.0 / (1.0 + np.log1p(self.graph.mention_degree))).astype(np.float32)
        return bridge_features(places, sources, len(self.passages), rarity)

    def _residual(self, sources: Rows) -> Floats:
        """Shape (sources, n): of the question's words that the source lacks, by rarity, the share that the target
        has.
        """
        words = sorted(self.all_words)
        has = np.array([[word in found for word in words] for found in self.stems], dtype=np.float32)
        has = has.reshape(len(self.stems), len(words))
        missing = (1.0 - has[sources]) * np.array([self.rarity[word] for word in words], dtype=np.float32)
        return np.asarray(missing @ has.T / np.maximum(missing.sum(axis=1, keepdims=True), 1e-6), dtype=np.float32)

    def _link_features(self) -> Floats:
        """Shape (n, n, 6): strength, exactness, sentence cosine, relation words near the name and in its sentence,
        place.
        """
        place = {int(row): at for at, row in enumerate(self.rows)}
        abouts = self.graph.abouts[np.isin(self.graph.abouts[:, 1], self.rows)]
        meant: dict[int, list[int]] = {}
        for entity, row in abouts.tolist():
            meant.setdefault(entity, []).append(place[row])
        self.back_degree = np.zeros(len(self.rows), dtype=np.float32)
        for entity, targets in meant.items():
            self.back_degree[targets] += self.graph.mention_degree[entity]
        strengths = self.graph.links[self.rows][:, self.rows].toarray()
        found = np.zeros((len(self.rows), len(self.rows), 6), dtype=np.float32)
        for source, mentions in enumerate(self.mentions):
            for start, end, entity in mentions:
                targets = [one for one in meant.get(entity, ()) if strengths[source, one] > 0]
                if targets:
                    measures = self._mention_features(source, start, end)
                    for target in targets:
                        now = (strengths[source, target], 1.0 / len(meant[entity]), *measures)
                        np.maximum(found[source, target], now, out=found[source, target])
        return found

    def _mention_features(self, source: int, start: int, end: int) -> tuple[float, ...]:
        text = self.passages[source].text
        first, last, cosine = next(
            (one for one in self.sentences[source] if one[0] <= start < one[1]), (start, end, 0.0)
        )
        window = stems(text[max(first, start - _WINDOW) : start] + " " + text[end : min(last, end + _WINDOW // 2)])
        sentence = stems(text[first:last])
        return (
            cosine,
            max(_best(self.relations, window), coverage(self.words, window)),
            max(_best(self.relations, sentence), coverage(self.words, sentence)),
            1.0 / (1.0 + start / 200),
        )

    def _shared_names(self) -> Floats:
        """Shape (n, n, 2): how many rare names both passages mention (thirds, at most 1), and how rare the rarest
        is.
        """
        holders: dict[int, set[int]] = {}
        for at, mentions in enumerate(self.mentions):
            for _, _, entity in mentions:
                if self.rare[entity]:
                    holders.setdefault(entity, set()).add(at)
        found = np.zeros((len(self.rows), len(self.rows), 2), dtype=np.float32)
        counts, rarest = found[:, :, 0], found[:, :, 1]
        for entity, places in holders.items():
            rarity = 1.0 / (1.0 + math.log(self.graph.mention_degree[entity]))
            for first, second in permutations(sorted(places), 2):
                counts[first, second] += 1
                rarest[first, second] = max(rarest[first, second], rarity)
        np.minimum(counts / 3, 1.0, out=counts)
        return found


def _highest(scores: Floats, k: int) -> Rows:
    """Places of the k highest scores, best first, ties by place."""
    if len(scores) > 4 * k:
        floor = np.partition(scores, -k)[-k]
        candidates = np.flatnonzero(scores >= floor)
    else:
        candidates = np.arange(len(scores))
    return candidates[np.lexsort((candidates, -scores[candidates]))][:k]


def _empty_pool() -> Pool:
    nothing = np.zeros((0, len(PASSAGE_FEATURES)), dtype=np.float32), np.zeros((0, 2), dtype=np.int64)
    return Pool([], *nothing, np.zeros((0, len(PAIR_FEATURES)), dtype=np.float32))


def _relations(plan: Plan | None) -> list[frozenset[str]]:
    texts = [text for one in (plan.constraints if plan else ()) for text in (one.relation, *one.variants)]
    return [words for words in dict.fromkeys(stems(text) for text in texts) if words]


def _best(wanted: Sequence[frozenset[str]], found: frozenset[str]) -> float:
    return max((coverage(one, found) for one in wanted), default=0.0)


def _without(question: str, spans: Sequence[NamedSpan]) -> str:
    for span in sorted(spans, key=lambda one: -one.start):
        question = question[: span.start] + " " + question[span.end :]
    return question
