"""Folders of benchmark data: a corpus, questions with their gold, and recorded plans where there are some."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.shared.question_files import Question, read_questions
from assistant.shared.recorded_plans import read_plans
from kb.errors import UsageError
from tools.planning.plan import Constraint

CORPUS, QUESTIONS, PLANS = "corpus.jsonl", "questions.jsonl", "plans.jsonl"


@dataclass(frozen=True, slots=True)
class DataFolder:
    """One corpus with what is asked of it.

    `questions` have gold: supporting documents, answers or both. `hashes` are SHA-256 of the files by name; `notes`
    say what was left out.
    """

    name: str
    path: Path
    questions: tuple[Question, ...]
    plans: Mapping[str, tuple[Constraint, ...]]
    hashes: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def with_supporting(self) -> tuple[Question, ...]:
        """The questions whose supporting documents are known."""
        return tuple(question for question in self.questions if question.supporting)

    @property
    def with_answers(self) -> tuple[Question, ...]:
        """The questions whose answer is known."""
        return tuple(question for question in self.questions if question.answers)


def read_folders(path: Path, limit: int | None = None) -> tuple[list[DataFolder], list[str]]:
    """The folder at `path`, or those in it by name, and a note for each that is none.

    Of each at most `limit` questions are taken, those with supporting documents before others, in the order of the
    file. Raises UsageError where there is nothing to measure, or a file cannot be read.
    """
    if not path.is_dir():
        raise UsageError(f"{str(path)!r} is no folder; name one that holds {CORPUS} and {QUESTIONS}")
    if _parts(path):
        return [_read(path, limit)], []
    parts = {one: _parts(one) for one in sorted(_subfolders(path))}
    whole = [one for one, found in parts.items() if len(found) == 2]
    if not whole:
        raise UsageError(f"neither {str(path)!r} nor a folder in it holds {CORPUS} and {QUESTIONS}")
    notes = [f"{one.name} is left out: it holds {found[0]} only" for one, found in parts.items() if len(found) == 1]
    return [_read(one, limit) for one in whole], notes


def sha256(path: Path) -> str:
    """Of a file's bytes, in hexadecimal. UsageError where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read ({error.strerror or error})") from error


def _subfolders(path: Path) -> list[Path]:
    try:
        return [one for one in path.iterdir() if one.is_dir()]
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read ({error.strerror or error})") from error


def _parts(path: Path) -> list[str]:
    return [name for name in (CORPUS, QUESTIONS) if (path / name).is_file()]


def _read(path: Path, limit: int | None) -> DataFolder:
    missing = {CORPUS, QUESTIONS} - set(_parts(path))
    if missing:
        raise UsageError(f"{str(path)!r} lacks {', '.join(sorted(missing))}")
    asked = read_questions(path / QUESTIONS)
    gold = [question for question in asked if question.supporting or question.answers]
    if not gold:
        raise UsageError(
            f"{str(path / QUESTIONS)!r}: none of its {len(asked)} questions has 'supporting' or 'answers', so there is "
            "nothing to measure against"
        )
    has_plans = (path / PLANS).is_file()
    plans = read_plans(path / PLANS) if has_plans else {}
    names = (CORPUS, QUESTIONS, PLANS) if has_plans else (CORPUS, QUESTIONS)
    return DataFolder(
        path.resolve().name,
        path,
        tuple(_limited(gold, limit)),
        {question.id: plans[question.id] for question in gold if plans.get(question.id)},
        {name: sha256(path / name) for name in names},
        tuple(_notes(asked, gold, plans)),
    )


def _limited(questions: Sequence[Question], limit: int | None) -> list[Question]:
    chosen = sorted(range(len(questions)), key=lambda at: (not questions[at].supporting, at))[:limit]
    return [questions[at] for at in sorted(chosen)]


def _notes(asked: Sequence[Question], gold: Sequence[Question], plans: Mapping[str, object]) -> list[str]:
    notes = []
    if len(asked) > len(gold):
        notes.append(f"{len(asked) - len(gold)} of {len(asked)} questions have no gold and are not asked")
    if strangers := plans.keys() - {question.id for question in asked}:
        notes.append(
            f"{len(strangers)} of {len(plans)} recorded plans are of no question here, such as {min(strangers)!r}"
        )
    return notes
