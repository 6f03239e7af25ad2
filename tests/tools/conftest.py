from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from knowledge_bases import build_file
from servers import BOTH, in_engine

from kb.build import remove
from kb.store.knowledge_base import KnowledgeBase

CHAIN = {
    "Silver Lanterns": "Silver Lanterns is a film directed by Tomas Brandel.",
    "Tomas Brandel": "Tomas Brandel was born in Lindholm. He wrote plays.",
    "Lindholm": "Lindholm is a town on the banks of Skarn.",
    "Skarn": "Skarn flows to the Grey Sea.",
}
"""Each document names the next one's title, and nothing else joins them."""

HARBOUR = " ".join(
    f"In the year {1700 + at} the harbour took in {at} ships laden with salt and timber." for at in range(60)
)
TOWN = {
    "London": "London is a city on the Thames.",
    "Tower of London": "The Tower of London is a castle in London. It was a prison until 1952.",
    "Crédit Lyonnais": "Crédit Lyonnais was a bank founded in Lyon in 1863.",
    "The Bank Job (film)": "The Bank Job is a film about a robbery in London.",
    "Ada Moor": "Ada Moor was a keeper of ravens at the Tower of London. She was born in London and died in Lyon.",
    "Mercury (planet)": "Mercury is the planet closest to the Sun.",
    "Mercury (god)": "Mercury was a god of trade in Rome.",
    "Salt Harbour": HARBOUR,
    "Salt Trade": "The salt trade of Salt Harbour made Ada Moor rich. Mercury was its patron.",
}
"""Names inside names, accents, one name with two meanings, and a document of several passages."""

CASES = {
    "No Cross, No Crown": "William Penn wrote No Cross, No Crown during imprisonment in the Tower of London.",
    "Tower of London": "The White Tower was built in 1078. A grand palace early in its history, it served as a royal "
    "residence in London. It attracts tourists and held prisoners such as Ranulf Flambard in the Middle Ages. "
    "The castle was used as a prison from 1100 until 1952.",
    "Lady Godiva": "Lady Godiva was Countess of Leicester and the wife of Leofric.",
    "Spalding Priory": "It was founded as a cell of Croyland Abbey, in 1052, by Leofric, Earl of Mercia and his wife, "
    "Godiva, Countess of Leicester.",
    "Lady of the Mercians": "When Æthelflæd died in 918, Ælfwynn, her daughter by Æthelred, succeeded as Second Lady "
    "of the Mercians. Within six months Edward had deprived her of all authority in Mercia and taken her into Wessex.",
    "Silver Lanterns": "Silver Lanterns is a film directed by Tomas Brandel and starring Ada Moor and Ben Quill.",
    "Paper Boats": "Paper Boats is a film directed by Irena Valdis and starring Ada Moor.",
    "Glass Birds": "Glass Birds is a film starring Carl Rook.",
    "Tomas Brandel": "Tomas Brandel was born in Lindholm. He lived in Lindholm.",
    "Lindholm": "Lindholm lies in Karsk.",
    "Ada Moor": "Ada Moor is an actress.",
    "Ben Quill": "Ben Quill is an actor.",
    "Carl Rook": "Carl Rook is an actor.",
    "Karsk": "Karsk is a county.",
    "Irena Valdis": "Irena Valdis is a director.",
}
CASE_FACTS = {
    "No Cross, No Crown": [
        ("No Cross, No Crown", "written during imprisonment in", "Tower of London"),
        ("No Cross, No Crown", "written in", "London"),
        ("No Cross, No Crown", "related to", "Tower Bridge"),
        ("No Cross, No Crown", "composed during incarceration in", "Tower Hamlets"),
    ],
    "Tower of London": [
        ("Tower of London", "built in", "1078"),
        ("Tower of London", "served as", "royal residence"),
        ("Tower of London", "location", "London"),
        ("Tower of London", "attracts", "tourists"),
        ("Tower of London", "held prisoners", "Ranulf Flambard"),
        ("Tower of London", "used for imprisonment during", "Middle Ages"),
    ],
    "Lady Godiva": [("Lady Godiva", "wife of", "Leofric"), ("Lady Godiva", "title", "Countess of Leicester")],
    "Spalding Priory": [("Spalding Priory", "founded by", "Leofric and Godiva")],
    "Lady of the Mercians": [("Ælfwynn", "succeeded", "Æthelflæd"), ("Edward", "deprived of authority in", "Mercia")],
    "Silver Lanterns": [
        ("Silver Lanterns", "directed by", "Tomas Brandel"),
        ("Silver Lanterns", "starring", "Ada Moor"),
        ("Silver Lanterns", "starring", "Ben Quill"),
    ],
    "Paper Boats": [("Paper Boats", "directed by", "Irena Valdis"), ("Paper Boats", "starring", "Ada Moor")],
    "Glass Birds": [("Glass Birds", "starring", "Carl Rook")],
    "Tomas Brandel": [("Tomas Brandel", "born in", "Lindholm"), ("Tomas Brandel", "lived in", "Lindholm")],
    "Lindholm": [("Lindholm", "lies in", "Karsk")],
    "Ada Moor": [],
    "Ben Quill": [],
    "Carl Rook": [],
    "Karsk": [],
    "Irena Valdis": [],
}
"""CS-RAG, figures 6 and 7, with the figures' facts and sentences; and films, their stars and a director."""


@pytest.fixture(scope="session")
def chain_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_file(tmp_path_factory.mktemp("chain"), CHAIN)


@pytest.fixture(scope="session", params=BOTH)
def chain(request: pytest.FixtureRequest, chain_file: Path) -> Iterator[KnowledgeBase]:
    """Four documents in a row, in each engine."""
    with KnowledgeBase.open(in_engine(request, chain_file)) as kb:
        yield kb


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Nine documents of facts by rule."""
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("town"), TOWN)) as kb:
        yield kb


@pytest.fixture(scope="session")
def single(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """One document of one passage."""
    with KnowledgeBase.open(build_file(tmp_path_factory.mktemp("single"), {"Skarn": CHAIN["Skarn"]})) as kb:
        yield kb


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """A file whose only document was removed."""
    path = build_file(tmp_path_factory.mktemp("empty"), {"Skarn": CHAIN["Skarn"]})
    remove(path, ["Skarn"])
    with KnowledgeBase.open(path) as kb:
        yield kb


@pytest.fixture(scope="session")
def examples(example_file: Path) -> Iterator[KnowledgeBase]:
    """The example corpus."""
    with KnowledgeBase.open(example_file) as kb:
        yield kb


@pytest.fixture(scope="session")
def cases_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_file(tmp_path_factory.mktemp("cases"), CASES, CASE_FACTS)


@pytest.fixture(scope="session", params=BOTH)
def cases(request: pytest.FixtureRequest, cases_file: Path) -> Iterator[KnowledgeBase]:
    """Documents with given facts: the paper's two worked examples, and films with casts and a director; in each
    engine.
    """
    with KnowledgeBase.open(in_engine(request, cases_file)) as kb:
        yield kb
