"""`clew train`, whole: what is learned from, what is written where and when, and which questions it is used for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fake_endpoint import endpoint
from knowledge_bases import build_file

from assistant.commands.cli import main
from assistant.conversations.replay import replay
from assistant.conversations.session import Session, answer
from assistant.conversations.transcripts.transcript_folder import Store, read
from assistant.evaluation import trained_scorer
from assistant.shared.chosen_scorer import open_to_ask, own_scorer, scorer_file
from assistant.shared.user_folders import state_folder, transcripts_folder
from kb.errors import UsageError
from tools.triple_scoring.triple_model import own_digest, read_model
from tools.triple_scoring.triple_scorer import rank_triples

TOWNS = (
    "Karsk",
    "Lindholm",
    "Ulvik",
    "Osmark",
    "Brenna",
    "Tarnow",
    "Skarn",
    "Veldt",
    "Morrow",
    "Pell",
    "Quill",
    "Rook",
)


def story(at: int) -> tuple[str, str, list[tuple[str, str, str]]]:
    """A lamp: where it glows, for whom, and the year in which it was mended, which is what all the questions ask for in
    words of no fact.
    """
    name, year = f"Lamp {TOWNS[at]}", str(1900 + 3 * at)
    glows = [
        (name, "glows over", f"{TOWNS[at - 1]} Bay"),
        (name, "glows for", f"Captain {TOWNS[at - 2]}"),
        (name, "glows beside", f"{TOWNS[at - 3]} Mill"),
        (name, "glows under", f"{TOWNS[at - 4]} Hill"),
    ]
    facts = [*glows[: 2 + at % 3], (name, "mended", year)]
    return name, " ".join(f"{head} {relation} {tail}." for head, relation, tail in facts), facts


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    told = [story(at) for at in range(len(TOWNS))]
    documents = {name: text for name, text, _ in told}
    return build_file(tmp_path_factory.mktemp("lamps"), documents, {name: facts for name, _, facts in told})


def asked(path: Path, **more: Any) -> Path:
    """Questions whose evidence is the fact with the year; `more` is added to each line, of it what is called."""
    lines = []
    for at in range(len(TOWNS)):
        name, _, facts = story(at)
        given = {"supporting": [name], "answers": [facts[-1][2]]}
        given |= {key: value(at) if callable(value) else value for key, value in more.items()}
        lines.append(json.dumps({"id": f"q{at}", "question": f"When did {name} glow again?", **given}))
    path.write_text("\n".join(lines))
    return path


def clew(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def trained(lamps: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A scorer trained on the lamps, as written."""
    folder = tmp_path_factory.mktemp("trained")
    done = clew("train", lamps, asked(folder / "questions.jsonl"), "-o", folder / "own.npz", "-q")
    assert done.exit_code == 0, done.stderr
    return (folder / "own.npz").read_bytes()


@pytest.fixture
def own(lamps: Path, trained: bytes) -> Path:
    """It, where the user keeps it."""
    path = own_scorer(lamps)
    path.parent.mkdir(parents=True)
    path.write_bytes(trained)
    return path


def best_facts(lamps: Path) -> list[str]:
    with open_to_ask(lamps) as kb:
        return [rank_triples(kb, f"When did {story(at)[0]} glow again?", 1).triples[0].triple.relation for at in (0, 5)]


def test_training_says_what_it_needs_before_it_begins(
    lamps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"question": "When was Lamp Karsk mended?", "answers": ["1900"]}\n')
    monkeypatch.setattr(trained_scorer.importlib.util, "find_spec", lambda name: None)
    result = CliRunner().invoke(main, ["train", str(lamps), str(questions)])
    assert result.exit_code == 2
    assert "training needs more than is installed: pip install 'clew[models]'" in result.stderr


