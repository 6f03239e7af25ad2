"""What is derived from texts before anything of them is written: vectors, names and facts.

It is what takes a build most of its time, and needs no knowledge base: a task can be carried out by another process or
another machine (`kb/cluster/`) with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from kb.documents.passages import sentences, title_prefix
from kb.graph.openie import Extraction
from kb.graph.passage_work import PassageWork
from kb.graph.rule_extraction import Surroundings, rule_work
from kb.graph.stored_vectors import Codes, eight_bits
from kb.records import Document, Piece
from kb.store.embeddings import Embedded, Embedder, load_embedder

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Task(Protocol[T_co]):
    """Something to derive; it can be pickled, as can what comes of it."""

    def derived(self, embedder: Embedder, /) -> T_co:
        """What comes of it, the same wherever it is called."""


class Derive(Protocol):
    """Whoever carries out tasks."""

    def __call__(self, tasks: Iterable[Task[T]], /) -> Iterator[T]:
        """What comes of the tasks, in their order; some of them may be taken ahead. Nothing for no task."""


Place = Callable[[str], AbstractContextManager[Derive]]
"""Where tasks are carried out, given the name of the embedding model."""


def derive_with(embedder: Embedder) -> Derive:
    """Carries out tasks in this process, each when it is asked for."""

    def derive(tasks: Iterable[Task[T]]) -> Iterator[T]:
        return (task.derived(embedder) for task in tasks)

    return derive


@contextmanager
def here(model: str) -> Iterator[Derive]:
    """This process, as the place where tasks are carried out."""
    yield derive_with(load_embedder(model))


@dataclass(frozen=True, slots=True)
class Underived:
    """A passage, and where its facts come from: `work` if that is known already, else `given`, else by rule."""

    document: Document
    piece: Piece
    is_last: bool
    around: Surroundings
    given: Extraction | None = None
    work: PassageWork | None = None

    def facts(self, spans: Sequence[tuple[int, int]]) -> PassageWork:
        """All that is derived from it but vectors; `spans` are its sentences."""
        if self.work is not None:
            return self.work
        if self.given is not None:
            return self.given.work(self.document, self.piece, self.is_last, spans)
        return rule_work(self.document, self.piece, spans, self.around, is_last=self.is_last)


@dataclass(frozen=True, slots=True)
class PassageBatch:
    """Passages that are written together."""

    passages: tuple[Underived, ...]

    def derived(self, embedder: Embedder) -> tuple[list[PassageWork], list[Embedded]]:
        """Of each passage what it says, and its vectors with those of its sentences."""
        spans = [tuple(sentences(one.piece.text)) for one in self.passages]
        prefixes = self._prefixes(embedder)
        texts = [prefix + one.piece.text for prefix, one in zip(prefixes, self.passages, strict=True)]
        shifted = [
            [(start + len(prefix), end + len(prefix)) for start, end in ranges]
            for prefix, ranges in zip(prefixes, spans, strict=True)
        ]
        vectors = embedder.embed_passages(texts, shifted)
        return [one.facts(ranges) for one, ranges in zip(self.passages, spans, strict=True)], vectors

    def _prefixes(self, embedder: Embedder) -> list[str]:
        places = [(one.document.title, one.piece.above) for one in self.passages]
        known = {
            (title, above): title_prefix(title, embedder.count_tokens, embedder.max_tokens - 2, above)
            for title, above in dict.fromkeys(places)
        }
        return [known[place] for place in places]


@dataclass(frozen=True, slots=True)
class NameBatch:
    """Names whose vectors are written together."""

    names: tuple[str, ...]

    def derived(self, embedder: Embedder) -> Codes:
        """Their vectors at eight bits a component, shape (names, dimension)."""
        return eight_bits(embedder.embed_names(self.names))
