"""The commands that look around: browse, library."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assistant.commands.options import AS_JSON, FILE, PLACE, print_json, styled
from assistant.shared.rendering import plain
from kb.errors import UsageError

if TYPE_CHECKING:
    from assistant.library.browsing import Neighbourhood, Row
    from kb.records import Passage
    from kb.store.knowledge_base import KnowledgeBase
    from kb.store.listing import DocumentFacts, DocumentLine, Page


@click.command(short_help="Look around in a knowledge base.")
@FILE
@click.argument("words", nargs=-1)
@click.option("--documents", "which", flag_value="documents", help="List documents only.")
@click.option("--entities", "which", flag_value="entities", help="List entities only.")
@click.option("--around", "which", flag_value="around", help="Show what is around the entity that WORDS name.")
@click.option("--read", "which", flag_value="read", help="Read the document whose id, title or file WORDS are.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many to list.")
@click.option("--offset", type=click.IntRange(0), default=0, help="How many to pass over.")
@AS_JSON
def browse(file: Path, words: tuple[str, ...], which: str | None, limit: int, offset: int, as_json: bool) -> None:
    """Look around in a knowledge base: documents and entities that have WORDS, or the beginnings of words, in them.

    \b
    Examples:
      clew browse notes.clew lang
      clew browse notes.clew Fritz Lang --around
      clew browse notes.clew films/metropolis.txt --read
    """
    from kb.store.knowledge_base import KnowledgeBase

    text = " ".join(words)
    if which in ("around", "read") and not text:
        raise UsageError(f"--{which} needs a name: clew browse {file} NAME --{which}")
    with KnowledgeBase.open(file) as kb:
        if which == "around":
            _around(kb, text, limit, as_json)
        elif which == "read":
            _read(kb, text, limit, offset, as_json)
        else:
            kinds = (which,) if which else ("documents", "entities")
            _list(kb, text, kinds, limit, offset, as_json)


def _list(kb: KnowledgeBase, text: str, kinds: Iterable[str], limit: int, offset: int, as_json: bool) -> None:
    from assistant.library.browsing import document_row, entity_row
    from kb.store.listing import list_documents, list_entities

    found: dict[str, Any] = {}
    for kind in kinds:
        if kind == "documents":
            documents = list_documents(kb, text, limit=limit, offset=offset)
            found[kind] = _json_page(documents)
            rows: list[Row] = [document_row(one) for one in documents.items]
        else:
            entities = list_entities(kb, text, limit=limit, offset=offset)
            found[kind] = _json_page(entities)
            rows = [entity_row(one) for one in entities.items]
        if not as_json:
            click.echo(f"{kind} ({found[kind]['total']:,})")
            _print(rows, "  ")
            if more := found[kind]["total"] - offset - len(rows):
                click.echo(f"  … and {more:,} more; --offset {offset + limit} goes on")
    if as_json:
        print_json(found)


def _around(kb: KnowledgeBase, name: str, limit: int, as_json: bool) -> None:
    from assistant.library.browsing import entity_named, neighbourhood, neighbourhood_rows

    around = neighbourhood(kb, entity_named(kb, name).id, limit)
    if as_json:
        print_json(_json_around(around))
    else:
        _print(neighbourhood_rows(around))


def _read(kb: KnowledgeBase, name: str, limit: int, offset: int, as_json: bool) -> None:
    from assistant.library.browsing import AROUND, document_named, document_rows, passage_row
    from kb.store.listing import documents_linking, passages_of_document

    facts = document_named(kb, name)
    page = passages_of_document(kb, facts.key, limit=limit, offset=offset)
    linking = documents_linking(kb, facts.key, limit=AROUND)
    if as_json:
        print_json(_json_document(facts, page, linking))
        return
    _print(document_rows(facts, linking))
    _print(passage_row(one, page.total) for one in page.items)
    if page.next is not None:
        click.echo(f"\n… and {page.total - page.next:,} more; --offset {page.next} goes on")


def _print(rows: Iterable[Row], indent: str = "") -> None:
    for row in rows:
        for line in row.lines:
            click.echo(indent + styled(line))


def _json_page(page: Page[Any]) -> dict[str, Any]:
    return {"total": page.total, "offset": page.offset, "list": [asdict(one) for one in page.items]}


def _json_document(facts: DocumentFacts, page: Page[Passage], linking: Page[DocumentLine]) -> dict[str, Any]:
    texts = [{"id": one.id, "ordinal": one.ordinal, "page": one.page, "text": one.text} for one in page.items]
    return {**asdict(facts), "linked_from": _json_page(linking), "offset": page.offset, "texts": texts}


def _json_around(around: Neighbourhood) -> dict[str, Any]:
    """The neighbourhood without the texts of its passages, which `--read` gives."""
    mentioned = [{"id": one.id, "document": one.document, "title": one.title} for one in around.passages.items]
    return {
        "entity": asdict(around.entity),
        "type": around.type,
        "aliases": list(around.aliases),
        "similar": [asdict(one) for one in around.similar],
        "documents": [asdict(one) for one in around.documents],
        "facts_from": _json_page(around.facts_from),
        "facts_to": _json_page(around.facts_to),
        "mentioned_in": {"total": around.passages.total, "list": mentioned},
    }


@click.command(short_help="List the knowledge bases that the chat knows.")
@click.option("--forget", type=PLACE, metavar="PATH", help="Drop one from the list; its file stays.")
@AS_JSON
def library(forget: Path | None, as_json: bool) -> None:
    """List the knowledge bases that were opened in the chat, the latest first.

    \b
    Example:
      clew library --forget old/notes.clew
    """
    from assistant.library.known_files import Library

    books = Library()
    if forget is not None:
        books.drop(forget)
    known = books.all()
    if as_json:
        print_json([{**asdict(one), "path": str(one.path)} for one in known])
        return
    for one in known:
        passages = "" if one.passages is None else f"{one.passages:,}"
        gone = "" if one.is_there else "\tgone"
        click.echo(f"{plain(str(one.path))}\t{passages}\t{one.used[:16]}{gone}")


COMMANDS = (browse, library)
