"""Which rows of a table a question asks for, what of them, and how many."""

from __future__ import annotations

import pytest
from answer_evidence import evidence, passages
from linear import is_linear

from tools.answer_rules.asked_rows import asks_of_rows, count_rows, find_row, find_rows, is_counted_by_sentence
from tools.answer_rules.docs import MAX_CHARS, Evidence, EvidencePassage
from tools.answer_rules.whole_tables import find_whole
from tools.planning.plan import Plan
from tools.reading.answering import answer_question
from tools.reading.certainty import RISK, SURE_SHARE, least_confidence
from tools.reading.spans import Reading

DRUGS = (
    "Drugs",
    "Drug: Ketavane; Form: injection; Kept: fridge 2; Supplier: Halden & Roy\n"
    "Drug: Buprelix; Form: injection; Kept: safe; Supplier: Halden & Roy\n"
    "Drug: Wormaway; Form: tablet; Kept: fridge 2; Supplier: Nordvet\n"
    "Drug: Carpolan; Form: tablet; Kept: shelf; Supplier: Medvia",
)
MENU = (
    "Menu of week 14",
    "Day: Monday; Main dish: lentils; Dessert: apple\nDay: Tuesday; Main dish: pasta; Dessert: plum crumble",
)
CHAIRS = ("Furniture", "Item: chair; Room: 1; Quantity: 12\nItem: chair; Room: 2; Quantity: 6")
SUPPLIERS = (
    ("Salt", "Supplier: Corran Salt Works; Goods: salt; Place: Port Corran"),
    ("Oil", "Supplier: Marchetti Imports; Goods: oil; Place: Port Corran"),
    ("Honey", "Supplier: Three Hives; Goods: honey; Place: Aldgarth"),
)
HERD = (
    "Herd",
    "Name: Dora; Species: cow; Breed: Jersey\nName: Emma; Species: cow; Breed: Jersey\nName: Fay; Species: ewe",
)
PAPERS = ("Papers", "No: 101; Thing: Leg press; Room: gym\nNo: 102; Thing: Treadmill; Room: gym")


ROTA = ("Rota", "On call: Ann Lee; Week: 12; Deputy: Tom Hill\nOn call: Tom Hill; Week: 13; Deputy: Mei Lin")


def rows(question: str, *texts: tuple[str, str]) -> list[str]:
    return [one.text for one in find_rows(question, evidence(*texts))]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who was on call in week 12?", "Ann Lee"),
        ("who is on call when the deputy is Mei Lin", "Tom Hill"),
        ("Which drug is in the safe?", "Buprelix"),
        ("Which drugs are kept in the safe?", "Buprelix"),
        # No such week, no word for the column of the answer, another column is asked for, two rows, denied, counted.
        ("Who was on call in week 14?", None),
        ("Who was on call on day 12?", None),
        ("Who had to work in week 12?", None),
        ("Who was the deputy in week 12?", None),
        ("Which supplier has the drug in the safe?", None),
        ("Who uses the drug in the safe?", None),
        ("Which drug is in fridge 2?", None),
        ("Which drug is not in the safe?", None),
        ("How many drugs are in the safe?", None),
        ("Who was on call in week 12 of the year 1999?", None),
        ("", None),
    ],
)
def test_the_one_row_that_other_cells_single_out(question: str, name: str | None) -> None:
    found = find_row(question, evidence(ROTA, DRUGS))
    assert (found.text if found else None) == name


