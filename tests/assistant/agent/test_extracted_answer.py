"""What is read for the answer, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from assistant.agent.final_answer import Found, NotFound, Output
from assistant.agent.offline import extracted_answer, situation, what_is_read
from assistant.agent.offline.extracted_answer import Extracted, agreeing_hops, extract, take_in, worded
from assistant.agent.offline.headed import RECORDS, passages_of_day, passages_of_record, passages_of_release
from assistant.agent.offline.reading_pool import Pool, by_reading, pool_of
from assistant.agent.offline.situation import situated
from assistant.agent.offline.two_steps import Stepped
from assistant.agent.offline.unknown_names import unknown_name
from assistant.agent.replying.composing import build_reply
from assistant.agent.replying.reply import Usage
from assistant.agent.workspace import Workspace
from assistant.conversations.session import answer
from kb.build import build
from kb.records import Passage
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint, Plan, is_name
from tools.planning.planner import plan_question
from tools.reading.answering import EvidencePassage, FoundAnswer, Hop, Quote
from tools.reading.certainty import RISK
from tools.reading.considering import ALONE
from tools.reading.spans import Reading
from tools.reading.told import Sentence, Told
from tools.types import Hit

SENTENCE = "On Monday the key of the studio is with Ana Ruiz at the mill."
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


@pytest.fixture(scope="module")
def rota(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rota")
    for day in DAYS:
        (folder / f"{day}.md").write_text(f"On {day} the key of the studio is with Ana Ruiz at the mill.\n", "utf-8")
    build([str(folder)], folder / "rota.clew")
    return folder / "rota.clew"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The titles of what is read for an answer, of which nothing is made."""
    read: list[str] = []

    def noting(question: str, plan: object, passages: list[EvidencePassage], *more: object) -> FoundAnswer:
        read.extend(passage.title for passage in passages)
        return FoundAnswer("", (), (), 0.0, "", "")

    monkeypatch.setattr(extracted_answer, "answer_question", noting)
    return read


