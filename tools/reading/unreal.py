"""What is told as not so or not yet so: denied, only nearly done, wished, doubted; and what is told as a guess.

"Jim denied that he had stolen the radio" does not tell what Jim stole, nor "The pool was nearly closed in 2015" when it
was closed. Each such word has a reach, most often to the end of its clause. What stands within it answers only who asks
for just that: what Jim denied, when the pool was nearly closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from tools.answer_rules.docs import Found
from tools.answer_rules.text import content_stems
from tools.reading.negated import Clauses, is_negated, is_ruled_out
from tools.reading.told_values import values_of

Reality = Literal["", "guessed", "unreal"]

GUESSED = 0.8
"""The most confidence in what a text itself tells as a guess: never sure."""
INSTEAD = 0.78
"""The most confidence in what a later clause tells instead of what was not to be."""
_MOST = 600
"""Letters of a sentence that are looked at."""

_N = r"(?:n['’]?t| not| never| no longer| hardly)"
_BE = r"(?:is|was|are|were|['’]s|be|been)"
_WHETHER = r"(?:that|whether|if)"
_HELD = r"(?:believed|thought|rumou?red|assumed|alleged|suspected|supposed)"

_DENIED = re.compile(
    rf"\b(?:{_BE}{_N} (?:\w+ )?(?:true|so|the case|correct|a fact|certain|sure|clear|known) {_WHETHER}"
    rf"|{_BE} (?:false|untrue|wrong|unclear|unknown|uncertain|doubtful|nonsense|a lie|a myth) {_WHETHER}"
    rf"|den(?:y|ies|ied|ying)(?= \w)|doubt(?:s|ed)? {_WHETHER}"
    r"|(?P<short>(?:wonder(?:s|ed)|asked|asks|enquired) (?:whether|if))"
    rf"|(?:no ?one|nobody|none of (?:us|them)) (?:knows?|knew|believe[sd]?|can say|could say) {_WHETHER}"
    rf"|(?:do|does|did)(?:n['’]?t| not) (?:know|think|believe) (?:{_WHETHER}|he|she|it|they|we|I)"
    r"|contrary to|pretend(?:s|ed)? (?:to|that)|wrongly \w+|fail(?:s|ed)? to|refus(?:es|ed) to|forgot to(?! say)"
    r"|(?:suspect(?:s|ed)?|accus(?:es|ed)) (?=(?:[\w.'’]+ ){1,4}of\b))\b",
    re.I,
)
"""Words before what is not so, or of which nobody knows whether it is."""
_STORY = re.compile(
    r"\b(?:rumou?rs?|stor(?:y|ies)|claims?|reports?|tales?|idea|belief|legend|allegations?|gossip)"
    rf" (?P<told>that .{{3,200}}?) (?:{_BE}|proved|turned out)(?:{_N} (?:\w+ )?(?:true|so|correct|right)"
    r"| (?:to be |\w+ly )?(?:false|untrue|wrong|nonsense|unfounded|invented|made up|mistaken|baseless))\b",
    re.I,
)
_NEARLY = re.compile(
    r"\b(?:nearly|almost) (?:(?!(?:finished|completed?|doubled|halved|tripled|filled|sold|hundred|red|wooden|open)\b)"
    r"\w+(?:ed|en)|won|lost|fell|broke|drowned|hit|went|got|came|ran|sank|caught|burnt|left|took|gave|made|bought|shot"
    r"|met|hung)\b|\b(?:narrowly|just|only just) (?:missed|avoided|escaped)\b|\b(?:came|come) close to\b",
    re.I,
)
"""What came near to happening; "nearly 400" is no such word, nor "nearly doubled"."""
_WOULD_HAVE = re.compile(
    r"(?:\b(?:would|could|might|ought to)|\b\w+['’]d)(?: (?!not\b|never\b)\w+)? (?:have|['’]ve) (?=\w)", re.I
)
_WISHED = re.compile(
    r"\b(?:had (?:\w+ )?(?:wanted|hoped|planned|intended|meant|wished|asked|suggested|proposed|expected)"
    r"|would have (?:loved|liked) to|tempted to"
    r"|appl(?:y|ies|ied|ying) for (?=(?:an?|the|his|her) (?:\w+ )?"
    r"(?:jobs?|posts?|places?|positions?|grants?|loans?|visas?)\b)"
    r"|(?:stood|ran) for (?=(?:election|office|mayor|president|parliament|the (?:board|council|presidency))\b)"
    r"|(?:thought|dreamt|dreamed|talked) (?:of|about) \w+ing|considered \w+ing|tried to"
    r"|(?:hoped|wanted|wished|intended|planned|offered|threatened) to"
    r"|offered(?= (?:[£$€]\s?\d[\d.,]*|\d[\d.,]* (?:euros?|pounds?|dollars?)) for\b)"
    r"|(?:was|were) (?:(?:\w+ )?(?:supposed|meant|intended|expected|scheduled|planned|due|going|about) )?to"
    r"(?= (?!(?:the|a|an|my|his|her|our|their|bed|school|work|church)\b)(?-i:[a-z])))\b",
    re.I,
)
"""What was wished for or to be, of which nothing says that it came to be."""
_PLANNED = re.compile(
    r"\b(?:would (?:love|like) to|(?:thinks?|thinking|dreams?|dreaming|talks?|talking) (?:of|about) \w+ing"
    r"|consider(?:s|ing) \w+ing|(?:hopes?|hoping|wants?|wishes|intends?|plans?|planning|offers?|threatens) to"
    r"|dreams? of|dreaming of)\b(?! (?:thank|remind|welcome|congratulate|point out|say|know)\b)",
    re.I,
)
"""What somebody wishes or means to do, which may answer what will be so."""
_BELIEVED = re.compile(
    rf"\b(?:(?:it )?{_BE} (?:\w+ly )?{_HELD} (?:that|to)|claim(?:s|ed) (?:that|to)|guess(?:es|ed)|assumed"
    r"|suspect(?:s|ed)|(?:believed|thought|imagined)(?! (?:of|about))|(?P<said>says|said))\b",
    re.I,
)
"""What somebody holds for so, which the next clause may say is not."""
_NOT_SO = re.compile(
    r"\W*(?:(?:but|though|although|which|and) )?(?:I|we|nobody|no ?one|few|she|he|they) "
    r"(?:(?:do|does|did|could|can)(?:n['’]?t| not) |hardly |never )?(?:believe[sd]?|doubt(?:s|ed)?)\b"
    r"|\W*(?:but|though|although|which|and) (?:(?:that|this|it|he|she|they|which) )?(?:is|was|were|are|['’]s)"
    r"(?:n['’]?t| not)? (?:\w+ )?(?:true|so|right|wrong|false|nonsense|mistaken|untrue|impossible)\b",
    re.I,
)
_IS_ELSE = re.compile(
    r"\W*(?:but |in fact |in truth |actually )*(?:it|he|she|they|that|this)(?: \w+ly)?"
    r"(?:['’]s| (?:is|was|are|were|has|had|turned))\b",
    re.I,
)
_NOT_SO_EITHER = re.compile(
    r"\s*(?:but )?(?:(?:that|this|which|it|the \w+)(?:['’]s| is| was)(?:n['’]t| not| never) (?:\w+ )?"
    r"(?:true|so|the case|correct|right)|(?:that|this|it)(?:['’]s| is| was) (?:\w+ )?"
    r"(?:false|untrue|wrong|nonsense|a lie|invented|made up|a mistake)|not true|nonsense"
    r"|(?:I|we|nobody) (?:do|does)?(?:n['’]t| not)? ?believes? (?:it|that|this|him|her|them))\b",
    re.I,
)
"""What the next sentence says of one that is not so."""
_IF, _WILL_BE = re.compile(r"\bif\b", re.I), re.compile(r"(?:\b(?:will|shall)|['’]ll) (?:\w+ly )?be\b", re.I)
_GUESS = re.compile(
    r"\b(?:perhaps|maybe|probably|possibly|presumably|apparently|supposedly|allegedly|seemingly|reportedly"
    r"|might (?:well )?(?:be|have)|(?:may|could) well|(?:may|could) have (?:been|\w+ed|\w+en)|must have(?: been)?"
    rf"|{_BE} (?:\w+ly )?(?:said|reputed|likely|possible|{_HELD}) (?:that|to)"
    r"|seem(?:s|ed)? (?:that|to)|claim(?:s|ed)? (?:that|to)|guess(?:es|ed)?|suspect(?:s|ed)?"
    r"|(?:I|we|he|she|they|some|people|many|everyone) "
    r"(?:believe[sd]?|thinks?|thought|assumed?|suppose|fancy|reckon)(?! (?:of|about)))\b",
    re.I,
)
_TO_DO = re.compile(r"(?:(?<= to)| to)(?= (?!(?:be|have|get)\b)(?P<do>\w+))", re.I)
"""What may follow such a word: the verb of what was wished."""
_AND = r"\b(?:and|but|so)(?: (?:now|then|soon|later|finally|still|already|at last|in the end|in fact|\w+ly))?"
_THEN_DOES = re.compile(
    rf",? {_AND} (?:\w{{2,}}ed|became|began|bought|brought|built|came|chose|drew|drove|fell|felt|flew|found|gave|got"
    r"|grew|held|kept|knew|led|left|lost|made|met|paid|ran|rode|sang|sat|saw|sold|spent|spoke|stood|swam|taught|told"
    r"|took|went|won|wore|wrote|lives|works(?= (?:at|for|as|in|on)\b)|(?:runs|keeps|plays)(?= (?:an?|the|his|her)\b)"
    r"|owns|teaches|studies|sells|makes|writes|goes|comes|is|was|are|were|has|had|did|does)\b",
    re.I,
)
"""Behind a verb that is wished for, a finite one of what came or is: "tried to find a flat and lives in Hull"."""
_THEN_DID = re.compile(
    rf"{_AND} (?:(?P<did>\w+) (?:it|one|them|there)\b|did(?: so| it| that)?(?=\W*$|,| (?:in|on|at)\b))", re.I
)
"""What is told to have come about as wished: "had planned to buy a boat and bought it", "and did so in May"."""
_TO_READER = re.compile(r"\b(?:you(?:['’]d)?|if \w+) (?:\w+ly )?$", re.I)
"""What stands before words that speak to who reads: "If you want to borrow the van"."""
_WHO_BEHIND = re.compile(r",? (?:who|which|where)\b", re.I)
_ASKS_SO = re.compile(
    r"\b(?:may|might|could|would|should|must|perhaps|maybe|possibl[ey]|likely|probabl[ey]|nearly|almost|believ\w+"
    r"|think\w*|thought|claim\w*|alleg\w+|suspect\w*|accus\w+|den(?:y|ied|ies|ying)|rumou?r\w*|hop(?:e|es|ed|ing)"
    r"|want\w*|wish\w*|plan(?:s|ned|ning)?|inten[dt]\w*|suppos\w+|propos\w+|suggest\w*|offer\w*|appl(?:y|ies|ied|ying)"
    r"|said|says?|tell|told|consider\w*|original\w*|first|before|mean\w*|due|expect\w*|not|never|longer|if|try|tried|tries"
    r"|trying|dream\w*|like|loves? to|aim\w*|target|guess\w*|estimat\w+|ask(?:ed|s)?|doubt\w*|wonder\w*|fail\w*"
    r"|refus\w+|forg[eo]t\w*|schedul\w+|previous\w*|why|going to|wrong\w*|pretend\w*|unknown|seem\w*"
    r"|assum\w+|threat\w*|talk(?:ed|ing)|missed|avoid\w*|escaped?|close to|contrary|st(?:ood|and) for"
    r"|(?:look(?:ed|ing)?|search\w*|call(?:s|ed)?) for|seek\w*|sought|demand\w*|request\w*|insist\w*)\b|n['’]t\b",
    re.I,
)
"""What a question says that asks for what is wished, guessed, tried or not so."""
_ASKS_NOT = re.compile(r"\b(?:not|never|why|say|says|said|think\w*|possible|wrong)\b|n['’]t\b", re.I)
_WILL = re.compile(r"\b(?:will|shall|going|next)\b|['’]ll\b", re.I)

_CHOICE = frozenset(
    content_stems(
        "but instead end did do does took take takes got get gets went go goes chose choose chosen settled decided"
        " became job post place part role"
        " majority most all others committee board council preferred prefers fact actually"
    )
)
"""What a clause may say that tells the outcome of what was wished or held for so."""


class _Reach(NamedTuple):
    """How a word tells what stands at [start, end) of a sentence, where it stands and where its clause begins."""

    reality: Reality
    begin: int
    word: int
    start: int
    end: int


def reality_of(question: str, found: Found) -> Reality:
    """How far an answer's sentence tells it as so, for who asks a question: "" where nothing speaks against it."""
    start, end = found.doc.sentence_span(found.start)
    if _NOT_SO_EITHER.match(found.doc.text, end) and not _ASKS_SO.search(question):
        return "unreal"
    return reality_in(question, found.doc.text[start:end], found.start - start, found.end - start)


