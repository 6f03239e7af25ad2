from __future__ import annotations

import pytest
from answer_evidence import best, evidence

from tools.answer_rules.docs import Doc
from tools.answer_rules.life import life_dates, life_places


def doc(text: str) -> Doc:
    return evidence(("Ann Lee", text)).docs[0]


@pytest.mark.parametrize(
    ("text", "birth", "death"),
    [
        ("Ann Lee (12 May 1920 – 3 June 1999) was a singer.", "12 May 1920", "3 June 1999"),
        ("Ann Lee( May 12, 1920- June 3, 1999) was a singer.", "May 12, 1920", "June 3, 1999"),
        ("Ann Lee (1920–1999) was a singer.", "1920", "1999"),
        ("Ann Lee (1920 to 1999) was a singer.", "1920", "1999"),
        ("Ann Lee (born 12 May 1920) is a singer.", "12 May 1920", ""),
        ("Ann Lee (born 12 May 1920; moved to Paris in 1940) is a singer.", "12 May 1920", ""),
        ("Ann Lee (born 1920, married to Bob Day since 1945) is a singer.", "1920", ""),
        ("Ann Lee (born 1920, director from 1950 to 1960) is a singer.", "1920", ""),
        ("Ann Lee (b. 1965) is a singer.", "1965", ""),
        ("Ann Lee (died 911) was a queen.", "", "911"),
        ("Ann Lee (Rome, 12 May 1920 – Milan, 3 June 1999) was a singer.", "12 May 1920", "3 June 1999"),
        ("Ann Lee (c. 1191–1192 – February 1237) was a lady.", "1191", "February 1237"),
        ("Ann Lee (12 May 19203 June 1999) was a singer.", "12 May 1920", "3 June 1999"),
        ("Ann Lee (reigned 1200–1220) was a queen.", "", ""),
        ("Ann Lee was a singer. She was born on 12 May 1920. She died in 1999.", "12 May 1920", "1999"),
        ("Ann Lee was a singer.", "", ""),
    ],
)
def test_dates_of_a_life(text: str, birth: str, death: str) -> None:
    assert best(life_dates(doc(text), "birth")) == birth
    assert best(life_dates(doc(text), "death")) == death


@pytest.mark.parametrize(
    ("text", "birth", "death"),
    [
        ("Ann Lee (May 12, 1920 in Troy, New York – June 3, 1999 in Rome) was a singer.", "Troy", "Rome"),
        ("Ann Lee (Rome, 12 May 1920 – Milan, 3 June 1999) was a singer.", "Rome", "Milan"),
        ("Ann Lee (12 May 1920, Kiev – 18 June 1997, Cologne) was a singer.", "Kiev", "Cologne"),
        ("Ann Lee is a singer. Born in Padua, she died in Houston, Texas.", "Padua", "Houston"),
        ("Ann Lee is a singer. She was killed at the Grand Motel in Los Angeles.", "", "Los Angeles"),
        ("Ann Lee is a singer. A native of Florence, Lee sang.", "Florence", ""),
        ("Ann Lee is a singer born in May 1920.", "", ""),
    ],
)
def test_places_of_a_life(text: str, birth: str, death: str) -> None:
    assert best(life_places(doc(text), "birth")) == birth
    assert best(life_places(doc(text), "death")) == death


def test_a_burial_is_no_death() -> None:
    text = "Ann Lee is a singer. She died in Rome and was buried in Highgate Cemetery."
    assert best(life_places(doc(text), "death")) == "Rome"


def test_others_lives_count_less() -> None:
    text = "Ann Lee is a singer. Her son Bob Day was born in Rome. Lee was born in Padua."
    assert best(life_places(doc(text), "birth")) == "Padua"
