"""Everything that changes a knowledge base, statement by statement. The order of the work is in kb/build.py."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.documents.file_stamps import Stamp
from kb.documents.structure import path_of, section
from kb.errors import WrongModelError
from kb.graph.passage_work import PassageWork
from kb.graph.stored_vectors import Codes, Ids, eight_bits
from kb.name_keys import name_key, title_aliases
from kb.records import Document, Link, Piece, content_id
from kb.store.embeddings import Embedded, Embedder
from kb.store.engine import Phrase, WritingEngine
from kb.store.model_cache import ModelCache
from kb.store.open_base import open_if_there, open_to_write
from kb.store.stamps import FINISHED, Stored, move_folders, write_stamps

ENTITY_PREFIX = "entity"

LEFTOVERS = "leftovers"
"""The entry of `meta` that is there from when a document is deleted until nothing is left that only it said."""

PAIRING = "pairing"
"""The entry of `meta` that is there from when names get vectors until their synonyms are written."""

_META = "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_PASSAGE = (
    'SELECT p.id, d.key, p.title, p.ordinal, p.start, p."end", p.page, p.text, p.section, p.extraction, '
    "d.metadata, d.source, d.root FROM passages p JOIN documents d ON d.id = p.document "
)


def entity_id(key: str) -> int:
    """An entity's id, from its normalised name alone."""
    return content_id(ENTITY_PREFIX, key)


def document_id(key: str) -> int:
    """A document's id, from its key alone: a changed document keeps it."""
    return content_id("document", key)


def passage_id(document: Document, piece: Piece) -> int:
    """A passage's id, from its document, its place and its words."""
    return content_id("passage", document.key, document.title, piece.ordinal, piece.start, piece.text)


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage as far as it takes to derive its facts anew; `spans` are its sentences."""

    document: Document
    piece: Piece
    spans: tuple[tuple[int, int], ...]
    extraction: str


def _refuse_unfit(path: Path, embedder: Embedder) -> None:
    """Raise NewerFileError or WrongModelError before anything is written, even the file's mode."""
    engine = open_if_there(path)
    if engine is None:
        return
    try:
        found = engine.rows("SELECT value FROM meta WHERE key = 'embedding_model'")
    finally:
        engine.close()
    if found and found[0][0] != embedder.name:
        raise WrongModelError(
            f"{str(path)!r} was built with the embedding model {found[0][0]!r}, not {embedder.name!r}; "
            f"use --embedding {found[0][0]}, or build a new file"
        )


