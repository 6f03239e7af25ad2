"""What the rows of a table come to."""

from __future__ import annotations

import pytest
from answer_evidence import evidence
from linear import is_linear

from tools.answer_rules.docs import Evidence, EvidencePassage
from tools.answer_rules.read_tables import tables_of
from tools.answer_rules.table_columns import Grid
from tools.answer_rules.table_words import TableWords, counted
from tools.answer_rules.whole_tables import (
    SURE,
    asks_of_whole,
    find_chosen,
    find_counted,
    find_whole,
    is_one_of_several,
)

REPAIRS = (
    "Repairs",
    "Ticket: R-0; Flat: B5; What: swollen door; Contractor: Hartle & Sons; Status: done; Cost: 120.00\n"
    "Ticket: R-1; Flat: B6; What: burst pipe; Contractor: Calder Heating; Status: done; Cost: 410.50\n"
    "Ticket: R-2; Flat: A1; What: cold radiator; Contractor: Calder Heating; Status: open; Cost: 62.00\n"
    "Ticket: R-3; Flat: B7; What: mice; Contractor: Otterby; Status: ordered; Cost: 95.00",
)
FLATS = (
    "Flats",
    "Flat: A1; Member: Ann Roe; People: 5; Assistant: Bo\nFlat: B1; Member: Cy Day; People: 2\n"
    "Flat: B2; Member: Di Fox; People: 4; Assistant: Ed",
)
HELP = (
    "Volunteers",
    "Name: Ada Lunn; Drives van: yes; Walks done: 40; Village: Holt\n"
    "Name: Ben Moor; Drives van: no; Walks done: 61; Village: Wells\n"
    "Name: Cat Nash; Drives van: yes; Walks done: 12; Village: Wells",
)
SALES = (
    "Sales 2024",
    "Invoice: 1; Date: 2024-01-19; Customer: Crooked Billet; Bottles: 24; Each GBP: 9.50; Total GBP: 228.00; "
    "Paid on: 2024-02-14\n"
    "Invoice: 2; Date: 2024-02-09; Customer: Hart wedding; Bottles: 60; Each GBP: 12.00; Total GBP: 720.00\n"
    "Invoice: 3; Date: 2024-03-01; Customer: Crooked Billet; Bottles: 12; Each GBP: 40.00; Total GBP: 480.00\n"
    "Invoice: 4; Date: 2024-03-02; Customer: Penhallow; Bottles: 6; Each GBP: 9.50; Total GBP: 57.00; "
    "Paid on: 2024-03-20",
)
ALL = (REPAIRS, FLATS, HELP, SALES)


@pytest.mark.parametrize(
    ("question", "answer", "words_beside"),
    [
        # yes and no, and a word of one's own for the rows
        ("How many of our helpers can drive the van?", "2", 1),
        ("How many volunteers can't drive the van?", None, 0),  # one row is told by itself
        ("How many repairs have not been finished yet?", "2", 0),
        ("How many repairs are finished?", "2", 0),
        ("How many of our orders are still not paid for?", "2", 1),
        ("How many volunteers live in Wells?", "2", 0),
        ("How many people live in staircase B?", "6", 0),  # 2 + 4
        ("How many flats have nobody as assistant?", None, 0),  # it is one
        # sums
        ("What have we paid Calder for all their jobs so far?", "472.50", 1),  # 410.50 + 62.00
        ("How much money do people still owe us, added up?", "1200.00", 0),  # 720.00 + 480.00
        ("How much have we earned with the Crooked Billet?", "708.00", 0),  # 228.00 + 480.00
        ("How many bottles altogether did the Crooked Billet take off us in 2024?", "36", 0),  # 24 + 12
        # the most
        ("Which volunteer has done the most walks?", "Ben Moor", 0),
        ("Which customer brought in the most money?", "Hart wedding", 0),  # 720 for 228 + 480
        ("What is the dearest invoice?", "720.00", 0),
        ("Which customer took the most bottles?", "Hart wedding", 0),
        # a name or a number that no table has, bounds, shares, and what belongs to one
        ("How many of our helpers does Zoe drive?", None, 0),
        ("How many volunteers live in Norwich near the big old mill?", None, 0),
        ("How many bottles did we sell in total after 1 March?", None, 0),
        ("How many bottles do we sell per month in total?", None, 0),
        ("How many wheels does the van of the volunteers have?", None, 0),
        ("What is a volunteer?", None, 0),
        ("When is the get-together of the volunteers?", None, 0),
        ("", None, 0),
    ],
)
def test_what_rows_come_to(question: str, answer: str | None, words_beside: int) -> None:
    found = find_whole(question, evidence(*ALL))
    assert (found.text if found else None) == answer
    assert found is None or found.confidence == pytest.approx(SURE - 0.06 * words_beside)


