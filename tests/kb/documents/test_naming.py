"""What documents of several folders are called."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from kb.documents.file_stamps import FileName, Stamp, take_stamp
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


def stamps_of(now: str, before: str, *sources: str) -> dict[FileName, Stamp]:
    """Files of a folder, made where it is now, with the stamps that they had where it was before."""
    stamps: dict[FileName, Stamp] = {}
    for source in sources:
        path = Path(now, source)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
        stamp = take_stamp(path, (before, source), "in a folder")
        assert stamp is not None
        stamps[before, source] = stamp
    return stamps


def moved(now: str, sources: Sequence[str], stamps: Mapping[FileName, Stamp]) -> dict[str, str]:
    stored = {f"{root}/{source}": (root, source) for root, source in stamps}
    return named_apart([Place("", source, now) for source in sources], stored, stamps).moved


def test_a_folder_that_was_moved_is_itself(tmp_path: Path) -> None:
    now, before = str(tmp_path / "now"), str(tmp_path / "before")
    stamps = stamps_of(now, before, "x.md", "y.md")
    stored = {"x.md": (before, "x.md"), "y.md": (before, "y.md"), "y.md#1": (before, "y.md")}
    named = named_apart([Place("", source, now) for source in ("x.md", "y.md", "z.md")], stored, stamps)
    assert [place.key for place in named.places] == ["x.md", "y.md", "z.md"]
    assert named.moved == {before: now}
    assert keys(stored, (now, "x.md"), (now, "y.md")) == ["now/x.md", "now/y.md"]  # nothing tells that it is the same


@pytest.mark.parametrize("sources", [["x.md"], ["x.md", "y.md", "1.md", "2.md", "3.md"]])
def test_a_folder_is_another_where_less_than_half_of_eithers_files_are_shared(
    tmp_path: Path, sources: list[str]
) -> None:
    now, before = str(tmp_path / "new" / "notes"), str(tmp_path / "old" / "notes")
    assert moved(now, sources, stamps_of(now, before, "x.md", "y.md", "z.md")) == {}


def test_a_folder_that_has_files_of_the_same_names_is_another(tmp_path: Path) -> None:
    now, before = str(tmp_path / "now"), str(tmp_path / "before")
    stamps = stamps_of(now, before, "LICENSE", "NEWS", "README")
    Path(now, "NEWS").write_text("It has news of its own.")
    assert moved(now, ["LICENSE", "NEWS", "README"], stamps) == {before: now}
    Path(now, "README").write_text("It is another.")
    assert moved(now, ["LICENSE", "NEWS", "README"], stamps) == {}


def test_a_lone_file_was_moved_with_its_folder_where_that_is_called_the_same(tmp_path: Path) -> None:
    now = str(tmp_path / "new" / "notes")
    same, other = str(tmp_path / "old" / "notes"), str(tmp_path / "old" / "export")
    assert moved(now, ["x.md"], stamps_of(now, same, "x.md")) == {same: now}
    assert moved(now, ["x.md"], stamps_of(now, other, "x.md")) == {}


def test_a_folder_is_the_one_of_which_it_has_the_most(tmp_path: Path) -> None:
    now, first, best = (str(tmp_path / name) for name in ("now", "a", "b"))
    stamps = stamps_of(now, first, "x.md", "y.md") | stamps_of(now, best, "x.md", "y.md", "z.md")
    assert moved(now, ["x.md", "y.md", "z.md"], stamps) == {best: now}


def test_a_folder_is_moved_to_one_place(tmp_path: Path) -> None:
    one, two, before = (str(tmp_path / name) for name in ("one", "two", "before"))
    stamps = stamps_of(one, before, "x.md", "y.md")
    shutil.copytree(one, two)
    places = [Place("", source, root) for root in (one, two) for source in ("x.md", "y.md")]
    assert named_apart(places, {source: (before, source) for source in ("x.md", "y.md")}, stamps).moved == {before: one}


@pytest.mark.parametrize("error", [PermissionError, None])
def test_a_folder_that_is_there_or_may_be_was_not_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[OSError] | None
) -> None:
    now, before = str(tmp_path / "now"), str(tmp_path / "before")
    stamps = stamps_of(now, before, "x.md", "y.md")
    usual = Path.stat

    def stat(path: Path, **how: bool) -> os.stat_result:
        if str(path) == before and error is not None:
            raise error
        return usual(tmp_path if str(path) == before else path, **how)

    monkeypatch.setattr(Path, "stat", stat)
    assert moved(now, ["x.md", "y.md"], stamps) == {}


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


def test_a_file_keeps_its_name_beside_rows_of_another_that_have_theirs_in_front() -> None:
    stored = {"b/rows.csv#7": ("/b", "rows.csv"), "7": ("/a", "rows.csv")}
    assert keys(stored, ("/b", "rows.csv"), ("/a", "rows.csv")) == ["b/rows.csv", "rows.csv"]


def test_ids_that_rows_have_themselves_are_no_names() -> None:
    assert keys({"x.md": ("/home/a", "corpus.jsonl")}, ("/home/b", "x.md")) == ["x.md"]
