from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from assistant.agent.final_answer import Found, NotFound, citation_problem
from assistant.agent.offline.about_base import about_base, recognised
from assistant.agent.offline.about_base.telling_sentences import Said, telling_sentences
from assistant.agent.workspace import Workspace
from assistant.conversations.session import answer
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase


@pytest.mark.parametrize(
    ("question", "kind", "subject"),
    [
        ("What is in here?", "contents", ""),
        ("what's in this file", "contents", ""),
        ("What documents are there?", "documents", ""),
        ("how many documents?", "documents", ""),
        ("Could you list the documents, please?", "documents", ""),
        ("What documents mention Darwin?", "mentions", "Darwin"),
        ("which notes talk about suspension bridges?", "mentions", "suspension bridges"),
        ("What documents are there about comets?", "mentions", "comets"),
        ("which other women are there?", "kind", "woman"),
        ("do you have anything about comets?", "mentions", "comets"),
        ("Is Darwin mentioned anywhere?", "mentions", "Darwin"),
        ("list all ships", "kind", "ship"),
        ("List the people", "kind", "person"),
        ("what films are there?", "kind", "film"),
        ("who is mentioned here?", "kind", "person"),
        ("summarise the article on Fram", "extract", "Fram"),
        ("Summary of Stalker", "extract", "Stalker"),
        ("What does the document Vertigo say?", "extract", "Vertigo"),
        ("What was decided in June?", "decided", "in June"),
        ("What did the committee discuss at the last meeting?", "discussed", "at the last meeting"),
        ("What happened at the June meeting?", "discussed", "at the June meeting"),
        ("What is said in “Irena Valdis”? ", "extract", "Irena Valdis"),
        ("What is known about “Irena Valdis”? ", "known", "Irena Valdis"),
        ("tell me about Fram", "known", "Fram"),
        ("What happened on 3 September?", "day", "3 September"),
        ("what did I do on 2025-09-09", "day", "2025-09-09"),
        ("my notes of 1 September 2025", "day", "1 September 2025"),
        ("What is still to do?", "tasks", ""),
        ("which tasks are open", "tasks", ""),
        ("What do I still have to do?", "tasks", ""),
        ("list the open to-dos", "tasks", ""),
        ("my to-do list", "tasks", ""),
        ("hello", "greeting", ""),
        ("Thanks!", "thanks", ""),
        ("Thanks, that was great!", "thanks", ""),
        ("thank you for your help", "thanks", ""),
        ("what's your name?", "help", ""),
        ("are you sure?", "doubt", ""),
        ("How do you know that?", "doubt", ""),
        ("tell me more", "more", ""),
        ("that's wrong, it is Priya", "objection", ""),
        ("help", "help", ""),
        ("what can you do?", "help", ""),
    ],
)
def test_questions_about_the_file_are_recognised(question: str, kind: str, subject: str) -> None:
    request = recognised(question)
    assert request is not None
    assert (request.kind, request.subject) == (kind, subject)


@pytest.mark.parametrize(
    "question",
    [
        "What documents did Darwin sign?",
        "What is in the Tay Bridge?",
        "Which papers did Dirac write?",
        "How many bridges are there in Karsk?",
        "What films are there by Tarkovsky?",
        "List the films directed by Tarkovsky",
        "Which documents mention that Darwin was ill?",
        "Name the composer of Stalker",
        "What is the capital of France?",
        "Who was the father of Leslie Stephen's first wife?",
        "Where was the composer of Stalker born?",
        "What was the Discovery built for?",
        "Which film mentions Darwin?",
        "What happened on the bridge?",
        "What is open on Sundays?",
        "What things are in box 7?",
        "Which tasks does Ana have?",
        "What is left of the budget?",
        "Is it wrong to feed milk?",
        "Is it true that Ann left?",
        "It is great that Ann came, when did she?",
        "Why did the bridge fall?",
        "What else did Ann buy?",
        "",
        "?",
    ],
)
def test_other_questions_are_not(question: str) -> None:
    request = recognised(question)
    assert request is None or not request.sure


@pytest.mark.parametrize("question", ["What is in the Tarnow Bay?", "Who is the director of Seven Lanterns?", "What?"])
def test_what_might_be_a_document_is_one_only_where_it_is_known(small: KnowledgeBase, question: str) -> None:
    workspace = Workspace(question)
    assert about_base(small, workspace) is None
    assert not workspace.about_base
    assert not workspace.evidence


