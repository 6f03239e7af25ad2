"""The main clause of a question: its question word, what it asks for, and a clause or a noun phrase about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tools.planning.clauses import Clauses
from tools.planning.lexicon import NOUNS, RELATIONS, VERB_FORMS, Relation, noun_type, singular
from tools.planning.net import Net, Term, is_relational, noun_path
from tools.planning.statements import Action, Argument, Gap, relate, state_clause
from tools.planning.tokens import END, Token
from tools.planning.words import BE, DO, HAVE, MODALS, NOUN_TYPES, PREPOSITIONS, TRANSPARENT

_COMMANDS = frozenset("name list give find identify tell".split())
_QUESTION_WORDS = frozenset("who whom whose what which where when why how".split())
_TYPES = {"who": "person", "whom": "person", "where": "place", "when": "date"}
# "how tall" and the relation that it asks for.
_MEASURES = {
    "tall": "height", "high": "height", "old": "date of birth", "long": "length", "large": "area", "big": "area",
    "populous": "population", "heavy": "weight", "fast": "speed", "deep": "depth", "wide": "width", "broad": "width",
    "thick": "thickness", "hot": "temperature", "warm": "temperature", "cold": "temperature",
}  # fmt: skip
_ASKED_RELATIONS = {
    "": Relation("is", ("known as", "described as", "about")),
    "where": RELATIONS["located in"],
    "when": Relation("date", ("took place on", "year", "when"), "date"),
}
_SUBJECT_STARTS = frozenset("the a an his its their he she it they you we".split())
# Nouns whose place is what "where is" asks for.
_PLACES_OF = frozenset(("place of birth", "place of death", "place of burial", "residence", "headquarters"))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question word asks for: the noun with it, its type, whether it counts, and in which role it stands."""

    word: str
    label: tuple[str, ...] = ()
    type: str = ""
    count: bool = False
    how: str = ""


