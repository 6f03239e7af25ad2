"""A question's words as the file knows them: names with their capitals, misspelt ones corrected, and a mere row of
nouns as a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assistant.agent.offline.yes_or_no_wording import ASKS
from kb.name_keys import name_key
from kb.store.knowledge_base import KnowledgeBase
from kb.store.vocabulary import folded, in_names, in_titles, is_written, names_near, share_a_name, titles_of, writings
from tools.planning.lexicon import KNOWN_WORDS, MADE_BY, NOUNS, PERSONAL, RELATIONS, VERBAL, singular
from tools.planning.words import MULTIWORD, NAME_LINKS, NATIONALITIES, WH
from tools.reading.yes_or_no import HELPING

LEAST_LETTERS = 5
"""Letters of a word that may be misspelt: of shorter ones too many are one letter apart."""
ALONE = 7
"""Letters of a name that may be misspelt where no other name stands beside it, unless a document is called like it."""
LONG = 9
"""Letters of a word that may have two faults."""
MOST_WORDS = 60
"""Words of a question that are looked at; a longer text is no question in haste."""
_OFTEN = 3
"""How often the file has a word that a question with other capitals writes small, before it is taken for a name."""
_LONGEST = 8
"""Words of the longest name looked for."""

_WORD = re.compile(r"[^\W_]+(?:[-'’](?!s\b)[^\W_]+)*")
_DETERMINERS = frozenset("the a an this that his her its their my our your every each any some no".split())
_FORMS_OF_ADDRESS = frozenset("mr mrs ms dr sir lord lady king queen president professor prof saint st dame".split())
_NOT_MISSPELT = KNOWN_WORDS | VERBAL | NATIONALITIES | frozenset(word for noun in NOUNS for word in noun.split())
_MADE_MUSIC = re.compile(
    r"^who (?:composed|wrote|made|created|did) the (?:film |original )?(?:music|score|soundtrack) (?:of|for|to|in) ",
    re.I,
)
_HAILED = re.compile(
    r"^(?:(?:hey|hi|hello|hiya|ok(?:ay)?|um+|erm?|well|sorry|please|quick (?:one|question)|just (?:checking|wondering)"
    r"|out of interest)(?: (?:there|all|again|everyone|team|folks))?"
    rf"(?:\s*[,:;.!–—-]+\s*(?=\w)|\s+(?={ASKS}|{HELPING}\b)))+",
    re.I,
)
"""What one calls out before one asks: "hey, …", "quick question: …"."""
_BEGS = re.compile(
    r"^(?:(?:please |pls )?(?:remind|tell) (?:me|us)(?: again| please)?"
    r"|(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody) (?:please |just |quickly )?"
    r"(?:remind|tell|say|check|look up|look (?:this|it|that) up|find out|let)(?: (?:me|us)(?: know)?)?"
    r"(?: again| please)?"
    r"|(?:do|does) (?:you|anyone|anybody|someone) (?:still |happen to )?(?:know|remember)"
    r"|i(?:['’]d| would) like to know|i (?:want|need) to know|any idea|i (?:wonder|forget|forgot|can['’]t remember))"
    rf"(?:[,:]? (?={ASKS})|[,:] (?={HELPING}\b))",
    re.I,
)
"""What one begs for an answer with: "Can you tell me when …?", "Remind me: is …?"."""
_SUBJECT = r"(?:(?:the|an?|my|our|your|his|her|their|its|this|that|these|those|it|he|she|they|we|there)\b|(?-i:[A-Z]))"
_TOLD_ORDER = re.compile(
    r"(?P<asks>who|where|when|how (?:much|many|old|big|long|far|high|tall|heavy)"
    rf"|(?:what|which)(?: (?!{_SUBJECT})[\w-]+){{,3}})"
    rf" (?P<of>(?={_SUBJECT})(?:(?!\b(?:is|are|was|were|do|does|did|has|have|had|can|will|would|must)\b)[^?,;])+)"
    r" (?P<verb>is|are|was|were)[ ?.!]*",
    re.I,
)
"""What is begged for in the order of a statement: "who Gareth is", "which day the fair was"."""
_PLEASES = re.compile(r",? (?:please|pls|thanks|thank you|thx)(?=\W*$)", re.I)
_SURE_MONTHS = "january|february|april|june|july|august|september|october|november|december"
_MONTH = re.compile(
    rf"\b(?:{_SURE_MONTHS})\b"
    r"|(?<=\d )(?:may|march)\b|(?<=\d(?:st|nd|rd|th) )(?:may|march)\b"
    r"|(?<=\b(?:in|of|by) )(?:may|march)\b(?! (?:be|i|we|you))|(?<=\bsince )(?:may|march)\b|\b(?:may|march)(?= \d)"
)
"""A month written small; "may" and "march" beside a day or behind a word for a time alone."""
_JOINED_VERB = re.compile(
    r"^(?P<asks>\W*(?:(?:and|so) )?(?:which|what|how) [\w-]+)['’]s"
    r" (?=(?:ours|mine|yours|theirs|his|hers|the|a|an|it|in|on|at|for|to|my|our|your|their|that|this|there)\b)",
    re.I,
)
"""What is asked for with its verb joined to it: "Which mooring's ours?", "How long's the roof guaranteed for?"."""
_NOT_MADE = ("person", "place", "date", "number")
_FILLER = frozenset("of the for by in a an s".split())


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    text: str

    @property
    def is_capital(self) -> bool:
        return not self.text[0].islower()


def as_known(kb: KnowledgeBase, question: str) -> tuple[str, tuple[str, ...]]:
    """The question with its names spelt and written as the file does, and what a reader should know of that.

    A name is corrected only where the file has it nowhere and exactly one known name is a letter (two in a long name)
    away. Capitals are given to known names, the longest first, not to words that the file writes small. A question that
    has all that, or names nothing known, is given back as it is.
    """
    if len(_words(question)) > MOST_WORDS:
        return question, ()
    corrected, notes = _corrected(kb, question)
    recased = _recased(kb, corrected)
    return recased, tuple(notes)


def with_months(question: str) -> str:
    """The question with its months in capitals, as they are read: "who is on duty on 11 may"."""
    return _MONTH.sub(lambda month: month[0].capitalize(), question)


def with_its_verb(question: str) -> str:
    """The question with its verb by itself: "Which mooring's ours?" asks "Which mooring is ours?"."""
    return _JOINED_VERB.sub(r"\g<asks> is ", question, count=1)


def unaddressed(question: str) -> str:
    """The question without what one calls out or begs with: "hey, can you tell me when the fair is, please?" asks
    "when is the fair?".
    """
    asked, begged = _BEGS.subn("", _HAILED.sub("", _PLEASES.sub("", question.strip()), count=1), count=1)
    told = _TOLD_ORDER.fullmatch(asked) if begged else None
    return f"{told['asks']} {told['verb']} {told['of']}?" if told else asked


def spelled_out(question: str) -> str:
    """A row of a name and relations as a question: "Stalker composer birthplace" asks "What is the birthplace of the
    composer of Stalker?". The question itself where it is none, or has a verb.
    """
    words = _words(question)
    if not 2 <= len(words) <= _LONGEST or any(folded(word.text) in VERBAL | WH for word in words):
        return question
    name = _name_in(question, words)
    if name is None:
        return question
    before, after = _relations(question[: name[0]]), _relations(question[name[1] :])
    if before is None or after is None or not (before or after):
        return question
    chain = min([*after, *reversed(before)], [*reversed(before), *after], key=_misfits)
    asked = "".join(f"the {relation} of " for relation in reversed(chain)) + question[name[0] : name[1]]
    path = NOUNS.get(singular(chain[-1]), ())
    is_person = bool(path) and RELATIONS[path[-1]].tail_type == "person"
    return f"{'Who' if is_person else 'What'} is {asked}?"


def of_its_maker(question: str) -> str:
    """ "Who composed the music of Stalker?" as "Who is the composer of Stalker?": music is no link in a chain. Other
    questions as they are.
    """
    return _MADE_MUSIC.sub("Who is the composer of ", question)


# -- spelling ----------------------------------------------------------------------------------------------------------


def _corrected(kb: KnowledgeBase, question: str) -> tuple[str, list[str]]:
    """The question with misspelt names corrected; as it is where another of its names is known in no spelling: then it
    is likelier to be about things that are not here than misspelt.
    """
    words, notes, meant = _words(question), list[str](), question
    has_capitals = _has_capitals(question)
    for at in reversed(range(len(words))):
        word = words[at]
        is_small = has_capitals and not word.is_capital and not any(_beside(words, at))
        if is_small or not _may_be_misspelt(word) or is_written(kb, word.text):
            continue
        if name := _meant(kb, words, at):
            meant = meant[: word.start] + name + meant[word.end :]
            notes.insert(0, f"read “{word.text}” as “{name}”")
        elif has_capitals and word.is_capital:
            return question, []
    return meant, notes


def _may_be_misspelt(word: _Word) -> bool:
    text = word.text
    if len(text) < LEAST_LETTERS or not text.isalpha():
        return False
    return folded(text) not in _NOT_MISSPELT and singular(folded(text)) not in _NOT_MISSPELT


def _meant(kb: KnowledgeBase, words: Sequence[_Word], at: int) -> str:
    """The one name that a word which is written nowhere is misspelt of; "" for none, or several."""
    text = words[at].text
    near = names_near(kb, text, 2 if len(text) >= LONG else 1)
    if len(near) != 1 or _is_plural(folded(text), folded(near[0])):
        return ""
    if any(writing[0].islower() for writing in writings(kb, near[0])):
        return ""
    beside = list(_beside(words, at))
    if beside:
        return near[0] if share_a_name(kb, near[0], beside) else ""
    return near[0] if len(text) >= ALONE or in_titles(kb, near[0]) else ""


def _is_plural(word: str, name: str) -> bool:
    return word == name + ("es" if name.endswith("s") else "s")


def _beside(words: Sequence[_Word], at: int) -> Iterator[str]:
    """The words next to a word that seem to belong to the same name."""
    for step in (-1, 1):
        place = at + step
        while 0 <= place < len(words) and words[place].is_capital and words[place].text[0].isalpha():
            said = folded(words[place].text)
            if (place == 0 and said in KNOWN_WORDS) or said in WH:
                break
            if said not in _FORMS_OF_ADDRESS:
                yield words[place].text
            place += step


# -- capitals ----------------------------------------------------------------------------------------------------------


def _recased(kb: KnowledgeBase, question: str) -> str:
    words, has_capitals = _words(question), _has_capitals(question)
    stretches = [
        (first, last)
        for first in range(len(words))
        for last in range(first, min(first + _LONGEST, len(words)))
        if not all(word.is_capital for word in words[first : last + 1])
    ]
    keys = {(first, last): name_key(question[words[first].start : words[last].end]) for first, last in stretches}
    known = kb.named([key for key in keys.values() if key])
    taken: set[int] = set()
    changes: list[tuple[int, int, str]] = []
    for first, last in sorted(keys, key=lambda one: (one[0] - one[1], one)):
        here = set(range(first, last + 1))
        if here & taken or not _may_be_name(words, first, last):
            continue
        if keys[first, last] not in known and not (first == last and in_names(kb, keys[first, last])):
            continue
        start, end = words[first].start, words[last].end
        if written := _as_name(kb, words, first, question[start:end], has_capitals):
            taken |= here
            changes.append((start, end, written))
    for start, end, written in sorted(changes, reverse=True):
        question = question[:start] + written + question[end:]
    return question


def _may_be_name(words: Sequence[_Word], first: int, last: int) -> bool:
    """Whether what stands there is more than words of the question itself."""
    said = [folded(word.text) for word in words[first : last + 1]]
    if first == last:
        return len(said[0]) > 2 and not {said[0], singular(said[0])} & _NOT_MISSPELT and not said[0].isdigit()
    return not all(one in KNOWN_WORDS or one in NAME_LINKS for one in said)


def _as_name(kb: KnowledgeBase, words: Sequence[_Word], first: int, said: str, has_capitals: bool) -> str:
    """What is `said` as the file writes it, "" where it is an ordinary word there.

    In a question that has capitals elsewhere, what is written small is meant so, unless the file never does.
    """
    found = writings(kb, said)
    small = sum(count for writing, count in found.items() if writing[0].islower())
    names = [(count, writing) for writing, count in found.items() if not writing[0].islower()]
    if folded(words[first].text) in _DETERMINERS:
        return next((title for title in titles_of(kb, said) if folded(title) == folded(said)), "")
    before = folded(words[first - 1].text) if first else ""
    after_article = before in _DETERMINERS
    if not names or (small and has_capitals):
        return ""
    if has_capitals and " " not in said and (found.total() < _OFTEN or after_article or before == "to"):
        return ""
    if small and (after_article or small > found.total() / 2 or not titles_of(kb, said)):
        return ""
    return max(names)[1]


# -- rows of nouns -----------------------------------------------------------------------------------------------------


def _name_in(question: str, words: Sequence[_Word]) -> tuple[int, int] | None:
    """Where the one name of a row of nouns stands; None for none, or several."""
    if quoted := re.search(r"[“\"][^“”\"]+[”\"]", question):
        return quoted.span()
    at = [place for place, word in enumerate(words) if word.is_capital and not _is_opening_noun(words, place)]
    if not at:
        return None
    inner = words[at[0] : at[-1] + 1]
    if any(not word.is_capital and folded(word.text) not in NAME_LINKS for word in inner):
        return None
    return inner[0].start, inner[-1].end


def _is_opening_noun(words: Sequence[_Word], place: int) -> bool:
    """Whether a capital is but that of a sentence's beginning: "Birthplace of …"."""
    return place == 0 and singular(folded(words[0].text)) in NOUNS and any(word.is_capital for word in words[1:])


