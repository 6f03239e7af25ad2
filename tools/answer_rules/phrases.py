"""The words after which, or before which, a text names who made, owns, leads or teaches something; as data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.answer_rules.docs import Doc, Found
from tools.answer_rules.names import Span, names_after
from tools.answer_rules.text import name_score

# A row is `kind score form words`. Form "by": participles that share a "by" ("written, produced and directed by");
# "after": the value follows the words; "before": it stands in front of them. In the words, "~" is up to six words of
# any kind; case is ignored. The score says how surely the value is of the kind, 1..99.
_TABLE = """
director 95 by directed
director 90 after directorial debut (?:of|by|for)
director 90 before 's directorial debut
director 80 after direction (?:is |was )?(?:of|by)
director 70 after (?:film|movie|drama|comedy|documentary|short|western|production) (?:of|by)
director 60 after director,?
director 60 before directed\\b(?! by)
performer 95 by performed|recorded|sung
performer 93 after (?:song|single|ballad|track|album|EP|LP|hit|record|mixtape) (?:by|of)
performer 93 after (?:number|release|duet|hymn|recording) (?:by|of)
performer 93 after (?:song|single|ballad|track|album|hit) (?:sung|recorded|performed|released|made) by
performer 88 after (?:single|song|track|album|release) from (?!the |his |her |their )
performer 75 by released|introduced|created
performer 60 by written|composed
performer 55 before 's (?:[\\w-]+ ){0,5}(?:album|single|song|debut|record)\\b
performer 50 after by
composer 95 after (?:music|score|soundtrack|songs?)~ (?:composed|written|provided|given|done)(?: and [a-z]+)? by
composer 95 by composed|scored
composer 93 after (?:music|score|soundtrack)(?: (?:for|to) the [a-z]+)? (?:is |was |were )?by
composer 85 before (?:has |had |also )?(?:composed|scored|wrote the (?:music|score))\\b(?! by)
composer 80 by written
composer 70 after composer,?
composer 70 after (?:song|music|number) by
composer 50 after sounds of
screenwriter 95 after (?:screenplay|script|story)(?: \\w+){0,3}? by
screenwriter 90 by written|scripted|penned
screenwriter 85 before wrote (?:the )?(?:screenplay|script)
writer 95 by written|authored|penned
writer 90 after (?:novel|book|play|poem|memoir|story|series|trilogy|novella|essay|lyrics|work) (?:by|of)
writer 70 after author,?
writer 60 after writer,?
writer 60 before wrote\\b
writer 60 before 's (?:[\\w-]+ ){0,4}(?:novel|book|play|poem|memoir)\\b
producer 95 by produced
producer 80 after production by
producer 60 after producer,?
producer 60 before produced\\b(?! by)
creator 95 by created|devised|conceived
creator 80 by developed|designed|invented
creator 70 after creation of
creator 70 after creator,?
founder 93 by founded|established|started|formed|launched|initiated
founder 93 after (?:founded|established|formed|started|launched|created) in (?:[\\w ]{1,40}? )?by
founder 75 after founders?(?: (?:is|was|were|are))?,?
founder 70 before (?:co-)?founded\\b
founder 70 by created
publisher 95 by published|issued
publisher 90 after published (?:\\w+ ){0,3}by
publisher 70 after publication (?:of|by)
publisher 70 after publisher,?
publisher 60 before publish(?:es|ed)\\b(?! by)
publisher 50 by released
developer 95 by developed
developer 70 by created|designed
developer 70 after developer,?
designer 95 by designed
designer 80 after architects?,?
designer 70 after designer,?
designer 50 by built
editor 95 by edited
editor 70 after editor(?:-in-chief)?,?(?: is| was)?
manufacturer 93 by manufactured|produced|built|made|marketed
manufacturer 70 after manufacturer,?
manufacturer 60 before (?:manufactures|makes|produces|builds)\\b
distributor 93 by distributed|released
distributor 70 after distributor,?
owner 93 by owned|acquired|bought|purchased|operated
owner 85 after (?:subsidiary|division|unit|property|part) of
owner 70 after owner,?
owner 70 before (?:owns|acquired|bought|purchased)\\b
voice 95 by voiced
voice 80 before (?:voiced|provides the voice|provided the voice|voices)\\b
voice 70 after voice of
voice 70 by played|portrayed
cast 95 by played|portrayed
cast 85 after starring
cast 85 after stars
cast 80 after cast (?:includes|including|of)
cast 75 before (?:plays|played|portrayed|portrays|stars|starred)\\b(?! by)
educated_at 93 after (?:graduated|graduating|graduate)(?: (?:in|with|summa|magna|cum|[\\w.]+)){0,6}? (?:from|of|at)
educated_at 92 after attended
educated_at 90 after (?:educated|studied|studying|studies|trained|enrolled|degree|doctorate)~ (?:at|from|in)
educated_at 90 after (?:PhD|Ph\\.D\\.|B\\.A\\.|M\\.A\\.|MBA|MA|BA)~ (?:at|from|in)
educated_at 85 after attending
educated_at 85 after alma mater,?(?: is| was)?
educated_at 85 after (?:alumnus|alumna|student) (?:of|at)
employer 90 after (?:work(?:s|ed|ing)?|taught|teaches|teaching|employed|lectured)(?: [\\w-]+){0,5}? (?:at|for|by)
employer 90 after serv(?:es|ed)(?: [\\w-]+){0,5}? (?:at|for)
employer 88 after (?:professor|lecturer|teacher|researcher|fellow|faculty|staff|dean|chair)(?: [\\w-]+){0,5}? at
employer 85 after (?:professor|lecturer|teacher|researcher|instructor|director|president) (?:of|for|with)
employer 85 after (?:fellow|faculty|staff|curator|economist|journalist|chair|dean|writer|analyst) (?:of|for|with)
employer 60 after member of(?: the)?
employer 60 after joined
member_of 90 after (?:members?|captain|player|leader) (?:of|for|in|with)
member_of 90 after (?:guitarist|drummer|singer|vocalist|bassist|frontman|keyboardist) (?:of|for|in|with)
member_of 90 after play(?:s|ed|ing)?(?: [\\w-]+){0,4}? (?:for|with|at)
member_of 70 after joined
member_of 60 after (?:signed|contract) (?:for|with|by)
border 85 after border(?:s|ed|ing)?(?: (?:by|on|with|of|the|is|are)){0,4}
border 85 after bounded(?: [a-z]+){0,4} by
border 80 after (?:adjacent to|neighbou?ring|next to|adjoin(?:s|ing))
label 85 after signed (?:to|with|by)
label 80 after (?:released|issued|distributed)~ (?:by|on|through|via|under|from)
label 70 after labels?,?
named_after 90 after (?:named|name|called|eponym)~ (?:after|for|in hono[u]?r of|from)
named_after 70 after namesake,?
successor 90 by succeeded|replaced|followed
successor 70 after successor,?
predecessor 90 by preceded
predecessor 85 after (?:succeeded|succeeding|replaced|replacing) (?!by )
predecessor 70 after predecessor,?
broadcaster 85 after (?:air(?:ed|s|ing)|broadcast|premier(?:ed|es|ing)|ran|debuted|shown)~ (?:on|by|for)
broadcaster 85 after (?:televised|series|originally|seen)~ (?:on|by|for)
broadcaster 60 after (?:network|channel),?
influence 90 by influenced|inspired
influence 80 after influence[sd]?(?: \\w+){0,3}? (?:of|from|was|were|include[sd]?)
capital 85 after capital(?: (?:city|and [a-z ]{3,30}))?(?: (?:is|was|of [\\w ]{3,30} is))?,?
capital 80 before is the (?:[\\w-]+ ){0,3}capital\\b
"""
# More participles that share a "by", as many as anybody joins, and adverbs in front of it.
_AND = r"(?:,? ?(?:and|&|or|,) ?(?:co-? ?)?[a-z-]+(?:ed|en|ing)){0,6}"
_BY = r"(?: (?:and )?(?:solely|entirely|originally|jointly|primarily|mainly))? by"
_ANY = r"(?: [\w,.’'-]+){0,6}?"


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Words that the value follows, or, `before`, that follow the value."""

    pattern: re.Pattern[str]
    score: float
    before: bool


