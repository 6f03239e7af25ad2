"""Judges outside a session, over a real server: one tool's call, a race, a bench; what is told where there is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fake_endpoint import Status, endpoint

from assistant.commands.cli import main
from assistant.evaluation.bench.folder_run import FolderBench, Meter
from assistant.evaluation.bench.folders import CORPUS, DataFolder
from assistant.evaluation.bench.measure import judged_runners, measure
from assistant.evaluation.bench.stages import StageFolder
from assistant.models.judging.opened import open_judges
from assistant.shared.model_choice import ModelChoice
from assistant.shared.question_files import Question
from kb.errors import UsageError
from kb.store.knowledge_base import KnowledgeBase

pytestmark = pytest.mark.usefixtures("model_requests_allowed")

QUESTION = "Where was the director of The Glass Harbour born?"
ARGUMENTS = json.dumps({"question": QUESTION})


def clew(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def judgement(request: dict[str, Any]) -> str:
    """Every fact helps, each edge is worth 10, of all else nothing is said."""
    asked = str(request["messages"])
    if "Which facts help" in asked:
        return '{"helpful": [1, 2, 3, 4, 5]}'
    scores = {str(number): 10 for number in range(1, 76)}
    return json.dumps({"scores": scores}) if "Score how much" in asked else "no idea"


def test_a_tool_is_judged_by_the_model(small_file: Path) -> None:
    with endpoint([judgement]) as server:
        given = ("--model", "scripted", "--base-url", server.url)
        result = clew("tool", "edge_scoring", small_file, "--args", ARGUMENTS, *given)
        assert result.exit_code == 0, result.stderr
        asked = len(server.requests)
        assert asked == 2
        assert {edge["score"] for edge in json.loads(result.stdout)["edges"]} == {10.0}
        assert result.stderr == ""
        # The judgements are kept: nothing is asked a second time.
        again = clew("tool", "edge_scoring", small_file, "--args", ARGUMENTS, *given)
        assert (again.stdout, len(server.requests)) == (result.stdout, asked)
        # By choice, or for a tool that judges nothing, nothing is asked at all.
        offline = clew("tool", "edge_scoring", small_file, "--args", ARGUMENTS, *given, "--judge", "offline")
        assert min(edge["score"] for edge in json.loads(offline.stdout)["edges"]) < 10.0
        clew("tool", "graph_walk", small_file, "--args", ARGUMENTS, *given)
        assert len(server.requests) == asked


def test_a_model_that_fails_is_told_of_and_judged_for(small_file: Path) -> None:
    offline = clew("tool", "edge_scoring", small_file, "--args", ARGUMENTS)
    with endpoint([lambda request: Status(400, "out of order")]) as server:
        failing = ("--model", "failing", "--base-url", server.url)
        result = clew("tool", "edge_scoring", small_file, "--args", ARGUMENTS, *failing)
    assert (result.exit_code, result.stdout) == (0, offline.stdout)
    assert result.stderr == (
        "note: the model's choice of facts failed, so clew judged for itself\n"
        f"note: model 'failing' at {server.url} answered with HTTP status 400 (it says: out of order)\n"
    )


def test_a_race_tells_whose_judgements_were_not_the_models(small_file: Path) -> None:
    with endpoint([judgement]) as server:
        given = ("--model", "scripted", "--base-url", server.url, "--calling", "planned", "--json", "-q")
        found = json.loads(clew("race", small_file, QUESTION, *given).stdout)
    notes = {one["name"]: one.get("notes", []) for one in found["runners"]}
    assert notes["edge_scoring"] == notes["graph_walk"] == []
    assert "the model's concepts could not be read, so clew judged for itself" in notes["anchor_grouping"]


def test_a_bench_measures_what_the_model_judges_beside_what_clew_does(small_file: Path) -> None:
    question = Question("q1", QUESTION, ("Tarnow Bay",), ("glasswork", "valdis"))
    with endpoint([judgement]) as server:
        runners = judged_runners(ModelChoice("scripted", server.url), ["hipporag2"])
        assert [one.name for one in runners] == [
            f"{name}, judged by scripted"
            for name in (
                "edge_scoring", "anchor_grouping", "bubble_expansion", "evidence_expansion", "edge_scoring:hipporag2",
            )
        ]  # fmt: skip
        edges, anchors = (measure(runner, small_file, [question])[0] for runner in runners[:2])
    assert (edges.recall, edges.notes) == (1.0, ())
    assert anchors.notes == ("the model's concepts could not be read, so clew judged for itself",)
    assert type(anchors).from_json(json.loads(json.dumps(anchors.to_json()))) == anchors


def test_a_bench_keeps_what_a_judge_judged_and_asks_another_one_anew(small_file: Path, tmp_path: Path) -> None:
    question = Question("q1", QUESTION, ("Tarnow Bay",), ("glasswork", "valdis"))
    folder = DataFolder("small", tmp_path, (question,), {}, {CORPUS: "0"}, ())

    def measured(choice: ModelChoice) -> tuple[bool, bool]:
        """Whether it was there already, and whether the judge failed."""
        stages = StageFolder(tmp_path / "stages", {})
        bench = FolderBench(folder, tmp_path, stages, small_file, 1, lambda *_: None, judge=choice)
        (outcome,) = bench._measured(judged_runners(choice)[0], small_file, Meter("", 1, lambda *_: None))
        return stages.done[0].reused, outcome.judge_failed

    dead = ModelChoice("scripted", "http://127.0.0.1:9/v1")
    assert [measured(dead), measured(dead)] == [(False, True), (False, True)]
    with endpoint([judgement]) as server:
        live = ModelChoice("scripted", server.url)
        assert [measured(live), measured(live)] == [(False, False), (True, False)]
        assert server.requests
        elsewhere = replace(live, base_url=f"{server.url}/")
        for other in (replace(live, thinking=True), replace(live, extra={"top_k": 20}), elsewhere):
            assert measured(other) == (False, False)


def test_no_model_no_judge(small_file: Path) -> None:
    with KnowledgeBase.open(small_file) as kb:
        for choice in (ModelChoice(), ModelChoice("m", "http://localhost:9", judge="offline")):
            with open_judges(choice) as judges, judges.judging(kb, []) as judge:
                assert judge is None


def test_an_unusable_model_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(UsageError), open_judges(ModelChoice("missing.gguf")):
        raise AssertionError
