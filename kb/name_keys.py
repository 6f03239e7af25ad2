"""Names as keys: what makes two spellings one entity, and which other names a title implies."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_NOT_WORD = re.compile(r"[^\w$€£%+&]+")
_NUMBERED = re.compile(r"#\d{1,9}")
_QUALIFIER = re.compile(r"^(?P<name>[^,]{2,}),\s+\S.*$")
MAX_NAME = 200
"""Characters of a name that count; a longer title is cut, which keeps a hostile one from filling the index."""


@lru_cache(maxsize=50_000)
def name_key(name: str) -> str:
    """The normalised name: case folded, accents and punctuation dropped, no leading article.

    "" for a name without letters, digits or currency signs.

    >>> name_key("The Crédit-Lyonnais (bank)"), name_key("#123")
    ('credit lyonnais bank', '#123')
    """
    if _NUMBERED.fullmatch(name):  # an issue, and no mere number
        return name
    text = name[:MAX_NAME]
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in decomposed if not unicodedata.combining(char))
    words = _NOT_WORD.sub(" ", text.casefold().replace("'", "").replace("’", "")).split()
    if len(words) > 1 and words[0] in {"the", "a", "an"}:
        words = words[1:]
    return " ".join(words)


def name_of_handle(handle: str) -> str:
    """The name that a handle is made of.

    >>> name_of_handle("ana.souza"), name_of_handle("AnaS")
    ('Ana Souza', 'AnaS')
    """
    name = " ".join(re.split(r"[._-]+", handle))
    return name.title() if name.islower() else name


def title_aliases(title: str) -> list[str]:
    """Keys under which a title is also known: without its brackets, and without what follows a comma.

    >>> title_aliases("Mimi (song)"), title_aliases("Stanley, North Dakota")
    (['mimi'], ['stanley'])
    """
    plain = _BRACKETS.sub(" ", title).strip()
    found = [plain]
    if qualified := _QUALIFIER.match(plain):
        found.append(qualified["name"])
    own = name_key(title)
    keys = (name_key(name) for name in found)
    return [key for key in dict.fromkeys(keys) if key and key != own]


_TICKET = re.compile(r"\[?(?P<key>(?:[A-Z][A-Z0-9]{1,9}-|#)\d{1,9})\]?[:\s–—-]+\S")


def ticket_of(name: str) -> str:
    """The ticket id that a name begins with, as it is written; "" for none, and for an id alone.

    >>> ticket_of("PAY-123: Charged twice"), ticket_of("#7 Leak"), ticket_of("PAY-123")
    ('PAY-123', '#7', '')
    """
    found = _TICKET.match(name)
    return found["key"] if found else ""


_TICKET_KEY = re.compile(r"[a-z][a-z0-9]{1,9} \d{1,9}")


def ticket_key(key: str) -> str:
    """The ticket's id, as `aliases` has it, that a normalised name may be; "" where it can be none.

    >>> ticket_key("pay 123"), ticket_key("pay 123 charged twice")
    ('pay-123', '')
    """
    return key.replace(" ", "-") if _TICKET_KEY.fullmatch(key) else ""
