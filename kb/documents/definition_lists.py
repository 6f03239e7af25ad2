"""Definition lists of web pages: which terms stand above which description, and when they are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from kb.documents.plaintext import Block

if TYPE_CHECKING:
    from bs4 import Tag


@dataclass(slots=True)
class _Entry:
    """Terms that share their descriptions; `above` is what these are said of, in a list that describes something."""

    terms: list[str] = field(default_factory=list)
    above: str = ""

    @property
    def name(self) -> str:
        terms = ", ".join(self.terms)
        return f"- {self.above}; {terms}" if self.above and terms else terms


class DefinedTerms:
    """The terms of a page's definition lists, as its blocks are gone through in order.

    Each is told where its description begins, "Ebb: falling water", or by itself where it has none. Where a description
    begins with another list, the entries of that are items that say so as the rows of tables do: "- Tank; Depth: 4 m".
    """

    def __init__(self, page: Tag) -> None:
        """One pass over `page`, so that deep nesting costs nothing."""
        self._entries: dict[int, _Entry] = {}
        self._around: dict[int, Tag | None] = {id(page): None}  # the description that each element stands in
        self._above: dict[int, str] = {}
        self._begun: set[int] = set()
        self._waiting: _Entry | None = None
        last: dict[int, Tag] = {}
        lists: dict[int, Tag] = {}
        for tag in page.find_all(True):
            parent = cast("Tag", tag.parent)
            is_unclosed = parent.name == tag.name and tag.name in ("dt", "dd")  # the parser puts the next one into it
            self._around[id(tag)] = parent if parent.name == "dd" and not is_unclosed else self._around[id(parent)]
            if tag.name in ("dt", "dd"):
                own = lists[id(tag)] = lists[id(parent)] if is_unclosed else parent
                before = last.get(id(own))
                is_new = before is None or (before.name, tag.name) == ("dd", "dt")
                self._entries[id(tag)] = _Entry() if is_new else self._entries[id(before)]
                last[id(own)] = tag

    def before(self, block: Tag) -> Iterator[Block]:
        """What is to be told before a block: terms that nothing describes, and those whose description it begins
        without being the description's own text.
        """
        begun: list[Tag] = []
        around = self._around[id(block)]
        while around is not None and id(around) not in self._begun:
            begun.append(around)
            around = self._around[id(around)]
        for description in reversed(begun):
            entry = self._entries[id(description)]
            yield from self.alone(besides=entry)
            name = self._begin(description)
            is_list = block.name == "dt" and description is begun[0]
            if is_list:
                self._above[id(description)] = ", ".join(entry.terms).replace(";", ",")
            if name and (entry.above or not is_list):
                yield Block(f"{name}:")
        yield from self.alone(besides=self._entries.get(id(block)))

    def take(self, term: Tag, text: str) -> None:
        """Have a term wait for its description."""
        self._waiting = self._entries[id(term)]
        self._waiting.above = self._above.get(id(self._around[id(term)]), "")
        if text := text.rstrip(":").rstrip():
            self._waiting.terms.append(text)

    def described(self, description: Tag, text: str) -> str:
        """A description's own text, behind its terms where it begins with that."""
        if id(description) in self._begun:
            return text
        name = self._begin(description)
        text = text.replace(";", ",") if self._entries[id(description)].above else text
        return f"{name}: {text}" if name else text

    def alone(self, besides: _Entry | None = None) -> Iterator[Block]:
        """The terms that nothing has been said of yet, unless they are those of an entry."""
        if self._waiting is not None and self._waiting is not besides:
            if name := self._waiting.name:
                yield Block(name)
            self._waiting = None

    def _begin(self, description: Tag) -> str:
        """Note that a description has begun; returns the name of what it describes."""
        self._begun.add(id(description))
        self._waiting = None
        return self._entries[id(description)].name
