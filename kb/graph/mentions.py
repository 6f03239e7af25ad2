"""What is found in a passage: the names, dates and numbers that stand in it, and the facts between names."""

from __future__ import annotations

from dataclasses import dataclass

from kb.records import EntityKind


@dataclass(frozen=True, slots=True)
class Mention:
    """A name, date or number at `start:end` of the text; `key` is its normalised form."""

    start: int
    end: int
    name: str
    key: str
    kind: EntityKind


@dataclass(frozen=True, slots=True)
class Fact:
    """A triple between two names, carried by sentence number `sentence` of the passage."""

    head: str
    relation: str
    tail: str
    sentence: int