def told(small: KnowledgeBase, question: str) -> tuple[Found, Workspace]:
    """The answer to a question about the file, whose citations hold."""
    workspace = Workspace(question)
    output = about_base(small, workspace)
    assert isinstance(output, Found)
    assert workspace.about_base
    assert citation_problem(output, workspace) == ""
    return output, workspace


def test_what_there_is(small: KnowledgeBase) -> None:
    output, workspace = told(small, "What documents are there?")
    assert output.answer == "12 documents in 12 passages"
    assert "- The Glass Harbour [" in output.explanation
    assert len(workspace.evidence) == 12
    assert told(small, "what is in here?")[0].answer == output.answer


def test_rows_of_a_table_are_told_below_their_file(tmp_path: Path) -> None:
    (tmp_path / "rota.csv").write_text("Week,On call\n" + "".join(f"{n},Ann Lee{n}\n" for n in range(10, 16)))
    (tmp_path / "rules.md").write_text("# Rules\n\nEveryone wears closed shoes.")
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        output, _ = told(kb, "what is in here?")
    assert output.answer == "2 files with 7 documents in 7 passages"
    assert output.explanation.startswith("- rota.csv (6): Ann Lee10 [1]")
    assert output.explanation.endswith(", and 2 more\n- rules.md (1): Rules [5]")


def test_which_documents_mention_a_thing(small: KnowledgeBase) -> None:
    output, workspace = told(small, "which documents mention Oskar Valdis?")
    assert output.answer == "2 documents mention Oskar Valdis"
    assert "Irena Valdis: “She was the daughter of the painter Oskar Valdis.” [1]" in output.explanation
    assert [one.passage.title for one in workspace.evidence] == ["Irena Valdis", "Oskar Valdis"]


def test_a_name_is_not_its_word_in_passing(small: KnowledgeBase) -> None:
    output = about_base(small, Workspace("Which documents mention Port?"))
    assert isinstance(output, NotFound)


def test_what_nothing_mentions(small: KnowledgeBase) -> None:
    output = about_base(small, Workspace("Which documents mention Napoleon?"))
    assert output == NotFound(missing="a document that mentions Napoleon")


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("list all films", "2 films: Seven Lanterns, The Glass Harbour"),
        ("list the people", "3 people: Irena Valdis, Oskar Valdis, Tomas Brandel"),
        ("which women are there?", "1 woman: Irena Valdis"),
        ("what towns are there?", "1 town: Lindholm"),
    ],
)
def test_things_of_a_kind(small: KnowledgeBase, question: str, answered: str) -> None:
    output, workspace = told(small, question)
    assert output.answer == answered
    assert "may be incomplete" in output.explanation
    assert workspace.may_lack


def test_a_list_that_may_lack_some_is_not_sure(small_file: Path) -> None:
    assert answer(small_file, "list the people").certainty == "likely"
    assert answer(small_file, "what is in here?").certainty == "sure"


def test_of_a_person_with_tags_the_prose_is_told(tmp_path: Path) -> None:
    (tmp_path / "ada.md").write_text("---\ntags: people\n---\n# Ada Moor\n\nBorn in Bath in 1951. She swims.\n")
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        output, _ = told(kb, "list the people")
    assert "- Ada Moor: “Born in Bath in 1951.” [1]" in output.explanation


def test_a_kind_of_which_nothing_is_called(small: KnowledgeBase) -> None:
    output = about_base(small, Workspace("list all volcanoes"))
    assert isinstance(output, NotFound)


@pytest.mark.parametrize("question", ["Summarise Irena Valdis", "What is said in “Irena Valdis”?", "Irena Valdis"])
def test_a_document_in_short(small: KnowledgeBase, question: str) -> None:
    output, workspace = told(small, question)
    assert output.answer == "In short: Irena Valdis"
    assert "“She was the daughter of the painter Oskar Valdis.” [1]" in output.explanation
    assert [one.passage.title for one in workspace.evidence] == ["Irena Valdis"]


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Summarise the minutes of 4 June 2025", "In short: Minutes 4 June 2025"),
        ("Summarise the minutes from the 4 June 2025", "In short: Minutes 4 June 2025"),
        ("Summarise the minutes of 4 July 2025", ""),
    ],
)
def test_a_title_is_named_with_words_between(tmp_path: Path, asked: str, answered: str) -> None:
    for day, what in (
        ("4 June", "The open day took in £143 from the plants alone."),
        ("5 May", "The roof leaks again."),
    ):
        (tmp_path / f"{day}.md").write_text(f"# Minutes {day} 2025\n\n{what} Everybody was there until late.\n")
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        output = about_base(kb, Workspace(asked))
    assert (output.answer if isinstance(output, Found) else "") == answered


