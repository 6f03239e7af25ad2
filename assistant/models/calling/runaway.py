"""Replies that no longer come to anything: the same words again and again, or the schemas of the tools as text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pydantic_ai.messages import (
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    ThinkingPart,
    ThinkingPartDelta,
)

TIMES = 4
"""How often in a row the same has to come. Three alike stand in lists and refrains."""

CHARACTERS = 160
"""That the repetitions fill at least: a line of dashes is shorter."""

LONGEST = 400
"""Characters of what is repeated: a long sentence, or a call with its arguments."""

STEP = 40
"""Characters after which is looked again."""

_SCHEMA = re.compile(r'"properties"\s*:\s*\{')


@dataclass
class Watch:
    """Reads a reply as it comes. `gone` says that it has run away."""

    gone: bool = False
    _texts: dict[int, str] = field(default_factory=dict)
    _read: int = 0

    def feed(self, event: ModelResponseStreamEvent) -> bool:
        """Whether the reply has run away by now."""
        match event:
            case PartStartEvent(index=index, part=part):
                more = getattr(part, "content", None) or getattr(part, "args", None)
            case PartDeltaEvent(index=index, delta=delta):
                more = getattr(delta, "content_delta", None) or getattr(delta, "args_delta", None)
            case _:
                return self.gone
        if isinstance(more, str):
            thinks = isinstance(event, PartStartEvent) and isinstance(event.part, ThinkingPart)
            thinks = thinks or (isinstance(event, PartDeltaEvent) and isinstance(event.delta, ThinkingPartDelta))
            text = self._texts[index] = self._texts.get(index, "") + more
            self._read += len(more)
            if self._read >= STEP:
                self._read = 0
                # Who thinks about the tools may quote their schemas.
                self.gone = self.gone or (_repeats(text) if thinks else runs_away(text))
        return self.gone


def ran_away(response: ModelResponse) -> bool:
    """Whether some part of a whole response ran away."""
    return any(
        isinstance(text := getattr(part, "content", None) or getattr(part, "args", None), str)
        and (_repeats(text) if isinstance(part, ThinkingPart) else runs_away(text))
        for part in response.parts
    )


def runs_away(text: str) -> bool:
    """Whether a text ends with the same TIMES in a row, or shows a tool's schema, which no reply of use does."""
    return _repeats(text) or _SCHEMA.search(text) is not None


def _repeats(text: str) -> bool:
    for period in range(1, min(LONGEST, len(text) // TIMES) + 1):
        end = text[-max(TIMES * period, CHARACTERS) :]
        if len(end) >= CHARACTERS and end[period:] == end[:-period]:
            return True
    return False
