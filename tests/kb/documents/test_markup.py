from __future__ import annotations

from textwrap import dedent

import pytest
from linear import is_linear

from kb.documents.markdown import read_markdown
from kb.documents.web_pages import html_blocks, read_html


def markdown(text: str) -> tuple[str, str]:
    content = read_markdown(dedent(text).encode())
    return content.title, content.text


def html(text: str) -> tuple[str, str]:
    content = read_html(text.encode())
    return content.title, content.text


def test_markdown_becomes_readable_text() -> None:
    title, text = markdown("""\
        # The *Nile*

        Some **bold** and _it_ with [a link](http://x.y "t"), ![an image](a.png)`code <b>`
        on a second line\\
        and a third &amp; \\*stars\\*.

        - one
        - two
          - nested
        3. three

        ```python
        if x:
            y()
        ```

        > quoted

        | Place | Height |
        |-------|--------|
        | *K2*  | 8,611  |

        <details><summary>More</summary><p>inside</p></details>
        <!-- not shown -->

        <http://auto.link> and [ref].

        [ref]: http://example.org
        """)
    assert title == "The Nile"
    assert text.split("\n") == [
        "# The Nile", "",
        "Some bold and it with a link, code <b> on a second line", "and a third & *stars*.", "",
        "- one", "- two", "  - nested", "3. three", "",
        "if x:", "    y()", "",
        "quoted", "",
        "Place: K2; Height: 8,611", "",
        "More", "", "inside", "",
        "http://auto.link and ref.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: 'Front'\ntags: []\n---\n# Head\n\nText", ("Front", "# Head\n\nText")),
        ('+++\ntitle = "Front"\n+++\nText', ("Front", "Text")),
        ("---\ntags: []\n---\n## Head\nText", ("Head", "## Head\n\nText")),
        ("Text\n\nSetext\n===\n", ("Setext", "Text\n\n# Setext")),
        ("No heading\n---text", ("", "No heading ---text")),
        ("", ("", "")),
    ],
)
def test_markdown_title(text: str, expected: tuple[str, str]) -> None:
    assert markdown(text) == expected


def test_html_keeps_blocks_and_drops_boilerplate() -> None:
    title, text = html("""<!DOCTYPE html><html><head><title>Nile - Rivers of the World</title><style>p{}</style>
        <script>var a = "<p>no</p>"</script></head><body>
        <nav><ul><li>Home</li></ul></nav><header>Banner</header><aside>Advert</aside>
        <h1>Nile</h1><p>A   river of <b>Africa</b>
        and&nbsp;more &amp; more.<br>New line</p>
        <div>outer<p>inner</p>tail</div>
        <ul><li><p>one</p></li><li>two<ul><li>nested</li></ul></li></ul>
        <table><tr><th>Length</th><td><p>6,650 km</p></td></tr><tr><td></td><td>Basin</td><td>big</td></tr></table>
        <pre>a
          b</pre><p>x<span>y</span>z<svg><text>drawn</text></svg><!-- said --></p>
        <footer>Imprint</footer></body></html>""")
    assert title == "Nile"
    assert text.split("\n") == [
        "# Nile", "",
        "A river of Africa and more & more.", "New line", "",
        "outer", "", "inner", "", "tail", "",
        "- one", "- two", "  - nested", "",
        "Length: 6,650 km", "Basin | big", "",
        "a", "          b", "",
        "xyz",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<title>Page</title><p>Text", ("Page", "Text")),
        ("<h1>Head</h1><p>Text", ("Head", "# Head\n\nText")),
        ("<title>Page</title><h1>Head</h1>", ("Page", "# Head")),
        ("<header><h1>Head</h1></header><p>Text", ("Head", "Text")),
        ("<p>Text</p>", ("", "Text")),
        ("<?xml version='1.0' encoding='latin-1'?><html><body><p>é</p></body></html>", ("", "é")),
        ("http://example.org", ("", "http://example.org")),
        ("<title><script>alert(1)</script></title><p>T", ("<script>alert(1)</script>", "T")),
        ("<nav>all</nav><script>of it</script>", ("", "")),
        ("", ("", "")),
    ],
)
def test_html_title(text: str, expected: tuple[str, str]) -> None:
    assert html(text) == expected


