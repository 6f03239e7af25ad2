"""Which facts of a training question count as its evidence: labels of five kinds, for triple_scoring/triple_scorer.py.

gold      facts that say a gold triple: the same two names, in a supporting passage (2WikiMultihopQA has them)
heuristic the candidates of ReG (section 4.1): shortest paths from the question's entities to the answer's, and the
          facts at both, merged by relation path, of which the closest to the question in vectors and relation words
          are kept: a fixed rule where the paper asks a language model which make sense
shortest  those shortest paths as they are
passages  facts in a supporting passage that lead to another one, or to the answer
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.name_keys import name_key, title_aliases
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.planner import plan_question
from tools.search.word_match import coverage, stems

KINDS = ("gold", "heuristic", "shortest", "passages", "complete")
PATH_LENGTH = 3
"""Facts of the longest path: nearly all questions have two to three hops."""
MOST_PATHS = 200
KEPT_PATHS, KEPT_NEAR = 3, 4
"""Relation paths kept of the shortest paths, and of each neighbourhood."""
PLAUSIBLE = 0.75
"""A path is kept above this mean of its facts' cosines and shares of relation words: about half a relation's words in
a sentence that is on the subject.
"""
RARE = 5
"""Passages of a name that joins two of them."""

Bools = NDArray[np.bool_]
Ids = NDArray[np.int64]
Path = tuple[int, ...]


@dataclass(frozen=True)
class Labeller:
    """Labels the candidates of one file's questions."""

    kb: KnowledgeBase

    @cached_property
    def documents(self) -> dict[int, tuple[str, str]]:
        """Key and title of each passage's document."""
        passages = self.kb.passages(self.kb.fact_graph.passages.tolist())
        return {one.id: (one.document, one.title) for one in passages}

    def label(
        self, question: dict[str, Any], triples: Sequence[Triple], sources: Sequence[int]
    ) -> tuple[dict[str, Bools], Ids]:
        """Labels of each kind, shape (len(triples),), and the number of the gold triple that each says, or -1."""
        which = self._gold(question, triples)
        paths = self._shortest(question, sources)
        leading = self._leading(question, triples)
        labels = {
            "gold": which >= 0,
            "heuristic": self._marked(triples, self._closest_of_all(question, paths, sources)),
            "shortest": self._marked(triples, paths),
            "passages": leading,
            "complete": leading | self._most_plausible(question, triples, leading),
        }
        return labels, which

    # -- gold ---------------------------------------------------------------------------------------------------------

    def _gold(self, question: dict[str, Any], triples: Sequence[Triple]) -> Ids:
        which = np.full(len(triples), -1, dtype=np.int64)
        for number, (head, _, tail) in enumerate(question.get("evidences", ())):
            for at, one in enumerate(triples):
                key, title = self.documents[one.passage]
                if key in question["supporting"] and _says(one, title, head, tail):
                    which[at] = number
        return which

    # -- paths --------------------------------------------------------------------------------------------------------

    def _answers(self, question: dict[str, Any]) -> list[int]:
        found = self.kb.named([name_key(one) for one in question["answers"]])
        return sorted({one for ids in found.values() for one in ids})

    def _rows(self, ids: Sequence[int]) -> list[int]:
        graph = self.kb.fact_graph
        return np.flatnonzero(np.isin(graph.entities, np.array(sorted(ids), dtype=np.int64))).tolist()

    def _shortest(self, question: dict[str, Any], sources: Sequence[int]) -> list[Path]:
        return shortest_paths(self.kb, self._rows(sources), self._rows(self._answers(question)))

    def _closest_of_all(self, question: dict[str, Any], paths: list[Path], sources: Sequence[int]) -> list[Path]:
        near = [self._around(self._rows(ids)) for ids in (sources, self._answers(question))]
        kept: list[Path] = []
        for candidates, most in ((paths, KEPT_PATHS), (near[0], KEPT_NEAR), (near[1], KEPT_NEAR)):
            kept += self._plausible(question["question"], candidates, most)
        return kept

    def _around(self, rows: Sequence[int]) -> list[Path]:
        starts, places = self.kb.fact_graph.facts_by_entity
        return [(int(at),) for row in rows for at in places[starts[row] : starts[row + 1]][:1000]]

    def _plausible(self, question: str, paths: Sequence[Path], most: int) -> list[Path]:
        """The paths above PLAUSIBLE, of the `most` best relation paths."""
        graph = self.kb.fact_graph
        places = sorted({at for path in paths for at in path})
        facts = dict(zip(places, self.kb.triples(graph.facts[places].tolist()), strict=True)) if places else {}
        value = self._values(question, facts)
        merged: dict[tuple[tuple[str, ...], ...], list[tuple[float, Path]]] = defaultdict(list)
        for path in paths:
            relations = tuple(tuple(sorted(stems(facts[at].relation))) for at in path)
            merged[relations].append((float(np.mean([value[at] for at in path])), path))
        best = sorted(merged, key=lambda relations: (-max(score for score, _ in merged[relations]), relations))
        return [path for relations in best[:most] for score, path in merged[relations] if score > PLAUSIBLE]

    def _values(self, question: str, facts: dict[int, Triple]) -> dict[int, float]:
        if not facts:
            return {}
        wanted = [stems(text) for one in plan_question(question).constraints for text in (one.relation, *one.variants)]
        sentences = [one.sentence_id for one in facts.values()]
        cosines = self.kb.sentence_vectors.cosines(sentences, self.kb.embed([question]))[:, 0]
        return {
            at: float(cosine) + max((coverage(words, stems(one.relation)) for words in wanted), default=0.0)
            for (at, one), cosine in zip(facts.items(), cosines, strict=True)
        }

    def _marked(self, triples: Sequence[Triple], paths: Sequence[Path]) -> Bools:
        facts = self.kb.fact_graph.facts
        ids = {int(facts[at]) for path in paths for at in path}
        return np.array([one.id in ids for one in triples], dtype=bool)

    # -- passages -----------------------------------------------------------------------------------------------------

    def _leading(self, question: dict[str, Any], triples: Sequence[Triple]) -> Bools:
        supporting = set(question["supporting"])
        answers = {name_key(one) for one in question["answers"]}
        about, named = self._named_by(supporting)
        marked = np.zeros(len(triples), dtype=bool)
        for at, one in enumerate(triples):
            key, _ = self.documents[one.passage]
            for entity, name in ((one.head, one.head_name), (one.tail, one.tail_name)):
                if key in supporting and about.get(entity) != key:
                    marked[at] |= name_key(name) in answers or entity in about or bool(named[entity] - {key})
        return marked

    def _most_plausible(self, question: dict[str, Any], triples: Sequence[Triple], leading: Bools) -> Bools:
        """The best fact of each supporting document that has no leading one."""
        value = self._values(question["question"], dict(enumerate(triples)))
        keys = [self.documents[one.passage][0] for one in triples]
        bare = set(question["supporting"]) - {key for key, marked in zip(keys, leading, strict=True) if marked}
        marked = np.zeros(len(triples), dtype=bool)
        for key in sorted(bare.intersection(keys)):
            places = [at for at, one in enumerate(keys) if one == key]
            marked[max(places, key=lambda at: (value[at], -at))] = True
        return marked

    def _named_by(self, supporting: set[str]) -> tuple[dict[int, str], dict[int, set[str]]]:
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


