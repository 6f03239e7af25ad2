"""The documents that a run retrieved by its chains, and how good they are (TGS-RAG, section 4.1.4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assistant.evaluation.run_lines import RunLine
from kb.name_keys import name_key

if TYPE_CHECKING:
    from kb.store.knowledge_base import KnowledgeBase


class Provenance:
    """Which documents of one knowledge base name an entity; each name is looked up once."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._known: dict[str, frozenset[str]] = {}

    def documents(self, names: Iterable[str]) -> frozenset[str]:
        """The keys of all documents that name one of these; none for names that the file does not know."""
        return frozenset[str]().union(*map(self._of_name, {name_key(name) for name in names} - {""}))

    def _of_name(self, key: str) -> frozenset[str]:
        if key not in self._known:
            import numpy as np

            graph = self._kb.fact_graph
            meant = [one for ids in self._kb.named([key]).values() for one in ids]
            rows = np.flatnonzero(np.isin(graph.entities, np.array(meant, dtype=np.int64)))
            passages = graph.passages[np.unique(graph.contexts[np.isin(graph.contexts[:, 0], rows), 1])]
            self._known[key] = frozenset(one.document for one in self._kb.passages(passages.tolist()))
        return self._known[key]


def stated_documents(line: RunLine, sources: Provenance | None) -> frozenset[str]:
    """The documents that the graph brought in: those that hops rest on, and those that name a hop's ends."""
    rest = frozenset(hop.document for hop in line.hops if hop.document)
    return rest | sources.documents(end for hop in line.hops for end in (hop.head, hop.tail)) if sources else rest


def support(retrieved: Iterable[str], gold: Iterable[str]) -> tuple[float, float]:
    """Precision and F1, 0..1, of the distinct documents retrieved against the gold ones; 0 where none is retrieved.

    >>> support(["a", "b", "c", "d"], ["a", "z"])
    (0.25, 0.3333333333333333)
    """
    found, wanted = set(retrieved), set(gold)
    right = len(found & wanted)
    return (right / len(found), 2 * right / (len(found) + len(wanted))) if found else (0.0, 0.0)
