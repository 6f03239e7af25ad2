"""What letters stand for: the sentence that says so, or has the words whose first letters they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.answer_rules.text import fold, words
from tools.reading.defining import OPENING, OUTRIGHT
from tools.reading.told import Sentence, Told, best_of

_SAYS = (
    r"\W{0,3}\s*(?:\([^)]{0,80}\)\s*)?"
    r"(?:stands? for|(?:is|was) (?:short|(?:an? )?(?:abbreviation|acronym|initials)) (?:for|of)|is spelled out)\b"
)
_WORD = re.compile(r"[^\W\d_]+")
_PASSED_OVER = frozenset("a an and at by for from in of on or the to with".split())
_LEAST = 2  # letters that words can spell


def spelled(topic: str, sentences: Sequence[Sentence]) -> Told:
    """The sentence that says what the topic stands for, or that names it or is about it and has words in a row whose
    first letters it is ("It's the Command Line Interface Creation Kit" for Click); none where none has. Small words
    between them do not count.
    """
    if not words(topic):
        return Told()
    says = re.compile(rf"(?<!\w){re.escape(topic.strip())}{_SAYS}", re.IGNORECASE)
    scored = [(_score(topic, says, one) - 0.001 * one.rank, one) for one in sentences]
    return best_of([(score, one) for score, one in scored if score > 0.5], more=0)


def _score(topic: str, says: re.Pattern[str], one: Sentence) -> float:
    if says.search(one.text):
        return OUTRIGHT
    named = frozenset(words(topic))
    is_named = any(named <= frozenset(words(text)) for text in (one.text, one.subject, one.title))
    return OPENING if is_named and _spells(topic, one.text) else 0.0


def _spells(topic: str, text: str) -> bool:
    """Whether words in a row, all of them capitalised or put into brackets beside the topic, begin with its letters."""
    letters = [letter for letter in fold(topic) if letter.isalnum()]
    found = [one for one in _WORD.finditer(text) if len(one[0]) > 1 and fold(one[0]) not in _PASSED_OVER]
    count = len(letters)
    if count < _LEAST:
        return False
    for at in range(len(found) - count + 1):
        run = found[at : at + count]
        if [fold(one[0])[:1] for one in run] == letters:
            before, behind = text[: run[0].start()].rstrip(), text[run[-1].end() :].lstrip()
            in_brackets = before.endswith("(") or fold(behind).startswith(f"({fold(topic)})")
            if in_brackets or all(one[0][0].isupper() for one in run):
                return True
    return False
