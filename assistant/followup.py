"""Follow-up questions of a conversation, put so that they stand on their own: for the model that reads no
conversation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.reply import Reply

_PERSON = re.compile(
    r"\b(?:(his|her|their)(?=\s+\w)(?!\s+(?:in|at|on|to|from|by|for)\b)|he|she|him|her|they|them)\b", re.I
)
_THING = re.compile(r"\b(?:(its)|it|there|that|this)\b", re.I)
_ELLIPSIS = re.compile(r"(?:and|what about|how about|and what about)\s+(?P<name>(?-i:[A-Z\d“\"])[^?]*?)\s*\?*", re.I)
_LINK_WORD = re.compile(r"^(?:and|but|so|then|also)\b,?\s+(?=\S)", re.I)
_NAME = re.compile(r"(?<=\s)[A-Z][\w'’-]+")
_ASKS_PERSON = re.compile(r"\b(?:who|whom|whose)\b", re.I)
_MAKING = re.compile(
    r"\b(?:direct|compos|wrote|writ|author|film|starr|releas|publish|produc|paint|record|perform|sang|sung|sing|score"
    r"|screenplay|script|cast\b|shot\b|edited|editor|illustrat|design|invent|soundtrack)\w*",
    re.I,
)
"""How works are made, as verbs and as the relations of plans."""
_ASKS_THING = re.compile(r"\b(?:where|which|what)\b", re.I)


def standing_alone(question: str, turns: Sequence[Reply]) -> str:
    """The question with its pronoun replaced by what the last turn was about, or set into the last turn's question.

    "When did she die?" takes the person of the last answer or of the fact that led to it, "And Metropolis?" asks the
    last question of Metropolis. Turns that found nothing are passed over. A question that names something, or that
    follows nothing found, is given back as it is.
    """
    last = next((turn for turn in reversed(turns) if turn.found), None)
    if last is None:
        return question
    if match := _ELLIPSIS.fullmatch(question):
        return _asked_of(match["name"], last) or question
    if _NAME.search(question):
        return question
    person, thing = _PERSON.search(question), _THING.search(question)
    if person:
        return _replaced(question, person, _person(last))
    return _replaced(question, thing, _thing(question, last)) if thing else question


def _asked_of(name: str, last: Reply) -> str:
    """The last question about `name` instead of what its chain began with; nothing where the question does not name
    that.
    """
    for chain in last.chains:
        for term in (chain.links[0].head, chain.links[0].tail):
            if term and term in last.question:
                return last.question.replace(term, name)
    return ""


def _person(last: Reply) -> str:
    return last.answer if _ASKS_PERSON.search(last.question) else _subject(last) or last.answer


def _thing(question: str, last: Reply) -> str:
    """What "it" is: where making is asked of, the work that the last chain came from, and not the place it led to."""
    if _MAKING.search(question) and (work := _work(last)):
        return work
    return last.answer if _ASKS_THING.search(last.question) else _subject(last) or last.answer


def _work(last: Reply) -> str:
    """The first thing in the last chain of which it is told who made it."""
    links = [link for chain in last.chains for link in chain.links]
    return next((link.head for link in links if _MAKING.search(link.relation)), "")


def _subject(last: Reply) -> str:
    """What the last fact before the answer is about."""
    for chain in last.chains:
        for link in reversed(chain.links):
            if last.answer in (link.head, link.tail):
                return link.head if link.tail == last.answer else link.tail
    return last.chains[0].links[-1].head if last.chains else ""


def _replaced(question: str, match: re.Match[str], name: str) -> str:
    if not name:
        return question
    whole = question[: match.start()] + name + ("'s" if match[1] else "") + question[match.end() :]
    return _LINK_WORD.sub("", whole)
