"""Cutting documents into passages that fit the embedding model, at the ends of paragraphs and sentences."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from kb.documents.structure import Line, Outline, is_heading, section, starts_line, structured_lines
from kb.records import Document, Piece

CountTokens = Callable[[Sequence[str]], list[int]]
"""Tokens of each text, special tokens not counted and nothing truncated: at most one a byte of UTF-8, and one more."""

Span = tuple[int, int]

# Sentences ------------------------------------------------------------------------------------------------------------

# Where a sentence may end: a blank line; a line end; full stops that need no space after them; and those that do. One
# set of characters comes first, as the search then skips all others quickly.
_CANDIDATE = re.compile(
    r"[\n.!?…؟۔։。！？｡।॥]"
    r"(?:(?<=\n)(?:(?P<blank>[ \t]*\n)|(?P<line>))"
    r"|(?P<wide>(?<=[。！？｡।॥])[。！？｡।॥]*[」』”’）】》]*)"
    r"|(?<=[.!?…؟۔։])(?<![.!?…؟۔։]{2})(?P<more>[.!?…؟۔։]*)[\"'”’»)\]]*(?=\s|\Z))"
)
_FOLLOWING = re.compile(r"[\s\"'“‘«(\[¿¡–—$€£¥#§&-]*([^\W_]+)(\.?)")
_ACRONYM = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")

_TITLES = frozenset(
    "mr mrs ms mx dr drs prof mt rev fr hon gen col maj capt cpt lt cmdr sgt cpl pvt adm gov sen rep pres supt messrs "
    "mme mlle msgr".split()
)
"""Words with a full stop that do not end a sentence: a name follows."""

_SHORTENED = frozenset(
    "inc ltd co corp bros jr sr st ste vs cf al ed eds approx dept univ assn ave blvd rd viz trans op cit nr feat gmbh "
    "ing gebr".split()
)
"""Words with a full stop that seldom end a sentence: where they do, one of `STARTERS` follows."""

_COUNTED = frozenset(
    "no nos nr vol vols p pp ch fig figs eq sec art ca fl est pt jan feb mar apr jun jul aug sep sept oct nov dec mon "
    "tue wed thu fri sat sun".split()
)
"""Words with a full stop that do not end a sentence before a number: "No. 5", "Jan. 5", "ca. 1200"."""

STARTERS = frozenset(
    "The This That These Those There He She It They We You His Her Its Their Our In On At By From For To With As After "
    "Before During Since Until When While Where Although Though However But And Or So If Then Another Both Some Many "
    "Most Several Such One Two Three What Who Why How Also According Because Despite Later Under Upon".split()
)
"""Words that begin sentences and no names."""


def sentences(text: str) -> list[Span]:
    """Spans (start, end) of the sentences in `text`, in order, without the white space around them.

    They do not overlap and hold all of the text but white space; [] for text without any. A blank line ends a sentence,
    and so does a line end before or behind a list item. Rules for languages written with "." know English best.
    """
    spans: list[Span] = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        if _is_end(text, start, match):
            _append(spans, text, start, match.end())
            start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    part = text[start:end]
    if stripped := part.lstrip():
        start = end - len(stripped)
        spans.append((start, start + len(stripped.rstrip())))


def _is_end(text: str, start: int, match: re.Match[str]) -> bool:
    kind = match.lastgroup
    if kind == "line":
        return _ends_item(text, match.start())
    if kind != "more":
        return True
    following = _FOLLOWING.match(text, match.end())
    if following is None:
        return True
    if following[1][0].islower():
        return False
    alone = text[match.start()] == "." and not match["more"]
    return not (alone and _is_abbreviated(text, start, match.start(), following))


def _ends_item(text: str, end: int) -> bool:
    """Whether a line end stands before a list item, or behind one that does not run on in the next line."""
    if starts_line(text, end + 1):
        return True
    following = text[end + 1 : end + 2]
    runs_on = following.isspace() or following.islower()
    return not runs_on and starts_line(text, text.rfind("\n", 0, end) + 1)


def _is_abbreviated(text: str, start: int, stop: int, following: re.Match[str]) -> bool:
    """Whether the full stop at `stop` belongs to the word before it: "Dr. Who", "J. R. R. Tolkien", "c. 1200"."""
    before = text[max(start, stop - 24) : stop]
    words = before.split()
    word = words[-1].lstrip("(\"'“‘«[–—") if words else ""
    lower = word.lower()
    if lower in _TITLES:
        return True
    if word.isdigit():  # "12." by itself is the number of a list item
        return len(word) <= 3 and len(words) == 1
    if following[1][0].isdigit() and lower in _COUNTED:
        return True
    if lower in _SHORTENED or (len(word) == 1 and word.isalpha()) or _ACRONYM.fullmatch(word):
        return following[1] not in STARTERS or following[2] != ""
    return False


# Passages -------------------------------------------------------------------------------------------------------------

# What it costs to cut at the end of a sentence within a paragraph, and within a sentence, in units of squared deviation
# from equal size relative to the room. A paragraph's end is preferred while it costs less than 0.22 of the room, and a
# sentence is cut only where it would leave behind or before it a piece of less than a twelfth of the room.
_SENTENCE_COST = 0.05
_WORD_COST = 0.4
_WHOLE_COST = 2.0  # what leads to what follows stays with it, and a turn or a row in one piece, where it fits
_LEADING = ("?", ":", "？", "：", "؟")

_STRETCH = 200_000
"""Characters that are cut together: about a second's work. Where two stretches meet, pieces may be smaller."""

