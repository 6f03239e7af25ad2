"""What sort of thing a name stands for, by what the documents say: a man, a woman, a person, a thing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from kb.name_keys import name_key
from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.text import bare_title, sentence_spans
from tools.planning.lexicon import noun_type
from tools.planning.words import NAME_LINKS

Sort = Literal["he", "she", "person", "thing", ""]
"""The pronoun of a person whose sex is known; "" where nothing tells."""

_BORN = re.compile(r"\bborn\b|\(\s*(?:b\.|c\.)?\s*\d{3,4}\s*(?:to|[-–])", re.IGNORECASE)
_PREDICATE = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the|one of the)\s+(?P<rest>[^.;:]{3,120})")
_LINKS = frozenset("of by in on at from for with who which that whose to and or".split())
_HE, _SHE = re.compile(r"\b(?:he|his|him|himself)\b", re.I), re.compile(r"\b(?:she|her|hers|herself)\b", re.I)
_OPENS = re.compile(r"(?P<he>He|His)\b|(?P<she>She|Her)\b|(?P<thing>It|Its)\b")
_TITLES: dict[str, Sort] = {"sir": "he", "lord": "he", "king": "he", "lady": "she", "queen": "she", "dame": "she"}
KIN: dict[str, Sort] = {
    **dict.fromkeys("husband father brother son uncle grandfather nephew".split(), "he"),
    **dict.fromkeys("wife mother sister daughter aunt grandmother niece widow".split(), "she"),
}
_SHIP = re.compile(r"\b(?:ships?|vessel|boat|hull|crew|aboard|sail(?:s|ed|ing)?|keel)\b", re.IGNORECASE)
_SHIP_SIGNS = 2
"""Words of seafaring from which "she" means a ship, where nobody is said to be born."""
_RELATIVE = re.compile(
    rf"\b(?:his|her|whose)\s+(?P<kin>{'|'.join(KIN)}),?(?:\s+the(?:\s+[a-z]+){{1,3}})?\s*$", re.IGNORECASE
)
"""What leads to a name: "her sister, the painter Vanessa Bell"."""
_READ = 4
"""Passages read for a name without a document of its own."""


def sort_of(kb: KnowledgeBase, name: str) -> Sort:
    """What the name stands for; "" for a name that is not known, or of which nothing tells."""
    return kb.once(("sort_of", name), lambda: _sort_of(kb, name))


def sort_of_document(title: str, text: str) -> Sort:
    """What a document is about, by its title and how it opens."""
    sentences = [text[start:end].strip() for start, end in sentence_spans(text)]
    kind = _predicate(title, sentences[:3])
    if kind and kind != "person":
        return "thing"
    opened = [match.lastgroup for sentence in sentences if (match := _OPENS.match(sentence))]
    persons = len(opened) - opened.count("thing")
    is_told = kind == "person"
    if not is_told and not _may_be_somebody(title):
        return "thing" if opened.count("thing") else ""  # "She" is somebody whom a sentence names
    born = is_told or (_is_born(title, sentences[:2]) and opened.count("thing") <= persons)
    if not born and (len(_SHIP.findall(text)) >= _SHIP_SIGNS or persons <= opened.count("thing")):
        return "thing" if opened else ""
    return _sex(title, text)


def _sort_of(kb: KnowledgeBase, name: str) -> Sort:
    from kb.store import listing  # not needed by those that only read texts

    ids = [one for found in kb.named([name_key(name)]).values() for one in found]
    documents = [line.key for one in ids for line in listing.documents_about(kb, one)]
    documents = documents or listing.keys_by_surname(kb, name)
    for passage in listing.opening_passages(kb, documents).values():
        if sort := sort_of_document(passage.title, passage.text):
            return sort
    near = [passage for one in ids[:2] for passage in listing.passages_mentioning(kb, one, limit=_READ).items]
    return _sort_in_passing(name, near or listing.passages_saying(kb, [name], limit=_READ))


def _predicate(title: str, sentences: Sequence[str]) -> str:
    """The type of what the document says that its subject is: of "was the best known Norwegian naval architect of his
    time" that of the architect.
    """
    own = name_key(bare_title(title)).split()
    for sentence in sentences:
        match = _PREDICATE.search(sentence)
        before = name_key(sentence[: match.start()]).split() if match else []
        if match and (before[:1] in (["he"], ["she"], ["it"]) or set(own) & set(before)):
            return _head_type(match["rest"])
    return ""


def _head_type(words: str) -> str:
    """The type of the noun that a phrase describes: the last one before it goes on with "of" or "who"."""
    found = ""
    for word in re.findall(r"[\w'’-]+|,", words):
        if word.lower() in _LINKS or word == ",":
            break
        found = noun_type(word.lower()) or found
    return found


def _may_be_somebody(title: str) -> bool:
    """Whether a title is written as a name may be: "Vet stuff" goes on in lower case, as no name of a person does."""
    first, *rest = bare_title(title).split() or [""]
    return not first[:1].isupper() or not any(word[:1].islower() and word not in NAME_LINKS for word in rest)


def _is_born(title: str, sentences: Sequence[str]) -> bool:
    """Whether one of the sentences that has the title's last word says when its subject was born."""
    last = name_key(bare_title(title)).split()[-1:]
    return any(_BORN.search(one) and set(last) <= set(name_key(one[:200]).split()) for one in sentences)


def _sex(title: str, text: str) -> Sort:
    first = name_key(title).split()[:1]
    if first and first[0] in _TITLES:
        return "he" if _TITLES[first[0]] == "he" else "she"
    he, she = len(_HE.findall(text)), len(_SHE.findall(text))
    return "person" if he == she else "he" if he > she else "she"


def _sort_in_passing(name: str, passages: Sequence[Passage]) -> Sort:
    """What a name stands for by the words right around it."""
    said = re.escape(name)
    near = rf"(?P<before>[\w’'-]+)\s+{said}(?P<after>,?\s+(?:who|which|whose)\b)?|{said}(?P<who>,?\s+who\b)"
    person: Sort = ""
    for passage in passages:
        for match in re.finditer(near, passage.text):
            before = (match["before"] or "").lower()
            if relative := _RELATIVE.search(passage.text[max(0, match.start() - 60) : match.start() + len(before)]):
                return KIN[relative["kin"].lower()]
            if sex := KIN.get(before) or _TITLES.get(before):
                return "he" if sex == "he" else "she"
            if noun_type(before) == "person" or (match["after"] or match["who"] or "").endswith("who"):
                person = "person"
            if not passage.text[: match.start()].strip() or passage.text[: match.start()].rstrip().endswith("."):
                person = person or _next_pronoun(passage.text[match.end() :])
    return person


def _next_pronoun(following: str) -> Sort:
    """The sort of the pronoun that opens the next sentence."""
    spans = sentence_spans(following[:400])
    match = _OPENS.match(following[spans[1][0] :]) if len(spans) > 1 else None
    return {"he": "he", "she": "she", "thing": "thing"}.get(match.lastgroup or "", "") if match else ""  # type: ignore[return-value]
