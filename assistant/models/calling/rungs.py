"""Which way of asking works for an endpoint and a model: found out once, and remembered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assistant.models.calling.json_calls import FORMS, Form
from assistant.shared.model_choice import Calling

Rung = Literal["tools", "json", "planned"]

RUNGS: tuple[Rung, ...] = ("tools", "json", "planned")


@dataclass(slots=True)
class Rungs:
    """The rung that an endpoint's model stands on, for as long as a session lasts. A `calling` other than auto stays.

    `form` is the strictest form of JSON that the server is known to take, or not known to refuse; `is_likelihood_told`
    says that it is not known to refuse to tell how likely its model's words are.
    """

    calling: Calling = "auto"
    is_likelihood_told: bool = True
    _rung: int = 0
    _form: int = 0

    @property
    def rung(self) -> Rung:
        """How the model is asked now."""
        return RUNGS[self._rung] if self.calling == "auto" else self.calling

    @property
    def pinned(self) -> bool:
        """Whether the user chose the rung."""
        return self.calling != "auto"

    @property
    def form(self) -> Form:
        """How a server is told to give JSON."""
        return FORMS[self._form]

    def stand_on(self, rung: str) -> None:
        """Go down to this rung, where it is one and lower; no farther than a pinned one."""
        if rung in RUNGS:
            self._rung = max(self._rung, RUNGS.index(rung))

    def step_down(self) -> None:
        """To the next rung, which asks less of the model; the last one stays."""
        self._rung = min(self._rung + 1, len(RUNGS) - 1)

    def loosen(self) -> None:
        """To the next form of JSON, which asks less of the server; the last one stays."""
        self._form = min(self._form + 1, len(FORMS) - 1)
