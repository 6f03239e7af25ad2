"""Looking around in a file: its documents and entities, by what is typed so far, a page at a time.

Each word that is looked for is the beginning of a word in what is found; accents and case do not matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kb.name_keys import name_key
from kb.records import Entity, Passage, Triple
from kb.store.engine import Phrase
from kb.store.knowledge_base import _TRIPLE, KnowledgeBase

_WORD = re.compile(r"\w+")
_DOCUMENT_LINE = "SELECT d.key, d.title, (SELECT count(*) FROM passages p WHERE p.document = d.id) FROM documents d"
_SURNAME_WORDS = 3
"""Words of a name that may be but the end of a title: "von Struve"."""
_OF_ROWS = ("csv", "xlsx")
"""Formats whose rows are documents."""
_QUERY_WORDS = 16
"""Words of a query that count; more narrow nothing that a person would read through."""
OF_TYPE = 200
"""Entities of one type that are listed."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SomeFact:
    """A fact by its words, as an example of what a file holds."""

    head: str
    head_is_title: bool
    relation: str
    tail: str
    tail_kind: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of what there is, beginning at `offset`, and of how many in all."""

    items: tuple[T, ...]
    total: int
    offset: int = 0

    @property
    def next(self) -> int | None:
        """Where the next page begins, None behind the last one."""
        end = self.offset + len(self.items)
        return end if self.items and end < self.total else None


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document as a list has it."""

    key: str
    title: str
    passages: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder at the top of the sources, or a file, "" for none, with how many documents come from it and the keys of
    some.
    """

    name: str
    documents: int
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What is known of a document besides its text; `entity` is what it is about."""

    key: str
    title: str
    entity: int
    source: str
    root: str
    format: str
    complete: bool
    passages: int
    metadata: Mapping[str, Any]


def list_documents(kb: KnowledgeBase, words: str = "", *, limit: int = 50, offset: int = 0) -> Page[DocumentLine]:
    """The documents whose title, key or text has all of `words`: by title first, then by key, then by text.

    Of one kind, in the order of titles. Without words all documents. One or two letters are not looked for in texts.
    """
    hits, bound = _document_hits(kb, words)
    order = "best, lower(d.title), d.key"
    page = (
        f"SELECT d.id AS id, best FROM ({hits}) h JOIN documents d ON d.id = h.document "  # noqa: S608 - fixed text
        f"ORDER BY {order} LIMIT ? OFFSET ?"
    )
    sql = f"{_DOCUMENT_LINE} JOIN ({page}) page ON page.id = d.id ORDER BY {order}"
    rows = kb._rows(sql, (*bound, limit, offset))
    total = kb._rows(f"SELECT count(*) FROM ({hits}) h", bound)[0][0]  # noqa: S608 - fixed text
    return Page(tuple(DocumentLine(*row) for row in rows), total, offset)


def _document_hits(kb: KnowledgeBase, words: str) -> tuple[str, tuple[Any, ...]]:
    """SQL for rows (document, best), the smaller the better, and what is bound in it."""
    query = _query(words)
    if not query:
        return "SELECT id AS document, 0 AS best FROM documents", ()
    inside = re.sub(r"([\\%_])", r"\\\1", words.strip())
    names, bound = kb._engine.matching("entities", query)
    found = (
        f"SELECT d.id AS document, 0 AS best FROM documents d WHERE d.entity IN ({names}) "  # noqa: S608 - fixed text
        "UNION ALL SELECT id, 1 FROM documents "
        "WHERE lower(key) LIKE lower(?) ESCAPE '\\' OR lower(source) LIKE lower(?) ESCAPE '\\'"
    )
    bound = (*bound, f"%{inside}%", f"%{inside}%")
    if len(query[0]) > 1 or len(query[0][0].words) > 1:  # a text has words that begin with any one or two letters
        texts, sought = kb._engine.matching("passages", query)
        found += f" UNION ALL SELECT p.document, 2 FROM passages p WHERE p.id IN ({texts})"  # noqa: S608 - fixed text
        bound = (*bound, *sought)
    return f"SELECT document, min(best) AS best FROM ({found}) f GROUP BY document", bound  # noqa: S608 - fixed text


_NOBODYS = (*"0123456789", "yes", "no", "none", "true", "false")
"""Values of many things, and the name of none."""


