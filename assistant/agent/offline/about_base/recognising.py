"""Which questions are about the knowledge base itself. A question about the world must never be taken for one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tools.planning.lexicon import VERBAL, singular
from tools.planning.words import WH

Kind = Literal[
    "greeting",
    "thanks",
    "help",
    "doubt",
    "objection",
    "more",
    "contents",
    "documents",
    "tasks",
    "mentions",
    "kind",
    "day",
    "decided",
    "discussed",
    "extract",
    "known",
    "definition",
    "beside",
]


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted of the knowledge base, and of which `subject`.

    "extract" wants one document in short, "beside" two of them side by side, "known" whatever is said of a thing, "day"
    what is noted on it, "decided" and "discussed" what minutes say of a meeting. Where it is not `sure`, it is one only
    if the subject is known.
    """

    kind: Kind
    subject: str = ""
    sure: bool = True


EXTRACT, SAID = "In short: ", "What is said of "
"""How the short answers begin that stand above quotations, and so are no answer to anything else."""

_MOST_WORDS = 8
"""Words of a subject; what has more is a question of its own."""

_DOCUMENTS = r"(?:documents|docs|notes|files|articles|papers|texts|pages|sources|entries|passages|pdfs)"
_DOCUMENT = r"(?:document|doc|note|file|article|paper|text|page|entry|pdf|piece)"
_BASE = r"(?:knowledge base|base|library|collection|corpus|archive|database|folder|file|notes|documents|files)"
_HERE = rf"(?:(?:in|inside|within|of) )?(?:here|it|(?:this|these|the|my|your|our) {_BASE})"
_ASK = r"(?:list|show|name|give|enumerate|print|display)(?: me| us)?"
_SAYS = (
    r"(?:mention(?:s|ed|ing)?|talk(?:s|ing)? about|speak(?:s|ing)? (?:of|about)|discuss(?:es|ing)?|"
    r"refer(?:s|ring)? to|deal(?:s|ing)? with|cover(?:s|ing)?|(?:are |is )?(?:about|on)|"
    r"say(?:s|ing)? (?:something|anything) (?:about|of|on)|contain(?:s|ing)? the (?:word|name)|"
    r"have (?:something|anything) (?:about|on))"
)
_ASIDE = re.compile(
    r"^(?:please|(?:and|so|ok|okay|well|hey|hi|hello),?|(?:can|could|would|will) you(?: please)?)\s+", re.I
)
_PLEASE = re.compile(r",? please$", re.I)
_QUOTES = "\"'“”‘’«»"
_NO_KINDS = frozenset(
    """document doc note file article paper text page source entry passage thing things name names fact facts question
    questions example examples word words""".split()
)


_PRONOUNS = frozenset("it he she they him her them this that these those there here one someone something you".split())


def _anchored(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)


