"""Putting a model's answers in the place of facts extracted by rule, passage by passage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kb.graph.model_extraction import ModelPrompt, extraction_key, model_work, read_cached
from kb.graph.passage_work import PassageWork
from kb.records import PassageText
from kb.store.check import damage_told
from kb.store.deriving import derive_with
from kb.store.embeddings import load_embedder
from kb.store.knowledge_base import KnowledgeBase
from kb.store.linking import name_vectors
from kb.store.model_cache import ModelCache, known_answers
from kb.store.open_base import open_if_there
from kb.store.writer import StoredPassage, Writer

_BATCH = 128
"""Passages a transaction."""

Report = Callable[[int, int], None]


class PassageExtractor(Protocol):
    """Whoever asks a language model what passages say."""

    prompt: ModelPrompt

    def ask(self, passages: Sequence[PassageText], cache: ModelCache) -> None:
        """Put the model's answers for `passages` into `cache`, each as soon as it is there.

        Passages that are in the cache are not asked for. Those that fail, or that a budget does not allow, are left
        out: they are extracted by rule. Raises ModelFailure where the model cannot be asked at all.
        """


@dataclass(slots=True)
class ExtractionReport:
    """What came of a model's answers: passages that have its facts now, those that have not and why facts are fewer.

    `by_rule` counts the passages for which there was no answer, `facts` what was taken, `dropped` the facts left out
    because the passage does not bear them out.
    """

    by_model: int = 0
    by_rule: int = 0
    facts: int = 0
    dropped: int = 0


def enrich(
    path: Path, passages: Sequence[int], extractor: PassageExtractor, *, progress: Report | None = None
) -> ExtractionReport:
    """Have the passages with these ids extracted by the model, in this order, in the place of what was there.

    Texts and vectors stay. Passages that this model has extracted already cost nothing; unknown ids are passed over.
    What a killed run was told is not asked again. Raises BadFileError, and ModelFailure before anything is changed.
    """
    report = ExtractionReport()
    with damage_told(path), KnowledgeBase.open(path) as kb:
        model = kb.embedding_model
    with damage_told(path), Writer(path, load_embedder(model)) as writer:
        todo = _stale(writer, passages, extractor.prompt)
        extractor.ask(list(dict.fromkeys(_text(one) for one in todo)), writer.cache)
        # Killed in between, the file would say from then on that its build has not come to its end.
        with writer.together():
            replace_by_model(writer, todo, extractor.prompt, report, progress or _silent)
            name_vectors(writer, progress or _silent, derive_with(writer.embedder))
        writer.optimize()
    return report


def work_by_model(
    cache: ModelCache,
    passage: StoredPassage,
    prompt: ModelPrompt,
    report: ExtractionReport,
    is_last: bool = False,
) -> PassageWork | None:
    """What the cached answer gives for a passage, counted in `report`; None where there is no answer."""
    key = extraction_key(_text(passage), prompt)
    answer = cache.get(key)
    if answer is None:
        report.by_rule += 1
        return None
    work, dropped = model_work(passage.document, passage.piece, is_last, passage.spans, read_cached(answer), key)
    report.by_model += 1
    report.facts += len(work.triples)
    report.dropped += dropped
    return work


def replace_by_model(
    writer: Writer,
    passages: Sequence[StoredPassage],
    prompt: ModelPrompt,
    report: ExtractionReport,
    progress: Report,
) -> None:
    """Replace the facts of stored passages by the model's, where its answers are there, in transactions of a batch."""
    for start in range(0, len(passages), _BATCH):
        batch = passages[start : start + _BATCH]
        works = [work_by_model(writer.cache, one, prompt, report) for one in batch]
        writer.replace_facts([work for work in works if work is not None])
        progress(start + len(batch), len(passages))


def still_to_ask(
    path: Path, passages: Mapping[int, PassageText], prompt: ModelPrompt, *, again: bool = False
) -> list[PassageText]:
    """Those of the passages, by id, that no model has extracted and whose answers are not cached; equal ones once.

    With `again`, what another model or prompt has extracted counts too. Only reads; all of them where there is no file.
    """
    everything = list(dict.fromkeys(passages.values()))
    engine = open_if_there(path)
    if engine is None:
        return everything
    try:
        if not engine.has("m002_model_answers"):
            return everything
        done: dict[int, str] = dict(engine.rows("SELECT id, extraction FROM passages WHERE extraction <> ''"))
        keys = {text: extraction_key(text, prompt) for text in everything}
        rest = dict.fromkeys(
            text for own, text in passages.items() if own not in done or (again and done[own] != keys[text])
        )
        cached = known_answers(engine, [keys[one] for one in rest])
    finally:
        engine.close()
    return [one for one in rest if keys[one] not in cached]


def unenriched(path: Path, passages: Sequence[int], prompt: ModelPrompt) -> list[PassageText]:
    """What `enrich` would ask for, without asking and without writing."""
    with KnowledgeBase.open(path) as kb:
        found = kb.passages(list(dict.fromkeys(passages)))
    return still_to_ask(path, {one.id: PassageText(one.title, one.text) for one in found}, prompt, again=True)


def _stale(writer: Writer, passages: Sequence[int], prompt: ModelPrompt) -> list[StoredPassage]:
    """The passages with these ids, in this order, that this model and prompt have not extracted."""
    return [one for one in writer.passages(passages) if one.extraction != extraction_key(_text(one), prompt)]


def _text(passage: StoredPassage) -> PassageText:
    return PassageText(passage.document.title, passage.piece.text)


def _silent(_done: int, _total: int) -> None:
    return
