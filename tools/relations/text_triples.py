"""Names that passages of text give for the unknown end of a constraint, as triples that were never stored.

They let recovered text be judged like facts, and suggest whom or what a later constraint may be about. They are read
afresh for one question and bind nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def read_values(kb: KnowledgeBase, asked: Asked, passages: Sequence[Passage]) -> tuple[Asked, list[Triple]]:
    """A triple from its passage's subject to each name that can be of the wanted type, and one from the title of a
    passage that mentions the known end; with them, `asked` with SUBJECT for its anchor.
    """
    triples = [
        replace(one, id=number)
        for number, one in enumerate(one for passage in passages for one in _read(kb, asked, passage))
    ]
    return replace(asked, anchors=frozenset({SUBJECT})), triples


def _read(kb: KnowledgeBase, asked: Asked, passage: Passage) -> Iterator[Triple]:
    sentences = kb.passage_sentences([passage.id])
    anchor, title = name_key(asked.anchor), name_key(passage.title)
    own = {title, *title_aliases(passage.title)}
    for _, start, end, entity in kb.passage_mentions([passage.id])[:_MENTIONS]:
        around = next((one for one in sentences if one[1] <= start < one[2]), None)
        name = passage.text[start:end]
        key = name_key(name)
        if around is None:
            continue
        _, first, last, sentence = around
        relation = " ".join(passage.text[first:start].split()[-_WORDS:])
        found = Triple(
            0, SUBJECT, passage.title, relation, entity, name, passage.id, sentence, passage.text[first:last]
        )
        if key == anchor and anchor not in own:
            # The passage speaks of the known end: what it is about may be the other.
            if fits_type(passage.title, asked.wanted_type) > 0:
                yield replace(found, head=-1, tail=SUBJECT)
        elif key not in own and key != anchor and fits_type(name, asked.wanted_type) > 0:
            yield found
