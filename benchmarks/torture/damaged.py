"""Bytes of a small knowledge base changed, one copy at a time, each under several commands.

    python -m benchmarks.torture.damaged --copies 200 --seed 1
    python -m benchmarks.torture.damaged --every 1               # every byte that is not zero, in turn: hours
    python -m benchmarks.torture.damaged --every 2 --first 1     # the second of two processes that share them
    python -m benchmarks.torture.damaged --every 1 --documents 1 # of a file of one document: half as many
    python -m benchmarks.torture.damaged --copies 200 --writing  # under the commands that write, each a copy of its own
    python -m benchmarks.torture.damaged --values [--writing]    # strange values in every column in turn

Each command must end in an answer, or in one line and exit code 3; those that read must leave the file as it is.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path

from benchmarks.torture.trials import Outcome, Tally, clew, forked, one_line, own_home, small_file
from kb.store.sqlite_engine import ORDINARY_TABLES

QUESTION = "Where was the director of The Glass Harbour born?"
COMMANDS = (
    ("info", "FILE", "--documents"),
    ("check", "FILE"),
    ("browse", "FILE", "Tomas Brandel"),
    ("tool", "passage_search", "FILE", "--args", json.dumps({"query": QUESTION})),
    ("tool", "path_search", "FILE", "--args", json.dumps({"question": QUESTION})),
    ("ask", "FILE", QUESTION, "--no-transcript"),
)
WRITING = (
    ("build", "CORPUS", "-o", "FILE", "-q"),
    ("add", "FILE", "NOTE", "-q"),
    ("remove", "FILE", "harbour.md", "-q"),
)
"""Over a corpus in which a document has changed since, and one is new."""
VALUES = (b"\xff\x00", -7, 2**62, "x", "", None)
PAGE = 4096


def damaged_copies(whole: bytes, count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """(what was done, the bytes) of `count` copies, each with damage of another kind; zeros are seldom looked at."""
    rng = random.Random(seed)
    used = [at for at, byte in enumerate(whole) if byte]
    pages = sorted({at // PAGE for at in used})
    for number in range(count):
        copy = bytearray(whole)
        kind = ("byte", "bytes", "page zeroed", "pages swapped", "half a page", "cut off")[number % 6]
        page = rng.choice(pages) * PAGE
        if kind == "byte":
            copy[rng.choice(used)] = rng.randrange(256)
        elif kind == "bytes":
            for _ in range(20):
                copy[rng.choice(used)] = rng.randrange(256)
        elif kind == "page zeroed":
            copy[max(page, 100) : page + PAGE] = bytes(page + PAGE - max(page, 100))
        elif kind == "pages swapped":
            other = rng.choice(pages[1:]) * PAGE
            page = page or other
            copy[page : page + PAGE], copy[other : other + PAGE] = (
                whole[other : other + PAGE],
                whole[page : page + PAGE],
            )
        elif kind == "half a page":
            start = max(page, 100) + rng.randrange(PAGE // 2)
            copy[start : start + PAGE // 2] = rng.randbytes(PAGE // 2)
        else:
            copy = copy[: rng.randrange(100, len(copy))]
        yield f"{number}: {kind}", bytes(copy)


def every_byte(whole: bytes, step: int, first: int = 0) -> Iterator[tuple[str, bytes]]:
    """Copies in which one byte has all its bits turned, for every `step`-th byte that is not zero."""
    for at in [at for at, byte in enumerate(whole) if byte][first::step]:
        yield f"byte {at}", whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]


def strange_values(folder: Path, whole: bytes) -> Iterator[tuple[str, bytes]]:
    """Copies in which the first row of a table has a value that nobody wrote in a column, for each column in turn."""
    path = folder / "strange.clew"
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as database:
        columns = [
            (table, column)
            for (table,) in database.execute(ORDINARY_TABLES).fetchall()
            for (column,) in database.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        ]
    for table, column in columns:
        for value in VALUES:
            path.write_bytes(whole)
            sql = f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = (SELECT min(rowid) FROM "{table}")'  # noqa: S608
            with closing(sqlite3.connect(path)) as database:
                try:
                    changed = database.execute(sql, (value,))
                except sqlite3.Error:  # SQLite keeps it out, or finds no extension for what the change would set off
                    continue
                database.commit()
            if changed.rowcount:
                yield f"{table}.{column} = {value!r}", path.read_bytes()


def attack(home: Path, trials: int, seed: int, seconds: float) -> Tally:
    """`trials` copies, as far as the seconds allow."""
    whole, start = small_file(home).read_bytes(), time.monotonic()
    tally = _attack(damaged_copies(whole, trials, seed), home, start + 0.8 * seconds)
    return _attack_writing(damaged_copies(whole, trials // 4, seed + 1), home, start + seconds, tally)


def _attack(copies: Iterator[tuple[str, bytes]], folder: Path, deadline: float) -> Tally:
    """Run every command on every copy."""
    path, tally = folder / "copy.clew", Tally()
    for what, data in copies:
        if time.monotonic() > deadline:
            break
        path.write_bytes(data)
        tally.tell(f"copy {what}; {tally.trials:,} trials, {sum(tally.faults.values()):,} faults so far")
        commands = [[str(path) if part == "FILE" else part for part in command] for command in COMMANDS]
        tally.trials += len(commands)
        together = forked(lambda commands=commands: _run_all(commands), seconds=60.0 * len(commands))
        is_wrong = together.fault or together.code or path.read_bytes() != data
        _forget_journals(path)
        if is_wrong:
            path.write_bytes(data)
            _attack_alone(commands, path, what, tally, together)
            _forget_journals(path)
    return tally


def _attack_writing(copies: Iterator[tuple[str, bytes]], folder: Path, deadline: float, tally: Tally) -> Tally:
    """Run every command that writes, each on a copy of its own."""
    path, corpus, note = folder / "copy.clew", folder / "corpus", folder / "note.md"
    note.write_text("# Salt and Timber\n\nSalt and Timber is a film by Irena Valdis.\n", "utf-8")
    (corpus / "new.md").write_text("# Karsk\n\nKarsk is a town on the Oder.\n", "utf-8")
    with (corpus / "harbour.md").open("a", encoding="utf-8") as file:
        file.write("\nIt was shot in Karsk.\n")
    names = {"FILE": str(path), "CORPUS": str(corpus), "NOTE": str(note)}
    for what, data in copies:
        tally.tell(f"writing to copy {what}; {tally.trials:,} trials, {sum(tally.faults.values()):,} faults so far")
        for command in WRITING:
            if time.monotonic() > deadline:
                return tally
            path.write_bytes(data)
            outcome = clew([names.get(part, part) for part in command])
            tally.trials += 1
            if outcome.fault:
                tally.faults[f"{command[0]}: {outcome.fault} ({what})"] += 1
            _forget_journals(path)
    return tally


def _forget_journals(path: Path) -> None:
    for suffix in ("-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _run_all(commands: Sequence[Sequence[str]]) -> None:
    """Run commands in this process, one after the other; leave it with a code where one ends as it must not."""
    from assistant.commands.cli import main

    for command in commands:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        code, started = 0, time.monotonic()
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main(list(command), prog_name="clew")
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else int(bool(left.code))
        told = [one.buffer.getvalue().decode("utf-8", "replace") for one in (out, err)]  # type: ignore[attr-defined]
        outcome = Outcome(code, *told, time.monotonic() - started)
        if outcome.fault:
            print(f"{command[0]}: {outcome.fault}", file=sys.stderr)
            sys.exit(1)


def _attack_alone(commands: Sequence[Sequence[str]], path: Path, what: str, tally: Tally, together: Outcome) -> None:
    """Run each command in a process of its own, after something was wrong `together`, and count what is."""
    data, known = path.read_bytes(), sum(tally.faults.values())
    for command in commands:
        outcome = clew(command)
        if outcome.fault:
            name = f"{command[0]} {command[1] if command[0] == 'tool' else ''}"
            tally.faults[f"{name}: {outcome.fault} ({what})"] += 1
        if path.read_bytes() != data:
            tally.faults[f"{command[0]}: wrote to the file ({what})"] += 1
            path.write_bytes(data)
    if sum(tally.faults.values()) == known:
        tally.faults[f"one after the other: {together.fault or one_line(together.err)} ({what})"] += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=200)
    parser.add_argument("--every", type=int, default=0, metavar="STEP")
    parser.add_argument(
        "--first", type=int, default=0, metavar="BYTE", help="with --every: how many bytes to pass over"
    )
    parser.add_argument("--documents", type=int, default=6, help="how many the file holds")
    parser.add_argument("--values", action="store_true", help="strange values in every column")
    parser.add_argument("--writing", action="store_true", help="under the commands that write")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with own_home() as folder:
        whole = small_file(folder, given.documents).read_bytes()
        if given.values:
            copies = strange_values(folder, whole)
        elif given.every:
            copies = every_byte(whole, given.every, given.first)
        else:
            copies = damaged_copies(whole, given.copies, given.seed)
        forever = float("inf")
        tally = _attack_writing(copies, folder, forever, Tally()) if given.writing else _attack(copies, folder, forever)
    tally.print("damaged files")
    sys.exit(1 if tally.faults else 0)


if __name__ == "__main__":
    main()
