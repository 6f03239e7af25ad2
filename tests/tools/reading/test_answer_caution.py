"""Answers that look right and are not: each is refused, or decided by what the passages say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from answer_evidence import blind, evidence, passages, pointing_at

from tools.answer_rules.docs import EvidencePassage
from tools.answer_rules.kin import find_kin
from tools.answer_rules.others import is_anothers
from tools.planning.plan import Comparison, Constraint, Plan
from tools.planning.planner import plan_question
from tools.reading import answering
from tools.reading.answering import AS_RECORDED, MOST_QUOTED, FoundAnswer, Quote, answer_question
from tools.reading.candidates import Candidate
from tools.reading.choice import Chosen
from tools.reading.considering import ALONE
from tools.reading.spans import Reading, Span
from tools.reading.weighing import is_year_of

RIGHT = 0.9


def chosen(candidate: Candidate, told: float = 0.9) -> Chosen:
    """A candidate at 0.9, its sentence at `told`."""
    return Chosen(candidate, 0.9, candidate.found, told)


def compare(texts: tuple[tuple[str, str], ...], question: str, comparison: Comparison = "") -> FoundAnswer:
    plan = plan_question(question)
    assert plan.kind in ("comparison", "yesno")
    assert not comparison or plan.comparison == comparison
    return answer_question(question, plan, passages(*texts), read=blind)


LIVES = (
    ("Ann Lee", "Ann Lee (12 May 1920 – 3 June 1980) was a baker who founded the Lee bakery in 1950."),
    ("Bob Day", "Bob Day (1 January 1930 – 4 July 1999) was a printer who established Day Books in 1945."),
)


@pytest.mark.parametrize(
    ("question", "text"),
    [("Who was born first, Ann Lee or Bob Day?", "Ann Lee"), ("Is Ann Lee older than Bob Day?", "yes")],
)
def test_persons_are_compared_by_their_birth_and_not_by_what_they_founded(question: str, text: str) -> None:
    assert compare(LIVES, question).text == text


def test_who_was_first_is_not_told_by_shared_words() -> None:
    half = (("Ann Lee", "Ann Lee was born on 12 May 1920 in Graz."), ("Bob Day", "Bob Day was a printer."))
    answer = compare(half, "Who was born first, Ann Lee or Bob Day?")
    assert answer.text == ""
    assert answer.missing == "when Bob Day was born"


def test_a_side_that_was_hardly_read_decides_nothing() -> None:
    texts = (("Ann Lee", "Ann Lee was born on 12 May 1920 in Graz."), ("Bob Day", "Bob Day was a printer in Graz."))
    question = "Were Ann Lee and Bob Day born in the same town?"
    hardly = answer_question(question, plan_question(question), passages(*texts), read=pointing_at("Graz", 1e-4))
    assert hardly.confidence <= ALONE


BRIDGES = (("Ash Bridge", "The Ash Bridge is 300 m long."), ("Birch Bridge", "The Birch Bridge is 2 km long."))


@pytest.mark.parametrize(("question", "text"), [("more", "Birch Bridge"), ("less", "Ash Bridge")])
def test_lengths_are_compared_in_the_same_unit(question: Comparison, text: str) -> None:
    constraints = tuple(Constraint(name, "length", f"?{name[0]}") for name in ("Ash Bridge", "Birch Bridge"))
    plan = Plan(constraints, "", "comparison", question, ("Ash Bridge", "Birch Bridge"), "option")

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        places = [(title in asked, body.index("is ") + 3, body.index(" long")) for asked, title, body in pairs]
        return [Reading((Span(start, end, 1.0),), answered=1.0) if own else Reading() for own, start, end in places]

    assert answer_question("Which is longer?", plan, passages(*BRIDGES), read=read).text == text


def test_a_number_before_a_house_number_denies_nothing() -> None:
    home = passages(("Tom", "Tom lives at No. 5 Mill Street."))
    question = "Is it true that Tom lives at 5 Mill Street?"
    assert answer_question(question, plan_question(question), home, read=blind).text == "yes"


@pytest.mark.parametrize("claim", ["Ann Lee married Ann Day", "the Tay Bridge was opened in 1887"])
def test_a_repeated_name_or_a_number_in_front_is_no_other_order(claim: str) -> None:
    said = passages(("News", "Ann Lee married Ann Day. In 1887 the Tay Bridge was opened."))
    question = f"Is it true that {claim}?"
    answer = answer_question(question, plan_question(question), said, read=blind)
    assert answer.text == "yes"
    assert answer.confidence > ALONE


def test_a_name_of_the_other_kind_of_order_is_still_another_order() -> None:
    said = passages(("News", "Bob Day pushed Ann Lee."))
    question = "Is it true that Ann Lee pushed Bob Day?"
    assert answer_question(question, plan_question(question), said, read=blind).confidence <= ALONE


def asked_of(text: str, phrase: str, question: str) -> FoundAnswer:
    passage = EvidencePassage(1, "Notes", text, 1.0, "", "2025-05-06-meeting.md")
    return answer_question(question, Plan(()), [passage], read=pointing_at(phrase))


def test_only_an_answer_to_when_is_counted_from_the_day_of_its_text() -> None:
    paper = asked_of("Ana reads USA Today every morning.", "USA Today", "What newspaper does Ana read?")
    assert paper.text == "USA Today"
    assert asked_of("Day: Monday\nRoom: 4", "Monday", "When is the standup?").text == "Monday"
    assert (
        asked_of("Ana wrote the letter yesterday.", "yesterday", "When did Ana write the letter?").text == "5 May 2025"
    )
    assert asked_of("Ana did it on Friday.", "Friday", "When did Ana do the shopping?").text == "2 May 2025"


@pytest.mark.parametrize(
    ("text", "phrase", "question"),
    [
        ("The plates were kept for 72 h at 30°.", "72 h", "How warm were the plates kept?"),
        ("The helicopter was looking for somebody else.", "somebody else", "For whom was the helicopter looking?"),
    ],
)
def test_another_measure_and_somebody_unnamed_are_no_answer(text: str, phrase: str, question: str) -> None:
    told = asked_of(text, phrase, question)
    assert (told.text, told.is_doubtful) == (phrase, True)


def test_steps_that_do_not_lead_to_what_was_read_stand_beside_it() -> None:
    """The walk finds whom Ann Lee married; the reader points at the notebook, whose sentence may name him."""
    plan = Plan((Constraint("Ann Lee", "spouse", "?n"),), "?n")

    def told(sentence: str) -> FoundAnswer:
        texts = (("Guests", "Ann Lee came with her husband Bob Day."), ("Fire", sentence))
        return answer_question("Which notebook survived?", plan, passages(*texts), read=pointing_at("the green one"))

    beside, of_him = told("The fire left the green one."), told("The fire left Bob Day the green one.")
    assert (beside.text, beside.is_beside, beside.leading) == ("the green one", True, ())
    assert beside.hops
    assert (of_him.text, of_him.is_beside, of_him.leading) == ("the green one", False, of_him.hops)


def test_a_day_of_the_week_is_told_as_it_is_where_it_is_asked_when_something_is_done() -> None:
    def told(text: str, question: str, source: str = "read-me.md") -> FoundAnswer:
        passage = EvidencePassage(1, "Bins", text, 1.0, "", source)
        return answer_question(question, Plan(()), [passage], read=pointing_at("Sunday night"))

    habit = told("The bins go out on Sunday night.", "When do I put the bins out?")
    assert (habit.text, habit.is_doubtful) == ("Sunday night", False)
    # of what happened once nobody knows which Sunday that was
    assert told("The bins went out on Sunday night.", "When did the bins go out?").is_doubtful
    dated = told("The bins go out on Sunday night.", "When do the bins go out?", "2025-05-06-note.md")
    assert dated.text == "11 May 2025"


def test_a_record_has_no_speakers_and_a_talk_has() -> None:
    record = "Lead: Ana Souza\nPhone: 112\nOffice: second floor"
    fields = evidence(("Desk", record)).docs[0]
    assert not is_anothers(fields, record.index("Ana"), "Who leads the Phone Desk?")
    talk = "Ana: I am well.\nBob: I bought a red kite in Lima.\nAna: Good.\nBob: Yes."
    assert asked_of(talk, "Lima", "Where did Ana buy the kite?").confidence <= ALONE


def test_a_joined_step_is_read_where_the_thing_between_has_no_name() -> None:
    """The lease of the shop in Norbeck: planned as Norbeck's shop and its lease, and no shop has a name."""
    asked = []

    def read(pairs: Sequence[tuple[str, str, str]]) -> list[Reading]:
        asked.extend(question for question, _, _ in pairs)
        return pointing_at("nine years")(pairs)

    plan = Plan((Constraint("Norbeck", "cheese shop", "?shop"), Constraint("?shop", "lease", "?lease")), "?lease")
    text = "The cheese shop in Norbeck has a lease of nine years."
    answer = answer_question("How long is the lease of the shop?", plan, passages(("Shops", text)), read=read)
    assert answer.text == "nine years"
    assert [hop.constraint.relation for hop in answer.hops] == ["lease of the cheese shop"]
    assert answer.missing == ""