def test_the_summands_are_told_and_cited() -> None:
    found = find_whole("What have we paid Calder for all their jobs so far?", evidence(*ALL))
    assert found is not None
    assert [one.text for one in found.places] == ["410.50", "62.00"]
    assert found.reason == "Cost of rows with Contractor: Calder Heating. 410.50 + 62.00 = 472.50."


STOCK = (
    "Stock",
    "Item: Sheets; Quantity: 96; Reorder below: 80; Borrowed by: Ann\nItem: Soap; Quantity: 3; Reorder below: 12\n"
    "Item: Salt; Quantity: 5; Reorder below: 5; Borrowed by: Bo\nItem: Tea; Quantity: 1; Reorder below: 4",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many things are below the level at which we order more?", "2"),
        ("Of how many things do we have less than we should?", "2"),
        ("How many items have been borrowed by somebody?", "2"),
        ("How many items do we have?", None),
    ],
)
def test_rows_by_two_columns_and_by_what_some_lack(question: str, answer: str | None) -> None:
    found = find_whole(question, evidence(STOCK))
    assert (found.text if found else None) == answer


def test_a_figure_that_a_row_lacks_is_told() -> None:
    costs = [f"Thing: T{at}; Home: shed; Cost: {at}.00" for at in range(1, 5)]
    told = find_whole("What is the cost of all things in the shed?", evidence(("Things", "\n".join(costs))))
    assert told is not None
    assert (told.text, told.reason) == ("10.00", "Cost of rows with Home: shed. 1.00 + 2.00 + 3.00 + 4.00 = 10.00.")
    lacking = [*costs, "Thing: T5; Home: shed"]
    told = find_whole("What is the cost of all things in the shed?", evidence(("Things", "\n".join(lacking))))
    assert told is not None
    assert told.reason.endswith("1.00 + 2.00 + 3.00 + 4.00 = 10.00. Some of the rows tell none.")
    more = [*lacking, "Thing: T6; Home: shed"]
    assert find_whole("What is the cost of all things in the shed?", evidence(("Things", "\n".join(more)))) is None


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("How many of our helpers can drive the van?", "Rows with Drives van: yes."),
        ("How many repairs have not been finished yet?", "Rows with Status: open, ordered."),
        ("How many of our orders are still not paid for?", "Rows with no paid on."),
        ("Of how many things do we have less than we should?", "Rows with Quantity below Reorder below."),
    ],
)
def test_how_rows_were_chosen_is_told(question: str, reason: str) -> None:
    found = find_whole(question, evidence(*ALL, STOCK))
    assert found is not None
    assert found.reason == reason


def test_two_tables_that_fit_alike_decide_nothing() -> None:
    one, other = (EvidencePassage(at, *HELP, 1.0, source=f"{at}.csv") for at in (1, 2))
    assert find_whole("How many can drive the van?", Evidence([one])) is not None
    assert find_whole("How many can drive the van?", Evidence([one, other])) is None


def test_two_that_have_as_much_share_the_first_place() -> None:
    tied = ("Prices", "Item: Tea; Price: 3.00\nItem: Cake; Price: 3.00\nItem: Bun; Price: 1.00")
    assert find_whole("What is the cheapest thing we sell?", evidence(tied)).text == "Bun"  # type: ignore[union-attr]
    assert find_whole("What is the dearest thing we sell?", evidence(tied)) is None


