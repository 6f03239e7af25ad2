"""Which language model answers, as the user chose it."""

from __future__ import annotations

from dataclasses import dataclass

OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model by name, at an OpenAI-compatible endpoint where `base_url` is given.

    `offline` needs no endpoint and no key. Keys are no part of the choice: they are read from the environment when the
    model is made, so that they appear in no representation, transcript or error of it.
    """

    name: str = OFFLINE
    base_url: str = ""

    @property
    def offline(self) -> bool:
        """Whether the answers come from the built-in policy instead of a language model."""
        return self.name == OFFLINE and not self.base_url
