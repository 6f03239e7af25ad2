"""What a worker of a cluster does with a task."""

from __future__ import annotations

import hashlib
import pickle
from functools import lru_cache
from pathlib import Path

from kb.errors import ClewError
from kb.store.embeddings import load_embedder


@lru_cache(maxsize=1)
def code_here() -> str:
    """A hash of the code that derives, which has to be the same wherever it runs for the results to be."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py"), key=lambda path: path.relative_to(package).parts):
        digest.update(f"{path.relative_to(package).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def carry_out(task: bytes, code: str, model: str) -> tuple[str, bytes | str]:
    """("done", what comes of a pickled task, pickled), or ("failed", why not, as a line)."""
    if code != code_here():
        return "failed", "another clew is installed there; install the same on every machine"
    try:
        derived = pickle.loads(task).derived(load_embedder(model))
    except ClewError as error:
        return "failed", str(error)
    return "done", pickle.dumps(derived, pickle.HIGHEST_PROTOCOL)
