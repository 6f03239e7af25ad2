"""The commands that write, each over a place of its own that is made anew: what it is before, what is done, what is to
be there afterwards.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.torture.trials import clew

TEXTS = {
    "valdis.md": "# Irena Valdis\n\nIrena Valdis (born 4 May 1899 in Tarnow Bay) directed [Salt](salt.md).\n",
    "salt.md": "# Salt\n\nSalt is a 1931 film directed by Irena Valdis.\n",
    "oskar.txt": "Oskar Valdis (born 1860 in Karsk) was a painter of harbours and ships.",
}
CHANGES = {
    "salt.md": "# Salt\n\nSalt is a 1932 film by Irena Valdis.\n",
    "karsk.txt": "Karsk is a village.",
    "oskar.txt": "",
}
QUESTIONS = ("Where was Irena Valdis born?", "Who directed Salt?", "Where was Oskar Valdis born?")
_PASSED_OVER = ("sqlite_", "_sqlite_migrations", "file_stamps", "model_cache", "mention_rows", "facts")
"""Tables of SQLite's own, those with times in them, and those that are looked at as `mentions` and `triples`."""


@dataclass(frozen=True)
class Scenario:
    """`prepare` makes a place, `work` is what is killed and then done again, `content` what must come of it.

    At most `again` requests to a model may be made twice because of one kill.
    """

    name: str
    prepare: Callable[[Path], None]
    work: Callable[[Path], None]
    content: Callable[[Path], Any]
    again: int = 0


def command(*arguments: str) -> Callable[[Path], None]:
    """A command of clew's; PLACE in an argument is the place's path."""

    def work(place: Path) -> None:
        from assistant.commands.cli import main

        main([one.replace("PLACE", str(place)) for one in arguments], prog_name="clew")

    return work


def scenarios(url: str) -> list[Scenario]:
    """All of them, with a model at `url` for those that ask one."""
    model = ("--model", "scripted", "--base-url", url)
    build = command("build", "PLACE/corpus", "-o", "PLACE/kb.clew", "-q")
    extract = command(
        "build", "PLACE/corpus", "-o", "PLACE/kb.clew", "-q", "--extract", "model", "--concurrency", "2", *model
    )
    run = command("run", "PLACE/kb.clew", "PLACE/q.txt", "-o", "PLACE/out.jsonl", "-q", *model)
    return [
        Scenario("build", _corpus, build, knowledge),
        Scenario("change", _changed, build, knowledge),
        Scenario("add", _built, command("add", "PLACE/kb.clew", "PLACE/more", "-q"), knowledge),
        Scenario("remove", _built, command("remove", "PLACE/kb.clew", "oskar.txt"), knowledge),
        Scenario("watch", _changed, _told(_watch), knowledge),
        Scenario("migrate", _older, build, knowledge),
        Scenario("extract", _corpus, extract, knowledge, again=2),
        Scenario("run", _asked, run, _results, again=8),
        Scenario("chat", _built, _told(_chat), _turns),
    ]


def _corpus(place: Path) -> None:
    for folder, texts in (("corpus", TEXTS), ("more", {"lindholm.txt": "Lindholm is a town on the river Skarn."})):
        (place / folder).mkdir(parents=True)
        for name, text in texts.items():
            (place / folder / name).write_text(text, "utf-8")


def _built(place: Path) -> None:
    _corpus(place)
    done = clew(["build", str(place / "corpus"), "-o", str(place / "kb.clew"), "-q"], seconds=300)
    if done.code:
        raise RuntimeError(done.err)


def _changed(place: Path) -> None:
    _built(place)
    for name, text in CHANGES.items():
        (place / "corpus" / name).write_text(text, "utf-8")
        if not text:
            (place / "corpus" / name).unlink()


