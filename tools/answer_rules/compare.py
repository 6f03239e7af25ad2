"""Questions over several things: which is earlier or more, and whether they are the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tools.answer_rules.asked_relation import missing_fact, read_relation
from tools.answer_rules.claims import claims_hold, likelier
from tools.answer_rules.countries import country_of
from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.text import name_score
from tools.answer_rules.values import Date, date_order, find_dates, find_numbers, measured
from tools.answer_rules.walk import Chain, Step, Walker
from tools.planning.plan import Constraint, Plan, is_variable

_LATER = re.compile(r"\b(?:young(?:er|est)|later|last|latest|recent(?:ly)?|newer|newest)\b", re.IGNORECASE)
_EARLIER = re.compile(r"\b(?:old(?:er|est)|earl(?:ier|iest)|first)\b", re.IGNORECASE)
_LIVED = re.compile(r"\blived (?:the )?long", re.IGNORECASE)
_LESS = re.compile(r"\b(?:less|fewer|fewest|least|smaller|smallest|shorter|shortest|lower|lowest)\b", re.IGNORECASE)
_COMPARES = re.compile(r"\b(?:greater|less|same|equal|older|younger|earlier|later|before|after|than)\b")
_IS = re.compile(r"(?:is |was )?(?:named|name|called|known as)|is|was|are|is the same as")
# What a question asks of its options, where its plan does not say so.
_PLAIN = (
    ("date of birth", re.compile(r"\b(?:born|old(?:er|est)|young(?:er|est))\b")),
    ("date of death", re.compile(r"\bdied\b")),
    ("publication date", re.compile(r"\b(?:released|came out|published|premiered)\b")),
    ("inception", re.compile(r"\b(?:founded|established|formed|started|created|opened|built)\b")),
    ("country", re.compile(r"\b(?:nationality|country)\b")),
)
# Values about as sure as the best one count beside it: two nationalities in one definition.
_BESIDE = 0.06
_VERBS = {
    "birth_date": "was born", "death_date": "died", "birth_place": "was born in", "death_place": "died in",
    "release_date": "came out", "inception": "began", "nationality": "is", "located_in": "is in",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome: the answer ("" = undecided), the chains it rests on, how sure, why, and what is missing."""

    text: str
    chains: tuple[Chain, ...]
    confidence: float
    reason: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """One of the things compared, the constraints that lead on from it, and what is claimed of it outright."""

    option: str
    constraints: tuple[Constraint, ...]
    claims: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True)
class _Outcome:
    branch: Branch
    chain: Chain
    step: Step | None

    @property
    def found(self) -> Found | None:
        return self.step.found if self.step else None


def compare_options(question: str, plan: Plan, evidence: Evidence, walker: Walker) -> Verdict:
    """Decide a comparison or a yes or no along the plan's branches; the text is "" where the passages do not tell."""
    branches = branches_of(plan)
    if len(branches) < len(plan.options):
        branches = _plain_branches(question, plan.options) or branches
    if not branches:
        return Verdict("", (), 0.0, "", "")
    if not _BORN.search(question):
        branches = [_begun_if_a_thing(branch, evidence) for branch in branches]
    if any(branch.claims for branch in branches):
        return _claimed(question, plan, branches, evidence)
    if len(branches) < 2:
        return _undecided(_outcomes(branches, walker))
    if plan.kind == "yesno" and plan.comparison in ("earlier", "later", "more", "less"):
        return _claimed_order(question, plan, branches, walker)
    if plan.kind == "yesno" or plan.comparison == "same":
        return _same(branches, walker)
    if _LIVED.search(question):
        return _lived_longer(branches, walker)
    verdict = _which(question, plan, branches, walker)
    # Which of two is the first or the larger is not told by which of them shares more words with the question.
    return verdict if verdict.text or plan.comparison else _by_words(question, branches, evidence) or verdict


# Characters behind a value in which its unit stands.
_UNIT_LENGTH = 14
_BORN = re.compile(r"\b(?:born|birth)\b", re.IGNORECASE)
_LIFE = re.compile(r"\([^()]{0,60}\d{4}\s*[–—-]")
_BEGUN = re.compile(r"\b(?:opened|built|constructed|completed|founded|established|launched|released|published)\b", re.I)