def test_html_in_the_encoding_that_it_declares() -> None:
    page = "<meta http-equiv='x' content='text/html; charset=windows-1251'><title>Нил</title><p>река"
    content = read_html(page.encode("cp1251"))
    assert (content.title, content.text) == ("Нил", "река")


def test_html_nested_without_end_keeps_its_text() -> None:
    assert html("<div>" * 20_000 + "deep" + "</div>" * 20_000 + "<p>after")[1] == "deep\n\nafter"


@pytest.mark.parametrize("unit", ["<", "<a ", "<!--", "&#", "<b>", "</p>", "<li>x", "<td>", "<!["])
def test_html_takes_linear_time(unit: str) -> None:
    assert is_linear(lambda count: html(unit * count), 10_000)


@pytest.mark.parametrize("unit", ["#", "[", "*a", "> ", "- ", "`", "](", "|", "<", "&", "\\", "a\n"])
def test_markdown_survives_repetition(unit: str) -> None:
    assert is_linear(lambda count: markdown(unit * count), 3_000)


def test_front_matter_stands_as_lines_before_the_text() -> None:
    title, text = markdown(
        "---\ntitle: Tides\nauthor: 'Ana Souza'\ndate: 2025-03-04\ntags: [sea, \"moon\"]\n"
        "see:\n  - [[Harbour|the harbour]]\nempty:\n---\n# Tides\n\nThey rise."
    )
    assert title == "Tides"
    assert text == "Author: Ana Souza\nDate: 2025-03-04\nTags: sea, moon\nSee: the harbour\n\nThey rise."


@pytest.mark.parametrize(
    ("front", "lines"),
    [
        ("description: >\n  Told over\n  two lines", "Description: Told over two lines"),
        ("author:\n  name: Ana Souza\n  e-mail: a@b.org", "Author name: Ana Souza\nAuthor e-mail: a@b.org"),
        ('authors: ["Doe, Jane", x]', "Authors: Doe, Jane, x"),
        ("authors:\n- name: Ana\n- name: Bo", "Authors name: Ana, Bo"),
        ("opens: 9:30\ndraft: no", "Opens: 9:30\nDraft: no"),
        ("note: one: two # three", "Note: one: two # three"),
        ("see: '[[map|the map]]'", "See: the map"),
    ],
)
def test_front_matter_keeps_what_it_says(front: str, lines: str) -> None:
    assert markdown(f"---\n{front}\n---\nText.") == ("", f"{lines}\n\nText.")


@pytest.mark.parametrize("text", ["---\nOne and two.\n\n---\n\nMore.", "---\n\nNote: one.\n\nTwo.\n\n---\n\nMore."])
def test_a_line_across_the_page_at_the_top_begins_no_front_matter(text: str) -> None:
    said = markdown(text)[1]
    assert "wo." in said
    assert said.endswith("More.")


def test_a_wikilink_reads_as_its_words() -> None:
    assert markdown("Ask [[people/ana|Ana]], see [[Tides#Spring]] and ![[map]].")[1] == "Ask Ana, see Tides and map."


def test_brackets_in_code_are_no_wikilink() -> None:
    content = read_markdown(b"Use `[[ -f file ]]` or `[[x|y]]`, see [[map|the *map*]].")
    assert content.text == "Use [[ -f file ]] or [[x|y]], see the map."
    assert [one.target for one in content.links] == ["map"]


def test_a_line_above_a_total_is_no_row() -> None:
    table = "| item | count |\n|---|--:|\n| crate | 12 |\n| lamp | - |\n|---|--:|\n| total | 12 |\n"
    assert markdown(table)[1] == "item: crate; count: 12\nitem: lamp; count: -\nitem: total; count: 12"


