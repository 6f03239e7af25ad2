"""What can only be done once all passages are there: titles found in other documents, name vectors, synonyms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np

from kb.graph.near_names import close_names
from kb.graph.stored_vectors import unit_rows
from kb.graph.titles import TitleIndex
from kb.store.aliases import ALIASES, told_apart
from kb.store.deriving import Derive, NameBatch
from kb.store.writer import Writer, entity_id

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
    # In the order in which they were written: what is found is then written beside what was found before.
    fresh = [row[0] for row in writer.rows(
        "SELECT d.id FROM documents d LEFT JOIN passages p ON p.document = d.id AND p.ordinal = 0 "
        "WHERE d.linked = 0 AND d.complete = 1 ORDER BY p.number, d.id"
    )]  # fmt: skip
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


def name_vectors(writer: Writer, report: Report, derive: Derive) -> None:
    """Embed the names that join documents (titles, and names in two documents or more), and pair the synonyms.

    Where that was stopped, all names are paired, as nothing tells for which it was done.
    """
    todo = writer.rows(
        "SELECT id, name FROM entities WHERE kind = 'name' AND id NOT IN (SELECT id FROM entity_vectors) AND ("
        " id IN (SELECT entity FROM documents) OR id IN ("
        "SELECT m.entity FROM mentions m JOIN passages p ON p.id = m.passage"
        " GROUP BY m.entity HAVING count(DISTINCT p.document) > 1)) ORDER BY id"
    )
    was_stopped = writer.is_pairing
    if todo:
        writer.begin_pairing()
        _embed(writer, todo, report, derive)
    if todo or was_stopped:
        _pair(writer, None if was_stopped else [one for one, _ in todo], report)
        writer.end_pairing()


def _embed(writer: Writer, todo: Sequence[tuple[int, str]], report: Report, derive: Derive) -> None:
    done = 0
    # By length, so that a batch is not padded to its one long name.
    batches = list(_batches(sorted(todo, key=lambda row: (len(row[1]), row[0])), _NAMES))
    vectors = derive(NameBatch(tuple(name for _, name in batch)) for batch in batches)
    for batch, codes in zip(batches, vectors, strict=True):
        writer.add_entity_vectors([one for one, _ in batch], codes)
        done += len(batch)
        report(done, len(todo))


def _pair(writer: Writer, fresh: Sequence[int] | None, report: Report) -> None:
    """Write the synonyms of some names, or of all."""
    ids = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *(some for some, _ in writer.name_codes())]))
    # Each vector into its place: of two million names one array is 0.8 GB.
    codes = np.empty((len(ids), writer.embedder.dimension), dtype=np.int8)
    for some, rows in writer.name_codes():
        codes[np.searchsorted(ids, some)] = rows
    asked = np.arange(len(ids)) if fresh is None else np.searchsorted(ids, np.sort(fresh))
    # Compared as they are kept, so that names that come one by one are as close as those that come at once.
    for done, pairs in close_names(ids, codes, asked, SYNONYM_COSINE, _SYNONYMS_PER_NAME):
        writer.add_synonyms(pairs)
        report(done, len(asked))


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
    _, alone = told_apart(writer.rows(
        f"{ALIASES}JOIN entities e ON e.key = a.key AND e.kind = 'name' "  # noqa: S608 - fixed text
        "WHERE instr(a.key, ' ') = 0 AND e.id NOT IN (SELECT entity FROM documents)"
    ))  # fmt: skip
    return [(entity_id(key), min(entities)) for key, entities in alone.items()]


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


def _batches(items: Iterable[_T], size: int) -> Iterable[list[_T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
