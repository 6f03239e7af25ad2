"""What is offered to another assistant, in few words: names, descriptions and schemas cost its tokens in every request.

The registry's own schemas are complete, and ten times as long: what tunes a technique, and what only another
technique can fill in, is left out here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_RESULTS = 30
"""Passages, facts or entities that one call may ask for."""

ASK = "ask"

_TEXT: Mapping[str, Any] = {"type": "string"}
_K: Mapping[str, Any] = {"type": "integer", "minimum": 1, "maximum": MAX_RESULTS}
_FIVE: Mapping[str, Any] = {**_K, "default": 5}
_TEN: Mapping[str, Any] = {**_K, "default": 10}
_NAMES: Mapping[str, Any] = {"type": "array", "items": _TEXT}
_TRIPLE: Mapping[str, Any] = {
    "type": "object",
    "properties": {"head": _TEXT, "relation": _TEXT, "tail": _TEXT},
    "required": ["head", "relation", "tail"],
}
_PLAN: Mapping[str, Any] = {
    "type": "object",
    "properties": {"constraints": {"type": "array", "items": _TRIPLE}, "target": _TEXT},
    "required": ["constraints"],
}
_CONCEPTS: Mapping[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"text": _TEXT, "weight": {"type": "number"}},
        "required": ["text", "weight"],
    },
}


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as a client sees it. `arguments` are schemas by name, the required ones in `required`."""

    name: str
    description: str
    arguments: Mapping[str, Any]
    required: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """The arguments as one JSON schema."""
        return {"type": "object", "properties": dict(self.arguments), "required": list(self.required)}

    def completed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments given, with the defaults of those that are not."""
        return {name: one["default"] for name, one in self.arguments.items() if "default" in one} | dict(given)


def offered(all_tools: bool = False) -> dict[str, Offered]:
    """The tools by name: those that another assistant gets far with, or all there are."""
    return {one.name: one for one in (*_FEW, *(_MORE if all_tools else ()))}


def _on_question(name: str, description: str, **others: Any) -> Offered:
    return Offered(name, description, {"question": _TEXT, **others}, ("question",))


_FEW = (
    _on_question(ASK, "Answer a question from the documents, with citations and the chain of facts, or say not found."),
    Offered("passage_search", "Passages by meaning and words.", {"query": _TEXT, "k": _FIVE}, ("query",)),
    _on_question("evidence_walk", "Passages that together are a multi-hop question's evidence.", k=_FIVE),
    Offered(
        "constraint_retrieval",
        "Resolve a plan: triple patterns in solvable order, unknowns as ?name.",
        {"question": _TEXT, "plan": _PLAN},
        ("question", "plan"),
    ),
    Offered("entity_lookup", "Entities that a name may mean.", {"mention": _TEXT, "k": _K}, ("mention",)),
    Offered(
        "neighbours",
        "Facts about an entity; query: what of it.",
        {"entity": _TEXT, "query": _TEXT, "k": _K},
        ("entity",),
    ),
    Offered("read_passage", "One passage in full.", {"passage_id": _TEXT}, ("passage_id",)),
)

_MORE = (
    _on_question(
        "graph_walk", "Passages by PageRank from the question, or from named entities.", seeds=_NAMES, k=_FIVE
    ),
    Offered(
        "textual_recovery",
        "Passages that may state one triple pattern that the facts lack.",
        {"question": _TEXT, "constraint": _TRIPLE, "k": _K},
        ("question", "constraint"),
    ),
    _on_question("constraint_recovery", "constraint_retrieval, then the text for what is unresolved.", plan=_PLAN),
    _on_question("edge_scoring", "Passages by a walk over edges weighed for the question.", k=_FIVE),
    _on_question("anchor_grouping", "What each concept of the question may be here.", concepts=_CONCEPTS),
    _on_question("bubble_expansion", "Small graphs of facts that join the question's concepts."),
    _on_question("evidence_expansion", "Those graphs grown hop by hop."),
    _on_question("path_search", "Paths of facts from the question's entities, or named ones.", seeds=_NAMES),
    _on_question("path_resurrection", "Paths and passages that text and graph agree on."),
    _on_question("triple_scorer", "Facts most likely to be evidence.", k=_TEN),
    _on_question("evidence_chains", "Those facts in chains.", k=_K),
)
