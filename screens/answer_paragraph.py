"""An answer as Markdown, with the mark behind it, which says how sure it is, in its colour."""

from __future__ import annotations

import re

from textual.content import Content
from textual.widgets import Markdown
from textual.widgets._markdown import MarkdownParagraph  # its public module leaves this block out

from assistant.shared.rendering import CERTAINTY_MARKS
from screens.style import STYLES

_ROLES = dict(CERTAINTY_MARKS.values())
_MARK = re.compile(rf"\s({'|'.join(map(re.escape, _ROLES))})$")


class AnswerParagraph(MarkdownParagraph):
    """A paragraph; a mark at its end has its colour."""

    def set_content(self, content: Content) -> None:
        super().set_content(coloured(content))


class Answer(Markdown):
    """The Markdown of a reply."""

    BLOCKS = {**Markdown.BLOCKS, "paragraph_open": AnswerParagraph}  # noqa: RUF012 - as Textual declares it


def coloured(content: Content) -> Content:
    """The content with the mark at its end, if there is one, in its colour."""
    found = _MARK.search(content.plain)
    return content.stylize(STYLES[_ROLES[found[1]]], found.start(1)) if found else content