def test_a_first_name_alone_has_the_family_name_of_the_kin() -> None:
    texts = evidence(
        ("Caroline Herschel", "Caroline Herschel was an astronomer. Her brother William went to England."),
        ("William Thackeray", "William Thackeray was a novelist."),
        ("William Herschel", "William Herschel was born in 1738."),
    )
    assert [one.text for one in find_kin(texts, "Caroline Herschel", "sibling")][:1] == ["William Herschel"]


def test_what_a_talk_does_not_say_is_not_denied() -> None:
    talk = "Jon: I won a dance competition.\nGina: Well done!\nJon: Thanks.\nGina: Dancing is my passion."
    talks = (("Jon", talk), ("Gina", talk))
    question = "Did Jon and Gina both take part in dance competitions?"
    answer = answer_question(question, plan_question(question), passages(*talks), read=blind)
    assert (answer.text, answer.confidence) == ("", 0.0)


@pytest.mark.parametrize(
    ("question", "phrase", "confidence"),
    [
        ("Did we cancel more sailings in 2023 or in 2024?", "131", ALONE),
        ("Did we cancel more sailings in 2023 or in 2024?", "2023", RIGHT),
        ("How many sailings were cancelled in 2024?", "131", RIGHT),
        ("How many sailings were cancelled in 2025?", "131", ALONE),
    ],
)
def test_a_choice_is_answered_by_one_side_and_a_number_asked_about_is_in_the_text(
    question: str, phrase: str, confidence: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "choose", lambda candidates: chosen(candidates[0]))
    sailings = ("Sailings", "In 2023 we cancelled 148 sailings, in 2024 it was 131.")
    answer = answer_question(question, Plan(()), passages(sailings), {}, pointing_at(phrase))
    assert (answer.text, answer.confidence) == (phrase, confidence)


