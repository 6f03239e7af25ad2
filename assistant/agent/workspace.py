"""What has been found so far for one question: the tools add to it, and every surface shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kb.records import Passage, Triple
from tools.anchor_grouping import AnchorGroup
from tools.bubble_expansion import EvidenceGraph
from tools.constraint_recovery import Block
from tools.constraint_retrieval import ConstraintResult, ConstraintState
from tools.evidence.ranking import LEADER
from tools.path_search import Path, PathResult
from tools.planning.plan import Constraint, Plan
from tools.reading.answering import Hop
from tools.reading.certainty import RISK, Certainty
from tools.reading.guess import ReaderPair, ReadOnce
from tools.reading.second_reader import read_linked
from tools.types import Hit


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage in the Workspace. `number` is what an answer cites, counted from 1 in order of first appearance."""

    number: int
    passage: Passage
    score: float
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One finished call of a tool, as the transcript keeps it."""

    call_id: str
    name: str
    seconds: float
    summary: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ClosestSentence:
    """A sentence close to a question that has no answer, and the id of its passage, which is in the Workspace."""

    passage: int
    sentence: str


@dataclass(frozen=True, slots=True)
class AnsweredBefore:
    """The last answer of a conversation, "" where there was none, and the passages that it cites with what they say."""

    question: str
    answer: str = ""
    certainty: Certainty = "none"
    rests_on: tuple[tuple[int, str], ...] = ()


@dataclass(slots=True)
class Workspace:
    """The findings for one question.

    `lists` holds each tool's hits, best first, one entry per passage; `recovered` the passages found again in the text
    for a constraint, by its place in the plan; `blocks` are the evidence of each constraint after the latest look into
    the text. `standalone` is the question as it reads without the conversation before it. `groups`, `graphs` and
    `paths` are what one technique hands to the next, and `revived` the paths that were brought back. `notes` are
    sentences for the reader of the answer on how it came about. `sent_back` says whether an answer was refused for its
    citations, which happens once, `looked_further` whether a model that gave up was told to go on, and `struck` what of
    the explanation was struck out for them since; `worked_out` is what the offline rules work out of the cells that
    they cite, such as a sum, which stands in no passage. `confidence` (0..1) is that in the answer, also in one that is
    not given, `certainty` the word for it; `risk` is the share of the answers given that may be wrong, and `closest`
    are the sentences to be shown where none is given. `readers` and `read_linked`, which reads two lines, keep what has
    been read, so that nothing is read twice for the same thing, and `foremost` is the passage (its id) that they say
    answers likeliest. `about_base` says that the question is about the knowledge base itself, whose catalogue answers
    for certain, `may_lack` that the answer is a list of it which may not have all, `is_beside` that the answer was read
    and its hops do not lead to it, `is_sentence` that it is the sentence of a passage, or several, `is_talk` that it is
    small talk, `is_own` that it is what clew reads itself though a model answers, and `unranked` that something was
    found since the latest ranking. `before` is the last answer of the conversation. `likelihood` (0..1) is how likely a
    model that was only asked for an answer holds it itself, None where its server does not tell. `searched` are the
    queries of plain searches, `latest` what each tool found when it was last called, and `asked_for` has what each
    search in words of a language model's own found. Nothing here touches the knowledge base.
    """

    question: str
    plan: Plan | None = None
    standalone: str = ""
    states: tuple[ConstraintState, ...] = ()
    bindings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recovered: dict[int, tuple[Hit, ...]] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()
    triples: dict[int, Triple] = field(default_factory=dict)
    groups: tuple[AnchorGroup, ...] = ()
    graphs: tuple[EvidenceGraph, ...] = ()
    paths: PathResult | None = None
    revived: tuple[Path, ...] = ()
    lists: dict[str, list[Hit]] = field(default_factory=dict)
    hops: tuple[Hop, ...] = ()
    calls: list[ToolCall] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sent_back: bool = False
    looked_further: bool = False
    struck: list[str] = field(default_factory=list)
    worked_out: str = ""
    confidence: float = 0.0
    certainty: Certainty = "none"
    closest: tuple[ClosestSentence, ...] = ()
    risk: float = RISK
    readers: ReaderPair | None = None
    read_linked: ReadOnce = field(default_factory=lambda: ReadOnce(read_linked))
    foremost: int | None = None
    about_base: bool = False
    may_lack: bool = False
    is_beside: bool = False
    is_sentence: bool = False
    is_talk: bool = False
    before: AnsweredBefore | None = None
    is_own: bool = False
    likelihood: float | None = None
    unranked: bool = False
    asked_for: list[tuple[Hit, ...]] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    latest: dict[str, tuple[Hit, ...]] = field(default_factory=dict)
    _evidence: dict[int, Evidence] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.standalone = self.standalone or self.question

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Everything found, by number."""
        return tuple(self._evidence.values())

    @property
    def ranked(self) -> tuple[Evidence, ...]:
        """What the latest ranking has, best first; everything found, by number, where there was none."""
        ranked = (self.of_passage(hit.passage.id) for hit in self.lists.get(LEADER, ()))
        return tuple(one for one in ranked if one is not None) or self.evidence

    def planned(self, constraints: tuple[Constraint, ...], target: str) -> Plan:
        """The plan with these constraints: the one at hand, which knows more, where it has them."""
        if self.plan is not None and self.plan.constraints == constraints:
            return self.plan
        return Plan(constraints, target)

    def add_hits(self, tool: str, hits: Sequence[Hit]) -> tuple[Evidence, ...]:
        """Take in what `tool` found; the evidence of these hits, in their order, old numbers kept."""
        self.unranked = self.unranked or bool(hits)
        self.lists[tool] = _merged(self.lists.get(tool, ()), hits)
        self.latest[tool] = tuple(hits)
        return tuple(self._add(tool, hit) for hit in hits)

    def rank(self, tool: str, hits: Sequence[Hit]) -> tuple[Evidence, ...]:
        """As `add_hits`, for a tool that ranks all that is known: its latest order counts, what it left out is last.

        Scores of an earlier ranking cannot be compared with those of a later one, which knows more.
        """
        latest = {hit.passage.id for hit in hits}
        left_out = [hit for hit in self.lists.get(tool, ()) if hit.passage.id not in latest]
        found = tuple(self._add(tool, hit) for hit in hits)
        self.lists[tool] = [*hits, *left_out]
        self.unranked = tool != LEADER
        return found

    def add_constraints(self, plan: Plan, result: ConstraintResult) -> tuple[Evidence, ...]:
        """Take in a resolved plan. A second plan replaces the first one's states and bindings, not its evidence."""
        self.plan, self.states, self.bindings = plan, result.states, result.bindings
        self.recovered.clear()
        self.blocks = ()
        self.add_triples(scored.triple for state in result.states for scored in state.triples)
        return self.add_hits("constraint_retrieval", result.hits)

    def add_triples(self, triples: Iterable[Triple]) -> None:
        """Take in facts; one that is known stays."""
        for triple in triples:
            self.triples.setdefault(triple.id, triple)

    def ranked_ids(self) -> dict[str, list[int]]:
        """Ids of the passages that each tool found, best first.

        Textual recovery ranks the passages of all constraints on one scale, resolved and not: it is the whole of
        tools/constraint_recovery.py, and goes by that name.
        """
        names = {"textual_recovery": "constraint_recovery"}
        return {names.get(tool, tool): [hit.passage.id for hit in hits] for tool, hits in self.lists.items()}

    def cited(self, number: int) -> Evidence | None:
        """The evidence of this number, if there is any."""
        evidence = self.evidence
        return evidence[number - 1] if 1 <= number <= len(evidence) else None

    def of_passage(self, passage_id: int) -> Evidence | None:
        """The evidence of this passage, if it has been found."""
        return self._evidence.get(passage_id)

    def numbers(self, passage_id: int) -> str:
        """The number of a passage as an answer cites it, "[3]"; "" for one that has not been found."""
        evidence = self.of_passage(passage_id)
        return f"[{evidence.number}]" if evidence else ""

    def best_of_steps(self) -> tuple[Evidence, ...]:
        """The best passage of each constraint's evidence, in plan order."""
        best = (self.of_passage(block.hits[0].passage.id) for block in self.blocks if block.hits)
        return tuple(one for one in best if one is not None)

    def bound(self, place: int) -> Constraint:
        """The constraint at this place of the plan, with the first value of each unknown that is bound."""
        constraint = self.states[place].constraint
        head, tail = (self.bindings.get(term, (term,))[0] for term in (constraint.head, constraint.tail))
        return replace(constraint, head=head, tail=tail)

    def _add(self, tool: str, hit: Hit) -> Evidence:
        known = self._evidence.get(hit.passage.id)
        if known is None:
            known = Evidence(len(self._evidence) + 1, hit.passage, hit.score, (tool,))
        elif tool not in known.tools:
            known = replace(known, tools=(*known.tools, tool))
        self._evidence[hit.passage.id] = known
        return known


def _merged(old: Sequence[Hit], new: Sequence[Hit]) -> list[Hit]:
    """Both lists as one, each passage with its best score; ties keep the earlier find first."""
    best: dict[int, Hit] = {}
    for hit in (*old, *new):
        known = best.get(hit.passage.id)
        if known is None or hit.score > known.score:
            best[hit.passage.id] = hit
    return sorted(best.values(), key=lambda hit: -hit.score)
