"""The techniques with one step after another switched off, as the papers' ablations do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kb.store import KnowledgeBase
from tools.types import Hit

Find = Callable[[KnowledgeBase, str], Sequence[Hit]]

ABLATIONS: Mapping[str, Sequence[tuple[str, Find]]] = {}
