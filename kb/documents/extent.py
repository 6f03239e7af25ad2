"""How far the reading of sources is, by the bytes of their files: what a time left can be told from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Extent:
    """Bytes of the files that are to be read, and of those that were; files that need not be read count as neither."""

    total: int = 0
    done: int = 0
    within: int = 0
    """Bytes of the file that is being read, up to the end of the document that was given last."""

    def follow(self, stream: BinaryIO, rows: Iterable[T]) -> Iterator[T]:
        """The rows, noting how far into `stream` each is."""
        for row in rows:
            self.within = stream.tell()
            yield row

    def end_file(self, size: int, *, read: bool) -> None:
        """A file of so many bytes is done with."""
        self.within = 0
        if read:
            self.done += size
        else:
            self.total -= size

    @property
    def share(self) -> float:
        """The share that has been read, above 0 and up to 1; 1 where nothing is known of the whole, as of a pipe."""
        gone = self.done + self.within
        return min(max(gone, 1) / self.total, 1.0) if self.total > 0 else 1.0
