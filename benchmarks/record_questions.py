"""Put questions to knowledge bases offline and keep what each was answered from, to train the choice of answers on.

    python -m benchmarks.record_questions FILE.clew QUESTIONS.jsonl -o RECORDED.pkl [--limit N]

Kept are the question, its gold answers, its plan, the passages and bindings that were there in the end, and the
sentences that might tell why, how or what happened: the reading itself is done by `benchmarks/train_choice.py`, so that
one recording serves every version of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import pickle
from pathlib import Path
from typing import Any

from assistant.agent.offline import extracted_answer as extraction
from assistant.conversations.session import Session, final_reply
from kb.errors import ClewError
from tools.reading.parts import split_question


async def record(file: Path, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each question was answered from; questions that are two in one are left out."""
    answer, last = extraction.answer_question, []
    tell, told = extraction.tell, []

    def remembering(*arguments: Any) -> Any:
        last[:] = [arguments[:4]]
        return answer(*arguments)

    def telling(*arguments: Any) -> Any:
        told[:] = [arguments]
        return tell(*arguments)

    extraction.answer_question, extraction.tell = remembering, telling
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
                kept.append(
                    {"q": asked, "last": next(iter(last), None), "told": next(iter(told), None)}
                    | {"documents": documents}
                )
                if len(kept) % 50 == 0:
                    print(f"{len(kept)}/{len(questions)}", flush=True)
    finally:
        extraction.answer_question, extraction.tell = answer, tell
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    questions = [json.loads(line) for line in arguments.questions.read_text().splitlines()][: arguments.limit]
    arguments.out.write_bytes(pickle.dumps(asyncio.run(record(arguments.file, questions))))


if __name__ == "__main__":
    main()
