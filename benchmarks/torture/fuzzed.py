"""Hostile input by the ten thousand: arguments, documents, question files, settings, sessions, endpoints' replies.

    python -m benchmarks.torture.fuzzed --trials 100000

Everything comes from one seed, and runs in forks of a few hundred inputs each with bounded memory; an input that takes
more than a while is a hang. What an input may end in is an answer or one of our errors (kb/errors.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.torture.endpoint import Endpoint, endpoint, sensible
from benchmarks.torture.hostile import (
    NUMBERS,
    OTHER_DOCUMENTS,
    SESSION,
    SETTINGS,
    TABLES,
    anything,
    kept_text,
    link_targets,
    mutated,
    words,
)
from benchmarks.torture.trials import DOCUMENTS, Tally, forked, run_alone, small_file

HANG = 30
"""Seconds of the processor for one input; one that waits for ever ends its whole fork, after 900 seconds."""

Input = Callable[[random.Random], Any]
Use = Callable[[Any], object]


def attack(home: Path, trials: int, seed: int, seconds: float) -> Tally:
    """Each kind of input under its share of trials and seconds; the knowledge base stays as it is, byte for byte."""
    file = small_file(home)
    before, tally = hashlib.sha256(file.read_bytes()).digest(), Tally()
    with endpoint() as asked:
        kinds = {name: (share, make, use) for name, share, make, use in _kinds(home, file, asked)}
        total = sum(share for share, _, _ in kinds.values())
        for name, (share, make, use) in kinds.items():
            wanted, started = max(trials * share // total, 1), time.monotonic()
            done = _kind(name, wanted, seed, started + seconds / len(kinds), make, use, tally)
            tally.trials += done
            tally.notes.append(f"{name}: {done:,}")
            if hashlib.sha256(file.read_bytes()).digest() != before:
                tally.faults[f"{name}: the knowledge base was written to"] += 1
    return tally


def _kind(
    name: str, wanted: int, seed: int, deadline: float, make: Input, use: Use, tally: Tally, batch: int = 250
) -> int:
    done = 0
    while done < wanted and (time.monotonic() < deadline or not done):
        first, last = done, min(done + batch, wanted)
        outcome = forked(lambda: _batch(name, seed, range(first, last), deadline, make, use), seconds=900)  # noqa: B023
        lines = [line for line in outcome.out.splitlines() if line.startswith("@")]
        for line in lines:
            if line.startswith("@fault "):
                tally.faults[f"{name}: {line[7:]}"] += 1
        begun = [int(line[6:]) for line in lines if line.startswith("@done ")]
        if outcome.code or not begun:
            tally.faults[f"{name}: the process ended with {outcome.code}: {outcome.err[-300:]} ({lines[-1:]})"] += 1
            return done
        done = begun[-1]
        tally.tell(f"{name}: {done:,} of {wanted:,}, {sum(tally.faults.values()):,} faults so far")
    return done


def _batch(name: str, seed: int, numbers: range, deadline: float, make: Input, use: Use) -> None:
    """Try these inputs; each fault is a line, and how far it came the last one."""
    from kb.errors import ClewError

    out = os.fdopen(os.dup(1), "w", buffering=1)
    signal.signal(signal.SIGPROF, _hangs)
    reached = numbers.start
    for number in numbers:
        given = make(random.Random(f"{name} {seed} {number}"))
        signal.setitimer(signal.ITIMER_PROF, HANG)
        try:
            with contextlib.redirect_stdout(_nowhere()), contextlib.redirect_stderr(_nowhere()):
                use(given)
        except ClewError as error:
            if "\n" in str(error):
                print(f"@fault {number}: an error of more than one line: {str(error)[:200]!r}", file=out)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is what this looks for
            place = error.__traceback__
            while place is not None and place.tb_next is not None:
                place = place.tb_next
            where = f"{Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno}" if place else ""
            print(f"@fault {number}: {type(error).__name__} in {where}: {str(error)[:150]!r}", file=out)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        reached = number + 1
        if time.monotonic() > deadline:
            break
    print(f"@done {reached}", file=out, flush=True)


def _nowhere() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _hangs(number: int, frame: object) -> None:
    raise TimeoutError(f"more than {HANG} s")


def _kinds(home: Path, file: Path, asked: Endpoint) -> Iterator[tuple[str, int, Input, Use]]:
    """Name, share, what is put in, and where."""
    from assistant.shared.rendering import as_text, citation_parser, escape_markdown, plain
    from tools.planning.planner import plan_question

    yield "texts shown", 30, words, lambda text: (as_text(text), plain(text, 80), citation_parser().parse(
        escape_markdown(text)))  # fmt: skip
    yield "questions planned", 25, words, plan_question
    yield "documents", 25, _document, lambda given: _read(home, *given)
    yield "question files", 10, _table, lambda given: _questions(home, *given)
    yield "settings", 5, lambda rng: mutated(SETTINGS, rng), lambda data: _settings(home, data)
    yield "sessions", 5, lambda rng: mutated(SESSION, rng), lambda data: _sessions(home, file, data)
    yield "tools", 10, _call, lambda given: _tool(file, *given)
    yield "commands", 8, lambda rng: _arguments(rng, home, file), _command
    yield "questions", 3, words, lambda text: _ask(file, text, "")
    yield "links", 5, link_targets, lambda targets: _links(home, targets)
    yield "forgetting", 3, kept_text, lambda given: _forgotten(home, file, *given)
    yield "replies", 2, _reply, lambda said: _ask(file, "Where was Irena Valdis born?", asked.url, said)


def _document(rng: random.Random) -> tuple[str, bytes]:
    documents = {**{name: text.encode() for name, text in DOCUMENTS.items()}, **OTHER_DOCUMENTS}
    name = rng.choice(sorted(documents))
    return name, mutated(documents[name], rng)


def _read(home: Path, name: str, data: bytes) -> None:
    """As a build does it, up to the facts."""
    from kb.documents.links import Targets
    from kb.documents.passages import cut, sentences
    from kb.documents.sources import read_sources
    from kb.graph.rule_extraction import links_within, rule_work, surroundings
    from kb.records import Document
    from kb.store.embeddings import DEFAULT_MODEL, load_embedder

    path = home / "fuzzed" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    for one in read_sources([str(path)]):
        if isinstance(one, Document):
            one.text.encode()
            targets = Targets({one.key: one.title})
            for piece in cut(one, load_embedder(DEFAULT_MODEL).count_tokens):
                around = surroundings(one, piece, links_within(one, piece), targets)
                rule_work(one, piece, sentences(piece.text), around, is_last=False)


def _links(home: Path, targets: list[str]) -> None:
    from kb.documents.sources import read_sources
    from kb.records import Document

    folder = home / "fuzzed-links"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "a.md").write_text("A town.", "utf-8")
    os.mkfifo(folder / "pipe")
    for number, target in enumerate(targets):
        with contextlib.suppress(OSError, UnicodeEncodeError):  # what the system does not take as a link
            (folder / str(number)).symlink_to(target)
    read = [one.key for one in read_sources([str(folder)]) if isinstance(one, Document)]
    if "a.md" not in read:
        raise RuntimeError(f"a.md was not read beside links to {targets}")


def _forgotten(home: Path, file: Path, text: str, data: bytes) -> None:
    from kb.store.text_traces import traces_of

    own = home / "fuzzed-own"
    own.mkdir(exist_ok=True)
    (own / "kept").write_bytes(data)
    if not any(trace.place == str(own / "kept") for trace in traces_of(file, text, own)):
        raise RuntimeError(f"{text!r} is not found in {data!r}")


def _table(rng: random.Random) -> tuple[str, bytes]:
    suffix = rng.choice(sorted(TABLES))
    if suffix in (".txt", ".csv") or rng.random() < 0.6:
        return suffix, mutated(TABLES[suffix] * rng.choice((1, 3)), rng)
    record = json.loads(TABLES[suffix])
    record[rng.choice(sorted(record))] = anything(rng)
    return suffix, json.dumps(record).encode("utf-8", "surrogatepass")


def _questions(home: Path, suffix: str, data: bytes) -> None:
    from assistant.evaluation.evaluate import evaluate
    from assistant.evaluation.results_file import ResultsFile
    from assistant.shared.question_files import Question, read_questions
    from assistant.shared.recorded_plans import complete_plan, read_plans
    from kb.graph.openie import read_extractions

    path = home / f"fuzzed{suffix}"
    path.write_bytes(data)
    if suffix == ".plans":
        for plan in read_plans(path).values():
            complete_plan("Where was Irena Valdis born?", plan)
    elif suffix == ".openie":
        read_extractions(path)
    elif suffix == ".results":
        with contextlib.suppress(_told()):
            ResultsFile(path, [Question("1", "Where?", ("a",), ("x",))])
        path.write_bytes(data)
        asked = path.with_suffix(".jsonl")
        asked.write_bytes(TABLES[".jsonl"])
        evaluate(path, asked)
    else:
        read_questions(path)


def _told() -> type[Exception]:
    from kb.errors import ClewError

    return ClewError


def _settings(home: Path, data: bytes) -> None:
    from assistant.shared.config import SETTINGS, value

    (home / "config.toml").write_bytes(data)
    try:
        for key in SETTINGS:
            value(key)
    finally:
        (home / "config.toml").unlink()


def _sessions(home: Path, file: Path, data: bytes) -> None:
    from assistant.conversations.session_files import SessionFolder

    folder = home / "fuzzed-sessions"
    folder.mkdir(exist_ok=True)
    (folder / "ab12.jsonl").write_bytes(data)
    for log in SessionFolder(folder).all():
        for turn in log.line():
            with contextlib.suppress(_told()):
                turn.reply.to_json()


def _call(rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A tool and arguments after its schema, most of them of the right kind."""
    from tools.registry import get_tool, tool_names

    tool = get_tool(rng.choice(sorted(tool_names())))
    schema = tool.parameters.model_json_schema()
    required = schema.get("required", ())
    return tool.name, {
        name: _fitting(one, schema, rng)
        for name, one in schema.get("properties", {}).items()
        if name in required or rng.random() < 0.4
    }


