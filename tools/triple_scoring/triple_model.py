"""The network that scores facts, as a file of arrays: the one that ships, or one trained on a user's own questions."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from kb.errors import UsageError
from kb.store.knowledge_base import KnowledgeBase
from tools.triple_scoring.triple_measures import MEASURES

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]

MODEL = Path(__file__).with_name("triple_scorer.npz")
DIMENSION = 384
"""Components of the vectors of the embedding model that ships: a file with another one is scored by measures alone."""
LARGEST = 20_000_000
"""Bytes of a scorer's arrays: a hundred times those of the one that ships, so that a file from elsewhere fills no
memory."""


@dataclass(frozen=True)
class TripleModel:
    """The network: hidden = relu(measures + the four vectors, each by its matrix), inner = relu(hidden), one number.

    `mean` and `scale` standardise the measures; vectors are (dimension, hidden), all arrays float32.
    """

    mean: Weights
    scale: Weights
    measures: Weights
    bias: Weights
    question: Weights
    head: Weights
    relation: Weights
    tail: Weights
    inner: Weights
    inner_bias: Weights
    out: Weights
    out_bias: Weights

    def logits(
        self, measures: Weights, question: Weights | None, vectors: tuple[Weights, Weights, Weights] | None
    ) -> Floats:
        """Shape (n,), for measures of shape (n, m). Without vectors, from the measures alone: a part of the training
        was done so.
        """
        hidden = (measures - self.mean) / self.scale @ self.measures + self.bias
        if question is not None and vectors is not None:
            heads, relations, tails = vectors
            hidden = hidden + question @ self.question + heads @ self.head + relations @ self.relation
            hidden = hidden + tails @ self.tail
        inner = np.maximum(np.maximum(hidden, 0.0) @ self.inner + self.inner_bias, 0.0)
        return np.asarray(inner @ self.out + self.out_bias[0], dtype=np.float64)


@lru_cache(maxsize=1)
def load_model() -> TripleModel:
    """The network that ships."""
    return read_model(MODEL)


def read_model(path: Path) -> TripleModel:
    """The network in a file. Raises UsageError for one that cannot be read, is no scorer, or was trained on other
    measures than this version takes.
    """
    names = {one.name for one in fields(TripleModel)}
    try:
        with zipfile.ZipFile(path) as parts:
            size = sum(one.file_size for one in parts.infolist())
        if size > LARGEST:
            raise ValueError(f"its arrays have {size:,} bytes")
        with np.load(path, allow_pickle=False) as arrays:
            if set(arrays.files) != names:
                raise ValueError("it holds other arrays")
            model = TripleModel(**{name: arrays[name].astype(np.float32) for name in arrays.files})
        _check(model)
    except OSError as error:
        raise UsageError(f"the scorer {str(path)!r} cannot be read ({error.strerror or error})") from error
    except (ValueError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(
            f"{str(path)!r} is no scorer that clew train has written ({error}); name another one, or train it again"
        ) from error
    if len(model.mean) != len(MEASURES):
        raise UsageError(
            f"{str(path)!r} was trained on {len(model.mean)} measures of a fact, and this version takes "
            f"{len(MEASURES)}; train it again with clew train, or with make train where it is the one that ships"
        )
    return model


def use_scorer(kb: KnowledgeBase, path: Path) -> None:
    """Have the facts of this opened file scored by the network at `path` from now on. Raises UsageError as
    `read_model`.
    """
    _OWN[kb] = read_model(path)


def scorer_of(kb: KnowledgeBase) -> TripleModel:
    """The network that scores the facts of this opened file."""
    return _OWN.get(kb.whole) or load_model()


def own_digest(kb: KnowledgeBase) -> str:
    """What tells the network that scores the facts of this opened file from others; "" for the one that ships."""
    own = _OWN.get(kb.whole)
    if own is None:
        return ""
    digest = hashlib.sha256()
    for one in fields(own):
        digest.update(getattr(own, one.name).tobytes())
    return digest.hexdigest()[:16]


_OWN: WeakKeyDictionary[KnowledgeBase, TripleModel] = WeakKeyDictionary()
"""By what is open: every technique, and every judgement in it, is given that and nothing else of the user's."""


def _check(model: TripleModel) -> None:
    """Raises ValueError where the arrays do not fit together, or hold what is no number."""
    count, hidden = (*model.mean.shape, *model.bias.shape) if model.mean.ndim == model.bias.ndim == 1 else (0, 0)
    inner = len(model.inner_bias) if model.inner_bias.ndim else 0
    vectors = dict.fromkeys(("question", "head", "relation", "tail"), (DIMENSION, hidden))
    shapes = {
        "mean": (count,), "scale": (count,), "measures": (count, hidden), "bias": (hidden,), **vectors,
        "inner": (hidden, inner), "inner_bias": (inner,), "out": (inner,), "out_bias": (1,),
    }  # fmt: skip
    for name, shape in shapes.items():
        array = getattr(model, name)
        if array.shape != shape or not array.size:
            raise ValueError(f"{name} has the shape {array.shape} and not {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds what is no number")
    if not (model.scale > 0).all():
        raise ValueError("scale holds numbers that are not above 0")
