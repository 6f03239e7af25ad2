"""Things of a kind, as far as the documents call them so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.agent.offline.sorts import sort_of_document
from kb.documents.structure import structured_lines
from kb.name_keys import name_key
from kb.records import Passage
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.text import bare_title, told_sentences
from tools.answer_rules.things import OPENING, is_titled, says_it_is
from tools.planning.words import NOUN_TYPES

MOST_READ = 400
"""Passages read for one list: of the documents of a large file that is a part, and the list says so."""

_PEOPLE = {"person": ("he", "she", "person"), "man": ("he",), "woman": ("she",)}
_NARROWER = {
    "ship": "vessel boat corvette frigate steamer schooner barque bark brig sloop yacht",
    "film": "movie",
    "movie": "film",
    "book": "novel",
    "writer": "author novelist poet playwright",
    "scientist": "physicist chemist astronomer biologist botanist mathematician geologist",
    "artist": "painter sculptor photographer",
    "city": "town",
}
_PREFIXES = {"ship": "HMS RRS RMS SS USS MV"}
_NAME = r"[A-Z][\w’'.-]*(?:\s+(?:(?:of|de|von|van|the)\s+)?[A-Z][\w’'.-]*)*"
_BRACKETS = re.compile(r"\(([^()]*)\)\s*$")


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of the kind, the passage that says so, and its sentence, or "" where the title does."""

    name: str
    passage: Passage
    sentence: str = ""


def things_of_kind(kb: KnowledgeBase, kind: str) -> tuple[list[Thing], bool]:
    """What documents say to be a `kind` (a noun in the singular, written small), and whether all were read for it.

    What documents are about comes first, by title, then what other passages name as one. Types from a model count too.
    [] for a kind that is nowhere spoken of.
    """
    words = _words_for(kind)
    is_all = len(listing.passages_saying(kb, words, limit=MOST_READ)) < MOST_READ
    if kind in _PEOPLE:
        is_all = listing.list_documents(kb, limit=1).total <= MOST_READ
    found: dict[str, Thing] = {}
    for thing in (*_subjects(kb, kind, words), *_typed(kb, words), *_named(kb, words)):
        key = name_key(thing.name)
        if key and not any(key == other or f" {key}" in f" {other}" or f" {other} " in f" {key} " for other in found):
            found[key] = thing
    return list(found.values()), is_all


def _words_for(kind: str) -> list[str]:
    """The nouns that name things of the kind, the kind itself first; of "place" all nouns for places."""
    general = [word for word, known in NOUN_TYPES.items() if known == kind.replace("organization", "organisation")]
    return list(dict.fromkeys([kind, *_NARROWER.get(kind, "").split(), *(general if kind != "person" else ())]))


def _subjects(kb: KnowledgeBase, kind: str, words: Sequence[str]) -> Iterator[Thing]:
    if kind in _PEOPLE:
        pages = listing.list_documents(kb, limit=MOST_READ).items
        openings = listing.opening_passages(kb, [page.key for page in pages])
        passages = [openings[page.key] for page in pages if page.key in openings]
        wanted = _PEOPLE[kind]
        fitting = (one for one in passages if sort_of_document(one.title, one.text) in wanted)
        yield from (Thing(_without_kind(one.title), one, _first_sentence(one)) for one in fitting)
        return
    for passage in listing.passages_saying(kb, words, opening=True, limit=MOST_READ):
        sentence = next((one for one in told_sentences(passage.text)[:OPENING] if says_it_is(one, words)), "")
        if sentence or is_titled(passage.title, words):
            yield Thing(_without_kind(passage.title), passage, sentence or _first_sentence(passage))


def _typed(kb: KnowledgeBase, words: Sequence[str]) -> Iterator[Thing]:
    found = listing.entities_of_type(kb, words)
    passages = {passage.id: passage for passage in kb.passages([passage for _, passage in found])}
    for name, at in found:
        if at in passages:
            passage = passages[at]
            yield Thing(name, passage, next((one for one in told_sentences(passage.text) if name in one), ""))


def _named(kb: KnowledgeBase, words: Sequence[str]) -> Iterator[Thing]:
    """What a passage names right behind the word: "the astronomer William Herschel"."""
    prefixes = _PREFIXES.get(words[0], "").split()
    either, prefix = ("|".join(map(re.escape, some)) for some in (words, prefixes or ["\0"]))
    pattern = re.compile(rf"\b(?:(?:{either})\s+(?P<name>{_NAME})|(?P<prefixed>(?:{prefix})\s+{_NAME}))")
    for passage in listing.passages_saying(kb, [*words, *prefixes], limit=MOST_READ):
        for sentence in told_sentences(passage.text):
            for match in pattern.finditer(sentence):
                name = re.sub(r"['’]s?$", "", match["name"] or match["prefixed"]).rstrip(".")
                yield Thing(name, passage, sentence)


def _without_kind(title: str) -> str:
    """A title without the brackets at its end."""
    return _BRACKETS.sub("", title).strip() or title


def _first_sentence(passage: Passage) -> str:
    """The first sentence below the title; of a note with tags and the like above its prose, the first of the prose."""
    title = name_key(bare_title(passage.title))
    told = [one for one in told_sentences(passage.text) if name_key(one) != title]
    lines = [name_key(passage.text[line.start : line.end]) for line in structured_lines(passage.title, passage.text)]
    return next((one for one in told if name_key(one) not in lines), next(iter(told), ""))
