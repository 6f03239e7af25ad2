"""Questions about what they only describe: "the person who built the volcano", "the field where the oats were sown",
"Leslie Stephen's first wife".

Such a question is two: which one the description fits, and what was asked of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.planning.possessed import belonging, having_part, is_personal
from tools.planning.told_apart import BASE_VERBS, told_apart
from tools.planning.words import DETERMINERS, POSSESSIVE_PRONOUNS, PREPOSITIONS

_DETERMINER = r"(?:the|a|an|our|my|your|their|his|her|its|that|this|those)"
_NOUN = r"(?P<noun>\w[\w'’-]*(?:\s+\w[\w'’-]*){0,2}?)"
_RELATIVE = r"(?P<relative>(?:(?:in|from|to|by|with|for|at|on|of)\s+)?(?:who|whom|that|which|where|whose|when))"
_LATE = (
    r"(?P<late>born|buried|called|named|made|built|based|kept|stored|have|cost|weigh|live|work|get|need|use|earn|grow"
    r"|belong to|come from|speak|play|sing|teach|sit|be)"
)
_AUXILIARY = r"(?:is|are|was|were|does|do|did|has|have|had|can|will|should|must)"
_NAMES_IN_ING = (
    r"\w*thing|going|meeting|building|training|evening|morning|parking|wedding|painting|opening|heating|ceiling"
    "|booking|spring|string|ring|king|wing|landing|lighting|clothing|setting|reading|hearing|recording|shipping"
    "|mailing|closing|beginning|ending|during|roofing|flooring|drawing|rating|listing|filing|filling|saying|stocking"
    "|sibling|railing|housing|savings?|outing|crossing|boarding|pudding|wiring|plumbing|offering|finding|briefing"
    "|standing|bring|sing|swing|cling|sting|fling"
)
"""What ends in -ing and is a noun, or no verb of a description: "the meeting on Monday"."""
_FORMS = (
    # "When was the animal born that refuses to pull the cart?"
    re.compile(
        rf"^(?P<before>.*\b{_AUXILIARY}\s+)(?P<whole>{_DETERMINER}\s+{_NOUN}\s+)(?P<rest>{_LATE})\s+{_RELATIVE}\s+(?P<clause>.+)$",
        re.I,
    ),
    re.compile(rf"^(?P<before>.*?\b)(?P<whole>{_DETERMINER}\s+{_NOUN}\s+{_RELATIVE}\s+(?P<clause>.+))$", re.I),
    re.compile(
        rf"^(?P<before>.*?\b)(?P<whole>{_DETERMINER}\s+{_NOUN}\s+(?P<relative>responsible\s+for|in\s+charge\s+of)\s+(?P<clause>.+))$",
        re.I,
    ),
    # "the guesthouse used for Three Lakes"
    re.compile(
        rf"^(?P<before>.*?\b)(?P<whole>{_DETERMINER}\s+{_NOUN}\s+"
        r"(?P<relative>(?:used|booked|meant|needed|reserved|hired|chosen|kept|set\s+aside)\s+(?:for|by))\s+(?P<clause>.+))$",
        re.I,
    ),
    # "the firm putting up our scaffolding"
    re.compile(
        rf"^(?P<before>.*?\b)(?P<whole>{_DETERMINER}\s+{_NOUN}\s+(?P<relative>(?!(?:{_NAMES_IN_ING})\b)\w{{2,}}ing)"
        r"\s+(?P<clause>(?:up|out|in|on|at|off|for|after|with|from|to|the|our|my|your|their|his|her|its|an?)\s+\w.*))$",
        re.I,
    ),
    # "the vet treating Hazel"
    re.compile(
        rf"^(?P<before>.*?\b)(?P<whole>the\s+{_NOUN}\s+(?P<relative>(?!(?:{_NAMES_IN_ING})\b)(?-i:[a-z]{{2,}}ing))"
        r"\s+(?P<clause>(?-i:[A-Z]).*))$",
        re.I,
    ),
    # "whoever leads the team"
    re.compile(r"^(?P<before>.*?\b)(?P<whole>(?P<relative>whoever|who\s?ever)\s+(?P<clause>.+))$", re.I),
    # "the dog found at the station"
    re.compile(
        rf"^(?P<before>.*?\b)(?P<whole>the\s+{_NOUN}\s+(?P<relative>(?:found|caught|seen|made|left|held|bought|sold|sent|lost"
        r"|built|taken|kept|hurt|hit|\w{3,}ed)(?:\s+up|\s+off|\s+out)?\s+(?:at|in|on|by|from|near|under|behind))\s+(?P<clause>.+))$",
        re.I,
    ),
    # "the loaf with the plastic in it"
    re.compile(
        rf"^(?P<before>.*?\b)(?P<whole>the\s+{_NOUN}\s+(?P<relative>with|without)\s+(?P<clause>(?:the(?!\s+same\b)|an?|his|her|its|their)\s+\w.*))$",
        re.I,
    ),
    # "the day the judges came"
    re.compile(
        r"^(?P<before>.*?\b)(?P<whole>the\s+(?P<noun>day|date|morning|afternoon|evening|night|week|weekend|month|year)\s+"
        r"(?P<relative>)(?P<clause>(?:(?:the|our|my|your|their|his|her|its)\s+\w+|(?-i:[A-Z][\w'’-]+))\s+"
        r"(?!(?:is|was|are|were)\s+on\b)\w+.*))$",
        re.I,
    ),
    # "the coach company we decided on"
    re.compile(
        rf"^(?P<before>.*?\b)(?P<whole>{_DETERMINER}\s+{_NOUN}\s+(?P<relative>we|(?-i:I(?!\s+[A-Z]))|they|you|he|she)\s+(?P<clause>\w+\s*.*))$",
        re.I,
    ),
)
_PERSON = re.compile(r"^(?:person|man|woman|one|guy|lady|people|somebody|someone|girl|boy)$", re.I)
_NO_NOUN = re.compile(
    r"\b(?:if|now|while|when|as|because|before|after|since|and|or|from|for|on|by|know|say|tell|think|mean"
    r"|agree|keep|get|be|give|stop|start|up|off|out)\b",
    re.I,
)
_GOES_ON = re.compile(r"\b(?:is|are|was|were|be|been|am)\s+$", re.I)
"""Behind it "the inspector coming round" is what he does."""
_TIME = re.compile(r".*\b(?:day|date|year|month|week|time|night|season|hour|moment)$", re.I)
# What is left of the question behind a description that ends before it does.
_VERBS = (
    "have|cost|use|need|work|live|teach|belong|come|get|play|run|keep|own|sing|earn|hold|lead|like|want|take|look|speak"
    "|report|weigh|grow|sell|drive|write|stay|sit|start|end|do"
)
_STRANDED = (
    (
        re.compile(r"\b(?:does|do|did|can|will|should|must)\s*$", re.I),
        re.compile(rf"\s(?:not\s+)?(?:{_VERBS})(?:\s+\w+)?$", re.I),
    ),
    (
        re.compile(r"\b(?:has|have|had)\s*$", re.I),
        re.compile(r"\s(?:been|worked|lived|had|owned|played|won|served)\b.*$", re.I),
    ),
    (
        re.compile(r"\b(?:is|are|was|were)\s*$", re.I),
        re.compile(
            r"(?<!\bis)(?<!\bwas)(?<!\bare)(?<!\bwere)\s(?:born|buried|called|named|based|from|kept|stored)$", re.I
        ),
    ),
)
_ONLY_NAMED = re.compile(
    r"^(?:and\s+)?(?:who|what|which)\s+(?:is|are|was|were)\s*$|^(?:what|which)\s+(?:is|was)\s+the\s+name\s+of\s*$"
    r"|^(?:name|who)\s*$|^(?:the\s+)?(?:full\s+)?names?\s+of\s*$",
    re.I,
)
_ASKS = re.compile(r"\b(?:who|whom|whose|what|which|when|where|how|is|are|was|were|do|does|did|has|have|can)\b", re.I)
_TOLD_TO = re.compile(r"^(?:please\s+)?(?:tell|give|show|find|name|remind|need)\b", re.I)
_TELEGRAPHIC = re.compile(r"^(?:[\w'’-]+\s+){1,8}(?:of|for|from|at|about|to)\s+$", re.I)
"""What is asked in as few words as can be: "phone of", "earliest time to ring"."""
_ASKED_BEHIND = re.compile(r"\b(?:what|whom|how (?:many|much))\b|\b(?:in|of|to|from|by|at) which\b", re.I)
_WHAT = r"(?:(?:in|at|from|on|by|to|until|since)\s+)?(?:who|what|which|when|where|how|whose)(?:['’]?s)?\b"
# "The woman that the college is named after, where was she born?", "the man who mended the tap - what's his number?"
_FRONTED = re.compile(
    rf"^(?:and\s+)?(?P<whole>(?:{_DETERMINER}\s|whoever\s)[^,:;]+?)(?:\s*[,:;]\s*|\s+[-–—]\s+)"
    rf"(?P<asks>{_WHAT}[^,:;]*)$",
    re.I,
)
# "I have to ring whoever feeds the cats. What's the number?"
_SAID_FIRST = re.compile(
    r"^(?P<said>.*\b(?:the|whoever)\s[^.!;]+)[.!;]\s+"
    rf"(?P<asks>{_WHAT}[^.!;?]*)$",
    re.I,
)
_PRONOUN = re.compile(r"\b(?:(?P<own>his|its|their|her(?=\s+[a-z]))|he|she|it|they|him|her|them|that one)\b", re.I)
_CONTACT = re.compile(
    r"\bthe\s+(?:(?:mobile|phone|telephone)\s+)?(?:number|mobile|phone|address|e-?mail(?:\s+address)?)$", re.I
)
# What a question tells first, its pronouns stand for: "Elspeth is off today. Who is standing in for her?"
_TOLD_FIRST = re.compile(r"(?:[a-z]{4}|\d)[.!?;] .*\b(?:he|she|him|her|it|they|them|his|its|their)\b", re.I)
_SUBJECT_FIRST = re.compile(
    r"^(?P<subject>(?!(?:what|who|which|there|it|this|that|these|those|he|she|we|they|you|mrs?|ms|dr)\b)"
    r"(?-i:[A-Z][\w-]+(?: [A-Z][\w-]+)*)|(?:the|our|my)(?: [\w-]+){1,3}?)"
    r" (?:is|are|was|were|has|had|does|do|did|can|could|will|won['’]t|shows?|says?|keeps?|broke|stopped|went|came)\b"
    r"(?P<told>[^.!?;]*)[.!?;] (?P<asks>[^.!?;]+)$",
    re.I,
)
_SOMEBODY = re.compile(r"\b(?:some(?:one|body)|person|colleague|man|woman|people|who)\b", re.I)
LONGEST = 400
"""Characters of a question that is read: the patterns try every place, and nobody asks at such length."""

_WE = ("we", "i", "they", "you", "he", "she")
SLOT = "\0"
"""Stands in `Described.asked` for what the description fits."""


@dataclass(frozen=True, slots=True)
class Described:
    """`fits` asks for what is described; `asked` is the question with SLOT in the place of the description, "" where
    the question asks for nothing else. `words` is the description itself.
    """

    fits: str
    asked: str
    words: str

    def about(self, name: str) -> str:
        """What was asked, of the thing of that name."""
        return self.asked.replace(SLOT, name)


def described(question: str) -> Described | None:
    """A question's description of what it is about and what it asks of that; None where it describes nothing so."""
    text = _without_ends(question)
    if len(text) > LONGEST:
        return None
    return _told_ahead(text) or ((_by_form(own) or _belonging(own)) if (own := _own_sentence(text)) else None)


