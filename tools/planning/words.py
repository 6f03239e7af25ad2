"""The words that questions are made of: what nouns name, which words are verbs, function words."""

from __future__ import annotations

# Nouns and the type of thing that they name.
_TYPES = {
    "person": """
    person man woman boy girl people actor actress singer musician artist politician scientist physicist chemist
    player footballer golfer cyclist boxer driver wrestler king queen emperor prince princess duke president
    minister governor mayor leader character author poet playwright journalist painter architect engineer inventor
    entrepreneur photographer model rapper dancer comedian guitarist drummer pianist vocalist star member founder
    explorer philosopher historian mathematician astronomer general senator bishop pope saint coach manager ceo host
    narrator killer speaker owner winner runner-up individual figure wife husband entertainer activist
    citizen resident native
    """,
    "place": """
    place city town village country state county province region district territory municipality island continent
    river lake mountain sea ocean location area capital birthplace hometown street building stadium arena airport
    park neighborhood neighbourhood suburb borough nation range peninsula valley venue site castle palace bridge
    waterfall colony commune parish prefecture hotel desert
    """,
    "date": "date day year month decade century time season era period birthday",
    "number": "number population percentage percent height elevation amount age length ranking rank",
    "work": """
    film movie song album book novel series show play opera magazine newspaper poem painting documentary single game
    sitcom episode anime manga symphony musical journal soundtrack comedy drama franchise track ballet sculpture
    telenovela composition manifesto story remake
    """,
    "organisation": """
    company band group team club university college school institute organization organisation party association
    league agency label studio network institution corporation publisher foundation church army entity division bank
    airline unit hospital museum society government union force station channel family brand firm
    """,
}

NOUN_TYPES: dict[str, str] = {word: kind for kind, words in _TYPES.items() for word in words.split()}

MULTIWORD = {
    phrase.replace("_", " "): phrase.replace("_", " ")
    for phrase in """
    place_of_birth date_of_birth place_of_death date_of_death cause_of_death place_of_burial country_of_origin
    country_of_citizenship year_of_birth year_of_death prime_minister record_label alma_mater publication_date
    release_date executive_producer production_company official_language native_language head_coach political_party
    ethnic_group chief_executive_officer birth_name original_name head_of_government head_of_state mountain_range
    paternal_grandfather paternal_grandmother maternal_grandfather maternal_grandmother paternal_uncle paternal_aunt
    maternal_uncle maternal_aunt award_received
    """.split()
} | {
    "city of birth": "place of birth",
    "country of birth": "place of birth",
    "birth place": "place of birth",
    "birth city": "place of birth",
    "birth country": "place of birth",
    "birth date": "date of birth",
    "burial place": "place of burial",
    "body of water": "body of water",
    "country of nationality": "country of citizenship",
    "in charge": "leader",
}

NATIONALITIES = frozenset(
    """
    afghan albanian algerian american angolan arab argentine argentinian armenian asian australian austrian
    azerbaijani bangladeshi basque belarusian belgian bolivian bosnian brazilian british bulgarian burmese cambodian
    cameroonian canadian catalan chilean chinese colombian croatian cuban cypriot czech danish dutch ecuadorian
    egyptian english estonian ethiopian european filipino finnish french georgian german ghanaian greek haitian
    hungarian icelandic indian indonesian iranian iraqi irish israeli italian jamaican japanese jewish jordanian
    kazakh kenyan korean kuwaiti latvian lebanese libyan lithuanian macedonian malaysian maltese mexican moldovan
    mongolian moroccan nepalese nigerian norwegian ottoman pakistani palestinian panamanian paraguayan persian
    peruvian polish portuguese roman romanian russian saudi scottish serbian singaporean slovak slovene slovenian
    somali soviet spanish sudanese swedish swiss syrian taiwanese tamil telugu hindi thai tunisian turkish ukrainian
    uruguayan venezuelan vietnamese welsh african anglo-saxon bollywood olympic us-based hawaiian kenya-based
    """.split()
)

BE = frozenset("is are was were be been being 's".split())
DO = frozenset("do does did".split())
HAVE = frozenset("has have had having".split())
MODALS = frozenset("can could will would shall should may might must".split())
AUXILIARIES = BE | DO | HAVE | MODALS
WH = frozenset("who whom whose what which where when why how whoever whiich".split())
RELATIVE = frozenset("that who whom which whose where when".split())
DETERMINERS = frozenset("the a an this that these those both all some any each every another".split())
POSSESSIVE_PRONOUNS = frozenset("his her its their our my your".split())
PRONOUNS = frozenset("he she it they him them we you i one ones".split())
PREPOSITIONS = frozenset(
    """
    of in on at for from to with by about under over during into onto as between among within near through after
    before against around along without via toward towards upon besides behind off inside outside across since until
    till per like than out up down prior based_on despite following
    """.split()
)
CONJUNCTIONS = frozenset("and or but nor while because if though although whereas & so".split())
ADVERBS = frozenset(
    """
    also not never currently originally formerly later once only still already ever often previously subsequently
    jointly then now recently widely mainly primarily once twice too there here together as_well n't
    """.split()
)
FUNCTION_WORDS = (
    AUXILIARIES | WH | RELATIVE | DETERMINERS | POSSESSIVE_PRONOUNS | PRONOUNS | PREPOSITIONS | CONJUNCTIONS | ADVERBS
)
# Words that may stand, in lower case, inside a capitalised name.
NAME_LINKS = frozenset(
    """
    of the and be de la le les du des del della di da do dos das el los las von van der den ter ten und une y e i il in
    on at for to from with a an by ibn bin al ul zu zur am im och og as & - – — / d' l'
    """.split()
)
# Of these, the ones that no English word is written like: behind them a name may go on in lower case.
FOREIGN_LINKS = frozenset("les des du de la le del della di el los las der und och og en il une y".split())
# Participles that a name follows: "a song called X".
NAMING = frozenset("called named titled entitled".split())
# Parts that one plays: "played the role of X" is "played X".
PARTS = frozenset("role part voice character".split())
# "the name of the bridge" asks for the bridge.
TRANSPARENT = frozenset("name title term type kind sort form one list names identity example genre".split())
MEMBERSHIPS = frozenset("member members part citizen citizens one resident native subsidiary student graduate".split())


