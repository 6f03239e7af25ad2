"""The corpus that the benchmark of scale grows, and the vectors of its copies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import respelling
from benchmarks.respelling import StoredVectors, grown
from kb.records import Document

TEXTS = {
    "Ada Moor": "Ada Moor was born in Lindholm, and never left England.",
    "Lindholm": "Lindholm is a town in England.",
    "England": "England is where Lindholm is. England is wet.",
}


@pytest.fixture
def documents(monkeypatch: pytest.MonkeyPatch) -> list[Document]:
    monkeypatch.setattr(respelling, "KEPT", 1)
    return [Document(title, title, text, "", "") for title, text in TEXTS.items()]


def test_names_are_respelt_alike_within_a_copy_and_the_commonest_stay(documents: list[Document]) -> None:
    made = list(grown(documents, 7))
    assert made[:3] == documents
    assert len({one.key for one in made}) == len({one.title for one in made}) == 7
    ada, town, england, again = made[3:]
    assert ada.title == "Efe Nuus"
    assert ada.text == "Efe Nuus was born in Mopfjumn, and never left England."
    assert (town.title, town.text) == ("Mopfjumn", "Mopfjumn is a town in England.")
    assert england.title != "England", "every copy has a title of its own"
    assert england.text == "England is where Mopfjumn is. England is wet."
    assert again.title not in (ada.title, "Ada Moor")


def test_fewer_than_there_are_is_all_and_too_many_copies_are_refused(documents: list[Document]) -> None:
    assert list(grown(documents, 1)) == documents
    with pytest.raises(ValueError, match="copy 105"):
        list(grown(documents, 3 * 106))


def test_a_copy_has_nearly_the_vector_of_its_original(documents: list[Document], tmp_path: Path) -> None:
    made = list(grown(documents, 4))
    spans = [[(0, 20), (21, len(one.text))] for one in made]
    learning = StoredVectors(tmp_path / "kept.npz")
    originals = learning.embed_passages([one.text for one in documents], spans[:3])
    names = learning.embed_names(["Ada Moor", "Lindholm"])
    counts = learning.count_tokens([one.text for one in documents])
    learning.save()
    stored = StoredVectors(tmp_path / "kept.npz")
    copy, again = stored.embed_passages([made[3].text] * 2, [spans[3]] * 2)
    assert 0.99 < float(copy.passage @ originals[0].passage) < 0.9999
    assert ((copy.sentences * originals[0].sentences).sum(axis=1) > 0.98).all()
    np.testing.assert_array_equal(copy.passage, again.passage)
    assert stored.count_tokens([made[3].text]) == counts[:1]
    np.testing.assert_allclose(stored.embed_names(["Lindholm"])[0], names[1], atol=1e-3)
    new, close = stored.embed_names(["Mopfjumn Hall", "Mopfjumn Hall (town)"])
    assert 0.7 < float(new @ close) < 0.95
    assert stored.drawn == 0
    stored.embed_passages(["it was never seen"], [[(0, 5)]])
    assert stored.drawn == 1
