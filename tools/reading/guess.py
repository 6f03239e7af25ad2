"""Answers by reading: the likeliest spans for a hop of a plan and for the question as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.text import fold, name_score
from tools.answer_rules.walk import target_of
from tools.planning.plan import Constraint, Plan, is_name
from tools.reading.abbreviated import Read, reading_in_full
from tools.reading.asking import hop_question
from tools.reading.parts import within_line
from tools.reading.spans import Reading, Span

SentencePlace = tuple[Doc, int]
"""A sentence: the passage, and which of its sentences."""

# Passages read for one hop and for the whole question; more cost time, and give more wrong answers than right ones.
OF_HOP = 2
OF_QUESTION = 6
# Passages that the second reader reads: the best of the ranking, and besides those in which the first found most.
OF_SECOND = 3
OF_SECOND_BESIDES = 2
# Sentences read by themselves, with those around them and the headings above: a short text distracts less.
OF_SENTENCES = 12
_AROUND = 1
# Sentences that the second reader reads by themselves: the likeliest answers' and those closest to the question.
OF_NARROW = 4
# Likelihood of what was read before from which it is worth while.
_NARROW_FROM = 0.1
# Subjects of one hop that are read about, and values offered for each.
_SUBJECTS = 3
_OFFERED = 4
# The most that a reading counts, below what any rule's find does.
MOST = 0.59
# Characters of a question that are read.
_READ = 1_000
# A letter that is but a piece of what stands there: "shaver's", "a piano", "w/ wrist"; "-f" and "press q" are none.
_PIECE = re.compile(r"(?<=['’])[a-z]\b|\ba(?= \w)|\b[a-z]/(?= ?\w)")
# What a comparison ends in.
_COMPARED = {"more": "number", "less": "number", "earlier": "date", "later": "date"}
_SPANLESS = frozenset(("option", "yesno"))


@dataclass(frozen=True, slots=True)
class Answer:
    """A span that answers, with the reader's probabilities: that it is this one, and that the passage answers."""

    found: Found
    span: float
    answered: float

    @property
    def score(self) -> float:
        """Both together, 0..1."""
        return float((self.span * self.answered) ** 0.5)


class ReadingGuesser:
    """Reads one question's evidence, each passage once for each thing that is asked of it."""

    def __init__(
        self, evidence: Evidence, question: str, plan: Plan, read: Read, read_again: Read | None = None
    ) -> None:
        self._evidence = evidence
        self._question = question[:_READ]
        self._plan = plan
        self._read, self._read_again = read, read_again
        self._target = target_of(plan) if plan.kind in ("lookup", "count") else ""
        self._answer_type = "" if plan.answer_type in _SPANLESS else plan.answer_type
        self._asked: dict[tuple[Constraint, bool], list[str]] = {}

    def value(self, constraint: Constraint, subject: str, wants_tail: bool) -> list[Found]:
        """Spans for a constraint's unknown end, likeliest first; none for a fourth subject of the same constraint."""
        asked = self._asked.setdefault((constraint, wants_tail), [])
        if fold(subject) not in asked:
            if len(asked) >= _SUBJECTS:
                return []
            asked.append(fold(subject))
        docs = self._about(subject)
        answers = self._answers(self._words(constraint, subject, wants_tail), docs, self._read)
        return [
            Found(one.found.text, one.found.doc, one.found.start, one.found.end, MOST * one.score)
            for one in answers[:_OFFERED]
            if name_score(one.found.text, subject) < 0.7
        ]

    def whole(self, docs: Sequence[Doc] = ()) -> list[Answer]:
        """Spans that answer the question as a whole, from the best passages and from `docs`, likeliest first."""
        read = dict.fromkeys((*self._evidence.docs[:OF_QUESTION], *docs))
        return self._answers(self._question, list(read), self._read)

    def again(self, close: Sequence[Answer]) -> list[Answer]:
        """What the second reader finds in the best passages and in those that `close` answers stand in, likeliest
        first; nothing where there is none.
        """
        if self._read_again is None:
            return []
        best = self._evidence.docs[:OF_SECOND]
        besides = list(dict.fromkeys(one.found.doc for one in close if one.found.doc.rank >= OF_SECOND))
        return self._answers(self._question, [*best, *besides[:OF_SECOND_BESIDES]], self._read_again)

    def close(self) -> list[Answer]:
        """Spans in the sentences that come closest to the question, read a few at a time, likeliest first."""
        return self._of_sentences(self._closest[:OF_SENTENCES], self._read)

    def narrow(self, again: Sequence[Answer], close: Sequence[Answer]) -> list[Answer]:
        """What the second reader finds in single sentences with those around them, likeliest first: in those of what it
        found in whole passages and of `close` answers, and in those closest to the question. Where a passage answers,
        it errs less often in the sentence that does than in the whole of it. Nothing where nothing likely was found.
        """
        likeliest = max((one.score for one in (*again, *close)), default=0.0)
        if self._read_again is None or likeliest < _NARROW_FROM:
            return []
        turns = zip_longest(*([_place_of(one.found) for one in told] for told in (again, close)), self._closest)
        places = dict.fromkeys(place for turn in turns for place in turn if place)
        return self._of_sentences(list(places)[:OF_NARROW], self._read_again)

    @cached_property
    def _closest(self) -> list[SentencePlace]:
        """All sentences, those first that come closest to the question; none where nobody has compared them."""
        places = [(doc, place) for doc in self._evidence.docs for place in range(len(doc.sentences))]
        near = {(doc.rank, place): doc.nearness(doc.sentences[place][0]) for doc, place in places}
        if not any(near.values()):
            return []
        return sorted(places, key=lambda one: (-near[one[0].rank, one[1]], one[0].rank, one[1]))

    def _of_sentences(self, places: Sequence[SentencePlace], read: Read) -> list[Answer]:
        """What is read in each of some sentences, with those around it and the headings above."""
        if not places:
            return []
        texts = [(doc, *doc.around(place, _AROUND)) for doc, place in places]
        readings = read([(self._question, doc.headings_at(at), doc.text[at:end]) for doc, at, end in texts])
        return _likeliest(
            [one for (doc, at, _), told in zip(texts, readings, strict=True) for one in _told(doc, at, told)]
        )

    def _words(self, constraint: Constraint, subject: str, wants_tail: bool) -> str:
        """The hop as a question; a question of one hop as it was asked."""
        unknown = constraint.tail if wants_tail else constraint.head
        if unknown == self._target and self._is_whole(constraint):
            return self._question
        kind = constraint.tail_type if wants_tail else constraint.head_type
        if unknown == self._target:
            kind = self._answer_type
        elif not kind:
            kind = _COMPARED.get(self._plan.comparison, "")
        return hop_question(constraint, subject, wants_tail, kind)

    def _is_whole(self, constraint: Constraint) -> bool:
        """Whether a constraint is all that the plan asks: its only one, or its only two joined."""
        planned = self._plan.constraints
        return len(planned) == 1 or (len(planned) == 2 and constraint not in planned)

    def _about(self, subject: str) -> list[Doc]:
        """The passages to read about a subject: those about it, those that name it, then the best ones."""
        about = [doc for doc, _ in self._evidence.about(subject)]
        naming = [doc for doc in self._evidence.docs if doc.mentions(subject)]
        if not about and not naming and subject[:1].isupper() and is_name(subject):
            return []  # a name that no passage has: what they say is of others
        return list(dict.fromkeys((*about[:2], *naming, *about, *self._evidence.docs)))[:OF_HOP]

    def _answers(self, question: str, docs: Sequence[Doc], read: Read) -> list[Answer]:
        readings = read_whole(question, docs, read)
        return _likeliest([one for doc, told in zip(docs, readings, strict=True) for one in _told(doc, 0, told)])


