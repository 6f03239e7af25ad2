"""Answers where no rule knows the relation: the likeliest spans by a linear model, as shares of one probability."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tools.answers.docs import Evidence, Found
from tools.answers.rank import (
    HOP_WEIGHTS,
    QUESTION_WEIGHTS,
    Query,
    Sentence,
    focus_of,
    make_query,
    pointed_at,
    rank_spans,
    top_sentences,
)
from tools.answers.spans import Candidate, in_full
from tools.answers.text import content_stems, name_score
from tools.answers.walk import target_of
from tools.plan import Constraint, Plan, is_variable

if TYPE_CHECKING:
    import numpy as np

Embed = Callable[[Sequence[str]], "np.ndarray"]

# Values offered for one hop, and for a whole question.
_OFFERED = 8
# Characters of a question that are read.
_READ = 1_000
# The most that a guess counts, below what any rule's find does.
_MOST = 0.59
# What a comparison ends in.
_COMPARED = {"more": "number", "less": "number", "earlier": "date", "later": "date"}
# Choices and yes or no are no type of span.
_SPANLESS = frozenset(("option", "yesno"))


class Guesser:
    """Guesses values for one question over its evidence."""

    def __init__(self, evidence: Evidence, question: str, plan: Plan, embed: Embed | None) -> None:
        self._evidence = evidence
        self._question = question[:_READ]
        self._plan = plan
        self._embed = embed
        self._target = target_of(plan) if plan.kind in ("lookup", "count") else ""
        self._answer_type = "text" if plan.answer_type in _SPANLESS else plan.answer_type

    def value(self, constraint: Constraint, subject: str, wants_tail: bool) -> list[Found]:
        """Spans for a constraint's unknown end, likeliest first.

        What answers the question has to stand in a sentence with a word of the relation; a step on the way need not.
        """
        unknown, kind = (
            (constraint.tail, constraint.tail_type) if wants_tail else (constraint.head, constraint.head_type)
        )
        if unknown == self._target:
            kind = self._answer_type
        elif not kind and not self._leads_on(unknown):
            kind = _COMPARED.get(self._plan.comparison, "")
        named = unknown[1:].rstrip("0123456789").replace("_", " ") if is_variable(unknown) else ""
        text = " ".join((constraint.relation, *constraint.variants, named))
        focus = tuple(content_stems(named))
        query = make_query(
            self._evidence,
            text,
            answer_type=kind or "text",
            focus=focus,
            known=f"{self._question} {subject}",
            subject=subject,
            pointed=frozenset(content_stems(constraint.relation)),
        )
        return self._likeliest(query, HOP_WEIGHTS, needed=unknown == self._target or not self._leads_on(unknown))

    def _leads_on(self, unknown: str) -> bool:
        """Whether the plan goes on from an unknown to another."""
        return any(item.head == unknown for item in self._plan.constraints)

    def answers(self, between: Sequence[str] = ()) -> list[Found]:
        """Spans that answer the question as a whole, likeliest first; `between` are names that it leads through."""
        focus = focus_of(self._question)
        query = make_query(
            self._evidence,
            self._question,
            answer_type=self._answer_type,
            focus=focus,
            known=" ".join((self._question, *between)),
            pointed=pointed_at(self._question, focus),
        )
        return self._likeliest(query, QUESTION_WEIGHTS)

    def _likeliest(self, query: Query, weights: Mapping[str, float], needed: bool = True) -> list[Found]:
        """The spans with the most of the probability; `needed` is whether their sentence has to say a word of it."""
        sentences = top_sentences(self._evidence, query)
        if needed or not query.subject:
            sentences = [one for one in sentences if one.share > 0]
        closeness = self._cosines(query, sentences)
        ranked = rank_spans(self._evidence, query, sentences, weights, closeness)
        if not ranked:
            return []
        top = max(weights["none"], ranked[0][0])
        total = math.exp(weights["none"] - top) + sum(math.exp(score - top) for score, _ in ranked)
        return [
            replace(candidate.doc.found(*in_full(candidate), _MOST * math.exp(score - top) / total))
            for score, candidate in ranked[:_OFFERED]
            if not query.subject or not _is_subject(candidate, query.subject)
        ]

    def _cosines(self, query: Query, sentences: Sequence[Sentence]) -> list[float]:
        """How close each sentence is in meaning to the query; zeros where there is no embedding."""
        if self._embed is None or not sentences:
            return [0.0] * len(sentences)
        texts = [one.doc.sentence_at(one.doc.sentences[one.index][0]) for one in sentences]
        vectors = self._embed([query.text or self._question, *texts])
        return [float(value) for value in vectors[1:] @ vectors[0]]


def _is_subject(candidate: Candidate, subject: str) -> bool:
    """Whether a span only names the subject over again."""
    doc, text = candidate.doc, candidate.text
    return name_score(text, subject) >= 0.7 or (doc.about(subject) >= 0.6 and doc.about(text) >= 0.85)
