from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.build import build
from kb.errors import NotAKnowledgeBase, UsageError, WriteError
from kb.store.check import check
from kb.store.damage import Mode, damage, flip, unqualified
from kb.store.knowledge_base import KnowledgeBase
from kb.store.shortened_text import blanked

DOCUMENTS = {
    "Mary Shelley": "Mary Shelley was the mother of Percy Florence Shelley. She was born in London in 1797.",
    "Percy Florence Shelley": "Percy Florence Shelley was born in London. He lived at Boscombe Manor.",
    "Boscombe Manor": "Boscombe Manor stands in Bournemouth.",
    "Bournemouth": "Bournemouth is a town.",
    "London": "London is a city.",
    "Ada Moor": "Ada Moor won the 2010 Salt Prize (for harbours).",
}
FACTS = {
    "Mary Shelley": [
        ("Mary Shelley", "mother of", "Percy Florence Shelley"),
        ("Mary Shelley", "born in", "London"),
        ("Mary Shelley", "born in", "1797"),
    ],
    "Percy Florence Shelley": [
        ("Percy Florence Shelley", "born in", "London"),
        ("Percy Florence Shelley", "lived at", "Boscombe Manor"),
    ],
    "Boscombe Manor": [("Boscombe Manor", "stands in", "Bournemouth")],
    "Bournemouth": [],
    "London": [],
    "Ada Moor": [("Ada Moor", "won (at last)", "2010 Salt Prize")],
}
"""Seven facts: three of Mary, two of Percy, one of the manor, and one of Ada that touches nothing else."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damage")
    corpus, openie = folder / "corpus.jsonl", folder / "openie.jsonl"
    documents = [{"id": title, "title": title, "text": text} for title, text in DOCUMENTS.items()]
    facts = [{"id": title, "entities": [], "triples": triples} for title, triples in FACTS.items()]
    corpus.write_text("".join(json.dumps(one) + "\n" for one in documents), encoding="utf-8")
    openie.write_text("".join(json.dumps(one) + "\n" for one in facts), encoding="utf-8")
    build([str(corpus)], folder / "whole.clew", openie=openie)
    return folder / "whole.clew"


@pytest.fixture
def kb(whole: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(whole) as opened:
        yield opened


def facts(path: Path) -> set[tuple[str, str, str]]:
    with KnowledgeBase.open(path) as opened:
        every = opened.triples(opened.fact_graph.facts.tolist())
    return {(one.head_name, one.relation, one.tail_name) for one in every}


def links(path: Path) -> int:
    with KnowledgeBase.open(path) as opened:
        return int(opened.graph.links.nnz)


ALL = {fact for some in FACTS.values() for fact in some}


def test_a_copy_is_damaged_and_the_file_itself_is_not_touched(whole: Path, tmp_path: Path) -> None:
    before = hashlib.sha256(whole.read_bytes()).hexdigest()
    report = damage(whole, tmp_path / "out.clew", "spurious", 1.0, seed=1)
    assert hashlib.sha256(whole.read_bytes()).hexdigest() == before
    assert report.facts == sum(report.spoilt.values()) == 7
    assert facts(whole) == ALL
    assert not facts(tmp_path / "out.clew") & ALL
    assert check(tmp_path / "out.clew") == []


def test_rho_zero_spoils_nothing(whole: Path, tmp_path: Path) -> None:
    report = damage(whole, tmp_path / "out.clew", "incomplete", 0.0, seed=1)
    assert set(report.spoilt.values()) == {0}
    assert facts(tmp_path / "out.clew") == ALL


def test_the_same_seed_gives_the_same_facts_and_another_seed_others(whole: Path, tmp_path: Path) -> None:
    found = []
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        damage(whole, tmp_path / name, "spurious", 0.5, seed)
        found.append(facts(tmp_path / name))
    assert found[0] == found[1] != found[2]


def test_about_rho_of_the_facts_are_spoilt(whole: Path, tmp_path: Path) -> None:
    total = 0
    for seed in range(40):
        report = damage(whole, tmp_path / f"{seed}.clew", "spurious", 0.5, seed)
        total += sum(report.spoilt.values())
    # 280 draws with chance 0.5: mean 140, standard deviation 8.4; four of them to either side.
    assert 106 < total < 174


def test_missing_facts_take_their_mentions_with_them(whole: Path, tmp_path: Path) -> None:
    """Each link between documents is a fact's: where the fact is gone, nothing but the text joins the two."""
    assert links(whole) == 5
    for seed in range(5):
        report = damage(whole, tmp_path / f"{seed}.clew", "incomplete", 0.5, seed, mentions=True)
        left = facts(tmp_path / f"{seed}.clew")
        assert len(left) <= 7 - report.spoilt["missing bridge"]
        assert check(tmp_path / f"{seed}.clew") == []
        assert links(tmp_path / f"{seed}.clew") == len(
            {one for one in left if one[0] != one[2] and one[2] in DOCUMENTS}
        )


