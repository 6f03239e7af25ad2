from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge_bases import build_file

from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.evidence_chains import ChainParams, ChainResult, EvidenceChain, build_chains, chain_groups

AS_PRINTED = ChainParams(merging=False, prefixes=True, backward=False)
QUESTION = "What year did the team with mascot named Lou Seal win the World Series?"
TEAMS = {
    "Lou Seal": "Lou Seal is the mascot of the San Francisco Giants. He was introduced in 1996.",
    "San Francisco Giants": "The San Francisco Giants won the 2012 World Series, the 2014 World Series and the 2010 "
    "World Series. They play in San Francisco.",
    "Crazy Crab": "Crazy Crab was a mascot loved by nobody.",
    "Oracle Park": "Oracle Park is a ballpark in San Francisco.",
}
TEAM_FACTS = {
    "Lou Seal": [("Lou Seal", "sports.mascot.team", "San Francisco Giants"), ("Lou Seal", "introduced in", "1996")],
    "San Francisco Giants": [
        ("San Francisco Giants", "sports.sports_team.championships", "2012 World Series"),
        ("San Francisco Giants", "sports.sports_team.championships", "2014 World Series"),
        ("San Francisco Giants", "sports.sports_team.championships", "2010 World Series"),
        ("San Francisco Giants", "play in", "San Francisco"),
    ],
    "Crazy Crab": [("Crazy Crab", "is", "mascot")],
    "Oracle Park": [("Oracle Park", "in", "San Francisco")],
}
"""The paper's example of a chain (figure 7)."""


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("teams"), TEAMS, TEAM_FACTS)) as kb:
        yield kb


def facts(*rows: tuple[str, str, str]) -> list[Triple]:
    """Facts whose entities are single letters: the id of "a" is 97."""
    return [
        Triple(at, ord(head), head, relation, ord(tail), tail, at, at, "")
        for at, (head, relation, tail) in enumerate(rows)
    ]


def chain_triples(
    triples: Sequence[Triple], sources: Sequence[int], params: ChainParams | None = None
) -> tuple[EvidenceChain, ...]:
    return tuple(one for group in chain_groups(triples, sources, params or ChainParams()) for one in group)


def texts(triples: Sequence[Triple], sources: str, params: ChainParams | None = None) -> list[str]:
    return [chain.text() for chain in chain_triples(triples, [ord(one) for one in sources], params)]


def slow_rows(triples: Sequence[Triple], sources: set[int], hops: int | None) -> list[tuple[int, ...]]:
    """Algorithm 1 as printed: the ids of the facts of every row."""
    anchored = [one for one in triples if one.head in sources]
    left = [one for one in triples if one.head not in sources]
    queue = [[one] for one in anchored]
    visited: list[tuple[int, int]] = []
    rows: list[list[Triple]] = []
    while queue:
        row = queue.pop(0)
        if row not in rows:
            rows.append(row)
        if hops is not None and len(row) >= hops:
            continue
        for one in left:
            if row[-1].tail == one.head and (row[0].head, one.tail) not in visited:
                queue.append([*row, one])
                visited.append((row[0].head, one.tail))
    return [tuple(one.id for one in row) for row in rows]


small_graphs = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("rs"), st.sampled_from("abcde")), unique=True
)


@settings(max_examples=200)
@given(small_graphs, st.sets(st.sampled_from("abcde")), st.sampled_from([1, 2, 3, None]))
def test_rows_are_those_of_the_algorithm_as_printed(
    rows: list[tuple[str, str, str]], sources: set[str], hops: int | None
) -> None:
    triples, ids = facts(*rows), {ord(one) for one in sources}
    params = ChainParams(hops=hops, merging=False, prefixes=True, backward=False)
    forward = [tuple(one.id for one in chain.rows[0]) for chain in chain_triples(triples, ids, params)]
    assert forward == slow_rows(triples, ids, hops)
    # Right to left is left to right over the facts turned round.
    turned = facts(*((tail, relation, head) for head, relation, tail in rows))
    both = chain_triples(triples, ids, ChainParams(hops=hops, merging=False, prefixes=True))
    backward = [tuple(one.id for one in chain.rows[0])[::-1] for chain in both if not chain.forward]
    assert backward == slow_rows(turned, ids, hops)


