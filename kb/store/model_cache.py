"""What language models have answered, kept in the file that the answers are about, so that nothing is paid twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.records import EXTRACTION, PassageText, answer_key
from kb.store.engine import Engine, WritingEngine
from kb.store.open_base import open_if_there


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """An answer to be kept: `value` is JSON, the tokens are this answer's share of its request's."""

    content: str
    value: str
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TokensSpent:
    """What the answers that a file holds have cost."""

    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class ModelCache:
    """The answers in what is opened to write. Each `put` is a transaction of its own."""

    def __init__(self, engine: WritingEngine) -> None:
        self._engine = engine

    def get(self, key: str) -> str | None:
        """An answer's JSON; None for one that is not there."""
        rows = self._engine.rows("SELECT value FROM model_cache WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None

    def known(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys whose answers are there."""
        return known_answers(self._engine, keys)

    def put(self, kind: str, model: str, prompt_version: str, answers: Sequence[ModelAnswer]) -> None:
        """Keep answers, all or none; they are on the disk when this returns, so that not even a power cut loses them.

        An answer with a key that is there replaces the older one.
        """
        rows = [
            (answer_key(kind, one.content, model, prompt_version), kind, one.content, model, prompt_version,
             one.value, one.input_tokens, one.output_tokens)
            for one in answers
        ]  # fmt: skip
        with self._engine.durable():
            self._engine.many(
                "INSERT INTO model_cache VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
                "value = excluded.value, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens",
                rows,
            )

    def prune(self, *, judgements: bool) -> int:
        """Forget what was extracted from passages that no document has any more; returns how many answers that were.

        With `judgements` all other answers go too: nobody knows which of them rest on what has been removed.
        """
        with self._engine.atomic():
            if judgements:
                self._engine.execute("DELETE FROM model_cache WHERE kind <> ?", (EXTRACTION,))
            cached = self._engine.rows("SELECT key, content FROM model_cache WHERE kind = ?", (EXTRACTION,))
            if not cached:
                return 0
            passages = self._engine.each("SELECT title, text FROM passages")
            present = {PassageText(title, text).content for title, text in passages}
            stale = [(key,) for key, content in cached if content not in present]
            self._engine.many("DELETE FROM model_cache WHERE key = ?", stale)
            return len(stale)


def known_answers(engine: Engine, keys: Iterable[str]) -> set[str]:
    """Those of the keys whose answers are there, in the schema that has them."""
    return {row[0] for row in engine.by_ids("SELECT key FROM model_cache WHERE key IN ", list(dict.fromkeys(keys)))}


def tokens_spent(path: Path, model: str, prompt_version: str) -> TokensSpent:
    """What a model's extractions in the file at `path` have cost; nothing where there is no file. Only reads."""
    engine = open_if_there(path)
    if engine is None:
        return TokensSpent()
    try:
        if not engine.has("m002_model_answers"):
            return TokensSpent()
        sums = "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0) FROM model_cache "
        which = "WHERE kind = ? AND model = ? AND prompt_version = ?"
        return TokensSpent(*engine.rows(sums + which, (EXTRACTION, model, prompt_version))[0])
    finally:
        engine.close()
