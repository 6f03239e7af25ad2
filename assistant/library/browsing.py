"""Looking around in a knowledge base: lists of documents and entities, a document with its passages, and what is
around an entity, as rows that a terminal can print and a chat can go through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assistant.shared.rendering import Line, Part, counted, location, plain
from assistant.shared.text_lines import text_lines
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.records import Entity, Passage, Triple
    from kb.store.knowledge_base import KnowledgeBase
    from kb.store.listing import DocumentFacts, DocumentLine, Page

PAGE = 50
"""Rows of a list that are read at once: more than a tall terminal shows."""

AROUND = 40
"""Facts in each direction, and passages, that are shown of an entity; a hub has thousands, which nobody reads."""

TEXT_LENGTH = 4000
"""Characters of a passage that are shown; one is cut to fit an embedding model, but a file may hold anything."""


@dataclass(frozen=True, slots=True)
class Place:
    """Something to look at: a document by its key, or an entity by its id as text."""

    kind: Literal["document", "entity"]
    key: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """What stands for one thing in a list, as lines, and where it leads to."""

    lines: tuple[Line, ...]
    place: Place | None = None


Leaf = Callable[[str, str], Row]
"""Makes a row of a tree, given what its first line begins with, and its other lines."""


@dataclass(frozen=True, slots=True)
class RowPage:
    """Rows of a list of `total`; `next` is where the next page begins, None behind the last one."""

    rows: tuple[Row, ...]
    total: int
    next: int | None = None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """An entity with what is around it: facts from it and to it, the passages that mention it, and its documents."""

    entity: Entity
    type: str
    aliases: tuple[str, ...]
    similar: tuple[Entity, ...]
    documents: tuple[DocumentLine, ...]
    facts_from: Page[Triple]
    facts_to: Page[Triple]
    passages: Page[Passage]
    sources: dict[int, Passage]
    """The passages of the facts, by id."""


def neighbourhood(kb: KnowledgeBase, entity: int, limit: int = AROUND) -> Neighbourhood:
    """What is around the entity with this id; of facts in each direction, and of passages, the first `limit`.

    Raises UsageError where there is none of this id.
    """
    from kb.store import listing

    facts_from, facts_to = (listing.facts_at(kb, entity, end, limit=limit) for end in ("head", "tail"))
    used = dict.fromkeys(fact.passage for fact in (*facts_from.items, *facts_to.items))
    return Neighbourhood(
        kb.entity(entity),
        kb.entity_types([entity]).get(entity, ""),
        tuple(listing.aliases_of(kb, entity)),
        tuple(listing.synonyms_of(kb, entity)),
        tuple(listing.documents_about(kb, entity)),
        facts_from,
        facts_to,
        listing.passages_mentioning(kb, entity, limit=limit),
        {passage.id: passage for passage in kb.passages(list(used))},
    )


def entity_named(kb: KnowledgeBase, name: str) -> Entity:
    """The entity that a name means most likely. Raises UsageError where no name has all of its words."""
    from kb.store import listing

    found = listing.list_entities(kb, name, limit=1).items if any(map(str.isalnum, name)) else ()
    if not found:
        raise UsageError(f"no entity is called {name[:80]!r}; clew browse FILE WORDS lists those with the words")
    return found[0]


def document_named(kb: KnowledgeBase, name: str) -> DocumentFacts:
    """The document with this key, or else this title, or else of this file.

    Raises UsageError where there is none, or several.
    """
    from kb.store import listing

    facts = listing.document_facts(kb, name)
    if facts is not None:
        return facts
    titled = listing.keys_of_title(kb, name)
    keys = titled or listing.keys_of_file(kb, name)
    if not keys:
        raise UsageError(f"there is no document {name[:80]!r}; clew browse FILE WORDS --documents lists those like it")
    facts = listing.document_facts(kb, keys[0])
    if facts is None or len(keys) > 1:
        are = f"documents {'have the title' if titled else 'are in the file'} {name[:80]!r}"
        raise UsageError(f"{len(keys):,} {are}; name one by its id: {', '.join(keys[:5])}")
    return facts


# -- rows --------------------------------------------------------------------------------------------------------------


def document_row(document: DocumentLine) -> Row:
    """A document in a list."""
    title, key = _shown_title(document), plain(document.key, 80)
    about = f"  {key} · {counted(document.passages, 'passage')}" if key != title else ""
    return Row((Line(((title, "strong"), (about, "dim"))),), Place("document", document.key, title))


def _shown_title(document: DocumentLine | DocumentFacts) -> str:
    return plain(document.title, 160) or plain(document.key, 160) or "untitled"


def entity_row(entity: Entity) -> Row:
    """An entity in a list."""
    about = f"  {entity.kind} · in {counted(entity.passages, 'passage')}"
    return Row((Line(((_name(entity.name), "strong"), (about, "dim"))),), _at(entity.id, entity.name))


def _name(name: str) -> str:
    return plain(name, 160) or "(no name)"


def _at(entity: int, name: str) -> Place:
    return Place("entity", str(entity), _name(name))


def document_rows(facts: DocumentFacts, linking: Page[DocumentLine]) -> list[Row]:
    """What is known of a document, above its passages, and which documents link to it or name it."""
    where = location(f"{facts.root}/{facts.source}" if facts.root else facts.source, None)
    told: list[tuple[str, str]] = [
        ("id", plain(facts.key, 200)),
        ("from", where),
        ("format", plain(facts.format, 40)),
        ("passages", f"{facts.passages:,}" + ("" if facts.complete else ", and its build has not finished")),
        *((plain(name, 40), plain(_as_text(value), 300)) for name, value in sorted(facts.metadata.items())),
    ]
    title = _shown_title(facts)
    rows = [Row((Line(((title, "strong"),)),), _at(facts.entity, facts.title))]
    rows += [Row((Line(((f"{name}: ", "dim"), (value, ""))),)) for name, value in told if value]
    return rows + list(
        _branch("named or linked to in", linking.total, [partial(_leaf, document_row(one)) for one in linking.items])
    )


def _as_text(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def passage_row(passage: Passage, total: int) -> Row:
    """A passage of a document of `total`."""
    page = f" · p. {passage.page}" if passage.page is not None else ""
    head = Line((("", ""),)), Line(((f"{passage.ordinal + 1} of {total}{page}", "dim"),))
    return Row((*head, *(Line(((line, ""),)) for line in text_lines(passage.text, TEXT_LENGTH))))


def neighbourhood_rows(around: Neighbourhood) -> list[Row]:
    """An entity as a tree: other names, its documents, the facts from it and to it, and the passages that name it."""
    entity = around.entity
    kind = " · ".join(part for part in (plain(around.type, 60), entity.kind) if part)
    about = f"  {kind} · in {counted(entity.passages, 'passage')}"
    rows = [Row((Line(((_name(entity.name), "strong"), (about, "dim"))),))]
    if around.aliases:
        rows.append(Row((Line((("also: ", "dim"), (plain(", ".join(around.aliases), 300), ""))),)))
    branches: tuple[tuple[str, int, Sequence[Leaf]], ...] = (
        ("its documents", len(around.documents), [partial(_leaf, document_row(one)) for one in around.documents]),
        ("facts from it", around.facts_from.total, _facts(around.facts_from.items, around, True)),
        ("facts to it", around.facts_to.total, _facts(around.facts_to.items, around, False)),
        ("names like it", len(around.similar), [partial(_leaf, entity_row(one)) for one in around.similar]),
        ("mentioned in", around.passages.total, [partial(_passage_leaf, one) for one in around.passages.items]),
    )
    for title, total, leaves in branches:
        rows += _branch(title, total, leaves)
    return rows


def _branch(title: str, total: int, leaves: Sequence[Leaf]) -> Iterator[Row]:
    """A heading and its leaves, the first of `total`."""
    if not total:
        return
    yield Row((Line(), Line(((title, "link"), (f" ({total:,})", "dim")))))
    more = total - len(leaves)
    for number, leaf in enumerate(leaves, 1):
        last = number == len(leaves) and not more
        yield leaf("└─ " if last else "├─ ", "   " if last else "│  ")
    if more:
        yield Row((Line((("└─ ", "dim"), (f"and {more:,} more", "dim"))),))


def _leaf(row: Row, first: str, others: str) -> Row:
    return Row((Line(((first, "dim"), *row.lines[0].parts)),), row.place)


def _facts(facts: Sequence[Triple], around: Neighbourhood, outward: bool) -> list[Leaf]:
    """A leaf for each fact; a sentence that carries several is told with the first of them."""
    told: set[int] = set()
    leaves: list[Leaf] = []
    for fact in facts:
        source = None if fact.sentence_id in told else around.sources.get(fact.passage)
        told.add(fact.sentence_id)
        leaves.append(partial(_fact_leaf, fact, source, outward))
    return leaves


def _fact_leaf(fact: Triple, source: Passage | None, outward: bool, first: str, others: str) -> Row:
    other, name = (fact.tail, fact.tail_name) if outward else (fact.head, fact.head_name)
    relation: Part = (plain(fact.relation, 120), "dim")
    parts: tuple[Part, ...] = (
        (relation, (" → ", "dim"), (_name(name), "strong"))
        if outward
        else ((_name(name), "strong"), (" ", ""), relation, (" → it", "dim"))
    )
    lines = [Line(((first, "dim"), *parts))]
    if source is not None and (said := plain(fact.sentence, 300)):
        where = f"  {plain(source.title, 80)}{_page(source)}"
        lines.append(Line(((others, "dim"), (f"“{said}”", ""), (where, "dim"))))
    return Row(tuple(lines), _at(other, name))


def _passage_leaf(passage: Passage, first: str, others: str) -> Row:
    title = plain(passage.title, 160) or plain(passage.document, 160) or "untitled"
    where = f"  {plain(passage.document, 80)}{_page(passage)}"
    return Row((Line(((first, "dim"), (title, ""), (where, "dim"))),), Place("document", passage.document, title))


def _page(passage: Passage) -> str:
    return f" · p. {passage.page}" if passage.page is not None else ""


# -- for a surface with an event loop ----------------------------------------------------------------------------------


class Browser:
    """A connection of its own to a file, in a thread of its own. The file is opened by what is asked first.

    All methods raise BadFileError where it cannot be read, and UsageError for what is not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-browse")
        self._kb: KnowledgeBase | None = None

    async def documents(self, words: str, offset: int = 0) -> RowPage:
        """The documents for the words typed so far, a page from `offset` on."""
        return await self._in_thread(partial(documents, words=words, offset=offset))

    async def entities(self, words: str, offset: int = 0) -> RowPage:
        """The entities for the words typed so far, a page from `offset` on."""
        return await self._in_thread(partial(entities, words=words, offset=offset))

    async def look_at(self, place: Place, offset: int = 0) -> RowPage:
        """A document, its passages from `offset` on, or all that is shown of an entity."""
        return await self._in_thread(partial(look_at, place=place, offset=offset))

    async def _in_thread(self, read: Callable[[KnowledgeBase], RowPage]) -> RowPage:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._read, read)

    def _read(self, read: Callable[[KnowledgeBase], RowPage]) -> RowPage:
        from kb.store.knowledge_base import KnowledgeBase

        if self._kb is None:
            self._kb = KnowledgeBase.open(self.path)
        return read(self._kb)

    def close(self) -> None:
        """Close the file once nothing reads it any more; returns at once."""
        self._thread.submit(self._close)
        self._thread.shutdown(wait=False)

    def _close(self) -> None:
        if self._kb is not None:
            self._kb.close()
            self._kb = None


