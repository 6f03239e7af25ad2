"""Choosing a knowledge base, making one, adding to it and forgetting a document of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, ProgressBar, Static, TextArea

from assistant.library import building
from assistant.library.browsing import find_documents
from assistant.library.building import Outcome, Step, Work
from assistant.library.known_files import Known, Library, completed, matching, typed_path
from assistant.shared.rendering import counted, duration, plain
from kb.errors import ClewError, UsageError
from screens.finder import SHOWN, Finder
from screens.path_input import PathInput
from screens.style import STYLES

if TYPE_CHECKING:
    from kb.store.listing import DocumentLine

READ = (
    ".txt", ".md", ".markdown", ".html", ".htm", ".pdf", ".docx", ".jsonl", ".ndjson", ".csv", ".tsv", ".eml", ".mbox",
    ".json", ".yaml", ".yml", ".xml", ".xlsx", ".pptx", ".odt", ".epub", ".ipynb", ".rst", ".org", ".vtt", ".srt",
    ".py", ".js", ".ts", ".go", ".rs", ".java", ".c", ".h", ".cpp", ".sh", ".sql",
)  # fmt: skip
"""The suffixes of kb.documents.file_types, whose import takes time that the first paint does not have."""


def _is_file(typed: str) -> bool:
    try:
        return typed_path(typed).is_file()
    except (UsageError, OSError):  # the home of a user whose name is not typed to its end, or too long for a name
        return False


def _is_among(paths: set[str], typed: str) -> bool:
    """Whether a path that was typed leads to one of these absolute ones."""
    return str(typed_path(typed).resolve()) in paths


class OpenScreen(Finder[Known | str, Path]):
    """The knowledge bases that were used, and the paths that the words may become; gives the one to open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "complete", priority=True),
        Binding("ctrl+d", "drop", "take off the list", priority=True),
    ]

    title_text = "Open a knowledge base"
    hint = "words or a path · tab completes · enter opens · ctrl+d takes it off this list · esc closes"

    def __init__(self, current: Path) -> None:
        super().__init__()
        self._current = current.resolve()

    def find(self, words: str) -> Sequence[Known | str]:
        known = matching(Library().all(), words)
        typed = words.strip()
        listed = {str(one.path) for one in known}
        paths = [path for path in completed(typed) if plain(path) == path and not _is_among(listed, path)]
        if typed and typed not in paths and _is_file(typed) and not _is_among(listed, typed):
            paths.insert(0, typed)
        return [*known, *paths] if "/" not in typed else [*paths, *known]

    def shown(self, item: Known | str) -> Content:
        if isinstance(item, str):
            return Content.assemble((item, ""), ("  folder" if item.endswith("/") else "  file", STYLES["dim"]))
        here = "  open now" if item.path == self._current else ""
        state = "gone" if not item.is_there else counted(item.passages, "passage") if item.passages is not None else ""
        about = f"  {plain(str(item.path.parent), 200)} · {state} · {item.used[:10]}{here}"
        return Content.assemble((plain(item.path.name, 80), "bold"), (about, STYLES["dim"]))

    async def chosen(self, item: Known | str) -> None:
        if isinstance(item, str) and item.endswith("/"):
            self._type(item)
        elif isinstance(item, Known) and not item.is_there:
            raise UsageError(f"{plain(str(item.path), 200)} is gone; ctrl+d takes it off this list")
        else:
            self.dismiss(typed_path(item) if isinstance(item, str) else item.path)

    def action_complete(self) -> None:
        """Type the path that is highlighted."""
        item = self.highlighted
        if item is not None:
            self._type(item if isinstance(item, str) else str(item.path))

    def _type(self, text: str) -> None:
        field = self.query_one(Input)
        field.value = text
        field.cursor_position = len(text)

    def action_drop(self) -> None:
        """Take the one that is highlighted off the list; its file stays."""
        if isinstance(item := self.highlighted, Known):
            try:
                Library().drop(item.path)
            except ClewError as error:
                self.tell(f"✗ {plain(str(error), 300)}")
            else:
                self.look()


class ForgetScreen(Finder["DocumentLine", "DocumentLine | None"]):
    """The documents of a file; gives the one to forget."""

    title_text = "Forget a document"
    hint = "enter chooses · esc closes"

    def __init__(self, path: Path, words: str = "") -> None:
        super().__init__(words)
        self._path = path

    def find(self, words: str) -> Sequence[DocumentLine]:
        return find_documents(self._path, words, SHOWN)

    def shown(self, item: DocumentLine) -> Content:
        about = f"  {plain(item.key, 80)} · {counted(item.passages, 'passage')}"
        return Content.assemble((plain(item.title, 160), "bold"), (about, STYLES["dim"]))

    async def chosen(self, item: DocumentLine) -> None:
        self.dismiss(item)