def _fitting(schema: dict[str, Any], root: dict[str, Any], rng: random.Random, depth: int = 0) -> Any:
    if rng.random() < 0.08:
        return anything(rng)
    if "$ref" in schema:
        return _fitting(root["$defs"][schema["$ref"].rpartition("/")[2]], root, rng, depth)
    if "anyOf" in schema:
        return _fitting(rng.choice(schema["anyOf"]), root, rng, depth)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "string":
        return words(rng)
    if kind == "integer":
        return rng.choice((*range(12), *(one for one in NUMBERS if isinstance(one, int))))
    if kind == "number":
        return rng.choice((0.1, 0.5, 1.5, *NUMBERS))
    if kind == "array":
        return [_fitting(schema.get("items", {}), root, rng, depth + 1) for _ in range(rng.choice((0, 1, 2, 5)))]
    if kind == "object":
        inside = schema.get("properties", {})
        return {name: _fitting(one, root, rng, depth + 1) for name, one in inside.items() if rng.random() < 0.7}
    return anything(rng)


def _tool(file: Path, name: str, arguments: dict[str, Any]) -> None:
    from kb.store.knowledge_base import KnowledgeBase
    from tools.registry import get_tool

    with KnowledgeBase.open(file) as kb:
        json.dumps(get_tool(name).call(kb, arguments), ensure_ascii=False).encode()


