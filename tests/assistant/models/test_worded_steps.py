"""What a model's bare steps get from the planner's lexicon."""

from __future__ import annotations

import pytest

from assistant.models.calling.worded_steps import worded, worded_plan
from tools.planning.plan import Constraint
from tools.planning.planner import plan_question


@pytest.mark.parametrize(
    ("relation", "tail", "name", "kind"),
    [
        ("directed by", "?x", "director", "person"),
        ("composed by", "?x", "composer", "person"),
        ("place_of_birth", "?x", "place of birth", "place"),
        ("birthplace", "?x", "place of birth", "place"),
        ("born in", "?place", "place of birth", "place"),
        ("was born in", "?year", "date of birth", "date"),
        ("died on", "?date", "date of death", "date"),
        ("wife", "?x", "spouse", "person"),
    ],
)
def test_relations_of_the_lexicon_have_its_names(relation: str, tail: str, name: str, kind: str) -> None:
    made = worded(Constraint("?a", relation, tail))
    assert (made.relation, made.tail_type) == (name, kind)
    assert made.relation not in made.variants
    assert relation == made.relation.replace(" ", "_") or relation in made.variants


def test_a_step_of_the_planners_own_is_as_the_planner_has_it() -> None:
    steps = plan_question("Where was the composer of Stalker born?").constraints
    made = worded_plan([Constraint(step.head, step.relation, step.tail) for step in steps])
    for bare, step in zip(made, steps, strict=True):
        assert (bare.relation, bare.head_type, bare.tail_type) == (step.relation, step.head_type, step.tail_type)
        assert set(bare.variants) & set(step.variants)
    # The composer is a person where he is found, and so where he is asked about.
    assert (made[0].tail_type, made[1].head_type) == ("person", "person")


def test_what_the_model_says_comes_first_and_what_nobody_knows_stays() -> None:
    own = worded(Constraint("?a", "director", "?x", ("filmed by",)))
    assert own.variants[0] == "filmed by"
    assert len(worded(Constraint("a", "director", "?x", tuple("abcdefg"))).variants) == 4
    strange = worded(Constraint("a", "shares a fence with", "?x"))
    assert (strange.relation, strange.tail_type) == ("shares a fence with", "")
    constant = worded(Constraint("?a", "born in", "Vienna"))
    assert (constant.relation, constant.tail_type) == ("place of birth", "")
