"""What the reader is asked: a question as it stands, or a hop of a plan put as a question."""

from __future__ import annotations

from tools.planning.plan import Constraint, is_variable, is_verbal

_FORMS = {
    "date of birth": "When was {} born?",
    "date of death": "When did {} die?",
    "place of birth": "Where was {} born?",
    "place of death": "Where did {} die?",
    "country of citizenship": "What nationality is {}?",
    "performer": "Who performed {}?",
    "director": "Who directed {}?",
    "author": "Who wrote {}?",
    "composer": "Who composed {}?",
    "publication date": "When was {} released?",
    "inception": "When was {} founded or built?",
    "founded by": "Who founded {}?",
    "educated at": "Where did {} study?",
    "employer": "Who did {} work for?",
    "located in": "Where is {} located?",
    "spouse": "Who is {} married to?",
}
_WORDS = {"person": "Who", "date": "When", "year": "In which year", "place": "Where", "number": "How many"}


def hop_question(constraint: Constraint, subject: str, wants_tail: bool, kind: str = "") -> str:
    """A constraint with one end known, as a question for the other; `kind` is the type of what is wanted, or ""."""
    relation = constraint.relation.strip()
    unknown = constraint.tail if wants_tail else constraint.head
    named = unknown[1:].rstrip("0123456789").replace("_", " ") if is_variable(unknown) else ""
    if wants_tail and relation in _FORMS:
        return _FORMS[relation].format(subject)
    asks = _WORDS.get(kind, f"What {named}" if named and named not in ("answer", "place", "person", "date") else "What")
    if not wants_tail:
        return f"{'Who' if kind == 'person' else asks} {relation} {subject}?"
    if kind in ("date", "place", "year", "number") or not is_verbal(relation):
        who = "Who" if kind == "person" else asks if kind in _WORDS else "What"
        return f"{who} is the {relation} of {subject}?" if who in ("Who", "What") else f"{subject}: {relation}? {who}?"
    return f"{asks} {subject} {relation}?"
