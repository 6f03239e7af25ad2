"""How good a run is: what its passages hold of the gold ones, how right its answers are, and what they cost.

Definitions: recall and SQuAD's EM and F1 as everywhere; full chain and joint success as in CatRAG (section 4.1); strict
hit rate, support precision and F1 as in TGS-RAG (section 4.1.4), where the knowledge base is given; without it the
graph's part of the documents retrieved is narrower. Means come with 95 % bootstrap intervals over the questions.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assistant.evaluation.calibration import Calibration, Told, calibration
from assistant.evaluation.provenance import Provenance, stated_documents, support
from assistant.evaluation.run_lines import RunLine, read_run
from assistant.evaluation.significance import bootstrap_intervals
from assistant.shared.question_files import Question, read_questions
from kb.errors import UsageError

if TYPE_CHECKING:
    from assistant.evaluation.hub_bias import HubSigns
    from kb.store.knowledge_base import KnowledgeBase

PASSAGE_MEASURES = ("recall", "chain", "strict", "support_precision", "support_f1", "joint")
"""The measures of what the first k passages hold."""

CUTOFFS = (2, 5, 10)
DEFAULT_K = 5

Verdict = Literal["right", "inexact", "wrong", "refused", "failed", "unjudged"]
"""Of an answer: exact match; a gold answer contains it, or is contained in it; neither; none was given; the question
failed; there is no gold answer to compare it with."""

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its line and its measures, each 0..1 (`hub_strength`: 0 or more).

    A measure is there only where the question has the gold for it: `recall@k`, `chain@k`, `strict@k`,
    `support_precision@k` and `support_f1@k` need `supporting`, `em` and `f1` need `answers`, `precision` an answer as
    well, `joint@k` both kinds of gold.
    """

    question: Question
    line: RunLine
    values: Mapping[str, float]

    @property
    def verdict(self) -> Verdict:
        """What became of the answer."""
        if self.line.error:
            return "failed"
        if not self.line.found:
            return "refused"
        if not self.question.answers:
            return "unjudged"
        if self.values["em"]:
            return "right"
        return "inexact" if _overlaps(self.line.answer, self.question.answers) else "wrong"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `questions` questions and its 95 % interval, in per cent (`hub_strength`: as it is).

    The interval is None where the questions all have the same value: see `bootstrap_intervals`.
    """

    mean: float
    questions: int
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Abstention:
    """Counts of questions: what was answered and what refused, and how rightly.

    `right` is exact match; `wrong` everything else that has a gold answer to compare it with, `inexact` the part of
    it that contains a gold answer or is contained in one. `refused_with_evidence` are those refused although all gold
    passages were among the first k. A refusal is right where the question file leaves `answers` empty because there is
    no answer (`refused_without_gold`).
    """

    answered: int
    right: int
    inexact: int
    wrong: int
    answered_without_gold: int
    refused: int
    refused_with_gold: int
    refused_with_evidence: int
    refused_without_gold: int
    failed: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens over all questions, and seconds of a question at the 50th and 95th percentile, None where not known."""

    input_tokens: int
    output_tokens: int
    tokens_per_question: float
    p50: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class Score:
    """A group of questions. A measure is missing where no question of the group has the gold for it, the calibration
    where no line tells a confidence.
    """

    group: str
    questions: int
    with_supporting: int
    with_answers: int
    k: int
    cutoffs: tuple[int, ...]
    measures: Mapping[str, Estimate]
    abstention: Abstention
    cost: Cost
    calibration: Calibration | None = None

    def value(self, measure: str) -> float | None:
        """The mean of a measure, None where it is missing."""
        return self.measures[measure].mean if measure in self.measures else None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types, one key a figure; `intervals` has the bounds by measure, or null."""
        names = [*at_cutoffs(self.cutoffs), "em", "f1", "precision"]
        names += [name for name in self.measures if name.startswith("hub_")]
        cost, abstention = self.cost, self.abstention
        return {
            "group": self.group,
            "questions": self.questions,
            "with_supporting": self.with_supporting,
            "with_answers": self.with_answers,
            **{name: self.value(name) for name in names},
            "found": self.value("found"),
            "errors": abstention.failed,
            "k": self.k,
            "abstention": {name: getattr(abstention, name) for name in Abstention.__slots__},
            "certainty": self.calibration.to_json() if self.calibration else None,
            "tokens": {
                "input": cost.input_tokens,
                "output": cost.output_tokens,
                "per_question": cost.tokens_per_question,
            },
            "seconds": {"p50": cost.p50, "p95": cost.p95},
            "intervals": {name: estimate.interval for name, estimate in self.measures.items()},
        }


def evaluate(out: Path, questions: Path, k: int = DEFAULT_K, kb: KnowledgeBase | None = None) -> list[Score]:
    """Scores of the run in `out` against the gold in `questions`: over all that both hold first, then by group.

    Groups are the questions' types, or, where no question has one, the numbers of their gold passages if they differ.
    `kb`, the knowledge base of the run, adds the signs of hub bias, and to the documents retrieved those that name what
    the chains' facts join. Raises UsageError as `judge` does.
    """
    return scores(judge(out, questions, k, kb), k)


def judge(out: Path, questions: Path, k: int = DEFAULT_K, kb: KnowledgeBase | None = None) -> list[Judged]:
    """Every question that the run in `out` has a line for, in the order of `questions`, with its measures.

    Raises UsageError where a file cannot be read, no question of one is in the other, an id stands for another question
    in the other, or `kb` lacks passages that the run found.
    """
    lines = read_run(out)
    pairs = [(question, lines[question.id]) for question in read_questions(questions) if question.id in lines]
    if not pairs:
        raise UsageError(f"{str(out)!r} answers none of the questions in {str(questions)!r}; were they its questions?")
    _refuse_other_questions(out, pairs)
    hubs = _hubs(out, [line for _, line in pairs], kb) if kb else None
    sources = Provenance(kb) if kb else None
    with_gold = any(question.supporting for question, _ in pairs)
    judged = []
    for question, line in pairs:
        values = _values(question, line, k, sources)
        # Beside the gold passages' signs only those of the same questions tell something.
        if hubs and (question.supporting or not with_gold):
            values |= _hub_values(hubs, question, line, k)
        judged.append(Judged(question, line, values))
    return judged


def scores(judged: Sequence[Judged], k: int = DEFAULT_K) -> list[Score]:
    """Scores over all of `judged` first, then by group; `judged` is not empty."""
    groups: dict[str, list[Judged]] = {"all": list(judged)}
    names = [one.question.type for one in judged]
    if not any(names):
        names = [_by_gold(one.question) for one in judged]
        # A single number of gold passages would repeat what is said of all.
        names = names if len({*names} - {""}) > 1 else []
    for name in sorted({*names} - {""}):
        groups[name] = [one for one, of in zip(judged, names, strict=True) if of == name]
    with_answers = any(one.question.answers for one in judged)
    return [_score(name, group, k, with_answers) for name, group in groups.items()]


def at_cutoffs(cutoffs: Iterable[int]) -> list[str]:
    """The names of the measures that look at the first k passages, for each of the cutoffs."""
    return [f"{name}@{k}" for name in PASSAGE_MEASURES for k in cutoffs]


def all_cutoffs(k: int) -> tuple[int, ...]:
    """The cutoffs that every run is measured at, and k."""
    return tuple(sorted({*CUTOFFS, k}))


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
    """SQuAD's form of an answer: lower case, no ASCII punctuation, no articles, single spaces; what a file has garbled
    is taken as it was meant.
    """
    return " ".join(_ARTICLES.sub(" ", as_meant(text).lower().translate(_PUNCTUATION)).split())


def as_meant(text: str) -> str:
    """A text whose UTF-8 has been read as GBK, as before that; any other as it is. One in eight answers of
    2WikiMultihopQA has gone through this.

    >>> as_meant("Falc贸n"), as_meant("Falcón"), as_meant("中文")
    ('Falcón', 'Falcón', '中文')
    """
    try:
        return text if text.isascii() else text.encode("gbk").decode()
    except UnicodeError:
        return text


def contains_answer(text: str, gold: Iterable[str]) -> bool:
    """Whether a gold answer stands in `text` as whole words, both normalised."""
    words = f" {normalise(text)} "
    return any(f" {wanted} " in words for one in gold if (wanted := normalise(one)))


def _f1(words: list[str], gold: list[str]) -> float:
    if not words or not gold:
        return float(words == gold)
    common = (Counter(words) & Counter(gold)).total()
    return 2 * common / (len(words) + len(gold))


def _overlaps(answer: str, gold: Iterable[str]) -> bool:
    """Whether the answer contains a gold one as whole words, or is contained in it."""
    wanted = list(gold)
    return contains_answer(answer, wanted) or any(contains_answer(one, [answer]) for one in wanted)


def _values(question: Question, line: RunLine, k: int, sources: Provenance | None = None) -> dict[str, float]:
    values = {"found": float(line.found)}
    if question.answers:
        values["em"] = exact_match(line.answer, question.answers)
        values["f1"] = best_f1(line.answer, question.answers)
        if line.found:
            values["precision"] = values["em"]
    if question.supporting:
        stated = stated_documents(line, sources)
        for cutoff in all_cutoffs(k):
            recall = values[f"recall@{cutoff}"] = recall_at(line.documents, question.supporting, cutoff)
            values[f"chain@{cutoff}"] = float(recall == 1)
            retrieved = {*line.documents[:cutoff], *stated}
            values[f"strict@{cutoff}"] = float(retrieved >= set(question.supporting))
            precision, f1 = support(retrieved, question.supporting)
            values[f"support_precision@{cutoff}"], values[f"support_f1@{cutoff}"] = precision, f1
            if question.answers:
                holds = bool(line.answer) and contains_answer(line.answer, question.answers)
                values[f"joint@{cutoff}"] = float(recall == 1 and holds)
    return values


def _hubs(out: Path, lines: Sequence[RunLine], kb: KnowledgeBase) -> HubSigns:
    from assistant.evaluation.hub_bias import HubSigns

    signs, ids = HubSigns(kb), {passage.id for line in lines for passage in line.passages}
    if unknown := signs.unknown(ids):
        raise UsageError(
            f"{str(kb.path)!r} lacks {unknown} of the {len(ids)} passages that {str(out)!r} found; "
            "give the knowledge base that the run was made with"
        )
    return signs


def _hub_values(hubs: HubSigns, question: Question, line: RunLine, k: int) -> dict[str, float]:
    found = hubs.of_passages([passage.id for passage in line.passages[:k]])
    gold = hubs.of_documents(question.supporting)
    values = {}
    for place, signs in ((f"@{k}", found), ("@gold", gold)):
        if signs:
            values[f"hub_strength{place}"], values[f"hub_share{place}"] = signs
    return values


def _by_gold(question: Question) -> str:
    count = len(set(question.supporting))
    return f"{count} gold passage{'s' * (count > 1)}" if count else ""


def _score(name: str, group: Sequence[Judged], k: int, with_answers: bool) -> Score:
    return Score(
        group=name,
        questions=len(group),
        with_supporting=sum(bool(one.question.supporting) for one in group),
        with_answers=sum(bool(one.question.answers) for one in group),
        k=k,
        cutoffs=all_cutoffs(k),
        measures=_estimates(group),
        abstention=_abstention(group, k),
        cost=_cost([one.line for one in group]),
        calibration=calibration([one for judged in group for one in _told(judged)]) if with_answers else None,
    )


def _told(one: Judged) -> Iterator[Told]:
    """What the line says of how sure it is, if it does. Where others have gold answers, a question without one has no
    answer: any that is given is wrong.
    """
    line, verdict = one.line, one.verdict
    if line.confidence is not None and verdict != "failed":
        contains = verdict in ("right", "inexact")
        yield Told(line.certainty, line.confidence, line.found, verdict == "right", contains)


def _estimates(group: Sequence[Judged]) -> dict[str, Estimate]:
    """The measures in a fixed order; those that the same questions have are resampled together."""
    alike: dict[tuple[int, ...], list[str]] = {}
    names = dict.fromkeys(name for one in group for name in one.values)
    for name in names:
        alike.setdefault(tuple(at for at, one in enumerate(group) if name in one.values), []).append(name)
    estimates = {}
    for places, together in alike.items():
        rows = [[group[at].values[name] * _scale(name) for name in together] for at in places]
        for name, column, interval in zip(together, zip(*rows, strict=True), bootstrap_intervals(rows), strict=True):
            bounds = (round(interval[0], 2), round(interval[1], 2)) if interval else None
            estimates[name] = Estimate(round(sum(column) / len(column), 2), len(column), bounds)
    return {name: estimates[name] for name in names}


def _scale(measure: str) -> float:
    return 1.0 if measure.startswith("hub_strength") else 100.0


def _abstention(group: Sequence[Judged], k: int) -> Abstention:
    verdicts = Counter(one.verdict for one in group)
    refused = [one for one in group if one.verdict == "refused"]
    with_gold = [one for one in refused if one.question.answers]
    return Abstention(
        answered=sum(verdicts[one] for one in ("right", "inexact", "wrong", "unjudged")),
        right=verdicts["right"],
        inexact=verdicts["inexact"],
        wrong=verdicts["wrong"] + verdicts["inexact"],
        answered_without_gold=verdicts["unjudged"],
        refused=len(refused),
        refused_with_gold=len(with_gold),
        refused_with_evidence=sum(one.values.get(f"chain@{k}") == 1 for one in with_gold),
        refused_without_gold=len(refused) - len(with_gold),
        failed=verdicts["failed"],
    )


def _cost(lines: Sequence[RunLine]) -> Cost:
    import numpy as np

    read, written = sum(line.input_tokens for line in lines), sum(line.output_tokens for line in lines)
    seconds = [line.seconds for line in lines if line.seconds is not None and not line.error]
    p50, p95 = (round(float(one), 4) for one in np.percentile(seconds, [50, 95])) if seconds else (None, None)
    return Cost(read, written, round((read + written) / len(lines), 1), p50, p95)


def _refuse_other_questions(out: Path, pairs: Iterable[tuple[Question, RunLine]]) -> None:
    for question, line in pairs:
        if line.question != question.text:
            raise UsageError(
                f"{str(out)!r} answers {line.question!r:.80} under the id {question.id!r}, where the questions "
                f"have {question.text!r:.80}; run them again"
            )
