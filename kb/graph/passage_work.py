"""What is derived from a passage, as it is handed to the store: its names, triples and links."""

from __future__ import annotations

from dataclasses import dataclass, field

from kb.graph.mentions import Mention
from kb.records import Document, Link, Piece


@dataclass(frozen=True, slots=True)
class StoredTriple:
    """A triple by its entities' keys, with the number of its sentence in the passage; `qualifiers` is JSON."""

    head: str
    relation: str
    tail: str
    sentence: int
    qualifiers: str = "{}"


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A link by its passage's characters, with the title of the document that it was found to mean, "" for none.

    `sender` is who wrote that document, if it is a mail that is answered.
    """

    link: Link
    title: str
    sender: str = ""


@dataclass(frozen=True, slots=True)
class PassageWork:
    """All that is derived from one passage, ready to be written in one transaction."""

    document: Document
    piece: Piece
    is_last: bool
    sentences: tuple[tuple[int, int], ...]
    mentions: tuple[Mention, ...]
    triples: tuple[StoredTriple, ...]
    names: tuple[tuple[str, str, str], ...] = field(default=())
    """(key, name, kind) of entities that occur in triples or as aliases and not among the mentions."""
    opening: str = ""
    origin: str = "rules"
    extraction: str = ""
    """The key of the cached answer that the triples come from, "" where no model was asked."""
    types: tuple[tuple[str, str], ...] = ()
    """(key, type) of entities."""
    full_names: tuple[str, ...] = ()
    """Names of two words or three whose first alone may stand for them."""
    tickets: tuple[tuple[str, str], ...] = ()
    """Ticket ids as written, each with the name that begins with it and that it may stand for."""
    links: tuple[StoredLink, ...] = ()