PROPS = (
    "Props",
    "Item: samovar; For: The Glass Orchard; Where kept: box 4; State: loose\n"
    "Item: pike; For: Captain Pickle; Where kept: box 7; State: good\n"
    "Item: lamp; For: The Glass Orchard; Where kept: box 2; State: good\n"
    "Item: sabre; For: The Glass Orchard; Where kept: box 2; State: good",
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is in box 7?", "pike"),
        ("what's in box 7", "pike"),
        ("What is kept in box 4?", "samovar"),
        # Two things are there, nothing is, the cell tells no place, more is asked.
        ("What is in box 2?", None),
        ("What is in box 9?", None),
        ("What is in Captain Pickle?", None),
        ("What is missing in box 7?", None),
        ("Who is in box 7?", None),
    ],
)
def test_what_is_in_a_place_that_one_row_tells(question: str, name: str | None) -> None:
    found = find_row(question, evidence(PROPS))
    assert (found.text if found else None) == name


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("Which drugs do we get from Halden & Roy?", ["Ketavane", "Buprelix"]),
        ("which drugs are in fridge 2", ["Ketavane", "Wormaway"]),
        ("List all drugs.", ["Ketavane", "Buprelix", "Wormaway", "Carpolan"]),
        ("What are the desserts?", ["apple", "plum crumble"]),
        ("Who are the suppliers?", ["Halden & Roy", "Nordvet", "Medvia"]),
        # One row is no list, a number alone is no condition, and what is denied the rows do not say.
        ("Which drugs do we get from Nordvet?", []),
        ("Which pills are kept for 2 days?", []),
        ("Which drugs are not in fridge 2?", []),
        # A name that no row has, a kind that no table is of.
        ("Which drugs do we get from Stillwater?", []),
        ("Which departments are in fridge 9?", []),
        ("When does the shop open?", []),
        ("", []),
    ],
)
def test_the_rows_that_say_what_is_asked(question: str, members: list[str]) -> None:
    assert rows(question, DRUGS, MENU) == members


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("Which suppliers are in Port Corran?", ["Marchetti Imports", "Corran Salt Works"]),
        ("Which suppliers are in Aldgarth?", []),
        ("Which goods are in Port Corran?", ["oil", "salt"]),
        ("Which of our suppliers are Three Hives?", []),
        ("Which suppliers are in Lima?", []),
        ("Which suppliers are not in Port Corran?", []),
        # The kind is a cell in the plural, and so is what is said of it.
        ("Which of our cows are Jerseys?", ["Dora", "Emma"]),
    ],
)
def test_rows_of_several_passages_of_one_table(question: str, members: list[str]) -> None:
    assert rows(question, *SUPPLIERS, HERD) == members


GEAR = (
    "Equipment",
    "Item: plate scanner; Bought from: Quillon Office; Year: 2019; Minder: Ludmila Farrant\n"
    "Item: battery backup; Bought from: Quillon Office; Year: 2022; Minder: Benedek Roscoe\n"
    "Item: main camera; Bought from: Orrery Imaging; Year: 2015; Minder: Benedek Roscoe",
)


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("Which of our devices did Quillon deliver?", ["plate scanner", "battery backup"]),
        ("What did we buy from Quillon?", ["plate scanner", "battery backup"]),
        ("Which machines is Benedek responsible for?", ["battery backup", "main camera"]),
        # Of a kind that no row tells, with a word more, by somebody who does something else.
        ("Which computers did Quillon deliver?", []),
        ("Which devices did Quillon deliver in 2019?", []),
        ("Which devices did Quillon deliver broken?", []),
        ("Which devices did Quillon repair?", []),
        ("Which devices did Benedek deliver?", []),
    ],
)
def test_what_somebody_supplied_or_minds(question: str, members: list[str]) -> None:
    assert rows(question, GEAR) == members


def test_who_is_told_by_rows_of_people() -> None:
    services = ("Services", "Service: Almanac; Team: Payments\nService: Cadenza; Team: Payments")
    people = ("Staff", "Nurse: Ana Kovarik; Team: Payments\nNurse: Jonas Wick; Team: Payments")
    assert rows("Who is on the Payments team?", services) == []
    assert rows("Who is on the Payments team?", services, people) == ["Ana Kovarik", "Jonas Wick"]


def test_a_bare_number_in_the_first_cell_gives_way_to_a_name() -> None:
    assert rows("List all the things in the gym", PAPERS) == ["Leg press", "Treadmill"]


def test_of_two_tables_of_a_file_that_is_meant_which_stands_under_the_heading() -> None:
    rota = ("Rota and volunteers", "## Rota July\n\nDay: Monday; Evening: Priya\nDay: Tuesday; Evening: Wilma")
    people = ("Rota and volunteers", "## Volunteers\n\nName: Priya Lall; Drives: yes\nName: Ada Moor; Drives: no")
    assert rows("List the volunteers", rota, people) == ["Priya Lall", "Ada Moor"]


