"""A text that a sentence may rest on, and whether it has a term of that sentence."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property, lru_cache

from assistant.agent.citing.stated_values import ORDINALS, comparable, digit_numbers, spelled_numbers
from assistant.agent.citing.terms import Language, Term, compared, small_words
from tools.answer_rules.countries import CountryMention, country_mentions, country_of
from tools.answer_rules.text import fold, tokenize
from tools.answer_rules.values import find_dates

_POSSESSIVE = re.compile(r"(?<=\w)(?:['’]s|(?<=s)['’])(?!\w)", re.IGNORECASE)
_DAY_BEFORE = re.compile(r"(?<!\d)(\d{1,2})\s*(?:[-–&]|and|to|or)\s*\Z")
_WORD = re.compile(r"[^\W_]+")
_CAPITAL_RUN = re.compile(r"\b[A-Z]\w*(?:\W{1,2}(?:(?:of|and|the|for|de|du|la)\W)*[A-Z]\w*)+")
_GAP = 3
"""Words that may stand between the words of one name: "Valdis, Irena", "Irena Maria Valdis"."""
_ROUGHLY = 0.05
"""By how much a number that is called a rough one may differ."""
_STEM = 4
"""Letters that a name keeps in languages whose endings change, at least; and all but its last three."""


class CitedText:
    """A passage with its title, or a question, read once for all terms that are looked up in it."""

    def __init__(self, text: str) -> None:
        self.text = _POSSESSIVE.sub("", comparable(text))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The words of the text as they are compared."""
        return self._compared[0]

    @cached_property
    def small(self) -> frozenset[str]:
        """The words that the text writes small."""
        return small_words(self.text)

    @cached_property
    def scripts(self) -> frozenset[str]:
        """The scripts of its letters: "LATIN", "CYRILLIC", "CJK"."""
        return scripts(self.text)

    def has(self, term: Term, language: Language = "english") -> bool:
        """Whether the text has the name, date or number, in whatever form."""
        if term.kind == "name":
            return self._has_name(term, language)
        if term.kind == "country":
            return country_of(term.text) in self._countries
        return self._has_date(term) if term.kind == "date" else self._has_number(term)

    @cached_property
    def countries(self) -> bool:
        """Whether it speaks of any country by its name or adjective."""
        return any(mention.form in ("name", "adjective") for mention in self._mentions)

    def has_part(self, term: Term) -> bool:
        """Whether the text has a word of the name that is long enough to mean it: the surname alone."""
        return any(len(word) > 2 and word in self._distinct for word in term.words)

    def has_text(self, text: str) -> bool:
        """Whether the text stands in this one as a whole, however its words are written; one without words, as "//!",
        as it is.
        """
        words, _ = compared(_POSSESSIVE.sub("", comparable(text)))
        size = len(words)
        if not words:
            return bool(text.strip()) and text.strip() in self.text
        return any(self.tokens[start : start + size] == words for start in range(len(self.tokens) - size + 1))

    @cached_property
    def _compared(self) -> tuple[tuple[str, ...], tuple[bool, ...]]:
        return compared(self.text)

    @cached_property
    def _distinct(self) -> frozenset[str]:
        return frozenset(self.tokens)

    @cached_property
    def _values(self) -> frozenset[float]:
        spelled = {value for _, _, value in spelled_numbers(self.text)}
        written = fold(self.text)
        ordinals = {float(number) for word, number in ORDINALS.items() if word in written}
        return frozenset(value for *_, values in digit_numbers(self.text) for value in values) | spelled | ordinals

    @cached_property
    def _dates(self) -> tuple[tuple[int, int, int, int], ...]:
        """Year, month, day and the length of a span of years; of "3 and 5 May" both days."""
        found = []
        for one in find_dates(self.text):
            span = 0 if one.whole else 10 if one.text.endswith("s") else 100
            earlier = _DAY_BEFORE.search(self.text[: one.start]) if one.text[0].isdigit() and one.day else None
            days = (one.day, *((int(earlier[1]),) if earlier else ()))
            found += [(one.year, one.month, day, span) for day in days]
        return tuple(found)

    @cached_property
    def _countries(self) -> frozenset[str]:
        return frozenset(mention.country for mention in self._mentions)

    @cached_property
    def _mentions(self) -> list[CountryMention]:
        return country_mentions(tokenize(self.text))

    @cached_property
    def _initials(self) -> frozenset[str]:
        runs = _CAPITAL_RUN.findall(self.text)
        return frozenset("".join(word[0] for word in _WORD.findall(run) if word[0].isupper()) for run in runs)

    def _has_name(self, term: Term, language: Language) -> bool:
        if self._has_words(term.words, language):
            return True
        country = country_of(term.text)
        if country and country in self._countries:
            return True
        short = term.text.replace(".", "")
        return short.isupper() and len(short) > 1 and any(short in initials for initials in self._initials)

    def _has_words(self, words: tuple[str, ...], language: Language) -> bool:
        """Whether all words of a name stand near each other, in any order, the longest of them spelled out."""
        if not words:
            return False
        tokens, capitals = self._compared
        reach, several = len(words) + _GAP, len(words) > 1
        places = [
            [place for place, token in enumerate(tokens) if _same(word, token, capitals[place], language, several)]
            for word in words
        ]
        longest = max(range(len(words)), key=lambda index: len(words[index]))
        return all(places) and any(
            all(any(abs(place - anchor) < reach for place in of_word) for of_word in places)
            for anchor in places[longest]
            if not tokens[anchor].endswith(".") or words[longest].endswith(".")
        )

    def _has_date(self, term: Term) -> bool:
        year, month, day = term.date
        if term.span:
            return any(
                (y, s) == (year, term.span) or (not s and y and year <= y < year + term.span)
                for y, _, _, s in self._dates
            )
        whole = [(y, m, d) for y, m, d, span in self._dates if not span]
        if any(year in (0, y) and month in (0, m) and day in (0, d) for y, m, d in whole):
            return True
        # The year apart from day and month: "in the summer of 1860, on 5 August".
        return (year, 0, 0) in whole and any(y == 0 and month == m and day in (0, d) for y, m, d in whole)

    def _has_number(self, term: Term) -> bool:
        if term.values & self._values:
            return True
        return term.rough and any(
            abs(value - other) <= _ROUGHLY * abs(other) and not 1000 <= other <= 2100
            for value in term.values
            for other in self._values
        )


@lru_cache(maxsize=256)
def source(text: str) -> CitedText:
    """The text as a source; the same few passages are looked into for every sentence, twice where one is sent back."""
    return CitedText(text)


def scripts(text: str) -> frozenset[str]:
    """The scripts of the letters of a text, by the first words of their Unicode names."""
    letters = {character for character in text if character.isalpha()}
    return frozenset(unicodedata.name(letter, "UNKNOWN").split()[0] for letter in letters)


def _same(word: str, token: str, capital: bool, language: Language, several: bool) -> bool:
    """Whether a word of a name and one of the text are the same, or one of them the other's initial in a name of
    `several` words.
    """
    if word == token:
        return True
    if word.endswith(".") or token.endswith("."):
        return several and capital and word[0] == token[0]
    if len(word) > 2 and len(token) > 2 and (word + "s" == token or token + "s" == word):
        return True
    if min(len(word), len(token)) < _STEM:
        return False
    kept = max(_STEM, len(word) - 3)
    return language == "other" and word[:kept] == token[:kept] and abs(len(word) - len(token)) <= 3