def read_whole(question: str, docs: Sequence[Doc], read: Read) -> list[Reading]:
    """What passages as they are say to a question, of which a beginning is read; () gives []."""
    return read([(question[:_READ], doc.heading, doc.text) for doc in docs])


def _place_of(found: Found) -> SentencePlace:
    return found.doc, found.doc.sentence_index(found.start)


def _told(doc: Doc, at: int, reading: Reading) -> list[Answer]:
    """The spans of what was read from `at` on; those that come to the same words count together."""
    told: dict[tuple[int, int], Answer] = {}
    for span in reading.spans:
        found = _found(doc, Span(span.start + at, span.end + at, span.probability))
        key = found.start, found.end
        before = told[key].span if key in told else 0.0
        told[key] = Answer(found, min(1.0, before + span.probability), reading.answered)
    return list(told.values())


def _likeliest(answers: Sequence[Answer]) -> list[Answer]:
    """The answers that say something, the likeliest first."""
    kept = [one for one in answers if one.found.text.strip(" .,;:()\"'-") and not _is_piece(one.found)]
    return sorted(kept, key=lambda one: (-one.score, one.found.doc.rank, one.found.start))


def _is_piece(found: Found) -> bool:
    piece = _PIECE.match(found.doc.text, found.start)
    return piece is not None and piece.end() == found.end


def _found(doc: Doc, span: Span) -> Found:
    """The span as a find, without the punctuation around it; it ends where the line or the value ends that it is in."""
    start, end = within_line(doc, span.start, span.end)
    while start < end and doc.text[start] in " \n,;:-–—*_•|":
        start += 1
    while end > start and doc.text[end - 1] in " \n,;:-–—*_|":
        end -= 1
    return doc.found(start, end, span.probability)


class ReadOnce:
    """A reader that reads each passage once for each question that is asked of it."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: dict[tuple[str, str, str], Reading] = {}

    def __call__(self, pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if new:
            self._known.update(zip(new, reading_in_full(self._read, new), strict=True))
        return [self._known[pair] for pair in pairs]


class ReaderPair(NamedTuple):
    """The two readers of a question, in the order in which `answer_question` takes them."""

    read: ReadOnce
    read_again: ReadOnce