def list_entities(kb: KnowledgeBase, words: str = "", *, limit: int = 50, offset: int = 0) -> Page[Entity]:
    """The entities whose name has all of `words`, or that are known by just these; most mentioned first.

    One of this very name comes before all others. Without words all entities but single digits and yes and no.
    """
    query, key = _query(words), name_key(words)
    which = f"WHERE e.key NOT IN ({', '.join(map(repr, _NOBODYS))})"
    bound: tuple[Any, ...] = ()
    if query:
        names, sought = kb._engine.matching("entities", query)
        which = f"WHERE e.id IN ({names} UNION SELECT entity FROM aliases WHERE key = ?)"  # noqa: S608 - fixed text
        bound = (*sought, key)
    rows = kb._rows(
        f"SELECT e.id FROM entities e {which} "  # noqa: S608 - fixed text
        f"ORDER BY e.key <> ?, {kb.degree} DESC, "
        "length(e.name), e.name, e.id LIMIT ? OFFSET ?",
        (*bound, key, limit, offset),
    )
    total = kb._rows(f"SELECT count(*) FROM entities e {which}", bound)[0][0]  # noqa: S608 - fixed text
    return Page(tuple(kb.entities([row[0] for row in rows])), total, offset)


def _query(words: str) -> list[list[Phrase]]:
    """The beginnings of words, all of them; nothing where there are none."""
    found = list(dict.fromkeys(_WORD.findall(words.replace("_", " "))))[:_QUERY_WORDS]
    return [[Phrase(word, is_start=True) for word in found]] if found else []


def document_facts(kb: KnowledgeBase, key: str) -> DocumentFacts | None:
    """What is known of the document with this key, None where there is none."""
    rows = kb._rows(
        "SELECT d.key, d.title, d.entity, d.source, d.root, d.format, d.complete = 1 AND d.linked = 1, "
        "(SELECT count(*) FROM passages p WHERE p.document = d.id), d.metadata FROM documents d WHERE d.key = ?",
        (key,),
    )
    for key, title, entity, source, root, file_format, complete, passages, metadata in rows:
        return DocumentFacts(
            key, title, entity, source, root, file_format, bool(complete), passages, json.loads(metadata)
        )
    return None


def keys_of_title(kb: KnowledgeBase, title: str) -> list[str]:
    """The keys of the documents with this title, in their order."""
    return [row[0] for row in kb._rows("SELECT key FROM documents WHERE title = ? ORDER BY key", (title,))]


def keys_of_file(kb: KnowledgeBase, name: str) -> list[str]:
    """The keys of the documents of a file, in their order; `name` is its path below the folder that was named, as it is
    cited, its whole path, or what the keys of its rows begin with.
    """
    sql = (
        "SELECT key FROM documents WHERE source = ? OR root || '/' || source = ? OR substr(key, 1, ?) = ? ORDER BY key"
    )
    return [row[0] for row in kb._rows(sql, (name, name, len(name) + 1, f"{name}#"))]


def keys_by_surname(kb: KnowledgeBase, name: str) -> list[str]:
    """The key of the only document whose title, without what stands in brackets, ends with the words of a name; none
    for a name written small, or where there are several.
    """
    words = name_key(name).split()
    if not 0 < len(words) <= _SURNAME_WORDS or not name[0].isupper():
        return []
    lines = list_documents(kb, name, limit=50).items
    keys = [line.key for line in lines if name_key(re.sub(r"\(.*?\)", "", line.title)).split()[-len(words) :] == words]
    return keys if len(keys) == 1 else []


def passages_of_document(kb: KnowledgeBase, key: str, *, limit: int = 50, offset: int = 0) -> Page[Passage]:
    """The passages of a document in their order; none for an unknown key."""
    rows = kb._rows(kb._passage + "WHERE d.key = ? ORDER BY p.ordinal LIMIT ? OFFSET ?", (key, limit, offset))
    total = kb._rows("SELECT count(*) FROM passages p JOIN documents d ON d.id = p.document WHERE d.key = ?", (key,))[
        0
    ][0]
    return Page(tuple(Passage(*row) for row in rows), total, offset)


def facts_at(kb: KnowledgeBase, entity: int, end: str, *, limit: int = 50) -> Page[Triple]:
    """The first facts with the entity as their "head" or as their "tail", a sentence's after each other."""
    here = {"head": "t.head", "tail": "t.tail"}[end]
    # The page first: a hub has thousands of facts, whose sentences need not be read.
    order = "ORDER BY t.passage, s.start, t.relation, t.id"
    page = (
        f"SELECT t.id FROM triples t JOIN sentences s ON s.id = t.sentence WHERE {here} = ? "  # noqa: S608 - fixed text
        f"{order} LIMIT ?"
    )
    rows = kb._rows(f"{_TRIPLE}WHERE t.id IN ({page}) {order}", (entity, limit))
    total = kb._rows(f"SELECT count(*) FROM triples t WHERE {here} = ?", (entity,))[0][0]  # noqa: S608 - fixed text
    return Page(tuple(Triple(*row) for row in rows), total)


