"""The command for single retrieval techniques: tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from assistant.commands.options import AS_JSON, PLACE, model_options, print_json
from assistant.shared.model_choice import ModelChoice
from assistant.shared.rendering import plain
from kb.errors import UsageError


@click.command(short_help="List the retrieval tools, or run one.")
@click.argument("name", required=False)
@click.argument("file", type=PLACE, required=False)
@click.option("--args", "arguments", default="{}", metavar="JSON", help="Its arguments, as a JSON object.")
@click.option("--preset", default="", metavar="NAME", help="Parameters by name, such as published: the paper's.")
@model_options
@AS_JSON
def tool(name: str | None, file: Path | None, arguments: str, preset: str, choice: ModelChoice, as_json: bool) -> None:
    """Run one retrieval tool on a knowledge base and print its result as JSON. Without a name, list the tools with
    their arguments, and the presets: parameters by name, as the papers have them.

    Of a preset's parameters, those given with --args count instead. A model makes the judgements inside the technique,
    if it has any; where it did not, stderr says so. A result is JSON with or without --json.

    \b
    Examples:
      clew tool
      clew tool passage_search notes.clew --args '{"query": "silent film", "k": 3}'
      clew tool edge_scoring notes.clew --preset published --args '{"question": "Where was Ada born?"}'
    """
    if name is None:
        _print_tools(as_json)
    elif file is None:
        raise UsageError(f"name a knowledge base to run {name[:80]!r} on; clew tool alone lists the tools")
    else:
        _run(name, file, arguments, preset, choice)


COMMANDS = (tool,)


def _print_tools(as_json: bool) -> None:
    from tools.presets import differences
    from tools.registry import get_tool, tool_names

    listed = [get_tool(name) for name in tool_names()]
    if as_json:
        print_json(
            [
                {
                    "name": tool.name,
                    "summary": tool.summary,
                    "arguments": tool.parameters.model_json_schema(),
                    "presets": {name: differences(params) for name, params in tool.presets.items()},
                }
                for tool in listed
            ]
        )
        return
    for tool in listed:
        click.echo(f"{tool.name}{tool.signature}\n    {tool.summary}")
        for name, params in tool.presets.items():
            told = ", ".join(f"{field}={value!r}" for field, value in differences(params).items())
            click.echo(f"    --preset {name}: {told}")


def _run(name: str, file: Path, arguments: str, preset: str, choice: ModelChoice) -> None:
    from assistant.models.judging.opened import open_judges
    from assistant.shared.chosen_scorer import open_to_ask
    from tools.registry import get_tool

    chosen, notes = get_tool(name), list[str]()
    values = _object(arguments)
    # A tool without judgements needs no model, whatever is configured.
    judges = choice if chosen.takes_judge else ModelChoice()
    with open_to_ask(file) as kb, open_judges(judges) as judged, judged.judging(kb, notes) as judge:
        print_json(chosen.call(kb, values, preset, judge))
    for note in notes:
        click.echo(f"note: {plain(note)}", err=True)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--args {text[:80]!r} is no JSON ({error})") from error
    if not isinstance(value, dict):
        raise UsageError(f'--args must be a JSON object like {{"k": 3}}, not {text[:80]!r}')
    return value
