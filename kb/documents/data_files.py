"""Readers of JSON, YAML and XML: a heading for what holds more, a line for what does not, a table for equal records."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from kb.documents.chat_exports import People, chat_of
from kb.documents.plaintext import (
    Block,
    Content,
    Unreadable,
    clean,
    decode,
    heading,
    joined,
    one_line,
    readable_key,
    row_text,
)
from kb.documents.table_shape import row_record
from kb.documents.unpacking import DAMAGE, MAX_NESTING, brief, local, megabytes, parse_xml

MAX_VALUES = 500_000
"""Most values of a file, those that are named again counted again: a few lines of YAML can stand for billions."""

MAX_YAML = 5_000_000
"""Most bytes of a YAML file, whose parser takes some ten seconds for them."""

_MAX_ALIASES = 5_000
_MAX_MERGED = 5_000
_LONG = 80

Record = list[tuple[str, Any]]
"""Names with their values, in order: a scalar, another record in a tuple, or a list of these."""


def read_json(data: bytes, people: People = dict) -> Content:
    """An object or a list of them, titled by its "title" or "name"; or the chat that it is, with the names of `people`.

    Raises Unreadable for what is no JSON.
    """
    text = decode(data).lstrip("\ufeff")
    try:
        # Numbers stay as they are written: 12.50 is no 12.5, and 1e400 is not infinite. In a chat they are times.
        value, written = _loaded(text, float), _loaded(text, str)
    except json.JSONDecodeError as error:
        fault = f"{error.msg.removesuffix(' at')} at line {error.lineno}"
        raise Unreadable(f"is not JSON ({fault}): mend it there") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable("has too many levels") from error
    return chat_of(value, people) or content_of(written)


def _loaded(text: str, number: Callable[[str], Any]) -> Any:
    return json.loads(text, parse_constant=lambda _: None, parse_float=number, parse_int=number)


def read_yaml(data: bytes) -> Content:
    """As JSON; of several documents in a file, one stands below the other. Raises Unreadable for what is no YAML."""
    import yaml

    if len(data) > MAX_YAML:
        raise Unreadable(f"has {megabytes(len(data))}, over the limit of {megabytes(MAX_YAML)} for YAML: split it")
    try:
        values = list(yaml.load_all(clean(decode(data)), _yaml_loader()))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        fault = one_line(str(getattr(error, "problem", None) or error))[:80]
        raise Unreadable(f"is not YAML ({fault}{where}): mend it there") from error
    except RecursionError as error:
        raise Unreadable("has too many levels") from error
    except DAMAGE as error:
        raise Unreadable(f"is not YAML ({brief(error)})") from error
    return content_of(values[0] if len(values) == 1 else [value for value in values if value is not None])


def yaml_record(text: str) -> tuple[tuple[str, Any], ...] | None:
    """The names and values of the mapping that YAML text is, the values strings, lists or records again.

    None for all else, and for what is no YAML.
    """
    import yaml

    try:
        plain = _plain(yaml.load(text, _yaml_loader()), _Values(), 0)
    except (yaml.YAMLError, Unreadable, *DAMAGE):
        return None
    return plain if isinstance(plain, tuple) else None


def _yaml_loader() -> type[Any]:
    """PyYAML's safe loader, in Python, as the one in C does not survive deep nesting; aliases are counted.

    What is neither empty nor holds others stays as it is written: in YAML 1.1 9:30 is 570, NO is false, 0123 is 83.
    """
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # which has no types
        aliases = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                self.aliases += 1
                if self.aliases > _MAX_ALIASES:
                    raise Unreadable(f"names more than {_MAX_ALIASES:,} values again (*name): write them out")
            return super().compose_node(parent, index)

        def flatten_mapping(self, node: Any) -> None:
            merged = [value for key, value in node.value if key.tag.endswith(":merge")]
            parts = [part for one in merged for part in (one.value if isinstance(one, yaml.SequenceNode) else [one])]
            for part in parts:
                if isinstance(part, yaml.MappingNode):
                    self.flatten_mapping(part)
            if sum(len(part.value) for part in parts) > _MAX_MERGED:
                raise Unreadable("merges too many values (<<): write them out")
            super().flatten_mapping(node)

    def plain(loader: Any, _: str, node: Any) -> Any:
        """The value behind a tag of some program's own, such as !Ref."""
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        return loader.construct_scalar(node)

    Loader.add_multi_constructor("!", plain)
    for name in ("bool", "int", "float", "timestamp", "value"):
        Loader.add_constructor(f"tag:yaml.org,2002:{name}", yaml.SafeLoader.construct_yaml_str)
    for name in ("omap", "pairs"):  # lists of mappings, which are no pairs of Python's here
        Loader.add_constructor(
            f"tag:yaml.org,2002:{name}", lambda loader, node: loader.construct_sequence(node, deep=True)
        )
    # A set of Python's would be in another order each time.
    Loader.add_constructor("tag:yaml.org,2002:set", lambda loader, node: list(loader.construct_mapping(node)))
    return Loader


def read_xml(data: bytes) -> Content:
    """An element that holds others is a heading, one that holds text a line. Raises Unreadable for what is no XML."""
    from lxml import etree

    try:
        root = parse_xml(data, mend=False)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"is not XML ({brief(error)}): mend it there") from error
    except (etree.LxmlError, *DAMAGE) as error:
        raise Unreadable(f"is not XML ({brief(error)})") from error
    return content_of(_element(root, 0))


