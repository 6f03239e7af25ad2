"""Facts of known kinds about a subject, read from the passages: one function over dates, places, persons and countries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from tools.answer_docs import Doc, Evidence, Found
from tools.answer_kin import find_kin
from tools.answer_life import death_causes, life_dates, life_places
from tools.answer_names import names_after
from tools.answer_places import find_countries, find_locations, topic_countries
from tools.answer_text import name_score

_KIN = frozenset(("father", "mother", "parent", "child", "spouse", "sibling"))


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Words after which (or, `before`, in front of which) the value stands, and how surely it does."""

    pattern: re.Pattern[str]
    score: float
    before: bool = False


def _phrases(*rows: tuple[str, float]) -> tuple[_Phrase, ...]:
    """Phrases from patterns; one that starts with "<" has its value in front of it."""
    return tuple(
        _Phrase(re.compile((r"\s+" if row.startswith("<") else r"\b") + row.removeprefix("<")), score, row.startswith("<"))
        for row, score in rows
    )


_AND = r"(?:,?\s*(?:and|&|or|,)\s*(?:co-?\s?)?[a-z-]+(?:ed|en|ing))*"
"""More participles that share a "by": "written, produced and" ..."""


def _by(*participles: str) -> str:
    return rf"(?:{'|'.join(participles)}){_AND}(?:\s+(?:and\s+)?(?:solely|entirely|originally|jointly|primarily|mainly))?\s+by\s+"


