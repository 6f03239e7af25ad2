"""Clauses: relative clauses, verb phrases with their objects, "is" and "has"."""

from __future__ import annotations

from collections.abc import Sequence

from tools.planning.cursor import KNOWN_NOUN
from tools.planning.lexicon import NOUNS, PARTICIPLES, RELATIONS, VERB_FORMS, VERBAL, VERBS, Relation, spoken_relation
from tools.planning.net import Term, is_relational, noun_path
from tools.planning.nouns import NounPhrases
from tools.planning.statements import PLACE_WORDS, Action, Argument, Gap, sort_arguments, state_clause
from tools.planning.tokens import END
from tools.planning.words import (
    ADVERBS,
    AUXILIARIES,
    BE,
    DETERMINERS,
    FUNCTION_WORDS,
    HAVE,
    MEMBERSHIPS,
    NAMING,
    NOUN_TYPES,
    POSSESSIVE_PRONOUNS,
    PREPOSITIONS,
    RELATIVE,
    WH,
)

# Noun phrases and clauses inside each other; every clause comes with a noun phrase.
_MAX_DEPTH = 24
_PARTICLES = frozenset("up out off down away back".split())
_NAMED = Relation("named", ("title", "called", "known as"))
_IS = Relation("is", ("is a", "known as", "described as", "occupation"))


