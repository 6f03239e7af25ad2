"""Question files: what is asked, and where known what the answer and its passages are."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import UsageError
from kb.named_files import named_text
from kb.wellformed import well_formed_json

SUFFIXES = (".txt", ".csv", ".jsonl")

_BEYOND = "\0"
"""The key of a row's cells that have no column: no header has it."""

_HALF = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Question:
    """A line of a question file. `answers` and `supporting` (document ids) are empty where not known."""

    id: str
    text: str
    answers: tuple[str, ...] = ()
    supporting: tuple[str, ...] = ()
    type: str = ""


def read_questions(path: Path) -> list[Question]:
    """The questions of a .txt (one a line, its number the id), .csv or .jsonl file with `id` and `question`, in order.

    Optional columns are `answers`, `supporting` and `type`; in .csv the first two hold values parted by `|`, or a JSON
    list. A question with commas that stands last in its line needs no quotes. Blank lines are skipped; a line without
    an id gets its line number. An empty question is kept: asking it is what fails. Raises UsageError naming the line
    for anything that cannot be read, for an id that occurs twice and for a file without questions.
    """
    readers = {".txt": _from_text, ".csv": _from_csv, ".jsonl": _from_jsonl}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{str(path)!r} is no question file; its name must end in {', '.join(SUFFIXES)}")
    questions = list(reader(path, named_text(path)))
    if not questions:
        raise UsageError(f"{str(path)!r} holds no questions; write one a line")
    _refuse_duplicates(path, questions)
    return questions


def read_jsonl(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON Lines with their line numbers from 1; UsageError for the first line that is none."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}, line {number}: no JSON ({error})") from error
        if not isinstance(value, dict):
            raise UsageError(f"{path}, line {number}: a JSON object is needed, not {line.strip()[:60]!r}")
        yield number, well_formed_json(value)


def _from_text(path: Path, text: str) -> Iterator[Question]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield Question(str(number), line.strip())


def _from_jsonl(path: Path, text: str) -> Iterator[Question]:
    for number, record in read_jsonl(path, text):
        yield _question(path, number, record)


def _from_csv(path: Path, text: str) -> Iterator[Question]:
    reader = csv.DictReader(io.StringIO(text, newline=""), restkey=_BEYOND, strict=True)
    try:
        if "question" not in (reader.fieldnames or ()):
            raise UsageError(f"{path}, line 1: a header with 'question' is needed, not {reader.fieldnames!r}")
        for record in reader:
            whole = _with_its_commas(path, reader, record)
            if any(whole.values()):
                yield _question(path, reader.line_num, {**whole, **_split_columns(path, reader.line_num, whole)})
    except csv.Error as error:
        raise UsageError(f"{path}, line {reader.line_num}: no CSV ({error})") from error


def _with_its_commas(path: Path, reader: csv.DictReader[str], record: dict[str, Any]) -> dict[str, Any]:
    """The row with its cells beyond the header in the question that they were cut from, where that stands last."""
    columns = list(reader.fieldnames or ())
    beyond = record.pop(_BEYOND, [])
    if not any(beyond):  # a spreadsheet fills its rows up with empty cells
        return record
    if columns[-1] != "question":
        raise UsageError(
            f"{path}, line {reader.line_num}: {len(columns) + len(beyond)} values where the header has {len(columns)}; "
            "put a question with commas in quotes"
        )
    return {**record, "question": ",".join([record["question"], *beyond])}


def _split_columns(path: Path, number: int, record: dict[str, Any]) -> dict[str, Any]:
    return {name: _split(path, number, record[name]) for name in ("answers", "supporting") if record.get(name)}


def _split(path: Path, number: int, value: str) -> Any:
    if not value.lstrip().startswith("["):
        return [part.strip() for part in value.split("|") if part.strip()]
    try:
        return json.loads(value)
    except ValueError as error:
        raise UsageError(f"{path}, line {number}: {value[:60]!r} is no JSON list ({error})") from error


def _question(path: Path, number: int, record: dict[str, Any]) -> Question:
    text = record.get("question")
    if not isinstance(text, str):
        raise UsageError(f"{path}, line {number}: 'question' must be text, not {text!r:.60}")
    return Question(
        _id(path, number, record.get("id")),
        text.strip(),
        _texts(path, number, record, "answers"),
        _texts(path, number, record, "supporting"),
        str(record.get("type") or ""),
    )


def _id(path: Path, number: int, value: Any) -> str:
    if value is None or value == "":
        return str(number)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise UsageError(f"{path}, line {number}: 'id' must be text or a whole number, not {value!r:.60}")
    return str(value)


def _texts(path: Path, number: int, record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name)
    if value in (None, ""):
        return ()
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(item, (str, int)) for item in values):
        raise UsageError(f"{path}, line {number}: {name!r} must be a list of texts, not {value!r:.60}")
    return tuple(str(item) for item in values)


def _refuse_duplicates(path: Path, questions: Iterable[Question]) -> None:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            half = f", where half a character counts as {_HALF}" if _HALF in question.id else ""
            raise UsageError(
                f"{str(path)!r} has the id {question.id!r} twice{half}; give every question an id of its own"
            )
        seen.add(question.id)