def documents(kb: KnowledgeBase, words: str = "", offset: int = 0) -> RowPage:
    """Documents with all of `words`, as rows."""
    from kb.store.listing import list_documents

    page = list_documents(kb, words, limit=PAGE, offset=offset)
    return RowPage(tuple(map(document_row, page.items)), page.total, page.next)


def entities(kb: KnowledgeBase, words: str = "", offset: int = 0) -> RowPage:
    """Entities with all of `words`, as rows."""
    from kb.store.listing import list_entities

    page = list_entities(kb, words, limit=PAGE, offset=offset)
    return RowPage(tuple(map(entity_row, page.items)), page.total, page.next)


def look_at(kb: KnowledgeBase, place: Place, offset: int = 0) -> RowPage:
    """A document, its passages from `offset` on, or an entity with what is around it, as rows."""
    if place.kind == "entity":
        rows = neighbourhood_rows(neighbourhood(kb, int(place.key)))
        return RowPage(tuple(rows), len(rows))
    from kb.store.listing import documents_linking, passages_of_document

    facts = document_named(kb, place.key)
    page = passages_of_document(kb, facts.key, limit=PAGE, offset=offset)
    head = document_rows(facts, documents_linking(kb, facts.key, limit=AROUND)) if offset == 0 else []
    return RowPage((*head, *(passage_row(one, page.total) for one in page.items)), page.total, page.next)


def find_documents(path: Path, words: str, limit: int) -> tuple[DocumentLine, ...]:
    """The first documents of a file with all of `words`. Raises BadFileError."""
    from kb.store.knowledge_base import KnowledgeBase
    from kb.store.listing import list_documents

    with KnowledgeBase.open(path) as kb:
        return list_documents(kb, words, limit=limit).items


def find_document(path: Path, name: str) -> DocumentLine | None:
    """The document of a knowledge base that `document_named` finds; None where that is none, or several. Raises
    BadFileError.
    """
    from kb.store.knowledge_base import KnowledgeBase
    from kb.store.listing import DocumentLine

    with KnowledgeBase.open(path) as kb:
        try:
            facts = document_named(kb, name)
        except UsageError:
            return None
        return DocumentLine(facts.key, facts.title, facts.passages)
