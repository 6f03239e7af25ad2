"""Reading rows from collections of documents as people keep them, each with questions in other words than theirs.

A folder holds collections: `NAME/` with the documents, `NAME.jsonl` with one question a line: `question`, `answers`
([] where the collection has none), `document` (the file's name) and `quote`, a stretch of that file with the answer in
it, or, where the collection has none, one that comes near and does not answer. More questions about the same documents
stand in a folder beside it that has the lists alone. The documents are read and cut as a build does it, so that the
reader sees what it will be shown.

The lists of `implied/` hold their passages themselves: `title`, `text`, and `questions`, each with its `answer` ("yes",
"no", or "none" where the passage does not settle it) and the `line` that decides or comes nearest.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reading_rows import read_lines
from benchmarks.row import Row
from kb.documents.passages import cut
from kb.documents.sources import read_sources
from kb.documents.structure import section
from kb.records import Document
from kb.store.embeddings import load_embedder
from tools.answer_rules.docs import Evidence, EvidencePassage

# Passages that do not answer, among the most alike, that are read for each question.
_NEAR = 1
_NEAR_UNANSWERED = 2
_ALIKE = 3
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s)|(?=\n)|$)")


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage of a collection as the reader is shown it: what stands above it, and its text."""

    source: str
    heading: str
    text: str

    @property
    def shown(self) -> str:
        return f"{self.heading}. {self.text}" if self.heading else self.text


def collection_rows(folder: Path, draw: random.Random) -> Iterator[Row]:
    """For each question the passage that answers it, and passages that are like it and do not."""
    for listed in sorted(folder.glob("*.jsonl")):
        told = shown_passages(_documents_of(listed))
        for asked, scores in zip(*_asked(listed), strict=True):
            yield from _rows(asked, told, scores, draw)


def implied_rows(folder: Path) -> Iterator[Row]:
    """Each question of lists that hold their passages themselves, with its passage, and of every second that this
    answers once more with what is left of it without the line that decides, which answers nothing.
    """
    decided = 0
    for listed in sorted(folder.glob("*.jsonl")):
        for told in read_lines(listed):
            shown = f"{told['title']}. {told['text']}"
            for one in told["questions"]:
                start = shown.index(one["line"], len(told["title"]) + 2)
                source = "near-implied" if one["answer"] == "none" else "implied"
                end = start + len(one["line"])
                yield Row(source, one["question"], shown, one["answer"], start, end)
                decided += one["answer"] != "none"
                if one["answer"] != "none" and decided % 2:
                    yield Row("left-implied", one["question"], shown[:start] + shown[end:].lstrip(), "none")


@lru_cache(maxsize=512)
def _asked(listed: Path) -> tuple[list[dict[str, Any]], Any]:
    """The questions of a list, and how alike each and each passage are."""
    questions = read_lines(listed)
    told = shown_passages(_documents_of(listed))
    return questions, _likeness([one["question"] for one in questions], [one.shown for one in told])


def _documents_of(listed: Path) -> Path:
    """The folder of documents that a list of questions is about: beside it, or in a folder beside its own; of several
    of the name the one that has the document that is asked about first.
    """
    beside = (listed.with_suffix(""), *sorted(listed.parent.parent.glob(f"*/{listed.stem}/")))
    first = Path(next((one["document"] for one in read_lines(listed) if one.get("document")), "")).name
    there = [one for one in beside if one.is_dir()]
    found = next((one for one in there if not first or any(file.name == first for file in one.rglob("*"))), None)
    if found is None:
        raise FileNotFoundError(f"{listed}: no folder {listed.stem} beside it")
    return found


@lru_cache(maxsize=512)
def shown_passages(folder: Path) -> list[ShownPassage]:
    """The passages of every document of a folder, in the order of the documents."""
    embedder = load_embedder()
    passages: list[EvidencePassage] = []
    for document in read_sources([str(folder)]):
        if isinstance(document, Document):
            for piece in cut(document, embedder.count_tokens, embedder.max_tokens - 2):
                passages.append(
                    EvidencePassage(
                        len(passages), document.title, piece.text, 0.0, section(piece.above), document.source
                    )
                )
    return [ShownPassage(doc.passage.source, doc.heading, doc.text) for doc in Evidence(passages).docs]


def _rows(asked: dict[str, Any], told: Sequence[ShownPassage], scores: Any, draw: random.Random) -> Iterator[Row]:
    question, answers = asked["question"], asked["answers"]
    order = [told[i] for i in np.argsort(-scores, kind="stable")]
    other = [one for one in order if not any(answer.casefold() in one.shown.casefold() for answer in answers)]
    if answers:
        is_yesno = answers[0] in ("yes", "no")
        place = _deciding(asked, told) if is_yesno else _place(asked, told)
        if place is None:
            return
        one, start, end = place
        above = len(one.shown) - len(one.text)
        yield Row("own", question, one.shown, answers[0] if is_yesno else "span", above + start, above + end)
        if is_yesno:
            other = [doc for doc in order if doc is not one]
    tempting = None if answers or not asked["quote"] else _deciding(asked, told)
    if tempting:
        one, start, end = tempting
        above = len(one.shown) - len(one.text)
        yield Row("near-own", question, one.shown, "none", above + start, above + end)
        other = [doc for doc in other if doc is not one]
    count = _NEAR if answers or tempting else _NEAR_UNANSWERED
    for one in draw.sample(other[:_ALIKE], min(count, len(other[:_ALIKE]))):
        yield Row("near-own", question, one.shown, "none")


def _place(asked: dict[str, Any], told: Sequence[ShownPassage]) -> tuple[ShownPassage, int, int] | None:
    """The passage that has most words of the quote and the answer, and where the answer stands in it, next to most of
    the quote's words; None where reading the file has changed the answer's own words.
    """
    quoted = set(_WORD.findall(asked["quote"].casefold()))
    written = r"\s+".join(map(re.escape, asked["answers"][0].split()))
    pattern = re.compile(rf"(?<!\w){written}(?!\w)" if written[0].isalnum() else written)
    best: tuple[int, ShownPassage, int, int] | None = None
    for one in told:
        if Path(one.source).name != Path(asked["document"]).name:
            continue
        for match in pattern.finditer(one.text):
            near = one.text[max(0, match.start() - 160) : match.end() + 160].casefold()
            shared = len(quoted & set(_WORD.findall(near)))
            if best is None or shared > best[0]:
                best = shared, one, match.start(), match.end()
    return best[1:] if best else None


def _deciding(asked: dict[str, Any], told: Sequence[ShownPassage]) -> tuple[ShownPassage, int, int] | None:
    """The sentence or line that has most words of the quote: what decides between yes and no, or what comes near;
    None without one.
    """
    quoted = set(_WORD.findall(asked["quote"].casefold()))
    best: tuple[int, ShownPassage, int, int] | None = None
    for one in told:
        if Path(one.source).name != Path(asked["document"]).name:
            continue
        for match in _SENTENCE.finditer(one.text):
            shared = len(quoted & set(_WORD.findall(match.group().casefold())))
            if shared > (best[0] if best else 0):
                best = shared, one, match.start(), match.end()
    return best[1:] if best else None


def _likeness(questions: Sequence[str], passages: Sequence[str]) -> Any:
    """How alike each question and passage are by their words (tf-idf), shape (questions, passages)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(sublinear_tf=True, stop_words="english", dtype=np.float32)
    matrix = words.fit_transform(passages)
    return (words.transform(questions) @ matrix.T).toarray()