def reality_in(question: str, sentence: str, start: int, end: int) -> Reality:
    """The same for the words at [start, end) of a sentence. Linear in it."""
    if not 0 <= start <= end <= _MOST:
        return ""
    if is_ruled_out(sentence, end) and not _ASKS_NOT.search(question):
        return "unreal"
    if _ASKS_SO.search(question):
        return ""
    sentence = sentence[:_MOST]
    asked = frozenset(content_stems(question)) - frozenset(content_stems(sentence[start:end]))
    clauses = Clauses.of(sentence)
    if is_negated(question, clauses, start, end, asked):
        return "unreal"
    reaches = _reaches(clauses, bool(_WILL.search(question)))
    told = {one.reality for one in reaches if _is_within(one, sentence, start, end, asked)}
    return "unreal" if "unreal" in told else "guessed" if told else ""


def told_instead(question: str, found: Found, others: Sequence[Found]) -> Found | None:
    """Which of other finds the same sentence tells in the place of what is not so, in a later clause that says nothing
    else: "had wanted to call the boat Seal; most were for Alk". None where it tells none.
    """
    begin, end = found.doc.sentence_span(found.start)
    clauses = Clauses.of(found.doc.text[begin:end][:_MOST])
    known = frozenset(content_stems(question)) | _CHOICE
    kinds = {one.kind for one in values_of(found.text)}
    for one in others:
        if one.doc is not found.doc or not found.end <= one.start < begin + len(clauses.text):
            continue
        first, last = clauses.around(one.start - begin, one.end - begin)
        said = frozenset(content_stems(clauses.text[first:last])) - frozenset(content_stems(one.text))
        is_alike = {value.kind for value in values_of(one.text)} == kinds
        if first >= found.end - begin and said <= known and is_alike and not reality_of(question, one):
            return one
    return None


