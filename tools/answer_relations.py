"""What a constraint asks for: the kind of its relation, which end owns the fact, and the words that would state it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from tools.answer_places import sort_of
from tools.plan import Constraint, is_variable

# Kinds whose value is a date, a place, a country; the others name persons, works or organisations.
DATE_KINDS = frozenset(("birth_date", "death_date", "release_date", "inception", "lifespan"))
PLACE_KINDS = frozenset(("birth_place", "death_place", "burial_place"))

# kind: (the value's noun: "X's <noun>" or "<noun> of X" owns the fact at the head,
#        the verb or noun in the active voice: the value stands at the head, as in "?d directed X").
_KINDS: tuple[tuple[str, str, str], ...] = (
    ("lifespan", r"life ?span|lived? longer|lived longest|length of life|age at death", ""),
    ("birth_place", r"place of birth|birth ?place|birth (?:city|country|location|town)|native of|(?:city|country) of birth", r"birth ?place of"),
    ("birth_date", r"dates? of birth|birth ?date|birth ?day|birth ?year|year of birth|born on|^age$|^(?:is )?older|^(?:is )?younger|^has age", ""),
    ("death_place", r"place of death|death ?place|death (?:city|location)|deathplace", r"death ?place of"),
    ("death_date", r"dates? of death|death ?date|death ?year|year of death|died on|^death$", ""),
    ("burial_place", r"buri(?:ed|al)|interred|resting place|grave|entombed", ""),
    ("death_cause", r"cause of death|died (?:of|from)|reason (?:of|for) death|manner of death|death cause|(?:why|how) .*di(?:ed?|ed)\b", ""),
    ("located_in", r"located|location|situated|based (?:in|at)|headquarter|lies in|county\b|province\b|^state$|district\b|region\b|continent|residence|place of formation|^in$", r"^contains$|^includes$"),
    ("born", r"\bborn\b", ""),
    ("died", r"\bdied?\b|\bdies\b", ""),
    ("paternal_grandfather", r"paternal grand-?father", r"paternal grand-?father of"),
    ("paternal_grandmother", r"paternal grand-?mother", r"paternal grand-?mother of"),
    ("maternal_grandfather", r"maternal grand-?father", r"maternal grand-?father of"),
    ("maternal_grandmother", r"maternal grand-?mother", r"maternal grand-?mother of"),
    ("grandfather", r"grand-?father", r"grand-?father of"),
    ("grandmother", r"grand-?mother", r"grand-?mother of"),
    ("grandchild", r"grand-?(?:child|children|son|daughter)", r"grand-?(?:child|son|daughter) of"),
    ("father_in_law", r"father-? ?in-? ?law", r"father-? ?in-? ?law of"),
    ("mother_in_law", r"mother-? ?in-? ?law", r"mother-? ?in-? ?law of"),
    ("child_in_law", r"(?:child|son|daughter)-? ?in-? ?law", r"(?:child|son|daughter)-? ?in-? ?law of"),
    ("sibling_in_law", r"(?:sibling|brother|sister)-? ?in-? ?law", r"(?:sibling|brother|sister)-? ?in-? ?law of"),
    ("stepfather", r"step-?father", r"step-?father of"),
    ("stepmother", r"step-?mother", r"step-?mother of"),
    ("uncle", r"\buncle", r"\buncle of"),
    ("aunt", r"\baunt", r"\baunt of"),
    ("sibling", r"siblings?|brothers?|sisters?", ""),
    ("father", r"\bfather\b", r"\bfather of|\bfathered\b(?! by)|\bis father to"),
    ("mother", r"\bmother\b", r"\bmother of|\bis mother to|gave birth to"),
    ("child", r"\bchild(?:ren)?\b|\bsons?\b|\bdaughters?\b|offspring|\bparents? of|\bis parent", r"\b(?:child|son|daughter|offspring) of"),
    ("parent", r"\bparents?\b", ""),
    ("spouse", r"spouse|husband|wife|wives|married|marry|marries|wed\b|consort", ""),
    ("nationality", r"nationality|citizen|country of (?:citizenship|origin)|origin country|country|originat\w+ (?:from|in)|^(?:is |comes? |came )?from$|produced in|nation\b", ""),
    ("director", r"director|directed by|film direction|directorial", r"^(?:was |is |has |had )?(?:co-?)?directed$|directs|(?:is |was )?(?:the )?director of|^directed(?! by)"),
    ("screenwriter", r"screen-?writer|screenplay (?:by|writer)|script (?:by|writer)", r"wrote (?:the )?(?:screenplay|script)"),
    ("composer", r"compos(?:er|ed by)|music (?:by|composer|director)|score (?:by|composer)|scored by", r"^(?:was |is |has |had )?composed$|^composed(?! by)|composer of|wrote (?:the )?(?:music|score)"),
    ("performer", r"perform(?:er|ed by)|sung by|singer|recorded by|song by|artist\b|vocalist|album by", r"^performed$|^performed(?! by)|^sang|^sings|^sung$|^recorded$|(?:performer|singer) of"),
    ("producer", r"\bproducer|produced by|production by", r"^produced$|^produces|producer of"),
    ("publisher", r"publisher|published by|publishing (?:company|house)", r"^published$|^publishes|publisher of"),
    ("writer", r"written by|writer|author|lyricist|lyrics by|penned", r"^wrote|^writes|^authored$|(?:author|writer) of|^has written"),
    ("creator", r"created by|creator", r"^created$|^creates|creator of"),
    ("founder", r"founded by|founders?\b|established by|started by|co-?founded by|formed by", r"^(?:co-?)?founded$|^established$|(?:co-?)?founder of|^started$"),
    ("developer", r"developer|developed by", r"^developed$|developer of"),
    ("designer", r"design(?:er|ed by)|architect", r"^designed$|(?:designer|architect) of"),
    ("editor", r"edit(?:or|ed by)", r"^edited$|editor of"),
    ("manufacturer", r"manufactur(?:er|ed by)|built by|made by|maker", r"^manufactured$|^manufactures|manufacturer of|^built$|^made$|^makes$|^produces$"),
    ("distributor", r"distribut(?:or|ed by)", r"^distributed$|distributor of"),
    ("owner", r"own(?:er|ed by)|parent company|acquired by|bought by", r"^owns|^owned$|owner of|^acquired$|^bought$"),
    ("voice", r"voiced by|voice (?:actor|actress|of)\b|original voice", r"^voiced$|^voices"),
    ("cast", r"starring|cast\b|cast member|played by|portrayed by|actor|actress|stars?\b", r"^(?:starred|stars|acted|appeared|appears|plays|played|portrayed|portrays|acts)(?: in| as| the role of)?$|star of"),
    ("educated_at", r"educated|alma mater|graduated|studied|attended|education|schooling|university (?:of|attended)|degree from", ""),
    ("employer", r"employer|works? (?:at|for)|worked (?:at|for)|employed|workplace|taught at|teaches at", r"^employs|employer of"),
    ("award", r"award|received|prize|medal|honou?red with|\bwon\b", ""),
    ("border", r"\bborder|adjacent|neighbou?r(?:s|ing)?\b|next to", ""),
    ("label", r"record label|\blabel\b|signed to", ""),
    ("named_after", r"named (?:after|for)|namesake|eponym", ""),
    ("successor", r"successor|succeeded by|replaced by|followed by", r"successor of|^succeeded$|^replaced$"),
    ("predecessor", r"predecessor|preceded by", r"predecessor of"),
    ("broadcaster", r"broadcaster|original network|aired on|broadcast on|\bnetwork\b|tv channel", ""),
    ("influence", r"influenced by|inspired by", r"^influenced$|^inspired$"),
    ("release_date", r"release (?:date|year|time)|released|publication (?:date|year)|premiered?|came out|date of (?:release|publication)|published in|year of (?:release|publication)|air date|first aired", ""),
    ("inception", r"inception|founded|established|formed|founding|date of (?:foundation|establishment|formation|creation)|incorporated|launch(?:ed)?|created in|opened|opening|constructed|built in|creation date", ""),
    ("population", r"population|inhabitants|how many people", ""),
    ("capital", r"\bcapital\b", r"capital of"),
    ("member_of", r"member of|plays? for|played for|team|band\b|party|belongs? to", ""),
    ("occupation", r"occupation|profession|job|career|works as|known as", ""),
)  # fmt: skip

_ACTIVE_KIN = frozenset(("father", "mother", "child", "spouse", "sibling"))
_CHAINS: dict[str, tuple[tuple[str, ...], ...]] = {
    "paternal_grandfather": (("father", "father"),),
    "paternal_grandmother": (("father", "mother"),),
    "maternal_grandfather": (("mother", "father"),),
    "maternal_grandmother": (("mother", "mother"),),
    "grandfather": (("father", "father"), ("mother", "father")),
    "grandmother": (("father", "mother"), ("mother", "mother")),
    "grandchild": (("child", "child"),),
    "father_in_law": (("spouse", "father"),),
    "mother_in_law": (("spouse", "mother"),),
    "child_in_law": (("child", "spouse"),),
    "sibling_in_law": (("sibling", "spouse"), ("spouse", "sibling")),
    "stepfather": (("mother", "spouse"),),
    "stepmother": (("father", "spouse"),),
    "uncle": (("father", "sibling"), ("mother", "sibling")),
    "aunt": (("father", "sibling"), ("mother", "sibling")),
}
_COMPILED = tuple((kind, re.compile(noun), re.compile(verb) if verb else None) for kind, noun, verb in _KINDS)
_DATE_NAME = re.compile(r"date|year|time|when|day|century|age|era")


@dataclass(frozen=True, slots=True)
class Relation:
    """The kind of a relation ("" where no rule knows it) and whether the constraint's head owns the fact.

    In ("Alien", "directed by", "?d") and in ("?d", "directed", "Alien") the film owns the fact. `sort` is the part of an
    address that "located_in" asks for.
    """

    kind: str
    head_owns: bool = True
    sort: str = ""


def read_relation(constraint: Constraint) -> Relation:
    """The kind of a constraint's relation by its name; the variants, being looser, are for matching text only."""
    relation = _read_phrase(constraint.relation.casefold().strip(), _wants_date(constraint))
    if relation.kind == "located_in":
        sort = sort_of(f"{constraint.relation} {' '.join(constraint.variables)}")
        return Relation("nationality") if sort == "country" else replace(relation, sort=sort)
    return _by_variable_name(constraint, relation)