def test_amounts_of_two_kinds_are_not_compared() -> None:
    mixed = ("Prices", "Item: Tea; Price: 3.00 EUR\nItem: Cake; Price: 2.00 GBP\nItem: Bun; Price: 1.00 EUR")
    assert find_whole("What is the cheapest thing we sell?", evidence(mixed)) is None


def test_what_a_question_says_of_a_table() -> None:
    [table] = tables_of(evidence(SALES))
    words = TableWords.of("how many bottles did Penhallow and his dog take", Grid.of(table))
    assert words.rows == [3]
    assert {frozenset(one.header) for one in words.named} == {frozenset(["bottl"])}
    assert words.unsaid == {"dog"}
    columns = {next(iter(one.header)): one for one in Grid.of(table).columns if len(one.header) == 1}
    assert columns["bottl"].is_amounts
    assert not columns["bottl"].is_money
    assert columns["dat"].is_days
    assert columns["bottl"].value(1) == 60.0
    assert columns["pay"].value(1) == 0.0


def test_what_is_counted() -> None:
    assert counted("How many of our casks are by Kadar") == {"cask"}
    assert counted("How much white wine do we have") == {"whit", "win"}
    assert counted("Who drives the van") == frozenset()


def test_what_asks_of_a_whole_table() -> None:
    for question in ("How many dogs are there?", "What did we spend in total?", "Which dog is the heaviest?"):
        assert asks_of_whole(question)
    for question in ("When is the party?", "What do I have to pay for tea?", "Who is Ann?", ""):
        assert not asks_of_whole(question)


def test_a_long_table_takes_a_moment() -> None:
    def find(count: int) -> None:
        rows = [("Dogs", f"Name: Dog {one}; Kind: lurcher {one % 7}; Weight kg: {one}.5") for one in range(count)]
        found = find_whole("How many of our dogs are lurchers?", evidence(*rows))
        assert found is not None
        assert found.text == str(count)

    assert is_linear(find, 2_000)


HERD = (
    "Animals",
    "Name: Quill; Species: goat; Pen: A2; Born: 2017-03-02; Weight kg: 58.5; In milk: yes\n"
    "Name: Tikka; Species: goat; Pen: B1; Born: 2021-02-19; Weight kg: 43; In milk: no\n"
    "Name: Oat; Species: sheep; Pen: A2; Born: 2021-11-08; Weight kg: 71.5\n"
    "Name: Rye; Species: goat; Pen: A2; Born: 2022-01-30; Weight kg: 40; In milk: yes",
)
CASKS = (
    "Casks",
    "Cask: C09; Litres: 225; Wine: red\nCask: C10; Litres: 300; Wine: red\nCask: D10; Litres: 50; Wine: white",
)
SHIFTS = (
    "Shifts",
    "Week: 14; Keeper: Ann Roe; Trained: yes\nWeek: 15; Keeper: Bo Lund; Trained: no\n"
    "Week: 16; Keeper: Ann Roe; Trained: no",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # a verb for the header, cells, a bound and a mark, each with any of what is asked
        ("What do the animals in pen A2 weigh together?", "170"),  # 58.5 + 71.5 + 40
        ("What do the goats born since 2021 weigh on average?", "41.50"),  # 43 and 40
        ("How many goats weigh less than 50 kg?", "2"),
        ("How many goats in milk weigh less than 50 kg?", None),  # it is one
        ("How many animals were born between February 2021 and January 2022?", "3"),
        ("How many animals weigh between 42 and 60 kg?", "2"),
        ("Which goat in pen A2 is the heaviest?", "Quill"),
        # of either kind, which one column tells apart
        ("What do the goats and sheep weigh together?", "213"),  # 58.5 + 43 + 71.5 + 40
        ("How many goats and horses are there?", None),
        # of which there are the most rows
        ("Who does the most shifts?", "Ann Roe"),
        ("Who does the fewest shifts?", "Bo Lund"),
        ("Who does the most repairs?", None),
        ("Who does the most expensive shifts?", None),  # of which nobody tells what they cost
        # a number behind its header, also of a code; two that have it are both meant
        ("How many litres are there in cask 9?", "225"),
        ("How many litres are there in total in cask 10?", "350"),
        ("How many weeks are untrained?", "2"),
        ("How many shifts does the new colleague do?", None),
        # "in Total", as a file may write it, is nobody's name
        ("What do the animals in pen A2 weigh in Total?", "170"),
        ("What do the animals of Ravi weigh in total?", None),
        ("How many animals weigh more than the sheep?", None),
    ],
)
def test_conditions_of_all_kinds_with_all_that_is_asked(question: str, answer: str | None) -> None:
    found = find_whole(question, evidence(HERD, CASKS, SHIFTS))
    assert (found.text if found else None) == answer


