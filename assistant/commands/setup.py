"""The commands that look after the installation: config, doctor."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assistant.commands.options import AS_JSON, ENDPOINT_OPTIONS, PLACE, print_json, styled, with_options
from assistant.shared.config import SETTINGS, known, model_choice, shown, value
from assistant.shared.model_choice import without_secrets
from assistant.shared.rendering import Line, Role, plain
from assistant.shared.standard_streams import is_terminal, standard_input
from assistant.shared.user_folders import config_file
from kb.errors import UsageError

if TYPE_CHECKING:
    from assistant.commands.doctor import Check, State
    from assistant.shared.config import Value

_MARKS: dict[State, tuple[str, Role]] = {"ok": ("✓", "good"), "warning": ("!", "warning"), "fails": ("✗", "bad")}


@click.command(short_help="Show or change the settings, and store keys.")
@click.argument("key", required=False)
@click.argument("text", metavar="[VALUE]", required=False)
@click.option("--unset", metavar="KEY", help="Take a setting out of the config file.")
@click.option("--set-key", metavar="URL", help="Store the key for an endpoint in the keyring; it is asked for.")
@click.option("--forget-key", metavar="URL", help="Take the key for an endpoint out of the keyring.")
@AS_JSON
def config(
    key: str | None, text: str | None, unset: str | None, set_key: str | None, forget_key: str | None, as_json: bool
) -> None:
    """Show where the config file is and each setting with its origin, or change the file.

    A setting comes from its option (--max-tokens), else its environment variable (CLEW_MAX_TOKENS), else the file, else
    the default. Keys of services are never in the file: --set-key reads one without showing it, or from stdin.

    \b
    Examples:
      clew config
      clew config base_url http://localhost:11434/v1
      clew config --set-key https://api.openai.com < key.txt
    """
    if sum(one is not None for one in (key, unset, set_key, forget_key)) > 1:
        raise UsageError("KEY, --unset, --set-key and --forget-key are different things to do; give one of them")
    if set_key is not None or forget_key is not None:
        _keys(set_key, forget_key)
    elif unset is not None or text is not None:
        _change(unset, key, text)
    else:
        _show([known(key, "the command line").key] if key else list(SETTINGS), as_json)


@click.command(short_help="Check what works, and say what to do.")
@click.argument("file", required=False, type=PLACE)
@click.option("--no-requests", is_flag=True, help="Ask the model nothing; its two checks cost up to a thousand tokens.")
@partial(with_options, options=ENDPOINT_OPTIONS)
@AS_JSON
def doctor(
    file: Path | None, no_requests: bool, model: str | None, base_url: str | None, calling: str | None, as_json: bool
) -> None:
    """Check what clew needs, one line each: what, how it is, and what to do where it does not work.

    Python, SQLite and its extension, the embedding model, the terminal, the config file, the keyring; the endpoint, the
    model, its tool calls and its JSON; and FILE, a knowledge base. The exit code is that of the first thing that fails:
    2, 3 for the file, 4 for the model.

    \b
    Examples:
      clew doctor
      clew doctor notes.clew --model qwen3 --base-url http://localhost:11434/v1
    """
    from assistant.commands.doctor import checks

    choose = partial(model_choice, model, base_url, calling)
    found = []
    for check in checks(choose, file, requests=not no_requests, tell=lambda text: click.echo(text, err=True)):
        found.append(check)
        if not as_json:
            click.echo(_row(check).encode("utf-8", "replace"))
    code = next((check.exit_code for check in found if check.state == "fails"), 0)
    if as_json:
        print_json({"works": code == 0, "checks": [check.to_json() for check in found]})
    sys.exit(code)


COMMANDS = (config, doctor)


def _show(keys: list[str], as_json: bool) -> None:
    path = config_file()
    values = [value(key) for key in keys]
    if as_json:
        rows = {one.key: {"value": _safe(one), "origin": one.origin} for one in values}
        print_json({"file": str(path), "exists": path.exists(), "settings": rows})
        return
    click.echo(f"{plain(str(path))}{'' if path.exists() else '  (not there yet)'}")
    for one in values:
        click.echo(f"  {one.key:<16}{plain(shown(one)):<28}  {one.origin:<20}  {SETTINGS[one.key].about}")


def _safe(one: Value) -> Any:
    return without_secrets(one.value) if one.key == "base_url" else one.value


def _change(unset: str | None, key: str | None, text: str | None) -> None:
    from assistant.shared.config_edit import set_value, unset_value

    if unset is not None:
        path = unset_value(unset)
        click.echo(f"{plain(str(path))}: {unset} is no longer set", err=True)
    elif key is not None and text is not None:
        path = set_value(key, text)
        click.echo(f"{plain(str(path))}: {key} is set", err=True)
        if (now := value(key)).rank < 2:
            click.echo(f"{now.origin} is set as well and comes first", err=True)


def _keys(set_key: str | None, forget_key: str | None) -> None:
    from assistant.models.keys import forget_key as forget
    from assistant.models.keys import keyring_name, store_key
    from assistant.shared.model_choice import origin

    if set_key is not None:
        place = origin(set_key)
        keyring_name()  # so that nobody types a key for a keyring that is locked or missing
        secret = click.prompt(f"Key for {place}", hide_input=True, err=True) if is_terminal(sys.stdin) else _piped()
        click.echo(f"the keyring has the key for {store_key(set_key, secret)}", err=True)
    elif forget_key is not None:
        click.echo(f"the keyring no longer has a key for {forget(forget_key)}", err=True)


def _piped() -> str:
    try:
        return standard_input().readline().decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise UsageError("the key on stdin is not text") from error


def _row(check: Check) -> str:
    mark, role = _MARKS[check.state]
    lines = [Line(((mark + " ", role), (f"{check.what:<16}", "strong"), (plain(check.says, 300), "")))]
    if check.advice:
        lines.append(Line((("→ " + plain(check.advice, 300), role),), indent=18))
    return "\n".join(map(styled, lines))
