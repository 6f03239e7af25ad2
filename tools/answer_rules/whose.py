"""Whom a clause is about: what a sentence says of Ben, or of Joan's nephew, is no answer about Joan.

A relative clause is about whoever stands right before it, an apposition about the name before its comma, and "Joan's
nephew" or "my father" at the head of a clause is not Joan and not whoever writes. Only what the words of a sentence
make plain is told here: where a pronoun or a second comma leaves it open, nothing is.
"""

from __future__ import annotations

import re

from tools.answer_rules.asked_person import (
    ADDRESS,
    DESCRIBED,
    KIN,
    NAME,
    NO_NAMES,
    RELATIVES,
    SUBJECT_PRONOUN,
    Asked,
    asked_about,
    mention,
    says_kin,
    tells_of_namesake,
)
from tools.answer_rules.docs import Doc, Found
from tools.answer_rules.text import content_stems, name_score, words

_RELATIVE_ASKED = re.compile(rf"(?:{RELATIVES})(?:e?s)?")
_KIN_WANTED = re.compile(r"^(?:who|whom)\b|\b(?:name|called)\b", re.I)
"""Who is asked for, and not what that one does."""
_LONGEST = 1_000
"""Characters of a sentence of prose, at most: what is longer is a list."""
_PRONOUN = re.compile(r"\b(?:I|he|she|they|we|you|her|him|them|his|their)\b", re.I)
_RELATIVE = re.compile(r"\b(?:who|whose|whom|which|(?<=[a-z] )that(?= [a-z]+(?:s|ed|n)\b))\b")
_NOMINAL = re.compile(
    r"(?:^['’]s|\b(?:is|was|are|were|be|been|become|becomes|became|remains?|remained|as|called|named|including|like))"
    r"(?: \w+){0,2}? (?:an?|the|one|our|their|my|his|her)\b[^,]*$|\bone of\b[^,]*$"
)
"""Before a relative clause: what the subject is itself, "is the nurse", "works as a nurse"."""
_CLOSED = re.compile(r",(?!\d)|;|:(?!\d)|\b(?:because|while|whereas|when|but|so that|before|after|until)\b")
_DESCRIBES = re.compile(r"(?:(?:from|of|in|at|on|and|or)\b|[,:()])")
"""What follows a name and belongs to it still, before a relative clause that may be about either."""
_ANOTHER = re.compile(r"\w (?:an?|the|his|her|my|our|their|some|two|three) (?:[a-z-]+ )?[a-z-]+ $")
"""Somebody who stands right before a relative clause, with nothing between."""
_WITH = re.compile(rf"\b(?:with|beside|unlike) (?:(?:his|her|their|my|our|an?|the) )?(?:{DESCRIBED} )?{NAME}$")
_ASKS_WHO = re.compile(
    r"\b(?:guess|knows?|knew|ask(?:s|ed)?|wonder(?:s|ed)?|sees?|saw|tells?|told|says?|said|remembers?)$", re.I
)
_SAME = 0.85
"""How alike a name and a title are at least that are one's."""
_WORDS_APART = 2
"""Words that stand at least between the one asked about and a clause that is about somebody else."""
_APPOSED = re.compile(
    r"(?<=\w )[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)*, (?=(?:an?|the|his|her|their|our|my|then|now|once|formerly) )"
)
_ADDED = re.compile(rf"^(?:,? {NAME},|, (?:who|which) [^,]{{1,60}},|,(?= (?:an?|the) ))")
"""What is added to kin before its clause goes on: its name, a clause, a comma before its trade."""
_NEXT_SUBJECT = re.compile(
    rf"(?:,|;|,? (?:and|but|while|whereas)) (?P<name>{NAME}) "
    r"(?:was|were|is|has|had|[a-z]{2,}(?:s|ed)|(?:an?|the)(?= $)) "
)
_TRADE = re.compile(r"\b(?:do|job|profession|occupation|trade|work as|living|career)\b", re.I)
_BEFORE_NAME = re.compile(r" [A-Z][a-z]+")
_OWN_KIN = re.compile(
    r"(?:^|[:;] |[“\"(]|, (?:and|but|while) |(?P<joined>\b[a-z]\w* (?:and|but|while) ))"
    rf"(?P<whose>[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir) {DESCRIBED}(?:,? {NAME},?)?(?= [a-z])"
    r"(?(joined)(?= [a-z]+(?:s|ed)\b))"
)
_APPOSED_KIN = re.compile(rf"\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|with an?) {DESCRIBED}, (?=(?:an?|the) )")
_SIGNED = re.compile(
    r"(?im)^(?:from|author|by|sender): ?([^\n]+)|\n(?:yours|love|regards|best|cheers)[^\n]{0,60}\n([^\n]+)$"
)
_KIN_SAID = re.compile(rf"\b(?:{KIN}|they|their|famil\w+|both)\b", re.I)
_MARRIAGE = re.compile(
    r"\b(?:married|marries|wed|(?:wife|husband|widow|widower) of|(?<=['’]s )(?:wife|husband)"
    r"|(?:his|her) (?:wife|husband))\b"
)
_NEXT_KIN = re.compile(rf"(?:,|;|\band|\bbut|\bwhile|\bwhereas) (?:his|her|their|my|our) (?P<kin>{KIN})\b", re.I)
_MALE = re.compile(r"(?:man|boy|gentleman|mr|uncle|brother|(?:grand)?father)\b", re.I)
_FEMALE = re.compile(r"(?:woman|girl|lady|mrs|ms|miss|aunt|sister|(?:grand)?mother)\b", re.I)
_INTRODUCED = re.compile(r"\b(?:an?|another) (?:[a-z-]+ )?(?P<who>man|woman|boy|girl|gentleman|lady)\b")


