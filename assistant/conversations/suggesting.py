"""Questions that a file answers, made from its own facts: shown in a chat over a file that has not been asked yet."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.conversations.background import BackgroundSession, Session
from assistant.conversations.events import Finished
from kb.errors import ClewError

if TYPE_CHECKING:
    from kb.store.listing import SomeFact

WANTED = 3
TRIED = 12
"""Questions that are tried, a second or two each in the background; most files give three good ones before."""

_LOOKED_AT = 3000
"""Facts and sentences that are looked at. Ids are hashes, so that the first are from all over the file."""

_MADE_BY = re.compile(r"\b(\w+ed|written|built|made|sung|drawn|won) by$")
_HAPPENED = frozenset("built made sold bought born written drawn won".split())
_DID = {"written": "wrote", "sung": "sang", "drawn": "drew"}
_NOT_OF = frozenset("as of to in on at by since from with note name place home".split())
"""Words that no "the … of" can begin or end with."""

_DEFINED = re.compile(r"(?:The )?([A-Z][\w+-]*(?: [A-Z][\w+-]*){0,3}) is (?:an?|the) (\S[^.?!:;\n]{20,120})\.")
_NO_NAMES = frozenset(
    """a all also and another anything as at both but chapter each either everything for he her here his how i if in it
    its my neither next no note nothing one our ours page section she so some something that the their there these they
    this those today tomorrow warning we what when where which who why yesterday you your monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
"""Words that no name begins or ends with."""

_PERSONS = frozenset("owner lead leader manager author director editor captain head chair reviewer assignee".split())
_OF_FILES = frozenset("date language format version".split())
"""What a document says of itself as a file, which nobody asks for by its title."""
_NOTHING = frozenset("none no yes n/a na nil unknown tbd tba - –".split())
"""Values that tell nothing: that something is so or not is another question."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question with the value that the fact it is made of has."""

    question: str
    value: str


async def suggested(path: Path, open_session: Callable[[], Session], wanted: int = WANTED) -> AsyncGenerator[str, None]:
    """Up to `wanted` questions to the file at `path`, each as soon as a session has answered it with its fact's value.

    The session is one of its own, opened by `open_session` in a thread of its own and closed at the end. Nothing comes
    of a file that cannot be read, and of one without facts to ask for.
    """
    session = BackgroundSession(open_session)
    found = 0
    try:
        candidates = await asyncio.to_thread(candidates_in, path)
        if candidates:
            await session.open()
        for one in candidates:
            session.resume(())
            if await _answer(session, one.question, one.value):
                found += 1
                yield one.question
            if found == wanted:
                return
    except ClewError:
        return
    finally:
        session.close()


async def _answer(session: BackgroundSession, question: str, value: str) -> bool:
    """Whether the session answers with the value."""
    async with aclosing(session.ask(question)) as events:
        async for event in events:
            if isinstance(event, Finished):
                return event.reply.found and _is_same(event.reply.answer, value)
    return False


def _is_same(answer: str, value: str) -> bool:
    """Whether one of two short texts has all the words of the other."""
    from kb.name_keys import name_key

    words = set(name_key(answer).split()), set(name_key(value).split())
    return bool(words[0] and words[1]) and (words[0] <= words[1] or words[1] <= words[0])


def candidates_in(path: Path) -> list[Suggestion]:
    """Questions that may be worth suggesting: each about another thing, first one of each form. Raises BadFileError."""
    from kb.store.knowledge_base import KnowledgeBase
    from kb.store.listing import some_facts, some_sentences

    with KnowledgeBase.open(path) as kb:
        made = [
            (form, fact.head, Suggestion(form.format(fact.head), fact.tail))
            for fact in sorted(some_facts(kb, _LOOKED_AT), key=_is_odd)
            if (form := _form(fact.head_is_title, fact.relation, fact.tail_kind))
            and _is_askable(fact.head, fact.head_is_title, fact.tail)
        ]
        made += _definitions(some_sentences(kb, _LOOKED_AT))
    return _varied(made)[:TRIED]


def _is_odd(fact: SomeFact) -> bool:
    """Whether it is about something else than people, dates and numbers, which all readers know how to take."""
    who = fact.relation.split()[-1:]
    return fact.tail_kind not in ("date", "number") and not (who and who[0].casefold() in {*_PERSONS, "born", "by"})


def _definitions(sentences: Iterable[str]) -> Iterator[tuple[str, str, Suggestion]]:
    """What sentences say that something is; a talk or a handbook without facts to ask for has such."""
    for text in sentences:
        told = _DEFINED.fullmatch(" ".join(text.split()))
        words = told[1].casefold().split() if told else []
        if told and not {words[0], words[-1]} & _NO_NAMES:
            yield "What is {}?", told[1], Suggestion(f"What is {told[1]}?", told[2])


def _varied(made: Iterable[tuple[str, str, Suggestion]]) -> list[Suggestion]:
    """One question a thing, and the first of every form before the second of any."""
    rounds: list[tuple[int, Suggestion]] = []
    heads: set[str] = set()
    seen: dict[str, int] = {}
    for form, head, one in made:
        if head not in heads:
            heads.add(head)
            seen[form] = seen.get(form, 0) + 1
            rounds.append((seen[form], one))
    return [one for _, one in sorted(rounds, key=lambda pair: pair[0])]


def _form(head_is_title: bool, relation: str, tail_kind: str) -> str:
    """How to ask for the tail of a fact, with {} for its head; "" for a relation that no form is known for."""
    from kb.documents.table_shape import is_property

    words = relation.removeprefix("The ").split()
    if head_is_title and relation.casefold() in _OF_FILES:
        return ""
    if relation[:1].isupper() and len(words) <= 3 and is_property(relation) and _is_noun(words):
        asks = "Who" if words[-1].casefold() in _PERSONS and tail_kind != "number" else "What"
        return f"{asks} is the {' '.join(words).lower()} of {{}}?"
    if not head_is_title:
        return ""
    if (made := _MADE_BY.search(relation)) and tail_kind in ("name", "title"):
        verb = made[1].lower()
        return f"Who {_DID.get(verb, verb)} {{}}?"
    asks = "When" if tail_kind == "date" else "Where" if tail_kind in ("name", "title") else ""
    if asks and re.search(r"\bborn(?: in| on| at)?$", relation):
        return f"{asks} was {{}} born?"
    if asks and re.search(r"\bdied (?:in|on|at)$", relation):
        return f"{asks} did {{}} die?"
    return ""


def _is_noun(words: Sequence[str]) -> bool:
    """Whether the words name one thing: not several, nothing that goes on or happened, and no rate."""
    last = words[-1].casefold()
    several = last.endswith("s") and not last.endswith(("ss", "us"))
    happened = last.endswith("ed") or last in _HAPPENED
    counted = any(word in ("a", "an", "per") for word in words)
    is_one = not (several or happened or counted) and not {last, words[0].casefold()} & _NOT_OF
    return is_one and all(word.isalpha() for word in words)


def _is_askable(head: str, head_is_title: bool, tail: str) -> bool:
    """Whether people would ask for it by this name: not by that of a file, AUTHORS or README."""
    is_name = head[:1].isupper() and len(head.split()) <= 5 and head.isprintable()
    tells = 0 < len(tail.split()) <= 6 and tail.casefold() not in _NOTHING
    return is_name and tells and not (head_is_title and head.isupper())
