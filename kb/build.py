"""Building a knowledge base: what to read, what has changed, and the order of the work.

Documents are read and cut here; what is derived from a batch of their passages may be worked out elsewhere
(`kb/cluster/`); and the batch is written here again, one transaction with everything derived from it. All goes as it
comes: of the documents gone through no more is kept in memory than their keys. Ids come from content, so that a build
that was killed finds what is already there and goes on behind it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from math import inf
from pathlib import Path
from typing import BinaryIO, Literal

from kb.documents.file_stamps import Stamp
from kb.documents.found_files import Skipped
from kb.documents.links import Targets
from kb.documents.passages import cut, sentences
from kb.documents.sources import FILE_SECONDS, read_sources
from kb.enriching import ExtractionReport, PassageExtractor, replace_by_model, still_to_ask, work_by_model
from kb.errors import LockedFileError, SourceError, UsageError, WriteError
from kb.graph.model_extraction import ORIGIN, ModelPrompt
from kb.graph.openie import Extraction, read_extractions
from kb.graph.passage_work import PassageWork
from kb.graph.rule_extraction import links_within, surroundings
from kb.records import Document, PassageText, Piece
from kb.store.changed_files import Reading, Sources
from kb.store.changed_links import add_target, follow_changes, known_targets
from kb.store.check import damage_told
from kb.store.deriving import Derive, PassageBatch, Place, Underived, here
from kb.store.embeddings import DEFAULT_MODEL, Embedder, load_embedder
from kb.store.file_state import has_log
from kb.store.linking import join_short_names, link_titles, name_vectors
from kb.store.locking import refuse_second_writer
from kb.store.stamps import FINISHED, Stored, StoredDocument
from kb.store.writer import StoredPassage, Writer, passage_id

_BATCH = 128
"""Passages a transaction: about a second of embedding, the most that a kill can lose."""

_TOLD_SECONDS = 0.5
"""Between two reports of how much has been read."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is; `total` is 0 while it is not known. Of what is embedded while sources are still read it is an
    estimate, from the share of their bytes that has been read.
    """

    stage: Literal["reading", "embedding", "updating", "linking"]
    done: int
    total: int


Report = Callable[[Progress], None]


@dataclass(slots=True)
class BuildReport:
    """What a build did, in documents, and what it could not read; `files` are those that any of them came from."""

    files: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    passages: int = 0
    extraction: ExtractionReport = field(default_factory=ExtractionReport)
    problems: list[SourceError] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def build(
    sources: Sequence[str],
    path: Path,
    *,
    model: str = DEFAULT_MODEL,
    openie: Path | None = None,
    extractor: PassageExtractor | None = None,
    progress: Report | None = None,
    stdin: BinaryIO | None = None,
    everything: bool = False,
    file_seconds: float = FILE_SECONDS,
    place: Place = here,
) -> BuildReport:
    """Make `path` hold what `sources` hold; it is not written to where it does.

    Files that look as they did when they were last read, by size, times and inode, are not read again.
    New and changed documents are written, those gone from the same sources removed; other sources' stay. A build that
    was stopped carries on. Unreadable documents are in the report, and nothing else is affected; one that takes longer
    than `file_seconds` to be read is such a document. `everything` reads what folders hold hidden and ignored as well.

    An `extractor` is asked for every passage that no model has extracted yet, those of unchanged documents too, before
    anything is written but its answers; without one, and where it gives no answer, facts are extracted by rule. Vectors
    and facts are worked out at `place`. Raises UsageError where there is nothing to read, BadFileError for an unusable
    file, ModelFailure where the extractor's model cannot be asked: no document is touched by then; ClusterFailure
    where `place` is a cluster that fails.
    """
    work = _Build(path, model, progress or _silent, read_extractions(openie), extractor, place)
    with damage_told(path):
        return work.run(Sources(sources, stdin, everything, file_seconds), sync=True)


def add(
    sources: Sequence[str],
    path: Path,
    *,
    openie: Path | None = None,
    extractor: PassageExtractor | None = None,
    progress: Report | None = None,
    stdin: BinaryIO | None = None,
    everything: bool = False,
    file_seconds: float = FILE_SECONDS,
) -> BuildReport:
    """As `build`, on an existing file with the file's own embedding model, and without removing anything."""
    with damage_told(path):
        work = _Build(path, stored_model(path), progress or _silent, read_extractions(openie), extractor)
        return work.run(Sources(sources, stdin, everything, file_seconds), sync=False)