@pytest.mark.parametrize(
    "table",
    [
        "| Service | Owner |\n|---|---|\n| Billing | Ana; Tom |\n| Queue | |",
        "<table><thead><tr><th>Service</th><th>Owner</th></tr></thead>"
        "<tr><td>Billing</td><td>Ana; Tom</td></tr><tr><td>Queue</td><td></td></tr></table>",
    ],
)
def test_each_row_of_a_table_repeats_the_header(table: str) -> None:
    read = html if table.startswith("<") else markdown
    assert read(table)[1] == "Service: Billing; Owner: Ana, Tom\nService: Queue"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("Ana<ul><li>x</li><li>y</li></ul>", "Ana, x, y"),
        ("<ul><li><p>x</p></li><li>y</li></ul>", "x, y"),
        ("<h3>Ana</h3>Souza", "Ana Souza"),
        ("<div><p>Ana</p><p>Souza</p></div>", "Ana Souza"),
        ("Ana<br>Souza", "Ana Souza"),
        ("A<b>n</b>a<p>So<i>u</i>za</p>", "Ana Souza"),
        ("<pre>Ana\tS</pre>", "Ana S"),
    ],
)
def test_a_cell_of_a_table_holds_more_than_words(cell: str, said: str) -> None:
    head = "<table><tr><th>Name</th><th>Town</th></tr>"
    assert html(f"{head}<tr><td>{cell}</td><td>Rome</td></tr></table>")[1] == f"Name: {said}; Town: Rome"


def test_text_between_the_cells_of_a_row_is_kept() -> None:
    from bs4 import BeautifulSoup

    row = BeautifulSoup("<table><tr></tr></table>", "html.parser")
    row.table.tr.append("loose")  # type: ignore[union-attr]
    assert [block.text for block in html_blocks(row)] == ["loose"]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<tr><td><h1>Plan</h1><p>One.</p></td><td>Aside.</td></tr>", "# Plan\n\nOne.\n\nAside."),
        ("<tr><td><p>One.</p><ul><li>x</li><li>y</li></ul></td></tr>", "One.\n\n- x\n- y"),
        ("<tr><td>Top.<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>End.</td></tr>",
         "Top.\n\nA: 1; B: 2\n\nEnd."),
    ],
)  # fmt: skip
def test_a_table_that_only_places_things_is_none(page: str, text: str) -> None:
    assert html(f"<table>{page}</table>")[1] == text


@pytest.mark.parametrize(
    ("definitions", "text"),
    [
        ("<dt>Ebb<dd>falling water<dt>Flood:<dd>rising water", "Ebb: falling water\nFlood: rising water"),
        ("<dt>Ebb</dt><dd>\n<p>Falling <b>water</b>.</p><p>Twice.</p></dd>", "Ebb: Falling water.\n\nTwice."),
        ("<dt>-v</dt>\n<dt>--verbose</dt>\n<dd><p>Says more.</dd>", "-v, --verbose: Says more."),
        ("<dt><p>Tides</p></dt><dd><ul><li>ebb<li>flood</ul></dd>", "Tides:\n\n- ebb\n- flood"),
        ("<dt>run<dd><pre>ebb()</pre>", "run:\n\nebb()"),
        ("<dt>Ebb</dt><dd>Falling. <p>Twice.</p> Daily.</dd>", "Ebb: Falling.\n\nTwice.\n\nDaily."),
        ("<dt>Ebb<dd>falling<p>Twice.</p><dd><!-- -->\n<div>going out</div>",
         "Ebb: falling\n\nTwice.\n\nEbb: going out"),
        ("<dt>Ebb<dd>falling<dt><h3>Flood</h3></dt><dd>rising", "Ebb: falling\nFlood: rising"),
        ("<dt>Ebb<dd>falling<dt><img></dt><dd>rising", "Ebb: falling\nrising"),
        ("<dt>Ebb<dd>falling</dl><dl><dd>Twice a day.", "Ebb: falling\nTwice a day."),
        ("<dt>Low</dl><p>and</p><dl><dd>High.", "Low\n\nand\n\nHigh."),
        ("<dt>Ports<dd><table><tr><td>22<td>ssh</table><dt>Host<dd>mill", "Ports:\n\n22: ssh\n\nHost: mill"),
        ("<dt>Tank<dd><dl><dt>Inlet<dd><dl><dt>Depth<dd>4 m</dl></dl>", "- Tank; Inlet:\n\n- Inlet; Depth: 4 m"),
        ("<dt>Tank<dd><dl><dt>Depth<dd>4 m; wet<dt>Parts<dd><ul><li>lid</ul></dl><dt>Mill<dd>old",
         "- Tank; Depth: 4 m, wet\n\n- Tank; Parts:\n\n- lid\nMill: old"),
        ("<dt>Ebb</dt><dd>falling</dd><dd>going out</dd>", "Ebb: falling\nEbb: going out"),
        ("<dt>Ebb</dt><dd></dd><dt>Flood</dt><dd>rising</dd><dt>Slack</dt>", "Ebb\n\nFlood: rising\n\nSlack"),
        ("<dt>run()<a href='#run'>¶</a></dt><dd><p>Runs.</p><dl><dt>Returns:<dd>a number</dl></dd>",
         "run(): Runs.\nReturns: a number"),
    ],
)  # fmt: skip
def test_a_definition_list_is_keys_and_values(definitions: str, text: str) -> None:
    assert html(f"<dl>{definitions}</dl>")[1] == text


