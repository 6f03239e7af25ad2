"""What a result rests on: machine, versions, hashes, seeds and options; nothing that says who or where."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

import assistant
import kb
import tools

PACKAGES = (
    "matplotlib",
    "numpy",
    "onnxruntime",
    "pydantic-ai-slim",
    "pysqlite3",
    "safetensors",
    "scipy",
    "sentence-transformers",
    "sqlean.py",
    "sqlite-utils",
    "sqlite-vec",
    "tokenizers",
    "torch",
)
"""Those that what is found, how fast, or how it is drawn depends on."""

_GIT_SECONDS = 10.0


def environment() -> dict[str, Any]:
    """Machine and packages: what times, and the last digits of scores, depend on."""
    return {"machine": machine(), "packages": packages()}


def machine() -> dict[str, Any]:
    """Cores that this process may use, threads that it computes with, processor, memory in bytes, system and Python."""
    from kb.networks import cores

    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "threads": cores(),
        "processor": _processor(),
        "memory_bytes": _memory(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def packages() -> dict[str, str]:
    """Versions by name, of those that are installed."""
    return {name: found for name in PACKAGES if (found := _version(name))}


def clew() -> dict[str, Any]:
    """clew's version, the hash of its code and trained weights, and its git commit where it runs from a checkout."""
    return {"version": _version("clew"), "code": code_hash(), **_commit()}


def code_hash() -> str:
    """SHA-256 over the names and bytes of all Python files and weights of clew, in hexadecimal."""
    digest = hashlib.sha256()
    for name, path in _files((".py", ".npz", ".md", ".onnx", ".safetensors")):
        digest.update(f"{name} {_sha256(path)}\n".encode())
    return digest.hexdigest()


def model_files() -> dict[str, str]:
    """SHA-256 of the trained weights that clew ships, by their path in it."""
    return {name: _sha256(path) for name, path in _files((".npz",))}


def _files(suffixes: tuple[str, ...]) -> list[tuple[str, Path]]:
    found = []
    for package in (kb, tools, assistant):
        root = Path(str(package.__file__)).parent
        paths = (path for path in root.rglob("*") if path.suffix in suffixes)
        found += [(path.relative_to(root.parent).as_posix(), path) for path in paths]
    return sorted(found)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _commit() -> dict[str, Any]:
    """Of the checkout whose root holds the packages; nothing where they are installed, maybe within another's."""
    root = Path(str(assistant.__file__)).resolve().parent.parent
    if not (root / ".git").exists():
        return {}
    commit, changes = _git(root, "rev-parse", "HEAD"), _git(root, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "changed": bool(changes)} if commit else {}


def _git(root: Path, *arguments: str) -> str:
    try:
        ran = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_GIT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine()


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
