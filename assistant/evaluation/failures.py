"""The questions that a run failed on: which gold passage was missed, at which rank it stood, and which hop lost it."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assistant.evaluation.evaluate import Judged, Verdict, contains_answer
from assistant.evaluation.run_lines import Hop, RunLine

if TYPE_CHECKING:
    from kb.store.knowledge_base import KnowledgeBase

Cause = Literal["never-found", "ranked-low", "refused", "inexact", "wrong", "unanswerable", "failed"]
CAUSES: Mapping[Cause, str] = {
    "failed": "the question failed with an error",
    "never-found": "a gold passage is not among those found",
    "ranked-low": "all gold passages are found, one is ranked below k",
    "refused": "no gold passage is missed, the answer was refused",
    "inexact": "no gold passage is missed, the answer is too long or too short",
    "wrong": "no gold passage is missed, the answer is another one",
    "unanswerable": "answered, where the question file has no answer",
}
"""In the order in which they are looked for: a question has the first that holds."""

Loss = Literal["no-document", "no-evidence", "other-passage", "ranked-low", "no-hop", "no-chain"]
LOSSES: Mapping[Loss, str] = {
    "no-document": "the knowledge base has no document of this key",
    "no-evidence": "a hop found no passage",
    "other-passage": "a hop took a passage that is not gold",
    "ranked-low": "a hop rests on it, and yet it is ranked below k",
    "no-hop": "no hop is left for it: the plan is short, or two hops share a passage",
    "no-chain": "the run has no chain: it cannot be told",
}
"""How the chain came to miss a gold passage."""

_WORD = re.compile(r"\w{3,}")
_BRIDGES = 3


@dataclass(frozen=True, slots=True)
class Lost:
    """How the chain missed a gold passage: `hop` is its number, 0 where none can be named.

    `sure` is false where several hops rest on no gold passage, of which the one that shares most words with this one
    was taken, or where several passages must have been lost by them.
    """

    how: Loss
    hop: int = 0
    sure: bool = True


@dataclass(frozen=True, slots=True)
class GoldPassage:
    """A gold document in a run; `rank` from 1 is None where it is not among those found, `lost` None within the first
    k. `bridges` of a missed one are the entities that it shares with the other gold passages, those in the fewest
    passages first, with that number: where there are none, no step of a walk leads from one to the other. They are
    None, and `title` is "", where that is not known.
    """

    document: str
    title: str
    rank: int | None
    tools: tuple[str, ...]
    lost: Lost | None
    bridges: tuple[tuple[str, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A question with what was missed; `found` is how many passages the run lists for it.

    `answer_rank` is the rank of the first of them with a gold answer in its text, 0 where none has it, None where that
    is not known.
    """

    id: str
    type: str
    question: str
    cause: Cause
    verdict: Verdict
    gold: tuple[str, ...]
    answer: str
    missing: str
    error: str
    found: int
    answer_rank: int | None
    tools: tuple[str, ...]
    passages: tuple[GoldPassage, ...]
    hops: tuple[Hop, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        return dataclasses.asdict(self)


def failures(judged: Iterable[Judged], k: int, kb: KnowledgeBase | None = None) -> list[Failure]:
    """The questions whose gold passages are not all among the first k, or whose answer is no exact match.

    By cause, in the order of CAUSES, then as asked. A question without a gold answer fails if it is answered, unless no
    question has one. `kb`, the knowledge base of the run, gives titles and texts of passages that were not found.
    """
    listed = list(judged)
    expects_answers = any(one.question.answers for one in listed)
    texts = _Texts(kb)
    found = [
        _failure(one, cause, k, texts)
        for one in listed
        if (cause := _cause(one, k)) and (cause != "unanswerable" or expects_answers)
    ]
    order = list(CAUSES)
    return sorted(found, key=lambda one: order.index(one.cause))


def counts_by_cause(found: Iterable[Failure]) -> dict[Cause, Counter[Verdict]]:
    """How many questions have each cause, by what became of the answer; causes that do not occur are left out."""
    counts: dict[Cause, Counter[Verdict]] = {}
    for one in found:
        counts.setdefault(one.cause, Counter())[one.verdict] += 1
    return {cause: counts[cause] for cause in CAUSES if cause in counts}


def counts_by_loss(found: Iterable[Failure]) -> dict[Loss, int]:
    """How many missed gold passages were lost in each way; ways that do not occur are left out."""
    counts = Counter(passage.lost.how for one in found for passage in one.passages if passage.lost)
    return {how: counts[how] for how in LOSSES if how in counts}


def counts_of_answers(found: Iterable[Failure], k: int) -> tuple[int, int] | None:
    """Of the questions with a gold answer that is not the one given: in how many one stands in the text of the first k
    passages, and how many they are; None where the texts are not known.
    """
    ranks = [one.answer_rank for one in found if one.verdict != "right" and one.answer_rank is not None]
    return (sum(0 < rank <= k for rank in ranks), len(ranks)) if ranks else None


def _cause(one: Judged, k: int) -> Cause | None:
    supporting = set(one.question.supporting)
    if one.line.error:
        return "failed"
    if not supporting <= set(one.line.documents):
        return "never-found"
    if not supporting <= set(one.line.documents[:k]):
        return "ranked-low"
    if not one.question.answers:
        return "unanswerable" if one.line.found else None
    by_verdict: dict[Verdict, Cause] = {"refused": "refused", "inexact": "inexact", "wrong": "wrong"}
    return by_verdict.get(one.verdict)


def _failure(one: Judged, cause: Cause, k: int, texts: _Texts) -> Failure:
    line, gold = one.line, tuple(dict.fromkeys(one.question.supporting))
    ranks: dict[str, int] = {}
    for rank, passage in enumerate(line.passages, 1):
        ranks.setdefault(passage.document, rank)
    missed = {document for document in gold if ranks.get(document, k + 1) > k}
    passages = []
    for document in gold:
        lost = _lost(document, line, gold, missed, texts) if document in missed else None
        at = ranks.get(document)
        tools = line.passages[at - 1].tools if at else ()
        bridges = texts.bridges(document, gold) if lost else None
        passages.append(GoldPassage(document, texts.title(document, line), at, tools, lost, bridges))
    return Failure(
        id=one.question.id,
        type=one.question.type,
        question=one.question.text,
        cause=cause,
        verdict=one.verdict,
        gold=one.question.answers,
        answer=line.answer,
        missing=line.missing,
        error=line.error,
        found=len(line.passages),
        answer_rank=texts.answer_rank(line, one.question.answers),
        tools=tuple(dict.fromkeys(tool for passage in line.passages for tool in passage.tools)),
        passages=tuple(passages),
        hops=line.hops,
    )


def _lost(document: str, line: RunLine, gold: Sequence[str], missed: set[str], texts: _Texts) -> Lost:
    """Of the hops that rest on no gold passage, the one that shares most words with the missed one, else the first."""
    if not texts.has(document):
        return Lost("no-document")
    if not line.hops:
        return Lost("no-chain")
    resting = next((hop for hop in line.hops if hop.document == document), None)
    if resting:
        return Lost("ranked-low", resting.number)
    open_hops = [hop for hop in line.hops if hop.document not in gold]
    if not open_hops:
        return Lost("no-hop")
    words = _words(texts.text(document, line))
    hop = max(open_hops, key=lambda one: (_shared(one, words), -one.number))
    adrift = {one for one in missed if texts.has(one)} - {one.document for one in line.hops}
    return Lost("other-passage" if hop.document else "no-evidence", hop.number, len(open_hops) == len(adrift) == 1)


def _shared(hop: Hop, words: frozenset[str]) -> float:
    """The share of a hop's words, unknowns excepted, that stand in the passage, 0..1."""
    known = _words(" ".join(term for term in (hop.head, hop.relation, hop.tail) if not term.startswith("?")))
    return len(known & words) / len(known) if known else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


class _Texts:
    """What is known of documents: from the knowledge base where there is one, else from the line."""

    def __init__(self, kb: KnowledgeBase | None) -> None:
        self._kb = kb

    def has(self, document: str) -> bool:
        """True as well where no knowledge base is there to ask."""
        return self._kb is None or bool(self._kb.document_passages(document))

    def title(self, document: str, line: RunLine) -> str:
        found = next((passage.title for passage in line.passages if passage.document == document), "")
        stored = self._kb.document_passages(document) if self._kb and not found else []
        return found or (stored[0].title if stored else "")

    def text(self, document: str, line: RunLine) -> str:
        stored = self._kb.document_passages(document) if self._kb else []
        return " ".join([self.title(document, line), *(passage.text for passage in stored)])

    def answer_rank(self, line: RunLine, answers: Sequence[str]) -> int | None:
        if self._kb is None or not answers:
            return None
        texts = {passage.id: passage.text for passage in self._kb.passages([one.id for one in line.passages])}
        stands = (contains_answer(texts.get(one.id, ""), answers) for one in line.passages)
        return next((rank for rank, there in enumerate(stands, 1) if there), 0)

    def bridges(self, document: str, gold: Sequence[str]) -> tuple[tuple[str, int], ...] | None:
        if self._kb is None or len(gold) < 2 or not self.has(document):
            return None
        mine = self._entities([document])
        shared = mine & self._entities([other for other in gold if other != document])
        graph = self._kb.fact_graph
        rows = sorted(shared, key=lambda row: (int(graph.passage_counts[row]), row))[:_BRIDGES]
        names = self._kb.entities(graph.entities[rows].tolist())
        return tuple((entity.name, int(graph.passage_counts[row])) for entity, row in zip(names, rows, strict=True))

    def _entities(self, documents: Sequence[str]) -> set[int]:
        """Rows of the entities that their passages name."""
        import numpy as np

        if self._kb is None:
            return set()
        ids = [passage.id for document in documents for passage in self._kb.document_passages(document)]
        contexts = self._kb.fact_graph.contexts
        rows = self._kb.fact_graph.passage_rows(ids)
        return set(contexts[np.isin(contexts[:, 1], rows), 0].tolist())
