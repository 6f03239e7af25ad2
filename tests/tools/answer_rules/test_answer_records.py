"""What structure states, looked up by name, and followed from hop to hop."""

from __future__ import annotations

import pytest
from answer_evidence import blind, evidence, passages

from tools.answer_rules.recorded_rows import STATED, find_recorded, find_stated, find_values
from tools.planning.plan import Constraint
from tools.planning.planner import plan_question
from tools.reading.answering import answer_question
from tools.reading.certainty import RISK, least_confidence

TEAMS = ("Teams", "## Warehouse\n\nLead: Ana Souza\nFloor: second\n\n## Garage\n\nLead: Tom Hill")
PEOPLE = (
    "People",
    "- Ana Souza, baker. Extension 105. Started in May 2012.\n- Tom Hill: driver. Extension 107. Sits in the Loft.",
)
SERVICES = (
    "Services",
    "Service: Stamp; Team: Rentals; Price eur: 24; Minded by: Mei\n"
    "Service: Mute; Team: Garage; Price eur: 9; Minded by: Ifor",
)


def stated(subject: str, relation: str, *texts: tuple[str, str], wants_tail: bool = True) -> list[str]:
    ends = (subject, "?x") if wants_tail else ("?x", subject)
    constraint = Constraint(ends[0], relation, ends[1])
    return [one.text for one in find_stated(evidence(*texts), constraint, subject, wants_tail)]


@pytest.mark.parametrize(
    ("subject", "relation", "values"),
    [
        ("Warehouse", "lead", ["Ana Souza"]),
        ("the warehouse", "leads", ["Ana Souza"]),
        ("Warehouse", "floor number", ["second"]),
        ("Stamp", "price", ["24"]),
        ("Mute", "minder", ["Ifor"]),
        ("Ana Souza", "extension", ["105"]),
        ("Ana", "extension number", ["105"]),
        ("Ana Souza", "started", ["May 2012"]),
        ("Tom Hill", "sits", ["the Loft"]),
        ("Stamp", "extension", []),
        ("Nobody", "lead", []),
        ("Warehouse", "extension of the lead", []),
        ("", "lead", []),
        ("Warehouse", "", []),
    ],
)
def test_the_value_beside_a_name(subject: str, relation: str, values: list[str]) -> None:
    assert stated(subject, relation, TEAMS, PEOPLE, SERVICES) == values


def test_the_subject_of_a_row_by_its_value() -> None:
    assert stated("Rentals", "team", SERVICES, wants_tail=False) == ["Stamp"]


def test_a_row_is_about_each_thing_that_a_cell_names() -> None:
    licences = ("Licences", "Kind: engine; Product: Kiln 3; Seats: 5\nKind: typeface; Product: Kumo; Seats: 2")
    assert stated("Kiln 3", "seats", licences) == ["5"]


def test_what_agrees_wholly_is_surer_than_what_agrees_in_part() -> None:
    found = find_stated(evidence(PEOPLE, TEAMS), Constraint("Warehouse", "lead", "?x"), "Warehouse", True)
    assert [one.score for one in found] == [pytest.approx(STATED)]
    partly = find_stated(evidence(PEOPLE), Constraint("Ana", "extension", "?x"), "Ana", True)
    assert partly[0].score == pytest.approx(STATED * (0.9 + 0.1 * 1 / 2) * 0.9), "one of two words; told in an entry"


def test_where_two_subjects_agree_as_well_neither_is_sure() -> None:
    rooms = ("Rooms", "## Mill Loft\n\nKey: with Ana\n\n## Bake Loft\n\nKey: with Tom")
    found = find_stated(evidence(rooms), Constraint("Loft", "key", "?x"), "Loft", True)
    assert {one.text for one in found} == {"with Ana", "with Tom"}
    assert max(one.score for one in found) == pytest.approx(0.55)


def test_two_hops_over_structure_are_answered() -> None:
    question = "What is the extension of the lead of the Warehouse?"
    answer = answer_question(question, plan_question(question), passages(TEAMS, PEOPLE), read=blind)
    assert answer.text == "105"
    assert [hop.value for hop in answer.hops] == ["Ana Souza", "105"]
    assert answer.support == (1, 2)
    assert answer.confidence >= least_confidence(RISK)


