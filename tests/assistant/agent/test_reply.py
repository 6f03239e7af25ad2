from __future__ import annotations

import json
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from assistant.agent.replying.chains import of_somebody
from assistant.agent.replying.reply import SOURCES, Chain, Citation, Closest, Link, RankedPassage, Reply, ToolUse, Usage
from kb.errors import ClewError
from tools.reading.certainty import Certainty

FULL = Reply(
    question="When did Lothair's mother die?",
    answer="20 March 851",
    explanation="Lothair was a son of Ermengarde [1], who died in 851 [2].",
    citations=(Citation(1, 7, "d7", "Lothair II", "kings.pdf", 3, "a son"), Citation(2, 9, "d9", "Ermengarde")),
    passages=(
        RankedPassage(7, "d7", "Lothair II", "Lothair, a son of …", "kings.pdf", 3, 0.9, ("dense", "words")),
        RankedPassage(9, "d9", "Ermengarde", "Ermengarde (d. 851)", "queens.md", None, 0.5, ("dense",)),
    ),
    chains=(Chain((Link("Lothair II", "mother", "Ermengarde", 7, "a son of …", "recovered", 1.5),)),),
    tools=(ToolUse("passage_search", 0.25),),
    model="offline",
    usage=Usage(2, 30, 4),
    seconds=0.123456,
    certainty="sure",
    confidence=0.97,
)
REFUSED = Reply(
    question="When was Ermengarde crowned?",
    answer="",
    found=False,
    missing="the date of coronation of Ermengarde",
    citations=(Citation(1, 7, "d7", "Lothair II", "kings.pdf", 3),),
    closest=(
        Closest(2, 9, "d9", "Ermengarde", "queens.md", None, "Ermengarde was crowned at *Reims*."),
        Closest(1, 7, "d7", "Lothair II", "kings.pdf", 3, "Lothair was crowned in 851."),
        Closest(2, 9, "d9", "Ermengarde", "queens.md", None, "She had three sons."),
    ),
)


def links_and_more(markdown: str) -> set[str]:
    """The kinds of Markdown that could mislead: anything but paragraphs, text, line breaks and bold."""
    tokens = MarkdownIt("gfm-like").parse(markdown)
    inline = [child for token in tokens for child in token.children or ()]
    plain = {"paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak", "strong_open"}
    return {token.type for token in [*tokens, *inline]} - plain - {"strong_close"}


def test_json_says_of_small_talk_that_it_is_and_nothing_of_certainty() -> None:
    told = Reply("Thanks", "Glad to help.", certainty="sure", confidence=0.97, is_talk=True).to_json()
    assert (told["is_talk"], told["found"], told["certainty"], told["confidence"]) == (True, True, "none", 0.0)


def test_markdown_has_answer_explanation_and_numbered_sources() -> None:
    assert FULL.markdown() == (
        "**20 March 851**   ● sure\n\n"
        "Lothair was a son of Ermengarde [1], who died in 851 [2].\n\n"
        "[1] Lothair II · kings.pdf · p. 3  \n"
        "[2] Ermengarde"
    )


def test_markdown_of_not_found_says_what_is_missing() -> None:
    reply = Reply("q", "", found=False, missing="the date of *death*")
    assert reply.markdown() == "**Not found in this knowledge base.**   ○ none\n\nMissing: the date of \\*death\\*"


@pytest.mark.parametrize(("certainty", "mark"), [("sure", "● sure"), ("likely", "◐ likely")])
def test_the_mark_stands_behind_the_answer(certainty: Certainty, mark: str) -> None:
    reply = Reply("q", "Bath", "He lived there.", certainty=certainty)
    assert reply.markdown().splitlines()[0] == f"**Bath**   {mark}"
    assert reply.markdown(with_mark=False).splitlines()[0] == "**Bath**"


def test_markdown_of_not_found_quotes_what_is_closest_and_names_each_source_once() -> None:
    assert REFUSED.markdown().split("\n\n")[2:] == [
        "Closest to the question:",
        "- “Ermengarde was crowned at \\*Reims\\*.” [2]\n"
        "- “Lothair was crowned in 851.” [1]\n"
        "- “She had three sons.” [2]",
        "[1] Lothair II · kings.pdf · p. 3  \n[2] Ermengarde · queens.md",
    ]
    assert [(one.number, one.quote) for one in REFUSED.sources] == [(1, ""), (2, "Ermengarde was crowned at *Reims*.")]


def test_an_answer_that_is_given_is_never_none_and_a_refusal_always() -> None:
    assert Reply("q", "x").certainty == "likely"
    assert Reply("q", "", found=False, certainty="sure").certainty == "none"


def test_the_explanation_in_json_is_plain_text() -> None:
    assert Reply("q", "x", "1945\\-46 was \\<long\\> [1].").to_json()["explanation"] == "1945-46 was <long> [1]."


def test_markdown_of_an_empty_partial_reply_is_empty() -> None:
    assert Reply("q", "", found=False, partial=True).markdown() == ""


