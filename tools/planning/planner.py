"""Questions as constraint plans, by rule: the offline counterpart of CS-RAG's planner (section 3.2)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from tools.planning.lexicon import spoken_relation
from tools.planning.net import Net, Term
from tools.planning.plan import AnswerType, Constraint, Kind, Plan
from tools.planning.questions import WholeQuestions
from tools.planning.tokens import MAX_CHARACTERS, Token, join_names, normalise, tokenise
from tools.planning.two_things import plan_check, plan_choice
from tools.planning.words import FUNCTION_WORDS

# Words of context that a name keeps as its relation where a question could not be read.
_CONTEXT = 6


@lru_cache(maxsize=256)  # techniques that follow each other on a question all ask for its plan
def plan_question(question: str) -> Plan:
    """The constraints that a question in English sets, innermost known name first, and what it asks for.

    The question is read as nested noun phrases and clauses; relations get the names and variants of a lexicon where it
    has them, and keep the question's own words where it has not. A name that no constraint took up gets one of its own.
    A question that names nothing (all lower case, another script) becomes one constraint with its text as head, a
    question without a word becomes Plan(()). Only the first 1,000 characters are read, and no phrases within one
    another without end: `is_whole` says whether that was all. Never raises for any string.
    """
    text = normalise(question)
    raw = tokenise(text)
    if not raw or not any(character.isalnum() for character in text):
        return Plan(())
    plan = plan_choice(raw, text) or plan_check(raw, text) or _lookup(raw, text)
    return replace(plan, is_whole=False) if len(" ".join(question.split())) > MAX_CHARACTERS else plan


def _lookup(raw: list[Token], text: str) -> Plan:
    tokens = join_names(raw, text)
    reader = WholeQuestions(tokens)
    reader.read()
    target = _target(reader)
    _cover_names(reader.net, tokens, target)
    constraints = reader.net.ordered()
    if not any(item.variables for item in constraints):
        return _whole_text(text)
    if target is None:
        target = Term(next(name for item in reversed(constraints) for name in item.variables), "variable")
    label = reader.labels.get(target.text, [])
    kind: Kind = "count" if reader.count else "lookup"
    answer_type = _answer_type(target, label, constraints, raw[0].low)
    return Plan(constraints, target.text, kind, answer_type=answer_type, is_whole=not reader.gave_up)


def _target(reader: WholeQuestions) -> Term | None:
    used = {name for item in reader.net.constraints for name in item.variables}
    return reader.target if reader.target is not None and reader.target.text in used else None


def _cover_names(net: Net, tokens: list[Token], target: Term | None) -> None:
    """Give every name that the reading left out a constraint, with the words around it as its relation."""
    taken = " ".join(f"{item.head} {item.relation} {item.tail}" for item in net.constraints).lower()
    for position, token in enumerate(tokens):
        said = token.text.lower()
        if token.kind != "name" or said in taken or said.replace(" ", "_") in taken:
            continue
        around = tokens[max(0, position - _CONTEXT) : position + _CONTEXT + 1]
        words = [near.low for near in around if near.kind == "word" and near.low not in FUNCTION_WORDS]
        tail = target or net.fresh("answer")
        net.add(Term(token.text, "name"), spoken_relation(" ".join(words) or "about"), tail)


def _whole_text(text: str) -> Plan:
    return Plan((Constraint(text, "about", "?answer", ("mentions", "describes", "related to")),), "?answer")


def _answer_type(target: Term, label: list[str], constraints: tuple[Constraint, ...], first: str) -> AnswerType:
    """The type of the value asked for, from the noun that asks, else from the relation that leads to it."""
    asked = label[-1] if label else ""
    if asked in ("year", "nationality"):
        return "year" if asked == "year" else "nationality"
    types = [target.type, *(item.tail_type for item in constraints if item.tail == target.text)]
    types += [item.head_type for item in constraints if item.head == target.text]
    known: dict[str, AnswerType] = {
        "person": "person", "place": "place", "date": "date", "number": "number", "work": "work",
        "organisation": "organisation",
    }  # fmt: skip
    by_word: dict[str, AnswerType] = {"who": "person", "where": "place", "when": "date"}
    return next((known[kind] for kind in types if kind in known), by_word.get(first, "text"))