def test_behind_the_first_three_each_passage_is_read_by_its_own_chance(
    rota: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ranking has the other parts of a short document last, however likely they are."""
    monkeypatch.setattr(what_is_read, "READ", 5)
    with KnowledgeBase.open(rota) as kb:
        question = "Which day is it?"
        workspace = Workspace(question, plan=plan_question(question))
        chances = (0.2, 0.3, 0.1, 0.02, 0.01, 0.25)
        passages = [kb.document_passages(f"{day}.md")[0] for day in DAYS]
        workspace.rank("evidence_walk", [Hit(one, chance) for one, chance in zip(passages, chances, strict=True)])
        found = [hit.passage.source.rpartition("/")[2] for hit in what_is_read.to_read(kb, workspace).hits]
    assert found == [f"{day}.md" for day in ("Monday", "Tuesday", "Wednesday", "Saturday", "Thursday")]


def test_the_passages_of_a_day_that_is_named_are_told_apart(tmp_path: Path) -> None:
    """They are kept whatever a reader says of them."""
    for name in ("6 May 2022", "7 May 2022", "Recipes"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nAda cooked soup for nine.\n", "utf-8")
    build([str(tmp_path)], tmp_path / "diary.clew")
    question = "What did Ada cook on 6 May 2022?"
    with KnowledgeBase.open(tmp_path / "diary.clew") as kb:
        workspace = Workspace(question, plan=plan_question(question))
        (asked,), (other,) = (kb.document_passages(f"{name}.md") for name in ("6 May 2022", "Recipes"))
        workspace.rank("evidence_walk", [Hit(other, 0.5)])
        found = what_is_read.to_read(kb, workspace)
        pool = pool_of(kb, question, found)
        kept = by_reading(
            question, pool, lambda pairs: [Reading(answered=float("6 May" not in title)) for _, title, _ in pairs]
        )
    assert found.named == {asked.id}
    assert asked.id in [hit.passage.id for hit in kept]


def test_what_the_reader_says_answers_is_read_first_also_if_only_a_search_finds_it(
    rota: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def says_friday(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [Reading(answered=0.99 if "On Friday" in text else 0.0) for _, _, text in pairs]

    monkeypatch.setattr(extracted_answer, "load_reader", lambda: SimpleNamespace(read=says_friday))
    question = "Who has the key of the studio on Friday?"
    with KnowledgeBase.open(rota) as kb:
        workspace = Workspace(question, plan=plan_question(question))
        ranked = [Hit(kb.document_passages(f"{day}.md")[0], 0.5) for day in ("Monday", "Tuesday")]
        workspace.rank("evidence_walk", ranked)
        extract(kb, workspace)
        (friday,) = kb.document_passages("Friday.md")
    assert read[0] == "Friday"
    assert len(read) == 2
    assert workspace.foremost == friday.id


@pytest.mark.parametrize(("confidence", "is_numbered"), [(0.2, True), (0.9, False)])
def test_what_comes_closest_can_be_cited_where_no_answer_is_given(
    rota: Path, confidence: float, is_numbered: bool
) -> None:
    with KnowledgeBase.open(rota) as kb:
        (friday,) = kb.document_passages("Friday.md")
        workspace = Workspace("Who has the key?")
        near = ((friday.id, friday.text.strip()),)
        take_in(kb, workspace, Extracted(FoundAnswer("Ana Ruiz", (), (), confidence, "", "", near=near)))
        assert (workspace.of_passage(friday.id) is not None) is is_numbered


def test_what_answers_likeliest_is_listed_first(rota: Path) -> None:
    """Of two that are listed the ranking's second gives way to the foremost, or to what an answer cites; without a
    foremost nothing changes.
    """
    with KnowledgeBase.open(rota) as kb:
        monday, tuesday, friday = (kb.document_passages(f"{day}.md")[0] for day in ("Monday", "Tuesday", "Friday"))

        def listed(foremost: int | None, output: Output) -> list[int]:
            workspace = Workspace("Who has the key?", foremost=foremost)
            workspace.rank("evidence_walk", [Hit(monday, 0.5), Hit(tuesday, 0.4)])
            take_in(kb, workspace, Extracted())
            reply = build_reply(kb, workspace, output, top=2, model="", usage=Usage(), seconds=0.0)
            assert [one.score for one in reply.passages] == sorted((one.score for one in reply.passages), reverse=True)
            return [one.id for one in reply.passages]

        nobodys, tuesdays = NotFound(missing="who"), Found(answer="Bo", explanation="Bo has it [2].", cited=[2])
        assert listed(None, nobodys) == [monday.id, tuesday.id]
        assert listed(friday.id, nobodys) == [friday.id, monday.id]
        assert listed(tuesday.id, nobodys) == [tuesday.id, monday.id]
        assert listed(friday.id, tuesdays) == [tuesday.id, monday.id]
        assert listed(None, tuesdays) == [monday.id, tuesday.id]


def test_a_list_is_looked_for_in_more_passages_than_are_ranked_anew(
    rota: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what_is_read, "RANKED", 4)
    monkeypatch.setattr(what_is_read, "READ", 2)
    monkeypatch.setattr(what_is_read, "READ_FOR_LISTS", 5)
    for question, count in (("Which days are named?", 5), ("Which day is it?", 2)):
        read.clear()
        with KnowledgeBase.open(rota) as kb:
            workspace = Workspace(question, plan=plan_question(question))
            workspace.rank("evidence_walk", [Hit(kb.document_passages(f"{day}.md")[0], 0.1) for day in DAYS])
            extract(kb, workspace)
        assert len(read) == count


def extracted_from(folder: Path, documents: dict[str, str], question: str, ranked: Sequence[str]) -> FoundAnswer | None:
    """What a question is answered with over documents, of which some are ranked."""
    for name, text in documents.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    build([str(folder)], folder / "built.clew")
    with KnowledgeBase.open(folder / "built.clew") as kb:
        workspace = Workspace(question, plan=plan_question(question))
        workspace.rank("evidence_walk", [Hit(kb.document_passages(f"{name}.md")[0], 0.1) for name in ranked])
        return extract(kb, workspace).found


def test_a_copy_is_not_read_again(tmp_path: Path, read: list[str]) -> None:
    text = "".join(
        f"In room {number} the heating is turned down to {number} degrees by the porter.\n" for number in range(9)
    )
    documents = {"Rooms": text, "Rooms copied": text, "Key": "Ana has the key."}
    extracted_from(tmp_path, documents, "Where is it warm?", list(documents))
    assert read == ["Rooms", "Key"]


def test_what_letters_stand_for_is_looked_for_in_many_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extracted_answer, "TELLING", 2)
    documents = dict.fromkeys("abcd", "Mind the LDV before an update.")
    documents["e"] = "It is the least demanded version (LDV) that counts."
    found = extracted_from(tmp_path, documents, "What does LDV stand for?", "a")
    assert found is not None
    assert found.text == documents["e"]


def test_a_page_of_its_own_says_best_what_a_thing_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at before pages whose titles come earlier."""
    monkeypatch.setattr(extracted_answer, "TELLING", 2)
    documents = dict.fromkeys("abc", "Run fleet rehash after that.")
    documents["the fleet rehash page"] = "fleet-rehash — Rebuild the tables"
    found = extracted_from(tmp_path, documents, "What does fleet rehash do?", "a")
    assert found is not None
    assert found.text == "fleet-rehash — Rebuild the tables"


@pytest.mark.parametrize(
    ("question", "confidence"),
    [("What is the mill?", 0.9), ("Who is Ana Ruiz?", extracted_answer.DEFINED), ("Where is Ana Ruiz?", 0.9)],
)
def test_what_is_read_beside_a_name_is_hardly_its_definition(
    rota: Path, monkeypatch: pytest.MonkeyPatch, question: str, confidence: float
) -> None:
    """ "The mill" is a thing that is asked for, "Ana Ruiz" one that is to be defined."""
    monkeypatch.setattr(extracted_answer, "answer_question", lambda *given: FoundAnswer("the key", (), (), 0.9, "", ""))
    with KnowledgeBase.open(rota) as kb:
        workspace = Workspace(question, plan=plan_question(question))
        workspace.rank("evidence_walk", [Hit(kb.document_passages("Monday.md")[0], 0.2)])
        assert extract(kb, workspace).confidence == confidence


@pytest.mark.parametrize(
    ("is_doubtful", "text", "confidence"), [(True, "Ana", ALONE), (True, "Bo", 0.9), (False, "Ana", 0.9)]
)
def test_what_is_doubted_as_a_whole_is_no_surer_in_steps(
    rota: Path, monkeypatch: pytest.MonkeyPatch, is_doubtful: bool, text: str, confidence: float
) -> None:
    whole = FoundAnswer("Ana", (), (), ALONE, "", "", is_doubtful=is_doubtful)
    stepped = Stepped(FoundAnswer(text, (), (), 0.9, "", ""))
    monkeypatch.setattr(extracted_answer, "answer_question", lambda *given: whole)
    monkeypatch.setattr(extracted_answer, "answer_in_steps", lambda *given: stepped)
    with KnowledgeBase.open(rota) as kb:
        question = "Who is Ana's sister?"
        workspace = Workspace(question, plan=plan_question(question))
        workspace.rank("evidence_walk", [Hit(kb.document_passages("Monday.md")[0], 0.2)])
        assert extract(kb, workspace).confidence == confidence


@pytest.mark.parametrize(
    ("term", "named"),
    [
        ("I", False),
        ("I'm", False),
        ("I’ve", False),
        ("Elizabeth I", True),
        ("Ana and I", True),
        ("IBM", True),
        ("?Ana", False),
    ],
)
def test_who_asks_is_no_name(term: str, named: bool) -> None:
    assert is_name(term) is named


def test_a_question_of_ones_own_is_answered_though_no_passage_says_i(rota: Path) -> None:
    question = "Who has the key of the studio that I need on Friday?"
    assert any("I" in (one.head, one.tail) for one in plan_question(question).constraints)
    with KnowledgeBase.open(rota) as kb:
        workspace = Workspace(question, plan=plan_question(question))
        workspace.add_hits("passage_search", [Hit(kb.document_passages(f"{day}.md")[0], 0.5) for day in DAYS])
        extracted = extract(kb, workspace)
    assert extracted.unknown == ""
    assert extracted.found is not None
    assert extracted.found.text in ("Ana Ruiz", "Ana Ruiz at the mill", SENTENCE.replace("Monday", "Friday"))


@pytest.mark.parametrize(
    ("text", "unknown"),
    [("MARKET SQ takings 7,105", ""), ("The market is closed.", "Market Square"), ("SQ is short.", "Market Square")],
)
def test_a_name_may_be_cut_short(text: str, unknown: str) -> None:
    question = "Who is new on Market Square?"
    hits = [Hit(Passage(1, "d", "Branches", text, "", 0, 0, None, 0), 0.5)]
    assert unknown_name(question, plan_question(question), hits) == unknown


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("Where does Cleo Hart live?", "Cleo Hart"),
        ("Price of the key of the studio?", ""),
        ("Who has the key of the studio in December?", ""),
        ("Where do I get the key of the Mill Tower?", "Mill Tower"),
        ("Who gave Ana Ruiz the key?", ""),
        ("WHO IS BESSIE TEMPLE?", ""),
    ],
)
def test_a_name_is_what_the_question_writes_as_one(rota: Path, question: str, unknown: str) -> None:
    with KnowledgeBase.open(rota) as kb:
        hits = [Hit(kb.document_passages(f"{day}.md")[0], 0.5) for day in DAYS]
    assert unknown_name(question, plan_question(question), hits) == unknown