def describes(question: str) -> bool:
    """Whether a question says of somebody or something that it asks about what is so of them, and not only whose it
    is; also in a form that `described` does not part: "my editor's guess on page 60, what is his profession?".
    """
    text = _without_ends(question)
    if len(text) > LONGEST:
        return False
    return bool(_SAYS_OF.search(text)) or (_told_ahead(text) or _by_form(_own_sentence(text))) is not None


def _without_ends(question: str) -> str:
    return " ".join(question.split()).strip(" ?.!")


def _own_sentence(text: str) -> str:
    """The question without what is told before it, "" where that tells what it means."""
    return _with_subject(text) or ("" if _TOLD_FIRST.search(text) else text)


def _by_form(text: str) -> Described | None:
    """What the first form that fits a question makes of it."""
    matches = (form.match(text) for form in _FORMS)
    match = next((one for one in matches if one and _asks(one["before"])), None)
    return _parted(match) if match else None


def _with_subject(text: str) -> str:
    """The second of two sentences with the subject of the first in the place of its one pronoun: "Elspeth is off today.
    Who is standing in for her?"; "" where it may mean something else.
    """
    match = _SUBJECT_FIRST.match(text)
    pronouns = list(_PRONOUN.finditer(match["asks"])) if match else []
    if match is None or len(pronouns) != 1 or _SOMEBODY.search(match["told"]):
        return ""
    asks, pronoun, subject = match["asks"], pronouns[0], match["subject"]
    if subject.split()[0].lower() in ("the", "our", "my"):
        subject = subject[0].lower() + subject[1:]
    own = "'s" if pronoun["own"] else ""
    return f"{asks[: pronoun.start()]}{subject}{own}{asks[pronoun.end() :]}"


