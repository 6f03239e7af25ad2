"""A place in a question's tokens, and what can be told from the words around it: nouns, verbs, participles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.planning.lexicon import NOUNS, PARTICIPLES, VERB_FORMS, VERBAL, singular
from tools.planning.net import Net, Term
from tools.planning.tokens import END, Token
from tools.planning.words import (
    ADVERBS,
    AUXILIARIES,
    CERTAIN_VERBS,
    DETERMINERS,
    FUNCTION_WORDS,
    MEMBERSHIPS,
    NAMING,
    NOUN_TYPES,
    PARTS,
    POSSESSIVE_PRONOUNS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
)

# Words that end like participles and are none.
_NO_PARTICIPLES = frozenset(
    """united hundred sacred red bed seed breed speed feed king string spring ring wing building wedding recording
    painting thing something nothing everything during following beijing evening morning""".split()
)
# How far a clause without its "that" may reach before its verb.
_CLAUSE_REACH = 10
# Before a part that is played: "the leading role of".
_PART_ADJECTIVES = frozenset("leading main lead title".split())
# Stands for nouns of unknown meaning, and for known ones, where only the form of the next word is asked about.
UNKNOWN_NOUN, KNOWN_NOUN = ["-"], ["film"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A state of the reading to come back to."""

    position: int
    net: tuple[int, int]
    target: Term | None
    count: bool


