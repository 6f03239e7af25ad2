from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from assistant.commands.cli import main
from assistant.commands.options import Terminated, run_until_terminated, styled
from assistant.shared.rendering import Line
from kb.errors import ModelFailure

QUESTION = "Where was the director of The Glass Harbour born?"


def clew(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def data(*arguments: str | Path) -> Any:
    result = clew(*arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_help_lists_every_command_and_the_exit_codes() -> None:
    text = clew("--help").stdout
    for name in (*main.commands, "Exit codes:", "130", "not found in this knowledge base"):
        assert name in text
    listed = [
        line.split()[0] for line in text.splitlines() if line.startswith("  ") and line.split()[0] in main.commands
    ]
    assert listed == list(main.commands)


@pytest.mark.parametrize("name", list(main.commands))
def test_every_command_has_help_with_an_example(name: str) -> None:
    text = clew(name, "--help").stdout
    assert "Example" in text
    assert f"clew {name} " in text


def test_help_imports_nothing_slow() -> None:
    code = (
        "import sys; from assistant.commands.cli import main; main(['--help'], standalone_mode=False); "
        "slow = ('torch', 'numpy', 'pydantic', 'pydantic_ai', 'textual', 'sqlite_utils', 'rich', 'scipy'); "
        "print([name for name in slow if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_ask_prints_answer_citations_and_chain(small_file: Path) -> None:
    result = clew("ask", small_file, QUESTION)
    assert result.exit_code == 0
    assert result.stderr == ""
    first, *rest = result.stdout.splitlines()
    assert first in ("Tarnow Bay   ● sure", "Tarnow Bay   ◐ likely")
    text = "\n".join(rest)
    assert "[1] The Glass Harbour  " in text
    assert "The Glass Harbour — director → Irena Valdis" in text
    assert "\x1b" not in result.stdout


def test_ask_reads_the_question_from_stdin_and_prints_json(small_file: Path) -> None:
    result = clew("ask", small_file, "-", "--json", "--top", "3", stdin=f"{QUESTION}\n")
    reply = json.loads(result.stdout)
    assert (reply["answer"], reply["question"], len(reply["passages"])) == ("Tarnow Bay", QUESTION, 3)


def test_not_found_is_exit_1_and_says_what_is_missing(small_file: Path) -> None:
    result = clew("ask", small_file, "Who composed the anthem of Ruritania?")
    assert result.exit_code == 1
    assert result.stdout.startswith("Not found in this knowledge base.   ○ none\nMissing: ")


@pytest.mark.parametrize(
    ("question", "stdin", "message"),
    [
        ("", None, "asks nothing"),
        ("-", "", "asks nothing"),
        ("-", b"\xff\xfe\xfa", "not UTF-8"),
        ("word " * 10_000, None, "10,000 words"),
    ],
)
def test_bad_questions_are_exit_2_in_one_line(small_file: Path, question: str, stdin: Any, message: str) -> None:
    result = clew("ask", small_file, question, stdin=stdin)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("clew: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_bad_files_are_exit_3(tmp_path: Path, small_file: Path) -> None:
    cut = tmp_path / "cut.clew"
    cut.write_bytes(small_file.read_bytes()[:9000])
    for path in (tmp_path / "none.clew", tmp_path, write(tmp_path / "text.clew", "notes"), cut):
        result = clew("ask", path, QUESTION)
        assert (result.exit_code, result.stderr[:6], result.stderr.count("\n")) == (3, "clew: ", 1)


def test_model_failures_are_exit_4(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLEW_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    result = clew("ask", small_file, QUESTION, "--model", "gpt-4.1-mini")
    assert (result.exit_code, result.stderr.count("\n")) == (4, 1)
    assert "set OPENAI_API_KEY" in result.stderr


def test_ctrl_c_is_exit_130_in_one_line(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kb.store.knowledge_base.KnowledgeBase.open", stopped)
    result = clew("info", small_file)
    assert (result.exit_code, result.stderr) == (130, "clew: stopped; what was finished is kept\n")


@pytest.mark.parametrize(
    "arguments", ["--help", "info FILE --documents", "info FILE --json", "browse FILE", "tool", "config"]
)
def test_output_that_nobody_reads_any_more_ends_without_a_word(small_file: Path, arguments: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "assistant", *(str(small_file) if a == "FILE" else a for a in arguments.split())]
    ran = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (141, "")


@pytest.mark.parametrize(("term", "coloured"), [("xterm", True), ("dumb", False)])
def test_a_terminal_without_colours_gets_none(monkeypatch: pytest.MonkeyPatch, term: str, coloured: bool) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert ("\x1b" in styled(Line((("sure", "strong"),)))) == coloured


def test_errors_print_no_escapes_of_a_hostile_name(tmp_path: Path) -> None:
    result = clew("ask", tmp_path / "a\x1b[31m\nred.clew", QUESTION)
    assert result.exit_code == 3
    assert "\x1b" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_run_and_eval(small_file: Path, tmp_path: Path) -> None:
    questions = write(
        tmp_path / "q.jsonl",
        json.dumps({"id": "a", "question": QUESTION, "answers": ["Tarnow Bay"], "supporting": ["glasswork", "valdis"]})
        + "\n"
        + json.dumps({"id": "b", "question": "Who composed the anthem of Ruritania?", "answers": ["Nobody"]}),
    )
    out = tmp_path / "out.jsonl"
    result = clew("run", small_file, questions, "-o", out, "--top", "5")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "answering: 2 of 2" in result.stderr
    assert "2 of 2 questions: 1 answered, 1 not found" in result.stderr
    assert clew("run", small_file, questions, "-o", out, "-q").stderr == ""
    (scores,) = data("eval", out, questions, "--json")
    assert (scores["questions"], scores["recall@5"], scores["chain@2"], scores["em"], scores["found"]) == (
        2, 100.0, 100.0, 50.0, 50.0,
    )  # fmt: skip
    table = clew("eval", out, questions).stdout.splitlines()
    assert table[0].startswith("2 questions, 1 with gold passages, 2 with answers")
    assert table[3].split() == ["recall", "100", "100", "100"]


@pytest.mark.parametrize(("number", "code", "name"), [(signal.SIGTERM, 143, "SIGTERM"), (signal.SIGINT, 130, "Ctrl-C")])
def test_a_run_that_is_stopped_says_how_far_it_came(
    small_file: Path, tmp_path: Path, number: signal.Signals, code: int, name: str
) -> None:
    questions = write(tmp_path / "q.txt", f"{QUESTION}\n" * 500)
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "assistant", "run", small_file, questions, "-o", out, "-q"]
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background hears none
    try:
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, heard)
    try:
        while process.poll() is None and not (out.exists() and out.stat().st_size):
            time.sleep(0.05)
        process.send_signal(number)
        errors = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    told = re.fullmatch(r"clew: (.+): (\d+) of 500 questions: .*; stopped: ([\w-]+); run again to go on\n", errors)
    assert told, errors
    assert (process.returncode, told[1], told[3]) == (code, str(out), name)
    assert int(told[2]) in {(lines := out.read_bytes().count(b"\n")), lines - 1}  # the last may not be counted yet


def test_sigterm_waits_for_the_step_that_is_done_and_lets_the_work_clean_up() -> None:
    """Raised in the midst of a step it left the lock of an event stream held, and the run hung."""
    done: list[str] = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("step")
            await asyncio.sleep(60)
            done.append("slept")
        finally:
            await asyncio.sleep(0)
            done.append("cleaned up")

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Terminated):
        run_until_terminated(work())
    assert done == ["step", "cleaned up"]
    assert signal.getsignal(signal.SIGTERM) is before


def test_run_refuses_to_write_over_what_it_reads(small_file: Path, tmp_path: Path) -> None:
    questions = write(tmp_path / "q.txt", QUESTION)
    for output in (questions, small_file):
        before = output.read_bytes()
        result = clew("run", small_file, questions, "-o", output)
        assert (result.exit_code, output.read_bytes()) == (2, before)


def test_chat_without_a_terminal_answers_the_given_questions(small_file: Path, tmp_path: Path) -> None:
    questions = write(tmp_path / "q.txt", f"{QUESTION}\nWhen did Irena Valdis die?\n")
    result = clew("chat", small_file, "--questions", questions)
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if line.startswith(">")] == [
        f"> {QUESTION}",
        "> When did Irena Valdis die?",
    ]
    assert re.search(r"^Tarnow Bay   (?:● sure|◐ likely)$", result.stdout, re.MULTILINE)
    assert "\n2 June 1970 " in result.stdout
    assert [one["answer"] for one in data("transcripts", "--json")] == ["2 June 1970", "Tarnow Bay"]
    assert "needs a terminal" in clew("chat", small_file).stderr


def test_chat_without_a_terminal_knows_what_was_said(small_file: Path, tmp_path: Path) -> None:
    clew(
        "chat",
        small_file,
        "--questions",
        write(tmp_path / "q.txt", "Who directed Seven Lanterns?\nAnd The Glass Harbour?\n"),
    )
    assert data("transcripts", "--json")[0]["answer"] == "Irena Valdis"


@pytest.mark.parametrize(("gone", "instead"), [("tools", "clew tool lists"), ("forget", "clew check FILE --gone TEXT")])
def test_a_command_that_there_was_says_what_does_its_work(gone: str, instead: str) -> None:
    result = clew(gone, "--help")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert instead in result.stderr


def test_a_tool_without_a_file_says_so() -> None:
    result = clew("tool", "passage_search")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "clew tool alone lists the tools" in result.stderr


def test_tool_lists_presets_and_takes_one(small_file: Path) -> None:
    listed = {tool["name"]: tool["presets"] for tool in data("tool", "--json")}
    assert listed["passage_search"] == {}
    assert listed["triple_scorer"] == {"published": {"ends": False}}
    assert "\n    --preset published: ends=False\n" in clew("tool").stdout
    arguments = json.dumps({"question": "Where was the director of The Glass Harbour born?", "k": 1})
    seeds = [
        data("tool", "edge_scoring", small_file, "--args", arguments, *preset)["edges"]
        for preset in ((), ("--preset", "hipporag2"))
    ]
    assert seeds[0]
    assert seeds[1] == []
    result = clew("tool", "edge_scoring", small_file, "--args", arguments, "--preset", "paper")
    assert result.exit_code == 2
    assert "edge_scoring has no preset 'paper'; it has hipporag2, published" in result.stderr


def test_tool_lists_the_tools_and_runs_one(small_file: Path) -> None:
    names = [tool["name"] for tool in data("tool", "--json")]
    assert "passage_search(query: str, k: int = 10)" in clew("tool").stdout
    assert "textual_recovery" in names
    hits = data("tool", "passage_search", small_file, "--args", '{"query": "lighthouse", "k": 2}')
    assert hits[0]["passage"]["title"] == "Tarnow Bay"
    for name, arguments, message in (
        ("search", "{}", "there is no tool 'search'"),
        ("passage_search", "{}", "query: Field required"),
        ("passage_search", '{"query": "x", "size": 1}', "size: Extra inputs"),
        ("passage_search", "[1]", "must be a JSON object"),
        ("passage_search", "{query", "is no JSON"),
    ):
        result = clew("tool", name, small_file, "--args", arguments)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert message in result.stderr


def test_info_counts_and_lists(small_file: Path) -> None:
    facts = data("info", small_file, "--json")
    assert (facts["documents"], facts["passages"], facts["complete"]) == (12, 12, True)
    text = clew("info", small_file).stdout
    assert "documents        12" in text
    assert clew("info", small_file, "--documents").stdout.splitlines()[0] == "brandel\t1\tTomas Brandel"


def test_build_add_and_remove(tmp_path: Path) -> None:
    source = write(tmp_path / "notes.txt", "Anna Kerr was born in Dunmore.")
    out = tmp_path / "notes.clew"
    result = clew("build", source, "-o", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "1 added; 1 new passage" in result.stderr
    assert data("build", source, "-o", out, "--json")["unchanged"] == 1
    more = clew("add", out, "-", "-q", stdin="Dunmore is a village.")
    assert (more.exit_code, more.output) == (0, "")
    assert data("info", out, "--json")["documents"] == 2
    assert data("remove", out, "notes.txt", "--json") == {"removed": ["notes.txt"], "transcripts": 0, "sessions": 0}
    missing = clew("remove", out, "notes.txt")
    assert (missing.exit_code, missing.stderr.count("\n")) == (2, 1)


def test_what_a_build_leaves_out_is_told(tmp_path: Path) -> None:
    write(tmp_path / "good.txt", "Anna Kerr was born in Dunmore.")
    (tmp_path / "bad.txt").write_bytes(b"")
    result = clew("build", tmp_path / "good.txt", tmp_path / "bad.txt", "-o", tmp_path / "a.clew", "-q")
    assert result.exit_code == 0
    assert result.stderr.startswith("clew: left out ")
    assert "bad.txt" in result.stderr


def test_check_names_the_damage(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert clew("check", small_file).exit_code == 0
    assert data("check", small_file, "--json")["problems"] == []
    monkeypatch.setattr("kb.store.check.check", lambda path: ["a passage has no vector"])
    result = clew("check", small_file)
    assert (result.exit_code, result.stdout) == (3, "a passage has no vector\n")


def test_a_failing_model_during_a_run_is_exit_4(
    small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise ModelFailure("model 'm' cannot be reached")

    monkeypatch.setattr("assistant.conversations.session.Session.ask", failing)
    result = clew("run", small_file, write(tmp_path / "q.txt", QUESTION), "-o", tmp_path / "out.jsonl", "-q")
    assert (result.exit_code, result.stderr) == (4, "clew: model 'm' cannot be reached\n")


def test_a_file_whose_build_was_stopped_before_its_first_passage_answers_not_found(tmp_path: Path) -> None:
    from kb.store.embeddings import load_embedder
    from kb.store.writer import Writer

    with Writer(tmp_path / "a.clew", load_embedder()):
        pass
    result = clew("ask", tmp_path / "a.clew", QUESTION)
    assert result.exit_code == 1
    assert "Not found" in result.stdout
    checked = clew("check", tmp_path / "a.clew")
    assert (checked.exit_code, checked.stdout) == (3, "1 build that was stopped: run it again\n")
    assert clew("race", tmp_path / "a.clew", QUESTION).exit_code == 0


def test_check_proves_that_nothing_holds_a_word(tmp_path: Path, own_places: Path) -> None:
    source = write(tmp_path / "notes.txt", "Zanzibar Quillfeather was a miller.")
    out = tmp_path / "a.clew"
    clew("build", source, write(tmp_path / "b.txt", "Lindholm is a town."), "-o", out, "-q")
    held = clew("check", out, "--gone", "Quillfeather", "--gone", "Peaseblossom")
    assert held.exit_code == 1
    assert "Quillfeather: passages.text: 1 row\n" in held.stdout
    assert "Peaseblossom: nothing holds it\n" in held.stdout
    clew("remove", out, "notes.txt", "-q")
    assert data("check", out, "--gone", "Quillfeather", "--json") == {"Quillfeather": []}
    assert clew("check", out, "--gone", "?!").exit_code == 2


def test_a_second_writer_ends_with_exit_3_or_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.store.locking import WriterLock

    out, new = tmp_path / "a.clew", write(tmp_path / "b.txt", "Karsk is a village.")
    clew("build", write(tmp_path / "a.txt", "Lindholm is a town."), "-o", out, "-q")
    lock = WriterLock(out)
    refused = clew("add", out, new, "-q")
    assert (refused.exit_code, refused.stderr.count("\n")) == (3, 1)
    assert "is being written by another process, process " in refused.stderr
    monkeypatch.setattr("assistant.commands.bases.time.sleep", lambda _: lock.release())
    waited = clew("add", out, new, "-q", "--wait")
    assert (waited.exit_code, waited.stderr.count("waiting: ")) == (0, 1)
    assert data("info", out, "--json")["documents"] == 2


def test_a_chat_over_no_file_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.commands.ask._has_screen", lambda: True)
    result = clew("chat", tmp_path / "missing.clew")
    assert (result.exit_code, result.stderr.count("\n")) == (3, 1)
    assert "there is no file" in result.stderr


def test_an_answer_from_a_file_whose_build_was_stopped_says_so(small_file: Path, tmp_path: Path) -> None:
    from kb.store.embeddings import load_embedder
    from kb.store.writer import Writer

    file = tmp_path / "copy.clew"
    file.write_bytes(small_file.read_bytes())
    assert not any("not complete" in note for note in data("ask", file, QUESTION, "--json")["notes"])
    with Writer(file, load_embedder()) as writer:
        writer.begin_work()
    assert any("not complete" in note for note in data("ask", file, QUESTION, "--json")["notes"])


def test_half_a_character_in_a_path_is_one_line() -> None:
    result = CliRunner().invoke(main, ["info", "a\ud800"])
    assert (result.exit_code, "half a character" in result.output) == (2, True)
    assert "\n" not in result.output.strip()


@pytest.mark.parametrize("number", ["nan", "inf", "1e999"])
def test_numbers_that_nothing_can_be_compared_with_are_refused(number: str) -> None:
    """Of every option of every command that takes a number within bounds."""
    refused = 0
    for name, command in main.commands.items():
        below = command.commands if isinstance(command, click.Group) else {}
        for words, one in [([name], command), *(([name, other], inner) for other, inner in below.items())]:
            for option in one.params:
                if isinstance(option, click.Option) and isinstance(option.type, click.FloatRange):
                    result = clew(*words, option.opts[0], number)
                    assert (result.exit_code, f"for '{option.opts[0]}'" in result.stderr) == (2, True), words
                    refused += 1
    assert refused > 10


@pytest.mark.parametrize("arguments", [("ask", "FILE", "-"), ("build", "-", "-o", "new.clew"), ("add", "FILE", "-")])
def test_a_closed_stdin_is_one_line(
    small_file: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SystemExit) as ended:
        main([str(small_file) if one == "FILE" else one for one in arguments])
    assert (ended.value.code, capsys.readouterr().err) == (2, "clew: nothing can be read from stdin, which is closed\n")


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
@pytest.mark.parametrize("arguments", [("ask", "FILE", QUESTION), ("doctor",)])
def test_a_command_does_not_need_every_stream(
    small_file: Path, stream: str, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, stream, None)
    with pytest.raises(SystemExit) as ended:
        main([str(small_file) if one == "FILE" else one for one in arguments])
    assert ended.value.code in (0, 1)


def test_a_refusal_says_that_nothing_is_lost_where_something_was_to_be_written() -> None:
    from assistant.commands.cli import _refused

    assert _refused(OSError(errno.ENAMETOOLONG, "File name too long", "x")) == "'x': File name too long"
    assert _refused(OSError(errno.ENOSPC, "No space left on device")).endswith("nothing that was there before is lost")


PIPED = ("build NOTES -o new.clew --openie PIPE", "eval PIPE q.jsonl", "run FILE QUESTIONS -o out.jsonl --plans PIPE",
         "run FILE PIPE -o out.jsonl", "train FILE PIPE", "chat FILE --questions PIPE",
         "damage FILE -o new.clew --rho 0.5 --scope question --questions PIPE")  # fmt: skip


@pytest.mark.parametrize("line", PIPED)
def test_a_pipe_to_which_nobody_writes_is_refused(
    small_file: Path, tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.jsonl")
    write(tmp_path / "q.txt", QUESTION)
    names = {"FILE": str(small_file), "PIPE": "pipe.jsonl", "NOTES": "q.txt", "QUESTIONS": "q.txt"}
    result = clew(*(names.get(word, word) for word in line.split()))
    assert (result.exit_code, result.stderr) == (
        2, "clew: 'pipe.jsonl' is a named pipe; give a file, or <(…) of a shell\n")  # fmt: skip


def test_a_pipe_of_a_shell_is_read() -> None:
    from kb.named_files import named_text

    read, write = os.pipe()
    os.write(write, QUESTION.encode())
    os.close(write)
    assert named_text(Path(f"/dev/fd/{read}")) == QUESTION
    os.close(read)


def test_a_question_without_a_model_loads_nothing_that_asks_one(small_file: Path) -> None:
    code = (
        "import atexit, sys; from assistant.commands.cli import main; "
        "slow = ('openai', 'aiohttp', 'torch', 'sentence_transformers'); "
        "atexit.register(lambda: print([name for name in slow if name in sys.modules])); "
        f"main(['ask', {str(small_file)!r}, {QUESTION!r}])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("source", "output", "reason"),
    [
        ("notes.md", "", "'.' is a folder: name the file to write"),
        ("notes.md", ".", "'.' is a folder: name the file to write"),
        ("", "out.clew", "a source is empty, which is no path"),
    ],
)
def test_a_build_of_or_to_no_path_is_refused(
    source: str, output: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text("Ana leads the warehouse.", encoding="utf-8")
    result = clew("build", source, "-o", output)
    assert result.exit_code == 2
    assert reason in " ".join(result.output.split())
    assert [one.name for one in tmp_path.iterdir()] == ["notes.md"]
