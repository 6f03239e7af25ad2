"""Controlled damage to a copy of a knowledge base, to see what a technique still finds (CS-RAG, appendix D.1).

Facts are spoilt in the ways in which extractors spoil them, passages and their vectors are left alone. On demand the
qualifiers that a fact loses go from the text that it comes from as well, as in the paper. Mentions, the index of where
names stand in the text, join passages as facts do: on demand they go the way of the facts that they stand for, which is
harder than the paper's damage.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import sqlite_utils

from kb.errors import UsageError, WriteError
from kb.name_keys import name_key
from kb.store.embeddings import load_embedder
from kb.store.shortened_text import QUALIFIERS, blanked, shorten_sentences
from kb.store.sqlite import open_writer
from kb.store.sqlite_engine import SqliteWriter, copy_file
from kb.store.writer import entity_id, prune_entities

Mode = Literal["spurious", "incomplete"]
MODES: tuple[Mode, ...] = get_args(Mode)
PATTERNS: Mapping[Mode, tuple[str, ...]] = {
    "spurious": ("generic relation", "wrong end", "flip"),
    "incomplete": ("missing bridge", "dropped qualifier"),
}
"""The ways in which a fact is spoilt, by mode."""
GENERIC_RELATIONS = ("related to", "associated with", "connected to", "linked with")
FLIPS = (
    ("born", "died"), ("start", "end"), ("before", "after"), ("parent", "child"), ("father", "child"),
    ("mother", "child"), ("spouse", "sibling"), ("winner", "loser"), ("win", "lose"), ("contain", "located in"),
    ("employer", "employee"), ("member", "opponent"), ("director", "actor"),
)  # fmt: skip
"""The paper's pairs, each read both ways; of several for a word ("child") the first counts."""

