"""Yes or no by the sense of a sentence: nobody, only, neither, except, out of, and words that are opposites."""

from __future__ import annotations

import pytest
from answer_evidence import evidence, passages, pointing_at

from tools.answer_rules.claim_senses import find_sense
from tools.answer_rules.permissions import find_permission
from tools.answer_rules.scopes import is_of_another_scope, is_only_limited
from tools.planning.planner import plan_question
from tools.reading.answering import answer_question


@pytest.mark.parametrize(
    ("text", "question", "verdict"),
    [
        ("Nobody objected.", "Did anybody object?", "no"),
        ("Nobody may park in the yard except the doctor.", "May the doctor park in the yard?", "yes"),
        ("Nobody may park in the yard except the doctor.", "Can I park in the yard?", "no"),
        ("Nobody but Eve saw the fox.", "Did Max see the fox?", "no"),
        ("Nobody but Eve saw the fox.", "Did anybody see the fox?", "yes"),
        ("Only members may vote.", "May guests vote?", "no"),
        ("Only members may vote.", "Can non-members vote?", "no"),
        ("Only Ada knew the code.", "Did Ada know the code?", "yes"),
        ("Only Ada knew the code.", "Did Bob know the code?", "no"),
        ("Neither Bob nor Cy can swim.", "Can Bob swim?", "no"),
        ("Everyone must pay except children.", "Do children have to pay?", "no"),
        ("No dogs are allowed except guide dogs.", "Are guide dogs allowed?", "yes"),
        ("We are out of flour.", "Do we have any flour?", "no"),
        ("The hall has no heating.", "Does the hall have heating?", "no"),
        ("Mr Able didn't come, Mrs Able did.", "Did Mrs Able come?", "yes"),
        ("Bob came, Kim didn't.", "Did Kim come?", "no"),
        ("Anna hasn't paid yet.", "Does Anna still have to pay?", "yes"),
        ("The heating works again.", "Is the heating broken?", "no"),
        ("The pump is running again after the repair.", "Is the pump broken?", "no"),
        ("Glass is forbidden in the compost. We have run out of compost.", "Do we have any compost?", "no"),
        ("The lift is out of order.", "Is the lift working?", "no"),
        ("The heating is broken. It's cold. The heating works again.", "Is the heating broken?", "no"),
        ("The key isn't lost after all.", "Has the key been found?", "yes"),
        ("The pool isn't closed any longer.", "Is the pool open?", "yes"),
        ("The shop is closed on Mondays.", "Is the shop open on Mondays?", "no"),
        ("The team lost.", "Did the team win?", "no"),
        ("Anna is without children.", "Does Anna have children?", "no"),
        ("We won't stop the Friday lunches.", "Will there still be Friday lunches?", "yes"),
        ("Sylt stays, but only twice a year.", "Do we still go to Sylt?", "yes"),
    ],
)
def test_the_sense_decides(text: str, question: str, verdict: str) -> None:
    told = find_sense(question, evidence(("Notes", text)))
    assert told is not None
    assert told.text == verdict


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Only members may vote.", "Can Bob vote?"),  # he may be one
        ("Only members may vote.", "Can new members vote?"),
        ("Only two guests came.", "Did the neighbours come?"),
        ("Only Ann knows the code.", "Does Bob have the code?"),
        ("Nobody knows the code.", "Is there a code?"),
        ("Nobody came in June.", "Did anybody come in May?"),
        ("Nobody thinks that Bob will win.", "Will Bob win?"),
        ("If nobody objects, the plan stands.", "Did anybody object?"),
        ("He came without his dog.", "Does he have a dog?"),
        ("The shop is out of flour.", "Do we have any flour?"),
        ("The shop closes at six.", "Is the shop open?"),
        ("The bus stops at the church.", "Does the bus still run?"),
        ("We missed the bus.", "Did the bus come?"),
        ("The lift was broken in May.", "Is the lift working?"),
        ("Anna hasn't paid yet, but Bob has.", "Does Bob still have to pay?"),
        ("The missing trailer stood behind the barn.", "Has the missing trailer been found?"),
        ("The shop is closed on Mondays.", "Is the shop open?"),
        ("On Mondays, the shop is closed.", "Is the shop open?"),
        ("Anna failed the first test and passed the second test.", "Did Anna pass the test?"),
        ("Ben lost his job in May and found another in June.", "Has Ben found a job?"),
        ("The team lost its goalkeeper.", "Did the team win?"),
        ("Tom found his phone too slow.", "Has Tom lost his phone?"),
        ("Anna failed to mention the cake.", "Did Anna pass?"),
        ("The key holder lost his hat.", "Has the key been found?"),
        ("The heating bill broke the budget.", "Does the heating work?"),
        ("The garage has an empty shelf.", "Is the garage full?"),
        ("The garage isn't full.", "Is the garage empty?"),
        ("The shop is open on Sunday.", "Does the shop close?"),
        ("Anna keeps her bike in the shop.", "Does Anna still run the shop?"),
        ("The market stays shut on Mondays.", "Is there still a market?"),
        ("The choir stays at the Swan Hotel.", "Is there still a choir?"),
        ("The house has no garden, the flat has a big one.", "Does the flat have a garden?"),
        ("Anna left the shop without milk.", "Does the shop have milk?"),
        ("Anna looks after a couple without children.", "Does Anna have children?"),
        ("Nobody has keys for the cellar.", "Do the neighbours have keys?"),
        ("Only adults can swim in the deep pool.", "Can the children swim?"),
        ("Only members pay the lower price.", "Do guests pay?"),
        ("Neither Tom nor Ben works on Sundays.", "Does Tom work?"),
        ("Nobody complained at first.", "Did anybody complain?"),
        ("Ben hasn't seen Anna pay.", "Does Anna still have to pay?"),
        ("The heating works. The heating is broken.", "Is the heating broken?"),  # one of them is out of date
    ],
)
def test_the_sense_is_left_open(text: str, question: str) -> None:
    assert find_sense(question, evidence(("Notes", text))) is None