@pytest.mark.parametrize(
    ("span", "quote", "risk", "said", "answer"),
    [
        (0.6, 0.8, RISK, SENTENCE, SENTENCE),
        (0.6, 0.8, RISK, "Another sentence has Ana Ruiz.", SENTENCE),
        (0.8, 0.9, RISK, SENTENCE, "Ana Ruiz"),
        (0.6, 0.69, RISK, SENTENCE, "Ana Ruiz"),
        (0.6, 0.8, 0.5, SENTENCE, "Ana Ruiz"),
        (0.6, 0.8, 0.05, SENTENCE, "Ana Ruiz"),
    ],
)
def test_a_sentence_is_quoted_where_it_may_be_given_and_its_words_may_not(
    rota: Path, monkeypatch: pytest.MonkeyPatch, span: float, quote: float, risk: float, said: str, answer: str
) -> None:
    with KnowledgeBase.open(rota) as kb:
        passage = kb.document_passages("Monday.md")[0]
        step = Hop(Constraint("?person", "has", "the key"), "Ana Ruiz", passage.id, said, span)
        found = FoundAnswer("Ana Ruiz", (step,), (passage.id,), span, "", "")
        found = replace(found, quote=Quote(passage.id, SENTENCE, quote, SENTENCE))
        monkeypatch.setattr(extracted_answer, "answer_question", lambda *given: found)
        question = "Who has the key on Monday?"
        workspace = Workspace(question, plan=plan_question(question), risk=risk)
        workspace.rank("evidence_walk", [Hit(passage, 0.2)])
        extracted = extract(kb, workspace)
        output = worded(workspace, extracted)
    assert extracted.found is not None
    assert extracted.found.text == answer
    assert extracted.is_quoted == (answer == SENTENCE)
    assert extracted.confidence == (quote if answer == SENTENCE else span)
    if extracted.is_quoted:
        assert extracted.hops == ((step,) if said == SENTENCE else ())
        assert isinstance(output, Found)
        assert (output.answer, output.explanation) == (SENTENCE, f"{SENTENCE} [1]")


