from __future__ import annotations

import pytest
from linear import is_linear

from kb.documents.plaintext import Unreadable, clean, decode, first_words, readable_name, tidy, without_title
from kb.documents.text_files import read_text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_with_and_without_mark(encoding: str) -> None:
    assert decode("Čeština – 猫 😀".encode(encoding)) == "Čeština – 猫 😀"


def test_utf_16_of_both_orders() -> None:
    assert decode(b"\xfe\xff" + "né".encode("utf-16-be")) == "né"
    assert decode(b"\xff\xfe" + "né".encode("utf-16-le")) == "né"


def test_western_european_text_is_recognised() -> None:
    text = "Ein Café in Köln kostet 3 € – “gut”."
    assert decode(text.encode("cp1252")) == text
    assert decode("Å".encode("latin-1")) == "Å"


def test_a_declared_encoding_goes_before_a_guess() -> None:
    assert decode("река".encode("cp1251"), "cp1251") == "река"
    assert decode("река".encode(), "cp1251") == "река"
    with pytest.raises(Unreadable, match="not valid NO-SUCH"):
        decode(b"caf\xe9", "no-such")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", "binary"),
        (bytes(range(1, 256)) * 4, "binary"),
        ("wide".encode("utf-16-le"), "binary"),
        (b"\x01\x02\x03\x04 some", "binary"),
        ("Это русский текст в старой кодировке.".encode("cp1251"), "encoding that cannot be told"),
        ("これは日本語です。".encode("shift_jis"), "encoding that cannot be told"),
        ("Čeština je hezká – ano".encode()[:-5] + b"\xe2\x80", "damaged UTF-8"),
        (b"\xff\xfea\x00b", "not valid UTF-16"),
        (b"caf\x81\xe9 au lait", "not valid CP1252"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        decode(data)


def test_clean_normalises_and_drops_what_nobody_sees() -> None:
    assert clean("a\r\nb\rc\u2028d\x0ce") == "a\nb\nc\nd\ne"
    assert clean("Cafe\u0301 co\u00adop \ufeffx\u200by\x00\x07\x1b[0m\ud800") == "Café coop xy"
    assert clean("\x1b[1;31mred\x1b[0m \x9b32mgreen \x1b]0;title\x07blue \x1b(Bend") == "red green blue end"
    assert "fee is £20" in clean("â\x80\x9cHelloâ\x80\x9d and the fee is £20, she said â\x80\x9cbye")
    assert clean("\x9ba quotation\x9b") == "a quotation"  # of a Windows page, read in a wrong encoding
    assert clean("tab\tand👩‍👧") == "tab\tand👩‍👧"


def test_tidy_drops_needless_space() -> None:
    assert tidy("\n a  \n \n\n\nb\n") == "a\n\nb"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The Nile\n\nA river.", "The Nile"),
        ("The Nile\nThe Nile is a river in Africa and the longest of them all.", "The Nile"),
        ("Roses are red\nViolets are blue", "Roses are red"),
        # The second line's first word, 5 letters, would not fit into 46 columns behind 44.
        ("This text is hard wrapped and it is going on\nbelow in the second line, which is the longer\none.", ""),
        ("A sentence.\n\nMore.", ""),
        ("Dear all,\n\nMore.", ""),
        ("- an item\n\nMore.", ""),
        ("x" * 121 + "\n\nMore.", ""),
        ("Only a line", ""),
    ],
)
def test_title_of_plain_text(text: str, title: str) -> None:
    assert read_text(text.encode()).title == title


def test_names_and_first_words() -> None:
    assert readable_name("annual_report-2020") == "Annual report-2020"
    assert readable_name("annual-report") == "Annual report"
    assert readable_name("Émile Zola") == "Émile Zola"
    assert first_words("The Nile is a river in Africa, the longest of all.") == "The Nile is a river in Africa, the"
    assert first_words("It flows. North.") == "It flows"
    assert first_words("x" * 500) == "x" * 80
    assert first_words(" ") == ""


def test_a_repeated_title_is_dropped_if_text_follows() -> None:
    assert without_title("THE Nile\n\nA river.", "The Nile") == "A river."
    assert without_title("The Nile", "The Nile") == "The Nile"
    assert without_title("The Nile flows.\nFar.", "The Nile") == "The Nile flows.\nFar."


@pytest.mark.parametrize("unit", [" ", "\n", "\n ", "\r", "a ", "\u0301"])
def test_cleaning_takes_linear_time(unit: str) -> None:
    assert is_linear(lambda count: read_text(("x" + unit * count + "x").encode()), 1_000_000)


@pytest.mark.parametrize(("hyphen", "joined"), [("\u2010", "secure messages"), ("-", "se- cure messages")])
def test_a_word_that_a_manual_parts_at_the_end_of_a_line_is_whole(hyphen: str, joined: str) -> None:
    wrapped = f"The program converts keys that other programs for se{hyphen}\ncure messages have written to it."
    assert (
        read_text(wrapped.encode()).text
        == f"The program converts keys that other programs for {joined} have written to it."
    )


def test_hard_wrapped_lines_are_joined_and_lines_ended_on_purpose_stay() -> None:
    wrapped = "He was born in Novosibirsk and studied at the Moscow\nConservatory, where he met the engineer."
    assert read_text(wrapped.encode()).text == wrapped.replace("\n", " ")
    verse = "A short line of a poem that ends here\nand one more,\nand a last one of the poem, a long one at that"
    assert read_text(verse.encode()).text == verse
    wrapped = (
        "We have to go to the market as soon as we can and buy\nthe following: apples and pears, before it closes."
    )
    assert read_text(wrapped.encode()).text == wrapped.replace("\n", " ")
    points = "- a first point that is as long as lines are wide\n- a second point of about the same width here"
    assert read_text(points.encode()).text == points
