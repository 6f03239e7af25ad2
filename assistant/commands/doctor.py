"""What clew needs, checked one after the other, from Python up to the model and the file."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assistant.models.keys import Key, KeyringFailure, NoKeyring, key_for, keyring_name
from assistant.shared.config import value
from assistant.shared.model_choice import OPENAI_URL, Calling, ModelChoice, without_secrets
from assistant.shared.standard_streams import is_terminal
from assistant.shared.user_folders import config_file
from kb.errors import BadFileError, ClewError, UsageError

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters

    from assistant.models.openai_chat import LocalModel

State = Literal["ok", "warning", "fails"]
Area = Literal["system", "model", "file"]

_EXIT_CODES: dict[Area, int] = {"system": 2, "file": 3, "model": 4}

OLDEST_PYTHON = (3, 11)
SMALLEST_TERMINAL = (60, 20)
"""Columns and lines below which the chat has no room for its panel of evidence beside the answer."""

ANSWER_TOKENS = 400
"""For an answer of ten tokens: models that think first use up a few hundred for that."""

LARGE_FILE_BYTES = 20_000_000
"""From here on the check of a file may take over a second: it reads 45 MB a second on one core."""

_SHOWN_MODELS = 8
_SHOWN_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class Check:
    """How one thing is: `says` what was found, `advice` what to do about it, "" where there is nothing to do."""

    what: str
    state: State
    says: str
    advice: str = ""
    area: Area = "system"

    @property
    def exit_code(self) -> int:
        """Of the command, where this is the first thing that fails."""
        return _EXIT_CODES[self.area]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        return dataclasses.asdict(self)


def checks(
    choose: Callable[[], ModelChoice],
    file: Path | None,
    *,
    requests: bool = True,
    tell: Callable[[str], None] = lambda text: None,
) -> Iterator[Check]:
    """Every check in turn, as it ends; what depends on something that fails is left out.

    `choose` gives the model to check; it may raise UsageError. With `requests` the model is asked for a tool call and
    for JSON; `tell` is given a line before what takes long. Raises nothing that a user can cause.
    """
    for system in (_python, _sqlite, _extension, _embedding, _terminal, _keyring):
        yield system()
    config = _config()
    yield config
    if config.state == "ok":
        yield from _model(choose, requests, tell)
        yield from _model_files()
    if file is not None:
        yield from _file(file, tell)


def _python() -> Check:
    found = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return Check("Python", "fails", found, f"install Python {'.'.join(map(str, OLDEST_PYTHON))} or newer")
    return Check("Python", "ok", f"{found} on {platform.system()} {platform.machine()}")


def _sqlite() -> Check:
    try:
        from kb.store.sqlite import sqlite3
    except ImportError as error:
        return Check("SQLite", "fails", f"no driver that loads extensions ({error})", "run: pip install sqlean.py")
    return Check("SQLite", "ok", f"{sqlite3.sqlite_version}, driver {sqlite3.__name__.partition('.')[0]}")


def _extension() -> Check:
    """A file is made and thrown away: that loads the extension, and shows that files can be written as well."""
    try:
        from kb.store.sqlite import close_writer, open_writer, sqlite3
    except ImportError:
        return Check("sqlite-vec", "fails", "cannot be tried without a driver", "see SQLite")
    try:
        with tempfile.TemporaryDirectory(prefix="clew-") as folder:
            close_writer(open_writer(Path(folder) / "try.clew"))
    except (ClewError, OSError, sqlite3.Error, AttributeError) as error:
        again = "run: pip install --force-reinstall sqlite-vec; on musl or Windows on ARM there is no build of it"
        return Check("sqlite-vec", "fails", f"does not load ({error})", again)
    return Check("sqlite-vec", "ok", f"{_version('sqlite-vec')} loads")


def _embedding() -> Check:
    """Loading checks the weights against their hash."""
    from kb.store.embeddings import DEFAULT_MODEL, load_embedder

    try:
        embedder = load_embedder()
        embedder.embed(["a thread through the labyrinth"])
    except (ClewError, ImportError, OSError, ValueError) as error:
        return Check("embedding model", "fails", f"{DEFAULT_MODEL}: {error}", "install clew again")
    return Check("embedding model", "ok", f"{DEFAULT_MODEL}, {embedder.dimension} dimensions, weights as expected")


def _terminal() -> Check:
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        return Check("terminal", "ok", "none here: text without colours; clew chat needs one")
    columns, lines = shutil.get_terminal_size()
    says = f"{columns} × {lines}, {_colours()}, {sys.stdout.encoding}"
    if "utf" not in sys.stdout.encoding.lower():
        return Check("terminal", "warning", says, "set PYTHONUTF8=1, and a UTF-8 locale, for all characters to show")
    if columns < SMALLEST_TERMINAL[0] or lines < SMALLEST_TERMINAL[1]:
        wanted = " × ".join(map(str, SMALLEST_TERMINAL))
        return Check("terminal", "warning", says, f"make it {wanted} or larger for the chat")
    return Check("terminal", "ok", says)


def _colours() -> str:
    if os.environ.get("NO_COLOR"):
        return "no colours (NO_COLOR)"
    if os.environ.get("TERM") == "dumb":
        return "no colours (TERM=dumb)"
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "16 million colours"
    term = os.environ.get("TERM", "")
    return "256 colours" if "256" in term else "no colours" if not term else "16 colours"


def _config() -> Check:
    path = config_file()
    try:
        _ = value("model")
    except UsageError as error:
        return Check("config file", "fails", str(error), "mend that line, or see clew config --help")
    return Check("config file", "ok", str(path) if path.exists() else f"none, defaults are used ({path})")


def _keyring() -> Check:
    try:
        return Check("keyring", "ok", keyring_name())
    except NoKeyring as error:
        return Check("keyring", "ok", str(error))
    except KeyringFailure as error:
        return Check("keyring", "warning", str(error), "nothing, where no key is needed or the environment has it")


def _model(choose: Callable[[], ModelChoice], requests: bool, tell: Callable[[str], None]) -> Iterator[Check]:
    try:
        choice = choose()
    except UsageError as error:
        yield Check("model", "fails", str(error), area="model")
        return
    if choice.offline:
        yield Check("model", "ok", "offline: the built-in one, which needs no endpoint and no key", area="model")
        return
    try:
        from assistant.models.openai_chat import LocalModel, endpoint_model

        model = endpoint_model(choice)
        if isinstance(model, LocalModel):
            yield _loaded(choice, model, tell)
        else:
            key = key_for(choice.base_url or OPENAI_URL)
    except ClewError as error:
        yield Check("model" if choice.local else "endpoint", "fails", str(error), area="model")
        return
    if not choice.local:
        yield _key(key)
        endpoint, served = _endpoint(choice, key)
        yield endpoint
        if endpoint.state != "fails" and served is not None:
            yield _served(choice, served)
        if endpoint.state == "fails":
            return
    way = _way(model, choice)
    if way is not None:
        yield way
    if requests:
        yield from _requested(choice, tell, for_tools=way is None)


def _way(model: Model, choice: ModelChoice) -> Check | None:
    """That the model is only asked for answers, where it is; None where it may choose tools."""
    from assistant.models.calling.remembered import is_small
    from assistant.models.openai_chat import parameters_of

    if choice.calling == "planned":
        return Check("way of asking", "ok", "for an answer only, as calling is planned", area="model")
    if choice.calling != "auto" or not is_small(asyncio.run(parameters_of(model, choice))):
        return None
    says = "for an answer only, as the model is small: clew chooses the tools (--calling tools lets the model)"
    return Check("way of asking", "ok", says, area="model")


def _requested(choice: ModelChoice, tell: Callable[[str], None], *, for_tools: bool) -> Iterator[Check]:
    """What the model makes of one request or two; whoever is only asked for answers need not call tools."""
    wanted = "a tool call and JSON" if for_tools else "JSON"
    tell(f"asking {choice.title} for {wanted}: up to a thousand tokens, minutes where it must be loaded …")
    if for_tools:
        calls = _asked(choice, "tools", "tool calls", _calls_tool, "clew asks it for JSON instead")
        yield calls
        if calls.state == "ok":
            from assistant.models.calling.remembered import remember

            remember(choice, None)  # what was found out before may have been bad luck
        elif not calls.advice:
            return
    yield _asked(choice, "json", "JSON", _writes_json, "clew plans itself, and the model writes the answers")


def _loaded(choice: ModelChoice, model: LocalModel, tell: Callable[[str], None]) -> Check:
    """Raises UsageError, ModelFailure where it cannot be."""
    from assistant.models.local.files import file_bytes, readable

    tell(f"loading {choice.title} …")
    served = asyncio.run(model.ready())
    size = readable(file_bytes(Path(choice.name).expanduser()))
    billions = f", {served.parameters / 1e9:.1f} billion parameters" if served.parameters else ""
    return Check("model", "ok", f"{choice.title} is served from this machine: {size}{billions}", area="model")


def _model_files() -> Iterator[Check]:
    """The models in files that other programs keep on this machine."""
    from assistant.models.local.files import model_files, readable

    found = model_files()
    for one in found[:_SHOWN_MODELS]:
        yield Check("model file", "ok", f"{one.name}, {readable(one.size)}, {one.place}: {one.path}", area="model")
    if len(found) > _SHOWN_MODELS:
        yield Check("model file", "ok", f"and {len(found) - _SHOWN_MODELS} more", area="model")


def _key(key: Key) -> Check:
    if key:
        return Check("key", "ok", f"from {key.source}", area="model")
    return Check("key", "ok", f"none is sent{f': {key.reason}' if key.reason else ''}", area="model")


def _endpoint(choice: ModelChoice, key: Key) -> tuple[Check, list[str] | None]:
    from assistant.models.endpoints import listing

    url = choice.base_url or OPENAI_URL
    problem, served = asyncio.run(listing(url, key))
    if served is not None:
        return Check("endpoint", "ok", f"{without_secrets(url)} answers", area="model"), served
    state: State = "warning" if problem.startswith("HTTP status 404") else "fails"
    return Check("endpoint", state, f"{without_secrets(url)}/models: {problem}", _advice(problem), "model"), None


def _advice(problem: str) -> str:
    if problem.startswith(("HTTP status 401", "HTTP status 403")):
        return "store its key: clew config --set-key URL, or set CLEW_API_KEY"
    if problem.startswith("HTTP status"):
        return "check that the URL ends where the API begins (often /v1)"
    return "start the server, or check --base-url; where its API begins, the URL ends (often /v1)"


def _served(choice: ModelChoice, served: list[str]) -> Check:
    if choice.name in served:
        return Check("model", "ok", f"{choice.name} is served there", area="model")
    names = ", ".join(served[:_SHOWN_MODELS]) + (" …" if len(served) > _SHOWN_MODELS else "")
    return Check("model", "warning", f"{choice.name} is not in its list: {names or 'it is empty'}", "name one", "model")


def _asked(
    choice: ModelChoice,
    calling: Calling,
    what: str,
    ask: Callable[[ModelChoice], Coroutine[None, None, str]],
    instead: str,
) -> Check:
    """A model that cannot do it fails only where it shall be asked that way and no other."""
    from assistant.models.endpoints import model_failures

    try:
        with model_failures(choice):
            problem = asyncio.run(ask(choice))
    except ClewError as error:
        if not _is_rejected(error.__cause__):
            return Check(what, "fails", str(error), area="model")
        problem = str(error)
    if not problem:
        return Check(what, "ok", "as they should be" if calling == "tools" else "as it should be", area="model")
    if choice.calling == calling:
        return Check(what, "fails", problem, "set calling to auto: clew config calling auto", "model")
    return Check(what, "warning", problem, f"nothing: {instead}", "model")


def _is_rejected(error: BaseException | None) -> bool:
    """Whether the server took the request and refused what it asks for, as it does without support for tools."""
    from pydantic_ai import exceptions

    others = (exceptions.ModelAuthenticationError, exceptions.ModelNotFoundError)
    return isinstance(error, exceptions.ModelRequestRejectedError) and not isinstance(error, others)


async def _calls_tool(choice: ModelChoice) -> str:
    """What is wrong with the model's call of a tool, "" for nothing."""
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tool = ToolDefinition(
        name="population", description="How many people live in a city.", parameters_json_schema=schema
    )
    response = await _ask(
        choice, "Call the tool population for Paris.", ModelRequestParameters(function_tools=[tool]), {}
    )
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    if not calls:
        return "the model wrote text instead of calling the tool"
    try:
        arguments = calls[0].args_as_dict(raise_if_invalid=True)
    except ValueError:
        return "the arguments of the call are no JSON"
    right = calls[0].tool_name == "population" and isinstance(arguments.get("city"), str)
    return "" if right else "the model called the tool with other arguments than its schema asks for"