def unextracted(
    sources: Sequence[str],
    path: Path,
    prompt: ModelPrompt,
    *,
    model: str = DEFAULT_MODEL,
    stdin: BinaryIO | None = None,
    everything: bool = False,
) -> list[PassageText]:
    """What `build` would ask a model for, without asking it and without writing; equal passages come once.

    Raises UsageError where there is nothing to read, BadFileError for an unusable file.
    """
    embedder = load_embedder(model)
    passages = {
        passage_id(one, piece): PassageText(one.title, piece.text)
        for one in read_sources(sources, stdin=stdin, everything=everything)
        if isinstance(one, Document)
        for piece in cut(one, embedder.count_tokens, embedder.max_tokens - 2)
    }
    if not passages:
        raise UsageError(f"nothing in {', '.join(map(repr, sources))} can be read")
    return still_to_ask(path, passages, prompt)


def remove(path: Path, keys: Sequence[str]) -> list[str]:
    """Forget the documents with these keys or titles, without a trace; returns their keys.

    All is one transaction: a removal that is killed is whole, or has not begun. Raises UsageError, and removes nothing,
    where one of them is not there.
    """
    with damage_told(path), Writer(path, load_embedder(stored_model(path))) as writer:
        found = [_resolve(writer, key) for key in dict.fromkeys(keys)]
        with writer.together():
            writer.remove(found)
            follow_changes(writer)
            link_titles(writer, lambda *_: None)
            join_short_names(writer)
        return found


def stored_model(path: Path) -> str:
    """The name of the embedding model that a file was built with. Raises BadFileError for an unusable file."""
    from kb.store.knowledge_base import KnowledgeBase

    with KnowledgeBase.open(path) as kb:
        return kb.embedding_model


def _resolve(writer: Writer, key: str) -> str:
    rows = writer.rows("SELECT key FROM documents WHERE key = ?", (key,))
    rows = rows or writer.rows("SELECT key FROM documents WHERE title = ? ORDER BY key", (key,))
    if len(rows) == 1:
        return str(rows[0][0])
    if rows:
        raise UsageError(
            f"{len(rows)} documents have the title {key!r}; name one by its id: {', '.join(r[0] for r in rows[:5])}"
        )
    raise UsageError(f"there is no document {key!r} in the file; 'clew info --documents' lists them")


def _silent(_: Progress) -> None:
    return


