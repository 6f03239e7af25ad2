"""Rows to train the reader on what people write down at work: records, tables, headings with lines below them.

Nothing here is anybody's: subjects, fields and values are made up from word lists, drawn with the given seed. A page
tells of three to six subjects of a kind the same fields, in one of the ways that notes have them, so that a value is
found only by minding both its subject and its field; for every third question the page does not hold the answer.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from benchmarks.row import Row

_FIRST = (
    "Ana Ben Chiara Dario Elif Farid Greta Hugo Ines Jonas Kemal Lucia Mara Nils Olga Pablo Rosa Sven Tara Uma"
).split()
_LAST = (
    "Alder Brandt Castel Dunne Eklund Ferro Gallo Hartl Ito Jansen Kovac Lindt Moreau Novak Okafor Pires Quist"
).split()
_PLACES = "Lisbon Graz Bergen Utrecht Ghent Leeds Porto Turin Malmo Cork Basel Nantes Brno Riga Split Vigo".split()
_STEMS = (
    "Harbor Falcon Juniper Cobalt Maple Orbit Quartz Raven Tundra Willow Zephyr Beacon Ember Lark Onyx Pine"
).split()
_ENDS = {
    "service": "API,Gateway,Worker,Service,Queue,Sync,Portal",
    "team": "Team,Group,Crew,Squad,Desk",
    "supplier": "Ltd,GmbH,& Sons,Foods,Metals,Paper,Logistics",
    "product": "lamp,chair,kettle,valve,jacket,bolt set,drill,paint",
    "project": "project,migration,rollout,redesign,pilot",
    "meeting": "review,standup,planning,board meeting,retrospective",
    "incident": "outage,incident,data loss,delay,leak",
    "vehicle": "van,truck,ferry,bus,trailer,tram",
    "course": "course,workshop,class,seminar,training",
    "room": "room,hall,studio,lab,annex",
    "machine": "press,oven,printer,mixer,pump,scanner",
}
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = "January February March April May June July August September October November December".split()

Draw = random.Random


def _person(draw: Draw) -> str:
    return f"{draw.choice(_FIRST)} {draw.choice(_LAST)}" if draw.random() < 0.7 else draw.choice(_FIRST)


def _date(draw: Draw) -> str:
    day, month, year = draw.randint(1, 28), draw.randint(1, 12), draw.randint(2009, 2026)
    name = _MONTHS[month - 1]
    iso = f"{year}-{month:02}-{day:02}"
    return draw.choice((iso, f"{day} {name} {year}", f"{day} {name}", f"{name} {year}", f"{name} {day}, {year}"))


def _money(draw: Draw) -> str:
    small, large = f"{draw.randint(2, 99)}.{draw.randint(0, 99):02}", f"{draw.randint(1, 90)},{draw.randint(0, 9)}00"
    amount = draw.choice((small, large))
    unit = draw.choice(("", " per month", " a day", " per person", "")) if draw.random() < 0.5 else ""
    return draw.choice(("EUR {}{}", "€{}{}", "${}{}", "{} euros{}", "£{}{}")).format(amount, unit)


def _amount(*units: str) -> Callable[[Draw], str]:
    return lambda draw: f"{draw.randint(2, 900)} {draw.choice(units)}".strip()


def _one_of(words: str) -> Callable[[Draw], str]:
    return lambda draw: draw.choice(words.split(","))


def _clock(draw: Draw) -> str:
    form = draw.choice(("{:02}:{:02}", "{}:{:02} am", "{}.{:02}"))
    return form.format(draw.randint(6, 11), draw.choice((0, 15, 30, 45)))


def _when(draw: Draw) -> str:
    return draw.choice((_clock, lambda d: f"{d.choice(_WEEKDAYS)} {_clock(d)}", lambda d: d.choice(_WEEKDAYS)))(draw)


def _mail(draw: Draw) -> str:
    return f"{draw.choice(_FIRST).lower()}@{draw.choice(_STEMS).lower()}.example"


def _phone(draw: Draw) -> str:
    return f"+{draw.randint(30, 49)} {draw.randint(10, 99)} {draw.randint(1000, 9999)} {draw.randint(10, 99)}"


def _code(draw: Draw) -> str:
    return f"{draw.choice('ABKMRSTX')}{draw.choice('DFLNPW')}-{draw.randint(10, 999)}"


def _version(draw: Draw) -> str:
    return ".".join(str(draw.randint(0, 20)) for _ in range(draw.choice((2, 3))))


_PLACE = _one_of(",".join(_PLACES))
Field = tuple[str, Callable[[Draw], str], tuple[str, ...]]
_FIELDS: dict[str, list[Field]] = {
    "service": [
        ("owner", _person, ("Who owns {}?", "Who is responsible for {}?", "Who looks after {}?")),
        (
            "language",
            _one_of("Kotlin,Go,Rust,Python,Java,Elixir,TypeScript"),
            ("What is {} written in?", "Which language does {} use?"),
        ),
        ("port", _amount(""), ("Which port does {} listen on?", "What port is {} on?")),
        (
            "database",
            _one_of("Postgres,MySQL,SQLite,MongoDB,Redis,none"),
            ("Which database does {} use?", "Where does {} store its data?"),
        ),
        ("on call", _person, ("Who is on call for {}?", "Whom do I call when {} is down?")),
        ("version", _version, ("Which version of {} is running?", "What is the current release of {}?")),
        ("region", _PLACE, ("Where does {} run?", "In which region is {}?")),
        ("backup", _when, ("When is {} backed up?", "When do the backups of {} run?")),
    ],
    "team": [
        ("lead", _person, ("Who leads {}?", "Who is in charge of {}?", "Who heads {}?")),
        ("members", _amount("people", ""), ("How many people are in {}?", "How big is {}?")),
        ("standup", _when, ("When does {} meet?", "When is the standup of {}?")),
        (
            "floor",
            _one_of("first floor,second floor,ground floor,annex,basement"),
            ("Where does {} sit?", "Which floor is {} on?"),
        ),
        ("budget", _money, ("What is the budget of {}?", "How much can {} spend?")),
        ("deputy", _person, ("Who stands in for the lead of {}?", "Who is the deputy of {}?")),
    ],
    "person": [
        (
            "role",
            _one_of("accountant,head of sales,electrician,designer,driver,cook,data engineer,nurse"),
            ("What does {} do?", "What is {}'s job?"),
        ),
        ("manager", _person, ("Who does {} report to?", "Who is {}'s boss?")),
        ("office", _PLACE, ("Where does {} work?", "In which office is {}?")),
        ("phone", _phone, ("What is {}'s number?", "How can I call {}?")),
        ("email", _mail, ("What is {}'s address?", "How do I write to {}?")),
        ("joined", _date, ("When did {} join?", "Since when does {} work here?")),
        ("birthday", _date, ("When is {}'s birthday?", "When was {} born?")),
        (
            "speaks",
            _one_of("French and Dutch,German,Portuguese,Italian and English,Turkish"),
            ("Which languages does {} speak?",),
        ),
    ],
    "supplier": [
        ("contact", _person, ("Who is our contact at {}?", "Whom do we talk to at {}?")),
        (
            "supplies",
            _one_of("flour,steel pipes,copy paper,eggs,fuel filters,timber,cables"),
            ("What does {} supply?", "What do we buy from {}?"),
        ),
        ("price", _money, ("How much does {} charge?", "What do we pay {}?")),
        ("city", _PLACE, ("Where is {} based?", "Which city is {} in?")),
        ("delivery", _when, ("When does {} deliver?", "On which day does {} come?")),
        ("contract ends", _date, ("When does the contract with {} end?", "Until when do we have a contract with {}?")),
        ("terms", _amount("days", "days net"), ("What are the payment terms of {}?", "How long do we have to pay {}?")),
    ],
    "product": [
        ("price", _money, ("How much is the {}?", "What does the {} cost?")),
        ("weight", _amount("kg", "g"), ("How heavy is the {}?", "What does the {} weigh?")),
        ("colour", _one_of("dark green,red,matt black,white,blue"), ("What colour is the {}?",)),
        ("stock", _amount("", "pieces"), ("How many of the {} are in stock?", "How many {} are left?")),
        ("shelf", _code, ("Where is the {} kept?", "Which shelf is the {} on?")),
        ("warranty", _amount("months", "years"), ("How long is the warranty of the {}?",)),
    ],
    "project": [
        ("budget", _money, ("What is the budget of the {}?", "How much money does the {} have?")),
        ("deadline", _date, ("When is the {} due?", "When must the {} be finished?")),
        ("sponsor", _person, ("Who sponsors the {}?", "Who pays for the {}?")),
        (
            "status",
            _one_of("on hold,green,delayed,finished,cancelled"),
            ("How is the {} going?", "What is the state of the {}?"),
        ),
        ("manager", _person, ("Who manages the {}?", "Who runs the {}?")),
        ("started", _date, ("When did the {} start?", "Since when does the {} run?")),
    ],
    "meeting": [
        ("date", _date, ("When was the {}?", "On what day is the {}?")),
        ("chair", _person, ("Who chaired the {}?", "Who led the {}?")),
        ("minutes", _person, ("Who took the minutes of the {}?", "Who wrote down the {}?")),
        ("place", _PLACE, ("Where was the {} held?", "Where is the {}?")),
        ("next", _date, ("When is the next {}?",)),
    ],
    "incident": [
        ("started", _clock, ("When did the {} begin?", "What time did the {} start?")),
        ("duration", _amount("minutes", "hours"), ("How long did the {} last?", "How long was the {}?")),
        (
            "cause",
            _one_of("an expired certificate,a full disk,a broken pipe,a wrong setting,heavy fog"),
            ("What caused the {}?", "Why did the {} happen?"),
        ),
        ("reported by", _person, ("Who reported the {}?", "Who noticed the {} first?")),
        ("affected", _amount("customers", "orders", "passengers"), ("How many were affected by the {}?",)),
        ("fixed by", _person, ("Who fixed the {}?", "Who solved the {}?")),
    ],
    "vehicle": [
        ("driver", _person, ("Who drives the {}?",)),
        (
            "capacity",
            _amount("passengers", "seats", "cars"),
            ("How many fit in the {}?", "What is the capacity of the {}?"),
        ),
        ("registration", _code, ("What is the registration of the {}?", "What is the number plate of the {}?")),
        ("inspection", _date, ("When is the next inspection of the {}?", "When is the {} inspected?")),
        ("built", _amount(""), ("When was the {} built?", "How old is the {}?")),
        ("length", _amount("m", "metres"), ("How long is the {}?",)),
    ],
    "course": [
        ("teacher", _person, ("Who teaches the {}?", "Who gives the {}?")),
        ("fee", _money, ("What does the {} cost?", "How much is the {}?")),
        ("starts", _when, ("When does the {} start?", "What time is the {}?")),
        ("seats", _amount("", "places"), ("How many can join the {}?", "How many seats are there in the {}?")),
        ("place", _PLACE, ("Where is the {}?", "Where does the {} take place?")),
    ],
    "machine": [
        ("temperature", _amount("°C", "degrees"), ("How hot is the {}?", "At what temperature is the {} run?")),
        ("serviced", _date, ("When was the {} last serviced?", "When was the last check of the {}?")),
        ("serial", _code, ("What is the serial number of the {}?",)),
        ("operator", _person, ("Who operates the {}?", "Who works at the {}?")),
        (
            "maker",
            lambda d: f"{d.choice(_LAST)} {d.choice(('AG', 'Ltd', 'Works'))}",
            ("Who makes the {}?", "Who built the {}?"),
        ),
    ],
}
_ASIDES = (
    "Please keep this up to date.",
    "Last changed on Tuesday.",
    "See also the page on access.",
    "Ask before you change anything.",
    "Numbers as of this spring.",
    "Nothing else was decided.",
    "The rest is in the shared folder.",
)
Table = dict[str, dict[str, str]]


def record_rows(count: int, draw: Draw) -> Iterator[Row]:
    """`count` pages with two or three questions each."""
    for _ in range(count):
        kind = draw.choice(sorted(_FIELDS))
        fields = draw.sample(_FIELDS[kind], min(len(_FIELDS[kind]), draw.randint(2, 5)))
        table = {
            name: {field: make(draw) for field, make, _ in fields if draw.random() < 0.9}
            for name in dict.fromkeys(_subject(kind, draw) for _ in range(draw.randint(2, 6)))
        }
        text, places = draw.choice(_WAYS)(kind, table, draw)
        text, places = _with_asides(text, places, draw)
        yield from _questions(kind, table, places, text, draw)


def _subject(kind: str, draw: Draw) -> str:
    if kind == "person":
        return _person(draw)
    name = f"{draw.choice(_STEMS)} {draw.choice(_ENDS[kind].split(','))}"
    return draw.choice((name, name.split()[0], name)) if kind in ("service", "team") else name


def _questions(kind: str, table: Table, places: dict[tuple[str, str], int], text: str, draw: Draw) -> Iterator[Row]:
    fields = {field: forms for field, _, forms in _FIELDS[kind]}
    for subject, field in draw.sample(sorted(places), min(len(places), 2)):
        start = places[subject, field]
        end = start + len(table[subject][field])
        yield Row("workplace", _ask(subject, field, fields[field], draw), text, "span", start, end)
    told = {field for values in table.values() for field in values}
    missing = [(s, f) for s in sorted(table) for f in sorted(fields) if f not in table[s]]
    strange = [(_subject(kind, draw), field) for field in sorted(told)]
    strange = [(s, f) for s, f in strange if not any(s in name or name in s for name in table)]
    if (pool := missing if draw.random() < 0.5 else strange) and draw.random() < 0.8:
        subject, field = draw.choice(pool)
        yield Row("workplace-none", _ask(subject, field, fields[field], draw), text, "none")


def _ask(subject: str, field: str, forms: tuple[str, ...], draw: Draw) -> str:
    if draw.random() < 0.7:
        asked = draw.choice(forms).format(subject)
    else:
        plain = ("{0} of {1}", "{1}: {0}?", "{1} {0}", "What is the {0} of {1}?", "{1}'s {0}?")
        asked = draw.choice(plain).format(field, subject)
    return asked.lower().rstrip("?") if draw.random() < 0.12 else asked


Way = Callable[[str, Table, Draw], tuple[str, dict[tuple[str, str], int]]]


def _headed(kind: str, table: Table, draw: Draw) -> tuple[str, dict[tuple[str, str], int]]:
    """A heading for each subject and `Key: value` lines below it."""
    mark = draw.choice(("## ", "", "### ", "# "))
    item = draw.choice(("- ", "", "* ", "- "))
    joint = draw.choice((": ", ": ", " - ", " = "))
    text, places = f"{kind.capitalize()}s. " if draw.random() < 0.5 else "", {}
    for subject, values in table.items():
        text += f"\n{mark}{subject}\n"
        for field, value in values.items():
            text += f"{item}{_cased(field, draw)}{joint}"
            places[subject, field] = len(text)
            text += value + "\n"
    return text, places


def _lines(kind: str, table: Table, draw: Draw) -> tuple[str, dict[tuple[str, str], int]]:
    """A line for each subject, as a row of a table with its header's words."""
    first = draw.choice((f"{kind.capitalize()}: {{}}", "{}", "- {}", "Name: {}"))
    joint = draw.choice(("; ", "; ", ", ", " | ", ". "))
    text, places = f"{kind.capitalize()} list. " if draw.random() < 0.5 else "", {}
    for subject, values in table.items():
        text += "\n" + first.format(subject)
        for field, value in values.items():
            text += f"{joint}{_cased(field, draw)}: "
            places[subject, field] = len(text)
            text += value
    return text, places


