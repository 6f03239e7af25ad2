"""What two records tell together."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

from tools.answer_rules.docs import Evidence, EvidencePassage
from tools.answer_rules.joined_rows import asks_of_two, find_joined

SERVICES = (
    "services",
    "Service: Posthorn; Does: mail; Team: Platform; Port: 8080\n"
    "Service: Ledger; Does: invoices; Team: Payments; Port: 8085",
)
PLATFORM = ("Platform", "Lead: Tomasz Brandl\nChannel: #platform")
PAYMENTS = ("Payments", "Lead: Ana Kovarik\nChannel: #money")
PEOPLE = ("people", "Name: Tomasz Brandl; Extension: 121; Room: 4\nName: Ana Kovarik; Extension: 114; Room: 2")
JOBS = (
    "jobs",
    "Reg: WK14; Cust: C04; Car: Fiesta; Work: brakes\nReg: WR16; Cust: C10; Car: Mazda MX-5; Work: tyres\n"
    "Reg: WX20; Cust: C04; Car: Golf; Work: clutch",
)
CUSTOMERS = (
    "customers",
    "Name: Aoife Brennan; Id: C04; Phone: 552; Notes: nurse on nights\n"
    "Name: Philip Anstey; Id: C10; Phone: 388; Notes: keep indoors",
)
ALL = (SERVICES, PLATFORM, PAYMENTS, PEOPLE, JOBS, CUSTOMERS)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # By a name in a row and the record of that name; by the code of a row; from the other side.
        ("Who leads the team that owns Posthorn?", "Tomasz Brandl"),
        ("What is the channel of the team that does the invoices?", "#money"),
        ("What is the telephone of whoever drives the mazda?", "388"),
        ("What extension has the person who leads Payments?", "114"),
        # Two cars; a name that no record has; what a record tells itself; no description; denied; nothing of the kind.
        ("what car has the nurse got", None),
        ("Who leads the team that owns Foghorn?", None),
        ("What is the port of the service that does the mail?", None),
        ("What is the extension of Ana Kovarik?", None),
        ("Who does not lead the team that owns Posthorn?", None),
        ("What is the salary of whoever drives the mazda?", None),
        ("", None),
    ],
)
def test_what_is_asked_of_a_record_that_another_one_describes(question: str, answer: str | None) -> None:
    found = find_joined(question, evidence(*ALL))
    assert (found.text if found else None) == answer


def test_a_code_of_two_tables_joins_them_whatever_it_is_called() -> None:
    objects = ("objects", "Object: loom; Inv no: H-022; Donor: Ruth\nObject: seal; Inv no: H-001; Donor: Council")
    loans = ("loans", "Borrower: Photo club; Inv no: H-022; Fee: 120\nBorrower: Archive; Inv no: H-001; Fee: 0")
    question = "Who is the donor of the object that the photo club has borrowed?"
    found = find_joined(question, evidence(objects, loans))
    assert found is not None
    assert found.text == "Ruth"


def test_both_records_are_cited() -> None:
    found = find_joined("Who leads the team that owns Posthorn?", evidence(*ALL))
    assert found is not None
    assert [place.text for place in found.places] == ["Tomasz Brandl", "Platform", "Posthorn"]


def test_a_name_of_many_records_leads_nowhere() -> None:
    many = [("Platform", f"Lead: Ann Lee\nChannel: #{at}") for at in range(4)]
    assert find_joined("Who leads the team that owns Posthorn?", evidence(SERVICES, *many)) is None
    assert find_joined("Who leads the team that owns Posthorn?", evidence()) is None


def test_records_that_refer_to_each_other_end() -> None:
    ring = ("people", "Name: Ann; Boss: Tom; Room: 1\nName: Tom; Boss: Mei; Room: 2\nName: Mei; Boss: Ann; Room: 3")
    assert find_joined("In which room sits the person who has the boss Mei?", evidence(ring)) is None


def test_asks_of_two() -> None:
    assert asks_of_two("Who leads the team that owns Posthorn?")
    assert not asks_of_two("Who leads Platform?")
    assert not asks_of_two("")


def of_file(name: str, rows: str) -> EvidencePassage:
    return EvidencePassage(len(name), name, rows, 1.0, source=f"{name}.csv")


TRIPS = of_file("trips", "Tour: Dachstein Round; Guide id: G09; Hotel id: H01; Trailer driver: Joost van Hamel\n"
                         "Tour: Salt Road; Guide id: G01; Hotel id: H05; Trailer driver: Ulrich Fenn")  # fmt: skip
GUIDES = of_file("guides", "Name: Tereza; Guide id: G09; Phone: 774\nName: Renzo; Guide id: G01; Phone: 220")
HOTELS = of_file("hotels", "Name: Seeblick; Hotel id: H01; Phone: 824\nName: Mar; Hotel id: H05; Phone: 111")
CREW = of_file("crew", "Name: Joost van Hamel; Mobile: 615\nName: Ulrich Fenn; Mobile: 402")


def test_who_is_a_person_and_no_hotel() -> None:
    question = "What is the phone of whoever leads the Dachstein trip?"
    found = find_joined(question, Evidence([TRIPS, GUIDES, HOTELS]))
    assert found is not None
    assert found.text == "774"
    assert find_joined(question, Evidence([TRIPS, HOTELS])) is None


def test_a_name_leads_on_only_where_the_question_names_its_column() -> None:
    rows = Evidence([TRIPS, CREW])
    assert find_joined("What is the mobile of the man who carries bags on the Dachstein Round?", rows) is None
    found = find_joined("What is the mobile of the man who drives on the Dachstein Round?", rows)
    assert found is not None
    assert found.text == "615"