def test_two_rows_are_told_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("name,weight,problem\nGaribaldi,410,wound\nBourbon,390,lungworm\n")
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        output, workspace = told(kb, "compare Garibaldi and Bourbon")
        other = about_base(kb, Workspace("compare Garibaldi and Digestive"))
    assert output.answer == "In short: Garibaldi; Bourbon"
    assert "- Weight: 410 · 390\n- Problem: wound · lungworm" in output.explanation
    assert [one.passage.title for one in workspace.evidence] == ["Garibaldi", "Bourbon"]
    assert other is None


def test_of_a_record_with_prose_the_prose_is_told(tmp_path: Path) -> None:
    fields = "\n".join(f"Needs: part-{name} of the store at Weir Lane" for name in ("oak", "ash", "elm", "fir"))
    (tmp_path / "clasp.md").write_text(
        f"Name: clasp\n{fields}\n\n# clasp\n\nThe clasp is what holds a cello case shut."
    )
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        assert told(kb, "What is clasp?")[0].explanation == "- “The clasp is what holds a cello case shut.” [1]"


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("summarise the safety rules", "In short: Wet lab: safety rules"),
        ("tell me about the freezer failure", "In short: Freezer failure in room 2.14"),
        ("tell me about the freezer rules", None),
        ("tell me about the rules", None),
    ],
)
def test_a_document_by_a_part_of_its_title(tmp_path: Path, question: str, answered: str | None) -> None:
    (tmp_path / "a.md").write_text("# Wet lab: safety rules\n\nEveryone who works here wears closed shoes.")
    (tmp_path / "b.md").write_text("# Freezer failure in room 2.14\n\nOn 7 February the compressor gave up.")
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        output = about_base(kb, Workspace(question))
        assert (output.answer if isinstance(output, Found) else None) == answered


@pytest.mark.parametrize(("question", "is_told"), [("Who is Berlin?", True), ("What is Clippy?", False)])
def test_only_who_asks_for_a_person_finds_a_document_by_the_surname(
    tmp_path: Path, question: str, is_told: bool
) -> None:
    (tmp_path / "a.md").write_text("# Irving Berlin\n\nIrving Berlin wrote the songs of nineteen shows in New York.\n")
    (tmp_path / "b.md").write_text(
        "# Benchmarking Clippy\n\nBenchmarking Clippy is similar to using our tool for it.\n"
    )
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        assert (about_base(kb, Workspace(question)) is not None) == is_told


def test_a_document_by_a_misspelt_name(small: KnowledgeBase) -> None:
    output, workspace = told(small, "summarise Tomas Brandell")
    assert output.answer == "In short: Tomas Brandel"
    assert workspace.notes == ["read “Brandell” as “Brandel”"]


def test_what_others_say_of_a_thing_without_a_document(small: KnowledgeBase) -> None:
    output, workspace = told(small, "What is known about “Grey Coast”?")
    assert output.answer == "What is said of Grey Coast"
    assert {one.passage.title for one in workspace.evidence} == {"Tarnow Bay", "Grey Coast Ferry"}


def test_what_is_said_of_somebody_by_the_first_name(tmp_path: Path) -> None:
    """As long as nobody else has it; what begins with the name stands before what only mentions it."""
    (tmp_path / "staff.md").write_text(
        "# Staff\n\nSefa Aydin: deckhand on the Petrel Star, without an extension\n\nOda Brekke: clerk of the office\n"
    )
    (tmp_path / "week.md").write_text(
        "# The week\n\nOn Monday nobody but Sefa was there to take the ropes.\n\nSefa studies for the mate's ticket in "
        "Brannport.\n\nThe Sefanian flag was hoisted on Tuesday morning.\n"
    )
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        lines = told(kb, "tell me about Sefa Aydin")[0].explanation.splitlines()
    quoted = [line.split("“")[1].split("”")[0] for line in lines]
    assert "Sefa studies for the mate's ticket in Brannport." in quoted[:2]
    assert "Sefanian" not in " ".join(quoted)
    (tmp_path / "staff.md").write_text(
        "# Staff\n\nSefa Aydin: deckhand of the boat\n\nSefa Brekke: clerk of the office\n"
    )
    build([tmp_path], tmp_path / "two.clew")
    with KnowledgeBase.open(tmp_path / "two.clew") as kb:
        assert "mate's ticket" not in told(kb, "tell me about Sefa Aydin")[0].explanation


