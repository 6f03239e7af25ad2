"""Qualifiers taken out of the text of a copy that is being spoilt (CS-RAG, appendix D.1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kb.documents.passages import title_prefix
from kb.documents.plaintext import MONTHS
from kb.documents.structure import path_of
from kb.graph.stored_vectors import eight_bits
from kb.store.embeddings import Embedder
from kb.store.sqlite_engine import SqliteWriter

QUALIFIERS = re.compile(rf"\([^()]*\)|\[[^\[\]]*\]|\b(?:1\d{{3}}|20\d{{2}})\b|\b(?:{'|'.join(MONTHS)})\b|,[^,]*$")
"""What the paper removes: brackets, years, months, and what stands behind the last comma."""

AT_ONCE = 32
"""Passages that are embedded together."""

_ENDS = (".", "!", "?")


@dataclass(frozen=True, slots=True)
class _Shortened:
    """A passage with its new text, and its sentences: their ids and where they stand."""

    id: int
    title: str
    section: str
    text: str
    sentences: Sequence[tuple[int, int, int]]


def blanked(sentence: str) -> str:
    """The sentence with spaces in the place of its qualifiers, as long as before; the mark at its end stays.

    So everything else that is known of a text, by its characters, stays where it is.

    >>> blanked("She was born (at home) in London, in May.")
    'She was born           in London        .'
    """
    body = sentence.rstrip()
    body = body[:-1] if body.endswith(_ENDS) else body
    return QUALIFIERS.sub(lambda match: " " * len(match[0]), body) + sentence[len(body) :]


def shorten_sentences(writer: SqliteWriter, sentences: Collection[int], embedder: Embedder) -> int:
    """Blank the qualifiers of the sentences with these ids in the text, its index of words and its vectors; how many
    sentences had any. Mentions that stood there go, the ids of passages and sentences stay.
    """
    by_passage: dict[int, list[tuple[int, int]]] = {}
    for one in sorted(sentences):
        for passage, start, end in writer.rows('SELECT passage, start, "end" FROM sentences WHERE id = ?', (one,)):
            by_passage.setdefault(passage, []).append((start, end))
    changed, count = [], 0
    for passage, spans in by_passage.items():
        shortened = _written(writer, passage, spans)
        if shortened is not None:
            changed.append(shortened[0])
            count += shortened[1]
    for at in range(0, len(changed), AT_ONCE):
        _embed(writer, changed[at : at + AT_ONCE], embedder)
    return count


def _written(writer: SqliteWriter, passage: int, spans: Sequence[tuple[int, int]]) -> tuple[_Shortened, int] | None:
    """The passage with these stretches blanked, and how many of them changed; None where none did."""
    [(number, title, section, before)] = writer.rows(
        "SELECT number, title, section, text FROM passages WHERE id = ?", (passage,)
    )
    text, count = before, 0
    for start, end in spans:
        new = blanked(before[start:end])
        count += new != before[start:end]
        text = text[:start] + new + text[end:]
    if not count:
        return None
    index = "INSERT INTO passages_fts(passages_fts, rowid, title, text, section) VALUES ('delete', ?, ?, ?, ?)"
    writer.execute(index, (number, title, before, section))
    writer.execute("UPDATE passages SET text = ? WHERE id = ?", (text, passage))
    index = "INSERT INTO passages_fts(rowid, title, text, section) VALUES (?, ?, ?, ?)"
    writer.execute(index, (number, title, text, section))
    for start, end in writer.rows('SELECT DISTINCT start, "end" FROM mentions WHERE passage = ?', (passage,)):
        if text[start:end] != before[start:end]:
            writer.execute("DELETE FROM mentions WHERE passage = ? AND start = ?", (passage, start))
    rows = writer.rows('SELECT id, start, "end" FROM sentences WHERE passage = ? ORDER BY start', (passage,))
    return _Shortened(passage, title, section, text, [(one, start, end) for one, start, end in rows]), count


def _embed(writer: SqliteWriter, passages: Sequence[_Shortened], embedder: Embedder) -> None:
    """New vectors of the passages and all their sentences, which are made of the passages' own."""
    prefixes = [
        title_prefix(one.title, embedder.count_tokens, embedder.max_tokens - 2, path_of(one.section))
        for one in passages
    ]
    vectors = embedder.embed_passages(
        [prefix + one.text for prefix, one in zip(prefixes, passages, strict=True)],
        [
            [(start + len(prefix), end + len(prefix)) for _, start, end in one.sentences]
            for prefix, one in zip(prefixes, passages, strict=True)
        ],
    )
    for one, made in zip(passages, vectors, strict=True):
        ids = [sentence for sentence, _, _ in one.sentences]
        writer.drop_codes("passage", [one.id])
        writer.add_codes("passage", [one.id], eight_bits(made.passage[None]))
        writer.drop_codes("sentence", ids)
        writer.add_codes("sentence", ids, eight_bits(made.sentences))
