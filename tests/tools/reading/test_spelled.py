"""What letters stand for."""

from __future__ import annotations

import pytest

from tools.reading.spelled import spelled
from tools.reading.told import Sentence

KIT = 'It\'s the "Command Line Interface Creation Kit".'


def sentences(*texts: str, title: str = "Notes") -> list[Sentence]:
    return [Sentence(at, title, text, 0, at, 0.5) for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("GTK", "GTK stands for GIMP Toolkit."),
        ("GTK", "GTK (pronounced gee-tee-kay) is short for GIMP Toolkit."),
        ("SLA", "Our SLA (service level agreement) is kept by Ana."),
        ("NASA", "The National Aeronautics and Space Administration (NASA) was founded in 1958."),
        ("DPO", "Ana is our data protection officer (DPO)."),
        ("BL", "The British Library, or BL, is in London."),
    ],
)
def test_words_that_letters_stand_for(topic: str, text: str) -> None:
    told = spelled(topic, sentences(f"{topic} is useful to all of us.", text))
    assert [one.text for one in told.sentences] == [text]
    assert told.confidence > 0.85


def test_a_sentence_of_a_text_that_is_about_it_need_not_name_it() -> None:
    assert [one.text for one in spelled("Click", sentences(KIT, title="Click")).sentences] == [KIT]
    assert not spelled("Click", sentences(KIT, title="Flask")).sentences


@pytest.mark.parametrize(
    "text",
    [
        "Click is a package for command lines.",  # what it is, and no words of which it is the letters
        "SLA: see the seventh long annex of Ana.",  # by accident, in small letters
        "GTK is a toolkit.",
        "What it stands for nobody knows.",
    ],
)
@pytest.mark.parametrize("topic", ["Click", "SLA", "GTK", "", "7", "---"])
def test_what_spells_nothing_tells_nothing(topic: str, text: str) -> None:
    assert not spelled(topic, sentences(text)).sentences


def test_no_sentences_tell_nothing() -> None:
    assert not spelled("SLA", []).sentences