MAIN = "<main><p>Ebb and flood, twice a day, with springs at the full moon and the new.</main>"
TIDES = "Ebb and flood, twice a day, with springs at the full moon and the new."


def test_of_a_page_with_a_main_part_that_is_read() -> None:
    body = f"<h1>A site</h1><div>Press ? for help</div>{MAIN.replace('<p>', '<h1>Tides</h1><p>')}"
    assert html(f"<title>Tides - A site</title>{body}") == ("Tides", f"# Tides\n\n{TIDES}")
    assert "more than in it" in html("<div>What stands around is more than in it.</div><main>Tides</main>")[1]


@pytest.mark.parametrize(
    ("beside", "read"),
    [
        ("<div>Press ? for help</div>", ""),
        ("<p>Phone of the mill: 0550</p>", "\n\nPhone of the mill: 0550"),
        ("<div role='navigation'><h3>Contents</h3></div>", ""),
        ("<aside>Advert</aside>", ""),
        ("<section><h2>Contact</h2><p>Keeper: Ana Souza</p></section>", "\n\n## Contact\n\nKeeper: Ana Souza"),
        ("<aside><dl><dt>Keeper<dd>Ana Souza</dl></aside>", "\n\nKeeper: Ana Souza"),
        ("<table><tr><th>Keeper<td>Ana Souza</table>", "\n\nKeeper: Ana Souza"),
    ],
)
def test_what_tells_something_beside_the_main_part_is_read_too(beside: str, read: str) -> None:
    assert html(MAIN + beside)[1] == TIDES + read


def test_a_headline_above_the_main_part_is_that_of_the_page() -> None:
    assert html(f"<title>Tides | Town</title><h1>Tides</h1>{MAIN}") == ("Tides", f"# Tides\n\n{TIDES}")
    assert html(f"<h1>Tides</h1>{MAIN}") == ("Tides", f"# Tides\n\n{TIDES}")


@pytest.mark.parametrize(
    "permalink",
    ["<a href='#b'>¶</a>", "<a href='#b'> ¶</a>", "<a href='#b'>\n#\n</a>", "<a href='page.html#b'>¶</a>",
     " <a class='x headerlink' href='#b'>Link to this heading</a>"],
)  # fmt: skip
def test_a_heading_is_read_without_the_link_to_itself(permalink: str) -> None:
    assert html(f"<h1>Build{permalink}</h1><p>Run it.") == ("Build", "# Build\n\nRun it.")
    assert html(f"<h2>{permalink}Build</h2>")[1] == "## Build"
    assert html(f"<dl><dt>Build{permalink}<dd>runs it</dl>")[1] == "Build: runs it"


