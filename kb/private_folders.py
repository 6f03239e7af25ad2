"""Folders that only their owner may look into."""

from __future__ import annotations

from pathlib import Path


def make_private_folder(path: Path) -> None:
    """Make `path` and every folder above it that is missing, each its owner's alone. Raises OSError.

    Those that are there stay as they are. `Path.mkdir(parents=True, mode=0o700)` would make those above readable.
    """
    if not path.is_dir():
        make_private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
