"""BubbleRAG's two worked examples as files of a few documents with the figures' facts."""

from __future__ import annotations

from collections.abc import Mapping

from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.judge import Concept
from tools.planning.plan import Constraint, Plan

LOTHAIR_QUESTION = "When did Lothair II's mother die?"
LOTHAIR = {
    "Lothar II": "Lothar II was king of Lotharingia. His mother was Gisela.",
    "Gisela": "Gisela was a queen. She died in 860 AD.",
    "Lotharingia": "Lotharingia was a kingdom on the Meuse.",
    "Adelheid": "Adelheid was the mother of Otto. She died in 999.",
    "Berta": "Berta was the mother of Arnulf.",
    "Mother": "Mother is a film about a mother.",
    "Salt Road": "The Salt Road led from Halle to Prague.",
}
LOTHAIR_FACTS = {
    "Lothar II": [("Lothar II", "mother", "Gisela"), ("Lothar II", "king of", "Lotharingia")],
    "Gisela": [("Gisela", "died in", "860 AD"), ("Gisela", "was", "queen")],
    "Lotharingia": [("Lotharingia", "lies on", "Meuse")],
    "Adelheid": [("Adelheid", "mother of", "Otto"), ("Adelheid", "died in", "999")],
    "Berta": [("Berta", "mother of", "Arnulf")],
    "Mother": [("Mother", "film about", "mother")],
    "Salt Road": [("Salt Road", "led to", "Prague")],
}
"""Section 2.3, example 2: Lothair II -mother-> Gisela -died-> 860 AD, with the name as the graph spells it."""

MATRIX_QUESTION = "Who played the main villain in the movie where Keanu Reeves and Laurence Fishburne starred together?"
MATRIX = {
    "The Matrix": "The Matrix is a movie with K. Reeves and Laurence Fishburne. Its main villain is Agent Smith.",
    "Agent Smith": "Agent Smith is a program that hunts Neo. Agent Smith was played by Hugo Weaving.",
    "John Wick 2": "John Wick 2 is a movie with K. Reeves. Santino D'Antonio was played by Riccardo Scamarcio.",
    "Darth Vader": "Darth Vader is a main villain in space. Darth Vader was played by James Earl Jones.",
    "K. Reeves": "K. Reeves is an actor born in Beirut.",
    "Laurence Fishburne": "Laurence Fishburne is an actor born in Augusta.",
    "Salt Road": "The Salt Road led from Halle to Prague.",
}
MATRIX_FACTS = {
    "The Matrix": [
        ("K. Reeves", "plays a role in", "The Matrix"),
        ("Laurence Fishburne", "plays a role in", "The Matrix"),
        ("Agent Smith", "is antagonist of", "The Matrix"),
    ],
    "Agent Smith": [("Agent Smith", "played by", "Hugo Weaving"), ("Agent Smith", "hunts", "Neo")],
    "John Wick 2": [
        ("K. Reeves", "plays a role in", "John Wick 2"),
        ("Santino D'Antonio", "is antagonist of", "John Wick 2"),
        ("Santino D'Antonio", "played by", "Riccardo Scamarcio"),
    ],
    "Darth Vader": [("Darth Vader", "is", "main villain"), ("Darth Vader", "played by", "James Earl Jones")],
    "K. Reeves": [("K. Reeves", "born in", "Beirut")],
    "Laurence Fishburne": [("Laurence Fishburne", "born in", "Augusta")],
    "Salt Road": [("Salt Road", "led to", "Prague")],
}
MATRIX_CONCEPTS = (
    Concept("Keanu Reeves", 0.3, ("K. Reeves",)),
    Concept("Laurence Fishburne", 0.3),
    Concept("main villain", 0.2, ("antagonist",)),
    Concept("movie", 0.2, ("The Matrix", "John Wick 2")),
)
"""Figure 3: four keywords, and what each is mapped to."""

LOTHAIR_PLAN = Plan(
    (
        Constraint("Lothair II", "mother", "?mother", ("child of",)),
        Constraint("?mother", "date of death", "?date", ("died on", "died in"), tail_type="date"),
    ),
    "?date",
)


def names(kb: KnowledgeBase, ids: Mapping[int, float] | tuple[int, ...]) -> set[str]:
    """The names of entities."""
    return {one.name for one in kb.entities(list(ids))}


def facts(kb: KnowledgeBase, ids: Mapping[int, float] | tuple[int, ...]) -> set[str]:
    """The texts of facts."""
    return {one.text() for one in kb.triples(list(ids))}


def fact_id(kb: KnowledgeBase, text: str) -> int:
    """The id of the fact of this text."""
    return next(int(one.id) for one in kb.triples(kb.fact_graph.facts.tolist()) if one.text() == text)
