"""Noun phrases: "the capital of the county that borders X" as constraints from the innermost name outwards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.planning.cursor import UNKNOWN_NOUN, Cursor, is_known_noun
from tools.planning.lexicon import MADE_BY, PERSONAL, VERB_FORMS, VERBAL, noun_type
from tools.planning.net import Net, Term, is_relational, noun_path
from tools.planning.tokens import END, Token
from tools.planning.words import (
    AUXILIARIES,
    DETERMINERS,
    POSSESSIVE_PRONOUNS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    TRANSPARENT,
)

# Phrases and clauses inside each other; a question that goes deeper is read no further.
_MAX_DEPTH = 12
# Attempts at a noun phrase for one question, so that no text takes long; the benchmarks' questions take 23 at most.
_MAX_PHRASES = 200
_ASKED_HINTS = {"who": "person", "whom": "person", "where": "place", "when": "date"} | dict.fromkeys(
    ("what", "which", "how", "why"), "answer"
)
_ASKED_TYPES = {"who": "person", "whom": "person", "where": "place", "when": "date", "what": ""}
_PERSONAL_PRONOUNS = frozenset("he she him his her".split())
_THINGS = ("work", "organisation", "place", "")
# Adjectives that stand between a name and its noun without making the name an adjective.
_ORDINALS = frozenset("last next same first".split())


@dataclass(slots=True)
class Phrase:
    """The front of a noun phrase: what it belongs to ("X's"), a name used as an adjective, its words."""

    base: Term | None = None
    compound: str = ""
    words: list[str] = field(default_factory=list)
    asked: bool = False
    count: bool = False
    refers_back: bool = False

    @property
    def label(self) -> list[str]:
        """All its words, the name used as an adjective first."""
        return [self.compound, *self.words] if self.compound else list(self.words)

    @property
    def type(self) -> str:
        """The type of thing that its noun names."""
        return noun_type(self.words[-1]) if self.words else ""


class NounPhrases(Cursor, ABC):
    """Reads noun phrases into the net. Clauses are read by the class below it."""

    def __init__(self, tokens: Sequence[Token], net: Net | None = None) -> None:
        super().__init__(tokens, net)
        self.depth = 0
        self.budget = _MAX_PHRASES
        self.gave_up = False
        # Whether the phrase being read is what somebody made: "the director of ...".
        self.of_a_work = False

    @abstractmethod
    def relative(self, term: Term) -> bool:
        """Read a relative clause, a participle or a contact clause about `term`; whether there was one."""

    def subjects(self, be_before: bool = False) -> list[Term]:
        """Noun phrases that a verb has to follow: their participles must leave it one.

        `be_before` says that the verb's "is" has been read: "was X built in Y" as far as "was".
        """
        before = self.expects_verb, self.be_before
        self.expects_verb, self.be_before = True, be_before
        terms = self.noun_phrases()
        self.expects_verb, self.be_before = before
        return terms

    def objects(self) -> list[Term]:
        """The noun phrases behind a preposition; none where a verb follows it at once."""
        return self.noun_phrases() if self.starts_phrase() else []

    def noun_phrases(self, greedy: bool = True) -> list[Term]:
        """One or more noun phrases joined by "and", "or" or commas; empty where none begins here."""
        terms = [term] if (term := self.noun_phrase(greedy)) else []
        while terms and (size := self.conjunction()):
            self.position += size
            if not (term := self.noun_phrase(greedy)):
                break
            terms.append(term)
        return terms

    def noun_phrase(self, greedy: bool = True, subject: Term | None = None) -> Term | None:
        """One noun phrase. `greedy` lets it take prepositions other than "of"; `subject` is what it is said of."""
        if self.depth >= _MAX_DEPTH or self.budget <= 0:
            self.gave_up = True
            return None
        self.depth += 1
        self.budget -= 1
        start = self.mark()
        term = self._pronoun() or self._phrase(greedy, subject)
        self.depth -= 1
        if term is None:
            self.rewind(start)
        return term

    def relative_clauses(self, term: Term) -> None:
        """Read every clause that follows and describes `term`."""
        while self.relative(term):
            pass

    def ask(self, words: list[str], kind: str, count: bool = False) -> Term:
        """Make the variable that the question asks for."""
        last = words[-1] if words else ""
        hint = "number" if count else _ASKED_HINTS.get(last, " ".join(words[-3:]) or "answer")
        term = self.net.fresh(hint, "number" if count else kind)
        self.labels[term.text] = ["number", "of", *words] if count else words
        self.target, self.count = self.target or term, self.count or count
        return term

    def _pronoun(self) -> Term | None:
        """A pronoun, a bare question word in the middle of a sentence, or "who plays X" as a thing."""
        low, after = self.peek().low, self.peek(1)
        if low in PRONOUNS and after.low != "of":
            self.position += 1
            kinds = ("person",) if low in _PERSONAL_PRONOUNS else (*_THINGS, "person")
            return self.net.latest(kinds) or Term(low, "phrase")
        if low not in _ASKED_TYPES or (low == "what" and self.is_nominal(1, [])):
            return None
        kind = _ASKED_TYPES[low]
        if after is END or after.kind == "punctuation":
            self.position += 1
            return self.ask([low], kind)
        start = self.mark()
        term = self.net.fresh(kind or "thing", kind)
        if self.relative(term):
            return term
        self.rewind(start)
        return None

    def _phrase(self, greedy: bool, subject: Term | None) -> Term | None:
        phrase = self._determiners()
        term = self._front(phrase)
        if term is not None:
            self.relative_clauses(term)
        else:
            term = self._finish(phrase, greedy, subject)
        while term and self.peek().kind == "possessive" and (term.kind == "variable" or self.depth == 1):
            self.position += 1
            phrase = Phrase(base=term)
            self._front(phrase)
            term = self._finish(phrase, greedy, subject)
        return term

    def _determiners(self) -> Phrase:
        phrase = Phrase()
        while True:
            low = self.peek().low
            if low in ("which", "what", "whose") or (low == "how" and self.peek(1).low in ("many", "much")):
                phrase.asked, phrase.count = True, low == "how"
                self.position += 1 + phrase.count
            elif low == "one" and self.peek(1).low == "of":
                self.position += 2
            elif low in POSSESSIVE_PRONOUNS:
                phrase.base = self.net.latest(("person",) if low in _PERSONAL_PRONOUNS else _THINGS)
                self.position += 1
            elif low in DETERMINERS:
                phrase.refers_back = low in ("that", "this")
                self.position += 1
            else:
                return phrase

    def _front(self, phrase: Phrase) -> Term | None:
        """Read the words before the head's end into `phrase`; a plain name is returned at once."""
        while True:
            token = self.peek()
            if token.kind == "name":
                name, goes_on = self._name(phrase)
                if not goes_on:
                    return name
            elif token.kind == "possessive" and (phrase.words or phrase.base):
                self.position += 1
                known = phrase.base or not phrase.words or is_known_noun(phrase.words[-1])
                phrase.base = self._head(phrase, None) if known else Term(" ".join(phrase.words), "name")
                phrase.words, phrase.compound = [], ""
            elif self.is_nominal(0, phrase.words):
                phrase.words.append(token.low)
                self.position += 1
            elif size := self._second_role(phrase.words):
                self.position += size
            else:
                return None

    def _name(self, phrase: Phrase) -> tuple[Term | None, bool]:
        """What a name is to a phrase: all of it, a part of it (the phrase goes on), or none of it."""
        token, words = self.peek(), phrase.words
        if not words and self.peek(1).low == "of" and self.peek(2).low in DETERMINERS | POSSESSIVE_PRONOUNS:
            # "the Diocese of the birthplace": a capitalised noun is what something else has.
            words.append(self.take().text.lower())
            return None, True
        if words and not phrase.compound and not is_known_noun(words[-1]) and is_known_noun(self.peek(1).low):
            # "a retired Orlando Magic player": a name between an adjective and its noun.
            phrase.compound = self.take().text
            return None, True
        if (words and not self._is_appositive(words)) or (phrase.compound and not words):
            return None, False
        self.position += 1
        name = Term(token.text, "name", noun_type(words[-1]) if words else "")
        if self.peek().kind == "possessive" and not self._owned_further_out(name):
            self.position += 1
            phrase.base, phrase.words = name, []
        elif not words and (phrase.base is not None or self._is_compound()):
            phrase.compound = token.text
        else:
            return name, False
        return None, True

    def _owned_further_out(self, name: Term) -> bool:
        """Whether 's belongs to a longer phrase: "the director of film X's birthday" is not the film's."""
        apart = self.peek().start > self.peek(-1).end
        words = [self.peek(1).low] if self.peek(1).kind == "word" else []
        personal = is_relational(words) and noun_path(words)[0].name in PERSONAL
        return self.depth > 1 and (apart or (personal and (self.of_a_work or name.type not in ("", "person"))))

    def _second_role(self, words: Sequence[str]) -> int:
        """How many tokens "and CEO" in "chairman and CEO of X" has: the first role is enough to find X."""
        if not words or self.peek().low != "and":
            return 0
        size = 1
        while size < 4 and (self.peek(size).kind == "name" or self.is_nominal(size, [])):
            size += 1
        return size if size > 1 and self.peek(size).low == "of" else 0

    def _is_compound(self) -> bool:
        """Whether a noun follows a name that is used as an adjective: "the X singer", "X stations"."""
        low, before = self.peek().low, self.peek(-2)
        if low in _ORDINALS or not self.is_nominal(0, UNKNOWN_NOUN):
            return False
        if is_known_noun(low):
            return True
        determined = before.low in DETERMINERS | POSSESSIVE_PRONOUNS or before.kind == "possessive"
        return (low.endswith("s") or determined) and low not in VERB_FORMS and not low.endswith("ed")

    def _is_appositive(self, words: Sequence[str]) -> bool:
        """Whether a name after these words names the same thing: "film X", but not "the award X received"."""
        after = self.peek(1).low
        if words[-1] == "character":
            return False
        if not is_known_noun(words[-1]) and after in AUXILIARIES:
            return True
        return after not in VERBAL or noun_type(words[-1]) in ("work", "person")

    def _finish(self, phrase: Phrase, greedy: bool, subject: Term | None) -> Term | None:
        """Give the phrase its variable, from what it belongs to or from what follows it."""
        if (plain := self._plain(phrase, greedy, subject)) is not None:
            return plain
        if not phrase.label and phrase.base is None:
            return None
        if phrase.base is not None or self._is_described():
            term = self._head(phrase, subject)
        elif self._takes_preposition(phrase, greedy):
            term = self._prepositional(phrase, subject)
        elif phrase.asked:
            return self.ask(phrase.label, phrase.type, phrase.count)
        elif phrase.compound and is_relational(phrase.words):
            term = self.net.follow(Term(phrase.compound, "name"), noun_path(phrase.words), subject)
        else:
            return subject or Term(" ".join(phrase.label), "name" if phrase.compound else "phrase", phrase.type)
        self.relative_clauses(term)
        while greedy and self._more_prepositions():
            self._attach(term)
        return term

    def _plain(self, phrase: Phrase, greedy: bool, subject: Term | None) -> Term | None:
        """A phrase that needs no reading on: "that country", a number, "the name of ..."; None for others."""
        words = phrase.words
        if not words or phrase.base is not None:
            return self.ask(["what"], "") if phrase.asked and not phrase.label and self.at_end() else None
        if phrase.refers_back and (known := self.net.latest((words[-1],))):
            return known
        if words[-1].isdigit():
            return subject or Term(" ".join(words), "phrase", "date" if len(words[-1]) == 4 else "")
        if words[-1] in TRANSPARENT and self.peek().low == "of":
            return self._transparent(phrase, greedy, subject)
        return None

    def _transparent(self, phrase: Phrase, greedy: bool, subject: Term | None) -> Term | None:
        """ "The name of the bridge" is the bridge; "what kind of activist" asks for an activist."""
        self.position += 1
        if not phrase.asked:
            return self.noun_phrase(greedy, subject)
        inner = self._determiners()
        self._front(inner)
        inner.asked, inner.count = True, phrase.count
        return self._finish(inner, greedy, subject) or self.ask(phrase.words, "")

    def _head(self, phrase: Phrase, subject: Term | None) -> Term:
        """The variable of a phrase that belongs to a base, or that a clause will describe."""
        if phrase.base is not None and not phrase.words:
            return phrase.base
        last = self.ask(phrase.label, phrase.type, phrase.count) if phrase.asked else subject
        if phrase.base is None:
            return last or self.net.fresh(" ".join(phrase.label[-3:]) or "thing", phrase.type)
        return self.net.follow(phrase.base, noun_path(phrase.label), last, phrase.words[-1])

    def _is_described(self) -> bool:
        """Whether a clause follows that says which one is meant."""
        after = self.peek(1) if self.peek().text == "," else self.peek()
        if after.low in RELATIVE or (after.low in PREPOSITIONS and self.peek(1).low in ("which", "whom", "whose")):
            return self.peek(1) is not END
        return self.peek().text != "," and (self.at_participle() or self.at_contact_clause())

    def _takes_preposition(self, phrase: Phrase, greedy: bool) -> bool:
        low, after = self.peek().low, self.peek(1)
        if low not in PREPOSITIONS or after is END or after.kind == "punctuation" or after.low in VERBAL:
            return False
        return low == "of" or (greedy and not phrase.count)

    def _prepositional(self, phrase: Phrase, subject: Term | None) -> Term:
        """ "The R of NP", "the R in NP": R leads from each NP to one variable."""
        start, words = self.position, phrase.label
        self.position += 1
        before, self.of_a_work = self.of_a_work, noun_path(words)[-1].name in MADE_BY
        bases = self.objects()
        self.of_a_work = before
        if not bases or (all(base.kind == "phrase" for base in bases) and not is_relational(phrase.words)):
            return self._loose(phrase, bases, start, subject)
        last = self.ask(words, phrase.type, phrase.count) if phrase.asked else subject
        path = noun_path(["number", "of", *words] if phrase.count else words)
        for base in bases:
            last = self.net.follow(base, path, last, words[-1])
        return last or bases[0]

    def _loose(self, phrase: Phrase, bases: list[Term], start: int, subject: Term | None) -> Term:
        """A phrase about nothing named ("the leader of the search party") stays words."""
        if phrase.asked:
            return self.ask(phrase.label, phrase.type, phrase.count)
        if subject is not None:
            return subject
        said = [token.text for token in self.tokens[start : self.position]] if bases else []
        self.position = self.position if bases else start
        return Term(" ".join([*phrase.label, *said]), "phrase", phrase.type)

    def _more_prepositions(self) -> bool:
        after = self.peek(1)
        named = after.kind == "name" or after.low in DETERMINERS
        return self.peek().low in PREPOSITIONS - {"of"} and named and self.peek(2).low not in ("who", "which")

    def _attach(self, term: Term) -> None:
        """A further preposition of a phrase that has its variable already."""
        word = self.take().low
        for other in self.objects():
            if other.kind != "phrase":
                self.net.add(term, noun_path([word])[0], other)