def test_mentions_stay_unless_they_are_to_go(whole: Path, tmp_path: Path) -> None:
    """The paper's damage leaves alone where the text names what."""
    damage(whole, tmp_path / "facts.clew", "incomplete", 1.0, seed=1)
    damage(whole, tmp_path / "both.clew", "incomplete", 1.0, seed=1, mentions=True)
    assert facts(tmp_path / "facts.clew") == facts(tmp_path / "both.clew")
    assert links(tmp_path / "facts.clew") == 5
    assert links(tmp_path / "both.clew") < 5


def test_the_scope_is_two_facts_around_the_roots(whole: Path, kb: KnowledgeBase, tmp_path: Path) -> None:
    """From Boscombe Manor: Bournemouth and Percy at one fact, Mary and London at two. Ada and 1797 are out of reach."""
    roots = [match.entity.id for match in kb.find_entities("Boscombe Manor", 1)]
    report = damage(whole, tmp_path / "out.clew", "spurious", 1.0, seed=1, roots=roots)
    assert report.facts == 5
    assert facts(tmp_path / "out.clew") & ALL == {
        ("Ada Moor", "won (at last)", "2010 Salt Prize"),
        ("Mary Shelley", "born in", "1797"),
    }


def test_rho_is_the_share_that_is_spoilt_in_question_scope_too(whole: Path, kb: KnowledgeBase, tmp_path: Path) -> None:
    """A bridge that goes in place of the fact that was drawn leaves that fact to be drawn in the bridge's turn."""
    roots = [match.entity.id for match in kb.find_entities("Boscombe Manor", 1)]
    for seed in range(10):
        report = damage(whole, tmp_path / f"all{seed}.clew", "incomplete", 1.0, seed, roots, ["lived at"])
        assert sum(report.spoilt.values()) == report.facts == 5
    total = 0
    for seed in range(40):
        report = damage(whole, tmp_path / f"{seed}.clew", "incomplete", 0.5, seed, roots, ["lived at"])
        total += sum(report.spoilt.values())
    # 200 draws with chance 0.5: mean 100, standard deviation 7.1; four of them to either side.
    assert 72 < total < 128


def test_roots_without_facts_leave_all_as_it_is(whole: Path, tmp_path: Path) -> None:
    assert damage(whole, tmp_path / "out.clew", "spurious", 1.0, seed=1, roots=[]).facts == 0
    assert facts(tmp_path / "out.clew") == ALL


def test_a_qualifier_goes_from_names_and_relation(whole: Path, kb: KnowledgeBase, tmp_path: Path) -> None:
    """Ada's fact is the only one in scope, and its qualifiers are dropped in one of a few seeds."""
    roots = [match.entity.id for match in kb.find_entities("Ada Moor", 1)]
    for seed in range(20):
        report = damage(whole, tmp_path / f"{seed}.clew", "incomplete", 1.0, seed, roots=roots)
        if report.spoilt["dropped qualifier"]:
            assert facts(tmp_path / f"{seed}.clew") - ALL == {("Ada Moor", "won", "Salt Prize")}
            return
    pytest.fail("no seed of twenty drew the pattern")


@pytest.mark.parametrize(
    ("relation", "flipped"),
    [
        ("mother of", "child of"),
        ("was born in", "was died in"),
        ("located in", "contain"),
        ("winner of", "loser of"),
        ("child of", "parent of"),
        ("Director of", "actor of"),
        ("wrote", "wrote"),
        ("", ""),
    ],
)
def test_flip_replaces_the_first_phrase_of_the_papers_map(relation: str, flipped: str) -> None:
    assert flip(relation) == flipped


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("2010 Academy Award for Best Director", "Academy Award for Best Director"),
        ("Stanley, North Dakota", "Stanley"),
        ("won (at last) [1]", "won"),
        ("May 1911", ""),
        ("Room 12", "Room 12"),
    ],
)
def test_unqualified_drops_brackets_years_months_and_the_last_clause(text: str, left: str) -> None:
    assert unqualified(text) == left


