"""Commands killed at one of the calls that write, and then run again: nothing is lost, nothing is paid for twice.

    python -m benchmarks.torture.kills --trials 1000      # shared by nine commands, spread over all their calls

A kill comes before a call, or in the middle of a write (every third). After it the knowledge base must open and hold no
damage; after the same command once more it must hold what an undisturbed run gives.
"""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.torture.endpoint import Endpoint, endpoint
from benchmarks.torture.scenarios import QUESTIONS, Scenario, scenarios
from benchmarks.torture.supervising import Fate, What, is_possible, supervised
from benchmarks.torture.trials import Outcome, Tally, own_state, run_alone

KILLS: Sequence[What] = ("kill", "kill", "torn")


class Trials:
    """One scenario under kills, in a place that is made anew for each; `faults` are counted by what is wrong."""

    def __init__(self, scenario: Scenario, home: Path, asked: Endpoint) -> None:
        self.scenario = scenario
        self._before, self._place = home / f"{scenario.name}-before", home / "place"
        self._asked = asked
        self.strikes = 0
        self.faults: Counter[str] = Counter()
        self._fresh()
        own_state(self._place)
        scenario.prepare(self._place)
        shutil.move(self._place, self._before)
        fate = Fate()
        done = self._run(fate)
        if done.code:
            raise RuntimeError(f"{scenario.name}: {done.err or done.out}")
        self.calls, self._requests = fate.seen, len(asked.requests)
        self._right = scenario.content(self._place)

    def strike(self, what: What, at: int) -> None:
        """Let call `at` meet `what`, look, run again, compare."""
        fate = Fate(what, at)
        struck = self._run(fate)
        if not fate.met:  # a thread was faster than the last time
            return
        self.strikes += 1
        when = f"{what} at {self._about(fate)}"
        if what not in KILLS and (struck.fault or struck.code not in (0, 3)):
            self.faults[f"ended with {struck.code}, {struck.fault or struck.err[-300:]}, {when}"] += 1
        if what not in KILLS and "damaged" in struck.err:
            self.faults[f"blames the file: {struck.err.strip()[-300:]}, {when}"] += 1
        self._carry_on(struck, when)

    def _carry_on(self, struck: Outcome, when: str) -> None:
        if damage := self._damage():
            self.faults[f"damaged: {damage}, {when}"] += 1
        again = self._again(Fate())
        if again.code and "there is no document" not in again.err:  # it was removed before the kill
            self.faults[f"could not be carried on: {again.err.strip().splitlines()[-1:] or again.fault}, {when}"] += 1
            return
        if self.scenario.content(self._place) != self._right:
            self.faults[f"other content, {when}"] += 1
        if damage := self._damage():
            self.faults[f"unsound when all is done: {damage}, {when}"] += 1
        if len(self._asked.requests) > self._requests + self.scenario.again:
            self.faults[f"{len(self._asked.requests)} requests for {self._requests}, {when}"] += 1
        lost = [one for one in QUESTIONS if one in struck.out and one not in str(self.scenario.content(self._place))]
        if lost:
            self.faults[f"kept and lost: {lost}, {when}"] += 1

    def _run(self, fate: Fate) -> Outcome:
        self._fresh()
        shutil.copytree(self._before, self._place)
        self._asked.requests.clear()
        return self._again(fate)

    def _again(self, fate: Fate) -> Outcome:
        return supervised(lambda: self.scenario.work(self._place), self._place, fate)

    def _fresh(self) -> None:
        shutil.rmtree(self._place, ignore_errors=True)

    def _damage(self) -> list[str]:
        from kb.errors import NotAKnowledgeBase
        from kb.store.check import damage_in

        file = self._place / "kb.clew"
        if not file.exists() or not file.stat().st_size:
            return []
        try:
            return damage_in(file)
        except NotAKnowledgeBase as error:
            return [] if "stopped at the very start" in str(error) else [str(error)]

    @staticmethod
    def _about(fate: Fate) -> str:
        return f"call {fate.at} ({fate.seen[fate.at - 1]})"


def places(calls: Sequence[str], count: int, rng: random.Random) -> list[int]:
    """Numbers of `count` calls: up to half of them rare ones, and of the others some all over."""
    every = range(1, len(calls) + 1)
    if count >= len(calls):
        return list(every)
    often = Counter(calls)
    rare = [at for at in every if often[calls[at - 1]] <= 6]
    rare = rare if len(rare) <= count // 2 else sorted(rng.sample(rare, count // 2))
    others = sorted(set(every) - set(rare))
    step = len(others) / (count - len(rare))
    return sorted(
        {
            *rare,
            *(others[min(int((place + rng.random()) * step), len(others) - 1)] for place in range(count - len(rare))),
        }
    )


def shares(calls: Sequence[int], trials: int) -> list[int]:
    """How many trials each scenario gets of some: equal shares, at least one, and what one with fewer calls leaves is
    the others'.
    """
    given, left = [0] * len(calls), trials
    for waiting, place in zip(
        range(len(calls), 0, -1), sorted(range(len(calls)), key=lambda at: calls[at]), strict=True
    ):
        given[place] = min(calls[place], max(left // waiting, 1))
        left -= given[place]
    return given


def attack(home: Path, trials: int, seed: int, seconds: float, fates: Sequence[What] = KILLS) -> Tally:
    """Each scenario under its shares of the trials and of the seconds."""
    if not is_possible():
        return Tally(notes=["only on Linux and x86-64"])
    rng, tally = random.Random(seed), Tally()
    with endpoint() as asked:
        everything, end = scenarios(asked.url), time.monotonic() + seconds
        rng.shuffle(everything)
        every = [Trials(scenario, home, asked) for scenario in everything]
        for under, share in zip(every, shares([len(one.calls) for one in every], trials), strict=True):
            scenario, started = under.scenario, time.monotonic()
            order = places(under.calls, share, rng)
            rng.shuffle(order)
            for number, at in enumerate(order):
                # Each scenario is struck once, however late it is: what is never tried is never found.
                if number and (time.monotonic() > end or time.monotonic() - started > seconds / len(everything)):
                    break
                under.strike(fates[number % len(fates)], at)
                tally.tell(
                    f"{scenario.name}: {number + 1:,} of {len(order):,}, {sum(under.faults.values())} faults so far"
                )
            tally.trials += under.strikes
            tally.notes.append(f"{scenario.name}: {under.strikes:,} of {len(under.calls):,} calls that write")
            tally.faults.update({f"{scenario.name}: {fault}": times for fault, times in under.faults.items()})
    return tally


if __name__ == "__main__":
    run_alone(attack, 1_000, __doc__)
