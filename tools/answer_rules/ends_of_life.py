"""Whether a place or day stands with a birth where a death is asked about, or the other way round."""

from __future__ import annotations

import re

from tools.answer_rules.docs import Found

_ENDS = (
    re.compile(r"\b(?:born|birth|birthplace|birthday)\b", re.IGNORECASE),
    re.compile(r"\b(?:died?|dies|dead|deaths?|killed|passed away)\b|(?-i:\bd\.)|†", re.IGNORECASE),
)
_PARTED = re.compile(r"[–—;]|\s-\s")


def is_of_other_end(question: str, found: Found) -> bool:
    """Whether the last word for an end of a life before the answer, in its sentence with no dash between, is for the
    one not asked about: "Where did she die?" by "(born 1920 in Troy)", "When was he born?" by "died in 1999".

    A question about both or about neither is asked about no end.
    """
    asked = [bool(end.search(question)) for end in _ENDS]
    if asked[0] == asked[1]:
        return False
    before = found.doc.text[found.doc.sentence_span(found.start)[0] : found.start]
    told = [max((match.end() for match in end.finditer(before)), default=-1) for end in _ENDS]
    own, other = (told[0], told[1]) if asked[0] else (told[1], told[0])
    return other > own and not _PARTED.search(before, other)