class Clauses(NounPhrases):
    """Reads clauses into the net."""

    def relative(self, term: Term) -> bool:
        """Read a relative clause, a participle or a contact clause about `term`; whether there was one."""
        start, comma = self.mark(), self.skip(",")
        if self.peek().low == "and" and self.peek(1).low in ("whose", "who", "which"):
            self.position += 1
        preposition = ""
        if self.peek().low in PREPOSITIONS and self.peek(1).low in ("which", "whom", "whose"):
            preposition = self.take().low
        found = False
        if self.peek().low in RELATIVE and self.peek(1) is not END:
            found = self._pronoun_clause(term, preposition, comma)
        elif not comma and not preposition:
            found = self._bare_clause(term)
        if not found:
            self.rewind(start)
        elif comma or (self.expects_verb and self.peek().text == "," and self.peek(1).low in VERBAL):
            self.skip(",")
        return found

    def _bare_clause(self, term: Term) -> bool:
        """A participle, or a clause without its "that"."""
        if self.at_participle() and not (term.kind == "name" and self.expects_verb):
            return self.participle(term)
        return term.kind == "variable" and self.at_contact_clause() and self._open_clause(Gap(term))

    def _pronoun_clause(self, term: Term, preposition: str, comma: bool) -> bool:
        pronoun = self.take().low
        self.skip(pronoun)
        if pronoun == "whose":
            return self._whose(term)
        if pronoun in ("that", "which", "who") and not preposition and self.at_verb(expected=True):
            return self.predicate([term])
        timeless = term.kind == "name" or term.type not in ("", "date")
        if (pronoun == "when" and timeless) or (pronoun == "where" and term.type == "person"):
            return False
        if comma and pronoun != "that" and self.peek().low in AUXILIARIES - BE:
            return False
        return self._open_clause(Gap(term, preposition or (pronoun if pronoun in ("where", "when") else "")))

    def _whose(self, term: Term) -> bool:
        words = self.nominal_words()
        if words:
            self.predicate([self.net.follow(term, noun_path(words), hint=" ".join(words))])
        return bool(words)

    def _open_clause(self, gap: Gap) -> bool:
        """A subject and its verb phrase, which leaves `gap` open."""
        subjects = self.subjects()
        return bool(subjects) and self.predicate(subjects, gap)

    def participle(self, term: Term) -> bool:
        """Read "directed by X", "called X" about `term`."""
        while self.is_adverb(0):
            self.position += 1
        low = self.take().low
        if low in NAMING and self.peek().kind == "name":
            self.net.add(term, _NAMED, Term(self.take().text, "name"))
        else:
            self._act([term], Action((low,), low, not low.endswith("ing")), None)
        return True

    def predicate(self, subjects: Sequence[Term], gap: Gap | None = None, be: bool = False) -> bool:
        """Read the verb phrases of `subjects`; whether there was one. `be`: their "is" has been read already."""
        action = self._action(be) if subjects and self.depth < _MAX_DEPTH else None
        if action is None:
            return False
        self.depth += 1
        self._act(subjects, action, gap)
        while size := self.joins_predicate():
            self.position += size
            self._act(subjects, self._action(False) or Action(("is",), "be"), None)
        self.depth -= 1
        return True

    def _act(self, subjects: Sequence[Term], action: Action, gap: Gap | None) -> None:
        """Read what follows a verb and state the clause."""
        if action.form == "be":
            self._copula(subjects, gap)
        elif action.form == "have":
            self._possession(subjects, gap)
        else:
            if action.verb is VERBS["play"]:
                self.skip_part()
            words = list(action.words)
            arguments = self._arguments(words)
            state_clause(self.net, subjects, Action(tuple(words), action.form, action.passive), arguments, gap)

    def _action(self, be: bool) -> Action | None:
        """Auxiliaries, adverbs and the main verb. A form of "be" or "have" alone is "be" or "have"."""
        seen, start = be, self.position
        while True:
            token = self.peek()
            if self.is_adverb(0):
                self.position += 1
            elif token.low in HAVE and not self.is_participle(1):
                self.position += 1
                return Action(("has",), "have")
            elif token.low in AUXILIARIES:
                be = be or token.low in BE
                seen = True
                self.position += 1
            elif token.kind == "word" and token.low not in FUNCTION_WORDS and self._is_main_verb(be):
                self.position += 1
                return Action((token.low, *self._extension()), token.low, be and not token.low.endswith("ing"))
            else:
                break
        if not seen:
            self.position = start
            return None
        return Action(("is",), "be") if be else Action(())

    def _is_main_verb(self, be: bool) -> bool:
        """After "be" only participles are verbs: "is located", but not "is famous"."""
        low = self.peek().low
        if not be:
            return True
        if low in NOUNS or low in NOUN_TYPES:
            return False
        return self.is_participle(0) or (low.endswith("ing") and self.peek(1).low != "of")

    def _extension(self) -> tuple[str, ...]:
        """What belongs to a verb: "up" in "came up", "to broadcast" in "licensed to broadcast"."""
        words: list[str] = []
        while self.peek().low in _PARTICLES:
            words.append(self.take().low)
        while self.peek().low == "to" and self.peek(1).low in VERB_FORMS:
            words += [self.take().low, self.take().low]
        return tuple(words)

    def _arguments(self, words: list[str]) -> list[Argument]:
        """The objects that follow a verb; what says more about the verb itself goes into `words`."""
        arguments: list[Argument] = []
        while True:
            token = self.peek()
            direct = not any(one.preposition == "" for one in arguments)
            if self._passes_over(words, direct):
                continue
            if token.low in PREPOSITIONS:
                self.position += 1
                arguments.append(self.after_preposition(token.low))
            elif not direct and self.expects_verb and token.low in VERB_FORMS:
                return arguments
            elif self.starts_phrase() and (terms := self.noun_phrases(greedy=False)):
                arguments.append(Argument("", tuple(terms)))
            else:
                return arguments

    def _passes_over(self, words: list[str], direct: bool) -> bool:
        """Move over what is no object: adverbs, "to broadcast", "a member of", "when he died"."""
        token, after = self.peek(), self.peek(1)
        size = 0
        if token.low in ("when", "while", "after", "before") and self._time_clause():
            return True
        if (token.low in ADVERBS or token.low == "both") and after is not END:
            self.position += 1
            return True
        if token.low in PREPOSITIONS and after.low in ("or", "and") and self.peek(2).low in PREPOSITIONS:
            self.position += 2
            return True
        if token.low == "to" and after.low in VERB_FORMS and after.low not in NOUNS:
            size = 2
        elif direct and token.low.endswith("ing") and self.is_verb(0, KNOWN_NOUN):
            size = 1
        elif direct:
            size = self.membership_size()
        words += [self.take().low for _ in range(size)]
        return size > 0

    def after_preposition(self, preposition: str) -> Argument:
        """A preposition's objects; "as its capital" gives the bare role."""
        if preposition == "as" and self.peek().low in POSSESSIVE_PRONOUNS:
            self.position += 1
            words = self.nominal_words()
            return Argument("as", (Term(" ".join(words), "phrase"),) if words else ())
        return Argument(preposition, tuple(self.objects()))

    def _time_clause(self) -> bool:
        """ "when he died": a clause of its own; whether there was one."""
        if (self.expects_verb and self.peek().low in ("after", "before")) or self.peek(1) is END:
            return False
        start = self.mark()
        self.position += 1
        subjects = self.subjects()
        if subjects and self.at_verb() and self.predicate(subjects):
            return True
        self.rewind(start)
        return False

    def _possession(self, subjects: Sequence[Term], gap: Gap | None) -> None:
        """ "X has a drummer who ...", "which capital does X have", "has X as its capital"."""
        if gap is None and self.skip_part():
            self._act(subjects, Action(("played",), "played"), None)
            return
        start = self.position
        while self.skip(*DETERMINERS):
            pass
        words = self.nominal_words()
        anchors = [term for term in subjects if term.kind != "phrase"]
        if gap is not None and not words and anchors:
            self._open_possession(anchors, gap)
        elif gap is not None or not words or not anchors or self.peek().low == "of":
            self.position = start
            self._owned_object(subjects, gap)
        else:
            owned = self.net.fresh(" ".join(words[-2:]))
            for subject in anchors:
                self.net.follow(subject, noun_path(words), owned)
            self.relative_clauses(owned)
            self._act([owned], Action((words[-1],)), None)

    def _open_possession(self, subjects: Sequence[Term], gap: Gap) -> None:
        """ "Which capital does X have", "what do X and Y have in common"."""
        label = [word for word in gap.label if word not in WH]
        _, said, _ = sort_arguments(self._arguments([]))
        relation = noun_path(label)[0] if label else spoken_relation(" ".join(["have", *said]))
        for subject in subjects:
            self.net.add(subject, relation, gap.term)

    def _owned_object(self, subjects: Sequence[Term], gap: Gap | None) -> None:
        """ "X has Y as its capital", "X has how many members"."""
        arguments = self._arguments([])
        role = next((one.terms[0].text for one in arguments if one.preposition == "as" and one.terms), "")
        owned = next((one.terms for one in arguments if not one.preposition and one.terms), ())
        asked = next((term for term in owned if term.text in self.labels), None)
        if role and owned and gap is None:
            for subject in subjects:
                self.net.follow(subject, noun_path(role.split()), owned[0])
        elif asked is not None:
            for subject in subjects:
                self.net.add(subject, noun_path(self.labels[asked.text] or ["has"])[0], asked)
        else:
            state_clause(self.net, subjects, Action(("has",)), arguments, gap)

    def _copula(self, subjects: Sequence[Term], gap: Gap | None) -> None:
        """What stands after "is" when no participle does: a place, a role, a description."""
        low = self.peek().low
        if low in PREPOSITIONS:
            action = Action(("is",), "locate" if low in PLACE_WORDS else "hail")
            state_clause(self.net, subjects, action, self._arguments([]), gap)
            return
        bare = self.at_end() or (low in VERB_FORMS and low not in PARTICIPLES and low not in NOUNS)
        if gap is not None and gap.how and bare:
            state_clause(self.net, subjects, Action(("is",), "locate"), [], gap)
            return
        start = self.position
        while self.skip(*DETERMINERS):
            pass
        determined = self.position > start
        words = self.nominal_words()
        if words and self._role(subjects, words, determined, gap):
            return
        self.position = start
        if gap is not None and not self.starts_phrase():
            action = Action(("is",), "locate" if gap.how == "where" else "")
            state_clause(self.net, subjects, action, self._arguments([]), gap)
        else:
            self._description(subjects, gap, words)

    def _role(self, subjects: Sequence[Term], words: list[str], determined: bool, gap: Gap | None) -> bool:
        """ "is a member of X", "is the capital of X", "is famous for X"; whether it was one of these."""
        preposition = self.peek().low
        belongs = words[-1] in MEMBERSHIPS
        if preposition not in PREPOSITIONS:
            if gap is None:
                return False
            for subject in subjects:
                self.net.follow(subject, (_membership(words, "of"),) if belongs else noun_path(words), gap.term)
            return True
        self.position += 1
        others = self.objects()
        targets = others or ([gap.term] if gap is not None else [])
        for subject in subjects:
            for other in targets:
                if belongs or not (determined or is_relational(words)):
                    self.net.add(subject, _membership(words, preposition), other)
                else:
                    self.net.follow(other, noun_path(words), subject)
        if others and gap is not None:
            state_clause(self.net, subjects, Action(tuple(words)), self._arguments([]), gap)
        self.relative_clauses(subjects[0])
        return bool(targets)

    def _description(self, subjects: Sequence[Term], gap: Gap | None, words: list[str]) -> None:
        """ "is a footballer who plays for X" is read of the subject itself, "is what kind of film" asks."""
        before, subject = len(self.net.constraints), subjects[0]
        other = self.noun_phrase(True, None if self.peek().low in WH else subject)
        if other is not None and other.text in self.labels:
            label = self.labels[other.text]
            self.net.add(subject, noun_path(label)[0] if is_relational(label) else _IS, other)
        elif other is not None and other.kind == "name":
            self.net.add(subject, _IS, other)
        if gap is not None:
            state_clause(self.net, subjects, Action(("is", *words)), self._arguments([]), gap)
        elif len(self.net.constraints) == before and words and subject.kind == "variable":
            self.net.add(subject, _IS, Term(" ".join(words), "phrase"))


def _membership(words: Sequence[str], preposition: str) -> Relation:
    """The relation of "member of", "citizen of", "part of" and of adjectives ("famous for")."""
    if words[-1] in ("citizen", "citizens"):
        return RELATIONS["country of citizenship"]
    name = f"{words[-1].removesuffix('s')} {preposition}"
    return RELATIONS.get(name) or spoken_relation(" ".join([*words, preposition]))
