"""What is taken of a model's answer, and what a build or an enrichment that is cut short leaves behind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from earlier_files import stored_rows
from scripted_extractor import ScriptedExtractor

from kb.build import build
from kb.documents.passages import sentences
from kb.enriching import enrich, unenriched
from kb.errors import ModelFailure
from kb.graph.model_extraction import ModelPrompt, model_work, read_answer, read_cached
from kb.graph.passage_work import PassageWork
from kb.records import Document, PassageText, Piece
from kb.store.check import check
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase
from kb.store.model_cache import ModelCache
from kb.store.writer import Writer

TITLE = "Irena Valdis"
TEXT = "Irena Valdis (born 4 May 1899) was a director. Café Müller was the daughter's home at Oxford University."


def taken(said: Mapping[str, Any], title: str = TITLE, text: str = TEXT) -> tuple[PassageWork, int]:
    extraction = read_answer(said)
    assert extraction is not None
    piece = Piece(0, 0, len(text), None, text)
    return model_work(Document("d", title, text, ""), piece, True, sentences(text), extraction, "key")


def facts(*triples: list[Any]) -> list[tuple[str, str, str, int]]:
    work, _ = taken({"triples": list(triples)})
    return [(one.head, one.relation, one.tail, one.sentence) for one in work.triples]


def test_a_fact_goes_with_the_sentence_that_has_most_of_its_words() -> None:
    assert facts(["Irena Valdis", "born", "4 May 1899"], ["Café Müller", "home at", "Oxford University"]) == [
        ("irena valdis", "born", "4 may 1899", 0),
        ("cafe muller", "home at", "oxford university", 1),
    ]


@pytest.mark.parametrize(
    "name",
    ["irena VALDIS", "Cafe Muller", "the daughter", "University of Oxford", "Valdis, Irena", "daughter's home"],
)
def test_a_name_may_differ_in_case_accents_order_and_small_words(name: str) -> None:
    assert len(facts([name, "has to do with", "director"])) == 1


@pytest.mark.parametrize("name", ["Oskar Valdis", "Paris", "she", "1899-05-04", "Oxfo", "?!", ""])
def test_what_the_passage_does_not_say_is_dropped(name: str) -> None:
    assert facts([name, "has to do with", "director"]) == []
    assert facts(["director", "has to do with", name]) == []


def test_invented_facts_are_counted_and_useless_ones_are_not() -> None:
    said = {"triples": [["Irena Valdis", "born in", "Paris"], ["Irena Valdis", "is", "irena valdis"], ["a", "b"], 7]}
    work, dropped = taken(said)
    assert (work.triples, dropped) == ((), 1)


def test_what_the_title_says_counts_but_some_sentence_must_carry_the_fact() -> None:
    work, dropped = taken(
        {"triples": [["Irena Valdis", "was", "director"], ["Irena", "same as", "Valdis"]]}, text="A director she was."
    )
    assert ([(one.head, one.tail) for one in work.triples], dropped) == ([("irena valdis", "director")], 1)


def test_types_and_qualifiers_are_kept_of_what_is_taken() -> None:
    said = {
        "entities": {"Irena Valdis": "person", "Paris": "city", "4 May 1899": "date"},
        "triples": [["Irena Valdis", "born", "4 May 1899", {"role": "", "calendar": "Gregorian", "x": ["no"]}]],
    }
    work, _ = taken(said)
    assert dict(work.types) == {"irena valdis": "person", "4 may 1899": "date"}
    assert [json.loads(one.qualifiers) for one in work.triples] == [{"calendar": "Gregorian"}]
    # The date is found by rule as well, once.
    assert [one.name for one in work.mentions if one.kind == "date"] == ["4 May 1899"]


def test_a_name_that_no_rule_finds_becomes_a_mention_at_a_word_boundary() -> None:
    text = "The directorate of art has a director."
    work, _ = taken({"entities": {"director": "role"}}, text=text)
    found = [(one.start, one.name) for one in work.mentions if one.key == "director"]
    assert found == [(text.index("director."), "director")]


@pytest.mark.parametrize(
    "value",
    [
        {"entities": ["A", {"name": "B", "type": "x"}], "triples": [{"head": "A", "relation": "r", "tail": "B"}]},
        {"entities": {"A": "", "B": "x"}, "triples": [["A", "r", "B", {}]]},
        {"entities": {"A": None, "B": "x", "": "y"}, "triples": [["A", "r", "B", None], ["A", "r", "B"], None]},
    ],
)
def test_answers_in_other_shapes_are_read_and_read_back(value: Any) -> None:
    extraction = read_answer(value)
    assert extraction is not None
    assert extraction.types == {"A": "", "B": "x"}
    assert [(one.head, one.relation, one.tail) for one in extraction.triples] == [("A", "r", "B")]
    assert read_cached(extraction.to_json()) == extraction


@pytest.mark.parametrize("value", [None, [], "text", {}, {"facts": []}])
def test_what_is_no_answer_is_none(value: Any) -> None:
    assert read_answer(value) is None


SAID = {
    f"Person{at} ": {
        "entities": {f"Person{at}": "person"},
        "triples": [[f"Person{at}", "lives in", f"town{at}", {"year": str(at)}]],
    }
    for at in range(24)
}
"""By rule a passage has other facts: towns are written small."""


def corpus(folder: Path) -> str:
    lines = [
        {"id": f"d{at}", "title": f"Number {at}", "text": f"Person{at} lives in town{at}. It has a Mill Nr{at}."}
        for at in range(24)
    ]
    path = folder / "corpus.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    return str(path)


def everything(path: Path) -> dict[str, list[tuple[object, ...]]]:
    tables = ("passages", "triples", "entities", "mentions", "aliases", "entity_types", "model_cache", "synonyms")
    return stored_rows(path, tables)


class Killed(BaseException):
    """In the place of a kill."""


def test_a_build_cut_short_at_any_write_asks_nothing_again_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.build._BATCH", 4)
    source = corpus(tmp_path)
    build([source], tmp_path / "whole.clew", extractor=ScriptedExtractor(SAID))
    extractor = ScriptedExtractor(SAID)
    # Six transactions of four passages, then the titles, the names, and what the file says of itself.
    cuts = [("write", 1), ("begin_document", 5), ("write", 2), ("write", 0), ("add_title_mentions", 0)]
    for name, calls in (*cuts, ("add_entity_vectors", 0), ("set_meta", 0)):
        with monkeypatch.context() as patch:
            stop_at(patch, name, calls)
            with pytest.raises(Killed):
                build([source], tmp_path / "cut.clew", extractor=extractor)
    build([source], tmp_path / "cut.clew", extractor=extractor)
    assert len(extractor.asked) == 24
    assert fingerprint(tmp_path / "cut.clew") == fingerprint(tmp_path / "whole.clew")
    assert everything(tmp_path / "cut.clew") == everything(tmp_path / "whole.clew")


def stop_at(patch: pytest.MonkeyPatch, name: str, calls: int) -> None:
    """Have the method `name` of the writer killed at its call number `calls`, from 0."""
    original, seen = getattr(Writer, name), [0]

    def cut(self: Writer, *args: Any, **options: Any) -> Any:
        seen[0] += 1
        if seen[0] > calls:
            raise Killed
        return original(self, *args, **options)

    patch.setattr(Writer, name, cut)


@pytest.fixture
def by_rule(tmp_path: Path) -> Path:
    build([corpus(tmp_path)], tmp_path / "rules.clew")
    return tmp_path / "rules.clew"


def passages(path: Path, *keys: str) -> list[int]:
    with KnowledgeBase.open(path) as kb:
        return [kb.document_passages(key)[0].id for key in keys]


def test_enriching_replaces_the_facts_of_the_passages_that_are_named_and_of_no_others(by_rule: Path) -> None:
    first, second, other = passages(by_rule, "d1", "d2", "d3")
    with KnowledgeBase.open(by_rule) as kb:
        before = {one.id for one in kb.passage_triples([other])}
        vectors = kb.passage_vectors([first, second]).tolist()
    extractor = ScriptedExtractor(SAID)
    report = enrich(by_rule, [second, first, second, 12345], extractor)
    assert (report.by_model, report.by_rule, report.facts) == (2, 0, 2)
    assert [text.split()[0] for text in extractor.asked] == ["Person2", "Person1"]
    with KnowledgeBase.open(by_rule) as kb:
        assert [one.text() for one in kb.passage_triples([first])] == ["Person1 lives in town1"]
        assert {one.id for one in kb.passage_triples([other])} == before
        assert kb.passage_vectors([first, second]).tolist() == vectors
    assert check(by_rule) == []
    assert enrich(by_rule, [first, second], extractor).by_model == 0
    assert len(extractor.asked) == 2


def test_enriching_everything_gives_the_file_that_a_build_by_the_model_gives(by_rule: Path, tmp_path: Path) -> None:
    build([corpus(tmp_path)], tmp_path / "model.clew", extractor=ScriptedExtractor(SAID))
    enrich(by_rule, passages(by_rule, *(f"d{at}" for at in range(24))), ScriptedExtractor(SAID))
    assert everything(by_rule) == everything(tmp_path / "model.clew")


def test_names_that_only_the_replaced_facts_had_are_forgotten(tmp_path: Path) -> None:
    source, path = tmp_path / "one.jsonl", tmp_path / "a.clew"
    source.write_text(json.dumps({"id": "d", "title": "T", "text": "Person1 lives in town1."}), "utf-8")
    old = ScriptedExtractor({"Person1": {"triples": [["Person1", "lives in", "in town1"]]}})
    build([str(source)], path, extractor=old)
    with KnowledgeBase.open(path) as kb:
        assert kb.named(["in town1"])
    new = ScriptedExtractor({"Person1": {"triples": [["Person1", "lives", "1"]]}}, ModelPrompt("better", "1"))
    enrich(path, passages(path, "d"), new)
    with KnowledgeBase.open(path) as kb:
        # What stands in the text stays a mention of it.
        assert [one.text() for one in kb.passage_triples(passages(path, "d"))] == []
    assert check(path) == []


def test_another_model_is_asked_again_where_the_user_enriches_but_not_where_a_build_goes_on(
    by_rule: Path, tmp_path: Path
) -> None:
    ids = passages(by_rule, "d1")
    enrich(by_rule, ids, ScriptedExtractor(SAID))
    other = ScriptedExtractor(SAID, ModelPrompt("better", "1"))
    assert unenriched(by_rule, ids, ScriptedExtractor(SAID).prompt) == []
    assert [one.title for one in unenriched(by_rule, ids, other.prompt)] == ["Number 1"]
    build([corpus(tmp_path)], by_rule, extractor=other)
    assert len(other.asked) == 23
    enrich(by_rule, ids, other)
    assert len(other.asked) == 24


def test_an_enrichment_that_is_cut_short_asks_nothing_again_and_ends_the_same(
    by_rule: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.enriching._BATCH", 4)
    ids = passages(by_rule, *(f"d{at}" for at in range(24)))
    whole = tmp_path / "whole.clew"
    whole.write_bytes(by_rule.read_bytes())
    enrich(whole, ids, ScriptedExtractor(SAID))
    extractor = ScriptedExtractor(SAID)
    for calls in (0, 2, 1):
        with monkeypatch.context() as patch:
            stop_at(patch, "replace_facts", calls)
            with pytest.raises(Killed):
                enrich(by_rule, ids, extractor)
        assert check(by_rule) == []
    enrich(by_rule, ids, extractor)
    assert len(extractor.asked) == 24
    assert everything(by_rule) == everything(whole)


class Dead(ScriptedExtractor):
    """A model that cannot be asked."""

    def ask(self, passages: Any, cache: ModelCache) -> None:
        raise ModelFailure("no")


def test_where_the_model_cannot_be_asked_nothing_is_changed(by_rule: Path, tmp_path: Path) -> None:
    before = everything(by_rule)
    with pytest.raises(ModelFailure):
        enrich(by_rule, passages(by_rule, "d1"), Dead(SAID))
    with pytest.raises(ModelFailure):
        build([corpus(tmp_path)], by_rule, extractor=Dead(SAID))
    assert everything(by_rule) == before
    assert check(by_rule) == []


def test_what_the_model_does_not_answer_is_extracted_by_rule_until_it_does(by_rule: Path, tmp_path: Path) -> None:
    some = ScriptedExtractor({key: said for key, said in SAID.items() if not key.startswith("Person1")})
    report = build([corpus(tmp_path)], tmp_path / "a.clew", extractor=some)
    assert (report.extraction.by_model, report.extraction.by_rule) == (13, 11)
    with KnowledgeBase.open(tmp_path / "a.clew") as kb, KnowledgeBase.open(by_rule) as rules:
        same = passages(by_rule, "d1", "d12")
        assert kb.passage_triples(same) == rules.passage_triples(same)
    report = build([corpus(tmp_path)], tmp_path / "a.clew", extractor=ScriptedExtractor(SAID))
    assert (report.unchanged, report.extraction.by_model, report.extraction.by_rule) == (24, 11, 0)
    build([corpus(tmp_path)], tmp_path / "b.clew", extractor=ScriptedExtractor(SAID))
    assert fingerprint(tmp_path / "a.clew") == fingerprint(tmp_path / "b.clew")


def test_a_build_without_a_model_leaves_what_a_model_extracted(tmp_path: Path) -> None:
    path = tmp_path / "a.clew"
    build([corpus(tmp_path)], path, extractor=ScriptedExtractor(SAID))
    before = everything(path)
    assert build([corpus(tmp_path)], path).unchanged == 24
    assert everything(path) == before
    assert PassageText("Number 1", "Person1 lives in town1. It has a Mill Nr1.").content in str(before)


def test_qualifiers_and_types_are_content_and_count_in_the_fingerprint(tmp_path: Path) -> None:
    said: dict[str, Any] = {"entities": {"Ada": "person"}, "triples": [["Ada", "lives in", "Rome", {"since": "1931"}]]}
    other_year = said | {"triples": [["Ada", "lives in", "Rome", {"since": "1932"}]]}
    untyped = said | {"entities": {"Ada": ""}}
    plain = {"entities": {}, "triples": [["Ada", "lives in", "Rome"]]}
    (tmp_path / "a.txt").write_text("Ada lives in Rome since 1931 or 1932.", "utf-8")
    prints = {}
    for name, one in (("said", said), ("again", said), ("year", other_year), ("untyped", untyped), ("plain", plain)):
        file = tmp_path / f"{name}.clew"
        build([str(tmp_path / "a.txt")], file, extractor=ScriptedExtractor({"Ada": one}))
        prints[name] = fingerprint(file)
    assert prints["said"] == prints.pop("again")
    assert len(set(prints.values())) == 4
