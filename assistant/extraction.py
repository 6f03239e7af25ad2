"""The offline model's answer: extracted from what has been found, and put into words that cite it."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.answers import Found, NotFound, Output
from assistant.evidence import clip
from assistant.rendering import escape_markdown
from assistant.workspace import Workspace
from kb.store import KnowledgeBase
from tools.answering import EvidencePassage, FoundAnswer, Hop, answer_question
from tools.evidence_rank import rank_evidence
from tools.plan import is_variable

READ = 30
"""Passages that are read for the answer, best first: at rank 30 nearly every supporting passage is there (data
README).
"""

CONFIDENT = 0.75
"""Confidence from which no further tool is called. To be calibrated."""

SUFFICIENT = 0.2
"""Confidence from which an answer is given rather than reported as not found. To be calibrated."""

SENTENCE = 300


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was extracted, and whether it is good enough to stop looking or to be given."""

    found: FoundAnswer | None = None

    @property
    def confident(self) -> bool:
        """Whether looking further is not worth it."""
        return self.found is not None and bool(self.found.text) and self.found.confidence >= CONFIDENT

    @property
    def sufficient(self) -> bool:
        """Whether it may be given as the answer."""
        return self.found is not None and bool(self.found.text) and self.found.confidence >= SUFFICIENT

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The steps that led to it."""
        return self.found.hops if self.found else ()


def extract(kb: KnowledgeBase, workspace: Workspace) -> Extracted:
    """Read the best passages found so far for the answer."""
    assert workspace.plan is not None, "a question is planned before it is answered"
    question, plan = workspace.standalone, workspace.plan
    hits = rank_evidence(kb, question, plan, workspace.lists, workspace.bindings, READ)
    passages = [EvidencePassage(hit.passage.id, hit.passage.title, hit.passage.text, hit.score) for hit in hits]
    return Extracted(answer_question(question, plan, passages, workspace.bindings, kb.embed))


def worded(workspace: Workspace, extracted: Extracted) -> Output:
    """The answer with the sentences that lead to it, or what is missing; every number is in the Workspace."""
    found = extracted.found
    if found is None:
        return NotFound(missing="nothing in this knowledge base speaks to the question")
    stated = [(hop, number) for hop in found.hops if (number := _number(workspace, hop.passage))]
    numbers = [number for _, number in stated]
    numbers += [number for passage in found.support if (number := _number(workspace, passage))]
    cited = list(dict.fromkeys(numbers))
    if not extracted.sufficient or not cited:
        return NotFound(missing=found.missing or _unresolved(workspace), cited=cited)
    return Found(answer=found.text, explanation=_explanation(stated, found.reason, cited), cited=cited)


def _number(workspace: Workspace, passage: int | None) -> int | None:
    evidence = workspace.of_passage(passage) if passage is not None else None
    return evidence.number if evidence else None


def _explanation(stated: list[tuple[Hop, int]], reason: str, cited: list[int]) -> str:
    """The sentences of the steps, quoted in their order, then how they compare; Markdown that shows them as written."""
    quoted = dict.fromkeys(f"{escape_markdown(clip(hop.sentence, SENTENCE))} [{number}]" for hop, number in stated)
    lines = [line for line in quoted if not line.startswith(" [")]
    if reason:
        lines.append(escape_markdown(reason))
    quoted_numbers = {number for hop, number in stated if hop.sentence}
    rest = "".join(f"[{number}]" for number in cited if number not in quoted_numbers)
    return " ".join([*lines, rest]).strip()


def _unresolved(workspace: Workspace) -> str:
    for place, state in enumerate(workspace.states):
        if state.status == "unresolved":
            bound = workspace.bound(place)
            ends = [term for term in (bound.head, bound.tail) if not is_variable(term)]
            return f"no passage tells of {' and '.join(ends) or 'it'}: {bound.relation}"
    return "no passage gives the answer"