def _told_ahead(text: str) -> Described | None:
    """A question that describes something first and then asks for what that has, by a pronoun or for its number."""
    turned = _FRONTED.match(text) or _SAID_FIRST.match(text)
    if turned is None:
        return None
    fronted = turned.groupdict().get("whole")
    matches = (form.match(fronted or turned["said"]) for form in _FORMS)
    match = next((one for one in matches if one and (not fronted or not one["before"])), None)
    asks = turned["asks"]
    if match is None or match.groupdict().get("rest"):
        return None
    if pronoun := _PRONOUN.search(asks):
        own = "'s" if pronoun["own"] else ""
        asked = f"{asks[: pronoun.start()]}{SLOT}{own}{asks[pronoun.end() :]}?"
    elif _CONTACT.search(asks):
        asked = f"{asks} of {SLOT}?"
    else:
        return None
    return _described(match, match["clause"], asked)


def _asks(before: str) -> bool:
    """Whether what stands before a description asks for something of it."""
    return any(pattern.search(before) for pattern in (_ASKS, _TOLD_TO, _TELEGRAPHIC))


def _belonging(text: str) -> Described | None:
    """A question about what belongs to a name or who has a part, where it asks more than what or who that is."""
    span = belonging(text) or having_part(text)
    if span is None:
        return _told_apart(text)
    start, end, is_person = span
    before, words, behind = text[:start], text[start:end], text[end:]
    if (_ONLY_NAMED.match(before) or not _asks(before)) and not behind:
        return _told_apart(text)
    return Described(f"{'Who' if is_person else 'What'} is {words}?", f"{before}{SLOT}{behind}?", words)


