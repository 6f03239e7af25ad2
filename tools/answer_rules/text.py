"""Plain text as the answerer sees it: folded words, light stems, sentences, and how well two names agree."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from kb.documents.structure import is_heading

# Letters that Unicode decomposition leaves alone, as English texts transcribe them.
_LETTERS = str.maketrans(dict(zip("øłđðþæœıß", ("o", "l", "d", "d", "th", "ae", "oe", "i", "ss"), strict=True)))
_MARKS = re.compile(r"[\u0300-\u036f]+")
_APOSTROPHES = re.compile(r"['’ʻʼ`´ʿʾ]")
_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"\(([^()]*)\)")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]{0,3}\s+|\n+")
# Characters of the longest sentence: well above those of prose, so that only what is no sentence is cut.
MAX_SENTENCE = 800
_LETTERED = re.compile(
    r"\b(?:[A-Z][a-z]+|(?:block|silo|plan|route|team|group|room|hall|house|flat|building|part|option|type|class|unit|line"
    r"|ward|gate|door|bay|zone|section|vitamin|hepatitis|grade)s?) A(?= [a-z]|\s{0,3}(?:[^\w\s.]|\.?\s{0,3}$))",
)
"""The letter that names one of several, behind a noun that is one's name or has such: no article is a capital within a
sentence, but in a title.
"""
_LAST_WORD = re.compile(r"[\w.'’]{1,20}$")
_SPACE = re.compile(r"\s+")

_ABBREVIATIONS = frozenset(
    "mr mrs ms dr st jr sr prof rev hon gen col lt sgt capt maj cmdr gov sen rep pres no nos vol op ca c fl b d r vs "
    "etc inc ltd co corp bros mt ft ave jan feb mar apr jun jul aug sep sept oct nov dec lit approx e.g i.e".split()
)

STOP_WORDS = frozenset(
    "a an the of in on at to for from by with and or but as is was are were be been being has have had do does did it "
    "its this that these those he she they him her his their them who whom whose which what when where why how there "
    "than then so if into out up about over after before between during also not no s t both same one".split()
)

_ALIKE = {
    "born": "birth", "birthplace": "birth", "birthdate": "birth", "birthday": "birth",
    "died": "death", "die": "death", "dies": "death", "dead": "death", "dying": "death",
    "married": "marri", "marriage": "marri", "marry": "marri",
    "founder": "found", "founded": "found", "foundation": "found", "headquartered": "headquart",
    "headquarters": "headquart", "actress": "act", "actor": "act", "people": "people", "county": "county",
    "counties": "county", "country": "country", "countries": "country", "cities": "city",
    "films": "film", "movie": "film", "movies": "film",
    "populated": "popul", "population": "popul", "populous": "popul", "inhabitants": "popul",
    "located": "locat", "location": "locat", "situated": "locat", "starring": "star", "starred": "star",
    "production": "produc", "direction": "direct", "composition": "compos", "publication": "publish",
    "performance": "perform", "destruction": "destro", "invention": "invent",
}  # fmt: skip
"""Words that say of a thing what others do, with the stem of these."""

_FORMS = (
    "write wrote written writer,sing sang sung singer,win won winner winning,build built,lead led leader",
    "hold held holder,teach taught teacher,fight fought,begin began begun,run ran runner running,wear wore worn",
    "give gave given,make made maker,sell sold,buy bought,become became,leave left,meet met,rule ruler,own owner",
    "pay paid,keep kept,send sent,lend lent,tell told,take took taken,go went gone,come came,see seen,spend spent",
    "lose lost,say said,throw threw thrown,grow grew grown,drive drove driven driver,break broke broken",
    "choose chose chosen,know knew known,fly flew flown,speak spoke spoken,steal stole stolen,swim swam,eat ate eaten",
    "hang hung,lay laid,sleep slept,sweep swept,deal dealt,mean meant,bring brought,catch caught,think thought",
    "sit sat,stand stood,fall fell fallen,forget forgot forgotten,hide hid hidden,ride rode ridden rider",
    "ring rang rung,shake shook shaken,show shown,sink sank sunk,stick stuck,strike struck,tear tore torn",
    "understand understood,wake woke woken,bend bent,bite bitten,blow blew blown,burn burnt,dig dug,feed fed",
    "freeze froze frozen,hear heard,learn learnt,seek sought,spill spilt,use used using,owe owed owing,tie tied tying",
    "child children,deliver delivery deliveries,recover recovery,discover discovery discoveries,wife wives,man men",
    "woman women",
)
"""Words and those of their forms from which no ending can be taken off."""

_SPELT = {
    "licence": "license", "licences": "licenses", "centre": "center", "centres": "centers", "colour": "color",
    "colours": "colors", "grey": "gray", "programme": "program", "programmes": "programs", "catalogue": "catalog",
    "organisation": "organization", "organisations": "organizations", "theatre": "theater", "cheque": "check",
    "tyre": "tire", "tyres": "tires", "defence": "defense", "metre": "meter", "metres": "meters", "litre": "liter",
    "litres": "liters", "kilometre": "kilometer", "kilometres": "kilometers", "storey": "story",
}  # fmt: skip
# What columns and fields are called in short, as far as it stands for nothing else.
_SHORT = {
    "acct": "account", "addr": "address", "amt": "amount", "asst": "assistant", "avg": "average", "dept": "department",
    "ext": "extension", "loc": "location", "max": "maximum", "mfr": "manufacturer", "mgr": "manager",
    "pwd": "password", "qty": "quantity", "ref": "reference", "tel": "telephone", "temp": "temperature",
}  # fmt: skip
# Endings with the letters that have to stay before each.
_SUFFIXES = (
    ("ations", 4), ("ation", 4), ("ings", 3), ("ing", 3), ("ers", 4), ("ors", 4), ("ed", 3), ("er", 4), ("or", 4),
    ("es", 3), ("s", 3), ("e", 3), ("y", 4), ("ly", 4),
)  # fmt: skip
_OF_VERBS, _INNER = ("ed", "ing", "ings", "er", "ers"), ("y", "er", "or")


def fold(text: str) -> str:
    """Lower case without accents or apostrophes, so that "Jølsen", "JOLSEN" and "Jolsen" agree."""
    text = text.casefold()
    if text.isascii():
        return _APOSTROPHES.sub("", text)
    text = _MARKS.sub("", unicodedata.normalize("NFKD", text.translate(_LETTERS)))
    return _APOSTROPHES.sub("", text)


@lru_cache(maxsize=50_000)
def fold_word(word: str) -> str:
    """`fold` for single words, of which texts repeat most."""
    return fold(word)


def words(text: str) -> list[str]:
    """The folded words of a text in order, without punctuation."""
    return _WORD.findall(fold(text))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A light stem of a folded word: "directed", "director" and "directing" all give "direct"; so do both spellings."""
    word = _SPELT.get(word) or _SHORT.get(word, word)
    return _IRREGULAR.get(word) or _without_ending(word)