class Writer:
    """A knowledge base opened to write; a context manager. Each method is one transaction."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self.path = path
        self.embedder = embedder
        _refuse_unfit(path, embedder)
        self._engine = open_to_write(path, self._create_vectors)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self._engine.rows(sql, parameters)

    def each(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query one by one; nothing may be written before the last."""
        return self._engine.each(sql)

    def stored(self) -> Stored:
        """What is stored of documents and files."""
        return Stored.of(self._engine)

    def stored_passages(self, key: str) -> set[int]:
        """Ids of the passages that are already written for a document."""
        rows = self.rows("SELECT id FROM passages WHERE document = ?", (document_id(key),))
        return {row[0] for row in rows}

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make one transaction of what the methods called in the block do, so that no reader sees the half of it."""
        with self._engine.atomic():
            yield

    def begin_document(self, document: Document) -> None:
        """Write a document's row, its entity and its aliases, replacing what an earlier version left."""
        with self._engine.atomic():
            before = self._delete_document(document.key)
            now = self._insert_document(document)
            if before not in (None, now):
                self._extract_again_where_mentioned(before)

    def write(self, batch: Sequence[PassageWork], vectors: Sequence[Embedded]) -> None:
        """Write passages with everything derived from them, and mark documents whose last passage this is."""
        with self._engine.atomic():
            for work, embedded in zip(batch, vectors, strict=True):
                self._insert_passage(work, embedded)
            done = [(document_id(work.document.key),) for work in batch if work.is_last]
            self._many("UPDATE documents SET complete = 1 WHERE id = ?", done)

    def complete_document(self, key: str) -> None:
        """Mark a document whose passages are all there."""
        with self._engine.atomic():
            self._engine.execute("UPDATE documents SET complete = 1 WHERE id = ?", (document_id(key),))

    def remove(self, keys: Iterable[str]) -> None:
        """Forget documents and all that was derived from them, and what other transactions have left of documents."""
        with self._engine.atomic():
            for key in keys:
                self._extract_again_where_mentioned(self._delete_document(key))
            self._prune_entities()
            self.cache.prune(judgements=True)
            self._engine.execute("DELETE FROM meta WHERE key = ?", (LEFTOVERS,))

    @property
    def has_leftovers(self) -> bool:
        """Whether documents have been replaced, and what only their earlier versions said is still to be forgotten."""
        return bool(self.rows("SELECT 1 FROM meta WHERE key = ?", (LEFTOVERS,)))

    def unextracted(self) -> list[StoredPassage]:
        """The passages that no model has extracted, in the order of documents and places."""
        return self._passages(self.rows(_PASSAGE + "WHERE p.extraction = '' ORDER BY d.key, p.ordinal"))

    def passages(self, ids: Iterable[int]) -> list[StoredPassage]:
        """The passages with these ids, in the order asked; an unknown id is left out."""
        rows = (self.rows(_PASSAGE + "WHERE p.id = ?", (one,)) for one in dict.fromkeys(ids))
        return self._passages([row for found in rows for row in found])

    def _passages(self, rows: Iterable[Sequence[Any]]) -> list[StoredPassage]:
        sql = 'SELECT start, "end" FROM sentences WHERE passage = ? ORDER BY start'
        return [
            StoredPassage(
                Document(key, title, "", source, root, metadata=json.loads(metadata)),
                Piece(ordinal, start, end, page, text, path_of(above)),
                tuple((at, to) for at, to in self.rows(sql, (own,))),
                extraction,
            )
            for own, key, title, ordinal, start, end, page, text, above, extraction, metadata, source, root in rows
        ]

    def text_of(self, key: str) -> str:
        """A document's text as its passages have it, each at its place; "" for an unknown key."""
        sql = "SELECT start, text FROM passages WHERE document = ? ORDER BY ordinal"
        parts: list[str] = []
        end = 0
        for start, words in self.rows(sql, (document_id(key),)):
            parts += ["\n" * (start - end), words]  # between passages is white space alone
            end = start + len(words)
        return "".join(parts)

    def links(self, passage: StoredPassage) -> list[Link]:
        """The links that stand in a passage, by its characters, as they were written."""
        own = passage_id(passage.document, passage.piece)
        rows = self.rows('SELECT start, "end", target FROM links WHERE passage = ? ORDER BY start', (own,))
        return [Link(*row) for row in rows]

    def extract_anew(self, batch: Sequence[PassageWork]) -> None:
        """Replace all that was extracted from stored passages by rule; titles are to be looked for in them again."""
        with self._engine.atomic():
            for work in batch:
                own = passage_id(work.document, work.piece)
                old = self.rows("SELECT entity FROM mentions WHERE passage = ?", (own,))
                self._engine.execute("DELETE FROM mentions WHERE passage = ?", (own,))
                self._replace_facts(own, work, [row[0] for row in old])
                self._engine.execute("UPDATE documents SET linked = 0 WHERE id = ?", (document_id(work.document.key),))

    def replace_facts(self, batch: Sequence[PassageWork]) -> None:
        """Replace what was extracted from stored passages; texts and vectors stay, and names that are still there.

        Names that only the replaced facts had are forgotten.
        """
        with self._engine.atomic():
            for work in batch:
                own = passage_id(work.document, work.piece)
                self._replace_facts(own, work, ())
                self._engine.execute("UPDATE passages SET extraction = ? WHERE id = ?", (work.extraction, own))

    def _replace_facts(self, passage: int, work: PassageWork, perhaps_gone: Sequence[int]) -> None:
        """Write a passage's facts in the place of those it had, and forget the names that nothing refers to now."""
        old = self.rows("SELECT head FROM triples WHERE passage = ? UNION SELECT tail FROM triples WHERE passage = ?",
                        (passage, passage))  # fmt: skip
        for statement in ("DELETE FROM triples WHERE passage = ?", "DELETE FROM entity_types WHERE passage = ?",
                          "DELETE FROM links WHERE passage = ?"):  # fmt: skip
            self._engine.execute(statement, (passage,))
        self._insert_graph(passage, work, [content_id("sentence", passage, start) for start, _ in work.sentences])
        self._prune_entities([*(row[0] for row in old), *perhaps_gone])

    @property
    def cache(self) -> ModelCache:
        """What language models have answered."""
        return ModelCache(self._engine)

    def look_for_titles_again(self) -> None:
        """Have titles be looked for in the documents that were marked to be extracted again."""
        with self._engine.atomic():
            self._engine.execute("UPDATE documents SET linked = 0 WHERE linked = -1")

    def add_title_mentions(self, documents: Sequence[int], rows: Sequence[tuple[int, int, int, int]]) -> None:
        """Write mentions (passage, start, end, entity) and mark `documents` as looked for."""
        with self._engine.atomic():
            self._many('INSERT OR IGNORE INTO mentions(passage, start, "end", entity) VALUES (?, ?, ?, ?)', rows)
            self._many("UPDATE documents SET linked = 1 WHERE id = ?", [(one,) for one in documents])

    def add_entity_vectors(self, ids: Sequence[int], codes: Codes) -> None:
        """Write the vectors of entity names; codes of shape (len(ids), dimension)."""
        with self._engine.atomic():
            self._engine.add_codes("entity", ids, codes)

    def name_codes(self) -> Iterator[tuple[Ids, Codes]]:
        """The ids of names that have vectors, with these, part by part; nothing may be written before the last."""
        return self._engine.codes("entity", self.embedder.dimension)

    def name_codes_of(self, ids: Sequence[int]) -> Codes:
        """The vectors of those of the names that have one, shape (n, dimension)."""
        found = self._engine.codes_of("entity", ids, self.embedder.dimension)
        return np.frombuffer(b"".join(found.values()), dtype=np.int8).reshape(-1, self.embedder.dimension)

    def linked_passages_saying(self, words: str) -> list[tuple[int, str]]:
        """(id, text) of the passages whose text has these words one after the other, of documents that titles have
        been looked for in.
        """
        sought, bound = self._engine.matching("passages", [[Phrase(words, column="text")]])
        return self.rows(
            "SELECT p.id, p.text FROM passages p JOIN documents d ON d.id = p.document "  # noqa: S608 - fixed text
            f"WHERE d.linked = 1 AND p.id IN ({sought})",
            bound,
        )

    def add_synonyms(self, rows: Sequence[tuple[int, int, float]]) -> None:
        """Write synonym edges (smaller id, larger id, cosine)."""
        with self._engine.atomic():
            self._many(
                "INSERT INTO synonyms(a, b, similarity) VALUES (?, ?, ?) "
                "ON CONFLICT (a, b) DO UPDATE SET similarity = excluded.similarity",
                rows,
            )

    @property
    def is_pairing(self) -> bool:
        """Whether names have got vectors whose synonyms may not be written."""
        return bool(self.rows("SELECT 1 FROM meta WHERE key = ?", (PAIRING,)))

    def begin_pairing(self) -> None:
        """Have the file say that names get vectors, and that their synonyms are still to be written."""
        self.set_meta(**{PAIRING: "1"})

    def end_pairing(self) -> None:
        """Have the file say that all synonyms are written."""
        with self._engine.atomic():
            self._engine.execute("DELETE FROM meta WHERE key = ?", (PAIRING,))

    def remove_synonyms(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Forget synonym edges (smaller id, larger id)."""
        with self._engine.atomic():
            self._many("DELETE FROM synonyms WHERE a = ? AND b = ?", pairs)

    def begin_work(self) -> None:
        """Have the file say that it is not finished, until `set_meta` says that it is."""
        with self._engine.atomic():
            self._many(_META, [(FINISHED, "0")])

    def keep_stamps(self, stamps: Iterable[Stamp], outdated: Iterable[Stamp] = ()) -> None:
        """Keep what files looked like when they were read, in the place of what is known of them.

        Of the `outdated` ones nothing is kept: those files are read the next time.
        """
        with self._engine.atomic():
            write_stamps(self._engine, stamps, outdated)

    def move_folders(self, moved: Mapping[str, str]) -> None:
        """Have what came from folders be of where these lie now; `moved` says from where to where."""
        with self._engine.atomic():
            move_folders(self._engine, moved)

    def set_meta(self, **values: str) -> None:
        """Write metadata."""
        with self._engine.atomic():
            self._many(_META, sorted(values.items()))

    def meta(self) -> dict[str, str]:
        """All metadata."""
        return dict(self.rows("SELECT key, value FROM meta"))

    def optimize(self) -> None:
        """Refresh the statistics that the planner of queries uses."""
        self._engine.optimize()

    def _create_vectors(self, engine: WritingEngine) -> None:
        if engine.rows("SELECT 1 FROM meta WHERE key = 'embedding_model'"):
            return
        dimension = int(self.embedder.dimension)
        engine.create_vectors(dimension)
        made = (("embedding_model", self.embedder.name), ("embedding_dimension", str(dimension)), (FINISHED, "0"))
        engine.many(_META, made)

    def _many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        self._engine.many(sql, rows)

    def _insert_entities(self, names: Iterable[tuple[str, str, str]]) -> None:
        rows = [(entity_id(key), key, name, kind) for key, name, kind in names]
        self._many("INSERT OR IGNORE INTO entities(id, key, name, kind) VALUES (?, ?, ?, ?)", rows)

    def _extract_again_where_mentioned(self, entity: int | None) -> None:
        """Mark the documents that mention what no longer is a document's title, or no longer is this one's."""
        self._engine.execute(
            "UPDATE documents SET linked = -1 WHERE complete = 1 AND id IN "
            "(SELECT p.document FROM mentions m JOIN passages p ON p.id = m.passage WHERE m.entity = ?)",
            (entity,),
        )

    def _insert_document(self, document: Document) -> int:
        """Write a document's row, its entity, which is returned, and its aliases."""
        key = name_key(document.title) or name_key(document.key) or "untitled"
        entity, own = entity_id(key), document_id(document.key)
        self._insert_entities([(key, document.title, "name")])
        metadata = json.dumps(dict(document.metadata), ensure_ascii=False, sort_keys=True)
        self._engine.execute(
            "INSERT INTO documents(id, key, title, entity, source, root, format, digest, metadata, complete, linked) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)",
            (own, document.key, document.title, entity, document.source, document.root, document.format,
             document.digest, metadata),
        )  # fmt: skip
        keys = (key, *title_aliases(document.title), *filter(None, map(name_key, document.other_names)))
        aliases = [(alias, entity, own) for alias in keys]
        self._many("INSERT OR IGNORE INTO aliases(key, entity, document) VALUES (?, ?, ?)", aliases)
        return entity

    def _insert_passage(self, work: PassageWork, embedded: Embedded) -> None:
        document, piece = work.document, work.piece
        own = passage_id(document, piece)
        self._engine.execute(
            'INSERT INTO passages(id, document, ordinal, start, "end", page, title, text, extraction, section) '
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                own,
                document_id(document.key),
                piece.ordinal,
                piece.start,
                piece.end,
                piece.page,
                document.title,
                piece.text,
                work.extraction,
                section(piece.above),
            ),
        )
        self._engine.add_codes("passage", [own], eight_bits(embedded.passage[None]))
        sentence_ids = self._insert_sentences(own, work.sentences, embedded.sentences)
        self._insert_graph(own, work, sentence_ids)

    def _insert_sentences(
        self, passage: int, spans: Sequence[tuple[int, int]], vectors: NDArray[np.float32]
    ) -> list[int]:
        ids = [content_id("sentence", passage, start) for start, _ in spans]
        rows = [(one, passage, start, end) for one, (start, end) in zip(ids, spans, strict=True)]
        self._many('INSERT INTO sentences(id, passage, start, "end") VALUES (?, ?, ?, ?)', rows)
        self._engine.add_codes("sentence", ids, eight_bits(vectors))
        return ids

    def _insert_graph(self, passage: int, work: PassageWork, sentence_ids: Sequence[int]) -> None:
        self._insert_entities([(one.key, one.name, one.kind) for one in work.mentions])
        self._insert_entities(work.names)
        mentions = [(passage, one.start, one.end, entity_id(one.key)) for one in work.mentions]
        self._many('INSERT OR IGNORE INTO mentions(passage, start, "end", entity) VALUES (?, ?, ?, ?)', mentions)
        triples = [
            (
                content_id("triple", sentence_ids[one.sentence], one.head, one.relation, one.tail),
                entity_id(one.head), one.relation, entity_id(one.tail),
                passage, sentence_ids[one.sentence], work.origin, one.qualifiers,
            )
            for one in work.triples
        ]  # fmt: skip
        self._many(
            "INSERT OR IGNORE INTO triples(id, head, relation, tail, passage, sentence, origin, qualifiers) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            triples,
        )
        types = [(entity_id(key), passage, kind) for key, kind in work.types]
        self._many("INSERT OR IGNORE INTO entity_types(entity, passage, type) VALUES (?, ?, ?)", types)
        links = [(passage, one.link.start, one.link.end, one.link.target, one.title, one.sender) for one in work.links]
        self._many('INSERT INTO links(passage, start, "end", target, title, sender) VALUES (?, ?, ?, ?, ?, ?)', links)
        self._insert_first_names(work)
        self._insert_tickets(work)
        if work.opening:
            title = name_key(work.document.title) or name_key(work.document.key) or "untitled"
            alias = (work.opening, entity_id(title), document_id(work.document.key))
            self._engine.execute("INSERT OR IGNORE INTO aliases(key, entity, document) VALUES (?, ?, ?)", alias)

    def _insert_first_names(self, work: PassageWork) -> None:
        """The first words of full names as other names of whoever has them, said by this document."""
        rows = [
            (first, entity_id(key), document_id(work.document.key))
            for key in map(name_key, work.full_names)
            if len(first := key.split()[0]) > 1
        ]
        self._insert_entities((name_key(name), name, "name") for name in work.full_names)
        self._many("INSERT OR IGNORE INTO aliases(key, entity, document) VALUES (?, ?, ?)", rows)

    def _insert_tickets(self, work: PassageWork) -> None:
        """Ticket ids as other names: with their hyphen, as no normalised name has one, so that only tickets match."""
        named = [(ticket.casefold(), name_key(name), name) for ticket, name in work.tickets if name_key(name)]
        self._insert_entities((key, name, "name") for _, key, name in named)
        rows = [(ticket, entity_id(key), document_id(work.document.key)) for ticket, key, _ in named]
        self._many("INSERT OR IGNORE INTO aliases(key, entity, document) VALUES (?, ?, ?)", rows)

    def _delete_document(self, key: str) -> int | None:
        """Forget a document; returns the entity that it was about, None where there is no such document."""
        own = document_id(key)
        rows = self.rows("SELECT entity, root, source FROM documents WHERE id = ?", (own,))
        if not rows:
            return None
        entity, *known = rows[0]
        self._many(_META, [(LEFTOVERS, "1")])
        sentences = "SELECT s.id FROM sentences s JOIN passages p ON p.id = s.passage WHERE p.document = ?"
        self._engine.drop_codes("sentence", [row[0] for row in self.rows(sentences, (own,))])
        passages = self.rows("SELECT id FROM passages WHERE document = ?", (own,))
        self._engine.drop_codes("passage", [row[0] for row in passages])
        self._engine.execute("DELETE FROM passages WHERE document = ?", (own,))
        self._engine.execute("DELETE FROM documents WHERE id = ?", (own,))
        self._engine.execute("DELETE FROM file_stamps WHERE root = ? AND source = ?", known)
        return int(entity)

    def _prune_entities(self, among: Sequence[int] | None = None) -> None:
        prune_entities(self._engine, among)


def prune_entities(engine: WritingEngine, among: Sequence[int] | None = None) -> None:
    """Forget names that nothing refers to, of all or of those in `among`, in the caller's transaction."""
    orphans = (
        "SELECT id FROM entities e WHERE {} NOT EXISTS (SELECT 1 FROM mentions WHERE entity = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM documents WHERE entity = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM triples WHERE head = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM triples WHERE tail = e.id)"
    )
    if among is None:
        rows = [(row[0],) for row in engine.rows(orphans.format(""))]
    else:
        one_of = orphans.format("e.id = ? AND")
        rows = [(one,) for one in among if engine.rows(one_of, (one,))]
    engine.many("DELETE FROM synonyms WHERE a = ?", rows)
    engine.many("DELETE FROM synonyms WHERE b = ?", rows)
    engine.drop_codes("entity", [row[0] for row in rows])
    engine.many("DELETE FROM entities WHERE id = ?", rows)