_WRITING = ("mcp", "watch", "add", "remove", "enrich", "bench", "copy")
"""Commands that serve, watch or write to a FILE that is given."""


def _arguments(rng: random.Random, home: Path, file: Path) -> list[str]:
    """A command with options that it has and some that it has not; nothing that serves, watches or writes to FILE."""
    import click

    from assistant.commands.cli import main

    group = main.commands
    name = rng.choice([one for one in sorted(group) if one not in _WRITING])
    chosen, line = group[name], [name]
    if isinstance(chosen, click.Group):
        below = rng.choice(sorted(chosen.commands))
        chosen, line = chosen.commands[below], [name, below]
    values = [str(file), str(file), str(home / "none"), str(home), str(home / "corpus"), "", "-", "x", "5", "-1", "{}",
              '{"query": "x"}', "all", "1e9", words(rng).replace("\0", ""),
              str(home / "corpus" / "towns.csv"), "nan", "inf", "1e300", *_pipes(home)]  # fmt: skip
    for param in chosen.params:
        if isinstance(param, click.Option):
            if param.name in ("serve", "output", "unset", "set_key", "forget_key") or rng.random() > 0.25:
                continue
            line += [param.opts[0], *([] if param.is_flag else [rng.choice(values)])]
        elif rng.random() < 0.9:
            line.append(str(file) if param.name == "file" and rng.random() < 0.8 else rng.choice(values))
    if name in ("build", "run", "damage"):
        line += ["-o", str(home / f"fuzzed-{rng.randrange(10**6)}{rng.choice(('', '.clew'))}")]
    return line


