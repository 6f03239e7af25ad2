"""What models answered: kept by content, forgotten with the passages that it is about, absent from older files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from earlier_files import write_earlier
from scripted_extractor import ScriptedExtractor

from kb.build import add, build, remove, unextracted
from kb.enriching import enrich
from kb.graph.model_extraction import ModelPrompt
from kb.records import EXTRACTION, PassageText, answer_key
from kb.store.check import check
from kb.store.embeddings import load_embedder
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase
from kb.store.model_cache import ModelAnswer, tokens_spent
from kb.store.writer import Writer

FATHER = "Carl Stone was a miller at Lindholm. He kept Zanzibarian parrots."
CHAIN = {
    "film": ("Red River (film)", "Red River is a film of 1951. It was directed by Ada Stone."),
    "father": ("Carl Stone", FATHER),
    "copy": ("Carl Stone", FATHER),
}
SAID: Mapping[str, Mapping[str, Any]] = {
    "Red River": {
        "entities": {"Red River": "film", "Ada Stone": "person"},
        "triples": [["Red River", "directed by", "Ada Stone", {"year": "1951"}]],
    },
    "Carl Stone": {"entities": {"Carl Stone": "person"}, "triples": [["Carl Stone", "kept", "Zanzibarian parrots"]]},
}


def corpus(folder: Path, keys: str, name: str = "corpus.jsonl", **changed: str) -> str:
    documents = [{"id": key, "title": CHAIN[key][0], "text": changed.get(key, CHAIN[key][1])} for key in keys.split()]
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in documents), "utf-8")
    return str(path)


def cached(path: Path) -> int:
    with sqlite3.connect(path) as database:
        return int(database.execute("SELECT count(*) FROM model_cache").fetchone()[0])


def test_an_answer_is_found_by_content_model_and_prompt_and_the_last_one_counts(tmp_path: Path) -> None:
    passage = PassageText("T", "text")
    with Writer(tmp_path / "a.clew", load_embedder()) as writer:
        writer.cache.put(EXTRACTION, "m", "1", [ModelAnswer(passage.content, "[1]", 10, 2)])
        writer.cache.put(EXTRACTION, "m", "1", [ModelAnswer(passage.content, "[2]", 20, 4)])
        assert writer.cache.get(answer_key(EXTRACTION, passage.content, "m", "1")) == "[2]"
        for other in (("judge", "m", "1"), (EXTRACTION, "n", "1"), (EXTRACTION, "m", "2")):
            assert writer.cache.get(answer_key(other[0], passage.content, *other[1:])) is None
    spent = tokens_spent(tmp_path / "a.clew", "m", "1")
    assert (spent.answers, spent.input_tokens, spent.output_tokens) == (1, 20, 4)
    assert tokens_spent(tmp_path / "none.clew", "m", "1").answers == 0


def test_title_and_text_do_not_run_into_each_other() -> None:
    assert PassageText("ab", "c").content != PassageText("a", "bc").content


def test_equal_passages_are_asked_for_once(tmp_path: Path) -> None:
    extractor = ScriptedExtractor(SAID)
    report = build([corpus(tmp_path, "film father copy")], tmp_path / "a.clew", extractor=extractor)
    assert len(extractor.asked) == cached(tmp_path / "a.clew") == 2
    assert (report.extraction.by_model, report.extraction.by_rule) == (3, 0)


def test_a_removed_documents_answer_is_forgotten_without_a_trace_but_not_while_a_copy_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    build([corpus(tmp_path, "film father copy")], path, extractor=ScriptedExtractor(SAID))
    assert remove(path, ["father"]) == ["father"]
    assert cached(path) == 2
    assert b"anzibarian" in path.read_bytes()
    remove(path, ["copy"])
    assert cached(path) == 1
    assert b"anzibarian" not in path.read_bytes()
    assert check(path) == []


def test_a_vanished_documents_answer_is_forgotten_too_and_so_is_one_that_was_never_written(tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    extractor = ScriptedExtractor(SAID)
    build([corpus(tmp_path, "film father")], path, extractor=extractor)
    with Writer(path, load_embedder()) as writer:
        # As after a build that was killed while it asked, of a document that has changed since.
        stale = ModelAnswer(PassageText("Gone", "gone").content, '["Madagascan"]')
        writer.cache.put(EXTRACTION, "scripted", "1", [stale])
    build([corpus(tmp_path, "film")], path, extractor=extractor)
    assert cached(path) == 1
    assert b"anzibarian" not in path.read_bytes()
    assert b"adagascan" not in path.read_bytes()


def test_judgements_are_forgotten_when_something_is_removed_and_kept_when_not(tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    build([corpus(tmp_path, "film father")], path)
    with Writer(path, load_embedder()) as writer:
        writer.cache.put("judge", "m", "1", [ModelAnswer("0", '"a Zanzibarian matter"')])
    build([corpus(tmp_path, "film father")], path)
    assert cached(path) == 1
    remove(path, ["father"])
    assert b"anzibarian" not in path.read_bytes()


def test_adding_keeps_what_a_stopped_build_was_told(tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    build([corpus(tmp_path, "film")], path)
    with Writer(path, load_embedder()) as writer:
        writer.cache.put(EXTRACTION, "scripted", "1", [ModelAnswer(PassageText("Later", "later").content, "{}")])
    add([corpus(tmp_path, "father", "more.jsonl")], path, extractor=ScriptedExtractor(SAID))
    assert cached(path) == 2


def test_of_a_changed_document_only_the_passage_that_changed_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    long = " ".join(f"Red River has {number} parts and runs through valley number {number}." for number in range(40))
    extractor = ScriptedExtractor(SAID)
    build([corpus(tmp_path, "film", film=long)], path, extractor=extractor)
    asked = len(extractor.asked)
    assert asked > 1
    changed = long.replace("runs through valley number 39", "ends in valley number 39")
    build([corpus(tmp_path, "film", film=changed)], path, extractor=extractor)
    assert len(extractor.asked) == asked + 1
    assert cached(path) == asked


@pytest.fixture
def old(tmp_path: Path) -> Path:
    build([corpus(tmp_path, "film father copy")], tmp_path / "new.clew")
    write_earlier(tmp_path / "old.clew", tmp_path / "new.clew", "m002_model_answers")
    return tmp_path / "old.clew"


def test_a_file_of_the_first_schema_is_read_as_it_is(old: Path, tmp_path: Path) -> None:
    before = old.read_bytes()
    with KnowledgeBase.open(old) as kb:
        assert kb.info().schema == "m001_first"
        triples = kb.passage_triples(kb.graph.passages.tolist())
        assert triples
        assert kb.qualifiers([one.id for one in triples]) == {}
        assert kb.entity_types([one.head for one in triples]) == {}
        assert kb.search_words("parrots", 1)
        assert kb.search_dense(kb.embed(["a bird"])[0], 1)
    assert check(old) == []
    assert fingerprint(old) == fingerprint(tmp_path / "new.clew")
    assert len(unextracted([corpus(tmp_path, "film father copy")], old, ModelPrompt("m", "1"))) == 2
    assert tokens_spent(old, "m", "1").answers == 0
    assert old.read_bytes() == before


def test_a_file_of_the_first_schema_is_extracted_by_a_model_as_a_new_one(old: Path, tmp_path: Path) -> None:
    source = corpus(tmp_path, "film father copy")
    report = build([source], old, extractor=ScriptedExtractor(SAID))
    assert (report.unchanged, report.extraction.by_model) == (3, 3)
    build([source], tmp_path / "fresh.clew", extractor=ScriptedExtractor(SAID))
    assert fingerprint(old) == fingerprint(tmp_path / "fresh.clew")
    with KnowledgeBase.open(old) as kb:
        (triple,) = kb.triples_of(kb.named(["ada stone"])["ada stone"])
        assert (triple.head_name, kb.qualifiers([triple.id])[triple.id]) == ("Red River", {"year": "1951"})


def test_a_file_of_the_first_schema_is_enriched(old: Path) -> None:
    with KnowledgeBase.open(old) as kb:
        (passage,) = [one.id for one in kb.document_passages("film")]
    assert enrich(old, [passage], ScriptedExtractor(SAID)).by_model == 1
    assert check(old) == []
