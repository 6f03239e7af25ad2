"""Earlier questions, walked through from a prompt, or searched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from assistant.conversations.session_files import SessionLog

REMEMBERED = 2_000
"""Questions that are remembered: more than anyone walks through, and a list that is shown at once."""


def past_questions(logs: Iterable[SessionLog], knowledge_base: Path) -> list[str]:
    """What was asked in `logs`, each question once: those over `knowledge_base` first, and of these the latest."""
    own = str(knowledge_base.resolve())
    asked = [(log.knowledge_base == own, turn.at, turn.question) for log in logs for turn in log.turns.values()]
    asked.sort(key=lambda one: one[:2], reverse=True)
    return list(dict.fromkeys(question for *_, question in asked))[:REMEMBERED]


def with_words(questions: Iterable[str], words: str) -> list[str]:
    """Those of `questions` that have all of `words`, in any case."""
    wanted = words.casefold().split()
    return [question for question in questions if all(word in question.casefold() for word in wanted)]


class Recall:
    """Walks through earlier questions from a prompt, and back to the draft that it held."""

    def __init__(self) -> None:
        self.questions: list[str] = []
        self._place: int | None = None
        self._draft = ""
        self._asked = 0

    def fill(self, questions: Sequence[str]) -> None:
        """Put earlier questions, oldest first, before what was asked here."""
        here = self.questions[len(self.questions) - self._asked :]
        self.questions = [*questions, *here]
        self._place = None

    @property
    def walking(self) -> bool:
        """Whether an earlier question stands in the prompt."""
        return self._place is not None

    def add(self, question: str) -> None:
        """Remember a question as the latest, and end the walk."""
        if question not in self.questions[-1:]:
            self.questions.append(question)
            self._asked += 1
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