_ROLES: dict[str, tuple[_Phrase, ...]] = {
    "director": _phrases(
        (_by("[Dd]irected"), 0.95), (r"[Dd]irection (?:is |was )?(?:of|by)\s+", 0.8), (r"[Dd]irector,?\s+", 0.6), (r"<directed\b(?!\s+by)", 0.6),
        (r"(?:film|movie|drama|comedy|documentary|short|western|production) (?:of|by)\s+", 0.7), (r"directorial debut (?:of|by|for)\s+", 0.9), (r"<'s directorial debut", 0.9),
    ),
    "performer": _phrases(
        (_by("[Pp]erformed", "[Rr]ecorded", "[Ss]ung"), 0.95), (r"(?:[Ss]ong|[Ss]ingle|[Bb]allad|[Tt]rack|[Aa]lbum|EP|LP|[Hh]it|[Rr]ecord|[Mm]ixtape|[Nn]umber|release|duet|hymn|mixtape|recording) (?:sung |recorded |performed |released |created |made |co-written )?(?:by|of)\s+", 0.93),
        (r"(?:[Ss]ingle|[Ss]ong|[Tt]rack|[Aa]lbum|release) from\s+(?!the\b|his\b|her\b|their\b)", 0.88), (_by("[Rr]eleased", "[Ii]ntroduced", "[Cc]reated"), 0.75), (_by("[Ww]ritten", "[Cc]omposed"), 0.6), (r"\bby\s+", 0.5),
        (r"<'s\s+(?:[\w-]+\s+){0,5}(?:album|single|song|debut|record)\b", 0.55),
    ),
    "composer": _phrases(
        (r"(?:[Mm]usic|[Ss]core|[Ss]oundtrack|[Ss]ongs?|background score)(?:\s+[\w,’'-]+){0,6}?\s+(?:composed|written|scored|provided|given|done|created)(?:\s+and [a-z]+)?\s+by\s+", 0.95),
        (_by("[Cc]omposed", "[Ss]cored"), 0.95), (r"(?:[Mm]usic|[Ss]core|[Ss]oundtrack|[Mm]usical score)(?:\s+(?:for|to)\s+the\s+[a-z]+)?\s+(?:is |was |were )?by\s+", 0.93),
        (r"<(?:has |had |also )?(?:composed|scored|wrote the (?:music|score))\b(?!\s+by)", 0.85), (_by("[Ww]ritten"), 0.8), (r"[Cc]omposer,?\s+", 0.7), (r"\b(?:song|music|number) by\s+", 0.7), (r"sounds of\s+", 0.5),
    ),
    "screenwriter": _phrases(
        (r"(?:[Ss]creenplay|[Ss]cript|[Ss]tory)(?:\s+\w+){0,3}?\s+by\s+", 0.95), (_by("[Ww]ritten", "[Ss]cripted", "[Pp]enned"), 0.9), (r"<wrote (?:the )?(?:screenplay|script)", 0.85),
    ),
    "writer": _phrases(
        (_by("[Ww]ritten", "[Aa]uthored", "[Pp]enned"), 0.95), (r"(?:[Nn]ovel|[Bb]ook|[Pp]lay|[Pp]oem|[Mm]emoir|[Ss]tory|[Ss]eries|[Tt]rilogy|[Nn]ovella|[Ee]ssay|[Ll]yrics|work) (?:by|of)\s+", 0.9),
        (r"[Aa]uthor,?\s+", 0.7), (r"[Ww]riter,?\s+", 0.6), (r"<wrote\b", 0.6), (r"<'s\s+(?:[\w-]+\s+){0,4}(?:novel|book|play|poem|memoir)\b", 0.6),
    ),
    "producer": _phrases((_by("[Pp]roduced"), 0.95), (r"[Pp]roduction by\s+", 0.8), (r"[Pp]roducer,?\s+", 0.6), (r"<produced\b(?!\s+by)", 0.6)),
    "creator": _phrases((_by("[Cc]reated", "[Dd]evised", "[Cc]onceived"), 0.95), (_by("[Dd]eveloped", "[Dd]esigned", "[Ii]nvented"), 0.8), (r"[Cc]reation of\s+", 0.7), (r"[Cc]reator,?\s+", 0.7)),
    "founder": _phrases(
        (_by("[Ff]ounded", "[Ee]stablished", "[Ss]tarted", "[Ff]ormed", "[Ll]aunched", "[Ii]nitiated"), 0.93),
        (r"(?:[Ff]ounded|[Ee]stablished|[Ff]ormed|[Ss]tarted|[Ll]aunched|[Cc]reated)\s+in\s+(?:[\w\s]{1,40}?\s)?by\s+", 0.93), (r"[Ff]ounders?(?:\s+(?:is|was|were|are))?,?\s+", 0.75), (r"<(?:co-)?founded\b", 0.7), (_by("[Cc]reated"), 0.7),
    ),
    "publisher": _phrases((_by("[Pp]ublished", "[Ii]ssued"), 0.95), (r"published\s+(?:\w+\s+){0,3}by\s+", 0.9), (r"publication (?:of|by)\s+", 0.7), (r"[Pp]ublisher,?\s+", 0.7), (r"<publish(?:es|ed)\b(?!\s+by)", 0.6), (_by("[Rr]eleased"), 0.5)),
    "developer": _phrases((_by("[Dd]eveloped"), 0.95), (_by("[Cc]reated", "[Dd]esigned"), 0.7), (r"[Dd]eveloper,?\s+", 0.7)),
    "designer": _phrases((_by("[Dd]esigned"), 0.95), (r"[Aa]rchitects?,?\s+", 0.8), (r"[Dd]esigner,?\s+", 0.7), (_by("[Bb]uilt"), 0.5)),
    "editor": _phrases((_by("[Ee]dited"), 0.95), (r"[Ee]ditor(?:-in-chief)?,?\s+(?:is\s+|was\s+)?", 0.7)),
    "manufacturer": _phrases((_by("[Mm]anufactured", "[Pp]roduced", "[Bb]uilt", "[Mm]ade", "[Mm]arketed"), 0.93), (r"[Mm]anufacturer,?\s+", 0.7), (r"<(?:manufactures|makes|produces|builds)\b", 0.6)),
    "distributor": _phrases((_by("[Dd]istributed", "[Rr]eleased"), 0.93), (r"[Dd]istributor,?\s+", 0.7)),
    "owner": _phrases((_by("[Oo]wned", "[Aa]cquired", "[Bb]ought", "[Pp]urchased", "[Oo]perated"), 0.93), (r"(?:subsidiary|division|unit|property|part) of\s+", 0.85), (r"[Oo]wner,?\s+", 0.7), (r"<(?:owns|acquired|bought|purchased)\b", 0.7)),
    "voice": _phrases((_by("[Vv]oiced"), 0.95), (r"[Vv]oice of\s+", 0.7), (r"<(?:voiced|provides the voice|provided the voice|voices)\b", 0.8), (_by("[Pp]layed", "[Pp]ortrayed"), 0.7)),
    "cast": _phrases((_by("[Pp]layed", "[Pp]ortrayed"), 0.95), (r"[Ss]tarring\s+", 0.85), (r"\bstars\s+", 0.85), (r"[Cc]ast (?:includes|including|of)\s+", 0.8), (r"<(?:plays|played|portrayed|portrays|stars|starred)\b(?!\s+by)", 0.75)),
    "educated_at": _phrases(
        (r"(?:[Gg]raduated|[Gg]raduating|[Gg]raduate)(?:\s+(?:in|with|summa|magna|cum|[\w.]+)){0,6}?\s+(?:from|of|at)\s+", 0.93), (r"\b(?:[Ee]ducated|[Ss]tudied|[Ss]tudying|[Ss]tudies|[Tt]rained|[Ee]nrolled|degree|PhD|Ph\.D\.|doctorate|B\.A\.|M\.A\.|MBA|MA|BA)(?:\s+[\w.,’'-]+){0,8}?\s+(?:at|from|in)\s+", 0.9),
        (r"\b[Aa]ttended\s+", 0.92), (r"\b[Aa]ttending\s+", 0.85), (r"alma mater,?\s+(?:is\s+|was\s+)?", 0.85), (r"\b(?:alumnus|alumna|student) (?:of|at)\s+", 0.85),
    ),
    "employer": _phrases(
        (r"\b(?:[Pp]rofessor|[Ll]ecturer|[Tt]eacher|[Rr]esearcher|[Ii]nstructor|[Dd]irector|[Ff]ellow|faculty|staff|[Cc]urator|[Ee]conomist|[Jj]ournalist|[Cc]hair|[Dd]ean|[Pp]resident|[Ww]riter|[Aa]nalyst|[Ee]mployee)\b(?:\s+[\w-]+){0,5}?\s+(?:at|of|for|with)\s+", 0.85),
        (r"\b(?:work(?:s|ed|ing)?|taught|teaches|teaching|employed|lectured|serv(?:es|ed))\b(?:\s+[\w-]+){0,5}?\s+(?:at|for|by)\s+", 0.9), (r"\bmember of\s+(?:the\s+)?", 0.6), (r"\bjoined\s+", 0.6),
    ),
    "member_of": _phrases((r"\b(?:members?|guitarist|drummer|singer|vocalist|bassist|frontman|keyboardist|captain|player|leader)\s+(?:of|for|in|with)\s+", 0.9), (r"\bplay(?:s|ed|ing)?\s+(?:[\w-]+\s+){0,4}?(?:for|with|at)\s+", 0.9), (r"\bjoined\s+", 0.7), (r"\b(?:signed|contract) (?:for|with|by)\s+", 0.6)),
    "border": _phrases((r"\b[Bb]order(?:s|ed|ing)?\b(?:\s+(?:by|on|with|of|the|is|are|[a-z]+))*?\s+", 0.85), (r"\b(?:adjacent to|neighbou?ring|next to|adjoin(?:s|ing))\s+", 0.8), (r"\bbounded\s+(?:[a-z]+\s+){0,4}by\s+", 0.85)),
    "label": _phrases((r"\b(?:[Rr]eleased|[Ii]ssued|distributed)\b(?:\s+[\w,]+){0,8}?\s+(?:by|on|through|via|under|from)\s+", 0.8), (r"\bsigned (?:to|with|by)\s+", 0.85), (r"\blabels?,?\s+", 0.7)),
    "named_after": _phrases((r"\b(?:[Nn]amed|[Nn]ame|[Cc]alled|eponym)\b(?:\s+[\w,]+){0,6}?\s+(?:after|for|in hono[u]?r of|from)\s+", 0.9), (r"\bnamesake,?\s+", 0.7)),
    "successor": _phrases((_by("[Ss]ucceeded", "[Rr]eplaced", "followed"), 0.9), (r"\bsuccessor,?\s+", 0.7)),
    "predecessor": _phrases((r"\b(?:[Ss]ucceeded|[Ss]ucceeding|[Rr]eplaced|[Rr]eplacing)\s+(?!by\b)", 0.85), (_by("preceded"), 0.9), (r"\bpredecessor,?\s+", 0.7)),
    "broadcaster": _phrases((r"\b(?:[Aa]ir(?:ed|s|ing)|[Bb]roadcast|[Pp]remier(?:ed|es|ing)|[Rr]an|[Dd]ebuted|[Ss]hown|[Tt]elevised|series|originally|seen)\b(?:\s+[\w,]+){0,6}?\s+(?:on|by|for)\s+", 0.85), (r"\b(?:network|channel),?\s+", 0.6)),
    "influence": _phrases((_by("[Ii]nfluenced", "[Ii]nspired"), 0.9), (r"\binfluence[sd]?\b(?:\s+\w+){0,3}?\s+(?:of|from|was|were|include[sd]?)\s+", 0.8)),
    "capital": _phrases((r"\bcapital(?:\s+(?:city|and [a-z ]{3,30}))?(?:\s+(?:is|was|of [\w\s]{3,30} is))?,?\s+", 0.85), (r"<is the (?:[\w-]+\s+){0,3}capital\b", 0.8)),
}  # fmt: skip
_AWARD = re.compile(
    r"\b(?:won|wins|winning|received|receiving|recipient of|awarded|winner of|honou?red with|inducted into|earned|earning|gained|"
    r"presented with|conferred|nominated for|got|given|granted)\b\s+",
)
_PRIZE = re.compile(r"(?:Award|Prize|Medal|Order|Oscar|Hall of Fame|Grammy|Cross|Filmpreis|Emmy|Globe|Lion|Bear|Palme|Cup|Star|Bowl|Trophy|Fellowship|Padma|Ratna|Goya|Ariel|BAFTA|Tony|Pulitzer|Nobel|Honour|Honor)")
_RELEASED = re.compile(r"\b(?:released|premiered|published|issued|aired|came out|debuted|opened in theat|release date|first published|broadcast)\b", re.IGNORECASE)
_BEGUN = re.compile(
    r"\b(?:founded|established|formed|created|launched|opened|incorporated|built|constructed|inaugurated|started|began|begun|"
    r"set up|organi[sz]ed|chartered|completed|instituted|commenced|founding|dates? (?:from|back to))\b", re.IGNORECASE,
)  # fmt: skip
_POPULATION = re.compile(r"\b(?:population|inhabitants|residents|people)\b")
_NUMERAL = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?!\d)|(?<![\w.,])\d+(?:\.\d+)?(?:\s(?:million|billion))?(?![\w,]*\d)")
_NOT_SETTLED = re.compile(r"\bcensus|\bas of|\bin\s*$|\bsince\s*$|\b(?:from|by|year)\s*$")


