"""Names in a question of which nothing that was read speaks: whatever is found then is about something else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.answer_rules.text import STOP_WORDS, stem, words
from tools.planning.plan import Plan, is_name, is_unread, is_variable
from tools.types import Hit

NAMED = 2 / 3
"""Share of a name's words that one passage must have for the evidence to speak of it. Of questions put to another
corpus, where up to half would get an answer otherwise, none does; of those put to their own, one in a hundred is
lost.
"""

_SHORT = {
    stem(word): short
    for word, short in (
        pair.split()
        for pair in "square sq,street st,saint st,road rd,avenue ave,lane ln,drive dr,court ct,place pl,terrace terr,"
        "crescent cres,gardens gdns,house hse,station stn,hospital hosp,university univ,centre ctr,mount mt,"
        "professor prof,doctor dr,company co,limited ltd,brothers bros,junction jn,building bldg".split(",")
    )
}
"""What words of names are cut to."""

_TIMES = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday".split()
)
_TOKEN = re.compile(r"[\w'’&.-]+")


def unknown_name(question: str, plan: Plan, hits: Sequence[Hit]) -> str:
    """The first name in the plan of whose words no passage has enough, "" where there is none.

    A name of the question is what the question itself writes with a capital, whatever the file spells so: "price" is
    none, where the question begins with it. The days and months are none, nor is a question that could not be read.
    What is not in the question, a model or an earlier one has named.
    """
    names = dict.fromkeys(end for constraint in plan.constraints for end in (constraint.head, constraint.tail))
    asked, written = frozenset(map(stem, words(question))), _capitals(question)
    texts = [frozenset(map(stem, words(f"{hit.passage.title} {hit.passage.text}"))) for hit in hits]
    for name in names:
        telling = frozenset(map(stem, frozenset(words(name)) - STOP_WORDS or words(name)))
        telling &= written if telling <= asked else _capitals(f"_ {name}")
        if not is_variable(name) and not is_unread(name) and telling and not _spoken_of(telling, texts):
            return name
    return ""


def _capitals(question: str) -> frozenset[str]:
    """The stems of the words written with a capital: not of the first alone, nor of a question that has no others."""
    tokens = _TOKEN.findall(question)
    named = [is_name(token) for token in tokens]
    if not tokens or all(named):
        return frozenset()
    named[0] = named[0] and named[1]
    found = [word for token, capital in zip(tokens, named, strict=True) if capital for word in words(token)]
    return frozenset(map(stem, (word for word in found if word.removesuffix("s") not in _TIMES)))


def _spoken_of(telling: frozenset[str], texts: Sequence[frozenset[str]]) -> bool:
    """Whether a passage has enough of the words that make a name, beside one of them also cut short: "MARKET SQ" for
    Market Square.
    """
    return any(_said_of(telling, text) >= NAMED * len(telling) for text in texts)


def _said_of(telling: frozenset[str], text: frozenset[str]) -> int:
    """How many of a name's words a passage has."""
    said = telling & text
    return len(said) + sum(_SHORT.get(word) in text for word in telling - said) if said else 0
