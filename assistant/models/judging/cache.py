"""Judgements that a language model has made, so that none is paid for twice.

They are looked for in the knowledge base, which `clew enrich` fills, then in a file of the user's own, and written to
that one only: a knowledge base that is open to read is not written to.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from assistant.models.judging.one_judgement import Value
from assistant.shared.rendering import plain
from assistant.shared.user_folders import state_folder
from kb.errors import ClewError
from kb.store.answer_store import AnswerStore, StoredAnswer, answers_in
from kb.store.knowledge_base import KnowledgeBase
from kb.store.model_cache import ModelAnswer, ModelCache

T = TypeVar("T")

_REMEMBERED = 2_000
"""Judgements kept in memory, which is all there is where no file can be written."""


def judgements_file() -> Path:
    """The user's cache of judgements. It need not exist."""
    return state_folder() / "judgements.db"


class JudgementCache:
    """The judgements about one knowledge base; to be used, as that is, by one thread at a time.

    Never raises for a file that cannot be used: `trouble` then says why, and judgements are kept in memory. With
    `given`, judgements by key such as `ModelJudge.used` has them, these are all that is known, and no file is touched:
    a question is answered again as it was, wherever that is done.
    """

    def __init__(
        self, kb: KnowledgeBase, path: Path | None = None, *, given: Mapping[str, Value] | None = None
    ) -> None:
        self._kb = kb
        self._path = path or judgements_file()
        self._alone = given is not None
        self._store: AnswerStore | None = None
        self._opened = False
        self._memory = {key: encoded(value) for key, value in (given or {}).items()}
        self.trouble = ""

    def close(self) -> None:
        """Close the user's file; what is asked for afterwards opens it again."""
        if self._store is not None:
            self._store.close()
        self._store, self._opened = None, False

    def get(self, keys: Sequence[str]) -> dict[str, Value]:
        """Those of the judgements that are known, by key; what is no JSON object counts as unknown."""
        found = {key: self._memory[key] for key in keys if key in self._memory}
        if self._alone:
            return dict(_decoded(found))
        found |= answers_in(self._kb, [key for key in keys if key not in found])
        missing = [key for key in keys if key not in found]
        if missing:
            try:
                found |= self._file().get(missing)
            except ClewError as error:
                self._tell(error)
        return dict(_decoded(found))

    def put(self, kind: str, model: str, version: str, judged: Mapping[str, Value], tokens: tuple[int, int]) -> None:
        """Keep judgements by the SHA-256 of what they are about; each has its share of the `tokens`, in and out."""
        share = [count // max(len(judged), 1) for count in tokens]
        answers = [
            StoredAnswer(kind, model, version, ModelAnswer(content, encoded(value), *share))
            for content, value in judged.items()
        ]
        self._memory |= {one.key: one.answer.value for one in answers}
        if self._alone:
            return
        for key in list(self._memory)[: max(len(self._memory) - _REMEMBERED, 0)]:
            del self._memory[key]
        try:
            self._file().put(answers, self._kb.path, int(time.time()))
        except ClewError as error:
            self._tell(error)

    def _file(self) -> AnswerStore:
        """The user's file; it is tried once, so that one that cannot be used costs a question no time."""
        if not self._opened:
            self._opened = True
            self._store = AnswerStore(self._path)
        if self._store is None:
            raise ClewError(self.trouble)
        return self._store

    def _tell(self, error: ClewError) -> None:
        self.trouble = self.trouble or str(error)


def absorb(file: Path, into: ModelCache, path: Path | None = None) -> int:
    """Copy the judgements about the knowledge base at `file` from the user's cache into it; returns how many there are.

    For a file that is open to write anyway. 0 where there is no cache, or where it cannot be used.
    """
    answers = _of_store(path, lambda store: store.about(file)) or []
    for (kind, model, version), group in groupby(sorted(answers, key=_origin), key=_origin):
        into.put(kind, model, version, [one.answer for one in group])
    return len(answers)


def forget(file: Path, path: Path | None = None) -> int:
    """Drop the judgements about the knowledge base at `file` from the user's cache; returns how many there were.

    For a file from which documents are removed: a summary says what they said. 0 as for `absorb`.
    """
    return _of_store(path, lambda store: store.forget(file)) or 0


def encoded(value: Value) -> str:
    """A judgement as it is kept: compact JSON, keys in order."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def note(trouble: str) -> str:
    """What the reader of an answer is told of a cache that cannot be used."""
    return f"judgements were not kept: {plain(trouble, 300)}; they are asked for again next time"


def _of_store(path: Path | None, get: Callable[[AnswerStore], T]) -> T | None:
    """What `get` gives for the user's cache; None where there is none, or where it cannot be used."""
    path = path or judgements_file()
    if not path.exists():
        return None
    try:
        store = AnswerStore(path)
    except ClewError:
        return None
    try:
        return get(store)
    except ClewError:
        return None
    finally:
        store.close()


def _origin(one: StoredAnswer) -> tuple[str, str, str]:
    return one.kind, one.model, one.prompt_version


def _decoded(found: Mapping[str, str]) -> Iterator[tuple[str, Value]]:
    for key, text in found.items():
        try:
            value = json.loads(text)
        except (ValueError, RecursionError, TypeError):
            continue
        if isinstance(value, dict):
            yield key, value
