"""The lines of a finished run, as `clew run` writes them, read back for judging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from assistant.shared.question_files import read_jsonl
from kb.errors import UsageError
from kb.named_files import named_text
from tools.reading.certainty import Certainty


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A ranked passage of a line; `id` is 0 where the line has none, `tools` found it."""

    id: int
    document: str
    title: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hop:
    """A link of a line's chains, numbered from 1 over all of them; `document` is "" where it rests on no passage."""

    number: int
    head: str
    relation: str
    tail: str
    state: str
    document: str
    title: str

    @property
    def text(self) -> str:
        """The fact that the hop looks for."""
        return f"{self.head} — {self.relation} → {self.tail}"


@dataclass(frozen=True, slots=True)
class RunLine:
    """What a run says about a question; `passages` best first, `seconds` and `confidence` None, and `certainty` "none",
    where the line does not tell.
    """

    id: str
    question: str
    answer: str
    found: bool
    missing: str
    error: str
    passages: tuple[FoundPassage, ...]
    hops: tuple[Hop, ...]
    input_tokens: int
    output_tokens: int
    seconds: float | None
    certainty: Certainty = "none"
    confidence: float | None = None

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents of the passages, best first; one that has several passages comes as often."""
        return tuple(passage.document for passage in self.passages)


def read_run(out: Path) -> dict[str, RunLine]:
    """The lines of a run by question id. Raises UsageError where the file cannot be read or a line is none of a run."""
    lines: dict[str, RunLine] = {}
    for number, record in read_jsonl(out, named_text(out)):
        if not isinstance(record.get("id"), str) or "passages" not in record:
            raise UsageError(f"{out}, line {number}: no line that `clew run` writes ('id' and 'passages' are needed)")
        lines[record["id"]] = _line(record)
    return lines


def _line(record: Mapping[str, Any]) -> RunLine:
    usage, seconds, confidence = record.get("usage"), record.get("seconds"), record.get("confidence")
    tokens = usage if isinstance(usage, dict) else {}
    return RunLine(
        record["id"],
        _text(record.get("question")),
        _text(record.get("answer")),
        bool(record.get("found")),
        _text(record.get("missing")),
        _text(record.get("error")),
        tuple(_passage(one) for one in _objects(record.get("passages"))),
        _hops(record),
        _whole(tokens.get("input_tokens")),
        _whole(tokens.get("output_tokens")),
        float(seconds) if isinstance(seconds, (int, float)) and 0 <= seconds < inf else None,
        _certainty(record.get("certainty")),
        float(confidence) if isinstance(confidence, (int, float)) and 0 <= confidence <= 1 else None,
    )


def _certainty(value: Any) -> Certainty:
    return value if value in ("sure", "likely") else "none"


def _passage(record: Mapping[str, Any]) -> FoundPassage:
    sources = record.get("sources")
    tools = tuple(str(one) for one in sources) if isinstance(sources, list) else ()
    return FoundPassage(_whole(record.get("id")), _text(record.get("document")), _text(record.get("title")), tools)


def _hops(record: Mapping[str, Any]) -> tuple[Hop, ...]:
    """The distinct links of all chains: one that two chains share is one hop."""
    places = {
        one.get(key): (_text(one.get("document")), _text(one.get("title")))
        for name, key in (("citations", "passage_id"), ("passages", "id"))
        for one in _objects(record.get(name))
        if one.get(key)
    }
    links = [link for chain in _objects(record.get("chains")) for link in _objects(chain.get("links"))]
    distinct = dict.fromkeys(
        (*(_text(link.get(key)) for key in ("head", "relation", "tail", "state")), *places.get(_id(link), ("", "")))
        for link in links
    )
    return tuple(Hop(number, *parts) for number, parts in enumerate(distinct, 1))


def _id(link: Mapping[str, Any]) -> int:
    return _whole(link.get("passage_id"))


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _whole(value: Any) -> int:
    """0 for what is no whole number, or none that a passage could have for an id."""
    return value if isinstance(value, int) and 0 <= value < 2**63 else 0
