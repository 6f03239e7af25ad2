"""What a judgement is about, as a language model is shown it: numbered lines, bounded, and fenced as data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.shared.rendering import plain
from kb.records import Entity, Passage, Triple
from tools.judgements.judge import Edge

QUESTION = 1_000
"""Characters of a question; the planner reads as many."""
NAME = 60
FACT = 160
PASSAGE = 500
JOINING = 2
"""Facts shown of those that join two entities: more say the same again."""
JOINING_FACT = 100
CONTEXT = 160
"""Characters of a neighbour's own facts: the two or three closest to the question."""
RELATION = 80
SUMMARY = 400
"""Characters of a neighbour's summary, as many as are kept of one."""


def asked(question: str, lines: Iterable[str] = ()) -> str:
    """The question, if there is one, then the lines as data that nothing in them can end."""
    told = "\n".join(lines)
    parts = (f"Question: {cleaned(question, QUESTION)}" if question else "", f"<data>\n{told}\n</data>" if told else "")
    return "\n".join(part for part in parts if part)


def numbered(lines: Sequence[str]) -> list[str]:
    """The lines with their numbers, from 1."""
    return [f"{number}. {line}" for number, line in enumerate(lines, 1)]


def fitting(lines: Sequence[str], most: int) -> int:
    """How many of the first lines have `most` bytes together."""
    total = 0
    for count, line in enumerate(lines):
        total += len(line.encode()) + 5
        if total > most:
            return count
    return len(lines)


def fact_line(fact: Triple) -> str:
    """A fact, its parts kept apart."""
    return cleaned(f"{fact.head_name} | {fact.relation} | {fact.tail_name}", FACT)


def path_line(path: Sequence[Triple]) -> str:
    """Facts that share an end each, from the first to the last, with the direction of each."""
    shared = {path[1].head, path[1].tail} if len(path) > 1 else {path[0].tail}
    at = path[0].tail if path[0].head in shared and path[0].tail not in shared else path[0].head
    told = cleaned(path[0].head_name if at == path[0].head else path[0].tail_name, NAME)
    for fact in path:
        forwards = fact.head == at
        at, name = (fact.tail, fact.tail_name) if forwards else (fact.head, fact.head_name)
        relation = cleaned(fact.relation, RELATION)
        told += f" -> [{relation}] -> " if forwards else f" <- [{relation}] <- "
        told += cleaned(name, NAME)
    return told


def edge_line(edge: Edge) -> str:
    """From where a step leads where, by what facts, and what else is known of that."""
    joined = "; ".join(cleaned(fact.text(), JOINING_FACT) for fact in edge.facts[:JOINING])
    shown = {fact.id for fact in edge.facts}
    context = "; ".join(fact.text() for fact in edge.context if fact.id not in shown)
    known = cleaned(edge.summary, SUMMARY) if edge.summary else cleaned(context, CONTEXT)
    more = f" | known: {known}" if known else ""
    return f"{cleaned(edge.source.name, NAME)} -> {cleaned(edge.target.name, NAME)}: {joined}{more}"


def passage_data(passage: Passage) -> str:
    """A passage with its title."""
    return f"{cleaned(passage.title, NAME)}: {cleaned(passage.text, PASSAGE)}"


def entity_line(entity: Entity, facts: Sequence[Triple], most: int) -> str:
    """An entity and as many of its facts as `most` bytes hold, in an order that no question changes."""
    texts = [cleaned(fact.text(), FACT) for fact in sorted(facts, key=lambda one: one.id)]
    return f"{cleaned(entity.name, NAME)}: {'; '.join(texts[: fitting(texts, most)])}"


def cleaned(text: str, limit: int) -> str:
    """One line without control characters, of at most `limit` characters, that cannot open or close a fence."""
    return plain(text, limit).replace("<", "‹")
