from __future__ import annotations

import errno
import io
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from documents import docx, pdf

from kb.documents import reading_files
from kb.documents.file_types import SUFFIXES
from kb.documents.found_files import Skipped
from kb.documents.sources import read_sources
from kb.errors import SourceError, UsageError
from kb.records import Document


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder `docs` in the working directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "docs"
    path.mkdir()
    return path


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(*names: str | Path, stdin: bytes = b"") -> list[Document | SourceError | Skipped]:
    return list(read_sources([str(name) for name in names], stdin=io.BytesIO(stdin)))


def keys(items: Sequence[object]) -> list[str]:
    return [item.key for item in items if isinstance(item, Document)]


def errors(items: Sequence[object]) -> list[str]:
    return [str(item) for item in items if isinstance(item, SourceError)]


def skipped(items: Sequence[object]) -> list[tuple[str, str]]:
    return [(item.path, item.reason) for item in items if isinstance(item, Skipped)]


# Where documents come from


def test_every_format_in_one_folder(folder: Path) -> None:
    write(folder / "a_note.txt", "Just a note on rivers.")
    write(folder / "b.md", "# Heading\n\nBody *text*.")
    write(folder / "c.html", "<title>Page</title><p>Body text.</p>")
    write(folder / "d.pdf", pdf([["Body text."]], title="Report"))
    write(folder / "e.docx", docx([("Heading 1", "Letter"), ("Normal", "Body text.")]))
    write(folder / "f.csv", "id,name,text\n1,Row,Body text.\n")
    write(folder / "g.jsonl", '{"id": "L1", "title": "Line", "text": "Body text."}\n')
    write(folder / "H.TXT", "Title\n\nBody text.")
    found = [item for item in read("docs") if isinstance(item, Document)]
    assert [(d.key, d.title, d.text, d.source, d.format) for d in found] == [
        ("H.TXT", "Title", "Body text.", "H.TXT", "text"),
        ("a_note.txt", "A note", "Just a note on rivers.", "a_note.txt", "text"),
        ("b.md", "Heading", "Body text.", "b.md", "markdown"),
        ("c.html", "Page", "Body text.", "c.html", "html"),
        ("d.pdf", "Report", "Body text.", "d.pdf", "pdf"),
        ("e.docx", "Letter", "Body text.", "e.docx", "docx"),
        ("f.csv#1", "Row", "Body text.", "f.csv", "csv"),
        ("L1", "Line", "Body text.", "g.jsonl", "jsonl"),
    ]
    assert {d.root for d in found} == {os.path.realpath(folder)}
    assert [d.pages for d in found if d.pages] == [(0,)]


def test_folders_are_searched_throughout_in_order(folder: Path) -> None:
    for name in ("z.txt", "b/a.txt", "a/deep/er/x.txt", "b.txt", ".hidden.txt", ".git/x.txt", "a/.x/y.txt", "~$w.docx"):
        write(folder / name, f"Text of {name}")
    write(folder / "picture.png", b"\x89PNG")
    write(folder / "a" / "Makefile", "no suffix")
    items = read("docs")
    assert keys(items) == ["a/deep/er/x.txt", "b/a.txt", "b.txt", "z.txt"]
    assert skipped(items) == [
        ("docs/.git", "a hidden folder"),
        ("docs/a/.x", "a hidden folder"),
        ("docs/a/Makefile", "not a type that is read"),
        ("docs/picture.png", "not a type that is read"),
    ]


