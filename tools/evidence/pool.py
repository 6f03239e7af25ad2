"""The passages that may belong to a question's evidence, and how they hang together, as numbers.

A pool is gathered around the question: what text search finds, what the question names, and two steps along links (a
passage links to the one whose title it names). Of each passage, and of each pair of passages that may follow one
another, it holds the measures that the ranking in tools/evidence/evidence_walk.py is trained on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence.bridges import BRIDGE_FEATURES, bridge_features, read_places
from tools.evidence.type_signs import type_fits
from tools.planning.plan import Plan, is_variable
from tools.search.entity_lookup import NamedSpan, named_in
from tools.search.passage_search import RANK_CONSTANT
from tools.search.word_match import best_coverage, coverage, stems, ways_to_say

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
    return _Gathering(kb, question, plan, lists or {}).pool()


class _Gathering:
    def __init__(self, kb: KnowledgeBase, question: str, plan: Plan | None, lists: Mapping[str, Sequence[int]]) -> None:
        self.kb, self.links = kb, kb.links
        self.question = question
        self.reached: dict[int, float] = {}
        self.again: dict[int, list[int]] = {}
        self.said: dict[str, float] = {}
        self.lists = {name: list(ids)[:_LISTED] for name, ids in lists.items()}
        self.spans = named_in(kb, question)
        self.named = [span for span in self.spans if span.is_title]
        self.constraints = plan.constraints[:_CONSTRAINTS] if plan else ()
        asked = plan.constraints if plan else ()
        self.relations = ways_to_say(text for one in asked for text in (one.relation, *one.variants))
        self.words = stems(_without(question, self.spans))
        self.all_words = stems(question)
        ends = [((one.head, one.head_type), (one.tail, one.tail_type)) for one in asked]
        self.types = frozenset(kind for both in ends for term, kind in both if is_variable(term))

    def pool(self) -> Pool:
        self._ask()
        self.bm25 = self.kb.search_words(self.question, _TEXT)
        ids = self._grow(self._grow(self._base()))
        self.passages = self.kb.passages(sorted(ids))
        self.ids: Rows = np.array([one.id for one in self.passages], dtype=np.int64)
        if not self.passages:
            return _empty_pool()
        self.vectors = self.kb.passage_vectors(self.ids)
        self._read_text()
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
        self.scan = self.kb.scan(vectors)
        self.dense = [one for one, _ in self.scan.nearest(_TEXT)]
        self.constraint_ranks: dict[int, int] = {}
        for at, text in enumerate(texts, 1):
            words = [passage for passage, _ in self.kb.search_words(text, _PART)]
            for found in ([one for one, _ in self.scan.nearest(_PART, at)], words):
                for rank, passage in enumerate(found, 1):
                    self.constraint_ranks[passage] = min(rank, self.constraint_ranks.get(passage, rank))

    # -- which passages -----------------------------------------------------------------------------------------------

    def _base(self) -> set[int]:
        listed = [one for ids in self.lists.values() for one in ids]
        self.named_passages = self._titled()
        self.question_names = {one for span in self.spans for one in span.entities}
        degrees = self.links.degrees(sorted(self.question_names))
        rare = [one for one, degree in degrees.items() if degree <= _RARE]
        mentioning = [one for passages in self.links.mentioning(rare).values() for one in passages]
        words = [one for one, _ in self.bm25]
        return {*self.dense, *words, *self.constraint_ranks, *listed, *self.named_passages, *mentioning}

    def _titled(self) -> dict[int, float]:
        """The first passages of documents that the question names, with 1 / how many the name may mean."""
        found: dict[int, float] = {}
        for span in self.named:
            passages = self.links.titled(span.entities)
            for one in passages:
                found[one] = max(found.get(one, 0.0), 1.0 / len(passages))
        return found

    def _grow(self, ids: set[int]) -> set[int]:
        """Add what the most promising passages link to and what links to them, the closest to the question first."""
        at: Rows = np.array(sorted(ids), dtype=np.int64)
        if not len(at):
            return ids
        promise = self.kb.passage_vectors(at) @ self.vector
        promise = promise + np.array([1.0 if one in self.named_passages else 0.0 for one in at], dtype=np.float32)
        promise = promise + np.array([self.reached.get(int(one), 0.0) for one in at], dtype=np.float32)
        sources = at[np.lexsort((at, -promise))][:_EXPAND].tolist()
        found: dict[int, float] = {}
        names = self.links.names_in(sources)
        for links, most, gain in (
            (self.links.links_from(sources, names), _OUT, 0.5),
            (self.links.links_to(sources), _BACK, 0.0),
            (self.links.rare_neighbours(sources[:_AGAIN], names), _BACK, 0.0),
        ):
            for joined in links.values():
                self._nearest(joined, most, gain, found)
        self._search_again([one for one in sources[:_AGAIN] if one not in self.again])
        for one in sources[:_AGAIN]:
            for near in self.again[one]:
                found.setdefault(near, 0.0)
        self.reached = {**self.reached, **found}
        return ids | set(found)

    def _search_again(self, sources: Sequence[int]) -> None:
        """Find the passages closest to the question together with each of the sources."""
        if sources:
            scan = self.kb.scan(self.kb.passage_vectors(sources) + self.vector)
            for number, source in enumerate(sources):
                self.again[source] = [one for one, _ in scan.nearest(_BACK, number)]

    def _nearest(self, joined: Mapping[int, float], most: int, gain: float, found: dict[int, float]) -> None:
        ids = np.array(sorted(joined), dtype=np.int64)
        strengths = np.array([joined[one] for one in ids.tolist()], dtype=np.float32)
        cosines = self.scan.about(ids)
        for at in np.lexsort((ids, -cosines * strengths))[:most]:
            found[int(ids[at])] = max(found.get(int(ids[at]), 0.0), gain * float(strengths[at]))

    # -- text ---------------------------------------------------------------------------------------------------------

    def _read_text(self) -> None:
        ids = self.ids.tolist()
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
        # Names are numbered in the order of their ids.
        self.names = sorted({one[3] for one in mentions})
        number = {one: at for at, one in enumerate(self.names)}
        own: dict[int, set[int]] = {one: set() for one in ids}
        for passage, start, end, name in mentions:
            self.mentions[place[passage]].append((start, end, number[name]))
            own[passage].add(name)
        self.names_in = {passage: sorted(names) for passage, names in own.items()}
        self.named_here = {number[one] for one in self.question_names if one in number}
        degrees = self.links.degrees(self.names)
        self.degree = np.array([degrees[one] for one in self.names], dtype=np.int64)
        self.documents = self.links.documents(ids)
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
        cosines = self.vectors @ self.vector
        parts = self.vectors @ self.asked.T
        constraint = parts.max(axis=1) if len(self.asked) else np.zeros(len(self.ids))
        degree = self.degree
        listed = [{one: rank for rank, one in enumerate(self.lists.get(name, ()), 1)} for name in RANKED_BY]
        rows = []
        for at, passage in enumerate(self.passages):
            best = [*sorted((one[2] for one in self.sentences[at]), reverse=True), 0.0, 0.0]
            title = stems(passage.title)
            named = self.named_passages.get(passage.id, 0.0)
            entities = {one[2] for one in self.mentions[at]} & self.named_here
            rows.append(
                (
                    float(cosines[at]), best[0], best[1], scores.get(passage.id, 0.0),
                    (RANK_CONSTANT + 1) / (RANK_CONSTANT + dense.get(passage.id, 1000)),
                    (RANK_CONSTANT + 1) / (RANK_CONSTANT + bm25.get(passage.id, 1000)),
                    named, min(len(title), 6) / 6 if named else 0.0, coverage(title, self.all_words),
                    self._covered(self.all_words, self.stems[at]), best_coverage(self.relations, self.stems[at]),
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
        promise = promise + np.array([self.reached.get(int(one), 0.0) for one in self.ids], dtype=np.float32)
        sources = np.lexsort((np.arange(n), -promise))[:_SOURCES]
        links, shared, vectors = self._link_features(), self._shared_names(), self.vectors
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
        named = (features[:, 6] > 0).astype(np.float32)
        same = np.array([self.documents[one.id] for one in self.passages])
        columns = [
            *out[rows, targets].T,
            *back[rows, targets][:, [0, 2, 3]].T,
            1.0 / (1.0 + np.log1p(self.back_degree[source_rows])),
            *common[rows, targets].T,
            (vectors[sources] @ vectors.T)[rows, targets],
            self._residual(sources)[rows, targets],
            1.0 / (1.0 + np.log1p(self.out_degree[source_rows])),
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
            lambda found: self._covered(self.words, found), sources, self.named_here,
        )  # fmt: skip
        rarity = (1.0 / (1.0 + np.log1p(self.degree))).astype(np.float32)
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
        place = {one: at for at, one in enumerate(self.ids.tolist())}
        n = len(self.ids)
        # Of names that no passage here mentions nothing links, but they count for what all link to a passage.
        titles = self.links.titles(self.ids.tolist())
        degrees = self.links.degrees(name for own in titles.values() for name in own)
        self.back_degree = np.array([sum(degrees[name] for name in titles[one]) for one in place], dtype=np.float32)
        number = {one: at for at, one in enumerate(self.names)}
        meant: dict[int, list[int]] = {}
        for one, own in titles.items():
            for name in own:
                if name in number:
                    meant.setdefault(number[name], []).append(place[one])
        links = self.links.links_from(self.ids.tolist(), self.names_in)
        self.out_degree = np.array([len(links[one]) for one in place])
        strengths = np.zeros((n, n), dtype=np.float32)
        for one, joined in links.items():
            for other, strength in joined.items():
                if other in place:
                    strengths[place[one], place[other]] = strength
        found = np.zeros((n, n, 6), dtype=np.float32)
        for source, mentions in enumerate(self.mentions):
            linked = set(np.flatnonzero(strengths[source]).tolist())
            for start, end, entity in mentions if linked else ():
                targets = [one for one in meant.get(entity, ()) if one in linked]
                if targets:
                    found[source, targets, 1:] = np.maximum(
                        found[source, targets, 1:],
                        (1.0 / len(meant[entity]), *self._mention_features(source, start, end)),
                    )
        found[:, :, 0] = np.where(found[:, :, 1] > 0, strengths, 0.0)
        return found

    def _mention_features(self, source: int, start: int, end: int) -> tuple[float, ...]:
        text = self.passages[source].text
        first, last, cosine = next(
            (one for one in self.sentences[source] if one[0] <= start < one[1]), (start, end, 0.0)
        )
        window = text[max(first, start - _WINDOW) : start] + " " + text[end : min(last, end + _WINDOW // 2)]
        return cosine, self._said(window), self._said(text[first:last]), 1.0 / (1.0 + start / 200)

    def _said(self, text: str) -> float:
        """How much of the question a text says, 0..1: of a relation, or of all but the names."""
        if text not in self.said:
            found = stems(text)
            self.said[text] = max(best_coverage(self.relations, found), coverage(self.words, found))
        return self.said[text]

    def _shared_names(self) -> Floats:
        """Shape (n, n, 2): how many rare names both passages mention (thirds, at most 1), and how rare the rarest
        is.
        """
        holding = np.zeros((len(self.ids), len(self.names)), dtype=np.float32)
        for at, mentions in enumerate(self.mentions):
            holding[at, [entity for _, _, entity in mentions]] = 1.0
        found = np.zeros((len(self.ids), len(self.ids), 2), dtype=np.float32)
        for degree in range(_RARE, 0, -1):  # the rarest last, which are kept
            names = holding[:, self.degree == degree]
            both = names @ names.T
            found[:, :, 0] += both
            found[:, :, 1][both > 0] = 1.0 / (1.0 + math.log(degree))
        found[:, :, 0] = np.minimum(found[:, :, 0] / 3, 1.0)
        found[range(len(self.ids)), range(len(self.ids))] = 0.0
        return found


def _empty_pool() -> Pool:
    nothing = np.zeros((0, len(PASSAGE_FEATURES)), dtype=np.float32), np.zeros((0, 2), dtype=np.int64)
    return Pool([], *nothing, np.zeros((0, len(PAIR_FEATURES)), dtype=np.float32))


def _without(question: str, spans: Sequence[NamedSpan]) -> str:
    for span in sorted(spans, key=lambda one: -one.start):
        question = question[: span.start] + " " + question[span.end :]
    return question