def _begun_if_a_thing(branch: Branch, evidence: Evidence) -> Branch:
    """The branch, asking when it began if it asks when something was born that was opened, built or published."""
    docs = [doc for doc, _ in evidence.about(branch.option)][:2]
    lives = any(_BORN.search(doc.text) or _LIFE.search(doc.text) for doc in docs)
    if lives or not any(_BEGUN.search(doc.text) for doc in docs):
        return branch
    return replace(
        branch,
        constraints=tuple(
            replace(one, relation="inception", variants=()) if one.relation == "date of birth" else one
            for one in branch.constraints
        ),
    )


def _plain_branches(question: str, options: Sequence[str]) -> list[Branch]:
    """Branches by the question's own words, for a plan that leaves an option out; [] where they name no relation."""
    relation = next((name for name, pattern in _PLAIN if pattern.search(question)), "")
    return [Branch(option, (Constraint(option, relation, "?value"),), ()) for option in options if relation]


def branches_of(plan: Plan) -> list[Branch]:
    """The plan's constraints by the option that each hangs on, directly or through its variables."""
    constraints = _told_of_things(plan.constraints)
    constants = tuple(dict.fromkeys(term for item in constraints for term in _constants(item)[:1]))
    options = plan.options or constants
    anchored: dict[str, list[Constraint]] = {option: [] for option in options}
    for item in constraints:
        scored = [(_agreement(item, option), option) for option in options]
        best = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
        if best[0] >= 0.7:
            anchored[best[1]].append(item)
    variables = {option: {name for item in items for name in item.variables} for option, items in anchored.items()}
    for option, items in anchored.items():
        others = {name for other, names in variables.items() if other != option for name in names}
        _follow(constraints, items, variables[option] - others, others - variables[option])
    return [_branch(option, items) for option, items in anchored.items() if items]


def _told_of_things(constraints: Sequence[Constraint]) -> list[Constraint]:
    """The constraints without those that only compare two unknowns, and with unknowns that are named by their names."""
    named: dict[str, str] = {}
    for item in constraints:
        if len(item.variables) == 1 and _IS.fullmatch(item.relation) and _constants(item):
            named[item.variables[0]] = _constants(item)[0]
    kept = []
    for item in constraints:
        compared = not _constants(item) and _COMPARES.search(item.relation)
        identity = _IS.fullmatch(item.relation) and any(name in named for name in item.variables)
        if not compared and not identity:
            kept.append(replace(item, head=named.get(item.head, item.head), tail=named.get(item.tail, item.tail)))
    return kept


def _agreement(item: Constraint, option: str) -> float:
    """How well one of a constraint's names agrees with an option."""
    return max((name_score(option, term) for term in _constants(item)), default=0.0)


def _branch(option: str, items: Sequence[Constraint]) -> Branch:
    open_ended = tuple(item for item in items if item.variables)
    return Branch(option, open_ended, tuple(item for item in items if not item.variables))


def _follow(constraints: Sequence[Constraint], items: list[Constraint], reached: set[str], others: set[str]) -> None:
    """Add to a branch, in plan order, what its own variables lead to and another branch's do not."""
    grown = True
    while grown:
        grown = False
        for item in constraints:
            own = reached & set(item.variables) and not others & set(item.variables)
            if own and item not in items and not _constants(item):
                items.append(item)
                reached |= set(item.variables)
                grown = True


def _constants(item: Constraint) -> list[str]:
    return [term for term in (item.head, item.tail) if term and not is_variable(term)]


def _outcomes(branches: Sequence[Branch], walker: Walker) -> list[_Outcome]:
    outcomes = []
    for branch in branches:
        chain = walker.walk(branch.constraints)[0]
        bound = [step for step in chain.steps if step.variable]
        outcomes.append(_Outcome(branch, chain, bound[-1] if bound else None))
    return outcomes


def _undecided(outcomes: Sequence[_Outcome]) -> Verdict:
    """No answer, and which hop is to blame: one that found nothing, else the one whose value is known least."""
    chains = tuple(outcome.chain for outcome in outcomes)
    step = next((chain.missing for chain in chains if chain.missing), None)
    steps = [outcome.step for outcome in outcomes if outcome.step and outcome.step.found]
    last = step or min(steps, key=lambda one: one.found.score if one.found else 0.0, default=None)
    missing = missing_fact(last.constraint, last.subject) if last else ""
    return Verdict("", chains, 0.0, _told(outcomes), missing)