def test_what_a_code_is_stands_in_the_title(tmp_path: Path) -> None:
    (tmp_path / "fog.md").write_text(
        "# OPS-44: fog and when we stay in\n\nThe decision to sail is the skipper's alone.\n"
    )
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        output = told(kb, "What is OPS-44?")[0]
    assert output.answer == "fog and when we stay in"
    assert "the skipper's alone" in output.explanation


@pytest.mark.parametrize(("said", "answered"), [("hello", "Hello."), ("thank you", "You are welcome.")])
def test_small_talk(small: KnowledgeBase, said: str, answered: str) -> None:
    assert told(small, said)[0].answer == answered


def test_a_whole_question(small_file: Path) -> None:
    reply = answer(small_file, "Which documents mention Oskar Valdis?")
    assert reply.found
    assert [citation.title for citation in reply.citations] == ["Irena Valdis", "Oskar Valdis"]
    assert len(reply.passages) == 2
    assert not reply.chains
    assert not reply.struck


def test_small_talk_shows_no_passages(small_file: Path) -> None:
    reply = answer(small_file, "thanks")
    assert (reply.answer, reply.passages, reply.citations) == ("You are welcome.", (), ())


def test_telling_sentences_keep_their_order_and_begin_with_the_first() -> None:
    said = [
        Said("A lighthouse stands on the rock above the town.", 1),
        Said("Heading", 1),
        Said("The lighthouse was built on the rock in 1802 by Ada Moor.", 1, 2),
        Said("Somebody once had a dog there which nobody liked.", 2),
    ]
    assert telling_sentences(said, 2) == [said[0], said[2]]
    assert telling_sentences([], 3) == []
    assert telling_sentences(said[1:2], 3) == []
    assert telling_sentences([said[0], said[0]], 2) == [said[0]]


DIARY = {
    "2025-09-01.md": "# 2025-09-01\n\n- Met Noemi.\n- [x] order 40 m of cable\n- [ ] call the glazier *soon*\n",
    "2025-09-03.md": "# 2025-09-03\n\nFlume test. The third gauge drifted by 6 mm.\n\n- [ ] Ana: print 2*3 clamps\n",
    "2024-09-03.md": "# 2024-09-03\n\nFirst day at the lab.\n",
    "meeting.md": "# Minutes 5 May 2025\n\nPresent: Ana.\n\n1. Ana mends the gauge. It drifts.\n2) 3.5 m more cable\n",
    "flume.md": "# Flume\n\nThe flume leaked on 3 September 2025.\n",
}


@pytest.fixture(scope="module")
def diary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("diary")
    for name, text in DIARY.items():
        (folder / name).write_text(text)
    build([folder], folder / "notes.clew")
    with KnowledgeBase.open(folder / "notes.clew") as kb:
        yield kb


@pytest.mark.parametrize(
    ("question", "answered", "lines"),
    [
        (
            "What happened on 3 September 2025?",
            "Noted on 2025-09-03",
            [
                "- Flume test. [1]",
                "- The third gauge drifted by 6 mm. [1]",
                "- ☐ Ana: print 2\\*3 clamps [1]",
            ],
        ),
        ("What did we do on 3 September 2024?", "Noted on 2024-09-03", ["- First day at the lab. [1]"]),
        (
            "What happened on 5 May 2025?",
            "Noted in Minutes 5 May 2025",
            [
                "- Present: Ana. [1]",
                "- 1\\. Ana mends the gauge. [1]",
                "- It drifts. [1]",
                "- 2\\. 3.5 m more cable [1]",
            ],
        ),
    ],
)
def test_what_is_noted_on_a_day(diary: KnowledgeBase, question: str, answered: str, lines: Sequence[str]) -> None:
    output, _ = told(diary, question)
    assert (output.answer, output.explanation.split("\n")) == (answered, lines)


