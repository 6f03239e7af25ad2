"""Links whose documents came, went or changed their titles: the passages that hold them are extracted anew."""

from __future__ import annotations

import json
from collections.abc import Iterable

from kb.documents.links import Targets
from kb.graph.rule_extraction import rule_work
from kb.records import Document
from kb.store.writer import Writer

_BATCH = 128
"""Passages a transaction."""


def known_targets(writer: Writer, documents: Iterable[Document] = ()) -> Targets:
    """What links can lead to: the documents that are stored, and those that have been read.

    Of several mails with the same id, the first by key is meant.
    """
    titles = {str(key): str(title) for key, title in writer.rows("SELECT key, title FROM documents")}
    mails = {
        str(key): (str(title), json.loads(metadata))
        for key, title, metadata in writer.rows(
            "SELECT key, title, metadata FROM documents WHERE format IN ('email', 'mbox')"
        )
    }
    for one in documents:
        titles[one.key] = one.title
        mails.pop(one.key, None)
        if one.format in ("email", "mbox"):
            mails[one.key] = (one.title, one.metadata)
    messages: dict[str, tuple[str, str]] = {}
    for _, (title, said) in sorted(mails.items(), key=lambda pair: pair[0]):
        if "message_id" in said:
            messages.setdefault(said["message_id"], (title, said.get("sender", "")))
    return Targets(titles, messages)


def follow_changes(writer: Writer) -> None:
    """Extract anew the passages with a link that leads elsewhere by now, or with a title that a document no longer has.

    Their documents are then to be searched for titles again (`link_titles`).
    """
    rows = writer.rows(
        "SELECT l.passage, d.key, l.target, l.title, l.sender FROM links l "
        "JOIN passages p ON p.id = l.passage JOIN documents d ON d.id = p.document"
    )
    targets = known_targets(writer) if rows else Targets({})
    moved = {passage for passage, key, target, *found in rows if targets.found(target, key) != tuple(found)}
    moved |= {passage for (passage,) in writer.rows(
        "SELECT p.id FROM passages p JOIN documents d ON d.id = p.document WHERE d.linked = -1 AND p.extraction = '' "
        "AND NOT EXISTS (SELECT 1 FROM triples t WHERE t.passage = p.id AND t.origin <> 'rules')"
    )}  # fmt: skip
    waiting = sorted(moved)
    for start in range(0, len(waiting), _BATCH):
        writer.extract_anew([
            rule_work(one.document, one.piece, one.spans, writer.links(one), targets)
            for one in writer.passages(waiting[start : start + _BATCH])
        ])  # fmt: skip
    writer.look_for_titles_again()
