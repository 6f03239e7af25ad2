"""Readers of mail: a message (.eml), and a mailbox (.mbox) with a document for each message.

What a message quotes of the one that it answers is left out: it is said there, and would be found twice. Which one that
is, by its id, is a link; the id and the sender of a message are its metadata.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cached_property
from itertools import groupby
from typing import Any, BinaryIO

from kb.documents.links import FORWARD
from kb.documents.plaintext import Content, Unreadable, clean, day_in_words, decode, first_words, one_line, tidy
from kb.documents.rows import Place, Row
from kb.documents.text_files import read_text
from kb.documents.unpacking import DAMAGE, brief, megabytes
from kb.documents.web_pages import read_html
from kb.errors import SourceError
from kb.records import Document, Link

MAX_MESSAGE = 50_000_000
"""Most bytes of a message in a mailbox, attachments included."""

_ANSWER = re.compile(r"\s*(?i:re|aw|antw|sv|vs|odp|rif|ref|res)\s*(?:\[\d+\])?:")
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,400}>")
_QUOTES = "blockquote, .gmail_quote, .yahoo_quoted, .moz-cite-prefix"
# "On 3 April 2025, Ana Souza wrote:", perhaps over two lines, in some of the languages that mail programs have.
_ATTRIBUTION = re.compile(
    r"(?m)^[ \t]*(?:(?:On|Am|Le|El|Em|Il|Op|Den)\b[^\n]{4,200}(?:\n[^\n]{0,80})?"
    r"(?:wrote|schrieb[^\n:]{0,60}|a écrit|escribió|escreveu|ha scritto|schreef[^\n:]{0,60}|skrev[^\n:]{0,60})"
    r"[ \t]?:)[ \t]*$"
)
_TAIL = re.compile(
    r"(?m)^[ \t]*(?:[-_]{3,}[ \t]*"
    r"(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Forwarded message)[ \t]*[-_]{3,}"
    r"|Begin forwarded message:|_{20,}[ \t]*(?=\n+From:)"
    r"|From:[^\n]*\n(?:[A-Z][\w-]{1,20}:[^\n]*\n){0,4}(?:Sent|Date):[^\n]*\n(?:[A-Z][\w-]{1,20}:[^\n]*\n){0,4}Subject:)"
)


def read_eml(data: bytes) -> Content:
    """A message; its title is the subject. Raises Unreadable for what is no message."""
    try:
        message = message_from_bytes(data, policy=policy.default)
        if not message.keys() or not any(name in message for name in ("from", "to", "subject", "date")):
            raise Unreadable("is no mail: it does not begin with lines such as From: and Subject:")
        _mend_headers(message)
        return _content(message)
    except DAMAGE as error:  # the email package fails in many ways over headers that nobody should send
        raise Unreadable(f"is damaged or no mail ({brief(error)})") from error


def _mend_headers(message: EmailMessage) -> None:
    """Have headers that were sent as they are, without naming an encoding, in that of the body, else as UTF-8 or
    Windows-1252, as mail programs read them.
    """
    for name, value in list(message.raw_items()):
        data = str(value).encode("utf-8", "surrogateescape")
        if not data.isascii():
            with suppress(*DAMAGE):  # what cannot be parsed stays as it is, as in `_header`
                declared = next((one for part in message.walk() if (one := part.get_content_charset())), "")
                message.replace_header(name, one_line(_said(data, declared)))


def _said(data: bytes, declared: str) -> str:
    for encoding in ("utf-8", declared, "cp1252"):
        with suppress(LookupError, ValueError):
            return data.decode(encoding)
    return data.decode("latin-1")


def _content(message: EmailMessage) -> Content:
    subject = _header(message, "subject")
    lines = [(name, _header(message, name.lower())) for name in ("From", "To", "Cc")]
    lines += [("Date", _date(message)), ("Attachments", ", ".join(_attachments(message)))]
    head = "\n".join(f"{name}: {value}" for name, value in lines if value)
    links: tuple[Link, ...] = ()
    thread = re.sub(rf"^(?:{_ANSWER.pattern})+\s*", "", subject)
    if thread and (answered := _answered(message)):
        head += f"\nIn reply to: {thread}" if head else f"In reply to: {thread}"
        links = (Link(len(head) - len(thread), len(head), answered),)
    known = (("message_id", _ids(message, "message-id")[-1:]), ("sender", [_sender(message)]))
    metadata = {name: found[0] for name, found in known if found and found[0]}
    return Content(subject, f"{head}\n\n{_body(message)}".strip(), links=links, metadata=metadata)


def _ids(message: EmailMessage, name: str) -> list[str]:
    return _MESSAGE_ID.findall(_header(message, name)[-10_000:])


def _answered(message: EmailMessage) -> str:
    """The id of the message that this one answers, in its brackets; "" for none, and for one that is forwarded."""
    if FORWARD.match(_header(message, "subject")):
        return ""
    found = _ids(message, "in-reply-to")[:1] or _ids(message, "references")[-1:]
    return found[0] if found else ""


def _sender(message: EmailMessage) -> str:
    try:
        return one_line(message["from"].addresses[0].display_name)
    except DAMAGE:
        return ""


def _header(message: EmailMessage, name: str) -> str:
    try:
        return one_line(str(message[name] or ""))
    except DAMAGE:  # an address that cannot be parsed is better told as it is than not at all
        return one_line(next((str(value) for key, value in message.raw_items() if key.lower() == name), ""))


def _date(message: EmailMessage) -> str:
    """The day and minute in words, as the sender's clock had it; else what the header says."""
    try:
        when = message["date"].datetime
        return f"{day_in_words(when)}, {when:%H:%M}"
    except DAMAGE:
        return _header(message, "date")