class WorkScreen(ModalScreen[Outcome | ClewError | None]):
    """Does the work and shows how far it is; gives what came of it, what went wrong, or None where it was stopped."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop"),
    ]

    def __init__(self, title: str, work: Work) -> None:
        super().__init__(classes="form")
        self._title = title
        self._work = work
        self._stopping = False

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            yield ProgressBar(show_eta=False)
            yield Static("starting …", id="step", markup=False)
            yield Static("esc stops; what is finished is kept", classes="dim hint", markup=False)

    def on_mount(self) -> None:
        self._run()

    @work(group="work", exit_on_error=False)
    async def _run(self) -> None:
        try:
            outcome = await self._work.run(self._show)
        except ClewError as error:
            self.dismiss(error)
        except asyncio.CancelledError:
            if not self._stopping:
                raise
            self.dismiss(None)
        else:
            self.dismiss(outcome)

    def _show(self, step: Step) -> None:
        if self._stopping or not self.is_running:
            return
        # Reading ends before the embedding model is loaded: no bar should stand at its end for those seconds.
        known = step.total and step.stage != "reading"
        self.query_one(ProgressBar).update(total=step.total if known else None, progress=step.done)
        parts = [
            f"{plain(step.stage, 40)} {step.done:,}" + (f" of {step.total:,}" if known else ""),
            f"{step.rate:.0f} a second" if step.rate else "",
            f"{duration(step.left)} left" if step.left else "",
        ]
        self.query_one("#step", Static).update(" · ".join(part for part in parts if part))

    def action_stop(self) -> None:
        """Stop the work; the screen closes once it has ended."""
        if not self._stopping:
            self._stopping = True
            self.query_one("#step", Static).update("stopping …")
            self.workers.cancel_group(self, "work")


class _Form(ModalScreen[Work]):
    """Fields, and a line that says what is wrong with them; gives the work that they ask for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "close"),
    ]

    def __init__(self) -> None:
        super().__init__(classes="form")

    def tell(self, text: str) -> None:
        """Say something in the line below the fields."""
        hint = self.query_one(".hint", Static)
        hint.update(text)
        self.call_after_refresh(hint.scroll_visible, animate=False)

    async def work_asked_for(self) -> Work | None:
        """What is to be done; None while the fields are to be looked at again. Raises ClewError for what is wrong."""
        raise NotImplementedError

    @on(Input.Submitted)
    def submit(self) -> None:
        """Take the fields as they are."""
        self._submit()

    @work(group="submit", exclusive=True, exit_on_error=False)
    async def _submit(self) -> None:
        try:
            found = await self.work_asked_for()
        except ClewError as error:
            self.tell(f"✗ {plain(str(error), 400)}")
            return
        if found is not None:
            self.dismiss(found)


class CreateScreen(_Form):
    """Asks for a folder, and for the file to make of it."""

    def __init__(self, folder: str = "") -> None:
        super().__init__()
        self._folder = folder
        self._agreed = ""
        self._named = ""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Make a knowledge base", classes="title", markup=False)
            yield Static("from this folder or file", classes="dim", markup=False)
            yield PathInput(self._folder, suffixes=READ, placeholder="notes/", id="folder")
            yield Static("into this new file", classes="dim", markup=False)
            yield PathInput(suffixes=(".clew",), placeholder="notes.clew", id="output")
            yield Static("tab completes, then goes on · enter makes it · esc closes", classes="dim hint", markup=False)

    def on_mount(self) -> None:
        self.query_one("#folder", Input).focus()

    @on(Input.Changed, "#folder")
    def _name_output(self, message: Input.Changed) -> None:
        """Name the file like the folder, as long as nobody has named it otherwise."""
        output = self.query_one("#output", Input)
        if output.value == self._named:
            name = Path(message.value.strip().rstrip("/")).name.removesuffix(".")
            self._named = output.value = f"{name}.clew" if name not in ("", "~", "..") else ""

    async def work_asked_for(self) -> Work | None:
        folder, output = (self.query_one(name, Input).value.strip() for name in ("#folder", "#output"))
        if not folder or not output:
            raise UsageError("name a folder, and the file to make of it")
        if await asyncio.to_thread(building.is_update, typed_path(output)) and self._agreed != output:
            self._agreed = output
            self.tell(
                f"{plain(output, 120)} is there already. Enter again brings it up to date: what has changed is "
                "replaced, and what is gone from the folder is removed."
            )
            return None
        return await asyncio.to_thread(partial(building.building, [folder], typed_path(output)))


class AddScreen(_Form):
    """Asks for files, or for a text."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "submit", "add", priority=True)]

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(f"Add to {plain(self._path.name, 80)}", classes="title", markup=False)
            yield Static("files or folders", classes="dim", markup=False)
            yield PathInput(suffixes=READ, placeholder="inbox/letter.docx", id="files")
            yield Static("or a text, and its title", classes="dim", markup=False)
            yield Input(placeholder="its first words, where this stays empty", id="title", select_on_focus=False)
            yield TextArea(id="text", placeholder="paste here", show_line_numbers=False)
            yield Static("tab · ctrl+s adds · esc closes", classes="dim hint", markup=False)

    def on_mount(self) -> None:
        self.query_one("#files", Input).focus()

    def action_submit(self) -> None:
        """Add what is in the fields."""
        self.submit()

    async def work_asked_for(self) -> Work | None:
        files = self.query_one("#files", Input).value.strip()
        title, text = self.query_one("#title", Input).value, self.query_one(TextArea).text
        if files and text.strip():
            raise UsageError("files and a text: add one after the other")
        if files:
            return await asyncio.to_thread(lambda: building.adding(self._path, building.split_paths(files)))
        return await asyncio.to_thread(building.adding_text, self._path, title, text)