@pytest.mark.parametrize(
    "title",
    [
        "[click](http://evil.example)",
        "![pixel](http://evil.example/p.png)",
        "<script>alert(1)</script> <b>bold</b>",
        "one\n\n# heading\n\n- item",
        "**strong** _em_ `code` ~~gone~~",
        "http://evil.example www.evil.example me@evil.example",
        "a\n[1]: http://evil.example",
        "back\\slash \\[x](y)",
        "&lt;b&gt; &#60;",
    ],
)
def test_untrusted_text_injects_no_markdown(title: str) -> None:
    reply = Reply("q", title, missing=title, found=False, citations=(Citation(1, 1, title, title, title, 1),))
    answered = Reply("q", title, citations=reply.citations)
    assert links_and_more(reply.markdown()) == set()
    assert links_and_more(answered.markdown()) == set()


def test_escaped_text_reads_as_written() -> None:
    html = MarkdownIt().renderInline(Reply("q", "5 * 3_000 [sic] &amp; x").markdown(with_mark=False))
    assert html == "<strong>5 * 3_000 [sic] &amp;amp; x</strong>"


def test_json_is_a_line_of_a_results_file() -> None:
    line = FULL.to_json("q-1")
    assert list(line) == [
        *("id", "question", "answer", "found", "certainty", "confidence", "is_sentence", "is_talk"),
        *("missing", "explanation", "citations"),
        *("closest", "passages", "chains", "tools", "model", "usage", "seconds", "partial", "notes", "struck"),
        "error",
    ]
    assert line["id"] == "q-1"
    assert line["passages"][0] == {
        "id": 7,
        "document": "d7",
        "title": "Lothair II",
        "score": 0.9,
        "sources": ["dense", "words"],
    }
    assert line["tools"] == [{"name": "passage_search", "seconds": 0.25}]
    assert line["usage"] == {"requests": 2, "input_tokens": 30, "output_tokens": 4, "cost": None}
    assert (line["seconds"], line["error"]) == (0.1235, None)
    assert (line["certainty"], line["confidence"], line["closest"]) == ("sure", 0.97, [])
    assert json.loads(json.dumps(line)) == line | {"citations": json.loads(json.dumps(line["citations"]))}


def test_a_record_gives_back_an_equal_reply() -> None:
    assert Reply.from_json(json.loads(json.dumps(FULL.to_record()))) == FULL


def test_a_refusal_gives_back_an_equal_reply() -> None:
    assert Reply.from_json(json.loads(json.dumps(REFUSED.to_record()))) == REFUSED
    line = json.loads(json.dumps(REFUSED.to_json()))
    assert Reply.from_json(line).closest == REFUSED.closest
    assert [one["number"] for one in line["closest"]] == [2, 1, 2]


@pytest.mark.parametrize(("found", "certainty"), [(True, "likely"), (False, "none")])
def test_a_record_from_before_answers_were_marked_still_loads(found: bool, certainty: str) -> None:
    record = json.loads(json.dumps(replace(FULL, found=found).to_record()))
    del record["certainty"], record["confidence"], record["closest"]
    reply = Reply.from_json(record)
    assert (reply.certainty, reply.confidence, reply.closest) == (certainty, 0.0, ())


def test_a_record_from_before_there_were_traces_still_loads() -> None:
    record = json.loads(json.dumps(FULL.to_record()))
    del record["trace"]
    del record["tools"][0]["summary"], record["tools"][0]["failed"]
    for passage in record["passages"]:
        del passage["ranks"]
    for name in ("planned", "unknown", "value", "rivals", "nearest"):
        del record["chains"][0]["links"][0][name]
    assert Reply.from_json(record) == FULL


def test_a_results_line_gives_back_a_reply_without_texts() -> None:
    reply = Reply.from_json(json.loads(json.dumps(FULL.to_json("q-1"))))
    assert (reply.answer, reply.citations, reply.chains) == (FULL.answer, FULL.citations, FULL.chains)
    assert [passage.text for passage in reply.passages] == ["", ""]


@pytest.mark.parametrize("record", [{}, {"question": "q"}, {"question": 3, "answer": ""}, {"answer": []}])
def test_a_bad_record_is_one_line_of_error(record: dict[str, object]) -> None:
    with pytest.raises(ClewError) as caught:
        Reply.from_json(record)
    assert str(caught.value).startswith("not a reply: ")
    assert "\n" not in str(caught.value)


def test_what_is_said_of_a_mere_pronoun_is_no_link_of_a_thread() -> None:
    mother = Link("Lothair II", "mother", "Ermengarde", 7, "a son of …")
    said = (Link("I", "need to install", "C compiler", 7, "x"), Link("Hazelmill", "used by", "you", 7, "x"))
    film = Link("Tommy", "read", "It", 7, "x")
    unread = Link("did the pot washer sprain his arm", "about", "?answer")
    about = Link("Lothair II", "about", "a war", 7, "x")
    thread = (Chain((said[0], mother, film)), Chain(said), Chain((unread,)))
    assert of_somebody((Chain((about, unread)),)) == (Chain((about,)),)
    assert of_somebody(thread) == (Chain((mother, film)),)


def test_of_very_many_sources_a_text_names_the_first_and_says_how_many_are_left() -> None:
    cited = tuple(Citation(at, at, f"d{at}", f"Row {at}") for at in range(1, SOURCES + 3))
    told = Reply("q", "45.00", "All of them.", citations=cited).markdown().splitlines()
    assert told[-2:] == [f"[{SOURCES}] Row {SOURCES}  ", "… and 2 more"]
    assert "more" not in Reply("q", "45.00", "All.", citations=cited[:SOURCES]).markdown()
