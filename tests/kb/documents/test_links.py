"""Links of marked-up documents: where their words stand, and which document they mean."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from scripted_extractor import ScriptedExtractor

from kb.build import build, remove
from kb.documents.formats import READERS
from kb.documents.links import Targets, marked, taken_out
from kb.documents.markdown import read_markdown
from kb.documents.web_pages import read_html
from kb.enriching import enrich
from kb.name_keys import name_key
from kb.store.check import check
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase
from kb.store.listing import documents_linking
from kb.store.text_traces import traces_of


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


@pytest.mark.parametrize("order", [("notes", "wiki"), ("wiki", "notes")])
def test_a_link_from_one_folder_into_another_leads_there(tmp_path: Path, order: tuple[str, str]) -> None:
    for name in order:
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text(f"# Home of {name}\n\nWords.\n")
        (tmp_path / name / "P.csv").write_text(f"Name,Town\nAnn of {name},Oslo\nBo of {name},Rome\n")
    (tmp_path / "notes" / "log.md").write_text("# Log\n\nSee [this](../wiki/readme.md) and [that](README.md).\n")

    def linked() -> set[str]:
        with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
            titles = [row[0] for row in kb._rows("SELECT l.title FROM links l ORDER BY l.title")]
            passages = [row[0] for row in kb._rows("SELECT passage FROM links")]
            facts = {one.text() for one in kb.passage_triples(passages) if "links to" in one.relation}
            assert len(facts) == len(titles)
            return set(titles)

    build([str(tmp_path / one) for one in order], tmp_path / "kb.clew")
    assert linked() == {"Home of wiki", "Home of notes"}
    (tmp_path / "wiki" / "README.md").write_text("# New home\n\nWords.\n")
    build([str(tmp_path / "wiki")], tmp_path / "kb.clew")
    assert linked() == {"New home", "Home of notes"}


def test_a_target_in_another_folder_is_found_by_where_it_lies() -> None:
    targets = Targets({})
    targets.add("a.md", "Of notes", ("/Home/notes", "a.md"))
    targets.add("wiki/a.md", "Of wiki", ("/Home/wiki", "a.md"))
    targets.add("rows.csv#1", "Row", ("/Home/more", "rows.csv"))
    file = ("/Home/notes", "sub/b.md")
    assert targets.title("../../wiki/a.md#x", "sub/b.md", file) == "Of wiki"
    assert targets.title("/home/wiki/a", "sub/b.md", file) == "Of wiki"
    assert targets.title("../a.html", "sub/b.md", file) == "Of notes"
    assert targets.title("../../more/rows.csv", "sub/b.md", file) == "Rows"
    assert targets.title("../../other/a.md", "sub/b.md", file) == "", "there are two of this name, and neither is there"


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


@pytest.mark.parametrize(
    "said", ["aliases: [Old Green, BR-1]", "alias:\n- Old Green\n- BR-1", "Aliases: ['Old Green', BR-1]"]
)
def test_a_note_is_found_by_what_else_it_says_it_is_called(tmp_path: Path, said: str) -> None:
    (tmp_path / "bike.md").write_text(f"---\n{said}\n---\n# Brompton of 2009\n\nIt stands in the cellar.\n")
    (tmp_path / "log.md").write_text("# Log\n\n[[BR-1]] was washed. See [[old green]].\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        (log,) = kb.document_passages("log.md")
        facts = {triple.text() for triple in kb.passage_triples([log.id])}
        assert {f"Log links to {words} Brompton of 2009" for words in ("BR-1", "old green")} <= facts
        (bike,) = kb.named(["brompton of 2009"])["brompton of 2009"]
        assert all(bike in ids for ids in kb.named(["br 1", "old green"]).values())


@pytest.mark.parametrize("link", ["[[Rota for May|the rota]]", "[the rota](Rota%20for%20May.csv)"])
@pytest.mark.parametrize("rows", ["Week,Engineer\n18,Karl Lindqvist\n", "Week,Engineer\n18,Karl Ek\n19,Mia Wong\n"])
def test_a_link_to_a_table_leads_to_the_table_and_to_no_row(tmp_path: Path, link: str, rows: str) -> None:
    (tmp_path / "Rota for May.csv").write_text(rows)
    (tmp_path / "log.md").write_text(f"# Log\n\nSee {link}.\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        (log,) = kb.document_passages("log.md")
        assert [one.text() for one in kb.passage_triples([log.id])] == ["Log links to the rota Rota for May"]


def test_a_name_of_its_own_comes_before_another_name() -> None:
    targets = Targets({"old-green.md": "Old Green", "bike.md": "Brompton", "boat.md": "Boat"})
    targets.add_names(["Old Green", "BR-1", "Thing"], "Brompton")
    targets.add_names(["Thing"], "Boat")
    assert [targets.title(one, "log.md") for one in ("Old Green", "br-1", "thing")] == ["Old Green", "Brompton", ""]


def linking_files() -> dict[str, bytes]:
    """A file of each format that says "See the oven notes now." with a link."""
    from io import BytesIO

    import docx
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from test_formats import odt

    document = docx.Document()
    paragraph = document.add_paragraph("See ")
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to("../how/ovens.md", kind, is_external=True))
    link.append(paragraph.add_run("the oven notes")._r)
    paragraph._p.append(link)
    paragraph.add_run(" now.")
    out = BytesIO()
    document.save(out)
    href = "xmlns:x='http://www.w3.org/1999/xlink' x:href='../how/ovens.md'"
    return {
        ".docx": out.getvalue(),
        ".odt": odt(f"<t:p>See <t:a {href}>the oven notes</t:a> now.</t:p>"),
        ".rst": b"See `the oven notes <../how/ovens.html>`_ now.",
        "role.rst": b"See :doc:`the oven notes <../how/ovens>` now.",
        ".org": b"See [[file:../how/ovens.md::*Lamps][the oven notes]] now.",
    }


@pytest.mark.parametrize("name", [".docx", ".odt", ".rst", "role.rst", ".org"])
def test_links_of_every_format_lead_to_the_document(name: str) -> None:
    content = READERS[f".{name.rpartition('.')[2]}"][1](linking_files()[name])
    assert content.text.endswith("See the oven notes now.")
    (link,) = content.links
    assert content.text[link.start : link.end] == "the oven notes"
    assert Targets({"how/ovens.md": "Ovens"}).title(link.target, "notes/a.x") == "Ovens"


def test_a_ticket_is_the_title_the_heading_or_the_row_that_begins_with_it(tmp_path: Path) -> None:
    (tmp_path / "pay-123.md").write_text("# PAY-123: Charged twice\n\nCards were charged twice.\n")
    (tmp_path / "list.md").write_text(
        "# Board\n\n## #7 Leaking roof\n\nWet.\n\n| Ticket | State |\n|---|---|\n| OPS-9 Lamps | new |\n"
    )
    (tmp_path / "log.md").write_text("# Log\n\nTom closed PAY-123 and #7. He left OPS-9 and NIX-4 to Mia.\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        pairs = {frozenset(pair) for pair in kb._rows("SELECT a, b FROM synonyms WHERE similarity = 1.0")}
        (log,) = kb.document_passages("log.md")
        for ticket, name in (("pay 123", "pay 123 charged twice"), ("#7", "7 leaking roof"), ("ops 9", "ops 9 lamps")):
            found = {
                row[0]: row[1] for row in kb._rows("SELECT key, id FROM entities WHERE key IN (?, ?)", (ticket, name))
            }
            assert frozenset(found.values()) in pairs
            assert (found[ticket], log.id) in kb.mentioning([found[ticket]])
        assert kb.named(["nix 4"])["nix 4"], "what leads nowhere stays a name"
        assert [one.key for one in documents_linking(kb, "pay-123.md").items] == ["log.md"]


@pytest.mark.parametrize("written", ["OPS-17", "OPS 17", "ops-17", "ops 17"])
def test_a_ticket_is_found_however_its_id_is_written(tmp_path: Path, written: str) -> None:
    (tmp_path / "board.md").write_text("# Board\n\n## OPS-17: Pallets\n\nToo wide.\n\n## OPS-170: Forks\n\nBent.\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        (meant,) = kb.named([name_key(written)])[name_key(written)]
        assert kb.entity(meant).name == "OPS-17: Pallets"
        assert kb.named(["ops 17", "ops-17"]) == {"ops 17": [meant], "ops-17": [meant]}
        assert kb.find_entities(written)[0].score == 1.0 > kb.find_entities(written)[1].score
        assert not kb.named([name_key("OPS-1"), name_key("OPS-171")])


def test_a_handle_is_the_person_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "team.md").write_text("# Team\n\nLead: Ana Souza\n")
    (tmp_path / "log.md").write_text(
        "# Log\n\nthe oven is cold, asked @ana.souza, and @mia-wong knows (x@ana.example).\n"
    )
    build([str(tmp_path)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        (log,) = kb.document_passages("log.md")
        names = {
            row[0]
            for row in kb._rows(
                "SELECT e.key FROM mentions m JOIN entities e ON e.id = m.entity WHERE m.passage = ?", (log.id,)
            )
        }
    assert {"ana souza", "mia wong"} <= names
    assert "ana example" not in names


def mail(name: str, identity: str, subject: str, *headers: str, body: str = "Hm.") -> str:
    lines = [
        f"From: {name} <x@example.org>",
        f"Message-ID: <{identity}>",
        f"Subject: {subject}",
        *headers,
        "",
        body,
        "",
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("kind", ["eml", "mbox"])
def test_the_mails_of_a_thread_are_joined(tmp_path: Path, kind: str) -> None:
    mails = (
        mail("Tom Hill", "one@x", "Oven quote", body="The oven costs 300 euros."),
        mail("Ana Souza", "two@x", "Re: Oven quote", "In-Reply-To: <one@x>",
             body="Too dear.\n\nOn Thu, Tom Hill wrote:\n> The oven costs 300 euros."),
        mail("Mia Wong", "three@x", "RE: Re: Oven quote", "References: <one@x> <two@x>", body="Agreed."),
        mail("Jo Ek", "four@x", "Re: Lamps", "In-Reply-To: <lost@x>"),
    )  # fmt: skip
    (tmp_path / "in").mkdir()
    if kind == "mbox":
        (tmp_path / "in" / "all.mbox").write_text("".join(f"From x Thu Apr  3\n{one}\n" for one in mails))
    else:
        for number, one in enumerate(mails):
            (tmp_path / "in" / f"{number}.eml").write_text(one)
    build([str(tmp_path / "in")], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        passages = [row[0] for row in kb._rows("SELECT id FROM passages")]
        replies = {one.text() for one in kb.passage_triples(passages) if one.relation == "replies to"}
        said = [row[0] for row in kb._rows("SELECT d.title FROM passages p JOIN documents d ON d.id = p.document "
                                           "WHERE p.text LIKE '%300 euros%'")]  # fmt: skip
    assert replies == {
        "Re: Oven quote replies to Oven quote", "Ana Souza replies to Tom Hill",
        "RE: Re: Oven quote replies to Re: Oven quote", "Mia Wong replies to Ana Souza",
    }  # fmt: skip
    assert said == ["Oven quote"], "what is quoted is said once"


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


def test_replies_and_tickets_follow_what_they_mean_in_whatever_order_it_comes(tmp_path: Path) -> None:
    inbox, path, fresh = tmp_path / "in", tmp_path / "kb.clew", tmp_path / "fresh.clew"
    inbox.mkdir()

    def built() -> tuple[set[str], set[tuple[str, str]]]:
        build([str(inbox)], path)
        fresh.unlink(missing_ok=True)
        build([str(inbox)], fresh)
        assert fingerprint(path) == fingerprint(fresh)
        return replies(), tickets()

    def replies() -> set[str]:
        with KnowledgeBase.open(path) as kb:
            passages = [row[0] for row in kb._rows("SELECT id FROM passages")]
            return {one.text() for one in kb.passage_triples(passages) if one.relation == "replies to"}

    def tickets() -> set[tuple[str, str]]:
        sql = (
            "SELECT x.key, y.key FROM synonyms s JOIN entities x ON x.id IN (s.a, s.b) "
            "JOIN entities y ON y.id IN (s.a, s.b) AND y.id <> x.id "
            "WHERE s.similarity = 1.0 AND x.key IN ('pay 1', '#7')"
        )
        with KnowledgeBase.open(path) as kb:
            return {(one, other) for one, other in kb._rows(sql)}

    (inbox / "b.eml").write_text(mail("Ana Souza", "two@x", "Re: Oven", "In-Reply-To: <one@x>", body="PAY-1 and #7."))
    assert built() == (set(), set())
    (inbox / "a.eml").write_text(mail("Tom Hill", "one@x", "Oven"))
    (inbox / "pay.md").write_text("# PAY-1: Charged twice\n\n## #7 Leaking roof\n\nWet.\n")
    paid = ("pay 1", "pay 1 charged twice")
    assert built() == ({"Re: Oven replies to Oven", "Ana Souza replies to Tom Hill"}, {paid, ("#7", "7 leaking roof")})
    (inbox / "a.eml").write_text(mail("Mia Wong", "one@x", "Oven"))
    (inbox / "roof.md").write_text("# Roof\n\n## #7 Roof again\n\nWet.\n")
    assert built() == ({"Re: Oven replies to Oven", "Ana Souza replies to Mia Wong"}, {paid})
    (inbox / "0.eml").write_text(mail("Jo Ek", "one@x", "Stove"))  # of two mails with an id the first by key
    assert built()[0] == {"Re: Oven replies to Stove", "Ana Souza replies to Jo Ek"}
    (inbox / "roof.md").unlink()
    (inbox / "0.eml").unlink()
    assert built()[1] == {paid, ("#7", "7 leaking roof")}
    remove(path, ["a.eml", "pay.md"])
    assert (replies(), tickets()) == (set(), set())
    assert traces_of(path, "Mia Wong") == [], "whom the mail answered was said by the other alone"
    assert check(path) == []


def test_a_changed_link_leaves_what_is_said_in_a_talk_as_it_was(tmp_path: Path) -> None:
    notes, path = tmp_path / "notes", tmp_path / "kb.clew"
    notes.mkdir()
    told = "\n\n".join(f"**Karl Voss:** Number {one} is in the shed.\n\n**Lena Hart:** So it is." for one in range(40))
    last = "**Karl Voss:** You bought it from Nora Pell, see [the list](list.md)."
    (notes / "talk.md").write_text(f"# Talk\n\n{told}\n\n{last}\n")

    def built() -> None:
        build([str(notes)], path)
        (tmp_path / "fresh.clew").unlink(missing_ok=True)
        build([str(notes)], tmp_path / "fresh.clew")
        assert fingerprint(path) == fingerprint(tmp_path / "fresh.clew")
        with KnowledgeBase.open(path) as kb:
            passages = [one.id for one in kb.document_passages("talk.md")]
            assert len(passages) > 1
            assert "Lena Hart bought from Nora Pell" in {one.text() for one in kb.passage_triples(passages)}

    built()
    for words in ("# The list of bicycles\n\nOne.\n", "# Things\n\nOne.\n"):
        (notes / "list.md").write_text(words)
        built()
    (notes / "list.md").unlink()
    built()


def test_a_forwarded_mail_answers_none(tmp_path: Path) -> None:
    forwarded = mail("Ana Souza", "two@x", "Fwd: Oven", "References: <one@x>", body="See.\n\n> It costs 300 euros.")
    content = READERS[".eml"][1](forwarded.encode())
    assert content.links == ()
    assert content.text == "From: Ana Souza <x@example.org>\n\nSee.\n\n> It costs 300 euros."