def test_a_scorer_trained_is_used_for_its_file_which_stays_as_it_is(lamps: Path, tmp_path: Path) -> None:
    before, bytes_before = best_facts(lamps), lamps.read_bytes()
    done = clew("train", lamps, asked(tmp_path / "questions.jsonl"))
    assert done.exit_code == 0, done.stderr
    assert "learned from 12 of 12 questions\n" in done.stdout
    assert f"better: written to {own_scorer(lamps)}, and used from now on when you ask {lamps}" in done.stdout
    assert "training: 96 of 96" in done.stderr
    assert lamps.read_bytes() == bytes_before
    assert before != ["mended", "mended"]
    assert best_facts(lamps) == ["mended", "mended"]
    # The tool, the session and Python code score with it; another file does not.
    found = clew(
        "tool", "triple_scorer", lamps, "--args", json.dumps({"question": "When did Lamp Karsk glow?", "k": 1})
    )
    assert json.loads(found.stdout)["triples"][0]["triple"]["relation"] == "mended"
    with Session.open(lamps) as session, open_to_ask(lamps) as kb:
        assert own_digest(session._kb) == own_digest(kb) != ""
    copy = tmp_path / "copy.clew"
    copy.write_bytes(bytes_before)
    assert scorer_file(copy) is None
    # It is the user's own: whoever has another home sees nothing of it.
    assert own_scorer(lamps).is_relative_to(state_folder())


def test_what_is_trained_is_told_as_json_and_is_the_same_again(lamps: Path, trained: bytes, tmp_path: Path) -> None:
    questions, out = asked(tmp_path / "questions.jsonl"), tmp_path / "own.npz"
    done = clew("train", lamps, questions, "-o", out, "--json", "-q")
    told = json.loads(done.stdout)
    assert out.read_bytes() == trained
    assert done.stderr == ""
    assert (told["questions"], told["learned"], told["better"], told["path"]) == (12, 12, True, str(out))
    assert told["interval"][0] > 0
    assert told["gain"] == pytest.approx(told["trained"]["precision"] - told["shipped"]["precision"])
    assert not own_scorer(lamps).exists()
    # What is there is not written over, and that is said before the work.
    again = clew("train", lamps, questions, "-o", out)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "is there already" in again.stderr
    nowhere = clew("train", lamps, questions, "-o", tmp_path / "nowhere" / "own.npz")
    assert (nowhere.exit_code, nowhere.stdout) == (2, "")
    assert "nowhere' is no folder" in nowhere.stderr
    assert out.read_bytes() == trained


def test_what_is_not_better_is_said_and_not_written(lamps: Path, tmp_path: Path) -> None:
    # Evidence that nothing tells: each question rests on the lamp of another one.
    names = [story(at)[0] for at in range(len(TOWNS))]
    shuffled = asked(tmp_path / "shuffled.jsonl", supporting=lambda at: [names[(5 * at + 3) % 12]], answers=["none"])
    done = clew("train", lamps, shuffled, "-q")
    assert done.exit_code == 0, done.stderr
    assert "not better than the scorer that ships, beyond chance: nothing was written" in done.stdout
    assert not own_scorer(lamps).exists()
    forced = clew("train", lamps, shuffled, "-q", "--force")
    assert f"not better than the scorer that ships, beyond chance: written to {own_scorer(lamps)}" in forced.stdout
    read_model(own_scorer(lamps))


def test_questions_that_nothing_is_learned_from_are_counted(lamps: Path, tmp_path: Path) -> None:
    questions = asked(
        tmp_path / "mixed.jsonl",
        supporting=lambda at: [[], ["elsewhere.md"], [story(at)[0]]][min(at, 2)],
        answers=lambda at: [] if at in (0, 2) else [story(at)[2][-1][2]],
    )
    done = clew("train", lamps, questions, "-q", "--json")
    told = json.loads(done.stdout)
    assert [told[name] for name in ("questions", "learned", "unanswered", "elsewhere", "far")] == [12, 10, 1, 1, 0]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (4, "4 of 4 questions can be learned from; training takes 10 or more, with 5 different answers: add questions"),
        (0, "holds no questions"),
    ],
)
def test_too_few_questions_are_one_line(lamps: Path, tmp_path: Path, lines: int, message: str) -> None:
    questions = asked(tmp_path / "questions.jsonl")
    questions.write_text("\n".join(questions.read_text().splitlines()[:lines]))
    done = clew("train", lamps, questions, "-q")
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert message in line


