"""Semantic anchor grouping (BubbleRAG, section 3.2): what in the graph each concept of a question may be.

Every concept gets a group of candidates, entities and facts alike, so that the wrong one of two namesakes does not
decide all that follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kb.name_keys import name_key
from kb.records import Passage, Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.judge import Concept, Judge
from tools.judgements.offline_judge import OfflineJudge
from tools.search.passage_search import search_passages
from tools.search.surroundings import surroundings
from tools.search.word_match import coverage, stems
from tools.types import Hit

Floats = NDArray[np.float32]

_CHUNK = 65536
"""Sentences compared at once, about 100 MB of vectors; of each such part the closest are candidates."""


@dataclass(frozen=True, slots=True)
class AnchorParams:
    """The paper gives no numbers for this stage but the budget of 15 passages; its two ablations are switches here."""

    pre_retrieved: int = 5
    """Passages looked at first; 0 for none, and then nothing relaxes a concept."""
    stop_when_answered: bool = True
    """Whether to make no groups where the judge finds the question answered by the passages looked at first."""
    specialise: bool = True
    """Whether a concept is searched for as bound to the others ("Lothair II's mother" for "mother")."""
    relax: bool = True
    """Whether the passages looked at first may give other ways to say a concept, and facts to match."""
    top_k: int = 5
    """Entities, and facts, kept for each concept."""
    min_match: float = 0.6
    """Of an entity's name with the concept, as share of words or cosine: below, it is another thing."""
    near_best: float = 0.9
    """Share of the best candidate's score that another of the concept must have: among exact names no similar ones."""
    facts_beside_names: bool = False
    """Whether a concept that the graph knows by name has facts as anchors, too. The paper looks for nodes and edges for
    each keyword; here a thing's name is anchor enough, and facts stand for what has none."""
    min_fact: float = 0.35
    """Of a fact with the concept, half cosine and half words: below, it has neither the words nor the meaning."""
    same_concept: float = 0.5
    """Share of the smaller candidate set that two concepts must have in common to become one group; of facts they must
    also have all words of the shorter one ("birth", "place of birth"): one fact may speak of a spouse and of a
    birthplace, which are two things that the evidence has to hold."""
    max_groups: int = 6
    """Groups, heaviest first; the search over the graph keeps a state for every subset of them."""
    neighbourhood: int = 200
    """Facts at either end of a named entity that are matched, so that a hub costs what others do."""
    max_hits: int = 15
    """Passages returned, as in the paper's experiments."""


@dataclass(frozen=True, slots=True)
class AnchorGroup:
    """One concept's candidates, by id with their scores in 0..1, best first; `weight` is its share of the question."""

    concepts: tuple[str, ...]
    weight: float
    entities: Mapping[int, float] = field(default_factory=dict)
    facts: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnchorResult:
    """Groups, heaviest first, weights summing to 1; none where the passages looked at first already answer.

    `hits` are these passages and those of the anchors, best first.
    """

    concepts: tuple[Concept, ...]
    groups: tuple[AnchorGroup, ...]
    answered: bool
    hits: tuple[Hit, ...]


