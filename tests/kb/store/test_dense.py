"""Dense search by stages against a look at every vector."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from earlier_files import write_earlier
from numpy.typing import NDArray

from kb.errors import DamagedFileError
from kb.graph.passage_work import PassageWork
from kb.graph.stored_vectors import eight_bits, joined
from kb.records import Document, Piece
from kb.store.check import damage_in
from kb.store.dense import PassageCodes, highest
from kb.store.embeddings import Embedded
from kb.store.knowledge_base import KnowledgeBase
from kb.store.sqlite import open_writer
from kb.store.writer import Writer

PASSAGES = 3000
NAMES = 200
DIMENSION = 128


class Drawn:
    """Stands in the place of a model: vectors are drawn."""

    name = "drawn"
    dimension = DIMENSION
    max_tokens = 256


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def drawn(seed: int, count: int) -> NDArray[np.float32]:
    return unit(np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32) + 0.1)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dense") / "dense.clew"
    passages, sentences = drawn(0, PASSAGES), drawn(1, PASSAGES * 2)
    works = []
    for number in range(PASSAGES):
        document = Document(f"d{number}", f"Note {number}", "One. Two.", f"d{number}", "/d")
        works.append(PassageWork(document, Piece(0, 0, 9, None, "One. Two."), True, ((0, 4), (5, 9)), (), ()))
    vectors = [Embedded(passages[at], sentences[2 * at : 2 * at + 2]) for at in range(PASSAGES)]
    with Writer(path, Drawn()) as writer:  # type: ignore[arg-type]
        for one in works:
            writer.begin_document(one.document)
        writer.write(works, vectors)
        names = [row[0] for row in writer.rows("SELECT id FROM entities ORDER BY id LIMIT ?", (NAMES,))]
        writer.add_entity_vectors(names, eight_bits(drawn(4, NAMES)))
    return path


@pytest.fixture
def earlier(path: Path, tmp_path: Path) -> Path:
    """The same file as a clew before `m007_eight_bits` left it: passages' and names' vectors are floats."""
    write_earlier(tmp_path / "earlier.clew", path, "m007_eight_bits")
    return tmp_path / "earlier.clew"


def test_the_nearest_are_those_of_a_look_at_all(path: Path) -> None:
    queries = drawn(2, 20)
    with KnowledgeBase.open(path) as kb:
        graph, scan = kb.graph, kb.scan(queries)
        cosines = graph.passage_vectors @ queries.T
        for query in range(len(queries)):
            best = highest(cosines[:, query], 40)
            found = scan.nearest(40, query)
            assert [one for one, _ in found] == graph.passages[best].tolist()
            np.testing.assert_allclose([cosine for _, cosine in found], cosines[best, query], atol=1e-6)
        np.testing.assert_allclose(scan.about(graph.passages, 3), cosines[:, 3], atol=0.01)
        assert kb.search_dense(queries[0], 3) == scan.nearest(3)
        assert kb.search_dense(queries[0], 0) == []


def test_vectors_are_in_memory_once_while_they_are_read() -> None:
    count = 20_000
    ids = np.random.default_rng(6).permutation(count).astype(np.int64)
    parts = ((ids[at : at + 100], eight_bits(drawn(at, 100))) for at in range(0, count, 100))
    tracemalloc.start()
    try:
        codes = PassageCodes(parts, DIMENSION, count)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1.7 * count * DIMENSION
    assert codes.ids.tolist() == list(range(count))


@pytest.mark.parametrize("passages", [1, 3])
def test_vectors_that_are_not_those_of_all_passages_are_refused(passages: int) -> None:
    with pytest.raises(ValueError, match=f"2 vectors of {passages} passages"):
        PassageCodes([(np.array([5, 7]), eight_bits(drawn(0, 2)))], DIMENSION, passages)


def chunk_sizes(path: Path) -> dict[str, set[int]]:
    with KnowledgeBase.open(path) as kb:
        tables = ("passage", "sentence", "entity")
        return {one: {size for (size,) in kb._rows(f"SELECT size FROM {one}_vectors_chunks")} for one in tables}  # noqa: S608


def test_vectors_that_are_looked_up_are_those_that_are_read_whole(path: Path, tmp_path: Path) -> None:
    before = tmp_path / "before.clew"
    write_earlier(before, path, "m010_small_chunks")
    assert chunk_sizes(path) == {"passage": {1024}, "sentence": {56}, "entity": {56}}
    assert chunk_sizes(before) == {"passage": {1024}, "sentence": {1024}, "entity": {1024}}
    wanted = np.random.default_rng(3).permutation(PASSAGES)[:700]
    with KnowledgeBase.open(path) as kb:
        graph, sentences = kb.graph, kb.sentence_vectors.all
        names, codes = joined(kb._engine.codes("entity", kb.dimension), kb.dimension)
    for one in (path, before):
        with KnowledgeBase.open(one) as other:
            mine = other.passage_vectors(graph.passages[wanted])
            np.testing.assert_allclose(mine, graph.passage_vectors[wanted], atol=1e-6)
            np.testing.assert_array_equal(
                other.sentence_vectors.some(sentences.ids[wanted]).rows, sentences.rows[np.sort(wanted)]
            )
            found = other._engine.codes_of("entity", [*names[::3].tolist(), 1], other.dimension)
            assert found == {name: code.tobytes() for name, code in zip(names[::3].tolist(), codes[::3], strict=True)}


def test_vectors_are_forgotten_where_they_become_many(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.store.knowledge_base._KEPT_VECTORS", 50)
    with KnowledgeBase.open(path) as kb:
        every = kb.sentence_vectors.all
        for start in range(0, 300, 30):
            part = slice(start, start + 40)
            found = kb.sentence_vectors.some(every.ids[part])
            np.testing.assert_array_equal(found.rows, every.rows[part])
        assert len(kb._sentences_read._known) <= 50


def test_a_file_of_before_is_read_as_it_is_and_says_the_same(path: Path, earlier: Path) -> None:
    content, query = earlier.read_bytes(), drawn(2, 1)[0]
    with KnowledgeBase.open(path) as now, KnowledgeBase.open(earlier) as before:
        assert before.search_dense(query, 40) == now.search_dense(query, 40)
        assert before.search_entities(query, 5) == now.search_entities(query, 5)
        np.testing.assert_array_equal(before.fact_graph.name_vectors, now.fact_graph.name_vectors)
    assert damage_in(earlier) == []
    assert earlier.read_bytes() == content


def test_the_first_command_that_writes_makes_it_smaller(path: Path, earlier: Path) -> None:
    large = earlier.stat().st_size
    with Writer(earlier, Drawn()):  # type: ignore[arg-type]
        pass
    assert earlier.stat().st_size < large - PASSAGES * DIMENSION * 2
    assert damage_in(earlier) == []
    with KnowledgeBase.open(path) as now, KnowledgeBase.open(earlier) as mended:
        assert mended.info().schema == now.info().schema
        np.testing.assert_array_equal(mended.graph.passage_vectors, now.graph.passage_vectors)
        np.testing.assert_array_equal(mended.fact_graph.name_vectors, now.fact_graph.name_vectors)


def test_a_move_that_is_killed_has_not_begun(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kb.store.writer.Writer._create_vectors", killed)
    with pytest.raises(KeyboardInterrupt):
        Writer(earlier, Drawn())  # type: ignore[arg-type]
    assert damage_in(earlier) == []
    with KnowledgeBase.open(earlier) as kb:
        assert kb.info().schema == "m006_degrees"
        assert len(kb.graph.passage_vectors) == PASSAGES


def test_a_vector_of_before_that_holds_no_number_is_damage(earlier: Path) -> None:
    database = open_writer(earlier)
    with database.conn:
        sql = "SELECT rowid, vectors FROM passage_vectors_vector_chunks00 LIMIT 1"
        row, vectors = database.execute(sql).fetchone()
        spoilt = np.float32("nan").tobytes() + vectors[4:]
        database.execute("UPDATE passage_vectors_vector_chunks00 SET vectors = ? WHERE rowid = ?", (spoilt, row))
    database.close()
    with KnowledgeBase.open(earlier) as kb, pytest.raises(DamagedFileError):
        kb.search_dense(drawn(2, 1)[0], 5)
    with pytest.raises(DamagedFileError, match="no number"):
        Writer(earlier, Drawn())  # type: ignore[arg-type]
    with KnowledgeBase.open(earlier) as kb:
        assert kb.info().schema == "m006_degrees"


@pytest.mark.parametrize(
    "spoil",
    [
        "DELETE FROM passage_vectors WHERE id = (SELECT min(id) FROM passage_vectors)",
        "UPDATE passage_vectors_vector_chunks00 SET vectors = substr(vectors, 1, 1000)",
    ],
)
def test_vectors_that_are_not_there_are_damage(path: Path, tmp_path: Path, spoil: str) -> None:
    spoilt = tmp_path / "spoilt.clew"
    spoilt.write_bytes(path.read_bytes())
    database = open_writer(spoilt)
    with database.conn:
        database.execute(spoil)
    database.close()
    with KnowledgeBase.open(spoilt) as kb, pytest.raises(DamagedFileError):
        kb.search_dense(drawn(2, 1)[0], 5)


def test_a_vector_that_nobody_has_is_damage(path: Path) -> None:
    with KnowledgeBase.open(path) as kb:
        with pytest.raises(DamagedFileError):
            kb.passage_vectors([1])
        with pytest.raises(DamagedFileError):
            kb.sentence_vectors.rows_of([1])


def test_the_nearest_names_are_those_of_a_look_at_all_and_looked_for_once(path: Path) -> None:
    vector = drawn(7, 1)[0]
    with KnowledgeBase.open(path) as kb:
        ids, rows = kb._all_vectors("entity")
        cosines = rows @ vector
        found = kb.search_entities(vector, 5)
        assert [one for one, _ in found] == ids[highest(cosines, 5)].tolist()
        assert found is kb.search_entities(vector, 5), "the vectors were read again"
        assert kb.search_entities(vector, 0) == []


@pytest.mark.parametrize("levels", [50, 50_000])
@pytest.mark.parametrize("k", [1, 7, 40])
def test_the_highest_of_many_tied_scores_are_those_of_a_full_sort(k: int, levels: int) -> None:
    """Past 4 * k runs of 256 the best of each run bound the k-th score; 2,000 scores tie at each level, or 2."""
    drawn = np.random.default_rng(8)
    scores = (drawn.integers(0, levels, 100_000) / levels).astype(np.float32)
    scores[-13:] = 2.0  # the last run is not a whole one: 100,000 = 390 * 256 + 160
    assert highest(scores, k).tolist() == np.lexsort((np.arange(len(scores)), -scores))[:k].tolist()


def test_of_very_many_equal_passages_the_first_by_id_are_found_by_words(path: Path) -> None:
    """All 3,000 tie: more than are ranked at first, so that the ids of all of them have to be asked for."""
    with KnowledgeBase.open(path) as kb:
        every = sorted(int(one) for one in kb.graph.passages)
        assert [one for one, _ in kb.search_words("two", 5)] == every[:5]
