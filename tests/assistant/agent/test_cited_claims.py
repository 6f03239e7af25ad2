from __future__ import annotations

import pytest

from assistant.agent.citing.cited_claims import Check, best_sentence, sentences
from assistant.agent.citing.cited_text import source
from assistant.agent.citing.terms import language_of, readable, terms

PASSAGES = {
    1: "The Glass Harbour\nThe Glass Harbour is a 1931 silent film directed by Irena Valdis.",
    2: "Irena Valdis\nIrena Valdis (born 4 May 1899 in Tarnow Bay; died 2 June 1970) was a film director. She was the "
    "daughter of the painter Oskar Valdis.",
    3: "Seven Lanterns (1948 film)\nSeven Lanterns is a 1948 American film directed by Tomas Brandel. "
    "It was shot in two weeks.",
    4: "Grey Coast Ferry\nThe Grey Coast Ferry sails twice a day and carries forty cars and 1,200 people, about "
    "2.5 million a year. It was owned by the United Harbour Company of the United States until the seventeenth "
    "century.",
    5: "Édouard Ménard\nÉdouard J. Ménard (1804-81) was King Lothair II's physician in Saint-Denis during World War "
    "II. His friend Goethe visited him in the summer of 1860, between 3 and 5 August.",
    6: "Oskar Valdis\nOskar Valdis (1860 - 12 January 1931) was a painter from Karsk; his daughter Irena made films.",
}  # fmt: skip
QUESTION = "When was the director of The Glass Harbour, shown in Ruritania, born?"


def check(explanation: str, cited: tuple[int, ...] = (), question: str = QUESTION) -> Check:
    return Check(explanation, cited, {number: source(text) for number, text in PASSAGES.items()}, question)


def absent(explanation: str, cited: tuple[int, ...] = (), question: str = QUESTION) -> list[tuple[str, ...]]:
    return [fault.absent for _, fault in check(explanation, cited, question).faults()]


HOLDS = [
    "The Glass Harbour was directed by Irena Valdis [1], who was born on May 4, 1899 [2].",
    "The director is Irena Valdis [1]. She was born on 4 May 1899 in Tarnow Bay. [2]",
    "Valdis directed it [1]; I. Valdis was born on 1899-05-04 [2].",
    "**Irena Valdis** directed *The Glass Harbour* [1]. She was born in Tarnow Bay [2]. So the answer is Tarnow Bay.",
    "1. The Glass Harbour (1931) is by Irena Valdis [1].\n2. Irena Valdis's birthplace is Tarnow Bay [2].",
    "- Film: The Glass Harbour [1]\n- Director: Irena Valdis [1]\n- Born: 4 May 1899 [2]",
    "According to passage 2, Irena was born in May 1899 [2]. Therefore, she was born in 1899.",
    "Step 1: The film's director was Irena Valdis [1]. Step 2: Valdis, Irena died in June 1970 [2].",
    "Directed by Irena Valdis [1], it came out in the 1930s [1]. Both steps are stated. Thus the answer holds.",
    "The Glass Harbour came out in 1931 [1] and Seven Lanterns in 1948 [3], so the first is the older one.",
    "Seven Lanterns is seventeen years younger: 1931 [1] against 1948 [3].",
    "She was born on 4 May 1899 and died on 2 June 1970 [2]. She was therefore 71 years old.",
    "The ferry carries 40 cars and 1200 people [4], more than 2.4 million a year.",
    "It carries about forty cars, roughly 1,210 people and 2,500,000 a year [4]. It sails two times a day.",
    "It belonged to the U.S. United Harbour Company until the 17th century [4]. The UHC was American.",
    "The ferry was American, and so was the company from the USA [4].",
    "Edouard Menard (1804–1881) was the physician of Lothair the Second in St. Denis in the Second World War [5].",
    "Ménard's friend Goethe came on 5 August 1860, in the nineteenth century [5].",
    "Her father was Oskar Valdis [6], and Irena Valdis made films [6].",
    "The film was shown in Ruritania and directed by her [1].",
    "Tomas Brandel's “Seven Lanterns” took two weeks [3]. First, note the year: 1948 [3].",
    "Both directors, Irena Valdis [1] and Tomas Brandel [3], made films. The two of them never met.",
    "Three films? No: two, by Irena Valdis [1] and Tomas Brandel [3].",
    "Der Film The Glass Harbour wurde von Irena Valdis gedreht [1]. Die Regisseurin wurde am 4. Mai 1899 geboren [2].",
    "Die Antwort ist Tarnow Bay: Dort wurde die Tochter des Malers Oskar Valdis am 04.05.1899 geboren [2].",
    "Le film The Glass Harbour est d'Irena Valdis [1]. Elle est née le 4 mai 1899 à Tarnow Bay [2].",
    "La directora Irena Valdis [1] nació el 4 de mayo de 1899 en Tarnow Bay [2]. Murió en 1970 [2].",
    "Film The Glass Harbour reżyserowała Irena Valdis [1]. Córka Oskara Valdisa urodziła się 4.05.1899 [2].",
    "Режиссёр Ирена Валдис родилась в 1899 году [2].",
    "監督はIrena Valdisです[1]。1899年5月4日に生まれました[2]。",
    "Quoting \\[77\\], the ferry “carries forty cars” [4].",
    "Irena Valdis ([The Glass Harbour](x) [1]) was born in 1899 [1, 2].",
    "Irena Valdis was a Polish director [2].",
    "As is known.",
    "",
]  # fmt: skip


