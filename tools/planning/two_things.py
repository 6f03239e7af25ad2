"""Questions about two things: which of them is first or more, and whether something holds of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tools.planning.lexicon import (
    RELATIONS,
    VERB_FORMS,
    VERBS,
    Relation,
    noun_type,
    origin_of,
    singular,
    spoken_relation,
)
from tools.planning.net import Net, Term, is_relational, noun_path
from tools.planning.plan import Comparison, Plan
from tools.planning.questions import WholeQuestions
from tools.planning.tokens import END, Token, join_names, name_end, starts_name
from tools.planning.words import AUXILIARIES, DETERMINERS, FUNCTION_WORDS, NATIONALITIES, NOUN_TYPES, WH

_DIRECTIONS: dict[Comparison, frozenset[str]] = {
    "later": frozenset("later after latest last younger youngest recently recent newer newest".split()),
    "earlier": frozenset("first earlier earliest older oldest elder eldest sooner soonest before".split()),
    "less": frozenset("less least fewer fewest smaller smallest shorter shortest lower lowest lighter".split()),
    "more": frozenset(
        """more most larger largest bigger biggest taller tallest higher highest longer longest greater greatest wider
        deeper heavier better best further farther""".split()
    ),
}
_COMPARATIVES = frozenset(word for words in _DIRECTIONS.values() for word in words)
# What a comparison without a verb of its own compares.
_MEASURED = {
    "older": "date of birth", "oldest": "date of birth", "elder": "date of birth", "eldest": "date of birth",
    "younger": "date of birth", "youngest": "date of birth", "taller": "height", "tallest": "height",
    "higher": "height", "highest": "height", "larger": "area", "largest": "area", "bigger": "area", "biggest": "area",
    "longer": "length", "longest": "length", "smaller": "area", "smallest": "area", "populous": "population",
    "populated": "population", "population": "population",
}  # fmt: skip
_DATED_VERBS = {
    "came": "publication date", "out": "publication date", "come": "publication date", "started": "inception",
    "opened": "inception", "built": "inception", "began": "inception", "incorporated": "inception",
    "constructed": "inception", "completed": "inception", "issued": "publication date",
}  # fmt: skip
_STOPS = FUNCTION_WORDS | VERB_FORMS | _COMPARATIVES
_TAIL_WORDS = FUNCTION_WORDS | VERB_FORMS | {"same", "originate", "members", "situated", "native", "citizens"}
# Nouns for the things themselves; "the same country" says nothing about what they are.
_KINDS = frozenset(NOUN_TYPES) - {
    "country",
    "nation",
    "place",
    "city",
    "state",
    "county",
    "area",
    "location",
    "company",
}


@dataclass(frozen=True, slots=True)
class _Thing:
    """One of the things compared: its name, and the words before it ("director of film")."""

    name: str
    prefix: tuple[str, ...]


def plan_choice(tokens: Sequence[Token], text: str) -> Plan | None:
    """The plan of "which of these two" ("Who was born first, A or B?"), or None where the question is no such one."""
    found = _choice_parts(tokens, text)
    if found is None or not all(thing.name for thing in found[1]):
        return None
    head, options = found
    words = [token.low for token in head]
    direction = _direction(words)
    net, paths = Net(), _owned_path(head)
    things = [_resolve(option, paths, net) for option in options]
    relations = _compared(words) if direction else []
    for relation in relations:
        for thing in things:
            if thing.kind == "variable" and thing.type == relation.tail_type == "date":
                continue
            net.add(thing, relation, net.fresh(relation.name, relation.tail_type))
    if not relations:
        _hold_of_each(things, head, text, net)
    names = tuple(option.name for option in options)
    return Plan(net.ordered_as_read(), "", "comparison", direction, names, "option")


def _choice_parts(tokens: Sequence[Token], text: str) -> tuple[list[Token], list[_Thing]] | None:
    """The clause that compares and the things compared."""
    first = tokens[0].low
    if first in ("between", "of", "among"):
        if parts := _leading_options(tokens, text):
            return parts
        tokens = tokens[next((i for i, token in enumerate(tokens) if token.low in WH), 0) :]
        first = tokens[0].low
    at = next((i for i in range(len(tokens) - 1, 0, -1) if tokens[i].low == "or" and not tokens[i].capital), 0)
    if first in AUXILIARIES and at:
        return _inverted_options(tokens, text, at)
    if first not in WH:
        return None
    if not at:
        return _out_of(tokens, text)
    start = _options_start(tokens, at)
    if not start or not _can_be_option(tokens, at + 1):
        return None
    head = [token for token in tokens[:start] if token.text not in (",", ":")]
    return head, [_thing(tokens[start:at], text), _thing(tokens[at + 1 :], text)]


def _can_be_option(tokens: Sequence[Token], position: int) -> bool:
    token = tokens[position] if position < len(tokens) else END
    after = tokens[position + 1] if position + 1 < len(tokens) else END
    return token.capital or token.kind == "name" or (token.low in DETERMINERS and after is not END)


def _options_start(tokens: Sequence[Token], end: int) -> int:
    """Where the options begin: after the clause's comma, else at the first name behind a comparing word."""
    for position in range(1, end):
        if tokens[position].text in (",", ":", "-") and _can_be_option(tokens, position + 1) and position + 1 < end:
            return position + 1
    compared = any(token.low in _COMPARATIVES for token in tokens[:end])
    if any(token.low == "than" for token in tokens[:end]):
        return 0
    for position in range(1, end):
        if compared and starts_name(tokens, position):
            back = tokens[position - 1].low in ("the", "a") and tokens[position - 2].low in _COMPARATIVES
            return position - back
    compared_at = [i for i in range(end) if tokens[i].low in _COMPARATIVES]
    return compared_at[-1] + 1 if compared_at and compared_at[-1] + 1 < end else 0