def test_whom_only_leaves_open_is_no_permission() -> None:
    assert find_permission("Can Bob vote?", evidence(("Notes", "Only members may vote."), ("List", "Bob"))) is None
    forbidden = evidence(("Notes", "Smoking is forbidden indoors."))
    assert find_permission("Is smoking on the terrace forbidden?", forbidden) is None


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Can I smoke on the terrace?", "Smoking is forbidden indoors."),
        ("Can I feed the ducks in August?", "It's forbidden to feed the ducks between May and July."),
        ("May I light a fire on the beach?", "Fires are forbidden in the wood."),
        ("Can I smoke in the garden?", "Smoking is forbidden in all rooms."),
        ("Can I smoke in the garden?", "Smoking is forbidden indoors at any time."),
    ],
)
def test_what_is_forbidden_elsewhere(question: str, sentence: str) -> None:
    assert is_of_another_scope(question, sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Can I smoke indoors?", "Smoking is forbidden indoors."),
        ("Can I feed the ducks in June?", "It's forbidden to feed the ducks between May and July."),
        ("Can I swim in the lake in January?", "It's forbidden to swim in the lake between October and April."),
        ("Can I smoke in the hall?", "Smoking is forbidden."),
        ("Can I smoke in the garden?", "Smoking is forbidden on the whole site."),
        ("Can I smoke in the garden?", "Smoking is forbidden at any time."),
        ("Can I smoke in my room?", "Smoking is forbidden in any room."),
        ("Can I sit on the terrace?", "We sit indoors."),
    ],
)
def test_what_is_forbidden_there_or_everywhere(question: str, sentence: str) -> None:
    assert not is_of_another_scope(question, sentence)


def test_only_twice_a_year_is_no_denial() -> None:
    assert is_only_limited("Do we still sample on Sylt?", "Sylt stays, but only twice a year.")
    assert not is_only_limited("Is it open in the afternoon?", "It stays open, but only in the morning.")
    assert not is_only_limited("May guests vote?", "Only members may vote.")
    assert not is_only_limited("Does it listen on port 6780?", "It listens on port 6731 only.")
    assert not is_only_limited("Is the shop open?", "The shop isn't open, only the café.")


def test_the_sense_is_the_answer() -> None:
    question = "May guests vote?"
    told = passages(("Rules", "Only members may vote."))
    assert answer_question(question, plan_question(question), told, read=pointing_at("members")).text == "no"
