from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from assistant.agent.replying.reply import Chain, Citation, Link, LinkState, RankedPassage, Reply
from assistant.agent.replying.trace import Fact, Trace
from assistant.conversations.threads.answer_graph import graph_of
from assistant.conversations.threads.cells import fitted, padded, width_of, wrapped
from assistant.conversations.threads.drawing import draw_reply


def hop(head: str, relation: str, tail: str, state: LinkState = "resolved", passage: int | None = None) -> Link:
    return Link(head, relation, tail, passage, state=state)


def reply(*chains: Sequence[Link], facts: Sequence[Fact] = (), answer: str = "") -> Reply:
    return Reply(
        "q",
        answer,
        citations=(Citation(1, 7, "d7", "t7"), Citation(2, 9, "d9", "t9")),
        passages=(RankedPassage(7, "d7", "t7"), RankedPassage(9, "d9", "t9"), RankedPassage(8, "d8", "t8")),
        chains=tuple(Chain(tuple(links)) for links in chains),
        trace=Trace(tuple(facts)),
    )


def drawn(one: Reply, width: int) -> str:
    """The drawing without what its marks mean, with a line break at either end."""
    lines = [line.text.rstrip() for line in draw_reply(one, width)]
    return "\n" + "\n".join(lines[:-2]) + "\n"


FILM = reply(
    [
        hop("The Glass Harbour", "director", "Irena Valdis", "resolved", 7),
        hop("Irena Valdis", "born in", "Tarnow Bay", "recovered", 9),
    ],
    facts=[Fact("Irena Valdis", "died on", "2 June 1970", 2), Fact("Oskar Valdis", "daughter", "Irena Valdis", 3)],
    answer="Tarnow Bay",
)


def test_two_hops_from_left_to_right() -> None:
    assert (
        drawn(FILM, 100)
        == """
╭───────────────────╮                     ╭──────────────╮                    ╭ answer ────╮
│ The Glass Harbour ├── ● director [1] ──▶│ Irena Valdis ├── ◐ born in [2] ──▶│ Tarnow Bay │
╰───────────────────╯                     ╰─┬────────────╯                    ╰────────────╯
                                            ├─ died on ▸ 2 June 1970 [2]
                                            ╰─ daughter ◂ Oskar Valdis
"""
    )


def test_two_hops_from_top_to_bottom() -> None:
    assert (
        drawn(FILM, 60)
        == """
╭───────────────────╮
│ The Glass Harbour │
╰─┬─────────────────╯
  │ ● director [1]
  ▼
╭──────────────╮
│ Irena Valdis │
╰─┬────────────╯
  ├╌ died on ▸ 2 June 1970 [2]
  ├╌ daughter ◂ Oskar Valdis
  │ ◐ born in [2]
  ▼
╭────────────╮
│ Tarnow Bay │ ◀ answer
╰────────────╯
"""
    )


def test_two_hops_without_boxes() -> None:
    assert (
        drawn(FILM, 30)
        == """
● The Glass Harbour
│ ● director [1]
▼
● Irena Valdis
├╌ died on ▸ 2 June 1970 [2]
├╌ daughter ◂ Oskar Valdis
│ ◐ born in [2]
▼
● Tarnow Bay ◀ answer
"""
    )


def test_a_comparison_stands_side_by_side_where_it_has_room_and_one_above_the_other_where_not() -> None:
    both = reply(
        [hop("Brunel", "born", "1806", "resolved", 7)],
        [hop("Roebling", "born", "12 June 1806", "recovered", 9)],
        answer="Brunel",
    )
    assert (
        drawn(both, 70)
        == """
╭ answer ╮                 ╭──────╮
│ Brunel ├── ● born [1] ──▶│ 1806 │
╰────────╯                 ╰──────╯

╭──────────╮                 ╭──────────────╮
│ Roebling ├── ◐ born [2] ──▶│ 12 June 1806 │
╰──────────╯                 ╰──────────────╯
"""
    )
    long = reply(
        [hop("Isambard Brunel", "was born in April", "1806")], [hop("John A. Roebling", "was born on", "12 June 1806")]
    )
    assert (
        drawn(long, 48)
        == """
╭─────────────────╮        ╭──────────────────╮
│ Isambard Brunel │        │ John A. Roebling │
╰─┬───────────────╯        ╰─┬────────────────╯
  │ ● was born in April      │ ● was born on
  ▼                          ▼
╭──────╮                   ╭──────────────╮
│ 1806 │                   │ 12 June 1806 │
╰──────╯                   ╰──────────────╯
"""
    )


def test_an_open_hop_shows_its_unknown() -> None:
    left_open = reply([hop("HMS Erebus", "assistant surgeon in 1845", "?surgeon", "unresolved")])
    assert (
        drawn(left_open, 50)
        == """
╭────────────╮
│ HMS Erebus │
╰─┬──────────╯
  │ ○ assistant surgeon in 1845
  ▼
╭╌╌╌╌╌╌╌╌╌╌╮
┆ ?surgeon ┆
╰╌╌╌╌╌╌╌╌╌╌╯
"""
    )


def test_a_hop_against_its_relation_points_back() -> None:
    found = replace(hop("Tacoma Narrows Bridge", "designer", "Leon Moisseiff"), value="Tacoma Narrows Bridge")
    assert (
        drawn(reply([found]), 80)
        == """
╭────────────────╮                 ╭───────────────────────╮
│ Leon Moisseiff ├─◀ ● designer ───┤ Tacoma Narrows Bridge │
╰────────────────╯                 ╰───────────────────────╯
"""
    )