def test_questions_without_answers_and_files_that_are_none_are_one_line(lamps: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("\n".join(f"What is number {at}?" for at in range(20)))
    done = clew("train", lamps, plain, "-q")
    assert done.exit_code == 2
    assert "0 of 20 questions can be learned from (20 have neither 'answers' nor 'supporting')" in done.stderr
    answers = clew("train", lamps, asked(tmp_path / "answers.jsonl", supporting=[]), "-q")
    assert answers.exit_code == 2
    assert "0 of 12 questions can be learned from (12 tell only their answers (a model can judge" in answers.stderr
    same = asked(tmp_path / "same.jsonl", answers=["1900"], supporting=["Lamp Karsk"])
    assert "(11 have the same answer as another one)" in clew("train", lamps, same, "-q").stderr
    assert clew("train", tmp_path / "none.clew", plain, "-q").exit_code == 3
    assert clew("train", lamps, tmp_path / "none.jsonl", "-q").exit_code == 2


# -- which scorer is used ---------------------------------------------------------------------------------------------


def test_the_setting_says_which_scorer_counts(
    lamps: Path, own: Path, trained: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scorer_file(lamps) == own
    assert clew("config", "scorer", "shipped").exit_code == 0
    assert scorer_file(lamps) is None
    ours = tmp_path / "ours.npz"
    ours.write_bytes(trained)
    monkeypatch.chdir(tmp_path)
    assert clew("config", "scorer", "ours.npz").exit_code == 0
    monkeypatch.chdir(tmp_path.parent)
    assert scorer_file(tmp_path / "any.clew") == ours
    monkeypatch.setenv("CLEW_SCORER", "own")
    assert scorer_file(lamps) == own
    # A link leads to the same file, and so to the same scorer.
    (tmp_path / "link.clew").symlink_to(lamps)
    assert scorer_file(tmp_path / "link.clew") == own


@pytest.mark.parametrize("command", [("ask",), ("tool", "triple_scorer"), ("race",)])
def test_a_scorer_that_cannot_be_used_is_one_line(lamps: Path, own: Path, command: Sequence[str]) -> None:
    own.write_bytes(b"torn")
    rest = ("--args", '{"question": "When?"}') if command[0] == "tool" else ("When did Lamp Karsk glow?",)
    done = clew(*command, lamps, *rest)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{str(own)!r} is no scorer that clew train has written" in done.stderr.splitlines()[-1]
    with pytest.raises(UsageError), open_to_ask(lamps):
        pass


def test_a_question_is_replayed_with_the_scorer_it_was_answered_with(lamps: Path, own: Path) -> None:
    answer(lamps, "When did Lamp Karsk glow again?", transcripts=transcripts_folder())
    (summary,) = Store().summaries()
    transcript = read(summary.path)
    assert transcript.scorer
    assert replay(transcript).same
    own.unlink()
    assert replay(transcript).shown == "facts are scored by another scorer now"


def test_doctor_tells_of_the_scorer(lamps: Path, own: Path) -> None:
    def told() -> tuple[str, str]:
        checks = json.loads(clew("doctor", lamps, "--no-requests", "--json").stdout)["checks"]
        (one,) = (check for check in checks if check["what"] == "its scorer")
        return one["state"], one["says"]

    assert told() == ("ok", f"facts are scored by {own}")
    own.write_bytes(b"torn")
    state, says = told()
    assert state == "fails"
    assert "is no scorer" in says
    own.unlink()
    assert told() == ("ok", "the one that ships")


# -- the judge --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("model_requests_allowed")
def test_a_model_judges_the_paths_once_and_within_its_budget(lamps: Path, tmp_path: Path) -> None:
    questions = asked(tmp_path / "answers.jsonl", supporting=[])

    def keep_the_mending(request: dict[str, Any]) -> str:
        shown = str(request["messages"][-1]["content"])
        numbers = [line.split(".")[0] for line in shown.splitlines() if "[mended]" in line]
        return json.dumps({"sensible": [int(one) for one in numbers]})

    with endpoint([keep_the_mending]) as server:
        given = ("--model", "scripted", "--base-url", server.url, "-q", "--json")
        done = json.loads(clew("train", lamps, questions, *given).stdout)
        assert (done["learned"], done["notes"]) == (12, [])
        assert len(server.requests) == 12
        assert "Answer: 1900\n" in str(server.requests[0]["messages"][-1]["content"])
        # They are kept: a run that was stopped goes on where it was, and pays for nothing twice.
        assert json.loads(clew("train", lamps, questions, *given).stdout)["learned"] == 12
        assert len(server.requests) == 12
        # What does not fit into the budget is judged by clew, and that is told.
        other = asked(
            tmp_path / "others.jsonl", supporting=[], question=lambda at: f"When was {story(at)[0]} repaired?"
        )
        poor = clew("train", lamps, other, *given, "--run-max-tokens", "2000")
        assert "would have cost more than 25% of what is left of the budget" in poor.stdout + poor.stderr
        assert 0 < len(server.requests) - 12 < 12
