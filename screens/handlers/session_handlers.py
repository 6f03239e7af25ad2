"""What the commands on sessions and questions do."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.conversations.session_export import export as export_turns
from assistant.conversations.session_files import SessionLog
from assistant.shared.rendering import plain
from kb.errors import UsageError
from kb.store.addresses import place
from screens.handlers.signature import Handlers
from screens.history_screen import History
from screens.sessions_screen import SessionsScreen

if TYPE_CHECKING:
    from screens.chat_app import ChatApp


async def new(app: ChatApp, argument: str) -> None:
    """Begin a new session."""
    conversation = app.view.conversation
    await _go_to(app, conversation.sessions.create(conversation.path, argument))


async def sessions(app: ChatApp, argument: str) -> None:
    """Look for a session and go on with it."""
    conversation = app.view.conversation
    log = await app.push_screen_wait(SessionsScreen(conversation, argument))
    if log is not None:
        await _go_to(app, log)
    elif conversation.log.is_deleted:
        await _go_to(app, conversation.sessions.create(conversation.path))


async def rename(app: ChatApp, argument: str) -> None:
    """Name the session."""
    log = app.view.conversation.log
    await asyncio.to_thread(log.rename, argument)
    app.view.show_title()


async def fork(app: ChatApp, argument: str) -> None:
    """Go on in a copy of the session."""
    app.view.refuse_while_busy()
    conversation = app.view.conversation
    if not conversation.log.head:
        raise UsageError("there is nothing to fork yet")
    log = await asyncio.to_thread(conversation.sessions.fork, conversation.log, name=argument)
    await _go_to(app, log)


async def edit(app: ChatApp, argument: str) -> None:
    """Put a question back into the prompt, to be asked again as a branch."""
    question = app.view.edit(_number(argument, "question") if argument else None)
    app.prompt.begin_edit(question, app.view.editing)


async def branch(app: ChatApp, argument: str) -> None:
    """Go to another branch: the next one, the one with a number, or a question's, as 3.2."""
    question, dot, number = argument.rpartition(".")
    await app.view.branch(
        _number(question, "question") if dot else None, _number(number, "branch") if argument else None
    )
    app.prompt.put_back([])


async def export(app: ChatApp, argument: str) -> None:
    """Write answers to a file."""
    first, _, rest = argument.partition(" ")
    is_which = first in ("last", "all") or first.isdecimal()
    which, file = (first, rest.strip()) if is_which else ("last", argument)
    path = await asyncio.to_thread(export_turns, app.view.conversation.log, which, Path(file) if file else None)
    app.notify(f"Written to {plain(str(path), 200)}.", markup=False)


async def history(app: ChatApp, argument: str) -> None:
    """Look for an earlier question and put it into the prompt."""
    question = await app.push_screen_wait(History(app.view.conversation, argument))
    if question is not None:
        app.prompt.begin(question)


async def stop(app: ChatApp, argument: str) -> None:
    """Stop the answer under way, and put the questions that waited back into the prompt."""
    app.prompt.put_back(app.view.stop())


async def _go_to(app: ChatApp, log: SessionLog) -> None:
    conversation = app.view.conversation
    if log.knowledge_base == str(conversation.path.resolve()):
        await app.view.go_to(log)
    else:
        path = place(log.knowledge_base)
        if not await asyncio.to_thread(path.is_file):
            raise UsageError(f"{str(path)!r}, which that session is about, is not there any more")
        await app.switch(app.opening.conversation(path, log))
    app.prompt.put_back([])


def _number(text: str, what: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise UsageError(f"{text[:40]!r} is no number of a {what}")
    return int(text)


HANDLERS: Handlers = {
    "new": new,
    "sessions": sessions,
    "rename": rename,
    "fork": fork,
    "edit": edit,
    "branch": branch,
    "export": export,
    "history": history,
    "stop": stop,
}
