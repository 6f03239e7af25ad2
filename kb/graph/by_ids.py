"""How what reads for many ids at once is given its statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class ByIds(Protocol):
    """Runs a statement that ends in IN for many ids, in as few pieces as may be."""

    def __call__(self, sql: str, ids: Sequence[Any], suffix: str = "") -> list[tuple[Any, ...]]:
        """The rows."""
