"""Whether a knowledge base is sound: what SQLite knows of itself, and what must hold between the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from kb.errors import ClewError, DamagedFileError, NewerFileError, NotAKnowledgeBase
from kb.store.engine import Engine
from kb.store.open_base import open_to_read
from kb.store.sqlite import damaged

_COUNTS = (
    ("passages without a vector", "SELECT count(*) FROM passages WHERE id NOT IN (SELECT id FROM passage_vectors)"),
    ("vectors without a passage", "SELECT count(*) FROM passage_vectors WHERE id NOT IN (SELECT id FROM passages)"),
    ("sentences without a vector", "SELECT count(*) FROM sentences WHERE id NOT IN (SELECT id FROM sentence_vectors)"),
    ("vectors without a sentence", "SELECT count(*) FROM sentence_vectors WHERE id NOT IN (SELECT id FROM sentences)"),
    ("vectors without an entity", "SELECT count(*) FROM entity_vectors WHERE id NOT IN (SELECT id FROM entities)"),
    (
        "mentions outside their passage's text",
        'SELECT count(*) FROM mentions m JOIN passages p ON p.id = m.passage WHERE m."end" > length(p.text) '
        'OR m.start < 0 OR m.start > m."end"',
    ),
    (
        "sentences outside their passage's text",
        'SELECT count(*) FROM sentences s JOIN passages p ON p.id = s.passage WHERE s."end" > length(p.text) '
        'OR s.start < 0 OR s.start >= s."end"',
    ),
    (
        "triples whose sentence is in another passage",
        "SELECT count(*) FROM triples t JOIN sentences s ON s.id = t.sentence WHERE s.passage <> t.passage",
    ),
    (
        "triples without a sentence",
        "SELECT count(*) FROM triples t WHERE NOT EXISTS (SELECT 1 FROM sentences s WHERE s.id = t.sentence)",
    ),
    ("documents without passages", "SELECT count(*) FROM documents WHERE id NOT IN (SELECT document FROM passages)"),
)
_DEGREES = (
    "names whose passages are miscounted",
    "SELECT count(*) FROM ("
    "SELECT 1 FROM (SELECT entity, count(DISTINCT passage) AS found FROM mentions GROUP BY entity) m "
    "LEFT JOIN degrees d ON d.entity = m.entity WHERE coalesce(d.passages, 0) <> m.found UNION ALL "
    "SELECT 1 FROM degrees WHERE entity NOT IN (SELECT entity FROM mentions)) strange",
)
_UNFINISHED = (
    (
        "names that nothing refers to: the next change or removal forgets them",
        "SELECT count(*) FROM entities e WHERE NOT EXISTS (SELECT 1 FROM mentions WHERE entity = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM documents WHERE entity = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM triples WHERE head = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM triples WHERE tail = e.id) "
        "AND NOT EXISTS (SELECT 1 FROM aliases WHERE entity = e.id)",
    ),
    (
        "documents not finished: run the build again",
        "SELECT count(*) FROM documents WHERE complete = 0 OR linked <> 1",
    ),
    ("build that was stopped: run it again", "SELECT count(*) FROM meta WHERE key = 'finished' AND value = '0'"),
)


def check(path: Path) -> list[str]:
    """What is wrong with a file, a line each; nothing for a sound one.

    Raises NotAKnowledgeBase and NewerFileError; damage is not raised but listed.
    """
    return _problems(path, (*_COUNTS, *_UNFINISHED))


def damage_in(path: Path) -> list[str]:
    """As `check`, without what another build mends. Raises as `check` does."""
    return _problems(path, _COUNTS)


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Where the block fails over what nobody wrote into a file, say what is wrong with the file.

    Raises DamagedFileError in the place of whatever a strange value leads to, if the file is not sound; over a sound
    one it is a fault of ours, and stays what it is.
    """
    try:
        yield
    except (ClewError, OSError):
        raise
    except Exception as error:
        with suppress(NotAKnowledgeBase, NewerFileError):
            if problems := _looked_for(path, _COUNTS):
                raise damaged(path, problems[0]) from error
        raise


def _problems(path: Path, counts: Sequence[tuple[str, str]]) -> list[str]:
    try:
        return _looked_for(path, counts)
    except DamagedFileError as error:
        return [str(error)]


def _looked_for(path: Path, counts: Sequence[tuple[str, str]]) -> list[str]:
    engine = open_to_read(path)
    try:
        with engine.snapshot():
            if engine.has("m006_degrees"):  # not in a file of an earlier clew that was not written to since
                counts = (*counts, _DEGREES)
            return list(engine.integrity()) or [*engine.problems(), *_counted(engine, counts)]
    finally:
        engine.close()


def _counted(engine: Engine, counts: Sequence[tuple[str, str]]) -> Iterator[str]:
    for what, sql in counts:
        count = engine.rows(sql)[0][0]
        if count:
            yield f"{count} {what}"
