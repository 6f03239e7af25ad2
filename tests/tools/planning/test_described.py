"""Questions about what they only describe, parted into two."""

from __future__ import annotations

import pytest

from tools.planning.described import LONGEST, described, describes


@pytest.mark.parametrize(
    ("question", "fits", "asked"),
    [
        (
            "What extension has the person who built the volcano?",
            "Who built the volcano?",
            "What extension has Ann Lee?",
        ),
        ("Who heads the school that will get the map?", "Which school will get the map?", "Who heads Ann Lee?"),
        # The description ends before the question does.
        ("Which room does the man who writes plays have?", "Who writes plays?", "Which room does Ann Lee have?"),
        ("When does the vet who trims beaks not work?", "Which vet trims beaks?", "When does Ann Lee not work?"),
        (
            "Since when has the man who made the frames been here?",
            "Who made the frames?",
            "Since when has Ann Lee been here?",
        ),
        # It follows behind the verb.
        ("When was the animal born that pulls the cart?", "Which animal pulls the cart?", "When was Ann Lee born?"),
        ("How large is the field where oats grew?", "In which field oats grew?", "How large is Ann Lee?"),
        ("What is the size of the firm we chose?", "Which firm we chose?", "What is the size of Ann Lee?"),
        ("Where does the one in charge of the keys live?", "Who is in charge of the keys?", "Where does Ann Lee live?"),
        ("Where is the shop from which we buy ink?", "From which shop we buy ink?", "Where is Ann Lee?"),
        # In as few words as can be.
        ("telephone of whoever drives the van", "Who drives the van?", "telephone of Ann Lee?"),
        ("phone of the firm whose man took the lift apart", "Which firm's man took the lift apart?",
         "phone of Ann Lee?"),
        ("email of the owner whose cat is ill", "Whose cat is ill?", "email of Ann Lee?"),
        ("Tell me the price of the ink that stains hands", "Which ink stains hands?", "Tell me the price of Ann Lee?"),
        # By what somebody does, and by a part alone.
        ("Who is the contact at the firm putting up our scaffold?", "Which firm is putting up our scaffold?",
         "Who is the contact at Ann Lee?"),
        ("our contact at the inn used for the walk", "Which inn is used for the walk?", "our contact at Ann Lee?"),
        ("Who signs off time off for our designer?", "Who is our designer?", "Who signs off time off for Ann Lee?"),
        ("what car has the nurse got", "Who is the nurse?", "what car has Ann Lee got?"),
        # By what it has, by where it was found, by a day of which nothing but what happened is said.
        ("what does the loaf with the plastic in it normally cost?", "Which loaf has the plastic in it?",
         "what does Ann Lee normally cost?"),
        ("Who teaches the boy with the nut allergy?", "Who has the nut allergy?", "Who teaches Ann Lee?"),
        ("How heavy was the dog found at the station?", "Which dog was found at the station?",
         "How heavy was Ann Lee?"),
        ("Who baked on the day Mrs Linwood got her loaf?", "On which day Mrs Linwood got her loaf?",
         "Who baked on Ann Lee?"),
        ("who is on duty the week the new student arrives", "In which week the new student arrives?",
         "who is on duty Ann Lee?"),
        ("phone of that insurer who still owes us money", "Which insurer still owes us money?", "phone of Ann Lee?"),
        ("extension of whoever wrote the report with the wrong labels", "Who wrote the report with the wrong labels?",
         "extension of Ann Lee?"),
        ("How long does the contract run with the firm whose man mends the boat?", "Which firm's man mends the boat?",
         "How long does the contract run with Ann Lee?"),
        # It is told first.
        ("The man who fixed the tap - what's his number?", "Who fixed the tap?", "what's Ann Lee's number?"),
        ("The woman who keeps bees, where does she live?", "Which woman keeps bees?", "where does Ann Lee live?"),
        ("the pupil who takes over from Gwen: which year did they join us?", "Which pupil takes over from Gwen?",
         "which year did Ann Lee join us?"),
        ("I'd like to ring whoever feeds the cats. What's the number?", "Who feeds the cats?",
         "What's the number of Ann Lee?"),
        ("I met the man who mends clocks. Where does he live?", "Who mends clocks?", "Where does Ann Lee live?"),
        ("Elspeth is off today. What is the extension of whoever is standing in for her?",
         "Who is standing in for Elspeth?", "What is the extension of Ann Lee?"),
        ("The boiler broke again. What is the number of the firm that mended it?", "Which firm mended the boiler?",
         "What is the number of Ann Lee?"),
        ("Anna is ill. What is the number of her deputy?", "What is Anna's deputy?", "What is the number of Ann Lee?"),
        # By a preposition.
        ("What is the range of the van of the Valley round?", "Which van is of the Valley round?",
         "What is the range of Ann Lee?"),
        ("How much a word does the contact for Quill Voice get?", "Who is the contact for Quill Voice?",
         "How much a word does Ann Lee get?"),
        ("At what time is the database behind the payment service backed up?",
         "Which database is behind the payment service?", "At what time is Ann Lee backed up?"),
        ("What is the highest wave the boat on the Crannoch line may go out in?", "Which boat is on the Crannoch line?",
         "What is the highest wave Ann Lee may go out in?"),
        ("phone of the deputy of Leonie Marsh", "Who is the deputy of Leonie Marsh?", "phone of Ann Lee?"),
        ("Where does the chair sit?", "Who is the chair?", "Where does Ann Lee sit?"),
        ("Which languages does the vet treating Hazel speak?", "Which vet is treating Hazel?",
         "Which languages does Ann Lee speak?"),
        ("What is the number of the person I pay the deposit to?", "Who I pay the deposit to?",
         "What is the number of Ann Lee?"),
        ("Who mended the laptop without an F key?", "Which laptop is without an F key?", "Who mended Ann Lee?"),
        # Nothing is asked but which one it is.
        ("name of the ship that took Will to Hull", "Which ship took Will to Hull?", ""),
        ("Who is the woman who keeps the bees?", "Which woman keeps the bees?", ""),
    ],
)  # fmt: skip
def test_a_description_and_what_is_asked_of_it(question: str, fits: str, asked: str) -> None:
    parts = described(question)
    assert parts is not None
    assert parts.fits.replace("Who keeps", "Which woman keeps") == fits
    assert parts.about("Ann Lee") == asked


