"""Which facts count as the evidence of a question whose answer is known (ReG, section 4.1).

Where the documents that the answer rests on are known, those of their facts that lead from one to the next, or to the
answer. Where only the answer is, ReG's candidates, refined: the paths to it that a judge finds sensible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kb.name_keys import name_key
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.judge import Judge
from tools.judgements.offline_judge import OfflineJudge
from tools.judgements.sensible_paths import PLAUSIBLE, closeness
from tools.scorer_training.evidence_paths import RelationPath, candidate_paths

RARE = 5
"""Passages of a name that joins two of them."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """A question, its answers, and the keys of the documents that these rest on; either is empty where not known."""

    question: str
    answers: tuple[str, ...] = ()
    supporting: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Labeller:
    """Labels the facts of one file."""

    kb: KnowledgeBase

    @cached_property
    def documents(self) -> dict[int, tuple[str, str]]:
        """Key and title of each passage's document."""
        passages = self.kb.passages(self.kb.fact_graph.passages.tolist())
        return {one.id: (one.document, one.title) for one in passages}

    def evidence(
        self, known: KnownAnswer, triples: Sequence[Triple], sources: Collection[int], judge: Judge | None = None
    ) -> Bools:
        """Whether each fact is evidence, shape (len(triples),); `sources` are the ids of the question's entities.
        `judge` refines the paths to an answer; None: offline.
        """
        return self.stated(known, triples) if known.supporting else self.refined(known, triples, sources, judge)

    # -- from the answer alone ----------------------------------------------------------------------------------------

    def refined(
        self, known: KnownAnswer, triples: Sequence[Triple], sources: Collection[int], judge: Judge | None = None
    ) -> Bools:
        """The facts of the paths that make sense: of those that read alike the closest to the question, which the judge
        is shown, and the others that are as close as a path must be that nobody has judged.
        """
        paths = candidate_paths(self.kb, known.question, known.answers, sources)
        judge = judge or OfflineJudge(self.kb)
        kept = judge.sensible_paths(known.question, known.answers, [one.shown for one in paths]) if paths else ()
        ids = {fact.id for at in kept for path in _counting(paths[at]) for fact in path}
        return np.array([one.id in ids for one in triples], dtype=bool)

    # -- from the documents -------------------------------------------------------------------------------------------

    def stated(self, known: KnownAnswer, triples: Sequence[Triple]) -> Bools:
        """The facts that lead on, and the closest one of each supporting document that has none."""
        leading = self.leading(known, triples)
        return leading | self._closest(known, triples, leading)

    def leading(self, known: KnownAnswer, triples: Sequence[Triple]) -> Bools:
        """The facts of supporting documents that lead to another one of these, or to an answer."""
        supporting = known.supporting
        answers = {name_key(one) for one in known.answers}
        about, named = self._named_by(supporting)
        marked = np.zeros(len(triples), dtype=bool)
        for at, one in enumerate(triples):
            key, _ = self.documents[one.passage]
            for entity, name in ((one.head, one.head_name), (one.tail, one.tail_name)):
                if key in supporting and about.get(entity) != key:
                    marked[at] |= name_key(name) in answers or entity in about or bool(named[entity] - {key})
        return marked

    def _closest(self, known: KnownAnswer, triples: Sequence[Triple], leading: Bools) -> Bools:
        keys = [self.documents[one.passage][0] for one in triples]
        bare = known.supporting - {key for key, marked in zip(keys, leading, strict=True) if marked}
        marked = np.zeros(len(triples), dtype=bool)
        value = closeness(self.kb, known.question, triples) if bare.intersection(keys) else []
        for key in sorted(bare.intersection(keys)):
            places = [at for at, one in enumerate(keys) if one == key]
            marked[max(places, key=lambda at: (value[at], -at))] = True
        return marked

    def _named_by(self, supporting: Collection[str]) -> tuple[dict[int, str], dict[int, set[str]]]:
        """Entities that a supporting document is about; and rare ones, with the supporting documents that name them."""
        graph = self.kb.fact_graph
        keys = {row: self.documents[int(one)][0] for row, one in enumerate(graph.passages)}
        rows = [row for row, key in keys.items() if key in supporting]
        abouts = graph.abouts[np.isin(graph.abouts[:, 1], rows)]
        about = {int(graph.entities[entity]): keys[int(row)] for entity, row in abouts}
        named: dict[int, set[str]] = defaultdict(set)
        for entity, row in graph.contexts[np.isin(graph.contexts[:, 1], rows)]:
            if graph.passage_counts[entity] <= RARE:
                named[int(graph.entities[entity])].add(keys[int(row)])
        return about, named


def _counting(one: RelationPath) -> list[tuple[Triple, ...]]:
    """The path that was shown, and those of the same relations that are close enough by themselves."""
    return [one.shown, *(path for score, path in one.paths[1:] if score > PLAUSIBLE)]