def _which(question: str, plan: Plan, branches: Sequence[Branch], walker: Walker) -> Verdict:
    outcomes = _outcomes(branches, walker)
    direction = _direction(question, plan)
    if any(outcome.found is None for outcome in outcomes):
        return _only_known(outcomes, direction)
    first = _first(outcomes, direction)
    if first is None:
        return _undecided(outcomes)
    chains = tuple(outcome.chain for outcome in outcomes)
    return Verdict(first.branch.option, chains, min(chain.score for chain in chains), _told(outcomes))


def _claimed_order(question: str, plan: Plan, branches: Sequence[Branch], walker: Walker) -> Verdict:
    """Whether the first of two things is the older, the longer: "Is the Tay Bridge older than the Forth Bridge?"."""
    outcomes = _outcomes(branches, walker)
    first = None if any(one.found is None for one in outcomes) else _first(outcomes, _direction(question, plan))
    if first is None or len(outcomes) != 2:
        return _undecided(outcomes)
    chains = tuple(outcome.chain for outcome in outcomes)
    text = "yes" if first is outcomes[0] else "no"
    return Verdict(text, chains, min(chain.score for chain in chains), _told(outcomes))


def _direction(question: str, plan: Plan) -> str:
    """ "earlier", "later", "more" or "less": by the plan, with age turned into dates, else by the question's words."""
    kinds = {read_relation(item).kind for item in plan.constraints}
    if "birth_date" in kinds and plan.comparison in ("more", "less"):
        return "earlier" if plan.comparison == "more" else "later"
    if plan.comparison:
        return plan.comparison
    if _LATER.search(question):
        return "later"
    if _EARLIER.search(question):
        return "earlier"
    return "less" if _LESS.search(question) else "more"


def _first(outcomes: Sequence[_Outcome], direction: str) -> _Outcome | None:
    """The outcome that is asked for; None where the values cannot be put in order."""
    if direction in ("earlier", "later"):
        return _by_date(outcomes, -1 if direction == "earlier" else 1)
    told = [one for one in map(_measured, outcomes) if one is not None]
    measures, sizes = {measure for measure, _ in told}, [size for _, size in told]
    if len(told) < len(outcomes) or len(measures) > 1 or len(set(sizes)) < 2:
        return None
    return outcomes[sizes.index(max(sizes) if direction == "more" else min(sizes))]


def _by_date(outcomes: Sequence[_Outcome], wanted: int) -> _Outcome | None:
    """The outcome whose date is before (-1) or after (1) every other; None where a date is missing or two are equal."""
    dates = [_date(outcome.found) for outcome in outcomes]
    for i, mine in enumerate(dates):
        others = [other for k, other in enumerate(dates) if k != i]
        if mine and all(other is not None and date_order(mine, other) == wanted for other in others):
            return outcomes[i]
    return None


def _date(found: Found | None) -> Date | None:
    dates = find_dates(found.text) if found else []
    return next((date for date in dates if date.year), None)


def _measured(outcome: _Outcome) -> tuple[str, float] | None:
    """What the first number of a find measures, and how much that is in metres, kilograms or seconds."""
    if outcome.found is None:
        return None
    text, start = outcome.found.doc.text, outcome.found.start
    said = text[start : outcome.found.end + _UNIT_LENGTH] if text[start : outcome.found.end] else outcome.found.text
    numbers = [one for one in find_numbers(said) if one.start < len(outcome.found.text)]
    return measured(said, numbers[0]) if numbers else None


def _only_known(outcomes: Sequence[_Outcome], direction: str) -> Verdict:
    """Who died first where one death alone is on record: the other one has outlived the record. Else undecided."""
    undecided = _undecided(outcomes)
    known = [outcome for outcome in outcomes if outcome.chain.missing is None]
    kinds = {read_relation(outcome.step.constraint).kind for outcome in outcomes if outcome.step}
    if kinds != {"death_date"} or len(known) != 1 or direction != "earlier":
        return undecided
    confidence = 0.4 * known[0].chain.score
    return Verdict(known[0].branch.option, undecided.chains, confidence, undecided.reason, undecided.missing)