def test_who_has_as_many_rows_is_not_told() -> None:
    even = ("Shifts", "Week: 14; Keeper: Ann Roe\nWeek: 15; Keeper: Bo Lund")
    assert find_whole("Who does the most shifts?", evidence(even)) is None


def test_what_costs_so_much_each_is_not_added_up_and_what_costs_so_much_a_year_is() -> None:
    fees = ("Licences", "Program: Ledger; Vendor: Nord IT; Eur per year: 1980; Eur per seat: 90\n"
            "Program: Maps; Vendor: Nord IT; Eur per year: 675; Eur per seat: 15")  # fmt: skip
    found = find_whole("What do we pay Nord IT for licences a year, all together?", evidence(fees))
    assert found is not None
    assert found.text == "2,655"


PAYING = (
    "Participants",
    "Surname: Eastlake; First name: Cathy; Price: 690; Paid: 420\n"
    "Surname: Nwosu; First name: Ruth; Price: 690; Paid: 690\n"
    "Surname: Carver; First name: Tom; Price: 820",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much money is still missing altogether?", "1,090"),  # 690 - 420 = 270, and 820
        ("How much does Cathy still owe?", "270"),
        ("How much does Ruth still owe?", None),
        ("How many participants have not paid in full?", "2"),
        ("How many participants have paid in full?", None),  # it is one
        ("How many participants have not paid a cent?", None),  # Tom alone
    ],
)
def test_what_is_owed_is_what_is_not_paid_of_a_price(question: str, answer: str | None) -> None:
    found = find_whole(question, evidence(PAYING))
    assert (found.text if found else None) == answer


def test_what_a_cell_says_is_no_filler() -> None:
    members = ("Members", "Name: Ann; Rate: full\nName: Bo; Rate: reduced\nName: Cy; Rate: full")
    found = find_whole("How many members pay the full rate?", evidence(members))
    assert found is not None
    assert found.text == "2"


def test_who_owes_something_is_called_by_both_names() -> None:
    found = find_chosen("Who hasn't paid in full?", evidence(PAYING))
    assert found is not None
    assert [one.text for one in found.named] == ["Cathy Eastlake", "Tom Carver"]


def test_what_a_column_says_is_owned_is_added_up() -> None:
    """By hand: 420 + 760, and two rows."""
    stock = (
        "Stock",
        "Code: A1; Kind: violin; Owned: 420\nCode: A2; Kind: violin; Owned: 760\nCode: B1; Kind: cello; Owned: 9",
    )
    for question, answer in (("How many violins do we own?", "1,180"), ("How many violins are there?", "2")):
        found = find_whole(question, evidence(stock))
        assert found is not None
        assert found.text == answer


def test_whoever_is_asked_about_is_not_who_it_is() -> None:
    staff = (
        "Staff",
        "Name: Jarek Pomfret; Room: Bindery; Mentor: Quentin Adeyinka\nName: Dilys Harcombe; Room: Hall; "
        "Mentor: Tobiah Renshaw\nName: Quentin Adeyinka; Room: Bindery",
    )
    for question in ("Who is Jarek's mentor?", "Who mentors Jarek?"):
        assert find_chosen(question, evidence(staff)) is None


