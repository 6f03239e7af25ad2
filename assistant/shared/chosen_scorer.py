"""Which triple scorer a knowledge base is asked with: the one that ships, or one trained on the user's own questions.

What `clew train` trains is the user's, as transcripts are: it changes how this user's questions to a file are answered,
and neither the file nor what others who share it see.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from assistant.shared.config import OWN_SCORER, SHIPPED_SCORER, value
from assistant.shared.user_folders import state_folder
from kb.store.addresses import place
from kb.store.knowledge_base import KnowledgeBase
from tools.triple_scoring.triple_model import use_scorer

_NAME = 40
"""Characters of a knowledge base's name in that of its scorer."""


def own_scorer(file: Path) -> Path:
    """Where the scorer trained for the knowledge base at `file` is kept. It need not exist."""
    real = file.resolve()
    digest = hashlib.sha256(os.fsencode(str(real))).hexdigest()[:12]
    return state_folder() / "scorers" / f"{real.stem[:_NAME]}-{digest}.npz"


def scorer_file(file: Path) -> Path | None:
    """The scorer that questions to the knowledge base at `file` are answered with; None for the one that ships.

    Raises UsageError for settings that are not understood.
    """
    chosen = str(value("scorer").value)
    if chosen == SHIPPED_SCORER:
        return None
    if chosen != OWN_SCORER:
        return Path(chosen).expanduser()
    own = own_scorer(file)
    return own if own.is_file() else None


def open_to_ask(path: str | Path) -> KnowledgeBase:
    """Open a file whose facts are scored as the user has chosen. Raises BadFileError, and UsageError where the chosen
    scorer cannot be used.
    """
    kb = KnowledgeBase.open(path)
    try:
        if (scorer := scorer_file(place(path))) is not None:
            use_scorer(kb, scorer)
    except BaseException:
        kb.close()
        raise
    return kb
