"""Whom a clause is about: the nephew who plays the cello is not Joan."""

from __future__ import annotations

import pytest
from answer_evidence import evidence
from linear import is_linear

from tools.answer_rules.whose import is_told_of_another, is_verdict_on_namesake


def is_doubted(question: str, answer: str, text: str, title: str = "Notes") -> bool:
    doc = evidence((title, text)).docs[0]
    at = doc.text.rindex(answer)
    return is_told_of_another(question, doc.found(at, at + len(answer), 1.0))


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("What does Ursula collect?", "stamps", "Ursula sat beside her brother-in-law, who collects stamps."),
        ("When did Max retire?", "2012", "Max took over from Leo Hart, who trained in Kiel and retired in 2012."),
        ("what does lisa breed", "geese", "Lisa lives beside Dr Mole, who breeds geese."),
        ("What does Lisa grow?", "tomatoes", "Lisa lives next door to the man that grows tomatoes."),
        ("Where did Jo train?", "Kiel", "Jo, whose father trained in Kiel, is a baker."),
        ("What does the mayor run?", "the food bank", "The mayor thanked Ms Todd, who runs the food bank."),
        ("What does Ada own?", "a mill", "Ada had lunch with Tim Rowe, the owner of a mill near Hull."),
        ("What does Rolf do?", "surgeon", "Rolf plays chess with the surgeon Ida Marsh."),
        ("When was Rosa born?", "1955", "Rosa's husband was born in 1955."),
        ("Where did Piet study?", "Delft", "The son of Piet studied in Delft."),
        ("What is the trade of Sam?", "plumber", "Sam's uncle is a plumber."),
        ("What did Rosa play?", "harp", "Rosa came in with her nephew and he played the harp."),
        ("Where was Karin born?", "Ghent", "Karin talked to a man called Luc. He was born in Ghent."),
        ("When did Eva die?", "1999", "Eva was a nurse. Her father, Max, died in 1999."),
        ("What does Peter do?", "nurse", "Peter's wife, a nurse, is away."),
        ("What does Joan play?", "cello", "Joan's nephew, who is nine, plays the cello."),
        ("What does Nina play?", "tuba", "Nina, together with her friend Otto, who plays the tuba, came late."),
        ("Where was Joan born?", "Prague", "Joan lives in Ghent and Karl was born in Prague."),
        ("What is Eva Bell's job?", "nurse", "Eva Bell is back. She lives in Leeds with her sister, a nurse."),
        ("What does Tom run?", "a kiosk", "Tom works as a welder and his wife runs a kiosk."),
        ("When did Max die?", "May", "From: Max Lund\n\nMy father died in May."),
        ("When was Ada Byron born?", "1815", "Ada King, Countess of Lovelace, was born in 1815."),
        ("What is Anna Holm's phone number?", "0555 123", "Anna Berg: 0555 123"),
        ("What does Ben Ash drive?", "a Fiat", "Ben Cole came early. He drives a Fiat."),
        ("Who was Otto's wife?", "Lina Berg", "Max Stein married Lina Berg in 1920."),
        ("What was the job of Inga's husband?", "the inn", "Her friend Inga ran the inn."),
        ("Where does Tom's wife live?", "York", "Tom lives in York and his wife in Hull."),
    ],
)
def test_what_is_told_of_another(question: str, answer: str, text: str) -> None:
    assert is_doubted(question, answer, text)


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("What does Ursula collect?", "stamps", "Ursula, who sat beside her brother, collects stamps."),
        ("What does Ursula collect?", "stamps", "Ursula, who collects stamps, sat beside her brother."),
        ("Where did Ada meet Tim?", "Hull", "Ada met Tim, who was a sailor then, in Hull."),
        ("Who is the vet?", "Luzia", "Luzia's the one who is a vet."),
        ("What does Luzia do?", "a vet", "Luzia's the one who's a vet."),
        ("What did Yusra score?", "eleven", "Yusra: Guess who scored eleven?"),
        ("What colour is Rosa's bicycle?", "red", "Rosa bought a bicycle that is red."),
        ("Where was the director of Alder born?", "Leeds", "Alder was made by Ann Lee, who was born in Leeds."),
        ("When was Rosa's husband born?", "1955", "Rosa's husband was born in 1955."),
        ("When did Colin's sister die?", "1999", "The sister of Colin died in 1999."),
        ("Where do Emil's brothers work?", "the port", "Emil has two brothers who work at the port."),
        ("Where does Anna work?", "Siemens", "Anna's husband says that she works at Siemens."),
        ("Where did Joan live?", "Graz", "Joan from Ghent and Karl lived in Graz."),
        ("When did Joan marry Karl?", "1990", "Joan came from Ghent and Karl married her in 1990."),
        ("When did Joan move?", "1990", "Joan and her nephew moved to Graz in 1990."),
        ("Where does Eva live?", "Leeds", "Eva lives with her sister, a nurse, in Leeds."),
        ("What does Eva's sister do?", "nurse", "Eva lives with her sister, a nurse."),
        ("When was Karin born?", "1950", "Karin talked to a man called Luc. She was born in 1950."),
        ("What is the capital of Styria?", "Graz", "Joan lives in Graz, the capital of Styria."),
        ("Where does Paula live?", "Bath", "Paula married Henry Stone, a dentist, and lives in Bath."),
        ("What does Otto do?", "baker", "Nora was the wife of the baker Otto."),
        ("Who was Lina Berg's husband?", "Max Stein", "Max Stein married Lina Berg in 1920."),
        ("Who is Peter's landlord?", "Mr Hobbs", "Peter rents a room from Mr Hobbs."),
        ("When did Jane Hodkin die?", "2003", "Jane Hodgkin died in 2003."),
        ("What is Anna Berg's phone number?", "0555 123", "Anna Mobile: 0555 123"),
        ("When did Ernest die?", "May", "From: Max Lund\n\nMy father died in May."),
    ],
)
def test_what_is_told_of_who_is_asked_about_or_may_be(question: str, answer: str, text: str) -> None:
    assert not is_doubted(question, answer, text)


def test_a_text_about_somebody_may_call_that_one_by_another_name() -> None:
    told = "Ada King, Countess of Lovelace, was born in 1815."
    assert not is_doubted("When was Ada Byron born?", "1815", told, "Ada Byron")
    assert not is_doubted("Where was Karl Marx born?", "Trier", "Karl Heinrich was born in Trier.", "Karl Marx")


def test_a_long_line_takes_linear_time() -> None:
    text = "My father died of all. Notes\nbest{}of all"
    assert is_linear(lambda count: is_doubted("When did Ernest die?", "of all", text.format(" " * count)), 7_900)


def test_a_verdict_on_a_namesake() -> None:
    doc = evidence(("Notes", "Anna Berg has two sons. Anna Holm is a potter.")).docs[0]
    assert is_verdict_on_namesake("Does Anna Holm have sons?", doc, "Anna Holm is a potter.")
    assert is_verdict_on_namesake("Does Anna Holm have sons?", doc, "Anna Berg has two sons.")
    assert not is_verdict_on_namesake("Is Anna Holm a potter?", doc, "Anna Holm is a potter.")
    assert not is_verdict_on_namesake("Does Anna Berg have sons?", doc, "Anna Berg has two sons.")
