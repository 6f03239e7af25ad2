"""Readers of source code: what modules, classes and functions are called, and what their comments say of them.

What is left of the code is not kept: it is no prose, and few questions are answered by it.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial

from kb.documents.plaintext import Block, Content, Unreadable, clean, decode, heading, joined, one_line
from kb.documents.unpacking import DAMAGE, megabytes

MAX_CODE = 2_000_000
"""Most bytes of source code. Longer files are generated."""

_LONGEST = 300
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def read_python(data: bytes) -> Content:
    """Names, signatures and docstrings; a file that this Python cannot parse is read by its lines."""
    text = _text(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that will be errors in times to come
            tree = ast.parse(text)
        blocks = [*_docstring(tree), *_definitions(tree.body, text.split("\n"), 2)]
    except DAMAGE:  # SyntaxError and RecursionError among them
        return _by_lines("py", data)
    return Content("", joined(blocks))


def _text(data: bytes) -> str:
    if len(data) > MAX_CODE:
        raise Unreadable(f"has {megabytes(len(data))}, over the limit of {megabytes(MAX_CODE)} for source code")
    return clean(decode(data))


def _docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Block]:
    if text := inspect.cleandoc(ast.get_docstring(node, clean=False) or ""):
        yield Block(text)


def _definitions(body: list[ast.stmt], lines: list[str], level: int) -> Iterator[Block]:
    for node in body:
        if isinstance(node, _SCOPES):
            yield heading(level, _signature(node))
            said = list(_docstring(node)) or [Block(text) for text in [_comment_above(node, lines)] if text]
            yield from said
            yield from _definitions(node.body, lines, level + 1)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and level == 2:
            yield from _constant(node)
        elif isinstance(node, (ast.If, ast.Try)):
            yield from _definitions(node.body, lines, level)


def _signature(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(map(ast.unparse, node.bases))
        text = f"class {node.name}({bases})" if bases else f"class {node.name}"
    else:
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        text = f"def {node.name}({ast.unparse(node.args)}){returns}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _comment_above(node: ast.stmt, lines: list[str]) -> str:
    decorators = getattr(node, "decorator_list", [])
    at = min([node.lineno, *(one.lineno for one in decorators)]) - 2
    found: list[str] = []
    while at >= 0 and lines[at].lstrip().startswith("#"):
        found.append(lines[at].lstrip().lstrip("#!").strip())
        at -= 1
    return "\n".join(reversed(found)).strip()


def _constant(node: ast.Assign | ast.AnnAssign) -> Iterator[Block]:
    """A module's setting, where it is a plain value and not a computation."""
    if isinstance(node.value, (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict)):
        text = one_line(ast.unparse(node))
        if len(text) <= _LONGEST:
            yield Block(text, "row")


# Other languages, by their lines --------------------------------------------------------------------------------------

_C_COMMENT = re.compile(r"\s*(?://[/!]?|/\*[*!]?|\*/?)")
_HASH_COMMENT = re.compile(r"\s*#(?!!)")
_SQL_COMMENT = re.compile(r"\s*(?:--|/\*|\*/?)")