def _without_ending(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > 4:
        word = f"{word[:-3]}y"
    elif word.endswith("ie") and len(word) > 4:
        word = f"{word[:-2]}y"
    elif word.endswith("eys"):
        word = word[:-1]
    for suffix, least in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= least:
            word = word[: -len(suffix)]
            if suffix in _OF_VERBS:  # "delivered" leaves "deliver", of which less is left by itself
                word = next(
                    (word[: -len(one)] for one in _INNER if word.endswith(one) and len(word) > len(one) + 3), word
                )
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


_IRREGULAR = _ALIKE | {
    form: _without_ending(base)
    for base, *forms in (group.split() for group in ",".join(_FORMS).split(","))
    for form in forms
}


def says(text: str, name: str) -> bool:
    """Whether a text has all words of a name in a row; nothing says a name without words."""
    name_words = _in_a_row(name)
    return bool(name_words.strip()) and name_words in _in_a_row(text)


@lru_cache(maxsize=4_096)
def _in_a_row(text: str) -> str:
    return f" {' '.join(words(text))} "


def content_stems(text: str) -> list[str]:
    """The distinct stems of a text's words that carry meaning, in order; the letter of "Silo A" is one of them."""
    stems = [stem(word) for word in words(text) if word not in STOP_WORDS]
    return list(dict.fromkeys([*stems, "a"] if " A" in text and _LETTERED.search(text) else stems))


def squeeze(text: str) -> str:
    """A text on one line, without surrounding space."""
    return _SPACE.sub(" ", text).strip()


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text start and end; abbreviations and initials do not end one. Linear in the text."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match.start() >= start and _ends_sentence(text, match):
            spans += _pieces(text, start, match.end())
            start = match.end()
    return spans + _pieces(text, start, len(text)) if text[start:].strip() else spans


def told_sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line and without the mark of a list before it; headings tell nothing."""
    told = (squeeze(text[start:end]) for start, end in sentence_spans(text))
    return [sentence.lstrip("-–•* ") for sentence in told if not is_heading(sentence)]


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A sentence, or the pieces of one that is none: a list or a table that runs on without a full stop."""
    pieces = []
    while end - start > MAX_SENTENCE:
        space = text.rfind(" ", start, start + MAX_SENTENCE)
        cut = space + 1 if space > start else start + MAX_SENTENCE
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, end)]


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    if "\n" in match.group():
        return bool(text[: match.start()].strip()) or match.start() > 0
    following = text[match.end() : match.end() + 1]
    if following.islower():
        return False
    if match.group()[0] != ".":
        return True
    last = _LAST_WORD.search(text[max(0, match.start() - 20) : match.start()])
    word = last.group().strip("'’.").casefold() if last else ""
    return not (word in _ABBREVIATIONS or (len(word) == 1 and not word.isdigit()))


