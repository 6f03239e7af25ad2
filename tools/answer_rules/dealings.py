"""Who deals with whom in a clause whose verb has a converse: what one sells another buys, who beats another wins.

Of each kind of dealing one verb has the giver for its subject ("Ivan sold Jack the boat"), another the taker ("Jack
bought it from Ivan"); in the passive they change places. The winner, who comes after another and who employs another
are givers too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tools.answer_rules.asked_person import NO_NAMES, TITLES
from tools.answer_rules.text import MAX_SENTENCE, content_stems, fold

Side = Literal["giver", "taker"]

WHO = "whom"
"""Stands for the one who is asked for in a question that is put as a statement."""

PRONOUNS = frozenset(
    "i me you he him she her it we us they them this that these those who whom someone somebody anyone anybody "
    "everyone everybody nobody myself himself herself themselves yourself".split()
)


class Party(NamedTuple):
    """Who stands on a side of a dealing, and where in the sentence."""

    text: str
    start: int

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the words that name the one."""
        return frozenset(content_stems(self.text))


@dataclass(frozen=True, slots=True)
class Dealing:
    """A kind of dealing with its two sides, None for one that is not named; `rest` are the stems of all other words."""

    kind: str
    giver: Party | None
    taker: Party | None
    rest: frozenset[str] = frozenset()

    def side(self, side: Side) -> Party | None:
        """Who stands on a side."""
        return self.giver if side == "giver" else self.taker


@dataclass(frozen=True, slots=True)
class _Verb:
    """The forms of a verb whose subject is on one side; `direct` says that its object is on the other one, and that
    nothing goes over: "beat", "won against".
    """

    kind: str
    side: Side
    direct: bool
    forms: re.Pattern[str]


def _verb(kind: str, side: Side, forms: str, *, direct: bool = False) -> _Verb:
    return _Verb(kind, side, direct, re.compile(rf"\b(?:{forms})(?![\w'’-])"))


_VERBS = (
    _verb("sell", "giver", "sells?|sold"),
    _verb("sell", "taker", "buys?|bought|purchase[sd]?"),
    _verb("lend", "giver", "lends?|lent|loan(?:s|ed)"),
    _verb("lend", "taker", "borrow(?:s|ed)?"),
    _verb("give", "giver", "gives?|gave|given|hand(?:s|ed)|sends?|sent|award(?:s|ed)|donate[sd]?"),
    _verb("give", "taker", "gets?|got|receive[sd]?"),
    _verb("leave", "giver", "leaves?|left|bequeath(?:s|ed)?"),
    _verb("leave", "taker", "inherit(?:s|ed)?"),
    _verb("rent", "giver", "(?:rent(?:s|ed)?|hire[sd]?|lets?) out|lets?(?! out)|lease[sd]? to"),
    _verb("rent", "taker", "(?:rent(?:s|ed)?|hire[sd]?)(?! out)"),
    _verb("teach", "giver", "teach(?:es)?|taught"),
    _verb("teach", "taker", "learn(?:s|ed|t)?"),
    _verb("owe", "giver", "owe[sd]?"),
    _verb("win", "giver", "beats?|beaten|defeat(?:s|ed)?|(?:wins?|won)(?: [^ ]+){0,3}? (?:against|over)", direct=True),
    _verb("win", "taker", "(?:loses?|lost)(?: [^ ]+){0,3}? (?:to|against)", direct=True),
    _verb(
        "replace", "giver", "replace[sd]?|succeed(?:s|ed)?|follow(?:s|ed)?|(?:takes?|took) over from", direct=True
    ),
    _verb("replace", "taker", "precede[sd]?", direct=True),
    _verb("employ", "giver", "employ(?:s|ed)?", direct=True),
    _verb("employ", "taker", "work(?:s|ed)? for", direct=True),
)  # fmt: skip

_CONTEST = re.compile(r"\b(?:(?P<giver>wins?|won)|(?P<taker>loses?|lost))\b", re.I)
"""Asks for a winner or loser without naming the other."""

