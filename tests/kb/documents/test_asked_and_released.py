"""Questions with their answers, releases, licences and lines of signs, as each format writes them."""

from __future__ import annotations

import io

import docx
import pytest
from linear import is_linear

from kb.documents.formats import READERS

ASKED = "## Can I keep hens?\n\nNo.\n\n## Who has the key?\n\nMaureen Doyle."


def text_of(suffix: str, data: str | bytes) -> str:
    content = READERS[suffix][1](data if isinstance(data, bytes) else data.encode())
    return content.text.partition("\n\n")[2] if content.text.startswith("# ") else content.text


def docx_of(*paragraphs: str) -> bytes:
    document = docx.Document()
    for one in paragraphs:
        document.add_paragraph(one)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("suffix", "data"),
    [
        (".txt", "Q: Can I keep hens?\nA: No.\n\nQ: Who has the key?\nA: Maureen Doyle."),
        (".txt", "Q. Can I keep hens?\n\nA. No.\n\nQ. Who has the key?\n\nA. Maureen Doyle."),
        (".txt", "Hens and keys\n=============\n\nCan I keep hens?\n----------------\n\nNo.\n\n"
                 "Who has the key?\n----------------\n\nMaureen Doyle."),
        (".md", "**Q: Can I keep hens?**\n\nA: No.\n\n**Q: Who has the key?**\n\nA: Maureen Doyle."),
        (".md", "Can I keep hens?\n: No.\n\nWho has the key?\n: Maureen Doyle."),
        (".html", "<dl><dt>Can I keep hens?</dt><dd>No.</dd><dt>Who has the key?</dt><dd>Maureen Doyle.</dd></dl>"),
        (".html", "<h2>Can I keep hens?</h2><p>No.</p><p><b>Q: Who has the key?</b></p><p>Maureen Doyle.</p>"),
        (".rst", "Q: Can I keep hens?\n\nA: No.\n\n**Q: Who has the key?**\n\nA: Maureen Doyle."),
        (".rst", "Can I keep hens?\n    No.\n\nWho has the key?\n    Maureen Doyle."),
        (".org", "Q: Can I keep hens?\n\nA: No.\n\nQ: Who has the key?\n\nA: Maureen Doyle."),
        (".org", "- Can I keep hens? :: No.\n- Who has the key? :: Maureen Doyle."),
        (".docx", docx_of("Q: Can I keep hens?", "A: No.", "Question 2: Who has the key?", "Answer: Maureen Doyle.")),
    ],
)  # fmt: skip
def test_a_question_is_a_heading_above_its_answer(suffix: str, data: str | bytes) -> None:
    assert text_of(suffix, data).replace("### Who", "## Who") == ASKED


def test_questions_in_plain_text_with_numbers_or_answers_further_in() -> None:
    numbered = text_of(".txt", "Often asked\n\n1. Can I keep hens?\n\nNo.\n\n2. Who has the key?\n\nMaureen Doyle.")
    assert "## 1. Can I keep hens?\n\nNo.\n\n## 2. Who has the key?" in numbered
    further = text_of(".txt", "Why is it slow?\n\n\tIt is old.\n\nWhat helps?\n\n\tOil.")
    assert further == "## Why is it slow?\n\n\tIt is old.\n\n## What helps?\n\n\tOil."


@pytest.mark.parametrize(
    "text",
    [
        "A story\n\nWhere is she?\n\nNobody knew, and it rained.",  # one question alone
        "Contents\n\n1. What is it?\n2. Who made it?\n3. Where is it?",
        "He came in.\n\nWhere is she?\n\nWho asks?\n\nNobody knew.",
    ],
)
def test_questions_without_an_answer_are_no_headings(text: str) -> None:
    assert "#" not in text_of(".txt", text)


def test_underlined_lines_are_headings_and_lines_of_signs_nothing() -> None:
    content = READERS[".txt"][1](
        b"The mill\n========\n\nHours\n-----\n\nFrom ten.\n\n----------\nPrices\n----------\n\nFive euros.\n\n"
        b"*****************\n* Closed on Mondays. *\n*****************\n\n- - - - -\n\n_____\n\nThe end."
    )
    assert content.title == "The mill"
    assert content.text == (
        "# The mill\n\n## Hours\n\nFrom ten.\n\n### Prices\n\nFive euros.\n\nClosed on Mondays.\n\nThe end."
    )


