"""Halves of characters, which JSON and command lines may carry and no file or terminal can be given."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.commands.cli import main
from kb.wellformed import well_formed, well_formed_json

HALF = "\ud83d"
QUESTION = f"Where was the director {HALF} of The Glass Harbour born?"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", ""),
        ("Zoë 🎈", "Zoë 🎈"),
        ("\ud83c\udf88", "🎈"),
        ("a\ud83db\udf88", "a\ufffdb\ufffd"),
        ("\udcff", "\ufffd"),
    ],
)
def test_halves_are_joined_or_replaced(text: str, whole: str) -> None:
    assert well_formed(text) == whole
    assert well_formed_json({text: [text, 1, None]}) == {whole: [whole, 1, None]}


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "FILE", QUESTION),
        ("ask", "FILE", QUESTION, "--json"),
        ("race", "FILE", QUESTION, "-q"),
        ("browse", "FILE", f"Irena {HALF}"),
        ("tool", "passage_search", "FILE", "--args", json.dumps({"query": QUESTION})),
        ("tool", "entity_lookup", "FILE", "--args", json.dumps({"mention": HALF})),
        ("tool", HALF, "FILE"),
        ("remove", "FILE", HALF),
        ("sessions", "search", HALF),
        ("thread", HALF),
        ("config", "model", HALF),
    ],
)
def test_an_argument_with_half_a_character_ends_in_an_answer_or_a_line(
    arguments: tuple[str, ...], small_file: Path
) -> None:
    result = CliRunner().invoke(main, [str(small_file) if one == "FILE" else one for one in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.stderr


def test_a_run_over_a_question_with_half_a_character_ends_and_carries_on(small_file: Path, tmp_path: Path) -> None:
    questions, out = tmp_path / "q.jsonl", tmp_path / "out.jsonl"
    questions.write_text(json.dumps({"id": HALF, "question": QUESTION, "answers": [HALF]}) + "\n", "utf-8")
    for _ in range(2):
        result = CliRunner().invoke(main, ["run", str(small_file), str(questions), "-o", str(out), "-q"])
        assert result.exit_code == 0, result.exception
    line = json.loads(out.read_text("utf-8"))
    assert (line["id"], line["error"]) == ("\ufffd", None)


def test_a_client_over_stdio_is_answered(small_file: Path) -> None:
    """The escape stands in the request as a client's own library writes it."""
    call = {"name": "entity_lookup", "arguments": {"mention": f"Irena Valdis {HALF} \\ud83d 🎈"}}
    began = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": began},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "assistant", "mcp", str(small_file), "--all-tools"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    answers = []
    try:
        for request in requests:
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            if "id" in request:
                answers.append(json.loads(server.stdout.readline()))
    finally:
        server.stdin.close()
        server.wait(30)
        server.stdout.close()
    assert [answer["id"] for answer in answers] == [1, 2]
    assert "Irena Valdis" in answers[1]["result"]["content"][0]["text"]