@pytest.mark.parametrize("explanation", HOLDS)
def test_what_the_passages_say_in_other_words_holds(explanation: str) -> None:
    assert absent(explanation, (1, 2)) == []


LIES = [
    ("She was born in Hamburg [2].", "Hamburg"),
    ("Hamburg was her birthplace [2].", "Hamburg"),
    ("The director was Fritz Lang [1].", "Fritz Lang"),
    ("Fritz Lang directed it [1].", "Fritz Lang"),
    ("Oskar Brandel directed it [3].", "Oskar Brandel"),
    ("Anna Valdis was born in 1899 [2].", "Anna Valdis"),
    ("O. Valdis was born in 1899 [1].", "1899"),
    ("She was born on 5 May 1899 [2].", "5 May 1899"),
    ("She was born in June 1899 [2].", "June 1899"),
    ("She was born in 1898 [2].", "1898"),
    ("She died in the 1980s [2].", "1980s"),
    ("It is from the nineteenth century [1].", "19th century"),
    ("Seven Lanterns came out in 1931 [3].", "1931"),
    ("The ferry carries 41 cars [4].", "41"),
    ("The ferry carries fifty cars [4].", "fifty"),
    ("The ferry carries 12,000 people [4].", "12,000"),
    ("The ferry carries about 1,500 people [4].", "1,500"),
    ("She was 70 when she died [2].", "70"),
    ("It was made for the BBC [1].", "BBC"),
    ("He was the physician of Lothair III [5].", "Lothair III"),
    ("Seven Lanterns is a French film [3].", "French"),
    ("It was during World War I [5].", "World War I"),
    ("Tomas Brandel was born in Tarnow Bay [2].", "Tomas Brandel"),
    ("So the answer is Fritz Lang.", "Fritz Lang"),
    ("Die Regisseurin war Anna Hallberg [2].", "Anna Hallberg"),
    ("Sie wurde am 5. Mai 1899 geboren [2].", "5 May 1899"),
    ("Elle est née à Hambourg le 4 mai 1899 et vivait là [2].", "Hambourg"),
    ("1898年に生まれました[2]。", "1898"),
    ("\u200bHam\u200bburg\u200b was her birthplace [2].", "Hamburg"),
    ("She was born in *Ham*burg and in **Berlin** [2].", "Berlin"),
]


@pytest.mark.parametrize(("explanation", "term"), LIES)
def test_what_no_cited_passage_says_is_a_fault(explanation: str, term: str) -> None:
    (found,) = absent(explanation, (1, 2))
    assert term in found


