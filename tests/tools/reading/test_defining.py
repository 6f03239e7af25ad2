"""What a thing is and who somebody is: outright, as an aside, and by a record."""

from __future__ import annotations

import pytest

from kb.records import Passage
from tools.reading.certainty import RISK, least_confidence
from tools.reading.defining import DIFFERING, HEADED, NAMED, defined, headed, with_subjects
from tools.reading.told import Sentence


def sentence(text: str, *, start: int = 50, title: str = "Notes", subject: str = "", passage: int = 1) -> Sentence:
    return Sentence(passage, title, text, start, 0, 0.0, subject)


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("Luigi Menabrea", "She translated an article by the Italian engineer Luigi Menabrea."),
        ("Otto Sverdrup", "The ship came out unharmed under her captain, Otto Sverdrup, in 1896."),
        ("William Arrol", "The contractor was William Arrol."),
        ("Yewande Falade", "Responsible: Yewande Falade (hygiene officer since 2023)."),
        ("Ilse Vandamme", "Leaflet by Ilse Vandamme, head nurse."),
        ("Obinna Ezeudu", "If I am ill, Deacon Obinna Ezeudu will come."),
        ("Lazzaro Conti", "Technician: Mr Lazzaro Conti, 555 01 99."),
        ("the Saltback", "They end up on the Saltback, a spit of gravel."),
        ("Limpet", "Drawings belong only in the vault “Limpet”."),
        ("RTB", "RTB: ready to bow."),
    ],
)
def test_a_definition_outright_or_in_passing(topic: str, text: str) -> None:
    told = defined(topic.removeprefix("the "), [sentence("Nothing of the kind.", start=0), sentence(text)])
    assert [one.text for one in told.sentences] == [text]
    assert told.confidence >= least_confidence(RISK)


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("Annelore Dube", "Name: Annelore Dube"),
        ("ray tracing", "People who run ray tracing: Tarn 16 Pro."),
        ("WebAssembly", "- plug-ins in WebAssembly (Lupe is keen)"),
        ("Salicional", "The Salicional, should you let us take it out, is worth 150 marks."),
        ("Dune", "She does not think that Dune is a film."),
        ("boiler", "If the old boiler stops, ring Tom."),
        ("GDV", "If you open up a GDV alone, ring Perpetua."),
        ("ABI", "Fixed an n32 ABI bug."),
        ("Clippy", "An error causes Clippy to exit with an error code."),
        ("GTK", "A complaint about the way GTK handles layouts."),
    ],
)
def test_what_only_names_a_thing_does_not_define_it(topic: str, text: str) -> None:
    assert defined(topic, [sentence(text)]).confidence < NAMED + 0.1


def test_a_record_is_told_with_its_lines() -> None:
    text = "## Greta Pohl\n\nRole: Warehouse and shipping\nPlace: Calder Quay\n\n## Ann Lee\n\nRole: Lead\n"
    passage = Passage(7, "people.md", "People", text, "people.md", 0, len(text), None, 0)
    lines = [line for line in text.split("\n") if line]
    said = with_subjects([sentence(line, start=text.index(line), passage=7) for line in lines], [passage])
    assert [one.subject for one in said if one.text.startswith("Role")] == ["Greta Pohl", "Ann Lee"]
    told = defined("Greta Pohl", said)
    assert [one.text for one in told.sentences] == ["Role: Warehouse and shipping", "Place: Calder Quay"]


def test_whose_office_a_row_tells() -> None:
    """Likely enough to be given where it is the whole cell of an office, not where a row only has the word."""
    row = "Name: Hamish Oyelaran; Job: Treasurer (volunteer); Ext.: 12"
    given = least_confidence(RISK)
    assert defined("treasurer", [sentence(row)]).confidence >= given
    assert defined("Almanac", [sentence("Service: Cadenza; Needs: Almanac; Tier: 1")]).confidence < given


def test_nothing_defines_nothing() -> None:
    assert defined("Limpet", []).sentences == ()
    assert defined("`", [sentence("The cat is a mammal.")]).sentences == ()
    assert with_subjects([], []) == []


def below(text: str) -> list[Sentence]:
    """The sentences of a text, a line each, with the headings that they stand below."""
    passage = Passage(1, "commands.md", "Commands", text, "commands.md", 0, len(text), None, 0)
    starts = [(text.index(line), line) for line in text.split("\n") if line]
    return with_subjects([sentence(line, start=start) for start, line in starts], [passage])


def test_what_a_thing_does_stands_first_below_its_heading() -> None:
    text = (
        "## fleet rehash\n\nMakes a shim for each program that is there.\nRun it after an update of a program.\n\n"
        "## fleet list\n\n- short\n\n## fleet root\n\nDefault: the folder above all others\n\n"
        "## Fleet rehash notes\n\nNone of this."
    )
    told = headed("fleet rehash", below(text))
    assert [one.text for one in told.sentences] == ["Makes a shim for each program that is there."]
    assert told.confidence == HEADED >= least_confidence(RISK)
    for topic in ("fleet list", "fleet root", "fleet", "rehash"):
        assert headed(topic, below(text)).sentences == ()
    assert headed("fleet rehash", []).sentences == ()


@pytest.mark.parametrize(
    ("topic", "told"),
    [
        ("fleet rehash", "fleet-rehash — Rebuild the tables"),
        ("--locked", "--locked: Use the lock file as it is."),
        ("--quiet", "-q, --quiet: Print no messages."),
        ("-q", "-q, --quiet: Print no messages."),
        ("--depth", "--depth number: How far the tree goes."),
        ("fleet", "* `fleet` - keeps programs up to date"),
        ("ana", ""),
        ("--quie", ""),
        ("--jobs", ""),
    ],
)
def test_what_a_thing_does_stands_behind_it_in_a_list(topic: str, told: str) -> None:
    text = (
        "fleet-rehash — Rebuild the tables\n--locked: Use the lock file as it is.\n-q, --quiet: Print no messages.\n"
        "--depth number: How far the tree goes.\n* `fleet` - keeps programs up to date\n--jobs: number\n"
        "ana: I am so late"
    )
    assert [one.text for one in headed(topic, below(text)).sentences] == ([told] if told else [])


def test_a_heading_may_go_on_behind_what_it_names() -> None:
    text = (
        "## --cap-lints: set the level of lints\n\nNo lint is reported above this level.\n\n"
        "## -L: add a folder\n\nMore folders to look into."
    )
    assert [one.text for one in headed("--cap-lints", below(text)).sentences] == [
        "No lint is reported above this level."
    ]
    assert headed("--cap", below(text)).sentences == ()


def test_an_option_that_two_lists_tell_of_otherwise_is_less_sure() -> None:
    one, same, other = "--all: Build all there is.", "- `--all`: Build all there is.", "--all: Show hidden files."
    assert headed("--all", below(f"{one}\n{same}")).confidence == HEADED
    told = headed("--all", below(f"{one}\n{other}"))
    assert (told.sentences[0].text, told.confidence) == (one, DIFFERING)
    assert least_confidence(RISK) > DIFFERING


def test_what_a_name_with_a_hyphen_is() -> None:
    [found] = defined("fleet rehash", below("fleet-rehash — Rebuild the tables")).sentences
    assert found.text == "fleet-rehash — Rebuild the tables"