@pytest.mark.parametrize(
    ("span", "quote", "is_chosen", "is_own", "told"),
    [
        (0.7, 0.0, True, True, 0.75),
        (0.65, 0.7, True, True, 0.75),
        (0.72, 0.8, True, True, 0.8),  # the sentence may be given as it is
        (0.8, 0.0, True, True, 0.8),
        (0.69, 0.0, True, True, 0.7411),
        (0.7, 0.0, False, True, 0.7),
        (0.7, 0.0, True, False, 0.7),  # an encyclopaedia's are held for likelier where they are chosen
    ],
)
def test_what_was_chosen_among_peoples_own_documents_is_held_for_likelier(
    rota: Path, monkeypatch: pytest.MonkeyPatch, span: float, quote: float, is_chosen: bool, is_own: bool, told: float
) -> None:
    """At 0.7 the odds are 7 to 3; 9 / 7 of them are 9 to 3, which is 0.75. What is weighed otherwise has no chances."""
    with KnowledgeBase.open(rota) as kb:
        passage = kb.document_passages("Monday.md")[0]
        chances = (("Ana Ruiz", span),) if is_chosen else ()
        quoted = Quote(passage.id, SENTENCE, quote, SENTENCE)
        found = FoundAnswer("Ana Ruiz", (), (passage.id,), span, "", "", quote=quoted, chances=chances)
        monkeypatch.setattr(extracted_answer, "answer_question", lambda *given: found)
        if not is_own:
            monkeypatch.setattr(extracted_answer, "pool_of", lambda kb, question, found: Pool(found.hits))
        question = "Who has the key on Monday?"
        workspace = Workspace(question, plan=plan_question(question))
        workspace.rank("evidence_walk", [Hit(passage, 0.2)])
        extracted = extract(kb, workspace)
    assert extracted.confidence == told
    assert extracted.is_quoted == (quote > span)