def test_a_citation_of_the_wrong_passage_is_a_fault_of_that_sentence_only() -> None:
    (fault,) = [fault for _, fault in check("Irena Valdis made it [1]. She died in 1970 [1]. It is so [2].").faults()]
    assert (fault.text, fault.numbers, fault.absent) == ("She died in 1970.", (1,), ("1970",))


def test_a_number_that_may_not_be_cited_is_a_fault() -> None:
    (fault,) = [fault for _, fault in check("Irena Valdis made it [1][9].").faults()]
    assert (fault.unseen, fault.absent) == ((9,), ())


@pytest.mark.parametrize(
    ("answer", "holds"),
    [
        ("yes", True),
        ("No.", True),
        ("Tarnow Bay", True),
        ("May 4, 1899", True),
        ("film director", True),
        ("painter", True),
        ("71 years", True),
        ("seventeen years", True),
        ("Irena Valdis and Tomas Brandel", True),
        ("American", True),
        ("United States", True),
        ("Hamburg", False),
        ("Fritz Lang", False),
        ("5 May 1899", False),
        ("73", False),
        ("Ruritania", False),
        ("French", False),
        ("Irena Valdis and Fritz Lang", False),
        ("タルノフ湾", True),
    ],
)
def test_the_short_answer_is_in_a_passage_or_follows(answer: str, holds: bool) -> None:
    explained = check("She was born on 4 May 1899 and died on 2 June 1970 [2]. 1931 [1] is before 1948 [3].")
    assert (explained.answer_fault(answer) is None) == holds


def test_sentences_keep_every_character_and_their_citations() -> None:
    text = "Ada [1] wrote. [2] Then, in the U.S. [3], J. R. Smith did.\n\n- One [4]\n- Two."
    parts = sentences(text)
    assert "".join(one.written for one in parts) == text
    assert [one.cited for one in parts] == [(1, 2), (3,), (4,), ()]
    assert sentences("") == []


def test_escapes_are_resolved_underscores_as_well() -> None:
    assert readable(r"libnet 1.22\_02 by \<ann\@cpan.org>, in my\_file.txt [1]") == (
        "libnet 1.22_02 by <ann@cpan.org>, in my_file.txt"
    )


def test_terms_of_a_sentence() -> None:
    found = terms("In May 1899 Irena Valdis, a German, met forty people and one cat in St. Denis in 1901.")
    assert [(term.kind, term.text) for term in found] == [
        ("date", "May 1899"),
        ("name", "Irena Valdis"),
        ("country", "German"),
        ("name", "St. Denis"),
        ("number", "1901"),
        ("number", "forty"),
    ]
    assert terms("") == []


def test_markdown_is_read_as_text() -> None:
    assert readable("1. **Ada** wrote `x` [1], see [her](http://e.example) \\[2\\] &amp; \\*more\\*") == (
        "Ada wrote x, see her & *more*"
    )


def test_languages_are_told_by_their_little_words() -> None:
    assert language_of("The film is by her") == "english"
    assert language_of("Der Film ist von ihr") == "german"
    assert language_of("Le film est de son père") == "other"
    assert language_of("Режиссёр родилась там") == "other"
    assert language_of("1931") == "english"


def test_the_quote_is_the_sentence_that_carries_the_claim() -> None:
    text = (
        "Irena Valdis was a director. She was born in Tarnow Bay on 4 May 1899. She was the daughter of Oskar Valdis."
    )
    born = check("Irena Valdis was born in Tarnow Bay [2].")
    assert best_sentence(born, 2, "4 May 1899", text) == "She was born in Tarnow Bay on 4 May 1899."
    assert best_sentence(check("Her father was Oskar Valdis [2]."), 2, "Oskar Valdis", text).endswith("Oskar Valdis.")
    assert best_sentence(check("So be it [2]."), 2, "yes", text) == ""