def test_a_day_without_its_year_is_that_of_each(diary: KnowledgeBase) -> None:
    output, workspace = told(diary, "What happened on 3 September?")
    assert output.answer == "Noted on 2024-09-03; 2025-09-03"
    assert [one.passage.title for one in workspace.evidence] == ["2024-09-03", "2025-09-03"]


@pytest.mark.parametrize(
    "question", ["What happened on 4 September?", "What happened on 3 September in the hall?", "notes of 31 June"]
)
def test_a_day_that_no_title_tells_is_not_told(diary: KnowledgeBase, question: str) -> None:
    assert about_base(diary, Workspace(question)) is None


def test_open_tasks_are_told_with_where_they_stand(diary: KnowledgeBase, small: KnowledgeBase) -> None:
    output, _ = told(diary, "What is still to do?")
    assert output.answer == "2 open tasks"
    assert output.explanation.split("\n") == [
        "- call the glazier soon (2025-09-01) [1]",
        "- Ana: print 2\\*3 clamps (2025-09-03) [2]",
    ]
    assert about_base(small, Workspace("What is still to do?")) is None


def test_of_many_tasks_and_lines_the_first_are_told(tmp_path: Path) -> None:
    (tmp_path / "2025-09-01.md").write_text("# 2025-09-01\n\n" + "".join(f"- [ ] task no {n}\n" for n in range(30)))
    build([tmp_path], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        assert told(kb, "What is still to do?")[0].explanation.split("\n")[-1] == "- and 10 more"
        assert told(kb, "What happened on 1 September?")[0].explanation.split("\n")[-1] == "- and 20 lines more"


MINUTES = {
    "minutes-june.md": "# Committee meeting, 12 June 2025\n\nPresent: Ana Roe, Bo Lind.\n\n"
    "1. Roof. It was decided to take the cheaper offer.\n2. Insurance. Bo asks two more companies.\n",
    "minutes-sept.md": "# Committee meeting, 11 September 2025\n\nPresent: Ana Roe.\n\n"
    "1. Roof. Done in August, for 4,550 pounds.\n2. Keys. Bo has handed his to Ana.\n",
    "notes/roof-offers.md": "# Offers for the roof\n\nThe builders Prys offer to do all of it for 4,200 pounds.\n",
}


@pytest.fixture(scope="module")
def minutes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("minutes")
    for name, text in MINUTES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    build([str(folder)], folder / "minutes.clew")
    with KnowledgeBase.open(folder / "minutes.clew") as kb:
        yield kb


@pytest.mark.parametrize(
    ("question", "titles", "lines"),
    [
        ("What was decided in June?", ["12 June 2025"], ["cheaper offer", "two more companies"]),
        ("What was discussed at the last meeting?", ["11 September 2025"], ["Done in August", "handed his to Ana"]),
        ("What was decided about the roof?", ["12 June 2025", "11 September 2025"], ["cheaper offer", "Done in"]),
        ("What was decided at the meeting in September?", ["11 September 2025"], ["Done in August"]),
        ("summarise the minutes of June", ["12 June 2025"], ["cheaper offer"]),
    ],
)
def test_what_minutes_say(minutes: KnowledgeBase, question: str, titles: Sequence[str], lines: Sequence[str]) -> None:
    output, _ = told(minutes, question)
    assert output.answer.count("Committee meeting") == len(titles)
    assert all(title in output.answer for title in titles)
    assert all(line in output.explanation for line in lines)
    assert "Present" not in output.explanation


def test_the_one_point_about_a_thing_is_the_answer(minutes: KnowledgeBase) -> None:
    for question in (
        "What did they decide about the roof in September?",
        "What was decided about the roof in the end?",
    ):
        output, _ = told(minutes, question)
        assert output.answer == "1. Roof. Done in August, for 4,550 pounds."


@pytest.mark.parametrize(
    "question",
    [
        "What was decided in July?",
        "What was decided about the boiler?",
        "What was decided about the cheaper keys?",
        "What was decided at the AGM about the roof?",
        "What was decided at the meeting?",
    ],
)
def test_what_no_minutes_say(minutes: KnowledgeBase, question: str) -> None:
    workspace = Workspace(question)
    assert about_base(minutes, workspace) is None


def test_a_document_by_the_name_of_its_file(minutes: KnowledgeBase) -> None:
    output, _ = told(minutes, "summarise roof-offers.md")
    assert output.answer == "In short: Offers for the roof"