@pytest.mark.parametrize(
    ("question", "text"),
    [("When was the Forth Bridge opened?", "4 March 1890"), ("In which year was the Forth Bridge opened?", "1890")],
)
def test_where_the_year_is_chosen_the_day_is_told(question: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def year(candidates: Sequence[Candidate]) -> Chosen:
        return chosen(next(one for one in candidates if one.found.text == "1890"))

    monkeypatch.setattr(answering, "choose", year)
    bridge = ("Forth Bridge", "The Forth Bridge was opened on 4 March 1890.\n\nOpened: 1890\nBuilt: 1882")
    answer = answer_question(question, plan_question(question), passages(bridge), {}, pointing_at("1890"))
    assert answer.text == text


def test_a_year_is_the_same_as_its_day() -> None:
    assert is_year_of("4 March 1890", "1890")
    assert is_year_of("1890", "4 March 1890")
    assert not is_year_of("4 March 1890", "1891")
    assert not is_year_of("4 March 1890", "March 1890")


PALME = ("Olof Palme", "Olof Palme was a Swedish politician, born in Stockholm.")
REPAIR = ("Repair", "The council gave £500 for the repair. The trust gave £400.")
HERON = ("Heron", "When Heron is down ring Skerry Hosting on 01632 960 384.")


@pytest.mark.parametrize(
    ("text", "question", "phrase", "confidence"),
    [
        (PALME, "Where was Olof Palme born?", "Swedish", ALONE),
        (PALME, "Where was Olof Palme born?", "Stockholm", 0.9),
        (PALME, "Where is Olof Palme from?", "Swedish", 0.9),
        (HERON, "Heron is down. Which phone number do I ring?", "Skerry Hosting", ALONE),
        (HERON, "Heron is down. Which phone number do I ring?", "01632 960 384", RIGHT),
        (HERON, "Who is rung when Heron is down?", "Skerry Hosting", RIGHT),
        (REPAIR, "How much of the repair came out of our own reserve?", "£500", ALONE),
        (REPAIR, "What did the council give for the repair?", "£500", RIGHT),
    ],
)
def test_what_is_of_another_sort_than_is_asked_for_is_doubted(
    text: tuple[str, str], question: str, phrase: str, confidence: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "choose", lambda candidates: chosen(candidates[0]))
    answer = answer_question(question, Plan(()), passages(text), {}, pointing_at(phrase))
    assert (answer.text, answer.confidence, answer.is_doubtful) == (phrase, confidence, confidence == ALONE)


@pytest.mark.parametrize(
    ("question", "told", "quoted"),
    [
        ("Where was Olof Palme born?", 0.92, 0.92),
        ("Where was Olof Palme born?", 0.99, MOST_QUOTED),
        ("Where was Olof Palme born?", 0.9, None),
        ("In which towns was Olof Palme at home?", 0.92, None),
        ("Where was Olof Palme born in 1931?", 0.92, None),
    ],
)
def test_a_sentence_is_offered_where_it_is_likelier_than_its_words(
    question: str, told: float, quoted: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not where several things are asked for, nor where the text is of another year."""
    monkeypatch.setattr(answering, "choose", lambda candidates: chosen(candidates[0], told))
    text = "# Life\n\nOlof Palme was born in Stockholm. He had a brother. He was killed in 1986."
    answer = answer_question(question, Plan(()), passages(("Olof Palme", text)), {}, pointing_at("Stockholm"))
    around = "Olof Palme was born in Stockholm. He had a brother."
    expected = None if quoted is None else Quote(1, "Olof Palme was born in Stockholm.", quoted, around)
    assert answer.quote == expected


def test_what_the_sentence_that_says_most_of_it_denies_is_no_sure_yes() -> None:
    question = "Does Millwright take patches on Hubcap?"
    text = "Millwright is a port. We do not take patches on Hubcap, please write to the list."
    found = answer_question(question, plan_question(question), passages(("Millwright", text)), read=blind)
    assert found.text != "yes" or found.confidence <= ALONE


@pytest.mark.parametrize(
    ("question", "title", "confidence"),
    [
        ("Where was John Fowler born?", "William Fowler", ALONE),
        ("Where was John Fowler born?", "John Fowler", 0.9),
        ("Where was the father of John Fowler born?", "William Fowler", 0.9),
    ],
)
def test_where_a_namesake_was_born_is_no_likely_answer(
    question: str, title: str, confidence: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But kin have the same last name: where two steps are asked for, the passage may be about the father."""
    monkeypatch.setattr(answering, "choose", lambda candidates: chosen(candidates[0], 0.95))
    life = passages((title, "He was born in Pittsburgh and loved steam locomotives."))
    answer = answer_question(question, plan_question(question), life, {}, pointing_at("Pittsburgh"))
    assert (answer.text, answer.confidence) == ("Pittsburgh", confidence)
    assert (answer.quote is None) == (confidence == ALONE)


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("Who is Hannah's father?", False),
        ("Who is the father of Emrys Vaughan?", True),  # whatever it is, it is told of him
        ("Who is the founder of Ceulan Vets?", True),
    ],
)
def test_somebody_elses_kin_is_no_likely_answer(question: str, is_told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "choose", lambda candidates: chosen(candidates[0], 0.95))
    vet = passages(("Vet stuff", "Hannah Brandt is our vet. Emrys Vaughan's son Rhodri runs the shop."))
    answer = answer_question(question, plan_question(question), vet, {}, pointing_at("Rhodri"))
    assert (answer.confidence > ALONE) is is_told