# Verbs that the lexicon of relations does not hold, so that they are told from nouns: what they relate is said by
# their own words. Regular ones by their base form; irregular ones as base/past/participle.
_REGULAR = """
    abandon accept achieve adapt add adopt affect agree allow announce annex appear apply appoint approach arrest
    arrive ask assist associate attack attract award ban believe borrow call cancel capture care carry cause
    celebrate change charge claim clash collaborate colonize compete complete conceive connect conquer consider
    consist construct contribute control convert convey cover criticize cross crown declare decide dedicate defeat
    defend deliver demolish depict derive describe destroy determine dominate double drop earn elect emerge enact
    encourage end enter erect exist expand expel explain explore export express extend fail fear finance finish
    follow gain handle happen help honor honour identify import impose imprison increase inhabit inherit initiate
    inspire install interpret introduce invade involve issue kidnap last learn license like look lobby maintain map
    measure merge mine move narrate nominate occupy occur offer open operate oppose orbit organize organise
    originate overlook oversee paint participate pass pioneer plan plant popularize possess practise practice
    precede predate prepare preside prevent promote propose protect prove provide qualify raise rank reach reject
    rely refer refuse relate remain remove rename represent require rescue resign resign respond restore result
    retire return reveal save score separate serve settle share shift sign sink solve sponsor stab stage start stop
    suffer suggest support surrender survive tour trace train transfer translate transport travel treat try
    turn use used unite unveil view visit vote want watch wed wish witness
    """
_IRREGULAR = """
    arise/arose/arisen beat/beat/beaten become/became/become begin/began/begun break/broke/broken
    bring/brought/brought build/built/built burn/burnt/burnt buy/bought/bought catch/caught/caught
    choose/chose/chosen cost/cost/cost cut/cut/cut deal/dealt/dealt draw/drew/drawn drink/drank/drunk
    drive/drove/driven eat/ate/eaten fall/fell/fallen feed/fed/fed feel/felt/felt fight/fought/fought fly/flew/flown
    forget/forgot/forgotten give/gave/given go/went/gone grow/grew/grown hang/hung/hung have/had/had
    hear/heard/heard hide/hid/hidden hit/hit/hit hold/held/held keep/kept/kept know/knew/known lay/laid/laid
    lead/led/led leave/left/left lend/lent/lent let/let/let lose/lost/lost mean/meant/meant meet/met/met
    pay/paid/paid read/read/read ride/rode/ridden rise/rose/risen run/ran/run say/said/said see/saw/seen
    sell/sold/sold send/sent/sent set/set/set shoot/shot/shot show/showed/shown sit/sat/sat sleep/slept/slept
    spend/spent/spent spread/spread/spread stand/stood/stood steal/stole/stolen swim/swam/swum take/took/taken
    teach/taught/taught tell/told/told think/thought/thought throw/threw/thrown understand/understood/understood
    wear/wore/worn overthrow/overthrew/overthrown undergo/underwent/undergone
    """


def _inflect(base: str) -> tuple[str, str, str]:
    """
    The third person, the past and the -ing form of a regular verb.
    """
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies", base[:-1] + "ied", base + "ing"
    if base.endswith("e"):
        return base + "s", base + "d", base[:-1] + "ing"
    doubled = (
        base + base[-1] if base in ("stab", "ban", "stop", "drop", "plan", "map", "refer", "wed", "expel") else base
    )
    third = base + ("es" if base.endswith(("s", "sh", "ch", "x")) else "s")
    return third, doubled + "ed", doubled + "ing"


def _plain_verbs() -> tuple[dict[str, str], frozenset[str]]:
    """Every form with its base form, and the participles."""
    forms, participles = dict[str, str](), set[str]()
    for base in _REGULAR.split():
        third, past, gerund = _inflect(base)
        forms |= dict.fromkeys((base, third, past, gerund), base)
        participles.add(past)
    for line in _IRREGULAR.split():
        base, past, participle = line.split("/")
        third, _, gerund = _inflect(base)
        forms |= dict.fromkeys((base, third, past, participle, gerund), base)
        participles |= {participle} - {base}
    return forms, frozenset(participles)


PLAIN_VERBS, PLAIN_PARTICIPLES = _plain_verbs()
# Forms that are never a noun.
CERTAIN_VERBS = frozenset(
    past
    for base, past, participle in (line.split("/") for line in _IRREGULAR.split())
    if past not in (base, participle)
) | frozenset("become becomes begin begins bring brings give gives know knows take takes keep keeps lose loses".split())