def find_facts(evidence: Evidence, subject: str, kind: str, sort: str = "") -> list[Found]:
    """What the passages say is the subject's `kind` (see `answer_relations`), surest first; [] for kinds without rules.

    `sort` narrows "located_in" to a part of an address ("county").
    """
    if kind == "nationality":
        found = list(find_countries(evidence, subject))
    elif kind == "located_in":
        found = list(find_locations(evidence, subject, sort))
    else:
        found = list(_read(evidence, subject, kind))
    return sorted(found, key=lambda one: (-one.score, one.doc.rank, one.start))


def _read(evidence: Evidence, subject: str, kind: str) -> Iterator[Found]:
    if kind in _KIN:
        yield from find_kin(evidence, subject, kind)
        return
    about = evidence.about(subject)
    for doc, certainty in about:
        for found in read_topic(doc, kind):
            yield replace(found, score=found.score * (0.4 + 0.6 * certainty))
    if kind in ("birth_date", "death_date", "birth_place", "death_place"):
        yield from _beside_mentions(evidence, subject, kind)


def _beside_mentions(evidence: Evidence, subject: str, kind: str) -> Iterator[Found]:
    """Life dates in the brackets behind a mention in somebody else's passage."""
    event, what = kind.split("_")
    reader = life_dates if what == "date" else life_places
    for doc in evidence.docs:
        for _, end in doc.mentions(subject):
            if doc.text[end : end + 3].lstrip(" ,").startswith("("):
                yield from reader(doc, event, after=end, certain=0.7)


