"""What each sentence of an explanation rests on, and what of it is in none of these passages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import combinations, pairwise

from assistant.agent.citing.cited_text import CitedText, scripts, source
from assistant.agent.citing.stated_values import opens_with_month
from assistant.agent.citing.terms import Language, Term, language_of, readable, terms
from kb.records import Passage
from tools.answer_rules.text import content_stems, fold, sentence_spans
from tools.answer_rules.values import find_dates, find_numbers
from tools.reading.times import days_told

CITATION = re.compile(r"\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")
SPACED_CITATION = re.compile(r"\s?\[\d{1,4}(?:\s*,\s*\d{1,4})*\]")
_EASTERN_STOP = re.compile(r"[。！？]+[」』”’）】]*\s*")
_ROW_CITED = re.compile(
    r"\b(?:no\.\s?\[\d{1,4}\]\s+(?=\S)|\w{1,2}\.\s?\[\d{1,4}\]\s+(?=[^\s:;.]+(?: [^\s:;.]+){0,4}: ))", re.I
)
"""The end of a row such as "Thanked: no. [1]" or, before another one, "Yield: 44 t. [1] Field: Mill Piece", whose last
word is otherwise the short form of number, or an initial.
"""
_DAY_AT_END = re.compile(r"(?<!\w)\d{1,2}\.\s*\Z")
_OPERANDS = 40
"""Numbers of an explanation that others may be worked out from: one to four sentences have a handful."""
_PLACES = 6
"""Decimals to which sums are compared."""

_LAST_DAY = 31
"""Up to it a number may be a day; from larger ones, years, the difference less one is an age before the birthday."""
_FREE_ANSWERS = frozenset("yes no ja nein oui non si sì sí sim não да нет はい いいえ 是 否 both neither same".split())
_CASED = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an explanation: as written, as it reads, and the numbers that it cites."""

    written: str
    text: str
    cited: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """A sentence, or the short answer, that does not hold: the `numbers` that it cites (all that are cited, where it
    cites none of its own), those `unseen`, and what of it is in none of the others.
    """

    text: str
    numbers: tuple[int, ...]
    unseen: tuple[int, ...]
    absent: tuple[str, ...]


def is_free(answer: str) -> bool:
    """Whether a short answer is one that no passage need have: yes, no and their like."""
    return fold(answer).strip(" .!") in _FREE_ANSWERS


def sentences(explanation: str) -> list[Sentence]:
    """The sentences of a text of Markdown, in order and without a gap; a citation behind a full stop belongs to the
    sentence before it.
    """
    masked = CITATION.sub(lambda match: " " * len(match[0]), explanation)
    ends = {start for start, _ in sentence_spans(masked)} | {match.end() for match in _EASTERN_STOP.finditer(masked)}
    ends |= {match.end() for match in _ROW_CITED.finditer(explanation)}
    inner = sorted(end for end in ends if masked[:end].strip() and masked[end:].strip() and not _runs_on(masked, end))
    cuts = [0, *inner, len(explanation)]
    parts = [explanation[start:end] for start, end in pairwise(cuts) if end > start]
    return [Sentence(part, readable(part), numbers_in(part)) for part in parts]


def _runs_on(text: str, end: int) -> bool:
    """Whether what looks like the end of a sentence is none: "am 5. | Mai", "in the U.S. [1] | , and"."""
    following = text[end:].lstrip()
    day = _DAY_AT_END.search(text[max(0, end - 8) : end]) is not None
    return following[0] in ",;:)" or (day and opens_with_month(following)) or text[end - 1 : end + 1].isspace()


def _is_row(passage: CitedText) -> bool:
    """Whether a passage is one line below its title."""
    return passage.text.strip().count("\n") <= 1


def _figures(text: str) -> list[float]:
    """The numbers of a text that no unit ends."""
    return [one.value for one in find_numbers(text) if one.text[-1:].isdigit()]


def numbers_in(text: str) -> tuple[int, ...]:
    """The numbers cited in a text, each once, in order."""
    return tuple(dict.fromkeys(int(number) for group in CITATION.findall(text) for number in group.split(",")))


def titled(passage: Passage) -> CitedText:
    """A passage with its title, and with the days that "yesterday" and the like mean in it, to look terms up in."""
    return source("\n".join((passage.title, passage.text, *days_told(passage))))