def test_what_is_no_address_for_mail_is_doubted_where_one_is_asked_for() -> None:
    texts = (("Team", "Yusuf is in on weekends. His address is yusuf@example.org."),)
    question = "What is the email address of Yusuf?"

    def confidence(phrase: str) -> float:
        return answer_question(question, plan_question(question), passages(*texts), read=pointing_at(phrase)).confidence

    assert confidence("on weekends") <= ALONE < confidence("yusuf@example.org")


@pytest.mark.parametrize(("chosen", "told"), [(0.6, AS_RECORDED), (0.93, 0.93), (0.45, 0.45)])
def test_what_structure_states_under_the_very_words_is_given(
    monkeypatch: pytest.MonkeyPatch, chosen: float, told: float
) -> None:
    """Where it was chosen with at least half of the probability, and no encyclopaedia is asked."""
    choose = answering.choose
    as_likely = lambda candidates: choose(candidates)._replace(confidence=chosen, told_confidence=0.0)  # noqa: E731
    monkeypatch.setattr(answering, "choose", as_likely)
    question = "What is the extension of Oskar Dahlby?"
    row = passages(("Phones", "Name: Oskar Dahlby; Extension: 118; Room: Loft"))
    answer = answer_question(question, plan_question(question), row, read=pointing_at("118"))
    assert (answer.text, answer.confidence) == ("118", told)
    prose = passages(("Phones", "You reach Oskar Dahlby with the extension 118."))
    assert answer_question(question, plan_question(question), prose, read=pointing_at("118")).confidence == chosen


