"""One command of clew's in a process of its own, and what became of it."""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

BUG = 70
"""The exit code of a trial that ended in an exception: EX_SOFTWARE."""
TERMINAL_SECONDS, LOG_SECONDS = 5.0, 180.0
"""Between two lines of progress: whoever looks on wants to see it move, a log of hours wants few."""
LONGEST = 400
"""Characters of a line: a fault quotes the end of what a command printed."""
MEMORY = 6_000_000_000
"""Most bytes of addresses that a trial may have: the models that are mapped take a good part of it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended: its exit code, or minus the signal that killed it, and what it printed."""

    code: int
    out: str
    err: str
    seconds: float
    hung: bool = False

    @property
    def fault(self) -> str:
        """What is wrong with how it ended, "" for a right answer or one line."""
        if self.hung:
            return "hung"
        if self.code < 0:
            return f"killed by signal {-self.code}"
        if "Traceback" in self.err or self.code == BUG:
            return "traceback: " + (self.err.strip().splitlines() or ["no word"])[-1][:200]
        told = [line for line in self.err.splitlines() if line.startswith("clew: ")]
        if self.code in (2, 3, 4) and not self.err.strip() and not self.out.strip():
            return f"exit {self.code} without a word"
        return f"{len(told)} lines of error" if self.code == 3 and len(told) > 1 else ""


@dataclass
class Tally:
    """How many trials there were, what was wrong in how many of them, and what else is to be told, a line each."""

    trials: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    told: float = field(default_factory=time.monotonic)
    """When something was last told, or the attack begun."""
    _named: set[str] = field(default_factory=set)

    def tell(self, how_far: str) -> None:
        """How far the attack is, a line on stdout every few seconds on a terminal, and every few minutes in a log, with
        the faults that are new.
        """
        now = time.monotonic()
        if now - self.told >= (TERMINAL_SECONDS if sys.stdout.isatty() else LOG_SECONDS):
            self.told = now
            for told in (how_far, *sorted(self.faults.keys() - self._named)):
                print(f"  {one_line(told)}", flush=True)
            self._named.update(self.faults)

    def print(self, name: str) -> None:
        """For people, on stdout."""
        print(f"{name}: {self.trials:,} trials, {sum(self.faults.values()):,} faults")
        for line in (*self.notes, *(f"{count} {fault}" for fault, count in self.faults.most_common())):
            print(f"  {one_line(line)}", flush=True)


def one_line(text: str) -> str:
    """What a log holds of a text: its lines as one, of at most LONGEST characters."""
    whole = " ".join(text.split())
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"


Attack = Callable[[Path, int, int, float], Tally]
"""In a home of its own, how many trials, from which seed, in how many seconds at most."""


def run_alone(attack: Attack, trials: int, about: str | None) -> NoReturn:
    """The command line of one attack."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=trials)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="the most that all of it may take")
    given = parser.parse_args()
    with own_home() as home:
        tally = attack(home, given.trials, given.seed, given.seconds)
    tally.print(attack.__module__ if attack.__module__ != "__main__" else Path(sys.argv[0]).stem)
    sys.exit(1 if tally.faults else 0)


def clew(arguments: Sequence[str], *, seconds: float = 60.0, stdin: bytes = b"") -> Outcome:
    """Run a command of clew's in a fork of this process, which has what it imports already."""

    def command() -> None:
        from assistant.commands.cli import main

        main([str(one) for one in arguments], prog_name="clew")

    return forked(command, seconds=seconds, stdin=stdin)


def forked(work: Callable[[], object], *, seconds: float = 60.0, stdin: bytes = b"") -> Outcome:
    """Run `work` in a fork; what it raises is printed there as Python would."""
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    in_read, in_write = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        for source, target in ((in_read, 0), (out_write, 1), (err_write, 2)):
            os.dup2(source, target)
        for one in (out_read, out_write, err_read, err_write, in_read, in_write):
            os.close(one)
        _child(work)
    for one in (out_write, err_write, in_read):
        os.close(one)
    os.write(in_write, stdin[:60_000])  # a pipe holds as much unread
    os.close(in_write)
    parts, hung = _drain({out_read: [], err_read: []}, child, started + seconds)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    texts = [b"".join(parts[one]).decode("utf-8", "replace") for one in (out_read, err_read)]
    for one in (out_read, err_read):
        os.close(one)
    return Outcome(code, *texts, time.monotonic() - started, hung)


