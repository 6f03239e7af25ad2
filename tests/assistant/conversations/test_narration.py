from __future__ import annotations

import sys

import pytest

from assistant.conversations.events import ModelAsked, Spent, TextDelta, ToolFinished, ToolStarted
from assistant.conversations.narration import Narrator, narration_on_stderr, silent
from assistant.models.budget import Left, Spending


def test_the_line_says_what_is_done_and_what_it_has_cost() -> None:
    narrator = Narrator()
    assert narrator.told(ToolStarted("1", "passage_search", {"query": "a mill"})) == "passage_search  “a mill”"
    assert narrator.told(ToolFinished("1", "passage_search", 0.1, "10 passages")) == ""
    told = narrator.told(Spent(Spending(2, 1_500, 40, 0.0021), Left(tokens=3_000)))
    assert told == "passage_search  “a mill” · 2 requests, 1,540 tokens, $0.0021, 3,000 tokens left"
    assert narrator.told(TextDelta("**Karsk")).startswith("answering · 2 requests")
    assert narrator.told(TextDelta("**")) == ""


def test_the_line_says_that_a_model_is_being_asked() -> None:
    narrator = Narrator()
    narrator.told(ToolStarted("1", "evidence_walk", {}))
    assert narrator.told(ModelAsked("qwen\x1b[31m 1.5b.gguf")) == "asking qwen 1.5b.gguf"
    assert narrator.told(TextDelta("**Karsk")) == "answering"


def test_the_offline_model_costs_nothing_to_tell() -> None:
    assert Narrator().told(Spent(Spending(), Left())) == ""


def test_hostile_arguments_are_one_plain_line() -> None:
    told = Narrator().told(ToolStarted("1", "x\x1b[31m", {"query": "a\nb\x1b]0;t\x07 [red]c"}))
    assert told == "x  “a b [red]c”"


def test_nothing_is_told_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    assert not sys.stderr.isatty()
    with narration_on_stderr(quiet=False) as tell:
        assert tell is silent
        tell(TextDelta("x"))
    assert capsys.readouterr() == ("", "")