def bare_title(title: str) -> str:
    """A title without what stands in brackets: "Alibi (1929 film)" gives "Alibi"."""
    bare = squeeze(_BRACKETS.sub(" ", title))
    return bare or squeeze(title)


class _Name(NamedTuple):
    """A name's words: as a whole in one piece, set apart by spaces, those that tell it from others, and those of its
    brackets.
    """

    joined: str
    spaced: str
    content: tuple[str, ...]
    inside: frozenset[str]


@lru_cache(maxsize=20_000)
def _name(text: str) -> _Name:
    inside = " ".join(match.group(1) for match in _BRACKETS.finditer(text))
    mine = tuple(words(bare_title(text)))
    return _Name("".join(mine), " ".join(mine), _content(mine), frozenset(words(inside)))


@lru_cache(maxsize=50_000)
def name_score(mention: str, title: str) -> float:
    """How well a mention agrees with a title, 0..1: 1 the same name, 0.9 but for brackets, 0.5 and more a part of it.

    Spelling, accents, initials and order of capitals are forgiven; contradicting brackets ("1934 film" against
    "1941 film") are not. Empty names agree with nothing. Callers ask for 0.85 where it has to be the same thing under
    another spelling, for 0.7 where at least half of the name has to be there, for 0.6 where a part of it will do.
    """
    mine, other = _name(mention), _name(title)
    if not mine.joined or not other.joined:
        return 0.0
    agreement = _agreement(mine, other)
    inside, outside = mine.inside, other.inside
    if agreement == 0.0 or (not inside and not outside):
        return agreement
    if inside and outside:
        shared = len(inside & outside) / len(inside | outside)
        return agreement * (0.5 + 0.5 * shared)
    return agreement * 0.9


def _agreement(mine: _Name, other: _Name) -> float:
    if mine.joined == other.joined:
        return 1.0
    if mine.content == other.content:
        return 0.97
    short, long = sorted((mine.content, other.content), key=len)
    if _within(short, long):
        return 0.55 + 0.35 * len(short) / len(long)
    return _spelling(mine.spaced, other.spaced)


def _content(name: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(word for word in name if word not in ("the", "a", "an", "of"))
    return kept or name


def _within(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Whether every word of the shorter name stands in the longer one in order, an initial standing for its word."""
    if max(map(len, short)) == 1 or (len(short) == 1 and len(short[0]) < 3):
        return False
    # Most names are not alike, and no word of the one begins as the first of the other does: a look at letters tells.
    if short[0][0] not in [word[0] for word in long]:
        return False
    rest = iter(long)
    return all(any(_same_word(word, other) for other in rest) for word in short)


def _same_word(word: str, other: str) -> bool:
    return word == other or ((len(word) == 1 or len(other) == 1) and word[0] == other[0])


def _spelling(mine: str, other: str) -> float:
    """Agreement of two differently spelt names by shared pairs of letters; below three quarters it counts for nothing.

    Three quarters admits one damaged or transcribed letter in a name of two words, and no two different names of one
    family ("John Smith", "Joan Smyth").
    """
    if len(mine) < 6 or len(other) < 6 or mine[0] != other[0]:
        return 0.0
    pairs, others = _pairs(mine), _pairs(other)
    dice = 2 * len(pairs & others) / (len(pairs) + len(others))
    return 0.8 * dice if dice >= 0.75 else 0.0


@lru_cache(maxsize=20_000)
def _pairs(text: str) -> frozenset[str]:
    return frozenset(text[i : i + 2] for i in range(len(text) - 1))


class Token(NamedTuple):
    """A word of a text at [start, end): as it stands, and folded."""

    start: int
    end: int
    text: str
    word: str


def tokenize(text: str) -> list[Token]:
    """The words of a text with their places."""
    return [Token(m.start(), m.end(), m.group(), fold_word(m.group())) for m in _WORD.finditer(text)]