_LONGEST_PREFIX = 16
"""Characters a token of what is put before a passage: no more of an endless title is looked at."""

_LINES = re.compile(r"\S+(?:[^\S\n]+\S+)*")
_PAIRS = re.compile(r"\S(?:[^;\n]|;(?=\S))*;?")
_WORDS = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A stretch of text that stays in one piece, of one token at least; `cost` is that of cutting behind it."""

    start: int
    end: int
    tokens: int
    cost: float


def title_prefix(title: str, count_tokens: CountTokens, budget: int = 254, above: tuple[str, ...] = ()) -> str:
    """What is put before a passage when it is embedded, "Title › Heading. ", cut to half the budget if it is longer.

    "" for an empty title.
    """
    title = section(tuple(filter(None, (title, *above))))[: _LONGEST_PREFIX * budget]
    most = budget // 2
    prefix = f"{title}. " if title else ""
    if _surely_fits(prefix, most) or count_tokens([prefix])[0] <= most:
        return prefix
    fits, fails = 0, len(title)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if count_tokens([f"{title[:middle]}. "])[0] <= most:
            fits = middle
        else:
            fails = middle
    kept = title[:fits]
    if " " in kept and not (kept.endswith(" ") or title[fits] == " "):
        kept = kept.rpartition(" ")[0]
    kept = kept.strip()
    return f"{kept}. " if kept else ""


def _surely_fits(text: str, budget: int) -> bool:
    """Whether the text need not be counted: true of most titles and of half the passages in an encyclopedia."""
    return len(text) < budget and len(text.encode("utf-8", "replace")) < budget


def cut(document: Document, count_tokens: CountTokens, budget: int = 254) -> Iterator[Piece]:
    """Pieces of a document that fit the embedding model together with `title_prefix`, without overlap, one by one.

    `budget` is the number of tokens for both, 254 for a model of 256 with two special tokens. A document that fits is
    one piece. A longer one is cut into pieces of about equal size, preferably at paragraphs, otherwise at sentences,
    and within a sentence only if that does not fit by itself: at line ends, between the pairs of a row, else words,
    else characters. Of a very long one each stretch of some hundred pages is cut by itself, so that the first pieces
    are there at once, and no more is held than for one stretch. Nothing for a document without text.
    """
    text, number = document.text, 0
    outline = Outline(text)
    for first, last in _stretches(text, len(text) - len(text.lstrip()), len(text.rstrip())):
        for start, end, above in _cut(document.title, text[first:last], first, outline, count_tokens, budget):
            yield Piece(number, start, end, bisect_right(document.pages, start) or None, text[start:end], above)
            number += 1


def _stretches(text: str, start: int, end: int) -> Iterator[Span]:
    """Spans of at most _STRETCH characters that hold all between `start` and `end`, parted where text is parted."""
    while end - start > _STRETCH:
        middle, most = start + _STRETCH // 2, start + _STRETCH
        found = ((text.rfind(sign, middle, most), len(sign)) for sign in ("\n\n", "\n", ". ", "; ", " "))
        stop = next((at + length for at, length in found if at >= 0), most)
        yield start, stop
        start = stop
    if start < end:
        yield start, end


def _cut(
    title: str, text: str, at: int, outline: Outline, count_tokens: CountTokens, budget: int
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where in its document the pieces of the stretch `text`, which stands there `at`, start and end, and the headings
    above each.
    """
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if start >= end:
        return
    prefix = title_prefix(title, count_tokens, budget)
    if not _surely_fits(prefix + text[start:end], budget):
        used, needed = count_tokens([prefix, text[start:end]])
        if needed > max(budget - used, 1):
            lines = _Lines(structured_lines(title, text[:end].rstrip(";")))  # one stretch may end between two pairs
            paths = [path + lines.longest_speaker() for path in outline.longest]
            prefixes = [title_prefix(title, count_tokens, budget, path) for path in paths]
            room = max(budget - max(count_tokens([prefix, *prefixes])), 1)
            for first, last in _fitting(text, room, count_tokens, lines):
                yield at + first, at + last, outline.path(at + first) + lines.speaker(first)
            return
    yield at + start, at + end, outline.path(at + start)