def _drain(parts: dict[int, list[bytes]], child: int, deadline: float) -> tuple[dict[int, list[bytes]], bool]:
    waiting = set(parts)
    while waiting:
        ready, _, _ = select.select(list(waiting), [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            os.kill(child, signal.SIGKILL)
            return parts, True
        for one in ready:
            data = os.read(one, 65536)
            if data:
                parts[one].append(data)
            else:
                waiting.discard(one)
    return parts, False


def _child(work: Callable[[], object]) -> NoReturn:
    code = 0
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sys.stdin = os.fdopen(0, "r", closefd=False)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", closefd=False)
        work()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1 if left.code else 0
    except BaseException:  # noqa: BLE001 - whatever it is, it is what the trial is for
        traceback.print_exc()
        code = BUG
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:
                code = BUG
        os._exit(code)


@contextmanager
def own_home() -> Iterator[Path]:
    """A folder for a campaign, which is also the user's own place; what commands import is loaded before any fork."""
    for name in IMPORTED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="clew-torture-") as folder:
        home = Path(folder)
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
        own_state(home)
        _warm_up(home)
        yield home


def own_state(place: Path) -> None:
    """Have what is kept for the user, and the settings, be in this folder."""
    os.environ.update(CLEW_HOME=str(place / "state"), CLEW_CONFIG=str(place / "config.toml"))


def _warm_up(home: Path) -> None:
    """Build and read before any fork, so that models and hashes are loaded; on one thread, as a fork has no other."""
    from kb.build import build
    from tools.reading.reader import load_reader
    from tools.reading.second_reader import load_second_reader

    os.environ["OMP_NUM_THREADS"] = "1"
    for reader in (load_reader(), load_second_reader()):
        reader.read([("Where does Ana live?", "", "Ana Souza lives in Lindholm.")])
    (home / "warm.txt").write_text("Lindholm is a town on the Skarn. Ana Souza lives in Lindholm.", "utf-8")
    build([str(home / "warm.txt")], home / "warm.clew")


def small_file(folder: Path, documents: int = 6) -> Path:
    """A knowledge base of a few documents with headings, links and facts, the first of DOCUMENTS, built in `folder`."""
    corpus = folder / "corpus"
    corpus.mkdir()
    for name, text in list(DOCUMENTS.items())[:documents]:
        (corpus / name).write_text(text, "utf-8")
    built = clew(["build", str(corpus), "-o", str(folder / "small.clew"), "-q"], seconds=300)
    if built.code:
        raise RuntimeError(built.err)
    return folder / "small.clew"


DOCUMENTS = {
    "harbour.md": "# The Glass Harbour\n\nThe Glass Harbour is a 1931 film directed by [Irena Valdis](valdis.md).",
    "valdis.md": "# Irena Valdis\n\nIrena Valdis (born 4 May 1899 in Tarnow Bay) was a film director. She was the "
    "daughter of the painter Oskar Valdis.\n\n## Films\n\n- The Glass Harbour\n- Salt and Timber\n",
    "oskar.txt": "Oskar Valdis (born 1860 in Karsk) was a painter of harbours and ships.",
    "brandel.md": "# Tomas Brandel\n\nTomas Brandel (born 12 March 1911 in Lindholm) was a director of plays.",
    "towns.csv": "name,river,founded\nKarsk,Oder,1201\nTarnow Bay,Skarn,1344\nLindholm,Skarn,1410\n",
    "mill.html": "<h1>Water mills</h1><p>Water mills grind grain.</p><ul><li>Karsk</li><li>Lindholm</li></ul>",
}
IMPORTED = (
    "kb.networks", "scipy.sparse", "pydantic_ai", "mcp", "rich.progress", "threadpoolctl",
    "assistant.commands.cli", "assistant.conversations.session", "assistant.models.openai_chat",
    "assistant.library.browsing", "tools.registry", "kb.build", "kb.store.minilm", "kb.store.check",
    "assistant.conversations.threads.thread_export", "assistant.models.judging.opened", "anyio._backends._asyncio",
    "genai_prices.data",
)  # fmt: skip
