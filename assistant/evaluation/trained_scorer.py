"""Training the triple scorer on a user's own questions, and holding it against the one that ships (ReG, section 4.1).

Each question is ranked by a scorer that has not seen it: of five, each trained without a fifth of the questions. What
is kept in the end is trained on all.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assistant.evaluation.significance import bootstrap_intervals
from assistant.models.judging.opened import JudgeMaker
from assistant.shared.question_files import Question
from kb.errors import UsageError
from kb.name_keys import name_key
from kb.store.embeddings import DEFAULT_MODEL
from kb.store.knowledge_base import KnowledgeBase
from tools.scorer_training.evidence_labels import KnownAnswer, Labeller
from tools.scorer_training.examples import Example, average_precision, documents_found, example_of, recall
from tools.triple_scoring.triple_model import TripleModel, load_model

if TYPE_CHECKING:
    from tools.scorer_training.fitting import Network

FOLDS = 5
FEWEST = 10
"""Questions to learn from: of fewer, what is kept aside are one or two."""
DOCUMENTS = 5
"""Documents of the best facts that are looked at."""

Floats = NDArray[np.float64]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Ranking:
    """How a scorer ranks evidence, means over questions in per cent: average precision of its facts, the shares of them
    among the best 10 and 30, and of its documents among the first 5; that is None where no question tells them.
    """

    precision: float
    best_10: float
    best_30: float
    documents: float | None


@dataclass(frozen=True, slots=True)
class Training:
    """A scorer trained on `learned` of `questions`, how it ranks what it has not seen, and how the shipped one does.

    `unanswered` questions have neither answers nor supporting documents, `elsewhere` rest on documents that the file
    does not have, `unjudged` ones tell only their answers, to which no model has judged the paths, and of the evidence
    of `far` ones no fact was found near the question. `interval` is that of the gain
    in precision, 95 %, None where it is the same for all. `notes` say where a model did not judge.
    """

    model: TripleModel
    questions: int
    learned: int
    unanswered: int
    elsewhere: int
    unjudged: int
    far: int
    shipped: Ranking
    trained: Ranking
    interval: tuple[float, float] | None
    notes: tuple[str, ...] = ()

    @property
    def gain(self) -> float:
        """In average precision, points."""
        return self.trained.precision - self.shipped.precision

    @property
    def better(self) -> bool:
        """Whether it ranks facts better, beyond chance, and finds no fewer documents."""
        finds = (self.trained.documents or 0.0) >= (self.shipped.documents or 0.0)
        least = self.gain if self.interval is None else self.interval[0]
        return least > 0 and finds

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types, without the weights."""
        counts = {
            name: getattr(self, name) for name in ("questions", "learned", "unanswered", "elsewhere", "unjudged", "far")
        }
        return {
            **counts,
            "shipped": asdict(self.shipped),
            "trained": asdict(self.trained),
            "gain": self.gain,
            "interval": self.interval,
            "better": self.better,
            "notes": list(self.notes),
        }


@dataclass(slots=True)
class _Learned:
    """What the questions have come to; `groups` tells which of them must not be parted: those with the same answer."""

    examples: list[Example]
    groups: list[int]
    unanswered: int = 0
    elsewhere: int = 0
    unjudged: int = 0
    far: int = 0
    notes: tuple[str, ...] = ()


def train(kb: KnowledgeBase, questions: Sequence[Question], judges: JudgeMaker, progress: Progress) -> Training:
    """Train a scorer for a file on questions whose answers, or supporting documents, are known.

    Where only answers are, the model of `judges` refines the paths that may be evidence; without one such questions
    are left out. The file is only read. Raises UsageError for questions of which fewer than FEWEST can be learned from,
    in fewer than FOLDS groups of the same answers, and where torch is not installed.
    """
    if importlib.util.find_spec("torch") is None:
        raise UsageError("training needs more than is installed: pip install 'clew[models]'")
    learned = _learned(kb, questions, judges, progress)
    if len(learned.examples) < FEWEST or len(set(learned.groups)) < FOLDS:
        raise UsageError(_too_few(len(questions), learned))
    shipped = load_model()
    sighted = kb.embedding_model == DEFAULT_MODEL
    with _fitting(sighted, (FOLDS + 1), progress) as fit:
        unseen = _held_out(learned, fit)
        model = fit(learned.examples)
    if not sighted:  # the vectors' part has not been trained, nor is it looked at in this file
        model = replace(model, **{name: getattr(shipped, name) for name in ("question", "head", "relation", "tail")})
    before = [_scores(shipped, one, sighted) for one in learned.examples]
    after = [_scores(unseen[at], one, sighted) for at, one in enumerate(learned.examples)]
    gains = np.subtract(_precisions(learned.examples, after), _precisions(learned.examples, before))
    (interval,) = bootstrap_intervals(100 * gains[:, None])
    return Training(
        model, len(questions), len(learned.examples), learned.unanswered, learned.elsewhere,
        learned.unjudged, learned.far,
        _ranking(learned.examples, before), _ranking(learned.examples, after), interval, learned.notes,
    )  # fmt: skip


# -- what is learned from ---------------------------------------------------------------------------------------------


