from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from run_files import hop, jsonl, line

from assistant.commands.eval import CAUSES as OPTION
from assistant.evaluation.evaluate import judge
from assistant.evaluation.evaluation_text import failure_lines
from assistant.evaluation.failures import (
    CAUSES,
    Failure,
    Lost,
    counts_by_cause,
    counts_by_loss,
    counts_of_answers,
    failures,
)
from kb.store.knowledge_base import KnowledgeBase

QUESTION = "Where was the director of The Glass Harbour born?"


def failed(folder: Path, gold: dict[str, Any], record: dict[str, Any], k: int = 2) -> Failure:
    """The failure of a run of one question."""
    questions = jsonl(folder / "q.jsonl", [{"id": "1", "question": "A?", **gold}])
    (found,) = failures(judge(jsonl(folder / "out.jsonl", [record]), questions, k), k)
    return found


def chained(documents: str, *links: dict[str, Any]) -> dict[str, Any]:
    """A line whose passages have the ids 1, 2, 3 and so on, and titles."""
    record = line("1", "A?", "", "", found=False, chains=[{"links": list(links)}])
    passages = [{"id": at, "document": one, "title": f"about {one}"} for at, one in enumerate(documents, 1)]
    return {**record, "passages": passages}


def losses(found: Failure) -> dict[str, Lost | None]:
    return {passage.document: passage.lost for passage in found.passages}


@pytest.mark.parametrize(
    ("gold", "answer", "documents", "more", "cause"),
    [
        ({"supporting": ["a", "b"], "answers": ["x"]}, "x", "acd", {}, "never-found"),
        ({"supporting": ["a", "b"], "answers": ["x"]}, "x", "acb", {}, "ranked-low"),
        ({"supporting": ["a", "b"], "answers": ["x"]}, "y", "ab", {}, "wrong"),
        ({"supporting": ["a", "b"], "answers": ["x y"]}, "y", "ba", {}, "inexact"),
        ({"supporting": ["a", "b"], "answers": ["x"]}, "", "ab", {"found": False}, "refused"),
        ({"answers": ["x"]}, "y", "ab", {}, "wrong"),
        ({"answers": ["x"], "supporting": ["a"]}, "", "", {"found": False, "error": "no"}, "failed"),
    ],
)
def test_a_question_has_the_first_cause_that_holds(
    tmp_path: Path, gold: dict[str, Any], answer: str, documents: str, more: dict[str, Any], cause: str
) -> None:
    assert failed(tmp_path, gold, line("1", "A?", answer, documents, **more)).cause == cause


def test_what_is_right_is_no_failure_and_causes_come_in_order(tmp_path: Path) -> None:
    gold = {"question": "A?", "answers": ["x"], "supporting": ["a"]}
    questions = jsonl(
        tmp_path / "q.jsonl",
        [{"id": key, **gold} for key in "1234"] + [{"id": key, "question": "A?"} for key in "56"],
    )
    out = jsonl(
        tmp_path / "out.jsonl",
        [
            line("1", "A?", "x", "a"),
            line("2", "A?", "y", "a"),
            line("3", "A?", "x", "bca"),
            line("4", "A?", "", "", found=False),
            line("5", "A?", "an answer where the file has none", "a"),
            line("6", "A?", "", "a", found=False),
        ],
    )
    found = failures(judge(out, questions, 2), 2)
    assert [(one.id, one.cause) for one in found] == [
        ("4", "never-found"), ("3", "ranked-low"), ("2", "wrong"), ("5", "unanswerable"),
    ]  # fmt: skip
    assert {cause: dict(counts) for cause, counts in counts_by_cause(found).items()} == {
        "never-found": {"refused": 1}, "ranked-low": {"right": 1},
        "wrong": {"wrong": 1}, "unanswerable": {"unjudged": 1},
    }  # fmt: skip
    assert counts_by_loss(found) == {"no-chain": 2}


