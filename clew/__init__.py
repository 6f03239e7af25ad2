"""clew for Python code, in a script or a notebook: a knowledge base is opened and asked in a line.

    import clew

    with clew.open("my.clew") as base:
        reply = base.ask("Where was the director of Metropolis born?")
        print(reply.answer, reply.certainty, [one.title for one in reply.citations])

Where an event loop runs there is `await base.ask_async(…)`. What is not named here may change with any version; what
answers is in `assistant`, and the retrieval techniques, which are called by themselves as well, in `tools`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.agent.replying.reply import Citation, Reply
from assistant.shared.model_choice import ModelChoice
from kb.errors import BadFileError, ClewError, ModelFailure, UsageError

if TYPE_CHECKING:
    from assistant.serving.in_python import OpenBase

__all__ = [
    "BadFileError",
    "Citation",
    "ClewError",
    "ModelChoice",
    "ModelFailure",
    "OpenBase",
    "Reply",
    "UsageError",
    "open",
]


def open(path: str | Path, model: ModelChoice | str | None = None) -> OpenBase:
    """Open the knowledge base at `path` to ask it, with no model or with this one, also by its name; close it, or use
    it in a `with`.

    Raises BadFileError for a file that is none or is damaged, UsageError or ModelFailure for an unusable model. All
    that answering needs is imported with the first call, so that `import clew` is quick.
    """
    from assistant.serving.in_python import OpenBase

    return OpenBase(path, ModelChoice(model) if isinstance(model, str) else model)


def __getattr__(name: str) -> Any:
    if name == "OpenBase":  # imported when it is asked for, with all that answering needs
        from assistant.serving.in_python import OpenBase

        return OpenBase
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
