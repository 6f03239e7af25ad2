"""Names that passages of text give for the unknown end of a constraint, as triples that were never stored.

They let recovered text be judged like facts, and suggest whom or what a later constraint may be about. They are read
afresh for one question and bind nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kb.name_keys import name_key, title_aliases
from kb.records import Passage, Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.relations.alignment import Asked, fits_type

SUBJECT = 0
"""The id that stands for the known end in a triple read from text; stored entities have ids above it."""
_WORDS = 8
"""Words before a name that are taken for its relation, as in extraction by rule."""
_MENTIONS = 40
"""Names of a passage that are looked at."""

_Place = tuple[int, int, int, int]
"""Passage, start, end, and the id of what stands there."""


def read_values(kb: KnowledgeBase, asked: Asked, passages: Sequence[Passage]) -> tuple[Asked, list[Triple]]:
    """A triple from its passage's subject to each name that can be of the wanted type, and one from the title of a
    passage that mentions the known end; with them, `asked` with SUBJECT for its anchor.
    """
    ids = [passage.id for passage in passages]
    sentences, mentions = _by_passage(kb.passage_sentences(ids)), _by_passage(kb.passage_mentions(ids))
    found = [
        triple
        for one in passages
        for triple in _read(asked, one, sentences.get(one.id, []), mentions.get(one.id, [])[:_MENTIONS])
    ]
    triples = [Triple(number, *rest) for number, rest in enumerate(found)]
    return replace(asked, anchors=frozenset({SUBJECT})), triples


def _by_passage(places: Iterable[_Place]) -> dict[int, list[_Place]]:
    found: dict[int, list[_Place]] = {}
    for one in places:
        found.setdefault(one[0], []).append(one)
    return found


def _read(
    asked: Asked, passage: Passage, sentences: Sequence[_Place], mentions: Sequence[_Place]
) -> Iterator[tuple[int, str, str, int, str, int, int, str]]:
    """All of each triple but its id."""
    anchor, title, wanted = name_key(asked.anchor), name_key(passage.title), asked.wanted_type
    own = {title, *title_aliases(passage.title)}
    for _, start, end, entity in mentions:
        around = next((one for one in sentences if one[1] <= start < one[2]), None)
        name = passage.text[start:end]
        key = name_key(name)
        if around is None:
            continue
        _, first, last, sentence = around
        relation = " ".join(passage.text[first:start].split()[-_WORDS:])
        place = (name, passage.id, sentence, passage.text[first:last])
        if key == anchor and anchor not in own:
            # The passage speaks of the known end: what it is about may be the other.
            if fits_type(passage.title, wanted) > 0:
                yield -1, passage.title, relation, SUBJECT, *place
        elif key not in own and key != anchor and fits_type(name, wanted) > 0:
            yield SUBJECT, passage.title, relation, entity, *place
