from __future__ import annotations

import json
import shutil
import socket
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from made_once import made_once

from assistant.agent.offline import extracted_answer
from assistant.commands.cli import main
from assistant.evaluation.bench import measure
from assistant.evaluation.bench.ablations import ABLATIONS
from assistant.evaluation.bench.damaged_copies import SCOPES
from assistant.evaluation.bench.manifest import code_hash
from kb.store.damage import MODES
from tools.reading.guess import ReadOnce
from tools.registry import techniques

CORPUS = (
    ("harbour", "The Glass Harbour", "The Glass Harbour is a 1931 silent film directed by Irena Valdis."),
    ("lanterns", "Seven Lanterns", "Seven Lanterns is a 1948 film directed by Tomas Brandel."),
    (
        "valdis",
        "Irena Valdis",
        "Irena Valdis (born 4 May 1899 in Tarnow Bay) was a director. Her father was Oskar Valdis.",
    ),
    ("brandel", "Tomas Brandel", "Tomas Brandel (born 12 March 1911 in Lindholm) was a director of films and plays."),
    ("oskar", "Oskar Valdis", "Oskar Valdis (born 1860 in Karsk) was a painter of harbours and ships."),
    ("tarnow", "Tarnow Bay", "Tarnow Bay is a port on the Grey Coast. It has a lighthouse from 1802."),
    ("lindholm", "Lindholm", "Lindholm is a town in the hills, known for its glass and its clocks."),
    ("karsk", "Karsk", "Karsk is a village on the river Oder. Its mill burned down in 1911."),
)
QUESTIONS: tuple[dict[str, Any], ...] = (
    {
        "id": "q1",
        "question": "Where was the director of The Glass Harbour born?",
        "answers": ["Tarnow Bay"],
        "supporting": ["harbour", "valdis"],
        "type": "bridge",
    },
    {
        "id": "q2",
        "question": "Where was the director of Seven Lanterns born?",
        "answers": ["Lindholm"],
        "supporting": ["lanterns", "brandel"],
        "type": "bridge",
    },
    {"id": "q3", "question": "Where was the father of Irena Valdis born?", "answers": ["Karsk"], "type": "kinship"},
    {"id": "q4", "question": "What is Lindholm known for?", "supporting": ["lindholm", "not-there"]},
)
PLAN = {
    "id": "q1",
    "plan": [
        {"head": "The Glass Harbour", "relation": "directed by", "tail": "?x"},
        {"head": "?x", "relation": "born in", "tail": "?y"},
    ],
}


def write_lines(path: Path, records: Any) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def write_data(folder: Path, questions: Any = QUESTIONS, plans: Any = None) -> Path:
    folder.mkdir(parents=True)
    write_lines(folder / "corpus.jsonl", [dict(zip(("id", "title", "text"), one, strict=True)) for one in CORPUS])
    write_lines(folder / "questions.jsonl", questions)
    if plans:
        write_lines(folder / "plans.jsonl", plans)
    return folder


def bench(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, ["bench", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module", autouse=True)
def less_work() -> Iterator[None]:
    """One share of spoilt facts instead of three, one technique beside the agent, and no passage read twice for the
    same question: damage leaves the text alone.
    """
    kept: dict[Any, ReadOnce] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extracted_answer, "ReadOnce", lambda read: kept.setdefault(read, ReadOnce(read)))
        patch.setattr("assistant.evaluation.bench.folder_run.RHOS", (0.5,))
        patch.setattr("assistant.evaluation.bench.damaged_copies.TECHNIQUES", ("passage_search",))
        yield


@pytest.fixture(scope="module")
def data(out: Path) -> Path:
    return out.parent / "small"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, less_work: None) -> Path:
    """The results of one run with everything on, which the tests look at and leave as they are."""
    return made_once(tmp_path_factory, "bench", run_everything) / "out"


def run_everything(folder: Path) -> None:
    out = folder / "out"
    result = bench(write_data(folder / "small", plans=[PLAN]), "-o", out, "--seeds", "1")
    assert result.exit_code == 0, result.stderr
    (out / "stdout").write_text(result.stdout, encoding="utf-8")
    (out / "stderr").write_text(result.stderr, encoding="utf-8")


