"""Where fuzzed input comes from: words, values, mutations of bytes, and small whole files of every kind to mutate."""

# ruff: noqa: E501 - a file that is to be mutated reads best as it is

from __future__ import annotations

import gzip
import json
import random
import unicodedata
from typing import Any

WORDS = (
    "Where", "was", "the", "director", "of", "The Glass Harbour", "born", "Irena Valdis", "?", "Who", "is", "Karsk",
    "river", "1931", "4 May 1899", "list all", "how many", "compare", "and", "or", "he", "not", "père", "日本語", "مرحبا",
    "\u202e", "\x1b[31m", "\x00", "\ud800", "'; DROP TABLE documents; --", "[x](http://e)", "<b>", "{{", "%s", "\\", "\t",
    "a" * 3000, "́" * 200, "🧵", "1e999", "-1", "NaN", "../../etc/passwd", "[1]", "?x", "#", '"', "*" * 60,
)  # fmt: skip
NUMBERS = (0, 1, -1, 2, 7, 2**31, 2**62, 2**63, 10**30, -(2**63), 0.0, -0.5, 1.0, 1e308, float("inf"), float("nan"))


def words(rng: random.Random) -> str:
    """A text of a few words, some of them no words."""
    parts = [rng.choice(WORDS) for _ in range(rng.choice((0, 1, 3, 8, 8, 30)))]
    if rng.random() < 0.2:
        parts.append("".join(chr(rng.choice((rng.randrange(0x20, 0x7F), rng.randrange(0x3000)))) for _ in range(20)))
    return " ".join(parts)


def anything(rng: random.Random, depth: int = 0) -> Any:
    """A value of JSON, seldom deep."""
    kind = rng.randrange(8 if depth < 4 else 5)
    if kind < 2:
        return words(rng)
    if kind < 4:
        return rng.choice(NUMBERS)
    if kind == 4:
        return rng.choice((None, True, False))
    if kind < 7:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {words(rng)[:20]: anything(rng, depth + 1) for _ in range(rng.randrange(4))}


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The bytes with a few of them changed, doubled, cut out or exchanged for others of theirs."""
    copy = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at, length = rng.randrange(len(copy) + 1), rng.choice((1, 1, 4, 16, 64))
        what = rng.randrange(6)
        if what == 0:
            copy[at : at + length] = rng.randbytes(length)
        elif what == 1:
            del copy[at : at + length]
        elif what == 2:
            copy[at:at] = copy[at : at + length] * rng.choice((2, 50))
        elif what == 3:
            source = rng.randrange(len(copy) + 1)
            copy[at : at + length] = copy[source : source + length]
        elif what == 4:
            copy[at:at] = rng.choice(WORDS).encode("utf-8", "surrogatepass")
        else:
            copy[at:at] = rng.choice(
                (b"\n", b"\r", b"\0", b"\xff\xfe", b"[" * 500, b"<a>" * 99, b"- " * 99, b"| a " * 9)
            )
    return bytes(copy)


def link_targets(rng: random.Random) -> list[str]:
    """Where links of a folder may lead: to names that cannot be, to each other, out of it, to what nobody may read."""
    targets = ("a.md", "b.md", ".", "..", "1", "2", "1/2", "/proc/1/cwd", "/dev/zero", "/dev/stdin", "pipe", "x" * 255,
               "x" * 300, "y/" * 2000, "a.md/b")  # fmt: skip
    return [rng.choice((*targets, words(rng).replace("\0", "")[:4000] or "x")) for _ in range(rng.choice((1, 3, 9)))]


def kept_text(rng: random.Random) -> tuple[str, bytes]:
    """A text, and a file of the user's that holds it, written as files write texts."""
    letters = "abzÄéßøŁñ日Ως"
    text = " ".join("".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(rng.randrange(1, 4)))
    written = rng.choice((str.upper, str.lower, str.casefold, str.title, str))(text)
    written = unicodedata.normalize(rng.choice(("NFC", "NFD")), written.replace(" ", rng.choice((" ", "\n", "\n  "))))
    for _ in range(rng.randrange(3)):
        written = json.dumps(written, ensure_ascii=rng.random() < 0.5)
    data = rng.randbytes(rng.randrange(99)) + b" " + written.encode() + b" " + rng.randbytes(rng.randrange(99))
    return text, gzip.compress(data) if rng.random() < 0.5 else b" " + data


