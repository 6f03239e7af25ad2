from __future__ import annotations

import json

import pytest
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, ToolCallPart, ToolCallPartDelta

from assistant.agent.replying.reply import Reply
from assistant.agent.streaming import AnswerStream


def stream(name: str, arguments: str, size: int, into: AnswerStream | None = None) -> list[str]:
    """What comes out when the arguments arrive in pieces of `size` characters."""
    answer = into or AnswerStream()
    texts = [answer.feed(PartStartEvent(index=1, part=ToolCallPart(name, arguments[:size])))]
    for start in range(size, len(arguments), size):
        piece = arguments[start : start + size]
        texts.append(answer.feed(PartDeltaEvent(index=1, delta=ToolCallPartDelta(args_delta=piece))))
    return texts


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_pieces_join_to_the_reply_that_ends_the_question(size: int) -> None:
    output = {"answer": "Ada *Lovelace*", "explanation": "She wrote “notes” [1].\n\nAnd é\u4e2d [2].", "cited": [1, 2]}
    reply = Reply("", output["answer"], output["explanation"])  # type: ignore[arg-type]
    texts = stream("answer", json.dumps(output), size)
    assert "".join(texts) == reply.markdown(with_mark=False)
    assert size == 1000 or sum(bool(text) for text in texts) > 3


def test_not_found_streams_what_is_missing() -> None:
    texts = stream("not_found", json.dumps({"missing": "the year", "cited": []}), 4)
    assert "".join(texts) == Reply("", "", found=False, missing="the year").markdown(with_mark=False)


def test_other_calls_and_text_are_not_the_answer() -> None:
    answer = AnswerStream()
    assert answer.feed(PartStartEvent(index=0, part=TextPart("Let me think"))) == ""
    assert stream("passage_search", '{"answer": "x", "explanation": "y"}', 5, answer) == [""] * 7


def test_an_answer_taken_back_goes_on_only_where_it_agrees() -> None:
    answer = AnswerStream()
    first = "".join(stream("answer", json.dumps({"answer": "Ada", "explanation": "She did [9]"}), 6, answer))
    assert "".join(stream("answer", json.dumps({"answer": "Eve", "explanation": "She did [1]"}), 6, answer)) == ""
    again = {"answer": "Ada", "explanation": "She did [9] and more"}
    assert first + "".join(stream("answer", json.dumps(again), 6, answer)) == Reply(
        "", "Ada", again["explanation"]
    ).markdown(with_mark=False)


def test_what_is_no_json_gives_nothing() -> None:
    assert "".join(stream("answer", "answer: Ada", 3)) == ""
    assert "".join(stream("answer", "[1, 2]", 3)) == ""
