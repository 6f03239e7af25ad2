from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import BOTH, in_engine

from kb.build import build
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shelf")
    texts = {
        "ships/fram.txt": "Fram\n\nThe Fram sailed north.",
        "ships/gjoa.txt": "Gjøa\n\nThe Gjøa sailed west. Ada Moor was aboard.",
        "people/moor.txt": "Ada Moor\n\nAda Moor built suspension bridges.",
        "notes.txt": "Notes\n\nNothing yet of bridges, and no suspension.",
    }
    for name, text in texts.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_text(text, encoding="utf-8")
    build([str(folder / "in")], folder / "shelf.clew")
    return folder / "shelf.clew"


@pytest.fixture(scope="module", params=BOTH)
def shelf(request: pytest.FixtureRequest, file: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(in_engine(request, file)) as kb:
        yield kb


def test_folders_come_by_name_and_what_is_in_none_last(shelf: KnowledgeBase) -> None:
    assert listing.folders(shelf, 1) == [
        listing.Folder("people", 1, ("people/moor.txt",)),
        listing.Folder("ships", 2, ("ships/fram.txt",)),
        listing.Folder("", 1, ("notes.txt",)),
    ]


def test_files_come_by_name(shelf: KnowledgeBase) -> None:
    assert [(one.name, one.documents) for one in listing.files(shelf, 1)] == [
        ("notes.txt", 1),
        ("people/moor.txt", 1),
        ("ships/fram.txt", 1),
        ("ships/gjoa.txt", 1),
    ]


def test_documents_from_all_over(shelf: KnowledgeBase) -> None:
    assert listing.spread(shelf, 2) == ["people/moor.txt", "ships/gjoa.txt"]
    assert len(listing.spread(shelf, 4)) == len(listing.spread(shelf, 40)) == 4


def test_the_documents_of_a_file(shelf: KnowledgeBase, file: Path) -> None:
    whole = str(file.parent.resolve() / "in" / "ships" / "fram.txt")
    assert [listing.keys_of_file(shelf, one) for one in ("ships/fram.txt", whole)] == [["ships/fram.txt"]] * 2
    assert listing.keys_of_file(shelf, "fram.txt") == []
    assert [one.key for one in listing.list_documents(shelf, "gjoa.t").items] == ["ships/gjoa.txt"]


def test_opening_passages(shelf: KnowledgeBase) -> None:
    found = listing.opening_passages(shelf, ["ships/fram.txt", "nothing.txt"])
    assert [passage.title for passage in found.values()] == ["Fram"]
    assert listing.opening_passages(shelf, []) == {}


def test_passages_saying(shelf: KnowledgeBase) -> None:
    def titles(*phrases: str, whole: bool = True) -> list[str]:
        return [passage.title for passage in listing.passages_saying(shelf, phrases, whole=whole)]

    assert titles("suspension bridge") == ["Ada Moor"]
    assert titles("suspension bridge", whole=False) == ["Ada Moor", "Notes"]
    assert titles("fram", "gjøa") == ["Fram", "Gjøa"]
    assert titles("?!") == titles() == []


def test_passages_with_a_text_as_it_is_written(shelf: KnowledgeBase) -> None:
    assert [one.title for one in listing.passages_with(shelf, "suspension bridge", limit=9)] == ["Ada Moor"]
    assert len(listing.passages_with(shelf, "a", limit=2)) == 2
    assert listing.passages_with(shelf, "SUSPENSION", limit=9) == listing.passages_with(shelf, "", limit=9) == []
    assert listing.passages_with(shelf, "%' OR 1 = 1 --", limit=9) == []


def test_the_only_document_of_a_surname(shelf: KnowledgeBase) -> None:
    assert listing.keys_by_surname(shelf, "Moor") == ["people/moor.txt"]
    assert listing.keys_by_surname(shelf, "moor") == listing.keys_by_surname(shelf, "Ada") == []
    assert listing.keys_by_surname(shelf, "") == []


def test_rules_tell_no_types(shelf: KnowledgeBase) -> None:
    assert listing.entities_of_type(shelf, ["ship"]) == []


def test_one_row_of_each_table_whose_rows_are_documents(tmp_path: Path) -> None:
    (tmp_path / "in" / "old").mkdir(parents=True)
    for name in ("dogs.csv", "old/dogs.csv", "vets.csv"):
        (tmp_path / "in" / name).write_text("name,kind\nBiscuit,lurcher\nPeg,whippet\n", encoding="utf-8")
    (tmp_path / "in" / "notes.txt").write_text("Biscuit is #1.", encoding="utf-8")
    build([str(tmp_path / "in")], tmp_path / "dogs.clew")
    with KnowledgeBase.open(tmp_path / "dogs.clew") as kb:
        keys = listing.row_tables(kb, limit=9)
        assert [key.rpartition("#")[0] for key in keys] == ["dogs.csv", "old/dogs.csv", "vets.csv"]
        assert [len(listing.passages_beside(kb, key, limit=9)) for key in keys] == [2, 2, 2]
        assert listing.row_tables(kb, limit=1) == keys[:1]


def test_a_shelf_without_tables_has_none(shelf: KnowledgeBase) -> None:
    assert listing.row_tables(shelf, limit=9) == []
