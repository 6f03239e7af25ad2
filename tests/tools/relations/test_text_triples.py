"""Values read from text as triples, on documents whose names can be counted by hand."""

from __future__ import annotations

from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint
from tools.relations.alignment import Asked
from tools.relations.text_triples import SUBJECT, read_values

BIRTH = Constraint("Tomas Brandel", "born in", "?town", (), "person", "place")


def read(kb: KnowledgeBase, constraint: Constraint, *titles: str) -> list[tuple[str, str, str]]:
    anchor = constraint.head if not constraint.head.startswith("?") else constraint.tail
    passages = [kb.document_passages(title)[0] for title in titles]
    reader, triples = read_values(kb, Asked("?", constraint, constraint, anchor), passages)
    assert reader.anchors == {SUBJECT}
    assert [one.id for one in triples] == list(range(len(triples)))
    return [(one.head_name, one.relation, one.tail_name) for one in triples]


def test_a_name_and_the_words_before_it(chain: KnowledgeBase) -> None:
    assert read(chain, BIRTH, "Tomas Brandel") == [("Tomas Brandel", "Tomas Brandel was born in", "Lindholm")]


def test_a_passage_that_mentions_the_known_end_gives_its_title(chain: KnowledgeBase) -> None:
    film = Constraint("?film", "directed by", "Tomas Brandel", (), "work", "person")
    reading = ("Silver Lanterns", "Silver Lanterns is a film directed by", "Tomas Brandel")
    assert read(chain, film, "Silver Lanterns") == [reading]
    passage = chain.document_passages("Silver Lanterns")[0]
    _, (triple,) = read_values(chain, Asked("?", film, film, "Tomas Brandel"), [passage])
    assert (triple.head, triple.tail, triple.passage) == (-1, SUBJECT, passage.id)


def test_a_name_of_another_type_is_no_value(chain: KnowledgeBase) -> None:
    assert read(chain, Constraint("Tomas Brandel", "born in", "?year", (), "person", "date"), "Tomas Brandel") == []


def test_several_passages_give_what_each_gives(chain: KnowledgeBase) -> None:
    titles = ["Tomas Brandel", "Silver Lanterns", "Lindholm"]
    together = read(chain, BIRTH, *titles)
    assert together == [one for title in titles for one in read(chain, BIRTH, title)]
    assert len(together) > 2


def test_no_passages_no_values(chain: KnowledgeBase) -> None:
    assert read(chain, BIRTH) == []
