"""Questions about what they only describe, through the real session over a small file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.offline import extracted_answer, two_steps
from assistant.agent.offline.policy import Situation, next_calls
from assistant.agent.offline.preparing import prepared
from assistant.agent.workspace import Workspace
from assistant.conversations.session import Session, final_reply
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from tools.answer_rules.text import says
from tools.planning.plan import Constraint, Plan
from tools.reading.answering import FoundAnswer, Hop, Rival

STAFF = (
    "Name,Role,Extension,Room\nMaren Oldcastle,Head,4412,G12\nIrena Szablewska,Teacher,4402,G17\n"
    "Desmond Harkett,Caretaker,4400,Lodge\n"
)
REPORT = "# The week\n\nThe cardboard volcano was built by Irena Szablewska, and it smoked for an hour.\n"
QUESTION = "What is the extension of the person who built the cardboard volcano?"


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("school")
    (folder / "staff_list.csv").write_text(STAFF, encoding="utf-8")
    (folder / "week.md").write_text(REPORT, encoding="utf-8")
    build([str(folder)], folder / "school.clew")
    return folder / "school.clew"


async def test_what_fits_a_description_is_found_first_and_asked_about(school: Path) -> None:
    with Session.open(school) as session:
        reply = await final_reply(session, QUESTION)
    assert reply.answer == "4402"
    assert reply.found
    assert {source.quote.split(";")[0] for source in reply.sources} == {
        "The cardboard volcano was built by Irena Szablewska, and it smoked for an hour.",
        "Name: Irena Szablewska",
    }


async def test_what_nothing_fits_is_not_answered(school: Path) -> None:
    with Session.open(school) as session:
        reply = await final_reply(session, "What is the extension of the person who painted the giant squid?")
    assert not reply.found
    assert reply.missing == "no passage says for certain who or what is the person who painted the giant squid"


async def test_what_a_passage_tells_of_is_not_said_to_be_told_nowhere(school: Path) -> None:
    with Session.open(school) as session:
        reply = await final_reply(session, "What is the shoe size of the dog that smoked for an hour on the volcano?")
        told = await final_reply(session, "What is the shoe size of the person who smoked for an hour on the volcano?")
    assert "who or what is the dog" in reply.missing
    assert not told.found
    assert "who or what" not in told.missing


@pytest.mark.parametrize(
    ("question", "is_parted"),
    [
        ("What is the sum of the extensions of the volcano's builder?", False),
        ("The person who built the volcano: what is the shoe size and where do they live?", False),  # one of two halves
        ("What is the shoe size of the volcano's builder?", True),
    ],
)
async def test_sums_and_questions_for_two_things_are_not_parted(
    question: str, is_parted: bool, school: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parted: list[str] = []
    monkeypatch.setattr(two_steps, "described", parted.append)
    with Session.open(school) as session:
        await final_reply(session, question)
    assert bool(parted) is is_parted


def test_what_the_question_consists_of_is_searched_for_before_giving_up() -> None:
    called = ("passage_search", "edge_scoring", "textual_recovery", "evidence_walk")
    calls = next_calls(Situation("Q?", Plan(()), called, next_asked="Who built it?"))
    assert [(call.tool, call.arguments) for call in calls] == [("passage_search", {"query": "Who built it?", "k": 10})]
    assert next_calls(Situation("Q?", Plan(()), called)) == ()
    assert next_calls(Situation("Q?", Plan(()), called, confident=True, next_asked="Who built it?")) == ()


async def test_what_belongs_to_a_name_is_found_first_and_asked_about(school: Path) -> None:
    with Session.open(school) as session:
        reply = await final_reply(session, "What is the extension of the volcano's builder?")
    assert reply.answer == "4402"
    assert reply.certainty == "likely"


def _found(text: str, confidence: float) -> FoundAnswer:
    return FoundAnswer(text, (), (), confidence, "", "")


def test_what_several_ways_lead_to_is_likelier_and_never_sure() -> None:
    # 0.5 * 0.4 + 0.1 * 0.9 = 0.29 for "4402", 0.3 * 0.5 = 0.15 for "4400"; 6 * 0.29 / (1 + 5 * 0.29) = 0.7102.
    ways = [
        (_found("Maren", 0.3), _found("4400", 0.5)),
        (_found("Irena", 0.5), _found("4402", 0.4)),
        (_found("Ms Szablewska", 0.1), _found("4402", 0.9)),
    ]
    found = two_steps._likeliest("the builder", ways, (), 6.0)
    assert (found.text, found.confidence) == ("4402", 0.7102)
    # The question as a whole gives it with 0.5 as well: the odds grow e times more, 16.31 * 0.29 / (1 + 15.31 * 0.29).
    agreed = two_steps._likeliest("the builder", ways, (("4402", 0.5), ("4400", 0.1)), 6.0)
    assert agreed.confidence == pytest.approx(0.8695, abs=1e-4)
    certain = two_steps._likeliest("the builder", [(_found("Irena", 1.0), _found("4402", 1.0))], (), 6.0)
    assert certain.confidence == 0.94


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (replace(_found("365", 0.6), is_doubtful=False), "365"),
        (replace(_found("365", 0.6), is_doubtful=True), ""),  # not what is asked for
        (_found("stall", 0.9), ""),  # in the question
        (_found("Perth", 0.9), ""),  # the first step's
    ],
)
def test_what_is_no_answer_to_the_second_step_leads_nowhere(
    monkeypatch: pytest.MonkeyPatch, second: FoundAnswer, said: str
) -> None:
    answers = {
        "Which town hosts the fair?": _found("Perth", 0.9),
        "What is left to pay for the stall in Perth?": second,
    }
    monkeypatch.setattr(two_steps, "_resolved", lambda _kb, _workspace, question, *_: (answers[question], (question,)))
    monkeypatch.setattr(two_steps, "nearest_passages", lambda *_: [])
    question = "What is left to pay for the stall in the town that hosts the fair?"
    workspace = Workspace(question)
    stepped = two_steps.answer_in_steps(None, workspace, question, None)  # type: ignore[arg-type]
    assert stepped.found is not None
    assert stepped.found.text == said
    assert stepped.asked == tuple(answers)


def test_what_else_fits_the_description_is_followed_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    rivals = (Rival("Leith", 7, "Leith has a fair.", 0.3), Rival("Hull", 8, "Hull has none.", 0.05))
    answers = {
        "Which town hosts the fair?": replace(_found("Perth", 0.5), rivals=rivals),
        "How large is Perth?": _found("", 0.0),
        "How large is Leith?": _found("9 km", 0.9),
    }
    monkeypatch.setattr(two_steps, "_resolved", lambda _kb, _workspace, question, *_: (answers[question], (question,)))
    monkeypatch.setattr(two_steps, "nearest_passages", lambda *_: [])
    question = "How large is the town that hosts the fair?"
    # 0.3 * 0.9 = 0.27; 4.5 * 0.27 / (1 + 3.5 * 0.27) = 0.6247, of articles 2.9 * 0.27 / (1 + 1.9 * 0.27) = 0.5175.
    for is_alike, confidence in ((False, 0.6247), (True, 0.5175)):
        monkeypatch.setattr(two_steps, "is_of_articles", lambda _, is_alike=is_alike: is_alike)
        workspace = Workspace(question, risk=1.0)
        stepped = two_steps.answer_in_steps(None, workspace, question, None)  # type: ignore[arg-type]
        assert stepped.found is not None
        assert (stepped.found.text, stepped.found.confidence) == ("9 km", confidence)
        assert stepped.found.stated == ((7, "Leith has a fair."),)
        assert stepped.asked == tuple(answers), "what hardly fits is not followed"


@pytest.mark.parametrize(
    ("needed", "asked"),
    [
        # Perth and Leith together may come to 0.8; 0.9 needs 3.1 / 4.1 = 0.756 of it, 0.5 needs 0.345 / 1.345 = 0.256.
        (0.9, ["Which town hosts the fair?", "How large is Perth?"]),  # Leith alone has 0.3
        (0.5, ["Which town hosts the fair?", "How large is Perth?", "How large is Leith?"]),
        (0.945, ["Which town hosts the fair?"]),  # over the most in an answer in steps
    ],
)
def test_no_way_is_followed_that_cannot_be_sure_enough(
    needed: float, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rivals = (Rival("Leith", 7, "Leith has a fair.", 0.3),)
    answers = {"Which town hosts the fair?": replace(_found("Perth", 0.5), rivals=rivals)}
    nothing = _found("", 0.0)
    monkeypatch.setattr(two_steps, "_resolved", lambda _kb, _workspace, part, *_: (answers.get(part, nothing), (part,)))
    monkeypatch.setattr(two_steps, "nearest_passages", lambda *_: [])
    monkeypatch.setattr(two_steps, "is_of_articles", lambda _: True)
    question = "How large is the town that hosts the fair?"
    workspace = Workspace(question)
    stepped = two_steps.answer_in_steps(None, workspace, question, None, needed=needed)  # type: ignore[arg-type]
    assert list(stepped.asked) == asked


def test_what_a_question_names_is_not_its_answer() -> None:
    assert says("Who leads the club that Ann Lee is in?", "Ann Lee")
    assert not says("Who leads the club that Ann Leeds is in?", "Ann Lee")
    assert not says("Who leads it?", "")


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Hi, can you tell me who built the volcano?", "who built the volcano?"),
        ("I saw it, did the volcano smoke for an hour?", "did the volcano smoke for an hour, I saw it?"),
    ],
)
def test_what_is_called_out_or_said_before_a_question_is_not_asked(school: Path, question: str, asked: str) -> None:
    workspace = Workspace(question, standalone=question)
    with KnowledgeBase.open(school) as kb:
        assert prepared(kb, workspace) is None
    assert workspace.standalone == asked


@pytest.mark.parametrize("is_beside", [False, True])
async def test_steps_that_do_not_lead_to_what_was_read_are_not_shown(
    school: Path, monkeypatch: pytest.MonkeyPatch, is_beside: bool
) -> None:
    said, built = "Name: Desmond Harkett; Role: Caretaker", Constraint("volcano", "built by", "?who")
    read = extracted_answer.answer_question

    def beside(*arguments: Any, **more: Any) -> FoundAnswer:
        harkett = next(passage.id for passage in arguments[2] if "Harkett" in passage.text)
        report = next(passage.id for passage in arguments[2] if "volcano" in passage.text)
        hops = (Hop(built, "Desmond Harkett", harkett, said, 0.5), Hop(built, "smoke", report, "and it smoked", 0.5))
        return replace(read(*arguments, **more), hops=hops, is_beside=is_beside)

    monkeypatch.setattr(extracted_answer, "answer_question", beside)
    with Session.open(school) as session:
        reply = await final_reply(session, "Who built the cardboard volcano?")
    assert reply.answer == "Irena Szablewska"
    assert bool(reply.chains) is not is_beside
    assert (said in reply.explanation) is not is_beside
    (report,) = (source for source in reply.sources if source.source == "week.md")
    assert report.quote.startswith("The cardboard volcano" if is_beside else "and it smoked")


def test_what_stands_beside_an_answer_is_no_step_to_it() -> None:
    hop = Hop(Constraint("volcano", "built by", "?who"), "Desmond", 1, "Desmond.", 0.5)
    for is_beside in (False, True):
        found = FoundAnswer("Irena", (hop,), (2,), 0.9, "", "", ((2, "Irena built it."),), is_beside=is_beside)
        (told,) = two_steps._hops("who built it", found)
        assert told.sentence == ("Irena built it." if is_beside else "Desmond.")


def test_of_two_answers_in_one_only_the_steps_that_lead_to_them_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    hop = Hop(Constraint("volcano", "built by", "?who"), "Desmond", 1, "Desmond.", 0.5)
    answers = iter(
        (
            FoundAnswer("Irena", (hop,), (2,), 0.9, "", "", is_beside=True),
            FoundAnswer("4402", (hop,), (1,), 0.9, "", ""),
        )
    )
    monkeypatch.setattr(extracted_answer, "answer_question", lambda *_: next(answers))
    both = extracted_answer._both(("Who built it?", "What is her extension?"), (), (None, None))  # type: ignore[arg-type]
    assert (both.text, both.hops) == ("Irena; 4402", (hop,))
