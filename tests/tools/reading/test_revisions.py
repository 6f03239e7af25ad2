"""What has been changed since it was told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import blind, evidence, passages
from linear import is_linear

from tools.answer_rules.docs import MAX_CHARS, Found
from tools.planning.plan import Plan
from tools.planning.planner import plan_question
from tools.reading.answering import EvidencePassage, FoundAnswer, answer_question
from tools.reading.revisions import ANNOUNCED, REPLACED, denies, find_revision, find_successor, is_overtaken, later_of
from tools.reading.spans import Reading, Span

YARD = (
    ("Safety", "The overhead hoist takes 2 tonnes. The guest room is 25 pounds a night. Fire warden: Gareth Lunt."),
    (
        "Minutes",
        "## 15 April 2024\n\nLimit of the hoist cut from 2 tonnes to 1.5 tonnes.\nFire warden: Ines takes over from "
        "Gareth.\n\n## 13 May 2024\n\nGuest room goes up to £30 per night.\nThe launch of Curlew is on 29 June.\n\n"
        "## 17 June 2024\n\nCurlew: the garboard split. New launch date Saturday 14 September.\n"
        "The shop retreat moves to 25–27 June.\nWe deliver at 8 and not, as before, at 9.",
    ),
    ("Chat", "## 26 May 2024\n\nSummer party is on 6 July in the yard.\n\n## 11 June 2024\n\nParty moves to 13 July."),
)


def find(answer: str, question: str, *texts: tuple[str, str]) -> Found | None:
    """What has taken the place of the first such answer."""
    docs = evidence(*(texts or YARD)).docs
    doc = next(one for one in docs if answer in one.text)
    start = doc.text.index(answer)
    return find_revision(question, doc.found(start, start + len(answer), 0.9), docs)


@pytest.mark.parametrize(
    ("answer", "question", "now", "most"),
    [
        ("2 tonnes", "What does the hoist take?", "1.5 tonnes", REPLACED),
        ("Gareth Lunt", "Who is fire warden?", "Ines", REPLACED),
        ("29 June", "When is Curlew launched?", "14 September", ANNOUNCED),
        ("6 July", "When is the party?", "13 July", ANNOUNCED),
        ("25 pounds", "What is a night in the guest room?", "£30", ANNOUNCED),
        # it is asked how it was, or on which day
        ("2 tonnes", "What did the hoist take before?", None, 0),
        ("6 July", "When was the party first planned?", None, 0),
        ("6 July", "What is on 6 July?", None, 0),
        # what is told last has not been changed
        ("13 July", "When is the party?", None, 0),
        ("1.5 tonnes", "What does the hoist take?", None, 0),
        ("overhead hoist", "What takes 2 tonnes?", None, 0),
    ],
)
def test_the_value_of_now(answer: str, question: str, now: str | None, most: float) -> None:
    found = find(answer, question)
    assert (found.text if found else None, found.score if found else 0) == (now, most)


TEAM = (
    "Team",
    "Mr Copper keeps the keys. Beatrix will be director when Mr Copper steps down; he keeps his shares. "
    "Nadja takes over Beatrix's houses.",
)


def test_who_stands_before_whoever_was_it() -> None:
    told = find("Ben", "Who is the secretary?", ("Log", "Secretary: Ana Lee (formerly Ben). Chair: Cleo."))
    assert told is not None
    assert told.text == "Ana Lee"


def test_a_mister_is_no_other_mister_and_what_is_anothers_is_taken_from_that_one() -> None:
    oven = ("Oven", "Mr Feld heated with the oven.")
    assert find("Mr Feld", "Who used the oven?", oven, TEAM) is None
    assert find("Mr Copper", "Who has the keys?", TEAM) is None
    hall = ("Hall", "The hall is heated by Mr Feld. In the hall Mr Copper steps down. Nadja takes over.")
    assert find("Mr Feld", "Who heats the hall?", hall) is None
    assert find("Mr Copper", "Who steps in the hall?", hall) is not None
    told = (TEAM[0], TEAM[1].replace("Beatrix's houses", "from him"))
    assert find("Mr Copper", "Who has the keys?", told) is not None
    assert find("Mr Copper", "Who is stepping down?", told) is None


@pytest.mark.parametrize(
    ("change", "now"),
    [
        ("The driver comes at 16 instead of 17 o'clock.", "16"),
        ("The driver comes at 16 and not, as before, at 17.", "16"),
        ("The driver came at 17, now at 16.", "16"),
        ("The driver comes at 16 (was 17).", "16"),
        ("The driver's hour was moved from 17 to 16.", "16"),
        # how long something lasts is no change
        ("The driver comes from 17 to 18.", None),
        # the other way round, of something else, no change, and twice
        ("The driver comes at 17 instead of 18.", None),
        ("The bakery opens at 16 instead of 17.", None),
        ("The driver came at 17 and left at 18.", None),
        ("The driver comes at 16 instead of 17. The driver comes at 15 instead of 17.", None),
    ],
)
def test_ways_to_say_that_a_number_took_the_place_of_another(change: str, now: str | None) -> None:
    found = find("17", "When does the driver come?", ("Courier", "The driver comes at 17."), ("News", change))
    assert (found.text if found else None) == now


def test_who_goes_and_who_comes_are_told_one_after_the_other() -> None:
    board = ("Board", "Chair: Yusuf Demir. Treasurer: Paul Ash.")
    minutes = ("Minutes", "Yusuf steps down as chair, he has a job in Hull. Rosa Quint elected chair by 19 to 4.")
    found = find("Yusuf Demir", "Who is the chair?", board, minutes)
    assert found is not None
    assert found.text == "Rosa Quint"
    assert find("Paul Ash", "Who is the treasurer?", board, minutes) is None


def test_a_time_that_something_lasts_is_no_change() -> None:
    note = (
        "Note",
        "The pool is open from Monday 2 June to Friday 5 July, daily from 9 to 17. It opens on 2 June at 9.",
    )
    for answer in ("2 June", "9"):
        assert find(answer, "When does the pool open?", note) is None


def test_what_is_told_earlier_announces_nothing() -> None:
    later = ("Chat", "## 1 June 2024\n\nThe party moves to 13 July.\n\n## 9 June 2024\n\nThe party is on 20 July.")
    assert find("20 July", "When is the party?", later) is None
    undated = ("Note", "The party moves to 13 July."), ("Plan", "The party is on 6 July.")
    assert find("6 July", "When is the party?", *undated) is None


def test_passages_that_say_the_value_are_looked_through_besides() -> None:
    docs = evidence(YARD[0]).docs
    start = docs[0].text.index("2 tonnes")
    old = docs[0].found(start, start + 8, 0.9)
    asked = []

    def saying(value: str) -> Sequence[EvidencePassage]:
        asked.append(value)
        return [EvidencePassage(7, *YARD[1], 0.0)]

    assert find_revision("What does the hoist take?", old, docs) is None
    found = find_revision("What does the hoist take?", old, docs, saying)
    assert found is not None
    assert (found.text, found.doc.passage.id, asked) == ("1.5 tonnes", 7, ["2 tonnes", "1.5 tonnes"])


def test_the_later_of_two_values_of_a_kind() -> None:
    docs = evidence(
        ("Minutes", "## 14 January 2025\n\nMileage stays at 35p.\nMr Pym judges."),
        ("Trustees", "## 13 May 2025\n\nMileage - up to 45p. Five people came. Ann Judge judges."),
        ("Handbook", "The mileage is 35p."),
        ("Rules", "## 1 June 2025\n\nTea costs 40p."),
    ).docs

    def place(doc: int, text: str) -> Found:
        start = docs[doc].text.index(text)
        return docs[doc].found(start, start + len(text), 0.5)

    old, new, undated = place(0, "35p"), place(1, "45p"), place(2, "35p")
    for pair in ((old, new), (new, old), (undated, new)):
        assert later_of("What can I claim per mile?", *pair) is new
    # of something else, the same value, another kind, and how it was
    assert later_of("What can I claim per mile?", old, place(3, "40p")) is None
    assert later_of("What can I claim per mile?", old, undated) is None
    assert later_of("What can I claim per mile?", place(0, "Mr Pym"), new) is None
    assert later_of("Who judges?", place(0, "Mr Pym"), place(1, "Ann Judge")) is None
    assert later_of("What could I claim before?", old, new) is None


def test_a_quid_is_a_pound() -> None:
    texts = ("Rules", "## 1 April 2022\n\nLate is 1 pound a day."), ("News", "## 2 March 2026\n\nLate is 2 quid a day.")
    docs = evidence(*texts).docs
    found = [
        doc.found(at := doc.text.index(told), at + len(told), 0.5)
        for doc, told in zip(docs, ("1 pound", "2 quid"), strict=True)
    ]
    assert later_of("What is it a day to be late?", *found) is found[1]


def test_times_and_days_of_the_week_are_values_too() -> None:
    docs = evidence(
        ("Rules", "Quiet is from 22:00 to 6:30. The baker comes on mon wed fri."),
        ("Minutes", "## 5 May 2025\n\nQuiet from 22:30 in future. Baker: Tuesday Thursday Saturday."),
    ).docs

    def place(doc: int, text: str) -> Found:
        start = docs[doc].text.index(text)
        return docs[doc].found(start, start + len(text), 0.5)

    for old, new in (("22:00 to 6:30", "22:30"), ("mon wed fri", "Tuesday Thursday Saturday")):
        found = later_of("What is it now?", place(0, old), place(1, new))
        assert found is not None
        assert found.text == new
    assert later_of("What is it now?", place(0, "22:00 to 6:30"), place(1, "Tuesday Thursday Saturday")) is None


def answered(weights: dict[str, float]) -> FoundAnswer:
    """The answer where the reader finds these spans as likely as that."""
    texts = passages(
        ("Minutes", "## 14 January 2025\n\nThe show is on Saturday 28 June."),
        ("Mail", "## 9 May 2025\n\nThat settles it: the show is Sunday 6 July."),
    )

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [_reading(text, weights) for _, _, text in pairs]

    return answer_question("When is the show?", Plan(()), texts, read=read)


def _reading(text: str, weights: dict[str, float]) -> Reading:
    places = [(text.index(one), len(one), weight) for one, weight in weights.items() if one in text]
    return Reading(tuple(Span(at, at + length, weight) for at, length, weight in places), 0.9) if places else Reading()


def test_of_two_that_are_likely_the_later_one_is_told_with_the_one_of_before() -> None:
    alike = answered({"28 June": 0.9, "6 July": 0.5})
    chances = dict(alike.chances)
    assert chances["28 June"] > chances["6 July"] > chances["28 June"] / 2
    assert (alike.text, alike.reason) == ("6 July", "Before that it was 28 June.")
    assert [passage for passage, _ in alike.stated] == [2, 1]
    assert alike.confidence == pytest.approx(min(0.85, sum(chances.values())), abs=0.001)


def test_one_that_is_much_likelier_stays_although_another_is_later() -> None:
    clear = answered({"28 June": 0.9, "6 July": 0.05})
    assert (clear.text, clear.reason) == ("28 June", "")


def test_long_texts_take_a_moment() -> None:
    text = "The hoist takes 2 tonnes. " + "new hoist from 2 tonnes " * 20_000

    def find_in(letters: int) -> None:
        assert find("2 tonnes", "What does the hoist take?", ("Long", text[:letters])) is None

    assert is_linear(find_in, MAX_CHARS)


MINUTES = (
    (
        "Partners, 14 May 2024",
        "- Rent: Frau Wessel wants 2,150 euros a month instead of 1,980.\n- Printer: a new one is 400 "
        "euros.\n- Open nights. Remain on Fridays for now.\n- Post: 3 euros.",
    ),
    (
        "Partners, 10 September 2024",
        "- Rent: agreed on 2,060 euros, until the end of 2029.\n- Open nights. From 5 October they are on Saturdays.\n"
        "- Post: 4 euros at home, 5 euros abroad.\n- Paper: 410 euros.",
    ),
    ("Landlords, 3 October 2024", "- Rent: 900 euros for the cellar.\n- Printer: 350 euros."),
)


@pytest.mark.parametrize(
    ("answer", "now"),
    [
        ("1,980", "2,060 euros"),  # by way of the 2,150 that stand beside it
        ("2,150 euros", "2,060 euros"),
        ("Fridays", "Saturdays"),
        ("400 euros", None),  # no later minutes of the same series have that item
        ("3 euros", None),  # the later item has two such values
        ("2,060 euros", None),
    ],
)
def test_the_same_item_of_later_minutes(answer: str, now: str | None) -> None:
    found = find(answer, "What is it, like the rent a month?", *MINUTES)
    assert (found.text if found else None) == now
    assert find(answer, "What was it at first?", *MINUTES) is None


def test_the_same_item_below_a_later_heading() -> None:
    log = ("Log", "## 1 May 2024\n\n- Door: code 4471.\n\n## 9 May 2024\n\n- Door: code 8812.\n- Gate: code 1234.")
    found = find("4471", "What is the door code?", log)
    assert found is not None
    assert found.text == "8812"
    assert find("8812", "What is the door code?", log) is None


def test_a_claim_does_not_rest_on_an_item_that_is_told_anew() -> None:
    docs = evidence(*MINUTES).docs
    text = docs[0].text
    at = next(at for at, (start, end) in enumerate(docs[0].sentences) if "Fridays" in text[start:end])
    assert is_overtaken("Are the open nights on Fridays?", docs[0], at, docs)
    assert not is_overtaken("Were the open nights on Fridays at first?", docs[0], at, docs)
    assert not is_overtaken("Do the open nights remain?", docs[0], at, docs)
    assert not is_overtaken("Are the open nights on Fridays?", docs[0], at, docs[:1])


TRUSTEES = (
    (
        "Trustees, 17 October 2024",
        "1. Money. £7,840 in the bank.\n2. Safeguarding. Imelda takes over as lead.\n3. Stream. Leo minds it.",
    ),
    (
        "Trustees 10 April 2025",
        "Money. £12,310 in the bank.\nSafeguarding. Imelda can't carry on. Siobhan is lead as of today.\n"
        "Stream. Zadie asked about it.",
    ),
)


@pytest.mark.parametrize(
    ("answer", "question", "now"),
    [
        ("£7,840", "How much have we got in the bank?", "£12,310"),
        ("Imelda", "Who is the safeguarding lead?", "Siobhan"),
        ("Imelda", "Who was the safeguarding lead before?", None),
        ("Leo", "Who minds the stream?", None),  # who asked about it does not mind it
        ("Siobhan", "Who is the safeguarding lead?", None),
    ],
)
def test_the_same_item_as_a_paragraph_with_a_number_or_somebody_in_it(
    answer: str, question: str, now: str | None
) -> None:
    found = find(answer, question, *TRUSTEES)
    assert (found.text if found else None) == now


def test_who_says_something_is_no_item() -> None:
    chat = ("Trustees, 12 April 2025", "Safeguarding: Bob is lead.\nMoney: I am broke.\nSafeguarding: so what?")
    found = find("Imelda", "Who is the safeguarding lead?", TRUSTEES[0], chat)
    assert found is None


SLIP = (
    ("Board, 10 September 2024", "- Slipping of the Morag Ann: booked at Garvock Yard, 3 to 17 February."),
    (
        "Board, 11 February 2025",
        "Slipping. Garvock rang, their cradle has cracked. Moved to Corran Slip, 10 to 21 March.\n"
        "Paint. Garvock has none. Moved to Lower Quay for the night.\nSlipping. Nobody moved to Upper Quay.",
    ),
)


def test_what_has_moved_from_one_name_to_another() -> None:
    question = "Which yard is the slipping of the Morag Ann booked at?"
    found = find("Garvock Yard", question, *SLIP)
    assert found is not None
    assert (found.text, found.score) == ("Corran Slip", REPLACED)
    assert find("Garvock Yard", "Who does the slipping of the Morag Ann?", *SLIP) is None
    assert find("Garvock Yard", "Which yard was the Morag Ann booked at before?", *SLIP) is None
    assert find("Corran Slip", question, *SLIP) is None


CODES = (
    ("Sheet", "Combination of the key safe by the door: 4-7-1-9. The gate code is 1234. Linnet Hobbs: 0555 870 144."),
    (
        "Chat",
        "## 6 November 2024\n\nKey safe changed again after that business on Sunday: 8-0-3-5.\n"
        "New gate code: 9871.\nLinnet Hobbs has a new number, 0555 912 300. Invoice 2211 of Hobbs is paid.",
    ),
)


@pytest.mark.parametrize(
    ("answer", "question", "now"),
    [
        ("4-7-1-9", "What is the combination of the key safe?", "8-0-3-5"),
        ("1234", "What is the gate code?", "9871"),
        ("0555 870 144", "What is the number of Linnet Hobbs?", "0555 912 300"),
        ("8-0-3-5", "What is the combination of the key safe?", None),
        ("9871", "What is the gate code?", None),
        ("4-7-1-9", "What was the combination of the key safe before?", None),
    ],
)
def test_a_code_or_a_number_to_ring_is_a_value(answer: str, question: str, now: str | None) -> None:
    found = find(answer, question, *CODES)
    assert (found.text if found else None) == now


CREW = (
    ("Board, 10 September 2024", "Hugh Petrie steps down. New director: Jonty Kerr, co-opted in Hugh's place."),
    ("Board, 11 February 2025", "Callum Deas left in January. Wren Sillars starts as deckhand on 24 Feb."),
    ("Shop", "Dora took over from Mo Lake in May. The till is new. Eva took over from Mo Day in June."),
)


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("Who's taken Callum's place?", "Wren Sillars"),
        ("Who replaced Callum Deas?", "Wren Sillars"),
        ("Who took over from Hugh?", "Jonty Kerr"),
        ("who is Hugh Petrie's successor", "Jonty Kerr"),
        ("Who took over from Mo?", None),  # of two
        ("Who took over from Mo Lake?", "Dora"),
        ("Who took over from Hugh Day?", None),  # another one
        ("Who took over the shop?", None),
        ("Who replaced Wren?", None),
        ("Who replaced Hugh and Callum?", None),
    ],
)
def test_who_has_taken_the_place_of_somebody(question: str, who: str | None) -> None:
    found = find_successor(question, evidence(*CREW))
    assert (found.text if found else None) == who


def test_a_successor_is_told_however_the_question_is_planned() -> None:
    question = "Who's taken Callum's place?"
    answer = answer_question(question, plan_question(question), passages(*CREW), read=blind)
    assert (answer.text, answer.confidence, answer.support) == ("Wren Sillars", REPLACED, (2,))


KEYS = (
    ("Old sheet", "Key: in safe by front door. The stove is in the kitchen."),
    (
        "Read me",
        "Key safe is now on the log store, not by the front door. The dog sleeps in the shed, not the kitchen.",
    ),
)


def test_what_another_sentence_denies() -> None:
    docs = evidence(*KEYS).docs

    def place(doc: int, text: str) -> Found:
        start = docs[doc].text.index(text)
        return docs[doc].found(start, start + len(text), 0.5)

    old, new = place(0, "by front door"), place(1, "on the log store")
    assert denies("Where is the key safe?", new, old)
    assert not denies("Where is the key safe?", old, new)
    assert not denies("Where was the key safe before?", new, old)
    assert not denies("Where is the key safe?", place(1, "the front door"), old)  # denied itself
    assert not denies("Where is the stove?", place(1, "in the shed"), place(0, "in the kitchen"))  # of something else


def kept_by(weights: dict[str, float], question: str, *texts: tuple[str, str]) -> FoundAnswer:
    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [_reading(text, weights) for _, _, text in pairs]

    return answer_question(question, Plan(()), passages(*texts), read=read)


def test_what_is_denied_gives_way_to_what_is_told_instead() -> None:
    answer = kept_by({"by front door": 0.9, "on the log store": 0.6}, "Where is the key safe?", *KEYS)
    assert dict(answer.chances)["by front door"] > dict(answer.chances)["on the log store"]
    assert (answer.text, answer.reason) == ("on the log store", "Before that it was by front door.")


def test_who_has_taken_the_place_of_another_is_as_likely_as_both() -> None:
    texts = (
        ("Meeting", "## 3 May 2024\n\nKitty: Judith is the one who minds the kitty."),
        ("Meeting", "## 1 January 2025\n\nKitty: Nell takes it over from Judith, who minds it no more."),
    )
    answer = kept_by({"Nell": 0.7, "Judith": 0.6}, "Who minds the kitty?", *texts)
    chances = dict(answer.chances)
    assert chances["Nell"] > chances["Judith"] > 0.05
    assert answer.text == "Nell"
    assert answer.confidence == pytest.approx(min(0.9, chances["Nell"] + chances["Judith"]), abs=0.001)


def test_the_later_item_may_stand_in_a_passage_that_was_looked_up() -> None:
    """Such passages are ranked anew, from the first on."""
    docs = evidence(MINUTES[0]).docs
    old = docs[0].found(at := docs[0].text.index("2,150 euros"), at + len("2,150 euros"), 0.9)
    found = find_revision("What is the rent?", old, docs, lambda _: [EvidencePassage(9, *MINUTES[1], 0.0)])
    assert found is not None
    assert (found.text, found.doc.passage.id) == ("2,060 euros", 9)


CLUB = (
    ("Minutes", "## 6 November 2024\n\n3. The open day will be on 10 May 2025, in the hall.\n4. The fair is on 3 May."),
    ("Minutes", "## 5 February 2025\n\n3. The open day is moved to 17 May 2025 because of the match."),
)
TIMES = (
    (
        "Pool",
        "- till end of March: the filter is rinsed every 14 days\n- from 1 April (new pump): every 7 days, 2 people\n"
        "- until the summer: closed on 3 days\n- from 1 June: tea costs 40p\n"
        "- until 2 May: 5 keys\n- the shed has 6 keys\n- up to 5 people: £30 a day\n- from 6 people: £25 a day",
    ),
)
AGREEMENT = (("Shed", "We pay £6 a month for power. From January 2024 this is £9 a month. The shed holds 9 mowers."),)


@pytest.mark.parametrize(
    ("answer", "question", "texts", "now"),
    [
        ("10 May 2025", "When is the open day?", CLUB, "17 May 2025"),  # "open day" is all that both say
        ("3 May", "When is the fair?", CLUB, None),
        ("£6", "What do we pay for power each month?", AGREEMENT, "£9"),
        ("£6", "What did we pay for power before?", AGREEMENT, None),
        ("9 mowers", "How many mowers are there?", AGREEMENT, None),
        ("14 days", "How often is the filter rinsed?", TIMES, "7 days"),
        ("14 days", "How often was the filter rinsed before?", TIMES, None),
        ("14 days", "How often is the filter rinsed in March?", TIMES, None),  # it is said when
        ("7 days", "How often is the filter rinsed?", TIMES, None),
        ("3 days", "How often is it closed?", TIMES, None),  # no value of the kind follows
        ("5 keys", "How many keys are there?", TIMES, None),  # nothing begins there
        ("£30", "What is it a day?", TIMES, None),  # not until a day
    ],
)
def test_what_begins_alike_and_what_is_so_from_a_day_on(
    answer: str, question: str, texts: Sequence[tuple[str, str]], now: str | None
) -> None:
    found = find(answer, question, *texts)
    assert (found.text if found else None) == now


def test_what_was_turned_down_never_was() -> None:
    text = "The thesis is due in autumn 2024. For the thesis autumn 2024 is not realistic. We agreed on March 2025."
    answer = kept_by({"autumn 2024": 0.9}, "When is the thesis due?", ("Report", text))
    assert (answer.text, answer.reason) == ("March 2025", "autumn 2024 was turned down.")