def _told_apart(text: str) -> Described | None:
    """A question about what a preposition tells apart."""
    span = told_apart(text, _ONLY_NAMED)
    if span is None:
        return None
    start, end, fits = span
    before, words, behind = text[:start], text[start:end], text[end:]
    return Described(fits, f"{before}{SLOT}{behind}?", words) if _asks(before) else None


def _parted(match: re.Match[str]) -> Described | None:
    before, clause = match["before"], match["clause"]
    rest = match.groupdict().get("rest") or ""
    is_of_name = match["relative"].endswith("ing") and clause[:1].isupper()  # "the vet treating Hazel"
    least = 1 if is_of_name or match["relative"].lower() in _WE else 2
    if not rest:
        ends = next((pattern for ahead, pattern in _STRANDED if ahead.search(before)), None)
        end = ends.search(clause) if ends else None
        if ends is _STRANDED[0][1] and not end:
            end = _main_verb(clause, 0 if is_of_name else 1)
        if end and len(clause[: end.start()].split()) >= (1 if is_of_name else 2):
            clause, rest = clause[: end.start()], end.group().strip()
    noun, relative = match.groupdict().get("noun") or "person", match["relative"].lower()
    if _NO_NOUN.search(noun) or (relative.endswith("ing") and _GOES_ON.search(before)):
        return None
    if relative == "i" and noun.split()[-1][:1].isupper():  # "the father of Murad I"
        return None
    if len(clause.split()) < least or _ASKED_BEHIND.search(clause):
        return None
    if relative == "when" and not _TIME.match(noun):
        return None
    clause, rest = _without_adverb(clause, rest)
    asked = "" if _ONLY_NAMED.match(before) and not rest else f"{before}{SLOT} {rest}".strip() + "?"
    return _described(match, clause, asked)


