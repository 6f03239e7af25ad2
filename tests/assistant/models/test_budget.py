"""The meter holds tokens, money and time before they are spent."""

from __future__ import annotations

import pytest
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.settings import ModelSettings

from assistant.models.budget import SHORTEST_ANSWER, BudgetSpent, Left, Meter, OutOfTime
from assistant.models.endpoints import REQUEST_SECONDS
from assistant.models.metered import MeteredModel
from assistant.shared.spending_limits import Budget
from kb.errors import UsageError


def dollars(taken: int, given: int) -> float:
    """One dollar for a million tokens of input, four for a million of output."""
    return taken / 1e6 + 4 * given / 1e6


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_without_a_budget_everything_is_let_through_and_counted() -> None:
    meter = Meter()
    reserved = meter.reserve(30_000_000)
    assert reserved.most is None
    meter.charge(reserved, 7, 3)
    assert (meter.spent.requests, meter.spent.tokens, meter.spent.cost) == (1, 10, None)
    assert meter.left == Left()
    assert not Budget()


def test_a_request_gets_what_the_prompt_leaves() -> None:
    meter = Meter(Budget(tokens=1_000))
    # 900 bytes at 3 a token: 300 tokens of prompt, 700 for the answer.
    reserved = meter.reserve(900)
    assert (reserved.prompt, reserved.most) == (300, 700)
    assert meter.left.tokens == 0
    meter.charge(reserved, 280, 20)
    assert meter.left.tokens == 700


def test_a_request_that_does_not_fit_is_refused_and_costs_nothing() -> None:
    meter = Meter(Budget(tokens=1_000))
    with pytest.raises(BudgetSpent, match=r"the budget of 1,000 tokens has 1,000 left.* about 1,064"):
        meter.reserve(3_000)
    assert meter.spent.tokens == 0
    assert meter.reserve(3 * (1_000 - SHORTEST_ANSWER)).most == SHORTEST_ANSWER


def test_requests_side_by_side_cannot_have_the_same_tokens() -> None:
    meter = Meter(Budget(tokens=1_000))
    first = meter.reserve(300, most=400)
    second = meter.reserve(300, most=400)
    # Each takes 100 for its prompt and up to 400 for its answer: nothing is left for a third.
    with pytest.raises(BudgetSpent):
        meter.reserve(300, most=400)
    meter.release(first)
    meter.charge(second, 90, 10)
    assert meter.left.tokens == 900


def test_what_the_server_counts_corrects_the_estimate_and_the_most_counted_holds() -> None:
    meter = Meter()
    meter.charge(meter.reserve(1_000), 500, 1)
    # 1,000 bytes were 500 tokens, 2 bytes a token; 5 per cent on top: 1.9.
    assert meter.estimate(1_900) == 1_000
    meter.charge(meter.reserve(1_000), 10, 1)
    assert meter.estimate(1_900) == 1_000
    assert meter.estimate(0) == 1
    # What a run has learnt, its next question knows from the start.
    assert Meter(above=meter).estimate(1_900) == 1_000


def test_estimates_do_not_correct_estimates() -> None:
    meter = Meter()
    meter.charge(meter.reserve(300), 1, 1, estimated=True)
    assert meter.estimate(300) == 100
    assert meter.spent.estimated


def test_money_caps_the_answer() -> None:
    meter = Meter(Budget(cost=0.001), dollars)
    # 300 tokens of prompt are $0.0003; the other $0.0007 pay for 175 tokens at $4 a million.
    reserved = meter.reserve(900)
    assert reserved.most == 175
    meter.charge(reserved, 300, 100)
    assert meter.spent.cost == pytest.approx(0.0007)
    assert meter.left.cost == pytest.approx(0.0003)
    with pytest.raises(BudgetSpent, match=r"the budget of \$0.001 has \$0.0003 left"):
        meter.reserve(900)


def test_money_cannot_be_held_where_no_price_is_known() -> None:
    with pytest.raises(UsageError, match="no price is known"):
        Meter(Budget(cost=1.0))


def test_a_free_model_is_never_out_of_money() -> None:
    meter = Meter(Budget(cost=0.5), lambda taken, given: 0.0)
    assert meter.reserve(900).most is not None
    assert meter.left.cost == 0.5


def test_time_runs_from_the_start() -> None:
    clock = Clock()
    meter = Meter(Budget(seconds=10), clock=clock)
    clock.now = 4
    assert meter.left.seconds == 6
    meter.release(meter.reserve(3))
    clock.now = 10
    with pytest.raises(BudgetSpent, match="10 seconds"):
        meter.reserve(3)


def test_of_two_limits_of_time_the_one_that_ends_first_is_told() -> None:
    run = Meter(Budget(seconds=5), clock=Clock())
    own = Meter(Budget(seconds=9), above=run, clock=Clock())
    assert isinstance(own.late(), OutOfTime)
    assert (str(own.late()), own.late().meter) == ("the budget of 5 seconds is used up", run)
    assert Meter(Budget(seconds=3), above=run, clock=Clock()).late().meter is not run


def test_the_meter_above_counts_all_questions_and_says_that_it_is_the_one() -> None:
    run = Meter(Budget(tokens=1_000))
    first = Meter(Budget(tokens=800), above=run)
    first.charge(first.reserve(300), 100, 500)
    second = Meter(Budget(tokens=800), above=run)
    assert second.left.tokens == 400
    with pytest.raises(BudgetSpent) as refused:
        second.reserve(1_200)
    assert refused.value.meter is run
    assert (run.spent.requests, run.spent.tokens, second.spent.tokens) == (1, 600, 0)


@pytest.mark.parametrize("limits", [{"tokens": 0}, {"cost": -1.0}, {"seconds": 0.0}])
def test_a_budget_of_nothing_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="allows nothing"):
        Budget(**limits)  # type: ignore[arg-type]


def test_what_is_left_in_words() -> None:
    assert Left(3_200, 0.012, 41.4).text() == "3,200 tokens, $0.0120, 41 s"
    assert Left().text() == ""


@pytest.mark.parametrize(
    ("own", "seconds", "limit"),
    [(900.0, 600, 600), (900.0, 2_000, 900), (180.0, 600, 180), (None, 600, REQUEST_SECONDS), (900.0, 30, 30)],
)
async def test_a_request_may_take_what_is_left_of_the_time_but_no_longer_than_its_model_may(
    own: float | None, seconds: float, limit: float
) -> None:
    """A file on this machine has longer than an endpoint, with a budget as without."""
    limits: list[float] = []

    def reply(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        limits.append((info.model_settings or {})["timeout"])
        return ModelResponse([TextPart("yes")])

    settings = ModelSettings(timeout=own) if own else None
    model = MeteredModel(FunctionModel(reply, settings=settings), Meter(Budget(seconds=seconds)))
    await model_request(model, [ModelRequest([UserPromptPart("?")])])
    assert limits == pytest.approx([limit], abs=5)
