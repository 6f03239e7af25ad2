"""What a question names."""

from __future__ import annotations

import re

from tools.answer_rules.values import find_dates
from tools.planning.lexicon import KNOWN_WORDS, NOUNS, VERBAL, singular
from tools.planning.words import FUNCTION_WORDS

MAKING = re.compile(
    r"\b(?:direct|compos|wrote|writ|author|film|starr|releas|publish|produc|paint|record|perform|sang|sung|sing|scor"
    r"|music|screenplay|script|cast\b|shot\b|edited|editor|illustrat|design|invent|soundtrack)\w*",
    re.I,
)
"""How works are made, as verbs and as the relations of plans."""

_WORD = r"[A-Z\d][\w.-]*(?:['’](?!s\b)\w+)*"
_LINK = r"(?:(?:of|the|de|du|la|von|van|der|for|in|on|to|a|upon)\s+){0,3}"
_RUN = re.compile(rf"[“\"](?P<quoted>[^“”\"]+)[”\"]|(?<![\w'’])(?P<run>{_WORD}(?:\s+{_LINK}{_WORD})*)")
_ROLE = r"(?:[a-z][\w-]*\s+){0,2}?[a-z][\w-]*"
_WHICH = "(?:first|second|third|last|only|elder|eldest|older|younger|youngest)"
_DESCRIBED = r"the (?P<role>{role}) of (?P<of>{name})|(?P<owner>{name})['’]s (?P<kin>(?:{which} )?[a-z][\w-]*)"
_BEGINS = KNOWN_WORDS - {"the", "a", "an"}
_DETERMINED = re.compile(r"\b(?:the|our|my|your|his|her|their|this|that|these|those)\s+(?=[a-z])", re.I)
_OF_MANY = re.compile(
    r"^\W*(?:(?:and|so|but|please),?\s+)?"
    r"(?:(?:how many|which|what)\s+(?:of\s+(?:the|our|my|your|his|her|their|those|these)\s+)?|"
    r"(?:list|name|show)\s+(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:(?:the|our|my|your|his|her|their)\s+)?)"
    r"(?=[a-z])",
    re.I,
)
_MANY_PEOPLE = frozenset("people men women children".split())
_OF_ALL = re.compile(
    r"(?:(?:are|were) there|(?:do|did) (?:we|you|they|i) (?:have|own|know)|have (?:we|you|they|i)(?: got)?)?", re.I
)
"""What is said of all things of a kind."""
_HELPING = re.compile(r"^(?:do|does|did)\s+", re.I)
_NOUN = re.compile(r"\s*(?P<word>[a-z\d][\w’'-]*)")
_LONGEST = 4
"""Words of what is spoken of without a name."""
_VERB_FOLLOWS = re.compile(
    r"\b(?:do|does|did|can|could|will|would|shall|should|must|may)\s+$|^\W*(?:and\s+)?(?:is|are|was|were|has|have|had)\s+$",
    re.I,
)


def names_in(question: str, described: bool = False) -> tuple[str, ...]:
    """The names in a question, in their order: what is in quotation marks, and runs of words with capitals.

    With `described` what it describes by a name: "the wife of Ada Moor", "Ada Moor's father".
    """
    names = []
    for match in _RUN.finditer(question):
        name = match["quoted"] or _without_opener(match["run"], match.start() == 0)
        if name and not name[0].isdigit():
            names.append(name.strip(" .,"))
    if not described:
        return tuple(dict.fromkeys(names))
    found = [re.search(_DESCRIBED.format(role=_ROLE, which=_WHICH, name=re.escape(name)), question) for name in names]
    return tuple(dict.fromkeys(match[0] for match in found if match))


def things_in(question: str) -> tuple[str, ...]:
    """What a question speaks of without a name, "the autoclave" or "our boat"; what something is asked "of" first, as
    the printer in "the price of the printer", and else in their order.
    """
    found: list[tuple[bool, str]] = []
    for match in _DETERMINED.finditer(question):
        end = _nouns_end(question, match)
        if end > match.end() and not re.match(r"\s+(?-i:[A-Z])", question[end:]):
            found.append((bool(re.match(r"\s+of\b", question[end:])), question[match.start() : end]))
    return tuple(dict.fromkeys(thing for _, thing in sorted(found, key=lambda one: one[0])))


def many_in(question: str) -> str:
    """The several things that a question is about: "the hedgehogs that died" for "How many hedgehogs died?", "those
    that are in care" for "How many are in care?"; "" where it is about no several things.
    """
    if (match := _OF_MANY.match(question)) is None:
        return ""
    end = _nouns_end(question, match)
    kind, told = question[match.end() : end].strip(), question[end:].strip(" ?.!")
    last = kind.split()[-1].lower() if kind else ""
    if kind and singular(last) == last and last not in _MANY_PEOPLE:
        return ""
    if not kind and (not told or "how many" not in match[0].lower()):
        return ""
    some = f"the {kind}" if kind else "those"
    told = re.sub(r"^that\s+", "", told)
    return some if _OF_ALL.fullmatch(told) else f"{some} that {_HELPING.sub('', told)}"


def _nouns_end(question: str, determined: re.Match[str]) -> int:
    """Where the nouns behind a determiner end: at a verb or a word of grammar."""
    ends = [determined.end()]
    while len(ends) <= _LONGEST and (noun := _NOUN.match(question, ends[-1])):
        word = noun["word"]
        if word in FUNCTION_WORDS or (len(ends) > 1 and (word in VERBAL or word.endswith("ed"))):
            break
        ends.append(noun.end())
    is_last = not question[ends[-1] :].strip(" ?.!")
    if len(ends) > 2 and is_last and _VERB_FOLLOWS.search(question[: determined.start()]):
        return ends[-2]
    return ends[-1]


def role_of(description: str) -> str:
    """What a description of `names_in` calls its subject: "wife", "father"; "" for a mere name."""
    match = re.fullmatch(_DESCRIBED.format(role=_ROLE, which=_WHICH, name=r".+"), description)
    role = (match["role"] or match["kin"]).split()[-1].lower() if match else ""
    return role if singular(role) in NOUNS else ""


def is_name(text: str) -> bool:
    """Whether a text may name something: no date, no number, and with a capital."""
    if not any(character.isupper() for character in text):
        return False
    rest = text
    for date in find_dates(text):
        rest = rest.replace(date.text, " ")
    return bool(re.search(r"[^\W\d_]{2,}", rest))


def _without_opener(run: str, opens: bool) -> str:
    """A run of words with capitals without the word that opens the question: "Did Ada Moor"."""
    words = run.split()
    while opens and words and words[0].lower() in _BEGINS:
        words = words[1:]
    return " ".join(words)
