"""What a constraint asks for: the kind of its relation, which end owns the fact, and the words that would state it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from tools.answer_rules.places import sort_of
from tools.planning.plan import Constraint, is_variable

# A row is `kind noun words` or `kind verb words`. By its noun ("X's <noun>", "<noun> of X") a fact is owned by the head
# of a constraint; by its verb, or a noun with "of" behind it, the value stands at the head, as in "?d directed X". The
# first kind that fits is taken.
_TABLE = r"""
lifespan noun life ?span|lived? longer|lived longest|length of life|age at death
birth_place noun place of birth|birth ?place|birth (?:city|country|location|town)|native of
birth_place noun (?:city|country) of birth
birth_place verb birth ?place of
birth_date noun dates? of birth|birth ?date|birth ?day|birth ?year|year of birth|born on|^age$|^(?:is )?older
birth_date noun ^(?:is )?younger|^has age
death_place noun place of death|death ?place|death (?:city|location)|deathplace
death_place verb death ?place of
death_date noun dates? of death|death ?date|death ?year|year of death|died on|^death$
burial_place noun buri(?:ed|al)|interred|resting place|grave|entombed
death_cause noun cause of death|died (?:of|from)|reason (?:of|for) death|manner of death|death cause
death_cause noun (?:why|how) .*di(?:ed?|ed)\b
located_in noun located|location|situated|based (?:in|at)|headquarter|lies in|county\b|province\b|^state$
located_in noun district\b|region\b|continent|residence|place of formation|^in$
located_in verb ^contains$|^includes$
born noun \bborn\b
died noun \bdied?\b|\bdies\b
paternal_grandfather noun paternal grand-?father
paternal_grandfather verb paternal grand-?father of
paternal_grandmother noun paternal grand-?mother
paternal_grandmother verb paternal grand-?mother of
maternal_grandfather noun maternal grand-?father
maternal_grandfather verb maternal grand-?father of
maternal_grandmother noun maternal grand-?mother
maternal_grandmother verb maternal grand-?mother of
grandfather noun grand-?father
grandfather verb grand-?father of
grandmother noun grand-?mother
grandmother verb grand-?mother of
grandchild noun grand-?(?:child|children|son|daughter)
grandchild verb grand-?(?:child|son|daughter) of
father_in_law noun father-? ?in-? ?law
father_in_law verb father-? ?in-? ?law of
mother_in_law noun mother-? ?in-? ?law
mother_in_law verb mother-? ?in-? ?law of
child_in_law noun (?:child|son|daughter)-? ?in-? ?law
child_in_law verb (?:child|son|daughter)-? ?in-? ?law of
sibling_in_law noun (?:sibling|brother|sister)-? ?in-? ?law
sibling_in_law verb (?:sibling|brother|sister)-? ?in-? ?law of
stepfather noun step-?father
stepfather verb step-?father of
stepmother noun step-?mother
stepmother verb step-?mother of
uncle noun \buncle
uncle verb \buncle of
aunt noun \baunt
aunt verb \baunt of
sibling noun siblings?|brothers?|sisters?
father noun \bfather\b
father verb \bfather of|\bfathered\b(?! by)|\bis father to
mother noun \bmother\b
mother verb \bmother of|\bis mother to|gave birth to
child noun \bchild(?:ren)?\b|\bsons?\b|\bdaughters?\b|offspring|\bparents? of|\bis parent
child verb \b(?:child|son|daughter|offspring) of
parent noun \bparents?\b
spouse noun spouse|husband|wife|wives|married|marry|marries|\bwed\b|consort
nationality noun nationality|citizen|country of (?:citizenship|origin)|origin country|country
nationality noun originat\w+ (?:from|in)|^(?:is |comes? |came )?from$|produced in|nation\b
director noun director|directed by|film direction|directorial
director verb ^(?:was |is |has |had )?(?:co-?)?directed$|directs|(?:is |was )?(?:the )?director of
director verb ^directed(?! by)
screenwriter noun screen-?writer|screenplay (?:by|writer)|script (?:by|writer)
screenwriter verb wrote (?:the )?(?:screenplay|script)
composer noun compos(?:er|ed by)|music (?:by|composer|director)|score (?:by|composer)|scored by
composer verb ^(?:was |is |has |had )?composed$|^composed(?! by)|composer of|wrote (?:the )?(?:music|score)
performer noun perform(?:er|ed by)|sung by|singer|recorded by|song by|artist\b|vocalist|album by
performer verb ^performed$|^performed(?! by)|^sang|^sings|^sung$|^recorded$|(?:performer|singer) of
producer noun \bproducer|produced by|production by
producer verb ^produced$|^produces|producer of
publisher noun publisher|published by|publishing (?:company|house)
publisher verb ^published$|^publishes|publisher of
writer noun written by|writer|author|lyricist|lyrics by|penned
writer verb ^wrote|^writes|^authored$|(?:author|writer) of|^has written
creator noun created by|creator
creator verb ^created$|^creates|creator of
founder noun founded by|founders?\b|established by|started by|co-?founded by|formed by
founder verb ^(?:co-?)?founded$|^established$|(?:co-?)?founder of|^started$
developer noun developer|developed by
developer verb ^developed$|developer of
designer noun design(?:er|ed by)|architect
designer verb ^designed$|(?:designer|architect) of
editor noun edit(?:or|ed by)
editor verb ^edited$|editor of
manufacturer noun manufactur(?:er|ed by)|built by|made by|maker
manufacturer verb ^manufactured$|^manufactures|manufacturer of|^built$|^made$|^makes$|^produces$
distributor noun distribut(?:or|ed by)
distributor verb ^distributed$|distributor of
owner noun own(?:er|ed by)|parent company|acquired by|bought by
owner verb ^owns|^owned$|owner of|^acquired$|^bought$
voice noun voiced by|voice (?:actor|actress|of)\b|original voice
voice verb ^voiced$|^voices
cast noun starring|cast\b|cast member|played by|portrayed by|actor|actress|stars?\b
cast verb ^(?:starred|stars|acted|appeared|appears|plays|played|portrayed|portrays|acts)(?: in| as| the role of)?$
cast verb star of
educated_at noun educated|alma mater|graduated|studied|attended|education|schooling|university (?:of|attended)
educated_at noun degree from
employer noun employer|works? (?:at|for)|worked (?:at|for)|employed|workplace|taught at|teaches at
employer verb ^employs|employer of
border noun \bborder|adjacent|neighbou?r(?:s|ing)?\b|next to
label noun record label|\blabel\b|signed to
named_after noun named (?:after|for)|namesake|eponym
successor noun successor|succeeded by|replaced by|followed by
successor verb successor of|^succeeded$|^replaced$
predecessor noun predecessor|preceded by
predecessor verb predecessor of
broadcaster noun broadcaster|original network|aired on|broadcast on|\bnetwork\b|tv channel
influence noun influenced by|inspired by
influence verb ^influenced$|^inspired$
release_date noun release (?:date|year|time)|released|publication (?:date|year)|premiered?|came out
release_date noun date of (?:release|publication)|published in|year of (?:release|publication)|air date
release_date noun first aired
inception noun inception|founded|established|formed|founding
inception noun date of (?:foundation|establishment|formation|creation)|incorporated|launch(?:ed)?|created in
inception noun opened|opening|constructed|built in|creation date
population noun population|inhabitants|how many people
capital noun \bcapital\b
capital verb capital of
member_of noun member of|plays? for|played for|team|band\b|party|belongs? to
"""

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


def _parse() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...]:
    told: dict[str, dict[str, list[str]]] = {}
    for row in _TABLE.strip().splitlines():
        kind, form, phrase = row.split(" ", 2)
        told.setdefault(kind, {"noun": [], "verb": []})[form].append(phrase)
    return tuple(
        (kind, re.compile("|".join(forms["noun"])), re.compile("|".join(forms["verb"])) if forms["verb"] else None)
        for kind, forms in told.items()
    )


_COMPILED = _parse()
_DATE_NAME = re.compile(r"date|year|time|when|day|century|age|era")


@dataclass(frozen=True, slots=True)
class Relation:
    """The kind of a relation ("" where no rule knows it) and whether the constraint's head owns the fact.

    In ("Alien", "directed by", "?d") and in ("?d", "directed", "Alien") the film owns the fact. `sort` is the part of
    an address that "located_in" asks for.
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
    """A relation the other way round where its one unknown says so: ("X", "mother of", "?mother") asks X's mother."""
    if len(constraint.variables) == 1 and f"_{relation.kind}".endswith(f"_{_stem(constraint.variables[0])}"):
        return replace(relation, head_owns=is_variable(constraint.tail))
    if relation.kind not in _ACTIVE_KIN or not is_variable(constraint.tail):
        return relation
    wanted = _stem(constraint.tail)
    if wanted in ("father", "mother"):
        return Relation(wanted)
    if wanted in ("child", "son", "daughter") and not relation.head_owns:
        return Relation("child")
    return relation