def test_without_any_gold_nothing_fails(tmp_path: Path) -> None:
    questions = jsonl(tmp_path / "q.jsonl", [{"id": "1", "question": "A?"}])
    assert failures(judge(jsonl(tmp_path / "out.jsonl", [line("1", "A?", "x", "a")]), questions), 5) == []


def test_a_gold_passage_has_its_rank_and_tools(tmp_path: Path) -> None:
    record = line("1", "A?", "x", "")
    record["passages"] = [
        {"document": "b", "title": "B", "sources": ["walk", "search"]},
        {"document": "c", "sources": ["walk"]},
        {"document": "a", "title": "A", "sources": ["search"]},
        {"document": "a", "title": "A", "sources": ["walk"]},
    ]
    found = failed(tmp_path, {"supporting": ["a", "b", "d", "a"], "answers": ["x"]}, record)
    assert [(one.document, one.title, one.rank, one.tools) for one in found.passages] == [
        ("a", "A", 3, ("search",)), ("b", "B", 1, ("walk", "search")), ("d", "", None, ()),
    ]  # fmt: skip
    assert (found.found, found.tools, found.answer_rank) == (4, ("walk", "search"), None)
    assert losses(found) == {"a": Lost("no-chain"), "b": None, "d": Lost("no-chain")}


def test_the_hop_that_rests_on_no_gold_passage_has_lost_the_missed_one(tmp_path: Path) -> None:
    first, second = hop("x", "in", "y", 1), hop("y", "in", "?z", None, "unresolved")
    gold = {"supporting": ["a", "b"]}
    found = failed(tmp_path, gold, chained("acd", first, second))
    assert losses(found) == {"a": None, "b": Lost("no-evidence", 2)}
    assert [(one.number, one.document, one.text) for one in found.hops] == [
        (1, "a", "x — in → y"),
        (2, "", "y — in → ?z"),
    ]
    # The second hop took c.
    found = failed(tmp_path, gold, chained("acd", first, hop("y", "in", "z", 2)))
    assert losses(found)["b"] == Lost("other-passage", 2)
    # It rests on b, which stands at rank 3 of 2.
    found = failed(tmp_path, gold, chained("acb", first, hop("y", "in", "z", 3)))
    assert losses(found)["b"] == Lost("ranked-low", 2)
    # Both hops rest on a.
    found = failed(tmp_path, gold, chained("acd", first, hop("y", "in", "z", 1)))
    assert losses(found)["b"] == Lost("no-hop")


def test_of_several_open_hops_the_one_with_most_words_of_the_passage_is_named(tmp_path: Path) -> None:
    record = chained("cdb", hop("Lindholm", "mayor", "?who", None), hop("clocks of Karsk", "about", "?what", None))
    record["passages"][2]["title"] = "The clocks of Karsk"
    # "clocks" and "karsk" of "clocks karsk about" stand in b's title, nothing of "lindholm mayor".
    assert losses(failed(tmp_path, {"supporting": ["b"]}, record)) == {"b": Lost("no-evidence", 2, sure=False)}
    # Two passages cannot both be sure to be the one that a single hop lost.
    one_hop = chained("cde", hop("Lindholm", "mayor", "?who", None))
    assert losses(failed(tmp_path, {"supporting": ["a", "b"]}, one_hop)) == {
        "a": Lost("no-evidence", 1, sure=False), "b": Lost("no-evidence", 1, sure=False),
    }  # fmt: skip
    # Of a passage without a known text: the first.
    assert losses(failed(tmp_path, {"supporting": ["x"]}, record)) == {"x": Lost("no-evidence", 1, sure=False)}


def test_a_hop_that_two_chains_share_is_one(tmp_path: Path) -> None:
    shared = hop("x", "in", "y", 1)
    record = chained("acd", shared) | {"chains": [{"links": [shared]}, {"links": [shared, hop("y", "in", "?", None)]}]}
    assert [one.number for one in failed(tmp_path, {"supporting": ["b"]}, record).hops] == [1, 2]