def test_a_mark_that_leads_elsewhere_or_stands_alone_is_text() -> None:
    rows = "<tr><th>Symbol<th>Name<tr><td><a href='#h'>#</a><td>hash"
    assert html(f"<table>{rows}</table>")[1] == "Name: hash; Symbol: #"
    assert html("<h2><a class='headerlink' href='#b'>Build</a></h2>")[1] == "## Build"
    assert html("<h2>The sign <a href='pilcrow.html'>¶</a></h2>")[1] == "## The sign ¶"


def test_equal_neighbours_stay_apart() -> None:
    assert html("<ul><li>same</li><li>same</li></ul>")[1] == "- same\n- same"


def test_deep_nesting_with_text_on_every_level_is_read() -> None:
    assert html("<div>a" * 3000)[1].count("a") == 3000


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("Owner: Ana Souza\nThe mill grinds rye.", "Owner: Ana Souza\nThe mill grinds rye."),
        ("Owner: Ana Souza\nThe mill grinds\nrye.\nPhone: 12", "Owner: Ana Souza\nThe mill grinds rye.\nPhone: 12"),
        ("**Owner:** [Ana](a.md)\nThe mill", "Owner: Ana\nThe mill"),
        ("Owner: Ana Souza,\nwho came from Trent", "Owner: Ana Souza, who came from Trent"),
        ("Owner: Ana Souza and\n  Tom Hill", "Owner: Ana Souza and Tom Hill"),
        ("- Owner: Ana and\n  Tom", "- Owner: Ana and Tom"),
        ("The owner: Ana\nSouza of Bergen", "The owner: Ana Souza of Bergen"),
        ("Note: the mill closes\n*Mondays* and in May", "Note: the mill closes Mondays and in May"),
        ("Owner: Ana Souza\nThe mill grinds rye on Mondays.", "Owner: Ana Souza\nThe mill grinds rye on Mondays."),
        (
            "Reason: we waited for the new pump that came on the train from\nTurin last week",
            "Reason: we waited for the new pump that came on the train from Turin last week",
        ),
        (
            "It is about what concerns us all and has\nPriority: high",
            "It is about what concerns us all and has Priority: high",
        ),
    ],
)
def test_the_value_of_a_key_ends_with_its_line_unless_it_runs_on(lines: str, text: str) -> None:
    assert markdown(f"# Mill\n\n{lines}")[1].split("\n\n", 1)[1] == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Pear\n: Green fruit\n  of Rui Alves", "Pear: Green fruit of Rui Alves"),
        ("Pear\n\n:   Green fruit\n\n: Sweet", "Pear: Green fruit\nPear: Sweet"),
        ("Pear\n: Green\n\nApple\n: Red", "Pear: Green\nApple: Red"),
        ("Pear\n: Green\n\nIt is so.\n\n: No definition", "Pear: Green\n\nIt is so.\n\n: No definition"),
        ("Pear\n: Green\n: Sweet and\nsoft", "Pear: Green\nPear: Sweet and soft"),
        ("*Pear*\nQuince:\n: Green\nApple\n: Red\n\nIt is so.", "Pear, Quince: Green\nApple: Red\n\nIt is so."),
        ("The fruit is eaten\nraw.\n\n: No definition", "The fruit is eaten raw.\n\n: No definition"),
        ("    : code\n\nthe end", ": code\n\nthe end"),
    ],
)
def test_a_definition_stands_with_its_term(source: str, text: str) -> None:
    assert markdown(f"# Chart\n\n{source}")[1].split("\n\n", 1)[1] == text


def test_terms_that_are_not_closed_share_what_describes_them() -> None:
    text = read_html(b"<dl><dt>Ebb<dt>Fall<dd>falling water<dt>Flood<dd>rising water</dl>").text
    assert text == "Ebb, Fall: falling water\nFlood: rising water"
