"""How building and asking grow with the number of passages: the joined corpus and respelled copies of it.

    python -m benchmarks.scale FOLDER [--documents N ...] [--questions N] [--techniques] [--kept] [--plot FILE]

FOLDER keeps what is made: corpora, knowledge bases, figures, and the vectors of the original documents (all passages
of 2wiki, hotpotqa and musique below CLEW_DATA), the only ones that a model embeds. With --kept the knowledge bases that
are there are asked and not built anew; a build that was stopped goes on. The sizes are 11,231, 30,000, 100,000, 300,000
and 1,000,000 documents by default: the last takes hours, and 10 GB with its corpus. --plot draws what has been measured
of these sizes, now or before, as a .png or .svg (needs the extra bench).

Printed for each size, every step in a process of its own: passages written a second, embedding left out, and seconds
until the first were; the file's size; seconds to open it; a cold `clew ask`; warm questions' median and p95, and the
process's memory; recall and full chain among the first five of questions to the originals. Every figure but the last
two is of this machine as it is just now: the load is printed beside them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

from assistant.conversations.session import Session, final_reply
from benchmarks.respelling import StoredVectors, grown
from benchmarks.scale_plot import draw, refuse_undrawable
from kb import build as building
from kb.documents.sources import read_sources
from kb.records import Document
from kb.store import deriving
from kb.store.knowledge_base import KnowledgeBase
from tools.registry import techniques

SETS = ("2wiki", "hotpotqa", "musique")
SIZES = (11_231, 30_000, 100_000, 300_000, 1_000_000)
WARM_UP = 3
SHOWN = 10
"""Passages that a technique is asked for."""
COLD = "Which film was released first, Aas Ka Panchhi or Phoolwari?"
DATA = Path(os.environ.get("CLEW_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, nargs="+", default=SIZES)
    parser.add_argument("--questions", type=int, default=60, help="questions asked, of all sets in turn")
    parser.add_argument("--techniques", action="store_true", help="print each technique's median too")
    parser.add_argument("--kept", action="store_true", help="ask knowledge bases that are there")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the figures by size, as .png or .svg")
    parser.add_argument("--step", choices=sorted(STEPS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.questions < WARM_UP + 2:
        parser.error(f"--questions {options.questions}: the first {WARM_UP} warm up; give {WARM_UP + 2} or more")
    if options.step:
        print(json.dumps(STEPS[options.step](options.folder, options.documents[0], options.questions)))
        return
    if options.plot:
        refuse_undrawable(options.plot)
    options.folder.mkdir(parents=True, exist_ok=True)
    originals = list(documents())
    if not vectors_at(options.folder).exists():
        write_corpus(options.folder, originals, len(originals))
        tell("embedding the originals", step("learn", options, len(originals)))
    sizes = sorted({max(size, len(originals)) for size in options.documents})
    for size in sizes:
        path = file_at(options.folder, size)
        if not options.kept:
            path.unlink(missing_ok=True)
        if not is_whole(path):
            write_corpus(options.folder, originals, size)
            keep(options.folder, size, "build", step("build", options, size))
        keep(options.folder, size, "cold", cold(path))
        keep(options.folder, size, "asked", step("ask", options, size))
        if options.techniques:
            tell(f"{size:,} documents, techniques", step("techniques", options, size))
    if options.plot:
        draw({size: kept(options.folder, size) for size in sizes}, options.plot)


def is_whole(path: Path) -> bool:
    """Whether there is a knowledge base whose build came to its end."""
    if not path.exists():
        return False
    with KnowledgeBase.open(path) as kb:
        return kb.is_finished


def keep(folder: Path, size: int, what: str, figures: dict[str, Any]) -> None:
    """Print what was measured of a size, and keep it for the plot."""
    tell(f"{size:,} documents, {what}", figures)
    figures_at(folder, size).write_text(json.dumps({**kept(folder, size), what: figures}), "utf-8")


def kept(folder: Path, size: int) -> dict[str, dict[str, Any]]:
    """What has been measured of a size: the figures by step."""
    path = figures_at(folder, size)
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def documents() -> Iterator[Document]:
    """All documents of the three sets."""
    sources = [str(DATA / name / "corpus.jsonl") for name in SETS]
    return (one for one in read_sources(sources) if isinstance(one, Document))


def asked(count: int) -> list[dict[str, Any]]:
    """The first questions with known gold of all sets, in turn."""
    of_sets = [
        [row for line in (DATA / name / "questions.jsonl").read_text("utf-8").splitlines()
         if (row := json.loads(line)).get("supporting")]
        for name in SETS
    ]  # fmt: skip
    in_turn = [row for at in range(max(map(len, of_sets))) for rows in of_sets for row in rows[at : at + 1]]
    return in_turn[:count]


def vectors_at(folder: Path) -> Path:
    return folder / "originals.npz"


def file_at(folder: Path, size: int) -> Path:
    return folder / f"{size}.clew"


def corpus_at(folder: Path, size: int) -> Path:
    return folder / f"corpus-{size}.jsonl"


def figures_at(folder: Path, size: int) -> Path:
    return folder / f"figures-{size}.json"


def write_corpus(folder: Path, originals: list[Document], size: int) -> None:
    with corpus_at(folder, size).open("w", encoding="utf-8") as file:
        for one in grown(originals, size):
            file.write(json.dumps({"id": one.key, "title": one.title, "text": one.text}, ensure_ascii=False) + "\n")


def step(name: str, options: argparse.Namespace, size: int) -> dict[str, Any]:
    """Run a step in a process of its own, so that its memory is its own."""
    command = [sys.executable, "-m", "benchmarks.scale", str(options.folder), "--step", name]
    command += ["--documents", str(size), "--questions", str(options.questions)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def tell(what: str, figures: dict[str, Any]) -> None:
    values = "  ".join(f"{name} {value}" for name, value in figures.items())
    print(f"{what}: {values}  (load {os.getloadavg()[0]:.1f})", flush=True)


def learn(folder: Path, size: int, _: int) -> dict[str, Any]:
    file_at(folder, size).unlink(missing_ok=True)  # one that was stopped has learnt only a part
    figures = build(folder, size, 0)
    file_at(folder, size).unlink()
    return figures


def build(folder: Path, size: int, _: int) -> dict[str, Any]:
    embedder = StoredVectors(vectors_at(folder))
    for module in (building, deriving):
        module.load_embedder = lambda _: embedder  # type: ignore[attr-defined]
    base, start, times = memory(), time.perf_counter(), dict[str, float]()

    def progress(told: building.Progress) -> None:
        times.setdefault(told.stage, time.perf_counter() - start)

    path = file_at(folder, size)
    report = building.build([str(corpus_at(folder, size))], path, progress=progress)
    seconds = time.perf_counter() - start
    if not vectors_at(folder).exists():
        embedder.save()
    return {
        "passages": report.passages, "vectors drawn": embedder.drawn, "seconds": round(seconds, 1),
        "passages a second": round(report.passages / seconds, 1), "processor s": round(time.process_time(), 1),
        "first written after s": round(times.get("embedding", seconds), 2),
        "linking from s": round(times.get("linking", seconds), 1),
        "MB of memory": memory(), "of it before": base,
        "MB of file": round(path.stat().st_size / 1e6, 1),
        "kB a passage": round(path.stat().st_size / 1e3 / max(report.passages, 1), 2),
    }  # fmt: skip


def ask(folder: Path, size: int, count: int) -> dict[str, Any]:
    path, questions = file_at(folder, size), asked(count)
    start = time.perf_counter()
    session = Session.open(path)
    opened = time.perf_counter() - start
    recalls, times = [], []
    busy = time.process_time()

    async def run() -> None:
        with session:
            for row in questions:
                begun = time.perf_counter()
                reply = await final_reply(session, row["question"])
                times.append(time.perf_counter() - begun)
                session.resume(())
                first = list(dict.fromkeys(one.document for one in reply.passages))[:5]
                recalls.append(mean(one in first for one in row["supporting"]))

    asyncio.run(run())
    warm = times[WARM_UP:]
    return {
        "open ms": round(1000 * opened, 1), "first question s": round(times[0], 2),
        "warm median s": round(median(warm), 3), "p95 s": round(quantiles(warm, n=20)[-1], 3),
        "processor s a question": round((time.process_time() - busy) / len(questions), 3),
        "MB of memory": memory(), "questions": len(questions), "recall@5": round(100 * mean(recalls), 1),
        "full chain@5": round(100 * mean(one == 1 for one in recalls), 1),
    }  # fmt: skip


def time_techniques(folder: Path, size: int, count: int) -> dict[str, Any]:
    times: dict[str, list[float]] = {one.name: [] for one in techniques()}
    questions = [row["question"] for row in asked(min(count, 12))]
    for one in techniques():  # each by itself: what techniques share is paid by the first otherwise
        with KnowledgeBase.open(file_at(folder, size)) as kb:
            for question in questions:
                begun = time.perf_counter()
                one.find(kb, question, SHOWN)
                times[one.name].append(time.perf_counter() - begun)
    return {name: f"{found[0]:.2f}/{median(found[1:]):.3f}" for name, found in times.items()}


def cold(path: Path) -> dict[str, Any]:
    """A process of its own from its start to its end: seconds, and the most memory it had."""
    seconds, busy, most = [], [], []
    for _ in range(3):
        start = time.perf_counter()
        child = subprocess.Popen([sys.executable, "-m", "assistant", "ask", str(path), COLD], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        if status:
            raise SystemExit(f"clew ask {path} ended with {os.waitstatus_to_exitcode(status)}: no time to tell")
        seconds.append(time.perf_counter() - start)
        busy.append(used.ru_utime + used.ru_stime)
        most.append(used.ru_maxrss // 1000)
    return {
        "clew ask s": round(median(seconds), 2), "processor s": round(median(busy), 2), "MB of memory": max(most),
    }  # fmt: skip


def memory() -> int:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000


STEPS: dict[str, Callable[[Path, int, int], dict[str, Any]]] = {
    "learn": learn, "build": build, "ask": ask, "techniques": time_techniques,
}  # fmt: skip

if __name__ == "__main__":
    main()
