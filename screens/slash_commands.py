"""What can be commanded in the chat, as one table: slash commands, the palette, keys and help are all made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from kb.errors import UsageError


@dataclass(frozen=True, slots=True)
class Command:
    """A command: typed as `/name`, found in the palette by `name` and `help`, bound to `keys` (comma-separated).

    `argument` is what may follow, as shown in help: "FILE" where it is required, "[NAME]" where not, "" for none.
    """

    name: str
    help: str
    argument: str = ""
    keys: str = ""
    group: str = ""

    @property
    def usage(self) -> str:
        """As it is typed: "/open FILE"."""
        return f"/{self.name} {self.argument}".strip()

    @property
    def needs_argument(self) -> bool:
        """Whether it cannot be run without one."""
        return bool(self.argument) and not self.argument.startswith("[")


COMMANDS: tuple[Command, ...] = (
    Command("help", "the keys and commands", keys="f1,question_mark", group="clew"),
    Command("new", "begin a new session", "[NAME]", "ctrl+n", "sessions"),
    Command("sessions", "resume, search, fork, export or delete sessions", "[WORDS]", "ctrl+o", "sessions"),
    Command("rename", "name this session", "NAME", group="sessions"),
    Command("fork", "go on from here in a session of its own", "[NAME]", group="sessions"),
    Command("edit", "edit a question and ask it again, as a branch", "[NUMBER]", "ctrl+g", "sessions"),
    Command("branch", "go to the next branch of a question", "[NUMBER]", group="sessions"),
    Command(
        "export", "write answers to a file: last, all, or the last few", "[last|all|COUNT] [FILE]", group="sessions"
    ),
    Command("evidence", "show or hide what the answer rests on", keys="ctrl+e", group="thread"),
    Command("details", "show or hide all tool calls", keys="ctrl+t", group="thread"),
    Command("thread", "write the thread to a file (.md .json .svg)", "[FILE]", group="thread"),
    Command("source", "open the file behind a citation", "[NUMBER]", group="thread"),
    Command("copy", "copy the last answer, a passage or the thread", "[thread|NUMBER]", "ctrl+y", "thread"),
    Command("open", "open or switch to a knowledge base", "[FILE]", "ctrl+k", "knowledge bases"),
    Command("create", "make a knowledge base from a folder", "[FOLDER]", group="knowledge bases"),
    Command("add", "add files, or text that was pasted", "[FILE]", group="knowledge bases"),
    Command("browse", "entities and documents, with what is around them", "[WORDS]", "ctrl+b", "knowledge bases"),
    Command("forget", "remove a document without a trace", "[DOCUMENT]", group="knowledge bases"),
    Command("model", "choose the model that answers", "[NAME] [URL]", "ctrl+l", "control"),
    Command("budget", "what a question may cost", "[TOKENS|off]", group="control"),
    Command("theme", "choose the colours", "[NAME]", group="control"),
    Command("settings", "all settings and where each comes from", keys="f2", group="control"),
    Command("history", "search earlier questions", "[WORDS]", "ctrl+r", "control"),
    Command("stop", "stop, and keep what there is", keys="escape", group="control"),
    Command("quit", "leave; everything is kept", keys="ctrl+q", group="clew"),
)

BY_NAME: Mapping[str, Command] = {command.name: command for command in COMMANDS}


def parse(text: str) -> tuple[Command, str] | None:
    """The command in `text` and its argument; None where it is no command.

    A slash followed by anything but a letter is no command, and neither is a path such as /home/x. Raises UsageError
    for an unknown command, with the nearest one, and for one whose argument is missing or that takes none.
    """
    stripped = text.strip()
    if not stripped.startswith("/") or "\n" in stripped:
        return None
    name, _, argument = stripped[1:].partition(" ")
    if not name.isalpha():
        return None
    command = BY_NAME.get(name.casefold())
    if command is None:
        near = get_close_matches(name.casefold(), BY_NAME, n=1)
        raise UsageError(
            f"there is no command /{name[:40]}; " + (f"did you mean /{near[0]}?" if near else "/help lists them")
        )
    argument = argument.strip()
    if command.needs_argument and not argument:
        raise UsageError(f"/{command.name} needs {command.argument}")
    if argument and not command.argument:
        raise UsageError(f"/{command.name} takes no argument, got {argument[:40]!r}")
    return command, argument


def completions(text: str) -> tuple[Command, ...]:
    """The commands that `text`, the beginning of one, may become, in the order of the table; none for anything else."""
    if not text.startswith("/") or any(character.isspace() for character in text):
        return ()
    return tuple(command for command in COMMANDS if command.name.startswith(text[1:].casefold()))