class WholeQuestions(Clauses):
    """Reads whole questions; `target` is what they ask for."""

    def __init__(self, tokens: Sequence[Token], net: Net | None = None) -> None:
        super().__init__(tokens, net)
        # The variable asked for, where words around its noun made it before its clause is read.
        self.made: Term | None = None
        self.target_acts = False

    def read(self) -> None:
        """Read sentences until the tokens are used up; what cannot be read is passed over."""
        while self.peek() is not END:
            start = self.position
            self._sentence()
            if self.position == start:
                self.position += 1

    def read_about(self, subject: Term) -> None:
        """Read a clause whose subject is known: "is American" of each of two singers."""
        while self.peek() is not END and not self.at_verb() and self.peek().low not in ("a", "an", *PREPOSITIONS):
            self.position += 1
        self.predicate([subject], be=not self.at_verb())

    def _sentence(self) -> None:
        while self.peek().kind == "punctuation" and self.peek() is not END:
            self.position += 1
        scope = self._fronted()
        if self.peek().low in _COMMANDS and self.position == 0:
            self.position += 1
            self.skip("me")
            self._identity(Asked("what"))
        elif self.target is None and self.peek().low in _QUESTION_WORDS:
            self._question("", scope)
        else:
            self._statement(scope)

    def _fronted(self) -> list[Argument]:
        """ "In the state where X is, ...": an argument of the clause that follows; "in which city ..." is read here."""
        if self.peek().low not in PREPOSITIONS:
            return []
        preposition = self.take().low
        many = self.peek().low == "how" and self.peek(1).low == "many"
        if self.peek().low in ("what", "which", "whose", "whom") or many:
            self._question(preposition, [])
            return []
        terms = self.noun_phrases()
        self.skip(",")
        return [Argument(preposition, tuple(terms))] if terms else []

    def _statement(self, scope: list[Argument]) -> None:
        """A clause in the order of a statement, with its question word inside: "X is in what city"."""
        be = False
        while self.peek().low in BE | DO | HAVE or self.peek().low in ("and", "both", "if"):
            be = be or self.peek().low in BE
            self.position += 1
        subjects = self.subjects()
        if not subjects:
            return
        self._aside(subjects[0])
        self.predicate(subjects, be=be)
        for argument in scope:
            for term in argument.named if subjects[0].kind != "phrase" else ():
                relate(self.net, subjects[0], Action(()), argument.preposition, term)

    def _aside(self, subject: Term) -> None:
        """What stands between commas behind the subject: a participle, a place, a description."""
        while self.peek().text == ",":
            start = self.mark()
            self.position += 1
            if self.peek().low in PREPOSITIONS:
                place = self.after_preposition(self.take().low)
                state_clause(self.net, [subject], Action(()), [place], None)
            elif not (self.at_participle() and self.participle(subject)) and not self.noun_phrase(True, subject):
                self.rewind(start)
                return
            self.skip(",")

    def _question(self, preposition: str, scope: list[Argument]) -> None:
        """The question word, the noun that it asks for, and the clause."""
        asked = self._question_phrase(preposition)
        before = len(self.net.constraints)
        self._make_early(asked)
        if self.peek().low in BE:
            self.position += 1
            self._after_be(asked)
        else:
            self._after_verb(asked)
        for argument in scope if self.target is not None else ():
            self._tie(argument, before)

    def _question_phrase(self, preposition: str) -> Asked:
        word, label, count = self.take().low, list[str](), False
        kind = _TYPES.get(word, "")
        if word == "how" and self.peek().low in ("many", "much"):
            self.position += 1
            label, count, kind = self._label(), True, "number"
        elif word == "how" and self.peek().low in _MEASURES:
            label = [_MEASURES[self.take().low]]
            kind = RELATIONS[label[0]].tail_type
        elif word in ("what", "which", "whose"):
            label = self._label()
            kind = noun_type(label[-1]) if label else ""
        adjunct = "how many" if count else word if word in ("where", "when", "why", "how") and not label else ""
        return Asked(word, tuple(label), kind, count, preposition or adjunct)

    def _label(self) -> list[str]:
        """The noun behind the question word; "what kind of film" asks for a film."""
        label = self._label_words()
        if label and label[-1] in TRANSPARENT and self.peek().low == "of" and self.peek(1).kind == "word":
            self.position += 1
            self.skip("the", "a", "an")
            label = self._label_words() or label
        return label

    def _label_words(self) -> list[str]:
        label: list[str] = []
        while True:
            token, after = self.peek(), self.peek(1)
            if token.kind == "name":
                joins = after.kind == "word" and self.is_nominal(1, []) and (not label or after.low in NOUN_TYPES)
            else:
                verb = not label and token.low in VERB_FORMS and singular(token.low) not in NOUNS
                joins = token.kind == "word" and not verb and self.is_nominal(0, label)
            if not joins:
                return label
            label.append(token.text if token.kind == "name" else token.low)
            self.position += 1

    def _make_early(self, asked: Asked) -> None:
        """Make the variable asked for where its noun has words of its own: "which of the founders"."""
        low = self.peek().low
        if not asked.label:
            if low == "of" and asked.word in ("which", "what"):
                self.position += 1
                self.made = self.target = self.noun_phrase()
            return
        if self._describes():
            self.made = self.ask(list(asked.label), asked.type, asked.count)
            self.relative_clauses(self.made)
        if low == "of" or (low in PREPOSITIONS and not asked.how):
            self._partitive(asked)

    def _describes(self) -> bool:
        """Whether a participle with a verb behind it follows: "which country located in X is ..."."""
        before, self.expects_verb = self.expects_verb, True
        found = self.at_participle()
        self.expects_verb = before
        return found

    def _partitive(self, asked: Asked) -> None:
        """ "What part of the state", "which piece by X": the noun that is asked for belongs to a phrase."""
        start = self.mark()
        self.position += 1
        bases = [base for base in self.subjects() if base.kind != "phrase"]
        if not bases:
            self.rewind(start)
            return
        self.made = self.ask(list(asked.label), asked.type, asked.count)
        path = noun_path(["number", "of", *asked.label] if asked.count else asked.label)
        for base in bases:
            self.net.follow(base, path, self.made)

    def _tie(self, argument: Argument, before: int) -> None:
        """Tie a fronted phrase to what the clause is about."""
        target = self.target
        heads = [item.head for item in self.net.constraints[before:] if target and item.tail == target.text]
        subject = Term(heads[-1], "name") if heads and not self.target_acts else target
        for term in argument.named if subject else ():
            relate(self.net, subject or term, Action(()), argument.preposition, term)

    def _make_target(self, asked: Asked) -> Term:
        made, self.made = self.made, None
        return made or self.ask(list(asked.label) or [asked.word], asked.type, asked.count)

    def _gap(self, target: Term, asked: Asked) -> Gap:
        return Gap(target, asked.how, tuple(self.labels.get(target.text, ())))

    def _after_be(self, asked: Asked) -> None:
        """ "Who is the mother of X", "what nationality is X", "where was X born", "who was killed by X"."""
        if asked.word in ("who", "what", "which") and not asked.how and self._subject_is_asked(asked):
            self.position -= 1
            self.predicate([self._make_target(asked)])
            return
        if not asked.label and asked.how in ("", "when", "where"):
            self._identity(asked)
            return
        self.skip("there")
        if self.peek().low in ("located", "situated", "found") and self.peek(1).low in ("the", "a"):
            self.position += 1
            asked = replace(asked, how=asked.how or "where")
        if asked.count and self.peek().low in PREPOSITIONS:
            self._counted(asked)
            return
        subjects = self.subjects(be_before=True)
        target = self._make_target(asked)
        if subjects and not self.at_end():
            self.predicate(subjects, self._gap(target, asked), be=True)
            return
        for subject in subjects:
            if subject.kind != "phrase":
                self.net.follow(subject, noun_path(asked.label or (asked.word,)), target)

    def _subject_is_asked(self, asked: Asked) -> bool:
        """Whether the question word is the subject: a participle or a preposition follows "is"."""
        token, after = self.peek(), self.peek(1)
        if token.low in PREPOSITIONS:
            return True
        if token.kind != "word" or token.low in ("the", "a", "an"):
            return bool(asked.label) and token.low in ("a", "an")
        participle = token.low.endswith(("ed", "ing")) or (token.low in VERB_FORMS and not is_relational([token.low]))
        return participle and (after.kind == "name" or after.low in PREPOSITIONS or after.low in ("the", "a"))

    def _counted(self, asked: Asked) -> None:
        """ "How many stores are in X": a number of X."""
        self.position += 1
        target = self._make_target(asked)
        for term in self.noun_phrases():
            if term.kind != "phrase":
                self.net.follow(term, noun_path(["number", "of", *asked.label]), target)

    def _identity(self, asked: Asked) -> None:
        """ "Who is NP": the noun phrase's own variable is asked for, unless a predicate still follows it."""
        self.skip("it", "there")
        before = len(self.net.constraints)
        subjects = self.subjects(be_before=True)
        if not subjects or self._at_that_time(subjects[0], asked) or self._scoped(subjects[0], asked):
            return
        subject = subjects[0]
        if self._predicated(subjects, asked):
            return
        found = subject.kind == "variable" and len(self.net.constraints) > before
        if found and (not asked.how or _is_itself_asked(subject, asked.how)):
            self.target = subject
        elif subject.kind != "phrase":
            self.net.add(subject, _ASKED_RELATIONS[asked.how], self._make_target(asked))

    def _at_that_time(self, subject: Term, asked: Asked) -> bool:
        """ "Who was president when X became a state": the office belongs to what the clause is about."""
        if self.peek().low != "when" or asked.how or self._is_used(subject):
            return False
        self.position += 1
        others = self.subjects()
        self.predicate(others)
        target = self._make_target(asked)
        for other in others:
            if other.kind != "phrase":
                self.net.follow(other, noun_path(subject.noun.split()), target)
        return True

    def _scoped(self, subject: Term, asked: Asked) -> bool:
        """ "What is the acronym for the agency, in the state that ...": the phrase is a relation of that state."""
        ahead = int(self.peek().text == ",")
        if subject.kind != "phrase" or self.peek(ahead).low not in PREPOSITIONS:
            return False
        self.position += ahead + 1
        target = self._make_target(asked)
        for term in self.objects():
            if term.kind != "phrase":
                self.net.follow(term, noun_path(subject.text.split()), target)
        return True

    def _predicated(self, subjects: list[Term], asked: Asked) -> bool:
        """Read the predicate of "who was X pregnant with"; whether it has a place for what is asked."""
        if self.at_end() and not (self.peek().text == "," and self.at_verb()):
            return False
        loose = self.peek().low in PREPOSITIONS and self.peek(1).text.isdigit()
        if not asked.how and self._is_used(subjects[0]) and (loose or self.peek().low in ("when", "and", "while")):
            return False
        subjects, delayed = self._delayed(subjects)
        target = self._make_target(asked)
        found = self.predicate(subjects, self._gap(target, asked), be=True)
        if delayed:
            self.relative_clauses(subjects[0])
        if found and self._is_used(target):
            return True
        self.net.variables.pop(target.text, None)
        self.target = None
        return False

    def _is_used(self, term: Term) -> bool:
        return any(term.text in item.variables for item in self.net.constraints)

    def _after_verb(self, asked: Asked) -> None:
        """ "Which X directed Y", "where did X die", "which country X is from"."""
        token, after = self.peek(), self.peek(1)
        starts = after.kind == "name" or after.low in _SUBJECT_STARTS
        inverted = token.low in DO or (token.low in HAVE | MODALS and starts)
        self.position += inverted
        expected = bool(asked.label) or asked.word in ("who", "what")
        if not inverted and asked.how in ("", "how many") and self.at_verb(expected):
            self.target_acts = True
            self.predicate([self._make_target(asked)])
            return
        subjects, delayed = self._delayed(self.subjects())
        target = self._make_target(asked)
        self.predicate(subjects, self._gap(target, asked))
        if delayed:
            self.relative_clauses(subjects[0])

    def _delayed(self, subjects: list[Term]) -> tuple[list[Term], bool]:
        """The subject as a variable where its clause comes behind the verb: "where did the band form that made X"."""
        relative = self.peek(1).low in ("that", "who", "which", "whose")
        behind = relative or (self.peek(1).low in PREPOSITIONS and self.peek(2).low in ("which", "whom"))
        if len(subjects) != 1 or subjects[0].kind != "phrase" or not behind:
            return subjects, False
        return [self.net.fresh(subjects[0].text, subjects[0].type)], True


def _is_itself_asked(subject: Term, how: str) -> bool:
    """Whether "where is", "when is" a thing asks for the thing itself: a place of death, a birthday."""
    if how == "when":
        return subject.type == "date"
    return NOUNS.get(subject.noun, ("",))[-1] in _PLACES_OF
