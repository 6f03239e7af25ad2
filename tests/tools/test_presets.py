"""The papers' configurations by name: what they set, and that they reach what they are of."""

from __future__ import annotations

import pytest

from kb.errors import UsageError
from kb.store.knowledge_base import KnowledgeBase
from tools.presets import PRESETS, differences, preset, techniques_with
from tools.registry import get_tool, preset_techniques

QUESTION = "Where was the director of Silver Lanterns born?"
STARRING = {"head": "Glass Birds", "relation": "composer", "variants": ["music by"], "tail": "?composer"}


def test_every_preset_is_of_a_tool_that_takes_its_parameters() -> None:
    for name, presets in PRESETS.items():
        for params in presets.values():
            hint = str(get_tool(name).parameters.model_fields["params"].annotation)
            assert type(params).__name__ in hint
            assert differences(params), f"a preset of {name} is the default"


def test_catrag_and_hipporag_2_as_published() -> None:
    # CatRAG, table 6: epsilon 0.2, beta 2.5, N_seed 5, K_edge 15; HippoRAG 2's walk lacks its three steps.
    catrag, walk = preset("edge_scoring", "published"), preset("edge_scoring", "hipporag2")
    assert (catrag.anchor_weight, catrag.key_fact_boost, catrag.seeds, catrag.scored_edges) == (0.2, 2.5, 5, 15)
    assert differences(catrag) == {
        "rescored": 0, "passage_sharpness": 1.0, "anchor_weight": 0.2, "own_passage": 0.0,
    }  # fmt: skip
    assert differences(walk) == differences(catrag) | {
        "symbolic_anchors": False, "weigh_edges": False, "key_facts": False,
    }  # fmt: skip


def test_what_nested_parameters_differ_in_has_both_names() -> None:
    told = differences(preset("constraint_recovery", "published"))
    assert told["retrieval.gate"] is False
    assert told["suggest"] == 0


def test_an_unknown_preset_is_one_error_that_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="edge_scoring has no preset 'paper'; it has hipporag2, published"):
        preset("edge_scoring", "paper")
    with pytest.raises(UsageError, match="passage_search has no preset 'published'; it has none; constraint_retrieval"):
        preset("passage_search", "published")
    with pytest.raises(UsageError, match="there is no preset 'paper'; there are hipporag2, published"):
        techniques_with("paper")
    with pytest.raises(UsageError, match="there is no preset"):
        preset_techniques(["published", "paper"])


def test_a_tool_is_called_with_a_preset(cases: KnowledgeBase) -> None:
    # The only fact of Glass Birds says nothing of a composer: by N_eff alone, as published, it resolves.
    arguments = {"question": "Who composed it?", "plan": {"constraints": [STARRING]}}
    tool = get_tool("constraint_retrieval")
    assert [tool.call(cases, arguments, name)["states"][0]["status"] for name in ("", "published")] == [
        "unresolved",
        "resolved",
    ]
    # What is given beside it counts instead.
    given = {**arguments, "params": {"gate": True}}
    assert tool.call(cases, given, "published")["states"][0]["status"] == "unresolved"
    with pytest.raises(UsageError, match=r"params\.gate"):
        tool.call(cases, {**arguments, "params": {"gate": "perhaps"}}, "published")


def test_techniques_with_a_preset_find_otherwise_than_without(cases: KnowledgeBase) -> None:
    found = preset_techniques(["hipporag2", "published"])
    assert found[0].name == "edge_scoring:hipporag2"
    assert [one.name for one in found[1:]] == [
        "constraint_recovery:published", "edge_scoring:published", "anchor_grouping:published",
        "bubble_expansion:published", "evidence_expansion:published", "path_search:published",
        "path_resurrection:published", "triple_scorer:published",
    ]  # fmt: skip
    walk = found[0].find(cases, QUESTION, 5)
    plain = get_tool("edge_scoring").function(cases, QUESTION, k=5, params=preset("edge_scoring", "hipporag2")).hits
    usual = get_tool("edge_scoring").function(cases, QUESTION, k=5).hits
    assert walk == list(plain)
    assert walk != list(usual)


def test_presets_of_what_a_technique_makes_by_itself_reach_it(
    cases: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    for name, module in (("group_anchors", "tools.bubble_expansion"), ("search_paths", "tools.path_resurrection")):
        real = getattr(__import__(module, fromlist=[name]), name)

        def spied(*args, real=real, **given):  # type: ignore[no-untyped-def]
            seen.append(given["params"])
            return real(*args, **given)

        monkeypatch.setattr(f"{module}.{name}", spied)
    for technique in ("evidence_expansion", "path_resurrection"):
        function = get_tool(technique).function
        function(cases, QUESTION, params=preset(technique, "published"))
    assert seen == [preset("anchor_grouping", "published"), preset("path_search", "published")]