PRACTICE = ("Larch Hill Practice", "Rent: 2,380 euros a month\nOwner: Ingrid Vass\nTaken by: Noor Ray, Piet Moss")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How much is the rent of the practice?", "2,380 euros a month"),
        ("rent larch hill", "2,380 euros a month"),
        ("Who owns the practice?", "Ingrid Vass"),
        ("What is the rent of the Mill?", None),
        ("How much is the rent in 2031?", None),
        ("What is the weather like?", None),
        ("", None),
    ],
)
def test_the_one_value_whose_line_says_all_that_is_asked(question: str, value: str | None) -> None:
    found = find_recorded(question, evidence(PRACTICE, TEAMS))
    assert (found.text if found else None) == value


def test_who_is_assigned_is_the_assignee() -> None:
    board = ("Board", "## OPS-17: Pallets\n\nAssignee: Mette Holm\n\n## OPS-18: Forks\n\nAssignee: Ana Souza")
    found = find_recorded("Who is assigned to OPS-17?", evidence(board))
    assert found is not None
    assert found.text == "Mette Holm"


def test_a_value_of_few_letters_is_one_and_what_is_asked_is_none() -> None:
    card = ("Ana's card", "Blood group: A\nTeam: Rentals")
    assert [found.text for found in [find_recorded("What is the blood group?", evidence(card))] if found] == ["A"]
    assert find_recorded("What is the Rentals team?", evidence(card)) is None


def test_of_two_lines_that_say_all_neither_is_the_one() -> None:
    assert find_recorded("Who leads?", evidence(TEAMS)) is None


def test_a_person_is_no_answer_to_when() -> None:
    question = "When was it taken?"
    answer = answer_question(question, plan_question(question), passages(PRACTICE), read=blind)
    assert answer.confidence < least_confidence(RISK)


def test_what_a_record_states_is_answered_however_it_is_planned() -> None:
    question = "How much is the rent of the practice?"
    assert answer_question(question, plan_question(question), passages(PRACTICE, TEAMS), read=blind).text == (
        "2,380 euros a month"
    )
    answer = answer_question(question, plan_question(question), passages(PRACTICE, TEAMS))
    assert answer.text == "2,380 euros a month"
    assert answer.confidence >= least_confidence(RISK)


GROUPS = (
    ("Rentals", "Team: Rentals\nMembers: Ana Souza, Tom Hill, Mei Lin"),
    ("Leads' meeting, 8 May", "Present: Henrik, Ana\n\nThe quay stays open."),
)


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("Who was the practice taken by?", ["Noor Ray", "Piet Moss"]),
        ("Who is in the rentals team?", ["Ana Souza", "Tom Hill", "Mei Lin"]),
        ("Who was at the leads' meeting in May?", ["Henrik", "Ana"]),
        ("Who was at the leads' meeting in June?", []),
        ("Who was not at the leads' meeting in May?", []),
        ("Who was absent at the leads' meeting in May?", []),
        ("Who was speaking at the leads' meeting in May?", []),
        ("Who is the treasurer in the rentals team?", []),
        ("Who owns the practice?", []),
        ("Who was the Mill taken by?", []),
        ("", []),
    ],
)
def test_the_values_of_one_list(question: str, members: list[str]) -> None:
    assert [one.text for one in find_values(question, evidence(PRACTICE, TEAMS, *GROUPS))] == members


BOARD = (
    ("Board meeting, 12 March", "Present: Hanne Vold, Idris Okafor\nApologies: Saskia Brandt, Jo Lund"),
    ("Board meeting, 9 April", "Present: Hanne Vold\nApologies: Idris Okafor"),
    ("Allotment committee, 14 June", "In attendance: Ruth Okello, Sam Birch\nAbsent: Joan Pike, Theo Marsh"),
)


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("Who was absent from the board meeting in March?", ["Saskia Brandt", "Jo Lund"]),
        ("Who couldn't come to the board meeting of 12 March?", ["Saskia Brandt", "Jo Lund"]),
        ("Who was not at the board meeting in April?", ["Idris Okafor"]),
        ("Who sent apologies to the board meeting in April?", ["Idris Okafor"]),
        ("Who attended the board meeting in March?", ["Hanne Vold", "Idris Okafor"]),
        ("Who attended the committee in June?", ["Ruth Okello", "Sam Birch"]),
        ("Who missed the committee in June?", ["Joan Pike", "Theo Marsh"]),
        ("Who didn't attend the board meeting in May?", []),
        ("Who missed the tram?", []),
    ],
)
def test_who_was_there_and_who_was_away(question: str, members: list[str]) -> None:
    told = evidence(*BOARD)
    found = find_values(question, told) or [one for one in [find_recorded(question, told)] if one]
    assert [one.text for one in found] == members