@pytest.fixture
def built(out: Path) -> Path:
    """The knowledge base that the run has built."""
    return next((out / "knowledge-bases").glob("small-*.clew"))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two techniques instead of all, for time, where it is not they that are looked at."""
    monkeypatch.setattr(
        "assistant.evaluation.bench.folder_run.technique_runners",
        lambda presets: measure.technique_runners(presets)[:2],
    )


@pytest.fixture
def results(out: Path) -> Any:
    return json.loads((out / "results.json").read_text(encoding="utf-8"))["folders"][0]


@pytest.fixture
def manifest(out: Path) -> Any:
    return json.loads((out / "manifest.json").read_text(encoding="utf-8"))


def test_quality_has_every_technique_and_the_agent_with_and_without_plans(results: Any) -> None:
    rows = {row["technique"]: row for row in results["quality"]}
    assert list(rows) == [*(one.name for one in techniques()), "agent", "agent, recorded plans"]
    assert {row["questions"] for name, row in rows.items() if not name.startswith("agent")} == {3}
    assert rows["agent"]["questions"] == 4
    for row in rows.values():
        assert 0 < row["seconds_p50"] <= row["seconds_p95"]
        assert row["errors"] == 0
    assert rows["passage_search"]["em"] is None
    assert 0 <= rows["agent"]["em"]["value"] <= rows["agent"]["f1"]["value"] <= 100


def test_documents_that_the_corpus_lacks_count_as_missed_and_are_named(results: Any) -> None:
    """Eight passages: the first five of a technique may hold both of q1's and q2's, of q4's two never more than one.
    So recall@5 is at most (1 + 1 + 1/2) / 3 = 83.33 and full chain@5 at most 2 / 3 = 66.67."""
    for row in results["quality"]:
        assert row["recall@5"]["value"] <= 83.34
        assert row["chain@5"]["value"] <= 66.67
    agent = next(row for row in results["quality"] if row["technique"] == "agent")
    assert agent["recall@5"]["value"] == 83.33
    assert any("'not-there'" in note and "1 of 6" in note for note in results["notes"])


def test_ablations_compare_each_step_with_its_whole(results: Any) -> None:
    methods = list(dict.fromkeys(row["method"] for row in results["ablations"]))
    assert methods == list(ABLATIONS)
    whole: Any = None
    for row in results["ablations"]:
        if not row["without"]:
            whole = row
            assert row["recall_change"] is None
        else:
            difference = row["recall@5"]["value"] - whole["recall@5"]["value"]
            assert row["recall_change"]["value"] == pytest.approx(difference, abs=0.02)


def test_damage_covers_modes_scopes_and_shares_and_starts_from_the_sound_file(results: Any) -> None:
    rows = results["damage"]
    assert {(row["mode"], row["scope"], row["rho"], row["technique"]) for row in rows} == {
        (mode, scope.name, rho, name)
        for mode in MODES
        for scope in SCOPES
        for rho in (0, 0.5)
        for name in ("passage_search", "agent")
    }
    sound = {row["technique"]: row["recall@5"]["value"] for row in results["quality"]}
    for row in rows:
        if row["rho"] == 0 or row["technique"] == "passage_search":
            # Damage leaves the text alone, so what searches the text alone finds the same.
            assert row["recall@5"]["mean"] == sound[row["technique"]]


def test_choices_are_shares_of_a_type(results: Any) -> None:
    shares: dict[str, float] = {}
    for row in results["choices"]:
        assert row["tools"]
        shares[row["type"]] = shares.get(row["type"], 0) + row["share"]
    assert shares == pytest.approx({"": 100, "bridge": 100, "kinship": 100})


def test_manifest_says_what_the_results_rest_on_and_not_who_or_where(out: Path, data: Path, manifest: Any) -> None:
    assert set(manifest["machine"]) == {"cores", "threads", "processor", "memory_bytes", "system", "python"}
    assert {"numpy", "onnxruntime", "matplotlib"} <= set(manifest["packages"])
    assert manifest["clew"]["code"] == code_hash()
    assert set(manifest["inputs"]["small"]) == {"corpus.jsonl", "questions.jsonl", "plans.jsonl"}
    assert "tools/evidence/evidence_walk.npz" in manifest["models"]
    for digest in (*manifest["inputs"]["small"].values(), *manifest["models"].values()):
        assert len(bytes.fromhex(digest)) == 32
    facts = manifest["knowledge_bases"]["small"]
    assert facts["passages"] == 8
    assert len(bytes.fromhex(facts["fingerprint"])) == 32
    assert manifest["seeds"]["damage"] == [0]
    assert manifest["options"] == {
        "parts": ["quality", "ablations", "damage"], "limit": None, "seeds": 1, "presets": [], "judge": "offline",
        "kb": None,
    }  # fmt: skip
    for name in ("manifest.json", "results.json", "results.md"):
        text = (out / name).read_text(encoding="utf-8")
        for private in (str(data.parent), str(Path.home()) + "/", socket.gethostname()):
            assert private not in text, (name, private)


def test_figures_are_whole_and_named_after_the_folder(out: Path) -> None:
    names = ("quality", "time", "ablations", "damage", "damage-answers")
    for name in names:
        png = (out / f"small-{name}.png").read_bytes()
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        assert png.endswith(b"IEND\xaeB\x60\x82")
        svg = ElementTree.fromstring((out / f"small-{name}.svg").read_bytes())
        assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(out.glob("*.png"))) == len(names)


def test_tables_and_drawings_are_printed(out: Path) -> None:
    text = (out / "stdout").read_text(encoding="utf-8")
    for said in ("evidence_walk", "milliseconds (logarithmic)", "CS-RAG: planner", "incomplete facts, whole graph"):
        assert said in text
    assert "8 passages; 4 questions, 3 with known supporting documents, 3 with known answers." in text
    assert "small quality: " in (out / "stderr").read_text(encoding="utf-8")
    assert "\x1b" not in text


def test_a_second_run_measures_nothing_and_writes_the_same(
    out: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shutil.copytree(out, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in out.glob("small-*")}
    before |= {name: (out / name).read_bytes() for name in ("results.json", "results.md")}
    monkeypatch.setattr(measure, "_outcome", lambda *_: pytest.fail("a question was asked again"))
    result = bench(data, "-o", out, "--seeds", "1", "--json", "-q")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert json.loads(result.stdout) == json.loads(before["results.json"])
    assert {name: (out / name).read_bytes() for name in before} == before
    stages = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["stages"]
    assert all(stage["reused"] for stage in stages if not stage["name"].endswith("build"))


def test_a_stopped_run_asks_only_what_it_had_not_finished(
    out: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "out"
    shutil.copytree(out, copy)
    victim = next((copy / "stages").glob("small-graph_walk-*.json"))
    victim.write_bytes(victim.read_bytes()[:40])
    asked: list[str] = []
    outcome = measure._outcome

    def counted(ask: Any, question: Any) -> Any:
        asked.append(question.id)
        return outcome(ask, question)

    monkeypatch.setattr(measure, "_outcome", counted)
    result = bench(data, "-o", copy, "--only", "quality", "-q")
    assert result.exit_code == 0, result.stderr
    assert asked == ["q1", "q1", "q2", "q4"]  # the first in other words, to warm up


@pytest.mark.usefixtures("few")
def test_a_knowledge_base_is_used_instead_of_building(built: Path, data: Path, tmp_path: Path) -> None:
    """Three of the questions are those with supporting documents, q1, q2 and q4; q3 stands between them."""
    result = bench(data, "-o", tmp_path / "a", "--kb", built, "--only", "quality", "--limit", "3", "--json", "-q")
    found = json.loads(result.stdout)["folders"][0]
    assert found["questions"] == found["with_supporting"] == 3
    assert found["ablations"] == found["damage"] == []
    assert not (tmp_path / "a" / "knowledge-bases").exists()


@pytest.mark.usefixtures("few")
def test_a_folder_of_folders_has_a_section_for_each(built: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_data(tmp_path / "all" / name, QUESTIONS[:1])
    (tmp_path / "all" / "half").mkdir()
    (tmp_path / "all" / "half" / "corpus.jsonl").write_text("", encoding="utf-8")
    bases = tmp_path / "bases"
    bases.mkdir()
    for name in ("one", "two"):
        shutil.copy(built, bases / f"{name}.clew")
    arguments = (tmp_path / "all", "-o", tmp_path / "out", "--only", "quality", "-q")
    result = bench(*arguments, "--kb", bases, "--json")
    found = json.loads(result.stdout)
    assert [one["name"] for one in found["folders"]] == ["one", "two"]
    assert found["notes"] == ["half is left out: it holds corpus.jsonl only"]
    assert (tmp_path / "out" / "two-quality.svg").exists()
    single = bench(*arguments, "--kb", bases / "one.clew")
    assert single.exit_code == 2
    assert "one file for 2 data folders" in single.stderr
    (bases / "two.clew").unlink()
    assert "no 'two.clew'" in bench(*arguments, "--kb", bases).stderr


@pytest.mark.usefixtures("few")
def test_answers_without_supporting_documents_are_measured_as_answers(built: Path, tmp_path: Path) -> None:
    data = write_data(tmp_path / "answers", QUESTIONS[2:3])
    result = bench(data, "-o", tmp_path / "out", "--kb", built, "--only", "quality", "--only", "ablations", "--json")
    found = json.loads(result.stdout)["folders"][0]
    assert [row["technique"] for row in found["quality"]] == ["agent"]
    assert found["quality"][0]["recall@5"] is None
    assert found["quality"][0]["f1"]["value"] in (0, 100)
    assert "no ablations: no question has supporting documents" in found["notes"]
    assert [path.name for path in (tmp_path / "out").glob("*.png")] == ["answers-quality.png"]


@pytest.mark.usefixtures("few")
def test_a_question_that_cannot_be_asked_counts_as_failed(built: Path, tmp_path: Path) -> None:
    data = write_data(tmp_path / "odd", [QUESTIONS[0], {"id": "q9", "question": "?", "supporting": ["karsk"]}])
    found = json.loads(bench(data, "-o", tmp_path / "o", "--kb", built, "--only", "quality", "--json").stdout)
    row = found["folders"][0]["quality"][0]
    assert row["errors"] == 1
    assert row["recall@5"]["value"] <= 50
    assert f"{row['technique']} failed on 1 of 2 questions" in found["folders"][0]["notes"]


@pytest.mark.usefixtures("few")
def test_bad_corpus_lines_are_noted_and_the_rest_is_measured(tmp_path: Path) -> None:
    data = write_data(tmp_path / "torn", QUESTIONS[:1])
    with (data / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "broken", "ti\n')
    result = bench(data, "-o", tmp_path / "out", "--only", "quality", "--json")
    found = json.loads(result.stdout)["folders"][0]
    assert found["passages"] == 8
    assert any(note.startswith("left out: corpus.jsonl") and "9" in note for note in found["notes"]), found["notes"]


@pytest.mark.usefixtures("few")
def test_another_corpus_of_the_same_name_is_not_mixed_into_the_first(tmp_path: Path) -> None:
    first = write_data(tmp_path / "a" / "data", QUESTIONS[:1])
    second = write_data(tmp_path / "b" / "data", QUESTIONS[:1])
    lines = (second / "corpus.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (second / "corpus.jsonl").write_text("".join(lines[:3]), encoding="utf-8")
    counts = []
    for data in (first, second):
        result = bench(data, "-o", tmp_path / "out", "--only", "quality", "--limit", "1", "--json", "-q")
        counts.append(json.loads(result.stdout)["folders"][0]["passages"])
    assert counts == [8, 3]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda data: shutil.rmtree(data), "is no folder"),
        (lambda data: (data / "corpus.jsonl").unlink(), "lacks corpus.jsonl"),
        (lambda data: [path.unlink() for path in data.iterdir()], "nor a folder in it holds"),
        (lambda data: (data / "questions.jsonl").write_text("{torn\n", encoding="utf-8"), "line 1: no JSON"),
        (lambda data: write_lines(data / "questions.jsonl", [{"question": "Who?"}]), "nothing to measure against"),
        (lambda data: (data / "plans.jsonl").write_text('{"id": "q1"}\n', encoding="utf-8"), "plans.jsonl, line 1"),
    ],
)
def test_unusable_data_is_one_error_before_any_work(tmp_path: Path, spoil: Any, said: str) -> None:
    data = write_data(tmp_path / "data")
    spoil(data)
    result = bench(data, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_knowledge_base_of_other_data_is_refused(small_file: Path, tmp_path: Path) -> None:
    data = write_data(tmp_path / "data", [{"question": "Who painted it?", "supporting": ["louvre-1"]}])
    result = bench(data, "-o", tmp_path / "out", "--kb", small_file, "-q")
    assert result.exit_code == 2
    assert "none of the 1 supporting documents, such as 'louvre-1'" in result.stderr


def test_results_do_not_go_where_something_else_is(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    assert "is a folder that is read here" in bench(data, "-o", data).stderr
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    assert "is a file" in bench(data, "-o", tmp_path / "file").stderr
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_without_matplotlib_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else find_spec(name))
    result = bench(write_data(tmp_path / "data"), "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert "pip install 'clew[bench]'" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_preset_is_measured_beside_the_technique(data: Path, built: Path, tmp_path: Path) -> None:
    given = (data, "-o", tmp_path / "out", "--kb", built, "--only", "quality", "--limit", "1", "-q", "--json")
    quality = json.loads(bench(*given, "--preset", "hipporag2").stdout)["folders"][0]["quality"]
    names = [row["technique"] for row in quality]
    assert names.count("edge_scoring") == names.count("edge_scoring:hipporag2") == 1
    result = bench(*given, "--preset", "paper")
    assert result.exit_code == 2
    assert "there is no preset 'paper'; there are hipporag2, published" in result.stderr
