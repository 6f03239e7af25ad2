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


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("William Herschel", [1, 2]),
        ("William", [1]),
        ("Caroline Herschel", [1]),
        ("Karl Herschel", [1]),
        ("Ann Lee", [1]),
    ],
)
def test_a_full_name_is_cited_where_it_stands(text: str, cited: list[int]) -> None:
    """ "Her brother William" is William Herschel by his own passage; no name is cited of which nothing is said."""
    told = {"Caroline Herschel": "She followed her brother William to England.", "William Herschel": "He came in 1757."}
    told["Ann Lee"] = "She came in 1774."
    workspace = Workspace("Who was the brother of Caroline Herschel?")
    passages = [
        Passage(at, title, title, said, f"{title}.md", 0, len(said), None, 0)
        for at, (title, said) in enumerate(told.items(), start=1)
    ]
    workspace.add_hits("evidence_walk", [Hit(passage, 1.0) for passage in passages])
    hop = Hop(Constraint("Caroline Herschel", "brother", "?brother"), text, 1, passages[0].text, 1.0)
    output = worded(workspace, Extracted(FoundAnswer(text, (hop,), (1,), 0.9, "", "")))
    assert isinstance(output, Found)
    assert output.cited == cited
