"""What a clause says, as constraints: a verb with its objects, and what the clause leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.planning.lexicon import RELATIONS, VERBS, Relation, Verb, origin_of, spoken_relation
from tools.planning.net import Net, Term

_TOWNS = ("city", "town", "village", "state", "county", "borough")
_FROM_A_TOWN = Relation("from", ("place of birth", "hometown", "born in", "residence"), "place")
PLACE_WORDS = frozenset("in at on near within".split())
# What a gap asks for where it is no object of the verb or of a preposition.
_ADJUNCTS = ("when", "where", "why", "how", "how many")


@dataclass(frozen=True, slots=True)
class Gap:
    """What a clause leaves open: an object (how ""), a preposition's object, or "where", "when", "why", "how"."""

    term: Term
    how: str = ""
    label: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """A verb as used: the words that say it, the form that the lexicon knows it by, and whether it is passive."""

    words: tuple[str, ...]
    form: str = ""
    passive: bool = False

    @property
    def verb(self) -> Verb | None:
        """The lexicon's entry."""
        return VERBS.get(self.form)


@dataclass(frozen=True, slots=True)
class Argument:
    """An object of a verb behind its preposition ("" for a direct object); no terms where it is left open."""

    preposition: str
    terms: tuple[Term, ...]
    said: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[Term, ...]:
        """Its terms without mere phrases."""
        return tuple(term for term in self.terms if term.kind != "phrase")

    @property
    def is_date(self) -> bool:
        """Whether it is a mere date ("in 1954"), which a relation of the lexicon does without."""
        dates = [term.kind == "phrase" and term.type == "date" for term in self.terms]
        return bool(self.preposition) and bool(dates) and all(dates)


def state_clause(
    net: Net, subjects: Sequence[Term], action: Action, arguments: Sequence[Argument], gap: Gap | None
) -> None:
    """Turn a clause into constraints: one for each named object, one for what is left open.

    A subject that names nothing ("monsoon season") goes into the relation, and the first named object takes its place.
    """
    linked, said, stranded = sort_arguments([one for one in arguments if not (action.verb and one.is_date)])
    anchors = [term for term in subjects if term.kind != "phrase"]
    if not anchors:
        spoken = " ".join(term.text for term in subjects)
        anchors = list(linked[0].named) if linked else [Term(spoken, "phrase")] if gap else []
        action = Action((spoken, *action.words)) if linked else action
        linked = linked[1:]
    for subject in anchors:
        for argument in linked:
            for term in argument.named:
                relate(net, subject, action, argument.preposition, term, argument.said)
        if gap is not None:
            _fill(net, subject, action, linked, said, Gap(gap.term, gap.how or stranded, gap.label))
        elif not linked and said and subject.kind == "variable":
            net.add(subject, spoken_relation(" ".join(action.words)), Term(" ".join(said), "phrase"))


def sort_arguments(arguments: Sequence[Argument]) -> tuple[list[Argument], list[str], str]:
    """The objects that name something, each with the phrases said before it; all those; a preposition left open."""
    linked: list[Argument] = []
    said: list[str] = []
    stranded = ""
    for argument in arguments:
        if argument.named:
            linked.append(Argument(argument.preposition, argument.named, tuple(said)))
        elif argument.terms:
            said += [word for word in (argument.preposition, *(term.text for term in argument.terms)) if word]
        else:
            stranded = argument.preposition
    return linked, said, stranded


def relate(net: Net, subject: Term, action: Action, preposition: str, other: Term, said: Sequence[str] = ()) -> None:
    """Add one constraint between a verb's subject and one of its objects."""
    agent = action.passive and preposition == "by"
    known = action.verb.objects.get("" if agent else preposition) if action.verb else None
    if action.verb and action.verb.when and preposition and other.type == "date":
        net.add(subject, RELATIONS[action.verb.when], other)
    elif known is None or (not preposition and (said or action.passive)) or not _fits(known, other):
        words = " ".join(word for word in (*action.words, *said, preposition) if word)
        net.add(subject, spoken_relation(words), other)
    elif action.form == "hail":
        town = other.text.rstrip("0123456789").endswith(_TOWNS)
        net.add(subject, _FROM_A_TOWN if town else origin_of(subject.type), other)
    else:
        relation, order = known
        head, tail = (other, subject) if (order == "OS") != agent else (subject, other)
        net.add(head, RELATIONS[relation], tail)


def _fits(known: tuple[str, str], other: Term) -> bool:
    """Whether a thing can be a relation's value: nothing is located in a person."""
    relation, order = known
    return order == "OS" or RELATIONS[relation].tail_type != "place" or other.type not in ("work", "date", "person")


def _fill(net: Net, subject: Term, action: Action, linked: Sequence[Argument], said: Sequence[str], gap: Gap) -> None:
    """Add the constraint whose tail is what the clause leaves open."""
    how = "when" if not gap.how and gap.term.type == "date" else gap.how
    direct = next((argument.named for argument in linked if not argument.preposition), ())
    named = "" if said else _adjunct_relation(action, how, gap.term, bool(direct))
    if named:
        makes = action.verb and not action.passive and action.verb.objects.get("", ("", ""))[1] == "OS"
        net.add(direct[0] if direct and makes else subject, RELATIONS[named], gap.term)
        return
    names = [term.text for argument in linked for term in argument.named if term.kind == "name"]
    if how in _ADJUNCTS:
        label = gap.label if how == "how many" else ()
        net.add(subject, spoken_relation(" ".join([*label, *action.words, *said, *names]), gap.term.type), gap.term)
    else:
        relate(net, subject, action, how, gap.term, [*said, *names])


def _adjunct_relation(action: Action, how: str, term: Term, has_object: bool) -> str:
    """The relation of the lexicon that "when", "where" or "why" asks for with this verb, "" for none."""
    verb = action.verb
    if verb is None:
        return ""
    if how in ("when", "where", "why"):
        return {"when": verb.when, "where": verb.where, "why": verb.why}[how]
    if how in PLACE_WORDS and term.type == "date":
        return verb.when
    if how in PLACE_WORDS and how in verb.objects:
        return verb.where
    return verb.where if not how and action.passive and term.type == "place" and not has_object else ""
