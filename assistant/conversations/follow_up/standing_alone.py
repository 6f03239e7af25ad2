"""Follow-up questions of a conversation, put so that they stand on their own: for the model that reads no
conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from assistant.agent.offline.about_base.recognising import EXTRACT, SAID, recognised
from assistant.agent.offline.sorts import KIN, Sort
from assistant.agent.replying.reply import Reply
from assistant.conversations.follow_up.ellipsis import (
    asked_about,
    asked_besides,
    asked_otherwise,
    asked_which,
    asks_role,
)
from assistant.conversations.follow_up.spoken_of import MAKING, is_name, many_in, names_in, role_of, things_in
from tools.planning.lexicon import noun_type

SortOf = Callable[[str], Sort]
"""What sort of thing a name stands for, "" where nothing tells."""

_PERSON = re.compile(
    r"\b(?:(his|her|their)(?=\s+\w)(?!\s+(?:in|at|on|to|from|by|for)\b)|he|she|him|her|they|them)\b", re.I
)
_THAT_ONE = re.compile(r"\b(?:this|that|these|those)\s+(?P<noun>[a-z]+)\b", re.I)
_THING = re.compile(
    r"\b(?:(its)|it(?!\s+(?:true|possible|likely|known|that)\b)|(?:that|this)(?=\s*(?:[?.!]|$|happen|mean)))(?!\w)",
    re.I,
)
_THERE = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere\b(?!\s+(?:is|are|was|were|a|an|any)\b)", re.I)
_LINK_WORD = re.compile(r"^(?:and|but|so|then|also)\b,?\s+(?=\S)", re.I)
_MEANT = re.compile(
    r"(?:(?:no|sorry|actually|wait|well)[,.!]?\s+)*i (?:meant|mean|(?:was|am) asking about)\s+"
    r"(?P<other>[^?.!]+)[?.!]*",
    re.I,
)
_ASKS_PERSON = re.compile(r"\b(?:who|whom|whose)\b", re.I)
_ASKS_THING = re.compile(r"\b(?:where|which|what)\b", re.I)
_SEX = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she"}
_MANY = frozenset({"they", "them", "their"})
_OF_THEM = re.compile(r"\bof\s+$", re.I)
_HOW_MANY = re.compile(r"\bhow many\b", re.I)
_ONE_PERSON = re.compile(r"\b(?:he|she|him|his|her)\b", re.I)
_OF_THEMSELVES = frozenset(
    {"greeting", "thanks", "help", "doubt", "objection", "more", "contents", "documents", "kind"}
)


@dataclass(frozen=True, slots=True)
class _Turn:
    """An earlier turn, with its question as it stands alone."""

    reply: Reply
    question: str

    @property
    def answer(self) -> str:
        """The name that was the answer, of a sentence the one that its steps lead to; "" for none, as where the
        knowledge base itself was asked about.
        """
        said, request = self.reply.answer, recognised(self.question)
        if self.reply.is_sentence:
            said = next((chain.links[-1].tail for chain in self.reply.chains if chain.links[-1].tail in said), "")
        is_extract = request is not None and (request.sure or said.startswith((EXTRACT, SAID)))
        return said if self.reply.found and not is_extract and is_name(said) else ""

    @property
    def terms(self) -> tuple[str, ...]:
        """The names in the chains to its answer, those nearest to that first."""
        links = [link for chain in self.reply.chains for link in chain.links if self.reply.found]
        return tuple(term for link in reversed(links) for term in (link.tail, link.head) if is_name(term))


def _unknown(name: str) -> Sort:
    return ""


def standing_alone(question: str, turns: Sequence[Reply], sort_of: SortOf = _unknown) -> str:
    """The question with its pronouns replaced by what they stand for, or set into the question before it.

    "When did she die?" takes the last woman that was asked about or answered, "it" the last thing, and where making is
    asked of the work; "they" the last two people. "And Metropolis?" asks the question before of Metropolis, "and when?"
    asks its time. A turn that found nothing counts by what its question names. `sort_of` tells by the documents what a
    name stands for: no pronoun takes what is not of its sort. A question that stands alone is given back as it is.
    """
    earlier: list[_Turn] = []
    for turn in turns:
        earlier.append(_Turn(turn, _resolved(turn.question, earlier, sort_of)))
    return _resolved(question, earlier, sort_of)


def _resolved(question: str, earlier: Sequence[_Turn], sort_of: SortOf) -> str:
    request = recognised(question)
    talk = [turn for turn in earlier if not _of_itself(turn.question)]
    if not talk:
        return question
    last = talk[-1]
    if otherwise := asked_otherwise(question, last.question, last.reply.answer):
        return otherwise
    if request is not None and request.kind == "more" and (name := _named(last)):
        return f"Tell me about {name}"
    if request is not None and request.kind in _OF_THEMSELVES:
        return question
    if meant := _MEANT.fullmatch(question):
        return _resolved(f"what about {meant['other']}?", earlier, sort_of)
    if other := asked_besides(question, last.question) or asked_which(question, last.question):
        return other
    named = _pronouns_replaced(question, talk, sort_of)
    for turn in reversed(talk if asks_role(named) else talk[-1:]):
        if about := asked_about(named, turn.question, partial(_same_sort, sort_of=sort_of)):
            return about
    return named if named == question else _LINK_WORD.sub("", named)


def _named(turn: _Turn) -> str:
    """What a turn's answer names, else what it or its question is about; "" where it names nothing."""
    return turn.answer or _subject(turn) or next(iter(names_in(turn.question)), "")