def _relations(text: str) -> list[str] | None:
    """The relations that a text names and nothing else, None where it says more."""
    said = [folded(word.text) for word in _words(text)]
    found, at = list[str](), 0
    while at < len(said):
        size = next((size for size in (3, 2, 1) if _relation(said[at : at + size])), 0)
        if size:
            found.append(_relation(said[at : at + size]))
        elif said[at] not in _FILLER:
            return None
        at += max(size, 1)
    return found


def _misfits(chain: Sequence[str]) -> int:
    """How many relations of a chain do not fit what the one before leads to: a birthplace has no composer."""
    paths = [NOUNS.get(singular(one), (one,)) for one in chain]
    kinds = [
        (RELATIONS[before[-1]].tail_type if before[-1] in RELATIONS else "", after[0])
        for before, after in pairwise(paths)
    ]
    return sum(
        (after in PERSONAL and kind != "person") or (after in MADE_BY and kind in _NOT_MADE) for kind, after in kinds
    )


def _relation(words: Sequence[str]) -> str:
    said = " ".join(words)
    if said in MULTIWORD:
        return MULTIWORD[said]
    return said if singular(said) in NOUNS else ""


def _words(text: str) -> list[_Word]:
    return [_Word(match.start(), match.end(), match[0]) for match in _WORD.finditer(text)]


def _has_capitals(question: str) -> bool:
    """Whether the question is written with capitals beyond its first letter."""
    letters = question.lstrip(" “\"'(¿¡")[1:]
    return any(char.isupper() for char in letters)
