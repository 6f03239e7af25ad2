from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from assistant.conversations.session import Session
from assistant.evaluation.question_run import RunReport, run_questions
from assistant.shared.question_files import Question
from assistant.shared.recorded_plans import complete_plan, read_plans
from kb.build import remove
from kb.errors import DamagedFileError, ModelFailure, UsageError
from tools.planning.plan import Constraint, Plan
from tools.planning.planner import plan_question

QUESTIONS = [
    Question("d", "When did Irena Valdis die?"),
    Question("e", ""),
    Question("f", "Who is the father of the director of The Glass Harbour?"),
]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_a_line_for_each_question_in_order(small_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with Session.open(small_file) as session:
        report = await run_questions(session, QUESTIONS, out)
    assert report == RunReport(3, found=2, failed=1)
    died, empty, father = lines(out)
    assert (died["id"], died["answer"], died["error"]) == ("d", "2 June 1970", None)
    assert (empty["question"], empty["found"]) == ("", False)
    assert "asks nothing" in empty["error"]
    assert father["answer"] == "Oskar Valdis"
    assert list(died) == list(empty)
    assert set(died) >= {
        "id", "question", "answer", "found", "missing", "passages", "chains", "tools", "model", "usage", "seconds",
        "error",
    }  # fmt: skip
    assert len(died["passages"]) == 10
    assert set(died["passages"][0]) >= {"id", "document", "title", "score", "sources"}
    assert died["passages"][0]["document"] == "valdis"


class Counting(Session):
    """Notes what is asked; fails where it is told to."""

    asked: list[str]
    failing: dict[str, Exception]

    async def ask(self, question: str, plan: Plan | None = None) -> AsyncIterator[Any]:  # type: ignore[override]
        self.asked.append(question)
        if question in self.failing:
            raise self.failing[question]
        async for event in super().ask(question, plan):
            yield event


def counting(file: Path, failing: dict[str, Exception] | None = None) -> Counting:
    session = Counting.open(file)
    session.asked, session.failing = [], failing or {}
    return session


async def test_a_run_that_was_stopped_carries_on(small_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    father = QUESTIONS[2]
    with counting(small_file, {father.text: KeyboardInterrupt()}) as session, pytest.raises(KeyboardInterrupt):  # type: ignore[dict-item]
        await run_questions(session, QUESTIONS, out)
    assert [line["id"] for line in lines(out)] == ["d", "e"]
    with out.open("a", encoding="utf-8") as file:
        file.write('{"id": "f", "question": "Who is')
    with counting(small_file) as session:
        report = await run_questions(session, QUESTIONS, out)
        assert session.asked == [father.text]
    assert report == RunReport(3, kept=1, found=1, failed=1)
    assert [line["id"] for line in lines(out)] == ["d", "e", "f"]


async def test_a_finished_run_asks_nothing(small_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with counting(small_file) as session:
        await run_questions(session, QUESTIONS[:1], out)
        before = out.read_bytes()
        seen: list[RunReport] = []
        await run_questions(session, QUESTIONS[:1], out, progress=seen.append)
        assert len(session.asked) == 1
    assert seen == [RunReport(1, kept=1)]
    assert out.read_bytes() == before


async def test_answers_that_were_asked_otherwise_are_no_part_of_a_run(small_file: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "out.jsonl", tmp_path / "other.clew"
    with Session.open(small_file) as session:
        await run_questions(session, QUESTIONS[:1], out)
    before = out.read_bytes()
    with Session.open(small_file, risk=0.4) as session, pytest.raises(UsageError, match=r"line 1: .*another risk;"):
        await run_questions(session, QUESTIONS, out)
    shutil.copy(small_file, other)
    with Session.open(other) as session:  # it holds the same
        assert (await run_questions(session, QUESTIONS[:1], out)).kept == 1
    remove(other, ["valdis"])
    with Session.open(other) as session, pytest.raises(UsageError, match=r"another knowledge base;"):
        await run_questions(session, QUESTIONS, out)
    assert out.read_bytes() == before


async def test_a_model_that_fails_later_on_is_a_line_with_error(small_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with counting(small_file, {QUESTIONS[2].text: ModelFailure("model 'm' is gone")}) as session:
        report = await run_questions(session, QUESTIONS, out)
    assert (report.found, report.failed) == (1, 2)
    assert lines(out)[2]["error"] == "model 'm' is gone"


@pytest.mark.parametrize("error", [ModelFailure("model 'm' is gone"), DamagedFileError("damaged")])
async def test_what_fails_from_the_start_ends_the_run(small_file: Path, tmp_path: Path, error: Exception) -> None:
    out = tmp_path / "out.jsonl"
    with counting(small_file, {QUESTIONS[0].text: error}) as session, pytest.raises(type(error)):
        await run_questions(session, QUESTIONS, out)
    assert lines(out) == []


async def test_questions_of_a_file_do_not_know_of_one_another(small_file: Path, tmp_path: Path) -> None:
    with Session.open(small_file) as session:
        await run_questions(session, [QUESTIONS[0], QUESTIONS[2]], tmp_path / "out.jsonl")
        assert session.turns == []


async def test_recorded_plans_are_used(small_file: Path, tmp_path: Path) -> None:
    plans = {"x": (Constraint("Oskar Valdis", "born in", "?place"),)}
    with Session.open(small_file, risk=0.2) as session:  # the question itself names nobody
        await run_questions(session, [Question("x", "Where was he born?")], tmp_path / "out.jsonl", plans=plans)
    assert lines(tmp_path / "out.jsonl")[0]["answer"] == "Karsk"


def plan_file(folder: Path, *records: Any) -> Path:
    path = folder / "plans.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_plans_are_read_with_their_variants(tmp_path: Path) -> None:
    step = {
        "head": " Metropolis",
        "relation": "directed by",
        "relation_variants": ["directed by", "film of"],
        "tail": "?d",
    }
    assert read_plans(plan_file(tmp_path, {"id": "q", "plan": [step]}, {"id": 2, "plan": []})) == {
        "q": (Constraint("Metropolis", "directed by", "?d", ("film of",)),),
        "2": (),
    }


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"id": "q"}], "line 1: a plan needs 'id' and a list 'plan'"),
        ([{"id": "q", "plan": ["x"]}], "line 1: a step needs the texts"),
        ([{"id": "q", "plan": [{"head": "a", "relation": "b", "tail": None}]}], "line 1: a step needs the texts"),
        ([{"id": "q", "plan": []}, {"id": "q", "plan": []}], "line 2: there is a plan for 'q' already"),
    ],
)
def test_plans_that_cannot_be_read(tmp_path: Path, records: Sequence[Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_plans(plan_file(tmp_path, *records))


def test_a_recorded_plan_takes_kind_and_target_from_planning() -> None:
    question = "Where was the director of Metropolis born?"
    recorded = (Constraint("?man", "directed", "Metropolis"), Constraint("?man", "birthplace", "?city"))
    plan = complete_plan(question, recorded)
    assert (plan.constraints, plan.target, plan.answer_type) == (recorded, "?city", "place")
    assert complete_plan(question, ()) == plan_question(question)
    comparison = complete_plan("Which film came out first, A Trip or Metropolis?", recorded)
    assert (comparison.kind, comparison.target) == ("comparison", "")


async def test_results_go_to_a_file_that_can_be_carried_on(small_file: Path) -> None:
    with Session.open(small_file) as session, pytest.raises(UsageError, match="'/dev/full' is no regular file"):
        await run_questions(session, QUESTIONS, Path("/dev/full"))
