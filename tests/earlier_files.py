"""Files as earlier clews wrote them, by their own migrations, and rows that do not depend on when they were written."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from kb.graph.stored_vectors import joined, unit_rows
from kb.store.knowledge_base import KnowledgeBase
from kb.store.migrations import migrations
from kb.store.sqlite import close_writer, open_writer

_WORKED_OUT = ("number", "passages")
"""Columns that triggers fill."""
_TABLES = (
    "meta entities documents passages sentences aliases mentions triples synonyms file_stamps links entity_types "
    "model_cache"
).split()
"""What refers to others comes after them."""


def write_earlier(path: Path, source: Path, stop_before: str) -> None:
    """Write what `source` holds as a clew did that knew no migration from `stop_before` on."""
    database = open_writer(path)
    migrations.apply(database, stop_before=stop_before)
    assert stop_before not in [one.name for one in migrations.applied(database)]
    database.execute("ATTACH ? AS other", [str(source)])
    for table in _TABLES:
        names = [row[1] for row in database.execute(f"PRAGMA main.table_info({table})").fetchall()]
        columns = ", ".join(f'"{name}"' for name in names if name not in _WORKED_OUT)
        if columns:
            database.execute(f"INSERT INTO main.{table}({columns}) SELECT {columns} FROM other.{table}")  # noqa: S608
    kept = "float" if stop_before <= "m007_eight_bits" else "int8"
    with KnowledgeBase.open(source) as kb:
        for table, kind in (("passage", kept), ("sentence", "int8"), ("entity", kept)):
            ids, codes = joined(kb._engine.codes(table, kb.dimension), kb.dimension)  # type: ignore[arg-type]
            vectors = codes if kind == "int8" else unit_rows(codes)
            database.execute(
                f"CREATE VIRTUAL TABLE {table}_vectors USING vec0("
                f"id INTEGER PRIMARY KEY, vector {kind}[{kb.dimension}] distance_metric=cosine)"
            )
            mark = "vec_int8(?)" if kind == "int8" else "?"
            rows = [(one, vector.tobytes()) for one, vector in zip(ids.tolist(), vectors, strict=True)]
            database.conn.executemany(f"INSERT INTO {table}_vectors(id, vector) VALUES (?, {mark})", rows)  # noqa: S608
    database.conn.commit()
    database.execute("DETACH other")
    close_writer(database)


def stored_rows(path: Path, tables: Sequence[str]) -> dict[str, list[tuple[object, ...]]]:
    """All rows of tables, sorted, but for their numbers, which tell only in which order they were written."""
    found = {}
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        for table in tables:
            names = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[1] != "number"]
            columns = ", ".join(f'"{name}"' for name in names)
            found[table] = sorted(database.execute(f"SELECT {columns} FROM {table}"), key=repr)  # noqa: S608
    return found
