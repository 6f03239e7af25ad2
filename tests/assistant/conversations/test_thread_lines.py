from __future__ import annotations

import pytest

from assistant.agent.replying.reply import Chain, Citation, Link, RankedPassage, Reply, ToolUse
from assistant.agent.replying.trace import Trace
from assistant.conversations.threads.lines import chain_lines, passage_lines, shown_passages, thread_lines, tools_lines
from assistant.conversations.threads.marks import Marker
from assistant.shared.rendering import Line

CITY = Link(
    "Uranus",
    "discovered in",
    "Bath",
    7,
    "He found it at Bath in 1781.",
    "recovered",
    1.5,
    planned=("Uranus", "discovered in", "?city"),
    unknown="?city",
    value="Bath",
    rivals=("Slough", "Hanover"),
)
NOVEL = Link(
    "?novel",
    "written in",
    "Bath",
    state="unresolved",
    planned=("?novel", "written in", "?city"),
    unknown="?novel",
    rivals=("Emma",),
    nearest=(8, 7, 99),
)
REPLY = Reply(
    "Which novel was written where Uranus was discovered?",
    "",
    found=False,
    missing="which novel",
    citations=(Citation(2, 7, "d7", "William Herschel", quote="He found it at Bath in 1781."),),
    passages=(
        RankedPassage(
            8, "d8", "Mary Shelley", "She wrote it at Bath.", "shelley.md", None, 0.5, ("dense", "walk"), (3, 1)
        ),
        RankedPassage(
            7, "d7", "William Herschel", "An organist. He found it at Bath in 1781.", "h.pdf", 3, 0.9, ("walk",)
        ),
    ),
    chains=(Chain((CITY, NOVEL)),),
    tools=(ToolUse("walk", 0.0304, "2 passages"), ToolUse("entity_lookup", 1.2, "no such entity", failed=True)),
    trace=Trace(
        groups=("city: Bath",), graphs=("a b c",), paths=("A -[b]-> C",), revived=("A -[b]-> D",), kept=3, pruned=9
    ),
)


def texts(lines: list[Line]) -> list[str]:
    return [" " * line.indent + line.text for line in lines]


def test_each_hop_tells_how_it_was_planned_bound_and_recovered_or_what_is_nearest_to_it() -> None:
    assert texts(thread_lines(REPLY)) == [
        "∅ missing: which novel   ○ none",
        "",
        "1 ◐ recovered · about 1.5 candidates · [2]",
        "    Uranus — discovered in → Bath",
        "    planned: Uranus — discovered in → ?city · ?city = Bath · not Slough, Hanover",
        "    “He found it at Bath in 1781.”",
        "",
        "2 ○ unresolved",
        "    ?novel — written in → Bath",
        "    planned: ?novel — written in → ?city · perhaps Emma",
        "    no passage says so; nearest: Mary Shelley; [2] William Herschel",
        "",
    ]


def test_a_short_chain_leaves_out_what_was_planned() -> None:
    assert texts(chain_lines(REPLY.chains[0], {7: 2}))[:4] == [
        "1 ◐ recovered · about 1.5 candidates · [2]",
        "    Uranus — discovered in → Bath",
        "    “He found it at Bath in 1781.”",
        "",
    ]


def test_a_thread_ends_in_the_answer_and_several_chains_are_counted() -> None:
    two = thread_lines(Reply("q", "x", chains=(Chain((Link("A", "b", "C"),)), Chain(()))))
    assert texts(two) == ["chain 1 of 2", "1 ● resolved", "    A — b → C", "", "chain 2 of 2", "⇒ x   ◐ likely"]
    none = thread_lines(Reply("q", "", found=False, missing="a date"))
    assert texts(none) == ["∅ missing: a date   ○ none", "", "No chain of facts; see Passages."]


def test_the_sentence_of_a_hop_has_its_names_marked() -> None:
    sentence = next(line for line in thread_lines(REPLY) if "“" in line.text)
    assert ("Bath", "strong") in sentence.parts


def test_cited_passages_come_first_with_what_counts_marked() -> None:
    shown = [(number, passage_lines(passage, number, marker)) for number, passage, marker in shown_passages(REPLY)]
    assert [number for number, _ in shown] == [2, None]
    assert texts(shown[0][1])[:2] == ["[2] William Herschel", "h.pdf · p. 3 · d7 · relevance 0.9 · walk"]
    assert shown[0][1][2].parts == (("An organist. ", ""), ("He found it at Bath in 1781.", "mark"))
    assert texts(shown[1][1])[:2] == ["· Mary Shelley", "shelley.md · d8 · relevance 0.5 · dense 3, walk 1"]
    assert shown[1][1][2].parts == (("She wrote it at ", ""), ("Bath", "strong"), (".", ""))
    assert len(shown_passages(REPLY, limit=0)) == 1


def test_the_tools_tell_what_they_did_found_pruned_and_brought_back() -> None:
    assert texts(tools_lines(REPLY)) == [
        "✓ walk  30 ms  2 passages",
        "✗ entity_lookup  1.2 s  failed: no such entity",
        "",
        "found by (place in what that tool found)",
        "[2] William Herschel  walk",
        "· Mary Shelley  dense 3, walk 1",
        "",
        "paths: 3 things on those kept, 9 pruned",
        "  A -[b]-> C",
        "↺ brought back: A -[b]-> D",
        "",
        "what the concepts may mean",
        "  city: Bath",
        "",
        "evidence graphs",
        "  a b c",
    ]
    assert texts(tools_lines(Reply("q", "x"))) == ["No tool was called."]


@pytest.mark.parametrize(
    ("text", "quotes", "names", "marked"),
    [
        ("a QUOTE b", ["quote"], [], [("QUOTE", "mark")]),
        ("Ann met Anna", [], ["Ann"], [("Ann", "strong")]),
        ("Ann Lee and Ann", [], ["Ann", "Ann Lee"], [("Ann Lee", "strong"), ("Ann", "strong")]),
        ("in Ann Lee's day", ["Ann Lee's day"], ["Ann Lee"], [("Ann Lee's day", "mark")]),
        ("the novel of 1818", [], ["novel", "1818", "?x", ""], [("1818", "strong")]),
        ("宮崎駿の映画、宮崎駿", [], ["宮崎駿"], [("宮崎駿", "strong")]),
        ("x (a+)+ y", [], ["(A+)+"], [("(a+)+", "strong")]),
        ("İstanbul", ["istanbul"], [], []),
        ("", ["q"], ["A"], []),
    ],
)
def test_quotes_and_whole_names_are_marked(
    text: str, quotes: list[str], names: list[str], marked: list[tuple[str, str]]
) -> None:
    parts = Marker(quotes, names).parts(text)
    assert [part for part in parts if part[1]] == marked
    assert "".join(part for part, _ in parts) == text


def test_the_lines_of_a_passage_are_lines_and_a_quote_may_go_over_two() -> None:
    text = "## Lungworm\n\n- Treat the hedgehog\n- with Panacur"
    shown = passage_lines(RankedPassage(7, "d7", "Vet", text), 1, Marker(["Treat the hedgehog - with"], ["Panacur"]))
    assert texts(shown)[2:] == ["## Lungworm", "- Treat the hedgehog", "- with Panacur"]
    assert [part for line in shown[2:] for part in line.parts if part[1]] == [
        ("Treat the hedgehog", "mark"),
        ("- with", "mark"),
        ("Panacur", "strong"),
    ]
