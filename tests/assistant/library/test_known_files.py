"""The list of knowledge bases that were used, and what a typed path may become."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.commands.cli import main
from assistant.library.known_files import KEPT, Known, Library, completed, matching, typed_path
from kb.errors import UsageError, WriteError


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "state" / "library.json")


def names(library: Library) -> list[str]:
    return [one.path.name for one in library.all()]


def test_the_latest_comes_first_and_once(library: Library, tmp_path: Path) -> None:
    (tmp_path / "a.clew").touch()
    library.note(tmp_path / "a.clew", 3)
    library.note(tmp_path / "b.clew")
    library.note(tmp_path / "x" / ".." / "a.clew", 4)
    first, second = library.all()
    assert (first.path, first.passages, first.is_there) == (tmp_path / "a.clew", 4, True)
    assert (second.path, second.passages, second.is_there) == (tmp_path / "b.clew", None, False)
    assert [path.name for path in library.file.parent.iterdir()] == ["library.json"]


def test_dropping_one_leaves_its_file(library: Library, tmp_path: Path) -> None:
    (tmp_path / "a.clew").touch()
    library.note(tmp_path / "a.clew")
    library.note(tmp_path / "b.clew")
    library.drop(tmp_path / "a.clew")
    assert names(library) == ["b.clew"]
    assert (tmp_path / "a.clew").exists()
    with pytest.raises(UsageError, match=r"a\.clew' is not in the library"):
        library.drop(tmp_path / "a.clew")


def test_the_ones_used_longest_ago_go(library: Library, tmp_path: Path) -> None:
    library._write([{"path": str(tmp_path / f"{n}.clew"), "used": "", "passages": None} for n in range(KEPT)])
    library.note(tmp_path / "new.clew")
    assert len(names(library)) == KEPT
    assert names(library)[0] == "new.clew"
    assert f"{KEPT - 1}.clew" not in names(library)


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"files": 1}', '{"files": [{"path": 3}, {"used": "x"}, 7]}'])
def test_a_file_that_holds_no_list_reads_as_an_empty_one(library: Library, content: str) -> None:
    library.file.parent.mkdir()
    library.file.write_text(content)
    assert library.all() == []
    library.note(Path("a.clew"))
    assert names(library) == ["a.clew"]


def test_a_name_that_is_no_text_is_kept(library: Library, tmp_path: Path) -> None:
    library.note(tmp_path / "\udc80[bold].clew")
    assert names(library) == ["\udc80[bold].clew"]


def test_where_it_cannot_be_written_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(WriteError, match="cannot write"):
        Library(tmp_path / "taken" / "library.json").note(Path("a.clew"))


def test_words_are_looked_for_in_names_first() -> None:
    known = [Known(Path(path), "", None, True) for path in ("/films/x.clew", "/y/Films.clew", "/y/z.clew")]
    assert [str(one.path) for one in matching(known, "FILM")] == ["/y/Films.clew", "/films/x.clew"]
    assert matching(known, "") == known
    assert matching(known, "films none") == []


def test_a_path_is_completed_as_it_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("notes", "nothing", ".hidden"):
        (tmp_path / name).mkdir()
    for name in ("a.clew", "n.CLEW", "n.txt", ".secret.clew"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert completed("") == ["notes/", "nothing/", "a.clew", "n.CLEW"]
    assert completed("n") == ["notes/", "nothing/", "n.CLEW"]
    assert completed("~/not") == ["~/notes/", "~/nothing/"]
    assert completed(f"{tmp_path}/a") == [f"{tmp_path}/a.clew"]
    assert completed(".") == [".hidden/", ".secret.clew"]
    assert completed("n", (".txt",)) == ["notes/", "nothing/", "n.txt"]
    for text in ("notes/", "nowhere/x", "a.clew/x", "~nobody-is-called-this/x", "\0"):
        assert completed(text) == []


def test_a_home_that_is_not_known_is_one_line() -> None:
    with pytest.raises(UsageError, match="no such user"):
        typed_path("~nobody-is-called-this/x.clew")


def test_the_command_lists_and_drops(tmp_path: Path) -> None:
    (tmp_path / "a.clew").touch()
    Library().note(tmp_path / "gone.clew")
    Library().note(tmp_path / "a.clew", 1234)
    listed = CliRunner().invoke(main, ["library"]).stdout.splitlines()
    assert [line.split("\t")[:2] for line in listed] == [
        [str(tmp_path / "a.clew"), "1,234"],
        [str(tmp_path / "gone.clew"), ""],
    ]
    assert [line.endswith("\tgone") for line in listed] == [False, True]
    dropped = CliRunner().invoke(main, ["library", "--forget", str(tmp_path / "gone.clew"), "--json"])
    assert [one["passages"] for one in json.loads(dropped.stdout)] == [1234]
    again = CliRunner().invoke(main, ["library", "--forget", str(tmp_path / "gone.clew")])
    assert again.exit_code == 2
    assert "not in the library" in again.stderr
