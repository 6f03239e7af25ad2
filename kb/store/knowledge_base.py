"""A knowledge base opened to read: search, look-up, and the graph as arrays."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from kb.errors import BadFileError, ClewError, LockedFileError, UsageError, WrongModelError
from kb.graph.fact_graph import FactGraph, load_fact_graph
from kb.graph.passage_graph import Graph, Rows, SentenceRows, SentenceVectors, load_graph
from kb.graph.stored_vectors import Table, joined, unit_rows
from kb.name_keys import name_key, ticket_key
from kb.records import Entity, EntityMatch, Info, Passage, Triple
from kb.store.addresses import place
from kb.store.aliases import ALIASES, told_apart
from kb.store.dense import KeptCodes, highest
from kb.store.embeddings import Embedder, load_embedder
from kb.store.engine import Engine, PassageVectors, Scan
from kb.store.graph_rows import Of
from kb.store.open_base import open_to_read
from kb.store.passage_links import PassageLinks
from kb.store.stamps import FINISHED

_WORD = re.compile(r"\w+")
_QUERY_WORDS = 64
"""Distinct words of a query that full text search looks at; more only costs time."""
_COMMON_WORDS = frozenset(
    """a an the of in on at by for from to with and or is are was were be been do does did has have had that this which
    who whom whose what when where how it its as not he she his her they their i you we""".split()
)
"""Words in nearly every passage: they cost most of the search's time and tell nothing."""
_CACHED_VECTORS = 4096
_KEPT_VECTORS = 32_768
"""Vectors of sentences that were looked at and are kept: 13 MB."""
_WORD_HITS = 100
"""Passages that a search for words looks for at least, and remembers."""
_REMEMBERED = 96
"""Intermediate results that `once` keeps."""
_PARTS = 3
"""Graphs around questions that are kept: some 10 MB each."""

_PASSAGE = (
    'SELECT p.id, d.key, p.title, p.text, d.source, p.start, p."end", p.page, p.ordinal{} '
    "FROM passages p JOIN documents d ON d.id = p.document "
)
_ENTITY = (
    "SELECT e.id, e.name, "
    "CASE WHEN EXISTS (SELECT 1 FROM documents d WHERE d.entity = e.id) THEN 'title' ELSE e.kind END, {} "
    "FROM entities e WHERE e.id IN "
)
_KEPT_DEGREE = "coalesce((SELECT passages FROM degrees g WHERE g.entity = e.id), 0)"
_COUNTED_DEGREE = "(SELECT count(DISTINCT m.passage) FROM mentions m WHERE m.entity = e.id)"
"""How a name's degree is found in a file that no newer clew has written to."""
_TRIPLE = (
    "SELECT t.id, t.head, h.name, t.relation, t.tail, o.name, t.passage, t.sentence, "
    'substr(p.text, s.start + 1, s."end" - s.start) '
    "FROM triples t JOIN entities h ON h.id = t.head JOIN entities o ON o.id = t.tail "
    "JOIN sentences s ON s.id = t.sentence JOIN passages p ON p.id = t.passage "
)
Floats = NDArray[np.float32]
_T = TypeVar("_T")


