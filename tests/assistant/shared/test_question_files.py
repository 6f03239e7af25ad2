from __future__ import annotations

from pathlib import Path

import pytest

from assistant.shared.question_files import Question, read_questions
from kb.errors import UsageError


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_text_has_a_question_a_line_with_its_line_number_as_id(tmp_path: Path) -> None:
    path = write(tmp_path, "q.txt", "\ufeffWho?\n\n  Where was it?  \n")
    assert read_questions(path) == [Question("1", "Who?"), Question("3", "Where was it?")]


def test_jsonl_takes_gold_answers_supporting_and_type(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "q.jsonl",
        '{"id": 7, "question": "Who?", "answers": ["Ada", "A. L."], "supporting": ["d1"], "type": "x", "y": 3}\n'
        '{"question": "Where?", "answers": "here"}\n',
    )
    assert read_questions(path) == [
        Question("7", "Who?", ("Ada", "A. L."), ("d1",), "x"),
        Question("2", "Where?", ("here",)),
    ]


def test_csv_parts_lists_by_bars_or_takes_json(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "q.csv",
        'id,question,answers,supporting\na,"Who, then?",Ada | A. L.,d1\nb,Where?,"[""x|y""]",\n,,,\n',
    )
    assert read_questions(path) == [
        Question("a", "Who, then?", ("Ada", "A. L."), ("d1",)),
        Question("b", "Where?", ("x|y",)),
    ]


def test_a_question_that_stands_last_keeps_its_commas_without_quotes(tmp_path: Path) -> None:
    alone = write(tmp_path, "alone.csv", 'question\nWho, in 2019, led X?\n"Who, then?"\nWhere?,,\n')
    assert [one.text for one in read_questions(alone)] == ["Who, in 2019, led X?", "Who, then?", "Where?"]
    last = write(tmp_path, "last.csv", "id,question\na,Who, in 2019, led X?\n")
    assert read_questions(last) == [Question("a", "Who, in 2019, led X?")]


def test_an_empty_question_is_kept_for_the_run_to_report(tmp_path: Path) -> None:
    path = write(tmp_path, "q.jsonl", '{"id": "a", "question": "  "}\n')
    assert read_questions(path) == [Question("a", "")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.jsonl", '{"question": "a"}\n{"question": "b"}\n{"question": \n', "line 3: no JSON"),
        ("q.csv", "question,type\nWho, in 2019, led X?,x\n", "line 2: 4 values where the header has 2; put a question"),
        ("q.jsonl", '["a"]\n', "line 1: a JSON object is needed"),
        ("q.jsonl", '{"id": "a"}\n', "line 1: 'question' must be text"),
        ("q.jsonl", '{"id": ["a"], "question": "b"}\n', "line 1: 'id' must be text"),
        ("q.jsonl", '{"question": "b", "answers": {"a": 1}}\n', "line 1: 'answers' must be a list"),
        ("q.jsonl", '{"id": "a", "question": "b"}\n{"id": "a", "question": "c"}\n', "the id 'a' twice"),
        (
            "q.jsonl",
            '{"id": "\\ud800", "question": "b"}\n{"id": "\\ud801", "question": "c"}\n',
            "half a character counts",
        ),
        ("q.csv", "id,text\n1,Who?\n", "line 1: a header with 'question'"),
        ("q.csv", 'question,answers\nWho?,"[1"\n', "line 2: '[1' is no JSON list"),
        ("q.txt", " \n\n", "holds no questions"),
        ("q.md", "Who?", "must end in .txt, .csv, .jsonl"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_questions(write(tmp_path, name, text))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_folder_and_wrong_encoding(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_questions(tmp_path / "none.txt")
    latin = tmp_path / "q.txt"
    latin.write_bytes("Wo war K\xf6ln?".encode("latin-1"))
    with pytest.raises(UsageError, match="not UTF-8 text"):
        read_questions(latin)