def _wants_date(constraint: Constraint) -> bool:
    typed = ((constraint.head, constraint.head_type), (constraint.tail, constraint.tail_type))
    return any(kind == "date" or (is_variable(term) and bool(_DATE_NAME.search(term))) for term, kind in typed)


@lru_cache(maxsize=4096)
def _read_phrase(phrase: str, wants_date: bool) -> Relation:
    for kind, noun, verb in _COMPILED:
        active = verb is not None and verb.search(phrase) is not None
        if active or noun.search(phrase):
            return _settled(kind, not active, phrase, wants_date)
    return Relation("")


def _settled(kind: str, head_owns: bool, phrase: str, wants_date: bool) -> Relation:
    """A kind with what its words leave open settled: a date or a place, and which way kinship runs."""
    if kind in ("born", "died"):
        return Relation(("birth_" if kind == "born" else "death_") + ("date" if wants_date else "place"))
    if kind in ("release_date", "inception") and not wants_date and phrase.endswith((" by", " at")):
        return Relation("")
    if kind == "inception" and not wants_date and phrase.endswith(" in"):
        return Relation("located_in")
    if kind == "child" and "parent" in phrase:
        return Relation("child")
    return Relation(kind, head_owns)


def _by_variable_name(constraint: Constraint, relation: Relation) -> Relation:
    """Kinship the other way round where the variable's name says so: ("X", "mother of", "?mother") asks for X's mother."""
    if relation.kind not in _ACTIVE_KIN or not is_variable(constraint.tail):
        return relation
    wanted = constraint.tail[1:].rstrip("0123456789")
    if wanted in ("father", "mother"):
        return Relation(wanted)
    if wanted in ("child", "son", "daughter") and not relation.head_owns:
        return Relation("child")
    return relation


