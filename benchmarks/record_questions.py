"""Put questions to knowledge bases offline and keep what each was answered from, to train the choice of answers on.

    python -m benchmarks.record_questions FILE.clew QUESTIONS.jsonl -o RECORDED.pkl [--limit N] [--unread]

Kept are the question, its gold answers, its plan, the passages and bindings that were there in the end, and the
sentences that might tell why, how or what happened: the reading itself is done by `benchmarks/train_choice.py`, so that
one recording serves every version of it. With `--unread` nothing is read meanwhile, which is several times as quick:
kept are what there was to read at first, and in the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from assistant.agent.offline import extracted_answer as extraction
from assistant.agent.offline.reading_pool import Pool
from assistant.conversations.session import Session, final_reply
from kb.errors import ClewError
from tools.reading.parts import split_question
from tools.reading.spans import Reading


def _unread(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
    return [Reading() for _ in pairs]


async def record(file: Path, questions: list[dict[str, Any]], *, unread: bool = False) -> list[dict[str, Any]]:
    """What each question was answered from; questions that are two in one are left out. `last` are the question, its
    plan, the passages, the bindings, and, where nothing was read, what is known of the passages before they are.
    """
    answer, last = extraction.answer_question, []
    tell, told = extraction.tell, []
    order, pools = extraction.by_reading, []

    def ordering(question: str, pool: Pool, reader: Any) -> Any:
        pools[:] = [pool]
        return pool.hits if unread else order(question, pool, reader)

    def remembering(*arguments: Any) -> Any:
        last.append((*arguments[:4], pools[0].before if unread else None))
        return answer(*arguments)

    def telling(*arguments: Any) -> Any:
        told[:] = [arguments]
        return tell(*arguments)

    own = (extraction.load_reader, extraction.read_again)
    extraction.answer_question, extraction.tell, extraction.by_reading = remembering, telling, ordering
    if unread:
        extraction.load_reader, extraction.read_again = lambda: SimpleNamespace(read=_unread), _unread  # type: ignore
    kept = []
    try:
        with Session.open(file) as session:
            for asked in questions:
                last.clear()
                told.clear()
                if split_question(asked["question"]):
                    continue
                try:
                    reply = await final_reply(session, asked["question"])
                except ClewError as error:
                    print(f"{asked['id']}: {error}")
                    continue
                documents = [passage.document for passage in reply.passages]
                one = {"q": asked, "told": next(iter(told), None), "documents": documents}
                kept.append(one | {"last": last[-1] if last else None})
                if unread and len(last) > 1 and len(last[0][2]) != len(last[-1][2]):
                    kept.append(one | {"told": None, "last": last[0]})
                if len(kept) % 50 == 0:
                    print(f"{len(kept)} kept of {len(questions)}", flush=True)
    finally:
        extraction.answer_question, extraction.tell, extraction.by_reading = answer, tell, order
        extraction.load_reader, extraction.read_again = own
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--every", type=int, default=1, help="one question in so many")
    parser.add_argument("--unread", action="store_true", help="read nothing meanwhile")
    arguments = parser.parse_args()
    questions = [json.loads(line) for line in arguments.questions.read_text().splitlines()][: arguments.limit]
    chosen = questions[:: arguments.every]
    arguments.out.write_bytes(pickle.dumps(asyncio.run(record(arguments.file, chosen, unread=arguments.unread))))


if __name__ == "__main__":
    main()