def _leading_options(tokens: Sequence[Token], text: str) -> tuple[list[Token], list[_Thing]] | None:
    """ "Between A and B, which ..."."""
    question = next((i for i, token in enumerate(tokens) if i > 2 and token.low in WH and not token.capital), 0)
    joint = next((i for i in range(2, question) if tokens[i].low in ("and", "or")), 0)
    if not joint:
        return None
    return list(tokens[question:]), [_thing(tokens[1:joint], text), _thing(tokens[joint + 1 : question], text)]


def _out_of(tokens: Sequence[Token], text: str) -> tuple[list[Token], list[_Thing]] | None:
    """ "Who was born first out of A and B?"."""
    for position in range(2, len(tokens) - 2):
        pair = (tokens[position - 1].low, tokens[position].low)
        if pair == ("out", "of") or (tokens[position].low == "between" and tokens[0].low in ("who", "which")):
            joint = _joint(tokens, position + 1, len(tokens))
            compared = any(token.low in _COMPARATIVES for token in tokens[:position])
            if joint and compared:
                head = list(tokens[: position - (pair[0] == "out")])
                return head, [_thing(tokens[position + 1 : joint], text), _thing(tokens[joint + 1 :], text)]
    return None


def _inverted_options(tokens: Sequence[Token], text: str, at: int) -> tuple[list[Token], list[_Thing]] | None:
    """ "Was A or B born first?", "Is A or B a county-level city?"."""
    if not _can_be_option(tokens, 1) or not _can_be_option(tokens, at + 1):
        return None
    end = _tail_start(tokens, at + 1)
    if end >= len(tokens):
        return None
    return [tokens[0], *tokens[end:]], [_thing(tokens[1:at], text), _thing(tokens[at + 1 : end], text)]


def _thing(tokens: Sequence[Token], text: str) -> _Thing:
    """A thing compared: from its first capital on it is a name, what stands before says what it is."""
    kept = list(tokens)
    while kept and kept[-1].text in (",", ":", ";"):
        kept.pop()
    while kept and kept[0].text in (",", ":", ";"):
        kept.pop(0)
    start = next((i for i, token in enumerate(kept) if token.capital or token.kind == "name"), 0)
    if start and kept[start].low in NATIONALITIES and start + 1 < len(kept) and not kept[start + 1].capital:
        start = 0
    if not kept:
        return _Thing("", ())
    alone = start == len(kept) - 1 and kept[start].kind == "name"
    name = kept[start].text if alone else text[kept[start].start : kept[-1].end]
    return _Thing(name.strip(), tuple(token.low for token in kept[:start] if token.kind == "word"))


def _direction(words: Sequence[str]) -> Comparison:
    for direction, marks in _DIRECTIONS.items():
        if any(word in marks for word in words):
            return "more" if direction == "earlier" and "age" in words else direction
    return ""


def _owned_path(head: Sequence[Token]) -> tuple[Relation, ...]:
    """The relation from a thing compared to what is compared: "which film has the director who", "whose founder"."""
    for position, token in enumerate(head):
        if token.low in ("whose", "has", "have", "had", "'s", "with"):
            words: list[str] = []
            for following in head[position + 1 :]:
                if following.low in DETERMINERS and not words:
                    continue
                if following.low in _STOPS or following.kind != "word":
                    break
                words.append(following.low)
            path = noun_path(words) if words and is_relational(words) else ()
            if path and path[-1].tail_type in ("person", "organisation"):
                return path
    return ()