def _attachments(message: EmailMessage) -> Iterator[str]:
    for part in message.walk():
        name = one_line(part.get_filename() or "")
        if name:
            yield name.replace(",", " ")


def _body(message: EmailMessage) -> str:
    subject = _header(message, "subject")
    answers = bool(message["in-reply-to"] or message["references"] or _ANSWER.match(subject))
    answers = answers and not FORWARD.match(subject)
    parts = groupby(_text_parts(message), lambda one: one.kind)
    texts = [_words([one.text for one in same], kind, answers=answers) for kind, same in parts]
    # Programs send one text twice, plain and as a page, and not all of them mark these as alternatives.
    once: dict[str, str] = {}
    for text in texts:
        words = " ".join(re.findall(r"\w+", text))
        before = next(reversed(once), "")
        if _is_most_of(before, words):
            del once[before]
        if not _is_most_of(words, before):
            once.setdefault(words, text)
    return "\n\n".join(filter(str.strip, once.values()))


def _is_most_of(words: str, others: str) -> bool:
    """Whether `others` are these words with no more than as many in front or behind, such as a program's line."""
    return len(words) < len(others) <= 2 * len(words) and f" {words} " in f" {others} "


class _TextPart:
    """A part of a message, decoded once, however many alternatives within each other it stands in."""

    def __init__(self, part: Any) -> None:
        self._part = part
        self.kind = str(part.get_content_subtype())

    @cached_property
    def text(self) -> str:
        data = self._part.get_payload(decode=True) or b""
        try:
            return clean(data.decode(self._part.get_content_charset("utf-8")))
        except (LookupError, UnicodeError):
            return clean(decode(data))

    @cached_property
    def is_blank(self) -> bool:
        return not self.text.strip()


def _words(said: Sequence[str], kind: str, *, answers: bool) -> str:
    """The words of parts of one kind that follow each other, as one text: what is quoted may run on into the next."""
    if kind == "plain":
        text = "\n\n".join(said)
        return _unquoted(text) if answers else read_text(text.encode()).text
    pages = [_without_quotes(one) if answers else one for one in said if one.strip()]
    text = "\n\n".join(read_html(page.encode()).text for page in pages)
    return _unquoted(text, wrapped=False) if answers else text


def _text_parts(message: EmailMessage) -> list[_TextPart]:
    """The parts with the words of a message, in order: pictures and files may stand between them."""
    found = list(_texts(message))
    if not found and (body := message.get_body(("plain", "html"))) is not None:
        return [_TextPart(body)]  # a text that is called by a name, with nothing beside it
    return found


