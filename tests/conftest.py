from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

# On texts this small a second thread waits for the first one, spinning, and costs ten times what it saves. Read when
# the libraries are loaded, by the processes that tests start as well.
os.environ["OMP_NUM_THREADS"] = "1"

import pytest
from hypothesis import settings
from loopback_only import ATTEMPTS, refuse_other_machines
from made_once import made_once
from servers import psycopg as psycopg
from servers import server as server
from small_documents import DOCUMENTS

from assistant.shared.config import SETTINGS
from kb.build import build

refuse_other_machines()

# How long an example takes says how busy the machine is.
settings.register_profile("busy", deadline=None)
settings.load_profile("busy")


@pytest.fixture(scope="session")
def benchmark_data() -> Path:
    """The folder of benchmark questions and corpora, which the project does not carry."""
    folder = Path(os.environ.get("CLEW_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (folder / "2wiki" / "corpus.jsonl").exists():
        pytest.skip(f"the benchmark data are not at {folder}; set CLEW_DATA")
    return folder


@pytest.fixture(autouse=True)
def own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for every test: nothing is read from or written to the user's."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("CLEW_HOME", str(home / "state"))
    monkeypatch.setenv("CLEW_CONFIG", str(home / "config.toml"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for name in (
        *(setting.variable for setting in SETTINGS.values()),
        "CLEW_API_KEY",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("assistant.models.local.files.usual_folders", dict)
    return home


@pytest.fixture(autouse=True)
def loopback_only() -> Iterator[None]:
    """No test reaches another machine: one that has tried fails, also where what it tests has caught the error."""
    ATTEMPTS.clear()
    yield
    assert not ATTEMPTS


@pytest.fixture(scope="session")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base of twelve invented documents, whose chains no model knows by heart."""
    folder = tmp_path_factory.mktemp("small")
    corpus = folder / "corpus.jsonl"
    lines = [{"id": key, "title": title, "text": text} for key, (title, text) in DOCUMENTS.items()]
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    build([str(corpus)], folder / "small.clew")
    return folder / "small.clew"


@pytest.fixture(scope="session")
def example_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example corpus, built; every process has the same file."""
    corpus = Path(__file__).parents[1] / "examples" / "corpus"
    folder = made_once(tmp_path_factory, "examples", lambda folder: _built(corpus, folder / "examples.clew"))
    return folder / "examples.clew"


def _built(sources: Path, path: Path) -> None:
    build([str(sources)], path)