def _stem(variable: str) -> str:
    """A variable's name without its number: "?director2" is a director."""
    return variable[1:].rstrip("0123456789")


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


_SAID = {
    "birth_date": "when {} was born",
    "death_date": "when {} died",
    "birth_place": "where {} was born",
    "death_place": "where {} died",
    "burial_place": "where {} is buried",
    "director": "who directed {}",
    "writer": "who wrote {}",
    "composer": "who composed the music of {}",
    "performer": "who performed {}",
    "producer": "who produced {}",
    "screenwriter": "who wrote {}",
    "founder": "who founded {}",
    "employer": "where {} works",
    "educated_at": "where {} studied",
    "release_date": "when {} came out",
    "inception": "when {} was founded",
    "located_in": "where {} is",
    "nationality": "what the country of {} is",
    "spouse": "whom {} married",
    "father": "who the father of {} is",
    "mother": "who the mother of {} is",
    "child": "who the children of {} are",
    "population": "how many people live in {}",
    "death_cause": "what {} died of",
}
_NOUN = re.compile(
    r"^(?:[a-z]+ ){0,2}(?:number|date|name|code|address|office|room|owner|lead|leader|manager|contact|price|cost|"
    r"version|email|title|age|height|length|weight|capital|head|chair|editor|driver|captain|supplier|colou?r|language|status|role|"
    r"job|salary|wife|husband|brother|sister|son|daughter|supervisor|teacher|successor|predecessor)$"
)


# Words of a name; what is longer is a question that could not be read.
_NAME_WORDS = 6


def missing_fact(constraint: Constraint, subject: str) -> str:
    """The fact that a hop asks for, in a subordinate clause: "when Ann Lee was born".

    "" where the plan has no words that a person would use of it: for a question that could not be read, or a subject
    that is not known itself.
    """
    relation = read_relation(constraint)
    ends = (constraint.head, constraint.tail)
    owning, other = ends if relation.head_owns or not relation.kind else ends[::-1]
    # What stands for an unknown owner is the subject, unless that is the other end: of what Ann Lee directed, not she.
    owner = (subject if is_variable(other) else "") if is_variable(owning) else owning
    if not owner or is_variable(owner) or len(owner.split()) > _NAME_WORDS:
        return ""
    if subject and not is_variable(owning) and subject != owning:
        return ""
    if relation.kind in _SAID:
        return _SAID[relation.kind].format(owner)
    said = constraint.relation.strip()
    asks_tail = is_variable(constraint.tail) and not relation.kind
    return f"what the {said} of {owner} is" if asks_tail and _NOUN.match(said) else ""
