"""Questions that sentences answer: which these are, and which sentence is chosen."""

from __future__ import annotations

import pytest

from tools.reading.telling import kind_of, tell
from tools.reading.told import Sentence


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is OPS-77?", "definition"),
        ("Who is Ana?", "definition"),
        ("what does SLA stand for", "stands"),
        ("What is SLA short for?", "stands"),
        ("What does pyenv rehash do?", "does"),
        ("what does the warm-up script do", "does"),
        ("Why was the bridge closed?", "why"),
        ("What is the reason the ferry was sold?", "why"),
        ("How do I restart the pump?", "how"),
        ("What happened on Friday?", "happened"),
        ("Tell me about Ana Souza.", "about"),
        ("How are Ana and Tom connected?", "connected"),
    ],
)
def test_kinds(question: str, kind: str) -> None:
    found = kind_of(question)
    assert found is not None
    assert found[0] == kind


@pytest.mark.parametrize(
    "question",
    [
        "Who is the director of Metropolis?",
        "Who is the treasurer?",  # who has the office, not what it is
        "who's the treasurer now",
        "What is the capital of Peru?",
        "How many children did Darwin have?",
        "How old is the bridge?",
        "What is Ana's phone number?",
        "Who was born in 1809?",
        "Where was Ana born?",
        "What does Ana Souza do?",
        "What does Ana do at weekends?",
        "",
    ],
)
def test_questions_with_a_short_answer_are_none_of_these(question: str) -> None:
    assert kind_of(question) is None


def sentence(text: str, start: int = 0, *, rank: int = 0, title: str = "Words", cosine: float = 0.3) -> Sentence:
    return Sentence(rank + 1, title, text, start, rank, cosine)


def test_a_definition_is_the_sentence_that_says_what_it_is() -> None:
    told = tell(
        "definition",
        "SLA",
        [sentence("The SLA was broken in May.", cosine=0.6), sentence("SLA: service level agreement.", 40)],
    )
    assert told.sentences[0].text == "SLA: service level agreement."
    assert told.confidence >= 0.9


def test_a_thing_that_is_only_mentioned_is_hardly_defined() -> None:
    assert tell("definition", "SLA", [sentence("The SLA was broken in May.")]).confidence < 0.7
    assert tell("definition", "SLA", [sentence("Nothing of the kind.")]).sentences == ()


def test_why_prefers_the_sentence_that_gives_a_cause() -> None:
    told = tell(
        "why",
        "Why was the ferry sold",
        [
            sentence("The ferry was sold in May.", 0, cosine=0.5),
            sentence("The ferry was sold because its engine failed.", 30, cosine=0.5),
        ],
    )
    assert told.sentences[0].text == "The ferry was sold because its engine failed."


def test_what_is_why_is_told_by_the_sentence_before() -> None:
    engine, late, sold = "Its engine is of 1962.", "This is why the ferry is late.", "The ferry was sold in May."
    told = tell("why", "Why is the ferry late", [sentence(late, 30), sentence(sold, 70), sentence(engine)])
    assert [one.text for one in told.sentences] == [engine, late]
    told = tell("why", "Why is the ferry late", [sentence(late), sentence(sold, 40), sentence(engine, 0, rank=1)])
    assert told.sentences[0].text == late, "nothing stands before it in its passage"
    stop, floods = "To avoid this the ferry stops at the quay.", "The engine floods."
    told = tell(
        "why", "Why does the ferry stop at the quay", [sentence(stop, 30), sentence(sold, 80), sentence(floods)]
    )
    assert [one.text for one in told.sentences] == [floods, stop]
    early = "For this ferry the engine is late because it is of 1962."
    told = tell("why", "Why is the ferry engine late", [sentence(sold), sentence(early, 40)])
    assert told.sentences[0].text == early, "it says why by itself"


def test_about_begins_with_the_document_of_that_name() -> None:
    told = tell(
        "about",
        "Ana Souza",
        [
            sentence("Ana Souza came late.", rank=0, title="Minutes", cosine=0.9),
            sentence("Ana leads the team.", rank=1, title="Ana Souza"),
        ],
    )
    assert told.sentences[0].text == "Ana leads the team."


def test_a_name_alone_tells_nothing_of_what_happened() -> None:
    told = tell(
        "happened",
        "What happened to the Lochiel",
        [
            sentence("Lochiel.", title="Lochiel", cosine=0.9),
            sentence("The Lochiel lies still because her rudder cracked.", 9, rank=1, cosine=0.5),
        ],
    )
    assert told.sentences[0].text.startswith("The Lochiel lies still")
    assert tell("happened", "What happened to the Lochiel", [sentence("Lochiel.", cosine=0.9)]).sentences == ()


def test_nothing_to_tell() -> None:
    for kind in ("definition", "why", "how", "happened", "about", "connected"):
        told = tell(kind, "Ana | Tom", [])  # type: ignore[arg-type]
        assert told.sentences == ()
        assert told.confidence == 0.0