def is_told_of_another(question: str, found: Found) -> bool:
    """Whether the clause that an answer stands in is plainly about somebody else than the one who is asked about."""
    asked = asked_about(question, found.doc.text)
    if asked is None or found.doc.kind_at(found.start) == "row":
        return False
    start, end = found.doc.sentence_span(found.start)
    if end - start > _LONGEST:
        return False
    text, at = found.doc.text[start:end], found.start - start
    before = found.doc.text[slice(*found.doc.sentence_span(start - 1))] if start else ""
    if asked.is_name and not _is_topic(asked, found.doc) and tells_of_namesake(asked.name, text, before, found.text):
        return True
    if asked.kin:
        return _is_no_kin(asked, found, text, at)
    return _is_no_subject(asked, question, found, text, at, before) or _is_he(asked, text, before)


def is_verdict_on_namesake(question: str, doc: Doc, sentence: str) -> bool:
    """Whether what a question claims of "Anna Holm" is told of "Anna Berg": by the sentence that a verdict rests on, or
    by another of its passage where that one has not all that is claimed.
    """
    asked = asked_about(question, doc.text)
    if asked is None or not asked.is_name or _is_topic(asked, doc):
        return False
    lacking = set(content_stems(asked.rest)) - set(content_stems(sentence))
    others = zip(doc.sentences, doc.sentence_stems, strict=True) if lacking else ()
    telling = [doc.text[start:end] for (start, end), stems in others if lacking & stems]
    return any(tells_of_namesake(asked.name, one, "", "") for one in (sentence, *telling))


def _is_topic(asked: Asked, doc: Doc) -> bool:
    """Whether a document is about the one asked about, whom it may call by another name: "Ada King" of Ada Byron."""
    return name_score(asked.name, doc.topic) >= _SAME


def _is_no_subject(asked: Asked, question: str, found: Found, text: str, at: int, before: str) -> bool:
    """Whether the one asked about stands in a sentence, and the answer in a clause about somebody else."""
    asks = frozenset(content_stems(asked.rest))
    place = mention(asked, text, at)
    if _is_own_kin(asked, question, found, text[:at], before) or _is_kin_apposed(asked, question, text[:at]):
        return True
    if place is None:
        return False
    head, between = text[: place[0]], text[place[1] : at]
    if not asked.is_name:
        return not re.match(r" [A-Z]", between) and _is_in_relative(question, asks, between, nouns=True)
    return (
        _is_kin_named(question, head, between)
        or _is_in_relative(question, asks, between)
        or _is_in_apposition(asks, between)
        or _is_of_next_subject(asked, question, between)
        or _is_of_next_name(asked, found, text, at)
        or _is_other_sex(asked, between)
    )