_GREETING = _anchored(
    r"(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))(?: (?:there|clew|all|everyone))?",
    r"how are you(?: doing| today)?",
)
_GOOD = r"(?:(?:very|really|so) )?(?:great|good|perfect|nice|helpful|useful|kind|lovely)"
_PRAISE = (
    rf"(?:(?:that|this|it|you)(?:['’](?:s|re)| is| was| are| were) {_GOOD}|"
    r"(?:that|this|it) (?:really )?help(?:s|ed)(?: me| us)?(?: a lot)?)"
)
_THANKED = r"(?:(?:ok|okay|great|good|perfect),? )?(?:thanks|thank you|thx|cheers)"
_THANKS = _anchored(
    rf"{_THANKED}(?: (?:a lot|so much|very much|clew))?",
    rf"{_THANKED}(?:[,!.;]? {_PRAISE}| for (?:the|your|all (?:the|your)) (?:help|answers?|time))",
    rf"great|perfect|good|nice|ok|okay|bye|goodbye|good night|see you|{_PRAISE}",
)
_DOUBT = _anchored(
    r"(?:but )?(?:are you|how) (?:(?:quite|very|really|absolutely) )?(?:sure|certain)(?: are you)?"
    r"(?: (?:about|of) (?:that|this|it))?",
    r"(?:is|was) (?:that|this) (?:really )?(?:true|right|correct|certain)",
    r"really|why|how come|says who|who says (?:so|that)",
    r"(?:how|why) do you (?:know|say|think)(?: (?:so|that|this|it))?",
    r"where did you (?:get|find|read) (?:that|this|it)(?: from)?",
    r"what(?:'s|’s| is) (?:your|the) source(?: for (?:that|this|it))?",
)
_OBJECTION = _anchored(
    r"(?:no,? )?(?:that(?:['’]s| is| was)|you(?:['’]re| are)|it(?:['’]s| is))"
    r" (?:wrong|incorrect|false|untrue|mistaken|nonsense|not (?:right|true|correct|so))(?: *[,;.:!–—-] ?.*)?",
    r"wrong",
)
_MORE = _anchored(
    r"(?:(?:tell|give|show) (?:me|us) |say )?(?:some |a (?:bit|little) )?more(?: details)?",
    r"go on|(?:and )?(?:what|anything) else",
)
_HELP = _anchored(
    r"help(?: me)?",
    r"what (?:can|do) you do(?: here| for me)?",
    r"what (?:can|may|should) (?:i|one|we) (?:ask|do)(?: you| about)?(?: here)?",
    r"(?:what|which) (?:kinds? of |sorts? of )?questions (?:can|may|should) (?:i|one|we) ask(?: you)?(?: here)?",
    r"how (?:do|can|should) i (?:use|ask) (?:this|you|it)",
    r"how (?:do you|does (?:this|it)) work",
    r"how can you help(?: me)?",
    r"(?:who|what) are you",
    r"(?:what(?:'s|’s| is)|tell me) your name",
    r"what (?:are|should i call) you(?: called)?",
)
_CONTENTS = _anchored(
    rf"what(?:'s|’s| is| have you got| do you have)?(?: there)?(?: all)? {_HERE}",
    r"what(?:'s|’s| is) (?:there|here)",
    rf"what (?:is|are) (?:this|it|these|the|my|your)(?: {_BASE})?(?: all)? about",
    r"what do you (?:know|have|hold|contain)(?: about)?",
    rf"what (?:does|do) (?:this|it|(?:this|the|my|your) {_BASE}) (?:contain|hold|have|cover|know)",
    rf"what (?:topics|subjects|themes)(?: (?:are|is)(?: there)?| do you (?:have|know|cover))(?: covered)?(?: {_HERE})?",
    rf"(?:(?:give|show)(?: me)? )?(?:an |the )?(?:overview|contents|table of contents|inventory)(?: of)?(?: {_HERE})?",
    rf"(?:summari[sz]e|describe) (?:this|the|my|your) {_BASE}",
    rf"what can i find {_HERE}",
)
_LISTED = _anchored(
    rf"(?:what|which|how many) {_DOCUMENTS} (?:are|is) (?:there|available|loaded|stored|indexed|here|{_HERE})"
    rf"(?: {_HERE})?(?: (?:all together|altogether|in all|in total))?",
    rf"(?:what|which|how many) {_DOCUMENTS} (?:do|did|have) (?:you|i|we) (?:have|know|hold|got|read|load)(?: {_HERE})?",
    rf"(?:what|which|how many) {_DOCUMENTS} (?:does|do) {_HERE} (?:have|hold|contain)",
    rf"{_ASK}(?: all| every)?(?: of)?(?: the| my| your)? {_DOCUMENTS}(?: {_HERE})?",
    rf"(?:the )?(?:number|list|titles) of (?:all |the )*{_DOCUMENTS}(?: {_HERE})?",
    rf"(?:how many )?{_DOCUMENTS}",
)
_T = r"(?:tasks|to-?dos|to dos|action items|actions|chores|jobs|things)"
_LEFT = r"(?:still )?(?:to do|to be done|left to do|left|undone|not (?:yet )?(?:been )?done(?: yet)?)"
_TASKS = _anchored(
    rf"(?:what|which) {_T} (?:is|are|has|have) (?:{_LEFT}|(?:still )?(?:open|outstanding|unfinished))",
    rf"what(?:'s|’s| is| are| has) {_LEFT}",
    rf"(?:what are )?(?:the |my |our |all )*(?:open|outstanding|remaining|undone|unfinished) {_T}",
    rf"{_ASK}(?: all)?(?: the| my| our)? (?:(?:open|outstanding|remaining|undone|unfinished) {_T}|tasks|to-?dos)",
    r"what (?:do|have) (?:i|we) (?:still )?(?:(?:have|need|got) )?to do(?: still)?",
    rf"(?:{_ASK} |(?:what is|what's|what’s) on )?(?:the |my |our )?to-?do list",
)
_DAY = _anchored(
    r"what (?:happened|was done|went on|is noted|was noted|is written|did (?:i|we) (?:do|note|write))"
    r"(?: down)? (?:on|for) (?P<a>.+)",
    r"(?:what(?:'s|’s| is) in )?(?:(?:the|my|our) )?(?:notes?|entry|entries|diary|log) (?:for|of|from|on) (?P<b>.+)",
)
_WE = (
    r"(?:i|we|they|you|(?:the|our) (?:committee|board|council|group|team|club|society|association|trustees|members"
    r"|parish|parents|residents|neighbours|tenants|directors|partners|owners|meeting))"
)
_OF_IT = r"(?:at|in|on|during|from|of|about|regarding|concerning) "
_OF_MEETING = r"(?:at|in|on|during|from|of) .*?\b(?:meeting|minutes|session|assembly|agm|call)\b.*"
_DECIDED = _anchored(
    rf"what (?:was|were|got|has been|had been) (?:decided|agreed|resolved|approved) (?P<a>{_OF_IT}.+)",
    rf"what did {_WE} (?:decide|agree|resolve)(?: on)? (?P<b>{_OF_IT}.+)",
    rf"(?:what (?:were|are) )?(?:the )?(?:decisions|resolutions|outcomes?) (?P<c>{_OF_IT}.+)",
)
_DISCUSSED = _anchored(
    r"what (?:was|were|got|has been|had been) (?:discussed|talked about|on the agenda|minuted|raised|covered)"
    rf" (?P<a>{_OF_IT}.+)",
    rf"what did {_WE} (?:discuss|talk about|cover) (?P<b>{_OF_IT}.+)",
    rf"what (?:happened|went on|came up|came out|was said) (?P<c>{_OF_MEETING})",
)
_MENTIONS = _anchored(
    rf"(?:what|which|how many) (?:of (?:the|my|your) )?(?:{_DOCUMENTS}|note|document|file)"
    rf"(?: are there| do you have| have you got)?(?: (?:that|which))? {_SAYS} (?P<a>.+)",
    rf"(?:{_ASK}|find|are there|do you have|have you got|is there)(?: me)?(?: all| any| some| the| a| every)*"
    rf" (?:{_DOCUMENTS}|{_DOCUMENT}) (?:(?:that|which) )?{_SAYS} (?P<b>.+)",
    rf"{_DOCUMENTS} (?:(?:that|which) )?{_SAYS} (?P<c>.+)",
    r"(?:do you have|have you got|is there|find|show me) (?:anything|something) (?:about|on|that mentions) (?P<f>.+)",
    rf"where (?:is|are) (?P<d>.+?) mentioned(?: {_HERE})?",
    rf"(?:is|are|was|were) (?P<e>.+?) (?:ever )?mentioned(?: {_HERE}| anywhere)?",
)
_K = r"[a-z][\w-]+(?: [a-z][\w-]+)?"
_NAMED_HERE = rf"(?: {_HERE}| (?:that are )?mentioned(?: {_HERE})?)?"
_KIND = _anchored(
    rf"{_ASK}(?: of)?(?: all| every)(?: of)?(?: the| my| your)? (?P<a>{_K}){_NAMED_HERE}",
    rf"{_ASK}(?: the| my| your) (?P<b>{_K}){_NAMED_HERE}",
    rf"(?:list|enumerate) (?P<c>{_K})(?: {_HERE})?",
    rf"(?:what|which) (?P<d>{_K}) (?:are|is) (?:there|mentioned|here|{_HERE})(?: mentioned)?(?: {_HERE})?",
    rf"(?:what|which) (?P<e>{_K}) do you (?:know|have)(?: of| about)?",
    rf"how many (?P<f>{_K}) (?:are (?:there )?(?:mentioned )?{_HERE}|do you (?:know|have)(?: of| about)?)",
    rf"(?:what|which) (?P<g>{_K}) (?:does|do) {_HERE} (?:mention|name|know)",
    rf"who (?:is|are) (?P<people>mentioned|named)(?: {_HERE})?",
)
_ARTICLE = rf"(?:the )?(?:{_DOCUMENT}|documents|chapter) (?:(?:on|about|called|titled|named|entitled|of) )?"
_EXTRACT = _anchored(
    rf"(?:summari[sz]e|sum up|recap|abstract|outline) (?:for me )?(?:{_ARTICLE})?(?P<a>.+)",
    rf"(?:(?:give|show|write|make)(?: me)? )?(?:an? |the )?(?:short |brief )?(?:summary|extract|abstract|gist)"
    rf" (?:of|on|from|about) (?:{_ARTICLE})?(?P<b>.+)",
    rf"what (?:does|do) {_ARTICLE}(?P<c>.+?) (?:say|tell|tell us|contain|cover|describe)",
    rf"what (?:is|'s|stands) (?:said |told |written )?(?:in|about in) {_ARTICLE}(?P<d>.+)",
    r"what is said in (?P<e>.+)",
    rf"what is {_ARTICLE}(?P<f>.+?) about",
    rf"(?:open|read|show)(?: me)? {_ARTICLE}(?P<g>.+)",
)
_EXTRACT_OF_KNOWN = _anchored(
    r"what (?:is|'s) (?P<b>.+?) about",
    r"what does (?P<c>.+?) say",
    rf"what (?:is|'s) in (?P<d>[{_QUOTES}].+)",
    r"(?P<e>.+)",
)
_BESIDE = _anchored(r"(?:compare|contrast) (?P<a>.+ (?:and|with|to|against) .+)")
_DEFINITION = _anchored(r"(?:who|what)(?: is| was| are| were|['’]s) (?P<a>.+)")
_KNOWN = _anchored(
    r"(?:what is|what's) (?:known|said|told|written) (?:about|of|on) (?P<a>.+)",
    r"what do (?:you|we) know (?:about|of|on) (?P<b>.+)",
    r"(?:what do the|what does the) (?:documents|notes|texts|file|files|library) say (?:about|of|on) (?P<c>.+)",
    r"tell me (?:something |more |all )?(?:about|of) (?P<d>.+)",
)