CASH = (
    "Cashbook",
    "Date: 2025-04-01; What: brought forward; Balance: 3412.60\n"
    "Date: 2025-04-02; What: Course welding; In: 270.00; Balance: 3682.60\n"
    "Date: 2025-04-09; What: Electricity March; Out: 174.35; Balance: 3508.25\n"
    "Date: 2025-05-03; What: Course turning; In: 125.00; Balance: 3633.25\n"
    "Date: 2025-05-08; What: Electricity April; Out: 161.90; Balance: 3471.35\n"
    "Date: 2025-06-02; What: Course turning; In: 99.00; Balance: 3570.35",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what did the courses bring in in April and May", "395.00"),  # 270 + 125
        ("What have we spent on electricity so far?", "336.25"),
        ("How much has come in since the beginning of May?", "224.00"),  # 125 + 99
        ("electricity in the cash book, added up", "336.25"),  # the side that these rows have
    ],
)
def test_the_sides_of_a_cash_book(question: str, answer: str) -> None:
    found = find_whole(question, evidence(CASH))
    assert found is not None
    assert found.text == answer


PATIENTS = (
    "patients",
    "Name: Hobnob; Found by: Gethin Rees; Outcome: released\nName: Fig Roll; Found by: Mrs Ferris; Outcome: in care\n"
    "Name: Ginger; Found by: Gethin Rees; Outcome: in care\nName: Bourbon; Found by: Idris Tagg; Outcome: died",
)


@pytest.mark.parametrize(
    ("question", "listed"),
    [
        ("Which hedgehogs are still in care?", ["Fig Roll", "Ginger"]),
        ("list all hedgehogs found by Gethin Rees", ["Hobnob", "Ginger"]),
        ("list the hedgehogs that are in care", ["Fig Roll", "Ginger"]),
        ("Which hedgehogs are not in care?", []),
        ("Which hedgehogs were found by Ada Moor?", []),
        ("Which hedgehogs have the most fleas?", []),
        ("Which hedgehog is in care?", []),
        ("What is in care?", []),
    ],
)
def test_what_is_counted_is_listed_too(question: str, listed: list[str]) -> None:
    assert [one.text for one in find_counted(question, evidence(PATIENTS))] == listed


BOOKS = (
    "Books",
    "What: stall; Income: 186.40\nWhat: milk; Expenses: 41.98\nWhat: gift; Income: 250\nWhat: pads; Expenses: 8.00",
)


@pytest.mark.parametrize(
    ("question", "came_in", "of_books"),
    [
        ("How much did we take in?", "494.00", "436.40"),  # 270 + 125 + 99; 186.40 + 250
        ("how much money came in so far?", "494.00", "436.40"),
        ("What was our income?", "494.00", "436.40"),
        ("What did we spend in total?", "336.25", "49.98"),
        ("How much money went out?", "336.25", "49.98"),
        ("How much did we take in last year?", None, None),
        ("How much did we take in at the fair?", None, None),
    ],
)
def test_all_that_came_in_or_went_out(question: str, came_in: str | None, of_books: str | None) -> None:
    for table, answer in ((CASH, came_in), (BOOKS, of_books)):
        found = find_whole(question, evidence(table))
        assert (found.text if found else None) == answer


def test_what_one_thing_took_in_is_not_all_that_came_in() -> None:
    docs = evidence(("Minutes", "Open day took in £143.75. We took in £900 at the fair."), CASH).docs
    question = "How much did we take in?"
    assert is_one_of_several(question, docs[0].found(17, 24, 0.9))
    assert not is_one_of_several(question, docs[0].found(37, 41, 0.9))
    assert not is_one_of_several("How much did the open day take in?", docs[0].found(17, 24, 0.9))
    row = docs[1].text.index("270")
    assert is_one_of_several(question, docs[1].found(row, row + 6, 0.9))


