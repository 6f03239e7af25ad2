"""Builds whose vectors and facts are worked out by a cluster of Ray, one that is started here."""

from __future__ import annotations

import os
import pickle
import signal
import socket
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.commands.cli import main
from kb.build import Progress, build
from kb.cluster import joining
from kb.cluster.joining import LOCAL, on_cluster
from kb.cluster.worker import carry_out, code_here
from kb.errors import ClusterFailure, UsageError
from kb.store.deriving import NameBatch, derive_with, here
from kb.store.embeddings import DEFAULT_MODEL, load_embedder
from kb.store.fingerprint import fingerprint

NOTES = 700
"""Six batches: more than are begun at once on two cores."""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(NOTES):
        (folder / f"{number:03}.md").write_text(
            f"# Mill {number}\n\nMill {number} was built by Ana Ruiz in {1200 + number}.\n"
        )
    return folder


def _workers() -> list[int]:
    """Ray's workers that work or wait; what else it runs is named otherwise."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes().startswith((b"ray::_on_worker", b"ray::IDLE")):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_the_same_file_as_without_though_a_worker_dies(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="needs the extra cluster")
    if not Path("/proc").is_dir():
        pytest.skip("finds the workers in /proc")
    monkeypatch.setenv("HOME", str(tmp_path))
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.stage == "embedding" and not killed and (workers := _workers()):
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

    build([str(notes)], tmp_path / "here.clew")
    report = build([str(notes)], tmp_path / "there.clew", progress=kill_one, place=partial(on_cluster, LOCAL))
    assert killed
    assert report.passages == NOTES
    assert fingerprint(tmp_path / "there.clew") == fingerprint(tmp_path / "here.clew")
    assert killed[0] not in _workers()


def test_a_cluster_that_is_away_leaves_nothing_behind(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra cluster")
    (tmp_path / "note.md").write_text("Ana leads Search.\n")
    with socket.create_server(("127.0.0.1", 0)) as server:
        away = f"127.0.0.1:{server.getsockname()[1]}"
    said = CliRunner().invoke(main, ["build", str(tmp_path), "-o", str(tmp_path / "a.clew"), "--cluster", away])
    assert said.exit_code == 4
    assert said.stderr.strip().splitlines() == [f"clew: no cluster answers at {away} (Connection refused)"]
    assert not (tmp_path / "a.clew").exists()


@pytest.mark.parametrize("address", ["", "mill", "mill:0", "mill:99999", "ray://mill:1", "a b:1"])
def test_what_is_no_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining.importlib.util, "find_spec", lambda name: object())
    with pytest.raises(UsageError, match="no address of a Ray"), on_cluster(address, DEFAULT_MODEL):
        raise AssertionError("not reached")


def test_without_ray_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'clew\[cluster\]'"), on_cluster(LOCAL, DEFAULT_MODEL):
        raise AssertionError("not reached")


def test_what_listens_and_is_no_ray_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="needs the extra cluster")
    monkeypatch.setattr(joining, "_JOINING_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with (
            pytest.raises(ClusterFailure, match=f"the cluster {address}: not joined"),
            on_cluster(address, DEFAULT_MODEL),
        ):
            raise AssertionError("not reached")


def test_no_key_is_handed_on() -> None:
    given = {"PATH": "/bin", "OPENAI_API_KEY": "secret", "PGPASSWORD": "secret", "RAY_TLS_SERVER_KEY": "ours"}
    assert "secret" not in joining._environment(LOCAL, given).values()
    joined = joining._environment("mill:6379", given)
    assert "secret" not in joined.values()
    assert joined["RAY_TLS_SERVER_KEY"] == "ours"
    assert joined["PATH"] == "/bin"


def test_a_task_comes_to_the_same_wherever_it_is_carried_out() -> None:
    task = NameBatch(("Ana Ruiz", "Oakham Mill"))
    answer, value = carry_out(pickle.dumps(task), code_here(), DEFAULT_MODEL)
    own = task.derived(load_embedder(DEFAULT_MODEL))
    assert answer == "done"
    assert isinstance(value, bytes)
    assert all((one == other).all() for one, other in zip(pickle.loads(value), own, strict=True))


def test_a_worker_with_another_clew_carries_out_nothing() -> None:
    answer = carry_out(pickle.dumps(NameBatch(("Ana",))), "another", DEFAULT_MODEL)
    assert answer == ("failed", "another clew is installed there; install the same on every machine")


def test_tasks_here_are_taken_one_by_one_and_none_gives_none() -> None:
    taken = []

    class Counted:
        def __init__(self, number: int) -> None:
            self.number = number

        def derived(self, embedder: object) -> int:
            return self.number

    def tasks() -> object:
        for number in range(3):
            taken.append(number)
            yield Counted(number)

    derive = derive_with(load_embedder(DEFAULT_MODEL))
    results = derive(tasks())  # type: ignore[arg-type]
    assert next(results) == 0
    assert taken == [0]
    assert list(results) == [1, 2]
    with here(DEFAULT_MODEL) as there:
        assert list(there([])) == []
