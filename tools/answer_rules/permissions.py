"""What is allowed, offered or required: yes or no by the sentence that names the thing and says whether it is."""

from __future__ import annotations

import re

from tools.answer_rules.docs import Evidence, Found
from tools.answer_rules.recorded_rows import known_words
from tools.answer_rules.scopes import is_of_another_scope
from tools.answer_rules.text import content_stems

TOLD = 0.77
"""How sure such an answer is: likely, for a condition may stand beside it."""

_ASKS = re.compile(
    r"^(?:can|may|could|am i allowed|are we allowed|is it (?:ok|okay|possible|allowed)"
    r"|do (?:you|they|we) (?:accept|take|allow|offer|sell))\b"
    r"|^(?:is|are)\b.*\b(?:allowed|permitted|accepted|available|forbidden|possible)\b",
    re.I,
)
_ASKS_DUTY = re.compile(
    r"^(?:(?:do|does) .+ (?:have|need|got) to\b|must\b"
    r"|(?:is|are) .+ (?:required|compulsory|mandatory|obligatory|obliged)\b)",
    re.I,
)
_DUTIES = frozenset(content_stems("must have need required compulsory mandatory obligatory obliged got"))
_EXEMPTS = re.compile(
    r"\b(?:exempt(?:ed)?|optional|voluntary|need not|no need to|(?:not|never) (?:\w+ )?"
    r"(?:have|need|required|obliged|compulsory|mandatory|obligatory|necessary))\b"
    r"|\b(?:do|does|need)n['’]t (?:have|need)?",
    re.I,
)
_OBLIGES = re.compile(r"\b(?:must|has to|have to|required|obliged|compulsory|mandatory|obligatory)\b", re.I)
_FORBIDDEN_ASKED = re.compile(r"\b(?:forbidden|banned|prohibited)\b", re.I)
_BESIDES = frozenset(
    content_stems(
        "can may could i we you they one people pupil pupils student students child children member members guest "
        "guests visitor visitors customer customers allowed permitted accepted available forbidden possible ok okay "
        "still have take bring use wear pay buy get keep leave come go with them my me our your any accept allow offer "
        "sell"
    )
)
_GRANTED = re.compile(
    r"\b(?:allowed|permitted|(?-i:may)|can|welcome|accept(?:s|ed)?|we take|takes?|available|possible|fine|free to"
    r"|okay)\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:not|no longer|never|cannot|nobody)\b|n['’]t\b", re.I)
_AROUND = 20
"""Characters beside what grants a thing in which it is denied: "are not allowed", "may on no account"."""

_FORBIDS = re.compile(
    r"\b(?:forbidden|prohibited|banned|on no account|cannot|(?:must|may|can) not)\b|\b(?:can|mustn)['’]?t\b", re.I
)
_CLAUSE = re.compile(r"[,;]\s*|\sbut\s|\sand\s(?=[^,;]*\b(?:is|are|may|can|must)\b)")
_LIMITED = re.compile(r"^\W*(?:(?:and|but|so) )?only\b|\b(?:except|neither|nobody but|no one but|everyone but)\b", re.I)
"""Says of whom it is so, and of whom not: that is told in `claim_senses.py`, or left open."""

_LONGEST = 30
"""Words of a sentence that is read: in a longer one the cue may belong to something else."""


def find_permission(question: str, evidence: Evidence) -> tuple[str, Found] | None:
    """ "yes" or "no" with the sentence that says so; None where none names all that is asked for, or two disagree."""
    is_duty = bool(_ASKS_DUTY.search(question.strip()))
    if not is_duty and not _ASKS.search(question.strip()):
        return None
    wanted = known_words(question, evidence, _DUTIES if is_duty else _BESIDES)
    if not wanted:
        return None
    told: list[tuple[str, Found]] = []
    for doc in evidence.docs:
        above = frozenset(content_stems(doc.heading))
        for index, (start, end) in enumerate(doc.sentences):
            text = doc.text[start:end]
            own = doc.sentence_stems[index]
            if (
                len(text.split()) > _LONGEST
                or not wanted & own
                or not wanted <= own | above | frozenset(content_stems(doc.headings_at(start)))
            ):
                continue
            headed = above | frozenset(content_stems(doc.headings_at(start)))
            if _LIMITED.search(text) or is_of_another_scope(question, text, f"{doc.heading} {doc.headings_at(start)}"):
                continue
            if verdict := _duty(text, wanted - headed, wanted | headed) if is_duty else _verdict(text, wanted - above):
                told.append((verdict, doc.found(start, end, TOLD)))
    if not told or len({verdict for verdict, _ in told}) > 1:
        return None
    verdict, place = told[0]
    if _FORBIDDEN_ASKED.search(question):
        verdict = "no" if verdict == "yes" else "yes"
    return verdict, place


def _duty(text: str, things: frozenset[str], asked: frozenset[str]) -> str:
    """Whether the clause that names the things obliges, or exempts from it; "" for neither, and where it speaks of
    fewer than is asked about: "tenants over 75 are exempt" tells nothing of all tenants.
    """
    clause = next((one for one in _CLAUSE.split(text) if things and things <= frozenset(content_stems(one))), "")
    cue = _EXEMPTS.search(clause) or _OBLIGES.search(clause)
    if cue is None or not frozenset(content_stems(clause[: cue.start()])) <= asked:
        return ""
    if _EXEMPTS.search(clause):
        return "no"
    return "" if _DENIED.search(clause[: cue.end() + _AROUND // 2]) else "yes"


def _verdict(text: str, things: frozenset[str]) -> str:
    """Whether the clause that names the things grants or denies them; "" for neither, or where a condition follows."""
    clauses = _CLAUSE.split(text)
    place = next((at for at, one in enumerate(clauses) if things <= frozenset(content_stems(one))), None)
    if place is None or any(_DENIED.match(one.strip()) for one in clauses[place + 1 :]):
        return ""
    clause = clauses[place].strip()
    denied = re.search(r"\bno\s+(?:\w+\s+)?(\w[\w-]*)", clause, re.I)
    if _FORBIDS.search(clause) or (denied and things & frozenset(content_stems(denied[0]))):
        return "no"
    granted = _GRANTED.search(clause)
    if granted is None:
        return ""
    near = clause[max(0, granted.start() - _AROUND) : granted.end() + _AROUND // 2]
    return "no" if _DENIED.search(near) else "yes"