def group_anchors(
    kb: KnowledgeBase,
    question: str,
    concepts: Sequence[Concept] | None = None,
    params: AnchorParams | None = None,
    judge: Judge | None = None,
) -> AnchorResult:
    """Concepts of the question (the judge's, unless given), each matched to entities and facts and merged into groups.

    A concept without a candidate gets a group without anchors: what it weighs is missing from every graph. Nothing for
    an empty question.
    """
    kb = surroundings(kb, question)
    params, judge = params or AnchorParams(), judge or OfflineJudge(kb)
    if not question.strip():
        return AnchorResult((), (), False, ())
    before = search_passages(kb, question, params.pre_retrieved)
    passages = [hit.passage for hit in before]
    if params.stop_when_answered and concepts is None and before and judge.is_answered(question, passages):
        return AnchorResult((), (), True, tuple(before[: params.max_hits]))
    told = passages if params.relax else []
    found = tuple(judge.concepts(question, told)) if concepts is None else tuple(concepts)
    wanted = [_Wanted.of(one, params, _is_name(kb, one.text, question)) for one in found]
    groups = _Matching(kb, wanted, told, params).groups()
    return AnchorResult(found, groups, False, _ranked(kb, before, groups, params.max_hits))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A concept as it is searched for."""

    concept: Concept
    texts: tuple[str, ...]
    """How it may be put: as it is, and relaxed."""
    special: tuple[str, ...]
    """How it reads bound to the other concepts; its vector is that of the first."""
    owner: frozenset[str]
    """Stems of what it is bound to."""

    @classmethod
    def of(cls, concept: Concept, params: AnchorParams, is_name: bool = False) -> _Wanted:
        """A name has longer forms, not specialisations."""
        own = stems(concept.text)
        special = tuple(one for one in concept.alternatives if own < stems(one) and not is_name)
        relaxed = tuple(one for one in concept.alternatives if one not in special) if params.relax else ()
        special = special if params.specialise else ()
        return cls(concept, (concept.text, *relaxed), special, frozenset[str]().union(*map(stems, special)) - own)

    @property
    def query(self) -> str:
        """The text whose vector stands for the concept."""
        return self.special[0] if self.special else self.concept.text

    def words_in(self, text: str, at_owner: bool) -> float:
        """How far a fact's text has the concept's words, and those of its owner unless it is there anyway; 0..1."""
        said = stems(text)
        own = max(coverage(stems(one), said) for one in self.texts)
        return 0.5 * own + 0.5 * (1.0 if at_owner else coverage(self.owner, said)) if self.owner else own


def _is_name(kb: KnowledgeBase, text: str, question: str) -> bool:
    """Whether a concept is a thing's name: capitalised, as the question has it or an entity of the file is called, and
    not a word that the question writes small, which a model only put at the beginning of a line ("Mother").
    """
    if not text[:1].isupper():
        return False
    if re.search(rf"\b{re.escape(text[0].lower() + text[1:])}\b", question):
        return False
    return text in question or bool(kb.named([name_key(text)]))


@dataclass(frozen=True, slots=True)
class _Reached:
    """What a concept has led to: the entities at which a concept bound to it is looked for, and the facts that led
    there, which are its own anchors and not also the next one's.
    """

    entities: frozenset[int]
    facts: frozenset[int]


def _owner(text: str, reached: Mapping[str, _Reached]) -> _Reached | None:
    """What the longest beginning of a specialised text has led to: of "A's b's c" what "A's b" has."""
    beginnings = [one for one in reached if text.startswith(f"{one}'")]
    return reached[max(beginnings, key=len)] if beginnings else None


def _chained(wanted: Sequence[_Wanted]) -> list[int]:
    """The places of the concepts in an order in which a chain can be followed: each after those that own it, else as
    they are. How much a concept weighs says nothing of where it stands in the chain.
    """
    order: list[int] = []
    while len(order) < len(wanted):
        left = [at for at in range(len(wanted)) if at not in order]
        free = (at for at in left if not any(_owns(wanted[other], wanted[at]) for other in left if other != at))
        order.append(next(free, left[0]))
    return order


def _owns(one: _Wanted, other: _Wanted) -> bool:
    """Whether a specialised form of the other begins with this one, in whatever form."""
    return any(text.startswith(f"{begin}'") for text in other.special for begin in (one.concept.text, *one.special))


class _Matching:
    """All concepts matched at once, so that facts and vectors are read once."""

    def __init__(
        self, kb: KnowledgeBase, wanted: Sequence[_Wanted], told: Sequence[Passage], params: AnchorParams
    ) -> None:
        self._kb = kb
        self._wanted = wanted
        self._told = told
        self._params = params
        self._vectors: Floats = kb.embed([one.query for one in wanted])

    def groups(self) -> tuple[AnchorGroup, ...]:
        entities = [self._entities(at) for at in range(len(self._wanted))]
        facts = self._facts(entities)
        with_facts = [not named or self._params.facts_beside_names for named in entities]
        single = [
            AnchorGroup((one.concept.text,), one.concept.weight, entities[at], facts[at] if with_facts[at] else {})
            for at, one in enumerate(self._wanted)
        ]
        merged = sorted(_merge(single, self._params.same_concept), key=lambda one: -one.weight)
        return _normalised(merged[: self._params.max_groups])

    def _entities(self, at: int) -> dict[int, float]:
        """Entities by the words of their names and by the vectors of those that have one.

        None for a concept that is bound to another: of "Lothair II's mother" nothing called "Mother" is meant.
        """
        wanted, scores = self._wanted[at], dict[int, float]()
        if wanted.owner:
            return {}
        for text in wanted.texts:
            for match in self._kb.find_entities(text, self._params.top_k):
                scores[match.entity.id] = max(scores.get(match.entity.id, 0.0), match.score)
        for entity, cosine in self._near_names(at):
            scores[entity] = max(scores.get(entity, 0.0), cosine)
        held = self._kb.fact_graph.holds_entities(list(scores))
        return self._best(
            {one: scores[one] for one, is_held in zip(scores, held, strict=True) if is_held}, self._params.min_match
        )

    def _near_names(self, at: int) -> Iterator[tuple[int, float]]:
        graph = self._kb.fact_graph
        if not len(graph.named):
            return
        cosines = graph.name_vectors @ self._vectors[at]
        for row in np.argsort(-cosines, kind="stable")[: self._params.top_k]:
            yield int(graph.entities[graph.named[row]]), float(cosines[row])

    def _facts(self, entities: Sequence[Mapping[int, float]]) -> list[dict[int, float]]:
        """For each concept its facts, out of the sentences closest to it, of the passages told, and of its owner.

        A chain is followed: what "mother" finds at Lothair II is the owner of "Lothair II's mother's date of death".
        """
        common = self._common_candidates()
        reached: dict[str, _Reached] = {}
        found: list[dict[int, float]] = [{} for _ in self._wanted]
        for at in _chained(self._wanted):
            wanted = self._wanted[at]
            owners = [one for text in wanted.special if (one := _owner(text, reached))]
            owned = frozenset[int]().union(*(one.entities for one in owners))
            local = self._kb.triples_of(sorted(owned), self._params.neighbourhood) if owned else []
            steps = frozenset[int]().union(*(one.facts for one in owners))
            pool = self._held(one for one in (*common, *local) if one.id not in steps)
            best = self._best(self._fact_scores(at, list(pool.values()), owned), self._params.min_fact)
            found[at] = best
            ends = {end for one in best for end in (pool[one].head, pool[one].tail)} - owned
            here = _Reached(frozenset(entities[at] or ends), frozenset() if entities[at] else frozenset(best))
            reached |= dict.fromkeys((wanted.concept.text, *wanted.special), here)
        return found

    def _held(self, facts: Iterable[Triple]) -> dict[int, Triple]:
        """Those of the facts that are in the graph, by id."""
        pool = {one.id: one for one in facts}
        held = self._kb.fact_graph.holds_facts(list(pool))
        return {one: pool[one] for one, is_held in zip(pool, held, strict=True) if is_held}

    def _fact_scores(self, at: int, triples: Sequence[Triple], owners: Set[int]) -> dict[int, float]:
        """Half cosine of the sentence, half words; a fact at the owner counts as naming it."""
        if not triples:
            return {}
        wanted = self._wanted[at]
        cosines = self._kb.sentence_vectors.cosines([one.sentence_id for one in triples], self._vectors[at][None])
        return {
            one.id: 0.5 * max(float(cosine), 0.0)
            + 0.5 * wanted.words_in(one.text(), bool({one.head, one.tail} & owners))
            for one, cosine in zip(triples, cosines[:, 0], strict=True)
        }

    def _common_candidates(self) -> list[Triple]:
        """Facts of the passages told and of the sentences closest to a concept."""
        if not self._wanted:
            return []
        sentences, keep = self._kb.sentence_vectors.all, 4 * self._params.top_k
        near = np.zeros(0, dtype=np.int64)
        for start in range(0, len(sentences.rows), _CHUNK):
            part = slice(start, start + _CHUNK)
            cosines = sentences.rows[part].astype(np.float32) @ self._vectors.T / sentences.norms[part, None]
            best = np.argsort(-cosines, axis=0, kind="stable")[:keep]
            near = np.union1d(near, best + start)
        graph = self._kb.fact_graph
        places = np.isin(graph.fact_sentences, sentences.ids[near])
        told = self._kb.passage_triples([one.id for one in self._told])
        return [*self._kb.triples(graph.facts[places].tolist()), *told]

    def _best(self, scores: Mapping[int, float], floor: float) -> dict[int, float]:
        order = sorted(scores, key=lambda one: (-round(scores[one], 6), one))[: self._params.top_k]
        limit = max(floor, self._params.near_best * scores[order[0]]) if order else floor
        return {one: min(scores[one], 1.0) for one in order if scores[one] >= limit}


def _merge(groups: Sequence[AnchorGroup], same: float) -> list[AnchorGroup]:
    """Groups whose candidates overlap become one, again and again until none do; earlier ones take in later ones."""
    merged: list[AnchorGroup] = []
    for group in groups:
        at = next((at for at, one in enumerate(merged) if _overlap(one, group) >= same), None)
        if at is None:
            merged.append(group)
        else:
            joined = _joined(merged.pop(at), group)
            merged = _merge([*merged[:at], joined, *merged[at:]], same)
    return merged


def _overlap(first: AnchorGroup, second: AnchorGroup) -> float:
    """Shared candidates as a share of the smaller set, 0..1; facts are shared by concepts alike in words alone."""
    smaller = min(len(one.entities) + len(one.facts) for one in (first, second))
    shared = len(first.entities.keys() & second.entities.keys())
    if any(_alike(one, other) for one in first.concepts for other in second.concepts):
        shared += len(first.facts.keys() & second.facts.keys())
    return shared / smaller if smaller else 0.0


def _alike(one: str, other: str) -> bool:
    """Whether one of two texts has all content words of the other."""
    first, second = stems(one), stems(other)
    return first <= second or second <= first


def _joined(first: AnchorGroup, second: AnchorGroup) -> AnchorGroup:
    def union(a: Mapping[int, float], b: Mapping[int, float]) -> dict[int, float]:
        both = {one: max(a.get(one, 0.0), b.get(one, 0.0)) for one in {**a, **b}}
        return dict(sorted(both.items(), key=lambda item: (-item[1], item[0])))

    return AnchorGroup(
        (*first.concepts, *second.concepts), first.weight + second.weight,
        union(first.entities, second.entities), union(first.facts, second.facts),
    )  # fmt: skip


def _normalised(groups: Sequence[AnchorGroup]) -> tuple[AnchorGroup, ...]:
    total = sum(one.weight for one in groups) or 1.0
    return tuple(replace(one, weight=one.weight / total) for one in groups)


def _ranked(kb: KnowledgeBase, before: Sequence[Hit], groups: Sequence[AnchorGroup], most: int) -> tuple[Hit, ...]:
    """Passages found first and those of the anchors: an entity's own document, a fact's source; ties by id."""
    scores = {hit.passage.id: hit.score for hit in before}
    why = dict.fromkeys(scores, "found first")
    for group in groups:
        for passage, score in _anchor_passages(kb, group).items():
            scores[passage] = scores.get(passage, 0.0) + group.weight * score
            why.setdefault(passage, f"anchor of {group.concepts[0]!r}")
    order = sorted(scores, key=lambda one: (-round(scores[one], 9), one))[:most]
    return tuple(Hit(one, scores[one.id], why[one.id]) for one in kb.passages(order))


def _anchor_passages(kb: KnowledgeBase, group: AnchorGroup) -> dict[int, float]:
    """Passages of a group's anchors, 0..4: a document about a subject that weighs half comes before any found first,
    whose scores end at 1. With half of these numbers recall@5 on the training questions is 1 to 3 points lower.
    """
    graph, found = kb.fact_graph, dict[int, float]()
    rows = graph.entity_rows(list(group.entities))
    for entity, row in zip(group.entities, rows, strict=True):
        for passage in graph.passages[graph.abouts[graph.abouts[:, 0] == row, 1]].tolist():
            found[passage] = max(found.get(passage, 0.0), 4.0 * group.entities[entity])
    for place, fact in zip(graph.fact_places(list(group.facts)), group.facts, strict=True):
        passage = int(graph.passages[graph.fact_passages[place]])
        found[passage] = max(found.get(passage, 0.0), 2.0 * group.facts[fact])
    return found
