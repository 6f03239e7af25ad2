from __future__ import annotations

from pathlib import Path

import pytest

from screens.completing import argument_choices, command_choices
from screens.slash_commands import BY_NAME, COMMANDS


def test_only_commands_that_are_offered_are_listed() -> None:
    offered = [BY_NAME["fork"], BY_NAME["rename"]]
    assert [choice.text for choice in command_choices("/", offered)] == ["/rename ", "/fork "]
    (rename,) = command_choices("/RE", offered)
    assert (rename.label, rename.is_whole) == ("/rename NAME", False)
    assert command_choices("who", COMMANDS) == ()


def test_fixed_words_then_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    for name in ("notes/b.md", "notes/a.md", ".hidden", "two words.md", "new\nline.md"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert [choice.label for choice in argument_choices("/export ")] == ["last", "all"]
    assert [choice.text for choice in argument_choices("/export all ")] == ["/export all notes/"]
    assert [choice.text for choice in argument_choices("/export 3 notes/")] == [
        "/export 3 notes/a.md",
        "/export 3 notes/b.md",
    ]
    assert [choice.label for choice in argument_choices("/open .h")] == [".hidden"]
    assert [choice.label for choice in argument_choices(f"/create {tmp_path}/")] == [f"{tmp_path}/notes/"]


@pytest.mark.parametrize(
    "text", ["", "who ", "/open", "/rename x", "/nope x", "/open /no/such/", "/export a b c", "/open a\0"]
)
def test_nothing_for_anything_else(text: str) -> None:
    assert argument_choices(text) == ()
