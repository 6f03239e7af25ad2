"""Every surface says in the same words how sure an answer is, and quotes what is closest where there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_documents import QUESTION
from test_reply import FULL, REFUSED

from assistant.agent.replying.reply import Closest, Reply
from assistant.commands.cli import main
from assistant.commands.options import styled
from assistant.conversations.session_export import to_json, to_markdown
from assistant.conversations.session_files import SessionFolder, Turn
from assistant.conversations.session_listing import Listed, listed_lines
from assistant.conversations.threads.lines import closest_lines, passage_lines, shown_passages, thread_lines
from assistant.conversations.threads.thread_export import thread_json, thread_markdown, thread_svg
from assistant.conversations.transcripts.transcript_folder import Store
from assistant.conversations.transcripts.transcript_text import markdown
from assistant.shared.rendering import CERTAINTY_MARKS, as_text, certainty_mark, escape_markdown, marked
from tools.reading.certainty import Certainty, certainty_of

LIKELY = replace(FULL, certainty="likely")
ESCAPED = replace(FULL, explanation="In 1945\\-46 Lothair \\<II\\> died \\[sic\\] [1].")
READ = "In 1945-46 Lothair <II> died [sic] [1]."


def printed(reply: Reply) -> str:
    """As `clew ask` prints it."""
    import click

    from assistant.commands.ask import print_reply

    @click.command()
    def show() -> None:
        print_reply(reply)

    return CliRunner().invoke(show).stdout


def to_another_assistant(reply: Reply) -> str:
    from assistant.serving.results import of_reply

    return of_reply(reply).text


def svg_text(reply: Reply) -> str:
    import xml.etree.ElementTree as ET

    return "\n".join("".join(element.itertext()) for element in ET.fromstring(thread_svg(reply)).iter())


SURFACES: list[Callable[[Reply], str]] = [
    printed,
    to_another_assistant,
    svg_text,
    thread_markdown,
    Reply.markdown,
    lambda reply: "\n".join(line.text for line in thread_lines(reply)),
]


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(("reply", "mark"), [(FULL, "● sure"), (LIKELY, "◐ likely"), (REFUSED, "○ none")])
def test_each_surface_has_the_mark_once_beside_the_answer(
    surface: Callable[[Reply], str], reply: Reply, mark: str
) -> None:
    text = surface(reply)
    assert mark in text
    assert not any(other in text for other, _ in CERTAINTY_MARKS.values() if other != mark)


@pytest.mark.parametrize("surface", SURFACES)
def test_each_surface_quotes_and_cites_what_is_closest(surface: Callable[[Reply], str]) -> None:
    text = surface(REFUSED)
    assert "Closest to the question:" in text
    for near in REFUSED.closest:
        assert as_text(near.sentence) in as_text(text)
    assert "Closest to the question:" not in surface(FULL)


@pytest.mark.parametrize("surface", [printed, to_another_assistant, svg_text, thread_markdown])
def test_no_surface_shows_escapes_as_text(surface: Callable[[Reply], str]) -> None:
    text = surface(ESCAPED)
    assert "1945\\-46" not in text
    assert "\\\\" not in text  # escaped twice


def test_as_text_undoes_what_escaping_did() -> None:
    for text in ("a*b_c [1] <x> &amp; `y` ~z~ http://a www.b c@d", "back\\slash"):
        assert as_text(escape_markdown(text)) == text
    assert as_text("") == ""


@pytest.mark.parametrize(
    "link", ["[a](http://e)", "[![a](b)](http://e)", "[a](http://e(b(c)))", "![a](<http://e>)", "[![a](b) c](http://e)"]
)
def test_of_a_link_only_its_words_are_left(link: str) -> None:
    assert as_text(f"See {link}.") in ("See a.", "See a c.")
    assert as_text("[a [1] b](http://e)") == "a [1] b"


@pytest.mark.parametrize("certainty", ["sure", "likely", "none"])
def test_the_mark_is_a_word_also_without_colour(certainty: Certainty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    line = marked("Bath", certainty)
    assert "\x1b[" in styled(line)
    monkeypatch.setenv("NO_COLOR", "1")
    assert styled(line) == f"Bath   {certainty_mark(certainty)[0]}"
    assert certainty in styled(line)


def test_closest_sentences_are_lines_and_are_marked_in_their_passages() -> None:
    assert [line.text for line in closest_lines(REFUSED)][1] == "“Ermengarde was crowned at *Reims*.” [2]"
    assert closest_lines(FULL) == []
    quoted = replace(
        FULL, found=False, certainty="none", citations=(), closest=(Closest(2, 9, "d9", "E", sentence="(d. 851)"),)
    )
    shown = {number: passage_lines(passage, number, marker) for number, passage, marker in shown_passages(quoted)}
    assert ("(d. 851)", "mark") in shown[2][2].parts


def test_a_session_is_exported_with_marks_and_without_escapes(tmp_path: Path) -> None:
    log = SessionFolder(tmp_path).create(tmp_path / "a.clew")
    for reply in (ESCAPED, REFUSED):
        log.append(reply)
    turns = list(log.turns.values())
    text = to_markdown(log, turns)
    assert "**20 March 851**   ● sure" in text
    assert "**Not found in this knowledge base.**   ○ none" in text
    told = json.loads(to_json(log, turns))["turns"]
    assert [(turn["certainty"], turn["confidence"]) for turn in told] == [("sure", 0.97), ("none", 0.0)]
    assert told[0]["explanation"] == READ
    assert [one["number"] for one in told[1]["closest"]] == [2, 1, 2]
    (again,) = SessionFolder(tmp_path).all()
    assert [turn.reply for turn in again.turns.values()] == [ESCAPED, REFUSED]


def test_a_list_of_sessions_shows_no_escapes(tmp_path: Path) -> None:
    log = SessionFolder(tmp_path).create(tmp_path / "a.clew")
    turn = Turn.of("", replace(ESCAPED, answer=""))
    assert READ in listed_lines(Listed(log, (turn,)), with_file=False)[1].text


def test_a_thread_as_json_keeps_every_field() -> None:
    assert Reply.from_json(json.loads(thread_json(REFUSED))) == REFUSED


def clew(*arguments: str | Path) -> str:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.stdout + result.stderr


def test_transcripts_carry_the_certainty_and_the_risk(small_file: Path) -> None:
    clew("ask", small_file, QUESTION, "-q", "--risk", "0.1")
    clew("ask", small_file, "Where in Ruritania was clockmaking taught?", "-q")
    refused, asked = (Store().find(one.id) for one in Store().summaries())
    shown = json.loads(clew("transcripts", "show", asked, "--json"))
    certainty = certainty_of(shown["reply"]["confidence"], risk=0.1)
    assert certainty != "none"
    assert (shown["risk"], shown["reply"]["certainty"]) == (0.1, certainty)
    mark, _ = certainty_mark(certainty)
    assert mark in clew("transcripts").splitlines()[1]
    assert f"Tarnow Bay   {mark}" in clew("transcripts", "show", asked)
    assert "Closest to the question:" in clew("transcripts", "show", refused)
    assert f"**Answer:** Tarnow Bay   {mark}" in clew("transcripts", "export", asked, "-o", "-", "--format", "md")
    text = clew("transcripts", "export", refused, "-o", "-", "--format", "md")
    assert "Closest to the question:\n\n- “Clockmaking was taught" in text
    assert "Replayed: the same answer" in clew("replay", asked)
    assert "Replayed: the same answer" in clew("replay", refused)
    assert f"⇒ Tarnow Bay   {mark}" in clew("thread", asked)
    assert "Closest to the question:" in clew("thread", refused)


def test_a_transcript_shows_its_explanation_without_escapes(small_file: Path) -> None:
    from assistant.conversations.transcripts.transcript_folder import read

    clew("ask", small_file, QUESTION, "-q")
    kept = read(Store().find("last"))
    assert f"Why: {escape_markdown(READ)}" in markdown(replace(kept, reply=ESCAPED))


@pytest.mark.parametrize("risk", ["1.5", "-0.1", "nan"])
@pytest.mark.parametrize("command", ["ask", "run", "chat", "mcp"])
def test_a_risk_that_is_none_is_one_line_of_error(small_file: Path, tmp_path: Path, command: str, risk: str) -> None:
    questions = tmp_path / "q.txt"
    questions.write_text("Who?\n")
    more = {"ask": ["Who?"], "run": [questions, "-o", tmp_path / "out"], "chat": ["--questions", questions], "mcp": []}
    result = CliRunner().invoke(main, [command, str(small_file), *map(str, more[command]), "--risk", risk])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert f"risk is {float(risk)!r}, but must be a number from 0 to 1" in result.stderr


def test_the_risk_comes_from_the_environment_where_no_option_gives_it(
    small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_RISK", "0")
    assert clew("ask", small_file, QUESTION, "-q").startswith("Not found in this knowledge base.   ○ none\n")
    assert clew("ask", small_file, QUESTION, "-q", "--risk", "1").startswith("Tarnow Bay   ● sure\n")


def test_a_run_writes_certainty_and_confidence_into_each_line(small_file: Path, tmp_path: Path) -> None:
    questions, out = tmp_path / "q.txt", tmp_path / "out.jsonl"
    questions.write_text(f"{QUESTION}\nWhere in Ruritania was clockmaking taught?\n")
    clew("run", small_file, questions, "-o", out, "-q")
    first, second = map(json.loads, out.read_text().splitlines())
    assert first["certainty"] == certainty_of(first["confidence"]) != "none"
    assert first["closest"] == []
    assert (second["found"], second["certainty"], second["closest"][0]["document"]) == (False, "none", "clock")
