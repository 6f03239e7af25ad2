"""Links between documents: found by the readers of marked-up text, resolved when all documents of a build are known.

While a document is read, a link's words stand between marks of Unicode's private use area that also hold its target, so
that they survive the joining and tidying of text; `taken_out` removes the marks and says where the words stand.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from urllib.parse import unquote

from kb.documents.file_stamps import FileName, path_of
from kb.documents.plaintext import readable_name
from kb.name_keys import name_key
from kb.records import Link

LONGEST_TARGET = 500
"""Characters of a target that can name a document; a longer one is no link."""

_OPEN, _JOINT, _CLOSE = "\ue0f0", "\ue0f1", "\ue0f2"
_MARKS = re.compile(f"[{_OPEN}{_JOINT}{_CLOSE}]")
_LINK = re.compile(f"{_OPEN}([^{_OPEN}{_JOINT}{_CLOSE}]*){_JOINT}([^{_OPEN}{_JOINT}{_CLOSE}]*){_CLOSE}")
_ROW_KEY = re.compile(r"(.*\.(?:csv|tsv|jsonl|ndjson|mbox))#.", re.IGNORECASE | re.DOTALL)
_WIKILINK = re.compile(r"!?\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]{0,200})?(?:\|([^\[\]\n]{1,200}))?\]\]")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#", re.IGNORECASE)

FORWARD = re.compile(r"(?i)\s*(?:fwd?|wg|tr|rv|enc|i)\s*:")
"""The start of the subject of a mail that is forwarded."""


def is_message(target: str) -> bool:
    """Whether a link leads to a mail by its id: "<a1@example.org>"."""
    return target.startswith("<")


def without_marks(text: str) -> str:
    """`text` without the characters that mark links: what is read must not bring its own."""
    return _MARKS.sub("", text)


def marked(target: str, words: str) -> str:
    """The words of a link with its target; the words alone where it leads out of the documents or nowhere."""
    target = without_marks(" ".join(target.split()))
    if not target or not words.strip() or len(target) > LONGEST_TARGET or _ELSEWHERE.match(target):
        return words
    return f"{_OPEN}{target}{_JOINT}{words}{_CLOSE}"


def wiki_links_marked(text: str) -> str:
    """`text` with the links of notes, [[target]], [[target#heading]], [[target|words]], as `marked` gives them."""
    return _WIKILINK.sub(lambda link: marked(link[1], link[2] or link[1]), text)


def taken_out(text: str) -> tuple[str, tuple[Link, ...]]:
    """The text without marks, and its links in order. A mark without its others is dropped."""
    parts: list[str] = []
    links: list[Link] = []
    length = at = 0
    for match in _LINK.finditer(text):
        before = without_marks(text[at : match.start()])
        parts += (before, match[2])
        start = length + len(before)
        length = start + len(match[2])
        links.append(Link(start, length, match[1]))
        at = match.end()
    return "".join((*parts, without_marks(text[at:]))), tuple(links)


class Targets:
    """The documents that a link can lead to: by where their files lie, by path from the linking one, by path, by name
    of the file, by title, and by what else a document says that it is called.

    Of several with the same name or title none is meant.
    """

    def __init__(self, titles: Mapping[str, str]) -> None:
        """`titles` are the documents' titles by their keys."""
        self._by_key: dict[str, str] = {}
        self._prefixes: dict[str, dict[str, None]] = {}
        """By folder what stands in front of the paths below it in keys."""
        self._by_name: dict[str, set[str]] = {}
        self._by_other_name: dict[str, set[str]] = {}
        self._messages: dict[str, tuple[str, str]] = {}
        for key, title in titles.items():
            self.add(key, title)

    def add(self, key: str, title: str, file: FileName = ("", "")) -> None:
        """Have links lead to a document of this key and title too; links to a file of rows lead to the file's name."""
        if of_row := _ROW_KEY.match(key):
            self._by_key[key.casefold()] = title
            self._by_name.setdefault(name_key(title), set()).add(title)
            key, title = of_row[1], readable_name(PurePosixPath(of_row[1]).stem)
        root, source = file
        if root and key.endswith(source):
            prefix = key.removesuffix(source).casefold()
            self._prefixes.setdefault(root.casefold(), {}).setdefault(prefix)
        path = PurePosixPath(key.casefold())
        self._by_key[path.as_posix()] = title
        self._by_key.setdefault(path.with_suffix("").as_posix() if path.name else "", title)
        for name in {name_key(path.stem), name_key(path.name), name_key(title)}:
            self._by_name.setdefault(name, set()).add(title)

    def add_names(self, names: Iterable[str], title: str) -> None:
        """Have links lead to a document of this title by other names too, where none is called so."""
        for name in map(name_key, names):
            self._by_other_name.setdefault(name, set()).add(title)

    def add_message(self, message: str, title: str, sender: str) -> None:
        """Have answers lead to a mail of this id, where none before had it."""
        self._messages.setdefault(message, (title, sender))

    def found(self, target: str, source: str, file: FileName = ("", "")) -> tuple[str, str]:
        """The title of what `target` means in the document with the key `source`, which is of `file`, and the sender of
        a mail that is answered; "" for none.
        """
        return self._messages.get(target, ("", "")) if is_message(target) else (self.title(target, source, file), "")

    def title(self, target: str, source: str, file: FileName = ("", "")) -> str:
        """The title of the document that `target` means in the document with the key `source`, "" for none."""
        path = unquote(re.split(r"[#?]", target, maxsplit=1)[0]).strip().replace("\\", "/").casefold()
        folder = posixpath.dirname(source).casefold()
        places = [*self._keys_at(posixpath.join(posixpath.dirname(path_of(file)).casefold(), path))] if path else []
        places += [posixpath.normpath(posixpath.join(folder, path)), posixpath.normpath(path.lstrip("/"))]
        # A link to the page that is made of a source (guide.html of guide.rst) means the source.
        places += [place.removesuffix(".html") for place in places if place.endswith(".html")]
        for place in places:
            if place in self._by_key:
                return self._by_key[place]
        named = self._by_name.get(name_key(posixpath.basename(path)), set()) if path else set()
        named = named or self._by_other_name.get(name_key(path), set())
        return next(iter(named)) if len(named) == 1 else ""

    def _keys_at(self, path: str) -> Iterator[str]:
        """The keys that a file at a path from the root of all may have; none for another path."""
        place = PurePosixPath(posixpath.normpath(path))
        for folder in place.parents if place.is_absolute() else ():
            for prefix in self._prefixes.get(folder.as_posix(), ()):
                yield f"{prefix}{place.relative_to(folder).as_posix()}"