def test_of_two_tables_that_fit_as_well_none_is_taken() -> None:
    other = ("Drugs", "Drug: Ketavane; Form: injection; Kept: fridge 2; Supplier: Halden & Roy")
    twice = [EvidencePassage(place, "Drugs", text, 1.0, "", source) for place, (text, source) in enumerate(
        [(DRUGS[1], "a.csv"), (f"{DRUGS[1]}\n{other[1]}", "b.csv")])]  # fmt: skip
    assert find_rows("Which drugs are in fridge 2?", Evidence(twice)) == []


def nothing(pairs: object) -> list[Reading]:
    return [Reading() for _ in pairs]  # type: ignore[attr-defined]


def test_a_list_of_rows_is_told_with_a_line_for_each_and_is_never_sure() -> None:
    found = passages(*SUPPLIERS)
    answer = answer_question("Which suppliers are in Port Corran?", Plan(()), found, {}, nothing, None, ())
    assert answer.text == "Marchetti Imports, Corran Salt Works"
    assert answer.support == (2, 1)
    assert [said.partition(";")[0] for _, said in answer.stated] == [
        "Supplier: Marchetti Imports",
        "Supplier: Corran Salt Works",
    ]
    assert least_confidence(RISK) <= answer.confidence < least_confidence(RISK * SURE_SHARE)


def test_rows_are_counted() -> None:
    assert len(count_rows("How many drugs do we get from Halden & Roy?", evidence(DRUGS))) == 2
    assert len(count_rows("How many suppliers are there?", evidence(DRUGS))) == 3


def test_rows_that_tell_a_number_are_not_counted() -> None:
    assert count_rows("How many chairs do we have?", evidence(CHAIRS)) == []


def test_rows_of_one_name_are_counted_each_and_numbers_are_not_counted() -> None:
    diary = (
        "Diary",
        "Name: Anna; Doctor: Ray; Day: 1\nName: Anna; Doctor: Ray; Day: 2\nName: Ben; Doctor: Ray; Day: 3",
    )
    assert len(count_rows("How many entries are of doctor Ray?", evidence(diary))) == 3
    halls = ("Halls", "Hall: A; Seats: 10\nHall: B; Seats: 20\nHall: C; Seats: 10")
    assert count_rows("How many seats are there?", evidence(halls)) == []


def test_rows_beside_those_found_are_counted_and_cited() -> None:
    found, beside = (
        passages(("Drugs", DRUGS[1].split("\n")[0])),
        passages(("x", ""), ("Drugs", DRUGS[1].split("\n", 1)[1]))[1:],
    )
    answer = answer_question("How many drugs are there?", Plan((), kind="count"), found, {}, nothing, None, beside)
    assert (answer.text, set(answer.support)) == ("4", {1, 2})
    assert answer.confidence < 0.95


def test_a_question_is_told_by_its_first_words() -> None:
    assert asks_of_rows("And which drugs are there?")
    assert not asks_of_rows("Is Ketavane a drug?")


def test_hostile_text_takes_linear_time() -> None:
    wide, long = "a: b; " * 2000, "\n".join(f"A: {n}; B: {n}" for n in range(3000))
    assert is_linear(lambda letters: rows("which " + "s " * 140, ("t", wide[:letters])), MAX_CHARS)
    assert is_linear(lambda letters: rows("list " + "all " * 70 + "drugs", ("t", long[:letters])), MAX_CHARS)


def test_rows_are_named_in_the_order_of_their_numbers() -> None:
    """As a CSV file has them, also where others come first by name, or "10" before "9" by letters."""
    hives = {2: "Willow", 9: "Birch", 10: "Alder"}
    stored = [
        EvidencePassage(
            90 - at, name, f"Hive: {name}; Place: orchard", 1.0, "", "hives.csv", (), (f"hives.csv#{at}", 0)
        )
        for at, name in hives.items()
    ]
    named = find_rows("Which hives are in the orchard?", Evidence(stored[::-1]))
    assert [one.text for one in named] == ["Willow", "Birch", "Alder"]