def some_facts(kb: KnowledgeBase, limit: int) -> list[SomeFact]:
    """The first facts by id, which are from all over the file, as ids are hashes."""
    rows = kb._rows(
        "SELECT h.name, EXISTS (SELECT 1 FROM documents d WHERE d.entity = h.id), t.relation, e.name, e.kind "
        "FROM (SELECT * FROM triples ORDER BY id LIMIT ?) t JOIN entities h ON h.id = t.head "
        "JOIN entities e ON e.id = t.tail ORDER BY t.id",
        (limit,),
    )
    return [SomeFact(head, bool(title), relation, tail, kind) for head, title, relation, tail, kind in rows]


def some_sentences(kb: KnowledgeBase, limit: int) -> list[str]:
    """The first sentences by id, which are from all over the file, as ids are hashes."""
    rows = kb._rows(
        'SELECT substr(p.text, s.start + 1, s."end" - s.start) FROM (SELECT * FROM sentences ORDER BY id LIMIT ?) s '
        "JOIN passages p ON p.id = s.passage ORDER BY s.id",
        (limit,),
    )
    return [text for (text,) in rows]


def passages_mentioning(kb: KnowledgeBase, entity: int, *, limit: int = 50) -> Page[Passage]:
    """The first passages that mention the entity, by title and place."""
    mentioning = "WHERE p.id IN (SELECT passage FROM mentions WHERE entity = ?) "
    order = "ORDER BY p.title, d.key, p.ordinal LIMIT ?"
    rows = kb._rows(kb._passage + mentioning + order, (entity, limit))
    total = kb._rows("SELECT count(DISTINCT passage) FROM mentions WHERE entity = ?", (entity,))[0][0]
    return Page(tuple(Passage(*row) for row in rows), total)


def documents_about(kb: KnowledgeBase, entity: int) -> list[DocumentLine]:
    """The documents whose title is the entity's name, by key."""
    rows = kb._rows(f"{_DOCUMENT_LINE} WHERE d.entity = ? ORDER BY d.key", (entity,))
    return [DocumentLine(*row) for row in rows]


def documents_linking(kb: KnowledgeBase, document: str, *, limit: int = 50) -> Page[DocumentLine]:
    """The documents that link to the one with this key, answer it, or name it in another way, by key."""
    rows = kb._rows(
        "WITH own(id) AS (SELECT entity FROM documents WHERE key = ?), same(id) AS (SELECT id FROM own "  # noqa: S608
        "UNION SELECT b FROM synonyms WHERE a = (SELECT id FROM own) AND similarity = 1.0 "
        "UNION SELECT a FROM synonyms WHERE b = (SELECT id FROM own) AND similarity = 1.0) "
        f"{_DOCUMENT_LINE} WHERE d.key <> ? AND d.id IN (SELECT p.document FROM mentions m "
        "JOIN passages p ON p.id = m.passage WHERE m.entity IN (SELECT id FROM same)) ORDER BY d.key",
        (document, document),
    )
    return Page(tuple(DocumentLine(*row) for row in rows[:limit]), len(rows))


def aliases_of(kb: KnowledgeBase, entity: int) -> list[str]:
    """The normalised names that the entity is also known by, its own left out."""
    rows = kb._rows(
        "SELECT DISTINCT a.key FROM aliases a JOIN entities e ON e.id = a.entity WHERE a.entity = ? AND a.key <> e.key "
        "ORDER BY a.key",
        (entity,),
    )
    return [key for key, meant in kb.named([row[0] for row in rows]).items() if entity in meant]


def synonyms_of(kb: KnowledgeBase, entity: int) -> Sequence[Entity]:
    """Entities whose names mean nearly the same, nearest first."""
    rows = kb._rows(
        "SELECT CASE WHEN a = ? THEN b ELSE a END, similarity FROM synonyms WHERE a = ? OR b = ? "
        "ORDER BY 2 DESC, 1 LIMIT 20",
        (entity, entity, entity),
    )
    return kb.entities([row[0] for row in rows])


def folders(kb: KnowledgeBase, some: int) -> list[Folder]:
    """The first folders of the paths that the documents come from, by name, each with its first `some` by title."""
    first = "CASE WHEN instr(source, '/') > 1 THEN substr(source, 1, instr(source, '/') - 1) ELSE '' END"
    return _parts(kb, first, some)


def files(kb: KnowledgeBase, some: int) -> list[Folder]:
    """The files that the documents come from, by name, each with its first `some` by title."""
    return _parts(kb, "source", some)


