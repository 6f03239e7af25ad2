"""The file behind a citation: found in the folder that the knowledge base was built from, and opened."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from assistant.agent.replying.reply import Citation, RankedPassage
from assistant.shared.rendering import location
from kb.errors import UsageError

_HIDDEN = (".", "~$")


def source_path(knowledge_base: Path, cited: Citation | RankedPassage) -> Path:
    """The file that a passage came from. Raises UsageError, which says where it was, unless that is safe to open.

    Safe is a regular file of a type that clew reads, below the folder that the knowledge base was built from, links
    followed. What has moved since, or was not read from a folder, is told and not opened.
    """
    from kb.documents.file_types import SUFFIXES
    from kb.store.knowledge_base import KnowledgeBase
    from kb.store.listing import document_facts  # numpy and SQLite, which the chat's first paint does without

    where = location(cited.source, cited.page) or "a place that is not known"
    with KnowledgeBase.open(knowledge_base) as kb:
        facts = document_facts(kb, cited.document)
    if facts is None:
        raise UsageError(f"this knowledge base holds no document {cited.document[:80]!r} any more; it was in {where}")
    if not facts.root:
        raise UsageError(f"it is in {where}, of which no folder is known: it is not opened")
    try:
        root = Path(facts.root).resolve(strict=True)
        path = (root / facts.source).resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"it was in {where} below {facts.root!r}, and is not there now") from error
    is_below = path.is_relative_to(root) and not path.name.startswith(_HIDDEN)
    if not is_below or not path.is_file() or path.suffix.casefold() not in SUFFIXES:
        raise UsageError(f"it was in {where}, which is no document below {facts.root!r}: it is not opened")
    return path


def open_with_system(path: Path) -> None:
    """Show a file in the program that the system has for it. Raises UsageError, which names the path, for none."""
    try:
        if sys.platform == "win32":
            os.startfile(path)
        else:
            opener = "open" if sys.platform == "darwin" else "xdg-open"
            subprocess.Popen(
                [opener, str(path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
    except OSError as error:
        raise UsageError(f"nothing here opens it; it is {str(path)!r}") from error
