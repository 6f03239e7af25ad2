"""Readers of subtitles (.vtt, .srt): who says what, without times."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from kb.documents.plaintext import Content, Unreadable, clean, decode, one_line

_TIMES = re.compile(r"(?:(\d{1,3}):)?(\d\d):(\d\d)[.,]\d{1,3}\s*-->\s*(?:(\d{1,3}):)?(\d\d):(\d\d)[.,]\d{1,3}")
_VOICE = re.compile(r"<v(?:\.[^\s>]{0,80})?\s+([^>]{1,120})>")
_TAG = re.compile(r"<[^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_NAMED = re.compile(r"(?:>>\s*)?([A-Z][\w.'’-]*(?: [\w.'’()-]+){0,3}): (?=\S)")
_NOT_SAID = re.compile(r"(?:NOTE|STYLE|REGION)\b|\d+$")
_DASH = re.compile(r"^-(?:\s+|$)|\s+-$")
"""What stands between the voices of a cue."""
_PAUSE = 3
"""Seconds without a word that end a paragraph where no speaker is named."""


def read_captions(data: bytes) -> Content:
    """A paragraph for each turn of a speaker, `Name: words`. Raises Unreadable where no line has a time."""
    text = clean(decode(data))
    paragraphs: list[tuple[str, list[str]]] = []
    ended, latest = 0, ("", "")
    for begin, end, speaker, words in _spoken(text):
        if words == latest[1] and speaker in ("", latest[0]):  # captions that roll up say a line twice
            continue
        latest = speaker or latest[0], words
        same = paragraphs and (speaker == paragraphs[-1][0] if speaker else begin - ended <= _PAUSE)
        if same and paragraphs:
            paragraphs[-1][1].append(words)
        else:
            paragraphs.append((speaker, [words]))
        ended = end
    if not paragraphs:
        raise Unreadable("has no captions: each needs a line such as 00:00:01.000 --> 00:00:02.000")
    said = (f"{speaker}: {' '.join(words)}" if speaker else " ".join(words) for speaker, words in paragraphs)
    return Content("", "\n\n".join(said))


def _spoken(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Begin and end in seconds, who speaks ("" if that is not said), and the words."""
    begin = end = -1
    speaker = ""
    for cue in re.split(r"\n[ \t]*\n", text):
        lines = cue.strip().split("\n")
        at = next((number for number, line in enumerate(lines[:3]) if _TIMES.match(line.strip())), -1)
        if at >= 0:
            times = _TIMES.match(lines[at].strip())
            assert times is not None
            parts = times.groups()[:3], times.groups()[3:]
            begin, end = (int(h or 0) * 3600 + int(m) * 60 + int(s) for h, m, s in parts)
            speaker = ""
        elif begin < 0 or _NOT_SAID.match(cue.strip()):
            continue
        for line in lines[at + 1 :]:  # without times: what stands behind a blank line in the cue before
            for voice, said in _voices(line):
                words = one_line(html.unescape(_TAG.sub("", said)))
                named = _NAMED.match(words)
                if voice:
                    speaker = voice
                elif named:
                    speaker, words = named[1], words[named.end() :]
                if words := _DASH.sub("", words):
                    yield begin, end, speaker, words


def _voices(line: str) -> Iterator[tuple[str, str]]:
    """A line's voices in their order, each with what it says; "" for what stands before the first."""
    first, *rest = _VOICE.split(line)
    yield "", first
    yield from zip(map(one_line, rest[::2]), rest[1::2], strict=True)
