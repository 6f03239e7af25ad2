"""A question as tokens: words, punctuation, possessives, and names as one token each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tools.planning.lexicon import KNOWN_WORDS, NOUNS, RELATIONS, VERB_FORMS, singular
from tools.planning.words import (
    AUXILIARIES,
    FOREIGN_LINKS,
    FUNCTION_WORDS,
    MULTIWORD,
    NAME_LINKS,
    NATIONALITIES,
    NOUN_TYPES,
    PREPOSITIONS,
    WH,
)

TokenKind = Literal["word", "name", "possessive", "punctuation"]

# A question is planned from its first characters only: the longest of the benchmarks' questions has under 500.
MAX_CHARACTERS = 1000
# Words of a lower-case stretch inside a name, as "of the" in "Lord of the Rings".
_MAX_LINKS = 3
_LISTING = frozenset(
    "starring stars starred star featuring features featured between among by with includes including".split()
)
# No name ends with these: a lower-case word behind them still belongs to it.
_OPEN_ENDS = frozenset("the a an of about my your our and".split())

_YEAR = re.compile(r"\d{4}(?:[-–]\d{2,4})?")
# "in 2012 Obama": a number behind these is a date.
_DATING = frozenset("in since from by until before after between during".split())

_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "`": "'", "\u00a0": " "})
_TOKEN = re.compile(
    r"""(?P<quote>"[^"]{1,200}"|(?<!\w)'[^'\s][^']{1,80}'(?!\w))
      | (?P<bracket>\([^()]{1,120}\))
      | (?P<word>[¿¡]?[^\W_](?:[\w.&/%’'+*$#@-]*[\w%+*$#])?'?|'\w+|[&–—-]|\$[\d.,]*\d)
      | (?P<punctuation>[^\w\s])""",
    re.VERBOSE,
)
_INITIAL = re.compile(r"(?:\w\.)*\w")
_ABBREVIATIONS = frozenset(
    "st mr mrs ms dr jr sr vs no mt ft inc ltd co corp gen col lt sgt rev hon prof capt op vol".split()
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its place in the normalised question. `text` of a name has no quotes around it."""

    text: str
    kind: TokenKind
    start: int
    end: int
    capital: bool = False
    first: bool = False

    @property
    def low(self) -> str:
        """The word in lower case; "" for a name, so that no name is taken for a word of the grammar."""
        return "" if self.kind == "name" else self.text.lower()


END = Token("", "punctuation", -1, -1)


def normalise(question: str) -> str:
    """The question in NFC with plain quotes and single spaces, without marks at its ends, cut at MAX_CHARACTERS.

    A question mark that opens a word goes too, since that is how a plan writes its variables.
    """
    text = unicodedata.normalize("NFC", question[: 4 * MAX_CHARACTERS]).translate(_QUOTES)
    text = re.sub(r"(?<!\S)\?+(?=\S)", "", text)
    return " ".join(text.split())[:MAX_CHARACTERS].rstrip(" ?.!;:,").lstrip(" ?")


def tokenise(text: str) -> list[Token]:
    """The raw tokens of a normalised question: no names joined yet, quoted strings and brackets whole."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind, raw, start = str(match.lastgroup), match.group(), match.start()
        if kind == "quote":
            tokens.append(Token(raw[1:-1].strip(" ,."), "name", start, match.end()))
        elif kind == "word":
            tokens += _words(raw, start, text)
        else:
            tokens.append(Token(raw, "punctuation", start, match.end(), capital=kind == "bracket"))
    return _mark_first(_join_phrases(tokens))


def _words(raw: str, start: int, text: str) -> list[Token]:
    """A word, and the possessive that it ends in. Title case writes a title's own 's as 'S, which stays."""
    end = start + len(raw)
    following = text[end:].lstrip()[:1]
    # "the Nets' home" but not "the 'Nets'": a possessive after s stands before another word.
    cut = 2 if raw.endswith("'s") else 1 if raw.endswith("s'") and following.isalpha() else 0
    inside_title = raw[:1].isupper() and following.isupper()
    if not cut or inside_title:
        stripped = raw.rstrip("'") if not raw.endswith(("s'", "n'")) else raw
        return [Token(stripped, "word", start, start + len(stripped), _is_capital(stripped))]
    if raw in ("'s", "'"):
        return [Token(raw, "possessive", start, end)]
    word = raw[:-cut]
    return [
        Token(word, "word", start, end - cut, _is_capital(word)),
        Token(raw[-cut:], "possessive", end - cut, end),
    ]


def _is_capital(word: str) -> bool:
    """Whether a word may belong to a name by its look: capital, digit, or a script without case."""
    character = word.lstrip("'-–—¿¡")[:1]
    return character.isdigit() or (character.isalpha() and not character.islower())


def _join_phrases(tokens: list[Token]) -> list[Token]:
    """Known expressions of two or three words ("place of birth") as one word."""
    joined: list[Token] = []
    position = 0
    while position < len(tokens):
        size = next((n for n in (3, 2) if _phrase(tokens[position : position + n], n)), 1)
        token = tokens[position]
        if size > 1:
            phrase = MULTIWORD[" ".join(part.low for part in tokens[position : position + size])]
            token = Token(phrase, "word", token.start, tokens[position + size - 1].end)
        joined.append(token)
        position += size
    return joined


def _phrase(tokens: Sequence[Token], size: int) -> bool:
    return (
        len(tokens) == size
        and not any(token.capital or token.kind != "word" for token in tokens)
        and " ".join(token.low for token in tokens) in MULTIWORD
    )


def _mark_first(tokens: list[Token]) -> list[Token]:
    """Mark the tokens that open a sentence: their capital says nothing."""
    return [replace(token, first=_opens_sentence(tokens, position)) for position, token in enumerate(tokens)]


def _opens_sentence(tokens: Sequence[Token], position: int) -> bool:
    if position == 0:
        return True
    mark, low = tokens[position - 1].text, tokens[position].low
    if mark not in (".", "?", "!") or not tokens[position].capital:
        return False
    if position + 1 < len(tokens) and tokens[position + 1].capital and mark != ".":
        return False
    if low in WH | AUXILIARIES or low in ("and", "in", "he", "she", "it", "they"):
        return True
    before = tokens[position - 2] if position > 1 else END
    abbreviated = before.text.lower() in _ABBREVIATIONS or _INITIAL.fullmatch(before.text) is not None
    return mark == "." and not abbreviated


def starts_name(tokens: Sequence[Token], position: int) -> bool:
    """Whether a name begins at `position`, by capitals and by what stands around it."""
    token = tokens[position]
    after = tokens[position + 1] if position + 1 < len(tokens) else END
    if token.kind == "name":
        return True
    if not token.capital or (token.text[0].isdigit() and not (after.capital and after.kind == "word")):
        return False
    if position and tokens[position - 1].low in _DATING and _YEAR.fullmatch(token.text):
        return False
    if _is_office(tokens, position):
        return False
    if token.text.startswith("("):
        return token.text[1:2].isupper() and after.capital
    lower_follows = not after.capital and after.kind == "word"
    if token.low.split("-")[-1] in NATIONALITIES and (lower_follows or not after.capital):
        return False
    if token.text.lower().endswith(("-based", "-born", "-themed")):
        return False
    return not token.first or not _is_opening_word(token, after)


def _is_office(tokens: Sequence[Token], position: int) -> bool:
    """Whether a capitalised role stands for who holds it: "the King of Spain", "the CEO of X"."""
    following = tokens[position + 1] if position + 1 < len(tokens) else END
    before = tokens[position - 1] if position else END
    held = NOUNS.get(tokens[position].low, ("",))[-1]
    office = held and RELATIONS[held].tail_type == "person" and following.low == "of" and not following.capital
    return bool(office) and not before.capital and (before.low in ("the", "who") or before.low in AUXILIARIES)


def _is_opening_word(token: Token, after: Token) -> bool:
    """Whether a sentence's first word is an ordinary word; "The" is one unless a name follows it."""
    low = token.low
    if low in ("the", "a") and after.capital and after.kind == "word" and not after.text[0].isdigit():
        return False
    if low in FUNCTION_WORDS or singular(low) in NOUN_TYPES or singular(low) in NOUNS:
        return True
    return low in VERB_FORMS and not after.capital


def name_end(tokens: Sequence[Token], position: int, split_and: bool = False) -> int:
    """Where the name that begins at `position` ends (exclusive); `split_and` ends it at a lower-case "and"."""
    if tokens[position].kind == "name":
        return position + 1
    end = position + 1
    while end < len(tokens):
        step = _name_step(tokens, position, end, split_and)
        if not step:
            break
        end += step
    return end


def _name_step(tokens: Sequence[Token], start: int, end: int, split_and: bool) -> int:
    """How many tokens from `end` on belong to the name tokens[start:end]; 0 where it ends."""
    token = tokens[end]
    following = tokens[end + 1] if end + 1 < len(tokens) else END
    if token.first or token.kind in ("name", "possessive"):
        return 0
    if token.text.startswith("("):
        return 1
    if token.kind == "punctuation":
        return _punctuation_step(tokens, start, end, following)
    if token.capital or not token.text.isascii():
        return 0 if _is_asked_adjective(tokens, end) else 1
    if token.low in FUNCTION_WORDS and tokens[end - 1].low in _OPEN_ENDS and end - start > 1:
        return 0
    if (tokens[end - 1].low in _OPEN_ENDS and end - start > 1) or _is_foreign_run(tokens, end):
        return 1
    foreign = any(part.low in FOREIGN_LINKS and not part.capital for part in tokens[start + 1 : end])
    if foreign and token.low not in KNOWN_WORDS:
        return 1
    return _link_step(tokens, start, end, split_and)


def _is_asked_adjective(tokens: Sequence[Token], position: int) -> bool:
    """Whether the last word is what "Is the director of X American?" asks."""
    last = position == len(tokens) - 1
    return last and tokens[0].low in AUXILIARIES and tokens[position].low in NATIONALITIES


def _is_foreign_run(tokens: Sequence[Token], end: int) -> bool:
    """Whether three or more words that English grammar does not know stand here, as in a title of another language."""
    run = tokens[end : end + 3]
    return len(run) == 3 and all(
        part.kind == "word" and part.low not in KNOWN_WORDS and singular(part.low) not in NOUNS | NOUN_TYPES.keys()
        for part in run
    )


def _punctuation_step(tokens: Sequence[Token], start: int, end: int, following: Token) -> int:
    """Marks that a name holds: the comma of "Paris, Texas", the colon of a subtitle, the point of "St. Mary"."""
    mark = tokens[end].text
    if mark in "?!":
        return 1 if following.text and not following.first else 0
    joins = following.capital and following.kind == "word" and not following.first
    if mark == ".":
        return 1 if joins or tokens[end - 1].low in _ABBREVIATIONS else 0
    digits = following.text.isdigit() and not tokens[end - 1].text.isdigit()
    adjective = following.low in NATIONALITIES and not _capital_at(tokens, end + 2)
    if mark == "," and _is_list(tokens, start, end):
        return 0
    return 1 if mark in ",:;" and joins and not digits and not adjective and following.low not in WH else 0


def _is_list(tokens: Sequence[Token], start: int, comma: int) -> bool:
    """Whether names of two words or more stand in a row, "A B, C D and ...", rather than "A B, C" as one."""
    after = comma + 1
    while after < len(tokens) and tokens[after].capital and tokens[after].kind == "word":
        after += 1
    closes = after < len(tokens) and tokens[after].low == "and" and not tokens[comma + 1].text[0].isdigit()
    plain = all(token.capital and token.kind == "word" for token in tokens[start:comma])
    return closes and plain and comma - start > 1 and after - comma > 2


def _lists_people(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether "and" at `end` joins two names of two words after a word that takes several: "starring A B and C D"."""
    before = tokens[start - 1].low if start else ""
    joined = tokens[end].low == "and" and end - start > 1 and _capital_at(tokens, end + 2)
    return joined and before in _LISTING


def _link_step(tokens: Sequence[Token], start: int, end: int, split_and: bool) -> int:
    """Up to three lower-case link words, where a capital follows them."""
    split_and = split_and or _lists_people(tokens, start, end)
    for size in range(1, _MAX_LINKS + 1):
        token = tokens[end + size - 1] if end + size - 1 < len(tokens) else END
        if token.low not in NAME_LINKS or token.kind != "word" or (split_and and token.low in ("and", "&")):
            return 0
        following = tokens[end + size] if end + size < len(tokens) else END
        if following.capital and following.kind == "word":
            numeric = following.text[0].isdigit() and token.low in PREPOSITIONS - {"of"}
            adjective = following.low in NATIONALITIES and not _capital_at(tokens, end + size + 1)
            return 0 if numeric or adjective else size
        if token.low in FOREIGN_LINKS and following.kind == "word" and following.low not in FUNCTION_WORDS:
            return size
    return 0


def _capital_at(tokens: Sequence[Token], position: int) -> bool:
    return position < len(tokens) and tokens[position].capital


def join_names(tokens: Sequence[Token], text: str) -> list[Token]:
    """The tokens with every name as one token of kind "name". A word like "both" says that "and" joins two names."""
    split_and = any(
        token.low in ("both", "their", "respective", "common", "each") and (token.first or not token.capital)
        for token in tokens
    )
    joined: list[Token] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if not starts_name(tokens, position):
            joined.append(token)
            position += 1
            continue
        end = name_end(tokens, position, split_and)
        if token.kind != "name":
            span = (token.start, tokens[end - 1].end)
            token = Token(text[span[0] : span[1]].strip(), "name", *span, capital=True, first=token.first)
        joined.append(token)
        position = end
    return joined
