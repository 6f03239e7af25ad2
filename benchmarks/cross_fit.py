"""Scorers for questions that they have not seen: as many sets as there are folds, each trained without one of them.

The walk's measures hold ranks by the scorers of triples and constraints. Scorers that were trained on a question rank
its gold better than that of any new question, and a walk trained on such ranks trusts them too much. So the two scripts
that train scorers leave a set for each fold in the work folder, beside the shipped one, and the walk's training ranks
each question by the set of its fold.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb.errors import UsageError
from tools.relations import reranker
from tools.triple_scoring import triple_model

FOLDS = 5


def fold_of(number: int) -> int:
    """The fold of a folder's question, by its place among those with known gold, from 0."""
    return number % FOLDS


def fold_file(work: Path, fold: int, shipped: Path) -> Path:
    """Where the scorer trained without a fold lies; it has the shipped one's name. The folder is made."""
    folder = work / f"without-fold-{fold}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / shipped.name


@contextmanager
def scorers_without(work: Path, fold: int) -> Iterator[None]:
    """Inside, every technique uses the scorers trained without a fold. Raises UsageError where these are not there."""
    shipped = reranker.SCORES, triple_model.MODEL
    of_fold = [fold_file(work, fold, one) for one in shipped]
    for one in of_fold:
        if not one.exists():
            raise UsageError(f"{one} is not there; run: make train")
    _use(*of_fold)
    try:
        yield
    finally:
        _use(*shipped)


def _use(scores: Path, model: Path) -> None:
    reranker.SCORES, triple_model.MODEL = scores, model
    reranker.load_reranker.cache_clear()
    triple_model.load_model.cache_clear()
