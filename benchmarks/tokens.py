"""Tokens that a question costs a language model: schemas, instructions, results, history and what the model says.

    python -m benchmarks.tokens FILE.clew QUESTIONS.jsonl [--plans PLANS.jsonl] [--question ID] [--limit 20] [--json]

A server on loopback stands for the endpoint and answers from a script: the steps of the question's plan, then a search
for each of --searches steps, then an answer that quotes what was shown. What is counted is the JSON of each request as
it arrives, string escapes undone, in tokens of the bundled MiniLM's WordPiece: no model's own, but the one that needs
no download; 3.5 to 4 characters of such a request make one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

from pydantic_ai import Tool

from assistant.agent.deps import Deps
from assistant.agent.guidance import slim
from assistant.agent.loop import TOOLS
from assistant.conversations.session import Session, final_reply
from assistant.shared.model_choice import ModelChoice
from assistant.shared.question_files import Question, read_questions
from assistant.shared.recorded_plans import complete_plan, read_plans
from kb.store.embeddings import load_embedder
from tools.planning.plan import Constraint

Request = dict[str, Any]
Call = tuple[str, dict[str, Any]]
Turn = Callable[[Request], Call]

QUOTED = 4
"""Passages that the scripted answer quotes: one for each hop."""

_PASSAGE = re.compile(r'<passage number="(\d+)" title="[^"]*">\n(.*?)\n</passage>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class RequestCost:
    """Tokens of one request. `results` are those of tools that it carries for the first time, `history` the calls and
    results that earlier ones carried or made, `completion` what the model answers; `frame` is the rest of the JSON.
    """

    schemas: int
    instructions: int
    question: int
    results: int
    history: int
    completion: int
    frame: int

    @property
    def total(self) -> int:
        """All of it."""
        return sum(asdict(self).values())


def count(value: object) -> int:
    """WordPiece tokens of a value's JSON, string escapes undone; of a text as it is."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return load_embedder().count_tokens([text.replace("\\n", "\n").replace('\\"', '"')])[0]


def schema_tokens() -> dict[str, int]:
    """Tokens of each tool as a language model is offered it."""
    counted = {}
    for function in TOOLS:
        tool = slim(Tool[Deps](function).tool_def, ("question",))
        schema = {"name": tool.name, "description": tool.description, "parameters": tool.parameters_json_schema}
        counted[tool.name] = count({"type": "function", "function": schema})
    return counted


def ask(path: Path, question: str, script: Sequence[Turn]) -> list[RequestCost]:
    """What each request of a scripted model costs, the last turn serving all that follow."""
    return [cost_of(request, answer) for request, answer in recorded(path, question, script)]


def recorded(path: Path, question: str, script: Sequence[Turn]) -> list[tuple[Request, Call]]:
    """The requests of a scripted model for one question, as they arrive at its server, with its answers."""
    with _endpoint(script) as (url, seen), Session.open(path, ModelChoice("scripted", url, "tools")) as session:
        asyncio.run(final_reply(session, question))
    return seen


def four_hops(steps: Sequence[Constraint], searches: int = 1) -> list[Turn]:
    """What a sensible model does: all steps at once, a search for as many of the last as it lacks, the answer."""
    lines = [f"{step.head} | {step.relation} | {step.tail}" for step in steps]
    searched = [saying("passage_search", {"query": step.text()}) for step in list(reversed(steps))[:searches]]
    return [saying("find_evidence", {"steps": lines}), *searched, quoting]


def saying(name: str, arguments: dict[str, Any]) -> Turn:
    """A turn that makes this call, whatever was asked."""
    return lambda _: (name, arguments)


def quoting(request: Request) -> Call:
    """An answer of the first words of the passages shown, each with its number: four sentences, as for four hops."""
    passages = _PASSAGE.findall("\n".join(_texts(request, "tool")))[:QUOTED]
    quotes = [(int(number), _first_words(text)) for number, text in passages]
    told = " ".join(f"{words} [{number}]." for number, words in quotes)
    answer = " ".join(quotes[0][1].split()[:3]) if quotes else ""
    return "answer", {"answer": answer, "explanation": told, "cited": [number for number, _ in quotes]}


def result_tokens(path: Path, questions: Sequence[Question]) -> dict[str, list[int]]:
    """Tokens of what each kind of call gives, each as the first call of its question."""
    sizes: dict[str, list[int]] = {}
    for question in questions:
        for name, arguments in _calls(question.text).items():
            requests = recorded(
                path, question.text, [saying(name, arguments), saying("not_found", {"missing": "all of it"})]
            )
            sizes.setdefault(name, []).append(count(_texts(requests[-1][0], "tool")[-1]))
    return sizes


def shares(costs: Sequence[RequestCost]) -> dict[str, int]:
    """The parts of all requests together."""
    return {part: sum(getattr(cost, part) for cost in costs) for part in RequestCost.__dataclass_fields__}


def _calls(question: str) -> Mapping[str, dict[str, Any]]:
    steps = [f"{one.head} | {one.relation} | {one.tail}" for one in complete_plan(question, ()).constraints]
    planned: dict[str, dict[str, Any]] = {"find_evidence": {"steps": steps}} if steps else {}
    resolved: dict[str, dict[str, Any]] = {"resolve_constraints": {"steps": steps}} if steps else {}
    return (
        planned
        | resolved
        | {
            "passage_search": {"query": question},
            **{name: {} for name in ("join_concepts", "follow_paths", "walk_facts", "chain_facts")},
        }
    )