def test_what_is_ignored_or_installed_is_left_aside(folder: Path) -> None:
    write(folder / ".gitignore", "build/\n*.log.txt\n/top.txt\n!keep.log.txt\n")
    write(folder / "sub" / ".gitignore", "!own.log.txt\n")
    for name in (
        "build/a.txt",
        "x.log.txt",
        "keep.log.txt",
        "top.txt",
        "sub/top.txt",
        "sub/own.log.txt",
        "sub/y.log.txt",
    ):
        write(folder / name, f"Text of {name}")
    for name in (
        "node_modules/a.md",
        "__pycache__/a.txt",
        "env/pyvenv.cfg",
        "env/lib/a.txt",
        "pkg/__init__.py",
        ".h/a.txt",
    ):
        write(folder / name, "" if name.endswith(".py") else f"Text of {name}")
    items = read("docs")
    assert keys(items) == ["keep.log.txt", "sub/own.log.txt", "sub/top.txt"]
    assert skipped(items) == [
        ("docs/.h", "a hidden folder"),
        ("docs/__pycache__", "a folder that programs fill"),
        ("docs/build", "named in .gitignore"),
        ("docs/env", "a virtual environment"),
        ("docs/node_modules", "a folder that programs fill"),
        ("docs/pkg/__init__.py", "source code without names and comments"),
        ("docs/sub/y.log.txt", "named in .gitignore"),
        ("docs/top.txt", "named in .gitignore"),
        ("docs/x.log.txt", "named in .gitignore"),
    ]
    everything = keys(list(read_sources(["docs"], everything=True)))
    assert {"build/a.txt", "x.log.txt", "node_modules/a.md", "env/lib/a.txt", ".h/a.txt"} <= set(everything)


def test_a_link_to_what_programs_fill_is_left_aside(folder: Path) -> None:
    write(folder / ".venv" / "pyvenv.cfg", "")
    write(folder / ".venv" / "lib" / "a.txt", "Text.")
    write(folder / ".store" / "node_modules" / "a.txt", "Text.")
    (folder / "env").symlink_to(".venv")
    (folder / "node_modules").symlink_to(".store/node_modules")
    write(folder / "b.txt", "Text.")
    items = read("docs")
    assert keys(items) == ["b.txt"]
    assert {("docs/env", "a virtual environment"), ("docs/node_modules", "a folder that programs fill")} <= set(
        skipped(items)
    )


def test_a_line_of_gitignore_that_is_none_voids_no_other(folder: Path) -> None:
    write(folder / ".gitignore", "!\n/top.txt\n")
    write(folder / "top.txt", "Text.")
    write(folder / "b.txt", "Text.")
    assert keys(read("docs")) == ["b.txt"]


def test_a_file_by_itself(folder: Path) -> None:
    write(folder / "sub" / "Émile-Zola.txt", "He wrote.")
    (document,) = read("docs/sub/Émile-Zola.txt")
    assert isinstance(document, Document)
    assert (document.key, document.source, document.title) == ("Émile-Zola.txt", "Émile-Zola.txt", "Émile Zola")
    assert document.root == os.path.realpath(folder / "sub")


def test_a_csv_by_itself_gives_its_own_ids(folder: Path) -> None:
    write(folder / "people.csv", "id,name,text\n7,Ann,x\n,Bob,y\n")
    assert keys(read("docs/people.csv")) == ["7", "people.csv#3"]
    assert keys(read("docs")) == ["people.csv#7", "people.csv#3"]


def test_several_sources_keep_their_order(folder: Path) -> None:
    write(folder / "b.txt", "One.")
    other = write(folder.parent / "a.md", "Two.")
    assert keys(read("docs", other, "-", stdin=b"Three.")) == ["b.txt", "a.md", "stdin"]


def test_stdin_as_text_and_as_jsonl() -> None:
    (document,) = read("-", stdin=b"The Nile\n\nA river.")
    assert isinstance(document, Document)
    assert document == Document("stdin", "The Nile", "A river.", "stdin")
    (untitled,) = read("-", stdin=b"The Nile is a river. It flows.")
    assert isinstance(untitled, Document)
    assert untitled.title == "The Nile is a river"
    items = read("-", stdin=b'{"id": "a", "text": "x"}\nnot json\n{"text": "y"}\n')
    assert keys(items) == ["a", "stdin#3"]
    assert errors(items)[0].startswith("standard input: line 2: is not JSON")
    assert errors(read("-", stdin=b" ")) == ["standard input: is empty"]
    assert errors(read("-", stdin=b"\x00\x01")) == ["standard input: is binary, not text"]