def _is_within(one: _Reach, sentence: str, start: int, end: int, asked: frozenset[str]) -> bool:
    """Whether words stand within a reach, or before its word in the same clause where the reach says what is asked:
    "Pym almost won the race". What a "who" behind the reach tells is told as so: "Lang, who fell ill".
    """
    says_asked = bool(asked & frozenset(content_stems(sentence[one.word : one.end])))
    if one.start <= start and end <= one.end:
        is_asked = says_asked or bool(asked & frozenset(content_stems(sentence[one.begin : one.word])))
        behind = sentence[one.end :]
        is_of_who = _WHO_BEHIND.match(behind) and asked & frozenset(content_stems(behind))
        return is_asked or not is_of_who
    return says_asked and one.begin <= start and end <= one.word


def _reaches(clauses: Clauses, asks_ahead: bool) -> Iterator[_Reach]:
    """All that a sentence tells as not so or as a guess; where it is asked what will be, plans are neither."""
    sentence = clauses.text
    for story in _STORY.finditer(sentence):
        start, end = story.span("told")
        yield _Reach("unreal", start, start, start, end)
    for pattern in (_DENIED, _NEARLY, _WOULD_HAVE, _WISHED, *(() if asks_ahead else (_PLANNED,))):
        for match in pattern.finditer(sentence):
            if not _TO_READER.search(sentence, 0, match.start()):
                reach = _reach(clauses, match, "unreal")
                short = _short_of_deeds(sentence, match, reach) if pattern in (_WISHED, _PLANNED) else reach
                if short:
                    yield short
    for match in _WILL_BE.finditer(sentence) if _IF.search(sentence) else ():
        yield _reach(clauses, match, "guessed" if asks_ahead else "unreal")
    for match in _BELIEVED.finditer(sentence):
        reach = _reach(clauses, match, "unreal")
        if _NOT_SO.match(sentence, reach.end) or (not match["said"] and _IS_ELSE.match(sentence, reach.end)):
            yield reach
    for match in _GUESS.finditer(sentence):
        reach = _reach(clauses, match, "guessed")
        yield reach._replace(start=reach.begin)


def _short_of_deeds(sentence: str, match: re.Match[str], reach: _Reach) -> _Reach | None:
    """The reach of a wish to do something up to where a sentence goes on with what was done; None where it was that."""
    to_do = _TO_DO.match(sentence, match.end())
    if to_do is None:
        return reach
    wished = frozenset(content_stems(to_do["do"]))
    for done in _THEN_DID.finditer(sentence, match.end()):
        if done["did"] is None or wished & frozenset(content_stems(done["did"])):
            return None
    then = _THEN_DOES.search(sentence, to_do.end("do"), reach.end)
    return reach._replace(end=then.start()) if then else reach


def _reach(clauses: Clauses, match: re.Match[str], reality: Reality) -> _Reach:
    begin, end = clauses.around(*match.span())
    comma = clauses.text.find(",", match.end(), end) if match.groupdict().get("short") else -1
    return _Reach(reality, begin, match.start(), match.end(), end if comma < 0 else comma)