@pytest.mark.parametrize(
    "text", ["Name    Phone\n-------------\nAna     12\nTom     13", "a\n\n| x | y |\n|---|---|\n| 1 | 2 |"]
)
def test_the_header_of_a_table_is_no_heading(text: str) -> None:
    assert "#" not in text_of(".txt", text)


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("Version 2.3.1 (2024-05-06):\n\n* A.\n\nVersion 2.3 (2024-04-11):\n\n* B.",
         ["## Version 2.3.1 (2024-05-06)", "## Version 2.3 (2024-04-11)"]),
        ("GNU x NEWS   -*- outline -*-\n\n* Noteworthy changes in release 1.2 (2019-03-04) [stable]\n\n"
         "** Bug fixes\n\n  A.\n\n"
         "* Noteworthy changes in release 1.1 (2018-03-04) [stable]\n\n  B.",
         ["## Noteworthy changes in release 1.2 (2019-03-04) [stable]", "### Bug fixes",
          "## Noteworthy changes in release 1.1 (2018-03-04) [stable]"]),
        ("tern 1.14.10 (2023-09-01)\n=========\n\n* A.\n\ntern 1.14.8 (2023-06-06)\n=========\n\n* B.",
         ["## tern 1.14.10 (2023-09-01)", "## tern 1.14.8 (2023-06-06)"]),
        ("v1.5.4 (Feb 2023)\n- A.\n\nv1.5.2 (Jan 2022)\n- B.", ["## v1.5.4 (Feb 2023)", "## v1.5.2 (Jan 2022)"]),
        ("Costs\n\n1.5 litres of milk.\n\n2.5 litres of oil.", []),
    ],
)  # fmt: skip
def test_the_line_of_a_release_is_a_heading(text: str, headings: list[str]) -> None:
    assert [line for line in text_of(".txt", text).split("\n") if line.startswith("#")] == headings


def test_an_upload_to_debian_has_its_day_and_who_signed_it() -> None:
    text = text_of(
        ".txt",
        "tern (1.2-3) unstable; urgency=low\n\n  * Add a timer.\n\n"
        " -- Ruth Amadi <ruth@x.example>  Tue, 06 Feb 2024 18:30:00 +0000\n\n"
        "tern (1.2-2) unstable; urgency=low\n\n  * Fix it.\n\n"
        " -- Jo <jo@x.example>  Tue, 99 Feb 2024 18:30:00 +0000\n\n"
        "tern (1.2-1) unstable; urgency=low\n\n  * Begun.\n",
    )
    assert text.startswith(
        "## tern (1.2-3), 2024-02-06\n\nDistribution: unstable\nUrgency: low\n"
        "Maintainer: Ruth Amadi <ruth@x.example>\n\n  * Add a timer.\n\n"
        "## tern (1.2-2), Tue, 99 Feb 2024 18:30:00 +0000"
    )
    assert text.endswith(
        "## tern (1.2-1)\n\nDistribution: unstable\nUrgency: low\n\n  * Begun."
    )  # nobody has signed it


def test_a_stanza_of_copyrights_is_about_its_files() -> None:
    content = READERS[".txt"][1](
        b"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Tern\n\n"
        b"Files: *\nCopyright: 2012, Saoirse Byrne\nLicense: MIT\n Take it.\n .\n Give it.\n\n"
        b"Files: src/a.c\n src/b.c\nCopyright: 1999, Gustav Holm\n 2001, Ida Marsh\nLicense: zlib\n"
    )
    assert content.title == ""
    assert content.text.split("\n\n")[0].split("\n") == [
        "Upstream-Name: Tern", "Copyright: 2012, Saoirse Byrne", "License: MIT",
    ]  # fmt: skip
    assert (
        "## Files of Tern\n\nFiles: src/a.c, src/b.c; Copyright: 1999, Gustav Holm, 2001, Ida Marsh; License: zlib"
        in content.text
    )
    assert content.text.endswith("## MIT\n\nTake it.\n\nGive it.")


@pytest.mark.parametrize(
    "unit", ["= ", "Q: a?\n", "1. A?\n\n", "v1.1\n\n", "A: ?: ", " -*-", "* a *\n***\n", "x\n---\n"]
)
def test_reading_takes_linear_time(unit: str) -> None:
    assert is_linear(lambda letters: READERS[".txt"][1]((unit * (letters // len(unit))).encode()), 200_000)


def test_a_mail_keeps_the_quoted_question_that_it_answers() -> None:
    text = text_of(
        ".eml",
        "From: Piet <p@x.example>\nSubject: Re: Move\nIn-Reply-To: <a@x>\n\nHi Hanne,\n\n> It was closed. When will\n"
        "> the lift be repaired?\n\nNot before June.\n\n> We have ten boxes.\n\n"
        "Good.\n\n>> Is it far?\n> No.\nThanks.\n\n"
        "> Shall I come?\n> > Who pays?\n",
    )
    assert text.endswith("Hi Hanne,\n\n## When will the lift be repaired?\n\nNot before June.\n\nGood.\n\nThanks.")
