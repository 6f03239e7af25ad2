"""Questions that a document asks itself."""

from __future__ import annotations

import pytest
from answer_evidence import blind, evidence, passages

from tools.answer_rules.asked_before import ANSWERED, find_asked_before
from tools.answer_rules.docs import Evidence, EvidencePassage
from tools.planning.planner import plan_question
from tools.reading.answering import answer_question
from tools.reading.telling import Sentence, tell

FAQ = (
    "Questions about kestrel",
    "1. Is kestrel safe at night?\n\n    Yes. It does not care for the light.\n\n"
    "2. Can kestrel open .zip archives?\n\n    Not by itself, no.  See the folder contrib.\n\n"
    "3. Why doesn't kestrel use plugins?\n\n    Because we want to keep it small. That is all.\n\n"
    "4. Where is the manual (pages, etc.)?\n\n    In kestrel.h.",
)


@pytest.mark.parametrize(
    ("question", "first", "verdict"),
    [
        ("Is kestrel safe at night?", "Yes.", "yes"),
        ("Can kestrel open zip archives?", "Not by itself, no. See the folder contrib.", "no"),
        ("Why doesn't kestrel use plugins?", "Because we want to keep it small.", ""),
        ("Is kestrel fast at night on the sea?", "", ""),
        ("Who wrote it?", "", ""),
        ("", "", ""),
    ],
)
def test_what_follows_the_same_question_answers_it(question: str, first: str, verdict: str) -> None:
    found = find_asked_before(question, evidence(FAQ))
    assert (found.sentences[0].text if found else "") == first
    assert (found.verdict if found else "") == verdict


def test_what_follows_in_a_list_of_contents_is_no_answer() -> None:
    contents = (
        "Contents",
        "1. Background: 1.1. How is kestrel said?\n1. Background: 1.2. Where is it from?\n2. Use: 2.1. It fails.",
    )
    body = ("Background", "1.1. How is kestrel said?\n\nWith a short e.\n\n1.2. Where is it from?\n\nFrom Lima.")
    question = "How is kestrel said?"
    assert find_asked_before(question, evidence(contents)) is None
    assert find_asked_before("Where is it from?", evidence(contents)) is None
    found = find_asked_before(question, evidence(contents, body))
    assert found is not None
    assert found.answer == "With a short e."


def test_two_answers_to_one_question_are_none() -> None:
    other = ("Old questions about kestrel", "Is kestrel safe at night?\n\nNo.")
    assert find_asked_before("Is kestrel safe at night?", evidence(FAQ, other)) is None


def test_yes_or_no_is_answered_by_the_list_and_likely() -> None:
    question = "Can kestrel open zip archives?"
    answer = answer_question(question, plan_question(question), passages(FAQ), read=blind)
    assert (answer.text, answer.confidence) == ("no", ANSWERED)


def test_a_question_tells_nothing() -> None:
    asks = Sentence(1, "Kestrel", "Why doesn't kestrel use plugins?", 0, 0, 0.9)
    says = Sentence(1, "Kestrel", "It is small because nobody wants plugins.", 40, 0, 0.5)
    assert tell("why", "why does kestrel use no plugins", [asks, says]).sentences == (says,)
    assert tell("why", "why does kestrel use no plugins", [asks]).sentences == ()


LIST = ("Hazelmill FAQ", "## Can I use Hazelmill with PostgreSQL?\n\nNo.\n\n## Do I need a card?\n\nYes.")
TALK = (
    "Chat",
    "[09:13] Nora Quill: When do we meet for the rehearsal?\n[09:15] Tom Birch: Thursday at 6, at Nora's\n"
    "[09:16] Nora Quill: Who brings the cello?\n[09:20] Ida Marsh: me\n"
    "[09:22] Tom Birch: Is the piano tuned?\n[09:23] Tom Birch: I hope so\n[09:25] Nora Quill: No\n"
    "[09:30] Ida Marsh: How much is the hall?\n[09:41] Tom Birch: 85 euros",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Does Hazelmill work with PostgreSQL?", "No."),
        ("Is it possible to use Hazelmill with MySQL?", ""),  # another name
        ("Why use Hazelmill with PostgreSQL?", ""),  # another sort of question
        ("Can I use a card?", ""),  # what is possible is not what is needed
        ("Do I have to have a card?", "Yes."),
        ("When is the rehearsal?", "Thursday at 6, at Nora's"),
        ("Who brings the cello?", "Ida Marsh"),
        ("How much does the hall cost?", "85 euros"),
        ("Is the piano tuned?", ""),  # who asked goes on
    ],
)
def test_the_same_question_in_other_words_and_in_a_talk(question: str, answer: str) -> None:
    found = find_asked_before(question, evidence(LIST, TALK))
    assert (found.answer if found else "") == answer


def test_a_question_above_the_passage_is_answered_by_its_beginning() -> None:
    passage = EvidencePassage(1, "FAQ", "No. It is too old.", 1.0, "FAQ › Can I use Hazelmill with PostgreSQL?")
    found = find_asked_before("Can Hazelmill be used with PostgreSQL?", Evidence([passage]))
    assert found is not None
    assert (found.verdict, found.question) == ("no", "Can I use Hazelmill with PostgreSQL?")


def test_the_question_is_told_with_its_answer() -> None:
    question = "Does Hazelmill work with PostgreSQL?"
    answer = answer_question(question, plan_question(question), passages(LIST), read=blind)
    assert answer.text == "no"
    assert [sentence for _, sentence in answer.stated] == ["Can I use Hazelmill with PostgreSQL?", "No."]


def test_a_row_of_questions_and_answers() -> None:
    table = (
        "Pool",
        "Question: Can I pay by card?; Answer: No, in coins only.\nQuestion: Is there a sauna?; Answer: Yes.",
    )
    found = find_asked_before("Is it possible to pay by card?", evidence(table))
    assert found is not None
    assert (found.verdict, found.sentences[0].text) == ("no", "No, in coins only")


def test_thanks_before_the_answer_are_no_answer() -> None:
    turns = ("Tom: Hi!", "Ida: How did the concert go?", "Tom: Aw, thanks, Ida! We played too fast, and they clapped.")
    talk = ("Talk", "\n\n".join((*turns, "Ida: Nice.")))
    found = find_asked_before("How did the concert go?", evidence(talk))
    assert found is not None
    assert found.answer == "We played too fast, and they clapped."


def test_what_one_answers_of_himself_is_no_answer_about_who_asked() -> None:
    turns = ("Ida: Hello!", "Ida: How did the concert go?", "Tom: We played too fast.", "Ida: Nice.")
    talk = ("Ida and Tom, 3 May", "\n\n".join(turns))
    found = find_asked_before("How did Tom's concert go?", evidence(talk))
    assert found is not None
    assert found.answer == "We played too fast."
    assert find_asked_before("How did Ida's concert go?", evidence(talk)) is None
