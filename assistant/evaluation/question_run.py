"""Answering a file of questions into a file of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.agent.replying.reply import Reply
from assistant.conversations.session import Session, checked_question, final_reply
from assistant.evaluation.results_file import Line, ResultsFile
from assistant.models.budget import BudgetSpent
from assistant.shared.question_files import Question
from assistant.shared.recorded_plans import complete_plan
from kb.errors import BadFileError, ClewError, ModelFailure
from tools.planning.plan import Constraint


@dataclass(frozen=True, slots=True)
class RunReport:
    """How far a run is: `kept` lines were in the file before, `found`, `not_found` and `failed` ones are new.

    `partial` of the new ones were cut short by their budget or a failing model. `stopped` says why the run ended before
    its last question, "" where it did not.
    """

    questions: int
    kept: int = 0
    found: int = 0
    not_found: int = 0
    failed: int = 0
    partial: int = 0
    stopped: str = ""

    @property
    def finished(self) -> int:
        """The questions that have their line."""
        return self.kept + self.found + self.not_found + self.failed

    def summary(self) -> str:
        """One line for people."""
        parts = [f"{self.found} answered", f"{self.not_found} not found"]
        parts += [f"{self.failed} failed (run again to ask them again)"] if self.failed else []
        parts += [f"{self.partial} of these partial"] if self.partial else []
        parts += [f"{self.kept} kept from before"] if self.kept else []
        stopped = f"; stopped: {self.stopped}; run again to go on" if self.stopped else ""
        return f"{self.finished} of {self.questions} questions: {', '.join(parts)}{stopped}"


async def run_questions(
    session: Session,
    questions: Sequence[Question],
    out: Path,
    *,
    plans: Mapping[str, tuple[Constraint, ...]] | None = None,
    progress: Callable[[RunReport], None] = lambda report: None,
) -> RunReport:
    """Answer the questions that `out` does not hold yet, and leave `out` in their order.

    A question that cannot be asked, or for which the model fails, is a line with `error`. Where the budget of the whole
    run is spent the rest is left for another run. Raises ModelFailure where the model fails before it has answered
    anything, BadFileError where the knowledge base or `out` cannot be used, UsageError where `out` holds something
    other than results for these questions, asked as the session does.
    """
    asked = session.asked_with()
    results = ResultsFile(out, questions, asked)
    report = RunReport(len(questions), kept=len(results.done))
    progress(report)
    try:
        for question in questions:
            if question.id in results.done:
                continue
            model_works = report.found + report.not_found > 0
            try:
                line = await _line(session, question, (plans or {}).get(question.id, ()), model_works)
            except BudgetSpent as spent:
                report = replace(report, stopped=str(spent))
                progress(report)
                break
            results.append({**line, "asked": asked})
            report = _counted(report, line)
            progress(report)
    finally:
        results.put_in_order()
    return report


async def _line(session: Session, question: Question, constraints: tuple[Constraint, ...], model_works: bool) -> Line:
    try:
        text = checked_question(question.text)
        plan = complete_plan(text, constraints) if constraints else None
        return {**(await final_reply(session, text, plan)).to_json(question.id), "question": question.text}
    except (BadFileError, BudgetSpent):
        raise
    except ClewError as error:
        if isinstance(error, ModelFailure) and not model_works:
            raise
        return {**Reply(question.text, "", found=False).to_json(question.id), "error": str(error)}


def _counted(report: RunReport, line: Line) -> RunReport:
    report = replace(report, partial=report.partial + bool(line["partial"]))
    if line["error"]:
        return replace(report, failed=report.failed + 1)
    if line["found"]:
        return replace(report, found=report.found + 1)
    return replace(report, not_found=report.not_found + 1)