ROWS = {
    1: "Trip\nDate: 2025-05-02; Payer: Lena; What: Ferry; Amount: 128.40; Nights: 2\n"
    "Date: 2025-05-03; Payer: Tom; What: Campsite two nights; Amount: 64.00; Nights: 2\n"
    "Date: 2025-05-04; Payer: Lena; What: Dinner; Amount: 7.10; Nights: 2",
}
QUOTED = " ".join(f"{row}. [1]" for row in ROWS[1].split("\n")[1:])


@pytest.mark.parametrize(
    ("answer", "holds"),
    # 128.40 + 64.00 + 7.10, and 199.5 + 1 that nobody can work out
    # 199.50 of three rows is 66.50 for one
    [("199.50", True), ("199.5", True), ("6", True), ("66.50", True), ("200.50", False), ("207", False)],
)
def test_the_sum_of_a_column_of_the_rows_that_are_quoted_may_be_said(answer: str, holds: bool) -> None:
    question = "How much did the trip cost in total?"
    made = Check(QUOTED, (1,), {1: source(ROWS[1])}, question)
    assert (made.answer_fault(answer) is None) is holds


def test_no_at_the_end_of_a_row_that_is_cited_ends_it() -> None:
    text = "Gifts\nDonor: Ann; Gift: 40; Thanked: no\nDonor: Bo; Gift: 25; Thanked: no\nDonor: Cy; Gift: 7; Thanked: no"
    quoted = " ".join(f"{row}. [1]" for row in text.split("\n")[1:])  # elsewhere "no." is the short form of number
    made = Check(quoted, (1,), {1: source(text)}, "What is the total of all gifts?")
    assert made.answer_fault("72") is None
    assert made.answer_fault("73") is not None


@pytest.mark.parametrize(("answer", "holds"), [("72", True), ("24", True), ("47", True), ("73", False)])
def test_the_sum_of_a_column_of_all_rows_that_are_cited_may_be_said(answer: str, holds: bool) -> None:
    """Of many rows the first are quoted: 40 + 7 of these, 40 + 25 + 7 of all that are cited, 24 for one of them."""
    gifts = {1: "Donor: Ann; Gift: 40", 2: "Donor: Bo; Gift: 25", 3: "Donor: Cy; Gift: 7"}
    quoted = f"{gifts[1]}. [1] {gifts[3]}. [3]"
    made = Check(quoted, (1, 2, 3), {at: source(row) for at, row in gifts.items()}, "What is the total of all gifts?")
    assert (made.answer_fault(answer) is None) is holds


def test_passages_of_several_lines_are_not_added_up() -> None:
    gifts = {
        1: "Gifts\nDonor: Ann; Gift: 40\nBo was late.",
        2: "More\nDonor: Bo; Gift: 25\nSo was he.",
        3: "Cy\nGift: 7",
    }
    quoted = "Donor: Ann; Gift: 40. [1] Gift: 7. [3]"
    made = Check(quoted, (1, 2, 3), {at: source(row) for at, row in gifts.items()}, "What is the total of all gifts?")
    assert made.answer_fault("47") is None
    assert made.answer_fault("72") is not None


def test_a_unit_at_the_end_of_a_row_that_is_cited_ends_it() -> None:
    text = "Fields\nField: Long Acre; Area: 4.2 ha; Yield: 26 t\nField: Hangar; Area: 6.1 ha; Yield: 44 t"
    quoted = " ".join(f"{row}. [1]" for row in text.split("\n")[1:])
    assert len(Check(quoted, (1,), {1: source(text)}, "").sentences) == 2
    made = Check(
        f"{quoted} 4.2 ha + 6.1 ha = 10.3 ha.", (1,), {1: source(text)}, "How many hectares are there in total?"
    )
    assert made.answer_fault("10.3 ha") is None
    assert made.answer_fault("10.4 ha") is not None
    told = Check("He met J. [1] Smith of the firm.", (1,), {1: source("He met J. Smith.")}, "")
    assert len(told.sentences) == 1


def test_an_answer_without_words_stands_there_as_it_is() -> None:
    said = source("There is another syntax: //!, which documents the item it stands inside of.")
    assert said.has_text("//!")
    assert not said.has_text("///")
    assert not said.has_text("  ")
