"""What is told of somebody else than the one who is asked about."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.others import is_anothers, is_of_his_thing, is_of_namesake


def test_what_another_speaker_says_of_himself() -> None:
    doc = evidence(("Talk", "Ana: I have two dogs. Tom: I have a cat. Ana: Nice!")).docs[0]
    at = doc.text.index("a cat")
    assert is_anothers(doc, at, "What pet does Ana have?")
    assert not is_anothers(doc, at, "What pet does Tom have?")
    assert not is_anothers(doc, at, "What pets do Ana and Tom have?")
    assert not is_anothers(doc, at, "Who has a pet?")
    titled = evidence(("Ana and Tom, 3 May 2024", "Tom: I have a cat.\n\nTom: She is old.\n\nTom: And deaf.")).docs[0]
    assert is_anothers(titled, 5, "What pet does Ana have?")
    assert is_anothers(titled, 5, "What pet did Ana get in May?")
    assert not is_anothers(titled, 5, "What pet does Tom have?")
    alone = evidence(("Note", "Lead: Ana Souza")).docs[0]
    assert not is_anothers(alone, 6, "What does Lead mean?")


def test_the_header_of_a_table_is_no_speaker_of_what_stands_below_it() -> None:
    text = "Block: Block A; Flats: 24\nBlock: Block B; Flats: 18\n\nResidents of Block B pay £92 a month."
    doc = evidence(("Estate", text)).docs[0]
    assert not is_anothers(doc, doc.text.index("£92"), "What do residents of Block B pay?")


def test_a_speaker_with_a_mark_in_the_name_and_a_curled_apostrophe_behind_it() -> None:
    doc = evidence(("Talk", "O'Neil: I have two dogs. Tom: I have a cat. O'Neil: Nice!")).docs[0]
    at = doc.text.index("a cat")
    assert is_anothers(doc, at, "What is O'Neil’s pet?")
    assert not is_anothers(doc, at, "What is Tom’s pet?")


@pytest.mark.parametrize(
    ("title", "text", "is_of"),
    [
        ("William Fowler", "He was born in Pittsburgh.", True),
        ("William A. Fowler", "He was born in Pittsburgh.", True),
        ("William Fowler", "Like John Fowler he was born in Pittsburgh.", False),
        ("John Fowler", "He was born in Pittsburgh.", False),
        ("J. Fowler", "He was born in Pittsburgh.", False),
        ("Sir John Fowler", "He was born in Pittsburgh.", False),
        ("Fowler", "He was born in Pittsburgh.", False),
        ("Forth Bridge", "He was born in Pittsburgh.", False),
    ],
)
def test_a_passage_about_a_namesake(title: str, text: str, is_of: bool) -> None:
    assert is_of_namesake(evidence((title, text)).docs[0], "John Fowler") is is_of


def test_what_is_no_name_has_no_namesake() -> None:
    assert not is_of_namesake(evidence(("L-proline", "CAS: 147-85-3")).docs[0], "cas number of proline")
    assert not is_of_namesake(evidence(("Jean Kessell", "Here since 2009.")).docs[0], "Mrs Kessell")
    assert is_of_namesake(evidence(("Dr Jean Kessell", "Here since 2009.")).docs[0], "Tom Kessell")


def test_the_place_of_a_key_is_not_that_of_its_holder() -> None:
    doc = evidence(("Keys", "Item: van key; Holder: Anna; Place: Garage\nName: Ben; Town: Garage\nAnna: Garage")).docs[
        0
    ]
    key, own = (doc.text.index("Garage", doc.text.index(after)) for after in ("van", "Ben"))
    assert is_of_his_thing(doc, key, "Where does Anna live?")
    assert is_of_his_thing(doc, key, "In which room does Anna work?")
    assert not is_of_his_thing(doc, key, "Where does Anna keep the van key?")
    assert not is_of_his_thing(doc, own, "Where does Ben live?")
