"""What a language model says of a passage, and the part of it that is taken: what the passage bears out.

An answer is JSON, {"entities": {name: type}, "triples": [[head, relation, tail, {qualifier: value}], ...]}. Nothing
here asks a model; whoever does so is handed to the build as a `PassageExtractor` (kb/enriching.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from kb.graph.extraction import find_mentions, opening_name
from kb.graph.mentions import Mention
from kb.graph.passage_work import PassageWork, StoredTriple
from kb.name_keys import name_key
from kb.records import EXTRACTION, Document, EntityKind, PassageText, Piece, answer_key

ORIGIN = "model"
"""What stands in `triples.origin` of a fact that a model extracted."""

_MAX_PART = 200
"""Characters of a name, relation or qualifier; a longer one is a sentence and no name."""
_FILLERS = frozenset("a an the of and in on at to by for from with".split())
"""Words of a name that need not be in the passage: "Oxford University" is the University of Oxford."""
_PRONOUNS = frozenset(
    "he she it they him her them his hers its their theirs this that these those who which we i you".split()
)
_KINDS: Mapping[str, EntityKind] = {
    "date": "date", "year": "date", "time": "date",
    "number": "number", "quantity": "number", "amount": "number",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelPrompt:
    """What an answer depends on besides the passage: the model's name, and the version of what it was told."""

    model: str
    version: str


@dataclass(frozen=True, slots=True)
class ModelTriple:
    """A fact with what qualifies it, such as a year."""

    head: str
    relation: str
    tail: str
    qualifiers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelExtraction:
    """An answer as read: entities with their types, "" for none, and facts."""

    types: Mapping[str, str]
    triples: tuple[ModelTriple, ...]

    def to_json(self) -> str:
        """The answer as it is cached."""
        rows = [
            [one.head, one.relation, one.tail, *([dict(one.qualifiers)] if one.qualifiers else [])]
            for one in self.triples
        ]
        return json.dumps({"entities": dict(self.types), "triples": rows}, ensure_ascii=False)


def extraction_key(passage: PassageText, prompt: ModelPrompt) -> str:
    """The key in the cache of what a model says of a passage."""
    return answer_key(EXTRACTION, passage.content, prompt.model, prompt.version)


def read_answer(value: Any) -> ModelExtraction | None:
    """An answer from its JSON value; None where it is none. Parts that say nothing are left out.

    Entities may also be a list, of names or of {"name", "type"}; triples may be objects, as models write them now and
    then although asked for lists.
    """
    if not isinstance(value, dict) or not ("entities" in value or "triples" in value):
        return None
    types = dict(_entities(value.get("entities")))
    rows = value.get("triples")
    triples: dict[tuple[str, str, str], ModelTriple] = {}
    for row in rows if isinstance(rows, list) else ():
        one = _triple(row)
        if one is not None:
            triples.setdefault((one.head, one.relation, one.tail), one)
    return ModelExtraction(types, tuple(triples.values()))


def read_cached(text: str) -> ModelExtraction:
    """The answer that `to_json` wrote."""
    return read_answer(json.loads(text)) or ModelExtraction({}, ())


def model_work(
    document: Document,
    piece: Piece,
    is_last: bool,
    spans: Sequence[tuple[int, int]],
    extraction: ModelExtraction,
    key: str,
) -> tuple[PassageWork, int]:
    """All that is derived from a passage when a model has read it, and how many facts were dropped.

    Facts and types are the model's, where passage or title bears them out; names, dates and numbers that stand in the
    text are found by rule as well. A fact goes with the sentence that has most of its words.
    """
    by_rule = find_mentions(piece.text, spans)
    carried = [(one, _sentence(document.title, piece.text, spans, one)) for one in extraction.triples]
    kept = [(one, at) for one, at in carried if at is not None]
    ends = [name for one, _ in kept for name in (one.head, one.tail)]
    present = [name for name in extraction.types if _is_borne_out(name, document.title, piece.text)]
    named = {name_key(name): name for name in (*ends, *present)}
    mentions = _mentions(piece.text, by_rule, named.values())
    types = {name_key(name): kind for name, kind in extraction.types.items() if kind and name_key(name) in named}
    found = {one.key for one in mentions}
    opening = opening_name(piece.text, by_rule) if piece.ordinal == 0 else ""
    work = PassageWork(
        document, piece, is_last, tuple(spans), mentions,
        tuple(_stored(one, at) for one, at in kept),
        tuple(dict.fromkeys((name_key(name), name, _kind(types, name)) for name in ends)),
        opening if opening != name_key(document.title) else "",
        origin=ORIGIN,
        extraction=key,
        types=tuple(
            (one, kind) for one, kind in types.items() if one in found or any(one == name_key(end) for end in ends)
        ),
    )  # fmt: skip
    return work, len(carried) - len(kept)