def shortest_paths(kb: KnowledgeBase, sources: Sequence[int], targets: Sequence[int]) -> list[Path]:
    """The shortest paths, against the facts' direction too, from any of the sources to the nearest of the targets, as
    places in `kb.fact_graph.facts`; rows of entities in, at most MOST_PATHS out. None beyond PATH_LENGTH facts.
    """
    graph = kb.fact_graph
    starts, places = graph.facts_by_entity
    wanted = set(targets) - set(sources)
    depth = dict.fromkeys(sources, 0)
    parents: dict[int, list[tuple[int, int]]] = defaultdict(list)
    frontier, reached = sorted(set(sources)), set[int]()
    for hop in range(1, PATH_LENGTH + 1):
        for row in [] if reached else frontier:
            for at in places[starts[row] : starts[row + 1]].tolist():
                other = int(graph.tails[at] if graph.heads[at] == row else graph.heads[at])
                if depth.setdefault(other, hop) == hop:
                    parents[other].append((row, at))
        reached = reached or {row for row in parents if row in wanted}
        frontier = sorted(row for row, at in depth.items() if at == hop)
    return [path for row in sorted(reached) for path in _backwards(row, parents, depth)][:MOST_PATHS]


def _backwards(row: int, parents: dict[int, list[tuple[int, int]]], depth: dict[int, int]) -> list[Path]:
    if not depth[row]:
        return [()]
    found: list[Path] = []
    for before, at in parents[row]:
        if len(found) < MOST_PATHS:
            found += [(*path, at) for path in _backwards(before, parents, depth)]
    return found


def _says(one: Triple, title: str, head: str, tail: str) -> bool:
    """Whether a fact says the gold triple, in either direction; a document's title stands for what it is about."""
    subjects = {one.head_name, title, *title_aliases(title)}
    forwards = _same(one.tail_name, tail) and any(_same(name, head) for name in subjects)
    return forwards or (_same(one.head_name, tail) and _same(one.tail_name, head))


def _same(found: str, gold: str) -> bool:
    a, b = name_key(found), name_key(gold)
    if re.fullmatch(r"\d{4}", b):
        return b in a.split()
    return a == b or (len(a) > 3 and (a in b or b in a) and min(len(a), len(b)) / max(len(a), len(b)) > 0.6)
