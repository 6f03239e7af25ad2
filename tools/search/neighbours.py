"""The facts around an entity."""

from __future__ import annotations

from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase

_POOL = 400
"""Triples of a hub that are looked at, at either end; the rest are beyond use in one answer."""


def neighbours(kb: KnowledgeBase, entity: str | int, query: str = "", k: int = 15) -> list[Triple]:
    """The k triples with the entity at either end, those whose sentence is closest to the query first.

    Without a query they come by id. `entity` is an id or a name; of a name, the entities that match it in full, else
    the best match. An unknown entity has no neighbours.
    """
    ids = [entity] if isinstance(entity, int) else _named(kb, entity)
    triples = kb.triples_of(ids, _POOL)
    if query.strip() and triples:
        similarity = kb.sentence_vectors.cosines([triple.sentence_id for triple in triples], kb.embed([query]))[:, 0]
        order = sorted(range(len(triples)), key=lambda at: (-float(similarity[at]), triples[at].id))
        triples = [triples[at] for at in order]
    return triples[: max(k, 0)]


def _named(kb: KnowledgeBase, name: str) -> list[int]:
    matches = kb.find_entities(name, 5)
    full = [match.entity.id for match in matches if match.score >= 1.0]
    return full or [match.entity.id for match in matches[:1]]
