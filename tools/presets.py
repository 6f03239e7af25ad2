"""Configurations of the techniques by name: each paper's own where the default here is another, and a baseline.

A preset is the parameters of a technique. Parameters that are not named in it are the paper's by default; what no
parameter can change is told in docs/methods.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kb.errors import UsageError
from tools.anchor_grouping import AnchorParams
from tools.bubble_expansion import BubbleParams
from tools.constraint_recovery import RecoveryParams
from tools.constraint_retrieval import ConstraintParams
from tools.edge_scoring import EdgeScoringParams
from tools.evidence_expansion import ExpansionParams
from tools.path_resurrection import ResurrectionParams
from tools.path_search import PathParams
from tools.triple_scoring.triple_scorer import TripleParams

PUBLISHED = "published"
HIPPORAG2 = "hipporag2"

_ALL = 1000.0
"""Log-odds apart that no two candidates are."""

_CONSTRAINTS = ConstraintParams(gate=False, min_coverage=0.0, binding_margin=_ALL)
_ANCHORS = AnchorParams(near_best=0.0, min_match=0.0, min_fact=0.0, facts_beside_names=True)
_BUBBLES = BubbleParams(anchors=_ANCHORS, fuse_ties=False)
_PATHS = PathParams(trained=0.0, fact_seeds=0)
_EDGES = EdgeScoringParams(rescored=0, passage_sharpness=1.0, anchor_weight=0.2, own_passage=0.0)

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "constraint_retrieval": {PUBLISHED: _CONSTRAINTS},
    "constraint_recovery": {PUBLISHED: RecoveryParams(_CONSTRAINTS, by_vectors=True, resolved_too=False, suggest=0)},
    "edge_scoring": {
        PUBLISHED: _EDGES,
        HIPPORAG2: replace(_EDGES, symbolic_anchors=False, weigh_edges=False, key_facts=False),
    },
    "anchor_grouping": {PUBLISHED: _ANCHORS},
    "bubble_expansion": {PUBLISHED: _BUBBLES},
    "evidence_expansion": {PUBLISHED: ExpansionParams(bubbles=_BUBBLES)},
    "path_search": {PUBLISHED: _PATHS},
    "path_resurrection": {
        PUBLISHED: ResurrectionParams(
            search=_PATHS, by_vectors=True, shared_votes=False, path_votes=0.0, given_order=0.0
        )
    },
    "triple_scorer": {PUBLISHED: TripleParams(ends=False)},
}
"""By technique and name. CS-RAG has a gamma for each data set: published is 2Wiki's, 1.6, as is the default; MuSiQue's
is 1.5, HotpotQA's 2.0."""


def preset(technique: str, name: str) -> Any:
    """The parameters of a technique's preset. Raises UsageError, naming those that there are."""
    known = PRESETS.get(technique, {})
    if name not in known:
        here = f"it has {', '.join(sorted(known))}" if known else f"it has none; {', '.join(PRESETS)} have"
        raise UsageError(f"{technique} has no preset {name!r}; {here}")
    return known[name]


def techniques_with(name: str) -> tuple[str, ...]:
    """The techniques that have a preset of this name. Raises UsageError, naming all presets, where none has."""
    found = tuple(technique for technique, known in PRESETS.items() if name in known)
    if not found:
        names = sorted({one for known in PRESETS.values() for one in known})
        raise UsageError(f"there is no preset {name!r}; there are {', '.join(names)}")
    return found


def differences(params: Any) -> dict[str, Any]:
    """What a preset sets otherwise than the default, by the field's name; of nested parameters "outer.inner"."""
    return dict(_differing(params, type(params)(), ""))


def _differing(params: Any, default: Any, before: str) -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(params):
        value, usual, name = getattr(params, field.name), getattr(default, field.name), before + field.name
        if dataclasses.is_dataclass(value):
            yield from _differing(value, usual, f"{name}.")
        elif value != usual:
            yield name, value
