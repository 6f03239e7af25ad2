"""Answering a question again from its transcript, with no model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from assistant.agent.replying.reply import Citation, Reply
from assistant.conversations.events import Finished
from assistant.conversations.session import Session
from assistant.conversations.transcripts.contents import known_fingerprint
from assistant.conversations.transcripts.form import Transcript
from assistant.shared.chosen_scorer import open_to_ask
from kb.errors import BadFileError, ClewError
from kb.store.addresses import place
from kb.store.knowledge_base import KnowledgeBase
from tools.triple_scoring.triple_model import own_digest


@dataclass(frozen=True, slots=True)
class CitedNow:
    """A passage that the recorded answer cites, and what has become of it in the file at hand."""

    citation: Citation
    now: Literal["unchanged", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of a replay. `differences` say in what the new reply is not the recorded one; none is what is wanted.

    `shown` says why nothing was run and `reply` is the recorded one; it is "" where the question was run again. `cited`
    tells of the cited passages where a file of other content is at hand. `error` is that of a question which fails.
    """

    transcript: Transcript
    path: Path
    reply: Reply
    differences: tuple[str, ...] = ()
    shown: str = ""
    cited: tuple[CitedNow, ...] = ()
    error: str = ""

    @property
    def same(self) -> bool:
        """Whether the question was run again and gave the same."""
        return not self.shown and not self.differences

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "id": self.transcript.id,
            "same": self.same,
            "differences": list(self.differences),
            "shown_from_record": self.shown,
            "knowledge_base": str(self.path),
            "cited": [
                {"number": one.citation.number, "document": one.citation.document, "now": one.now} for one in self.cited
            ],
            "error": self.error or None,
            "reply": self.reply.to_json(),
        }


def replay(transcript: Transcript, knowledge_base: Path | None = None) -> Replay:
    """Run the recorded question again over the recorded knowledge base, or another file of the same content.

    The whole loop runs, with the recorded responses in the endpoint's place; where nothing of that content is at hand,
    or its facts are scored otherwise now, the recorded reply is given. The file is only read. Raises BadFileError for a
    file that is no knowledge base, and UsageError for a scorer that cannot be used.
    """
    path = knowledge_base or place(transcript.knowledge_base.path)
    if not path.is_file():
        if knowledge_base is not None:
            raise BadFileError(f"{str(path)!r} is no file; name a knowledge base with --kb")
        return Replay(transcript, path, transcript.reply, shown="the knowledge base is not there any more")
    if known_fingerprint(path) != transcript.knowledge_base.fingerprint:
        with KnowledgeBase.open(path) as kb:
            cited = tuple(_cited_now(kb, transcript))
        return Replay(transcript, path, transcript.reply, shown="the knowledge base holds other content", cited=cited)
    with open_to_ask(path) as kb:
        if own_digest(kb) != transcript.scorer:
            return Replay(transcript, path, transcript.reply, shown="facts are scored by another scorer now")
        return asyncio.run(_again(kb, transcript, path))


async def _again(kb: KnowledgeBase, transcript: Transcript, path: Path) -> Replay:
    with _session(kb, transcript) as session:
        session.resume(transcript.earlier)
        try:
            events = [event async for event in session.ask(transcript.question, transcript.plan)]
        except ClewError as error:
            differences = () if transcript.error else ("there is no answer",)
            empty = Reply(transcript.question, "", found=False, model=transcript.model.title)
            return Replay(transcript, path, empty, differences, error=str(error))
    (reply,) = (event.reply for event in events if isinstance(event, Finished))
    return Replay(transcript, path, reply, tuple(differences_of(transcript.reply, reply)))


def _session(kb: KnowledgeBase, transcript: Transcript) -> Session:
    # Time is not replayed: what it cut off then is not begun now.
    budget = replace(transcript.budget, seconds=None)
    return Session(kb, transcript.model, top=transcript.top, budget=budget, again=transcript, risk=transcript.risk)


def differences_of(recorded: Reply, again: Reply) -> list[str]:
    """In words, in what a reply is not the recorded one: answer and its certainty, explanation, citations, order of
    the passages.
    """
    said = [
        (name, getattr(recorded, name), getattr(again, name))
        for name in ("found", "answer", "missing", "explanation", "partial")
    ]
    if recorded.confidence:  # which transcripts of before answers were marked have not
        said += [(name, getattr(recorded, name), getattr(again, name)) for name in ("certainty", "confidence")]
    found = [f"{name} was {was!r:.200} and is {now!r:.200}" for name, was, now in said if was != now]
    cited, cited_now = (
        [(one.number, one.passage_id, one.quote) for one in reply.citations] for reply in (recorded, again)
    )
    if cited != cited_now:
        found.append(f"cited were {_numbers(recorded)} and are {_numbers(again)}")
    ranked, ranked_now = ([passage.id for passage in reply.passages] for reply in (recorded, again))
    if ranked != ranked_now:
        places = [place for place, pair in enumerate(zip(ranked, ranked_now, strict=False), 1) if pair[0] != pair[1]]
        first = places[0] if places else min(len(ranked), len(ranked_now)) + 1
        found.append(f"the ranked passages differ from place {first} on")
    return found


def _cited_now(kb: KnowledgeBase, transcript: Transcript) -> list[CitedNow]:
    texts = {found.passage: found.text for found in transcript.evidence}
    return [
        CitedNow(citation, _now(kb, citation, texts.get(citation.passage_id, ""))) for citation in _cited(transcript)
    ]


def _cited(transcript: Transcript) -> list[Citation]:
    return list({citation.passage_id: citation for citation in reversed(transcript.reply.citations)}.values())[::-1]


def _now(kb: KnowledgeBase, citation: Citation, text: str) -> Literal["unchanged", "changed", "gone"]:
    """A passage is sought in its document by its text: its id would be another one after any change before it."""
    passages = kb.document_passages(citation.document)
    if any(passage.text == text for passage in passages):
        return "unchanged"
    return "changed" if passages else "gone"


def _numbers(reply: Reply) -> str:
    return " ".join(f"[{citation.number}] {citation.document}" for citation in reply.citations) or "none"
