from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import is_linear

from kb.documents.passages import CountTokens, cut, sentences, title_prefix
from kb.records import Document
from kb.store.minilm import load_tokenizer


def count_words(texts: Sequence[str]) -> list[int]:
    """Words and punctuation marks; a CJK character is a word, as it is for BERT."""
    return [len(re.findall(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+|[^\w\s]", text)) for text in texts]


def bundled_tokenizer() -> Any:
    """The tokenizer of the bundled model, without the padding and truncation to 128 that its file asks for."""
    return load_tokenizer()


TOKENIZER = bundled_tokenizer()


def count_tokens(texts: Sequence[str]) -> list[int]:
    return [len(encoding.ids) for encoding in TOKENIZER.encode_batch_fast(list(texts), add_special_tokens=False)]


def document(text: str, title: str = "Title", pages: tuple[int, ...] = ()) -> Document:
    return Document("key", title, text, "source", pages=pages)


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def texts_of(text: str, budget: int, title: str = "Title") -> list[str]:
    return [piece.text for piece in cut(document(text, title), count_words, budget)]


# Sentences


@pytest.mark.parametrize(
    "text",
    [
        "He met Dr. Smith and Mrs. Jones in St. Louis.",
        "J. R. R. Tolkien wrote it.",
        "He served in the U.S. Navy until c. 1200 men had left.",
        "It cost 3.5 million, or $1.2 each.",
        "Apple Inc. Chairman John Doe spoke.",
        "See No. 5, vol. 3, pp. 10 and Fig. 2.",
        "On Jan. 5 the U.S. $5 note came out.",
        "Yahoo! is a company.",
        'He asked "What is God?" first.',
        "He waited ... and left.",
        "Martin Luther King Jr. Boulevard is long.",
        "One line\nand its second.",
        "She holds a Ph.D. Thesis in hand.",
    ],
)
def test_one_sentence(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("He lives in the U.S. He is old.", ["He lives in the U.S.", "He is old."]),
        ("He joined Acme Inc. The firm grew.", ["He joined Acme Inc.", "The firm grew."]),
        ("It was 1990. In 1991 it fell.", ["It was 1990.", "In 1991 it fell."]),
        ("They lay in the sun. Napoleon slept.", ["They lay in the sun.", "Napoleon slept."]),
        ("He studied art. Smith taught.", ["He studied art.", "Smith taught."]),
        ("A heading\n\nA text", ["A heading", "A text"]),
        ("A heading\n \t\nA text", ["A heading", "A text"]),
        ("Needed:\n- eggs\n- flour\nMix them.", ["Needed:", "- eggs", "- flour", "Mix them."]),
        ("1. First\n2. Second", ["1. First", "2. Second"]),
        ("- an item that\n  runs on\n- next", ["- an item that\n  runs on", "- next"]),
        ("私は猫です。名前はまだない。", ["私は猫です。", "名前はまだない。"]),
        ("他说「好。」然后走了。", ["他说「好。」", "然后走了。"]),
        ("هل أنت هنا؟ نعم أنا هنا.", ["هل أنت هنا؟", "نعم أنا هنا."]),
        ("यह एक है। वह दो है।", ["यह एक है।", "वह दो है।"]),
        ("  Spaced.   Out.  ", ["Spaced.", "Out."]),
        ("?!", ["?!"]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_several_sentences(text: str, expected: list[str]) -> None:
    assert split(text) == expected


PROSE = st.text(alphabet=st.sampled_from('abAB .!?\n-1。」")é猫'), max_size=200)


@given(st.one_of(PROSE, st.text(max_size=200)))
def test_sentences_are_ordered_and_hold_everything(text: str) -> None:
    spans = sentences(text)
    previous = 0
    for start, end in spans:
        assert previous <= start < end
        assert text[previous:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        previous = end
    assert text[previous:].strip() == ""


@pytest.mark.parametrize("unit", [".", ". ", "\n", "\n ", "1. ", "a.", '."', " ", "x", "- \n", "。"])
def test_sentences_take_linear_time(unit: str) -> None:
    assert is_linear(lambda count: sentences(unit * count), 200_000)


# Cutting


def check(document: Document, count: CountTokens, budget: int) -> None:
    pieces = list(cut(document, count, budget))
    prefix = title_prefix(document.title, count, budget)
    previous = 0
    for number, piece in enumerate(pieces):
        assert piece.ordinal == number
        assert previous <= piece.start < piece.end
        assert document.text[previous : piece.start].strip() == ""
        assert piece.text == document.text[piece.start : piece.end]
        assert count([prefix + piece.text])[0] <= budget
        previous = piece.end
    assert document.text[previous:].strip() == ""


def test_what_fits_is_one_piece() -> None:
    # "Title . " is 2 tokens, the text 6: budget 8 is just enough.
    text = "One two. Three four."
    (piece,) = cut(document(f"  {text}\n"), count_words, 8)
    assert (piece.ordinal, piece.start, piece.end, piece.page, piece.text) == (0, 2, 22, None, text)
    assert [piece.text for piece in cut(document(text), count_words, 7)] == ["One two.", "Three four."]


def test_nothing_gives_no_piece() -> None:
    assert list(cut(document(""), count_words, 10)) == []
    assert list(cut(document(" \n "), count_words, 10)) == []


def test_pieces_are_balanced_not_filled() -> None:
    # Ten sentences of 3 tokens; 24 would fit a piece, but 24 + 6 is less even than 15 + 15.
    text = " ".join(["Aa bb."] * 10)
    assert [len(sentences(piece)) for piece in texts_of(text, 26)] == [5, 5]


def test_a_paragraph_end_is_preferred() -> None:
    # Of 9 sentences the paragraph's end divides 5 + 4 and 4 + 5 alike.
    for first in (4, 5):
        text = " ".join(["Aa bb."] * first) + "\n\n" + " ".join(["Aa bb."] * (9 - first))
        assert [len(sentences(piece)) for piece in texts_of(text, 26)] == [first, 9 - first]


@pytest.mark.parametrize("leading", ["Where from?", "As follows:"])
def test_what_leads_to_what_follows_is_not_cut_from_it(leading: str) -> None:
    # Ten paragraphs of 3 tokens, of which the fifth leads on: 4 + 6 and 6 + 4 are less even than 5 + 5, and cost less.
    told = ["Aa bb."] * 4 + [leading] + ["Aa bb."] * 5
    first, second = (piece.split("\n\n") for piece in texts_of("\n\n".join(told), 26))
    assert first + second == told
    assert sorted([len(first), len(second)]) == [4, 6]


def test_whole_sentences_stay_whole() -> None:
    # 15, 12 and 15 tokens with a room of 20: three pieces, though two of 21 would be as even.
    text = " ".join(" ".join(["Ww"] * (size - 1)) + "." for size in (15, 12, 15))
    assert count_words(texts_of(text, 22)) == [15, 12, 15]


def test_no_tiny_piece_is_left_over() -> None:
    # 98 + 3 tokens do not fit a room of 100. Three alone say nothing, so the long sentence is cut.
    sizes = count_words(texts_of(" ".join(["ww"] * 97) + ". Aa bb.", 102))
    assert len(sizes) == 2
    assert min(sizes) > 40


def test_an_overlong_sentence_is_cut_at_lines_then_at_words() -> None:
    lines = "\n".join(["aa bb cc dd ee"] * 8)
    assert texts_of(lines, 22) == ["\n".join(["aa bb cc dd ee"] * 4)] * 2
    words = " ".join(["ww"] * 90)
    sizes = count_words(texts_of(words, 32))
    assert sum(sizes) == 90
    assert max(sizes) <= 30
    assert min(sizes) >= 15


@pytest.mark.parametrize("columns", [60, 9000])
def test_a_long_row_is_cut_between_its_pairs(columns: int) -> None:
    row = "; ".join(["Name: Ada", *(f"Measured value {n}: {n % 97} mm" for n in range(columns))])
    pieces = texts_of(row, 40)
    assert len(pieces) > 5
    assert all(re.match(r"(Name|Measured value \d+): ", piece) for piece in pieces)


def test_page_is_where_the_piece_starts() -> None:
    # Page 3 is empty: it starts where page 4 does.
    text = "Aa bb. Cc dd.\nEe ff. Gg hh.\nIi jj."
    pages = (0, 14, 27, 28)
    pieces = list(cut(document(text, pages=pages), count_words, 5))
    assert [(piece.text, piece.page) for piece in pieces] == [
        ("Aa bb.", 1), ("Cc dd.", 1), ("Ee ff.", 2), ("Gg hh.", 2), ("Ii jj.", 4),
    ]  # fmt: skip


def test_a_long_title_takes_half_the_budget_at_most() -> None:
    # "w w w w ." are 5 of 10 tokens.
    assert title_prefix(" ".join(["w"] * 50), count_words, 10) == "w w w w. "
    assert title_prefix("Short", count_words, 10) == "Short. "
    assert title_prefix("", count_words, 10) == ""
    text = "Aa bb. Cc dd."
    assert texts_of(text, 10, title=" ".join(["w"] * 50)) == ["Aa bb.", "Cc dd."]
    assert texts_of(text, 12, title=" ".join(["w"] * 50)) == [text]


def test_a_title_is_cut_between_words() -> None:
    prefix = title_prefix("Incomprehensibility " * 100, count_tokens, 254)
    assert count_tokens([prefix])[0] <= 127
    assert set(prefix.removesuffix(". ").split()) == {"Incomprehensibility"}


AWKWARD = [
    "x" * 10_000,
    "😀" * 3_000,
    "👩‍👩‍👧‍👦" * 500,
    "猫" * 3_000,
    "私は猫です。" * 400,
    "한국어" * 800,
    "שלום עולם " * 600,
    "مرحبا بالعالم، " * 500,
    "ﷺ" * 500,
    "a\u0301" * 2_000,
    "\u0301" * 2_000,
    "word " * 3_000,
    "word\n" * 3_000,
    "a.b." * 2_000,
    "1,234.5|" * 1_000,
    "supercalifragilistic" * 60,
    "\u200d. " * 500,
    "Is it? " * 900,
]


@pytest.mark.parametrize("text", AWKWARD, ids=[repr(text[:6]) for text in AWKWARD])
@pytest.mark.parametrize("title", ["Title", "長い" * 2_000])
def test_every_piece_fits_the_bundled_model(text: str, title: str) -> None:
    check(document(text, title), count_tokens, 254)


WORDS = st.sampled_from(
    ["Aa", "b.", "c!", "猫", "。", "\n", "\n\n", "- d", "Dr.", "xyz" * 30, "3.5", "😀", "…", "\u200d"]
)


@settings(max_examples=150)
@given(st.one_of(st.lists(WORDS, max_size=120).map(" ".join), st.text(max_size=300)), st.integers(10, 60), st.data())
def test_pieces_are_ordered_hold_everything_and_fit(text: str, budget: int, data: st.DataObject) -> None:
    title = data.draw(st.text(max_size=60))
    check(document(text, title), count_words, budget)


@settings(max_examples=60)
@given(st.lists(st.one_of(WORDS, st.text(max_size=20)), max_size=80).map(" ".join))
def test_pieces_fit_by_the_bundled_tokenizer(text: str) -> None:
    check(document(text), count_tokens, 40)


def test_passages_of_a_real_corpus_fit(benchmark_data: Path) -> None:
    corpus = benchmark_data / "2wiki" / "corpus.jsonl"
    for line in corpus.read_text(encoding="utf-8").splitlines()[:300]:
        record = json.loads(line)
        check(document(record["text"], record["title"]), count_tokens, 254)


LONG = {
    "one line": "word " * 3_000,
    "no spaces": "woerter" * 2_000,
    "paragraphs": "A first sentence. A second one.\n\n" * 500,
    "chapters": "".join(f"# Chapter {number}\n\n## Part\n\n{'It goes on. ' * 60}\n\n" for number in range(20)),
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_very_long_text_is_cut_stretch_by_stretch(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.documents.passages._STRETCH", 1_000)
    counted: list[int] = []

    def count(texts: Sequence[str]) -> list[int]:
        counted.append(sum(map(len, texts)))
        return count_tokens(texts)

    pieces = cut(document(text), count, 60)
    first = next(pieces)
    assert sum(counted) < 10_000, "the first piece does not wait for the last"
    found = [first, *pieces]
    assert max(counted) <= 1_100, "no more is counted at once than a stretch and what is put before its passages"
    assert [piece.ordinal for piece in found] == list(range(len(found)))
    assert all(text[piece.start : piece.end] == piece.text for piece in found)
    assert "".join("".join(piece.text.split()) for piece in found) == "".join(text.split())
    for piece in found:
        heading = text.rfind("# Chapter", 0, piece.start)
        above = text[heading + 2 :].partition("\n")[0] if heading >= 0 else ""
        assert not piece.text.startswith("It goes") or piece.above == (above, "Part")


def test_of_an_endless_title_only_the_beginning_is_looked_at() -> None:
    counted: list[int] = []

    def count(texts: Sequence[str]) -> list[int]:
        counted.append(sum(map(len, texts)))
        return count_tokens(texts)

    title_prefix("word " * 10_000, count, 254)
    assert max(counted) < 5_000
