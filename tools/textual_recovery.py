"""Textual recovery of a constraint that the graph could not resolve (CS-RAG, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.name_keys import name_key
from kb.store.knowledge_base import KnowledgeBase
from tools.constraint_retrieval import ConstraintParams, anchor_of, find_anchors, passage_scores
from tools.planning.plan import Constraint, is_variable
from tools.relations.alignment import Asked, PassageOdds, ScoredTriple
from tools.relations.reranker import Reranker, load_reranker, score_candidates
from tools.relations.text_triples import SUBJECT, read_values
from tools.search.passage_search import search_passages, similar_passages
from tools.types import Hit

CANDIDATES = 8
"""Kt': passages by similarity to the linearised constraint, before reranking."""
SUGGESTED = 3
"""Likeliest values of a constraint whose own documents are looked at. Not the paper's, which looks at none."""
TITLED = 6
"""Documents of the known end's name that join them: a name that more have tells little."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """Passages for a constraint, best first, and the names that they give for its unknown end, best first."""

    hits: tuple[Hit, ...]
    values: tuple[ScoredTriple, ...]


def recover_text(kb: KnowledgeBase, question: str, constraint: Constraint, k: int = 5, reranker: str = "") -> list[Hit]:
    """The k (Kt = 5) passages that best speak to an unresolved constraint, best first, scored in log-odds.

    Nothing is bound. Candidates come by the linearised constraint, dense and BM25 together, by the title that is its
    known end, and by the likeliest values read from these; they are reranked against question and constraint. A
    constraint without words recovers nothing. `reranker` names a cross-encoder on this machine (relations/reranker.py);
    UsageError where it cannot be loaded.
    """
    anchor = anchor_of(constraint, {})[0]
    known = "" if is_variable(anchor) else anchor
    ids = frozenset(find_anchors(kb, [known], ConstraintParams())) if known else frozenset[int]()
    asked = Asked(question, constraint, constraint, known, ids)
    found = recover(kb, asked, load_reranker(reranker), max(CANDIDATES, k))
    return list(found.hits[: max(k, 0)])


def recover(
    kb: KnowledgeBase,
    asked: Asked,
    reranker: Reranker,
    candidates: int = CANDIDATES,
    known: Sequence[ScoredTriple] = (),
    suggest: int = SUGGESTED,
    by_vectors: bool = False,
) -> Recovered:
    """All candidate passages for a constraint, best first, ties by id, with the values read from them.

    `known` are candidate facts that did not suffice: their passages are candidates, too, and so are those of the
    documents that the `suggest` likeliest values are the titles of. Without a known end the question's own words are
    searched for as well. `by_vectors`, as in the paper: only those whose vectors are closest to the constraint's.
    """
    text = asked.constraint.text()
    if not text.strip():
        return Recovered((), ())
    stated = passage_scores(known)
    if by_vectors:
        passages = [hit.passage for hit in similar_passages(kb, text, candidates)]
    else:
        found = [hit.passage.id for hit in search_passages(kb, query_of(asked), candidates)]
        passages = kb.passages(list(dict.fromkeys([*found, *titled(kb, asked.anchors), *stated])))
    reader, triples = read_values(kb, asked, passages)
    read = score_candidates(kb, reader, triples, reranker)
    for passage, score in passage_scores(read).items():
        stated[passage] = max(stated.get(passage, score), score)
    values = sorted([*known, *read], key=lambda one: -one.score)
    own = _value_documents(kb, values, asked.anchors, suggest)
    passages += kb.passages([one for one in own if all(one != passage.id for passage in passages)])
    scores = reranker.score_passages(kb, asked, passages, PassageOdds(stated, own))
    why = f"recovered for: {text}"
    hits = [Hit(passage, float(score), why) for passage, score in zip(passages, scores, strict=True)]
    return Recovered(tuple(sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))), tuple(values))


def query_of(asked: Asked) -> str:
    """What the text is searched for: without a known end the question's own words as well."""
    text = asked.constraint.text()
    return text if asked.anchor else f"{text}. {asked.question}"


def _value_documents(
    kb: KnowledgeBase, values: Sequence[ScoredTriple], anchors: frozenset[int], count: int
) -> dict[int, float]:
    """The passages that the likeliest values are the titles of, with the values' log-odds."""
    own: dict[int, float] = {}
    names: set[str] = set()
    for one in values:
        if len(names) >= count:
            break
        names.add(name_key(one.other_name))
        from_anchor = one.triple.head in anchors or one.triple.head == SUBJECT
        entity = one.triple.tail if from_anchor else one.triple.head
        for passage in titled(kb, frozenset({entity})) if entity > SUBJECT else [one.triple.passage]:
            own.setdefault(passage, one.score)
    return own


def titled(kb: KnowledgeBase, entities: frozenset[int]) -> list[int]:
    """Ids of the first passages of the documents that entities are the titles of, by id; at most six."""
    return kb.links.titled(entities)[:TITLED]