@settings(max_examples=200)
@given(small_graphs, st.sets(st.sampled_from("abcde")))
def test_merging_loses_no_source_and_makes_no_row_of_its_own(
    rows: list[tuple[str, str, str]], sources: set[str]
) -> None:
    triples, ids = facts(*rows), {ord(one) for one in sources}
    apart = chain_triples(triples, ids, ChainParams(merging=False, prefixes=True))
    merged = chain_triples(triples, ids, ChainParams(prefixes=True))
    assert {chain.source for chain in merged} == {chain.source for chain in apart}
    known = {(chain.forward, chain.rows[0]) for chain in apart}
    for chain in merged:
        assert {(chain.forward, row) for row in chain.rows} <= known
        assert {tuple(one.relation for one in row) for row in chain.rows} == {chain.relations}
        ends = {(row[0].head, row[-1].tail)[:: 1 if chain.forward else -1] for row in chain.rows}
        assert {source for source, _ in ends} == {chain.source}
        assert {target for _, target in ends} == chain.targets
    keys = [(chain.forward, chain.source, chain.relations) for chain in merged]
    assert len(keys) == len(set(keys))


def test_lou_seal_s_championships_are_one_chain() -> None:
    seal = [
        Triple(at, head, name, relation, tail, other, 1, 1, "")
        for at, (head, name, relation, tail, other) in enumerate(
            [
                (1, "Lou Seal", "sports.mascot.team", 2, "San Francisco Giants"),
                (2, "San Francisco Giants", "sports.sports_team.championships", 3, "2012 World Series"),
                (2, "San Francisco Giants", "sports.sports_team.championships", 4, "2014 World Series"),
                (2, "San Francisco Giants", "sports.sports_team.championships", 5, "2010 World Series"),
            ]
        )
    ]
    (chain,) = chain_triples(seal, [1])
    assert chain.text() == (
        "Lou Seal -> [sports.mascot.team] -> San Francisco Giants -> [sports.sports_team.championships] -> "
        "2012 World Series; 2014 World Series; 2010 World Series"
    )
    assert (chain.source, chain.targets, chain.facts) == (1, {3, 4, 5}, tuple(seal))


def test_rows_stop_after_the_hops_and_at_what_was_reached() -> None:
    line = facts(("a", "r", "b"), ("b", "r", "c"), ("c", "r", "d"), ("d", "r", "b"))
    assert texts(line, "a") == ["a -> [r] -> b -> [r] -> c"]
    assert texts(line, "a", ChainParams(hops=1)) == ["a -> [r] -> b"]
    # No limit: d leads back to b once, and then c has been reached from a.
    assert texts(line, "a", ChainParams(hops=None)) == ["a -> [r] -> b -> [r] -> c -> [r] -> d -> [r] -> b"]
    assert texts(line, "a", AS_PRINTED) == ["a -> [r] -> b", "a -> [r] -> b -> [r] -> c"]


def test_rows_may_end_at_the_question_s_entity() -> None:
    triples = facts(("b", "directed", "a"), ("c", "married", "b"), ("d", "married", "b"))
    assert texts(triples, "a") == ["c; d -> [married] -> b -> [directed] -> a"]
    assert texts(triples, "a", ChainParams(backward=False)) == []
    (chain,) = chain_triples(triples, [ord("a")])
    assert (chain.forward, chain.source, chain.targets) == (False, ord("a"), {ord("c"), ord("d")})


def test_two_sources_that_meet_stand_together_with_what_they_share() -> None:
    triples = facts(("a", "cast", "x"), ("a", "cast", "y"), ("a", "year", "z"), ("b", "cast", "w"), ("b", "cast", "x"))
    assert texts(triples, "ab") == ["a -> [cast] -> x", "b -> [cast] -> x", "a -> [year] -> z"]
    assert texts(triples, "ab", ChainParams(merging=False)) == [
        "a -> [cast] -> x", "a -> [cast] -> y", "a -> [year] -> z", "b -> [cast] -> w", "b -> [cast] -> x",
    ]  # fmt: skip
    # One source only: nothing to meet.
    assert texts(triples, "a") == ["a -> [cast] -> x; y", "a -> [year] -> z"]


