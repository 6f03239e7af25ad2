from __future__ import annotations

from assistant.recall import Recall


def test_recall_walks_back_to_the_oldest_and_forward_to_the_draft() -> None:
    recall = Recall()
    recall.add("first")
    recall.add("second")
    assert recall.older("draft") == "second"
    assert recall.older("second") == "first"
    assert recall.older("first") == "first"
    assert recall.newer("first") == "second"
    assert recall.newer("second") == "draft"
    assert (recall.newer("draft"), recall.walking) == ("draft", False)


def test_recall_of_nothing_keeps_the_draft() -> None:
    recall = Recall()
    assert (recall.older("draft"), recall.newer("draft"), recall.walking) == ("draft", "draft", False)
