"""Where transcripts are kept: a gzipped file each, in one folder of the user's.

A file is two lines of JSON: what a list shows of the transcript, so that a list of thousands need not read them whole,
and the transcript. Its name is the time of asking and the transcript's id. Files are readable to their owner only and
appear in one step; nothing is ever written to one again.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assistant.conversations.transcripts.contents import known_fingerprint
from assistant.conversations.transcripts.form import VERSION, Transcript
from assistant.shared.user_folders import transcripts_folder
from assistant.shared.writing import replace_file
from kb.errors import BadFileError, UsageError, WriteError
from kb.store.addresses import place
from tools.reading.certainty import Certainty

MAX_BYTES = 64 * 1024 * 1024
"""Of a transcript, unpacked: a thousand times the usual, and no harm to a machine that is sent a bad one."""

SHORTEST_SECRET = 8
"""Characters: what local servers are given for a key, "none" or "ollama", is none, and stands in other places too."""

_SUMMARY = "clew_transcript_summary"
_NAME = re.compile(r"(?P<when>\d{8}T\d{12})Z-(?P<id>[0-9a-f]{8})\.json\.gz")
_LEFT_OVER = re.compile(r"\.\d{8}T\d{12}Z-[0-9a-f]{8}\.json\.gz\.\w+")
_STAMP = "%Y%m%dT%H%M%S%f"
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list shows of a transcript. `touched` are ids of its first ten passages and of those cited; `certainty` is
    the answer's, "likely" where it was found before answers were marked.
    """

    path: Path
    id: str
    when: str
    question: str
    answer: str
    found: bool
    partial: bool
    error: str
    model: str
    tokens: int
    seconds: float
    knowledge_base: str
    fingerprint: str
    touched: tuple[int, ...]
    certainty: Certainty = "none"

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        names = [name for name in self.__slots__ if name != "path"]
        return {"path": str(self.path), **{name: getattr(self, name) for name in names}}


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "id": str,
    "when": str,
    "question": str,
    "answer": str,
    "found": bool,
    "partial": bool,
    "error": str,
    "model": str,
    "tokens": int,
    "seconds": (int, float),
    "knowledge_base": str,
    "fingerprint": str,
}


