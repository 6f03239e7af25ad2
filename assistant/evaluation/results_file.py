"""The file of results of a run: JSON Lines that a killed run leaves whole and the next one carries on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.shared.question_files import Question
from assistant.shared.writing import replace_file
from kb.errors import UsageError, WriteError

Line = dict[str, Any]


class ResultsFile:
    """One JSON line per question, appended as it is answered, in the questions' order at the end.

    Lines of an earlier run are kept where id and question are the same and nothing went wrong. A torn last line, lines
    with an error and lines of a question that has since been worded otherwise are dropped, to be asked again. Raises
    UsageError where the file holds anything else, or answers that were not `asked` as these will be, so that no score
    is of two things; WriteError where it cannot be written.
    """

    def __init__(self, path: Path, questions: Sequence[Question], asked: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self._order = [question.id for question in questions]
        raw = _raw_lines(path)
        self._lines = _kept(path, raw, {question.id: question.text for question in questions}, asked or {})
        if len(self._lines) != len(raw):
            self._rewrite()

    @property
    def done(self) -> frozenset[str]:
        """The ids that have their line."""
        return frozenset(self._lines)

    def append(self, line: Line) -> None:
        """Write a line and hand it to the system at once, so that a killed run keeps it."""
        self._lines[line["id"]] = line
        try:
            with self.path.open("ab") as file:
                file.write(_bytes(line))
        except OSError as error:
            raise _write_error(self.path, error) from error

    def put_in_order(self) -> None:
        """Bring the lines into the order of the questions, where carrying on has left them in another."""
        wanted = [question_id for question_id in self._order if question_id in self._lines]
        if list(self._lines) != wanted:
            self._lines = {question_id: self._lines[question_id] for question_id in wanted}
            self._rewrite()

    def _rewrite(self) -> None:
        """Replace the file in one step, so that no kill can lose a line."""
        try:
            replace_file(self.path, b"".join(map(_bytes, self._lines.values())))
        except OSError as error:
            raise _write_error(self.path, error) from error


def _raw_lines(path: Path) -> list[bytes]:
    if path.exists() and not path.is_file():  # a device may have no end, and a pipe cannot be carried on
        raise UsageError(f"-o {str(path)!r} is no regular file; name another one for the results")
    try:
        # Opened to append, so that a file which cannot be written fails before anything has been asked.
        with path.open("ab+") as file:
            file.seek(0)
            return file.read().splitlines(keepends=True)
    except OSError as error:
        raise _write_error(path, error) from error


def _kept(path: Path, raw: Sequence[bytes], texts: Mapping[str, str], asked: Mapping[str, Any]) -> dict[str, Line]:
    kept: dict[str, Line] = {}
    for number, bytes_of_line in enumerate(raw, 1):
        line = _parsed(bytes_of_line)
        if line is None and number == len(raw) and _is_torn(bytes_of_line):
            continue
        if line is None or line["id"] not in texts:
            raise UsageError(
                f"{path}, line {number}: no result for any of these questions; name another file with -o, or delete it"
            )
        if line["question"] == texts[line["id"]] and not line["error"]:
            _refuse_asked_otherwise(path, number, line, asked)
            kept.setdefault(line["id"], line)
    return kept


def _refuse_asked_otherwise(path: Path, number: int, line: Line, asked: Mapping[str, Any]) -> None:
    """A line of before it was written how questions were asked tells nothing, and is kept."""
    before = line.get("asked")
    if not isinstance(before, dict):
        return
    other = [name.replace("_", " ") for name, value in asked.items() if before.get(name, value) != value]
    if other:
        raise UsageError(
            f"{path}, line {number}: answered with another {', '.join(other)}; ask as before, "
            "name another file with -o, or delete it"
        )


def _parsed(raw: bytes) -> Line | None:
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if isinstance(line, dict) and all(isinstance(line.get(key), str) for key in ("id", "question")) and "error" in line:
        return line
    return None


def _is_torn(raw: bytes) -> bool:
    start = b'{"id": "'
    return not raw.endswith(b"\n") and raw.startswith(start[: len(raw)])


def _bytes(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _write_error(path: Path, error: OSError) -> WriteError:
    return WriteError(f"cannot write the results to {str(path)!r} ({error.strerror or error}); what is there is kept")