def recognised(question: str) -> Request | None:
    """What the question wants of the knowledge base; None where it is a question like others."""
    text = " ".join(question.split()).rstrip(" ?!.…")
    bare = _without_asides(text)
    for kind, pattern in _BY_THEMSELVES.items():
        if pattern.fullmatch(text) or pattern.fullmatch(bare):
            return Request(kind)
    if (match := _KIND.fullmatch(bare)) and (noun := _kind(match)):
        return Request("kind", noun)
    for of_meeting, pattern in _OF_MEETINGS.items():
        if match := pattern.fullmatch(bare):
            return Request(of_meeting, next(text for text in match.groups() if text), sure=False)
    for kind, pattern, sure in _OF_SUBJECTS:
        if (match := pattern.fullmatch(bare)) and (subject := _subject(match)):
            return Request(kind, subject, sure)
    return None


_BY_THEMSELVES: dict[Kind, re.Pattern[str]] = {
    "greeting": _GREETING,
    "thanks": _THANKS,
    "help": _HELP,
    "doubt": _DOUBT,
    "objection": _OBJECTION,
    "more": _MORE,
    "documents": _LISTED,
    "contents": _CONTENTS,
    "tasks": _TASKS,
}
_OF_MEETINGS: dict[Kind, re.Pattern[str]] = {"decided": _DECIDED, "discussed": _DISCUSSED}
_OF_SUBJECTS: tuple[tuple[Kind, re.Pattern[str], bool], ...] = (
    ("day", _DAY, False),
    ("mentions", _MENTIONS, True),
    ("extract", _EXTRACT, True),
    ("known", _KNOWN, False),
    ("definition", _DEFINITION, False),
    ("beside", _BESIDE, False),
    ("extract", _EXTRACT_OF_KNOWN, False),
)


