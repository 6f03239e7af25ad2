"""What two records tell together."""

from __future__ import annotations

import pytest
from answer_evidence import evidence

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