def test_the_steps_of_a_models_answer_are_those_of_the_words_though_offline_the_sentence_is_quoted(
    rota: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with KnowledgeBase.open(rota) as kb:
        passage = kb.document_passages("Monday.md")[0]
        step = Hop(Constraint("?person", "has", "the key"), "Ana Ruiz", passage.id, SENTENCE, 0.6)
        found = FoundAnswer("Ana Ruiz", (step,), (passage.id,), 0.6, "", "", quote=Quote(passage.id, SENTENCE, 0.8, ""))
        monkeypatch.setattr(extracted_answer, "answer_question", lambda *given: found)
        question = "Who has the key on Monday?"
        workspace = Workspace(question, plan=plan_question(question))
        workspace.rank("evidence_walk", [Hit(passage, 0.2)])
        output = Found(answer="Ana Ruiz", explanation=f"{SENTENCE} [1]", cited=[1])
        extracted, hops = agreeing_hops(kb, workspace, output)
    assert hops == (step,)
    assert extracted.confidence == 0.6


@pytest.mark.parametrize(("called", "read"), [((), False), (("passage_search",), False), (("evidence_walk",), True)])
def test_nothing_is_read_before_the_ranking_was_called_and_all_is_though_it_failed(
    rota: Path, monkeypatch: pytest.MonkeyPatch, called: tuple[str, ...], read: bool
) -> None:
    monkeypatch.setattr(situation, "extract", lambda *given: Extracted(unknown="was read"))
    with KnowledgeBase.open(rota) as kb:
        workspace = Workspace("Who?", plan=Plan(()))
        workspace.add_hits("passage_search", [Hit(kb.document_passages("Monday.md")[0], 0.8)])
        _, extracted = situated(kb, workspace, called)
    assert (extracted.unknown == "was read") is read


@pytest.mark.parametrize(
    ("short", "quoted", "is_first"), [(0.8, 0.9, True), (0.6, 0.9, False), (0.6, 0.5, True), (0.0, 0.8, False)]
)
def test_a_short_answer_that_may_be_given_goes_before_a_sentence(short: float, quoted: float, is_first: bool) -> None:
    one = Extracted(FoundAnswer("Ana Ruiz", (), (), short, "", ""))
    other = Extracted(FoundAnswer(SENTENCE, (), (), quoted, "", ""), is_quoted=True)
    assert one.outdoes(other, RISK) is is_first
    assert other.outdoes(one, RISK) is not is_first
    assert one.outdoes(one, RISK)
    assert other.outdoes(other, RISK)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("- RTB: ready to bow.", "RTB: ready to bow."),
        ("3. Ready to bow.", "Ready to bow."),
        ("-40 degrees is the least.", "-40 degrees is the least."),
        ("1999 was the year.", "1999 was the year."),
        ("-", "-"),
    ],
)
def test_a_sentence_that_is_the_answer_has_no_mark_of_its_list(sentence: str, answer: str) -> None:
    told = Told((Sentence(1, "", sentence, 0, 0, 0.5),), 0.8)
    found = extracted_answer._told(told).found
    assert found is not None
    assert found.text == answer