def read_topic(doc: Doc, kind: str) -> list[Found]:
    """What a passage says of its own topic."""
    if kind not in doc.notes:
        reader = _READERS.get(kind)
        doc.notes[kind] = list(reader(doc)) if reader else list(_roles(doc, kind))
    found: list[Found] = doc.notes[kind]
    return found


def find_owners(evidence: Evidence, value: str, kind: str) -> list[Found]:
    """The topics of the passages whose own `kind` is the given value: the films that a person directed."""
    found = []
    for doc in evidence.docs:
        agreement = [(name_score(value, one.text), one) for one in read_topic(doc, kind)]
        best = max(agreement, key=lambda pair: pair[0] * pair[1].score, default=(0.0, None))
        if best[1] is not None and best[0] >= 0.7:
            found.append(replace(doc.as_found, start=best[1].start, score=best[0] * best[1].score * 0.95))
    return sorted(found, key=lambda one: (-one.score, one.doc.rank))


def _roles(doc: Doc, kind: str) -> Iterator[Found]:
    for phrase in _ROLES.get(kind, ()):
        for match in phrase.pattern.finditer(doc.text):
            if phrase.before:
                ending = [span for span in doc.names if 0 <= match.start() - span.end <= 1]
                yield from (doc.found(span.start, span.end, phrase.score) for span in ending[-1:])
                continue
            for i, span in enumerate(names_after(doc.text, doc.names, match.end())):
                if name_score(doc.text[span.start : span.end], doc.topic) < 0.9:
                    yield doc.found(span.start, span.end, phrase.score - 0.01 * i - 0.02 * min(5, doc.sentence_index(match.start())))


