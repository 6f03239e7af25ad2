"""What an entity is, offline: the first of its facts (CatRAG, section 3.3.2, has a language model write a summary)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kb.records import Triple

_TOKEN = re.compile(r"\w+|[^\w\s]")


def within(facts: Sequence[Triple], most: int) -> tuple[Triple, ...]:
    """As many of the first facts as have `most` words and signs together."""
    ends = np.cumsum([len(_TOKEN.findall(fact.text())) for fact in facts])
    return tuple(facts[: int(np.searchsorted(ends, most, side="right"))])


def summarise(facts: Sequence[Triple], most: int) -> str:
    """The facts that fit, one after the other; "" for none."""
    return "; ".join(fact.text() for fact in within(facts, most))
