"""What techniques ask of a store: one interface, which SQLite (`sqlite_engine.py`) and PostgreSQL (`postgres/`) have.

Statements stand once, in SQL that both understand, with `?` for what is bound. Here is what they differ in: full text
search, vectors, batches of ids, many mentions and facts, transactions, and what each knows of its own soundness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kb.errors import BadFileError
from kb.graph.stored_vectors import Codes, Ids, Table
from kb.store.graph_rows import GraphRows

Row = tuple[Any, ...]
Floats = NDArray[np.float32]
Index = Literal["passages", "entities"]
"""What has a full text index: passages by title, text and section with English endings off, entities by name."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand one after the other; `column` has to hold them, where it is given.

    With `is_start` the last word may go on.
    """

    words: str
    column: str = ""
    is_start: bool = False


Query = Sequence[Sequence[Phrase]]
"""What full text search looks for: rows with all phrases of one of the groups."""


class Scan(Protocol):
    """The cosines of all passages with some queries."""

    def about(self, ids: Ids, query: int = 0) -> Floats:
        """The cosines of passages with a query; the ids must be known."""

    def nearest(self, k: int, query: int = 0) -> list[tuple[int, float]]:
        """(passage id, cosine) of the k nearest passages, best first, ties by id."""


class PassageVectors(Protocol):
    """Every passage's vector."""

    def rows(self, ids: Iterable[int]) -> Floats:
        """Unit rows, shape (len(ids), dimension). Raises ValueError where a passage has no vector."""

    def scan(self, queries: Floats, refuse_unknown: Callable[[Ids], None]) -> Scan:
        """`refuse_unknown` raises where ids are not those of passages; queries have shape (queries, dimension)."""


class Engine(Protocol):
    """A knowledge base opened to read. All methods raise BadFileError where it cannot be read."""

    @property
    def place(self) -> Path:
        """Where it is, as users are told."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """All rows of a query."""

    def by_ids(self, sql: str, ids: Sequence[Any], suffix: str = "") -> list[Row]:
        """The rows of a statement that ends in IN, for many ids in as few pieces as may be."""

    def each(self, sql: str) -> Iterator[Row]:
        """The rows of a query one by one; nothing may be written before the last."""

    def snapshot(self) -> AbstractContextManager[None]:
        """What is written meanwhile by others is not seen in the block, in which nothing is written."""

    def has(self, migration: str) -> bool:
        """Whether the schema is as this step of kb/store/migrations.py leaves it, or newer."""

    def schema(self) -> str:
        """The name of the schema's latest step."""

    def count(self, table: str) -> int:
        """How many rows one of our tables has."""

    def size(self) -> int:
        """Bytes that all of it takes on the disk."""

    def state(self) -> tuple[int, ...]:
        """What changes when it is written to or replaced."""

    def damaged(self, reason: object) -> BadFileError:
        """What to raise where it holds what nobody wrote."""

    def integrity(self) -> Iterator[str]:
        """What the engine finds broken of what it keeps, a line each: no use looking further then."""

    def problems(self) -> Iterator[str]:
        """What does not fit together between tables and indexes, a line each."""

    def close(self) -> None:
        """It is of no use afterwards."""

    @property
    def graph_rows(self) -> GraphRows:
        """Mentions and facts of some passages or names."""

    def best(self, index: Index, words: Sequence[str], k: int) -> list[tuple[int | None, float]]:
        """(id, BM25 score) of the k best rows with one of the words, best first, ties by id.

        Scores are positive; a passage's title counts double. The id is None where an index holds what no table does.
        """

    def matching(self, index: Index, query: Query) -> tuple[str, tuple[Any, ...]]:
        """SQL for the ids of all rows that a query finds, and what is bound in it; the query has a phrase."""

    def texts(self, index: Index, query: Query, limit: int) -> list[tuple[str, ...]]:
        """Title and text, or name, of the first rows that a query finds, in the order in which they were written."""

    def name_words(self, start: str, end: str) -> list[str]:
        """The words of names from `start` on and before `end`, in their order."""

    def known_name_words(self, words: Sequence[str]) -> list[str]:
        """Those of some words that names have."""

    def passage_vectors(self, dimension: int) -> PassageVectors:
        """Those of all passages. Raises ValueError where not each has one."""

    def codes(self, table: Table, dimension: int) -> Iterator[tuple[Ids, Codes]]:
        """All vectors of a table at eight bits, part by part. Raises ValueError where they do not fit together."""

    def codes_of(self, table: Table, ids: Sequence[int], dimension: int) -> Mapping[int, bytes]:
        """The vectors of those with these ids that have one."""


class WritingEngine(Engine, Protocol):
    """A knowledge base opened to write, by one at a time; a transaction that is not finished leaves nothing."""

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement."""

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each of the rows."""

    def fill(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Write many rows of a table, which are not there, as quickly as may be."""

    def atomic(self) -> AbstractContextManager[None]:
        """A transaction; within another one, a part of that: an error may not be caught between the two."""

    def durable(self) -> AbstractContextManager[None]:
        """As `atomic`: not even a power cut loses what was written in the block."""

    def add_codes(self, table: Table, ids: Iterable[int], codes: Codes) -> None:
        """Write vectors, shape (n, dimension)."""

    def drop_codes(self, table: Table, ids: Iterable[int]) -> None:
        """Forget vectors."""

    def create_vectors(self, dimension: int) -> None:
        """Make the tables of vectors, where they are not there."""

    def optimize(self) -> None:
        """Refresh what the planner of queries knows of the tables."""
