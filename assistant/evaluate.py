"""How good the answers of a run are: recall and full chains of the passages, exact match and F1 of the answers."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.questions import Question, read_jsonl, read_questions, read_text
from kb.errors import UsageError

CUTOFFS = (2, 5, 10)

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class Score:
    """Means in per cent over a group of questions; None where no question of the group has the gold for it.

    `recall[k]` is the share of the supporting documents among those of the first k passages, `chain[k]` the share of
    questions for which all of them are there, `found` the share answered at all.
    """

    group: str
    questions: int
    with_supporting: int
    with_answers: int
    recall: Mapping[int, float | None]
    chain: Mapping[int, float | None]
    exact: float | None
    f1: float | None
    found: float
    errors: int

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types, one key a figure."""
        return {
            "group": self.group,
            "questions": self.questions,
            "with_supporting": self.with_supporting,
            "with_answers": self.with_answers,
            **{f"recall@{k}": value for k, value in self.recall.items()},
            **{f"chain@{k}": value for k, value in self.chain.items()},
            "em": self.exact,
            "f1": self.f1,
            "found": self.found,
            "errors": self.errors,
        }


def evaluate(out: Path, questions: Path) -> list[Score]:
    """Scores of the run in `out` against the gold in `questions`: over all that both hold first, then by type.

    Raises UsageError where a file cannot be read, or no question of one is in the other.
    """
    lines = _read_lines(out)
    gold = read_questions(questions)
    pairs = [(question, lines[question.id]) for question in gold if question.id in lines]
    if not pairs:
        raise UsageError(f"{str(out)!r} answers none of the questions in {str(questions)!r}; were they its questions?")
    _refuse_other_questions(out, pairs)
    types = sorted({question.type for question, _ in pairs if question.type})
    groups = [("all", pairs)] + [(name, [pair for pair in pairs if pair[0].type == name]) for name in types]
    return [_score(name, group) for name, group in groups]


def recall_at(ranked: Sequence[str], supporting: Sequence[str], k: int) -> float:
    """The share of the distinct `supporting` ids among the first k of `ranked`, 0..1; `supporting` is not empty."""
    wanted = set(supporting)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def exact_match(answer: str, gold: Iterable[str]) -> float:
    """1 where the normalised answer equals one of the gold ones, else 0."""
    return float(any(normalise(answer) == normalise(one) for one in gold))


def best_f1(answer: str, gold: Iterable[str]) -> float:
    """The best F1 over the words of the normalised answer and of each gold one, 0..1 (Rajpurkar et al. 2016, 4.2)."""
    return max((_f1(normalise(answer).split(), normalise(one).split()) for one in gold), default=0.0)


def normalise(text: str) -> str:
    """SQuAD's form of an answer: lower case, no ASCII punctuation, no articles, single spaces."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def _f1(words: list[str], gold: list[str]) -> float:
    if not words or not gold:
        return float(words == gold)
    common = (Counter(words) & Counter(gold)).total()
    return 2 * common / (len(words) + len(gold))


def _score(name: str, pairs: Sequence[tuple[Question, dict[str, Any]]]) -> Score:
    ranked = [(question, _documents(line)) for question, line in pairs if question.supporting]
    answered = [(question, str(line.get("answer") or "")) for question, line in pairs if question.answers]
    recalls = {k: [recall_at(documents, question.supporting, k) for question, documents in ranked] for k in CUTOFFS}
    return Score(
        group=name,
        questions=len(pairs),
        with_supporting=len(ranked),
        with_answers=len(answered),
        recall={k: _mean(values) for k, values in recalls.items()},
        chain={k: _mean(float(value == 1) for value in values) for k, values in recalls.items()},
        exact=_mean(exact_match(answer, question.answers) for question, answer in answered),
        f1=_mean(best_f1(answer, question.answers) for question, answer in answered),
        found=_mean(float(bool(line.get("found"))) for _, line in pairs) or 0.0,
        errors=sum(bool(line.get("error")) for _, line in pairs),
    )


def _documents(line: dict[str, Any]) -> list[str]:
    passages = line.get("passages")
    return [str(passage.get("document")) for passage in passages] if isinstance(passages, list) else []


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return round(100 * sum(listed) / len(listed), 2) if listed else None


def _read_lines(out: Path) -> dict[str, dict[str, Any]]:
    lines: dict[str, dict[str, Any]] = {}
    for number, record in read_jsonl(out, read_text(out)):
        if not isinstance(record.get("id"), str) or "passages" not in record:
            raise UsageError(f"{out}, line {number}: no line that `clew run` writes ('id' and 'passages' are needed)")
        lines[record["id"]] = record
    return lines


def _refuse_other_questions(out: Path, pairs: Iterable[tuple[Question, dict[str, Any]]]) -> None:
    for question, line in pairs:
        if line.get("question") != question.text:
            raise UsageError(
                f"{str(out)!r} answers {line.get('question')!r:.80} under the id {question.id!r}, where the questions "
                f"have {question.text!r:.80}; run them again"
            )
