"""What a transcript holds, and its form as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from assistant.agent.replying.reply import Reply
from assistant.models.budget import Meter, OutOfTime
from assistant.shared.model_choice import ModelChoice
from assistant.shared.spending_limits import Budget
from kb.errors import BadFileError, UsageError
from tools.planning.plan import Constraint, Plan
from tools.reading.certainty import RISK

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Rung = Literal["", "tools", "json", "planned"]
"""How a model is asked at first; "" where nobody says."""

MOST_PASSAGES = 1_000
"""Ranked passages of a reply, as `--top` has it."""

VERSION = 1
MARK = "clew_transcript"


@dataclass(frozen=True, slots=True)
class KnowledgeBaseUsed:
    """Which file was asked: its path then, the fingerprint of its content, and its number of passages."""

    path: str
    fingerprint: str
    passages: int


@dataclass(frozen=True, slots=True)
class Failure:
    """How a request failed: the kind of error, the HTTP status and body or the phase, and whether in mid-answer.

    `notes` are those of the exception, of which one is its line for the user.
    """

    error: str
    status: int | None = None
    phase: Literal["pool", "connect", "write", "read"] | None = None
    in_stream: bool = False
    body: Any = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to the model behind the endpoint. `request` is a hash of what it said, `role` of how it begins.

    `response` is what came, with its usage; where `failure` is set, as much of it as came before.
    """

    request: str
    role: str
    kind: Literal["agent", "judgement"]
    seconds: float
    response: dict[str, Any] | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool, what it was given, and what came of it in a line."""

    tool: str
    arguments: dict[str, Any]
    seconds: float
    summary: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A passage in the Workspace; `number` is what the answer cites."""

    number: int
    passage: int
    document: str
    title: str
    text: str
    score: float
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """A constraint of the plan, whether its evidence sufficed, and its effective number of candidates if any."""

    constraint: Constraint
    status: str
    n_eff: float | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A triple in the Workspace, with the sentence and the id of the passage that state it."""

    head: str
    relation: str
    tail: str
    passage: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """All there is to tell about one question.

    `when` is the time of asking (ISO 8601, UTC). `standalone` is the question as it reads without the conversation;
    `earlier` are the turns that the model was told, `plan` is one that was given with the question. `messages` are
    pydantic-ai's, of this question. `exchanges` are all requests to the endpoint, judgements included; the offline
    model makes none. `judgements` are those of a model that were used, asked for now or before, by key; `rung` is how
    the model was asked at first, `risk` the share of wrong answers that was allowed, `scorer` the digest of one
    that does not ship. `stopped_at` is the step, as
    `Deps.begin` counts, that the end of the time or of a run's budget cut off, 0 for none. Usage, seconds and notes are
    the reply's. `error` says why there is no answer, or is empty.
    """

    id: str
    when: str
    clew: str
    question: str
    standalone: str
    knowledge_base: KnowledgeBaseUsed
    model: ModelChoice
    top: int
    reply: Reply
    earlier: tuple[Reply, ...] = ()
    plan: Plan | None = None
    budget: Budget = field(default_factory=Budget)
    rung: Rung = ""
    risk: float = RISK
    scorer: str = ""
    messages: tuple[dict[str, Any], ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    judgements: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: tuple[Call, ...] = ()
    evidence: tuple[Found, ...] = ()
    states: tuple[State, ...] = ()
    bindings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    stopped_at: int = 0
    error: str = ""

    def stop(self, meter: Meter) -> tuple[int, OutOfTime] | None:
        """Where a replay whose meter this is stops, and with what: the budget of a whole run is none of its own."""
        if not self.stopped_at:
            return None
        if self.error:
            return self.stopped_at, OutOfTime(self.error, Meter())
        return self.stopped_at, OutOfTime(f"the budget of {self.budget.seconds or 0:g} seconds is used up", meter)

    @property
    def passages_touched(self) -> tuple[int, ...]:
        """Ids of the first ten passages and of those cited, each once."""
        ranked = [passage.id for passage in self.reply.passages[:10]]
        return tuple(dict.fromkeys((*ranked, *(citation.passage_id for citation in self.reply.citations))))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types, so that `from_json` gives back an equal transcript."""
        return {MARK: VERSION, **dataclasses.asdict(self)}

    @classmethod
    def from_json(cls, record: Any) -> Transcript:
        """The transcript in a parsed JSON document; unknown keys are ignored.

        Raises BadFileError, a ClewError, where it is none, was written by a newer clew, or lacks a part.
        """
        from pydantic import ValidationError  # 0.1 s that a list of transcripts does without

        if not isinstance(record, Mapping) or not isinstance(record.get(MARK), int):
            raise BadFileError("it is no transcript of clew")
        if record[MARK] != VERSION:
            raise BadFileError(f"it has version {record[MARK]} and this clew reads {VERSION}; update clew to read it")
        try:
            transcript = _adapter().validate_python(dict(record))
        except UsageError as error:
            raise BadFileError(f"it is a damaged transcript: {error}") from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(step) for step in first["loc"]) or "record"
            raise BadFileError(f"it is a damaged transcript: {where}: {first['msg']}") from error
        if not 1 <= transcript.top <= MOST_PASSAGES:
            raise BadFileError(f"it is a damaged transcript: top: {transcript.top} is not 1 to {MOST_PASSAGES}")
        if not 0 <= transcript.risk <= 1:
            raise BadFileError(f"it is a damaged transcript: risk: {transcript.risk} is not 0 to 1")
        return transcript


@cache
def _adapter() -> TypeAdapter[Transcript]:
    from pydantic import TypeAdapter

    return TypeAdapter(Transcript)
