"""Full text search on a server as FTS5 does it: its own tokenizers make the words, BM25 is summed in its order.

So both engines rank alike to the last digit. A query's phrases become joins over the places of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

from kb.store.engine import Index, Phrase, Query
from kb.store.sqlite import sqlite3

PLACES = 1_000_000
"""Places of a column, more than a passage can have."""
_LONGEST = 500
"""Characters of a word that count: what is longer does not fit into an index of the server."""
COLUMNS: dict[Index, tuple[str, ...]] = {"passages": ("title", "text", "section"), "entities": ("name",)}
_TOKENIZERS: dict[Index, str] = {
    "passages": "porter unicode61 remove_diacritics 2",
    "entities": "unicode61 remove_diacritics 2",
}
_WEIGHTS: dict[Index, str] = {
    "passages": f"CASE WHEN place < {PLACES} THEN 2.0::float8 ELSE 1.0::float8 END",
    "entities": "1.0::float8",
}
"""A title's words count double, as in `sqlite_engine`."""

Place = tuple[str, int]
"""A word, and where it stands."""


class _Tokenizer:
    """An empty FTS5 index in memory, with the schema's own settings, that is asked what it made of rows."""

    def __init__(self, index: Index) -> None:
        self._columns = {name: at for at, name in enumerate(COLUMNS[index])}
        self._db: Any = sqlite3.connect(":memory:", check_same_thread=False)
        self._one_at_a_time = Lock()  # rows of two threads would be told each other's words
        names = ", ".join(self._columns)
        self._db.execute(f"CREATE VIRTUAL TABLE t USING fts5({names}, content='', tokenize='{_TOKENIZERS[index]}')")
        self._db.execute("CREATE VIRTUAL TABLE words USING fts5vocab(t, 'instance')")
        marks = ", ".join("?" * len(self._columns))
        self._insert = f"INSERT INTO t(rowid, {names}) VALUES (?, {marks})"  # noqa: S608 - fixed names

    def places(self, rows: Sequence[Sequence[str]]) -> list[list[Place]]:
        """Of each row the words of its columns, by their places."""
        found: list[list[Place]] = [[] for _ in rows]
        with self._one_at_a_time:
            self._db.executemany(self._insert, ((at, *row) for at, row in enumerate(rows)))
            for word, row, column, at in self._db.execute('SELECT term, doc, col, "offset" FROM words'):
                found[row].append((word[:_LONGEST], self._columns[column] * PLACES + at))
            self._db.execute("INSERT INTO t(t) VALUES ('delete-all')")
        return [sorted(one, key=lambda place: place[1]) for one in found]


@lru_cache(maxsize=2)
def _tokenizer(index: Index) -> _Tokenizer:
    return _Tokenizer(index)


def places(index: Index, rows: Sequence[Sequence[str]]) -> list[list[Place]]:
    """Of each row the words of its columns, as `COLUMNS` has them, and their places."""
    return _tokenizer(index).places(rows)


def matching_sql(index: Index, query: Query) -> tuple[str, tuple[Any, ...]]:
    """SQL for the ids that a query finds, with `?` for what is bound."""
    groups: list[str] = []
    bound: list[Any] = []
    for group in query:
        parts = [_phrase_sql(index, phrase, "w0.id") for phrase in group]
        groups.append("(" + " INTERSECT ".join(sql for sql, _ in parts) + ")")
        bound += [one for _, own in parts for one in own]
    return " UNION ".join(groups), tuple(bound)


def best_sql(index: Index, words: Sequence[str], rows: int, tokens: int, k: int) -> tuple[str, tuple[Any, ...]]:
    """SQL for (id, BM25 score) of the k best of `rows` rows with `tokens` words in all; nothing is bound but words."""
    parts = [
        _phrase_sql(index, Phrase(word), f"{number}, w0.id, {_WEIGHTS[index].replace('place', 'w0.place')}")
        for number, word in enumerate(words)
    ]
    hits = " UNION ALL ".join(sql for sql, _ in parts)
    bound = [one for _, own in parts for one in own]
    # k1 is 1.2 and b 0.75; a word in more than half of the rows counts next to nothing, as in FTS5.
    return (
        f"WITH places(phrase, id, weight) AS ({hits}), "  # noqa: S608 - fixed names and numbers
        "hits AS (SELECT phrase, id, sum(weight) AS often FROM places GROUP BY phrase, id), "
        f"found AS (SELECT phrase, ln(({rows} - count(*) + 0.5::float8) / (count(*) + 0.5::float8)) AS idf "
        "FROM hits GROUP BY phrase) "
        "SELECT h.id, sum(CASE WHEN f.idf <= 0 THEN 1e-6::float8 ELSE f.idf END * ((h.often * 2.2::float8) / "
        f"(h.often + 1.2::float8 * (0.25::float8 + 0.75::float8 * s.words / ({tokens}::float8 / {rows})))) "
        f"ORDER BY h.phrase) AS score FROM hits h JOIN found f ON f.phrase = h.phrase JOIN {index}_sizes s "
        f"ON s.id = h.id GROUP BY h.id ORDER BY score DESC, h.id LIMIT {k}",
        tuple(bound),
    )


def _phrase_sql(index: Index, phrase: Phrase, columns: str) -> tuple[str, list[Any]]:
    """SQL for the places of a phrase's first word; for none where it has no words."""
    empty = [""] * (len(COLUMNS[index]) - 1)
    words = [word for word, _ in places(index, [[phrase.words, *empty]])[0]]
    if not words:
        return f"SELECT {columns} FROM {index}_words w0 WHERE false", []  # noqa: S608 - fixed names
    tables, tests, bound = [f"{index}_words w0"], [], []
    for number, word in enumerate(words):
        if number:
            tables.append(f"JOIN {index}_words w{number} ON w{number}.id = w0.id")
            tests.append(f"w{number}.place = w0.place + {number}")
        if phrase.is_start and number == len(words) - 1:
            tests.append(f"w{number}.word >= ? AND w{number}.word < ?")
            bound += [word, word + "\U0010ffff"]
        else:
            tests.append(f"w{number}.word = ?")
            bound.append(word)
    if phrase.column:
        first = COLUMNS[index].index(phrase.column) * PLACES
        tests.append(f"w0.place >= {first} AND w0.place < {first + PLACES}")
    return f"SELECT {columns} FROM {' '.join(tables)} WHERE {' AND '.join(tests)}", bound  # noqa: S608 - fixed names
