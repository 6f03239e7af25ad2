"""The names, dates and numbers that a sentence states: what a passage has to have for the sentence to rest on it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assistant.agent.citing.stated_values import ORDINALS, comparable, digit_numbers, spelled_numbers
from kb.graph.extraction import find_mentions
from tools.answer_rules.countries import is_demonym
from tools.answer_rules.text import fold
from tools.answer_rules.values import Date, find_dates

Language = Literal["english", "german", "other"]
"""How names show: in English by their capitals; in German every noun has one; elsewhere their endings change too."""

_LITTLE_WORDS: dict[Language, frozenset[str]] = {
    "english": frozenset(
        "the of is and by who which a an to he she it his her its that this for from with both are were was at on has "
        "had born died directed made came in so therefore because as when where than not".split()
    ),
    "german": frozenset(
        "der die das und ist wurde ein eine von im dem den des mit er sie aus zu war als auch am".split()
    ),
    "other": frozenset(
        "le la les un une est dans du des et elle il en el los las del que su é foi na no um uma o da do di che nel "
        "het een van op och av är som na w z się jest".split()
    ),
}
_CITATIONS = re.compile(r"\s?\[\d{1,4}(?:\s*,\s*\d{1,4})*\]|\\\[\d{1,4}\\\]")
"""Those of the answer, and footnote marks of a passage that is quoted."""
_LINK = re.compile(r"!?(?<!\\)\[((?:[^\[\]\\]|\\.)*)\]\((?:[^()]|\([^()]*\))*\)")
_ESCAPED = re.compile(r"\\([^\w\s]|_)")
_MARKUP = re.compile(r"(?<!\\)[*`~]+|(?<![\w\\])_+|_+(?!\w)")
_LIST_MARK = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*+•>#]+)\s+", re.MULTILINE)
_COUNTER = re.compile(r"\b(?:step|hop|passage|passages|source|sources|document|evidence|fact)\s+#?\d{1,3}\b:?", re.I)
_HEDGE = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|over|than|some|circa|ca\.?|etwa|rund|environ)\s+\W?$", re.I
)
_WORD = re.compile(r"[^\W_]+")
_APOSTROPHES = re.compile(r"['’ʻʼ`´ʿʾ]")
_LOWER = re.compile(r"(?<![\w])[^\W\d_A-Z]{2,}(?!\w)")
_ROMAN_AT_END = re.compile(r"(?<=\w [IVX])\.\Z")
"""The full stop behind "Lothair I", where the sentence ends with it."""
_OPENER = re.compile(r"[\s\"'“”‘’«»(\[–—-]*\Z")
_SAYS_OF = re.compile(
    r"['’]s?\b|,? (?:is|was|has|had|became|remains|lies|died|wrote|directed|founded|won|married|who|which)\b"
)
_COMMON_ENDINGS = ("ing", "ed", "ly", "tion", "sion", "ment", "ness", "ity", "ism", "ence", "ance", "ship")

_LITTLE = frozenset(
    "the a an of and or de la le les du des von van der den di da del della dos al el bin ibn y e et zu in on at for "
    "to with by from as but so die das dem ein eine einer im am und il lo gli un una une los las os w z na".split()
)
_GERMAN_JOINTS = re.compile(r"\s+(?:de[rsnm]|die|das|von|vom|und|im|am|in|zu[mr]?|eine[rsnm]?|ein)\s+", re.IGNORECASE)
"""Between two German nouns; "van" and "de" stand within names."""
_HONORIFICS = frozenset(
    "mr mrs ms miss mx dr sir dame lady lord king queen prince princess emperor empress pope saint president professor "
    "prof general captain colonel count countess duke duchess baron herr frau monsieur madame".split()
)
_SAME_WORD = {
    "st": "saint", "mt": "mount", "ft": "fort", "jr": "junior", "sr": "senior", "ii": "2", "iii": "3", "iv": "4",
    "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12", "xiii": "13", "xiv": "14", "xv": "15",
    "xvi": "16", "1st": "1", "2nd": "2", "3rd": "3",
} | {word: str(number) for word, number in ORDINALS.items()}  # fmt: skip
_ROMAN = {"I": "1", "V": "5", "X": "10"}
_LEAST_SPELLED = 3
"""Numbers in words that are checked: "one" and "two" are ordinary words more often than counts."""


@dataclass(frozen=True, slots=True)
class Term:
    """A name, an adjective of a country, a date or a number.

    `words` are those of a name that tell, folded; `date` is (year, month, day) with 0 for what is not said, and `span`
    the years of a decade or century; `values` are what a number may mean, `rough` whether it is said to be about that.
    """

    kind: Literal["name", "country", "date", "number"]
    text: str
    words: tuple[str, ...] = ()
    date: tuple[int, int, int] = (0, 0, 0)
    span: int = 0
    values: frozenset[float] = frozenset()
    rough: bool = False


def readable(markdown: str) -> str:
    """A sentence of Markdown as it reads: no citations, links as their text, no emphasis, escapes resolved."""
    text = without_links(_CITATIONS.sub("", markdown))
    text = _ESCAPED.sub(r"\1", _MARKUP.sub("", text))
    return " ".join(html.unescape(_LIST_MARK.sub("", text)).split())


def without_links(markdown: str) -> str:
    """Markdown with the texts of its links and images in their place, and nothing of where they lead."""
    return _LINK.sub(r"\1", markdown)


def language_of(text: str) -> Language:
    """The kind of language by its little words, or by letters that English has not; English where nothing tells."""
    small = [word for word in _WORD.findall(text) if word.islower()]
    hits = {language: sum(word in known for word in small) for language, known in _LITTLE_WORDS.items()}
    if hits["english"] >= max(hits["german"], hits["other"], 1):
        return "english"
    if hits["german"] or hits["other"]:
        return "german" if hits["german"] >= hits["other"] else "other"
    return "other" if any(not letter.isascii() for word in small for letter in word) else "english"


def terms(sentence: str, ordinary: frozenset[str] = frozenset(), language: Language = "english") -> list[Term]:
    """The terms of a readable sentence in the order dates, names, numbers.

    `ordinary` are words known to be written small elsewhere: with one of them, or with a word that no rule takes for a
    name, a sentence may begin. [] for a sentence that states none.
    """
    text = comparable(_COUNTER.sub(" ", sentence))
    found: list[Term] = []
    for date in find_dates(text):
        if term := _date_term(date):
            found.append(term)
            text = _blanked(text, date.start, date.end)
    for start, end, term in _names(text, ordinary, language):
        found += [term] if term else []
        text = _blanked(text, start, end)
    return list(dict.fromkeys([*found, *_numbers(text)]))


def compared(text: str) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """The words of a text as they are compared, folded, and whether each has a capital.

    "II" and "second" are "2", "St" is "saint", and an initial keeps its full stop.
    """
    text = _APOSTROPHES.sub("", text)
    found = list(_WORD.finditer(text))
    same = (_same_form(match[0], text[match.end() : match.end() + 1]) for match in found)
    return tuple(same), tuple(match[0][0].isupper() for match in found)


def _same_form(word: str, behind: str) -> str:
    if len(word) == 1 and word.isupper():
        return f"{fold(word)}." if behind == "." else _ROMAN.get(word, fold(word))
    folded = fold(word)
    return _SAME_WORD.get(folded, folded)


def name_words(name: str) -> tuple[str, ...]:
    """The words of a name that tell; the others too, where there are none."""
    every, _ = compared(name)
    telling = tuple(word for word in every if word not in _LITTLE and word not in _HONORIFICS)
    return telling or every


def small_words(text: str) -> frozenset[str]:
    """The words that a text writes small."""
    return frozenset(fold(word) for word in _LOWER.findall(text))


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + ";" * (end - start) + text[end:]


def _date_term(date: Date) -> Term | None:
    """Years by themselves are numbers like others, but for those of an era and of a span."""
    when = (date.year, date.month, date.day)
    if not date.whole:
        return Term("date", date.text, date=when, span=10 if date.text.endswith("s") else 100)
    return Term("date", date.text, date=when) if date.month or date.year < 0 else None


def _names(text: str, ordinary: frozenset[str], language: Language) -> Iterator[tuple[int, int, Term | None]]:
    """Each name with where it stands; without a term where it need not be in a passage."""
    for mention in find_mentions(text, [(0, len(text))]):
        if mention.kind != "name":
            continue
        names = [_ROMAN_AT_END.sub("", mention.name)]
        if language == "german":
            names = _GERMAN_JOINTS.split(names[0])
        elif _OPENER.match(text[: mention.start]):
            names = [_without_opener(names[0], text[mention.end :], ordinary, language)]
        for name in names:
            yield mention.start, mention.end, _name_term(name, language)


def _name_term(name: str, language: Language) -> Term | None:
    every = name_words(name)
    words = tuple(word for word in every if not is_demonym(word))
    if not words and len(every) == 1:
        return Term("country", name)
    known = len(words) == 1 and (len(words[0].strip(".")) < 2 or words[0].isdigit())
    single_noun = language == "german" and len(words) < 2
    return Term("name", name, words) if words and not known and not single_noun else None


def _without_opener(name: str, following: str, ordinary: frozenset[str], language: Language) -> str:
    """A name that begins a sentence, without a first word that is no part of it; "" where nothing is left."""
    first, *rest = name.split()
    key = fold(first)
    if rest:
        common = language == "other" or key in ordinary or key in _LITTLE or key.endswith(("ing", "ed", "ly"))
        return " ".join(rest) if common else name
    if first.isupper() and len(first) > 1:
        return name
    said = _SAYS_OF.match(following)
    return name if said and key not in ordinary and not key.endswith(_COMMON_ENDINGS) else ""


def _numbers(text: str) -> Iterator[Term]:
    for start, end, values in digit_numbers(text):
        yield Term("number", text[start:end], values=values, rough=bool(_HEDGE.search(text[:start])))
        text = _blanked(text, start, end)
    for start, end, value in spelled_numbers(text):
        if value >= _LEAST_SPELLED:
            yield Term("number", text[start:end], values=frozenset({value}), rough=bool(_HEDGE.search(text[:start])))
