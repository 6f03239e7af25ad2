"""Questions that a document asks and answers itself: each is a heading, so that its answer stands below it.

Lists of what is often asked mark a question with "Q:", a number or a term of a definition list, or write the answer
further in. However it is written, the text of all formats has the question as a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kb.documents.plaintext import Block, heading
from kb.documents.structure import is_heading

_MARKED = re.compile(
    r"(?:Q|Question)(?: ?\d{1,3})?[.:)]\s*(?P<asked>\S[^\n]*(?:\n[^\n]+){0,5}?\?)[ \t]*(?:\n(?P<rest>.+))?", re.DOTALL
)
_ANSWER = re.compile(r"(?:A|Answer)(?: ?\d{1,3})?[.:)]\s+(?=\S)")
_TERM = re.compile(r"(?:[-*] )?(?P<asked>[^\W_][^\n]{2,300}\?): (?P<answer>\S.*)", re.DOTALL)
_PLAIN = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})*[.)]? +)?[A-Z][^\n]{3,300}\?")
_NUMBERED = re.compile(r"\d{1,3}[.)]? ")
_FEWEST = 2
"""Questions without a mark: one alone may ask in a text that answers nothing."""


def with_questions(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks of a document, in order, with a heading for each question that it answers, one level below the nearest
    heading; all others as they are. The mark of an answer ("A:") is left out.
    """
    known = list(blocks)
    plain = frozenset(at for at, one in enumerate(known) if _is_answered(known, at))
    level, is_asked = 1, False
    for at, one in enumerate(known):
        if is_heading(one.text):
            level, is_asked = one.text.index(" "), one.text.endswith("?")
            yield one
            continue
        question, answer = _parted(one, is_plain=at in plain and len(plain) >= _FEWEST)
        if question:
            yield heading(level + 1, question)
        if answer:
            is_answer = bool(question) or is_asked
            yield Block(_ANSWER.sub("", answer, count=1) if is_answer else answer, "" if question else one.kind)
        is_asked = bool(question) and not answer


def _parted(block: Block, *, is_plain: bool) -> tuple[str, str]:
    """The question that a block asks, "" for none, and what it says besides."""
    if marked := _MARKED.fullmatch(block.text):
        return marked["asked"], marked["rest"] or ""
    if block.kind != "row" and (term := _TERM.fullmatch(block.text)):
        return term["asked"], term["answer"]
    return (block.text, "") if is_plain else ("", block.text)


def _is_answered(blocks: list[Block], at: int) -> bool:
    """Whether a line of its own that asks has an answer below it: it is numbered, or that is written further in."""
    text, following = blocks[at].text, blocks[at + 1].text if at + 1 < len(blocks) else ""
    if blocks[at].kind == "row" or not _PLAIN.fullmatch(text) or not following or is_heading(following):
        return False
    is_further_in = following[:1].isspace()
    is_next = _PLAIN.fullmatch(following) is not None
    return not is_next and (is_further_in or (_NUMBERED.match(text) is not None and blocks[at + 1].kind != "item"))