def expansions(constraint: Constraint) -> list[tuple[Constraint, ...]]:
    """Constraints that say the same in elementary kinship ("aunt": the parents' siblings); [] where there are none."""
    relation = read_relation(constraint)
    chains = _CHAINS.get(relation.kind, ())
    owner, value = (constraint.head, constraint.tail) if relation.head_owns else (constraint.tail, constraint.head)
    between = f"?{relation.kind}_of_{owner.lstrip('?')}"
    return [
        (
            replace(constraint, head=owner, relation=first, tail=between, variants=(), tail_type="person"),
            replace(constraint, head=between, relation=second, tail=value, variants=(), head_type="person"),
        )
        for first, second in chains
    ]


_NOUNS = {
    "birth_date": "date of birth", "birth_place": "place of birth", "death_date": "date of death", "death_place": "place of death",
    "burial_place": "place of burial", "death_cause": "cause of death", "nationality": "country", "cast": "cast",
    "educated_at": "place of study", "member_of": "team or group", "release_date": "release date", "inception": "founding date",
    "located_in": "location", "border": "neighbour", "label": "record label", "named_after": "namesake", "voice": "voice",
}  # fmt: skip


def missing_words(constraint: Constraint, subject: str) -> str:
    """What a constraint asks of a subject, in words: "the place of birth of Ann Lee"; "" as subject leaves the unknown."""
    relation = read_relation(constraint)
    owner = subject or _bare(constraint.head if relation.head_owns else constraint.tail)
    if relation.kind and (not subject or _owns(constraint, relation, subject)):
        return f"the {_NOUNS.get(relation.kind, relation.kind.replace('_', ' '))} of {owner}"
    return f'"{_bare(constraint.head, subject)} {constraint.relation} {_bare(constraint.tail, subject)}"'.replace(' "', '"')


def _owns(constraint: Constraint, relation: Relation, subject: str) -> bool:
    other = constraint.tail if relation.head_owns else constraint.head
    return is_variable(other) or other != subject


def _bare(term: str, subject: str = "") -> str:
    return term[1:].rstrip("0123456789").replace("_", " ") if is_variable(term) else term