DATED = (
    ("Board 11 Feb 2025", "Present: Ros, Sandy, Jonty"),
    ("Board meeting", "## 10 Sept 2024\n\nPresent: Ros, Sandy. Apologies Hugh (ill)"),
)


@pytest.mark.parametrize(
    ("question", "members"),
    [
        ("Who was at the February board meeting?", ["Ros", "Sandy", "Jonty"]),
        ("Who was at the board meeting in February 2025?", ["Ros", "Sandy", "Jonty"]),
        ("Who came to the board meeting in September?", ["Ros", "Sandy"]),
        ("Who missed the September meeting?", ["Hugh"]),
        ("Who was at the board meeting in February 2024?", []),
        ("Who was at the May board meeting?", []),
    ],
)
def test_a_month_is_that_of_the_day_of_the_minutes(question: str, members: list[str]) -> None:
    told = evidence(*DATED)
    found = find_values(question, told) or [one for one in [find_recorded(question, told)] if one]
    assert [one.text for one in found] == members


def test_a_measure_is_told_by_no_column_of_another_name() -> None:
    sales = ("Sales", "Day: 21 June; Cider: 23; Juice: 20; Weather: hot")
    assert find_recorded("how hot does the juice need", evidence(sales)) is None
    heated = ("Heating", "Drink: juice; Temperature: 72")
    found = find_recorded("how hot does the juice get", evidence(sales, heated))
    assert found is not None
    assert found.text == "72"


def test_what_is_called_otherwise_every_day() -> None:
    fares = ("Fares", "Ticket: Adult; Single: 5.40; Return: 9.80\nTicket: Child 5-15; Single: 2.40; Return: 4.20")
    found = find_recorded("how much is a kid's return", evidence(fares))
    assert found is not None
    assert found.text == "4.20"


def test_what_somebody_wants_is_what_is_told_of_them() -> None:
    contracts = (
        "Contracts",
        "What: Tickets; With: Wharfie Ltd; Notice: 90 days\nWhat: Office; With: Dee; Notice: 30 days",
    )
    found = find_recorded("How much notice does Wharfie want?", evidence(contracts))
    assert found is not None
    assert found.text == "90 days"


def test_who_was_away_is_answered_however_it_is_planned() -> None:
    question = "Who was absent from the board meeting in April?"
    answer = answer_question(question, plan_question(question), passages(*BOARD), read=blind)
    assert answer.text == "Idris Okafor"


def test_who_was_there_is_counted_by_the_list() -> None:
    question = "How many people were at the leads' meeting in May?"
    answer = answer_question(question, plan_question(question), passages(*GROUPS), read=blind)
    assert (answer.text, answer.support) == ("2", (2,))


STORE = (
    "Store",
    "Item: Clinometers; Quantity: 10; Supplier: Fieldgear; Kind: tool\n"
    "Item: Atlases (new); Quantity: 60; Supplier: Penhallow; Kind: book\n"
    "Item: Cheese, 12 months; Price eur: 29; Quantity: 3; Supplier: Vlinder",
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many clinometers do we own?", "10"),
        ("Where did we get the new atlases from?", "Penhallow"),
        ("How much is the twelve month cheese?", "29"),
        ("How many compasses do we own?", ""),
        ("How many do we own?", ""),
    ],
)
def test_the_column_that_a_question_asks_for_without_its_name(question: str, value: str) -> None:
    found = find_recorded(question, evidence(STORE))
    assert (found.text if found else "") == value


def test_an_unknown_word_that_narrows_a_known_one_is_not_let_pass() -> None:
    trip = ("Trip", "Coach: see the minutes\nPrice: 24 pounds")
    assert find_recorded("What is the name of the coach driver?", evidence(trip)) is None