def test_two_things_that_lead_to_one_meet_and_one_that_leads_to_two_branches() -> None:
    drew = replace(hop("Bob", "drew", "Book"), planned=("Bob", "drew", "?book"))
    meeting = reply([hop("Ann", "wrote", "Book"), drew, hop("Book", "year", "1931")])
    assert (
        drawn(meeting, 80)
        == """
╭─────╮               ╭──────╮             ╭──────╮
│ Ann ├── ● wrote ─┬─▶│ Book ├── ● year ──▶│ 1931 │
╰─────╯            │  ╰──────╯             ╰──────╯
                   │
╭─────╮            │
│ Bob ├── ● drew ──╯
╰─────╯
"""
    )
    branching = reply([hop("Book", "year", "1931"), hop("Book", "author", "Ann")])
    assert (
        drawn(branching, 80)
        == """
╭──────╮               ╭──────╮
│ Book ├┬─ ● year ────▶│ 1931 │
╰──────╯│              ╰──────╯
        │
        │              ╭─────╮
        ╰─ ● author ──▶│ Ann │
                       ╰─────╯
"""
    )
    assert (
        drawn(branching, 25)
        == """
● Book
├─ ● year ▼
│  ● 1931
╰─ ● author ▼
   ● Ann
"""
    )


def test_a_circle_ends_in_a_name() -> None:
    circle = reply([hop("Ada", "father", "Byron"), hop("Byron", "wife", "Annabella"), hop("Annabella", "child", "Ada")])
    assert (
        drawn(circle, 30)
        == """
● Ada
│ ● father
▼
● Byron
│ ● wife
▼
● Annabella
╰─ ● child ▸ Ada
"""
    )


def test_wide_and_combining_characters_keep_their_columns() -> None:
    wide = reply([hop("千と千尋の神隠し", "監督", "宮崎駿"), hop("宮崎駿", "né", "Toky\u014d e\u0301")])
    rows = [line.text for line in draw_reply(wide, 100)][:3]
    assert {width_of(row.rstrip()) for row in rows} == {width_of(rows[0])}
    assert rows[1].startswith("│ 千と千尋の神隠し ├")
    assert drawn(wide, 20).splitlines()[1:4] == ["● 千と千尋の神隠し", "│ ● 監督", "▼"]


def test_without_a_chain_facts_stand_around_what_most_of_them_are_of() -> None:
    around = reply(facts=[Fact("Ann", "wrote", "Book", 1), Fact("Cy", "met", "Ann")])
    assert [line.text for line in draw_reply(around, 60)] == [
        "╭─────╮",
        "│ Ann │",
        "╰─┬───╯",
        "  ├╌ wrote ▸ Book [1]",
        "  ╰╌ met ◂ Cy",
    ]
    assert [line.text for line in draw_reply(reply(), 60)] == ["No facts stand around this answer; see Passages."]


HOSTILE = [
    "",
    "?",
    "?" * 99,
    "x" * 5000,
    "[/foo]",
    "[bold]$x[/]",
    "\x1b[31mred\x1b]0;t\x07",
    "a\nb\tc",
    "\u202eabc",
    "\u0301",
    "\u200b",
    "👨\u200d👩\u200d👧" * 30,
    "日本" * 300,
    "\ud83d",
    "│├▶",
    "```",
    "<svg onload=x>",
]


def random_reply(seed: int) -> Reply:
    chosen = Random(seed)
    names = [f"N{number}" for number in range(6)] + HOSTILE
    states: list[LinkState] = ["resolved", "recovered", "unresolved"]
    links = [
        [
            hop(*chosen.choices(names, k=3), chosen.choice(states), chosen.choice([7, 9, None]))
            for _ in range(chosen.randint(0, 9))
        ]
        for _ in range(chosen.randint(0, 3))
    ]
    facts = [Fact(*chosen.choices(names, k=3), chosen.randint(-2, 9)) for _ in range(chosen.randint(0, 40))]
    return reply(*links, facts=facts, answer=chosen.choice(names))


@pytest.mark.parametrize("seed", range(60))
def test_any_graph_is_drawn_within_its_width_the_same_each_time(seed: int) -> None:
    for width in (40, 44, 80, 200):
        lines = draw_reply(random_reply(seed), width)
        assert lines == draw_reply(random_reply(seed), width)
        assert max(width_of(line.text) for line in lines) <= width
        shown = "\n".join(line.text for line in lines)
        assert shown.isprintable() or set(shown) & set("\x1b\x07\t\u202e\ud83d") == set()


def test_at_most_thirty_things_are_drawn_the_thread_first() -> None:
    links = [hop(f"N{number}", "next", f"N{number + 1}") for number in range(10)]
    graph = graph_of(reply(links, facts=[Fact("N0", "near", f"F{number}") for number in range(90)]))
    leaves = sum(map(len, graph.leaves.values()))
    assert (len(graph.nodes), leaves) == (11, 19)
    assert len(graph_of(reply([hop("A", "b", f"N{number}") for number in range(90)])).nodes) == 30


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("x", 0, ""),
        ("\u0301a", 9, "◌\u0301a"),
    ],
)
def test_text_is_cut_to_cells(text: str, width: int, shown: str) -> None:
    assert fitted(text, width) == shown
    assert width_of(padded(text, width)) == width


def test_names_are_wrapped_at_spaces() -> None:
    assert wrapped("The Glass Harbour of the sea", 10, 3) == ["The Glass", "Harbour of", "the sea"]
    assert wrapped("The Glass Harbour of the sea", 10, 2) == ["The Glass", "Harbour o…"]
    assert wrapped("aaaaaaaa", 5, 2) == ["aaaaa", "aaa"]