def _awards(doc: Doc) -> Iterator[Found]:
    for match in _AWARD.finditer(doc.text):
        _, end = doc.sentence_span(match.end())
        for span in doc.names:
            if match.end() <= span.start < end and _PRIZE.search(doc.text, span.start, span.end):
                nominated = "nominated" in match.group()
                yield doc.found(*_with_category(doc, span.start, span.end), 0.6 if nominated else 0.9)
                break


def _with_category(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """An award with its category: "Grammy Award" "for" "Best R&B Album"."""
    following = next((span for span in doc.names if span.start >= end), None)
    if following and re.fullmatch(r"\s+(?:for|in)\s+", doc.text[end : following.start]) and doc.text[following.start :].startswith(("Best", "Outstanding")):
        return start, following.end
    return start, end


def _released(doc: Doc) -> Iterator[Found]:
    lead_year = _lead_year(doc)
    for match in _RELEASED.finditer(doc.text):
        for found in _date_near(doc, match):
            agrees = lead_year is not None and lead_year.text in found.text
            yield replace(found, score=0.95 if agrees and len(found.text) > 4 else 0.7 - 0.02 * min(9, doc.sentence_index(match.start())))
    if lead_year is not None:
        yield lead_year


def _lead_year(doc: Doc) -> Found | None:
    """The year in the definition: "is a 1962 crime film"."""
    if doc.copula < 0:
        return None
    end = min(doc.sentence_span(doc.copula)[1], doc.copula + 160)
    for date in doc.dates:
        if doc.copula <= date.start < end and date.year:
            near = date.start - doc.copula < 40
            return doc.found(date.start, date.end, 0.92 if near else 0.72)
    return None


def _date_near(doc: Doc, match: re.Match[str]) -> Iterator[Found]:
    """The first date after a verb in its sentence, else the last one before it."""
    start, end = doc.sentence_span(match.start())
    after = [date for date in doc.dates if match.end() <= date.start < min(end, match.end() + 120) and date.year and date.whole]
    before = [date for date in doc.dates if max(start, match.start() - 60) <= date.start < match.start() and date.year]
    for date in after[:1] or before[-1:]:
        yield doc.found(date.start, date.end, 0.8)


def _begun(doc: Doc) -> Iterator[Found]:
    for match in _BEGUN.finditer(doc.text):
        for found in _date_near(doc, match):
            yield replace(found, score=0.92 - 0.03 * min(9, doc.sentence_index(match.start())))
    lead = _lead_year(doc)
    if lead is not None:
        yield replace(lead, score=0.5)
    for date in doc.dates[:1]:
        if date.year and doc.copula > date.start:
            yield doc.found(date.start, date.end, 0.45)


def _population(doc: Doc) -> Iterator[Found]:
    for match in _POPULATION.finditer(doc.text):
        start, end = doc.sentence_span(match.start())
        numbers = [m for m in _NUMERAL.finditer(doc.text, start, end) if not _is_year(doc, m)]
        after = [m for m in numbers if m.start() >= match.end()] if match.group() == "population" else []
        before = [m for m in numbers if m.end() <= match.start() and match.start() - m.end() < 20]
        for number in after[:1] or before[-1:]:
            yield doc.found(number.start(), number.end(), 0.9 - 0.02 * min(9, doc.sentence_index(match.start())))


def _is_year(doc: Doc, number: re.Match[str]) -> bool:
    text = number.group()
    return len(text) == 4 and text.isdigit() and bool(_NOT_SETTLED.search(doc.text[max(0, number.start() - 12) : number.start()]))


_OCCUPATION = re.compile(r"(?:an?|the|one of the)\s+((?:[\w'’-]+[\s,]+){0,12}?[\w'’-]+)(?=\s+(?:who|from|in|of|best|known|for|at|with|and is|whose|that|on|during|active|based|by)\b|[.;(]|,\s+(?:who|best|known|and is|born|whose|where|which))")


def _occupations(doc: Doc) -> Iterator[Found]:
    """What the definition says that the topic is, without its nationality: "an American film director"."""
    match = _OCCUPATION.match(doc.text, doc.copula) if doc.copula >= 0 else None
    if match:
        start = match.start(1)
        for mention in doc.countries:
            if match.start(1) <= mention.start and mention.end < match.end(1) and mention.form == "adjective":
                start = mention.end + 1
        while start < match.end(1) and not doc.text[start].isalnum():
            start += 1
        if start < match.end(1):
            yield doc.found(start, match.end(1), 0.85)


_READERS: dict[str, Callable[[Doc], Iterable[Found]]] = {
    "birth_date": lambda doc: life_dates(doc, "birth"),
    "death_date": lambda doc: life_dates(doc, "death"),
    "birth_place": lambda doc: life_places(doc, "birth"),
    "death_place": lambda doc: life_places(doc, "death"),
    "burial_place": lambda doc: life_places(doc, "burial"),
    "death_cause": death_causes,
    "nationality": topic_countries,
    "award": _awards,
    "release_date": _released,
    "inception": _begun,
    "population": _population,
    "occupation": _occupations,
}