NEPHEW = ("Notes", "Joan came with her nephew, who plays the cello. Anna Berg has two sons. Anna Holm is a potter.")


@pytest.mark.parametrize(("who", "confidence"), [("Joan", ALONE), ("Joan's nephew", RIGHT)])
def test_what_a_clause_tells_of_another_is_doubted(
    who: str, confidence: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "choose", lambda candidates: chosen(candidates[0], 0.93))
    answer = answer_question(f"What does {who} play?", Plan(()), passages(NEPHEW), {}, pointing_at("the cello"))
    assert (answer.text, answer.confidence) == ("the cello", confidence)
    assert (answer.quote is None) is (confidence == ALONE)


@pytest.mark.parametrize(("name", "is_doubtful"), [("Anna Holm", True), ("Anna Berg", False)])
def test_a_verdict_on_a_namesake_is_doubted(name: str, is_doubtful: bool) -> None:
    question = f"Does {name} have two sons?"
    answer = answer_question(question, plan_question(question), passages(NEPHEW), read=blind)
    assert (answer.is_doubtful, answer.confidence <= ALONE) == (is_doubtful, True)


COUPLE = (
    ("Alder", "Alder is a film directed by Bob Lee."),
    ("Bob Lee", "Bob Lee is a director. He married Ann Moss in 1990."),
    ("Ann Moss", "Ann Moss is a painter. She is married to Bob Lee."),
)


def test_what_a_chain_has_come_by_is_not_its_end() -> None:
    wife = (Constraint("Alder", "director", "?d"), Constraint("?d", "spouse", "?w"))
    told = answer_question("Who is the wife of the director of Alder?", Plan(wife, "?w"), passages(*COUPLE))
    assert (told.text, told.is_doubtful) == ("Ann Moss", False)
    back = Plan((*wife, Constraint("?w", "spouse", "?h")), "?h")
    told = answer_question("Who is the husband of the wife of the director of Alder?", back, passages(*COUPLE))
    assert (told.text, told.is_doubtful, told.confidence) == ("Bob Lee", True, ALONE)


def test_a_father_may_have_nearly_the_same_name() -> None:
    texts = (
        ("Eduardo Frei Ruiz-Tagle", "Eduardo Frei Ruiz-Tagle is an engineer. His father was Eduardo Frei Montalva."),
        ("Eduardo Frei Montalva", "Eduardo Nicanor Frei Montalva (16 January 1911 – 22 January 1982) was an engineer."),
    )
    question = "When did Eduardo Frei Ruiz-Tagle's father die?"
    told = answer_question(question, plan_question(question), passages(*texts))
    assert (told.text, told.is_doubtful) == ("22 January 1982", False)
    alone = answer_question(
        "When did Eduardo Frei Ruiz-Tagle die?",
        plan_question("When did Eduardo Frei Ruiz-Tagle die?"),
        passages(*texts),
    )
    assert alone.text == "" or alone.confidence <= ALONE
