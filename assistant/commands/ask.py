"""The commands that answer: ask, chat, run."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from assistant.commands.options import (
    AS_JSON,
    FILE,
    QUIET,
    TOP,
    Terminated,
    budget_options,
    model_options,
    plain_error,
    print_json,
    progress_on_stderr,
    risk_option,
    run_budget_options,
    run_until_terminated,
    styled,
    transcript_option,
)
from assistant.shared.config import value
from assistant.shared.model_choice import ModelChoice
from assistant.shared.rendering import NOT_FOUND, Line, as_text, location, marked, plain, words_said
from assistant.shared.standard_streams import is_terminal, standard_input
from kb.errors import NotAKnowledgeBase, UsageError
from kb.store.addresses import ServerAddress

if TYPE_CHECKING:
    from assistant.agent.replying.reply import Reply
    from assistant.evaluation.question_run import RunReport
    from assistant.shared.spending_limits import Budget


@click.command(short_help="Answer a question.")
@FILE
@click.argument("question")
@TOP
@AS_JSON
@click.option("--graph", is_flag=True, help="Draw the graph around the answer as well.")
@click.option(
    "--thread", type=click.Path(path_type=Path), metavar="OUT", help="Write the thread to OUT: .md .json .svg."
)
@model_options
@budget_options
@risk_option
@transcript_option
@QUIET
def ask(
    file: Path,
    question: str,
    top: int,
    as_json: bool,
    graph: bool,
    thread: Path | None,
    choice: ModelChoice,
    budget: Budget,
    risk: float,
    transcripts: Path | None,
    quiet: bool,
) -> None:
    """Answer a question: the answer, what it rests on, and the chain of facts that leads to it.

    QUESTION is read from stdin where it is -. Behind the answer stands how sure it is: sure, likely or, for none, the
    sentences closest to the question. The exit code is 0 for an answer and 1 where this knowledge base does not hold
    one. Where the budget is spent, or a model fails half-way, the answer is what had been found by then, and says
    so.

    \b
    Examples:
      clew ask notes.clew "Where was the director of Metropolis born?"
      clew ask notes.clew - --model qwen3 --base-url http://localhost:11434/v1 < question.txt
      clew ask notes.clew "Where was the director of Metropolis born?" --graph --thread metropolis.svg
    """
    from assistant.commands.answer_thread import print_graph
    from assistant.conversations.narration import narration_on_stderr
    from assistant.conversations.session import answer, checked_question
    from assistant.conversations.threads.thread_export import check_place, write_thread

    if thread is not None:
        check_place(thread)
    text = checked_question(_from_stdin() if question == "-" else question)
    with narration_on_stderr(quiet) as tell:
        reply = answer(file, text, choice, top=top, budget=budget, risk=risk, transcripts=transcripts, tell=tell)
    if as_json:
        print_json(reply.to_json())
    else:
        print_reply(reply)
        if graph:
            click.echo()
            print_graph(reply)
    if thread is not None:
        write_thread(reply, thread)
    sys.exit(0 if reply.found else 1)


@click.command(short_help="Ask in a terminal, with answers as they arrive.")
@FILE
@click.option(
    "--questions",
    type=click.Path(path_type=Path),
    help="Suggested in the chat; asked one after the other in one conversation where there is no terminal.",
)
@click.option("--session", "name", metavar="NAME", help="Go on with this session, not with the latest one over FILE.")
@click.option("--new", "is_new", is_flag=True, help="Begin a new session, called NAME where --session gives one.")
@click.option("--serve", is_flag=True, help="In a browser on this machine, at an address that only you are told.")
@click.option("--port", type=click.IntRange(1, 65535), help="With --serve; by default one that is free.")
@model_options
@budget_options
@risk_option
@transcript_option
def chat(
    file: Path,
    questions: Path | None,
    name: str | None,
    is_new: bool,
    serve: bool,
    port: int | None,
    choice: ModelChoice,
    budget: Budget,
    risk: float,
    transcripts: Path | None,
) -> None:
    """Open the chat over a knowledge base. With no terminal on stdin and stdout, answer the --questions instead.

    Every chat is kept as a session, and goes on where the latest one over FILE stopped; `clew sessions` lists them.

    \b
    Examples:
      clew chat notes.clew
      clew chat notes.clew --new --session "Silent films"
      clew chat notes.clew --serve
    """
    from assistant.conversations.session_files import SessionFolder
    from assistant.shared.question_files import read_questions

    if not file.exists():
        raise NotAKnowledgeBase(f"there is no file {str(file)!r}; build it first: clew build SOURCES -o {file}")
    asked = [question.text for question in read_questions(questions)] if questions else []
    if port is not None and not serve:
        raise UsageError("--port goes with --serve")
    if serve:
        own = (("--questions", questions), ("--session", name), ("--new", is_new), ("--no-transcript", not transcripts))
        _serve(file, port, own, choice, budget, risk)
    elif _has_screen():
        # By name, since this layer may not know the one above it.
        importlib.import_module("tui").run_chat(
            file, choice, asked, budget, transcripts, SessionFolder().chosen(file, name, is_new), risk
        )
    elif asked:
        _answer_all(file, asked, choice, budget, transcripts, risk)
    else:
        raise UsageError(
            "the chat needs a terminal that can be drawn on; without one give --questions FILE, or use clew ask"
        )


@click.command(short_help="Answer a file of questions.")
@FILE
@click.argument("questions", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The file of results, JSON Lines.")
@TOP
@click.option("--plans", type=click.Path(path_type=Path), help="Recorded constraint plans, used instead of planning.")
@model_options
@budget_options
@run_budget_options
@risk_option
@transcript_option
@QUIET
def run(
    file: Path,
    questions: Path,
    output: Path,
    top: int,
    plans: Path | None,
    choice: ModelChoice,
    budget: Budget,
    run_budget: Budget,
    risk: float,
    transcripts: Path | None,
    quiet: bool,
) -> None:
    """Answer a file of questions into a file of results, a line for each in the same order.

    QUESTIONS is .txt (a question a line), .csv or .jsonl with `id`, `question` and optionally `answers`, `supporting`
    and `type`. A run that was stopped carries on when it is started again: what is in the results is not asked again,
    unless it failed. A question that cannot be answered for an error is a line with `error`. Where the budget of the
    run is spent it stops with exit code 5, and another run goes on from there.

    \b
    Example:
      clew run notes.clew questions.jsonl -o results.jsonl && clew eval results.jsonl questions.jsonl
    """
    from assistant.conversations.session import Session
    from assistant.evaluation.question_run import run_questions
    from assistant.models.budget import BudgetSpent, Meter
    from assistant.models.endpoints import price
    from assistant.shared.question_files import read_questions
    from assistant.shared.recorded_plans import read_plans

    _refuse_same_file(output, [path for path in (file, questions, plans) if path])
    asked = read_questions(questions)
    recorded = read_plans(plans) if plans else {}

    async def answer_them(progress: Callable[[RunReport], None]) -> RunReport:
        with Session.open(
            file, choice, top=top, budget=budget, above=meter, transcripts=transcripts, risk=risk
        ) as session:
            return await run_questions(session, asked, output, plans=recorded, progress=progress)

    meter = Meter(run_budget, partial(price, choice))
    report: RunReport | None = None
    try:
        with progress_on_stderr(quiet) as bar:

            def show(done: RunReport) -> None:
                nonlocal report
                report = done
                bar("answering", done.finished, done.questions, meter.spent.text())

            report = run_until_terminated(answer_them(show))
    except KeyboardInterrupt as stop:
        if report is None:
            raise
        _end_stopped(report, output, stop)
    if not quiet:
        click.echo(f"{plain(str(output))}: {report.summary()}", err=True)
    if report.stopped:
        sys.exit(BudgetSpent.exit_code)


COMMANDS = (ask, chat, run)


def _has_screen() -> bool:
    """Whether there is a terminal that can be drawn on, or a browser, whose chat is to end with the process that serves
    it.
    """
    if "web_driver" in os.environ.get("TEXTUAL_DRIVER", ""):
        from assistant.serving.chat_server import end_with_server

        end_with_server()
        return True
    return is_terminal(sys.stdin) and is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb"


def _serve(
    file: Path, port: int | None, own: Sequence[tuple[str, object]], choice: ModelChoice, budget: Budget, risk: float
) -> None:
    try:
        from assistant.serving.chat_server import chat_arguments, serve_chat
    except ImportError as error:
        raise UsageError("the chat in a browser needs more: pip install 'clew[serve]'") from error
    chosen = {
        "model": choice.name,
        "base_url": choice.base_url,
        "calling": choice.calling,
        "judge": choice.judge,
        "answer_tokens": choice.answer_tokens,
        "max_tokens": budget.tokens,
        "max_cost": budget.cost,
        "max_seconds": budget.seconds,
        "risk": risk,
    }
    # The rest comes from environment and file there as well; an address with a password in it is best kept there.
    shared = [(f"--{key.replace('_', '-')}", one) for key, one in chosen.items() if one != value(key).value]
    serve_chat(chat_arguments(file, (*own, *shared)), f"clew · {file.name}", port or 0)


def print_reply(reply: Reply) -> None:
    """The answer with its mark, its explanation, what is closest to a question without one, what it cites, the chain
    and notes, as text on stdout, coloured on a terminal.
    """
    from assistant.agent.replying.reply import NOT_IN_PASSAGES
    from assistant.conversations.threads.answer_graph import numbers_of
    from assistant.conversations.threads.lines import chain_lines, closest_lines

    numbers = numbers_of(reply)

    struck = [Line(((f"struck out {NOT_IN_PASSAGES}: {plain(text, 300)}", "dim"),)) for text in reply.struck]
    explanation = [Line(((as_text(reply.explanation), ""),))]
    blocks = [_headline(reply), explanation, closest_lines(reply), struck, _sources(reply)]
    blocks += [chain_lines(chain, numbers) for chain in reply.chains]
    blocks.append([Line(((f"Note: {plain(note)}.", "warning"),)) for note in reply.notes])
    texts = ["\n".join(map(styled, block)).strip() for block in blocks]
    click.echo("\n\n".join(text for text in texts if text).encode("utf-8", "replace"))


def _headline(reply: Reply) -> list[Line]:
    if reply.found:
        return [marked(plain(reply.answer), reply.told_certainty)]
    return [
        marked(NOT_FOUND, reply.told_certainty, "warning"),
        Line(((f"Missing: {words_said(reply.missing)}", ""),)),
    ]


def _sources(reply: Reply) -> list[Line]:
    from assistant.agent.replying.reply import SOURCES

    told = [
        Line(
            (
                (f"[{citation.number}] ", "link"),
                (plain(citation.title, 120) or plain(citation.document, 120), ""),
                (f"  {location(citation.source, citation.page)}", "dim"),
            )
        )
        for citation in reply.sources[:SOURCES]
    ]
    return [*told, Line(((reply.sources_left, "dim"),))] if reply.sources_left else told


def _from_stdin() -> str:
    try:
        return standard_input().read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the question on stdin is not UTF-8 text (byte {error.start})") from error


def _answer_all(
    file: Path, questions: Sequence[str], choice: ModelChoice, budget: Budget, transcripts: Path | None, risk: float
) -> None:
    from assistant.conversations.session import Session, next_reply

    async def answer_them() -> None:
        with Session.open(file, choice, budget=budget, transcripts=transcripts, risk=risk) as session:
            for question in questions:
                click.echo(styled(Line(((f"> {plain(question)}", "strong"),))))
                try:
                    print_reply(await next_reply(session, question))
                except UsageError as error:
                    click.echo(plain_error(error))
                click.echo()

    asyncio.run(answer_them())


def _end_stopped(report: RunReport, output: Path, stop: KeyboardInterrupt) -> NoReturn:
    """Say how far a run came that was stopped, and end with the code that shells give for the signal."""
    by, code = ("SIGTERM", 143) if isinstance(stop, Terminated) else ("Ctrl-C", 130)
    click.echo(f"clew: {plain(str(output))}: {replace(report, stopped=by).summary()}", err=True)
    sys.exit(code)


def _refuse_same_file(output: Path, inputs: Sequence[Path]) -> None:
    for path in inputs:
        if isinstance(path, ServerAddress):
            continue
        if output.exists() and path.exists() and output.samefile(path):
            raise UsageError(f"-o {str(output)!r} is a file that is read here; name another one for the results")