_NAMED = rf"(?!(?:{NO_NAMES})\b)(?:(?:{TITLES})\.? )?[A-Z][\w’'-]*(?: (?:(?:van|von|de|der|la) )?[A-Z][\w’'-]*){{0,3}}"
_NO_NOUN = (
    "and|or|but|who|which|that|to|from|by|for|with|in|on|at|of|as|was|were|is|are|has|have|had|be|been|being|did|does|do"
    "|when|where|while|because|not|never"
)
_PLAIN = (
    r"(?i:the|an?|my|our|your|his|her|their|its|two|three|four)"
    rf"(?:(?: (?!(?:{_NO_NOUN})\b)[a-z][\w’'-]*){{1,3}}?|(?: [A-Z][\w’'-]*){{1,3}})"
)
_PRONOUN = rf"(?i:{'|'.join(sorted(PRONOUNS))})(?![\w'’-])"
ONE = rf"(?:{_PRONOUN}|{_PLAIN}|{_NAMED})(?![\w-])(?<!['’]s)(?<!['’])"
_PERSON = rf"(?P<person>{ONE}(?: and {_NAMED}(?![\w-]))?)"
_BE = r"(?:was|were|is|are|been|being|be)"
_SUBJECT = re.compile(
    rf"(?<![\w'’-]){_PERSON} "
    rf"(?P<before>(?:(?:has|have|had|also|just|then|later|now|already|finally|soon|once|{_BE}|[a-z]+ly) )*)$"
)
_PASSIVE = re.compile(rf"\b{_BE} ")
_NEAR = 120
"""Characters before a verb in which its subject is looked for."""
_END = re.compile(
    r"[.;:!?,()–—]|\b(?:and|but) (?!(?:the|an?|his|her|our|my|their) |[A-Z])|\b(?:because|while|when|who|which) "
)
_GOES = r"(?:an?|the|his|her|their|its|my|our|your|this|that|some|all|one|two|three|four|five)\b|[\d$€£¥]"
_OBJECT = re.compile(rf" {_PERSON}")
_NAMED_TO = re.compile(
    rf" (?P<person>{_NAMED}|{_PRONOUN})(?<!['’]s) (?!(?:to|from|for|with|at|in|on|by|as|and|of|out)\b)\S"
)
_PLAIN_TO = re.compile(rf" (?P<person>{_PLAIN}) (?:{_GOES})")
_TAUGHT = re.compile(rf" (?P<person>(?:{_NAMED}|{_PRONOUN})(?= (?:to|how)\b|$)|{_PLAIN}(?= (?:to|how)\b))")
_LINKED = {one: re.compile(rf"\b{one} {_PERSON}") for one in ("to", "from", "by")}
_LIGHT = frozenset(content_stems("money anything something who whom whose now today that finally"))


def dealings(sentence: str) -> list[Dealing]:
    """The dealings that a sentence tells in the active or passive."""
    sentence = sentence[:MAX_SENTENCE]
    return [one for verb in _VERBS for match in verb.forms.finditer(sentence) for one in _dealt(verb, match, sentence)]


def _dealt(verb: _Verb, match: re.Match[str], sentence: str) -> Iterator[Dealing]:
    near = max(0, match.start() - _NEAR)
    subject = _SUBJECT.search(sentence[near : match.start()])
    if subject is None:
        return
    end = _END.search(sentence, match.end())
    tail = sentence[match.end() : end.start() if end else len(sentence)].rstrip()
    party = Party(subject["person"], near + subject.start("person"))
    read = _passive if _PASSIVE.search(subject["before"]) else _direct if verb.direct else _active
    kind, giver, taker = read(verb, party, tail, match.end())
    if giver or taker:
        sides = " ".join(one.text for one in (giver, taker) if one)
        beside = f"{sentence[: match.start()]} {tail}"
        rest = frozenset(content_stems(beside)) - frozenset(content_stems(sides)) - _LIGHT
        yield Dealing(kind, giver, taker, rest)


_Read = tuple[str, Party | None, Party | None]


def _direct(verb: _Verb, subject: Party, tail: str, at: int) -> _Read:
    return _sides(verb, subject, _party(_OBJECT.match(tail), at))


def _active(verb: _Verb, subject: Party, tail: str, at: int) -> _Read:
    """Who sells whom what, or what to whom; who buys what from whom; whoever hires a person employs him."""
    if verb.side == "giver":
        indirect = _NAMED_TO.match(tail) or _PLAIN_TO.match(tail)
        if verb.kind in ("teach", "owe"):
            indirect = indirect or _TAUGHT.match(tail)
        other = _linked("to", tail, at) or _party(indirect, at)
        return _sides(verb, subject, other)
    if verb.kind == "rent" and (taker := _linked("to", tail, at)):
        return verb.kind, subject, taker
    if verb.kind == "rent" and (hired := re.match(rf" (?P<person>{_NAMED}|{_PRONOUN})(?= as\b|$)", tail)):
        return "employ", subject, _party(hired, at)
    if _NAMED_TO.match(tail):
        return verb.kind, None, None  # bought for another
    return _sides(verb, subject, _linked("from", tail, at))