_FLIP_WORDS = {word: other for a, b in reversed(FLIPS) for word, other in ((a, b), (b, a))}
_FLIP = re.compile(rf"\b(?:{'|'.join(sorted(_FLIP_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DamageReport:
    """How many facts were in scope, how many were spoilt in each way, and how many sentences lost qualifiers."""

    facts: int
    spoilt: Mapping[str, int]
    shortened: int = 0


@dataclass(frozen=True, slots=True)
class _Fact:
    id: int
    head: int
    relation: str
    tail: int
    passage: int
    sentence: int


def damage(
    path: Path,
    out: Path,
    mode: Mode,
    rho: float,
    seed: int,
    roots: Collection[int] | None = None,
    relations: Collection[str] = (),
    *,
    mentions: bool = False,
    text: bool = False,
    pattern: str = "",
) -> DamageReport:
    """Write a copy of the file to `out` in which each fact in scope is spoilt with probability `rho`, 0..1.

    The scope is the two-hop neighbourhood of the entities `roots`, or the whole file for None. Which pattern of the
    mode spoils a fact is drawn uniformly among those that can, or it is the one `pattern`, and a fact that this cannot
    spoil stays as it is; `relations` are those asked for, and facts that state
    one are removed before others where a bridge is to be missing. With `mentions` it is also forgotten where the names
    of a removed or mis-bound fact stand in its sentence, unless another fact of the sentence has them. With `text`,
    which goes with "incomplete", a fact whose qualifiers are dropped takes with it those that a model has stated and
    those of its sentence: spaces stand in their place, and index and vectors are of the text as it is then. The same
    seed gives the same copy. Raises UsageError for a wrong argument or an `out` that exists; the file itself is only
    read.
    """
    if mode not in MODES:
        raise UsageError(f"there is no mode of damage {mode!r}; there are {', '.join(MODES)}")
    if not 0.0 <= rho <= 1.0:
        raise UsageError(f"rho is a probability from 0 to 1, not {rho!r}")
    if pattern and pattern not in PATTERNS[mode]:
        raise UsageError(f"{mode} damage has no pattern {pattern!r}; it has {', '.join(PATTERNS[mode])}")
    if text and "dropped qualifier" not in (pattern or PATTERNS[mode]):
        raise UsageError("only dropped qualifiers are taken out of the text: spoil by incomplete, or by that pattern")
    _refuse_existing(out)
    try:
        copy_file(path, out)
        writer = SqliteWriter(out, open_writer(out))
        try:
            with writer.atomic():
                rng = random.Random(seed)
                spoiling = _Damage(writer.db, mode, rho, rng, roots, relations, mentions, pattern, text)
                report = spoiling.run()
                if spoiling.shortened:
                    [(model,)] = writer.rows("SELECT value FROM meta WHERE key = 'embedding_model'")
                    shortened = shorten_sentences(writer, spoiling.shortened, load_embedder(model))
                    report = replace(report, shortened=shortened)
                prune_entities(writer)  # no build has names that nothing refers to
                return report
        finally:
            writer.close()
    except BaseException:
        out.unlink(missing_ok=True)
        raise


def _refuse_existing(out: Path) -> None:
    try:
        exists = out.exists()
    except OSError as error:
        raise WriteError(f"{str(out)!r} cannot be written ({error.strerror})") from error
    if exists:
        raise UsageError(f"{str(out)!r} exists; name a new file for the damaged copy")


class _Damage:
    """One pass over the facts in the order of their ids."""

    def __init__(
        self,
        db: sqlite_utils.Database,
        mode: Mode,
        rho: float,
        rng: random.Random,
        roots: Collection[int] | None,
        relations: Collection[str],
        mentions: bool,
        pattern: str,
        text: bool,
    ) -> None:
        self.db, self.rho, self.rng, self.mentions, self.text = db, rho, rng, mentions, text
        spoilers = {
            "generic relation": self._generalise,
            "wrong end": self._misbind,
            "flip": self._flip,
            "missing bridge": self._remove,
            "dropped qualifier": self._unqualify,
        }
        self.patterns = [(name, spoilers[name]) for name in PATTERNS[mode] if pattern in ("", name)]
        rows = db.execute("SELECT id, head, relation, tail, passage, sentence FROM triples ORDER BY id").fetchall()
        every = [_Fact(*row) for row in rows]
        depths = None if roots is None else _depths(every, roots)
        self.facts = [one for one in every if depths is None or (one.head in depths and one.tail in depths)]
        asked = {name_key(relation) for relation in relations} - {""}
        # Popped from the end, so that bridges go in a random order of their own.
        self.bridges = [one for one in self.facts if depths is not None and _is_bridge(one, depths, asked)]
        rng.shuffle(self.bridges)
        self.gone: set[int] = set()
        self.spoilt: set[int] = set()
        self.shortened: set[int] = set()
        """Sentences that are to lose their qualifiers."""
        self.instead: dict[int, _Fact] = {}
        """By whose turn it was: the fact that has it now, since a bridge went in this fact's turn."""
        self.turns: dict[int, int] = {}
        entities = db.execute("SELECT id, kind, name FROM entities ORDER BY id").fetchall()
        self.kinds = {row[0]: row[1] for row in entities}
        self.names = {row[0]: row[2] for row in entities}
        self.pool: dict[str, list[int]] = {}
        for one in sorted({end for fact in self.facts for end in (fact.head, fact.tail)}):
            self.pool.setdefault(self.kinds[one], []).append(one)
        self.by_sentence: dict[int, list[_Fact]] = {}
        for fact in every:
            self.by_sentence.setdefault(fact.sentence, []).append(fact)

    def run(self) -> DamageReport:
        spoilt: Counter[str] = Counter({name: 0 for name, _ in self.patterns})
        for turn in self.facts:
            fact = self.instead.pop(turn.id, turn)
            if self.rng.random() >= self.rho or fact.id in self.spoilt:
                continue
            for name, pattern in self.rng.sample(self.patterns, len(self.patterns)):
                if pattern(fact):
                    spoilt[name] += 1
                    break
        return DamageReport(len(self.facts), dict(spoilt))

    # -- spurious noise: each returns whether it could be done --------------------------------------------------------

    def _generalise(self, fact: _Fact) -> bool:
        self._relate(fact, self.rng.choice(GENERIC_RELATIONS))
        return True

    def _misbind(self, fact: _Fact) -> bool:
        end = self.rng.choice(("head", "tail"))
        old = fact.head if end == "head" else fact.tail
        pool, taken = self.pool[self.kinds[old]], (fact.head, fact.tail)
        # Of a large pool a draw is nearly always free, and looking through all of it for each fact takes minutes.
        if len(pool) <= len(taken) and all(one in taken for one in pool):
            return False
        while (new := self.rng.choice(pool)) in taken:
            pass
        self._rebind(fact, end, old, new)
        return True

    def _flip(self, fact: _Fact) -> bool:
        flipped = flip(fact.relation)
        if flipped == fact.relation:
            return False
        self._relate(fact, flipped)
        return True

    # -- incomplete information ---------------------------------------------------------------------------------------

    def _remove(self, fact: _Fact) -> bool:
        while self.bridges and self.bridges[-1].id in self.spoilt:
            self.bridges.pop()
        bridge = self.bridges.pop() if self.bridges else fact
        if bridge is not fact:
            turn = self.turns.get(bridge.id, bridge.id)
            self.instead[turn], self.turns[fact.id] = fact, turn
        self._delete(bridge)
        return True

    def _unqualify(self, fact: _Fact) -> bool:
        """Shorten the relation and the names, and the sentence where the text is spoilt too; a date, of which nothing
        is left, goes with its fact.
        """
        relation, changed = unqualified(fact.relation), self._shorten(fact)
        for end, old in (("head", fact.head), ("tail", fact.tail)):
            name = unqualified(self.names[old])
            if name == self.names[old]:
                continue
            if not name_key(name):
                self._delete(fact)
                return True
            self._rebind(fact, end, old, self._entity(name, self.kinds[old]))
            changed = True
        if relation != fact.relation:
            self._relate(fact, relation)
            changed = True
        return changed

    def _shorten(self, fact: _Fact) -> bool:
        """Where the text is to be spoilt, forget the fact's qualifiers, and note that its sentence loses its own."""
        if not self.text:
            return False
        stated = "UPDATE facts SET qualifiers = NULL WHERE id = ? AND qualifiers IS NOT NULL"
        changed = self.db.execute(stated, (fact.id,)).rowcount > 0
        sentence = (
            'SELECT substr(p.text, s.start + 1, s."end" - s.start) FROM sentences s '
            "JOIN passages p ON p.id = s.passage WHERE s.id = ?"
        )
        [(text,)] = self.db.execute(sentence, (fact.sentence,)).fetchall()
        if blanked(text) != text:
            self.shortened.add(fact.sentence)
            changed = True
        if changed:
            self.spoilt.add(fact.id)
        return changed

    # -- the statements -----------------------------------------------------------------------------------------------

    def _relate(self, fact: _Fact, relation: str) -> None:
        self.spoilt.add(fact.id)
        self.db.execute("UPDATE triples SET relation = ? WHERE id = ?", (relation, fact.id))

    def _rebind(self, fact: _Fact, end: str, old: int, new: int) -> None:
        self.spoilt.add(fact.id)
        self.db.execute(f"UPDATE triples SET {end} = ? WHERE id = ?", (new, fact.id))  # noqa: S608 - head or tail
        for start, stop in self._forget_mentions(fact, old):
            self.db.execute(
                'INSERT OR IGNORE INTO mentions(passage, start, "end", entity) VALUES (?, ?, ?, ?)',
                (fact.passage, start, stop, new),
            )

    def _delete(self, fact: _Fact) -> None:
        self.gone.add(fact.id)
        self.spoilt.add(fact.id)
        self.db.execute("DELETE FROM triples WHERE id = ?", (fact.id,))
        for old in (fact.head, fact.tail):
            self._forget_mentions(fact, old)

    def _forget_mentions(self, fact: _Fact, entity: int) -> list[tuple[int, int]]:
        """Forget what stands where the fact's sentence names the entity, unless another of its facts holds it there."""
        others = [one for one in self.by_sentence[fact.sentence] if one.id != fact.id and one.id not in self.gone]
        if not self.mentions or any(entity in (one.head, one.tail) for one in others):
            return []
        spans: list[tuple[int, int]] = self.db.execute(
            'SELECT m.start, m."end" FROM mentions m JOIN sentences s ON s.id = ? WHERE m.passage = s.passage '
            'AND m.entity = ? AND m.start >= s.start AND m."end" <= s."end" ORDER BY m.start',
            (fact.sentence, entity),
        ).fetchall()
        # All meanings of the name: a title that it may stand for is a bridge as well.
        for start, _ in spans:
            self.db.execute("DELETE FROM mentions WHERE passage = ? AND start = ?", (fact.passage, start))
        return spans

    def _entity(self, name: str, kind: str) -> int:
        key = name_key(name)
        one = entity_id(key)
        if one not in self.kinds:
            self.db.execute("INSERT INTO entities(id, key, name, kind) VALUES (?, ?, ?, ?)", (one, key, name, kind))
            self.kinds[one], self.names[one] = kind, name
        return one


def flip(relation: str) -> str:
    """The relation with its first phrase of FLIPS replaced by that phrase's pair; unchanged where it has none.

    >>> flip("mother of"), flip("was born in"), flip("directed by")
    ('child of', 'was died in', 'directed by')
    """
    return _FLIP.sub(lambda match: _FLIP_WORDS[match[0].lower()], relation, count=1)


def unqualified(text: str) -> str:
    """The text without brackets, years, months and a trailing comma clause.

    >>> unqualified("2010 Academy Award for Best Director"), unqualified("won (with Ada), in May")
    ('Academy Award for Best Director', 'won')
    """
    return " ".join(QUALIFIERS.sub(" ", text).split())


def _depths(facts: Iterable[_Fact], roots: Collection[int]) -> dict[int, int]:
    """How many facts away from a root each entity is, up to two."""
    around: dict[int, set[int]] = {}
    for fact in facts:
        around.setdefault(fact.head, set()).add(fact.tail)
        around.setdefault(fact.tail, set()).add(fact.head)
    depths = dict.fromkeys(roots, 0)
    ring: set[int] = set(roots)
    for depth in (1, 2):
        ring = {near for one in ring for near in around.get(one, ())} - depths.keys()
        depths.update(dict.fromkeys(ring, depth))
    return depths


def _is_bridge(fact: _Fact, depths: Mapping[int, int], asked: Collection[str]) -> bool:
    relation = set(name_key(fact.relation).split())
    stated = any(set(one.split()) <= relation or relation <= set(one.split()) for one in asked) if relation else False
    return stated or depths[fact.head] != depths[fact.tail]