def _is_own_kin(asked: Asked, question: str, found: Found, head: str, before: str) -> bool:
    """Whether an answer's clause begins with "My father" where the writer is asked about, or with "Her son Karl" behind
    what names her, and the question speaks of no such one.
    """
    places = list(_OWN_KIN.finditer(head))
    if not places or not asked.is_name:
        return False
    kin, own = places[-1], words(ADDRESS.sub("", asked.name))
    behind, is_writers = head[kin.end() :], kin["whose"].lower() in ("my", "our")
    teller = _writer(found) if is_writers else f"{before} {head[: kin.start()]}"
    if not set(own) & set(words(teller)) or set(own) & set(words(kin.group())):
        return False
    return not (says_kin(question, kin["kin"]) or _PRONOUN.search(behind) or _CLOSED.search(behind))


def _is_kin_apposed(asked: Asked, question: str, head: str) -> bool:
    """Whether an answer stands in an apposition to kin: "her sister, a nurse"."""
    places = list(_APPOSED_KIN.finditer(head))
    if not places or not asked.is_name or says_kin(question, places[-1]["kin"]):
        return False
    return not (_CLOSED.search(head, places[-1].end()) or _PRONOUN.search(head, places[-1].end()))


def _writer(found: Found) -> str:
    """Who says "my" in a passage: the speaker of a turn, or who stands at the head of a letter or signs it."""
    line = found.doc.line_at(found.start)
    if line is not None and line.kind == "turn":
        return line.subject
    return " ".join(part for signed in _SIGNED.findall(found.doc.text) for part in signed)


def _is_kin_named(question: str, head: str, between: str) -> bool:
    """Whether "Joan's nephew" or "the sister of Colin" stands where Joan or Colin is asked about."""
    kin = re.match(rf"(?:['’]s?) {DESCRIBED}", between) or re.search(
        rf"\b(?:[Tt]he|[Aa]n?) {DESCRIBED} of (?:the )?$", head
    )
    if kin is None or says_kin(question, kin["kin"]):
        return False
    behind = _ADDED.sub("", between[kin.end() :] if kin.string is between else between, count=1)
    return not _PRONOUN.search(behind) and not _CLOSED.search(behind)


def _is_in_relative(question: str, asks: frozenset[str], between: str, *, nouns: bool = False) -> bool:
    """Whether a relative clause about somebody or something else has the answer: "her nephew, who plays the cello"."""
    places = list(_RELATIVE.finditer(between))
    if not places:
        return False
    pronoun = places[-1]
    if nouns and pronoun.group() != "who":
        return False  # the clause may be about the thing asked about, called by two words
    main, clause = between[: pronoun.start()].rstrip(" ,"), between[pronoun.end() :]
    if _CLOSED.search(clause) or SUBJECT_PRONOUN.search(clause):
        return False
    if pronoun.group() == "whose" and not main:
        kin = re.match(rf" {DESCRIBED}", clause)
        return kin is not None and not says_kin(question, kin["kin"])
    is_other = _ANOTHER.search(between[: pronoun.start()]) or not _DESCRIBES.match(main.lstrip()) or _WITH.search(main)
    if len(main.split()) < _WORDS_APART or not is_other or _NOMINAL.search(main) or _ASKS_WHO.search(main):
        return False
    if pronoun.group() in ("which", "that"):
        return _says_any(asks, clause) and not _says_any(asks, main)
    return _says_any(asks, clause) or not _says_any(asks, main)


def _says_any(asks: frozenset[str], text: str) -> bool:
    return not asks.isdisjoint(content_stems(text))


def _is_in_apposition(asks: frozenset[str], between: str) -> bool:
    """Whether an answer stands in an apposition to another name: "Karl, the owner of a brewery"."""
    places = list(_APPOSED.finditer(between))
    if not places:
        return False
    main, clause = between[: places[-1].end()], between[places[-1].end() :]
    is_open = _CLOSED.search(clause) or _PRONOUN.search(clause) or _NOMINAL.search(main)
    return not (is_open or _says_any(asks, main))


