"""How a language model does in each way of asking: right, how sure, tokens, seconds, techniques, malformed responses.

    CLEW_HOME=HOME clew run FILE.clew QUESTIONS.jsonl -o OUT.jsonl --model MODEL --calling planned
    python -m benchmarks.model_ways QUESTIONS.jsonl OUT.jsonl [OUT.jsonl ...] [--transcripts HOME/transcripts]

A folder of its own for each way (`CLEW_HOME`) keeps one from having the judgements of another for nothing. Right is as
`benchmarks.own_questions` has it. A response is malformed that cannot be read as a call or an answer, or does not suit
its tool; judgements inside the techniques are not counted. Transcripts are those of any question with the same words.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from assistant.agent.mending import known_tools, mended
from assistant.conversations.transcripts.exchange import recorded_response
from assistant.conversations.transcripts.transcript_folder import read
from benchmarks.own_questions import verdict

Line = dict[str, Any]


def read_lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def report(asked: Sequence[Line], lines: Sequence[Line]) -> Iterator[str]:
    """What a run comes to, a line each; a question that failed counts as refused."""
    known = {one["id"]: one for one in asked}
    told = [(known[one["id"]], one) for one in lines if one["id"] in known]
    came = [verdict(question, line) for question, line in told]
    counts = Counter(came)
    yield f"{len(told)} questions: {counts['right']} right, {counts['wrong']} wrong, {counts['refused']} refused"
    for level in ("sure", "likely"):
        of_level = [one for (_, line), one in zip(told, came, strict=True) if line["certainty"] == level]
        yield f"{level}: {of_level.count('right')} of {len(of_level)} right"
    spent = [line["usage"]["input_tokens"] + line["usage"]["output_tokens"] for _, line in told]
    requests = [line["usage"]["requests"] for _, line in told]
    if told:
        yield f"tokens: {median(spent):.0f} median, {max(spent)} most"
        yield f"requests: {sum(requests)}, none for {requests.count(0)} questions"
        yield f"seconds: {median(line['seconds'] for _, line in told):.1f} median"
    orders = Counter(" > ".join(tool["name"] for tool in line["tools"]) for _, line in told)
    yield from (f"{count} x {order or 'no tool'}" for order, count in orders.most_common())


def malformed(folder: Path, questions: Sequence[str]) -> tuple[int, int]:
    """How many responses to these questions are malformed, and how many there are."""
    wanted, bad, all_of_them = frozenset(questions), 0, 0
    for path in sorted(folder.iterdir()):
        transcript = read(path)
        if transcript.question not in wanted:
            continue
        for exchange in transcript.exchanges:
            response = recorded_response(exchange) if exchange.kind == "agent" else None
            if response is not None:
                all_of_them += 1
                made = mended(response, known_tools(), range(1, len(transcript.evidence) + 1), ())
                bad += bool(made.wrong) or not made.fits
    return bad, all_of_them


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--transcripts", type=Path)
    arguments = parser.parse_args()
    asked = read_lines(arguments.questions)
    for run in arguments.runs:
        print(run.name, *report(asked, read_lines(run)), sep="\n  ")
    if arguments.transcripts:
        bad, all_of_them = malformed(arguments.transcripts, [one["question"] for one in asked])
        print(f"malformed: {bad} of {all_of_them} responses")


if __name__ == "__main__":
    main()