def test_reading_is_lazy(folder: Path) -> None:
    write(folder / "a.jsonl", '{"id": "a", "text": "x"}\n' * 3 + "bad\n")
    items = read_sources(["docs"])
    assert keys([next(items)]) == ["a"]
    (folder / "a.jsonl").unlink()  # still open
    assert len(list(items)) == 1


# Bad use


@pytest.mark.parametrize("name", ["nowhere", "docs/nowhere.txt", "docs/a.txt/b", "nul\0", "x" * 5_000])
def test_a_source_that_does_not_exist(folder: Path, name: str) -> None:
    write(folder / "a.txt", "x")
    with pytest.raises(UsageError, match="does not exist: name a file, a folder, or - for standard input") as error:
        read_sources(["docs", name])
    assert "\n" not in str(error.value)


def test_no_source() -> None:
    with pytest.raises(UsageError, match="there is nothing to read"):
        read_sources([])


def test_a_folder_without_documents(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"the folder 'docs' has no file that can be read: put in \.txt, \.md"):
        read_sources(["docs"])
    write(folder / ".hidden.txt", "x")
    write(folder / "a.png", "x")
    with pytest.raises(UsageError, match=r"has no file that can be read \(it has 1 of other types\)"):
        read_sources(["docs", "docs"])
    write(folder.parent / "notes" / "a.txt", "Fine.")
    items = read("docs", "notes")
    assert keys(items) == ["a.txt"]
    assert [one.partition(": put in")[0] for one in errors(items)] == [
        "docs: has no file that can be read (it has 1 of other types)"
    ]


# Bad documents: one error each, the others are read


def test_bad_files_are_one_error_each(folder: Path) -> None:
    bad: dict[str, tuple[str | bytes, str]] = {
        "binary.txt": (bytes(range(256)) * 10, "is binary, not text"),
        "blank.md": (" \n\n", "is empty"),
        "broken.docx": ("PK nothing", "is damaged or no Word document"),
        "broken.pdf": ("%PDF-1.4", "is damaged or no PDF"),
        "comment.html": ("<!-- only -->", "has no text"),
        "cyrillic.txt": (
            "Это русский текст.".encode("cp1251"),
            "is in an encoding that cannot be told: save it as UTF-8",
        ),
        "empty.csv": ("", "is empty"),
        "empty.jsonl": ("", "is empty"),
        "empty.txt": ("", "is empty"),
        "header.csv": ("id,text\n", "has a header and no rows"),
        "lines.jsonl": ('{"text": "fine"}\noops\n', "line 2: is not JSON"),
        "secret.pdf": (pdf([["x"]], password="y"), "is protected by a password"),
    }
    for name, (content, _) in bad.items():
        write(folder / name, content)
    write(folder / "fine.txt", "Fine.")
    items = read("docs")
    assert keys(items) == ["fine.txt", "lines.jsonl#1"]
    found = errors(items)
    assert len(found) == len(bad)
    for (name, (_, reason)), message in zip(bad.items(), found, strict=True):
        assert message.startswith(f"docs/{name}: {reason}")
        assert "\n" not in message


def test_a_type_that_is_not_read_if_named(folder: Path) -> None:
    write(folder / "sheet.xls", "x")
    assert errors(read("docs/sheet.xls")) == [
        f"docs/sheet.xls: .xls files are not read: save it as one of {', '.join(SUFFIXES)}"
    ]


def test_a_file_without_a_suffix_is_text_if_named(folder: Path) -> None:
    write(folder / "Vagrantfile", "The mill is shut.")
    write(folder / "image", b"\x00\x01")
    assert keys(read("docs/Vagrantfile")) == ["Vagrantfile"]
    [fault] = errors(read("docs/image"))
    assert fault.startswith("docs/image: ")


