"""Links of marked-up documents: where their words stand, and which document they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.build import build
from kb.links import Targets, marked, taken_out
from kb.markup import read_html, read_markdown
from kb.store import KnowledgeBase


@pytest.mark.parametrize(
    "text",
    [
        "See [the **oven** notes](../how/ovens.md#lamps) now.",
        "See [[../how/ovens.md#lamps|the oven notes]] now.",
        "<p>See <a href='../how/ovens.md#lamps'>the oven notes</a> now.",
    ],
)
def test_the_words_of_a_link_stay_and_its_target_is_known(text: str) -> None:
    content = read_html(text.encode()) if text.startswith("<") else read_markdown(text.encode())
    assert content.text == "See the oven notes now."
    (link,) = content.links
    assert content.text[link.start : link.end] == "the oven notes"
    assert link.target.startswith("../how/ovens.md")


def test_a_link_of_a_page_is_one_whatever_tags_it_holds() -> None:
    content = read_html(
        b"<p>See <a href='a.md'>the <b>oven</b> <i><u>no</u>tes</i></a><a href='b.md'><span><b>B</b></span></a>"
    )
    assert content.text == "See the oven notesB"
    assert [(content.text[one.start : one.end], one.target) for one in content.links] == [
        ("the oven notes", "a.md"),
        ("B", "b.md"),
    ]


def test_links_out_of_the_documents_are_none() -> None:
    text = "[a](https://example.org) [b](mailto:a@example.org) [c](#part) [d](<>) ![e](pic.png)"
    assert read_markdown(text.encode()).links == ()


def test_marks_in_a_document_are_no_links() -> None:
    hostile = "a \ue0f0secret.md\ue0f1words\ue0f2 b \ue0f1\ue0f2"
    content = read_markdown(hostile.encode())
    assert (content.text, content.links) == ("a secret.mdwords b", ())
    assert taken_out(marked("a.md", "A") + "\ue0f0 left") == ("A left", taken_out(marked("a.md", "A"))[1])


def test_a_target_is_a_path_a_name_or_a_title() -> None:
    keys = ("teams/payments.md", "people/ana.md", "notes/ana.md", "runbook.html")
    targets = Targets({key: f"Title of {key}" for key in keys})
    assert targets.title("payments.md", "teams/rentals.md") == "Title of teams/payments.md"
    assert targets.title("../people/ana.md#x", "teams/rentals.md") == "Title of people/ana.md"
    assert targets.title("people/ana", "teams/rentals.md") == "Title of people/ana.md"
    assert targets.title("Payments", "people/ana.md") == "Title of teams/payments.md"
    assert targets.title("title of runbook.html", "people/ana.md") == "Title of runbook.html"
    assert targets.title("ana", "teams/rentals.md") == "", "there are two"
    assert targets.title("../../../etc/passwd", "teams/rentals.md") == ""


def test_a_link_is_a_fact_and_a_mention(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Alpha\n\nIt is told in [the other one](b.md), and in [[Gamma]].\n")
    (tmp_path / "b.md").write_text("# Beta\n\nNothing.\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        (passage,) = kb.document_passages("a.md")
        facts = {triple.text() for triple in kb.passage_triples([passage.id])}
        assert {"Alpha links to the other one Beta", "Alpha links to Gamma"} <= facts
        (beta,) = kb.named(["beta"])["beta"]
        assert (beta, passage.id) in kb.mentioning([beta])
