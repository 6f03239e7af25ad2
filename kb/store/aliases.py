"""What a name stands for that is not an entity's own: another name of a document's subject, or how a name begins."""

from __future__ import annotations

import json
from collections.abc import Iterable

from kb.name_keys import name_key, title_aliases
from kb.records import OTHER_NAMES

ALIASES = (
    "SELECT DISTINCT a.key, a.entity, CASE WHEN d.entity = a.entity THEN d.title END, "
    "CASE WHEN d.entity = a.entity AND d.format = 'markdown' THEN d.metadata END "
    "FROM aliases a JOIN documents d ON d.id = a.document "
)
"""Key, entity, and of a document about that entity its title, and of a note in Markdown its metadata as well."""

Row = tuple[str, int, str | None, str | None]
Meant = dict[str, set[int]]
"""By key the ids of the entities that it may mean."""


def told_apart(rows: Iterable[Row]) -> tuple[Meant, Meant]:
    """What documents call their own subject, and what begins with a first name or a ticket's id, from rows of
    `ALIASES`, all those of a key together.

    The first may be several ("Mimi" a song and an opera); the second is left out where several begin so, or where the
    key is what a document calls another: of "Ana Souza" and "Ana Lima" neither is "Ana", whoever has a document.
    """
    titled: Meant = {}
    begun: Meant = {}
    for key, entity, title, metadata in rows:
        is_own = title is not None and (" " in key or key in _own_names(title, metadata))
        (titled if is_own else begun).setdefault(key, set()).add(entity)
    alone = {key: entities for key, entities in begun.items() if len(entities | titled.get(key, set())) == 1}
    return titled, alone


def _own_names(title: str, metadata: str | None) -> set[str]:
    others = json.loads(metadata).get(OTHER_NAMES, ()) if metadata else ()
    return {name_key(title), *title_aliases(title), *map(name_key, others)}