_WORDS_OF_C = r"(?!\s|return\b|else\b|if\b|for\b|while\b|switch\b|case\b|throw\b|new\b|goto\b|delete\b|using\b|do\b)"
_JS = (
    r"\s*(?:(?:export|default|declare|abstract|async)\s+)*(?:function\*?|class|interface|enum|namespace)\s+[\w$]+[^{;]*"
    r"|(?:export\s+)?(?:declare\s+)?type\s+\w+[^=;]*"
    r"|(?:export\s+)?(?:const|let|var)\s+[\w$]+[^=;]*=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)(?:\s*:[^=]{1,80})?\s*=>"
    rf"|\s+(?:(?:public|private|protected|static|async|readonly|get|set)\s+)*{_WORDS_OF_C}[\w$#]+\([^()]*\)(?:\s*:[^{{;]{{1,80}})?\s*\{{"
)
_C = (
    r"\s*(?:template\s*<[^{;]*>\s*)?(?:typedef\s+)?(?:struct|class|enum|union|namespace)\b[^;={(]*\{?"
    rf"|\s{{0,4}}{_WORDS_OF_C}[A-Za-z_][\w:<>,*&\s~]*[\s*&~:]\w+\([^;{{}}]*\)[^;{{}}()=]*(?:\{{|;)?\s*$"
)
_PATTERNS = {
    "py": (_HASH_COMMENT, r"\s*(?:async\s+def|def|class)\s+\w+[^\n]*"),
    "js": (_C_COMMENT, _JS),
    "ts": (_C_COMMENT, _JS),
    "go": (_C_COMMENT, r"func\s[^{]*|type\s+\w+[^{]*|package\s+\w+"),
    "rs": (
        _C_COMMENT,
        r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|const\s+|unsafe\s+)*(?:fn|struct|enum|trait|mod|type|union)\s+\w+[^{;]*|impl\b[^{;]*",
    ),
    "java": (
        _C_COMMENT,
        r"\s*(?:(?:public|protected|private|static|final|abstract|sealed)\s+)*(?:class|interface|enum|record|@interface)\s+\w+[^{;]*"
        rf"|\s+(?:(?:public|protected|private|static|final|abstract|synchronized|default)\s+)*"
        rf"{_WORDS_OF_C}[\w<>\[\],.? ]+\s\w+\([^;{{}}]*\)[^;{{}}=]*[{{;]\s*$",
    ),
    "c": (_C_COMMENT, _C),
    "sh": (_HASH_COMMENT, r"\s*(?:function\s+[\w:-]+|[\w:-]+\s*\(\s*\))"),
    "sql": (
        _SQL_COMMENT,
        r"(?i)\s*create\s+(?:or\s+replace\s+)?(?:temp\w*\s+)?(?:unique\s+|materialized\s+)?(?:table|view|function|procedure|trigger|index|type|schema|sequence)\b[^(;]*",
    ),
}  # fmt: skip
_LANGUAGES = {
    language: (comment, re.compile(pattern), language == "sql") for language, (comment, pattern) in _PATTERNS.items()
}
_MAX_LINE = 300
_TRAILING = re.compile(r"(?:[\s{;(=]|=>)+$")


def _by_lines(language: str, data: bytes) -> Content:
    """Names with the comment right above each, and the comment at the file's head."""
    comment, signature, columns = _LANGUAGES[language]
    blocks: list[Block] = []
    waiting: list[str] = []
    body = False
    inside = False
    for line in _text(data).split("\n"):
        line = line[:_MAX_LINE]
        if inside or comment.match(line):
            opened = not inside and re.match(r"\s*/\*", line) is not None
            inside = (inside or opened) and "*/" not in line
            waiting.append(_comment_words(line, comment))
        elif found := signature.match(line):
            level = 2 if not line[:1].isspace() else 3
            blocks += [heading(level, _TRAILING.sub("", found[0]).strip()), *_said(waiting)]
            waiting, body = [], columns and "table" in found[0].lower() and ";" not in line
        elif body and line.strip(" \t();,"):
            blocks.append(Block(one_line(line.partition("--")[0]).rstrip(",;"), "row"))
            body = ";" not in line
        elif not line.strip():
            if waiting and not blocks:
                blocks += _said(waiting)
            waiting = []
        elif not line.lstrip().startswith(("@", "#[", "export", "template")):  # what may stand between the two
            waiting = [] if blocks else waiting
    return Content("", joined(block for block in [*blocks, *([] if blocks else _said(waiting))] if block.text))


def _comment_words(line: str, comment: re.Pattern[str]) -> str:
    words = comment.sub("", line, count=1) if comment.match(line) else line
    return words.strip().removesuffix("*/").strip()


def _said(waiting: list[str]) -> list[Block]:
    text = "\n".join(waiting).strip()
    return [Block(text)] if re.search(r"\w", text) else []


CODE_READERS: dict[str, Callable[[bytes], Content]] = {
    ".py": read_python,
    ".js": partial(_by_lines, "js"),
    ".ts": partial(_by_lines, "ts"),
    ".go": partial(_by_lines, "go"),
    ".rs": partial(_by_lines, "rs"),
    ".java": partial(_by_lines, "java"),
    ".c": partial(_by_lines, "c"),
    ".h": partial(_by_lines, "c"),
    ".cpp": partial(_by_lines, "c"),
    ".sh": partial(_by_lines, "sh"),
    ".sql": partial(_by_lines, "sql"),
}
"""Suffix -> the reader of its language."""
