"""Importing a prior extraction.

Its file has JSON lines of {"id": document, "entities": [...], "triples": [[head, relation, tail], ...]}.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import UsageError
from kb.graph.mentions import Mention
from kb.graph.passage_work import PassageWork, StoredTriple
from kb.name_keys import name_key
from kb.named_files import named_text
from kb.records import Document, Piece


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor said of one document."""

    entities: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]

    def work(self, document: Document, piece: Piece, is_last: bool, spans: Sequence[tuple[int, int]]) -> PassageWork:
        """The part that this passage carries: a triple goes with the sentence that has most of its words.

        A triple or entity none of whose words are in the passage belongs to another passage of the document.
        """
        names = dict.fromkeys((*self.entities, *(name for h, _, t in self.triples for name in (h, t))))
        mentions = tuple(found for name in names if (found := _find(piece.text, name)))
        triples = [(h, r, t, _best_sentence(piece.text, spans, f"{h} {r} {t}")) for h, r, t in self.triples]
        stored = tuple(
            StoredTriple(name_key(h), r, name_key(t), at)
            for h, r, t, at in triples
            if at is not None and name_key(h) and name_key(t)
        )
        ends = [(name_key(name), name, "name") for h, _, t, at in triples if at is not None for name in (h, t)]
        return PassageWork(
            document, piece, is_last, tuple(spans), mentions, stored,
            tuple(dict.fromkeys(one for one in ends if one[0])), origin="openie",
        )  # fmt: skip


def read_extractions(path: Path | None) -> Mapping[str, Extraction]:
    """The extractions of a file by document key; none for no file. Raises UsageError with the line that is wrong."""
    if path is None:
        return {}
    found: dict[str, Extraction] = {}
    for number, line in enumerate(named_text(path).splitlines(), 1):
        if line.strip():
            key, extraction = _parse(line, f"{path}: line {number}")
            found[key] = extraction
    return found


def _parse(line: str, where: str) -> tuple[str, Extraction]:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON ({error})") from error
    if not isinstance(row, dict) or not isinstance(row.get("id"), str | int):
        raise UsageError(f"{where}: an extraction is an object with 'id', 'entities' and 'triples'")
    entities, triples = row.get("entities", []), row.get("triples", [])
    if not isinstance(entities, list) or not isinstance(triples, list):
        raise UsageError(f"{where}: 'entities' and 'triples' must be lists")
    # Models leave a part of a triple out now and then: such a triple says nothing.
    whole = [tuple(map(str, one)) for one in triples if isinstance(one, list) and len(one) == 3]
    return str(row["id"]), Extraction(tuple(map(str, entities)), tuple((h, r, t) for h, r, t in whole))


def _find(text: str, name: str) -> Mention | None:
    key = name_key(name)
    at = text.casefold().find(name.casefold()) if key else -1
    return Mention(at, at + len(name), name, key, "name") if at >= 0 else None


def _best_sentence(text: str, spans: Sequence[tuple[int, int]], triple: str) -> int | None:
    words = set(name_key(triple).split())
    shared = [len(words & set(name_key(text[start:end][:2000]).split())) for start, end in spans]
    best = max(range(len(spans)), key=lambda at: (shared[at], -at), default=None)
    return best if best is not None and shared[best] else None