def _parts(kb: KnowledgeBase, part: str, some: int) -> list[Folder]:
    rows = kb._rows(
        "SELECT folder, key, total FROM (SELECT folder, key, count(*) OVER (PARTITION BY folder) AS total, "  # noqa: S608 - fixed text
        "row_number() OVER (PARTITION BY folder ORDER BY lower(title), key) AS place FROM (SELECT key, title, "
        f"{part} AS folder FROM documents) d) f WHERE place <= ? ORDER BY folder = '', folder, place",
        (some,),
    )
    keys: dict[tuple[str, int], list[str]] = {}
    for folder, key, total in rows:
        keys.setdefault((folder, total), []).append(key)
    return [Folder(name, total, tuple(found)) for (name, total), found in keys.items()]


def spread(kb: KnowledgeBase, some: int) -> list[str]:
    """The keys of at most `some` documents at equal distances in the order of titles."""
    rows = kb._rows(
        "SELECT key FROM (SELECT key, row_number() OVER (ORDER BY lower(title), key) - 1 AS place, "
        "(count(*) OVER () + ? - 1) / ? AS step FROM documents) d WHERE place % step = 0 ORDER BY place",
        (some, some),
    )
    return [row[0] for row in rows]


def opening_passages(kb: KnowledgeBase, keys: Sequence[str]) -> dict[str, Passage]:
    """The first passage of each of the documents with these keys; none for one that has no text."""
    rows = kb._by_ids(kb._passage + "WHERE p.ordinal = 0 AND d.key IN ", keys)
    return {passage.document: passage for passage in (Passage(*row) for row in rows)}


def passages_beside(kb: KnowledgeBase, key: str, *, limit: int) -> list[Passage]:
    """The first passages of the document with this key, and, where it is a row of a table, of its other rows: by key
    and place. [] for an unknown key.
    """
    table, mark, _ = key.rpartition("#")
    if not mark:
        return kb.document_passages(key)[:limit]
    within = "WHERE d.key > ? AND d.key < ? ORDER BY d.key, p.ordinal LIMIT ?"
    return [Passage(*row) for row in kb._rows(kb._passage + within, (f"{table}#", f"{table}$", limit))]


def row_tables(kb: KnowledgeBase, *, limit: int) -> list[str]:
    """The key of one row of each file whose rows are documents, by key: at most `limit` of them. All documents are
    looked through.
    """
    marks = ",".join("?" * len(_OF_ROWS))
    sql = (
        f"SELECT min(key) FROM documents WHERE format IN ({marks}) AND key LIKE '%#%' "  # noqa: S608 - marks
        "GROUP BY root, source ORDER BY 1 LIMIT ?"
    )
    return [str(key) for (key,) in kb._rows(sql, (*_OF_ROWS, limit))]


def passages_with(kb: KnowledgeBase, text: str, *, limit: int) -> list[Passage]:
    """The first passages, by document and place, that have this text as it is written. All passages are looked through.

    [] for "".
    """
    if not text:
        return []
    within = "WHERE instr(p.text, ?) > 0 ORDER BY d.key, p.ordinal LIMIT ?"
    return [Passage(*row) for row in kb._rows(kb._passage + within, (text, limit))]


def passages_saying(
    kb: KnowledgeBase, phrases: Sequence[str], *, whole: bool = True, opening: bool = False, limit: int = 200
) -> list[Passage]:
    """The first passages, by title and place, whose title or text has one of the phrases, endings aside.

    Without `whole` it is enough that all words of a phrase are there; `opening` leaves out all but the first passage of
    a document. [] for phrases without words.
    """
    found = [words for words in map(_WORD.findall, phrases) if words]
    if not found:
        return []
    query = [[Phrase(" ".join(words))] if whole else [Phrase(word) for word in words] for words in found]
    sought, bound = kb._engine.matching("passages", query)
    only = "AND p.ordinal = 0 " if opening else ""
    order = "ORDER BY p.title, d.key, p.ordinal LIMIT ?"
    within = f"WHERE p.id IN ({sought}) "
    return [Passage(*row) for row in kb._rows(kb._passage + within + only + order, (*bound, limit))]


def entities_of_type(kb: KnowledgeBase, names: Sequence[str]) -> list[tuple[str, int]]:
    """(name, passage) of the entities that a model says to be of one of these types, by name, at most `OF_TYPE`;
    rules tell no types.
    """
    if not kb._has_model_answers:
        return []
    rows = kb._by_ids(
        "SELECT e.name, min(t.passage) FROM entity_types t JOIN entities e ON e.id = t.entity WHERE lower(t.type) IN ",
        [name.lower() for name in names],
        " GROUP BY e.id ORDER BY e.name",
    )
    return [(str(name), int(passage)) for name, passage in rows[:OF_TYPE]]