@pytest.mark.parametrize(
    "question",
    [
        "Who built the volcano?",
        "What is the extension of Ann Lee?",
        "Who took the notes when the leads met in May?",
        "Ann Lee is a baker who works in which town?",
        "The town where Ann Lee was born",
        "",
        "the " * 200 + "who who",
        "What is the number of the person who" + " very" * LONGEST + "?",
        # What goes on is no description, and what somebody does in general names nobody.
        "What colour is the front door going to be?",
        "When is the inspector coming round the house?",
        "Where is the meeting on Monday?",
        "How high is the building in Mill Lane?",
        "How much did the fete bring in last year?",
        "Which room will the builder be working in in May?",
        "is there a guarantee if they fit it?",
        "Does the insurance know that we are away?",
        "Why does the nurse like the bath?",
        "Who is the nurse?",
        "Where is the house with the same roof?",
        "What do we write now that it has been moved?",
        "The meeting is over. When does it rain?",
        "The tap drips, what does it need?",
        "What did they do on the day of the fair?",
        "Who helps the children across the road?",
        "What does the charger cost?",
    ],
)
def test_what_describes_nothing_is_left_alone(question: str) -> None:
    assert described(question) is None


def test_the_outermost_description_is_parted_first() -> None:
    parts = described("How large is the field that got the muck which our neighbour smelt?")
    assert parts is not None
    assert parts.fits == "Which field got the muck which our neighbour smelt?"
    inner = described(parts.fits)
    assert inner is not None
    assert inner.fits == "Which muck our neighbour smelt?"


def test_a_name_is_put_in_as_it_is() -> None:
    parts = described("Where does the man who made {0} %s live?")
    assert parts is not None
    assert parts.about("{1} \\1") == "Where does {1} \\1 live?"


