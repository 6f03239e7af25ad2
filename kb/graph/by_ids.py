"""How what reads for many ids at once is given its statements."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class ByIds(Protocol):
    """Runs a statement that ends in IN for many ids, in as few pieces as may be."""

    def __call__(self, sql: str, ids: Sequence[Any], suffix: str = "") -> list[tuple[Any, ...]]:
        """The rows."""


def as_array(rows: Sequence[tuple[Any, ...]], width: int) -> NDArray[np.int64]:
    """Rows of `width` whole numbers, shape (n, width). Raises TypeError where one is none."""
    values = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=width * len(rows))
    return values.reshape(-1, width)
