"""Names in running text: runs of capitalised words, quoted titles, and the places and persons that follow a phrase."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kb.documents.plaintext import MONTHS
from tools.answer_rules.countries import is_demonym
from tools.answer_rules.text import STOP_WORDS, Token, tokenize

_QUOTED = re.compile(r"[\"“]([^\"“”\n]{1,100})[\"”]")
_ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th)")

CONNECTORS = frozenset(
    "of the de la le du des del della da di do dos das der den van von zu zum bin ibn ben al el y e i af av ter ten "
    "à au aux les en sur ye il lo und et bint ap ab ferch verch ingen mac bat ua".split()
)
_JOINING_ABBREVIATIONS = frozenset(
    "jr sr st dr mr mrs ms prof rev hon lt col gen sgt capt maj cmdr mt ft no vol gov sen adm bros vs".split()
)
_RANKS = frozenset(
    "duke duchess count countess earl baron baroness viscount viscountess marquess marquis marchioness prince princess "
    "king queen emperor empress lord lady elector landgrave margrave abbess bishop archbishop baronet duchess jr sr ii "
    "iii iv palatine caliph sultan holy".split()
)
# Words that a capital at the start of a sentence does not turn into a name.
LEADING = frozenset(
    "in on at of by for from with as after before during since until under over while when where although though "
    "because if but and or so yet he she it they we you i his her its their our this that these those there here who "
    "which what whose both also then born following according despite upon within without between among along across "
    "to into about around however other some many most all several one two three first second later once only even "
    "including like unlike through throughout near it's additionally furthermore another each every no not such "
    "let is was are were has had did does do can may will would could should my your".split()
)


@dataclass(frozen=True, slots=True)
class Span:
    """A name at [start, end) of a text; `core` is where it ends without a title after a comma (", Duke of Parma")."""

    start: int
    end: int
    core: int
    quoted: bool = False


def find_names(text: str, tokens: Sequence[Token]) -> list[Span]:
    """The capitalised names of a text in order, in linear time; none overlaps another."""
    spans: list[Span] = []
    i = 0
    while i < len(tokens):
        if not tokens[i].text[0].isupper():
            i += 1
            continue
        last, core = _run(text, tokens, i)
        first = i
        while first <= core and (tokens[first].word in LEADING and not _is_initial(text, tokens, first)):
            first += 1
        if first <= core and not (first == core and tokens[first].word in ("the", "a", "an")):
            start = _with_article(text, tokens, first)
            spans.append(Span(start, tokens[last].end, tokens[core].end))
        i = last + 1
    return spans


def _with_article(text: str, tokens: Sequence[Token], first: int) -> int:
    """Where a name starts with a small Arabic article before it ("al-Husayn")."""
    start = tokens[first].start
    if first and tokens[first - 1].text in _ARTICLES and text[tokens[first - 1].end : start] in ("-", "- ", "'"):
        return tokens[first - 1].start
    return start


_ARTICLES = frozenset("al el an ar as ad az ul".split())


def _is_initial(text: str, tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    return len(token.text) == 1 and text[token.end : token.end + 1] == "."


def _run(text: str, tokens: Sequence[Token], i: int) -> tuple[int, int]:
    """The last token of the name that starts at token i, with and without a title after a comma."""
    last, core = i, -1
    while True:
        following = _joined(text, tokens, last)
        if following <= last:
            following = _titled(text, tokens, last)
            if following <= last:
                return last, last if core < 0 else core
            core = last if core < 0 else core
        last = following


def _joined(text: str, tokens: Sequence[Token], i: int) -> int:
    """The token that goes on the name after token i, or i."""
    if i + 1 >= len(tokens):
        return i
    token, following = tokens[i], tokens[i + 1]
    gap = text[token.end : following.start]
    capital = following.text[0].isupper()
    if gap.isspace() and "\n" not in gap:
        if capital or _is_serial(token, following):
            return i + 1
        return _past_connectors(text, tokens, i)
    if gap in ("'", "’", "ʻ", "`"):
        if following.word == "s":
            return i + 1 if i and tokens[i - 1].word in ("st", "saint") else i
        return i + 1
    if gap in ("' ", "’ ", " & ", "& ", "-", "- ", "–", "‐", " '", " ’") and capital:
        return i + 1
    if gap == "&" and len(token.text) == len(following.text) == 1:
        return i + 1
    if gap in ("-", "‐") and following.text.isalpha():
        return i + 1
    if gap in (". ", ".", ".-") and capital and (len(token.text) == 1 or token.word in _JOINING_ABBREVIATIONS):
        return i + 1
    return i


def _is_serial(token: Token, following: Token) -> bool:
    """Whether a number belongs to the name before it ("Apollo 13"); years and days of a month do not."""
    return following.text.isdigit() and len(following.text) <= 2 and token.word not in _MONTH_WORDS


_MONTH_WORDS = frozenset(month.lower() for month in MONTHS)


def _past_connectors(text: str, tokens: Sequence[Token], i: int) -> int:
    for j in range(i + 1, min(i + 4, len(tokens))):
        gap = text[tokens[j - 1].end : tokens[j].start]
        if not (gap == " " or gap in ("-", "'", "’", "- ")):
            return i
        if tokens[j].text[0].isupper():
            return j
        if tokens[j].word not in CONNECTORS:
            return i
    return i


def _titled(text: str, tokens: Sequence[Token], i: int) -> int:
    """The end of ", 5th Earl of" or ", Jr" after token i, or i."""
    if i + 1 >= len(tokens) or text[tokens[i].end : tokens[i + 1].start] not in (", ", " ,", ","):
        return i
    following = tokens[i + 1]
    if following.word in _RANKS and following.text[0].isupper():
        return i + 1
    if _ORDINAL.fullmatch(following.word) and i + 2 < len(tokens) and tokens[i + 2].word in _RANKS:
        return i + 2
    return i


def find_quoted(text: str) -> list[Span]:
    """What stands between double quotation marks, without the space inside them."""
    spans = []
    for match in _QUOTED.finditer(text):
        inner = match.group(1).strip(" ,.;")
        if inner:
            start = match.start(1) + match.group(1).index(inner)
            spans.append(Span(start, start + len(inner), start + len(inner), quoted=True))
    return spans


def names_after(text: str, names: Sequence[Span], position: int) -> tuple[Span, ...]:
    """The names of the list that starts at a position: plain words of description may stand before each.

    "American producer Dillon Francis and French DJ Snake" gives both persons and neither adjective. () where none
    follows.
    """
    found: list[Span] = []
    at = position
    k = bisect_left(names, position, key=lambda span: span.start)
    while k < len(names) and len(found) < 8:
        if not _leads(text[at : names[k].start], first=not found):
            break
        k, span = _described(text, names, k)
        if span is None:
            break
        found.append(span)
        at, k = span.end, k + 1
    return tuple(found)


def _leads(gap: str, first: bool) -> bool:
    """Whether what stands before a name only describes it (after the list's "and" or comma if not the first)."""
    if len(gap) > 120:
        return False
    if not first:
        joined = _LIST_GAP.match(gap)
        if joined is None:
            return False
        gap = gap[joined.end() :]
    refused = _NO_DESCRIPTION - {"and"} if first else _NO_DESCRIPTION | _TURNS
    return _DESCRIPTION.fullmatch(gap) is not None and not refused & set(gap.casefold().replace(",", " ").split())


def _described(text: str, names: Sequence[Span], k: int) -> tuple[int, Span | None]:
    """The name that the description from names[k] on leads to: "Sony Music head Tommy Mottola" names the last."""
    for _ in range(4):
        span = names[k]
        start = _past_roles(text, span)
        if k + 1 < len(names):
            gap = text[span.end : names[k + 1].start]
            if start is None or (len(gap) < 60 and _ROLE_GAP.fullmatch(gap) and not _ended(gap)):
                k += 1
                continue
        return k, replace(span, start=start) if start is not None else None
    return k, None


def _past_roles(text: str, span: Span) -> int | None:
    """Where a name starts after forms of address and the adjective before them; None where nothing else is in it.

    "French DJ Martin Solveig" starts at Martin, "American Psychological Association" at American.
    """
    tokens = tokenize(text[span.start : span.end])
    first = 0
    while first < len(tokens) and (tokens[first].word in _ADDRESS or _is_description(tokens, first)):
        first += 1
    return span.start + tokens[first].start if first < len(tokens) else None


def _is_description(tokens: Sequence[Token], i: int) -> bool:
    return is_demonym(tokens[i].text) and (i + 1 == len(tokens) or tokens[i + 1].word in _ADDRESS)


def _ended(gap: str) -> bool:
    """Whether words between two names are more than the role of the second."""
    told = gap.replace("'s", "").replace("’s", "").casefold().split()
    plain = any(word in STOP_WORDS or word.endswith(("ed", "ing")) for word in told)
    return plain or not _ROLE_ENDING.search(told[-1].rstrip('"“') if told else "")


_ADDRESS = frozenset("dj mc hon mr mrs ms dr the actor actress singer director producer writer poet".split())
_NO_DESCRIPTION = frozenset(
    "and with in at from for based under during after before when where while that until but because as on was is were "
    "are had has have who which he she they by into against over through within".split()
)
# What begins a new thought after a list's "and" or comma.
_TURNS = frozenset(
    "of to starring stars starred featuring features including includes written produced directed released distributed "
    "published edited composed designed developed filmed married died born".split()
)
_DESCRIPTION = re.compile(r"\s*(?:[\w'’/-]+,?\s+){0,9}[\"“(\[]{0,2}\s*")
# How nouns for what a person does end ("singer", "actor", "pianist", "musician"), and some that end otherwise.
_ROLE_ENDING = re.compile(
    r"(?:er|or|ist|ian|man|ess|star|head|king|queen|poet|chief|coach|duo|band|group|trio|artist|emperor|monk)$"
)
_ROLE_GAP = re.compile(r"(?:['’]s)?(?:[\s/-]+[a-z][\w-]*){1,4}\s+[\"“]?")
_LIST_GAP = re.compile(r"[\"”]?\s*(?:\([^()]{0,80}\)\s*)?(?:,\s*and\b|,|\band\b|&|/)\s*")