SETTINGS = (
    b'model = "qwen3"\nbase_url = "http://127.0.0.1:9/v1"\nmax_tokens = 5000\nrisk = 0.1\nthinking = 500\n'
    b'[keys]\nquit = "ctrl+x"\n[endpoints."http://127.0.0.1:9/v1"]\nextra = {a = 1}\n'
)
SESSION = (
    b'{"clew_session": 1, "id": "ab12", "kb": "small.clew", "at": "2026-11-22T10:00:00+00:00"}\n{"name": "Films"}\n'
    b'{"turn": "t1", "parent": "", "at": "2026-11-22T10:00:01+00:00", "reply": {"question": "Where?", "answer": "Karsk", '
    b'"explanation": "In Karsk [1].", "found": true, "missing": "", "citations": [], "passages": [], "calls": []}}\n'
    b'{"head": "t1"}\n'
)
TABLES = {
    ".txt": b"Where was Irena Valdis born?\nWho directed Salt?\n",
    ".csv": b'id,question,answers,supporting\n1,Where was Irena Valdis born?,"[""Tarnow Bay""]",valdis.md\n2,Who?,a|b,\n',
    ".jsonl": b'{"id": "1", "question": "Where?", "answers": ["a"], "supporting": ["x"], "type": "bridge"}\n',
    ".plans": b'{"id": "1", "plan": [{"head": "Salt", "relation": "director", "tail": "?x", "relation_variants": ["by"]}]}\n',
    ".openie": b'{"id": "a", "entities": ["Ana"], "triples": [["Ana", "lives in", "Karsk"]]}\n',
    ".results": b'{"id": "1", "question": "Where?", "answer": "a", "found": true, "passages": [{"document": "x"}], "error": null}\n',
}
OTHER_DOCUMENTS = {
    "a.json": b'[{"title": "Karsk", "river": "Oder", "mayor": {"name": "Ana Souza", "since": 1999}, "tags": ["a", "b"]}]',
    "a.yaml": b"title: Karsk\nriver: Oder\nmayor: &a\n  name: Ana Souza\nother: *a\ntags: [a, b]\n",
    "a.xml": b'<?xml version="1.0"?><town id="1"><name>Karsk</name><river>Oder</river></town>',
    "a.rst": b"Karsk\n=====\n\n* Ana\n\n.. note:: See `Oder <oder.md>`_.\n\n+---+---+\n| a | b |\n+---+---+\n",
    "a.org": b"* Karsk\n:PROPERTIES:\n:ID: 1\n:END:\n| a | b |\n#+begin_src sh\nls\n#+end_src\n[[x][y]]\n",
    "a.vtt": b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>Hello there.\n\n00:03.000 --> 00:04.000\nYes.\n",
    "a.srt": b"1\n00:00:01,000 --> 00:00:02,000\nANA: Hello there.\n",
    "a.eml": b"From: Ana <a@b.c>\nTo: d@e.f\nSubject: Re: Karsk\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nMessage-ID: <1@b>\n"
    b"In-Reply-To: <0@b>\nContent-Type: text/plain\n\nHello.\n\n> old\n",
    "a.mbox": b"From a@b Mon Jan  1 10:00:00 2024\nFrom: Ana <a@b.c>\nSubject: x\n\nHello.\n",
    "a.py": b'"""Karsk."""\n# a comment\nclass A:\n    def b(self):\n        """Doc."""\n        return "#"\n',
    "a.c": b"/* Karsk */\nint main() { // a\n  return 0; }\n",
    "a.ipynb": b'{"cells": [{"cell_type": "markdown", "source": ["# Karsk\\n", "A town."]}, {"cell_type": "code", "source": "1", '
    b'"outputs": [{"text": "2"}]}], "nbformat": 4, "metadata": {}}',
    "a.jsonl": b'{"id": "a", "title": "Karsk", "text": "Karsk is a town."}\n{"id": "b", "text": "Oder."}\n',
    "chat.txt": b"[01/02/2024, 10:00:00] Ana: Hello\n[01/02/2024, 10:01:00] Ben: The mill burned down.\n",
    "notes.md": b"---\ntitle: Karsk\nauthor: {name: Ana}\n---\n# Karsk\n\nOwner: Ana Souza\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    b"[[Oder]] [x](y.md) `code`\n\n```sh\n# no heading\n```\n",
}  # fmt: skip