def _of_itself(question: str) -> bool:
    request = recognised(question)
    return request is not None and request.kind in _OF_THEMSELVES


def _same_sort(name: str, other: str, sort_of: SortOf) -> bool:
    """Whether nothing tells that two names stand for things of different sorts."""
    one, two = (_broad(_sort_by_role(each) or sort_of(each)) for each in (name, other))
    return not one or not two or one == two


def _broad(sort: Sort) -> str:
    return "person" if sort in ("he", "she", "person") else sort


def _sort_by_role(description: str) -> Sort:
    """The sort of "the wife of Ada Moor" or "the capital of France"; "" for a mere name."""
    role = role_of(description)
    kind = noun_type(role) if role else ""
    return KIN.get(role) or ("person" if kind == "person" else "thing" if kind else "")


# -- pronouns ----------------------------------------------------------------------------------------------------------


def _pronouns_replaced(question: str, talk: Sequence[_Turn], sort_of: SortOf) -> str:
    """The question with its first pronoun replaced, unless something that it names comes before."""
    for pattern, find in ((_THAT_ONE, _that_one), (_PERSON, _person), (_THING, _thing), (_THERE, _place)):
        match = pattern.search(question)
        if match is None:
            continue
        before = [name for name in names_in(question) if question.find(name) < match.start()]
        name = "" if before else find(question, match, talk, sort_of)
        if name:
            return question[: match.start()] + name + _ending(match) + question[match.end() :]
    return question


def _ending(match: re.Match[str]) -> str:
    return "'s" if match.re in (_PERSON, _THING) and match[1] else ""


def _that_one(question: str, match: re.Match[str], talk: Sequence[_Turn], sort_of: SortOf) -> str:
    kind = noun_type(match["noun"].lower())
    if not kind:
        return ""
    return _latest_person(talk, sort_of, "person") if kind == "person" else _latest_thing(question, talk, sort_of)


def _person(question: str, match: re.Match[str], talk: Sequence[_Turn], sort_of: SortOf) -> str:
    said = match[0].lower()
    if said in _MANY:
        return _they(question, match, talk, sort_of)
    return _latest_person(talk, sort_of, _SEX[said])


def _they(question: str, match: re.Match[str], talk: Sequence[_Turn], sort_of: SortOf) -> str:
    """The several things or people last spoken of. One person is "they" as well, but is no "of them", and not many."""
    is_of_them = bool(_OF_THEM.search(question[: match.start()]))
    if is_of_them or _HOW_MANY.search(question):
        many = next((many for turn in reversed(talk) if (many := many_in(turn.question))), "")
        return many or ("" if _HOW_MANY.search(question) else _several(talk, sort_of))
    several = _several(talk[-1:], sort_of) or many_in(talk[-1].question) or _several(talk, sort_of)
    return several or _latest_person(talk, sort_of, "person") or _latest_thing("", talk, sort_of)


def _thing(question: str, match: re.Match[str], talk: Sequence[_Turn], sort_of: SortOf) -> str:
    return _latest_thing(question, talk, sort_of)


