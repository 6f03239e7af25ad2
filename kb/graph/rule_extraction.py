"""What is extracted from a passage by rule: names, facts, and its links, which lead where the other documents are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.documents.links import FORWARD, Targets, is_message
from kb.documents.structure import full_names, speakers, structured_lines, ticketed_names
from kb.graph.extraction import find_facts, find_mentions, opening_name
from kb.graph.mentions import Fact, Mention
from kb.graph.passage_work import PassageWork, StoredLink, StoredTriple
from kb.graph.speech import own_words_end
from kb.name_keys import name_key
from kb.records import Document, Link, Piece


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a passage's facts depend on beside its own words, its place and its document's title.

    `speakers` are all who talk in the document; `sender` is who sent it, if it is a mail, and `writer` who wrote the
    passage, "" for what is quoted or forwarded. `links` are those within the passage, by its own characters.
    """

    speakers: tuple[str, ...]
    sender: str
    writer: str
    links: tuple[StoredLink, ...]


def surroundings(document: Document, piece: Piece, links: Sequence[Link], targets: Targets) -> Surroundings:
    """Those of a piece of the document; `links` stand within it, by its own characters."""
    file = document.root, document.source
    found = tuple(StoredLink(one, *targets.found(one.target, document.key, file)) for one in links)
    sender = str(document.metadata.get("sender", ""))
    return Surroundings(speakers(document.text), sender, _writer_of(document, piece, sender), found)


def rule_work(
    document: Document,
    piece: Piece,
    spans: Sequence[tuple[int, int]],
    around: Surroundings,
    *,
    is_last: bool = False,
) -> PassageWork:
    """All that a passage says by rule; `spans` are its sentences. Of the document only key and title are looked at."""
    lines = structured_lines(document.title, piece.text, piece.above)
    mentions = find_mentions(piece.text, spans, lines)
    facts = find_facts(document.title, piece.text, spans, mentions, lines, around.speakers, around.writer)
    linked, said = _linked(document, piece.text, spans, around)
    mentions, facts = [*mentions, *linked], [*facts, *said]
    names = [(name_key(name), name, "name") for fact in facts for name in (fact.head, fact.tail)]
    opening = opening_name(piece.text, mentions) if piece.ordinal == 0 else ""
    return PassageWork(
        document, piece, is_last, tuple(spans), tuple(mentions),
        tuple(
            StoredTriple(name_key(fact.head), fact.relation, name_key(fact.tail), fact.sentence)
            for fact in facts
            if name_key(fact.head) and name_key(fact.tail)
        ),
        tuple(dict.fromkeys(one for one in names if one[0])),
        opening if opening != name_key(document.title) else "",
        full_names=tuple(full_names(piece.text, lines)),
        tickets=tuple(ticketed_names(document.title, piece.text, lines)),
        links=around.links,
    )  # fmt: skip


def _writer_of(document: Document, piece: Piece, sender: str) -> str:
    """Who has written a passage: the sender of a mail, "" for what is forwarded, and where nobody says so."""
    is_forwarded = FORWARD.match(document.title) or (sender and own_words_end(document.text) <= piece.start)
    return "" if is_forwarded else sender


def links_within(document: Document, piece: Piece) -> list[Link]:
    """The links that stand in a piece of the document, by the piece's own characters."""
    return [
        Link(one.start - piece.start, one.end - piece.start, one.target)
        for one in document.links
        if piece.start <= one.start < one.end <= piece.end
    ]


def _linked(
    document: Document, text: str, spans: Sequence[tuple[int, int]], around: Surroundings
) -> tuple[list[Mention], list[Fact]]:
    """Each link mentions what it leads to, and is a fact with its words; what leads to no document is a name."""
    mentions: list[Mention] = []
    facts: list[Fact] = []
    starts = [start for start, _ in spans]
    for one in around.links:
        start, end = one.link.start, one.link.end
        number = max(0, bisect_right(starts, start) - 1)
        if is_message(one.link.target):
            facts += _replies(document, around.sender, one, number)
            continue
        words = " ".join(text[start:end].split())
        name = one.title or words
        if name_key(name) and name_key(name) != name_key(document.title):
            mentions.append(Mention(start, end, name, name_key(name), "name"))
            facts.append(Fact(document.title, f"links to {words}" if words != name else "links to", name, number))
    return mentions, facts


def _replies(document: Document, sender: str, answered: StoredLink, number: int) -> Iterator[Fact]:
    """That a mail answers another, and its sender the other's, where those are two."""
    for own, other in ((document.title, answered.title), (sender, answered.sender)):
        if name_key(own) and name_key(other) and name_key(own) != name_key(other):
            yield Fact(own, "replies to", other, number)