def test_what_is_called_as_texts_without_a_suffix_are_is_read(folder: Path) -> None:
    texts = (
        "README",
        "README.Debian",
        "INSTALL.unix",
        "changes-2.1",
        "TODO",
        "MAILING-LIST",
        "less-NEWS",
        "jq-copyright",
        "files.README",
        "ABOUT",
        "README.policy-rc.d",
    )
    for name in (*texts, "readme.png", "news.gz", "licensed", "Makefile", "X", "DATA.bin"):
        write(folder / name, "The mill is shut.")
    assert sorted(keys(read("docs"))) == sorted(texts)
    assert keys(read("docs/README")) == ["README"]


def test_a_file_over_the_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with write(folder / "big.txt", "").open("r+b") as file:
        file.truncate(100_000_000)
    write(folder / "fine.txt", "Fine.")
    open_file, opened = Path.open, []

    def open_unread(path: Path, *args: Any, **options: Any) -> Any:
        stream = open_file(path, *args, **options)
        opened.append(path.name)
        if path.name == "big.txt":
            monkeypatch.setattr(stream, "read", None)  # nobody may call it
        return stream

    monkeypatch.setattr(Path, "open", open_unread)
    items = read("docs")
    assert "big.txt" in opened
    assert errors(items) == ["docs/big.txt: has 100 MB, over the limit of 50 MB for .txt: split it"]
    assert keys(items) == ["fine.txt"]


def test_rows_have_no_limit_for_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_files, "MAX_BYTES", 100)
    write(folder / "a.jsonl", "".join(f'{{"id": {number}, "text": "x"}}\n' for number in range(50)))
    write(folder / "b.csv", "id,text\n" + "".join(f"{number},x\n" for number in range(50)))
    assert len(keys(read("docs"))) == 100


def test_a_file_that_may_not_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder / "a.txt", "x")
    write(folder / "b.txt", "y")
    opened = Path.open

    def refuse(path: Path, *args: Any) -> Any:
        if path.name == "a.txt":
            raise PermissionError(13, "Permission denied")
        return opened(path, *args)

    monkeypatch.setattr(Path, "open", refuse)  # root may read everything
    items = read("docs")
    assert errors(items) == ["docs/a.txt: cannot be read (Permission denied)"]
    assert keys(items) == ["b.txt"]


def test_a_folder_that_may_not_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder / "a.txt", "x")
    write(folder / "locked" / "b.txt", "y")
    scan = os.scandir

    def refuse(path: Path) -> object:
        if path.name == "locked":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    items = read("docs")
    assert errors(items) == ["docs/locked: cannot be read (Permission denied)"]
    assert keys(items) == ["a.txt"]


def test_a_file_that_vanishes(folder: Path) -> None:
    write(folder / "a.txt", "x")
    write(folder / "b.txt", "y")
    items = read_sources(["docs"])
    (folder / "a.txt").unlink()
    rest = list(items)
    assert errors(rest) == ["docs/a.txt: cannot be read (No such file or directory)"]
    assert keys(rest) == ["b.txt"]


def test_what_is_no_regular_file(folder: Path) -> None:
    write(folder / "a.txt", "x")
    os.mkfifo(folder / "pipe.txt")
    (folder / "folder.txt").mkdir()
    items = read("docs", "docs/pipe.txt")
    assert keys(items) == ["a.txt"]
    assert skipped(items) == [("docs/pipe.txt", "not a regular file")]
    assert errors(items) == ["docs/pipe.txt: is not a regular file: pipe it in and name -"]


# Links


def test_links_are_followed_within_the_folder_only(folder: Path) -> None:
    write(folder.parent / "outside" / "secret.txt", "secret")
    write(folder / "real" / "a.txt", "A.")
    write(folder / ".store" / "b.txt", "B.")
    (folder / "again.txt").symlink_to("real/a.txt")
    (folder / "from_store.txt").symlink_to(".store/b.txt")
    (folder / "out").symlink_to("../outside")
    (folder / "out.txt").symlink_to(folder.parent / "outside" / "secret.txt")
    (folder / "gone.txt").symlink_to("nothing.txt")
    items = read("docs")
    assert keys(items) == ["from_store.txt", "real/a.txt"]
    assert skipped(items) == [
        ("docs/.store", "a hidden folder"),
        ("docs/gone.txt", "a link that leads nowhere"),
        ("docs/out", "a link that leaves the folder"),
        ("docs/out.txt", "a link that leaves the folder"),
    ]


