"""Tables and lists that are drawn in plain text, and prose that is not taken for one."""

import pytest
from linear import is_linear

from kb.documents.text_files import read_text


def _text(text: str) -> str:
    return read_text(text.encode()).text


@pytest.mark.parametrize(
    ("drawing", "rows"),
    [
        (  # with bars, as databases print them
            "  uid  | name  | description\n"
            " ------+-------+------------\n"
            " 64000 | ftn   | fidogate\n"
            " 64001 | mysql | mysql-server",
            ["name: ftn; uid: 64000; description: fidogate", "name: mysql; uid: 64001; description: mysql-server"],
        ),
        (  # in a frame, and a row that takes two lines
            "+----------+---------+\n"
            "| Language | Set     |\n"
            "+----------+---------+\n"
            "| French   | UTF-8   |\n"
            "|          | Latin-1 |\n"
            "| Greek    | UTF-8   |\n"
            "+----------+---------+",
            ["Language: French; Set: UTF-8 Latin-1", "Language: Greek; Set: UTF-8"],
        ),
        (  # a line below each row
            "+------+-------+\n"
            "| Room | Use   |\n"
            "+======+=======+\n"
            "| Loft | mail  |\n"
            "| East | and   |\n"
            "+------+-------+\n"
            "| Barn | tools |\n"
            "+------+-------+",
            ["Room: Loft East; Use: mail and", "Room: Barn; Use: tools"],
        ),
        (  # a line above the total alone, as Org and Markdown draw it
            "| item  | place | kept by |\n"
            "|-------|-------|---------|\n"
            "| crate | north | Ana     |\n"
            "|       |       | and Tom |\n"
            "| lamp  | south | Rui     |\n"
            "|-------|-------|---------|\n"
            "| all   |       | Ana     |",
            ["item: crate; place: north; kept by: Ana and Tom", "item: lamp; place: south; kept by: Rui",
             "item: all; kept by: Ana"],
        ),
        (  # the same in a frame, where numbers tell the rows
            "+-------+-------+-------+\n"
            "| item  | place | count |\n"
            "+-------+-------+-------+\n"
            "| crate | north | 12    |\n"
            "| lamp  | south | 7     |\n"
            "+-------+-------+-------+\n"
            "|       |       | 19    |\n"
            "+-------+-------+-------+",
            ["item: crate; place: north; count: 12", "item: lamp; place: south; count: 7", "count: 19"],
        ),
        (  # columns below underlined names
            "Used in   what is there\n"
            "--------  -------------\n"
            "io        _dummy_thread\n"
            "os        nt ntpath\n"
            "          mac",
            ["Used in: io; what is there: _dummy_thread", "Used in: os; what is there: nt ntpath mac"],
        ),
        (  # names that are capitals, properties, or stand above numbers
            "NAME     READY   AGE\nweb-1    1/1     3d\nworker   0/1     2h",
            ["NAME: web-1; READY: 1/1; AGE: 3d", "NAME: worker; READY: 0/1; AGE: 2h"],
        ),
        (
            "     Old name           New name\n  key_full       print_key_full\n  key_short      print_key_short",
            ["Old name: key_full; New name: print_key_full", "Old name: key_short; New name: print_key_short"],
        ),
        (
            "Apples      Boxes\nBramley        12\nCox             7",
            ["Apples: Bramley; Boxes: 12", "Apples: Cox; Boxes: 7"],
        ),
        (  # a column of things without a name
            "          Morning   Noon\n---------------------------\nMonday    Ana       Tom\nTuesday   Rui       --",
            ["Monday; Morning: Ana; Noon: Tom", "Tuesday; Morning: Rui; Noon: --"],
        ),
        (  # empty cells at either end, where nothing frames the lines
            " owner | host  | port\n"
            "-------+-------+------\n"
            " Ana   | alpha | 80\n"
            " Ida   | beta  | \n"
            "       | delta | 81\n"
            " Tom   | gamma | 82",
            ["owner: Ana; host: alpha; port: 80", "owner: Ida; host: beta", "host: delta; port: 81",
             "owner: Tom; host: gamma; port: 82"],
        ),
        (  # a row without its first cell is a row where it has two others
            "Owner   Host    Port\n------  ------  ----\nAna     alpha   80\n        beta    81\nTom     gamma   82",
            ["Owner: Ana; Host: alpha; Port: 80", "Host: beta; Port: 81", "Owner: Tom; Host: gamma; Port: 82"],
        ),
        (  # codes with their meanings
            "  0 - action allowed\n 100 - unknown id\n 101 - action forbidden\n       by policy",
            ["0: action allowed", "100: unknown id", "101: action forbidden by policy"],
        ),
    ],
)  # fmt: skip
def test_what_is_drawn_becomes_rows_between_prose(drawing: str, rows: list[str]) -> None:
    assert (
        _text(f"What there is:\n{drawing}\nThat is all.") == "What there is:\n\n" + "\n".join(rows) + "\n\nThat is all."
    )


def test_a_table_at_the_top_is_no_title() -> None:
    assert read_text(b"NAME    AGE\nweb-1   3d\nworker  2h").title == ""


@pytest.mark.parametrize(
    "text",
    [
        "It is long.  Two blanks end a sentence here,\n"
        "as typists write.  They stand below one\n"
        "another.  That is no table.",
        "We went there - all of us.\nNobody stayed - not one.\nIt rained - as always.",
        "well - one dash\nthen - another one, and no third",
        "Pilar - 01632 960 733\nNoor - 01632 960 734\nBartek - 01632 960 735",
        "su - root\nsu - root -c ls\nsu - ana",
        "Adam Katz          adam@example.org\n"
        "Aharon Robbins     aharon@example.org\n"
        "Alain Magloire     alain@example.org",
        "unpacked    never    No\nconfigured  yes      No\ntriggered   yes      No",
        "TYPE    filesystem type\nUUID    filesystem uuid\nLABEL   filesystem label",
        "          MILL ROAD           CHURCH STREET\n"
        "Mon       Ana       Tom       Rui       Mia\n"
        "Tue       Zoe       Tom       Rui       Mia",
        "a | b or c | d\ne | f\ng | h",
    ],
)  # fmt: skip
def test_prose_and_lists_are_no_tables(text: str) -> None:
    assert _text(text).split() == text.split()


@pytest.mark.parametrize(
    "text",
    [
        *(f"x{unit * 50_000}x"
          for unit in ("-", "--  ", "a - b\n", "A  B\n", "A  1\n a\n", "|", "| a | b |\n", " a - b\n")),
        "a|b\n" + "--|--\n" * 50_000,
        "".join(f"{' ' * indent}a - x\n" for indent in range(800)),
        "a - b\n" + " a - b\n" * 50_000,
        "Name   Value\n-----  -----\nA      one\n" + "       x\n" * 50_000,
    ],
    ids=lambda text: repr(text[:20]),
)  # fmt: skip
def test_drawings_are_looked_for_in_linear_time(text: str) -> None:
    assert is_linear(lambda letters: _text(text[:letters]), len(text))
