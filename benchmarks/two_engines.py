"""The same questions over the same knowledge base in a file and on a server: answers, the first five passages, seconds.

    python -m benchmarks.two_engines FILE postgresql://… QUESTIONS

Each question is asked of both before the next one, in turns of who is first, by one process: what else a machine does
meets both. Seconds are those of a question in a session that is open already.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from pathlib import Path

from assistant.agent.replying.reply import Reply
from assistant.conversations.session import Session, final_reply
from assistant.shared.model_choice import ModelChoice
from assistant.shared.question_files import read_questions
from kb.store.addresses import place

FIRST = 5


async def asked(session: Session, question: str) -> tuple[Reply, float]:
    started = time.perf_counter()
    return await final_reply(session, question), time.perf_counter() - started


async def main() -> None:
    bases, questions = [place(one) for one in sys.argv[1:3]], read_questions(Path(sys.argv[3]))
    sessions = [Session.open(base, ModelChoice()) for base in bases]
    for session in sessions:  # what is loaded once
        await asked(session, questions[0].text)
    same = answers = 0
    seconds: list[list[float]] = [[], []]
    for number, question in enumerate(questions):
        found: dict[int, tuple[list[int], str, str]] = {}
        for at in (0, 1) if number % 2 else (1, 0):
            reply, took = await asked(sessions[at], question.text)
            seconds[at].append(took)
            found[at] = [one.id for one in reply.passages[:FIRST]], reply.answer, reply.certainty
        same += found[0][0] == found[1][0]
        answers += found[0][1:] == found[1][1:]
    print(f"{len(questions)} questions: the first {FIRST} passages equal in {same}, answer and certainty in {answers}")
    for base, took in zip(bases, seconds, strict=True):
        print(f"{base}: median {statistics.median(took):.2f} s, mean {statistics.mean(took):.2f} s")


asyncio.run(main())
