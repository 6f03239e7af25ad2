"""Where clew keeps what belongs to the user and to no knowledge base: settings, transcripts, cached judgements."""

from __future__ import annotations

import os
from pathlib import Path


def config_file() -> Path:
    """The settings: `CLEW_CONFIG`, or config.toml in the platform's folder for settings. It need not exist."""
    given = os.environ.get("CLEW_CONFIG")
    if given:
        return Path(given)
    from platformdirs import user_config_path

    return user_config_path("clew", appauthor=False) / "config.toml"


def state_folder() -> Path:
    """Where transcripts and cached judgements are kept: `CLEW_HOME`, or the platform's folder for data. It need not
    exist.
    """
    given = os.environ.get("CLEW_HOME")
    if given:
        return Path(given)
    from platformdirs import user_data_path

    return user_data_path("clew", appauthor=False)


def transcripts_folder() -> Path:
    """Where transcripts are kept."""
    return state_folder() / "transcripts"
