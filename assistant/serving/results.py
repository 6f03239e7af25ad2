"""Results as another assistant gets them: text with the passages fenced as data, and the same as structured content.

Both are bounded in size. Ids are strings in both: they have 63 bits, and clients that read numbers as floating point
would take one passage for another. All text is without terminal escapes, control and text-direction characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.agent.replying.reply import Chain, Citation, Closest, Reply
from assistant.agent.short_text import clip
from assistant.agent.toolbox.findings import fenced
from assistant.shared.rendering import CLOSEST, NOT_FOUND, as_text, certainty_mark, location, plain, plain_block
from kb.records import EntityMatch, Passage, Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.anchor_grouping import AnchorGroup
from tools.bubble_expansion import EvidenceGraph
from tools.constraint_retrieval import ConstraintState
from tools.evidence_chains import EvidenceChain
from tools.path_search import Path, path_texts
from tools.triple_scoring.triple_scorer import ScoredFact
from tools.types import Hit

PASSAGE_CHARACTERS = 1_200
"""Of one of several passages: they fit 256 tokens, about 1,100 characters, so only odd ones are cut."""

FULL_CHARACTERS = 6_000
"""Of a passage read alone."""

TOTAL_CHARACTERS = 12_000
"""Of all passages of one result, about 3,000 tokens."""

SHOWN = 8
"""Groups, graphs, paths and chains that are put into words: what comes after adds little."""

NAMES = 4
"""Anchors of a group, and facts of a graph or a constraint, that are shown."""

QUOTE_CHARACTERS = 400
"""Of a cited passage under an answer; `read_passage` gives the rest."""

NOTHING = "Nothing found. Try other words, another entity or another tool."

_NOT_TOLD = ("id", "error", "tools", "passages")
"""Of a reply: what belongs to a question file, and what costs more tokens than the answer; evidence_walk ranks too."""

_LARGEST_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Result:
    """`text` for a language model, `structured` in JSON types for a program."""

    text: str
    structured: dict[str, Any] = field(default_factory=dict)


def of_technique(kb: KnowledgeBase, found: Any) -> Result:
    """What any of the techniques returned: statements first, then passages, best first."""
    parts = {name: lines for name, lines in _statements(kb, found) if lines}
    passages, cut = _fitting(_hits(found))
    texts = [*(_line(line) for lines in parts.values() for line in lines), *map(_passage_text, passages)]
    structured: dict[str, Any] = {name: list(lines) for name, lines in parts.items()}
    if passages or not parts:
        structured["passages"] = [_passage_json(one) for one in passages]
    if cut:
        texts.append(f"{cut} more passages found; ask for fewer, or more narrowly.")
        structured["left_out"] = cut
    return Result("\n".join(texts) or NOTHING, _for_json(structured))


def of_reply(reply: Reply) -> Result:
    """An answer with its mark, its chain and the quotes it rests on; or what is missing, with the nearest passages and
    the closest sentences.
    """
    ending = f"Answer: {_label(reply.answer)}" if reply.found else NOT_FOUND
    lines = [f"{ending}   {certainty_mark(reply.told_certainty)[0]}".rstrip()]
    lines += [] if reply.found else [f"Missing: {_label(reply.missing)}"]
    lines += ["Stopped before the end: this is what was found by then."] if reply.partial else []
    lines += [_open_text(reply.explanation)] if reply.explanation else []
    lines += [_line(line) for chain in reply.chains[:SHOWN] for line in _chain(chain, reply.citations)]
    lines += ["What comes nearest:"] if reply.citations and not reply.found else []
    lines += [_citation_text(reply, citation) for citation in reply.citations[:SHOWN]]
    lines += [CLOSEST] if reply.closest else []
    lines += [_citation_text(reply, replace(one, quote=near.sentence)) for one, near in _closest(reply)]
    lines += [f"Note: {_label(note, 400)}" for note in reply.notes]
    structured = {name: value for name, value in reply.to_json().items() if name not in _NOT_TOLD}
    return Result("\n".join(line for line in lines if line), _for_json(structured))


def _closest(reply: Reply) -> list[tuple[Citation, Closest]]:
    known = {citation.number: citation for citation in reply.sources}
    return [(known[one.number], one) for one in reply.closest]


@dataclass(frozen=True, slots=True)
class _Found:
    """A passage as found, with its place and score; a passage read by its id has no score."""

    rank: int
    passage: Passage
    score: float | None = None


def _hits(found: Any) -> list[_Found]:
    if isinstance(found, Passage):
        return [_Found(1, found)]
    hits = getattr(found, "hits", found)
    return [_Found(rank, hit.passage, hit.score) for rank, hit in enumerate(hits, 1) if isinstance(hit, Hit)]


def _fitting(found: Sequence[_Found]) -> tuple[list[_Found], int]:
    """The passages that fit, long ones cut unless they are read alone, and how many are left out."""
    limit = PASSAGE_CHARACTERS if len(found) > 1 else FULL_CHARACTERS
    kept: list[_Found] = []
    left = TOTAL_CHARACTERS
    for one in found:
        text = clip(plain_block(one.passage.text), limit)
        left -= len(text)
        if left < 0:
            break
        kept.append(replace(one, passage=replace(one.passage, text=text)))
    return kept, len(found) - len(kept)


def _passage_text(one: _Found) -> str:
    return f"{fenced(one.rank, one.passage)}\n{_origin(one.rank, one.passage)}"


def _origin(rank: int, passage: Passage | Citation) -> str:
    """Where a passage is from, in a line under its fence."""
    number = passage.id if isinstance(passage, Passage) else passage.passage_id
    where = location(passage.source if passage.source != passage.document else "", passage.page)
    return _label(f"[{rank}] id {number} · {passage.document}" + (f" · {where.removeprefix(' · ')}" if where else ""))


def _passage_json(one: _Found) -> dict[str, Any]:
    passage = one.passage
    told = {"id": passage.id, "title": passage.title, "document": passage.document}
    told |= {"source": passage.source} if passage.source != passage.document else {}
    score = None if one.score is None else round(one.score, 4)
    return told | {"page": passage.page, "score": score, "text": passage.text}


def _statements(kb: KnowledgeBase, found: Any) -> Iterable[tuple[str, Sequence[Any]]]:
    """What was found besides passages, by kind: facts and entities as objects, all else in words."""
    if isinstance(found, list):
        yield "entities", [_entity(one) for one in found if isinstance(one, EntityMatch)]
        yield "facts", [_fact(one) for one in found if isinstance(one, Triple)]
    yield "constraints", [_state(one) for one in getattr(found, "states", ())]
    yield "bindings", [f"{name} may be: {'; '.join(of[:5])}" for name, of in getattr(found, "bindings", {}).items()]
    for name, words in _IN_WORDS.items():
        yield name, words(kb, getattr(found, name, ())[:SHOWN])
    scored = [one.triple for one in getattr(found, "triples", ()) if isinstance(one, ScoredFact)]
    verified: Sequence[Triple] = getattr(found, "facts", ())
    yield "facts", [_fact(one) for one in scored or verified]


def _entity(match: EntityMatch) -> dict[str, Any]:
    entity = match.entity
    return {"name": entity.name, "kind": entity.kind, "passages": entity.passages, "covers": round(match.score, 2)}


def _fact(triple: Triple) -> dict[str, Any]:
    return {"fact": triple.text(), "passage_id": triple.passage, "sentence": clip(triple.sentence, 300)}


def _state(state: ConstraintState) -> str:
    facts = "; ".join(scored.triple.text() for scored in state.triples[:NAMES])
    return f"{state.constraint.text()}: {state.status}" + (f" ({facts})" if facts else "")


def _groups(kb: KnowledgeBase, groups: Sequence[AnchorGroup]) -> list[str]:
    lines = []
    for group in groups:
        names = [one.name for one in kb.entities(list(group.entities)[:NAMES])]
        facts = [one.text() for one in kb.triples(list(group.facts)[: max(NAMES - len(names), 1)])]
        lines.append(f"{' / '.join(group.concepts)} ({group.weight:.2f}): {'; '.join([*names, *facts]) or 'nothing'}")
    return lines


def _graphs(kb: KnowledgeBase, graphs: Sequence[EvidenceGraph]) -> list[str]:
    return ["; ".join(one.text() for one in kb.triples(graph.facts[:NAMES])) for graph in graphs if graph.facts]


def _paths(kb: KnowledgeBase, paths: Sequence[Path]) -> list[str]:
    return path_texts(kb, paths)


def _chains(kb: KnowledgeBase, chains: Sequence[EvidenceChain]) -> list[str]:
    return [chain.text() for chain in chains]


_IN_WORDS: Mapping[str, Callable[[KnowledgeBase, Any], list[str]]] = {
    "groups": _groups,
    "graphs": _graphs,
    "paths": _paths,
    "chains": _chains,
}


def _line(statement: Any) -> str:
    """A statement in one line of text."""
    match statement:
        case {"fact": fact, "passage_id": passage}:
            return f"- {_label(fact)} (id {passage})"
        case {"name": name, "kind": kind, "passages": passages, "covers": covers}:
            return f"- {_label(name)} ({kind}, in {passages} passages, covers {covers:.0%} of the mention)"
        case _:
            return f"- {_label(str(statement), 400)}"


def _chain(chain: Chain, citations: Sequence[Citation]) -> list[str]:
    numbers = {citation.passage_id: citation.number for citation in citations}
    return [
        f"{link.head} — {link.relation} → {link.tail} ({link.state})"
        + (f" [{numbers[link.passage_id]}]" if link.passage_id in numbers else "")
        for link in chain.links
    ]


def _citation_text(reply: Reply, citation: Citation) -> str:
    text = citation.quote or next((one.text for one in reply.passages if one.id == citation.passage_id), "")
    cited = Passage(
        citation.passage_id,
        citation.document,
        citation.title,
        clip(plain_block(text), QUOTE_CHARACTERS),
        citation.source,
        0,
        0,
        citation.page,
        0,
    )
    return f"{fenced(citation.number, cited)}\n{_origin(citation.number, citation)}"


def _label(text: str, limit: int = 200) -> str:
    """Names and titles, which documents chose, as one line that opens and closes no fence."""
    return plain(text, limit).replace("<", "‹")


def _open_text(text: str) -> str:
    return as_text(clip(text, TOTAL_CHARACTERS)).replace("<", "‹")


def _for_json(value: Any) -> Any:
    """JSON types that every client reads as they are."""
    if isinstance(value, str):
        return plain_block(value)
    if isinstance(value, int):
        return str(value) if abs(value) >= _LARGEST_EXACT else value
    if isinstance(value, (list, tuple)):
        return [_for_json(one) for one in value]
    return {key: _for_json(one) for key, one in value.items()} if isinstance(value, dict) else value
