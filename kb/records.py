"""The plain records that pass between the knowledge base and the layers above it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

EntityKind = Literal["title", "name", "date", "number"]


def content_id(*parts: str | int) -> int:
    """A positive 63-bit id from the content that it names, so that equal input gets equal ids in any order of building.

    Two different contents collide with probability n² / 2⁶⁴ for n rows: one in twenty million at a million rows.
    """
    joined = "\x1f".join(str(part) for part in parts)
    digest = hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1 or 1


@dataclass(frozen=True, slots=True)
class Link:
    """A link at [start, end) of a document's text; `target` is as written: a path, a title, a name."""

    start: int
    end: int
    target: str


OTHER_NAMES = "aliases"
"""The metadata of a note in Markdown that has a list of what else it is called."""


@dataclass(frozen=True, slots=True)
class Document:
    """A source document as read, before it is cut into passages.

    `key` identifies it within a knowledge base: the corpus's own id, or the path below the source's root. `pages` holds
    the character offset at which each page starts, and is empty for formats without pages.
    """

    key: str
    title: str
    text: str
    source: str
    root: str = ""
    format: str = "text"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    pages: tuple[int, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def other_names(self) -> tuple[str, ...]:
        """What else a note says that it is called; () for documents of other formats."""
        return tuple(self.metadata.get(OTHER_NAMES, ())) if self.format == "markdown" else ()

    @property
    def digest(self) -> str:
        """SHA-256 over all that ends up in the file, to tell a changed document from an unchanged one."""
        parts = [self.key, self.title, self.text, self.source, repr(sorted(self.metadata.items())), repr(self.pages)]
        # The word has documents written again that an earlier clew wrote without their links.
        parts += [f"links {self.links!r}"] if self.links else []
        return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a document, cut to fit the embedding model: `text == document.text[start:end]`.

    `above` are the headings above its beginning, outermost first.
    """

    ordinal: int
    start: int
    end: int
    page: int | None
    text: str
    above: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A stored passage with where it stands in which document; `page` counts from 1.

    `section` are the headings above its beginning, "" where there are none.
    """

    id: int
    document: str
    title: str
    text: str
    source: str
    start: int
    end: int
    page: int | None
    ordinal: int
    section: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that passages mention. `passages` counts those that do; kind `title` has a document of its own."""

    id: int
    name: str
    kind: EntityKind
    passages: int


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """An entity found for a mention; `score` is the share of the mention's words that the name covers, 0..1."""

    entity: Entity
    score: float


@dataclass(frozen=True, slots=True)
class Triple:
    """A fact, with the sentence of its passage that carries it."""

    id: int
    head: int
    head_name: str
    relation: str
    tail: int
    tail_name: str
    passage: int
    sentence_id: int
    sentence: str

    def text(self) -> str:
        """The triple as one line, "head relation tail"."""
        return f"{self.head_name} {self.relation} {self.tail_name}"


@dataclass(frozen=True, slots=True)
class Info:
    """What a file holds. `complete` is false while a build has not finished; `model_extracted` counts passages whose
    facts a language model has extracted.
    """

    path: str
    bytes: int
    schema: str
    embedding_model: str
    dimension: int
    extractor: str
    documents: int
    passages: int
    sentences: int
    entities: int
    triples: int
    mentions: int
    synonyms: int
    model_extracted: int
    complete: bool


EXTRACTION = "extraction"
"""The kind of answer that tells what a passage says."""


@dataclass(frozen=True, slots=True)
class PassageText:
    """What a model is shown of a passage; where it stands is no part of it."""

    title: str
    text: str

    @property
    def content(self) -> str:
        """SHA-256 of title and text, in hexadecimal."""
        return _sha256(self.title, self.text)


def answer_key(kind: str, content: str, model: str, prompt_version: str) -> str:
    """The key of an answer: SHA-256, in hexadecimal, of all that it depends on."""
    return _sha256(kind, content, model, prompt_version)


def _sha256(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
