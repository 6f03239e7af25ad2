"""What belongs to a name in a question: "Leslie Stephen's first wife", "the designer of Galloping Gertie"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.planning.lexicon import PARTICIPLES, VERBAL, noun_type, singular
from tools.planning.words import CONJUNCTIONS, DETERMINERS, PREPOSITIONS, PRONOUNS, WH

WORD = re.compile(r"[^\s,;:?!()]+")
_OWNS = re.compile(r"['’]s$|s['’]$")
_JOINTS = VERBAL | PREPOSITIONS | CONJUNCTIONS | WH
_BEHIND = _JOINTS | frozenset("that also not never ever first-ever".split())
_BEFORE = _JOINTS | PRONOUNS
_OWN_NOTHING = PRONOUNS | WH | frozenset("that there here let today tomorrow yesterday everyone everybody".split())
_VALUES = frozenset(
    "name surname nickname number phone mobile extension address email mail website password code price cost rent fee "
    "wage salary age size height weight length width colour color title job role profession occupation nationality "
    "birth birthday birthplace death life career work own".split()
)
"""What a name has that is the answer itself, and of which nothing is asked."""
_PEOPLE = frozenset(
    "boss chief lead captain landlord vet dentist artist host nurse tenant pupil patient colleague guest treasurer "
    "secretary chair chairman chairwoman chairperson stand-in substitute contact caretaker warden skipper "
    "coach accountant bookkeeper electrician plumber carpenter joiner gardener supervisor foreman librarian "
    "curator technician headteacher headmaster headmistress principal lawyer solicitor minder keeper assistant "
    "apprentice trainee intern volunteer receptionist midwife physiotherapist pharmacist vicar priest organist".split()
)
_OF_THINGS = frozenset("layer letter winter member".split())
_TIMES = frozenset("time day days week weeks month months year years hour hours minute minutes".split())
_COUNTS = frozenset("how many much".split())
_OFFICES = frozenset("king queen duke duchess earl prince princess emperor empress president bishop mayor".split())
_DETERMINED = ("the", "our", "my", "your", "their")
_GOES_ON = frozenset("of for in at on with who whom that which whose".split())
"""What says further which one of them is meant."""
_NO_VALUE = re.compile(
    r"(?:why|how come|am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)\b", re.I
)
"""What begins so asks for no value of anybody."""
_OURS = frozenset("our my".split())
_ANYBODY = frozenset("man woman boy girl child children kid guy lady person people".split())
_MOST = 5
"""Words of the longest owner, and of the longest noun."""

Word = re.Match[str]


def is_personal(noun: str) -> bool:
    """Whether a noun in lower case names a person: by the lexicon, or as one who does something ("builder")."""
    known = noun_type(noun.rpartition("-")[2]) or noun_type(noun)
    if known or singular(noun) in _OF_THINGS:
        return known == "person" and singular(noun) not in _OF_THINGS
    if noun.endswith("er"):
        return noun[:-2] in VERBAL or noun[:-1] in VERBAL or noun[:-3] in VERBAL
    return noun in _PEOPLE or noun.endswith(("ator", "itor", "utor"))


def belonging(text: str) -> tuple[int, int, bool] | None:
    """Where the first words stand that say whose somebody or something is, and whether that is a person; None where
    there are none, or where they are a value ("Ana's phone number").
    """
    found = list(WORD.finditer(text))
    owned = (_by_owner(text, found, at) for at, word in enumerate(found) if _OWNS.search(word[0]))
    of_one = (_by_of(text, found, at) for at in reversed(range(len(found))) if found[at][0] == "of")
    return next(filter(None, owned), None) or next(filter(None, of_one), None)


def having_part(text: str) -> tuple[int, int, bool] | None:
    """Where "our designer" or "the nurse" stands, who is named by the part alone; None where nobody is so."""
    found = [] if _NO_VALUE.match(text) else list(WORD.finditer(text))
    for at, word in enumerate(found[:-1]):
        last = _noun(text, found, at + 1) if _low(word) in _DETERMINED else None
        if last is None or _OWNS.search(found[last][0]) or not found[at + 1][0].islower():
            continue
        goes_on = last + 1 < len(found) and _low(found[last + 1]) in _GOES_ON
        noun = _low(found[last])
        is_part = noun_type(noun) == "person" or noun in _PEOPLE or (is_personal(noun) and _low(word) in _OURS)
        if is_part and not goes_on and noun == singular(noun) and noun not in _ANYBODY:
            return word.start(), _end(found[last]), True
    return None


def _by_owner(text: str, found: Sequence[Word], at: int) -> tuple[int, int, bool] | None:
    """By "Ana's boss", as long as either side goes on to the next verb, preposition or comma."""
    if _owner(found[at]) in _OWN_NOTHING:
        return None
    first = _first_of_owner(text, found, at)
    last = _noun(text, found, at + 1)
    if last is None or not _is_noun(found[at + 1][0]) or _owner(found[at]) in _TIMES:
        return None
    if {_low(one) for one in found[first:at]} & _COUNTS:
        return None
    head = _OWNS.sub("", _low(found[last]))
    if head in _VALUES or noun_type(head) in ("number", "date"):
        return None
    return found[first].start(), _end(found[last]), is_personal(head)


def _owner(word: Word) -> str:
    """Who owns by "Ana's" or "Andreas'", in lower case."""
    return _OWNS.sub(lambda own: "s" if own[0][0] == "s" else "", _low(word))


def _is_noun(word: str) -> bool:
    """Whether a word behind "Ana's" may be what is hers: no name ("King's Cross"), no verb ("Ana's coming")."""
    low = word.lower()
    is_name = word[:1].isupper() and not word.isupper() and not _OWNS.search(word)
    is_verb = low.endswith("ing") or low in PARTICIPLES or low in _BEHIND | DETERMINERS
    return not is_name and (not is_verb or bool(noun_type(low)))


def _by_of(text: str, found: Sequence[Word], at: int) -> tuple[int, int, bool] | None:
    """By "the designer of Galloping Gertie": persons alone, as "of" is in the names of much else."""
    if not at or at + 1 >= len(found) or not found[at - 1][0].islower() or not is_personal(found[at - 1][0]):
        return None
    first = at - 1
    while first and at - first < _MOST and found[first][0].lower() not in _DETERMINED:
        if is_apart(text, found, first) or _low(found[first - 1]) in _BEFORE:
            return None
        first -= 1
    last = _noun(text, found, at + 1, is_named=found[at + 1][0][:1].isupper())
    if last is None or _OWNS.search(found[last][0]) or found[first][0].lower() not in _DETERMINED:
        return None
    return found[first].start(), _end(found[last]), True


def _first_of_owner(text: str, found: Sequence[Word], at: int) -> int:
    """The first word of the owner that ends at a word: a name begins where its capitals do, with "the" before it."""
    first, is_named = at, found[at][0][:1].isupper()
    while first and at - first < _MOST and not is_apart(text, found, first):
        word = _low(found[first - 1])
        if word in _DETERMINED:
            return first - 1
        if word == "of" and first > 1 and _low(found[first - 2]) in _OFFICES:
            first, is_named = first - 2, False  # "the king of Spain's wife"
            continue
        is_noun = word in VERBAL and first > 1 and _low(found[first - 2]) in _DETERMINED  # "the head office's roof"
        if (
            (word in _BEFORE and not is_noun)
            or _OWNS.sub("", word) in WH
            or (is_named and not found[first - 1][0][:1].isupper())
        ):
            return first
        first -= 1
    return first


def _noun(text: str, found: Sequence[Word], at: int, *, is_named: bool = False) -> int | None:
    """The last word of a noun that begins with a word, of a name where its capitals end."""
    last = None
    for place in range(at, min(len(found), at + _MOST + 1)):
        word = found[place][0]
        is_of = is_named and word == "of" and place + 1 < len(found) and found[place + 1][0][:1].isupper()
        if is_of and not is_apart(text, found, place):
            continue
        if last is not None and (_low(found[place]) in _BEHIND or is_apart(text, found, place)):
            break
        if last is not None and is_named and not word[:1].isupper():
            break
        last = place
        if _OWNS.search(word):
            break
    return last


def _end(word: Word) -> int:
    return word.start() + len(_owner(word))


def is_apart(text: str, found: Sequence[Word], at: int) -> bool:
    """Whether a comma or the like stands before a word."""
    return text[found[at - 1].end() : found[at].start()].strip() != ""


def _low(word: Word) -> str:
    return word[0].lower()
