"""The row of a table that has the most or the least of what is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import evidence, passages
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS
from tools.answer_rules.placed_rows import find_placed
from tools.answer_rules.whole_tables import SURE, find_whole
from tools.planning.plan import Plan
from tools.reading.answering import answer_question
from tools.reading.spans import Reading

VESSELS = (
    "Vessels",
    "Vessel: Guillemot; Type: car ferry; Built: 1994; Speed kn: 11.5; Cars: 18; Docked: 2025-10-06\n"
    "Vessel: Petrel; Type: car ferry; Built: 2009; Speed kn: 12.0; Cars: 12; Docked: 2026-02-09\n"
    "Vessel: Aurelia; Type: launch; Built: 2017; Speed kn: 18.0; Cars: 0; Docked: 2025-05-12",
)
LAMPS = ("Lamps", "Lamp: Noon; Length: 30\nLamp: Dusk; Length: 7\nLamp: Eve; Length: 12")
FILMS = (
    "Films",
    "Film: Noon; Length min: 30; Votes: 30; Begins: 18:30\nFilm: Dusk; Length min: 9; Votes: 7; Begins: 17:00",
)
PRICES = ("Prices", "Room: Mill Loft; Rent eur: 12.50; Deposit eur: 40\nRoom: Attic; Rent eur: 9.00; Deposit eur: 40")


def test_neither_what_the_things_are_nor_what_they_do_need_be_written_there() -> None:
    herd = ("Herd", "Name: Bella; Milk per day: 18 l\nName: Dora; Milk per day: 27 l\nName: Liese; Milk per day: 12 l")
    for question, name in (("Which cow gives the least milk?", "Liese"), ("Which cow gives the most milk?", "Dora")):
        found = find_whole(question, evidence(herd))
        assert found is not None
        assert found.text == name
    assert find_whole("Which cow of Ravi gives the most milk?", evidence(herd)) is None


def test_things_that_another_table_has_are_not_those_of_this_one() -> None:
    shop = ("Shop", "Item: Bolt; Price: 0.40\nItem: Nut; Price: 0.20\nItem: Pin; Price: 0.30")
    trip = ("Trip", "Hotel: Sonne; Stars: 3\nHotel: Krone; Stars: 4")
    assert find_whole("Which hotel is the cheapest?", evidence(shop, trip)) is None
    found = find_whole("Which part is the cheapest?", evidence(shop, trip))
    assert found is not None
    assert found.text == "Nut"


def test_a_row_that_sums_up_the_others_is_not_the_most() -> None:
    members = ("Fees", "Group: Adults; Members: 46\nGroup: Juniors; Members: 27\nGroup: **Total**; Members: 73")
    found = find_whole("Which group has the most members?", evidence(members))
    assert found is not None
    assert found.text == "Adults"


HOURS = (
    "Timesheet",
    "Volunteer: Agnes; Hours: 6\nVolunteer: Bo; Hours: 7\nVolunteer: Agnes; Hours: 2.5\nVolunteer: Sami; Hours: 5",
)


@pytest.mark.parametrize(
    ("question", "name", "values"),
    [
        # Agnes has 8.5 hours, more than Bo's 7, which are the most of one row, and Sami the fewest.
        ("Which volunteer did the most hours?", "Agnes", ["6", "2.5"]),
        ("Which volunteer did the fewest hours?", "Sami", ["5"]),
    ],
)
def test_the_most_of_one_that_has_several_rows_is_that_of_all_of_them(
    question: str, name: str, values: Sequence[str]
) -> None:
    found = find_whole(question, evidence(HOURS))
    assert found is not None
    assert (found.text, [place.text for place in found.places[1:]]) == (name, values)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which vessel is the oldest?", "Guillemot"),
        ("What is the newest vessel?", "Aurelia"),
        ("Which kind of vessel is the newest?", "Aurelia"),
        ("Which one of our boats is the fastest?", "Aurelia"),
        ("Which car ferry is the newest?", "Petrel"),
        ("Which car ferry is the fastest?", "Petrel"),
        ("Which vessel takes the most cars?", "Guillemot"),
        ("What's the most expensive room to rent?", "Mill Loft"),
        ("which room has the lowest rent", "Attic"),
        # Two rows share the place, two columns are meant, no column is.
        ("Which room has the highest deposit?", None),
        ("Which room is the cheapest?", "Attic"),
        ("Which vessel is the heaviest?", None),
        # Something is asked of that row, of another thing, of no kind, of what no row says, or denied.
        ("What is the speed of the oldest vessel?", None),
        ("Which crew has the oldest vessel?", None),
        ("Who painted the oldest vessel?", None),
        ("What does the oldest vessel carry?", None),
        ("What is the second oldest vessel?", None),
        ("Which vessel is the oldest but one?", None),
        ("Which vessel with a crane is the fastest?", None),
        ("Which old vessel is the largest?", None),
        ("Which guest has a long vessel?", None),
        ("Who is the oldest tenant?", None),
        ("Who is the fastest?", None),
        ("Which vessel of Harrow Weir is the fastest?", None),
        ("Which vessel is not the fastest?", None),
        ("Is the Petrel the fastest?", None),
        ("Who is the best captain?", None),
        ("", None),
    ],
)
def test_the_one_row_that_comes_first(question: str, name: str | None) -> None:
    found = find_whole(question, evidence(VESSELS, PRICES))
    assert (found.text if found else None) == name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which lamp is the longest?", "Noon"),
        ("Which film got the most votes?", "Noon"),
        ("Which film got the fewest votes?", "Dusk"),
        ("Which film is the shortest?", "Dusk"),
        # What narrows is in no row.
        ("Which short film got the most votes?", None),
        ("Which film got the most votes in Ayr?", None),
        ("Which film got the most votes of children?", None),
    ],
)
def test_the_words_for_the_most_alone_say_what_is_measured(question: str, name: str | None) -> None:
    found = find_whole(question, evidence(LAMPS if "lamp" in question else FILMS))
    assert (found.text if found else None) == name


PROPS = (
    "Props",
    "Item: samovar; For: Orchard; Value (pounds): 180\nItem: lamp; For: Orchard; Value (pounds): 45\n"
    "Item: pike; For: Pickle; Value (pounds): 20",
)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which prop is worth most?", "samovar"),
        ("Which prop is worth the least?", "pike"),
        ("What is the most valuable prop?", "samovar"),
        ("Which is the least valuable prop for Orchard?", "lamp"),
    ],
)
def test_what_a_thing_is_worth_is_its_value(question: str, name: str) -> None:
    found = find_whole(question, evidence(PROPS))
    assert found is not None
    assert found.text == name


SINGERS = ("People", "Name: Hanne; Voice: alto; Joined: 2011\nName: Saskia; Voice: alto; Joined: 2009")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which singer joined first?", "Saskia"),
        ("Which alto joined last?", "Hanne"),
        ("Which singer joined the earliest?", "Saskia"),
        ("What was the last song?", None),
        ("Which singer came in first?", None),
        ("Which singer joined last year?", None),
        ("Which bass of Arendal joined first?", None),
    ],
)
def test_who_came_first_is_told_by_the_column_that_the_verb_names(question: str, name: str | None) -> None:
    found = find_whole(question, evidence(SINGERS))
    assert (found.text if found else None) == name


def test_times_of_the_day_are_no_lengths_and_tenants_no_years() -> None:
    course = ("Courses", "Course: Oils; Time: 18:30; Room: A\nCourse: Clay; Time: 17:00; Room: B")
    assert find_whole("Which course is the shortest?", evidence(course)) is None
    tenants = ("Tenants", "Tenant: Ann; Since: 2012; Flat: A\nTenant: Bob; Since: 2015; Flat: B")
    assert find_whole("Who is the oldest tenant?", evidence(tenants)) is None


def test_too_few_values_are_no_order() -> None:
    rows = "Vessel: A; Speed: 11; Cars: 1\nVessel: B; Speed: 12; Cars: 2\nVessel: C; Speed: {}; Cars: 3"
    question = "Which vessel is the fastest?"
    assert find_whole(question, evidence(("Vessels", rows.format("unknown")))) is None
    assert find_whole(question, evidence(("Vessels", rows.format("14")))) is not None


def test_it_is_told_with_its_value_and_only_where_all_rows_are_at_hand() -> None:
    found = passages(VESSELS)
    question = "Which vessel is the fastest?"
    assert not answer_question(question, Plan(()), found, {}, _nothing, None, None).text
    answer = answer_question(question, Plan(()), found, {}, _nothing, None, ())
    assert (answer.text, answer.confidence, answer.support) == ("Aurelia", SURE, (1,))
    assert answer.stated[0][1].startswith("Vessel: Aurelia; Type: launch; Built: 2017; Speed kn: 18.0")


def _nothing(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
    return [Reading() for _ in pairs]


def test_hostile_text_takes_linear_time() -> None:
    rows = "\n".join(f"A: {n}; Length: {n}; Width: {n}" for n in range(2000))

    def find(letters: int) -> None:
        assert find_whole("which " + "x " * 130 + "is the longest", evidence(("t", rows[:letters]))) is None

    assert is_linear(find, MAX_CHARS)


VISITS = (
    "Visits",
    "Date: 2025-06-30; Visitors: 100; Children: 10\nDate: 2025-07-01; Visitors: 20; Children: 40\n"
    "Date: 2025-07-02; Visitors: 30; Children: 6",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What was the highest number of visitors on one day?", "100"),
        ("What was the lowest number of children?", "6"),
        ("What is the largest amount?", "12.50"),
        ("Which day had the most visitors?", "2025-06-30"),
        ("Who worked the most hours?", "Tom Hill"),
        ("What was the highest number of dogs on one day?", None),
    ],
)
def test_how_much_the_most_is(question: str, answer: str | None) -> None:
    ledger = ("Ledger", "What: tea; Amount: 3.00\nWhat: glue; Amount: 12.50")
    sheet = ("Sheet", "Person: Tom Hill; Hours: 4\nPerson: Ann Lee; Hours: 5\nPerson: Tom Hill; Hours: 3")
    found = find_whole(question, evidence(VISITS, ledger, sheet))
    assert (found.text if found else None) == answer


WAITING = ("Waiting list", "Name: Piet; Place: 3\nName: Farida; Place: 1\nName: Jonas; Place: 2")
SPEAKERS = ("Speakers' list", "Speaker: Ann; Topic: bees\nSpeaker: Tom; Topic: hay\nSpeaker: Mei; Topic: oats")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who is first on the waiting list?", "Farida"),
        ("Who is next on the waiting list?", "Farida"),
        ("who's third in line on the waiting list", "Piet"),
        ("Who is the last one on our waiting list?", "Piet"),
        ("Who is second on the speakers list?", "Tom"),
        ("Who is last on the speakers list?", "Mei"),
        # Past its end, no such list, two lists, another question.
        ("Who is fourth on the waiting list?", None),
        ("Who is fifth on the speakers list?", None),
        ("Who is first on the guest list?", None),
        ("Who is first on the list?", None),
        ("Who was the first to apply?", None),
    ],
)
def test_the_row_at_a_place(question: str, name: str | None) -> None:
    found = find_placed(question, evidence(WAITING, SPEAKERS))
    assert (found.text if found else None) == name


def test_places_with_a_full_stop_and_no_places_at_all() -> None:
    stopped = ("Waiting list", "Name: Piet; Place: 2.\nName: Farida; Place: 1.")
    found = find_placed("Who is first on the waiting list?", evidence(stopped))
    assert found is not None
    assert found.text == "Farida"
    endless = ("Waiting list", f"Name: Piet; Place: {'9' * 5_000}\nName: Farida; Place: ²")
    assert find_placed("Who is first on the waiting list?", evidence(endless)) is not None


def test_places_that_are_not_those_of_the_rows_tell_nothing() -> None:
    gap = ("Waiting list", "Name: Piet; Place: 3\nName: Farida; Place: 1")
    assert find_placed("Who is first on the waiting list?", evidence(gap)) is None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which book has the best rating?", "Shields"),
        ("Which book is rated worst?", "Parker"),
        ("Which is best?", None),
    ],
)
def test_the_best_is_that_of_what_has_been_rated(question: str, name: str | None) -> None:
    books = (
        "Books",
        "Book: Shields; Rating: 5\nBook: Recking; Pages: 17\nBook: Parker; Rating: 3\nBook: Einstein; Rating: 4",
    )
    found = find_whole(question, evidence(books))
    assert (found.text if found else None) == name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which invoice is the largest?", "2025-015"),
        ("What was the smallest bill?", "240.00"),
        ("Which tree is the oldest?", "T3"),
        ("What is the oldest species?", "Yew"),
        ("Which client is the largest?", None),
    ],
)
def test_bills_are_compared_by_their_amounts(question: str, name: str | None) -> None:
    invoices = ("Invoices and bills", "Invoice: 2025-014; Client: Tilde; Amount EUR: 240.00\n"
                "Invoice: 2025-015; Client: Harrow; Amount EUR: 3800.00")  # fmt: skip
    trees = ("Trees", "Species: Ash; Tree: T2; Planted: 1934\nSpecies: Yew; Tree: T3; Planted: 1780")
    found = find_whole(question, evidence(invoices, trees))
    assert (found.text if found else None) == name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        # Of days 9, of sites 9 + 4, of mechanics 9 + 6 of Jo
        ("Which day had the most repairs?", "2025-10-15"),
        ("Which site had the most repairs?", "Mill Lane"),
        ("Who did the most repairs?", "Jo Amsel"),
    ],
)
def test_the_most_is_added_up_of_what_is_asked_for(question: str, name: str) -> None:
    rota = (
        "Rota",
        "Mechanic: Jo Amsel; Date: 2025-10-15; Site: Mill Lane; Repairs: 9\n"
        "Mechanic: Wanda Pohl; Date: 2025-10-22; Site: Mill Lane; Repairs: 4\n"
        "Mechanic: Jo Amsel; Date: 2025-10-29; Site: Church; Repairs: 6",
    )
    found = find_whole(question, evidence(rota))
    assert found is not None
    assert found.text == name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        # 40 + 5 of Ann, 42 of Bo
        ("Who gave the most?", "Ann"),
        ("Which donor gave the least?", "Cy"),
        ("Who paid the most?", "Ann"),
        ("Who ran the most?", None),
    ],
)
def test_who_gave_the_most_is_told_by_the_money(question: str, name: str | None) -> None:
    gifts = (
        "Gifts",
        "Donor: Ann; Gift: €40; Thanked: yes\nDonor: Bo; Gift: €42; Thanked: no\n"
        "Donor: Cy; Gift: €3; Thanked: no\nDonor: Ann; Gift: €5; Thanked: yes",
    )
    works = ("Works", "Work: Slates; Cost: €4,950\nWork: Gutter; Cost: €400")
    found = find_whole(question, evidence(gifts, works))
    assert (found.text if found else None) == name


def test_who_has_the_most_is_told_by_the_column_of_people() -> None:
    rota = (
        "Rota",
        "Date: 2025-10-01; Mechanic: Jo; Helper: Ann; Repairs: 7\n"
        "Date: 2025-10-08; Mechanic: Wanda; Helper: Ann; Repairs: 8\n"
        "Date: 2025-10-15; Mechanic: Jo; Helper: Tom; Repairs: 3",
    )
    found = find_whole("Who did the most repairs?", evidence(rota))
    assert found is not None
    assert found.text == "Jo"
    days = ("Rota", "Date: 2025-10-01; Repairs: 7\nDate: 2025-10-08; Repairs: 5")
    assert find_whole("Who did the most repairs?", evidence(days)) is None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which boat is insured for the most?", "Tern"),
        ("Which of our boats is insured for the most money?", "Tern"),
        ("What is the priciest boat?", "Tern"),
        ("Which boat is the oldest?", "Heron"),
    ],
)
def test_a_row_is_told_by_its_name_and_not_by_its_code(question: str, name: str) -> None:
    boats = (
        "Boats",
        "Name: Heron; Boat id: B01; Built: 1988; Insured eur: 7400\n"
        "Name: Tern; Boat id: B02; Built: 2011; Insured eur: 8300",
    )
    found = find_whole(question, evidence(boats))
    assert found is not None
    assert found.text == name


def test_a_month_beside_what_is_asked_for_changes_nothing_of_it() -> None:
    orders = (
        "Orders",
        "Order no: 7001; Week of: 2024-10-03; Item: veg box; Line total: 16.50\n"
        "Order no: 7002; Week of: 2024-10-10; Item: olive oil; Line total: 33.00\n"
        "Order no: 7003; Week of: 2024-11-07; Item: veg box; Line total: 49.50",
    )
    for question, order in (
        ("Which order in October was for the most money?", "7002"),
        ("Which order was for the most money?", "7003"),
    ):
        found = find_whole(question, evidence(orders))
        assert found is not None
        assert found.text == order


def test_of_somebody_the_oldest_is_of_his_age() -> None:
    people = ("Tenants", "Tenant: Ann; Since: 2012; Flat: A\nTenant: Bob; Since: 2015; Flat: B")
    for question in ("What is the name of the oldest tenant?", "Which tenant is the oldest?"):
        assert find_whole(question, evidence(people)) is None


ORDERED = (
    "Orders 2023",
    "Date: 12 Jan; What: enzyme; Euros: 236.00; Ordered by: Lotte\nDate: 2 Feb; What: gloves; Euros: 89.50; "
    "Ordered by: Bartek\nDate: 4 Oct; What: sequencing; Euros: 5,400.00; Ordered by: Lotte",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What was the cheapest order?", "gloves"),
        ("What was the most expensive order in 2023?", "sequencing"),
        ("What did we spend most on?", "sequencing"),
        ("Who placed the most expensive order?", "Lotte"),
        ("Who paid for the cheapest order?", None),
        ("What was the most expensive order in 2022?", None),
        ("What did we do most in winter?", None),
    ],
)
def test_who_has_ordered_something_is_no_order(question: str, answer: str | None) -> None:
    found = find_whole(question, evidence(ORDERED))
    assert (found.text if found else None) == answer


def test_who_paid_first_is_not_who_paid_least() -> None:
    fees = ("Fees", "Name: Ann; Due: 20; Paid: 20; Date: 2023-03-01\nName: Cy; Due: 20; Paid: 0; Date: 2023-03-04")
    assert find_whole("Who paid first?", evidence(fees)) is None