@pytest.mark.parametrize("fathers", [30, 600])
def test_a_question_that_was_not_read_to_its_end_is_not_answered_by_what_is_left(
    small_file: Path, fathers: int
) -> None:
    reply = answer(small_file, f"Where was {'the father of ' * fathers}Irena Valdis born?")
    assert (reply.found, reply.answer) == (False, "")
    assert "more steps" in reply.missing


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talk")
    turns = (
        "Ada: Hi Bruno! I quit the choir because the rehearsals were too late for me.",
        "Bruno: Oh no! My audition at the radio was yesterday.",
        "Ada: How was it?",
        "Bruno: It was for a reading job, and they want me.",
    )
    (folder / "talk.md").write_text("# Ada and Bruno, 3 May, 2024\n\n" + "\n\n".join(turns) + "\n", "utf-8")
    build([str(folder)], folder / "talk.clew")
    return folder / "talk.clew"


@pytest.mark.parametrize(
    "question", ["Why did Bruno quit the choir?", "Where was Ada's audition?", "How was Ada's audition?"]
)
def test_what_one_speaker_tells_is_no_answer_about_the_other(talk: Path, question: str) -> None:
    reply = answer(talk, question)
    assert not reply.found
    assert reply.confidence <= ALONE


def test_what_a_speaker_tells_is_an_answer_about_him(talk: Path) -> None:
    reply = answer(talk, "Why did Ada quit the choir?")
    assert reply.found
    assert "too late" in reply.answer


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("What did Ada cook on 6 May 2022?", ["Ada and Bruno, 7:10 pm on 6 May, 2022"]),
        ("What did Ada cook on May 6th, 2022?", ["Ada and Bruno, 7:10 pm on 6 May, 2022"]),
        ("What did Ada cook in May 2022?", ["Ada and Bruno, 7:10 pm on 6 May, 2022", "Minutes 2022-05-09"]),
        ("What did Ada cook?", []),
        ("What did Ada cook in 2022?", []),
        ("What did Ada cook on 7 May 2022?", []),
    ],
)
def test_the_passages_of_a_day_that_is_named(tmp_path: Path, question: str, titles: list[str]) -> None:
    talk = "Ada: I cooked a soup.\n\nBruno: Nice!\n\nAda: And a pie.\n"
    for name, title in enumerate(("Ada and Bruno, 7:10 pm on 6 May, 2022", "Minutes 2022-05-09", "Talk, 6 June, 2022")):
        (tmp_path / f"{name}.md").write_text(f"# {title}\n\n{talk if not name else 'On 6 May 2022 we met.'}\n", "utf-8")
    build([str(tmp_path)], tmp_path / "days.clew")
    with KnowledgeBase.open(tmp_path / "days.clew") as kb:
        assert [one.title for one in passages_of_day(kb, question)] == titles


