"""What passages have to do with each other, looked up: the names they share, and the titles they name.

The same measures as those of the whole graph (kb/graph/passage_graph.py), of the passages that are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kb.graph.by_ids import ByIds
from kb.graph.passage_graph import RARE_DEGREE
from kb.store.graph_rows import Ids, Of

Links = dict[int, dict[int, float]]
"""By passage: the passages that something joins it to, and how strongly."""

_HUB = 5_000
"""Passages that are looked at of those that name a title: who asks takes the nearest few of them to a question."""

_REMEMBERED = 100_000
"""Names whose degree and meaning are kept: 20 MB."""


_TITLES = (
    "SELECT DISTINCT p.id, p.document, e.id FROM passages p JOIN aliases a ON a.document = p.document "
    "JOIN entities e ON e.key = a.key WHERE p.id IN "
)


class PassageLinks:
    """Looks up what joins passages; names are entities' ids, passages and documents theirs."""

    def __init__(self, by_ids: ByIds, mentions: Callable[[Of, Sequence[int]], Ids], *, has_degrees: bool) -> None:
        """`mentions` is that of `GraphRows`; `has_degrees` says whether the file keeps a name's degree, or its passages
        have to be counted.
        """
        self._by_ids, self._mentions = by_ids, mentions
        self._has_degrees = has_degrees
        self._degrees: dict[int, int] = {}
        self._abouts: dict[int, tuple[tuple[int, int, int], ...]] = {}

    def degrees(self, names: Iterable[int]) -> dict[int, int]:
        """How many passages mention each name."""
        wanted = dict.fromkeys(names)
        missing = _missing(wanted, self._degrees)
        if self._has_degrees:
            rows = self._by_ids("SELECT entity, passages FROM degrees WHERE entity IN ", missing)
        else:
            sql = "SELECT entity, count(DISTINCT passage) FROM mentions WHERE entity IN "
            rows = self._by_ids(sql, missing, " GROUP BY entity")
        self._degrees.update(dict.fromkeys(missing, 0) | dict(rows))
        return {one: self._degrees[one] for one in wanted}

    def abouts(self, names: Iterable[int]) -> dict[int, tuple[tuple[int, int, int], ...]]:
        """(passage, its place in the document, document) of the documents that each name is a title or an alias of, by
        passage; nothing for a name that is none.
        """
        wanted = dict.fromkeys(names)
        missing = _missing(wanted, self._abouts)
        found: dict[int, list[tuple[int, int, int]]] = {}
        for name, *about in self._by_ids(
            "SELECT DISTINCT e.id, p.id, p.ordinal, p.document FROM entities e JOIN aliases a ON a.key = e.key "
            "JOIN passages p ON p.document = a.document WHERE e.id IN ",
            missing,
        ):
            found.setdefault(name, []).append((about[0], about[1], about[2]))
        self._abouts.update(dict.fromkeys(missing, ()))
        self._abouts.update({name: tuple(sorted(about)) for name, about in found.items()})
        return {one: self._abouts[one] for one in wanted if self._abouts[one]}

    def titled(self, names: Iterable[int]) -> list[int]:
        """The first passages of the documents that names are titles or aliases of, ascending."""
        abouts = self.abouts(names).values()
        return sorted({passage for about in abouts for passage, ordinal, _ in about if ordinal == 0})

    def names_in(self, passages: Collection[int]) -> dict[int, list[int]]:
        """The names that each of the passages mentions, ascending."""
        rows = self._mentions("passage", sorted(passages))
        found: dict[int, list[int]] = {one: [] for one in passages}
        for passage, name in rows[np.argsort(rows[:, 1])].tolist():
            found[passage].append(name)
        return found

    def mentioning(self, names: Iterable[int], most: int | None = None) -> dict[int, list[int]]:
        """The passages that mention each name, ascending: all of them, or `most` of a name that more do."""
        wanted = sorted(set(names))
        hubs = [] if most is None else [one for one, degree in self.degrees(wanted).items() if degree > most]
        rows = self._mentions("entity", sorted(set(wanted).difference(hubs)))
        found: dict[int, list[int]] = {one: [] for one in wanted}
        for passage, name in rows[np.argsort(rows[:, 0])].tolist():
            found[name].append(passage)
        for one in hubs:
            sql = "SELECT DISTINCT entity, passage FROM mentions WHERE entity IN "
            found[one] = sorted(passage for _, passage in self._by_ids(sql, [one], f" LIMIT {most}"))
        return found

    def documents(self, passages: Collection[int]) -> dict[int, int]:
        """The document of each passage."""
        return dict(self._by_ids("SELECT id, document FROM passages WHERE id IN ", sorted(passages)))

    def sizes(self, documents: Iterable[int]) -> dict[int, int]:
        """How many passages each document has."""
        sql = "SELECT document, count(*) FROM passages WHERE document IN "
        return dict(self._by_ids(sql, sorted(set(documents)), " GROUP BY document"))

    def links_from(self, passages: Collection[int], names: Mapping[int, Sequence[int]] | None = None) -> Links:
        """What each passage points to by naming its title, and how strongly, 0..1: `Graph.links`.

        `names`, as `names_in` gives them, spare another look where they are known.
        """
        names = self.names_in(passages) if names is None else names
        documents = self.documents(passages)
        abouts = self.abouts(name for own in names.values() for name in own)
        found: Links = {one: {} for one in passages}
        for passage, own in names.items():
            for name in own:
                if name not in abouts:
                    continue
                for other, strength in _strengths(abouts[name], documents[passage]):
                    found[passage][other] = found[passage].get(other, 0.0) + strength
        return {passage: {one: min(strength, 1.0) for one, strength in own.items()} for passage, own in found.items()}

    def titles(self, passages: Collection[int]) -> dict[int, list[int]]:
        """The names that are titles or aliases of each passage's document, ascending."""
        found: dict[int, list[int]] = {one: [] for one in passages}
        for passage, _, name in sorted(self._by_ids(_TITLES, sorted(passages))):
            found[passage].append(name)
        return found

    def links_to(self, passages: Collection[int]) -> Links:
        """What points to each passage by naming its title, and how strongly, 0..1: the transpose of `Graph.links`.

        Of a title that a hundredth of a large file names, some thousands of these passages.
        """
        rows = self._by_ids(_TITLES, sorted(passages))
        names = [row[2] for row in rows]
        abouts, mentioning = self.abouts(names), self.mentioning(names, _HUB)
        sql = "SELECT document, id FROM passages WHERE document IN "
        own: dict[int, set[int]] = {}
        for document, passage in self._by_ids(sql, sorted({row[1] for row in rows})):
            own.setdefault(document, set()).add(passage)
        found: Links = {one: {} for one in passages}
        for passage, document, name in rows:
            strength = dict(_strengths(abouts[name], 0))[passage]
            for other in mentioning[name]:
                if other not in own[document]:
                    found[passage][other] = min(found[passage].get(other, 0.0) + strength, 1.0)
        return found

    def rare_neighbours(self, passages: Collection[int], names: Mapping[int, Sequence[int]] | None = None) -> Links:
        """The passages that mention rare names of each, and the sum of their rarities: `Graph.rare_neighbours`.

        `names` as in `links_from`; they may be those of more passages.
        """
        known = self.names_in(passages) if names is None else names
        names = {one: known[one] for one in passages}
        degrees = self.degrees(name for own in names.values() for name in own)
        rare = {name for name, degree in degrees.items() if 2 <= degree <= RARE_DEGREE}
        mentioning = self.mentioning(rare)
        found: Links = {one: {} for one in passages}
        for passage, own in names.items():
            for name in rare.intersection(own):
                for other in mentioning[name]:
                    if other != passage:
                        found[passage][other] = found[passage].get(other, 0.0) + 1.0 / degrees[name]
        return found


def _strengths(about: Sequence[tuple[int, int, int]], source: int) -> list[tuple[int, float]]:
    """(passage, strength) of what a name points to from the document `source`: 1 / n for the first passages of the n
    documents that it is the title of, 1 / (1 + o) of that for one at the place o.
    """
    meanings = max(sum(ordinal == 0 for _, ordinal, _ in about), 1)
    return [(passage, 1.0 / (1.0 + ordinal) / meanings) for passage, ordinal, document in about if document != source]


def _missing(wanted: Collection[int], known: dict[int, Any]) -> list[int]:
    """Those that are not known yet; of what is known all is forgotten where it has become much."""
    if len(known) > _REMEMBERED:
        known.clear()
    return [one for one in wanted if one not in known]