def _learned(kb: KnowledgeBase, questions: Sequence[Question], judges: JudgeMaker, progress: Progress) -> _Learned:
    labeller, learned, notes = Labeller(kb), _Learned([], []), dict[str, int]()
    documents = frozenset(key for key, _ in labeller.documents.values())
    groups: dict[object, int] = {}
    for done, question in enumerate(questions):
        progress("questions", done, len(questions))
        known = KnownAnswer(question.text, question.answers, documents.intersection(question.supporting))
        if not question.answers and not question.supporting:
            learned.unanswered += 1
        elif question.supporting and not known.supporting:
            learned.elsewhere += 1
        elif (judged := _judged(labeller, known, judges, notes)) is None:
            learned.unjudged += 1
        elif (example := judged[0]) is None or not example.evidence.any():
            learned.far += 1
        else:
            same = (frozenset(map(name_key, question.answers)), known.supporting)
            learned.examples.append(example)
            learned.groups.append(groups.setdefault(same, len(groups)))
    progress("questions", len(questions), len(questions))
    learned.notes = tuple(f"{told} ({count} of {len(questions)} questions)" for told, count in notes.items())
    return learned


def _judged(
    labeller: Labeller, known: KnownAnswer, judges: JudgeMaker, notes: dict[str, int]
) -> tuple[Example | None] | None:
    """The example that a question makes, None within where no fact is near it; None where only the offline judge said
    what its evidence is. That goes by what the scorer is shown as well: it would be learned by heart, and nothing else.
    """
    told: list[str] = []
    with judges.judging(labeller.kb, told) as judge:
        if judge is None and not known.supporting:
            return None
        example = example_of(labeller, known, judge)
        by_rule = not known.supporting and judge is not None and not judge.used
    for note in told:
        notes[note] = notes.get(note, 0) + 1
    # A budget's end in the middle of a request leaves no note: what the model was asked for says whether it judged.
    return None if by_rule and example is not None and example.evidence.any() else (example,)


def _too_few(questions: int, learned: _Learned) -> str:
    found = len(learned.examples)
    reasons = [
        f"{count} {why}"
        for count, why in (
            (learned.unanswered, "have neither 'answers' nor 'supporting'"),
            (learned.elsewhere, "rest on documents that this file does not have"),
            (learned.unjudged, "tell only their answers (a model can judge what leads to them: --model)"),
            (learned.far, "have no fact of their evidence near them"),
            (found - len(set(learned.groups)), "have the same answer as another one"),
        )
        if count
    ]
    told = f" ({'; '.join(reasons)})" if reasons else ""
    return (
        f"{found} of {questions} questions can be learned from{told}; training takes {FEWEST} or more, with {FOLDS} "
        "different answers: add questions with their answers and, better still, their supporting documents"
        + "".join(f"; {note}" for note in learned.notes)
    )


# -- fitting and ranking ----------------------------------------------------------------------------------------------


@contextmanager
def _fitting(sighted: bool, times: int, progress: Progress) -> Iterator[Callable[[Sequence[Example]], TripleModel]]:
    """What fits a model, `times` times within; on one thread, so that any machine adds up in the same order."""
    import torch  # seconds

    from tools.scorer_training.fitting import BLIND_PARTS, EPOCHS, PARTS, go_on

    threads, begun = torch.get_num_threads(), 0

    def fitted(examples: Sequence[Example]) -> TripleModel:
        nonlocal begun
        before, begun = begun, begun + EPOCHS
        network: Network = go_on(
            examples,
            load_model(),
            PARTS if sighted else BLIND_PARTS,
            lambda done, total: progress("training", before + done, times * EPOCHS),
        )
        return network.trained()

    torch.set_num_threads(1)
    try:
        yield fitted
    finally:
        torch.set_num_threads(threads)


def _held_out(learned: _Learned, fit: Callable[[Sequence[Example]], TripleModel]) -> list[TripleModel]:
    """For each example the model that has not seen it, nor one with the same answer."""
    folds = [group % FOLDS for group in learned.groups]
    models = [
        fit([one for one, of in zip(learned.examples, folds, strict=True) if of != fold]) for fold in range(FOLDS)
    ]
    return [models[fold] for fold in folds]


def _scores(model: TripleModel, one: Example, sighted: bool) -> Floats:
    if not sighted:
        return model.logits(one.measures, None, None)
    heads, relations, tails = (part.astype(np.float32) for part in one.vectors)
    return model.logits(one.measures, one.question, (heads, relations, tails))


def _precisions(examples: Sequence[Example], scores: Sequence[Floats]) -> list[float]:
    return [average_precision(one.evidence, of) for one, of in zip(examples, scores, strict=True)]


def _ranking(examples: Sequence[Example], scores: Sequence[Floats]) -> Ranking:
    pairs = list(zip(examples, scores, strict=True))
    found = [documents_found(one, of, DOCUMENTS) for one, of in pairs if one.supporting]
    best = {k: 100 * float(np.mean([recall(one.evidence, of, k) for one, of in pairs])) for k in (10, 30)}
    precision = 100 * float(np.mean(_precisions(examples, scores)))
    return Ranking(precision, best[10], best[30], 100 * float(np.mean(found)) if found else None)
