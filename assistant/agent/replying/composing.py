"""From the Workspace of a finished question to the reply that every surface shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.agent.citing.cited_claims import Check, best_sentence
from assistant.agent.citing.terms import without_links
from assistant.agent.final_answer import Found, Output, checked_claims, cited_numbers, single_citations
from assistant.agent.replying.chains import chains, of_somebody
from assistant.agent.replying.closest import closest_sentences
from assistant.agent.replying.gathering import trace_of
from assistant.agent.replying.reply import Chain, Citation, Closest, RankedPassage, Reply, ToolUse, Usage
from assistant.agent.replying.trust import has_open_hop
from assistant.agent.workspace import Workspace
from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence.ranking import rank_evidence
from tools.search.passage_search import search_passages
from tools.types import Hit

SUMMARY = 120
"""Characters of what came of a tool call that are kept with a reply."""


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
    """The reply to a question, with at least `top` ranked passages where the file has them.

    An answer whose thread has an open hop is never sure; a thread that does not lead to it is not shown. Where there is
    no answer, the sentences closest to the question are those of the Workspace, or else of the best passages.
    """
    citations = tuple(_citations(workspace, output))
    is_found = isinstance(output, Found)
    passages = tuple(_ranked(kb, workspace, top, citations if is_found else ()))
    thread = chains(workspace, [citation.passage_id for citation in citations])
    certainty = "likely" if workspace.certainty == "sure" and has_open_hop(thread) else workspace.certainty
    thread = () if is_found and workspace.is_beside else of_somebody(thread)
    if not is_found:
        thread = tuple(_left_open(chain) for chain in thread)
        workspace.closest = closest_sentences(kb, workspace, [passage.id for passage in passages])
    return Reply(
        question=workspace.question,
        answer=output.answer.strip() if isinstance(output, Found) else "",
        explanation=single_citations(without_links(output.explanation)).strip() if isinstance(output, Found) else "",
        found=is_found,
        missing="" if isinstance(output, Found) else output.missing.strip(),
        citations=citations,
        passages=passages,
        chains=thread,
        tools=tuple(ToolUse(call.name, call.seconds, call.summary[:SUMMARY], call.failed) for call in workspace.calls),
        model=model,
        usage=usage,
        seconds=seconds,
        notes=tuple(workspace.notes),
        struck=tuple(workspace.struck),
        certainty=certainty if is_found else "none",
        confidence=workspace.confidence,
        is_sentence=is_found and workspace.is_sentence,
        is_talk=is_found and workspace.is_talk,
        closest=() if is_found else tuple(_closest(workspace)),
        trace=trace_of(kb, workspace, thread, [passage.id for passage in passages]),
    )


def _left_open(chain: Chain) -> Chain:
    """The chain of a question without an answer: its last hop gives none, whatever a doubtful reading made of it.

    What the graph itself says stays, as the fact of one of two things whose other fact is missing.
    """
    last = chain.links[-1]
    if last.state == "resolved" or not last.value or not last.unknown:
        return chain
    head, tail = (last.unknown if end == last.value else end for end in (last.head, last.tail))
    opened = replace(last, head=head, tail=tail, passage_id=None, sentence="", state="unresolved", value="")
    return replace(chain, links=(*chain.links[:-1], opened))


def _citations(workspace: Workspace, output: Output) -> Iterator[Citation]:
    check = checked_claims(output, workspace) if isinstance(output, Found) else None
    for number in cited_numbers(output):
        evidence = workspace.cited(number)
        if evidence is not None:
            passage = evidence.passage
            quote = _quote(workspace, passage, number, output, check)
            yield Citation(number, passage.id, passage.document, passage.title, passage.source, passage.page, quote)


def _closest(workspace: Workspace) -> Iterator[Closest]:
    for near in workspace.closest:
        if evidence := workspace.of_passage(near.passage):
            one = evidence.passage
            yield Closest(evidence.number, one.id, one.document, one.title, one.source, one.page, near.sentence)


def _quote(workspace: Workspace, passage: Passage, number: int, output: Output, check: Check | None) -> str:
    """The sentence of the answer's hop from the passage; else the one that has most of what the sentences that cite it
    and the answer say; else that of a resolved fact.
    """
    for hop in () if workspace.is_beside else workspace.hops:
        if hop.passage == passage.id and hop.sentence:
            return hop.sentence
    if check and isinstance(output, Found) and (best := best_sentence(check, number, output.answer, passage.text)):
        return best
    for state in workspace.states:
        for scored in state.triples[:1] if state.status == "resolved" else ():
            if scored.triple.passage == passage.id:
                return scored.triple.sentence
    return ""


def _ranked(kb: KnowledgeBase, workspace: Workspace, top: int, cited: Sequence[Citation]) -> list[RankedPassage]:
    hits = rank_evidence(kb, workspace.question, workspace.plan, workspace.lists, workspace.bindings, k=top)
    ranked = _foremost_first(workspace, cited, [*hits, *_more(kb, workspace, hits, top)])
    return [_ranked_passage(workspace, hit) for hit in ranked]


def _foremost_first(workspace: Workspace, cited: Sequence[Citation], hits: Sequence[Hit]) -> list[Hit]:
    """The passages, that first which an answer cites first, or, without an answer, the foremost by its reading; as many
    as there were. Where no foremost is known, as over an encyclopaedia, they stay as they are.
    """
    if workspace.foremost is None or not hits:
        return list(hits)
    first = workspace.of_passage(cited[0].passage_id if cited else workspace.foremost)
    if first is None:
        return list(hits)
    others = [hit for hit in hits if hit.passage.id != first.passage.id]
    return [Hit(first.passage, hits[0].score), *others][: len(hits)]


def _more(kb: KnowledgeBase, workspace: Workspace, hits: Sequence[Hit], top: int) -> list[Hit]:
    """Passages from a plain search, where the tools found fewer than are wanted; they rank below what the tools
    found. None for a question about the knowledge base itself, which says little of what to search for.
    """
    wanted = top - len(hits)
    if wanted <= 0 or workspace.about_base:
        return []
    known = {hit.passage.id for hit in hits}
    floor = min((hit.score for hit in hits), default=1.0)
    found = [hit for hit in search_passages(kb, workspace.question, k=top + len(hits)) if hit.passage.id not in known]
    workspace.add_hits("passage_search", found[:wanted])
    return [replace(hit, score=floor - 1 + hit.score / 2) for hit in found[:wanted]]


def _ranked_passage(workspace: Workspace, hit: Hit) -> RankedPassage:
    passage, evidence = hit.passage, workspace.of_passage(hit.passage.id)
    tools = evidence.tools if evidence else ()
    return RankedPassage(
        passage.id,
        passage.document,
        passage.title,
        passage.text,
        passage.source,
        passage.page,
        hit.score,
        tools,
        tuple(_rank(workspace.lists.get(tool, ()), passage.id) for tool in tools),
    )


def _rank(hits: Sequence[Hit], passage: int) -> int:
    return next((rank for rank, hit in enumerate(hits, 1) if hit.passage.id == passage), 0)