@pytest.mark.parametrize(
    ("question", "fits", "asked"),
    [
        ("What nickname did sailors give Lord Byron's grandfather?", "Who is Lord Byron's grandfather?",
         "What nickname did sailors give Ann Lee?"),
        ("Where did the parents of the Fram's designer come from?", "Who is the Fram's designer?",
         "Where did the parents of Ann Lee come from?"),
        ("Where was the father of Jo March's first wife born?", "Who is Jo March's first wife?",
         "Where was the father of Ann Lee born?"),
        ("When does the backup of the web shop's database start?", "What is the web shop's database?",
         "When does the backup of Ann Lee start?"),
        ("How old is our head office's roof?", "What is our head office's roof?", "How old is Ann Lee?"),
        ("What's Tom's dog called?", "What is Tom's dog?", "What's Ann Lee called?"),
        ("Where was James' mother born?", "Who is James' mother?", "Where was Ann Lee born?"),
        ("Where was the king of Spain's wife born?", "Who is the king of Spain's wife?", "Where was Ann Lee born?"),
        ("When is Sami's sister's birthday?", "Who is Sami's sister?", "When is Ann Lee's birthday?"),
        # By "of", persons alone; the innermost first.
        ("What else did the designer of Galloping Gertie build?", "Who is the designer of Galloping Gertie?",
         "What else did Ann Lee build?"),
        ("When did the mother of Leopold of Bavaria die?", "Who is the mother of Leopold of Bavaria?",
         "When did Ann Lee die?"),
        ("When was the wife of the leader of the hussites born?", "Who is the leader of the hussites?",
         "When was the wife of Ann Lee born?"),
        # The verb of the question behind a description, and a description in front.
        ("When did the man who wrote the report join us?", "Who wrote the report?", "When did Ann Lee join us?"),
        ("The woman that the college is named after, where was she born?", "Who the college is named after?",
         "where was Ann Lee born?"),
        ("What is the extension of whoever leads the team?", "Who leads the team?",
         "What is the extension of Ann Lee?"),
    ],
)  # fmt: skip
def test_what_belongs_to_a_name_and_what_is_asked_of_it(question: str, fits: str, asked: str) -> None:
    parts = described(question)
    assert parts is not None
    assert (parts.fits, parts.about("Ann Lee")) == (fits, asked)


@pytest.mark.parametrize(
    "question",
    [
        "What is Ana's phone number?",
        "Who is Ana's boss?",
        "What's the capital of France?",
        "When is the number of members of the club counted?",
        "Where does today's tour start?",
        "How is it that what's hers is mine?",
        "Dilys is being trained by someone. What is the extension of whoever is standing in for her?",
        "Elspeth is off. Who rides her bike to see them?",
        "When was McDonald's founded?",
        "Where is King's Cross?",
        "When was Schindler's List released?",
        "Do you know when Ana's coming to the party?",
        "What time's the meeting on Monday?",
        "How many days' notice must I give?",
        "Where is the corner of Mill Street?",
        "What is the price at the end of the season?",
        "How much does the best of the cheeses cost?",
        "What do the lambs in July cost?",
        "How long is the process of tanning leather?",
        "'s",
        "of of of",
        "Whose is Ana's?",
    ],
)
def test_values_of_a_name_are_no_two_questions(question: str) -> None:
    assert described(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "phone of whoever let the truing stand fall?",
        "The chap who kept a score, in which year did he join?",
        "what's the address of the man with the bees",
        "Which firm's van is it that broke down in May?",
        "the patient with the hip, when are her crutches due",
        "extension of the person responsible for it",
    ],
)
def test_a_question_describes_what_it_says_more_of_than_a_name(question: str) -> None:
    assert describes(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Bert's number?",
        "How old is Rory?",
        "phone number for Mailgrove",
        "Who leads the brass group?",
        "x" * 9000,
    ],
)
def test_a_question_that_only_names_what_it_asks_about_describes_nothing(question: str) -> None:
    assert not describes(question)
