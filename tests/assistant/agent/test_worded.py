"""The offline answer in words: quotes stay text whatever they begin with."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from assistant.agent.final_answer import Found
from assistant.agent.offline.extracted_answer import Extracted, worded
from assistant.agent.workspace import Workspace
from kb.records import Passage
from tools.planning.plan import Constraint
from tools.reading.answering import FoundAnswer, Hop
from tools.types import Hit


@pytest.mark.parametrize("opening", ["- ", "+ ", "1. ", "12) ", "# ", "> ", "=== ", "| "])
def test_a_quote_never_begins_a_list_or_a_heading(opening: str) -> None:
    sentence = f"{opening}His first wife was Harriet Marian."
    workspace = Workspace("Who was his first wife?")
    passage = Passage(7, "stephen", "Leslie Stephen", sentence, "s.html", 0, len(sentence), None, 0)
    workspace.add_hits("evidence_walk", [Hit(passage, 1.0)])
    hop = Hop(Constraint("Leslie Stephen", "first wife", "?wife"), "Harriet Marian", 7, sentence, 1.0)
    output = worded(workspace, Extracted(FoundAnswer("Harriet Marian", (hop,), (7,), 1.0, "", "")))
    assert isinstance(output, Found)
    kinds = {token.type for token in MarkdownIt().parse(output.explanation)}
    assert kinds == {"paragraph_open", "inline", "paragraph_close"}
    (shown,) = [token for token in MarkdownIt().parse(output.explanation) if token.type == "inline"]
    assert "".join(child.content for child in shown.children or ()) == f"{sentence} [1]"
