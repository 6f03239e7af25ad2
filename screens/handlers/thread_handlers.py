"""The commands about what an answer rests on: evidence, details, thread, source, copy."""

from __future__ import annotations

import asyncio
import importlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.agent.replying.reply import Citation, RankedPassage, Reply
from assistant.conversations.threads.source_file import open_with_system, source_path
from assistant.shared.rendering import plain, plain_block
from kb.errors import UsageError
from screens.handlers.signature import Handlers

if TYPE_CHECKING:
    from tui import ClewApp


async def evidence(app: ClewApp, argument: str) -> None:
    """Show or hide what the answer rests on."""
    app.view.toggle_evidence()


async def details(app: ClewApp, argument: str) -> None:
    """Show or hide all tool calls."""
    app.view.toggle_details()


async def thread(app: ClewApp, argument: str) -> None:
    """Show the thread, or write it to a file."""
    reply = _shown(app)
    if not argument:
        panel = app.view.evidence
        await panel.show(reply)
        panel.open_tab("thread")
        if not panel.display:
            app.view.toggle_evidence()
        return
    path = await asyncio.to_thread(_write, reply, argument)
    app.notify(f"The thread is in {plain(str(path), 300)}.", markup=False)


def _write(reply: Reply, name: str) -> Path:
    from assistant.conversations.threads.thread_export import write_thread  # what the chat's first paint does without

    return write_thread(reply, Path(name).expanduser())


async def source(app: ClewApp, argument: str) -> None:
    """Open the file behind a citation, by default that of the passage that is marked, or of the first one cited."""
    path = await asyncio.to_thread(source_path, app.view.conversation.path, _cited(app, argument))
    await asyncio.to_thread(open_with_system, path)
    app.notify(f"Opened {plain(str(path), 300)}.", markup=False)


async def copy(app: ClewApp, argument: str) -> None:
    """Put the last answer on the clipboard as Markdown; or the whole thread, or the passage of a citation."""
    if argument == "thread":
        from assistant.conversations.threads.thread_export import thread_markdown

        await _copy(app, thread_markdown(_shown(app)), "The thread")
    elif argument:
        cited = _cited(app, "" if argument == "passage" else argument)
        number = cited.passage_id if isinstance(cited, Citation) else cited.id
        passage = next((one for one in _shown(app).passages if one.id == number), None)
        if passage is None:
            raise UsageError("the text of that passage was not kept with the answer")
        await _copy(app, plain_block(passage.text), "The passage")
    elif app.view.conversation.last is None:
        app.notify("There is no answer to copy yet.", markup=False)
    else:
        await _copy(app, app.view.conversation.last.markdown(), "The last answer")


HANDLERS: Handlers = {
    "evidence": evidence,
    "details": details,
    "thread": thread,
    "source": source,
    "copy": copy,
}


def _shown(app: ClewApp) -> Reply:
    reply = app.view.evidence.reply or app.view.conversation.last
    if reply is None:
        raise UsageError("there is no answer yet; ask something first")
    return reply


def _cited(app: ClewApp, argument: str) -> Citation | RankedPassage:
    reply, selected = _shown(app), app.view.evidence.selected
    if not argument and selected is not None:
        return selected.passage
    number = argument.strip("[]") or "1"
    for citation in reply.sources:
        if number == f"{citation.number}":
            return citation
    known = ", ".join(f"[{citation.number}]" for citation in reply.sources)
    raise UsageError(f"there is no source {argument[:20] or '[1]'!r} here" + (f"; there is {known}" if known else ""))


async def _copy(app: ClewApp, text: str, what: str) -> None:
    """By the terminal (OSC 52), and by the system too where a library for that is installed."""
    app.copy_to_clipboard(text)
    app.notify(f"{what} is on the clipboard.", markup=False)
    if find_spec("pyperclip") is not None:
        await asyncio.to_thread(_system_copy, text)


def _system_copy(text: str) -> None:
    pyperclip = importlib.import_module("pyperclip")
    try:
        pyperclip.copy(text)
    except pyperclip.PyperclipException:
        return  # no clipboard here, as over ssh: the terminal has it