class KnowledgeBase:
    """One file or database, opened read-only; a context manager. It may be used from any thread, by one at a time."""

    def __init__(self, engine: Engine, meta: dict[str, str]) -> None:
        self.path = engine.place
        self._engine = engine
        self._meta = meta
        self._state = engine.state()
        self._vectors: dict[str, Floats] = {}
        self._made: dict[Hashable, Any] = {}
        self._parts: dict[Hashable, KnowledgeBase] = {}

    @classmethod
    def open(cls, path: str | Path) -> KnowledgeBase:
        """Open a file, or a server's database by its address. Raises NotAKnowledgeBase, NewerFileError,
        DamagedFileError, LockedFileError, BadFileError for a server that is away.
        """
        engine = open_to_read(place(path))
        try:
            return cls(engine, dict(engine.rows("SELECT key, value FROM meta")))
        except BaseException:
            engine.close()
            raise

    def __enter__(self) -> KnowledgeBase:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        self.close()
        if isinstance(error, Exception) and (told := self.explained(error)) is not error:
            raise told from error

    def explained(self, error: Exception) -> Exception:
        """What to raise in the place of an error met while the file was used: one that a user can do something about,
        where the file is damaged, or was written to between two looks at it; otherwise the error itself.
        """
        from kb.store.check import damage_in

        if isinstance(error, (ClewError, OSError)):
            return error
        try:
            problem = next(iter(damage_in(self.path)), "")
        except BadFileError as found:
            return found
        if problem:
            return self._engine.damaged(problem)
        return self._changed() or error

    def _changed(self) -> LockedFileError | None:
        """What to raise where the file was written to since it was opened."""
        if self._engine.state() == self._state:
            return None
        return LockedFileError(f"{str(self.path)!r} was changed while it was read; ask again")

    def close(self) -> None:
        """Close the file; the object is of no use afterwards."""
        self._engine.close()

    def once(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What `make` gives, made once for a key: techniques that follow each other on a question need the same things.

        The file does not change while it is open to read, so nothing kept here goes stale; of many keys the oldest go.
        """
        if key not in self._made:
            if len(self._made) >= _REMEMBERED:
                del self._made[next(iter(self._made))]
            self._made[key] = make()
        made: _T = self._made[key]
        return made

    @property
    def whole(self) -> KnowledgeBase:
        """What this is a part of, or itself."""
        return self

    def part(self, key: Hashable, make: Callable[[], KnowledgeBase]) -> KnowledgeBase:
        """The part of it that `make` gives (kb/store/subgraph.py), made once for a key; the latest few are kept. A
        part's part is itself.
        """
        part = self._parts.pop(key, None) or make()
        self._parts[key] = part  # the latest stands last
        while len(self._parts) > _PARTS:
            self._parts.pop(next(iter(self._parts))).forget()
        return part

    def forget(self) -> None:
        """Drop what was made of it, which is made again where it is asked for: some of it refers back to this."""
        self._made.clear()
        self.__dict__.pop("sentence_vectors", None)

    # -- what the file is ---------------------------------------------------------------------------------------------

    @property
    def embedding_model(self) -> str:
        """The name of the model that the vectors come from."""
        return self._meta["embedding_model"]

    @property
    def dimension(self) -> int:
        """Components of the vectors."""
        return int(self._meta["embedding_dimension"])

    @property
    def is_finished(self) -> bool:
        """Whether the latest build came to its end before the file was opened."""
        return self._meta.get(FINISHED) != "0"

    def info(self) -> Info:
        """Counts and origins."""
        tables = ("documents", "passages", "sentences", "entities", "triples", "mentions", "synonyms")
        counts = {one: self._engine.count(one) for one in tables}
        unfinished = self._scalar("SELECT count(*) FROM documents WHERE complete = 0 OR linked <> 1")
        by_model = "SELECT count(*) FROM passages WHERE extraction <> ''"
        return Info(
            path=str(self.path),
            bytes=self._engine.size(),
            schema=self._engine.schema(),
            embedding_model=self.embedding_model,
            dimension=int(self._meta["embedding_dimension"]),
            extractor=self._meta.get("extractor", "rules"),
            model_extracted=self._scalar(by_model) if self._has_model_answers else 0,
            complete=not unfinished and "extractor" in self._meta,
            **counts,
        )

    def documents(self) -> list[tuple[str, str, int, dict[str, Any]]]:
        """(key, title, passages, metadata) of every document, by key."""
        rows = self._rows(
            "SELECT d.key, d.title, count(p.id), d.metadata FROM documents d LEFT JOIN passages p ON p.document = d.id "
            "GROUP BY d.id ORDER BY d.key"
        )
        return [(key, title, count, json.loads(metadata)) for key, title, count, metadata in rows]

    @cached_property
    def passage_count(self) -> int:
        """Passages."""
        return self._engine.count("passages")

    # -- vectors ------------------------------------------------------------------------------------------------------

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit rows, shape (len(texts), dimension), by the file's own model; repeated texts cost nothing."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            if len(self._vectors) > _CACHED_VECTORS:
                self._vectors.clear()
                missing = list(dict.fromkeys(texts))
            self._vectors.update(zip(missing, self._embedder.embed(missing), strict=True))
        if not texts:
            return np.zeros((0, int(self._meta["embedding_dimension"])), dtype=np.float32)
        return np.stack([self._vectors[text] for text in texts])

    def passage_vectors(self, ids: Sequence[int] | NDArray[np.int64]) -> Floats:
        """Unit rows, shape (len(ids), dimension), of stored passages."""
        with self._sound():
            return self._codes.rows(ids)

    def scan(self, vectors: Floats) -> Scan:
        """The cosines of all passages with the vectors, shape (n, dimension)."""
        return self._codes.scan(vectors, lambda ids: self._refuse_unknown("passages", ids.tolist()))

    def scan_of(self, text: str) -> Scan:
        """The cosines of all passages with a text. Those of the latest are kept, four bytes for each passage: what is
        searched for is what a technique then looks around.
        """
        kept: dict[str, Scan] = self.whole.once("scan_of", dict)
        if text not in kept:
            kept.clear()
            kept[text] = self.scan(self.embed([text]))
        return kept[text]

    # -- search -------------------------------------------------------------------------------------------------------

    def search_dense(self, vector: Floats, k: int) -> list[tuple[int, float]]:
        """(passage id, cosine) of the k nearest passages, best first, ties by id."""
        return self.scan(vector[None].astype(np.float32)).nearest(k)

    def search_entities(self, vector: Floats, k: int) -> list[tuple[int, float]]:
        """(entity id, cosine) of the k nearest entity names, best first, ties by id."""
        return self.once(("search_entities", vector.tobytes(), k), lambda: self._nearest_names(vector, k))

    def _nearest_names(self, vector: Floats, k: int) -> list[tuple[int, float]]:
        if k < 1:
            return []
        ids, cosines = self._whole(lambda _: self._name_cosines(vector.astype(np.float32)))
        best = highest(cosines, k)
        self._refuse_unknown("entities", ids[best].tolist())
        return [(int(ids[at]), float(cosines[at])) for at in best]

    def _name_cosines(self, vector: Floats) -> tuple[NDArray[np.int64], Floats]:
        """The ids of all names that have a vector, ascending, and its cosines: of the vectors a part at a time."""
        parts = [
            (ids, np.einsum("ij,j->i", unit_rows(codes), vector))
            for ids, codes in self._engine.codes("entity", self.dimension)
        ]
        ids = np.concatenate([np.zeros(0, dtype=np.int64), *(part[0] for part in parts)])
        cosines = np.concatenate([np.zeros(0, dtype=np.float32), *(part[1] for part in parts)])
        order = np.argsort(ids)
        return ids[order], cosines[order]

    def search_words(self, text: str, k: int) -> list[tuple[int, float]]:
        """(passage id, BM25 score) of the k best passages for the words of `text`, best first, ties by id.

        Scores are positive, higher is better; a title's words count double. No words, no results.
        """
        every = list(dict.fromkeys(_WORD.findall(text.casefold())))
        words = ([word for word in every if word not in _COMMON_WORDS] or every)[:_QUERY_WORDS]
        if not words or k < 1:
            return []
        if k > _WORD_HITS:
            return self._best_by_words(words, k)
        # Several techniques search for the same words, and for other numbers of passages.
        return self.whole.once(("search_words", *words), lambda: self._best_by_words(words, _WORD_HITS))[:k]

    def _best_by_words(self, words: Sequence[str], k: int) -> list[tuple[int, float]]:
        found = self._engine.best("passages", words, k)
        known = [(one, score) for one, score in found if one is not None]
        if len(known) < len(found):
            raise self._changed() or self._engine.damaged("an index of passages holds what is none of them")
        return known

    # -- look-up ------------------------------------------------------------------------------------------------------

    def passage(self, passage_id: int) -> Passage:
        """One passage. Raises UsageError where there is none of this id."""
        found = self.passages([passage_id])
        if not found:
            raise UsageError(f"there is no passage {passage_id!r} in this knowledge base; take an id from a search")
        return found[0]

    def passages(self, ids: Sequence[int]) -> list[Passage]:
        """Passages in the order asked; an unknown id is left out."""
        rows = self._by_ids(self._passage + "WHERE p.id IN ", ids)
        found = {row[0]: Passage(*row) for row in rows}
        return [found[one] for one in ids if one in found]

    def document_passages(self, key: str) -> list[Passage]:
        """All passages of a document in their order; none for an unknown key."""
        return [Passage(*row) for row in self._rows(self._passage + "WHERE d.key = ? ORDER BY p.ordinal", (key,))]

    def entity(self, entity_id: int) -> Entity:
        """One entity. Raises UsageError where there is none of this id."""
        found = self.entities([entity_id])
        if not found:
            raise UsageError(f"there is no entity {entity_id!r} in this knowledge base; take an id from a look-up")
        return found[0]

    def entities(self, ids: Sequence[int]) -> list[Entity]:
        """Entities in the order asked; an unknown id is left out."""
        found = {row[0]: Entity(*row) for row in self._by_ids(self._entity, ids)}
        return [found[one] for one in ids if one in found]

    def named(self, keys: Sequence[str]) -> dict[str, list[int]]:
        """Entities by normalised name or alias: of each key that is known, the ids of what it may mean.

        What documents call their own subject may mean each of them ("Mimi" a song and an opera). A first name or a
        ticket's id, however it is written ("OPS-17", "ops 17"), leads to what begins with it only where that is one,
        whoever has a document of their own.
        """
        wanted = list(dict.fromkeys(keys))
        tickets = {ticket: key for key in wanted if (ticket := ticket_key(key))}
        found: dict[str, set[int]] = {}
        for key, entity in self._by_ids("SELECT key, id FROM entities WHERE key IN ", wanted):
            found.setdefault(key, set()).add(entity)
        for meant in told_apart(self._by_ids(f"{ALIASES}WHERE a.key IN ", [*wanted, *tickets])):
            for key, entities in meant.items():
                for asked in {key, tickets.get(key, key)}.intersection(wanted):
                    found.setdefault(asked, set()).update(entities)
        return {key: sorted(ids) for key, ids in sorted(found.items())}

    def find_entities(self, mention: str, k: int = 5) -> list[EntityMatch]:
        """The k entities whose names cover most of a mention's words; ties by mentions, then id (CS-RAG, section 3.2).

        The score is the share of the mention's words that are in the name, times the share of the name's that are in
        the mention to the power of one fifth, so that among names with all the words the tightest comes first. None for
        a mention without words.
        """
        words = name_key(mention).split()
        if not words or k < 1:
            return []
        exact = [one for ids in self.named([" ".join(words)]).values() for one in ids]
        found = self._engine.best("entities", list(dict.fromkeys(words[:_QUERY_WORDS])), 10 * k)
        ids = list(dict.fromkeys([*exact, *(one for one, _ in found if one is not None)]))
        scored = [
            EntityMatch(entity, 1.0 if entity.id in exact else token_coverage(words, name_key(entity.name).split()))
            for entity in self.entities(ids)
        ]
        scored.sort(
            key=lambda match: (-match.score, match.entity.kind != "title", -match.entity.passages, match.entity.id)
        )
        return [match for match in scored if match.score > 0][:k]

    def triples_of(self, entity_ids: Iterable[int], limit: int = 1000) -> list[Triple]:
        """Triples with one of the entities at either end, by id; of each entity the first `limit` at each end."""
        found: dict[int, Triple] = {}
        for one in dict.fromkeys(entity_ids):
            for column in ("t.head", "t.tail"):
                for row in self._rows(_TRIPLE + f"WHERE {column} = ? ORDER BY t.id LIMIT ?", (one, limit)):
                    found[row[0]] = Triple(*row)
        return [found[one] for one in sorted(found)]

    def triples(self, ids: Sequence[int]) -> list[Triple]:
        """Triples in the order asked; an unknown id is left out."""
        found = {row[0]: Triple(*row) for row in self._by_ids(_TRIPLE + "WHERE t.id IN ", ids)}
        return [found[one] for one in ids if one in found]

    def passage_triples(self, passage_ids: Sequence[int]) -> list[Triple]:
        """Triples that come from the passages, by id."""
        rows = self._by_ids(_TRIPLE + "WHERE t.passage IN ", list(dict.fromkeys(passage_ids)))
        return sorted((Triple(*row) for row in rows), key=lambda triple: triple.id)

    def qualifiers(self, triple_ids: Sequence[int]) -> dict[int, dict[str, str]]:
        """What qualifies triples, as in {"year": "1931"}, of those that have qualifiers: a model extracted them."""
        if not self._has_model_answers:
            return {}
        rows = self._by_ids("SELECT id, qualifiers FROM triples WHERE qualifiers <> '{}' AND id IN ", triple_ids)
        return {row[0]: json.loads(row[1]) for row in sorted(rows)}

    def entity_types(self, entity_ids: Sequence[int]) -> dict[int, str]:
        """The type that most passages give an entity, ties by the alphabet; only a model tells types."""
        if not self._has_model_answers:
            return {}
        counted = "SELECT entity, type FROM entity_types WHERE entity IN "
        rows = self._by_ids(
            counted, list(dict.fromkeys(entity_ids)), " GROUP BY entity, type ORDER BY count(*), type DESC"
        )
        return {row[0]: row[1] for row in rows}

    def passage_mentions(self, passage_ids: Sequence[int]) -> list[tuple[int, int, int, int]]:
        """(passage, start, end, entity) of every mention in the passages, by passage and place."""
        rows = self._by_ids('SELECT passage, start, "end", entity FROM mentions WHERE passage IN ', passage_ids)
        return sorted((row[0], row[1], row[2], row[3]) for row in rows)

    def passage_sentences(self, passage_ids: Sequence[int]) -> list[tuple[int, int, int, int]]:
        """(passage, start, end, sentence id) of every sentence in the passages, by passage and place."""
        rows = self._by_ids('SELECT passage, start, "end", id FROM sentences WHERE passage IN ', passage_ids)
        return sorted((row[0], row[1], row[2], row[3]) for row in rows)

    def mentioning(self, entity_ids: Iterable[int], limit: int = 1000) -> list[tuple[int, int]]:
        """(entity, passage) of the passages that mention the entities, by id; at most `limit`."""
        rows = self._by_ids(
            "SELECT DISTINCT entity, passage FROM mentions WHERE entity IN ",
            sorted(set(entity_ids)),
            f" LIMIT {int(limit)}",
        )
        return sorted((row[0], row[1]) for row in rows)

    def title_entities(self, ids: Iterable[int]) -> set[int]:
        """Those of the entities that have a document of their own."""
        return {
            row[0] for row in self._by_ids("SELECT DISTINCT entity FROM documents WHERE entity IN ", sorted(set(ids)))
        }

    @cached_property
    def links(self) -> PassageLinks:
        """What passages have to do with each other, looked up."""
        return PassageLinks(self._by_ids, self._mentions, has_degrees=self._has_degrees)

    def _mentions(self, of: Of, ids: Sequence[int]) -> NDArray[np.int64]:
        with self._sound():
            return self._engine.graph_rows.mentions(of, ids)

    @cached_property
    def sentence_vectors(self) -> SentenceVectors:
        """The vectors of sentences, each read when it is looked at."""
        every = partial(self._whole, self._all_sentences)
        return SentenceVectors(self._sentence_rows, every, self.dimension, self._sound)

    def _all_sentences(self, _: Rows) -> SentenceRows:
        return SentenceRows(*joined(self._engine.codes("sentence", self.dimension), self.dimension))

    def _sentence_rows(self, ids: Sequence[int]) -> Any:
        with self._sound():
            return self._sentences_read.rows(ids)

    @cached_property
    def graph(self) -> Graph:
        """The whole graph as arrays, read once."""
        return self._whole(lambda rows: load_graph(rows, self._all_vectors("passage")))

    @cached_property
    def fact_graph(self) -> FactGraph:
        """The graph of facts as arrays, read once."""
        return self._whole(lambda rows: load_fact_graph(rows, self._all_vectors("entity")))

    # -- inside -------------------------------------------------------------------------------------------------------

    @cached_property
    def _codes(self) -> PassageVectors:
        return self._whole(lambda _: self._engine.passage_vectors(self.dimension))

    def _all_vectors(self, table: Table) -> tuple[NDArray[np.int64], Floats]:
        ids, codes = joined(self._engine.codes(table, self.dimension), self.dimension)
        return ids, unit_rows(codes)

    @cached_property
    def _sentences_read(self) -> KeptCodes:
        return KeptCodes(partial(self._engine.codes_of, "sentence"), self.dimension, _KEPT_VECTORS)

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """What is said of the file where it does not fit together, in size or in what it refers to."""
        try:
            yield
        except (TypeError, ValueError, IndexError) as error:
            raise self._changed() or self._engine.damaged(error) from error

    @cached_property
    def _embedder(self) -> Embedder:
        embedder = load_embedder(self.embedding_model)
        if embedder.dimension != int(self._meta["embedding_dimension"]):
            raise WrongModelError(
                f"{str(self.path)!r} holds vectors of {self._meta['embedding_dimension']} dimensions, and "
                f"{embedder.name!r} makes {embedder.dimension}; build the file again"
            )
        return embedder

    @cached_property
    def _has_model_answers(self) -> bool:
        return self._has("m002_model_answers")

    @cached_property
    def _has_degrees(self) -> bool:
        return self._has("m006_degrees")

    @cached_property
    def _entity(self) -> str:
        """How an `Entity` is read."""
        return _ENTITY.format(self.degree)

    @property
    def degree(self) -> str:
        """How it is read in how many passages an entity `e` is mentioned."""
        return _KEPT_DEGREE if self._has_degrees else _COUNTED_DEGREE

    @cached_property
    def _passage(self) -> str:
        """How a `Passage` is read; a file that no newer clew has written to knows of no sections."""
        return _PASSAGE.format(", p.section" if self._has("m003_sections") else "")

    def _has(self, migration: str) -> bool:
        return self._engine.has(migration)

    def _whole(self, load: Callable[[Rows], _T]) -> _T:
        """Rows that do not fit together, in size or in what they refer to, are damage that the engine cannot see.

        They are read in one transaction: what is written meanwhile does not come between them.
        """
        with self._engine.snapshot(), self._sound():
            return load(self._rows)

    def _refuse_unknown(self, table: Literal["passages", "entities"], ids: Sequence[int]) -> None:
        """Raise where there are vectors of what the table does not hold: it was removed since, or there is damage."""
        known = {row[0] for row in self._by_ids(f"SELECT id FROM {table} WHERE id IN ", ids)}  # noqa: S608 - fixed names
        if not known.issuperset(ids):
            raise self._changed() or self._engine.damaged(f"there are vectors of what is none of its {table}")

    def _by_ids(self, sql: str, ids: Sequence[Any], suffix: str = "") -> list[tuple[Any, ...]]:
        return self._engine.by_ids(sql, ids, suffix)

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._engine.rows(sql, parameters)

    def _scalar(self, sql: str) -> Any:
        return self._rows(sql)[0][0]


def token_coverage(mention: Sequence[str], name: Sequence[str]) -> float:
    """The share of the mention's words that the name covers, with a light penalty for words that it adds; 0..1."""
    if not mention or not name:
        return 0.0
    shared = len(set(mention) & set(name))
    return float(shared / len(set(mention)) * (shared / len(set(name))) ** 0.2)