def _pipes(home: Path) -> list[str]:
    """Named pipes to which nobody writes."""
    pipes = [home / name for name in ("pipe", "pipe.jsonl", "pipe.csv", "pipe.clew")]
    for pipe in pipes:
        if not pipe.exists():
            os.mkfifo(pipe)
    return list(map(str, pipes))


def _command(line: list[str]) -> None:
    from assistant.commands.cli import main

    try:
        main(line, prog_name="clew")
    except SystemExit as left:
        if left.code not in (None, 0, 1, 2, 3, 4, 5, 130):
            raise RuntimeError(f"exit code {left.code} of {line}") from left


OFFERED = (
    "answer", "not_found", "find_evidence", "passage_search", "read_passage", "join_concepts", "follow_paths",
    "walk_facts", "chain_facts", "resolve_constraints",
)  # fmt: skip
"""The tools that a model is offered at one time or another."""


def _reply(rng: random.Random) -> bytes | dict[str, Any] | tuple[int, bytes]:
    """What an endpoint may send: a response with something else in one of its places, other bytes, or an error."""
    if rng.random() < 0.1:
        body = json.dumps({"error": {"message": words(rng) * rng.choice((1, 1, 99))}}).encode("utf-8", "surrogatepass")
        return rng.choice((400, 404, 429, 500, 503)), body + b" " * rng.choice((0, 0, 20_000_000))
    said = sensible({"tools": [1], "messages": []})
    assert isinstance(said, dict)
    if rng.random() < 0.4:
        call = said["tool_calls"][0]["function"]
        call["name"] = rng.choice((*OFFERED, words(rng)))
        call["arguments"] = rng.choice((json.dumps(anything(rng)), words(rng), "", "[" * 99_999))
        return said
    body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": said, "finish_reason": "stop"}],
            "usage": {"total_tokens": 1}}  # fmt: skip
    place: Any = body
    while isinstance(place, dict | list) and place:
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if rng.random() < 0.4 or not isinstance(place[key], dict | list):
            place[key] = anything(rng)
            break
        place = place[key]
    data = json.dumps(body).encode("utf-8", "surrogatepass")
    return data if rng.random() < 0.5 else mutated(data, rng)


def _ask(file: Path, question: str, url: str, said: Any = None) -> None:
    from assistant.conversations.session import Session, final_reply
    from assistant.shared.model_choice import ModelChoice

    async def ask(choice: ModelChoice | None) -> None:
        with Session.open(file, choice) as session:
            (await final_reply(session, question)).to_json()

    if not url:
        asyncio.run(ask(None))
        return
    with endpoint(lambda _: said) as own:
        asyncio.run(ask(ModelChoice("scripted", own.url)))


if __name__ == "__main__":
    run_alone(attack, 100_000, __doc__)
