"""The agent that chooses and chains the tools, and the surfaces that need no terminal interface.

For Python code there is `open`: `assistant.open("my.clew").ask("Where was the director of Metropolis born?")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from assistant.serving.in_python import OpenBase
    from assistant.shared.model_choice import ModelChoice

__all__ = ["open"]


def open(path: str | Path, model: ModelChoice | None = None) -> OpenBase:
    """Open the knowledge base at `path` to ask it, with no model or with this one; close it, or use it in a `with`.

    Raises BadFileError for a file that is none or is damaged, UsageError or ModelFailure for an unusable model. All
    that answering needs is imported with the first call, so that `import assistant` is quick.
    """
    from assistant.serving.in_python import OpenBase

    return OpenBase(path, model)
