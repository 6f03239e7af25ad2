"""Relations and the nouns and verbs that say them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tools.planning.words import AUXILIARIES, FUNCTION_WORDS, NOUN_TYPES, PLAIN_PARTICIPLES, PLAIN_VERBS, PREPOSITIONS


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation as a constraint states it: its name, other ways to say it, and the type of its value."""

    name: str
    variants: tuple[str, ...] = ()
    tail_type: str = ""


@dataclass(frozen=True, slots=True)
class Verb:
    """What a verb relates. "OS" reads "subject directs object" as (object, director, subject), "SO" keeps the order.

    `objects` maps the preposition before the object ("" for none) to a relation and its order; `when`, `where` and
    `why` are the relations that a question word or an adjunct of that kind asks for. A passive "by" has the active
    voice's object for its subject.
    """

    lemma: str
    objects: dict[str, tuple[str, str]]
    when: str = ""
    where: str = ""
    why: str = ""


# name | value type | variants | nouns that name the value ("~" for the name itself)
_RELATIONS = """
director | person | directed by, film director, directed the film | ~ directors filmmaker
producer | person | produced by, film producer, was produced by | ~ co-producer
executive producer | person | produced by, producer, executive produced by | ~
screenwriter | person | screenplay by, written by, writer of the film | ~ scriptwriter
author | person | written by, writer, wrote, book by | ~ writer novelist
composer | person | composed by, music by, music composer | ~
lyricist | person | lyrics by, songwriter, words by | ~ songwriter
performer | person | performed by, singer, recorded by, song by | ~ singer vocalist artist
cast member | person | starring, actor in, stars, played in | ~ star co-star actor actress
played by | person | portrayed by, actor who played, voiced by, role of | narrator
voice actor | person | voiced by, voice of, played by | voice
founder | person | founded by, established by, co-founded by | ~ co-founder
creator | person | created by, made by, invented by | ~ co-creator
developer | organisation | developed by, made by, created by | ~
publisher | organisation | published by, published, issued by | ~
manufacturer | organisation | made by, manufactured by, produced by | ~ maker
designer | person | designed by, architect, drawn up by | ~ architect
inventor | person | invented by, developed by, devised by | ~
discoverer | person | discovered by, first found by, described by | ~
owner | organisation | owned by, parent company, belongs to | ~ purchaser buyer
distributor | organisation | distributed by, released by, distribution company | ~
broadcaster | organisation | original network, aired on, broadcast on, premiered on | ~ network channel
record label | organisation | label, signed to, released by | ~ label
production company | organisation | produced by, studio, film company | ~ studio
editor | person | edited by, film editor, chief editor | ~
host | person | presented by, hosted by, presenter | ~ presenter
father | person | has father, son of, daughter of, child of | ~ dad
mother | person | has mother, son of, daughter of, child of | ~ mom
parent | person | child of, father, mother, son of | ~
child | person | has child, parent of, father of, mother of | ~ children son daughter kid
sibling | person | brother, sister, has sibling, brother of | ~ brother sister twin half-brother half-sister
spouse | person | married to, husband, wife, partner | ~ husband wife partner widow widower
partner | person | relationship with, girlfriend, boyfriend, dated | girlfriend boyfriend fiance fiancee
relative | person | related to, family of, kin of | ~ descendant ancestor
date of birth | date | born on, birth date, birthday, was born | ~ birthday birthdate birth
place of birth | place | born in, birthplace, was born at | ~ birthplace
date of death | date | died on, death date, died | ~ death
place of death | place | died in, death place, died at | ~
cause of death | | died of, died from, killed by | ~
place of burial | place | buried in, buried at, grave in | ~ grave tomb
country of citizenship | place | nationality, citizen of, is from, country | ~ nationality citizenship
country of origin | place | country, produced in, made in, from | ~
country | place | located in, situated in, country of | ~ nation
continent | place | located in, situated on, part of | ~
state | place | located in, state of, part of | ~
county | place | located in, county of, part of | ~
located in | place | situated in, location, is in, part of | ~ location
residence | place | lived in, resided in, home in | ~ home
headquarters | place | based in, headquartered in, located in | ~ headquarter
capital | place | capital city, has capital, seat of government | ~ capitol
seat | place | county seat, capital, administrative centre | ~
shares border with | place | borders, adjacent to, neighbours, next to | neighbour neighbor
population | number | number of inhabitants, inhabitants, people living in | ~ inhabitants
area | number | total area, size, covers | ~ size
height | number | elevation, tall, high, metres above sea level | ~ elevation altitude
length | number | long, kilometres long, runs for | ~
weight | number | heavy, weighs, mass | ~
speed | number | fast, top speed, per hour | ~
depth | number | deep, metres deep | ~
width | number | wide, broad, breadth | ~ breadth
thickness | number | thick | ~
temperature | number | hot, warm, cold, degrees | ~
number of members | number | members, consists of, line-up | ~
age | number | aged, years old, born | ~
official language | | language, languages spoken, spoken in | ~
language | | spoken language, in the language, speaks | ~
native language | | mother tongue, first language, speaks | ~
currency | | money, unit of currency, uses the currency | ~
religion | | faith, adheres to, practised religion | ~
head of government | person | prime minister, leader, headed by, governor | prime_minister premier governor mayor
president | person | led by, president of, head of state, chairman | ~
leader | person | led by, head, ruler, in charge of | ~ head ruler chief
monarch | person | king, queen, ruled by, emperor | ~ king queen emperor empress sultan
chief executive officer | person | CEO, chief executive, managed by | ~ ceo
head coach | person | coach, manager, coached by | ~ coach manager
successor | person | succeeded by, followed by, replaced by | ~
predecessor | person | preceded by, replaced, succeeded | ~
named after | | named for, eponym, takes its name from | namesake eponym
part of | | belongs to, within, component of | ~
mouth | place | flows into, empties into, tributary of | ~
inception | date | founded in, established in, formed in, date founded | ~ foundation
dissolved | date | abolished, ended in, disbanded, defunct | dissolution
publication date | date | released in, release date, published in, came out | ~ release_date
location of formation | place | formed in, founded in, origin, from | ~
occupation | | profession, works as, job, career | ~ profession job career
position | | plays as, playing position, role | ~ role
position held | | office, served as, held the position of | ~
employer | organisation | works at, works for, employed by, worked at | ~ workplace
educated at | organisation | alma mater, studied at, graduated from, attended | alma_mater university college school
award received | | award, won, received, honoured with | ~ award prize honour honor medal
won | | award received, winner of, victory in, champion |
member of | organisation | belongs to, part of, joined, membership | ~ band group
member of sports team | organisation | plays for, played for, team, club | team club
league | organisation | plays in league, competition, division | ~
political party | organisation | member of party, party, politician of | ~ party
military branch | organisation | served in, branch, army | ~
ethnic group | | ethnicity, people, descent | ~ ethnicity
genre | | style, kind of music, type of film | ~
nickname | | also known as, called, alias | ~ alias
original name | | formerly known as, originally called, former name | ~ birth_name
character | | features character, role, includes character | ~
acquired by | organisation | bought by, taken over by, merged into, owner | ~
influenced by | person | inspired by, student of, followed | influence
killed by | person | assassinated by, murdered by, killer | killer assassin murderer
"""

