"""The lines of a passage for people."""

from __future__ import annotations

import pytest

from assistant.shared.rendering import plain
from assistant.shared.text_lines import text_lines

WRAPPED = "The skylark rises from the meadow in the\nearly morning and sings for an hour or so."


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("## Lungworm\n\nTreat with salt.\n\n## Ringworm\n\n- bath\n- cream", 5),
        ("Day: Monday; Who: Ann\nDay: Tuesday; Who: Ben", 2),
        ("milk\nbread", 2),
        (WRAPPED, 1),
        (f"# {WRAPPED}", 2),
        (f"{WRAPPED}\n{WRAPPED}", 1),
        (f"{WRAPPED}\n\n{WRAPPED}", 2),
        ("", 1),
        ("\x1b[31mred\x1b[0m\n\u202e\nblue", 2),
    ],
)
def test_what_begins_a_line_in_the_document_begins_one(text: str, lines: int) -> None:
    told = text_lines(text, 4000)
    assert len(told) == lines
    assert " ".join(told) == plain(text, 4000)


def test_a_long_text_is_cut_as_a_plain_one_is() -> None:
    text = "- one two\n- three four\n- five six"
    assert text_lines(text, 20) == ["- one two", "- three f…"]
    assert [" ".join(text_lines(text, limit)) for limit in range(1, 40)] == [plain(text, n) for n in range(1, 40)]
