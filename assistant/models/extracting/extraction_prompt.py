"""What a model is told of passages, and how its answer is read."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assistant.models.calling.lenient import find_json
from kb.graph.model_extraction import ModelExtraction, read_answer
from kb.store.model_cache import PassageText

MOST_PASSAGES = 4
MOST_CHARACTERS = 2400
"""Of the passages in one request. Four short ones share the instructions, which are three times as long as one; more
make a longer answer, in which small models lose count.
"""

_ATTEMPTS = 4
"""Ends tried for an answer that was cut off: its qualifiers may close in several places."""

_NUMBER = re.compile(r"\D*(\d{1,3})\D*")
_THOUGHTS = re.compile(r"</think(?:ing)?>")


@cache
def instructions() -> str:
    """What the model is told before the passages."""
    return Path(__file__).with_name("prompt.md").read_text(encoding="utf-8").strip()


@cache
def prompt_version() -> str:
    """Changes with every change of the instructions, so that answers to older ones are not taken for new ones."""
    return hashlib.sha256(instructions().encode()).hexdigest()[:12]


def batches(passages: Sequence[PassageText]) -> Iterator[tuple[PassageText, ...]]:
    """The passages in groups for one request each, in their order."""
    batch: list[PassageText] = []
    for one in passages:
        size = sum(map(_characters, batch)) + _characters(one)
        if batch and (len(batch) == MOST_PASSAGES or size > MOST_CHARACTERS):
            yield tuple(batch)
            batch = []
        batch.append(one)
    if batch:
        yield tuple(batch)


def question(passages: Sequence[PassageText]) -> str:
    """The passages as the model gets them: JSON, so that no text can pass for a passage of its own."""
    lines = ({"n": number, "title": one.title, "text": one.text} for number, one in enumerate(passages, 1))
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


def answers(text: str, count: int, *, cut: bool = False) -> dict[int, ModelExtraction]:
    """What an answer says of passages 1 to `count`, by their numbers from 0; what cannot be read is left out.

    Of an answer that was `cut` off at its end the last passage is left out: nobody knows what is missing.
    """
    text = _THOUGHTS.split(text)[-1]
    found = _found(text, count)
    end = len(text)
    for _ in range(_ATTEMPTS if cut and not found else 0):
        # Cut off within a string, it is JSON but for open brackets up to an object that is closed.
        end = max(text.rfind("}", 0, end), 0)
        found = found or _found(text[: end + 1], count)
    if cut and found:
        del found[max(found)]
    return found


def _found(text: str, count: int) -> dict[int, ModelExtraction]:
    found: dict[int, ModelExtraction] = {}
    for span in find_json(text):
        for number, value in _numbered(span.value, count):
            answer = read_answer(value)
            if answer is not None and 0 <= number < count:
                found.setdefault(number, answer)
    return found


def _numbered(value: Any, count: int) -> Iterator[tuple[int, Any]]:
    """An object by numbers, a list in order, or the bare answer for a single passage."""
    if isinstance(value, list):
        value = {str(at): one for at, one in enumerate(value, 1)}
    if not isinstance(value, dict):
        return
    if count == 1 and ("triples" in value or "entities" in value):
        yield 0, value
        return
    for key, one in value.items():
        if isinstance(one, dict) and (match := _NUMBER.fullmatch(str(one.get("n", key)))):
            yield int(match[1]) - 1, one


def _characters(passage: PassageText) -> int:
    return len(passage.title) + len(passage.text)