# Relations that the question names with one word and that a graph holds as two or more.
COMPOSITIONS: dict[str, tuple[str, ...]] = {
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "grandfather": ("parent", "father"),
    "grandmother": ("parent", "mother"),
    "grandparent": ("parent", "parent"),
    "paternal uncle": ("father", "sibling"),
    "paternal aunt": ("father", "sibling"),
    "maternal uncle": ("mother", "sibling"),
    "maternal aunt": ("mother", "sibling"),
    "uncle": ("parent", "sibling"),
    "aunt": ("parent", "sibling"),
    "cousin": ("parent", "sibling", "child"),
    "nephew": ("sibling", "child"),
    "niece": ("sibling", "child"),
    "grandchild": ("child", "child"),
    "grandson": ("child", "child"),
    "granddaughter": ("child", "child"),
    "great-grandfather": ("parent", "parent", "father"),
    "great-grandmother": ("parent", "parent", "mother"),
    "stepfather": ("mother", "spouse"),
    "stepmother": ("father", "spouse"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
    "sibling-in-law": ("spouse", "sibling"),
    "brother-in-law": ("spouse", "sibling"),
    "sister-in-law": ("spouse", "sibling"),
    "child-in-law": ("child", "spouse"),
    "son-in-law": ("child", "spouse"),
    "daughter-in-law": ("child", "spouse"),
}

# lemma and its forms | prepositions:relation:order ... | when | where | why
_VERBS = """
direct directs directed directing | :director:OS
produce produces produced producing | :producer:OS
write writes wrote written writing | :author:OS | publication date
compose composes composed composing | :composer:OS
perform performs performed performing | :performer:OS
sing sings sang sung singing | :performer:OS
record records recorded recording | :performer:OS | publication date
star stars starred starring | :cast member:SO in,on:cast member:OS
feature features featured featuring | :cast member:SO in:cast member:OS
play plays played playing | :played by:OS for:member of sports team:SO with:member of:SO
portray portrays portrayed portraying | :played by:OS
voice voices voiced voicing | :voice actor:OS
host hosts hosted hosting | :host:OS
found founds founded founding | :founder:OS | inception | location of formation
co-found co-founds co-founded co-founding | :founder:OS | inception | location of formation
establish establishes established establishing | :founder:OS | inception | location of formation
form forms formed forming | :founder:OS | inception | location of formation
create creates created creating | :creator:OS | inception
launch launches launched launching | :founder:OS | inception
develop develops developed developing | :developer:OS
publish publishes published publishing | :publisher:OS | publication date
release releases released releasing | :distributor:OS | publication date
manufacture manufactures manufactured manufacturing | :manufacturer:OS
make makes made making | :creator:OS | publication date
design designs designed designing | :designer:OS
invent invents invented inventing | :inventor:OS
discover discovers discovered discovering | :discoverer:OS
own owns owned owning | :owner:OS
buy buys bought buying | :acquired by:OS
acquire acquires acquired acquiring | :acquired by:OS
purchase purchases purchased purchasing | :acquired by:OS
distribute distributes distributed distributing | :distributor:OS
broadcast broadcasts broadcasted broadcasting | :broadcaster:OS on:broadcaster:SO
air airs aired airing | :broadcaster:OS on:broadcaster:SO | publication date
premiere premieres premiered premiering | :broadcaster:OS on:broadcaster:SO | publication date
bear born | to:parent:SO in:place of birth:SO | date of birth | place of birth
die dies died dying | in:place of death:SO of,from:cause of death:SO | date of death | place of death | cause of death
bury buries buried burying | in,at:place of burial:SO | | place of burial
marry marries married marrying | :spouse:SO to:spouse:SO
mother mothers mothered mothering | :mother:OS
father fathers fathered fathering | :father:OS
educate educates educated educating | :educated at:OS at,in:educated at:SO | | educated at
attend attends attended attending | :educated at:SO at:educated at:SO | | educated at
study studies studied studying | at,in:educated at:SO | | educated at
graduate graduates graduated graduating | from,at:educated at:SO | | educated at
work works worked working | at,for,in:employer:SO | | employer
employ employs employed employing | :employer:OS
locate locates located locating | in,at,on,within:located in:SO | | located in
situate situates situated | in,at,on:located in:SO | | located in
find finds found | in,at,on:located in:SO | | located in
contain contains contained containing | :located in:OS
include includes included including | :part of:OS in:part of:SO
lie lies lying | in,on:located in:SO | | located in
border borders bordered bordering | :shares border with:SO on:shares border with:SO
base bases based basing | in,at:headquarters:SO | | headquarters
headquarter headquartered | in,at:headquarters:SO | | headquarters
live lives lived living | in,at:residence:SO | | residence
reside resides resided residing | in,at:residence:SO | | residence
receive receives received receiving | :award received:SO
win wins won winning | :won:SO
get gets got gotten getting | :award received:SO
lead leads led leading | :leader:OS
head heads headed heading | :leader:OS
rule rules ruled ruling | :leader:OS
govern governs governed governing | :leader:OS
flow flows flowed flowing | into,to:mouth:SO | | mouth
empty empties emptied emptying | into:mouth:SO
drain drains drained draining | into:mouth:SO
belong belongs belonged belonging | to:member of:SO
join joins joined joining | :member of:SO
hail hails hailed hailing | from:country of citizenship:SO
originate originates originated originating | from,in:country of origin:SO | | country of origin
come comes came coming | from:country of citizenship:SO out:publication date:SO
name names named naming | after,for:named after:SO
influence influences influenced influencing | :influenced by:OS
kill kills killed killing | :killed by:OS
assassinate assassinates assassinated | :killed by:OS
murder murders murdered | :killed by:OS
succeed succeeds succeeded succeeding | :predecessor:SO
replace replaces replaced replacing | :predecessor:SO
coach coaches coached coaching | :head coach:OS
manage manages managed managing | :head coach:OS
speak speaks spoke spoken speaking | :language:SO
build builds built building | :creator:OS | inception
dissolve dissolves dissolved dissolving | | dissolved
disband disbands disbanded | | dissolved
"""

# Relations of what somebody made: nothing that has one is a person.
MADE_BY = frozenset(
    """director producer screenwriter author composer lyricist performer founder creator developer publisher designer
    inventor editor host""".split()
) | {"cast member", "executive producer", "head coach", "chief executive officer"}
# Relations that only people stand in.
PERSONAL = frozenset("father mother parent child sibling spouse partner".split()) | {
    *("educated at", "country of citizenship"),
    *("date of birth", "place of birth", "date of death", "place of death", "cause of death", "place of burial"),
}


def _parse_relations() -> tuple[dict[str, Relation], dict[str, tuple[str, ...]]]:
    relations: dict[str, Relation] = {}
    nouns: dict[str, tuple[str, ...]] = dict(COMPOSITIONS)
    for line in _RELATIONS.strip().splitlines():
        name, kind, variants, words = (part.strip() for part in line.split("|"))
        relations[name] = Relation(name, tuple(variants.split(", ")), kind)
        for word in words.split():
            nouns.setdefault(name if word == "~" else word.replace("_", " "), (name,))
    return relations, nouns


def _parse_verbs() -> dict[str, Verb]:
    verbs: dict[str, Verb] = {}
    for line in _VERBS.strip().splitlines():
        parts = [part.strip() for part in line.split("|")] + [""] * 4
        forms = parts[0].split()
        objects: dict[str, tuple[str, str]] = {}
        # Relation names hold spaces: an object entry ends where its order, SO or OS, stands.
        for entry in parts[1].replace(":SO", ":SO\n").replace(":OS", ":OS\n").splitlines():
            prepositions, relation, order = entry.strip().split(":")
            objects |= dict.fromkeys(prepositions.split(","), (relation, order))
        verb = Verb(forms[0], objects, parts[2], parts[3], parts[4])
        verbs |= dict.fromkeys(forms, verb)
    return verbs


RELATIONS, NOUNS = _parse_relations()
VERBS = _parse_verbs()
VERB_FORMS = frozenset(VERBS) | frozenset(PLAIN_VERBS)
VERBAL = VERB_FORMS | AUXILIARIES
KNOWN_WORDS = VERB_FORMS | FUNCTION_WORDS | frozenset(NOUN_TYPES)
PARTICIPLES = PLAIN_PARTICIPLES | frozenset(
    form for form, verb in VERBS.items() if form != verb.lemma and not form.endswith(("s", "ing"))
)


def singular(word: str) -> str:
    """The singular of an English noun, by its ending; a word that is known as it stands is left alone."""
    if word in NOUNS or word in NOUN_TYPES or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word[:-1] in NOUN_TYPES or word[:-1] in NOUNS:
        return word[:-1]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1]


