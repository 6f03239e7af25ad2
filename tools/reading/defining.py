"""What a thing is and who somebody is: the sentence that says so outright, in passing, or as a line of a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kb.documents.structure import Outline, path_of, structured_lines
from kb.records import Passage
from tools.answer_rules.text import bare_title, fold, name_score, words
from tools.reading.told import Sentence, Told, best_of

_IS = (
    r"\s*(?:\([^)]{0,80}\)\s*)?[,;]?\s*(?:(?:is|are|was|were)\s(?:an?|the|one|our|any|what|when|where|how|short|all)\b"
    r"|(?:means?|stands? for|refers? to)\s)"
)
_COLON = r"\s*(?:\([^)]{0,80}\)\s*)?\s*[:=–—-]\s"
_OWN = r"(?:the|an?|our|my|your|his|her|its|their|new|former)"
# Words of a noun's own, as in "the Italian engineer"; a preposition begins another thing.
_NOUN = r"(?:(?!(?:of|in|on|at|by|for|from|to|with|and|or|than|as|that|which|who|when|where)(?![\w-]))[\w-]+)"
_NOUNS = rf"(?:{_NOUN}\s){{0,5}}{_NOUN}"
_TITLES = r"(?:(?:mr|mrs|ms|miss|dr|prof|sir|father|sister)\.?\s)?"
_OPENING, _CLOSING = "[\"“‘'*(\\[]*", "[\"”’'*)\\]]*"
# What goes on behind a name and a comma that tells nothing of it.
_GOES_ON = (
    r"(?:and|or|but|so|as|if|when|while|then|because|he|she|it|they|we|i|you|there|this|that|which|where|not|also|both"
    r"|in|on|at|from|to|for|with|by|after|before|please|who|is|was|has|had|can|could|may|must|should|will|would)"
)

_CELL = re.compile(r"(?:^|; )[^:;]{1,40}: ")
# What makes of "X is a …" no statement: "She does not think that X is a …".
_SUBORDINATE = re.compile(r"\b(?:that|whether|if|not|unless|says|thinks?)\s*$")
# How sure each way of saying it is.
OUTRIGHT, OPENING, RECORDED, ASIDE, INSIDE, CELL, NAMED = 0.95, 0.9, 0.88, 0.82, 0.8, 0.71, 0.5
# How sure it is that what stands first below a heading tells what the thing does that it names.
HEADED = 0.8
# The same where the lines of several lists tell of it otherwise: an option of another command.
DIFFERING = 0.7
# Words of the shortest sentence and entry that tell it, and what begins a line of a record or of a list.
_PROSE, _ENTRY, _PAIR = 4, 3, re.compile(r"\s*(?:[-*+•]\s|[^:;.]{1,40}:\s)")
# What may stand behind an option: another name for it, or what it takes.
_ARGUMENT = r"(?:,\s--[\w-]+)?(?:[ =][\[<(]*[\w.…-]+[\])>…]*)?"
# Lines of a record that are told behind its first.
_MORE = 3
# Characters of a passage in which it is best said what a thing is.
_EARLY = 1000
# How much of a name the subject of a record or an article has to be.
_SAME = 0.85


def with_subjects(sentences: Sequence[Sentence], passages: Sequence[Passage]) -> list[Sentence]:
    """The sentences of these passages with whom or what structure says that each speaks of."""
    by_passage: dict[int, list[Sentence]] = {}
    for one in sentences:
        by_passage.setdefault(one.passage, []).append(one)
    return [
        replace(one, subject=subject)
        for passage in passages
        for one, subject in _subjects(passage, by_passage.get(passage.id, []))
    ]


def _subjects(passage: Passage, sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, str]]:
    above = path_of(passage.section)
    outline = Outline(passage.text, above)
    lines = structured_lines(bare_title(passage.title), passage.text, above) if sentences else []
    for one in sentences:
        line = next((line for line in lines if line.start <= one.start < line.end), None)
        yield one, line.subject if line else next(reversed(outline.path(one.start)), "")


def defined(topic: str, sentences: Sequence[Sentence]) -> Told:
    """The sentence that says what the topic is, or the lines of its record, with how sure that is; none where nothing
    names it.
    """
    if not words(topic):
        return Told()
    ways = _Ways(topic)
    scored = [(ways.score(one), one) for one in sentences]
    told = best_of([(score + _besides(one), one) for score, one in scored if score], more=0)
    if not told.sentences or told.confidence < NAMED + 0.1 or not ways.is_of(told.sentences[0].subject):
        return told
    best = told.sentences[0]
    beside = [one for one in sentences if one.passage == best.passage and one.subject == best.subject]
    after = sorted((one for one in beside if one.start > best.start), key=lambda one: one.start)
    return Told((best, *after[:_MORE]), told.confidence)


def headed(topic: str, sentences: Sequence[Sentence]) -> Told:
    """The first sentence below the heading that is the topic, or begins as an entry for it ("--cap-lints: set the level
    of lints"): what a command or an option does, its manual says so; else the entry of a list, none where none is or a
    record or a list stands below the heading.
    """
    entry = _entry(topic)
    below = [
        one
        for one in sentences
        if one.subject and not one.text.startswith("#")
        if fold(one.subject) == fold(topic) or entry.match(fold(one.subject))
    ]
    first = min(below, key=lambda one: (one.rank, one.passage, one.start), default=None)
    is_prose = first is not None and len(words(first.text)) >= _PROSE and not _PAIR.match(first.text)
    return Told((first,), HEADED) if first and is_prose else _entered(entry, sentences)


def _entry(topic: str) -> re.Pattern[str]:
    """What a folded line begins with that tells of the topic behind a dash or colon, as man pages and lists of options
    have it: "cargo-vendor — Vendor all dependencies locally", "-q, --quiet: Print nothing.".
    """
    named = fold(topic)
    bare = named.lstrip("-")
    name = named[: len(named) - len(bare)] + r"[\s-]".join(map(re.escape, re.split(r"[\s-]+", bare)))
    colon = "" if named.replace(" ", "").isalpha() else "|:"  # "ana: so late" is a turn of a talk
    return re.compile(
        rf"(?:[-*+•]\s+)?[`*\"(]*(?:-\w,\s)?{name}(?:\(\d\w?\))?[`*\")]*{_ARGUMENT}(?:\s*[—–]|\s-(?=\s){colon})\s+(?P<told>.+)",
        re.DOTALL,
    )


def _entered(entry: re.Pattern[str], sentences: Sequence[Sentence]) -> Told:
    """The first line that is such an entry; less sure where these differ."""
    found = [(one, match) for one in sentences if (match := entry.match(fold(one.text)))]
    found = [(one, match) for one, match in found if len(words(match["told"])) >= _ENTRY]
    first = min(found, key=lambda pair: (pair[0].rank, pair[0].passage, pair[0].start), default=None)
    if first is None:
        return Told()
    is_one = len({tuple(words(match["told"])) for _, match in found}) == 1
    return Told((first[0],), HEADED if is_one else DIFFERING)


def _besides(one: Sentence) -> float:
    """What tells sentences apart that say it in the same way: what a text is about it says early."""
    return 0.03 * one.cosine - 0.001 * one.rank - 0.03 * min(one.start, _EARLY) / _EARLY


class _Ways:
    """The ways in which a text may say what a topic is."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._is_letters = topic.isupper() and topic.isalpha()
        folded = re.escape(fold(topic)).replace(r"\ ", r"[\s-]")
        name = rf"{_OPENING}{folded}{_CLOSING}"
        starts = rf"^(?:[-*+•‣◦▪]\s|\d+[.)]\s)?(?:the\s)?{name}"
        self._outright = re.compile(rf"(?:^|[\s\"“‘'*(\[|-])(?:{name}){_IS}|{starts}{_COLON}")
        self._aside = re.compile(
            rf"\b(?:is|was|are|were)\s{_TITLES}{name}\s*(?:[.,;(]|$|(?:from|of|at)\b)"
            rf"|(?<!name):\s{_TITLES}{name}(?=\s*(?:[.,;(]|$|(?:from|of|at)\b))"
            rf"|(?:^|\s){name},\s(?:{_OWN}|one of|who|which|formerly)\s"
        )
        self._beside = re.compile(
            rf"\b{_OWN}\s{_NOUNS},?\s(?P<name>{_OPENING}{re.escape(topic)}{_CLOSING})(?!\w|\sto\s)", re.IGNORECASE
        )
        self._inside = re.compile(rf"\({folded}\)")
        # Of whom a row says what he is, that is who it is.
        self._in_office = re.compile(
            rf"(?:^|; )(?:job|role|position|post|office|function): {folded}(?: \([^)]*\))?(?:;|$)"
        )
        self._named = f" {' '.join(words(topic))} "
        written = rf"{_OPENING}{re.escape(topic)}{_CLOSING}"
        # As written: small letters tell what a thing is, a capital before a full name is a title.
        self._written = re.compile(
            rf"{written}\s*\((?-i:[a-z])(?![^)]*\b(?:is|was|are|has|have)\b)"
            rf"|{written},\s(?!{_GOES_ON}\b)(?-i:[a-z])[\w -]{{2,40}}(?:[.,;]|$)"
            + (rf"|\w,?\s(?-i:[A-Z][a-z]{{3,}})\s{written}(?!\w)" if " " in topic else ""),
            re.IGNORECASE,
        )

    def is_of(self, subject: str) -> bool:
        """Whether a subject is the topic."""
        return bool(subject) and name_score(self._topic, subject) >= _SAME

    def score(self, one: Sentence) -> float:
        """How surely a sentence says what the topic is; 0 where it does not name it."""
        text = fold(one.text)
        at = self._outright.search(text)
        if at and not _SUBORDINATE.search(text[: at.start() + 1]):
            return OUTRIGHT if at.start() < 40 else INSIDE
        if name_score(self._topic, one.title) >= _SAME and one.start <= len(one.title) + 4:
            return OPENING
        if self.is_of(one.subject) and not one.text.startswith("#"):
            return RECORDED
        if self._named not in f" {' '.join(words(one.text))} ":
            return 0.0
        if self._aside.search(text) or self._written.search(one.text) or self._is_beside_its_noun(one.text):
            return CELL if _is_row(one.text) and not self._in_office.search(text) else ASIDE
        return INSIDE if self._inside.search(text) else NAMED

    def _is_beside_its_noun(self, text: str) -> bool:
        """Whether a noun stands before the name: "the Italian engineer Luigi Menabrea", "the vault “Limpet”".

        A name it has to be, by its capital or its marks: of "the old boiler" the first is no noun. What letters stand
        for no noun before them says: "an n32 ABI bug". What "causes Clippy to exit" is a verb.
        """
        match = self._beside.search(text)
        return match is not None and not match["name"][:1].islower() and not self._is_letters


def _is_row(text: str) -> bool:
    """Whether a sentence is a row of a table, whose cells name other things than its subject."""
    return len(_CELL.findall(text)) > 1