def _is_of_next_subject(asked: Asked, question: str, between: str) -> bool:
    """Whether somebody else begins a clause of his own before the answer: "and Karl was born in Prague"."""
    places = list(_NEXT_SUBJECT.finditer(between))
    if not places:
        return False
    main, name, clause = between[: places[-1].start()], places[-1]["name"], between[places[-1].end() :]
    is_joint = _DESCRIBES.match(main.lstrip()) or not re.search(r"\b[a-z]{2,}\b", main) or SUBJECT_PRONOUN.search(main)
    is_same = set(words(name)) & set(words(f"{asked.name} {question}"))
    return not (is_joint or is_same or _CLOSED.search(clause) or _PRONOUN.search(clause))


def _is_of_next_name(asked: Asked, found: Found, text: str, at: int) -> bool:
    """Whether what somebody does is told of the name behind it: "the poet Ida Marsh"."""
    behind = text[at + found.end - found.start :]
    is_title = found.text.islower() and _BEFORE_NAME.match(behind) is not None
    return (
        is_title and asked.is_name and bool(_TRADE.search(asked.rest)) and text[:at].endswith((" the ", "her ", "his "))
    )


def _is_other_sex(asked: Asked, between: str) -> bool:
    """Whether "he" has the answer, where "her nephew" tells that a woman is asked about."""
    kin = re.search(rf"\b(?P<whose>his|her) {DESCRIBED}", between)
    pronouns = re.findall(r"(?<=\band )(?:he|she)\b", between)
    if kin is None or not pronouns or asked.kin:
        return False
    return bool(pronouns[-1] == ("he" if kin["whose"] == "her" else "she"))


def _is_he(asked: Asked, text: str, before: str) -> bool:
    """Whether "He" begins a sentence behind one that brings in a man, and nobody knows that the one asked about is
    one: "Edda talked to a man called Sven. He speaks Danish."
    """
    pronoun = re.match(r"(He|She|His|Her)\b", text)
    brought = list(_INTRODUCED.finditer(before))
    place = mention(asked, before, len(before))
    if pronoun is None or not brought or place is None or brought[-1].start() < place[1]:
        return False
    sex = _MALE if pronoun[1] in ("He", "His") else _FEMALE
    fits = sex.match(brought[-1]["who"]) is not None
    return fits and not sex.match(asked.name) and not _NOMINAL.search(before[place[1] : brought[-1].end()])


def _is_no_kin(asked: Asked, found: Found, text: str, at: int) -> bool:
    """Whether an answer about somebody's kin is told of another couple, or of that one and no kin."""
    is_named = mention(asked, text, len(text)) is not None
    if asked.kin in ("husband", "wife", "spouse") and not is_named:
        starts = re.match(r"[A-Z]\w+", text)
        is_by_name = starts is not None and not re.match(rf"(?:{NO_NAMES})\b", starts.group())
        is_about = name_score(asked.name, found.doc.topic) > 0
        return is_by_name and not is_about and bool(_MARRIAGE.search(text))
    if is_named and _is_of_oneself(asked, text, at):
        return True
    behind = _NEXT_KIN.search(text, at)
    return behind is not None and behind["kin"] == asked.kin and not re.search(rf"\b{asked.kin}\b", text[:at])


def _is_of_oneself(asked: Asked, text: str, at: int) -> bool:
    """Whether "Inga ran the post office" is told where the work of Inga's husband is asked for."""
    place = mention(asked, text, at)
    if place is None or not _RELATIVE_ASKED.fullmatch(asked.kin) or _KIN_WANTED.search(asked.rest):
        return False
    between = text[place[1] : at]
    is_plain = re.match(r" [a-z]+(?:s|ed|[aeo]\w{0,2}n?) ", between) is not None and not _CLOSED.search(between)
    named = re.search(rf"[A-Z]|{KIN}\b|\bborn\b|\bmarr|\bwith\b", between, re.A)
    is_kin = re.search(rf"\b{KIN} of (?:the )?$", text[: place[0]]) or _KIN_SAID.search(text, place[1])
    return is_plain and named is None and is_kin is None
