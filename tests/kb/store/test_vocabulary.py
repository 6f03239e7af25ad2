from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import BOTH, in_engine

from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from kb.store.vocabulary import edits, in_names, in_titles, is_written, names_near, share_a_name, titles_of, writings


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("towns")
    (folder / "a.txt").write_text("Marholm\n\nMarholm is a town. The mayor is Ada Brontén. A brook runs to Sorrel.")
    (folder / "b.txt").write_text("Sorrel\n\nSorrel is a port. Nobody picks sorrel in Sorrel, said Karl Marholn.")
    build([str(folder)], folder / "towns.clew")
    return folder / "towns.clew"


@pytest.fixture(scope="module", params=BOTH)
def towns(request: pytest.FixtureRequest, file: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(in_engine(request, file)) as kb:
        yield kb


@pytest.mark.parametrize(
    ("word", "other", "most", "away"),
    [
        ("bath", "bath", 1, 0),
        ("bath", "path", 1, 1),
        ("bath", "baths", 1, 1),
        ("bath", "abth", 1, 1),
        ("bath", "fram", 2, 3),
        ("", "ab", 2, 2),
        ("a", "abcd", 2, 3),
        ("chandrasekar", "chandrasekhar", 1, 1),
    ],
)
def test_edits(word: str, other: str, most: int, away: int) -> None:
    assert edits(word, other, most) == edits(other, word, most) == away


def test_how_a_phrase_is_written(towns: KnowledgeBase) -> None:
    assert writings(towns, "sorrel") == {"Sorrel": 4, "sorrel": 1}
    assert writings(towns, "ADA BRONTEN") == {"Ada Brontén": 1}
    assert not writings(towns, "brontosaurus")
    assert not writings(towns, " ?!")


def test_names_near(towns: KnowledgeBase) -> None:
    assert names_near(towns, "Brontem", 1) == ["Brontén"]
    assert names_near(towns, "Prontén", 1) == ["Brontén"]
    assert sorted(names_near(towns, "Marhols", 1)) == ["Marholm", "Marholn"]
    assert names_near(towns, "Brontosaur", 2) == []


def test_what_is_there(towns: KnowledgeBase) -> None:
    assert is_written(towns, "brontén")
    assert not is_written(towns, "bronte")
    assert in_names(towns, "bronten") == "Brontén"
    assert in_names(towns, "brook") == ""
    assert share_a_name(towns, "Brontén", ["Ada", "Karl"])
    assert not share_a_name(towns, "Brontén", ["Karl"])
    assert not share_a_name(towns, "Brontén", [])
    assert in_titles(towns, "marholm")
    assert not in_titles(towns, "brontén")
    assert titles_of(towns, "sorrel") == ["Sorrel"]
