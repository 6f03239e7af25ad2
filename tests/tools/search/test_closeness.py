"""How close facts are to a question, in a sound file and in one that lacks a sentence's vector."""

from __future__ import annotations

from pathlib import Path

import pytest
from knowledge_bases import build_file

from kb.errors import DamagedFileError
from kb.store.knowledge_base import KnowledgeBase
from kb.store.sqlite import close_writer, open_writer
from tools.path_search import search_paths
from tools.search.closeness import Closeness

QUESTION = "Where was Tomas Brandel born?"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return build_file(tmp_path, {"Tomas Brandel": "Tomas Brandel was born in Lindholm. He wrote plays in Karsk."})


def test_a_fact_is_as_close_as_its_sentence(file: Path) -> None:
    with KnowledgeBase.open(file) as kb:
        facts = kb.triples(kb.fact_graph.facts.tolist())
        closeness = Closeness.of(kb, QUESTION)
        assert closeness.fact_rows == pytest.approx(closeness.triples(facts), abs=1e-5)
        best = facts[int(closeness.fact_rows.argmax())]
        assert best.sentence.startswith("Tomas Brandel was born")


@pytest.mark.parametrize("at", [0, -1])
def test_a_sentence_without_its_vector_is_damage(file: Path, at: int) -> None:
    db = open_writer(file)
    sentences = sorted(row[0] for row in db.conn.execute("SELECT sentence FROM triples"))
    with db.atomic():
        db.conn.execute("DELETE FROM sentence_vectors WHERE id = ?", (sentences[at],))
    close_writer(db)
    with KnowledgeBase.open(file) as kb, pytest.raises(DamagedFileError, match="without a vector"):
        search_paths(kb, QUESTION)
