"""Links whose documents came, went or changed their titles: the passages that hold them are extracted anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from kb.documents.links import Targets
from kb.graph.passage_work import PassageWork
from kb.graph.rule_extraction import rule_work, surroundings
from kb.records import OTHER_NAMES, Document
from kb.store.writer import StoredPassage, Writer

_BATCH = 128
"""Passages a transaction."""


def known_targets(writer: Writer) -> Targets:
    """What links can lead to: the documents that are stored. Of several mails with the same id, the first by key is
    meant.
    """
    targets = Targets({})
    for key, title, *file in writer.rows("SELECT key, title, root, source FROM documents"):
        targets.add(key, title, (file[0], file[1]))
    for title, metadata in writer.rows(
        "SELECT title, metadata FROM documents WHERE format IN ('email', 'mbox', 'markdown') AND metadata <> '{}' "
        "ORDER BY key"
    ):
        _add_said(targets, str(title), json.loads(metadata))
    return targets


def add_target(targets: Targets, document: Document) -> None:
    """Have links lead to a document as well, as far as is known before all are stored: `follow_changes` looks again."""
    targets.add(document.key, document.title, (document.root, document.source))
    if document.format in ("email", "mbox", "markdown"):
        _add_said(targets, document.title, document.metadata)


def _add_said(targets: Targets, title: str, said: Mapping[str, Any]) -> None:
    """A mail's id and sender, and a note's other names."""
    if "message_id" in said:
        targets.add_message(said["message_id"], title, said.get("sender", ""))
    targets.add_names(said.get(OTHER_NAMES, ()), title)


def follow_changes(writer: Writer) -> None:
    """Extract anew the passages with a link that leads elsewhere by now, or with a title that a document no longer has.

    Their documents are then to be searched for titles again (`link_titles`).
    """
    targets = known_targets(writer) if writer.rows("SELECT 1 FROM links LIMIT 1") else Targets({})
    rows = writer.each(
        "SELECT l.passage, d.key, d.root, d.source, l.target, l.title, l.sender FROM links l "
        "JOIN passages p ON p.id = l.passage JOIN documents d ON d.id = p.document"
    )
    moved = {
        (key, passage)
        for passage, key, root, source, target, *found in rows
        if targets.found(target, key, (root, source)) != tuple(found)
    }
    moved |= {(key, passage) for key, passage in writer.rows(
        "SELECT d.key, p.id FROM passages p JOIN documents d ON d.id = p.document WHERE d.linked = -1 "
        "AND p.extraction = '' AND NOT EXISTS (SELECT 1 FROM triples t WHERE t.passage = p.id AND t.origin <> 'rules')"
    )}  # fmt: skip
    waiting = [passage for _, passage in sorted(moved)]
    text_of = lru_cache(maxsize=1)(writer.text_of)  # asked for each passage of a document, one after another
    for start in range(0, len(waiting), _BATCH):
        batch = writer.passages(waiting[start : start + _BATCH])
        writer.extract_anew([_anew(writer, one, text_of(one.document.key), targets) for one in batch])
    writer.look_for_titles_again()


def _anew(writer: Writer, passage: StoredPassage, text: str, targets: Targets) -> PassageWork:
    """What a passage of a document with this text says by rule."""
    whole = replace(passage.document, text=text)
    around = surroundings(whole, passage.piece, writer.links(passage), targets)
    return rule_work(whole, passage.piece, passage.spans, around)