def test_a_record_is_read_though_others_speak_of_its_name(tmp_path: Path) -> None:
    """A table of thirty in the middle of passages of everybody; the words of the question are elsewhere."""
    people = [f"Ann{letter} Lee{letter}" for letter in "bcdfghjklmnpqrstvwxz"]
    rows = "".join(
        f"| {one} | welder of frames and of gates | Hall {at} | {200 + at} |\n" for at, one in enumerate(people)
    )
    (tmp_path / "people.md").write_text(
        f"# People\n\n| Name | Job | Place | Ext. |\n|---|---|---|---|\n{rows}", "utf-8"
    )
    for name in ("north", "south", "yard"):
        text = f"# The {name}\n\nExtension: 900\n\nAnnz Leez was in the {name} for the new extension.\n"
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    build([str(tmp_path)], tmp_path / "people.clew")
    question = "What is the extension of Annz Leez?"
    with KnowledgeBase.open(tmp_path / "people.clew") as kb:
        (record,) = passages_of_record(kb, plan_question(question))
        assert "Name: Annz Leez" in record.text
        assert passages_of_record(kb, plan_question("What is the extension of Bert Moor?")) == []
        assert passages_of_record(kb, plan_question("What is the extension?")) == []
        assert passages_of_record(kb, None) == []
    assert answer(tmp_path / "people.clew", question).answer == "219"


def test_a_name_that_begins_too_many_records_leads_to_none(tmp_path: Path) -> None:
    for at in range(RECORDS + 1):
        (tmp_path / f"{at}.md").write_text(f"# Note {at}\n\n## Ann (Lee)\n\nDesk: {at}\n", "utf-8")
    (tmp_path / "one.md").write_text("# One\n\n## C++ (old)\n\nDesk: 7\n", "utf-8")
    build([str(tmp_path)], tmp_path / "notes.clew")
    with KnowledgeBase.open(tmp_path / "notes.clew") as kb:
        ann, old = (Plan((Constraint(name, "desk", "?desk"),), "?desk") for name in ("Ann (Lee)", "C++ (old"))
        assert passages_of_record(kb, ann) == []
        assert [one.title for one in passages_of_record(kb, old)] == ["One"]


def test_the_passages_of_a_release_that_is_named(tmp_path: Path) -> None:
    for name in ("mill", "oven"):
        news = "\n\n".join(
            f"* Noteworthy changes in release {version} ({2000 + int(version[2:])}-02-03)\n\n"
            f"  The {name} {version} grinds finer{' and hotter' * 60}."
            for version in ("1.1", "1.2", "1.3", "1.12", "1.30")
        )
        (tmp_path / name).mkdir()
        (tmp_path / name / "NEWS").write_text(f"{name.title()} NEWS\n\n{news}\n", "utf-8")
    build([str(tmp_path)], tmp_path / "news.clew")
    with KnowledgeBase.open(tmp_path / "news.clew") as kb:
        found = passages_of_release(kb, "When did oven 1.3 come out?")
        assert [one.title for one in found] == ["Oven NEWS", "Mill NEWS"]
        assert all("release 1.3 (2003" in one.text for one in found)
        assert passages_of_release(kb, "When did the oven come out?") == []
        assert passages_of_release(kb, "When did oven 1.4 come out?") == []
    assert answer(tmp_path / "news.clew", "When did oven 1.3 come out?").answer == "2003-02-03"


@pytest.mark.parametrize(
    ("question", "first"),
    [("Who has the key on 14 May 2022?", "Minutes 2022-05-14"), ("Who has the key in v1.14?", "Day 14")],
)
def test_what_is_of_the_day_or_release_named_is_read_first(
    tmp_path: Path, read: list[str], question: str, first: str
) -> None:
    for day in range(10, 30):
        (tmp_path / f"{day}-minutes.md").write_text(f"# Minutes 2022-05-{day}\n\nAna has the key.\n", "utf-8")
        (tmp_path / f"{day}-day.md").write_text(f"# Day {day}\n\n## Release 1.{day}\n\nBen has the key.\n", "utf-8")
    build([str(tmp_path)], tmp_path / "days.clew")
    with KnowledgeBase.open(tmp_path / "days.clew") as kb:
        workspace = Workspace(question, plan=plan_question(question))
        workspace.rank("evidence_walk", [Hit(kb.document_passages(f"{day}-day.md")[0], 0.1) for day in range(15, 29)])
        extract(kb, workspace)
    assert read[0] == first
