"""What the commands on knowledge bases do: open, create, add, browse, forget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from assistant.conversations.session_files import SessionLog
from assistant.library import building
from assistant.library.browsing import find_document
from assistant.library.building import Outcome, Work
from assistant.library.known_files import Library, is_same, typed_path
from assistant.shared.rendering import counted, plain
from kb.errors import ClewError, WriteError
from kb.store.addresses import place
from screens.browse_screen import BrowseScreen
from screens.handlers.signature import Handlers
from screens.library_screen import AddScreen, CreateScreen, ForgetScreen, OpenScreen, WorkScreen
from screens.yes_no import Ask

if TYPE_CHECKING:
    from screens.chat_app import ChatApp


STOPPED = ("stopped; what was finished is kept, and the same command carries on",)


async def open_file(app: ChatApp, argument: str) -> None:
    """Go to another knowledge base: the one named, or one that is chosen."""
    path = typed_path(argument) if argument else None
    if path is None:
        path = await app.push_screen_wait(OpenScreen(app.view.conversation.path))
    if path is not None:
        await _go_to(app, path)


async def _go_to(app: ChatApp, path: Path, log: SessionLog | None = None) -> None:
    """Show the conversation over a file, once it is known that it opens."""
    await asyncio.to_thread(building.count_passages, path)
    await app.switch(app.opening.conversation(path, log))


async def create(app: ChatApp, argument: str) -> None:
    """Make a knowledge base from a folder, and go to it if that is wanted."""
    app.view.refuse_while_busy()
    work = await app.push_screen_wait(CreateScreen(argument))
    if work is None:
        return
    outcome = await app.push_screen_wait(WorkScreen("Making a knowledge base", work))
    if isinstance(outcome, ClewError):
        raise outcome
    if outcome is None:
        await _tell(app, STOPPED)
        return
    path = place(str(outcome.result["path"]))
    with suppress(WriteError):  # the list is a convenience, and the file is made
        await asyncio.to_thread(Library().note, path)
    told = building.told_of(outcome)
    if await asyncio.to_thread(is_same, path, app.view.conversation.path):
        await _reopen(app)
    elif await app.push_screen_wait(Ask(f"{told[0]}. Open it?", "y opens it · n stays here")):
        await _go_to(app, path)
    await _tell(app, told)


async def add(app: ChatApp, argument: str) -> None:
    """Add files, or a text that is pasted, to the file that is open."""
    app.view.refuse_while_busy()
    path = app.view.conversation.path
    work: Work | None
    if argument:
        work = await asyncio.to_thread(lambda: building.adding(path, building.split_paths(argument)))
    else:
        work = await app.push_screen_wait(AddScreen(path))
    if work is not None:
        await _write(app, f"Adding to {plain(path.name, 80)}", work, building.told_of)


async def forget(app: ChatApp, argument: str) -> None:
    """Forget a document of the file that is open, after asking."""
    app.view.refuse_while_busy()
    path = app.view.conversation.path
    found = await asyncio.to_thread(find_document, path, argument) if argument else None
    found = found or await app.push_screen_wait(ForgetScreen(path, argument))
    if found is None:
        return
    what = f"“{plain(found.title, 120)}” ({plain(found.key, 120)})"
    passages = counted(found.passages, "passage")
    if await app.push_screen_wait(Ask(f"Forget {what} with {passages} for good?", "y forgets it · n keeps it")):
        told = f"forgotten: {what}: 1 document, {passages}, and all that came from them"
        await _write(app, f"Forgetting {what}", building.forgetting(path, found.key), lambda outcome: [told])


async def browse(app: ChatApp, argument: str) -> None:
    """Look around in the file that is open; a question about what was found may come of it."""
    if isinstance(app.screen, BrowseScreen):
        app.screen.switch()
        return
    question = await app.push_screen_wait(BrowseScreen(app.view.conversation.path, argument))
    if question is not None:
        app.prompt.begin(question)


async def _write(app: ChatApp, title: str, work: Work, told: Callable[[Outcome], Sequence[str]]) -> None:
    """Do work on the file that is open, and open it anew. Raises ClewError where the work failed."""
    outcome = await app.push_screen_wait(WorkScreen(title, work))
    await _reopen(app)  # what was stopped, or failed on the way, has written too
    if isinstance(outcome, ClewError):
        raise outcome
    await _tell(app, STOPPED if outcome is None else told(outcome))


async def _reopen(app: ChatApp) -> None:
    """Open the file anew, so that what was written is found; the conversation goes on where it was."""
    conversation = app.view.conversation
    await _go_to(app, conversation.path, conversation.log)


async def _tell(app: ChatApp, lines: Sequence[str]) -> None:
    await app.view.say(Static(Content("\n".join(plain(line, 600) for line in lines)), classes="note"))


HANDLERS: Handlers = {
    "open": open_file,
    "create": create,
    "add": add,
    "browse": browse,
    "forget": forget,
}
