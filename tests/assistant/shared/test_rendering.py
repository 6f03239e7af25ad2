from __future__ import annotations

import pytest

from assistant.agent.replying.reply import Reply, ToolUse
from assistant.conversations.events import ToolFinished, ToolStarted
from assistant.conversations.reply_lines import reply_line, tool_line
from assistant.shared.rendering import arguments_line, citation_parser, duration, plain, plain_block, words_said


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("two\n\twords", "two words"),
        ("\x1b[31mred\x1b[0m \x9b31mtoo", "red too"),
        ("\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link", "textlink"),
        ("bell\x07 null\x00 del\x7f", "bell null del"),
        ("right\u202eto left\u2066", "rightto left"),
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ("line\u2028break", "line break"),
    ],
)
def test_plain_is_one_line_without_controls(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_plain_cuts_to_its_limit() -> None:
    assert plain("abcdef", 6) == "abcdef"
    assert plain("abcdefg", 6) == "abcde…"
    assert len(plain("x" * 10_000, 160)) == 160


def test_plain_block_keeps_lines_and_tabs() -> None:
    assert plain_block("a\r\n\tb\x1b[2J\x08") == "a\n\tb"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0 ms"), (0.0084, "8 ms"), (0.9996, "1.0 s"), (1.44, "1.4 s"), (59.96, "1 min 00 s"), (125.2, "2 min 05 s")],
)
def test_duration(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_arguments_put_texts_first_and_leave_out_empty_ones() -> None:
    arguments = {"k": 10, "near": None, "names": ["a", "b"], "query": "who\x1b[1m?", "kind": ""}
    assert arguments_line(arguments) == "“who?” · “a”, “b” · k 10"
    assert arguments_line({"constraints": [{"head": "A", "relation": "born", "type": ""}]}) == "“A born”"
    assert arguments_line({}) == ""


def test_tool_line_before_and_after() -> None:
    started = ToolStarted("1", "passage_search", {"query": "who"})
    assert tool_line(started, None).text == "… passage_search  “who”"
    done = ToolFinished("1", "passage_search", 0.012, "3 passages")
    assert tool_line(started, done).text == "✓ passage_search  “who”  12 ms  3 passages"
    failed = ToolFinished("1", "passage_search", 0.012, "no such entity", failed=True)
    assert tool_line(started, failed).text == "✗ passage_search  “who”  12 ms  failed: no such entity"


def test_reply_line() -> None:
    tools = (ToolUse("a", 0.1),)
    assert reply_line(Reply("q", "x", tools=tools, model="offline", seconds=1.3)) == "1.3 s · 1 tool call · offline"
    assert reply_line(Reply("q", "", found=False), failed=2) == "∅ not found · 0 ms · 0 tool calls · 2 failed"
    assert reply_line(Reply("q", "", found=False, partial=True)) == "■ stopped · 0 ms · 0 tool calls"


@pytest.mark.parametrize(
    ("markdown", "hrefs"),
    [
        ("as [1] and [23] say", ["clew-citation:1", "clew-citation:23"]),
        ("`[1]` and [x] and [1234]", []),
        ("[see [1]](http://a.example)", ["http://a.example"]),
        ("[1]: http://evil.example\n\nas [1] says", ["clew-citation:1", "clew-citation:1"]),
        ("http://a.example www.a.example <b>[2]</b>", ["clew-citation:2"]),
    ],
)
def test_citations_become_links_and_nothing_else_does(markdown: str, hrefs: list[str]) -> None:
    children = [child for block in citation_parser().parse(markdown) for child in block.children or ()]
    assert [child.attrs["href"] for child in children if child.type == "link_open"] == hrefs


def test_html_in_markdown_stays_visible_as_text() -> None:
    blocks = citation_parser().parse("<div>shown</div>\n\n<!-- shown too -->")
    assert [block.content for block in blocks if block.type == "inline"] == ["<div>shown</div>", "<!-- shown too -->"]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("See [Bergen](http://evil.example/x).", "See Bergen."),
        ('In <a href="http://evil.example">Bergen</a>, <b>yes</b>', "In Bergen, yes"),
        ("![Bergen](http://evil.example/x.png)", "Bergen"),
        ("3 < 4 > 2 and \x1b[31mred", "3 < 4 > 2 and red"),
        ("A list<String>, Map<K, List<T>>, a<b and c>=d", "A list<String>, Map<K, List<T>>, a<b and c>=d"),
        ("git checkout <branch>, H<sub>2</sub>O<br/>, <svg/onload=x>no</svg>", "git checkout <branch>, H2O, no"),
    ],
)
def test_of_what_a_model_said_links_lead_nowhere(said: str, shown: str) -> None:
    assert words_said(said) == shown


def test_what_a_model_said_is_cut_behind_its_links() -> None:
    assert words_said("[Bergen](http://evil.example/" + "x" * 300 + ") is a town", 10) == "Bergen is…"