def test_loops_of_links_end(folder: Path) -> None:
    write(folder / "sub" / "a.txt", "A.")
    (folder / "sub" / "up").symlink_to("..")
    (folder / "self").symlink_to("self")
    (folder / "here").symlink_to(".")
    (folder / "x").symlink_to("y")
    (folder / "y").symlink_to("x")
    assert keys(read("docs")) == ["sub/a.txt"]


def test_a_link_that_is_named_is_followed(folder: Path) -> None:
    write(folder / "a.txt", "A.")
    (folder.parent / "link").symlink_to("docs")
    (document,) = read("link")
    assert isinstance(document, Document)
    assert (document.key, document.root) == ("a.txt", os.path.realpath(folder))


# Keys


def test_equal_documents_are_read_once(folder: Path) -> None:
    write(folder / "a.jsonl", '{"id": "x", "text": "same", "n": 1}\n' * 2)
    write(folder / "b.jsonl", '{"n": 1, "id": "x", "text": "same"}\n')
    items = read("docs", "docs", "docs/a.jsonl")
    assert keys(items) == ["x"]
    assert errors(items) == []


def test_an_id_with_another_content_is_an_error_in_its_file_and_another_ones_in_others(folder: Path) -> None:
    write(folder / "a.jsonl", '{"id": "x", "text": "one"}\n{"id": "x", "text": "two"}\n{"id": "y", "text": "y"}\n')
    write(folder / "b.jsonl", '{"id": "x", "text": "one", "more": 1}\n')
    items = read("docs")
    assert keys(items) == ["x", "y", "b.jsonl#x"]
    assert errors(items) == [
        "docs/a.jsonl: line 2: 'x' is already the id of another document (docs/a.jsonl, line 1): give it its own",
    ]


def test_a_file_that_is_named_with_its_folder_and_by_itself_is_read_once(folder: Path) -> None:
    write(folder / "sub" / "c.txt", "Two.")
    assert keys(read("docs", "docs/sub/c.txt", "docs/sub", "docs")) == ["sub/c.txt"]
    assert keys(read("docs/sub/c.txt", "docs")) == ["c.txt"]


def test_ids_of_rows_in_files_of_the_same_name_are_kept_apart(tmp_path: Path, folder: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name / "r.csv", f"id,name\n1,{name}\n")
    assert keys(read("one/r.csv", "two/r.csv")) == ["1", "two/r.csv#1"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("README", "docs: README"),
        ("mill/README.Debian", "mill: README"),
        ("README.Debian.txt", "docs: README.Debian"),
        ("mill/index.md", "mill: Index"),
        ("MAILING-LIST", "docs: MAILING LIST"),
        ("history-of-mills.txt", "History of mills"),
    ],
)
def test_what_every_folder_has_a_file_of_is_titled_with_its_folder(folder: Path, name: str, title: str) -> None:
    write(folder / name, "The mill is shut.")
    titles = [[one.title for one in read(source) if isinstance(one, Document)] for source in ("docs", f"docs/{name}")]
    assert titles == [[title], [title]]


def test_a_heading_is_the_title_whatever_the_file_is_called(folder: Path) -> None:
    write(folder / "README.md", "# The mill\n\nIt is shut.")
    assert [one.title for one in read("docs") if isinstance(one, Document)] == ["The mill"]


def test_what_is_left_aside_is_told_once(folder: Path) -> None:
    write(folder / "c.txt", "Two.")
    write(folder / "picture.png", b"\x89PNG")
    assert skipped(read("docs", "docs")) == [("docs/picture.png", "not a type that is read")]