def _older(place: Path) -> None:
    """As a clew without stamps and links has left it."""
    _changed(place)
    with closing(sqlite3.connect(place / "kb.clew")) as database:
        database.executescript(
            "DROP TABLE links; DROP TABLE file_stamps;"
            "DELETE FROM _sqlite_migrations WHERE name IN ('m004_file_stamps', 'm005_links');"
        )


def _asked(place: Path) -> None:
    _built(place)
    (place / "q.txt").write_text("\n".join(QUESTIONS), "utf-8")


def _told(work: Callable[[Path], None]) -> Callable[[Path], None]:
    """With our errors told as a command tells them."""

    def telling(place: Path) -> None:
        from kb.errors import ClewError

        try:
            work(place)
        except ClewError as error:
            print(f"clew: {error}", file=sys.stderr)
            sys.exit(error.exit_code)

    return telling


def _watch(place: Path) -> None:
    """Watch until a document has come that was not there at first."""
    from assistant.library.watching import Update, Watcher

    def tell(update: Update) -> None:
        watcher.stop.set()

    watcher = Watcher([str(place / "corpus")], place / "kb.clew", tell, lambda line: None)
    watcher.begin()
    if not (place / "corpus" / "lindholm.txt").exists():
        try:
            shutil.copy(place / "more" / "lindholm.txt", place / "corpus")
        except OSError as error:  # no fault of the watcher's: the disk is full for who writes the note, too
            print(f"copy: {error}", file=sys.stderr)
            sys.exit(3)
        watcher.follow()


def _chat(place: Path) -> None:
    """Ask what the session has not been asked yet; each question is printed once its turn is kept."""
    from assistant.conversations.chat import Conversation
    from assistant.conversations.session import Session

    async def ask() -> None:
        conversation = Conversation(place / "kb.clew", "offline", lambda: Session.open(place / "kb.clew"))
        try:
            await conversation.earlier()
            await conversation.open()
            done = [turn.question for turn in conversation.log.line()]
            for question in QUESTIONS[len(done) :]:
                async for _ in conversation.ask(question):
                    pass
                reply = conversation.end()
                assert reply is not None
                await conversation.keep(reply)
                print(question, flush=True)
        finally:
            conversation.close()

    asyncio.run(ask())


def knowledge(place: Path) -> dict[str, list[str]]:
    """All rows of the knowledge base, table by table, without times and without what the system knows of its files."""
    from kb.store.sqlite import open_reader

    with closing(open_reader(place / "kb.clew")) as database:
        schema = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        names = [name for (name,) in database.execute(schema).fetchall()]
        kept = [
            name
            for name in names
            if not name.startswith(_PASSED_OVER) and "_fts" not in name and "_vectors" not in name
        ]
        found = {name: _rows(database.execute(f"SELECT {_columns(database, name)} FROM {name}")) for name in kept}  # noqa: S608 - its own names
        found["files"] = _rows(database.execute("SELECT root, source, documents FROM file_stamps"))
        for kind in ("passage", "sentence", "entity"):
            found[f"{kind} vectors"] = _rows(database.execute(f"SELECT id FROM {kind}_vectors_rowids"))  # noqa: S608
    return found


def _columns(database: Any, table: str) -> str:
    """All but a row's number in its file, which tells only when it was written."""
    names = [row[1] for row in database.execute(f"PRAGMA table_info({table})").fetchall()]
    return ", ".join(f'"{name}"' for name in names if name != "number")


def _rows(rows: Iterable[tuple[object, ...]]) -> list[str]:
    return sorted(map(repr, rows))


def _results(place: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (place / "out.jsonl").read_text("utf-8").splitlines()]
    return [{name: line[name] for name in ("id", "question", "answer", "found", "error")} for line in lines]


def _turns(place: Path) -> list[tuple[str, str]]:
    from assistant.conversations.session_files import SessionFolder

    kept = SessionFolder(place / "state" / "sessions").all(place / "kb.clew")
    return [(turn.question, turn.reply.answer) for log in kept for turn in log.line()]