def _stored(triple: ModelTriple, sentence: int) -> StoredTriple:
    qualifiers = json.dumps(dict(triple.qualifiers), ensure_ascii=False, sort_keys=True)
    return StoredTriple(name_key(triple.head), triple.relation, name_key(triple.tail), sentence, qualifiers)


def _kind(types: Mapping[str, str], name: str) -> EntityKind:
    return _KINDS.get(types.get(name_key(name), "").casefold(), "name")


def _mentions(text: str, by_rule: Sequence[Mention], names: Iterable[str]) -> tuple[Mention, ...]:
    known = {one.key for one in by_rule}
    more = (_find(text, name) for name in names if name_key(name) not in known)
    return (*by_rule, *(one for one in more if one is not None))


def _find(text: str, name: str) -> Mention | None:
    """Where a name first stands in a text, in any case."""
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    return Mention(match.start(), match.end(), match[0], name_key(name), "name") if match else None


def _sentence(title: str, text: str, spans: Sequence[tuple[int, int]], triple: ModelTriple) -> int | None:
    """The number of the sentence that carries a fact; None where head or tail stand neither in text nor title."""
    if not all(_is_borne_out(name, title, text) for name in (triple.head, triple.tail)):
        return None
    words = set(_words(f"{triple.head} {triple.relation} {triple.tail}"))
    shared = [len(words & set(_words(text[start:end]))) for start, end in spans]
    best = max(range(len(spans)), key=lambda at: (shared[at], -at), default=None)
    return best if best is not None and shared[best] else None


def _is_borne_out(name: str, title: str, text: str) -> bool:
    """Whether every word of a name that tells something stands in title or text, in any case, accents or none."""
    words = _words(name)
    if not words or name_key(name) in _PRONOUNS:
        return False
    telling = set(words) - _FILLERS or set(words)
    return telling <= _vocabulary(title, text)


@lru_cache(maxsize=64)
def _vocabulary(title: str, text: str) -> frozenset[str]:
    return frozenset((*_words(title), *_words(text)))


def _words(text: str) -> list[str]:
    """The words of `name_key`, of a text of any length, and without a genitive's ending."""
    bare = (word.strip('.,;:!?"”)]').removesuffix("'s").removesuffix("’s") for word in text.split())
    return [part for word in bare for part in name_key(word).split()]


def _entities(value: Any) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = [(one.get("name"), one.get("type")) if isinstance(one, dict) else (one, "") for one in value]
    else:
        pairs = []
    for name, kind in pairs:
        if text := _text(name):
            yield text, _text(kind)


def _triple(row: Any) -> ModelTriple | None:
    if isinstance(row, dict):
        row = [row.get("head"), row.get("relation"), row.get("tail"), row.get("qualifiers")]
    if not isinstance(row, list) or len(row) not in (3, 4):
        return None
    head, relation, tail = map(_text, row[:3])
    if not (name_key(head) and relation and name_key(tail)) or name_key(head) == name_key(tail):
        return None
    said = row[3] if len(row) == 4 and isinstance(row[3], dict) else {}
    qualifiers = {_text(name): _text(value) for name, value in said.items()}
    return ModelTriple(head, relation, tail, {name: value for name, value in qualifiers.items() if name and value})


def _text(value: Any) -> str:
    """A scalar as one short line; "" for anything else, and for what is too long to be a name."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    line = " ".join("".join(char if char.isprintable() else " " for char in str(value)).split())
    return line if len(line) <= _MAX_PART else ""
