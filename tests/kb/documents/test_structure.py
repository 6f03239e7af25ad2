"""What structure says: subjects of lines, rows and turns, and what stands above a passage."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.build import build, remove
from kb.documents.links import Targets
from kb.documents.passages import cut, sentences, title_prefix
from kb.documents.structure import Outline, full_names, path_of, section, speakers, structured_lines
from kb.graph.extraction import find_facts, find_mentions
from kb.graph.rule_extraction import rule_work, surroundings
from kb.name_keys import name_key
from kb.records import Document, Piece
from kb.store.knowledge_base import KnowledgeBase
from kb.store.listing import aliases_of
from kb.store.writer import entity_id


def facts(text: str, title: str = "Note", above: tuple[str, ...] = (), sender: str = "") -> list[tuple[str, str, str]]:
    spans = sentences(text)
    lines = structured_lines(title, text, above)
    found = find_facts(title, text, spans, find_mentions(text, spans, lines), lines, speakers(text), sender)
    return [(one.head, one.relation, one.tail) for one in found]


def test_a_pair_speaks_of_the_heading_above_it() -> None:
    text = "From: Ana Souza\n\n## Warehouse\n\nLead: Ana Souza\n- Floor: second\n\n## Garage\n\nLead: Tom Hill"
    assert facts(text) == [
        ("Note", "From", "Ana Souza"),
        ("Warehouse", "Lead", "Ana Souza"),
        ("Warehouse", "Floor", "second"),
        ("Garage", "Lead", "Tom Hill"),
    ]


def test_a_general_heading_leaves_the_word_to_the_one_above() -> None:
    assert facts("## Garage\n\n### Contact\n\nPhone: 0151 12") == [("Garage", "Phone", "0151 12")]
    assert facts("## Contact\n\nPhone: 0151 12") == [("Note", "Phone", "0151 12")]


def test_only_a_whole_general_heading_is_one() -> None:
    assert facts("## At a Glance\n\nPhone: 0151 12") == [("Note", "Phone", "0151 12")]
    assert facts("## Key\n\nPhone: 0151 12") == [("Key", "Phone", "0151 12")]


def test_who_was_there_and_who_was_not_may_stand_in_one_line() -> None:
    def told(text: str) -> list[tuple[str, str]]:
        return [(relation, tail) for _, relation, tail in facts(text)]

    there = [("Present", "Ros"), ("Present", "Sandy")]
    assert told("Present: Ros (chair), Sandy. Apologies Hugh (stepping down, thanks for 9 years)") == [
        *there,
        ("Apologies", "Hugh"),
    ]
    assert told("- Present: Ros, Sandy; apologies: Cy Fox and Di Orr") == [
        *there,
        ("apologies", "Cy Fox"),
        ("apologies", "Di Orr"),
    ]
    assert told("In attendance: Ros, Sandy. Yusuf reports. Absent: Tabs.") == [
        ("In attendance", "Ros"),
        ("In attendance", "Sandy"),
        ("Absent", "Tabs"),
    ]
    assert told("Present: Ros, Sandy") == there
    # one of the two by itself, in sentences, tells what it told before
    assert told("Present: Ros. Apologies for the noise. We present: nothing") == [("says", "Ros")]


def test_a_mark_in_brackets_is_no_time() -> None:
    def kinds(text: str) -> list[str]:
        return [line.kind for line in structured_lines("Note", text)]

    assert kinds("[WARNING] Disk: full\n[ERROR] Disk: broken") == []
    assert kinds("[10:03] Ana: hello\n[3 May] Tom: hello") == ["turn", "turn"]


def test_a_heading_above_the_passage_counts() -> None:
    assert facts("Lead: Ana Souza", above=("Offices", "Garage")) == [("Garage", "Lead", "Ana Souza")]
    assert facts("# Other\n\nLead: Tom Hill", above=("Offices", "Garage")) == [("Other", "Lead", "Tom Hill")]


def test_a_row_speaks_of_its_first_cell() -> None:
    text = "Service: billing; Owner: Ana Souza; Language: Kotlin\nService: queue; Owner: Tom Hill"
    assert facts(text) == [
        ("billing", "Owner", "Ana Souza"),
        ("billing", "Language", "Kotlin"),
        ("queue", "Owner", "Tom Hill"),
    ]
    assert facts("Rent; Amount: 500 euros") == [("Rent", "Amount", "500 euros")]


def test_a_list_of_names_is_a_fact_for_each() -> None:
    assert facts("Members: Ana Souza, Tom Hill and Mia") == [
        ("Note", "Members", "Ana Souza"), ("Note", "Members", "Tom Hill"), ("Note", "Members", "Mia"),
    ]  # fmt: skip
    assert facts("Date: 3 April 2025, 14:05") == [("Note", "Date", "3 April 2025, 14:05")]


def test_of_a_long_value_the_names_are_related() -> None:
    text = "Reason: we had to wait for the new pump that Mia Wong ordered in Turin last week"
    assert facts(text) == [("Note", "Reason", "Mia Wong"), ("Note", "Reason", "Turin")]


@pytest.mark.parametrize(
    ("item", "task"),
    [
        ("[x] Ana: order flour", ("Ana", "done", "order flour")),
        ("[ ] Water the beds (owner: Inga Moe)", ("Inga Moe", "to do", "Water the beds")),
        ("[x] assigned to Greta Voss: paint the shed", ("Greta Voss", "done", "paint the shed")),
        ("[x] 2024-05-01 Ana Souza: fix door", ("Ana Souza", "done", "fix door")),
        ("[ ] @sara order crates", ("Sara", "to do", "order crates")),
        ("[ ] @sara.lund: clean the press", ("Sara Lund", "to do", "clean the press")),
        # Nobody is named: it is the list's.
        ("[ ] call the plumber", ("Inga's list", "to do", "call the plumber")),
        *(
            (f"[ ] {words}", ("Inga's list", "to do", words))
            for words in (
                "Book flights (Lisbon)",
                "Upgrade database (PostgreSQL)",
                "Write report (Draft)",
                "cleanup - remove old files",
                "Review - Ana",
            )
        ),
        ("[ ] Fix the pump (May)", ("Inga's list", "to do", "Fix the pump (May)")),
        ("[ ] Order crates — by noon", ("Inga's list", "to do", "Order crates — by noon")),
    ],
)
def test_a_task_belongs_to_whoever_is_named_else_to_the_list(item: str, task: tuple[str, str, str]) -> None:
    assert facts(f"## Inga's list\n\n- {item}") == [task]
    assert facts(f"## Inga's list\n\n### To do\n\n1. {item}") == [task]


@pytest.mark.parametrize(
    "known", ["- [ ] Karl: call Mia", "Lead: Karl Ek", "- [x] ask @karl", "- [ ] sweep (owner: Karl)", "- Karl Ek"]
)
@pytest.mark.parametrize("item", ["renew licence (Karl)", "renew licence (Karl, by 6 May), see below",
                                  "Karl - renew licence"])  # fmt: skip
def test_a_first_name_that_is_known_owns_a_task(known: str, item: str) -> None:
    assert ("Karl", "to do", "renew licence") in facts(f"## Inga's list\n\n{known}\n- [ ] {item}")


def test_the_names_in_a_task_are_mentioned() -> None:
    text = "- [ ] Ana: call Mia Wong"
    found = find_mentions(text, sentences(text), structured_lines("Note", text))
    assert [one.name for one in found] == ["Ana", "Mia Wong"]


def test_a_task_in_sentences_that_names_nobody_is_prose() -> None:
    assert ("Karl", "knows him in", "Oslo") in facts("- [ ] Call the plumber. Karl knows him in Oslo.")


@pytest.mark.parametrize(
    "text",
    [
        "Ana: I moved to Lisbon.\nTom: Really?\nAna: My sister Joan too.",
        "[10:03] Ana: I moved to Lisbon.\n[10:05] Tom: Really?\n[10:06] Ana: My sister Joan too.",
    ],
)
def test_in_a_talk_the_speaker_is_the_subject(text: str) -> None:
    found = facts(text)
    assert ("Ana", "I moved to", "Lisbon") in found
    assert any(head == "Ana" and tail == "Joan" for head, _, tail in found)


def said(words: str, others: str = "") -> list[tuple[str, str, str]]:
    """The facts of what Lena Hart says to Omar Said, and to `others`."""
    talk = f"[09:00] Lena Hart: hello\n[09:01] Omar Said: hello\n{others}[09:02] Lena Hart: {words}"
    return facts(talk)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("My sister Nora moved to Bergen.", [("Lena Hart", "sister", "Nora"), ("Nora", "moved to", "Bergen")]),
        (
            "My sister Nora left. She works at Hydro, and I live in Oslo.",
            [("Lena Hart", "sister", "Nora"), ("Nora", "works at", "Hydro"), ("Lena Hart", "I live in", "Oslo")],
        ),
        ("I met our aunt Ida Moe.", [("Lena Hart", "aunt", "Ida Moe"), ("Lena Hart", "I met our aunt", "Ida Moe")]),
        (
            "I asked my colleague Bertil Anand, who has moved to Rome.",
            [
                ("Lena Hart", "colleague", "Bertil Anand"),
                ("Lena Hart", "I asked my colleague", "Bertil Anand"),
                ("Bertil Anand", "has moved to", "Rome"),
            ],
        ),
        (
            "My brother married Nora Pell in Bergen.",
            [("Lena Hart", "My brother married", "Nora Pell"), ("Lena Hart", "in", "Bergen")],
        ),
        (
            "My boss hates Berlin and loves Rome.",
            [("Lena Hart", "My boss hates", "Berlin"), ("Lena Hart", "loves", "Rome")],
        ),
        ("My older sister Nora left.", [("Lena Hart", "older sister", "Nora")]),
        (
            "I paid Nora Pell hundred euros for Oslo.",
            [("Lena Hart", "I paid", "Nora Pell"), ("Lena Hart", "hundred euros for", "Oslo")],
        ),
        ("My flat in Oslo is cold.", [("Lena Hart", "My flat in", "Oslo")]),
        ("Karl visits Lisbon.", [("Karl", "visits", "Lisbon")]),
        ("Karl Moe visits Lisbon.", [("Karl Moe", "visits", "Lisbon")]),
        ("I think Nora left Paris.", [("Lena Hart", "I think", "Nora"), ("Nora", "left", "Paris")]),
        ("Moved to Rome at last.", [("Lena Hart", "Moved to", "Rome")]),
        ("You live in Oslo.", [("Omar Said", "live in", "Oslo")]),
        ("Your car is a Saab.", [("Omar Said", "car is", "Saab")]),
        ("Your brother Emil is in Rome.", [("Omar Said", "brother", "Emil"), ("Emil", "is in", "Rome")]),
        ("Hi Omar, you owe me 20.", [("Omar Said", "owe Lena Hart", "20")]),
        ("I owe you 20.", [("Lena Hart", "I owe Omar Said", "20")]),
        ("You live in Oslo?", [("Lena Hart", "You live in", "Oslo")]),
        ("She works at Hydro.", [("Lena Hart", "she works at", "Hydro")]),
    ],
)
def test_what_is_said_is_told_of_whom_it_is_about(words: str, found: list[tuple[str, str, str]]) -> None:
    assert said(words) == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Next Friday Karl visits Lisbon.", ("Karl", "visits", "Lisbon")),
        ("On Monday Ruth flies to Oslo.", ("Ruth", "flies to", "Oslo")),
        ("Tomorrow Ida Moe paints Oslo.", ("Ida Moe", "paints", "Oslo")),
        ("Yesterday, Tom saw Rome.", ("Tom", "saw", "Rome")),
        ("Friday Harbor is in Maine.", ("Friday Harbor", "is in", "Maine")),
    ],
)
def test_a_day_that_opens_a_sentence_is_no_part_of_the_name(sentence: str, found: tuple[str, str, str]) -> None:
    assert facts(f"It is so. {sentence}") == [found]


def test_the_name_that_opens_a_text_may_begin_with_a_day() -> None:
    text = "Tomorrow Never Dies is a film."
    assert [one.name for one in find_mentions(text, sentences(text))] == ["Tomorrow Never Dies"]


def test_among_three_you_is_whoever_is_named() -> None:
    third = "[09:01] Ida Moe: hello\n"
    assert said("You live in Oslo.", third) == [("Lena Hart", "You live in", "Oslo")]
    assert said("Ida, you live in Oslo.", third) == [("Ida Moe", "live in", "Oslo")]


def test_in_a_mail_the_first_person_is_the_sender() -> None:
    text = "Hi Tomasz, my code is K-901.\n\nHello Tomasz,\n\nThe motor came from Turin."
    assert facts(text, "Re: Gate", sender="Ana Souza") == [
        ("Ana Souza", "my code is", "K-901"), ("Re: Gate", "The motor came from", "Turin"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "---------- Forwarded message ---------\nFrom: Nora Pell\n\nI moved to Bergen.",
        "From: Ana Souza\n\nSee below.\n\nFrom: Nora Pell\n\nI moved to Bergen.",
        "-----Original Message-----\n\nI moved to Bergen.",
        'What Karl Voss said:\n\n"I moved to Bergen. I sold the mill in Oslo."',
        "What Karl Voss said:\n\n> I moved to Bergen.",
    ],
)
def test_what_a_mail_quotes_or_forwards_is_not_said_by_its_sender(text: str) -> None:
    found = facts(f"{text}", "Key", sender="Ana Souza")
    assert "Bergen" in {tail for _, _, tail in found}
    assert "Ana Souza" not in {head for head, _, _ in found}


def test_behind_a_quotation_the_first_person_is_the_sender_again() -> None:
    text = 'He said "so it is" to us. I live in Oslo.'
    assert facts(text, "Key", sender="Ana Souza") == [("Ana Souza", "I live in", "Oslo")]


@pytest.mark.parametrize("title", ["Fwd: Key", "WG: Key", "Key"])
def test_no_passage_of_a_forwarded_mail_is_said_by_its_sender(title: str) -> None:
    text = "" if title != "Key" else "From: Ana Souza\n\nSee.\n\n---------- Forwarded message ---------\n\n"
    said = "I moved to Bergen."
    document = Document("k", title, text + said, "s", metadata={"sender": "Ana Souza"})
    piece = Piece(1, len(text), len(text + said), None, said)
    work = rule_work(document, piece, sentences(said), surroundings(document, piece, [], Targets({})))
    assert [(one.head, one.tail) for one in work.triples] == [(name_key(title), "bergen")]


def test_what_is_no_relation_is_none() -> None:
    assert facts("See the runbook and Picker.") == []
    assert facts("It was reported by @hugo.prins.") == [("Note", "was reported by", "Hugo Prins")]
    assert facts("@hugo.prins moved to Oslo.") == [("Hugo Prins", "moved to", "Oslo")]


def test_a_setting_is_a_pair() -> None:
    assert facts("__author__ = 'Mette'\nMAX_CRATES = 40", "Lib") == [
        ("Lib", "__author__", "'Mette'"), ("Lib", "MAX_CRATES", "40"),
    ]  # fmt: skip
    assert structured_lines("Note", "E = mc2 and a+b = c") == []


def test_a_name_ends_in_no_lone_bracket() -> None:
    assert [one[2] for one in facts("Lead: Inga Moe)\nCook: Tom (the elder)")] == ["Inga Moe", "Tom (the elder)"]


def test_a_name_with_a_backslash_is_told_as_it_is() -> None:
    assert ("Tom", "told A\\g<1> of", "Rome") in facts("I think Tom told me of Rome.", sender="A\\g<1>")


def test_below_a_name_every_sentence_is_about_it() -> None:
    text = "- Maud Pellow: head baker since 2011. Sits in the Loft. Early shift, 03:00 to 11:00."
    assert facts(text) == [
        ("Maud Pellow", "head baker since", "2011"), ("Maud Pellow", "Sits in", "Loft"),
        ("Maud Pellow", "Early shift", "03:00"), ("Maud Pellow", "to", "11:00"),
    ]  # fmt: skip


def test_running_text_has_no_lines() -> None:
    assert structured_lines("Note", "He said: nothing of it. Then he left; nobody saw him again.") == []
    assert structured_lines("Note", "") == []


def test_relation_words_are_no_names() -> None:
    text = "Service: Billing; Owner: Ana\n\nLead: Tom"
    lines = structured_lines("Note", text)
    assert [one.name for one in find_mentions(text, sentences(text), lines)] == ["Billing", "Ana", "Tom"]


def test_the_outline_knows_what_stands_above() -> None:
    text = "intro\n# A\na\n### B\nb\n## C\nc"
    outline = Outline(text)
    assert [outline.path(text.index(f"\n{one}\n") + 1) for one in ("a", "b")] == [("A",), ("A", "B")]
    assert outline.path(0) == ()
    assert outline.path(len(text)) == ("A", "C")
    assert path_of(section(("A", "C"))) == ("A", "C")
    assert path_of("") == ()


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("We need to buy all of\nthe following: apples and pears.", 1),
        ("The train leaves at\n12:30 from the main station.", 1),
        ("It is about a matter that concerns us all and has\nPriority: high", 1),
        ("We wait.\nLead: Ana Souza", 2),
        ("Payments\nLead: Ana Souza", 2),
        ("payments\nlead: ana\nfloor: two", 3),
        ("Notes of a talk that we had in the small room behind\n10:03 Ana: hello\n10:05 Tom: hello", 3),
        ("all of\n- apples", 2),
        ("all of\n## Apples", 2),
    ],
)
def test_a_line_in_the_middle_of_a_sentence_starts_none(text: str, spans: int) -> None:
    assert len(sentences(text)) == spans


def words(texts: list[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def test_a_passage_begins_with_a_heading_rather_than_ending_with_one() -> None:
    body = "\n\n".join(f"## Part {n}\n\n" + " ".join(f"w{n}." for _ in range(12)) for n in range(4))
    pieces = list(cut(Document("k", "Title", body, "s"), lambda texts: words(list(texts)), budget=35))
    assert len(pieces) > 1
    assert all(piece.text.startswith("## Part") for piece in pieces)


def test_a_passage_cut_within_a_section_knows_its_headings() -> None:
    body = "# Offices\n\n## Garage\n\n" + " ".join(f"Word w{n}." for n in range(60))
    pieces = list(cut(Document("k", "Title", body, "s"), lambda texts: words(list(texts)), budget=40))
    assert [piece.above for piece in pieces[1:]] == [("Offices", "Garage")] * (len(pieces) - 1)
    assert title_prefix("Title", lambda texts: words(list(texts)), 40, pieces[1].above) == "Title › Offices › Garage. "


def test_full_names_are_those_that_structure_sets_apart() -> None:
    text = "# Team\n\nLead: Ana Souza\nFloor: second floor\n- Tom van Hill: driver\n\nMia Wong came by.\n\n## Jo-Ann Ek"
    assert full_names(text, structured_lines("Note", text)) == ["Ana Souza"]


def test_what_is_no_name_of_a_person_is_no_full_name() -> None:
    text = "## Data Model\n\nOwner: New York\nStyle: Plain Text\nLead: Ana Souza\n\nIt is in plain words."
    assert full_names(text, structured_lines("Note", text)) == ["Ana Souza"]


def test_a_first_name_is_whoever_alone_has_it(tmp_path: Path) -> None:
    (tmp_path / "team.md").write_text("# Team\n\nLead: Ana Souza\nDriver: Tom Hill\nCook: Tom Reed\n")
    (tmp_path / "log.md").write_text("# Log\n\nAna called about the pump. Tom was there.\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        ids = {name: kb.named([name])[name] for name in ("ana", "ana souza", "tom")}
        assert set(ids["ana souza"]) < set(ids["ana"]), "the first name is one of its names"
        assert ids["tom"] == [entity_id("tom")], "neither of both who have it"
        assert [aliases_of(kb, kb.named([name])[name][0]) for name in ("ana souza", "tom hill")] == [["ana"], []]
        pairs = kb._rows("SELECT a, b FROM synonyms WHERE similarity = 1.0")
        assert [set(pair) for pair in pairs] == [set(ids["ana"])]


@pytest.mark.parametrize("other", ["Name: Ana Lima", "Town: Oslo\n\nNobody else has a page here."])
def test_a_first_name_is_nobodys_alone_either_where_those_who_have_it_have_pages(tmp_path: Path, other: str) -> None:
    (tmp_path / "souza.md").write_text("# Ana Souza\n\nName: Ana Souza\nTown: Bergen\n")
    (tmp_path / "log.md").write_text("# Log\n\nAna called about the pump.\n")
    (tmp_path / "stanley.md").write_text("# Stanley, North Dakota\n\nStanley is a town.\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    assert _meant(tmp_path / "kb.clew", "ana") == ({"ana", "ana souza"}, {"ana souza"})
    (tmp_path / "lima.md").write_text(f"# Ana Lima\n\n{other}\n")
    (tmp_path / "team.md").write_text("# Team\n\nLead: Ana Lima\nCook: Stanley Reed\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    assert _meant(tmp_path / "kb.clew", "ana") == ({"ana"}, set())
    assert "stanley north dakota" in _meant(tmp_path / "kb.clew", "stanley")[0], "a title without what follows a comma"


def test_a_first_name_that_one_of_two_gives_as_an_own_name_is_that_ones(tmp_path: Path) -> None:
    (tmp_path / "souza.md").write_text("---\naliases: [Ana]\n---\n# Ana Souza\n\nName: Ana Souza\n")
    (tmp_path / "lima.md").write_text("# Ana Lima\n\nName: Ana Lima\n")
    build([str(tmp_path)], tmp_path / "kb.clew")
    assert _meant(tmp_path / "kb.clew", "ana")[0] == {"ana", "ana souza"}, "the note says so"


def _meant(path: Path, name: str) -> tuple[set[str], set[str]]:
    """What a name may mean, and its synonyms, by their keys."""
    with KnowledgeBase.open(path) as kb:
        ids = kb.named([name])[name]
        pairs = kb._rows("SELECT a, b FROM synonyms WHERE similarity = 1.0")
        others = {one for pair in pairs if entity_id(name) in pair for one in pair} - {entity_id(name)}
        key_of = dict(kb._rows("SELECT id, key FROM entities"))
        return {key_of[one] for one in ids}, {key_of[one] for one in others}


def test_a_first_name_that_another_gets_is_nobodys_alone(tmp_path: Path) -> None:
    notes, path, fresh = tmp_path / "notes", tmp_path / "kb.clew", tmp_path / "fresh.clew"
    notes.mkdir()

    def synonyms(path: Path) -> list[tuple[str, str, float]]:
        with KnowledgeBase.open(path) as kb:
            return kb._rows(
                "SELECT x.key, y.key, s.similarity FROM synonyms s "
                "JOIN entities x ON x.id = s.a JOIN entities y ON y.id = s.b ORDER BY x.key, y.key"
            )

    def built() -> list[tuple[str, str, float]]:
        build([str(notes)], path)
        fresh.unlink(missing_ok=True)
        build([str(notes)], fresh)
        assert synonyms(path) == synonyms(fresh)
        return [row for row in synonyms(path) if row[2] == 1.0]

    (notes / "team.md").write_text("# Team\n\nLead: Ana Souza\n")
    (notes / "log.md").write_text("# Log\n\nAna called.\n")
    assert len(built()) == 1
    (notes / "other.md").write_text("# Other\n\nLead: Ana Pellow\n")
    assert built() == []
    remove(path, ["other.md"])
    assert len([row for row in synonyms(path) if row[2] == 1.0]) == 1


def test_a_record_that_names_the_same_many_times_in_a_row_is_no_talk() -> None:
    text = "Name: clasp\nTag: tools\nTag: docs\nTag: tests\nNeeds: anvil\nNeeds: bellows\nNeeds: coal"
    assert {line.kind for line in structured_lines("clasp", text)} == {"pair"}
    talk = "Ana: I won.\nBen: Well done!\nAna: Thanks.\nBen: When?"
    assert {line.kind for line in structured_lines("Chat", talk)} == {"turn"}


def test_turns_below_other_lines_are_turns() -> None:
    text = (
        "Place: Town hall\nDate: 3 May 2024\nChair: Ana Souza\n\n"
        "Ana: We moved to Bergen.\nTom: I live in Oslo.\nAna: Why?\nTom: It is near.\n\nNext meeting: 6 June"
    )
    kinds = [line.kind for line in structured_lines("Minutes", text)]
    assert kinds == ["pair"] * 3 + ["turn"] * 4 + ["pair"]
    record = "Place: Hall\nDate: May\nChair: Ana\nName: clasp\nAge: two\nName: anvil\nAge: ten"
    assert {line.kind for line in structured_lines("Stock", record)} == {"pair"}


def test_a_column_whose_name_is_cut_short_is_a_column() -> None:
    (line,) = structured_lines("Tools", "Name: lz4; Decompress.: 4500 MB/s; Tel.: 12")
    assert [(one.relation) for one in line.values] == ["Decompress.", "Tel."]


def test_names_with_telephone_numbers_are_rows() -> None:
    text = (
        "Silverline coaches ... 01632 960 733, ask for Ann\nTannery Lammers 0550-5589\nPhone: 01632 960 118\n"
        "Come on 2024-03-12"
    )
    lines = [line for line in structured_lines("Numbers", text) if line.kind == "row"]
    assert [(line.subject, text[line.values[0].start : line.values[0].end]) for line in lines] == [
        ("Silverline coaches", "01632 960 733"),
        ("Tannery Lammers", "0550-5589"),
    ]
    assert not structured_lines("Letter", "Ring Tannery Lammers 0550-5589 when it is done")


def test_a_heading_ends_those_above_its_text_that_it_surely_ends() -> None:
    """What stands above is told without its level: the first may be of level 1 or 2, the second of 2 or more."""
    outline = Outline("one\n\n### A\n\ntwo\n\n## B\n\nthree\n\n# C\n\nfour", ("Teams", "Search"))
    paths = [outline.path(outline_of) for outline_of in (0, 12, 24, 36)]
    assert paths == [("Teams", "Search"), ("Teams", "Search", "A"), ("Teams", "B"), ("C",)]