class Store:
    """The transcripts in `folder`, the user's own by default. Making one touches no file."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or transcripts_folder()

    def write(self, transcript: Transcript, secrets: Sequence[str] = ()) -> Path:
        """Keep a transcript, with `secrets` blotted out wherever they stand. Raises OSError."""
        path = self.folder / f"{_stamp(transcript.when)}Z-{transcript.id}.json.gz"
        forms = tuple(_written_forms(secrets))
        records = (_summary(transcript), transcript.to_json())
        text = "".join(_dumped(_without(record, forms) if forms else record) for record in records)
        replace_file(path, gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0))
        return path

    def summaries(self, *, words: str = "", knowledge_base: str | Path | None = None) -> list[Summary]:
        """Latest first: those whose question or answer has all the words, in any case, of one knowledge base.

        `knowledge_base` is a path, or a fingerprint. A file that is none of ours, or torn, is left out.
        """
        wanted = words.casefold().split()
        is_of = _belongs(knowledge_base) if knowledge_base is not None else lambda summary: True
        return [
            summary
            for summary in self._all()
            if is_of(summary) and all(word in f"{summary.question} {summary.answer}".casefold() for word in wanted)
        ]

    def find(self, name: str) -> Path:
        """The file of a transcript: `last`, the beginning of an id, or a path. UsageError for none or several."""
        if Path(name).is_file():
            return Path(name)
        if name == "last":
            names = self._names()
            if not names:
                raise UsageError(f"there is no transcript yet in {str(self.folder)!r}; clew ask keeps one")
            return names[0]
        if not re.fullmatch(r"[0-9a-f]{1,8}", name):
            raise UsageError(f"{name!r} is no transcript: give a file, the id that clew transcripts shows, or last")
        found = [path for path in self._names() if _id(path).startswith(name)]
        if len(found) != 1:
            which = "no transcript has" if not found else f"{len(found)} transcripts have"
            raise UsageError(f"{which} an id that begins with {name!r}; clew transcripts lists them")
        return found[0]

    def clear(
        self, before: datetime | None = None, *, knowledge_base: str | Path | None = None, dry: bool = False
    ) -> int:
        """Delete transcripts and return how many: all, or those of before a time, of one knowledge base. With `dry`
        only count. Raises WriteError.
        """
        of_it = knowledge_base is not None
        chosen = [one.path for one in self.summaries(knowledge_base=knowledge_base)] if of_it else self._names()
        names = [path for path in chosen if before is None or _time(path) < before]
        if dry:
            return len(names)
        try:
            for path in (*names, *self._left_over()):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise WriteError(f"cannot delete {error.filename!r} ({error.strerror})") from error
        return len(names)

    def _all(self) -> Iterator[Summary]:
        for path in self._names():
            summary = _read_summary(path)
            if summary is not None:
                yield summary

    def _names(self) -> list[Path]:
        """Latest first."""
        return sorted((path for path in self._files() if _NAME.fullmatch(path.name)), reverse=True)

    def _left_over(self) -> list[Path]:
        """What killed runs have left half written."""
        return [path for path in self._files() if _LEFT_OVER.fullmatch(path.name)]

    def _files(self) -> list[Path]:
        try:
            return [path for path in self.folder.iterdir() if path.is_file()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BadFileError(f"cannot read the transcripts in {str(self.folder)!r} ({error.strerror})") from error


def read(path: Path) -> Transcript:
    """The transcript in a file, as kept or exported. BadFileError, in one line, where it is none or cannot be read."""
    try:
        text = _unpacked(path).decode("utf-8")
        first, _, rest = text.partition("\n")
        is_kept = first.startswith(f'{{"{_SUMMARY}"')
        return Transcript.from_json(json.loads(rest if is_kept else text))
    except BadFileError as error:
        raise BadFileError(f"{str(path)!r} cannot be used: {error}") from error
    except OSError as error:
        raise BadFileError(f"{str(path)!r} cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError, EOFError, zlib.error) as error:
        raise BadFileError(f"{str(path)!r} is no transcript of clew, or a torn one") from error


def touched(knowledge_base: str | Path, folder: Path | None = None) -> Mapping[int, int]:
    """Ids of passages with how many questions had them among their first ten, or cited them.

    `knowledge_base` is a path or a fingerprint: of a path also the transcripts count that were made when it held
    something else. Empty where nothing has been asked.
    """
    counts = Counter(
        passage for summary in Store(folder).summaries(knowledge_base=knowledge_base) for passage in summary.touched
    )
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def days_ago(days: float) -> datetime:
    """The time `days` before now. UsageError for a number of days that no calendar has."""
    try:
        return datetime.now(UTC) - timedelta(days=days)
    except (OverflowError, ValueError) as error:
        raise UsageError(f"{days:g} days ago is no time; give fewer") from error


def _unpacked(path: Path) -> bytes:
    if not path.is_file():
        raise BadFileError("it is no regular file" if path.exists() else "there is no such file")
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
        file.seek(0)
        stream: Any = gzip.GzipFile(fileobj=file) if packed else file
        data: bytes = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadFileError(f"it is larger than {MAX_BYTES // 1024**2} MB, which no transcript is")
    return data


def _summary(transcript: Transcript) -> dict[str, Any]:
    reply = transcript.reply
    return {
        _SUMMARY: VERSION,
        "id": transcript.id,
        "when": transcript.when,
        "question": transcript.question,
        "answer": reply.answer,
        "found": reply.found,
        "certainty": reply.certainty,
        "partial": reply.partial,
        "error": transcript.error,
        "model": transcript.model.title,
        "tokens": reply.usage.input_tokens + reply.usage.output_tokens,
        "seconds": round(reply.seconds, 3),
        "knowledge_base": transcript.knowledge_base.path,
        "fingerprint": transcript.knowledge_base.fingerprint,
        "touched": list(transcript.passages_touched),
    }


def _read_summary(path: Path) -> Summary | None:
    try:
        with gzip.open(path) as file:
            record = json.loads(io.BufferedReader(file).readline(MAX_BYTES))
        if record[_SUMMARY] != VERSION or not all(isinstance(record[name], kind) for name, kind in _KINDS.items()):
            return None
        known = record.get("certainty")
        certainty: Certainty = known if known in ("sure", "likely") else "likely" if record["found"] else "none"
        kinds = {name: record[name] for name in _KINDS}
        return Summary(path=path, **kinds, touched=tuple(map(int, record["touched"])), certainty=certainty)
    except (OSError, ValueError, RecursionError, EOFError, zlib.error, LookupError, AttributeError, TypeError):
        return None


def _belongs(knowledge_base: str | Path) -> Any:
    if isinstance(knowledge_base, str) and _FINGERPRINT.fullmatch(knowledge_base):
        return lambda summary: summary.fingerprint == knowledge_base
    path = place(knowledge_base).resolve()
    same = known_fingerprint(path) if path.is_file() else ""
    return lambda summary: summary.knowledge_base == str(path) or summary.fingerprint == same


def _written_forms(secrets: Sequence[str]) -> Iterator[str]:
    """Each as it is, and as it stands in JSON within a text, as arguments of calls do; words are no secrets."""
    for secret in secrets:
        for _ in range(3):
            if len(secret) >= SHORTEST_SECRET:
                yield secret
            secret = json.dumps(secret, ensure_ascii=False)[1:-1]


def _without(value: Any, forms: Sequence[str]) -> Any:
    """The value with the forms of secrets replaced in its texts; keys of objects are ours, and stay."""
    if isinstance(value, str):
        for form in forms:
            value = value.replace(form, "[key]")
        return value
    if isinstance(value, Mapping):
        return {key: _without(one, forms) for key, one in value.items()}
    return [_without(one, forms) for one in value] if isinstance(value, (list, tuple)) else value


def _dumped(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _stamp(when: str) -> str:
    return datetime.fromisoformat(when).astimezone(UTC).strftime(_STAMP)


def _time(path: Path) -> datetime:
    return datetime.strptime(path.name.partition("Z")[0], _STAMP).replace(tzinfo=UTC)


def _id(path: Path) -> str:
    return path.name.removesuffix(".json.gz").rpartition("-")[2]