HOUSE = (
    "House account 2025",
    "Date: 2025-01-15; What: dues January; In: 1890; Who: all\n"
    "Date: 2025-01-28; What: oil 612 L; Out: 978.20; Who: Marg\n"
    "Date: 2025-05-02; What: guests, five nights; In: 425; Who: Tess\n"
    "Date: 2025-06-11; What: guests, three nights; In: 255; Who: Tess\n"
    "Date: 2025-09-30; What: oil 540 L; Out: 891.00; Who: Marg",
)
BUGS = (
    "Known issues",
    "Key: K-1; Title: cursor jumps; Severity: major; Status: open\n"
    "Key: K-2; Title: lost tray; Severity: minor; Status: open\n"
    "Key: K-3; Title: slow start; Severity: major; Status: fixed\n"
    "Key: K-4; Title: wrong date; Severity: major; Status: open",
)
MARKETS = (
    "Market sales",
    "Date: 2024-04-05; Market: Otley Fri; Takings: 486.50\nDate: 2024-04-06; Market: Ripon Sat; Takings: 688.00\n"
    "Date: 2024-04-13; Market: Ripon Sat; Takings: 812.00\nDate: 2024-04-20; Market: Ripon Sat; Takings: 540.00",
)
CABINET = (
    "Cabinet",
    "Ref: C1; Title: Water Birds; Source: Fenwick; Status: in\nRef: C2; Title: Fells; Source: Ormesby; Status: SOLD\n"
    "Ref: C3; Title: Three plates; Source: Fenwick; Status: in\nRef: C4; Title: Isles; Source: Fenwick; Status: SOLD\n"
    "Ref: C5; Title: Eggs; Source: Fenwick; Status: reserved\nRef: C6; Title: Dales; Source: Ormesby; Status: in\n"
    "Ref: C7; Title: Mosses; Source: Ormesby; Status: in",
)


@pytest.mark.parametrize(
    ("table", "question", "answer"),
    [
        # two sides of which one has whole numbers
        (HOUSE, "What did we pay for oil altogether this year?", "1869.20"),  # 978.20 + 891.00
        (HOUSE, "How much did the guests bring in, all together?", "680"),  # 425 + 255
        # one's own word for the rows, behind one of theirs
        (BUGS, "How many major bugs are marked open in the issue list?", "2"),
        (BUGS, "How many purple bugs are marked open in the issue list?", None),
        (BUGS, "How many major bugs are in the list?", None),  # by one word alone anything may be counted
        # a day that is cut short, and what is best of what comes in
        (MARKETS, "What were the takings at Ripon on its best Saturday?", "812.00"),
        (MARKETS, "What were the takings at Ripon on the worst Saturday?", "540.00"),
        (MARKETS, "What were the takings at Ripon on its best Sunday?", None),
        # a title that the table leaves out, and what is not so by a word that begins with "un"
        (CABINET, "How many of Dr Fenwick's things in the cabinet are still unsold?", "3"),
        (CABINET, "How many of Dr Potter's things in the cabinet are still unsold?", None),
    ],
)
def test_words_of_ones_own(table: tuple[str, str], question: str, answer: str | None) -> None:
    found = find_whole(question, evidence(table))
    assert (found.text if found else None) == answer


def test_of_people_in_two_columns_those_are_meant_whom_the_rows_are_of() -> None:
    leave = ("Leave", "Who: Karim Aziz; Days: 5; Covered by: Ann\nWho: Ann Lee; Days: 4; Covered by: Karim\n"
             "Who: Karim Aziz; Days: 3; Covered by: Ann")  # fmt: skip
    found = find_whole("How many days is Karim away in total?", evidence(leave))
    assert found is not None
    assert found.text == "8"


ORDERS = (
    "Orders",
    "No: O-1; Ordered: 2024-11-04; Item: compost 75 L; Qty: 12; Total: 96.00\n"
    "No: O-2; Ordered: 2025-02-20; Item: compost 75 L; Qty: 10; Total: 80.00\n"
    "No: O-3; Ordered: 2025-02-21; Item: agar; Qty: 2; Total: 192.00",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many bags of compost did we buy?", "22"),  # 12 + 10, not two rows
        ("How many orders of compost were there?", "2"),
        ("How much did we spend up to the end of November?", None),  # one row alone is no sum
        ("How much did we spend up to the end of February 2025?", "368.00"),
        ("How much did we spend before the end of 2024?", None),
    ],
)
def test_quantities_and_the_ends_of_months(question: str, answer: str | None) -> None:
    found = find_whole(question, evidence(ORDERS))
    assert (found.text if found else None) == answer