def _grid(kind: str, table: Table, draw: Draw) -> tuple[str, dict[tuple[str, str], int]]:
    """A table with its header in the first line, cells apart by bars, commas or tabs."""
    bar = draw.choice((" | ", " | ", ", ", "\t"))
    fields = sorted(dict.fromkeys(field for values in table.values() for field in values), key=lambda _: draw.random())
    text, places = kind + bar + bar.join(fields), {}
    for subject, values in table.items():
        text += f"\n{subject}"
        for field in fields:
            text += bar
            if field in values:
                places[subject, field] = len(text)
            text += values.get(field, "-")
    return text, places


_SAID = (
    "The {field} of {subject} is ",
    "{subject}'s {field} is ",
    "For {subject}, the {field} is ",
    "{subject}: {field} ",
)


def _told(kind: str, table: Table, draw: Draw) -> tuple[str, dict[tuple[str, str], int]]:
    """A sentence for each fact, at times said by somebody at an hour."""
    text, places = "", {}
    stamped = draw.random() < 0.4
    for subject, values in table.items():
        for field, value in values.items():
            if stamped:
                text += f"\n[{draw.randint(8, 18)}:{draw.randint(10, 59)}] {draw.choice(_FIRST)}: "
            text += draw.choice(_SAID).format(field=field, subject=subject)
            places[subject, field] = len(text)
            text += value + ". "
    return text, places


_WAYS: tuple[Way, ...] = (_headed, _headed, _lines, _lines, _grid, _told)


def _cased(field: str, draw: Draw) -> str:
    return field.capitalize() if draw.random() < 0.6 else field


def _with_asides(text: str, places: dict[tuple[str, str], int], draw: Draw) -> tuple[str, dict[tuple[str, str], int]]:
    """The page with a title and a remark before it, and one behind it, now and then."""
    before = draw.choice(("", "", f"{draw.choice(_ASIDES)} ", f"{draw.choice(_STEMS)} notes. "))
    behind = f"\n{draw.choice(_ASIDES)}" if draw.random() < 0.3 else ""
    return before + text + behind, {key: at + len(before) for key, at in places.items()}
