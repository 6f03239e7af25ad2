"""What people keep in notes of their days: what is noted on a day, and what is still to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.agent.offline.about_base.quoting import QUOTED, cite, one_line
from assistant.agent.offline.headed import passages_titled_by
from assistant.agent.short_text import clip
from assistant.agent.workspace import Workspace
from assistant.shared.rendering import counted, escape_markdown
from kb.documents.structure import path_of, structured_lines
from kb.records import Passage
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.text import sentence_spans
from tools.answer_rules.values import find_dates

SENTENCES = 10
"""Of a day's notes that are told; more are counted."""

TASKS = 20
"""Tasks that are told; more are counted."""

LOOKED_AT = 1_000
"""Passages with an open box that are looked through."""

OPEN_BOX = "[ ]"

_BOX = re.compile(r"^\[[ xX]\]\s*")
_NUMBER = re.compile(r"\d{1,3}[.)](?!\S)")
"""What numbers the items of a list: no sentence, though a full stop ends it."""


def told_of_day(kb: KnowledgeBase, workspace: Workspace, subject: str) -> tuple[str, str] | None:
    """The notes of the day that `subject` names, as a short answer and their lines in order; None where it is no day,
    or no title is of it.
    """
    days = [one for one in find_dates(subject) if one.month and one.day]
    if len(days) != 1 or len(days[0].text) < len(subject.strip()):
        return None
    passages = passages_titled_by(kb, days[0])
    told = [(passage, line) for passage in passages for line in note_lines(passage)]
    if not told:
        return None
    lines = [quoted_line(workspace, passage, text) for passage, text in told[:SENTENCES]]
    more = [f"- and {len(told) - SENTENCES:,} lines more"] if len(told) > SENTENCES else []
    return _noted_in([passage.title for passage in passages]), "\n".join([*lines, *more])


def open_tasks(kb: KnowledgeBase, workspace: Workspace) -> tuple[str, str] | None:
    """What has an open box before it, in the order of the documents; None where nothing has."""
    found = listing.passages_with(kb, OPEN_BOX, limit=LOOKED_AT)
    told = [(passage, text) for passage in found for text in _tasks(passage)]
    if not told:
        return None
    lines = [quoted_line(workspace, passage, f"{text} ({passage.title})") for passage, text in told[:TASKS]]
    more = [f"- and {len(told) - TASKS:,} more"] if len(told) > TASKS else []
    return counted(len(told), "open task"), "\n".join([*lines, *more])


def _noted_in(titles: Sequence[str]) -> str:
    """Where something is noted: on a day where the titles are no more than that, else in what has the titles."""
    is_day = all(len(one.text) == len(title.strip()) for title in titles for one in find_dates(title)[:1])
    return f"Noted {'on' if is_day else 'in'} {'; '.join(dict.fromkeys(titles))}"


def note_lines(passage: Passage) -> Iterator[str]:
    """The sentences of a passage, each on a line, the number of an item with its first one."""
    number = ""
    for start, end in sentence_spans(passage.text):
        text = one_line(number + passage.text[start:end])
        number = f"{text} " if _NUMBER.fullmatch(text) else ""
        if number:
            continue
        if any(letter.isalnum() for letter in text) and not text.startswith("#"):
            yield _BOX.sub(lambda match: "☐ " if match[0].startswith(OPEN_BOX) else "☑ ", text)


def _tasks(passage: Passage) -> Iterator[str]:
    for line in structured_lines(passage.title, passage.text, path_of(passage.section)):
        if line.kind == "task" and any(value.relation == "to do" for value in line.values):
            start = min([line.key[0], *(value.start for value in line.values)])
            yield " ".join(passage.text[start : line.end].split())


def quoted_line(workspace: Workspace, passage: Passage, text: str, longest: int = QUOTED) -> str:
    """A line of a list with its citation, no longer than so many characters."""
    told = escape_markdown(clip(text, longest))
    if number := _NUMBER.match(told):  # which would begin a list within the item
        told = f"{told[: number.end() - 1]}\\{told[number.end() - 1 :]}"
    return f"- {told} [{cite(workspace, passage)}]"