def test_of_one_meeting_alone_nothing_more_need_be_said() -> None:
    minutes = ("Minutes", "Present: Jo Amsel, Wanda Pohl\nApologies: Dieter Voss\n\nThe rent goes up.")
    asked = ("Who was absent from the meeting?", "Who sent apologies?", "Who attended the meeting?")
    told = [find_recorded(question, evidence(minutes)) for question in asked]
    assert [one and one.text for one in told] == ["Dieter Voss", "Dieter Voss", "Jo Amsel"]
    again = ("Minutes", "Present: Ann Lee, Wanda Pohl\nApologies: Karim Haddad")
    assert [find_recorded(question, evidence(minutes, again)) for question in asked] == [None, None, None]
    assert find_recorded("Who was absent from the choir?", evidence(minutes)) is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # "number" says what sort of thing a cas is.
        ("What is the cas number of proline?", "147-85-3"),
        # What is not known is all that tells which one is meant, or what is done for it.
        ("How much do the solicitors cost per year?", None),
        ("What is the yearly fee of the solicitors?", None),
        ("What is the yearly fee of Pinglane?", "310"),
        ("What is the cost per year of Pinglane?", "6200"),
        ("What is the price for clipping a rabbit?", None),
        ("What is the price for a rabbit jab?", "58"),
    ],
)
def test_what_is_said_of_a_value_besides_its_key(question: str, answer: str | None) -> None:
    stock = ("Stock", "Substance: proline; Cas: 147-85-3; Amount: 100")
    firms = ("Firms", "Vendor: Pinglane; Cost per year: 6200; Yearly fee: 310")
    prices = ("Prices", "Job: rabbit jab; Price: 58")
    found = find_recorded(question, evidence(stock, firms, prices, ("Note", "Any number will do.")))
    assert (found.text if found else None) == answer


def test_who_was_there_is_not_who_was_on_call() -> None:
    crew = ("Crew in May", "Participants: Ada, Bruno, Cleo\n\nAda: I call you.")
    rota = ("Rota", "## On call\n\nMay: Ada, Bruno\nJune: Cleo")
    assert [one.text for one in find_values("Who was in the crew in May?", evidence(crew))] == ["Ada", "Bruno", "Cleo"]
    assert find_values("Who was on call in the crew in May?", evidence(crew)) == []
    assert [one.text for one in find_values("Who was on call in May?", evidence(rota))] == ["Ada", "Bruno"]


def test_who_is_on_the_board_is_not_who_is_on_board() -> None:
    board = ("People", "## Board\n\nChair: Hollis Marr\nMembers: Peregrine Stout, Dr. Wilma Aske\nMeets: in May")
    crew = (
        "Crew",
        "Name: Ada; Base: on board; Ext.: 1\nName: Bo; Base: on board; Ext.: 2\nName: Cy; Base: on board; Ext.: 3",
    )
    for question in ("Who is on the board?", "Who are the members of the board?"):
        found = answer_question(
            question, plan_question(question), passages(crew, board), {}, blind, blind, passages(crew)
        )
        assert found.text == "Peregrine Stout, Dr. Wilma Aske"


KENNEL = (
    ("Orrery Imaging", "Firm: Orrery Imaging; Town: Sallowby; Contact: Casimir Holt"),
    ("camera", "Item: camera; Bought from: Orrery Imaging; Place: Main dome; Responsible: Calla Whitmarsh"),
    ("Calla", "Name: Calla Whitmarsh; Desk: Control room; Days: Tue-Fri; Mentor: Dov Sarkany"),
    ("board", "Paper: grey board; Dealer: Cartonnage Delcourt; Price: 15.20"),
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        # Its own row tells where it is, not that of what was bought there.
        ("Where is Orrery Imaging?", "Sallowby"),
        ("Where does Calla sit?", "Control room"),
        ("Where is the camera?", "Main dome"),
        ("On which days does Calla work?", "Tue-Fri"),
        ("Who looks after the camera?", "Calla Whitmarsh"),
        ("Who delivers the grey board?", "Cartonnage Delcourt"),
        ("Which firm sells the camera?", None),
    ],
)
def test_columns_that_are_asked_for_without_their_names(question: str, value: str | None) -> None:
    found = find_recorded(question, evidence(*KENNEL))
    assert (found.text if found else None) == value


def test_the_number_of_a_phone_is_what_the_column_phone_has() -> None:
    members = ("Members", "Name: Gethin Lloyd; Phone: 01654 700456\nName: Owen Rees; Phone: 01654 700321")
    found = find_recorded("What is Gethin's phone number?", evidence(members), lacking=0)
    assert found is not None
    assert found.text == "01654 700456"
    assert find_recorded("What is Gethin's house number?", evidence(members), lacking=0) is None
