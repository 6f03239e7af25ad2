"""What a text says of kinship: parents, children, spouses and siblings, told from either side."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tools.answer_rules.countries import is_adjective
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.names import Span, names_after
from tools.answer_rules.text import name_score, says

# What is said of the owner: its parents ("of"), or one of the other relations. Each pattern ends before the first name.
_STATEMENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("of", re.compile(
        r"\b(?:[Ss]ons?|[Dd]aughters?|[Cc]hild|[Cc]hildren|offspring|heir|heiress|twins)\s+"
        r"(?:and\s+(?:[a-z-]+\s+){0,4}(?:child|son|daughter|heir|successor|heiress|of)\s+)?(?:of|born to)\s+"
    )),
    ("of", re.compile(r"\b[Bb]orn\s+(?:[^.;]{0,50}\s)?to\s+|\bfathered by\s+|\bparents\b,?(?:\s+(?:were|are))?\s+")),
    ("child", re.compile(
        r"\b(?:[Ff]ather|[Mm]other|[Pp]arents?)\s+(?:of|to)\s+|\bgave birth to\s+|\bfathered\s+(?!by\b)"
    )),
    ("father", re.compile(r"\b[Ff]ather\b(?:,|\s+was|\s+is)?\s+(?!of\b|to\b|and\b|in\b)")),
    ("mother", re.compile(r"\b[Mm]other\b(?:,|\s+was|\s+is)?\s+(?!of\b|to\b|and\b|in\b)")),
    ("child", re.compile(
        r"\b(?:[Ss]ons?|[Dd]aughters?|[Cc]hildren|[Cc]hild)\b(?:\s+(?:was|were|is|are|named|include|included|"
        r"including|together))?"
        r"[,:]?\s+(?!of\b|to\b|in\b|born\b|and\b)"
    )),
    ("spouse", re.compile(
        r"\b(?:[Mm]arried|[Mm]arrying|marries|[Mm]arriage\s+(?:to|with)|wed|[Ww]ife|[Hh]usband|consort|[Ww]idow|"
        r"[Ww]idower|[Ss]pouse)\b"
        r"(?:\s+(?:to|of|was|is)\b|,)?\s+(?!and\b|in\b|with\b)"
    )),
    ("sibling", re.compile(
        r"\b(?:[Bb]rothers?|[Ss]isters?|[Ss]iblings?)\b(?:\s+(?:of|to|was|were|is|are)\b|,)?\s+(?!and\b|in\b|with\b)"
    )),
)  # fmt: skip
_POSTPONED = re.compile(
    r"[^.;]{0,40}?\b(?:was|is|are|were)\s+(?:his|her)\s+(?:[a-z-]+\s+){0,3}?(father|mother|son|daughter|wife|husband|"
    r"brother|sister)\b"
)
_POSTPONED_KIND = {
    "son": "child",
    "daughter": "child",
    "wife": "spouse",
    "husband": "spouse",
    "brother": "sibling",
    "sister": "sibling",
}
_POSSESSIVE = re.compile(r"\b(?:his|her|their|whose|with|by|and)\s+(?:[\w-]+\s+){0,4}$", re.IGNORECASE)
_APPOSITION = re.compile(
    r"(?:\s*\([^()]{0,80}\))?(?:(?:,|'s|’s)\s*(?:(?:the|a|an|[a-z]+|\d+(?:st|nd|rd|th))[\s,-]+){0,6}|\s*)"
)
_NO_OWNER = frozenset(("Queen", "King", "Prince", "Princess", "Holy", "Lady", "Lord"))
_PREPOSITION = re.compile(r"\b(?:of|to|were|are)\b")
_PLACING = ("in ", "at ", "near ", "from ", "on ", "of ")
_VERB = re.compile(r"\b(?:was|is|were|are|became|becomes|being|as|had|has|succeeded|have|including)\b")
_PARTNER = re.compile(
    r"\b(?:and|by|with)\s+(?:(?:his|her|the|their)\s+)?(?:[a-z-]+,?\s+){0,3}$"
    r"|\bof\s+(?:his|her)\s+(?:[a-z-]+\s+){0,2}marriage\s+(?:to|with)\s+(?:[a-z-]+\s+){0,3}$"
)
_FEMALE = re.compile(
    r"\b(?:wife|queen|princess|lady|countess|duchess|empress|baroness|archduchess|margravine|mother|actress|"
    r"concubine|mistress|"
    r"consort|marchioness|infanta|dame|mrs|daughter|sister|landgravine|electress|tsarina|begum|marriage)\b",
    re.IGNORECASE,
)
_MALE = re.compile(
    r"\b(?:husband|king|prince|lord|count|duke|emperor|baron|archduke|margrave|father|actor|sultan|earl|sir|marquess|"
    r"marquis|"
    r"khan|landgrave|elector|tsar|caliph|shah|viscount|mr|son|brother|businessman|knight|bishop)\b",
    re.IGNORECASE,
)  # fmt: skip


_RELATIONS = frozenset(
    "father mother parent child son daughter spouse wife husband sibling brother sister uncle aunt cousin nephew niece "
    "grandfather grandmother grandparent grandson granddaughter grandchild".split()
)
"""What a question calls kin."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement of kinship: whose it is ("" for the passage's topic), what, and the names that it gives, in order."""

    owner: str
    kind: str
    names: tuple[Span, ...]