def test_bad_arguments_are_one_error_and_write_nothing(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.clew"
    with pytest.raises(UsageError, match="rho is a probability"):
        damage(whole, out, "spurious", 1.5, seed=1)
    with pytest.raises(UsageError, match="no mode of damage 'all'"):
        damage(whole, out, "all", 0.5, seed=1)  # type: ignore[arg-type]
    with pytest.raises(NotAKnowledgeBase):
        damage(tmp_path / "none.clew", out, "spurious", 0.5, seed=1)
    assert not out.exists()
    with pytest.raises(WriteError, match="cannot be written"):
        damage(whole, tmp_path / ("x" * 300), "spurious", 0.5, seed=1)
    out.write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        damage(whole, out, "spurious", 0.5, seed=1)
    assert out.read_text() == "mine"


@pytest.mark.parametrize(
    ("mode", "pattern", "count"),
    [
        ("spurious", "generic relation", 7),
        ("spurious", "wrong end", 7),
        ("spurious", "flip", 4),  # one "mother of", three "born in"
        ("incomplete", "missing bridge", 7),
        ("incomplete", "dropped qualifier", 2),  # the year of birth, and Ada's prize
    ],
)
def test_a_single_pattern_spoils_what_it_can_and_nothing_else(
    whole: Path, tmp_path: Path, mode: Mode, pattern: str, count: int
) -> None:
    report = damage(whole, tmp_path / "out.clew", mode, 1.0, seed=1, pattern=pattern)
    assert (report.facts, report.spoilt) == (7, {pattern: count})
    # Those that it could not spoil are as they were; a wrong end may make of one fact what another was.
    changed = len(ALL - facts(tmp_path / "out.clew"))
    assert changed == count or (pattern == "wrong end" and count - 1 <= changed)


def test_flips_and_qualifiers_alone_by_hand(whole: Path, tmp_path: Path) -> None:
    damage(whole, tmp_path / "flip.clew", "spurious", 1.0, seed=1, pattern="flip")
    assert facts(tmp_path / "flip.clew") - ALL == {
        ("Mary Shelley", "child of", "Percy Florence Shelley"),
        ("Mary Shelley", "died in", "London"),
        ("Mary Shelley", "died in", "1797"),
        ("Percy Florence Shelley", "died in", "London"),
    }
    damage(whole, tmp_path / "dropped.clew", "incomplete", 1.0, seed=1, pattern="dropped qualifier")
    # Of the year nothing is left; the prize has lost its own.
    assert facts(tmp_path / "dropped.clew") - ALL == {("Ada Moor", "won", "Salt Prize")}


def test_a_pattern_of_another_mode_is_refused(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="spurious damage has no pattern 'missing bridge'; it has generic relation"):
        damage(whole, tmp_path / "out.clew", "spurious", 0.5, seed=1, pattern="missing bridge")
    assert not (tmp_path / "out.clew").exists()


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("She was born in London in 1797.", "She was born in London in     ."),
        ("Ada Moor won the 2010 Salt Prize (for harbours).", "Ada Moor won the      Salt Prize               ."),
        ("It opened in May, to great applause!", "It opened in    " + " " * 19 + "!"),
        ("London is a city.", "London is a city."),
        ("", ""),
    ],
)
def test_qualifiers_of_a_sentence_become_spaces(sentence: str, left: str) -> None:
    assert (blanked(sentence), len(left)) == (left, len(sentence))


def test_the_text_loses_the_qualifiers_that_facts_lose(whole: Path, tmp_path: Path) -> None:
    """Mary's two facts of one sentence, and Ada's; what is found by words and vectors is the text as it is then."""
    out = tmp_path / "out.clew"
    report = damage(whole, out, "incomplete", 1.0, seed=1, text=True, pattern="dropped qualifier")
    assert (report.spoilt, report.shortened) == ({"dropped qualifier": 3}, 2)
    assert facts(out) == ALL - {("Mary Shelley", "born in", "1797"), *FACTS["Ada Moor"]} | {
        ("Ada Moor", "won", "Salt Prize")
    }
    assert check(out) == []
    with KnowledgeBase.open(whole) as before, KnowledgeBase.open(out) as after:
        assert text_of(after, "Mary Shelley") == DOCUMENTS["Mary Shelley"].replace("1797", "    ")
        assert text_of(after, "London") == DOCUMENTS["London"]
        assert [len(kb.search_words("1797", 5)) for kb in (before, after)] == [1, 0]
        [ada] = after.document_passages("Ada Moor")
        assert len(after.passage_mentions([ada.id])) < len(before.passage_mentions([ada.id]))
        prize = before.embed(["the prize of 2010 for harbours"])[0]
        nearness = [float((kb.passage_vectors([ada.id]) @ prize)[0]) for kb in (before, after)]
        assert nearness[0] > nearness[1]


def test_only_dropped_qualifiers_are_taken_out_of_the_text(whole: Path, tmp_path: Path) -> None:
    for mode, pattern in (("spurious", ""), ("incomplete", "missing bridge")):
        with pytest.raises(UsageError, match="only dropped qualifiers are taken out of the text"):
            damage(whole, tmp_path / "out.clew", mode, 0.5, 1, text=True, pattern=pattern)  # type: ignore[arg-type]
    assert not (tmp_path / "out.clew").exists()


def text_of(kb: KnowledgeBase, key: str) -> str:
    [passage] = kb.document_passages(key)
    return passage.text