def _resolve(thing: _Thing, path: Sequence[Relation], net: Net) -> Term:
    own = _prefix_path(thing.prefix)
    kind = next((noun_type(word) for word in reversed(thing.prefix) if singular(word) in NOUN_TYPES), "")
    kind = kind or _bracketed_kind(thing.name)
    base = Term(thing.name, "name", "" if own else kind)
    return net.follow(base, own or path) if own or path else base


def _bracketed_kind(name: str) -> str:
    """What a title says in brackets about its thing: "Ashby (Film)"."""
    words = name.rstrip(")").split() if name.endswith(")") else []
    return noun_type(words[-1].strip("(").lower()) if words else ""


def _prefix_path(prefix: Sequence[str]) -> tuple[Relation, ...]:
    """The relation in "director of film X", none in "both films X"."""
    if "of" not in prefix:
        return ()
    words = [word for word in prefix[: prefix.index("of")] if word not in DETERMINERS]
    return noun_path(words) if words and is_relational(words) else noun_path(words) if words else ()


def _compared(words: Sequence[str]) -> list[Relation]:
    """The relations whose values are compared."""
    if any(word in ("lived", "live", "age") for word in words) and any(word in _COMPARATIVES for word in words):
        return [RELATIONS["date of birth"], RELATIONS["date of death"]]
    for word in words:
        if word in VERBS and VERBS[word].when:
            return [RELATIONS[VERBS[word].when]]
    for word in words:
        if word in _DATED_VERBS:
            return [RELATIONS[_DATED_VERBS[word]]]
    counted = _counted_noun(words)
    if counted and counted not in _MEASURED:
        return [spoken_relation(f"number of {counted}", "number")]
    for word in (*reversed(words), counted):
        if word in _MEASURED:
            return [RELATIONS[_MEASURED[word]]]
    plain = [word for word in words[1:] if word not in FUNCTION_WORDS and singular(word) not in NOUN_TYPES]
    return [spoken_relation(" ".join(plain))] if plain else []


def _counted_noun(words: Sequence[str]) -> str:
    """ "species" of "has more species"."""
    for position, word in enumerate(words[:-1]):
        if word in ("more", "most", "fewer", "fewest", "less") and words[position + 1].endswith(("s", "people")):
            rest = [following for following in words[position + 1 :] if following not in FUNCTION_WORDS]
            return " ".join(rest[:2])
    return ""


def _hold_of_each(things: Iterable[Term], clause: Sequence[Token], text: str, net: Net) -> None:
    """The same clause said of every thing, with their own constraint each."""
    said = [token for token in clause if token.low not in ("both", "also", "all", "each")]
    for thing in things:
        before = len(net.constraints)
        reader = WholeQuestions(join_names(said, text), net)
        reader.read_about(thing)
        if len(net.constraints) == before:
            start = next((i + 1 for i, token in enumerate(said) if token.low in AUXILIARIES), 0)
            words = " ".join(token.text for token in said[start:] if token.kind != "punctuation")
            net.add(thing, Relation("is", ("is a", "described as", "type")), Term(words or "mentioned", "phrase"))


def plan_check(tokens: Sequence[Token], text: str) -> Plan | None:
    """The plan of a question for yes or no ("Are A and B from the same country?"), or None for another kind."""
    if tokens[0].low not in AUXILIARIES or len(tokens) < 3:
        return None
    found = _than_parts(tokens, text) or _check_parts(tokens, text)
    if found is None:
        return _single_check(tokens, text)
    things, tail = found
    words = [token.low for token in tail]
    net = Net()
    shared = _prefix_path(things[0].prefix) or _owned_path(tail)
    kind = next((NOUN_TYPES[singular(w)] for w in (*things[0].prefix, *words) if singular(w) in _KINDS), "")
    kind = kind or next((said for thing in things if (said := _bracketed_kind(thing.name))), "")
    terms = [_resolve(thing, shared, net) for thing in things]
    direction: Comparison = "same" if "same" in words else _direction(words)
    if direction not in ("", "same"):
        for relation in _compared([*words, "?"]):
            for term in terms:
                net.add(term, relation, net.fresh(relation.name, relation.tail_type))
    elif direction == "same":
        relation = _shared_relation(words, "person" if shared else kind)
        for term in terms:
            net.add(term, relation, net.fresh(relation.name.split(" of ")[0], relation.tail_type))
    else:
        _hold_of_each(terms, tail, text, net)
    return Plan(net.ordered_as_read(), "", "yesno", direction, tuple(thing.name for thing in things), "yesno")