def _without_adverb(clause: str, rest: str) -> tuple[str, str]:
    """A clause without the adverb that belongs to what stands behind it: "the plastic in it normally", "cost"."""
    adverb = _ADVERB.search(clause) if rest else None
    return (clause[: adverb.start()], f"{adverb[1]} {rest}") if adverb else (clause, rest)


def _described(match: re.Match[str], clause: str, asked: str) -> Described:
    noun = _ADVERB.sub("", match.groupdict().get("noun") or "person")
    relative = match["relative"]
    words = " ".join(filter(None, (f"the {noun}" if "noun" in match.groupdict() else "", relative, clause)))
    return Described(_fitting(noun, relative.lower(), clause), asked, words)


_SAYS_OF = re.compile(
    r"\b(?:person|man|woman|guy|bloke|lad|lady|girl|boy|chap|fellow|whoever|whose|whom)\b|\S+ .*\b(?:who|that)\b"
    r"|,.*\b(?:that|those|there|them|their|he|she|it|one)\b",
    re.I,
)
"""What is called by what somebody is, what a clause is told of, and what is named first and then meant."""

_ADVERB = re.compile(r"\s+(normally|usually|actually|currently|now|still|always|really)$", re.I)

_PLACED = re.compile(r"\w\s+(?:at|in|on|by|from|near|under|behind)$")
"""What ends a participle with its place: "found at"."""

_NOMINAL = DETERMINERS | POSSESSIVE_PRONOUNS | PREPOSITIONS


def _main_verb(clause: str, least: int) -> re.Match[str] | None:
    """The last verb in its base form behind more than `least` words, with all behind it: "who wrote the report *join
    the company*".
    """
    for one in reversed(list(re.finditer(r"(?<=\S)\s+(\w+)(?=\s|$)", clause))):
        ahead = clause[: one.start()].split()
        if one[1].lower() in BASE_VERBS and len(ahead) > least and ahead[-1].lower() not in _NOMINAL:
            return re.compile(r"\s.*", re.S).match(clause, one.start())
    return None


def _is_person(noun: str) -> bool:
    return bool(_PERSON.match(noun)) or is_personal(noun.split()[-1].lower())


def _fitting(noun: str, relative: str, clause: str) -> str:
    """The question for what is described."""
    if relative in ("where", "when"):
        return f"In which {noun} {clause}?"
    if relative.endswith((" which", " whom")):
        return f"{relative.split()[0].capitalize()} which {noun} {clause}?"
    if relative in ("whoever", "who ever"):
        return f"Who {clause}?"
    if relative == "whose":
        return f"Whose {clause}?" if " " in noun or _is_person(noun) else f"Which {noun}'s {clause}?"
    if relative.endswith("ing"):
        return f"{'Who' if _PERSON.match(noun) else f'Which {noun}'} is {relative} {clause}?"
    if relative in ("responsible for", "in charge of"):
        return f"Who is {relative} {clause}?"
    if relative.endswith((" for", " by")) and not relative.startswith(("for", "by")):
        return f"Which {noun} is {relative} {clause}?"
    which = "Who" if _PERSON.match(noun) else f"Which {noun}"
    if relative in ("with", "without"):
        return f"{which} has {clause}?" if relative == "with" else f"{which} is without {clause}?"
    if not relative:
        return f"{'In' if noun in ('week', 'month', 'year') else 'On'} which {noun} {clause}?"
    if _PLACED.search(relative):
        return f"{which} was {relative} {clause}?"
    own = f"{'I' if relative == 'i' else relative} " if relative in _WE else ""
    return f"{which} {own}{clause}?"
