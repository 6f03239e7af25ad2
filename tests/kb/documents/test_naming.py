"""What documents of several folders are called."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from kb.documents.file_stamps import FileName
from kb.documents.naming import named_apart
from kb.documents.rows import Place


def keys(stored: Mapping[str, FileName], *files: FileName) -> list[str]:
    return [place.key for place in named_apart([Place("", source, root) for root, source in files], stored).places]


def test_no_files_have_no_names() -> None:
    assert named_apart([], {}).places == []


def test_one_folder_is_called_by_its_paths_alone() -> None:
    assert keys({}, ("/home/a", "x.md"), ("/home/a", "sub/x.md")) == ["x.md", "sub/x.md"]


def test_all_of_a_later_folder_has_its_name_in_front_where_one_file_needs_it() -> None:
    found = keys({}, ("/home/a", "x.md"), ("/home/b", "x.md"), ("/home/b", "y.md"), ("/home/c", "z.md"))
    assert found == ["x.md", "b/x.md", "b/y.md", "z.md"]  # so that links between x and y still lead there


def test_folders_of_one_name_have_the_one_above_in_front_as_well() -> None:
    found = keys({}, ("/one/docs", "x.md"), ("/two/docs", "x.md"), ("/three/docs", "x.md"))
    assert found == ["x.md", "docs/x.md", "three/docs/x.md"]


@pytest.mark.parametrize("order", [("/home/a", "/home/b"), ("/home/b", "/home/a")])
def test_what_is_stored_is_called_as_it_is(order: tuple[str, str]) -> None:
    stored = {"b/x.md": ("/home/b", "x.md"), "x.md": ("/home/a", "x.md"), "rows.csv#7": ("/home/a", "rows.csv")}
    named = {root: keys(stored, *((one, "x.md") for one in order))[place] for place, root in enumerate(order)}
    assert named == {"/home/a": "x.md", "/home/b": "b/x.md"}
    assert keys(stored, ("/home/b", "new.md"), ("/home/b", "rows.csv")) == ["b/new.md", "b/rows.csv"]
    assert keys(stored, ("/home/c", "rows.csv")) == ["c/rows.csv"]


def test_a_new_file_of_a_stored_folder_takes_no_other_files_name() -> None:
    stored = {"x.md": ("/home/a", "x.md"), "y.md": ("/home/b", "y.md")}
    assert keys(stored, ("/home/b", "y.md"), ("/home/b", "x.md")) == ["y.md", "b/x.md"]


def test_a_folder_that_was_moved_is_itself(tmp_path: Path) -> None:
    gone, there = str(tmp_path / "gone" / "notes"), str(tmp_path)
    stored = {"x.md": (gone, "x.md"), "y.md": (gone, "y.md")}
    assert keys(stored, ("/new/place", "x.md"), ("/new/place", "y.md"), ("/new/place", "z.md")) == [
        "x.md",
        "y.md",
        "z.md",
    ]
    assert keys(stored, ("/new/notes", "x.md")) == ["x.md"]
    # One file of a folder that is called otherwise, few of many, or a folder that is still there: another one.
    assert keys(stored, ("/new/place", "x.md")) == ["place/x.md"]
    assert keys(stored, ("/new/notes", "x.md"), ("/new/notes", "1.md"), ("/new/notes", "2.md"))[0] == "notes/x.md"
    assert keys({"x.md": (there, "x.md"), "y.md": (there, "y.md")}, ("/n", "x.md"), ("/n", "y.md")) == [
        "n/x.md",
        "n/y.md",
    ]


def test_a_folder_that_was_moved_is_told() -> None:
    places = [Place("", source, "/new/place") for source in ("x.md", "y.md")]
    assert named_apart(places, {"x.md": ("/gone", "x.md"), "y.md": ("/gone", "y.md")}).moved == {"/gone": "/new/place"}
    assert named_apart(places, {"x.md": ("/new/place", "x.md")}).moved == {}


def test_a_files_name_is_found_at_the_end_of_its_documents_keys() -> None:
    stored = {"README-x/README": ("/one/README-x", "README"), "README": ("/a", "README")}
    assert keys(stored, ("/one/README-x", "README"), ("/one/README-x", "new")) == ["README-x/README", "README-x/new"]


def test_a_file_that_is_stored_as_one_of_another_folder_is_itself() -> None:
    stored = {"x.md": ("/home/docs", "x.md"), "sub/y.md": ("/home", "sub/y.md")}
    places = named_apart([Place("", "docs/x.md", "/home"), Place("", "y.md", "/home/sub")], stored).places
    assert [(one.key, one.root, one.source) for one in places] == [
        ("x.md", "/home/docs", "x.md"),
        ("sub/y.md", "/home", "sub/y.md"),
    ]


def test_a_file_has_its_name_where_its_rows_have_ids_of_their_own() -> None:
    assert keys({"7": ("/a", "rows.csv")}, ("/b", "rows.csv"), ("/a", "rows.csv")) == ["b/rows.csv", "rows.csv"]


def test_ids_that_rows_have_themselves_are_no_names() -> None:
    assert keys({"x.md": ("/home/a", "corpus.jsonl")}, ("/home/b", "x.md")) == ["x.md"]