def test_of_three_sources_the_targets_are_those_that_all_have() -> None:
    triples = facts(("a", "r", "x"), ("a", "r", "y"), ("b", "r", "x"), ("b", "r", "y"), ("c", "r", "y"))
    assert texts(triples, "abc") == ["a -> [r] -> y", "b -> [r] -> y", "c -> [r] -> y"]


def test_a_chain_that_another_goes_on_from_is_left_out_unless_it_meets_one() -> None:
    triples = facts(("a", "r", "x"), ("x", "s", "y"), ("b", "r", "x"))
    assert texts(triples, "ab") == [
        "a -> [r] -> x", "b -> [r] -> x", "a -> [r] -> x -> [s] -> y", "b -> [r] -> x -> [s] -> y",
    ]  # fmt: skip
    assert texts(triples, "a") == ["a -> [r] -> x -> [s] -> y"]
    assert texts(triples, "a", ChainParams(prefixes=True)) == ["a -> [r] -> x", "a -> [r] -> x -> [s] -> y"]


def test_nothing_to_chain_is_no_chain() -> None:
    assert chain_triples([], [97]) == ()
    assert chain_triples(facts(("a", "r", "b")), []) == ()
    assert texts(facts(("b", "r", "c")), "a") == []
    # A fact that joins a thing with itself leads nowhere but is said; the same fact twice is said once.
    assert texts(facts(("a", "r", "a")), "a", ChainParams(backward=False)) == ["a -> [r] -> a"]
    assert texts(facts(("a", "r", "b"), ("a", "r", "b")), "a") == ["a -> [r] -> b"]
    # ... in the place of its first occurrence.
    assert texts(facts(("a", "r", "b"), ("a", "s", "c"), ("a", "r", "b")), "a") == ["a -> [r] -> b", "a -> [s] -> c"]


def test_a_hub_is_one_chain_and_does_not_explode() -> None:
    hub = [Triple(at, 1, "hub", "has", at, f"part {at}", 1, 1, "") for at in range(2, 1002)]
    ways = [Triple(2000 + at, at, f"part {at}", "in", 1, "hub", 1, 1, "") for at in range(2, 1002)]
    chains = chain_triples([*hub, *ways], [1], ChainParams(hops=None))
    assert {chain.relations for chain in chains} >= {("has",)}
    assert sum(len(chain.rows) for chain in chains) < 5000


def test_the_tool_finds_scores_and_chains_the_facts_by_itself(teams: KnowledgeBase) -> None:
    result = build_chains(teams, QUESTION)
    lines = [chain.text() for chain in result.chains]
    (line,) = [one for one in lines if "championships" in one]
    start, _, ends = line.rpartition(" -> ")
    assert start == ("Lou Seal -> [sports.mascot.team] -> San Francisco Giants -> [sports.sports_team.championships]")
    assert set(ends.split("; ")) == {"2010 World Series", "2012 World Series", "2014 World Series"}
    assert {"Lou Seal", "San Francisco Giants"} == {hit.passage.title for hit in result.hits[:2]}
    assert build_chains(teams, QUESTION) == result
    assert len(build_chains(teams, QUESTION, k=1).chains) == 1
    assert build_chains(teams, QUESTION, k=0) == ChainResult((), ())


def test_the_tool_chains_the_facts_that_it_is_given(teams: KnowledgeBase) -> None:
    own = teams.passage_triples([teams.document_passages("Lou Seal")[0].id])
    result = build_chains(teams, QUESTION, own)
    assert {fact.id for chain in result.chains for fact in chain.facts} == {fact.id for fact in own}
    assert [hit.passage.title for hit in result.hits] == ["Lou Seal"]
    assert all(0 <= hit.score <= 1 for hit in result.hits)
    assert build_chains(teams, QUESTION, []) == ChainResult((), ())
    assert len(build_chains(teams, QUESTION, own, params=ChainParams(kept=1)).chains) == 1


def test_a_question_that_names_nothing_starts_from_the_closest_fact(teams: KnowledgeBase) -> None:
    assert build_chains(teams, "which creature of the sea cheers?").chains


def test_an_empty_question_or_file_has_no_chains(teams: KnowledgeBase, empty: KnowledgeBase) -> None:
    assert build_chains(teams, "") == ChainResult((), ())
    assert build_chains(empty, QUESTION) == ChainResult((), ())