def _passive(verb: _Verb, subject: Party, tail: str, at: int) -> _Read:
    """What is sold to whom by whom; who is given what; what is bought from whom by whom; who is beaten by whom."""
    by, to, source = (_linked(one, tail, at) for one in ("by", "to", "from"))
    if verb.side == "taker":
        is_let = verb.kind == "rent" and to is not None
        return (verb.kind, by, to) if is_let else (verb.kind, source, by)
    is_given = verb.direct or re.match(rf" (?:{_GOES})", tail) or fold(subject.text) == WHO
    is_given = is_given or (verb.kind == "teach" and not re.match(_PLAIN, subject.text))
    return verb.kind, by, subject if is_given and not to else to


def _sides(verb: _Verb, subject: Party, other: Party | None) -> _Read:
    return (verb.kind, subject, other) if verb.side == "giver" else (verb.kind, other, subject)


def _party(match: re.Match[str] | None, at: int) -> Party | None:
    return Party(match["person"], at + match.start("person")) if match else None


def _linked(link: str, tail: str, at: int) -> Party | None:
    """The one behind a preposition; nobody where two are: "her books to a school and her glider to the girl"."""
    found = list(_LINKED[link].finditer(tail))
    return _party(found[0], at) if len(found) == 1 else None


_WHO = re.compile(r"^(?:and |so )?whom?\b", re.I)
_DID = re.compile(
    r"^(?:and |so )?(?:whom?|(?P<many>how (?:much|many)(?: \w+)?|what)) (?:did|does|do) (?P<told>.+)$", re.I
)
_LINK_FIRST = re.compile(
    r"^(?:and |so )?(?P<link>to|from|by|against) whom (?P<did>did|does|do|was|were|is) (?P<told>.+)$", re.I
)
_LINK_LAST = re.compile(r" (?:to|from|by|against|over|for)$")
_WAS = re.compile(r"^(?:and |so )?whom? (?P<be>was|were|is|are) (?P<told>.+)$", re.I)
_OFFICE = re.compile(
    r"^(?:and |so )?who (?:was|is) (?:the )?(?P<office>[\w -]+?)(?: (?:right|just))? (?P<when>before|after)"
    r" (?P<person>(?-i:[A-Z]).*)$",
    re.I,
)


def asked_dealing(question: str) -> Dealing | None:
    """The dealing that a question asks of, `WHO` on the side that it asks for; None where it asks of none."""
    text = " ".join(question[:300].split()).strip(" ?.!")
    if match := _OFFICE.match(text):
        sides = Party(WHO, 0), Party(match["person"], 0)
        rest = frozenset(content_stems(match["office"]))
        return Dealing("replace", *(sides if match["when"].lower() == "after" else sides[::-1]), rest)
    if match := _LINK_FIRST.match(text):
        told = match["told"]
        told = told if match["did"].lower().startswith("d") else _with_be(told, match["did"])
        return _first(f"{told} {match['link'].lower()} {WHO}")
    if match := _DID.match(text):
        told = match["told"]
        return _first(told if match["many"] else f"{told} {WHO}" if _LINK_LAST.search(told) else _with_object(told))
    if (match := _WAS.match(text)) and _LINK_LAST.search(text):
        return _first(f"{_with_be(match['told'], match['be'])} {WHO}")
    if not _WHO.match(text):
        return None
    told = _WHO.sub(WHO, text)
    return _first(told) or _contest(told)


def _first(told: str) -> Dealing | None:
    return next(iter(dealings(told)), None)


def _verb_of(told: str) -> re.Match[str] | None:
    found = (verb.forms.search(told) for verb in _VERBS)
    return min((one for one in found if one), key=lambda one: one.start(), default=None)


def _with_object(told: str) -> str:
    """A statement with the one who is asked for behind its verb."""
    verb = _verb_of(told)
    return f"{told[: verb.end()]} {WHO}{told[verb.end() :]}" if verb else told


def _with_be(told: str, be: str) -> str:
    """A statement with its "was" before its verb."""
    verb = _verb_of(told)
    return f"{told[: verb.start()]}{be} {told[verb.start() :]}" if verb else told


def _contest(told: str) -> Dealing | None:
    match = _CONTEST.search(told)
    if match is None or match.start() != len(WHO) + 1:
        return None
    who = Party(WHO, 0)
    giver, taker = (who, None) if match["giver"] else (None, who)
    return Dealing("win", giver, taker, frozenset(content_stems(told[match.end() :])) - _LIGHT)