def test_the_knowledge_base_tells_of_passages_that_were_not_found(tmp_path: Path, small: KnowledgeBase) -> None:
    (film,) = small.document_passages("glasswork")
    (harbour,) = small.document_passages("tarnow")
    gold = {
        "id": "1",
        "question": QUESTION,
        "answers": ["Tarnow Bay"],
        "supporting": ["glasswork", "valdis", "nowhere"],
    }
    questions = jsonl(tmp_path / "q.jsonl", [gold])
    links = [
        hop("The Glass Harbour", "director", "Irena Valdis", film.id),
        hop("Irena Valdis", "born in", "?place", None),
    ]
    record = line("1", QUESTION, "", "", found=False, chains=[{"links": links}])
    record["passages"] = [{"id": one.id, "document": one.document, "title": one.title} for one in (film, harbour)]
    (found,) = failures(judge(jsonl(tmp_path / "out.jsonl", [record]), questions), 5, small)
    passages = {one.document: one for one in found.passages}
    assert passages["valdis"].title == "Irena Valdis"
    assert passages["valdis"].lost == Lost("no-evidence", 2)
    assert "Irena Valdis" in [name for name, _ in passages["valdis"].bridges or ()]
    assert (passages["nowhere"].lost, passages["nowhere"].bridges) == (Lost("no-document"), None)
    # Not in the film's text, but in the one on the port.
    assert found.answer_rank == 2
    assert (counts_of_answers([found], 2), counts_of_answers([found], 1), counts_of_answers([], 1)) == (
        (1, 1),
        (0, 1),
        None,
    )


def test_a_gold_passage_that_no_name_leads_to(tmp_path: Path, small: KnowledgeBase) -> None:
    questions = jsonl(tmp_path / "q.jsonl", [{"id": "1", "question": "A?", "supporting": ["clock", "karsk"]}])
    out = jsonl(tmp_path / "out.jsonl", [line("1", "A?", "", "", found=False)])
    (found,) = failures(judge(out, questions), 5, small)
    assert [one.bridges for one in found.passages] == [(), ()]
    assert "2 of them share no name" in "\n".join(one.text for one in failure_lines([found], 5, 1))


def test_failures_as_text(tmp_path: Path) -> None:
    first, second = hop("x", "in", "y", 1), hop("y", "in", "?z", None, "unresolved")
    found = failed(
        tmp_path, {"supporting": ["a", "b"], "answers": ["Karsk"], "type": "bridge"}, chained("acd", first, second)
    )
    text = [" " * one.indent + one.text for one in failure_lines([found], 2, 3)]
    assert text == [
        "1 · bridge · never-found",
        "  A?",
        "  gold   Karsk",
        "  given  none: not said why",
        "  ✓ a about a · rank 1",
        "  ✗ b · not among the 3 found",
        "      lost   by hop 2, which found no passage",
        "  1 ● x — in → y  ⟵ a about a (gold)",
        "  2 ○ y — in → ?z  ⟵ no passage",
        "",
        "1 of 3 questions failed, at k = 2",
        "cause         questions    right  inexact    wrong  refused",
        "never-found           1                                   1",
        "  a gold passage is not among those found",
        "",
        "1 gold passages missed; what the chain did",
        "no-evidence           1  a hop found no passage",
    ]


def test_no_line_is_wider_than_asked_and_hostile_text_is_plain(tmp_path: Path) -> None:
    record = chained("acd", hop("long " * 40, "in\x1b[31m\n", "name " * 40, 2))
    found = failed(tmp_path, {"supporting": ["a\x1b]0;t\x07" * 9, "b" * 90], "answers": ["word " * 60] * 5}, record)
    lines = failure_lines([found], 2, 1, 80)
    assert max(one.indent + len(one.text) for one in lines) <= 80 + len(" · not among the 3 found")
    assert not any(mark in one.text for one in lines for mark in "\x1b\x07\n")


def test_causes_of_the_option_are_those_there_are() -> None:
    assert tuple(CAUSES) == OPTION
