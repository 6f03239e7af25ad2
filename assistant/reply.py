"""The answer to a question with all that supports it, and its forms as Markdown and JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from assistant.rendering import escape_markdown, location, plain_block
from kb.errors import ClewError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LinkState = Literal["resolved", "recovered", "unresolved"]


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage that was found, with its score (higher is better) and the names of the tools that found it.

    `document` is the id that the corpus gave, `source` the file it came from, `page` counts from 1.
    """

    id: int
    document: str
    title: str
    text: str = ""
    source: str = ""
    page: int | None = None
    score: float = 0.0
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """The passage behind `[number]` in the explanation; `quote` is the stretch of it that carries the claim, or ""."""

    number: int
    passage_id: int
    document: str
    title: str
    source: str = ""
    page: int | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """One hop of a chain: the fact, the sentence that states it, and how it was come by.

    `n_eff` is the effective number of candidates left at this hop, 1 or more, or None where none was computed.
    """

    head: str
    relation: str
    tail: str
    passage_id: int | None = None
    sentence: str = ""
    state: LinkState = "resolved"
    n_eff: float | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """Links in the order in which they lead from the question to the answer."""

    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool call and how long it took."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model was asked for and charged for; the offline model counts requests only.

    `cost` is in US dollars, or None where no price is known.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished answer. `answer` is short and plain, `explanation` is Markdown that cites as `[1]`.

    When nothing was found, `found` is False, `answer` is empty and `missing` says what would have been needed.
    `passages` are ranked best first. `partial` marks an answer that was stopped before its end; `notes` say what else
    a reader should know of how it came about, a sentence each.
    """

    question: str
    answer: str
    explanation: str = ""
    found: bool = True
    missing: str = ""
    citations: tuple[Citation, ...] = ()
    passages: tuple[RankedPassage, ...] = ()
    chains: tuple[Chain, ...] = ()
    tools: tuple[ToolUse, ...] = ()
    model: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    partial: bool = False
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The reply as Markdown: answer in bold, explanation, what is missing, numbered sources; parts without content
        are left out. Everything but the explanation is escaped.
        """
        blocks = [self._headline(), plain_block(self.explanation).strip(), self._missing_line()]
        blocks.append("  \n".join(_source_line(citation) for citation in self.citations))
        return "\n\n".join(block for block in blocks if block)

    def _headline(self) -> str:
        if not self.found and not self.partial:
            return "**Not found in this knowledge base.**"
        answer = escape_markdown(self.answer)
        return f"**{answer}**" if answer else ""

    def _missing_line(self) -> str:
        missing = escape_markdown(self.missing)
        return f"Missing: {missing}" if missing and not self.found else ""

    def to_json(self, question_id: str = "") -> dict[str, Any]:
        """The reply as a line of a question file's results: plain JSON types, passages without their text."""
        return {
            "id": question_id,
            "question": self.question,
            "answer": self.answer,
            "found": self.found,
            "missing": self.missing,
            "explanation": self.explanation,
            "citations": [dataclasses.asdict(citation) for citation in self.citations],
            "passages": [_passage_json(passage) for passage in self.passages],
            "chains": [{"links": [dataclasses.asdict(link) for link in chain.links]} for chain in self.chains],
            "tools": [dataclasses.asdict(tool) for tool in self.tools],
            "model": self.model,
            "usage": dataclasses.asdict(self.usage),
            "seconds": round(self.seconds, 4),
            "partial": self.partial,
            "notes": list(self.notes),
            "error": None,
        }

    def to_record(self) -> dict[str, Any]:
        """Every field, texts of passages included, so that `from_json` gives back an equal reply."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Reply:
        """The reply in a record of `to_json` or `to_record`, as parsed from JSON; unknown keys are ignored.

        Raises ClewError where a field is missing or has the wrong type.
        """
        from pydantic import ValidationError  # 0.1 s, and the chat's first paint needs none of it

        try:
            return _adapter().validate_python(dict(record))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(step) for step in first["loc"]) or "record"
            raise ClewError(f"not a reply: {where}: {first['msg']}, got {first['input']!r:.80}") from error


@cache
def _adapter() -> TypeAdapter[Reply]:
    from pydantic import TypeAdapter

    return TypeAdapter(Reply)


def _passage_json(passage: RankedPassage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "document": passage.document,
        "title": passage.title,
        "score": passage.score,
        "sources": list(passage.sources),
    }


def _source_line(citation: Citation) -> str:
    title = escape_markdown(citation.title, 200) or escape_markdown(citation.document, 200) or "untitled"
    where = escape_markdown(location(citation.source, citation.page))
    return f"[{citation.number}] {title}" + (f" · {where}" if where else "")
