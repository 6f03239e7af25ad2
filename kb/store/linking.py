"""What can only be done once all passages are there: titles found in other documents, name vectors, synonyms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kb.graph.stored_vectors import eight_bits, unit_rows
from kb.graph.titles import TitleIndex
from kb.store.writer import Writer

SYNONYM_COSINE = 0.8
"""Names at least this close are joined by a synonym edge (HippoRAG 2's threshold, METHODS under CatRAG)."""

_DOCUMENTS = 500
_NAMES = 1024
_SYNONYMS_PER_NAME = 10
"""Nearest names that are kept: a film series with a hundred parts would otherwise join each to each."""

Report = Callable[[int, int], None]
_T = TypeVar("_T")
_Mention = tuple[int, int, int, int]


def link_titles(writer: Writer, report: Report) -> None:
    """Write a mention wherever a title stands in a passage: every title in new passages, new titles in old ones."""
    fresh = [row[0] for row in writer.rows("SELECT id FROM documents WHERE linked = 0 AND complete = 1 ORDER BY id")]
    if not fresh:
        return
    everything = _index(writer.rows("SELECT key, entity FROM aliases"))
    has_old = bool(writer.rows("SELECT 1 FROM documents WHERE linked = 1 LIMIT 1"))
    done = 0
    for batch in _batches(fresh, _DOCUMENTS):
        rows = _in_new_passages(writer, batch, *everything)
        if has_old:
            rows += _in_old_passages(writer, batch)
        writer.add_title_mentions(batch, rows)
        done += len(batch)
        report(done, len(fresh))


def name_vectors(writer: Writer, report: Report) -> None:
    """Embed the names that join documents (titles, and names in two documents or more), and pair the synonyms."""
    todo = writer.rows(
        "SELECT id, name FROM entities WHERE kind = 'name' AND id NOT IN (SELECT id FROM entity_vectors) AND ("
        " id IN (SELECT entity FROM documents) OR id IN ("
        "SELECT m.entity FROM mentions m JOIN passages p ON p.id = m.passage"
        " GROUP BY m.entity HAVING count(DISTINCT p.document) > 1)) ORDER BY id"
    )
    if not todo:
        return
    # By length, so that a batch is not padded to its one long name.
    todo.sort(key=lambda row: (len(row[1]), row[0]))
    known = _Names()
    for some, some_codes in writer.name_codes():
        known.add(some.tolist(), unit_rows(some_codes))
    done = 0
    for batch in _batches(todo, _NAMES):
        codes = eight_bits(writer.embedder.embed_names([name for _, name in batch]))
        # Compared as they are kept, so that names that come one by one are as close as those that come at once.
        ids, vectors = [one for one, _ in batch], unit_rows(codes)
        known.add(ids, vectors)
        writer.add_synonyms(known.close_to(ids, vectors))
        writer.add_entity_vectors(ids, codes)
        done += len(batch)
        report(done, len(todo))


def join_short_names(writer: Writer) -> None:
    """Make what is called by the beginning of its name synonyms with that: first names and the ids of tickets.

    Pairs of before that no longer are one are forgotten.
    """
    pairs = {(min(pair), max(pair)) for pair in (*_first_names(writer), *_tickets(writer))}
    # No two names of which one begins with the other are that close by their vectors.
    known = set(writer.rows(
        "SELECT s.a, s.b FROM synonyms s JOIN entities x ON x.id = s.a JOIN entities y ON y.id = s.b "
        "WHERE s.similarity = 1.0 AND (instr(y.key, ltrim(x.key, '#') || ' ') = 1 "
        "OR instr(x.key, ltrim(y.key, '#') || ' ') = 1)"
    ))  # fmt: skip
    gone = sorted(known - pairs)
    writer.remove_synonyms(gone)
    by_vector = [(a, b, similarity) for a, b in gone if (similarity := _similarity(writer, a, b)) >= SYNONYM_COSINE]
    writer.add_synonyms([*by_vector, *((a, b, 1.0) for a, b in sorted(pairs - known))])


def _first_names(writer: Writer) -> list[tuple[int, int]]:
    """First names that stand alone, each with the one full name that begins with it: "Ana" is Ana Souza.

    A first name that two have is left alone, and one that is the title of a document, also where that was not so
    before. The evidence is the document that sets the full name apart, in `aliases`.
    """
    return [(one, other) for one, other in writer.rows(
        "SELECT e.id, min(a.entity) FROM aliases a "
        "JOIN documents d ON d.id = a.document AND d.entity <> a.entity "
        "JOIN entities e ON e.key = a.key AND e.kind = 'name' "
        "WHERE instr(a.key, ' ') = 0 AND e.id NOT IN (SELECT entity FROM documents) "
        "GROUP BY e.id HAVING count(DISTINCT a.entity) = 1"
    )]  # fmt: skip


def _tickets(writer: Writer) -> list[tuple[int, int]]:
    """Ids of tickets ("PAY-123", "#7"), each with the one title, heading or row that begins with it."""
    return [(one, other) for one, other in writer.rows(
        "SELECT e.id, min(a.entity) FROM aliases a "
        "JOIN entities e ON e.key = replace(a.key, '-', ' ') AND e.kind = 'name' "
        "WHERE (glob('[a-z]*-[0-9]*', a.key) OR glob('#[0-9]*', a.key)) AND e.id <> a.entity "
        "GROUP BY e.id HAVING count(DISTINCT a.entity) = 1"
    )]  # fmt: skip


def _similarity(writer: Writer, one: int, other: int) -> float:
    """The cosine of two names' vectors, 0 where one has none."""
    codes = writer.name_codes_of([one, other])
    if len(codes) < 2:
        return 0.0
    first, second = unit_rows(codes)
    return round(min(float(first @ second), 1.0), 6)


def _index(rows: Iterable[Sequence[object]]) -> tuple[TitleIndex, dict[str, list[int]]]:
    index, entities = TitleIndex(), dict[str, list[int]]()
    for key, entity in sorted({(str(key), int(str(entity))) for key, entity in rows}):
        index.add(key)
        entities.setdefault(key, []).append(entity)
    return index, entities


def _in_new_passages(
    writer: Writer, documents: Sequence[int], index: TitleIndex, entities: dict[str, list[int]]
) -> list[_Mention]:
    marks = ",".join("?" * len(documents))
    passages = writer.rows(f"SELECT id, text FROM passages WHERE document IN ({marks}) ORDER BY id", documents)  # noqa: S608
    return [row for passage, text in passages for row in _mentions(passage, text, index, entities)]


def _in_old_passages(writer: Writer, documents: Sequence[int]) -> list[_Mention]:
    marks = ",".join("?" * len(documents))
    rows = writer.rows(f"SELECT key, entity FROM aliases WHERE document IN ({marks})", documents)  # noqa: S608
    found: list[_Mention] = []
    for key in sorted({str(key) for key, _ in rows if " " in str(key)}):
        index, entities = _index(row for row in rows if row[0] == key)
        for passage, text in writer.linked_passages_saying(key):
            found.extend(_mentions(passage, text, index, entities))
    return found


def _mentions(passage: int, text: str, index: TitleIndex, entities: dict[str, list[int]]) -> Iterable[_Mention]:
    for start, end, key in index.find(text):
        for entity in entities[key]:
            yield passage, start, end, entity


class _Names:
    """The vectors of names, read once for all that are compared with them, in blocks."""

    def __init__(self) -> None:
        self._blocks: list[tuple[list[int], NDArray[np.float32]]] = []

    def add(self, ids: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Make names known; rows of shape (len(ids), dimension)."""
        self._blocks.append((list(ids), vectors))

    def close_to(self, ids: Sequence[int], vectors: NDArray[np.float32]) -> list[tuple[int, int, float]]:
        """(smaller id, larger id, cosine) of names and the closest known ones of each, in the order of the ids."""
        near: list[list[tuple[float, int]]] = [[] for _ in ids]
        for known, rows in self._blocks:
            cosines = vectors @ rows.T
            for at, other in zip(*np.nonzero(cosines >= SYNONYM_COSINE), strict=True):
                if known[other] != ids[at]:
                    near[at].append((-float(cosines[at, other]), known[other]))
        pairs = {
            (min(own, other), max(own, other)): round(min(-distance, 1.0), 6)
            for own, found in zip(ids, near, strict=True)
            for distance, other in sorted(found)[:_SYNONYMS_PER_NAME]
        }
        return [(a, b, similarity) for (a, b), similarity in sorted(pairs.items())]


def _batches(items: Iterable[_T], size: int) -> Iterable[list[_T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