@dataclass(slots=True)
class _Build:
    path: Path
    model: str
    progress: Report
    extractions: Mapping[str, Extraction]
    extractor: PassageExtractor | None = None
    place: Place = here
    report: BuildReport = field(default_factory=BuildReport)
    targets: Targets = field(default_factory=lambda: Targets({}))
    work: dict[str, Literal["added", "changed"]] = field(default_factory=dict)
    """What is to be done to documents, by their keys; those that are stored as they are have nothing here."""
    halves: dict[str, int] = field(default_factory=dict)
    """How many passages were written of documents that then took too long to be cut, by their keys."""
    expected: int = 0
    """How many passages there will be, by the share of the sources' bytes that those so far came from."""

    def run(self, sources: Sources, *, sync: bool) -> BuildReport:
        refuse_second_writer(self.path)  # before anything is read
        reading = Reading(sources, Stored.read(self.path))
        documents = self._needing_work(reading, reading.stored)
        first = next(documents, None)
        if not reading.keys and not (sync and self.path.exists()):
            told = f": {reading.problems[0]}" if reading.problems else ""
            raise UsageError(f"nothing in {', '.join(map(repr, sources.names))} can be read{told}")
        if first is None and self._is_done(reading, sync=sync):
            self._keep_stamps(reading)
        else:
            # A cluster that cannot be reached leaves no file behind.
            with self.place(self.model) as derive, Writer(self.path, load_embedder(self.model)) as writer:
                stored = writer.stored()
                if not reading.is_of(stored):
                    if not sources.can_be_read_again:
                        raise LockedFileError(
                            f"{self.path} was changed by another process while standard input was read; run it again"
                        )
                    reading.read_everything(stored)
                    self.work.clear()
                    documents = self._needing_work(reading, stored)
                    first = next(documents, None)
                waiting = chain([first] if first else [], documents)
                self._write(writer, derive, reading, stored, waiting, sync=sync)
        self._tell_all(reading)
        return self.report

    def _write(
        self, writer: Writer, derive: Derive, reading: Reading, stored: Stored, documents: Iterable[Document], *,
        sync: bool,
    ) -> None:  # fmt: skip
        self.targets = known_targets(writer)
        waiting = self._pending(writer, documents, reading, stored.documents)
        again: list[StoredPassage] = []
        if self.extractor is not None:  # it tells first what all of it will cost
            everything = list(waiting)
            again = self._ask(writer, self.extractor, everything, reading)
            waiting, self.expected = iter(everything), len(everything)
        writer.begin_work()  # a model that could not be asked has left the file as it was
        writer.move_folders(reading.moved)
        self._write_all(writer, derive, waiting, reading)
        self._remove(writer, reading.vanished() if sync else [], reading)
        self._update(writer, again)
        self._finish(writer, derive, sync=sync)
        writer.keep_stamps(*reading.take_stamps())
        writer.set_meta(**self._meta(writer.meta()))

    def _remove(self, writer: Writer, gone: Sequence[str], reading: Reading) -> None:
        """Forget what is gone, and of what could not be cut to its end the passages that were."""
        halves = {key: passages for key, passages in self.halves.items() if key not in reading.keys}
        if gone or halves:
            writer.remove(dict.fromkeys([*gone, *halves]))
        self.report.removed = len(gone)
        self.report.passages -= sum(halves.values())

    def _needing_work(self, reading: Reading, stored: Stored) -> Iterator[Document]:
        """The documents that are to be written, as they are read."""
        told = -inf
        for one in reading.documents():
            if time.monotonic() - told > _TOLD_SECONDS:
                told = time.monotonic()
                self._tell_reading(reading)
            work = _work(one, stored.documents)
            if work is not None and one.key not in self.work:
                self.work[one.key] = work
                yield one
        self._tell_reading(reading, is_over=True)

    def _pending(
        self, writer: Writer, documents: Iterable[Document], reading: Reading, stored: Mapping[str, StoredDocument]
    ) -> Iterator[_Pending]:
        """The passages still to be written, as they are cut; a document stopped half way goes on behind its last one.

        A document that takes too long to be cut is left out and named.
        """
        for document in documents:
            known = stored.get(document.key)
            resumes = known is not None and known.digest == document.digest and not known.complete
            present = writer.stored_passages(document.key) if resumes else set()
            given = 0
            try:
                for one in _without(present, document, self._pieces(document, writer.embedder, reading)):
                    yield one
                    given += 1
                if present and not given:
                    writer.complete_document(document.key)
            except _TooLongError:
                reading.leave_out(document)
                del self.work[document.key]
                if present or given:
                    self.halves[document.key] = given

    def _pieces(self, document: Document, embedder: Embedder, reading: Reading) -> Iterator[Piece]:
        """The document's pieces: all at once where what is there must stay, or cost nothing, if they cannot be cut."""
        pieces = self._cut(document, embedder, reading)
        waits = self.work[document.key] == "changed" or self.extractor is not None
        return iter(list(pieces)) if waits else pieces

    def _cut(self, document: Document, embedder: Embedder, reading: Reading) -> Iterator[Piece]:
        """The document's pieces one by one. Raises _TooLongError where cutting them takes too long in all."""
        pieces = cut(document, embedder.count_tokens, embedder.max_tokens - 2)
        spent, began = 0.0, time.monotonic()
        told = began
        for piece in pieces:
            now = time.monotonic()
            spent += now - began
            if spent > reading.sources.file_seconds:
                raise _TooLongError
            if now - told > _TOLD_SECONDS:
                told = now
                self._tell_reading(reading)
            yield piece
            began = time.monotonic()  # what is done with it meanwhile does not count

    def _tell_reading(self, reading: Reading, *, is_over: bool = False) -> None:
        if self.report.passages:
            self._tell_written()
        else:
            found = len(reading.keys)
            self.progress(Progress("reading", found, found if is_over else 0))

    def _tell_written(self) -> None:
        self.progress(Progress("embedding", self.report.passages, self.expected))

    def _tell_all(self, reading: Reading) -> None:
        self.report.added = list(self.work.values()).count("added")
        self.report.changed = len(self.work) - self.report.added
        self.report.unchanged = len(reading.keys) - len(self.work)
        self.report.files = reading.files
        self.report.problems, self.report.skipped = reading.problems, reading.skipped

    def _is_done(self, reading: Reading, *, sync: bool) -> bool:
        """Whether the file, without a log, holds all that is in the sources, of which nothing needs work, and nothing
        else.
        """
        if has_log(self.path):
            return False
        meta = reading.stored.meta
        if self.extractor is not None or reading.moved or meta.get("embedding_model") != self.model:
            return False
        if any(meta.get(name) != value for name, value in self._meta(meta).items()):
            return False
        return not (sync and reading.vanished())

    def _keep_stamps(self, reading: Reading) -> None:
        new, outdated = reading.take_stamps()
        if not new and not outdated:
            return
        # All that is lost without them is time.
        with suppress(LockedFileError, WriteError), Writer(self.path, load_embedder(self.model)) as writer:
            writer.keep_stamps(new, outdated)

    def _meta(self, stored: Mapping[str, str]) -> dict[str, str]:
        """What a file says of itself when the build has come to its end."""
        own = "openie" if self.extractions else ORIGIN if self.extractor else "rules"
        if own == "rules" and stored.get("extractor") == ORIGIN:
            own = ORIGIN
        return {"extractor": own, FINISHED: "1"}

    def _finish(self, writer: Writer, derive: Derive, *, sync: bool) -> None:
        if writer.has_leftovers:
            writer.remove(())
        elif sync:
            writer.cache.prune(judgements=False)
        follow_changes(writer)
        link_titles(writer, lambda done, total: self.progress(Progress("linking", done, total)))
        name_vectors(writer, lambda done, total: self.progress(Progress("linking", done, total)), derive)
        join_short_names(writer)
        writer.optimize()

    def _ask(
        self, writer: Writer, extractor: PassageExtractor, waiting: Sequence[_Pending], reading: Reading
    ) -> list[StoredPassage]:
        """Have the model's answers in the cache; returns the stored passages that no model has extracted yet."""
        same = {key for key in reading.keys if self.work.get(key) != "changed"}
        again = [one for one in writer.unextracted() if one.document.key in same]
        pairs = [(one.document, one.piece) for one in waiting] + [(one.document, one.piece) for one in again]
        texts = dict.fromkeys(PassageText(document.title, piece.text) for document, piece in pairs)
        extractor.ask(list(texts), writer.cache)
        return again

    def _write_all(self, writer: Writer, derive: Derive, waiting: Iterator[_Pending], reading: Reading) -> None:
        """Write what is pending, batch by batch, as what is derived from it comes."""
        begun: deque[_Batch] = deque()

        def tasks() -> Iterator[PassageBatch]:
            for batch in self._batches(waiting, reading):
                begun.append(batch)
                for one in batch.passages:
                    if one.is_first:
                        add_target(self.targets, one.document)
                yield PassageBatch(tuple(self._underived(writer, one) for one in batch.passages))

        for works, vectors in derive(tasks()):
            batch = begun.popleft()
            with writer.together():
                for one in batch.passages:
                    if one.is_first:
                        writer.begin_document(one.document)
                writer.write(works, vectors)
            if batch.new or batch.outdated:
                writer.keep_stamps(batch.new, batch.outdated)
            self.expected = batch.expected
            self.report.passages += len(batch.passages)
            self._tell_written()

    def _batches(self, waiting: Iterator[_Pending], reading: Reading) -> Iterator[_Batch]:
        begun = 0
        while passages := list(islice(waiting, _BATCH)):
            begun += len(passages)
            if self.extractor is not None:
                # All was read before the first batch, and stamps would tell of what is not written yet.
                yield _Batch(passages, self.expected)
                continue
            # The share counts the document at hand as read, of which the rest is still to be cut.
            expected = round((begun + passages[-1].left) / reading.extent.share)
            # Before a batch is full, files end only whose documents are wholly in it or in those before.
            yield _Batch(passages, expected, *reading.take_stamps())

    def _update(self, writer: Writer, again: Sequence[StoredPassage]) -> None:
        if self.extractor is not None:
            replace_by_model(writer, again, self.extractor.prompt, self.report.extraction,
                             lambda done, total: self.progress(Progress("updating", done, total)))  # fmt: skip

    def _underived(self, writer: Writer, pending: _Pending) -> Underived:
        """A passage as it is sent to be derived: of its document with key and title alone."""
        document, piece = pending.document, pending.piece
        around = surroundings(document, piece, links_within(document, piece), self.targets)
        return Underived(
            Document(document.key, document.title, "", ""), piece, pending.is_last, around,
            self.extractions.get(document.key), self._work_by_model(writer, pending),
        )  # fmt: skip

    def _work_by_model(self, writer: Writer, pending: _Pending) -> PassageWork | None:
        if self.extractor is None:
            return None
        stored = StoredPassage(pending.document, pending.piece, tuple(sentences(pending.piece.text)), "")
        return work_by_model(writer.cache, stored, self.extractor.prompt, self.report.extraction, pending.is_last)


