"""The concepts of a question, offline: from its plan, its names, and how the passages found beforehand put things.

BubbleRAG (section 3.2) asks a language model for the keywords, for their specialisation ("mother" becomes
"Lothair II's mother"), for their relaxation ("second marriage" becomes "marriage"), and for their weights.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from kb.name_keys import name_key
from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.judge import Concept
from tools.planning.plan import Constraint, Plan, is_variable
from tools.search.entity_lookup import named_in
from tools.search.word_match import stems

_SUBJECT, _RELATION, _TARGET = 5.0, 3.0, 2.0
"""Weights before they are made to sum to 1. A subject, a relation and the attribute asked for get 0.5, 0.3 and 0.2, as
in the paper's "When did Lothair II's mother die?"."""
_SIMILAR_WORD = 0.8
"""Share of letters (difflib's ratio) from which two words may be spellings of one name: "Lothar" has 0.92 with
"Lothair", "Robert" 0.55 with "Peter". Numbers must be equal."""
_MOST_VARIANTS = 3
"""Variants of a relation that are taken on: the passages seldom say more."""
_AND = re.compile(r"\s+and\s+(?=[A-Z])")
_NUMBER = re.compile(r"\d+|\b[IVX]+\b")


def find_concepts(
    kb: KnowledgeBase, question: str, plan: Plan, passages: Sequence[Passage] = ()
) -> tuple[Concept, ...]:
    """Names, relations and the attribute asked for, heaviest first, weights summing to 1; none without content.

    An alternative that has all the words of its concept and more is its specialisation; the others relax it to what
    the passages say, and there are none without passages.
    """
    told = _Told(passages)
    weighted: dict[str, Concept] = {}
    for concept in (*_subjects(kb, question, plan, told), *_relations(plan, told)):
        if stems(concept.text):
            key = name_key(concept.text)
            weighted[key] = _merged(weighted[key], concept) if key in weighted else concept
    if not weighted and stems(question):
        return (Concept(question.strip(), 1.0),)
    total = sum(one.weight for one in weighted.values())
    found = [replace(one, weight=one.weight / total) for one in weighted.values()]
    return tuple(sorted(found, key=lambda one: -one.weight))


def _merged(first: Concept, second: Concept) -> Concept:
    """One concept asked of two things: both of its specialisations, the higher weight."""
    alternatives = tuple(dict.fromkeys((*first.alternatives, *second.alternatives)))
    return Concept(first.text, max(first.weight, second.weight), alternatives)


class _Told:
    """What the passages say, as stems and as titles."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.titles = tuple(dict.fromkeys(one.title for one in passages if one.title))
        self.words = [stems(f"{one.title} {one.text}") for one in passages]

    def says(self, text: str) -> bool:
        """Whether one passage has all the content words of a text."""
        wanted = stems(text)
        return bool(wanted) and any(wanted <= words for words in self.words)


def _subjects(kb: KnowledgeBase, question: str, plan: Plan, told: _Told) -> Iterator[Concept]:
    """The constants of the plan, and names in the question that it left out."""
    ends = (end for one in plan.constraints for end in (one.head, one.tail) if end and not is_variable(end))
    constants = [part for end in ends for part in _things(kb, end)]
    said = [name_key(text) for text in constants]
    named = [span.text for span in named_in(kb, question)]
    left_out = [text for text in named if not any(_within(name_key(text), one) for one in said)]
    for text in dict.fromkeys((*constants, *plan.options, *left_out)):
        yield Concept(text, _SUBJECT if text not in left_out else _RELATION, _other_spellings(text, told))


def _things(kb: KnowledgeBase, name: str) -> list[str]:
    """A name, or both where two names that are not one in the file were read together ("Keanu Reeves and ...")."""
    parts = _AND.split(name)
    return parts if len(parts) > 1 and not kb.named([name_key(name)]) else [name]


def _within(part: str, whole: str) -> bool:
    return f" {part} " in f" {whole} "


def _other_spellings(name: str, told: _Told) -> tuple[str, ...]:
    """Titles of the passages that spell the name another way, word by word."""
    words, numbers = name_key(name).split(), _NUMBER.findall(name)
    found = []
    for title in told.titles:
        others = name_key(title).split()
        same_length = len(others) == len(words) and others != words and _NUMBER.findall(title) == numbers
        if same_length and all(map(_is_spelling, words, others)):
            found.append(title)
    return tuple(found)


def _is_spelling(word: str, other: str) -> bool:
    return word == other or SequenceMatcher(None, word, other, autojunk=False).ratio() >= _SIMILAR_WORD


def _relations(plan: Plan, told: _Told) -> Iterator[Concept]:
    """What is said of each unknown, specialised by what leads to it; the one that gives the target weighs least."""
    known: dict[str, str] = {}
    last = max((at for at, one in enumerate(plan.constraints) if plan.target in one.variables), default=-1)
    for at, constraint in enumerate(plan.constraints):
        specialised = _specialised(constraint, known)
        for end in constraint.variables:
            known.setdefault(end, specialised)
        is_attribute = at == last or (not plan.target and plan.kind != "lookup" and len(plan.constraints) > 1)
        relaxed = _relaxed(constraint, told)
        alternatives = dict.fromkeys(one for one in (specialised, *relaxed) if one != constraint.relation)
        yield Concept(constraint.relation, _TARGET if is_attribute else _RELATION, tuple(alternatives))


def _specialised(constraint: Constraint, known: dict[str, str]) -> str:
    """The relation bound to what is known of its ends: "mother" of "Lothair II" is "Lothair II's mother"."""
    ends = [known.get(end, "") if is_variable(end) else end for end in (constraint.head, constraint.tail)]
    owner = next((end for end in ends if end), "")
    return f"{owner}'s {constraint.relation}" if owner else constraint.relation


def _relaxed(constraint: Constraint, told: _Told) -> list[str]:
    """How the passages put a relation whose own words they do not have: a variant, or its last word alone."""
    if told.says(constraint.relation):
        return []
    variants = [one for one in constraint.variants if told.says(one)][:_MOST_VARIANTS]
    last = constraint.relation.split()[-1:]
    return [*variants, *(word for word in last if told.says(word) and word not in variants)]