def _texts(part: Any, *, is_root: bool = True) -> Iterator[_TextPart]:
    """The text parts within a part; of alternatives those of the first in plain text, else of the first with words."""
    if part.is_attachment() or (part.get_filename() and not part.is_multipart()):
        return
    kind = part.get_content_type()
    if kind in ("text/plain", "text/html"):
        if is_root or not part["content-id"]:  # else it is a frame within a page
            yield _TextPart(part)
    elif kind == "multipart/alternative":
        ways = [list(_texts(one)) for one in part.iter_parts()]
        ways = [way for way in ways if not all(one.is_blank for one in way)]
        plain = (way for way in ways if all(one.kind == "plain" for one in way))
        yield from next(plain, ways[0] if ways else [])
    elif part.get_content_maintype() == "multipart":
        for number, one in enumerate(part.iter_parts()):
            yield from _texts(one, is_root=number == 0 or kind != "multipart/related")


def _without_quotes(markup: str) -> str:
    import bs4

    soup = bs4.BeautifulSoup(markup, "lxml")
    for quote in soup.select(_QUOTES):
        quote.extract()
    return str(soup)


def _unquoted(text: str, *, wrapped: bool = True) -> str:
    """The words of the sender's own: without quoted lines, the line that introduces them, and a tail of old mail; a
    quoted question that is answered right below it stays.
    """
    text = clean(text)
    if tail := _TAIL.search(text):
        text = text[: tail.start()]
    parts = []
    at = 0
    for said in _ATTRIBUTION.finditer(text):
        parts.append(text[at : said.start()])
        at = said.end()
        if not text[at:].lstrip().startswith(">"):  # quoted without marks: all that follows is the other's
            at = len(text)
            break
    parts.append(text[at:])
    own = tidy("\n".join(_own_lines("".join(parts).split("\n"))))
    return read_text(own.encode()).text if wrapped and own else own


MAX_ASKED = 300
"""Characters of a quoted question that are kept: what is longer quotes more than a question."""

_SENTENCE = re.compile(r"(?<=[.!?]) +")


def _own_lines(lines: Sequence[str]) -> Iterator[str]:
    """Lines that are not quoted; the question at the end of what is quoted right above one is its heading."""
    quoted: list[str] = []
    for line in lines:
        if line.lstrip().startswith(">"):
            words = line.lstrip()[1:].strip()
            quoted = [*quoted, words] if words and not words.startswith(">") else []
            continue
        if quoted and line.strip():
            asked = _SENTENCE.split(" ".join(quoted)[-MAX_ASKED:])[-1]
            yield from ("", f"## {asked}", "") if asked.endswith("?") else ()
            quoted = []
        yield line


def read_mbox(file: BinaryIO, place: Place) -> Iterator[Row]:
    """A document for each message, its key the file's and the message's id. Raises Unreadable for no mailbox."""
    found = False
    known: set[str] = set()
    for count, (number, data) in enumerate(_messages(file), 1):
        found = True
        try:
            if isinstance(data, Unreadable):
                raise data
            content = read_eml(data)
            if not content.text:
                raise Unreadable("has no text")
            identity = content.metadata.get("message_id", "").strip("<>")[:200]
            key = f"{place.key}#{identity if identity and identity not in known else count}"
            known.add(identity)
            title = content.title or first_words(content.text)
            yield (
                number,
                Document(
                    key, title, content.text, place.source, place.root, "mbox", content.metadata, (), content.links
                ),
            )
        except Unreadable as error:
            yield number, SourceError(place.shown, f"line {number}: {error}")
    if not found:
        raise Unreadable("is empty or no mailbox: its first line begins with From and a space")


def _messages(file: BinaryIO) -> Iterator[tuple[int, bytes | Unreadable]]:
    """Messages with the line that each begins in. A line "From " behind a blank one begins a message."""
    lines: list[bytes] = []
    begin, size, blank, inside = 0, 0, True, False
    number = 0
    while line := file.readline(MAX_MESSAGE):
        number += 1
        if blank and line.startswith(b"From "):
            if inside:
                yield begin, _message(lines, size)
            lines, begin, size, inside = [], number, 0, True
        elif inside:
            size += len(line)
            if size <= MAX_MESSAGE:
                lines.append(line[1:] if re.match(rb">+From ", line) else line)
        elif line.strip():
            return
        blank = not line.strip()
    if inside:
        yield begin, _message(lines, size)


def _message(lines: list[bytes], size: int) -> bytes | Unreadable:
    if size > MAX_MESSAGE:
        return Unreadable(f"has {megabytes(size)}, over the limit of {megabytes(MAX_MESSAGE)} a message")
    return b"".join(lines)
