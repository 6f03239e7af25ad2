"""Links of marked-up documents: where their words stand, and which document they mean."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from scripted_extractor import ScriptedExtractor

from kb.build import build, remove
from kb.check import check
from kb.enriching import enrich
from kb.fingerprint import fingerprint
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


def links(path: Path) -> set[str]:
    with KnowledgeBase.open(path) as kb:
        passages = [one.id for one in kb.document_passages("a.md")]
        return {one.text() for one in kb.passage_triples(passages) if "links to" in one.relation}


def test_links_lead_where_the_documents_are_in_whatever_order_they_come(tmp_path: Path) -> None:
    notes, path = tmp_path / "notes", tmp_path / "kb.clew"
    notes.mkdir()

    def built() -> set[str]:
        build([str(notes)], path)
        (tmp_path / "fresh.clew").unlink(missing_ok=True)
        build([str(notes)], tmp_path / "fresh.clew")
        assert fingerprint(path) == fingerprint(tmp_path / "fresh.clew")
        return links(path)

    (notes / "a.md").write_text("# Alpha\n\nIt is told in [the other one](b.md), in Beta Hall.\n")
    assert built() == {"Alpha links to the other one"}
    (notes / "b.md").write_text("# Beta Hall\n\nNothing.\n")
    assert built() == {"Alpha links to the other one Beta Hall"}
    (notes / "b.md").write_text("# Gamma\n\nNothing.\n")
    assert built() == {"Alpha links to the other one Gamma"}
    (notes / "b.md").unlink()
    assert built() == {"Alpha links to the other one"}
    (notes / "b.md").write_text("# Beta Hall\n\nNothing.\n")
    built()
    remove(path, ["b.md"])
    assert links(path) == {"Alpha links to the other one"}
    assert check(path) == []


def test_a_title_is_mentioned_as_long_as_a_document_has_it(tmp_path: Path) -> None:
    notes, path, fresh = tmp_path / "notes", tmp_path / "kb.clew", tmp_path / "fresh.clew"
    notes.mkdir()
    (notes / "a.md").write_text("# Alpha\n\nPeople sang a Song of the old Oven there, with Beta.\n")

    def built(title: str) -> int:
        (notes / "b.md").write_text(f"# {title}\n\nNothing.\n")
        build([str(notes)], path)
        fresh.unlink(missing_ok=True)
        build([str(notes)], fresh)
        assert fingerprint(path) == fingerprint(fresh)
        with KnowledgeBase.open(path) as kb:
            return len(kb.named(["song of the old oven"]))

    assert built("Song of the Old Oven") == 1
    assert built("Gamma") == 0
    assert built("Song of the Old Oven") == 1
    remove(path, ["b.md"])
    with KnowledgeBase.open(path) as kb:
        assert kb.named(["song of the old oven"]) == {}


def test_a_removal_that_was_stopped_is_finished_by_the_next_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, path = tmp_path / "notes", tmp_path / "kb.clew"
    notes.mkdir()
    (notes / "a.md").write_text("# Alpha\n\nIt is told in [the other one](b.md).\n")
    (notes / "b.md").write_text("# Beta Hall\n\nNothing.\n")
    build([str(notes)], path)

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kb.build.follow_changes", stop)
        with pytest.raises(KeyboardInterrupt):
            remove(path, ["b.md"])
    (notes / "b.md").unlink()
    build([str(notes)], path)
    assert links(path) == {"Alpha links to the other one"}


def test_a_file_of_before_links_were_kept_gets_them(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Alpha\n\nIt is told in [the other one](b.md).\n")
    path = tmp_path / "kb.clew"
    build([str(tmp_path)], path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE links")
        database.execute("DELETE FROM _sqlite_migrations WHERE name = 'm005_links'")
        database.execute("UPDATE documents SET digest = 'of before'")
        database.execute("DELETE FROM file_stamps")
    assert links(path) == {"Alpha links to the other one"}
    (tmp_path / "b.md").write_text("# Beta\n\nNothing.\n")
    build([str(tmp_path)], path)
    assert links(path) == {"Alpha links to the other one Beta"}


def test_facts_of_a_model_take_the_place_of_links(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Alpha\n\nIt is told in [the other one](b.md), by Ada Wren.\n")
    path = tmp_path / "kb.clew"
    build([str(tmp_path)], path)
    (tmp_path / "b.md").write_text("# Beta\n\nNothing.\n")
    with KnowledgeBase.open(path) as kb:
        passages = [one.id for one in kb.document_passages("a.md")]
    said = {"triples": [["Ada Wren", "told of", "Alpha"]]}
    enrich(path, passages, ScriptedExtractor({"told in": said}))
    build([str(tmp_path)], path)
    with KnowledgeBase.open(path) as kb:
        assert [one.text() for one in kb.passage_triples(passages)] == ["Ada Wren told of Alpha"]