SHEET = (
    "Timesheet",
    "Person: Irene Falk; Day: 2025-03-04; Task: fencing; Site: Mill Lane\n"
    "Person: Moses Okoye; Day: 2025-03-04; Task: mowing; Site: Mill Lane\n"
    "Person: Moses Okoye; Day: 2025-03-05; Task: fencing; Site: Mill Lane",
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who did the fencing at Mill Lane on 5 March 2025?", "Moses Okoye"),
        ("Who did the fencing on 4 March?", "Irene Falk"),
        # Two rows of the day, one without a day, another year, none of the day, a bound.
        ("Who was at Mill Lane on 4 March 2025?", None),
        ("Who did the fencing?", None),
        ("Who did the fencing on 4 March 2024?", None),
        ("Who did the mowing on 5 March 2025?", None),
        ("Who did the mowing before 5 March 2025?", None),
    ],
)
def test_who_is_told_by_the_row_of_a_day(question: str, name: str | None) -> None:
    found = find_row(question, evidence(SHEET))
    assert (found.text if found else None) == name


def test_entries_are_counted_also_where_rows_tell_amounts() -> None:
    ledger = (
        "Ledger",
        "What: tea; Kind: food; Amount: 3\nWhat: glue; Kind: shop; Amount: 4\nWhat: jam; Kind: food; Amount: 5",
    )
    assert [one.text for one in count_rows("How many entries are there for food?", evidence(ledger))] == ["tea", "jam"]


def test_who_does_what_no_row_tells_is_none_of_the_rows() -> None:
    horses = ("Animals", "Name: Bruna; Species: horse; Remark: shod by Yannick\nName: Kesk; Species: horse; Remark: -")
    assert rows("Who does the shoes of the older horse?", horses) == []
    assert rows("Who is a horse?", horses) == ["Bruna", "Kesk"]


def test_people_on_a_list_are_its_rows() -> None:
    waiting = (
        "Waiting list",
        "Name: Farida Noor; Household: 2\nName: Jonas Weil; Household: 4\nName: Edith Sand; Household: 1",
    )
    assert len(count_rows("How many people are on the waiting list?", evidence(waiting))) == 3
    assert count_rows("How many people are on the guest list?", evidence(waiting)) == []


def test_rows_are_not_counted_where_a_sentence_tells_another_number() -> None:
    meters = ("Meters", "Plot: 7; Reading: 112\nPlot: 12; Reading: 88\nPlot: 23; Reading: 240")
    question = "How many plots are there?"
    assert len(count_rows(question, evidence(meters))) == 3
    assert (
        count_rows(question, evidence(meters, ("Statutes", "There are 48 plots of about 250 square metres each.")))
        == []
    )
    assert len(count_rows(question, evidence(meters, ("Statutes", "There are three plots with a meter.")))) == 3


def test_one_thing_of_another_kind_is_none_of_the_rows() -> None:
    gear = ("Gear", "Item: drum kit; Player: Dawit Ali; Case: 4\nItem: travel kit; Player: Dawit Ali; Case: 2")
    assert rows("What does Dawit Ali play?", gear) == ["drum kit", "travel kit"]
    assert rows("Which item has Dawit Ali?", gear) == ["drum kit", "travel kit"]
    assert rows("from which age has Dawit Ali drummed", gear) == []
    assert rows("What is Dawit Ali's mobile number?", gear) == []
    goats = ("Goats", "Name: Tikka; Dam: Pim; Pen: A3\nName: Tansy; Dam: Pim; Pen: A3")
    assert rows("Who is Pim's mother?", goats) == []


def test_rows_are_not_counted_for_what_they_are_not() -> None:
    trams = (
        "Timetable",
        "Service: Tram 1; Vehicle: Mirabel\nService: Tram 6; Vehicle: Mirabel\nService: Tram 9; Vehicle: Ibis",
    )
    assert count_rows("How many seats does a Mirabel have?", evidence(trams)) == []
    assert len(count_rows("How many services have a Mirabel?", evidence(trams))) == 2
    assert len(count_rows("How many lines are Mirabels?", evidence(trams))) == 2