class Cursor:
    """Reads tokens into a Net. `target` is what the question asks for, `labels` the words that asked for a variable."""

    def __init__(self, tokens: Sequence[Token], net: Net | None = None) -> None:
        self.tokens = tokens
        self.position = 0
        self.net = net if net is not None else Net()
        self.target: Term | None = None
        self.labels: dict[str, list[str]] = {}
        self.count = False
        # Whether the noun phrase being read still has to leave a verb for its clause, and whether that verb is the
        # participle of an "is" that stands before it already.
        self.expects_verb = False
        self.be_before = False

    def peek(self, ahead: int = 0) -> Token:
        """The token at or after the cursor; END behind the last."""
        place = self.position + ahead
        return self.tokens[place] if 0 <= place < len(self.tokens) else END

    def take(self) -> Token:
        """The token at the cursor, which moves on."""
        token = self.peek()
        self.position += 1
        return token

    def skip(self, *words: str) -> bool:
        """Move over the current token if it is one of `words`."""
        found = self.peek() is not END and self.peek().text.lower() in words
        self.position += found
        return found

    def nominal_words(self) -> list[str]:
        """Take the words of a noun phrase, up to its noun."""
        words: list[str] = []
        while self.is_nominal(0, words):
            words.append(self.take().low)
        return words

    def mark(self) -> Mark:
        """The state of the reading, to come back to with `rewind`."""
        return Mark(self.position, self.net.mark(), self.target, self.count)

    def rewind(self, mark: Mark) -> None:
        """Take back all that was read since `mark`."""
        self.position, self.target, self.count = mark.position, mark.target, mark.count
        self.net.undo(mark.net)

    def at_end(self) -> bool:
        """Whether a sentence or a clause ends here."""
        return self.peek() is END or self.peek().kind == "punctuation"

    def conjunction(self) -> int:
        """How many tokens join this noun phrase to another one; 0 where none follows."""
        size = int(self.peek().text == ",")
        if self.peek(size).low in ("and", "or", "&", "nor"):
            size += 1 + (self.peek(size + 1).low == "also")
            after = self.peek(size)
            opens = after.low in DETERMINERS | POSSESSIVE_PRONOUNS or after.low in ("what", "which")
            return size if after.kind == "name" or opens else 0
        goes_on = self.peek(2).text == "," or self.peek(2).low in ("and", "or")
        return 1 if size and self.peek(1).kind == "name" and goes_on else 0

    def is_nominal(self, ahead: int, words: Sequence[str]) -> bool:
        """Whether the word at `ahead` can go on a noun phrase that has `words` already."""
        token = self.peek(ahead)
        if token.kind != "word" or token.low in FUNCTION_WORDS or self.is_adverb(ahead):
            return False
        return not self.is_verb(ahead, words)

    def is_adverb(self, ahead: int) -> bool:
        """Whether the word at `ahead` only qualifies a verb behind it."""
        low, after = self.peek(ahead).low, self.peek(ahead + 1).low
        verbal = after in VERB_FORMS or after.endswith("ed")
        return low in ADVERBS or (verbal and (low == "first" or (low.endswith("ly") and len(low) > 4)))

    def is_verb(self, ahead: int, words: Sequence[str]) -> bool:
        """Whether the word at `ahead` is a verb, by its form, the `words` before it and what follows."""
        low, after = self.peek(ahead).low, self.peek(ahead + 1)
        if not words or low in CERTAIN_VERBS:
            return bool(words)
        participle = low.endswith(("ed", "ing")) and len(low) > 4 and low not in _NO_PARTICIPLES
        if not (low in VERB_FORMS or participle or low.endswith("s")):
            return False
        if (after.low == "of" and not low.endswith("ed")) or (after.low in AUXILIARIES and low.endswith("s")):
            return False
        known = is_known_noun(words[-1])
        if low not in VERB_FORMS and not participle:
            return known and (after.kind == "name" or after.low in DETERMINERS) and singular(low) != low
        return known or after.kind != "word" or after.low in FUNCTION_WORDS

    def is_participle(self, ahead: int) -> bool:
        """Whether the next word at `ahead` that is no adverb is a past participle."""
        while self.is_adverb(ahead):
            ahead += 1
        low = self.peek(ahead).low
        return low == "been" or low in PARTICIPLES or low.endswith("ed")

    def at_participle(self) -> bool:
        """Whether "directed by X", "sharing a border with X" begins here."""
        ahead = int(self.is_adverb(0))
        low, after = self.peek(ahead).low, self.peek(ahead + 1)
        if not low or low in FUNCTION_WORDS or low in _NO_PARTICIPLES:
            return False
        if low.endswith("ing"):
            return after.kind in ("name", "word")
        past = low in PARTICIPLES or (low.endswith("ed") and low not in VERB_FORMS)
        if not past or self.peek(ahead + 2) is END:
            return False
        if low in NAMING or (after.low == "by" and not self.expects_verb):
            return True
        continues = after.low in PREPOSITIONS or after.low in ADVERBS or after.low in ("where", "when")
        return continues and (not self.expects_verb or self._verb_follows())

    def _verb_follows(self) -> bool:
        """Whether a verb stands between the next word and the end of the clause, for the clause to have one."""
        rest = self.tokens[self.position + 1 :]
        if self.be_before:
            return rest[-1].low in PARTICIPLES and not any(token.low in RELATIVE for token in rest)
        for token in rest:
            if token.kind == "punctuation":
                return False
            if token.low in VERBAL or token.low.endswith("ed"):
                return True
        return False

    def at_contact_clause(self) -> bool:
        """Whether a clause without its "that" begins here: "the award X received"."""
        token = self.peek()
        if token.kind != "name" and token.low not in DETERMINERS | PRONOUNS | POSSESSIVE_PRONOUNS:
            return False
        for ahead in range(1, _CLAUSE_REACH):
            after = self.peek(ahead)
            if after is END or after.kind == "punctuation":
                return False
            if after.low in VERBAL:
                return True
        return False

    def at_verb(self, expected: bool = False) -> bool:
        """Whether a verb phrase begins here; `expected` after "who", where any word that starts no noun phrase does."""
        ahead = 0
        while self.is_adverb(ahead):
            ahead += 1
        token = self.peek(ahead)
        if token.low in VERBAL:
            return True
        if token.kind != "word" or token.low in FUNCTION_WORDS or token.capital:
            return False
        return expected or self.is_verb(ahead, KNOWN_NOUN) or token.low.endswith(("ed", "es"))

    def starts_phrase(self) -> bool:
        """Whether a noun phrase can begin here."""
        token, after = self.peek(), self.peek(1)
        if token.kind == "name" or token.low in DETERMINERS | PRONOUNS | POSSESSIVE_PRONOUNS:
            return True
        if token.low in ("what", "which", "who", "whom", "where", "whose") or (token.low == "when" and after is END):
            return True
        if token.low == "how" and after.low in ("many", "much"):
            return True
        verb = token.low in VERB_FORMS and (self.expects_verb or not is_known_noun(token.low))
        verb = verb or (self.expects_verb and token.low.endswith("ed"))
        return token.kind == "word" and token.low not in FUNCTION_WORDS and not verb

    def joins_predicate(self) -> int:
        """How many tokens join a second verb phrase to the one before; 0 where none follows."""
        size = 1 + (self.peek().text == ",")
        if self.peek(size - 1).low not in ("and", "but"):
            return 0
        low = self.peek(size).low
        return size if low in VERBAL or low.endswith("ed") or self.is_adverb(size) else 0

    def membership_size(self) -> int:
        """The length of "a member of", "part of", which belongs to the verb before it."""
        size = int(self.peek().low in ("a", "an"))
        return size + 2 if self.peek(size).low in MEMBERSHIPS and self.peek(size + 1).low in ("of", "in") else 0

    def skip_part(self) -> bool:
        """Move over "the role of"."""
        ahead = 0
        while self.peek(ahead).low in DETERMINERS or self.peek(ahead).low in _PART_ADJECTIVES:
            ahead += 1
        found = self.peek(ahead).low in PARTS and self.peek(ahead + 1).low == "of"
        self.position += ahead + 2 if found else 0
        return found


def is_known_noun(word: str) -> bool:
    """Whether the lexicon has a noun."""
    one = singular(word)
    return one in NOUN_TYPES or one in NOUNS
