from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from test_thread_lines import REPLY

from assistant.agent.replying.reply import Chain, Citation, Link, RankedPassage, Reply, ToolUse
from assistant.agent.replying.trace import Fact, Trace
from assistant.conversations.threads.svg import svg_of
from assistant.conversations.threads.thread_export import thread_markdown, thread_svg, write_thread
from assistant.shared.rendering import Line
from kb.errors import UsageError, WriteError

HOSTILE = [
    "[click](http://evil.example) ![p](http://evil.example/p.png)",
    "<script>alert(1)</script><svg onload=alert(1)>",
    "one\n\n# heading\n\n```\ncode\n```\n- item",
    "www.evil.example me@evil.example http://evil.example",
    "]]> & &lt; \" ' \x00 \x0b \ufffe \ud83d",
    "\x1b[31mred\x1b]0;t\x07",
    "} text{fill:url(http://evil.example)}",
]


def hostile_reply(text: str) -> Reply:
    return Reply(
        question=text,
        answer=text,
        explanation=text,
        citations=(Citation(1, 7, text, text, text, 1, text),),
        passages=(RankedPassage(7, text, text, text, text, 1, 0.5, (text,), (1,)),),
        chains=(Chain((Link(text, text, "B", 7, text, "recovered", 1.0, (text, text, "?x"), "?x", "B", (text,)),)),),
        tools=(ToolUse(text, 0.1, text, failed=True),),
        model=text,
        notes=(text,),
        struck=(text,),
        trace=Trace((Fact(text, text, "C", 1),), (text,), (text,), (text,), (text,), 1, 1),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_an_svg_is_valid_and_holds_nothing_but_shapes_and_text(text: str) -> None:
    root = ET.fromstring(thread_svg(hostile_reply(text)).encode("utf-8", "replace"))
    names = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()}
    assert names == {"svg", "title", "style", "rect", "text", "path"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert attributes <= {"viewBox", "width", "height", "role", "class", "x", "y", "textLength", "d", "rx"}
    style = next(element.text or "" for element in root.iter() if element.tag.endswith("style"))
    assert "url" not in style
    assert "prefers-color-scheme:dark" in style


def test_an_svg_shows_question_answer_graph_and_sources() -> None:
    root = ET.fromstring(thread_svg(REPLY))
    shown = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
    for wanted in (REPLY.question, "Not found in this knowledge base.", "Uranus", "Bath", "?novel", "[2]"):
        assert wanted in shown


def test_lines_of_a_drawing_are_strokes_and_its_text_is_fitted_to_its_cells() -> None:
    svg = svg_of([Line((("├─╌ 日本 x", "good"),))], "t")
    assert '<path class="g" d="' in svg
    assert '<path class="g k" d="' in svg
    assert 'textLength="50.4">日本 x</text>' in svg
    assert "├" not in svg


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_holds_no_link_image_html_or_heading_of_others(text: str) -> None:
    tokens = MarkdownIt("gfm-like").parse(thread_markdown(hostile_reply(text)))
    every = [*tokens, *(child for token in tokens for child in token.children or ())]
    kinds = {token.type for token in every}
    assert kinds & {"link_open", "image", "html_block", "html_inline", "fence", "code_inline", "table_open"} == set()
    headings = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings[1:] == ["Thread", "Graph", "Passages", "Tools"]


def test_markdown_reads_hop_by_hop_with_quotes_in_bold() -> None:
    text = thread_markdown(REPLY)
    assert "# Question: Which novel was written where Uranus was discovered?" in text
    assert "**Not found in this knowledge base.**" in text
    assert "- 1 ◐ recovered · about 1.5 candidates · \\[2\\]\n  - **Uranus** — discovered in → **Bath**\n" in text
    assert "    │ Uranus ├── ◐ discovered in [2] ──▶│ Bath ├─◀ ○ written in ───┤ ?novel │\n" in text
    assert "- [2] William Herschel · h.pdf · p. 3" in text
    assert "  > “An organist. **He found it at Bath in 1781.**”" in text
    assert "- ✓ walk" in text


def test_a_thread_is_written_by_the_ending_of_its_file(tmp_path: Path) -> None:
    assert Reply.from_json(json.loads(write_thread(REPLY, tmp_path / "a.json").read_bytes())) == REPLY
    assert write_thread(REPLY, tmp_path / "a.MD").read_text("utf-8") == thread_markdown(REPLY)
    assert write_thread(REPLY, tmp_path / "a.svg").read_text("utf-8") == thread_svg(REPLY)


def test_no_file_is_overwritten_and_a_bad_place_is_one_line(tmp_path: Path) -> None:
    path = write_thread(REPLY, tmp_path / "a.md")
    with pytest.raises(UsageError, match="is there already"):
        write_thread(replace(REPLY, question="other"), path)
    assert "other" not in path.read_text("utf-8")
    with pytest.raises(UsageError, match=r"\.md, \.json or \.svg"):
        write_thread(REPLY, tmp_path / "a.exe")
    with pytest.raises(WriteError, match="cannot write"):
        write_thread(REPLY, tmp_path / "none" / "a.md")
    with pytest.raises(WriteError, match="cannot write"):
        write_thread(REPLY, tmp_path / f"{'x' * 300}.md")