class _Lines:
    """The turns, rows and `Key: value` lines of a text, which are told whole where they can be."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._starts = [line.start for line in lines]

    def _around(self, place: int) -> Line | None:
        """The line that a cut at `place` would divide."""
        at = bisect_left(self._starts, place) - 1
        return self._lines[at] if at >= 0 and place < self._lines[at].end else None

    def divides(self, place: int) -> bool:
        """Whether a cut at `place` goes through a line."""
        return self._around(place) is not None

    def is_row(self, unit: _Unit) -> bool:
        """Whether the unit is a row of a table, or within one."""
        line = self._around(unit.start + 1)
        return line is not None and line.kind == "row"

    def speaker(self, place: int) -> tuple[str, ...]:
        """Who goes on to speak at `place`, to be told like a heading above it; () for nobody."""
        line = self._around(place)
        return (line.subject,) if line is not None and line.kind == "turn" else ()

    def longest_speaker(self) -> tuple[str, ...]:
        """The name that takes the most room above a passage."""
        names = [line.subject for line in self._lines if line.kind == "turn"]
        return (max(names, key=lambda name: (len(name), name)),) if names else ()


def _fitting(text: str, room: int, count_tokens: CountTokens, lines: _Lines) -> list[Span]:
    """Balanced spans of at most `room` tokens."""
    whole = _sentence_units(text, count_tokens, lines)
    units = [part for unit in whole for part in _parts(text, unit, room, count_tokens, lines)]
    limit = room
    while True:
        spans = _balanced(units, _equal_size(whole, max(limit, 1)), max(limit, 1))
        # Parts of a divided word can take more tokens together than apart; then less is allowed together.
        excess = max(count_tokens([text[start:end] for start, end in spans])) - room
        if excess <= 0 or limit <= 0:
            return spans
        limit -= excess


def _sentence_units(text: str, count_tokens: CountTokens, lines: _Lines) -> list[_Unit]:
    spans = sentences(text)
    following = [*(start for start, _ in spans[1:]), len(text)]
    counts = count_tokens([text[start:end] for (start, _), end in zip(spans, following, strict=True)])
    return [
        _Unit(start, end, max(tokens, 1), _cost_behind(text, start, end, next_start, lines))
        for (start, end), next_start, tokens in zip(spans, following, counts, strict=True)
    ]


def _cost_behind(text: str, start: int, end: int, next_start: int, lines: _Lines) -> float:
    """What it costs to cut behind the sentence at [start, end): a heading, a question and "as follows:" lead on."""
    leads = is_heading(text[start:end]) or text.endswith(_LEADING, start, end)
    if leads or lines.divides(next_start):
        return _WHOLE_COST
    return 0.0 if text.count("\n", end, next_start) > 1 else _SENTENCE_COST


def _equal_size(whole: Sequence[_Unit], room: int) -> float:
    """The size of pieces if those that whole sentences need, filled one after the other, were equal."""
    pieces, size = 1, 0
    for unit in whole:
        if size and size + unit.tokens > room:
            pieces, size = pieces + 1, 0
        size += unit.tokens
        pieces, size = pieces + size // (room + 1), size % (room + 1)
    return sum(unit.tokens for unit in whole) / pieces


def _parts(text: str, sentence: _Unit, room: int, count_tokens: CountTokens, told: _Lines) -> Iterator[_Unit]:
    """The sentence, or parts of it of about equal size if it is longer than half the room; a row's pairs stay whole
    where they fit, as a value without its column says nothing.
    """
    most = max(room // 2, 1)
    if sentence.tokens <= most:
        yield sentence
    else:
        lines = _divided(text, sentence, _LINES, most, count_tokens)
        if told.is_row(sentence):
            lines = [pair for line in lines for pair in _divided(text, line, _PAIRS, most, count_tokens)]
        words = (part for line in lines for part in _divided(text, line, _WORDS, most, count_tokens))
        parts = [part for word in words for part in _sliced(text, word, room, count_tokens)]
        yield from _grouped(parts, most, sentence.cost)


def _divided(text: str, unit: _Unit, part: re.Pattern[str], most: int, count_tokens: CountTokens) -> list[_Unit]:
    """The unit, divided if it is longer than `most`."""
    if unit.tokens <= most:
        return [unit]
    spans = [match.span() for match in part.finditer(text, unit.start, unit.end)]
    return [unit] if spans == [(unit.start, unit.end)] else _counted(text, spans, count_tokens)


def _sliced(text: str, word: _Unit, room: int, count_tokens: CountTokens) -> Iterator[_Unit]:
    """The word if it fits, else slices that do; together they can take more tokens than the word."""
    length = word.end - word.start
    if word.tokens <= room or length == 1:
        yield word
        return
    # A fifth less than fits on average, so that few slices have to be sliced again.
    size = max(min(int(0.8 * length * room / word.tokens), length // 2), 1)
    spans = [(start, min(start + size, word.end)) for start in range(word.start, word.end, size)]
    for slice_ in _counted(text, spans, count_tokens):
        yield from _sliced(text, slice_, room, count_tokens)


def _counted(text: str, spans: Sequence[Span], count_tokens: CountTokens) -> list[_Unit]:
    counts = count_tokens([text[start:end] for start, end in spans])
    return [_Unit(start, end, max(tokens, 1), _WORD_COST) for (start, end), tokens in zip(spans, counts, strict=True)]


def _grouped(parts: Sequence[_Unit], room: int, cost: float) -> Iterator[_Unit]:
    """Consecutive parts joined to as few units of about equal size as fit; the last has the `cost` of a sentence."""
    total = sum(part.tokens for part in parts)
    target = total / -(-total // room)
    first, tokens = parts[0], 0
    last = first
    for part in parts:
        if tokens and (tokens + part.tokens > room or tokens + part.tokens / 2 > target):
            yield _Unit(first.start, last.end, tokens, _WORD_COST)
            first, tokens = part, 0
        tokens += part.tokens
        last = part
    yield _Unit(first.start, last.end, tokens, cost)


def _balanced(units: Sequence[_Unit], target: float, room: int) -> list[Span]:
    """The cheapest way to join consecutive units, by dynamic programming over where pieces end.

    A piece costs its squared deviation from the `target` size, relative to `room`, and the cut behind it.
    """
    best = [0.0] + [inf] * len(units)
    begins = [0] * (len(units) + 1)
    for end in range(1, len(units) + 1):
        behind = units[end - 1].cost if end < len(units) else 0.0
        size = 0
        for begin in range(end - 1, -1, -1):
            size += units[begin].tokens
            if size > room and begin < end - 1:
                break
            cost = best[begin] + ((size - target) / room) ** 2 + behind
            if cost < best[end]:
                best[end], begins[end] = cost, begin
    spans: list[Span] = []
    end = len(units)
    while end:
        spans.append((units[begins[end]].start, units[end - 1].end))
        end = begins[end]
    return spans[::-1]
