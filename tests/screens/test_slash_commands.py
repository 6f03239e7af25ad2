from __future__ import annotations

import pytest

from kb.errors import UsageError
from screens.slash_commands import COMMANDS, completions, parse


def test_a_command_is_its_name_and_the_rest() -> None:
    found = parse("  /open  notes/my.clew ")
    assert found is not None
    command, argument = found
    assert (command.name, argument) == ("open", "notes/my.clew")


@pytest.mark.parametrize("text", ["who?", "/home/x/y", "/", "//x", "/1", "/open\nand more", ""])
def test_other_text_is_a_question(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/opne x", "did you mean /open?"),
        ("/zzzzzz", "/help lists them"),
        ("/rename", "/rename needs NAME"),
        ("/quit now", "takes no argument, got 'now'"),
    ],
)
def test_a_wrong_command_says_what_to_do(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        parse(text)


def test_completion_goes_by_the_beginning() -> None:
    assert [command.name for command in completions("/th")] == ["thread", "theme"]
    assert completions("/") == COMMANDS
    assert completions("/open x") == completions("open") == completions("/q q") == ()


def test_names_and_keys_are_not_given_twice() -> None:
    names = [command.name for command in COMMANDS]
    keys = [key for command in COMMANDS for key in command.keys.split(",") if key]
    assert len(set(names)) == len(names)
    assert len(set(keys)) == len(keys)