def test_a_month_is_that_of_the_day_that_the_question_names() -> None:
    jobs = (
        "Jobs",
        "Job: J1; Received: 2025-04-28; Delivered: 2025-05-02; Words: 900\n"
        "Job: J2; Received: 2025-05-03; Delivered: 2025-05-09; Words: 500\n"
        "Job: J3; Received: 2025-05-30; Delivered: 2025-06-02; Words: 70",
    )
    for month, words in (("delivered in May", "1,400"), ("received in May", "570")):
        found = find_whole(f"How many words were {month}?", evidence(jobs))
        assert found is not None
        assert found.text == words


INCIDENTS = (
    "Incidents",
    "\n".join(
        f"Incident: INC-{at}; Sev: {'S1' if at % 3 == 0 else 'S2'}; Status: {'open' if at in (2, 6) else 'closed'}; "
        f"Handled kg: {at}.5"
        for at in range(1, 9)
    ),
)
LICENCES = (
    "Licences",
    "Licence: Atlas; Vendor: Nord; Pitch fee: 20.00; Price EUR: 64\n"
    "Licence: Maps; Vendor: Sud; Pitch fee: 8.50; Price EUR: 16",
)
FINES = ("Loans", "Borrower: Ann; Licence: Atlas; Fine EUR: 3\nBorrower: Bo; Licence: Maps; Fine EUR: 5")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many incidents aren't closed yet?", "2"),
        ("How many S1s are there?", "2"),  # INC-3, INC-6
        ("How many kilos were handled in total?", "40"),  # 1.5 + 2.5 + ... + 8.5
        ("What did we spend on pitches over the whole year?", "28.50"),
        # a price goes before a fine where the dearest is asked for
        ("Which licence is the most expensive?", "Atlas"),
        ("What do all our programs cost in total, going by the licence list?", "80"),
        ("What do the incidents of all our programs cost in total?", None),
    ],
)
def test_words_of_the_table_for_words_of_ones_own(question: str, answer: str | None) -> None:
    found = find_whole(question, evidence(INCIDENTS, LICENCES, FINES))
    assert (found.text if found else None) == answer


def test_which_ones_are_not_so() -> None:
    found = find_chosen("Which incidents aren't closed yet?", evidence(INCIDENTS, LICENCES))
    assert found is not None
    assert [one.text for one in found.named] == ["INC-2", "INC-6"]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Which hedgehogs were released?", ["Hobnob", "Digestive"]),
        ("Which of our hedgehogs were released?", ["Hobnob", "Digestive"]),
        ("Which hedgehog was released?", []),
        ("Which weighs more, the released?", []),
        ("Which Hobnobs were released?", []),
        ("Which hedgehogs were sold?", []),
    ],
)
def test_what_is_counted_can_be_named(question: str, named: list[str]) -> None:
    rows = ("Hobnob", "released"), ("Bourbon", "died"), ("Digestive", "released"), ("Rich Tea", "died")
    patients = "\n".join(f"Name: {name}; Outcome: {outcome}" for name, outcome in rows)
    readme = ("Hedgehog shed", "Name: Ann; Job: founder\nName: Bob; Job: treasurer")
    found = find_counted(question, evidence(("Patients", patients), readme))
    assert [one.text for one in found] == named


def test_a_part_of_a_sum_is_not_what_came_altogether() -> None:
    doc = evidence(("Show", "Altogether 214 visitors came on Saturday and 180 on Sunday. Altogether 394 came.")).docs[0]
    question = "How many visitors came altogether?"
    assert is_one_of_several(question, doc.found(11, 14, 0.9))
    at = doc.text.index("394")
    assert not is_one_of_several(question, doc.found(at, at + 3, 0.9))
