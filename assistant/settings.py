"""Which language model answers, as the user chose it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

OFFLINE = "offline"

Calling = Literal["auto", "tools", "json", "planned"]
"""How a model is asked: with tool calls, for JSON that names a tool, or for a plan and an answer only; `auto` finds
out.
"""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model by name, at an OpenAI-compatible endpoint where `base_url` is given.

    `offline` needs no endpoint and no key. Keys are no part of the choice: they are read from the environment when the
    model is made, so that they appear in no representation, transcript or error of it.
    """

    name: str = OFFLINE
    base_url: str = ""
    calling: Calling = "auto"

    @property
    def offline(self) -> bool:
        """Whether the answers come from the built-in policy instead of a language model."""
        return self.name == OFFLINE and not self.base_url
