"""The answer to a question with all that supports it, and its forms as Markdown and JSON."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from assistant.agent.replying.trace import Trace
from assistant.shared.rendering import (
    CLOSEST,
    NOT_FOUND,
    as_text,
    certainty_mark,
    escape_markdown,
    location,
    plain_block,
)
from kb.errors import ClewError
from tools.reading.certainty import Certainty

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SOURCES = 60
"""Sources that a text names: a sum may rest on hundreds of rows, all of which JSON and the evidence panel have."""

NOT_IN_PASSAGES = "(not in the passages cited)"

# A pair with a backslash is escaped already. What makes links: "](", "]:", "<", "://", "www.", "@"; "&" hides them.
_LEADS_ELSEWHERE = re.compile(r"\\.|(?<=\])[(:]|(?<=:/)/|(?<=www)\.|[<@&]", re.IGNORECASE | re.DOTALL)

LinkState = Literal["resolved", "recovered", "unresolved"]


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage that was found, with its score (higher is better) and the names of the tools that found it.

    `document` is the id that the corpus gave, `source` the file it came from, `page` counts from 1. `ranks` are the
    places that it had with these tools, from 1, in the order of `sources`; () where they are not known.
    """

    id: int
    document: str
    title: str
    text: str = ""
    source: str = ""
    page: int | None = None
    score: float = 0.0
    sources: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()


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
class Closest:
    """One of the sentences closest to a question that has no answer, and the passage `[number]` that it stands in."""

    number: int
    passage_id: int
    document: str
    title: str
    source: str = ""
    page: int | None = None
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """One hop of a chain: the fact, the sentence that states it, and how it was come by.

    `n_eff` is the effective number of candidates left at this hop, 1 or more, or None where none was computed.
    `planned` is the constraint as it was planned, head, relation and tail, with `unknown`, such as "?city", which the
    hop gave its `value`; `rivals` are other values that it might have had. `nearest` are the ids of the passages that
    come nearest to a hop that was left open.
    """

    head: str
    relation: str
    tail: str
    passage_id: int | None = None
    sentence: str = ""
    state: LinkState = "resolved"
    n_eff: float | None = None
    planned: tuple[str, ...] = ()
    unknown: str = ""
    value: str = ""
    rivals: tuple[str, ...] = ()
    nearest: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Chain:
    """Links in the order in which they lead from the question to the answer."""

    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool call, how long it took and what came of it in a line, or why it failed."""

    name: str
    seconds: float
    summary: str = ""
    failed: bool = False


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
    `certainty` says in a word how sure the answer is, `confidence` (0..1) in a number; an answer that is given is
    "sure" or "likely", the latter where nobody says. `is_sentence` says that it is a sentence of a passage, or several,
    and no name or value, `is_talk` that it is small talk. `closest` are the sentences closest to a question without
    one. `passages` are ranked best first. `partial` marks an answer that was stopped before its end; `notes` say what
    else a reader should know of how it came about, a sentence each. `struck` are sentences of a model's explanation
    that are in none of the passages that they cited: no part of the answer. `trace` is what else is kept of the way to
    it.
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
    struck: tuple[str, ...] = ()
    certainty: Certainty = "none"
    confidence: float = 0.0
    is_sentence: bool = False
    is_talk: bool = False
    closest: tuple[Closest, ...] = ()
    trace: Trace = field(default_factory=Trace)

    def __post_init__(self) -> None:
        # Records of before answers were marked have no certainty; none is more than likely then.
        if self.found == (self.certainty == "none"):
            object.__setattr__(self, "certainty", "likely" if self.found else "none")

    @property
    def told_certainty(self) -> Certainty | None:
        """How sure readers are told that the answer is; None for small talk, of which there is nothing to be sure."""
        return None if self.is_talk else self.certainty

    @property
    def sources(self) -> tuple[Citation, ...]:
        """What each number in the reply stands for: what is cited, then what is closest; each number once."""
        known = {citation.number: citation for citation in self.citations}
        for one in self.closest:
            near = Citation(one.number, one.passage_id, one.document, one.title, one.source, one.page, one.sentence)
            known.setdefault(one.number, near)
        return tuple(known.values())

    @property
    def sources_left(self) -> str:
        """How many sources a text leaves out, in words; "" for none."""
        left = len(self.sources) - SOURCES
        return f"… and {left} more" if left > 0 else ""

    def markdown(self, *, with_mark: bool = True) -> str:
        """The reply as Markdown: answer in bold with its mark, explanation, what is missing, what is closest, numbered
        sources, notes; parts without content are left out. Everything but the explanation is escaped; in that no link,
        image, HTML or bare address is left.
        """
        mark = f"   {certainty_mark(self.told_certainty)[0]}".rstrip() if with_mark else ""
        headline = self._headline()
        blocks = [headline and headline + mark, inert_markdown(self.explanation).strip(), self._missing_line()]
        blocks += [CLOSEST, "\n".join(map(_closest_item, self.closest))] if self.closest else []
        blocks.append("  \n".join(f"~~{escape_markdown(text)}~~ {NOT_IN_PASSAGES}" for text in self.struck))
        blocks.append("  \n".join(filter(None, (*map(_source_line, self.sources[:SOURCES]), self.sources_left))))
        blocks.append("  \n".join(f"*Note: {escape_markdown(note)}.*" for note in self.notes))
        return "\n\n".join(block for block in blocks if block)

    def _headline(self) -> str:
        if not self.found and not self.partial:
            return f"**{NOT_FOUND}**"
        answer = escape_markdown(self.answer)
        return f"**{answer}**" if answer else ""

    def _missing_line(self) -> str:
        missing = escape_markdown(self.missing)
        return f"Missing: {missing}" if missing and not self.found else ""

    def to_json(self, question_id: str = "") -> dict[str, Any]:
        """The reply as a line of a question file's results: plain JSON types, without the texts of passages and the
        trace; the explanation as plain text.
        """
        return {
            "id": question_id,
            "question": self.question,
            "answer": self.answer,
            "found": self.found,
            "certainty": self.told_certainty or "none",
            "confidence": 0.0 if self.is_talk else round(self.confidence, 4),
            "is_sentence": self.is_sentence,
            "is_talk": self.is_talk,
            "missing": self.missing,
            "explanation": as_text(self.explanation),
            "citations": [dataclasses.asdict(citation) for citation in self.citations],
            "closest": [dataclasses.asdict(one) for one in self.closest],
            "passages": [_passage_json(passage) for passage in self.passages],
            "chains": [{"links": [_link_json(link) for link in chain.links]} for chain in self.chains],
            "tools": [{"name": tool.name, "seconds": tool.seconds} for tool in self.tools],
            "model": self.model,
            "usage": dataclasses.asdict(self.usage),
            "seconds": round(self.seconds, 4),
            "partial": self.partial,
            "notes": list(self.notes),
            "struck": list(self.struck),
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


def inert_markdown(text: str) -> str:
    """Markdown from a model, with emphasis and lists but nothing that leads elsewhere or is loaded from there.

    Each character is escaped by itself, so that a text that still grows is never taken back. Empty for empty input.
    """
    return _LEADS_ELSEWHERE.sub(lambda match: match[0] if match[0][0] == "\\" else f"\\{match[0]}", plain_block(text))


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


def _link_json(link: Link) -> dict[str, Any]:
    names = ("head", "relation", "tail", "passage_id", "sentence", "state", "n_eff")
    return {name: getattr(link, name) for name in names}


def _closest_item(one: Closest) -> str:
    return f"- “{escape_markdown(one.sentence)}” [{one.number}]"


def _source_line(citation: Citation) -> str:
    title = escape_markdown(citation.title, 200) or escape_markdown(citation.document, 200) or "untitled"
    where = escape_markdown(location(citation.source, citation.page))
    return f"[{citation.number}] {title}" + (f" · {where}" if where else "")
