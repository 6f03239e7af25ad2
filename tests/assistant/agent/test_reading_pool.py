"""What is read for an answer: of people's own documents what a search finds too, first what the reader says answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from assistant.agent.offline.reading_pool import Pool, by_reading, pool_of
from assistant.agent.offline.what_is_read import ToRead
from kb.build import build
from kb.store.knowledge_base import KnowledgeBase
from tools.reading.spans import Reading
from tools.search.passage_search import search_passages
from tools.types import Hit

PLACES = "cellar attic yard shed hall kitchen office garage stage bar library porch stair roof vault studio".split()
LINES = "\n\n".join(
    f"## {name}\n\nThe {name} is swept by somebody else every week, and whoever sweeps it signs the sheet at the door "
    f"and puts the broom back, as the {name} has one of its own, with a blue handle and a number."
    for name in PLACES
)
QUESTION = "Who sweeps the yard?"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("pool")
    (folder / "house.md").write_text(f"# House\n\n{LINES}\n")
    (folder / "lorries.md").write_text("# Roads\n\nThe arch by the mill (2.9 m) is hit by lorries every winter.\n")
    build([str(folder)], folder / "house.clew")
    with KnowledgeBase.open(folder / "house.clew") as opened:
        yield opened


def hits(kb: KnowledgeBase, *places: int) -> list[Hit]:
    """The passages at these places of a search, as if another tool had ranked them so."""
    found = search_passages(kb, QUESTION)
    return [found[place] for place in places]


def test_the_pool_has_what_was_ranked_and_what_a_search_finds(kb: KnowledgeBase) -> None:
    """The last of the search is ranked first and the first second: 2 + 2 x 10 / (10 + 4), 2 x 10 / 11 + 2; of those
    that were not ranked the second of the search has 2 x 10 / 11.
    """
    pool = pool_of(kb, QUESTION, ToRead(hits(kb, 4, 0), frozenset({hits(kb, 0)[0].passage.id})))
    assert pool.hits[:2] == hits(kb, 4, 0)
    assert [hit.passage.id for hit in pool.hits[2:]] == [hit.passage.id for hit in hits(kb, 1, 2, 3)]
    assert pool.before is not None
    assert pool.before.priors[:3] == pytest.approx([2 + 20 / 14, 20 / 11 + 2, 20 / 11])
    assert (len(pool.before.priors), pool.before.kept, pool.before.always) == (5, 2, {1})


def test_a_list_and_nothing_stay_as_they_are(kb: KnowledgeBase) -> None:
    ranked = hits(kb, 3, 1)
    assert pool_of(kb, "List all rooms.", ToRead(ranked)) == Pool(ranked)
    assert pool_of(kb, QUESTION, ToRead([])) == Pool([])


def test_articles_stay_as_they_are(tmp_path: Path) -> None:
    for name in ("Alder", "Birch", "Cedar"):
        (tmp_path / f"{name}.txt").write_text(f"{name} is a 1950 crime film directed by {name} Holm.\n")
    build([str(tmp_path)], tmp_path / "films.clew")
    with KnowledgeBase.open(tmp_path / "films.clew") as films:
        ranked = search_passages(films, "Alder", 1)
        assert pool_of(films, "Who directed Alder?", ToRead(ranked)) == Pool(ranked)


def test_as_many_are_kept_as_were_ranked(kb: KnowledgeBase) -> None:
    """The reader says it of the last passage of the pool alone: 0.99 is 4.6 in logits and 0 is -9.2, which no place in
    a list makes good.
    """
    pool = pool_of(kb, QUESTION, ToRead(hits(kb, 0, 1)))

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        return [Reading(answered=0.99 if at == len(pairs) - 1 else 0.0) for at in range(len(pairs))]

    kept = by_reading(QUESTION, pool, read)
    assert [hit.passage.id for hit in kept] == [pool.hits[-1].passage.id, pool.hits[0].passage.id]
    assert by_reading(QUESTION, Pool(pool.hits[:2]), read) == pool.hits[:2]