def find_kin(evidence: Evidence, subject: str, kind: str) -> list[Found]:
    """The subject's father, mother, parent, child, spouse or sibling: by its own passages, and by the others'."""
    found: list[Found] = []
    own = {doc.rank: certainty for doc, certainty in evidence.about(subject)}
    for doc in evidence.docs:
        certainty = own.get(doc.rank, 0.0)
        for statement in _statements(doc):
            if certainty and not statement.owner:
                found += _scaled(_direct(evidence, doc, statement, kind), 0.4 + 0.6 * certainty)
            elif statement.owner and name_score(subject, statement.owner) >= 0.72:
                found += _scaled(_direct(evidence, doc, statement, kind), 0.8)
            elif not certainty and not statement.owner:
                found += _inverse(doc, statement, subject, kind)
    return found if kind == "spouse" else [_of_the_family(evidence, one, subject) for one in found]


def is_kin_of_another(found: Found, subject: str, relation: str) -> bool:
    """Whether somebody is told to be the kin of another one than the subject, in a passage that is not about it:
    "Emrys Vaughan's son Rhodri" tells of nobody else's father.
    """
    if relation not in _RELATIONS or name_score(subject, found.doc.topic) > 0 or says(found.sentence, subject):
        return False
    return any(
        statement.owner and (name_score(found.text, statement.owner) >= 0.72 or _names_it(found, statement))
        for statement in _statements(found.doc)
        if not _speaks_of(found.doc, statement, subject)
    )


def _names_it(found: Found, statement: _Statement) -> bool:
    return any(span.start < found.end and found.start < span.end for span in statement.names)


def _speaks_of(doc: Doc, statement: _Statement, subject: str) -> bool:
    named = (statement.owner, *(doc.text[span.start : span.end] for span in statement.names))
    return any(name_score(subject, name) >= 0.5 for name in named)


def _of_the_family(evidence: Evidence, found: Found, subject: str) -> Found:
    """A first name alone with the subject's family name, where a passage is about somebody of that name.

    "Her brother William" of Caroline Herschel is William Herschel, and no other William.
    """
    family = subject.split()[1:][-1:]
    if not family or " " in found.text:
        return found
    about = evidence.about(f"{found.text} {family[0]}", 0.95)
    return replace(found, text=about[0][0].topic) if about else found


def _scaled(found: list[Found], factor: float) -> list[Found]:
    return [replace(one, score=one.score * factor) for one in found]


def _direct(evidence: Evidence, doc: Doc, statement: _Statement, kind: str) -> list[Found]:
    """What a statement about the subject says of the wanted relation."""
    if statement.kind == "of":
        return _parents(evidence, doc, statement, kind)
    if statement.kind != kind and not (kind == "parent" and statement.kind in ("father", "mother")):
        return []
    names = statement.names if kind in ("child", "sibling") else statement.names[:1]
    return [doc.found(span.start, span.end, 0.92 - 0.02 * i) for i, span in enumerate(names)]


def _parents(evidence: Evidence, doc: Doc, statement: _Statement, kind: str) -> list[Found]:
    if kind not in ("father", "mother", "parent"):
        return []
    found, before = [], max(0, statement.names[0].start - 40)
    for i, span in enumerate(statement.names[:2]):
        described = _PREPOSITION.split(doc.text[before : span.start])[-1]
        gender = _gender(evidence, described, doc.text[span.start : span.end]) or "mf"[i]
        fits = kind == "parent" or gender == ("m" if kind == "father" else "f")
        found.append(doc.found(span.start, span.end, 0.95 - 0.02 * i if fits else 0.25))
        before = span.end
    return found


