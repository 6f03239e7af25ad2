"""What was put into the prompt at once, told apart: several questions, a line each, or one."""

from __future__ import annotations

import re

_MARK = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+(?=\S)")
"""What stands before each line of a list."""

_IS = (
    r"(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|should|must|will|would|may|might)(?:n['’]?t)?"
    r"|am|ought)\b"
)
_BEGINS = re.compile(
    rf"(?:and |so |then )?(?:who|whom|whose|when|where|why|which|what|how)\b(?:['’]s\b|(?: [\w'’-]+){{0,3}}? {_IS})",
    re.I,
)
"""How a line begins that asks: the word that asks, and soon after it the verb that is turned around."""

_GOES_ON = re.compile(rf"(?:who|whom|whose|which)\b|(?:when|where|why)\b(?! {_IS})")
"""How a line begins that may say more of what the line above it names: "the man / who was its director"."""

_SHORTEST = 3
"""Words of a line that asks without a question mark."""


def separate_questions(text: str) -> list[str]:
    """The questions in a text: its lines, without what numbers them, where each is a question by itself, else the text
    alone, as it stands.

    Each line ends in a question mark, or each begins as a question does and none goes on with the one above it.
    """
    lines = [_MARK.sub("", line.strip()) for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return [text]
    if all(line.endswith("?") for line in lines) or all(map(_asks, lines, ["", *lines])):
        return lines
    return [text]


def _asks(line: str, above: str) -> bool:
    """Whether a line is a question that does not go on with the one `above`."""
    goes_on = bool(above) and not above.endswith("?") and _GOES_ON.match(line) is not None
    return len(line.split()) >= _SHORTEST and _BEGINS.match(line) is not None and not goes_on