def test_folders_with_files_of_the_same_name_keep_them_apart(tmp_path: Path, folder: Path) -> None:
    write(folder / "README.md", "The docs.")
    write(tmp_path / "two" / "README.md", "The second.")
    write(tmp_path / "two" / "rows.csv", "name,place\nAda,London\n")
    write(tmp_path / "three" / "other.md", "Another.")
    assert keys(read("docs", "two", "three")) == ["README.md", "two/README.md", "two/rows.csv#2", "other.md"]
    assert keys(read("two", "docs")) == ["README.md", "rows.csv#2", "docs/README.md"]


@pytest.mark.parametrize(
    "name", ["<b>[bold]</b>.txt", "'; DROP TABLE x; --.txt", "a\nb\x1b[31m.txt", "..txt.txt", "猫 😀.txt", "%s{0}.txt"]
)
def test_odd_names_are_names(folder: Path, name: str) -> None:
    write(folder / name, "Text.")
    write(folder / "fine.txt", "Fine.")
    found = [item for item in read(folder / name) if isinstance(item, Document)]
    (document,) = found
    assert document.key == document.source
    assert document.key.isprintable()
    assert document.title


def test_a_name_that_is_no_unicode(folder: Path) -> None:
    try:
        write(folder / os.fsdecode(b"caf\xe9.txt"), "Text.")
    except OSError:
        pytest.skip("the file system takes names in Unicode only")
    (document,) = read("docs")
    assert isinstance(document, Document)
    assert document.key == "caf\N{REPLACEMENT CHARACTER}.txt"


@pytest.mark.parametrize("other", ["caf\x07\u00e9.txt", "cafe\u0301.txt"])
def test_files_whose_names_look_the_same_are_all_read_and_told_apart(folder: Path, other: str) -> None:
    for name in ("caf\u00e9.txt", other):
        write(folder / "names" / name, f"Text of {name.encode()!r}.")
    if len(list((folder / "names").iterdir())) < 2:
        pytest.skip("the file system takes these for one name")
    keys = [item.key for item in read("docs/names") if isinstance(item, Document)]
    plain, marked = sorted(keys, key=len)
    assert plain == "caf\u00e9.txt"
    assert re.fullmatch(r"caf\w\W? \([0-9a-f]{6}\)\.txt", marked)
    assert [item.key for item in read("docs/names") if isinstance(item, Document)] == keys


def test_text_is_clean_and_keeps_its_lines(folder: Path) -> None:
    write(folder / "a.txt", "Cafe\u0301\r\n\r\n\r\n\r\nOne  \x00".replace("\x00", "\x07") + "\r\nTwo\ufeff.")
    (document,) = read("docs")
    assert isinstance(document, Document)
    assert (document.title, document.text) == ("Café", "One\nTwo.")


def test_a_folder_is_read_in_the_order_of_names_whatever_that_of_the_disk(folder: Path) -> None:
    names = [f"{letter}.txt" for letter in "qjzcxkagwbpemu"]
    for name in names:
        write(folder / name, f"Text {name}.")
    assert keys(read("docs")) == sorted(names)


def test_a_real_corpus_is_read_as_it_stands(benchmark_data: Path) -> None:
    corpus = benchmark_data / "2wiki" / "corpus.jsonl"
    items = read(corpus)
    assert len(keys(items)) == len(items) == 6119
    assert keys(items)[:2] == ["w0", "w1"]


def test_a_link_that_cannot_be_followed_is_named_and_the_rest_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.txt").write_text("Text.")
    (folder / "long").symlink_to("x" * 300)
    (folder / "secret").symlink_to("of another user")
    readlink = os.readlink

    def refuse(path: str, **options: Any) -> str:
        if str(path).endswith("secret"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return readlink(path, **options)

    monkeypatch.setattr(os, "readlink", refuse)
    document, long, secret = read("docs")
    assert isinstance(document, Document)
    assert str(long) == "docs/long: cannot be read (File name too long)"
    assert str(secret) == "docs/secret: cannot be read (Permission denied)"