def _element(element: Any, level: int) -> Any:
    """An element as a record, or as text where it has words of its own or nothing but words."""
    if level > MAX_NESTING:
        raise Unreadable(f"has more than {MAX_NESTING} levels")
    children = [child for child in element if local(child)]
    own = [element.text or "", *(child.tail or "" for child in element)]
    given: Record = [(name.rpartition("}")[2], value) for name, value in element.attrib.items()]
    if not children or any(piece.strip() for piece in own):
        text = one_line("".join(element.itertext()))
        return text if not given else (*given, ("", text))
    pairs: Record = list(given)
    for child in children:
        name, value = local(child), _element(child, level + 1)
        if len(pairs) > len(given) and pairs[-1][0] == name:
            before = pairs[-1][1]
            if isinstance(before, list):
                before.append(value)
            else:
                pairs[-1] = (name, [before, value])
        else:
            pairs.append((name, value))
    return tuple(pairs)


class _Values:
    """Counts values, and raises Unreadable beyond what is sensible."""

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def take(self, level: int) -> None:
        self._left -= 1
        if self._left < 0:
            raise Unreadable(f"has more than {MAX_VALUES:,} values: split it")
        if level > MAX_NESTING:
            raise Unreadable(f"has more than {MAX_NESTING} levels")


def content_of(value: Any) -> Content:
    """What JSON, YAML or XML holds, as text. Raises Unreadable for too many levels or values."""
    plain = _plain(value, _Values(), 0)
    title = ""
    if isinstance(plain, tuple):
        named = {name.casefold(): one for name, one in plain if isinstance(one, str)}
        title = one_line(named.get("title") or named.get("name") or "")
    return Content(title if len(title) <= 200 else "", joined(_value_blocks("", plain, 1)))


def _plain(value: Any, values: _Values, level: int) -> Any:
    """Strings, lists, and records as tuples of pairs; what is empty is left out."""
    values.take(level)
    if isinstance(value, dict):
        value = tuple((str(name), item) for name, item in value.items())
    if isinstance(value, tuple):
        pairs = ((readable_key(name), _plain(item, values, level + 1)) for name, item in value)
        return tuple((name, item) for name, item in pairs if item not in ("", [], ()))
    if isinstance(value, (list, set)):
        return [item for item in (_plain(item, values, level + 1) for item in value) if item not in ("", [], ())]
    if value is None or isinstance(value, bytes):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return clean(str(value)).strip()


def _value_blocks(name: str, value: Any, level: int) -> Iterator[Block]:
    """`level` is that of the heading that `value` gets if it holds more than a line."""
    if isinstance(value, str):
        yield _line(name, value)
    elif isinstance(value, tuple):
        if name:
            yield heading(level, name)
        # First what is said of the thing itself: behind a heading it would read as said of what that names.
        for key, item in sorted(value, key=lambda pair: not _is_line(pair[1])):
            yield from _value_blocks(key, item, level + 1)
    else:
        yield from _list_blocks(name, value, level)


def _line(name: str, value: str) -> Block:
    """`Name: value` in a line; a value of several paragraphs keeps them."""
    if "\n\n" in value:
        return Block(f"{name}:\n\n{value}" if name else value)
    return Block(f"{name}: {one_line(value)}" if name else one_line(value), "row" if name else "")


def _list_blocks(name: str, items: Sequence[Any], level: int) -> Iterator[Block]:
    if all(isinstance(item, str) for item in items):
        yield from _scalars(name, cast(Sequence[str], items))
        return
    if name:
        yield heading(level, name)
    if all(_is_flat(item) for item in items):
        for item in items:
            yield Block(row_record([key for key, _ in item], [_cell(one) for _, one in item]), "row")
    elif all(isinstance(item, list) and all(isinstance(one, str) for one in item) for item in items):
        for row in items:
            yield Block(row_text(row), "row")
    else:
        for number, item in enumerate(items, 1):
            yield from _value_blocks(_item_name(item, name, number), item, level + 1)


def _scalars(name: str, items: Sequence[str]) -> Iterator[Block]:
    if any(len(item) > _LONG for item in items):  # texts rather than words: each is a paragraph
        yield from (Block(f"{name}: {one_line(item)}" if name else one_line(item)) for item in items)
    elif name:
        yield _line(name, ", ".join(map(one_line, items)))
    else:
        yield from (Block(f"- {one_line(item)}", "item") for item in items)


def _is_line(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _is_flat(item: Any) -> bool:
    """Whether a record fits in a table's row."""
    return isinstance(item, tuple) and all(
        (isinstance(one, str) and len(one) <= 4 * _LONG and "\n\n" not in one)
        or (isinstance(one, list) and all(isinstance(word, str) and len(word) <= _LONG for word in one))
        for _, one in item
    )


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _item_name(item: Any, name: str, number: int) -> str:
    """What an entry of a list calls itself, for its heading."""
    if not isinstance(item, tuple):
        return "" if isinstance(item, str) else f"{name} {number}".strip()
    named = {key.casefold(): one for key, one in item if isinstance(one, str)}
    own = next((named[key] for key in ("title", "name", "id", "key") if key in named), "")
    return one_line(own)[:120] if own and re.search(r"\w", own) else f"{name or 'Entry'} {number}"
