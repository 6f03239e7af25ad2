"""From the Workspace of a finished question to the reply that every surface shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.answers import Found, Output, cited_numbers, single_citations
from assistant.chains import chains
from assistant.reply import Citation, RankedPassage, Reply, ToolUse, Usage
from assistant.workspace import Workspace
from kb.records import Passage
from kb.store import KnowledgeBase
from tools.answers.text import sentence_spans
from tools.evidence_rank import rank_evidence
from tools.passage_search import search_passages
from tools.types import Hit


def build_reply(
    kb: KnowledgeBase,
    workspace: Workspace,
    output: Output,
    *,
    top: int,
    model: str,
    usage: Usage,
    seconds: float,
) -> Reply:
    """The reply to a question, with at least `top` ranked passages where the file has them."""
    citations = tuple(_citations(workspace, output))
    return Reply(
        question=workspace.question,
        answer=output.answer.strip() if isinstance(output, Found) else "",
        explanation=single_citations(output.explanation).strip() if isinstance(output, Found) else "",
        found=isinstance(output, Found),
        missing="" if isinstance(output, Found) else output.missing.strip(),
        citations=citations,
        passages=tuple(_ranked(kb, workspace, top)),
        chains=chains(workspace, [citation.passage_id for citation in citations]),
        tools=tuple(ToolUse(call.name, call.seconds) for call in workspace.calls),
        model=model,
        usage=usage,
        seconds=seconds,
        notes=tuple(workspace.notes),
    )


def _citations(workspace: Workspace, output: Output) -> Iterator[Citation]:
    for number in cited_numbers(output):
        evidence = workspace.cited(number)
        if evidence is not None:
            passage = evidence.passage
            quote = _quote(workspace, passage, output)
            yield Citation(number, passage.id, passage.document, passage.title, passage.source, passage.page, quote)


def _quote(workspace: Workspace, passage: Passage, output: Output) -> str:
    """The sentence of the answer's hop or of a resolved fact from the passage; else the one that names the answer."""
    for hop in workspace.hops:
        if hop.passage == passage.id and hop.sentence:
            return hop.sentence
    for state in workspace.states:
        for scored in state.triples[:1] if state.status == "resolved" else ():
            if scored.triple.passage == passage.id:
                return scored.triple.sentence
    answer = output.answer.strip().casefold() if isinstance(output, Found) else ""
    sentences = (passage.text[start:end].strip() for start, end in sentence_spans(passage.text)) if answer else ()
    return next((sentence for sentence in sentences if answer in sentence.casefold()), "")


def _ranked(kb: KnowledgeBase, workspace: Workspace, top: int) -> list[RankedPassage]:
    hits = rank_evidence(kb, workspace.question, workspace.plan, workspace.lists, workspace.bindings, k=top)
    return [_ranked_passage(workspace, hit) for hit in [*hits, *_more(kb, workspace, hits, top)]]


def _more(kb: KnowledgeBase, workspace: Workspace, hits: Sequence[Hit], top: int) -> list[Hit]:
    """Passages from a plain search, where the tools found fewer than are wanted; they rank below what the tools
    found.
    """
    wanted = top - len(hits)
    if wanted <= 0:
        return []
    known = {hit.passage.id for hit in hits}
    floor = min((hit.score for hit in hits), default=1.0)
    found = [hit for hit in search_passages(kb, workspace.question, k=top + len(hits)) if hit.passage.id not in known]
    workspace.add_hits("passage_search", found[:wanted])
    return [replace(hit, score=floor - 1 + hit.score / 2) for hit in found[:wanted]]


def _ranked_passage(workspace: Workspace, hit: Hit) -> RankedPassage:
    passage, evidence = hit.passage, workspace.of_passage(hit.passage.id)
    return RankedPassage(
        passage.id,
        passage.document,
        passage.title,
        passage.text,
        passage.source,
        passage.page,
        hit.score,
        evidence.tools if evidence else (),
    )