def _without_asides(text: str) -> str:
    """The request without "please" and the like around it."""
    while (shorter := _ASIDE.sub("", text, count=1)) != text and shorter:
        text = shorter
    return _PLEASE.sub("", text)


def _subject(match: re.Match[str]) -> str:
    """What the question is about; "" where that is a clause, and so a question of its own."""
    said = next((text for text in match.groupdict().values() if text), "").strip()
    bare = said.strip(_QUOTES + " ,")
    if said[:1] in _QUOTES and said[-1:] in _QUOTES:
        return bare
    words = bare.split()
    if bare.lower() in _PRONOUNS:
        return ""
    # What ends in "rules" or "plans" is a noun.
    clause = any(word in WH for word in words) or any(word in VERBAL for word in words[:-1])
    return "" if clause or len(words) > _MOST_WORDS or "," in bare else bare


def _kind(match: re.Match[str]) -> str:
    """The kind of thing, in the singular; "" where what stands there is no plural noun written small."""
    found = match.groupdict()
    if found.pop("people"):
        return "person"
    said = next((text for text in found.values() if text), "")
    *before, last = said.lower().split()
    before = [word for word in before if word not in ("other", "more", "different")]
    one = _ODD_PLURALS.get(last) or singular(last)
    if one == last or {*before, last} & (_NO_KINDS | VERBAL | WH) or not said.islower():
        return ""
    return " ".join([*before, one])


_ODD_PLURALS = {"people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child"}