def cost_of(request: Request, answer: Call) -> RequestCost:
    """What a request costs with its answer."""
    messages = request["messages"]
    # What follows the model's last message is new.
    last = max((at for at, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    parts = {
        "schemas": count(request.get("tools") or request.get("response_format")),
        "instructions": count([one for one in messages if one["role"] == "system"]),
        "question": count([one for one in messages if one["role"] == "user"]),
        "results": sum(count(one) for one in messages[last + 1 :] if one["role"] == "tool"),
        "history": sum(count(one) for one in messages[: last + 1] if one["role"] in ("assistant", "tool")),
    }
    return RequestCost(**parts, frame=count(request) - sum(parts.values()), completion=count(list(answer)))


def _texts(request: Request, role: str) -> list[str]:
    return [str(one["content"]) for one in request["messages"] if one["role"] == role]


def _first_words(text: str) -> str:
    words: list[str] = []
    for word in text.replace("…", " ").split()[:25]:
        words.append(word.rstrip(".!?"))
        if word != words[-1]:
            break
    return " ".join(words)


@contextmanager
def _endpoint(script: Sequence[Turn]) -> Iterator[tuple[str, list[tuple[Request, Call]]]]:
    seen: list[tuple[Request, Call]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "tools" in request:
                asked = sum("tools" in one for one, _ in seen)
                answer = script[min(asked, len(script) - 1)](request)
                body, kind = _streamed(answer, len(seen) + 1), "text/event-stream"
            else:
                answer, kind = ("judged", _judgement(request)), "application/json"
                body = _said(answer[1])
            seen.append((request, answer))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _streamed(answer: Call, turn: int) -> bytes:
    name, arguments = answer
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"index": 0, "id": f"call_{turn}", "type": "function", "function": function}
    events: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    lines = [json.dumps({**head, **event}) for event in events]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


def _judgement(request: Request) -> dict[str, Any]:
    """One judgement of each kind: the first fact, a middling score, the first entity as told, the question itself as
    the one concept.
    """
    question = _texts(request, "user")[0].partition("\n")[0].removeprefix("Question: ")
    concept = {"text": question, "weight": 1, "specialised": "", "relaxed": []}
    first = next((line for line in _texts(request, "user")[0].splitlines() if line.startswith("1")), "")
    picked = {"helpful": [1], "facts": [1], "enough": True, "scores": {"1": 5}, "summaries": {"1": first}}
    return {**picked, "answered_by": [], "concepts": [concept]}


def _said(judgement: dict[str, Any]) -> bytes:
    message = {"role": "assistant", "content": json.dumps(judgement)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "scripted"}
    return json.dumps({**head, "choices": [choice]}).encode()


def main() -> None:
    options = _options()
    questions = read_questions(options.questions)
    plans = read_plans(options.plans) if options.plans else {}
    chosen = _chosen(questions, plans, options.question)
    steps = plans.get(chosen.id) or complete_plan(chosen.text, ()).constraints
    costs = ask(options.file, chosen.text, four_hops(steps, options.searches))
    results = result_tokens(options.file, questions[: options.limit])
    told = {
        "schemas": schema_tokens(),
        "results": {name: {"median": median(sizes), "max": max(sizes)} for name, sizes in results.items()},
        "question": {"id": chosen.id, "steps": len(steps), "requests": [asdict(cost) for cost in costs]},
        "shares": shares(costs),
        "total": sum(cost.total for cost in costs),
    }
    print(json.dumps(told) if options.json else _text(told))


def _options() -> argparse.Namespace:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--plans", type=Path, help="recorded plans; without, questions are planned offline")
    parser.add_argument("--question", default="", help="id of the scripted question; else the one of most steps")
    parser.add_argument("--searches", type=int, default=1)
    parser.add_argument("--limit", type=int, default=20, help="questions for the sizes of results")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _chosen(questions: Sequence[Question], plans: Mapping[str, Sequence[Constraint]], wanted: str) -> Question:
    if wanted:
        found = next((one for one in questions if one.id == wanted), None)
        return found or sys.exit(f"there is no question {wanted!r} in the file")
    return max(questions, key=lambda one: len(plans.get(one.id) or complete_plan(one.text, ()).constraints))


def _text(told: Mapping[str, Any]) -> str:
    lines = ["tokens of each tool's schema"]
    lines += [f"  {name:<22}{tokens:6,}" for name, tokens in told["schemas"].items()]
    lines += [f"  {'all':<22}{sum(told['schemas'].values()):6,}", "", "tokens of a result: median, max"]
    lines += [f"  {name:<22}{one['median']:6,.0f}{one['max']:6,}" for name, one in told["results"].items()]
    question = told["question"]
    lines += ["", f"question {question['id']}, {question['steps']} steps, {len(question['requests'])} requests"]
    lines += [f"  {part:<22}{tokens:6,}  {tokens / told['total']:4.0%}" for part, tokens in told["shares"].items()]
    return "\n".join([*lines, f"  {'in all':<22}{told['total']:6,}"])


if __name__ == "__main__":
    main()
