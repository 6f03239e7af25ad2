"""How the sessions of a chat are opened: the model that answers and what a question may cost, as chosen so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.conversations.chat import Conversation
from assistant.shared.config import request_settings
from assistant.shared.model_choice import ModelChoice
from assistant.shared.spending_limits import Budget
from tools.reading.certainty import RISK

if TYPE_CHECKING:
    from assistant.conversations.background import Session
    from assistant.conversations.session_files import SessionFolder, SessionLog


@dataclass
class Opening:
    """Opens sessions over any file with the model, budget and risk of the chat; `session_factory` does so in its place.

    Making one imports and opens nothing.
    """

    choice: ModelChoice = field(default_factory=ModelChoice)
    budget: Budget = field(default_factory=Budget)
    transcripts: Path | None = None
    session_factory: Callable[[], Session] | None = None
    risk: float = RISK
    _latest: Session | None = field(default=None, init=False, repr=False)

    def conversation(
        self, path: Path, log: SessionLog | None = None, sessions: SessionFolder | None = None
    ) -> Conversation:
        """A conversation over the file at `path` with the model as chosen now; it goes on with `log`, if given."""
        offline = None if self.session_factory is not None else partial(_open_offline, path)
        return Conversation(path, self.choice.title, partial(self._open, path, self.choice), log, sessions, offline)

    def _open(self, path: Path, choice: ModelChoice) -> Session:
        if self.session_factory is not None:
            self._latest = self.session_factory()
        else:
            from assistant.conversations.session import (
                Session as RealSession,  # a second: pydantic-ai
            )

            self._latest = RealSession.open(
                path, choice, budget=self.budget, transcripts=self.transcripts, risk=self.risk
            )
        return self._latest

    def choose(self, name: str, base_url: str = "") -> ModelChoice:
        """Let another model answer in conversations made from now on.

        Prices and context window were stated for the model before and are not taken over, nor is how it was called.
        Whether it thinks, and what else its requests hold, is as the settings say of its endpoint. Raises UsageError
        for settings that are not understood.
        """
        if (name, base_url) != (self.choice.name, self.choice.base_url):
            thinking, extra = request_settings(name, base_url)
            self.choice = ModelChoice(
                name, base_url, judge=self.choice.judge, answer_tokens=self.choice.answer_tokens, thinking=thinking,
                extra=extra,
            )  # fmt: skip
        return self.choice

    def limit_tokens(self, tokens: int | None) -> None:
        """Let each question cost so many tokens, from the next one on; None for no such limit."""
        self.budget = replace(self.budget, tokens=tokens)
        if self._latest is not None and hasattr(self._latest, "budget"):
            self._latest.budget = self.budget


def _open_offline(path: Path) -> Session:
    from assistant.conversations.session import Session as RealSession

    return RealSession.open(path)
