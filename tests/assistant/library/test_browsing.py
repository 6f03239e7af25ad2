"""Looking around: lists by what is typed, documents with their passages, and what is around an entity."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.library.browsing import (
    Browser,
    Place,
    RowPage,
    document_named,
    documents,
    entities,
    entity_named,
    find_document,
    find_documents,
    look_at,
    neighbourhood,
)
from kb.build import build
from kb.errors import NotAKnowledgeBase, UsageError
from kb.store.knowledge_base import KnowledgeBase
from kb.store.listing import facts_at, list_documents, list_entities, passages_mentioning


def text(rows: RowPage) -> list[str]:
    return [line.text for row in rows.rows for line in row.lines]


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents with names that try to be more than text, two of one title, and one in sixty passages."""
    folder = tmp_path_factory.mktemp("hostile")
    long = " ".join(f"Walzer Nr. {n} was played in Café Möhring on {n % 28 + 1} May 1931." * 4 for n in range(240))
    records = [
        {
            "id": "[/foo]",
            "title": "[bold]Übel[/] $primary",
            "text": "Übel met [/foo] in Prague.",
            "by": {"x": ["\u202e"]},
        },
        {"id": "a", "title": "Twice", "text": "Twice was made by Anna Lind in 1931."},
        {"id": "b", "title": "Twice", "text": "Twice was made by Berta Lind in 1932."},
        {"id": "50%_off", "title": "Long", "text": long},
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    build([str(folder / "corpus.jsonl")], folder / "hostile.clew")
    return folder / "hostile.clew"


@pytest.fixture
def hostile(hostile_file: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(hostile_file) as kb:
        yield kb


def test_documents_come_by_title_before_text(small: KnowledgeBase) -> None:
    found = list_documents(small, "vald")
    assert [one.title for one in found.items] == ["Irena Valdis", "Oskar Valdis", "The Glass Harbour"]
    assert found.total == 3
    assert [one.key for one in list_documents(small, "tarnow").items] == ["tarnow", "valdis"]
    assert [one.key for one in list_documents(small, "glasswork").items] == ["glasswork"]


def test_every_word_counts_and_its_beginning_will_do(small: KnowledgeBase) -> None:
    assert [one.key for one in list_documents(small, "coast fer").items] == ["ferry"]
    assert list_documents(small, "coast nothing").total == 0


def test_accents_case_and_signs_do_not_matter(hostile: KnowledgeBase) -> None:
    assert [one.key for one in list_documents(hostile, "UBEL").items] == ["[/foo]"]
    assert [one.key for one in list_documents(hostile, "50%_off").items] == ["50%_off"]
    for words in ("%", '"', "* AND", "NEAR(a b)", "'; --", "\0", "\ud83d"):
        assert list_documents(hostile, words).total >= 0
        assert list_entities(hostile, words).total >= 0


def test_all_are_listed_a_page_at_a_time(small: KnowledgeBase) -> None:
    pages = [list_documents(small, limit=5, offset=offset) for offset in (0, 5, 10)]
    assert [page.next for page in pages] == [5, 10, None]
    titles = [one.title for page in pages for one in page.items]
    assert len(titles) == pages[0].total == 12
    assert titles == sorted(titles, key=str.lower)
    assert list_documents(small, offset=99).items == ()
    ids = [one.id for offset in range(0, 100, 7) for one in list_entities(small, limit=7, offset=offset).items]
    assert len(ids) == len(set(ids)) == list_entities(small).total


def test_entities_come_by_name_then_by_mentions(small: KnowledgeBase) -> None:
    found = list_entities(small, "irena").items
    assert found[0].name == "Irena Valdis"
    assert found[0].kind == "title"
    everything = [one.passages for one in list_entities(small, limit=500).items[1:]]
    assert everything == sorted(everything, reverse=True)
    assert entity_named(small, "oskar valdis").name == "Oskar Valdis"


def test_a_single_digit_is_listed_only_where_it_is_looked_for(tmp_path: Path) -> None:
    source = tmp_path / "c.md"
    source.write_text(
        "# Mill\n\nDepth: 4\nOpen: Yes\nHeight: 12 m\n\n1. It belongs to Ana Souza.\n2. It opened with 3 men in 1902.\n"
    )
    build([str(source)], tmp_path / "c.clew")
    with KnowledgeBase.open(tmp_path / "c.clew") as kb:
        names = [one.name for one in list_entities(kb).items]
        assert "Ana Souza" in names
        assert "1902" in names
        assert not {"1", "3", "4", "Yes"} & {*names}
        assert not [one for one in list_entities(kb, "yes").items if one.passages]
        assert [one.name for one in list_entities(kb, "4").items] == ["4"]
        assert list_entities(kb).total == len(names)


def test_an_alias_finds_its_entity(tmp_path: Path) -> None:
    source = tmp_path / "c.jsonl"
    source.write_text(json.dumps({"title": "Stanley, North Dakota", "text": "A city on the plains."}) + "\n")
    build([str(source)], tmp_path / "c.clew")
    with KnowledgeBase.open(tmp_path / "c.clew") as kb:
        found = entity_named(kb, "stanley")
        assert found.name == "Stanley, North Dakota"
        assert neighbourhood(kb, found.id).aliases == ("stanley",)


@pytest.mark.parametrize("name", ["", "…", "nobody of this name"])
def test_a_name_that_nothing_has_is_one_line(small: KnowledgeBase, name: str) -> None:
    with pytest.raises(UsageError, match="no entity is called"):
        entity_named(small, name)


def test_the_neighbourhood_is_a_tree_that_leads_on(small: KnowledgeBase) -> None:
    valdis = entity_named(small, "Irena Valdis")
    rows = look_at(small, Place("entity", str(valdis.id)))
    lines = text(rows)
    assert lines[0] == "Irena Valdis  title · in 2 passages"
    assert "its documents (1)" in lines
    assert "└─ Irena Valdis  valdis · 1 passage" in lines
    assert any(line.startswith("├─ ") and line.endswith("→ Tarnow Bay") for line in lines)
    assert sum("born 4 May 1899 in Tarnow Bay" in line for line in lines) == 1
    incoming = lines.index("facts to it (1)")
    assert lines[incoming + 1] == "└─ The Glass Harbour silent film directed by → it"
    assert lines[incoming + 2].startswith("   “The Glass Harbour is a 1931 silent film")
    places = {row.place.name: row.place for row in rows.rows if row.place and row.place.kind == "entity"}
    assert text(look_at(small, places["The Glass Harbour"]))[0].startswith("The Glass Harbour  title")
    assert "Tarnow Bay" in places


def test_of_many_facts_some_are_shown_and_the_rest_counted(hostile: KnowledgeBase) -> None:
    year = entity_named(hostile, "Café Möhring")
    total = passages_mentioning(hostile, year.id).total
    assert total > 3
    around = neighbourhood(hostile, year.id, limit=2)
    assert len(around.passages.items) == 2
    from assistant.library.browsing import neighbourhood_rows

    assert neighbourhood_rows(around)[-1].lines[0].text == f"└─ and {total - 2:,} more"
    facts = facts_at(hostile, year.id, "tail", limit=3)
    assert len(facts.items) == 3 < facts.total


def test_a_document_is_read_a_page_at_a_time(hostile: KnowledgeBase) -> None:
    first = look_at(hostile, Place("document", "50%_off"))
    assert text(first)[0] == "Long"
    assert "id: 50%_off" in text(first)
    assert first.next == 50
    second = look_at(hostile, Place("document", "50%_off"), offset=50)
    assert text(second)[1] == f"51 of {first.total}"
    assert second.next is None or second.next == 100


def test_hostile_names_are_text(hostile: KnowledgeBase) -> None:
    lines = text(documents(hostile)) + text(entities(hostile)) + text(look_at(hostile, Place("document", "[/foo]")))
    assert "[bold]Übel[/] $primary  [/foo] · 1 passage" in lines
    assert not any("\x1b" in line or "\n" in line for line in lines)
    assert 'by: {"x": [""]}' in lines


def test_a_document_goes_by_its_id_or_else_its_only_title(hostile_file: Path, hostile: KnowledgeBase) -> None:
    assert document_named(hostile, "Long").key == document_named(hostile, "50%_off").key == "50%_off"
    with pytest.raises(UsageError, match="2 documents have the title 'Twice'"):
        document_named(hostile, "Twice")
    with pytest.raises(UsageError, match="there is no document 'Thrice'"):
        document_named(hostile, "Thrice")
    assert find_document(hostile_file, "Twice") is None
    assert [one.key for one in find_documents(hostile_file, "twi", 1)] == ["a"]


async def test_a_browser_reads_beside_the_loop_and_closes(small_file: Path) -> None:
    browser = Browser(small_file)
    assert (await browser.documents("vald")).total == 3
    assert (await browser.entities("irena")).rows[0].place is not None
    thread = browser._thread
    browser.close()
    thread.shutdown(wait=True)
    assert browser._kb is None


async def test_a_browser_of_a_file_that_is_none_says_so(tmp_path: Path) -> None:
    browser = Browser(tmp_path / "none.clew")
    with pytest.raises(NotAKnowledgeBase):
        await browser.documents("")
    browser.close()


def test_a_document_shows_those_that_link_to_it(tmp_path: Path) -> None:
    (tmp_path / "ovens.md").write_text("# On heat\n\nWarm.\n")
    (tmp_path / "log.md").write_text("# Log\n\nAs told in [the notes](ovens.md).\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        shown = look_at(kb, Place("document", "ovens.md"))
        assert "named or linked to in (1)" in text(shown)
        assert "log.md" in [row.place.key for row in shown.rows if row.place is not None]
        assert not any("linked to" in line for line in text(look_at(kb, Place("document", "log.md"))))


def test_a_document_is_found_by_the_file_that_is_cited(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "boats.csv").write_text("name,length\nAurora,12 m\nBella,9 m\n")
    (folder / "one.jsonl").write_text(json.dumps({"id": "7", "title": "Talk", "text": "It is short."}))
    build([str(folder)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        for name in ("one.jsonl", f"{folder.resolve()}/one.jsonl", "Talk", "7"):
            assert document_named(kb, name).key == "7"
        with pytest.raises(
            UsageError, match=r"^2 documents are in the file 'boats.csv'; .*: boats.csv#2, boats.csv#3$"
        ):
            document_named(kb, "boats.csv")
        assert [one.key for one in list_documents(kb, "one.jsonl").items] == ["7"]


def test_the_lines_of_a_passage_are_lines(tmp_path: Path) -> None:
    (tmp_path / "vet.md").write_text("# Vet\n\n## Lungworm\n\nGive Panacur.\n\n## Ringworm\n\n- Imaverol\n- gloves\n")
    build([tmp_path / "vet.md"], tmp_path / "vet.clew")
    with KnowledgeBase.open(tmp_path / "vet.clew") as kb:
        shown = text(look_at(kb, Place("document", "vet.md")))
    assert shown[-5:] == ["## Lungworm", "Give Panacur.", "## Ringworm", "- Imaverol", "- gloves"]