def _parse() -> dict[str, tuple[_Phrase, ...]]:
    phrases: dict[str, list[_Phrase]] = {}
    for row in _TABLE.strip().splitlines():
        kind, score, form, told = row.split(" ", 3)
        phrases.setdefault(kind, []).append(_Phrase(_compiled(form, told), int(score) / 100, form == "before"))
    return {kind: tuple(rows) for kind, rows in phrases.items()}


def _compiled(form: str, told: str) -> re.Pattern[str]:
    if form == "before":
        source = told if told.startswith("'s") else f" {told}"
    elif form == "by":
        source = rf"\b(?:{told}){_AND}{_BY} "
    else:
        # A look-ahead at the end stands behind the space already.
        source = rf"\b{told.replace('~', _ANY)}" + ("" if "(?!" in told else " ")
    return re.compile(source.replace(" ", r"\s"), re.IGNORECASE)


_PHRASES = _parse()


def find_roles(doc: Doc, kind: str) -> Iterator[Found]:
    """Who or what a passage says is its topic's director, publisher and so on; nothing for kinds without phrases."""
    for phrase in _PHRASES.get(kind, ()):
        for match in phrase.pattern.finditer(doc.text):
            yield from _before(doc, match, phrase.score) if phrase.before else _after(doc, match, phrase.score)


def _before(doc: Doc, match: re.Match[str], score: float) -> Iterator[Found]:
    ending = [span for span in doc.names_between(match.start() - 80, match.start()) if match.start() - span.end <= 1]
    for span in ending[-1:]:
        yield doc.found(span.start, span.end, score)


def _after(doc: Doc, match: re.Match[str], score: float) -> Iterator[Found]:
    """The names of the list behind the words, the first ones and early sentences before the others."""
    late = 0.02 * min(5, doc.sentence_index(match.start()))
    for i, span in enumerate(names_after(doc.text, doc.names, match.end())):
        if name_score(doc.text[span.start : span.end], doc.topic) < 0.9:
            yield doc.found(span.start, _campus(doc, span), score - 0.01 * i - late)


def _campus(doc: Doc, span: Span) -> int:
    """The end of a university's name with its campus: "University of California, Los Angeles"."""
    following = doc.next_name(span.end)
    named = "University of" in doc.text[span.start : span.end]
    return following.end if named and following and doc.text[span.end : following.start] in (", ", " at ") else span.end
