"""How long a user waits: `clew --help`, a cold `clew ask` on a small file, and warm questions on a large one.

    python -m benchmarks.speed SMALL.clew LARGE.clew QUESTIONS.jsonl [--limit 100]

Wall-clock seconds on this machine as it is just now; run it when nothing else is running.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median, quantiles

from assistant.conversations.session import Session, final_reply

REPEATS = 5
WARM_UP = 3


def command_seconds(*arguments: str) -> float:
    """The median wall time of a command of its own process."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "assistant", *arguments], capture_output=True, check=False)
        times.append(time.perf_counter() - start)
    return median(times)


async def warm_seconds(path: Path, questions: list[str]) -> list[float]:
    """The wall time of each question in one session, the first ones left out."""
    times = []
    with Session.open(path) as session:
        for question in questions:
            start = time.perf_counter()
            await final_reply(session, question)
            times.append(time.perf_counter() - start)
            session.resume(())
    return times[WARM_UP:]


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("small", type=Path)
    parser.add_argument("large", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--limit", type=int, default=100)
    options = parser.parse_args()
    lines = options.questions.read_text("utf-8").splitlines()[: options.limit + WARM_UP]
    questions = [json.loads(line)["question"] for line in lines]
    print(f"clew --help            {command_seconds('--help'):6.2f} s")
    print(f"clew ask, cold, small  {command_seconds('ask', str(options.small), questions[0]):6.2f} s")
    times = asyncio.run(warm_seconds(options.large, questions))
    slowest = quantiles(times, n=20)[-1]
    print(f"warm question          {1000 * median(times):6.0f} ms median, {1000 * slowest:.0f} ms p95")


if __name__ == "__main__":
    main()