def noun_type(word: str) -> str:
    """The type of thing that a noun names, "" where it is not known."""
    one = singular(word)
    if one in NOUN_TYPES:
        return NOUN_TYPES[one]
    path = NOUNS.get(one)
    return RELATIONS[path[-1]].tail_type if path else ""


def described(relation: Relation, modifiers: str) -> Relation:
    """`relation` with a qualifier ("first president"), the plain name going into its variants."""
    return replace(relation, name=f"{modifiers} {relation.name}", variants=(relation.name, *relation.variants[:3]))


def origin_of(kind: str) -> Relation:
    """What being from a country is for a thing of a kind: films originate there, people are citizens."""
    if kind == "person":
        return RELATIONS["country of citizenship"]
    if kind in ("work", "organisation"):
        return RELATIONS["country of origin"]
    return Relation("country", ("nationality", "country of citizenship", "country of origin", "from"), "place")


def spoken_relation(words: str, tail_type: str = "") -> Relation:
    """A relation by the question's own words, unless they are a relation of the lexicon in another form of its verb.

    Without a word it is "about".
    """
    words = words.strip() or "about"
    if words in PREPOSITIONS:
        return Relation(words, ("located in", "part of", "appears in") if words in ("in", "on", "at", "from") else ())
    head, _, rest = words.partition(" ")
    lemma = VERBS[head].lemma if head in VERBS else PLAIN_VERBS.get(head, "")
    if f"{lemma}s {rest}" in RELATIONS:
        return RELATIONS[f"{lemma}s {rest}"]
    content = " ".join(word for word in words.split(" ") if word.lower() not in FUNCTION_WORDS)
    as_noun = (content, f"has {words}", f"{words} of", f"{words} is")
    variants = (f"{lemma} {rest}".strip(), content, lemma) if lemma else as_noun
    return Relation(words, tuple(dict.fromkeys(one for one in variants if one and one != words)), tail_type)