def _gender(evidence: Evidence, before: str, name: str) -> str:
    """ "m" or "f" by the words that introduce a name or begin it, or by the passage about it; "" where none tells."""
    told = evidence.gender(name)
    if told:
        return told
    first = name.split(maxsplit=1)[0]
    for text in (first, before):
        female, male = list(_FEMALE.finditer(text)), list(_MALE.finditer(text))
        if female or male:
            return "f" if (female[-1].end() if female else -1) > (male[-1].end() if male else -1) else "m"
    return ""


def _inverse(doc: Doc, statement: _Statement, subject: str, kind: str) -> list[Found]:
    """The passage's topic, where the statement about it names the subject in the opposite role."""
    named = max((name_score(subject, doc.text[span.start : span.end]) for span in statement.names), default=0.0)
    if named < 0.72:
        return []
    opposite = {"child": ("of", "father", "mother"), "spouse": ("spouse",), "sibling": ("sibling",)}
    fits = statement.kind in opposite.get(kind, ("child",))
    if fits and kind in ("father", "mother") and doc.gender:
        fits = doc.gender == ("m" if kind == "father" else "f")
    at = statement.names[0].start
    return [replace(doc.as_found, start=at, end=at, score=0.85 * (0.4 + 0.6 * named))] if fits else []


def _statements(doc: Doc) -> list[_Statement]:
    """Every statement of kinship in a passage, in order."""
    if "kin" not in doc.notes:
        found: list[tuple[int, _Statement]] = []
        for kind, pattern in _STATEMENTS:
            for match in pattern.finditer(doc.text):
                names = _named(doc, match.end(), several=kind in ("of", "child", "sibling"), parents=kind == "of")
                if names:
                    found.append((match.start(), _Statement(_owner(doc, match.start()), kind, names)))
        found += _postponed(doc)
        doc.notes["kin"] = _nested(doc, sorted(found, key=lambda pair: pair[0]))
    statements: list[_Statement] = doc.notes["kin"]
    return statements


def _nested(doc: Doc, found: list[tuple[int, _Statement]]) -> list[_Statement]:
    """The statements; one inside the list of another's parents is about the first of them ("N. and his wife M.")."""
    parents = [statement.names for _, statement in found if statement.kind == "of" and len(statement.names) > 1]
    nested = []
    for start, statement in found:
        around = next((names for names in parents if names[0].end <= start < names[-1].end), None)
        if around and not statement.owner and not _VERB.search(doc.text, around[0].end, start):
            statement = replace(statement, owner=doc.text[around[0].start : around[0].end])
        nested.append(statement)
    return nested


def _named(doc: Doc, position: int, several: bool, parents: bool) -> tuple[Span, ...]:
    names = names_after(doc.text, doc.names, position)
    if not parents or not names:
        return names if several else names[:1]
    return names if len(names) > 1 else (names[0], *_partner(doc, names[0].end))


def _partner(doc: Doc, position: int) -> tuple[Span, ...]:
    """The other parent, named after some words on the first: "son of N., bishop of M., by his second wife P."."""
    _, end = doc.sentence_span(position)
    later = doc.names_between(position, min(end, position + 120))
    for k, span in enumerate(later):
        if _PARTNER.search(doc.text, later[k - 1].end if k else position, span.start):
            return names_after(doc.text, doc.names, span.start)[:1]
    return ()


def _owner(doc: Doc, start: int) -> str:
    """Whose kin a statement that starts there gives: a name in apposition, or "" for the passage's topic."""
    sentence, _ = doc.sentence_span(start)
    before = doc.text[sentence:start]
    last = next((span for span in reversed(doc.names_between(sentence, start)) if span.end <= start), None)
    if last is None:
        return ""
    gap = doc.text[last.end : start]
    name = doc.text[last.start : last.end]
    placed = doc.text[max(0, last.start - 12) : last.start].removesuffix("the ").endswith(_PLACING)
    apart = len(gap) > 140 or _VERB.search(gap) or not _APPOSITION.fullmatch(gap)
    if placed or apart or _POSSESSIVE.search(before[-60:]):
        return ""
    return "" if name_score(name, doc.topic) >= 0.5 or is_adjective(name) or name in _NO_OWNER else name


def _postponed(doc: Doc) -> list[tuple[int, _Statement]]:
    """ "The economist N. N. was his father": the name comes first."""
    found = []
    for span in doc.names:
        match = _POSTPONED.match(doc.text, span.end, min(len(doc.text), span.end + 120))
        if match:
            kind = _POSTPONED_KIND.get(match.group(1), match.group(1))
            named = names_after(doc.text, doc.names, span.start)[:1]
            found.append((span.start, _Statement("", kind, named or (span,))))
    return found
