"""Reading rows from a folder of collections: the answer's place in the passage that a build would make of it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from benchmarks.collection_rows import collection_rows

NOTES = {
    "garden.md": "# Garden\n\n## Greenhouse\n\nKeys and watering: Bo Lind\nOpens at 7.\n\n## Shed\n\nKeys: Ana Ruiz\n",
    "tools.csv": "tool,owner,price\nsaw,Bo Lind,14\nrake,Ana Ruiz,9\n",
    "letter.txt": "Dear all,\nthe pump was mended by a man\nfrom Ostwick on Friday.\n",
    "other.txt": "Nothing of the kind is said here about pumps, keys or the greenhouse.\n",
}
ASKED = [
    {"question": "Who waters?", "answers": ["Bo Lind"], "document": "garden.md", "quote": "Keys and watering: Bo Lind"},
    {"question": "price of the rake?", "answers": ["9"], "document": "tools.csv", "quote": "rake,Ana Ruiz,9"},
    {
        "question": "Who mended the pump?",
        "answers": ["a man\nfrom Ostwick"],
        "document": "letter.txt",
        "quote": "mended by a man\nfrom Ostwick on Friday",
    },
    {"question": "Who has the key of the gate?", "answers": [], "document": "", "quote": ""},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "home" / name).write_text(text)
    (tmp_path / "home.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in ASKED))
    return tmp_path


def test_the_answer_is_found_where_the_quote_stands(folder: Path) -> None:
    rows = [row for row in collection_rows(folder, random.Random(0)) if row.kind == "span"]
    assert [row.question for row in rows] == [one["question"] for one in ASKED[:3]]
    assert [row.passage[row.start : row.end].split() for row in rows] == [
        ["Bo", "Lind"], ["9"], ["a", "man", "from", "Ostwick"],
    ]  # fmt: skip
    assert rows[1].passage[: rows[1].start].rstrip().endswith("Price:")


def test_passages_that_do_not_answer_come_with_every_question(folder: Path) -> None:
    rows = [row for row in collection_rows(folder, random.Random(0)) if row.kind == "none"]
    assert {row.question for row in rows} == {one["question"] for one in ASKED}
    assert not any("Bo Lind" in row.passage for row in rows if row.question == "Who waters?")


def test_an_answer_that_reading_has_changed_gives_no_row(folder: Path) -> None:
    changed = {**ASKED[0], "answers": ["Bo  **Lind**"]}
    (folder / "home.jsonl").write_text(f"{json.dumps(changed)}\n")
    assert list(collection_rows(folder, random.Random(0))) == []


def test_more_questions_stand_beside_the_documents_folder(folder: Path) -> None:
    (folder / "reading").mkdir()
    (folder / "more").mkdir()
    (folder / "home").rename(folder / "reading" / "home")
    (folder / "home.jsonl").rename(folder / "more" / "home.jsonl")
    rows = [row for row in collection_rows(folder / "more", random.Random(0)) if row.kind == "span"]
    assert len(rows) == 3
    (folder / "more" / "away.jsonl").write_text("")
    with pytest.raises(FileNotFoundError, match="no folder away beside it"):
        list(collection_rows(folder / "more", random.Random(0)))


def test_a_question_for_yes_or_no_is_shown_what_decides(folder: Path) -> None:
    asked = [
        {
            "question": "Was the pump mended?",
            "answers": ["yes"],
            "document": "letter.txt",
            "quote": "the pump was mended",
        },
        {"question": "Is the shed Bo's?", "answers": ["no"], "document": "garden.md", "quote": "Keys: Ana Ruiz"},
    ]
    (folder / "home.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in asked))
    rows = list(collection_rows(folder, random.Random(0)))
    told = [row for row in rows if row.kind != "none"]
    assert [(row.kind, row.passage[row.start : row.end].strip()) for row in told] == [
        ("yes", "the pump was mended by a man"), ("no", "Keys: Ana Ruiz"),
    ]  # fmt: skip
    shown = {(row.question, row.passage) for row in told}
    assert not shown & {(row.question, row.passage) for row in rows if row.kind == "none"}


def test_of_two_folders_of_a_name_the_one_that_has_the_document(folder: Path) -> None:
    for other in ("a", "z"):
        (folder / other / "home").mkdir(parents=True)
        (folder / other / "home" / "else.txt").write_text("A home of others.\n")
    (folder / "more").mkdir()
    (folder / "more" / "home.jsonl").write_text(f"{json.dumps(ASKED[0])}\n")
    (folder / "own").mkdir()
    (folder / "home").rename(folder / "own" / "home")
    rows = list(collection_rows(folder / "more", random.Random(0)))
    assert [row.passage[row.start : row.end] for row in rows if row.kind == "span"] == ["Bo Lind"]
    (folder / "own" / "home" / "garden.md").unlink()
    with pytest.raises(FileNotFoundError, match="no folder home"):
        list(collection_rows(folder / "more", random.Random(0)))
