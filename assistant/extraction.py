"""The offline model's answer: extracted from what has been found, and put into words that cite it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.answers import Found, NotFound, Output
from assistant.evidence import clip
from assistant.rendering import escape_markdown
from assistant.workspace import Workspace
from kb.names import name_key
from kb.store import KnowledgeBase
from tools.answering import EvidencePassage, FoundAnswer, Hop, answer_question
from tools.answers.text import STOP_WORDS, words
from tools.evidence_rank import rank_evidence
from tools.plan import Plan, is_variable
from tools.types import Hit

READ = 12
"""Passages read for the answer, best first: on the train questions 8 to 16 give the same answers, 30 fewer right
ones.
"""

READ_OF_OTHERS = 2
"""Passages read besides of each other tool's best, where the ranking leaves them out: what was looked for last."""

CONFIDENT = 0.5
"""Confidence from which no further tool is called: above it nine in ten answers to 2wiki's train questions are
right.
"""

SUFFICIENT = 0.08
"""Confidence from which an answer is given. On HotpotQA's train questions 45 in 100 of the answers from 0.1 up are
right, 15 of those below 0.1; without one of the supporting passages 10 to 25 in 100 questions still get one above
it.
"""

NAMED = 2 / 3
"""Share of a name's words that one passage must have for the evidence to speak of it. Of questions put to another
corpus, where up to half would get an answer otherwise, none does; of those put to their own, one in a hundred is
lost.
"""

SENTENCE = 300
"""Characters of a sentence that an explanation quotes."""


_BLOCK_START = re.compile(r"^(\d{0,9})([-+#>=|.)])")
"""What would make a list or a heading of a line that begins with a quoted sentence."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was extracted, and whether it is good enough to stop looking or to be given.

    `unknown` is the first name of the question's plan that no passage read speaks of, "" where all are spoken of.
    """

    found: FoundAnswer | None = None
    unknown: str = ""

    @property
    def confident(self) -> bool:
        """Whether looking further is not worth it."""
        return self._reaches(CONFIDENT)

    @property
    def sufficient(self) -> bool:
        """Whether it may be given as the answer."""
        return self._reaches(SUFFICIENT)

    def _reaches(self, confidence: float) -> bool:
        return bool(self.found and self.found.text and not self.unknown and self.found.confidence >= confidence)

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The steps that led to it."""
        return self.found.hops if self.found else ()


def extract(kb: KnowledgeBase, workspace: Workspace) -> Extracted:
    """Read the best passages found so far for the answer."""
    assert workspace.plan is not None, "a question is planned before it is answered"
    question, plan = workspace.standalone, workspace.plan
    hits = _to_read(kb, workspace)
    passages = [EvidencePassage(hit.passage.id, hit.passage.title, hit.passage.text, hit.score) for hit in hits]
    found = answer_question(question, plan, passages, workspace.bindings)
    return Extracted(found, _unknown(plan, hits))


def agreeing_hops(kb: KnowledgeBase, workspace: Workspace, output: Output) -> tuple[Extracted, tuple[Hop, ...]]:
    """What the evidence of a language model's answer, read offline, comes to; and the steps, where that is the same
    answer, else none.
    """
    if not isinstance(output, Found) or workspace.plan is None or not workspace.evidence:
        return Extracted(), ()
    extracted = extract(kb, workspace)
    agrees = extracted.found is not None and name_key(extracted.found.text) == name_key(output.answer)
    return extracted, extracted.hops if agrees else ()


def _to_read(kb: KnowledgeBase, workspace: Workspace) -> list[Hit]:
    """The best of the ranking, then the best of each tool besides."""
    lists = workspace.lists
    hits = rank_evidence(kb, workspace.standalone, workspace.plan, lists, workspace.bindings, READ)
    others = [*workspace.recovered.values(), lists.get("passage_search", ()), lists.get("graph_walk", ())]
    best = {hit.passage.id: hit for hit in hits}
    for found in others:
        for hit in found[:READ_OF_OTHERS]:
            best.setdefault(hit.passage.id, hit)
    return list(best.values())


def _unknown(plan: Plan, hits: Sequence[Hit]) -> str:
    """The first name in the plan of whose words no passage has enough."""
    names = dict.fromkeys(end for constraint in plan.constraints for end in (constraint.head, constraint.tail))
    texts = [frozenset(words(f"{hit.passage.title} {hit.passage.text}")) for hit in hits]
    return next((name for name in names if _is_name(name) and _spoken_of(name, texts) < NAMED), "")


def _is_name(term: str) -> bool:
    return not is_variable(term) and any(character.isupper() for character in term)


def _spoken_of(name: str, texts: Sequence[frozenset[str]]) -> float:
    telling = frozenset(words(name)) - STOP_WORDS or frozenset(words(name))
    return max((len(telling & text) / len(telling) for text in texts), default=0.0) if telling else 1.0


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
        return NotFound(missing=_missing(workspace, extracted), cited=[] if extracted.unknown else cited)
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
    return _BLOCK_START.sub(r"\1\\\2", " ".join([*lines, rest]).strip())


def _missing(workspace: Workspace, extracted: Extracted) -> str:
    if extracted.unknown:
        return f"nothing here speaks of {extracted.unknown}"
    if extracted.found and extracted.found.missing:
        return f"no passage tells {extracted.found.missing}"
    return "no passage gives the answer for certain" if extracted.hops else "no passage gives the answer"
