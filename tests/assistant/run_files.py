"""Question files and runs for the tests of evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def jsonl(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def line(id: str, question: str, answer: str, documents: str, found: bool = True, **more: Any) -> dict[str, Any]:
    """A line of a run whose passages are of the documents named by the letters of `documents`, in this order."""
    passages = [{"document": document} for document in documents]
    record = {"id": id, "question": question, "answer": answer, "found": found, "passages": passages, "error": None}
    return record | more


def hop(head: str, relation: str, tail: str, passage: int | None, state: str = "resolved") -> dict[str, Any]:
    return {"head": head, "relation": relation, "tail": tail, "passage_id": passage, "state": state}
