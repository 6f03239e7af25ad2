"""Earlier questions, walked through from a prompt."""

from __future__ import annotations


class Recall:
    """Walks through earlier questions from a prompt, and back to the draft that it held."""

    def __init__(self) -> None:
        self.questions: list[str] = []
        self._place: int | None = None
        self._draft = ""

    @property
    def walking(self) -> bool:
        """Whether an earlier question stands in the prompt."""
        return self._place is not None

    def add(self, question: str) -> None:
        """Remember a question as the latest, and end the walk."""
        self.questions.append(question)
        self._place = None

    def older(self, text: str) -> str:
        """What to show in place of `text` one step back; `text` itself where there is nothing older."""
        if self._place is None:
            self._draft, self._place = text, len(self.questions)
        self._place -= 1
        if self._place < 0:
            self._place = 0 if self.questions else None
            return text
        return self.questions[self._place]

    def newer(self, text: str) -> str:
        """What to show in place of `text` one step forward: in the end the draft."""
        if self._place is None:
            return text
        self._place += 1
        if self._place < len(self.questions):
            return self.questions[self._place]
        self._place = None
        return self._draft