def _than_parts(tokens: Sequence[Token], text: str) -> tuple[list[_Thing], list[Token]] | None:
    """ "Is A older than B?", "Was A born before B?"."""
    for position in range(3, len(tokens) - 1):
        token = tokens[position]
        if token.low not in ("than", "before", "after") or token.capital:
            continue
        start = name_end(tokens, next((i for i in range(1, position) if _is_name_part(tokens, i)), position), True)
        between = list(tokens[start : position + (token.low != "than")])
        if start < position and any(part.low in _COMPARATIVES | {"after"} for part in between):
            return [_thing(tokens[1:start], text), _thing(tokens[position + 1 :], text)], between
    return None


def _single_check(tokens: Sequence[Token], text: str) -> Plan | None:
    reader = WholeQuestions(join_names(tokens, text))
    reader.read()
    constraints = reader.net.ordered()
    return Plan(constraints, "", "yesno", answer_type="yesno") if constraints else None


def _check_parts(tokens: Sequence[Token], text: str) -> tuple[list[_Thing], list[Token]] | None:
    """The two things, and what is asked about them."""
    alike = next((i for i, t in enumerate(tokens) if t.low == "as" and "same" in [w.low for w in tokens[:i]]), 0)
    if alike:
        cut = _tail_start(tokens, 1)
        return [_thing(tokens[1:cut], text), _thing(tokens[alike + 1 :], text)], list(tokens[cut:alike])
    last = max((i for i in range(1, len(tokens)) if _is_name_part(tokens, i)), default=0)
    joint = _joint(tokens, 1, last)
    if not joint:
        return None
    end = _tail_start(tokens, joint + 1)
    things = [_thing(tokens[1:joint], text), _thing(tokens[joint + 1 : end], text)]
    return (things, list(tokens[end:])) if all(thing.name for thing in things) else None


def _is_name_part(tokens: Sequence[Token], position: int) -> bool:
    token = tokens[position]
    after = tokens[position + 1] if position + 1 < len(tokens) else END
    adjective = token.low in NATIONALITIES and not after.capital and tokens[position - 1].low not in ("and", "the")
    return (token.capital or token.kind == "name") and not adjective and not token.low.endswith("-based")


def _joint(tokens: Sequence[Token], start: int, end: int) -> int:
    """The "and" between two things: the one before "director of ..." first, else the one nearest to the middle."""
    end = min(end, len(tokens) - 1)
    joints = [i for i in range(start + 1, end) if tokens[i].low == "and" and not tokens[i].capital]
    opening = [i for i in joints if tokens[i + 1].capital or tokens[i + 1].kind == "name" or tokens[i + 1].low == "the"]
    spoken = [i for i in joints if i not in opening and singular(tokens[i + 1].low) not in FUNCTION_WORDS]
    spoken = [i for i in spoken if is_relational([tokens[i + 1].low])]
    if spoken:
        return spoken[0]
    middle = (tokens[start].start + tokens[end].end) / 2
    return min(opening, key=lambda i: (abs(tokens[i].start - middle), i), default=0)


def _tail_start(tokens: Sequence[Token], start: int) -> int:
    """Where, behind the last capital after `start`, the predicate begins; lower-case words of a title are skipped."""
    first = next((i for i in range(start, len(tokens)) if _is_name_part(tokens, i)), start)
    end = name_end(tokens, first, split_and=True)
    while end < len(tokens) and not _opens_tail(tokens, end):
        end += 1
    return end


def _opens_tail(tokens: Sequence[Token], position: int) -> bool:
    token = tokens[position]
    known = token.low in _TAIL_WORDS or singular(token.low) in NOUN_TYPES or token.low in NATIONALITIES
    return known or token.text in (",", ":") or is_relational([token.low])


def _shared_relation(words: Sequence[str], kind: str) -> Relation:
    """What "the same country" is for things of a kind: films originate from it, people are its citizens."""
    noun = [w for w in words[words.index("same") + 1 :] if w not in FUNCTION_WORDS]
    same = noun[0] if noun else "kind"
    verb = next((word for word in words if word in VERBS), "")
    if verb in ("born", "died"):
        return RELATIONS[VERBS[verb].where if noun_type(same) == "place" else VERBS[verb].when]
    if same in ("nationality", "citizenship"):
        return RELATIONS["country of citizenship"]
    if same in ("country", "nation"):
        if "located" in words or "situated" in words or kind == "place":
            return RELATIONS["country"]
        return origin_of(kind)
    if verb and "by" in words and "" in VERBS[verb].objects:
        return RELATIONS[VERBS[verb].objects[""][0]]
    return noun_path([same])[0]