class Check:
    """One explanation against the passages that may be cited, by number: those found, and seen by who cites them.

    `questions` are the question as asked and as it reads by itself: what they name needs no passage.
    """

    def __init__(self, explanation: str, cited: Collection[int], passages: Mapping[int, CitedText], questions: str):
        self.sentences = sentences(explanation)
        inline = [number for sentence in self.sentences for number in sentence.cited]
        self.cited = tuple(dict.fromkeys((*inline, *cited)))
        self.passages = passages
        self._known = [passages[number] for number in self.cited if number in passages]
        self._question = source(questions)
        self.language: Language = language_of(readable(explanation))
        self._ordinary = frozenset().union(
            self._question.small, source(explanation).small, *(s.small for s in self._known)
        )
        self._asked = self._terms_of(readable(questions))
        self._terms = {sentence: self._terms_of(sentence.text) for sentence in self.sentences}

    def faults(self) -> Iterator[tuple[Sentence, Fault]]:
        """The sentences that cite what they may not, or say what is in none of the passages that they cite.

        One that cites nothing rests on all that is cited: so does a conclusion.
        """
        for sentence in self.sentences:
            own = sentence.cited or self.cited
            unseen = tuple(number for number in sentence.cited if number not in self.passages)
            near = [self.passages[number] for number in own if number in self.passages]
            absent = tuple(term.text for term in self._terms[sentence] if not self._rests(term, near))
            if unseen or absent:
                yield sentence, Fault(sentence.text, own, unseen, absent)

    def rests_on(self, sentence: Sentence, passages: Sequence[CitedText]) -> bool:
        """Whether all that a sentence says is in these passages or in the question, or is worked out from numbers; a
        sentence that names nothing rests on none of them more than on others.
        """
        stated = self._terms[sentence]
        return bool(stated) and all(self._rests(term, passages) for term in stated)

    def speaks_of_more(self, passage: CitedText, text: str) -> bool:
        """Whether a passage has a name of the question or the explanation that is not in `text`."""
        said = source(text)
        return any(
            passage.has(term, self.language) and not said.has(term, self.language)
            for found in (*self._terms.values(), self._asked)
            for term in found
            if term.kind == "name"
        )

    def answer_fault(self, answer: str) -> Fault | None:
        """What of the short answer is in no passage cited, and does not follow from what they and the explanation say.

        Yes and no are free, and so is an answer of ordinary words.
        """
        if is_free(answer) or any(known.has_text(answer) for known in self._known):
            return None
        absent = [term.text for term in self._answer_terms(answer) if not self._follows(term)]
        return Fault(answer, self.cited, (), tuple(absent)) if absent else None

    def wanted_of(self, number: int, answer: str) -> tuple[list[Term], str]:
        """What the sentences that cite this passage, or all where none cites one, state with the answer; and their
        words.
        """
        inline = any(sentence.cited for sentence in self.sentences)
        citing = [one for one in self.sentences if number in one.cited or not inline]
        stated = [term for sentence in citing for term in self._terms[sentence]]
        text = " ".join(sentence.text for sentence in citing)
        return list(dict.fromkeys([*stated, *self._answer_terms(answer)])), f"{text} {answer}"

    def holding(self, answer: str) -> tuple[int, ...]:
        """The numbers cited whose passages have something of the answer."""
        wanted = self._answer_terms(answer)
        return tuple(
            number
            for number in self.cited
            if (passage := self.passages.get(number))
            and (passage.has_text(answer) or any(passage.has(term, self.language) for term in wanted))
        )

    def _terms_of(self, text: str) -> list[Term]:
        return terms(text, self._ordinary, self.language)

    def _answer_terms(self, answer: str) -> list[Term]:
        text = readable(answer)
        # Behind a lower-case word no capital is that of a sentence's beginning.
        found = terms(f"it {text}", frozenset(), "other" if self.language == "other" else "english")
        if not found and text and not scripts(text) & _CASED:
            return [Term("name", text, (fold(text),))]
        return found

    def _rests(self, term: Term, near: Sequence[CitedText]) -> bool:
        language = self.language
        if self._question.has(term, language) or any(passage.has(term, language) for passage in near):
            return True
        if term.kind == "country":
            # A nationality is often not said at all; against another one it is a contradiction.
            return not any(passage.countries for passage in near)
        if term.kind == "name":
            return self._named_elsewhere(term, near) or self._beyond_comparison(term)
        return self._worked_out(term)

    def _follows(self, term: Term) -> bool:
        if any(passage.has(term, self.language) for passage in self._known):
            return True
        return self._beyond_comparison(term) if term.kind == "name" else self._worked_out(term)

    def _named_elsewhere(self, term: Term, near: Sequence[CitedText]) -> bool:
        """Whether a passage cited has a part of a name that another one, or the question, has in full."""
        full = [*self._known, self._question]
        return any(passage.has_part(term) for passage in near) and any(known.has(term, self.language) for known in full)

    def _beyond_comparison(self, term: Term) -> bool:
        """Whether a name is in a script that no passage has, or, in German, need not be one: one new word of several
        is a noun.
        """
        if self._known and not scripts("".join(term.words)) & frozenset().union(*(s.scripts for s in self._known)):
            return bool(scripts("".join(term.words)))
        if self.language != "german" or len(term.words) < 2:
            return False
        known = [*self._known, self._question]
        new = [word for word in term.words if not any(word in passage.tokens for passage in known)]
        return len(new) < 2

    def _worked_out(self, term: Term) -> bool:
        """Whether a number is the difference or sum of two that the explanation states, the sum of a column of the rows
        that it quotes, an age or time between two of its dates, or a count of what it names or cites.
        """
        return term.kind == "number" and bool({round(one, _PLACES) for one in term.values} & self._results)

    @cached_property
    def _results(self) -> frozenset[float]:
        stated = {one for found in self._terms.values() for one in found if one.kind == "number" and self._given(one)}
        given = frozenset(value for one in stated for value in one.values)
        values = sorted(given | set(self._years()))[:_OPERANDS]
        results = {float(len(self.cited))} | {float(len(names)) for names in self._lists()}
        for one, other in combinations(values, 2):
            results |= {other - one, other + one, *((other - one - 1,) if one > _LAST_DAY else ())}
        results |= self._sums(given)
        return frozenset(round(one, _PLACES) for one in results | set(self._between()))

    def _sums(self, given: Collection[float]) -> set[float]:
        """The sums of each sentence's numbers, and of what stands in the same place of the rows that are quoted, or of
        all passages that are cited and a row each, from their beginnings and their ends; the means of these to two
        decimals, and how two of them differ.
        """
        found = [(one, _figures(one.text)) for one in self.sentences]
        rows = [(one, [value for value in figures if value in given]) for one, figures in found if figures]
        sums = {sum(row) for _, row in rows if len(row) > 1}
        quoted = [row for one, row in rows if one.cited]
        if len(quoted) < 2:
            return sums
        tables = [quoted]
        if len(self.cited) > len(quoted) and all(map(_is_row, self._known)):  # of many rows only the first are quoted
            tables.append([_figures(one.text) for one in self._known])
        for table in tables:
            places = range(min(_OPERANDS, *map(len, table)))
            columns = {sum(row[at] for row in table) for place in places for at in (place, -1 - place)}
            means = {round(one / len(table), 2) for one in columns}
            sums |= columns | means | {abs(one - other) for one, other in combinations(columns, 2)}
        return sums

    def _given(self, term: Term) -> bool:
        return any(known.has(term) for known in (*self._known, self._question))

    def _dates(self) -> Iterator[tuple[int, int, int]]:
        found = (one for sentence in self.sentences for one in find_dates(sentence.text) if one.whole and one.year > 0)
        for one in found:
            when = (one.year, one.month, one.day)
            if self._given(Term("date", one.text, date=when)):
                yield when

    def _years(self) -> Iterator[float]:
        return (float(year) for year, _, _ in self._dates())

    def _between(self) -> Iterator[float]:
        """Years, months and days between each two full dates, and all the days."""
        full = []
        for year, month, day in dict.fromkeys(self._dates()):
            try:
                full.append(date(year, month, day))
            except ValueError:
                continue
        for first, second in combinations(sorted(full)[:_OPERANDS], 2):
            months = (second.year - first.year) * 12 + second.month - first.month - (second.day < first.day)
            days = (second - first).days
            yield from (float(months // 12), float(months % 12), float(months), float(days))
            yield float((second.day - first.day) % 30)

    def _lists(self) -> Iterator[set[tuple[str, ...]]]:
        """The names of each sentence, those of the whole, and those that the question does not have."""
        named = [{one.words for one in found if one.kind == "name"} for found in self._terms.values()]
        every = set().union(*named)
        yield from (*named, every)
        yield {words for words in every if not self._question.has(Term("name", "", words))}


def best_sentence(check: Check, number: int, answer: str, text: str) -> str:
    """The sentence of a passage's `text` with most of the names, dates and numbers that it is cited for, then with most
    of their words; the earlier of two alike, "" where no sentence has any.
    """
    wanted, words = check.wanted_of(number, answer)
    stems = set(content_stems(words))
    best, most = "", (0, 0)
    for start, end in sentence_spans(text):
        sentence = text[start:end].strip()
        here = source(sentence)
        score = (
            sum(here.has(term, check.language) for term in wanted) + here.has_text(answer),
            len(stems & set(content_stems(sentence))),
        )
        if score > most and score[0]:
            best, most = sentence, score
    return best
