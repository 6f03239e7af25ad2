"""GGUF files: what is one, how large it is, and which ones lie in the usual folders of this machine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kb.errors import UsageError

MAGIC = b"GGUF"

DEPTH = 7
"""Folders below a usual one that are looked through: Hugging Face's cache takes five."""

ENTRIES = 20_000
"""Entries of a usual folder that are looked at, so that one that somebody filled with anything else ends the search."""

NOTE_BYTES = 100_000
"""A larger note of Ollama's on a model is not read: they have one or two thousand bytes."""

_SPLIT = re.compile(r"-00001-of-(\d{5})\.gguf$", re.IGNORECASE)
_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model in a file: the name that its owner knows it by, whose folder it is in, and its size in bytes."""

    path: Path
    name: str
    place: str
    size: int


def can_serve() -> bool:
    """Whether llama.cpp is installed, which serves such files: the extra `local`."""
    return find_spec("xllamacpp") is not None


def checked_file(path: Path) -> Path:
    """The file with its full path. Raises UsageError where there is none, or where it is no GGUF."""
    try:
        path = path.expanduser().absolute()
        if path.exists() and not path.is_file():
            raise UsageError(f"the model {str(path)!r} is no file; name a GGUF file")
        with path.open("rb") as file:
            begins = file.read(len(MAGIC))
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"the model {str(path)!r} cannot be read: {reason}") from error
    if begins != MAGIC:
        raise UsageError(
            f"{str(path)!r} is no model: a GGUF file begins with 'GGUF'; download it anew, or name another"
        )
    return path


def file_bytes(path: Path) -> int:
    """The size of a model's file in bytes, all parts of one that is split together. Raises OSError."""
    match = _SPLIT.search(path.name)
    if match is None:
        return path.stat().st_size
    stem, count = path.name[: match.start()], min(int(match[1]), 1_000)
    parts = (path.with_name(f"{stem}-{number:05}-of-{match[1]}.gguf") for number in range(1, count + 1))
    return sum(part.stat().st_size for part in parts if part.exists())


def readable(size: int) -> str:
    """A number of bytes for people: "1.1 GB", "98 MB"."""
    return f"{size / 1e9:.1f} GB" if size >= 950_000_000 else f"{size / 1e6:.0f} MB"


def usual_folders() -> dict[str, Path]:
    """The folders that other programs keep models in, by the program's name; they need not exist."""
    home, given = Path.home(), os.environ
    hub = given.get("HF_HUB_CACHE") or Path(given.get("HF_HOME") or home / ".cache" / "huggingface") / "hub"
    return {
        "Ollama": Path(given.get("OLLAMA_MODELS") or home / ".ollama" / "models"),
        "LM Studio": home / ".lmstudio" / "models",
        "LM Studio (older)": home / ".cache" / "lm-studio" / "models",
        "Hugging Face": Path(hub),
        "llama.cpp": Path(given.get("LLAMA_CACHE") or home / ".cache" / "llama.cpp"),
    }


def model_files(folders: Mapping[str, Path] | None = None) -> list[ModelFile]:
    """The models in the usual folders, by place and name. What cannot be read is passed over.

    No link leads out of a folder: one that points elsewhere is not followed.
    """
    found: dict[Path, ModelFile] = {}
    for place, folder in (usual_folders() if folders is None else folders).items():
        for one in (*_in_ollama(place, folder), *_in_folder(place, folder)):
            found.setdefault(one.path.resolve(), one)
    return sorted(found.values(), key=lambda one: (one.place, one.name, str(one.path)))


def _in_folder(place: str, folder: Path) -> Iterator[ModelFile]:
    for path in _walked(folder):
        if path.suffix.lower() != ".gguf" or path.name.startswith("mmproj") or _LATER_PART.search(path.name):
            continue
        if one := _model(path, path.name, place, folder):
            yield one


def _walked(folder: Path) -> Iterator[Path]:
    """The files below a folder, those of folders that are links left out."""
    seen, waiting = 0, [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if seen > ENTRIES:
                return
            if entry.is_dir(follow_symlinks=False):
                if depth < DEPTH:
                    waiting.append((Path(entry.path), depth + 1))
            else:
                yield Path(entry.path)


def _in_ollama(place: str, folder: Path) -> Iterator[ModelFile]:
    """Ollama names a model's file by its hash; the name that people use is that of a note, which holds the hash."""
    notes = folder / "manifests"
    for note in _walked(notes):
        digest = _digest(note)
        if digest is None:
            continue
        *_, model, tag = note.parts
        if one := _model(folder / "blobs" / digest.replace(":", "-"), f"{model}:{tag}", place, folder):
            yield one


def _digest(note: Path) -> str | None:
    """The hash of the model that a note of Ollama's is about."""
    try:
        if note.stat().st_size > NOTE_BYTES:
            return None
        layers = json.loads(note.read_bytes())["layers"]
        kinds: list[Any] = [one["digest"] for one in layers if str(one["mediaType"]).endswith("image.model")]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return kinds[0] if kinds and re.fullmatch(r"sha256[:-][0-9a-f]{64}", str(kinds[0])) else None


def _model(path: Path, name: str, place: str, folder: Path) -> ModelFile | None:
    """The model in the file, if it is one, lies in the folder, and has a name that can be shown and typed."""
    try:
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            return None
        checked_file(path)
        size = file_bytes(path)
    except (UsageError, OSError, RuntimeError):
        return None
    return ModelFile(path, name, place, size) if f"{path}{name}".isprintable() else None
