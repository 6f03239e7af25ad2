"""What the text says of a claim: the sentences that say most of it, and what speaks for yes and for no.

A question for yes or no claims something. The sentence that says most of the claim, with the headings above it, its
subject and its title, either says it, denies it, or has another day, number or name in the place of the claimed one;
both readers read it besides. Before it stands the line by which the second reader decides, who reads the best passages,
too. A small trained model (`choice.py`, "claims") weighs all of that for each of the two answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tools.answer_rules.docs import Doc
from tools.answer_rules.text import content_stems, fold, stem, words
from tools.reading.choice import load_choice
from tools.reading.revisions import is_overtaken
from tools.reading.spans import Reading

Floats = NDArray[np.float32]
Read = Callable[[Sequence[tuple[str, str, str]]], list[Reading]]

STATEMENTS, AGAIN = 3, 2
"""Sentences that are read by themselves, those that say most of the claim, and how many by the second reader too."""

_READ = 400
"""Characters of a question that are read."""

PREFIX = 4
"""Letters by which two plain words are held to be the same: "study" and "studied"."""

_TRUTH = re.compile(
    r"^(?:is it (?:true|correct|right|so|a fact) that|true or false\s*[:,-]?|(?:is|was) it (?:true|right),? )", re.I
)
HELPING = (
    r"(?:(?:am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)(?:n['’]t)?"
    r"|need(?= (?:i|we|you|they|he|she)\b))"
)
"""The verb that a question for yes or no begins with."""
_AUXILIARY = re.compile(rf"^(?:and |but |so |then )?{HELPING}\s", re.I)
_OR = re.compile(r"\bor\b", re.I)
NEGATED = re.compile(
    r"\b(?:not|no(?!\.\s?\d)|never|none|nobody|nothing|neither|nor|cannot|without|rejected|refused|declined)\b|n['’]t\b",
    re.I,
)
_FORBIDS = re.compile(
    r"\b(?:banned|forbidden|prohibited|excluded|except|closed|disabled|off|stopped|cancelled|canceled|instead"
    r"|rather than|unless|until)\b",
    re.I,
)
_WHEN = r"(?:when|if|where|in case|as long as)\b"
_WHILE_NOT = rf"[^,;:.()]*?(?:{NEGATED.pattern})[^,;:.()]*"
_IF_NOT = re.compile(rf"(?:^|(?<=[,;:.(] )){_WHEN}{_WHILE_NOT},|(?<=\w )\b{_WHEN}{_WHILE_NOT}(?=$|[.;)])", re.I)
"""Under what negated condition something is so: "When no option is given, …" denies nothing."""

_DOUBTED = 0.6
"""The most confidence in what a mere heading decides ("Blank lines" says neither yes nor no; "No dogs" does), and in
what the second reader takes for the opposite where it is shown the line alone.
"""
_OTHERWISE = 1.65
"""How many times as likely the opposite has to be there."""
_UNREAD = 0.03
"""What is added to both of them: of two that are hardly likely neither is the likelier."""
_CLAUSE = re.compile(r"[^,;:()–—]+:?|[()]")
_SCOPE = re.compile(rf"{NEGATED.pattern}|{_FORBIDS.pattern}", re.I)
_ONLY = re.compile(r"\bonly\b", re.I)
_BUT = re.compile(r"\b(?:but|however|although|though|while|whereas)\b", re.I)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DAY = re.compile(
    r"\b(?i:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|april|june|july|august|september"
    r"|october|november|december)s?\b|\b(?:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun|March|May|Jan|Feb|Mar|Apr|Jun|Jul|Aug"
    r"|Sept?|Oct|Nov|Dec)\b"
)
_NAME = re.compile(r"[^\W\d_][\w'’-]*")
_SOFT = frozenset(
    content_stems(
        "we us our my your you i me get got have has had do did done use used using still already ever also too really "
        "actually right so true there any some allowed allow permitted possible please it they them he she this that "
        "people somebody someone anyone one say said tell know called just even now then yet"
    )
)
_PAIRS = (
    "free paid,on off,open closed,before after,more less,first last,high low,new old,in out,up down,buy sell",
    "left right,early late,yes no,always never,full empty,hot cold,large small,big small,long short,win lose,won lost",
    "alive dead,begin end,start stop,enabled disabled,public private,cheap expensive,inside outside,above below",
    "with without,accept refuse,accepted declined,allowed forbidden,permitted banned,required optional",
    "same different,rose fell,morning evening,day night,north south,east west,black white,enter leave,arrive depart",
    "increase decrease,rise fall,married single,owned rented,written oral,mother father,brother sister,son daughter",
)
_OPPOSITE = {
    stem(one): stem(other)
    for pair in ",".join(_PAIRS).split(",")
    for one, other in (pair.split(), reversed(pair.split()))
}

CLAIM_FEATURES = (
    "side", "cover", "own", "around", "rest", "names_missing", "numbers", "numbers_missing", "number_instead",
    "day_instead", "name_instead", "cosine", "rank", "negated", "denied", "asked_negated", "forbids", "only", "but",
    "opposite", "is", "do", "can", "truth", "margin", "line", "words",
    "for", "against", "for_all", "against_all", "for_passage", "against_passage", "again_for", "again_against",
    "again_for_all", "again_against_all", "side_cover", "side_denied", "side_instead", "side_opposite",
    "scope", "side_scope",
    "decides", "best_for", "best_against", "first_for", "first_against", "leaning", "most_for", "most_against",
    "best_rank", "best_span",
)  # fmt: skip


def is_yesno(question: str) -> bool:
    """Whether a question asks for yes or no by its form: "Is …?", "true or false: …", but no "Is it A or B?"."""
    if _TRUTH.match(question):
        return True
    return bool(_AUXILIARY.match(question)) and not _OR.search(question)


def offers_choice(question: str) -> bool:
    """Whether a question offers what may answer it: "Did we cancel more in 2023 or in 2024?"."""
    return bool(_AUXILIARY.match(question)) and bool(_OR.search(question))


def is_claim(question: str) -> bool:
    """Whether a question puts a claim to be judged: "Is it true that …?", "True or false: …"."""
    return bool(_TRUTH.match(question))


def asked_plainly(question: str) -> str:
    """A claim to be judged as the question for it: "true or false: X" as "Is it true that X?"."""
    match = _TRUTH.match(question)
    return f"Is it true that {question[match.end() :].strip()}" if match else question


def claimed(question: str) -> str:
    """What a question for yes or no claims, without its first word and its mark."""
    return _AUXILIARY.sub("", _TRUTH.sub("", question.strip())).strip(" ?.!")


@dataclass(frozen=True, slots=True)
class _Asked:
    """The stems of a claim's plain words (by their first letters), names, numbers and days."""

    plain: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    days: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a passage that says something of a claim.

    `cover` is the share of the claim's words (0..1) that it says with what stands above it, `own` by itself, `around`
    with its neighbours; `rest` the share of those that are no names and numbers. `missing` are the shares of names and
    of numbers that it lacks. `instead` says whether it has another number, day or name in the place of a claimed one.
    """

    doc: Doc
    index: int
    text: str
    cover: float
    own: float
    around: float
    rest: float
    missing: tuple[float, float]
    instead: tuple[bool, bool, bool]
    cosine: float

    @property
    def above(self) -> str:
        """The title and the headings above it."""
        return self.doc.headings_at(self.doc.sentences[self.index][0])

    @property
    def weight(self) -> float:
        """By how much it is to the point."""
        return self.cover + 0.4 * self.own + 0.2 * self.around + 0.3 * self.cosine


def statements(question: str, docs: Sequence[Doc], deciding: tuple[Doc, int] | None = None) -> list[Statement]:
    """The sentences of the passages that say most of what a question for yes or no claims, the most telling first;
    none for which the same item of later minutes has another figure or day. Before them stands the one by which a
    reader decides: `deciding`, a passage and the index of its sentence.
    """
    asked = _asked(question, docs)
    found = [_stated(asked, doc, index) for doc in docs for index in range(len(doc.sentences))]
    best = sorted(found, key=lambda one: (not _decides(one, deciding), -one.weight, one.doc.rank, one.index))
    holding = (one for one in best if not is_overtaken(question, one.doc, one.index, docs))
    return [one for one in islice(holding, STATEMENTS) if one.cover or _decides(one, deciding)]


def _decides(statement: Statement, deciding: tuple[Doc, int] | None) -> bool:
    return deciding is not None and statement.doc is deciding[0] and statement.index == deciding[1]


def _asked(question: str, docs: Sequence[Doc]) -> _Asked:
    text = claimed(question)
    small = frozenset().union(*(_small(doc) for doc in docs))
    names, numbers, plain = set[str](), set[str](), set[str]()
    for match in re.finditer(r"[\w'’-]+(?:[.,:]\d+)*", text):
        word = match.group()
        if _DAY.fullmatch(word):
            continue
        for one in content_stems(word):
            if any(letter.isdigit() for letter in word):
                numbers.add(one)
            elif word[0].isupper() and word.casefold() not in small:
                names.add(one)
            elif one not in _SOFT:
                plain.add(one[:PREFIX])
    return _Asked(frozenset(plain), frozenset(names), frozenset(numbers), _days(text))


def _small(doc: Doc) -> frozenset[str]:
    """The words of a passage that are written small."""
    if "small_words" not in doc.notes:
        doc.notes["small_words"] = frozenset(word for word in _NAME.findall(doc.text) if word.islower())
    small: frozenset[str] = doc.notes["small_words"]
    return small


def _days(text: str) -> frozenset[str]:
    return frozenset(fold(day)[:3] for day in _DAY.findall(text))


def _stated(asked: _Asked, doc: Doc, index: int) -> Statement:
    start, end = doc.sentences[index]
    text = doc.text[start:end]
    own = doc.sentence_stems[index]
    above = _above(doc, f"{doc.headings_at(start)} {doc.subject_at(start)}")
    beside = frozenset().union(*doc.sentence_stems[max(0, index - 1) : index + 2])
    said = own | above
    numbers, days = frozenset(_NUMBER.findall(text)), _days(text)
    names_lack = len(asked.names - said) / len(asked.names) if asked.names else 0.0
    numbers_lack = len(asked.numbers - said) / len(asked.numbers) if asked.numbers else 0.0
    others = [one for one in _NAME.findall(text)[1:] if one[0].isupper() and stem(fold(one)) not in asked.names]
    plain = frozenset(one[:PREFIX] for one in said)
    return Statement(
        doc, index, text,
        _cover(asked, said, days | _days(doc.headings_at(start))),
        _cover(asked, own, days),
        _cover(asked, said | beside, days),
        len(asked.plain & plain) / len(asked.plain) if asked.plain else 1.0,
        (names_lack, numbers_lack),
        (bool(numbers_lack and numbers), bool(asked.days - days and days), bool(names_lack and others)),
        doc.nearness(start),
    )  # fmt: skip


def _above(doc: Doc, words_above: str) -> frozenset[str]:
    """The stems of what stands above a sentence, each path worked out once."""
    known = doc.notes.setdefault("above_stems", {})
    if words_above not in known:
        known[words_above] = frozenset(content_stems(words_above))
    above: frozenset[str] = known[words_above]
    return above


def _cover(asked: _Asked, said: frozenset[str], days: frozenset[str]) -> float:
    plain = frozenset(one[:PREFIX] for one in said)
    held = len(asked.plain & plain) + len((asked.names | asked.numbers) & said) + len(asked.days & days)
    total = len(asked.plain) + len(asked.names) + len(asked.numbers) + len(asked.days)
    return held / total if total else 0.0


def claim_features(
    question: str,
    found: Sequence[Statement],
    read: Sequence[Reading],
    again: Sequence[Reading],
    whole: Sequence[Reading],
    whole_again: Sequence[Reading] = (),
    decides: bool = False,
) -> Floats:
    """What speaks for "yes" and what for "no", shape (2, features).

    `read` and `again` are what both readers make of the statements, `whole` and `whole_again` what they make of the
    best passages; `decides` says that the first statement is the one by which the second reader decides.
    """
    best = found[0]
    asked = claimed(question)
    text = _IF_NOT.sub(",", best.text)
    claim = _IF_NOT.sub(",", asked) if text != best.text else asked
    negated, asked_negated = bool(NEGATED.search(text)), bool(NEGATED.search(claim))
    denied = negated != asked_negated
    said = {stem(word) for word in words(best.text)}
    scope = _in_scope(_asked(question, [best.doc]), text)
    opposite = any(_OPPOSITE.get(stem(word), "") in said and stem(word) not in said for word in words(asked))
    begins = question.strip().split(" ", 1)[0].casefold()
    common = {
        "cover": best.cover, "own": best.own, "around": best.around, "rest": best.rest,
        "names_missing": best.missing[0], "numbers": float(bool(_NUMBER.search(asked))),
        "numbers_missing": best.missing[1], "number_instead": float(best.instead[0]),
        "day_instead": float(best.instead[1]), "name_instead": float(best.instead[2]),
        "cosine": best.cosine, "rank": min(best.doc.rank, 12) / 12, "negated": float(negated), "denied": float(denied),
        "asked_negated": float(asked_negated), "forbids": float(bool(_FORBIDS.search(best.text))),
        "only": float(bool(_ONLY.search(best.text))), "but": float(bool(_BUT.search(best.text))),
        "opposite": float(opposite), "is": float(begins in ("is", "are", "was", "were")),
        "do": float(begins in ("do", "does", "did")), "can": float(begins in ("can", "could", "may", "should", "must")),
        "truth": float(is_claim(question)), "margin": best.weight - found[1].weight if len(found) > 1 else 1.0,
        "line": float(best.doc.line_at(best.doc.sentences[best.index][0]) is not None),
        "words": min(10, len(words(asked))) / 10,
    }  # fmt: skip
    rows = []
    for side in (1.0, -1.0):
        own = {
            "side": side,
            "scope": scope,
            "side_scope": side * (1 - 2 * abs(scope - asked_negated)),
            "side_cover": side * best.cover,
            "side_denied": side * (1 - 2 * denied),
        }
        own |= {"side_instead": side * any(best.instead), "side_opposite": side * opposite}
        own |= _sided(side, read, "for", "against") | _sided(side, again, "again_for", "again_against")
        yes, no = (max((getattr(one, key) for one in whole), default=0.0) for key in ("yes", "no"))
        own |= {"for_passage": yes if side > 0 else no, "against_passage": no if side > 0 else yes}
        values = common | own | {"decides": float(decides)} | _by_passages(side, whole, whole_again)
        rows.append([values[name] for name in CLAIM_FEATURES])
    return np.array(rows, dtype=np.float32)


def _in_scope(asked: _Asked, text: str) -> float:
    """The share of a claim's words in a sentence that stand in clauses that deny; a denial before a colon is of all
    that follows.
    """
    held = denied = 0
    is_all = False
    for clause in _CLAUSE.findall(text):
        is_denied = is_all or bool(_SCOPE.search(clause))
        is_all = is_all or (is_denied and clause.endswith(":"))
        said = frozenset(content_stems(clause))
        here = len(asked.plain & {one[:PREFIX] for one in said}) + len((asked.names | asked.numbers) & said)
        held += here
        denied += here if is_denied else 0
    return denied / held if held else 0.0


def _sided(side: float, read: Sequence[Reading], pro: str, contra: str) -> dict[str, float]:
    """What a reader says for a side of the most telling statement, and on the whole of all of them."""
    pairs = [(one.yes, one.no) if side > 0 else (one.no, one.yes) for one in read] or [(0.0, 0.0)]
    mean = np.mean(pairs, axis=0)
    return {pro: pairs[0][0], contra: pairs[0][1], f"{pro}_all": float(mean[0]), f"{contra}_all": float(mean[1])}


def _by_passages(side: float, whole: Sequence[Reading], again: Sequence[Reading]) -> dict[str, float]:
    """What the second reader says for a side of the passage that decides most, and the first of the same one; how much
    more all passages say for it than against, the first ones most; and the most for and against in any.
    """
    sides = [(one.yes, one.no) if side > 0 else (one.no, one.yes) for one in again] or [(0.0, 0.0)]
    best = _most_decided(again)
    first = whole[best] if best < len(whole) else Reading()
    weights = [(pro + contra) / (1 + place) for place, (pro, contra) in enumerate(sides)]
    leaning = sum(pro / (1 + place) for place, (pro, _) in enumerate(sides)) / (sum(weights) or 1.0)
    return {
        "best_for": sides[best][0], "best_against": sides[best][1],
        "first_for": first.yes if side > 0 else first.no, "first_against": first.no if side > 0 else first.yes,
        "leaning": leaning,
        "most_for": max(pro for pro, _ in sides), "most_against": max(contra for _, contra in sides),
        "best_rank": best / STATEMENTS, "best_span": again[best].answered if again else 0.0,
    }  # fmt: skip


def _most_decided(readings: Sequence[Reading]) -> int:
    """The place of the reading that says most of yes or no; 0 where there is none."""
    return max(range(len(readings)), key=lambda at: (readings[at].yes + readings[at].no, -at), default=0)


@dataclass(frozen=True, slots=True)
class Weighed:
    """Yes or no, how likely that is right (0..1), the sentence that it rests on, and what spoke for each of the two."""

    text: str
    confidence: float
    statement: Statement
    features: Floats


def weigh(question: str, docs: Sequence[Doc], read: Read, read_again: Read, whole: Sequence[Reading]) -> Weighed | None:
    """Yes or no by what the passages, best first, say; None where no sentence says anything of the claim.

    `whole` is what the first reader made of the best passages as they are; the second reads these, too.
    """
    first = docs[: len(whole)]
    again = read_again([(asked_plainly(question)[:_READ], doc.heading, doc.text) for doc in first])
    deciding = _deciding(first, again)
    found = statements(question, docs, deciding)
    if not found:
        return None
    read_each = read_statements(question, found, read, read_again)
    features = claim_features(question, found, *read_each, whole, again, _decides(found[0], deciding))
    chances = load_choice("claims").probabilities(features)
    side = int(np.argmax(chances))
    text, chance = ("yes", "no")[side], float(chances[side])
    is_mere = found[0].text.startswith("#") and not NEGATED.search(found[0].text)
    if chance > _DOUBTED and (is_mere or _says_otherwise(question, found[0], text, read_again)):
        chance = _DOUBTED
    return Weighed(text, chance, found[0], features)


def _says_otherwise(question: str, statement: Statement, text: str, read_again: Read) -> bool:
    """Whether a statement alone, with the headings above it and without them, is read as the other of yes and no."""
    asked = asked_plainly(question)[:_READ]
    readings = read_again([(asked, above, statement.text) for above in (statement.above, "")])
    sides = [(told.yes, told.no) if text == "yes" else (told.no, told.yes) for told in readings]
    return all(other + _UNREAD > _OTHERWISE * (own + _UNREAD) for own, other in sides)


def _deciding(docs: Sequence[Doc], again: Sequence[Reading]) -> tuple[Doc, int] | None:
    """The passage of which a reader says most of yes or no, and the sentence that it points at."""
    best = _most_decided(again)
    if not again or not again[best].spans:
        return None
    doc = docs[best]
    return doc, doc.sentence_index(again[best].spans[0].start)


def read_statements(
    question: str, found: Sequence[Statement], read: Read, read_again: Read
) -> tuple[list[Reading], list[Reading]]:
    """What both readers make of statements, each with its neighbours."""
    asked = asked_plainly(question)[:_READ]
    windows = [(asked, one.above, one.doc.text[slice(*one.doc.around(one.index, 1))]) for one in found]
    return read(windows), read_again(windows[:AGAIN])
