"""Names that are close by their vectors, found in groups, against a comparison of each with all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kb.build import build
from kb.graph import near_names
from kb.graph.near_names import Pair, close_names
from kb.graph.stored_vectors import Codes, Ids, eight_bits, unit_rows
from kb.store.knowledge_base import KnowledgeBase
from kb.store.writer import Writer

NAMES = 3000
DIMENSION = 64
LEAST = 0.8
MOST = 10


@pytest.fixture(scope="module")
def names() -> tuple[Ids, Codes]:
    """Families of names: some close to each other, some not, as names with a word in common are."""
    drawn = np.random.default_rng(2)
    families = drawn.standard_normal((NAMES // 8, DIMENSION))
    rows = families[drawn.integers(0, len(families), NAMES)] + 0.45 * drawn.standard_normal((NAMES, DIMENSION))
    return np.sort(drawn.choice(10**9, NAMES, replace=False)).astype(np.int64), eight_bits(rows.astype(np.float32))


def of_all(ids: Ids, codes: Codes, asked: Ids) -> list[Pair]:
    """The slow way."""
    cosines = unit_rows(codes) @ unit_rows(codes).T
    found: dict[tuple[int, int], float] = {}
    for at in asked.tolist():
        others = [one for one in np.argsort(-cosines[at], kind="stable").tolist() if one != at][:MOST]
        for one in others:
            if cosines[at, one] >= LEAST:
                pair = sorted((int(ids[at]), int(ids[one])))
                found[pair[0], pair[1]] = round(min(float(cosines[at, one]), 1.0), 6)
    return [(a, b, cosine) for (a, b), cosine in sorted(found.items())]


def found_of(ids: Ids, codes: Codes, asked: Ids) -> list[Pair]:
    pairs = [pair for _, some in close_names(ids, codes, asked, LEAST, MOST) for pair in some]
    return [(a, b, cosine) for (a, b), cosine in sorted({(a, b): cosine for a, b, cosine in pairs}.items())]


@pytest.mark.parametrize("asked", [np.arange(NAMES), np.array([5, 17, 2999]), np.zeros(0, dtype=np.int64)])
def test_few_names_are_compared_with_all(names: tuple[Ids, Codes], asked: Ids, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_names, "_ASKED", 1000)
    monkeypatch.setattr(near_names, "_BLOCK", 300)
    found, expected = found_of(*names, asked), of_all(*names, asked)
    assert [pair[:2] for pair in found] == [pair[:2] for pair in expected]
    assert [pair[2] for pair in found] == pytest.approx([pair[2] for pair in expected], abs=2e-6)


def test_of_many_names_nearly_all_pairs_are_found_in_a_part_of_the_comparisons(
    names: tuple[Ids, Codes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_names, "_ALL", 1000)
    ids, codes = names
    found, expected = found_of(ids, codes, np.arange(NAMES)), of_all(ids, codes, np.arange(NAMES))
    assert len(expected) > NAMES
    assert {pair[:2] for pair in found} <= {pair[:2] for pair in expected}
    assert len(found) >= 0.99 * len(expected)
    groups = near_names._members(codes, near_names._means(codes, NAMES))
    largest = sorted(map(len, groups))[-near_names._NEAREST :]
    assert sum(largest) < NAMES / 3


def test_pairs_that_a_stopped_build_did_not_write_are_written_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("plate", "plates"):
        (tmp_path / f"{name}.md").write_text(f"# Lippmann {name}\n\nA Lippmann {name} is seen here.\n", "utf-8")
    sources, path, whole = [str(one) for one in tmp_path.glob("*.md")], tmp_path / "a.clew", tmp_path / "whole.clew"
    build(sources, whole)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "add_synonyms", killed)
        with pytest.raises(KeyboardInterrupt):
            build(sources, path)
    build(sources, path)
    with KnowledgeBase.open(path) as mine, KnowledgeBase.open(whole) as other:
        assert mine.fact_graph.synonyms.tolist() == other.fact_graph.synonyms.tolist() != []
        for kb in (mine, other):
            assert kb._rows("SELECT 1 FROM meta WHERE key = 'pairing'") == []