async def _writes_json(choice: ModelChoice) -> str:
    """What is wrong with the model's JSON, "" for nothing."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_core import from_json

    body = {"response_format": {"type": "json_object"}}
    prompt = 'Answer with this JSON object and nothing else: {"city": "Paris"}'
    response = await _ask(choice, prompt, ModelRequestParameters(), body)
    try:
        written = from_json(response.text or "")
    except ValueError:
        return "the model wrote something else than JSON"
    return "" if isinstance(written, dict) and "city" in written else "the model wrote other JSON than it was asked for"


async def _ask(
    choice: ModelChoice, prompt: str, parameters: ModelRequestParameters, body: object = None
) -> ModelResponse:
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import ModelRequest
    from pydantic_ai.settings import ModelSettings

    from assistant.models.openai_chat import endpoint_model

    async with endpoint_model(choice) as model:
        return await model_request(
            model,
            [ModelRequest.user_text_prompt(prompt)],
            model_settings=ModelSettings(max_tokens=ANSWER_TOKENS, extra_body=body),
            model_request_parameters=parameters,
        )


def _file(path: Path, tell: Callable[[str], None]) -> Iterator[Check]:
    from kb.store.check import check
    from kb.store.knowledge_base import KnowledgeBase

    try:
        with KnowledgeBase.open(path) as kb:
            about = kb.info()
        yield Check("file", "ok", f"{path} opens: {about.passages:,} passages", area="file")
        if about.bytes > LARGE_FILE_BYTES:
            tell("checking the file …")
        problems = check(path)
    except BadFileError as error:
        yield Check("file", "fails", str(error), area="file")
        return
    yield _soundness(problems)
    try:
        with KnowledgeBase.open(path) as kb:
            kb.embed(["a thread through the labyrinth"])
            yield Check("its embeddings", "ok", f"{kb.embedding_model}, which is on this machine", area="file")
    except (ClewError, ImportError, OSError) as error:
        yield Check("its embeddings", "fails", str(error), "install that model, or build the file again", "file")
    yield _scorer(path)


def _scorer(path: Path) -> Check:
    from assistant.shared.chosen_scorer import scorer_file
    from tools.triple_scoring.triple_model import read_model

    try:
        if (own := scorer_file(path)) is None:
            return Check("its scorer", "ok", "the one that ships")
        read_model(own)
    except UsageError as error:
        return Check("its scorer", "fails", str(error), "delete it, or train it again with clew train")
    return Check("its scorer", "ok", f"facts are scored by {own}")


def _soundness(problems: list[str]) -> Check:
    if not problems:
        return Check("soundness", "ok", "sound", area="file")
    told = "; ".join(problems[:_SHOWN_PROBLEMS])
    return Check("soundness", "fails", told, "restore a copy, or build it again", "file")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"