def _lived_longer(branches: Sequence[Branch], walker: Walker) -> Verdict:
    spans: list[tuple[float, str]] = []
    chains: list[Chain] = []
    for branch in branches:
        for relation in ("date of birth", "date of death"):
            constraint = Constraint(branch.option, relation, f"?{relation.replace(' ', '_')}", tail_type="date")
            chains.append(walker.walk((constraint,))[0])
        dates = [_date(chain.steps[-1].found) for chain in chains[-2:]]
        if dates[0] and dates[1]:
            spans.append((_days(dates[1]) - _days(dates[0]), branch.option))
    missing = next((chain.missing for chain in chains if chain.missing), None)
    if len(spans) < len(branches):
        words = missing_fact(missing.constraint, missing.subject) if missing else ""
        return Verdict("", tuple(chains), 0.0, "", words)
    reason = "; ".join(f"{option} lived {days / 365.25:.1f} years" for days, option in spans)
    return Verdict(max(spans)[1], tuple(chains), min(chain.score for chain in chains), f"{reason}.")


def _days(date: Date) -> float:
    """Days since year 0, in the middle of what is unknown: good enough to compare lives by."""
    return date.year * 365.25 + ((date.month or 7) - 1) * 30.44 + (date.day or 15)


def _same(branches: Sequence[Branch], walker: Walker) -> Verdict:
    """Whether the branches end in the same thing: countries as such, other values by name."""
    outcomes = _outcomes(branches, walker)
    values = [_values(outcome, walker) for outcome in outcomes]
    if not all(values):
        return _undecided(outcomes)
    kinds = {read_relation(outcome.step.constraint).kind for outcome in outcomes if outcome.step}
    shared = _shared(values, by_country=kinds == {"nationality"})
    chains = tuple(outcome.chain for outcome in outcomes)
    return Verdict("yes" if shared else "no", chains, min(chain.score for chain in chains), _told(outcomes))


def _values(outcome: _Outcome, walker: Walker) -> list[str]:
    """What a branch ends in, with the other values that are about as sure (two nationalities)."""
    if outcome.step is None or outcome.found is None:
        return []
    wants_tail = outcome.step.variable == outcome.step.constraint.tail
    finds = walker.values(outcome.step.constraint, outcome.step.subject, wants_tail)
    return [found.text for found in finds if found.score >= outcome.found.score - _BESIDE]


def _shared(values: Sequence[Sequence[str]], by_country: bool) -> bool:
    countries = [{country_of(text) for text in texts} - {""} for texts in values]
    if by_country and all(countries):
        return bool(set.intersection(*countries))
    return all(any(name_score(text, other) >= 0.75 for text in values[0] for other in others) for others in values[1:])


def _told(outcomes: Sequence[_Outcome]) -> str:
    """ "Ridley Scott was born 1937; Tony Scott was born 1944."."""
    parts = []
    for outcome in outcomes:
        if outcome.step and outcome.found:
            verb = _VERBS.get(read_relation(outcome.step.constraint).kind, f"{outcome.step.constraint.relation}:")
            parts.append(f"{outcome.step.subject} {verb} {outcome.found.text}")
    return "; ".join(parts) + "." if parts else ""


def _claimed(question: str, plan: Plan, branches: Sequence[Branch], evidence: Evidence) -> Verdict:
    """Whether what is claimed of the options holds, or of which of them."""
    held = [claims_hold(evidence, branch.option, branch.claims) for branch in branches]
    chains = tuple(claim.chain for claim in held)
    if plan.kind == "yesno":
        unknown = next((claim.option for claim in held if claim.chain.missing), None)
        if unknown is not None:
            return Verdict("", chains, 0.0, "", f"what is asked of {unknown}")
        return Verdict("yes" if all(claim.holds for claim in held) else "no", chains, min(c.sure for c in held), "")
    best = max(held, key=lambda claim: claim.share)
    if sum(claim.share == best.share for claim in held) > 1:
        return _by_words(question, branches, evidence) or Verdict("", chains, 0.0, "", "")
    return Verdict(best.option, chains, best.sure, "")


def _by_words(question: str, branches: Sequence[Branch], evidence: Evidence) -> Verdict | None:
    """The option whose passages share more words with the question, where one does."""
    option, step = likelier(evidence, [branch.option for branch in branches], question)
    return Verdict(option, (Chain((step,)),), 0.2, step.hop.sentence) if step and option else None