@dataclass(frozen=True, slots=True)
class _Pending:
    document: Document
    piece: Piece
    is_first: bool
    is_last: bool

    @property
    def left(self) -> int:
        """How many passages of the document are still to come, if they are as long as those so far."""
        rest = 0 if self.is_last else len(self.document.text) - self.piece.end
        return round(rest * (self.piece.ordinal + 1) / self.piece.end)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Passages that are written together, and what there is to say when they are: how many passages are expected in
    all, stamps of files that are written then, and of those that are to be read again.
    """

    passages: Sequence[_Pending]
    expected: int
    new: Sequence[Stamp] = ()
    outdated: Sequence[Stamp] = ()


class _TooLongError(Exception):
    """A document takes too long to be cut."""


def _without(present: Set[int], document: Document, pieces: Iterable[Piece]) -> Iterator[_Pending]:
    """What is to be written of a document of which these passages are there, each known to be the last or not."""
    todo = (piece for piece in pieces if passage_id(document, piece) not in present)
    is_first = not present
    for piece, following in pairwise(chain(todo, [None])):
        assert piece is not None
        yield _Pending(document, piece, is_first, is_last=following is None)
        is_first = False


def _work(document: Document, stored: Mapping[str, StoredDocument]) -> Literal["added", "changed"] | None:
    """What a document is to the knowledge base; None where it is stored as it is, and all of it."""
    known = stored.get(document.key)
    if known is None:
        return "added"
    if known.digest != document.digest:
        return "changed"
    return None if known.complete else "added"