def _place(question: str, match: re.Match[str], talk: Sequence[_Turn], sort_of: SortOf) -> str:
    name = _latest_thing("where", talk, sort_of)
    return f"in {name}" if name else ""


def _latest_person(talk: Sequence[_Turn], sort_of: SortOf, wanted: str) -> str:
    """The last person of this sex that was spoken of; where none is known to be one, what may be."""
    for is_sure in (True, False):
        for turn in reversed(talk):
            for name in _people_first(turn):
                if _is_person(name, turn, sort_of, wanted, is_sure):
                    return name
    return ""


def _is_person(name: str, turn: _Turn, sort_of: SortOf, wanted: str, is_sure: bool) -> bool:
    sort = _sort_by_role(name) or sort_of(name)
    if not sort and name == turn.answer and _ASKS_PERSON.search(turn.question):
        sort = "person"
    if not sort:
        return not is_sure
    return sort == "person" or sort == wanted or (wanted == "person" and sort in ("he", "she"))


def _people_first(turn: _Turn) -> Iterator[str]:
    """The names of a turn, the likeliest to be the person meant first."""
    subject = _subject(turn)
    described = [] if turn.answer else [role for role in names_in(turn.question, described=True) if role_of(role)]
    first = [turn.answer, subject] if _ASKS_PERSON.search(turn.question) else [subject, turn.answer]
    every = [*described, *first, *turn.terms, *reversed(names_in(turn.question))]
    yield from dict.fromkeys(name for name in every if name)


def _latest_thing(question: str, talk: Sequence[_Turn], sort_of: SortOf) -> str:
    """The last thing that was spoken of; where there is nothing else, what may be one though it answers who."""
    called = {name for turn in talk for name in _called_he_or_she(turn)}
    for people in (called | {turn.answer for turn in talk if _ASKS_PERSON.search(turn.question)}, called):
        for turn in reversed(talk):
            for name in _things_first(question, turn):
                sort = sort_of(name)
                if sort == "thing" or (not sort and name not in people):
                    return name
    return ""


def _called_he_or_she(turn: _Turn) -> list[str]:
    """The names that were set into a question for "he" or "she"."""
    asked = turn.reply.question
    return [name for name in names_in(turn.question) if name not in asked] if _ONE_PERSON.search(asked) else []


def _things_first(question: str, turn: _Turn) -> Iterator[str]:
    """The names of a turn, the likeliest to be "it" first: where making is asked of, the work that the chain came from,
    and not the place it led to; then what its question speaks of without a name.
    """
    subject, work = _subject(turn), _work(turn) if MAKING.search(question) else ""
    by_answer = _ASKS_THING.search(turn.question)
    first = [work, turn.answer, subject] if by_answer else [work, subject, turn.answer]
    if _ASKS_PERSON.search(turn.question):
        first = [work, subject]
    every = [*first, *names_in(turn.question), *things_in(turn.question), *turn.terms]
    yield from dict.fromkeys(name for name in every if name)


def _several(talk: Sequence[_Turn], sort_of: SortOf) -> str:
    """ "A and B": the last two people that were spoken of, those of one question together; "" for fewer."""
    people: list[str] = []
    for turn in reversed(talk):
        for name in (*reversed(names_in(turn.question)), turn.answer):
            if name and name not in people and _is_person(name, turn, sort_of, "person", is_sure=True):
                people.append(name)
        if len(people) > 1:
            break
    return f"{people[1]} and {people[0]}" if len(people) > 1 else ""


def _work(turn: _Turn) -> str:
    """The first thing in the last chain of which it is told who made it, else what the question asks that of."""
    links = [link for chain in turn.reply.chains for link in chain.links]
    made = next((link.head for link in links if MAKING.search(link.relation)), "")
    return made or next(iter(names_in(turn.question) if MAKING.search(turn.question) else ()), "")


def _subject(turn: _Turn) -> str:
    """What the last fact before the answer is about; "" where none was found."""
    said = turn.reply.answer
    if not turn.reply.found:
        return ""
    for chain in turn.reply.chains:
        for link in reversed(chain.links):
            if said in (link.head, link.tail):
                other = link.head if link.tail == said else link.tail
                return other if is_name(other) else ""
    last = turn.reply.chains[0].links[-1].head if turn.reply.chains else ""
    return last if is_name(last) else ""
