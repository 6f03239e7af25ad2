from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.replying.reply import Citation
from assistant.conversations.threads.source_file import open_with_system, source_path
from kb.build import build
from kb.errors import UsageError
from kb.store.knowledge_base import KnowledgeBase


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base over a folder of three notes, and of one file beside it."""
    root = tmp_path_factory.mktemp("built")
    notes = root / "notes"
    notes.mkdir()
    for name in ("kept", "moved", "linked"):
        (notes / f"{name}.md").write_text(f"# {name.title()} Harbour\n\n{name.title()} Harbour is a port.\n")
    (root / "single.md").write_text("# Single\n\nSingle Harbour is a port as well.\n")
    build([str(notes), str(root / "single.md")], root / "notes.clew")
    return root / "notes.clew"


def cited(built: Path, part: str) -> Citation:
    with KnowledgeBase.open(built) as kb:
        key = next(key for key, *_ in kb.documents() if part in key)
        passage = kb.document_passages(key)[0]
    return Citation(1, passage.id, passage.document, passage.title, passage.source, passage.page)


def test_a_file_is_found_below_what_was_built_from(built: Path) -> None:
    assert source_path(built, cited(built, "kept")) == (built.parent / "notes" / "kept.md").resolve()
    assert source_path(built, cited(built, "single")) == (built.parent / "single.md").resolve()


def test_what_has_moved_or_is_unknown_is_told(built: Path) -> None:
    (built.parent / "notes" / "moved.md").unlink()
    with pytest.raises(UsageError, match=r"moved\.md.* is not there now"):
        source_path(built, cited(built, "moved"))
    with pytest.raises(UsageError, match="no document 'http://x'"):
        source_path(built, Citation(1, 1, "http://x", "t", "http://x"))


def test_a_link_out_of_the_folder_is_not_followed(built: Path) -> None:
    secret = built.parent / "secret.md"
    secret.write_text("secret")
    linked = built.parent / "notes" / "linked.md"
    linked.unlink()
    linked.symlink_to(secret)
    with pytest.raises(UsageError, match="it is not opened"):
        source_path(built, cited(built, "linked"))
    linked.unlink()
    linked.mkdir()
    with pytest.raises(UsageError, match="it is not opened"):
        source_path(built, cited(built, "linked"))


def test_the_system_is_given_one_path_and_no_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: started.append((command, options)))
    open_with_system(Path("/a b/$(x).md"))
    ((command, options),) = started
    assert command[1:] == ["/a b/$(x).md"]
    assert not options.get("shell")


def test_no_program_that_opens_it_tells_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match=r"it is '/a\.md'"):
        open_with_system(Path("/a.md"))