STORES = (
    "Stores",
    "Substance: acetone; Amount: 10; Unit: l; Supplier: Solvex; Owner: Ann Lee\n"
    "Substance: hexane; Amount: 5; Unit: l; Supplier: Brenner; Owner: Tom Hill\n"
    "Substance: salt; Amount: 500; Unit: g; Supplier: Solvex; Owner: Ann Lee",
)
PATIENTS = (
    "Patients",
    "Name: Luna; Species: cat; Vet: Lim\nName: Pickle; Species: rabbit; Vet: Lim\n"
    "Name: Hops; Species: rabbit; Vet: Rao",
)
MEMBERS = (
    "Members",
    "Member: Mirjam; Category: junior; Role: cox\nMember: Patrick; Category: junior; Role: none\n"
    "Member: Joost; Category: student; Role: junior coach",
)
DUTY = (
    "Duty",
    "Week: 14; Waste: Tom; Glovebox: Ann\nWeek: 15; Waste: Ann; Glovebox: Tom\nWeek: 16; Waste: Mei; Glovebox: Ann",
)


@pytest.mark.parametrize(
    ("question", "texts", "names"),
    [
        # Amounts each in its own unit are no number of the things.
        ("How many substances come from Solvex?", STORES, ["acetone", "salt"]),
        ("How many substances does Ann take care of?", STORES, ["acetone", "salt"]),
        ("How many rabbits are registered?", PATIENTS, ["Pickle", "Hops"]),
        # By the column that is asked for, not by another that names the same.
        ("How many weeks is Ann down for the glovebox?", DUTY, ["14", "16"]),
        ("how many weeks is Ann down for the glove box", DUTY, ["14", "16"]),
        ("How many birds are registered?", PATIENTS, []),
        # Those that are of the kind by a cell of its own, not one whose remark has the word.
        ("How many junior members are there?", MEMBERS, ["Mirjam", "Patrick"]),
    ],
)
def test_rows_that_are_counted_by_what_their_cells_say(question: str, texts: tuple[str, str], names: list[str]) -> None:
    assert [one.text for one in count_rows(question, evidence(texts))] == names


def test_a_first_name_is_the_full_one_that_has_it_where_the_kind_of_thing_is_known() -> None:
    assert rows("Which substances does Ann look after?", STORES) == ["acetone", "salt"]
    two = (STORES[0], STORES[1].replace("Tom Hill", "Ann Hill"))
    assert rows("Which substances does Ann look after?", two) == []
    assert rows("What did the older Ann die of?", STORES) == []
    loans = (
        "Loans",
        "Borrower: Nadia; Book: The Salt Road\nBorrower: Mina; Book: The Salt Road\nBorrower: Tom; Book: Ice",
    )
    assert rows("Who is the mayor?", loans) == []
    assert rows("What is the most that Solvex sells?", STORES) == []


@pytest.mark.parametrize(
    "question",
    [
        "What is the name of Anna's husband?",
        "What did Anna's mother say?",
        "What does Anna eat?",
        "Which songs does Anna like?",
        "What are the names of Anna's children?",
    ],
)
def test_the_rows_that_somebody_stands_in_tell_nothing_else_of_him(question: str) -> None:
    keys = evidence(
        ("Keys", "Item: front door key; Holder: Anna; Place: Office\nItem: van key; Holder: Anna; Place: Yard")
    )
    assert find_rows(question, keys) == []
    assert [one.text for one in find_rows("What does Anna hold?", keys)] == ["front door key", "van key"]


def test_what_a_sentence_counts_is_not_counted_in_a_table() -> None:
    samples = ("Samples", "Sample: T1; Species: shore crab\nSample: N2; Species: shore crab\nSample: S3; Species: eel")
    paper = ("Paper", "We analysed the gut contents of 312 crabs and 148 sea stars.")
    question = "How many crabs were analysed?"
    assert not is_counted_by_sentence(question, 2, evidence(samples))
    assert is_counted_by_sentence(question, 2, evidence(samples, paper))
    assert not is_counted_by_sentence(question, 312, evidence(samples, paper))
    assert not is_counted_by_sentence("How many crabs were sold?", 2, evidence(samples, paper))
    assert find_whole(question, evidence(samples)) is not None
    assert find_whole(question, evidence(samples, paper)) is None
