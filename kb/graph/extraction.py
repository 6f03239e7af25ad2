"""Entities, mentions and triples from a passage, by rule and without a language model.

A name is a run of capitalised words; dates and numbers have their patterns. A triple's relation is what the sentence
says between the thing it is about and the thing mentioned: "She was a daughter of Boso and sister of Hucbert" in a
document on Teutberga gives (Teutberga, was a daughter of, Boso) and (Teutberga, sister of, Hucbert). Where structure
says what a line is about (`kb/documents/structure.py`), that is taken from it. Every triple keeps its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kb.documents.plaintext import MONTHS
from kb.documents.structure import LONGEST_VALUE, Line, heading_spans, is_heading
from kb.graph.mentions import Fact, Mention
from kb.graph.relation_words import behind_greeting, goes_on_a_list, opens_sentence, relation_words
from kb.graph.speech import Turn, own_words_end, speaks_of_self
from kb.name_keys import name_key, name_of_handle
from kb.records import EntityKind

_MONTH = "|".join(MONTHS)
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})(?:,?\s+\d{{3,4}})?"
    rf"|(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{3,4}})?"
    rf"|(?:{_MONTH})\s+\d{{4}}|[12]\d{{3}}-[01]\d-[0-3]\d|1[0-9]{{3}}|20[0-9]{{2}})\b"
)
_NUMBER = re.compile(
    r"\d{1,2}:\d\d(?::\d\d)?(?!\d)|[$€£]?\d[\d,]*(?:\.\d+)*(?:\s?%|\s(?:million|billion|thousand|hundred)\b)?"
)
_TOKEN = re.compile(r"\w+(?:['’.&\-–]\w+)*(?:['’]s\b)?\.?|[^\w\s]")
_HANDLE = re.compile(r"(?<![\w@/.&])@([^\W\d_][\w.-]{0,60}(?<![.-]))")
_ISSUE = re.compile(r"(?<![\w#/&])#\d{1,9}\b")
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_BEFORE_DAYS = frozenset("next last this every on by until since from".split())
_DAYS = frozenset("yesterday today tomorrow tonight".split())
_CONNECTORS = frozenset(
    "of the de la le les du des von van der den di da del della dos al el bin ibn y e et af av zu zum".split()
)
_NOT_NAMES = frozenset(
    """the a an he she it they we i you his her its their our my your this that these those there here in on at by for
    from to of with without after before during since until while when where who whom whose which what why how as and or
    but nor so yet if although though because however also both either neither each every all some any many most much
    more other another such one two three four five six seven eight nine ten first second third is was are were be been
    has have had do does did can could will would may might shall should must not no yes then than thus therefore
    according between among under over into onto upon about against through following prior despite due later born died
    see list category file image""".split()
)


def find_mentions(text: str, sentences: Sequence[tuple[int, int]], lines: Sequence[Line] = ()) -> list[Mention]:
    """All mentions in text order, none overlapping another: dates first, then names, then other numbers.

    Headings, and the subjects and values of structured `lines`, are names whatever they are made of; the words that
    name a relation there are none.
    """
    dates = [_mention(text, match.start(), match.end(), "date") for match in _DATE.finditer(text)]
    taken = _Taken(dates)
    written = [one for one in _written_names(text, lines) if taken.add(one)]
    relations = _Taken(_mention(text, *span, "name") for line in lines for span in line.relations)
    referred = [one for one in _references(text) if not relations.holds(one) and taken.add(one)]
    names = [one for one in _names(text, sentences) if not relations.holds(one) and taken.add(one)]
    numbers = (_mention(text, m.start(), m.end(), "number") for m in _NUMBER.finditer(text))
    others = [one for one in numbers if taken.add(one)]
    return sorted((one for one in (*dates, *written, *referred, *names, *others) if one.key), key=lambda one: one.start)


def find_facts(
    title: str,
    text: str,
    sentences: Sequence[tuple[int, int]],
    mentions: Sequence[Mention],
    lines: Sequence[Line] = (),
    speakers: Sequence[str] = (),
    sender: str = "",
) -> list[Fact]:
    """Triples from the subject of each sentence to each other mention in it; the title is the default subject.

    A sentence in one of the structured `lines` has the line's subject, and its values as what is related. `speakers`
    are all who talk in the document, `sender` who has written it, "" where nobody says so: "I" and "my" are theirs, but
    for what is quoted or forwarded.
    """
    own = _own_keys(title, text, mentions)
    facts: list[Fact] = []
    above = iter(lines)
    line = next(above, None)
    letter, turn = Turn(sender), None
    for number, (start, end) in enumerate(sentences):
        while line is not None and line.end <= start:
            line, turn = next(above, None), None
        if is_heading(text[start:end]):
            continue
        begin = behind_greeting(text, start)
        inside = [one for one in mentions if begin <= one.start and one.end <= end]
        if line is None or line.start > start or line.end <= start:
            if sender and start < own_words_end(text) and speaks_of_self(text, begin, end):
                facts.extend(Fact(*one, number) for one in letter.facts(text, (begin, end), inside))
            else:
                facts.extend(_sentence_facts(title, own, text, (begin, end), inside, number))
        elif line.is_said:
            turn = turn or Turn(line.subject, speakers)
            begin = behind_greeting(text, max(start, line.key[1] + 1))
            said = [one for one in inside if one.start >= begin]
            facts.extend(Fact(*one, number) for one in turn.facts(text, (begin, end), said))
        elif line.kind == "turn":
            said = [one for one in inside if one.start >= line.key[1]]
            facts.extend(_told_facts(line.subject, text, max(start, line.key[1]), said, number))
        else:
            facts.extend(_line_facts(text, line, (start, end), inside, number))
    return facts


def _told_facts(subject: str, text: str, position: int, mentions: Sequence[Mention], number: int) -> Iterable[Fact]:
    """Triples of what is told below a name: whatever opens the sentence, the subject stays."""
    relation = ""
    for at, one in enumerate(mentions):
        opens = at == 0 and " " not in one.name and opens_sentence(text, position, one.start)
        if one.key == name_key(subject) or (opens and one.kind == "name"):
            continue
        relation = relation_words(text[position : one.start]) or relation
        yield Fact(subject, relation or "says", one.name, number)
        position = one.end


def _line_facts(
    text: str, line: Line, span: tuple[int, int], mentions: Sequence[Mention], number: int
) -> Iterable[Fact]:
    """What a structured line says: its values, and of a value too long to be a name the mentions in it."""
    for value in line.values:
        if not (span[0] <= value.start and value.end <= span[1]):
            continue
        if len(text[value.start : value.end].split()) <= LONGEST_VALUE:
            yield Fact(line.subject, value.relation, text[value.start : value.end], number)
            continue
        for one in mentions:
            if value.start <= one.start and one.end <= value.end:
                yield Fact(line.subject, value.relation, one.name, number)


def _written_names(text: str, lines: Sequence[Line]) -> Iterable[Mention]:
    """Headings, subjects of rows and tasks, speakers and short values."""
    for start, end in heading_spans(text):
        if len(text[start:end].split()) <= LONGEST_VALUE:
            yield _mention(text, start, end, "name")
    for line in lines:
        if line.kind != "pair":
            yield _mention(text, *line.key, "name")
        for value in line.values if line.kind != "task" else ():  # of what is to be done the names in it are
            words = text[value.start : value.end].split()
            is_short = len(words) <= LONGEST_VALUE // 2 and any(char.isalpha() for char in words[0])
            if is_short and name_key(" ".join(words)) not in _NOT_NAMES:
                yield _mention(text, value.start, value.end, "name")


def _references(text: str) -> Iterable[Mention]:
    """People as chats and comments call them (@ana.souza), by the words of their names, and issues by number (#123)."""
    for match in _HANDLE.finditer(text):
        name = name_of_handle(match[1])
        yield Mention(match.start(1), match.end(1), name, name_key(name), "name")
    for match in _ISSUE.finditer(text):
        yield _mention(text, match.start(), match.end(), "name")


def _mention(text: str, start: int, end: int, kind: EntityKind) -> Mention:
    surface = text[start:end]
    return Mention(start, end, surface, name_key(surface), kind)


class _Taken:
    """Which characters a mention has already claimed."""

    def __init__(self, mentions: Iterable[Mention]) -> None:
        self._characters: set[int] = set()
        for one in mentions:
            self.add(one)

    def add(self, mention: Mention) -> bool:
        if self.holds(mention):
            return False
        self._characters.update(range(mention.start, mention.end))
        return True

    def holds(self, mention: Mention) -> bool:
        return any(char in self._characters for char in (mention.start, mention.end - 1))


def _names(text: str, sentences: Sequence[tuple[int, int]]) -> Iterable[Mention]:
    for start, end in sentences:
        run: list[re.Match[str]] = []
        for token in _TOKEN.finditer(text, start, end):
            if _continues(run, token, text):
                run.append(token)
                continue
            yield from _close(run, text, start)
            run = [token] if _is_capitalised(token[0]) else []
        yield from _close(run, text, start)


def _is_capitalised(word: str) -> bool:
    return word[0].isupper()


def _continues(run: list[re.Match[str]], token: re.Match[str], text: str) -> bool:
    if not run:
        return False
    previous, word = run[-1], token[0]
    if previous[0].endswith(".") and len(previous[0]) > 5:
        return False
    gap = text[previous.end() : token.start()]
    if gap not in ("", " "):
        return False
    if _is_capitalised(word):
        return not previous[0].endswith(("'s", "’s"))
    if word in _CONNECTORS:
        return True
    return word.isdigit() and len(word) <= 3 and _is_capitalised(previous[0])


def _close(run: list[re.Match[str]], text: str, sentence_start: int) -> Iterable[Mention]:
    while run and (run[-1][0] in _CONNECTORS):
        run = run[:-1]
    if run and behind_greeting(text, run[0].start()) > run[0].start():
        run = run[1:]
    run = _without_time(run, text, sentence_start)
    # The first word of a sentence is capitalised whatever it is; elsewhere a capital function word starts a title.
    while (
        run
        and run[0][0].rstrip(".").casefold() in _NOT_NAMES
        and (len(run) == 1 or run[0].start() <= sentence_start + 1)
    ):
        run = run[1:]
        while run and run[0][0] in _CONNECTORS:
            run = run[1:]
    if not run:
        return
    start, end = run[0].start(), run[-1].end()
    surface = text[start:end]
    for ending in ("'s", "’s", "."):
        if surface.endswith(ending) and not (ending == "." and len(run[-1][0]) <= 3):
            surface = surface[: -len(ending)]
    if len(surface) > 1 or not surface.isascii():
        yield Mention(start, start + len(surface), surface, name_key(surface), "name")


def _without_time(run: list[re.Match[str]], text: str, sentence_start: int) -> list[re.Match[str]]:
    """A run of capitalised words without the time with which a sentence begins: "Next Friday Karl", "On Monday Ruth",
    "Tomorrow Ida". The first words of a text stay, which may be the name of what it is about ("Tomorrow Never Dies").
    """
    words = [one[0].rstrip(".").casefold() for one in run]
    if not words or run[0].start() > sentence_start + 1:
        return run
    if len(words) > 1 and words[0] in _BEFORE_DAYS and words[1] in _WEEKDAYS:
        return run[2:] or run[1:]
    is_time = text[run[-1].end() : run[-1].end() + 1] == "," if len(words) == 1 else sentence_start > 0
    return run[1:] if words[0] in _DAYS and is_time else run


def _own_keys(title: str, text: str, mentions: Sequence[Mention]) -> frozenset[str]:
    """Keys by which the document speaks of its own subject: the title, its parts, and the name that opens the text."""
    keys = {name_key(title)}
    words = name_key(re.sub(r"[(,].*", "", title)).split()
    keys.update({" ".join(words), *(word for word in words if len(word) > 3)})
    opening = opening_name(text, mentions)
    if opening:
        keys.add(opening)
    return frozenset(keys)


def opening_name(text: str, mentions: Sequence[Mention]) -> str:
    """The key of the name with which a text opens ("Paul David Hewson (born ...)"), "" where there is none."""
    for one in mentions:
        if one.kind != "name":
            continue
        before = text[: one.start].strip(" \"“'‘(").casefold()
        return one.key if before in ("", "the", "a") and " " in one.key else ""
    return ""


def _sentence_facts(
    title: str,
    own: frozenset[str],
    text: str,
    span: tuple[int, int],
    mentions: Sequence[Mention],
    number: int,
) -> Iterable[Fact]:
    subject, position = title, span[0]
    if mentions and opens_sentence(text, span[0], mentions[0].start):
        position = mentions[0].end
        if mentions[0].kind == "name" and mentions[0].key not in own:
            subject = mentions[0].name
    relation = ""
    subject_key = name_key(subject)
    for one in mentions:
        if one.start < position or one.key == subject_key or (subject == title and one.key in own):
            continue
        before = text[position : one.start]
        if not relation and goes_on_a_list(before):
            continue
        relation = relation_words(before) or relation
        yield Fact(subject, relation or "is", one.name, number)
        position = one.end
