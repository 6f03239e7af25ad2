from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from assistant.commands.cli import main
from assistant.evaluation.race import Found, Race, Runner
from tools.registry import techniques

QUESTION = "Where was the director of The Glass Harbour born?"


def clew(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def runner(name: str, *ids: int) -> Runner:
    return Runner(name, 0.1, tuple(Found(one, f"d{one}", f"t{one}") for one in ids))


def test_overlap_and_lone_finds_are_those_of_the_sets() -> None:
    """A = {1, 2, 3}, B = {2, 3, 4}: two of four in common; 1 is A's alone, 4 is B's, C has nothing."""
    a, b, c = runner("a", 1, 2, 3), runner("b", 2, 3, 4), runner("c")
    race = Race("?", "", (a, b, c))
    assert race.overlap(a, b) == 0.5
    assert race.overlap(a, c) == 0.0
    assert race.overlap(c, c) == 0.0
    assert [one.id for one in race.only(a)] == [1]
    assert [one.id for one in race.only(b)] == [4]
    assert race.only(c) == ()


def test_race_runs_every_technique_and_the_agent(small_file: Path) -> None:
    result = clew("race", small_file, QUESTION, "--json", "-q")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    names = [one["name"] for one in found["runners"]]
    assert names == [*(one.name for one in techniques()), "agent"]
    assert len(names) > 10
    assert found["answer"] == "Tarnow Bay"
    for one in found["runners"]:
        assert "error" not in one
        assert 1 <= len(one["passages"]) <= 5, one["name"]
        assert set(one["overlap"]) == set(names) - {one["name"]}


def test_race_prints_ranks_side_by_side(small_file: Path) -> None:
    text = clew("race", small_file, QUESTION, "-k", "2").stdout
    assert "The Glass Harbour" in text
    assert "The agent's answer: Tarnow Bay" in text


def test_race_refuses_what_is_no_question(small_file: Path) -> None:
    result = clew("race", small_file, "??")
    assert result.exit_code == 2
    assert "asks nothing" in result.stderr


def test_damage_writes_a_copy_that_still_answers_from_its_text(small_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "worse.clew"
    result = clew("damage", small_file, "-o", out, "--mode", "incomplete", "--rho", "0.5", "--json")
    told = json.loads(result.stdout)
    assert told["facts"] > sum(told["spoilt"].values()) > 0
    assert clew("check", out).exit_code == 0


def test_damage_around_a_question_spoils_fewer_facts_than_all(small_file: Path, tmp_path: Path) -> None:
    counts = []
    for name, more in (("all", ()), ("some", ("--scope", "question", "--question", QUESTION))):
        out = tmp_path / f"{name}.clew"
        result = clew("damage", small_file, "-o", out, "--mode", "spurious", "--rho", "1", "--json", *more)
        counts.append(json.loads(result.stdout)["facts"])
    assert 0 < counts[1] < counts[0]


def test_damage_says_what_is_wrong(small_file: Path, tmp_path: Path) -> None:
    base = ("damage", small_file, "-o", tmp_path / "out.clew", "--mode", "spurious", "--rho", "0.5")
    for more, said in (
        (("--scope", "question"), "needs a question"),
        (("--question", QUESTION), "go with --scope question"),
        (("--scope", "question", "--question", "who was that?"), "name nothing that this file knows"),
    ):
        result = clew(*base, *more)
        assert result.exit_code == 2
        assert said in result.stderr
        assert not (tmp_path / "out.clew").exists()
    assert clew("damage", small_file, "-o", small_file, "--mode", "spurious", "--rho", "0.5").exit_code == 2


def test_race_runs_what_has_a_preset_with_it_too(small_file: Path) -> None:
    found = json.loads(clew("race", small_file, QUESTION, "--preset", "hipporag2", "--json", "-q").stdout)
    names = [one["name"] for one in found["runners"]]
    assert names == [*(one.name for one in techniques()), "edge_scoring:hipporag2", "agent"]
    (walk,) = [one for one in found["runners"] if one["name"] == "edge_scoring:hipporag2"]
    assert walk["passages"]
    result = clew("race", small_file, QUESTION, "--preset", "paper")
    assert result.exit_code == 2
    assert "there is no preset 'paper'; there are hipporag2, published" in result.stderr


def test_damage_by_a_single_pattern(small_file: Path, tmp_path: Path) -> None:
    result = clew(
        "damage", small_file, "-o", tmp_path / "out.clew", "--pattern", "generic-relation", "--rho", "1", "--json"
    )
    told = json.loads(result.stdout)
    assert told["spoilt"] == {"generic relation": told["facts"]}
    for given, said in (
        ((), "say how to spoil facts: --mode spurious or incomplete, or --pattern for one way alone"),
        (("--pattern", "flip", "--mode", "incomplete"), "--pattern flip is spurious damage, not incomplete"),
    ):
        result = clew("damage", small_file, "-o", tmp_path / "none.clew", "--rho", "1", *given)
        assert result.exit_code == 2
        assert said in result.stderr
        assert not (tmp_path / "none.clew").exists()
