"""What is told as not so, not yet so, or as a guess."""

from __future__ import annotations

import pytest
from answer_evidence import evidence, passages, pointing_at
from linear import is_linear

from tools.planning.planner import plan_question
from tools.reading.answering import FoundAnswer, answer_question
from tools.reading.considering import ALONE
from tools.reading.unreal import GUESSED, reality_in, told_instead


def reality(sentence: str, question: str, answer: str) -> str:
    start = sentence.index(answer)
    return reality_in(question, sentence, start, start + len(answer))


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        ("It isn't true that the bridge was built by Telford.", "Who built the bridge?", "Telford"),
        ("The rumour that Kate will marry Hugh is false.", "Who will Kate marry?", "Hugh"),
        ("No one knows whether the painting is by Klee.", "Who painted the painting?", "Klee"),
        ("Jim denied that he had stolen the radio.", "What did Jim steal?", "the radio"),
        ("Jim denied that he had stolen the radio.", "Who stole the radio?", "Jim"),
        ("The pool was nearly closed in 2015.", "When was the pool closed?", "2015"),
        ("Pym almost won the race.", "Who won the race?", "Pym"),
        ("Had the roof held, it would have opened in March.", "When did the library open?", "March"),
        ("The film was to be directed by Lang, who fell ill.", "Who directed the film?", "Lang"),
        ("The orchard was to be planted by Vale, who moved away.", "Who planted the orchard?", "Vale"),
        (
            "Jo says that autumn 2024 is not realistic for her thesis.",
            "When is Jo supposed to hand in her thesis?",
            "autumn 2024",
        ),
        ("The bridge was to cost two million and cost five.", "How much did the bridge cost?", "two million"),
        ("She had wanted to call the boat Seal; most were for Alk.", "What is the boat called?", "Seal"),
        ("Pat is thinking of moving to Wales.", "Where does Pat live?", "Wales"),
        ("Rod hopes to become a pilot.", "What is Rod's job?", "pilot"),
        ("Liz applied for the job at the bank.", "Where does Liz work?", "the bank"),
        ("Stan says he has 400 books, but I don't believe it.", "How many books does Stan have?", "400"),
        ("She claimed to have been born in Vienna; she was born in Graz.", "Where was she born?", "Vienna"),
        ("Bo offered 300 euros for the boat, the club 450.", "How much is paid for the old boat?", "300 euros"),
        ("If Otto leaves, Petra will be the cook.", "Who is the cook?", "Petra"),
        ("Nora doesn't live in Hull any more.", "Where does Nora live?", "Hull"),
        ("The prize of £200 was never paid.", "How much prize money was paid?", "£200"),
        ("The speaker will not be Mr Toft.", "Who is the speaker?", "Mr Toft"),
        ("Don't ring Mr Cole, ring Mr Hay.", "Who do I ring?", "Mr Cole"),
        ("Anna had planned to buy a boat and sold it to Tim.", "What did Anna buy?", "a boat"),
        ("Anna had planned to buy a boat and did not buy it.", "What did Anna buy?", "a boat"),
        ("Ben tried to have a flat built and sold in Hull.", "Where did Ben build a flat?", "Hull"),
        ("Ben tried to find shops and flats in Hull.", "Where does Ben live?", "Hull"),
    ],
)
def test_what_is_told_as_not_so(sentence: str, question: str, answer: str) -> None:
    assert reality(sentence, question, answer) == "unreal"


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        ("Perhaps the letter was written by Hanna.", "Who wrote the letter?", "Hanna"),
        ("It was believed that Cook had discovered the island.", "Who discovered the island?", "Cook"),
        ("Some think the ring belonged to Queen Anne.", "Whose ring was it?", "Queen Anne"),
        ("The doctor said it might be measles.", "What illness is it?", "measles"),
    ],
)
def test_what_is_told_as_a_guess(sentence: str, question: str, answer: str) -> None:
    assert reality(sentence, question, answer) == "guessed"


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        # it is asked for just that
        ("The pool was nearly closed in 2015.", "When was the pool nearly closed?", "2015"),
        ("Perhaps the letter was written by Hanna.", "Who may have written the letter?", "Hanna"),
        ("Jim denied that he had stolen the radio.", "What did Jim deny?", "he had stolen the radio"),
        ("Rod hopes to become a pilot.", "What does Rod hope to become?", "pilot"),
        ("Mr Grey had asked for a fee of £900.", "How much had Mr Grey demanded?", "£900"),
        ("Ann wants to study in Leeds.", "Where will Ann study?", "Leeds"),
        # another clause, or another verb, tells it
        ("She claimed to have been born in Vienna; she was born in Graz.", "Where was she born?", "Graz"),
        ("The film was to be directed by Lang, who fell ill.", "Who fell ill?", "Lang"),
        ("Tom, who hopes to become a pilot, lives in Hull.", "Where does Tom live?", "Hull"),
        ("The prize of £200 was never paid.", "How much was the prize?", "£200"),
        ("I don't know where the key is, ask Hal.", "Who has the key?", "Hal"),
        ("Anna had planned to buy a boat and bought it in May.", "What did Anna buy?", "a boat"),
        ("Anna had planned to buy a boat and bought it in May.", "When did Anna buy a boat?", "May"),
        ("Ann hoped to study law in York and did.", "Where did Ann study?", "York"),
        ("Ben tried to find a flat and lives in Hull.", "Where does Ben live?", "Hull"),
        ("Ben wanted to be a cook but now he runs a kiosk.", "What does Ben run?", "a kiosk"),
        ("Ben tried to sell the car and went to Hull.", "Where did Ben go?", "Hull"),
        # what is planned, allowed or asked for
        ("The shop will open on 3 May.", "When does the shop open?", "3 May"),
        ("The roof is to be mended in June by Kemp.", "Who mends the roof?", "Kemp"),
        ("Visitors may park in Mill Lane.", "Where do visitors park?", "Mill Lane"),
        ("Milk should be bought by Ned on Friday.", "Who buys milk?", "Ned"),
        ("If you want to borrow the van, ask Pete.", "Who do I ask about the van?", "Pete"),
        ("Parents who want to help should ring Cole.", "Whom do helpers ring?", "Cole"),
        ("We would like to thank Mrs Ott for the cake.", "Who made the cake?", "Mrs Ott"),
        ("The hut would be £40 a night.", "How much is the hut a night?", "£40"),
        # what is so all the same
        ("Don't ring before 9.", "When do I ring?", "9"),
        ("Don't ring before 9.", "When do I ring?", "before 9"),
        ("It does not cost more than £5.", "How much does it cost?", "£5"),
        ("The oil has not been changed since May 2021.", "When was the oil changed?", "May 2021"),
        ("Henry was forced to sell the mill in 1916.", "When was the mill sold?", "1916"),
        ("Nearly 400 people came to the fair.", "How many people came to the fair?", "400"),
        ("It would not have come about without a loan of Mr Kern's.", "Who gave a loan?", "Mr Kern"),
        ("He had hoped for a job in the canteen.", "What job had he been looking for?", "in the canteen"),
    ],
)
def test_what_is_told_as_so(sentence: str, question: str, answer: str) -> None:
    assert reality(sentence, question, answer) == ""


def asked(sentence: str, question: str, answer: str) -> FoundAnswer:
    return answer_question(
        question, plan_question(question), passages(("Town", sentence)), read=pointing_at(answer, 0.99)
    )


def test_no_answer_is_given_where_it_is_told_as_not_so() -> None:
    denied = asked("It isn't true that the bridge was built by Telford.", "Who built the bridge?", "Telford")
    assert denied.is_doubtful
    assert denied.confidence <= ALONE
    assert denied.quote is None


def test_the_next_sentence_says_that_it_is_not_so() -> None:
    text = "They say the bridge was built by Telford. {}It is 40 metres long."
    question = "Who built the bridge?"
    assert asked(text.format("That isn't true. "), question, "Telford").is_doubtful
    assert not asked(text.format(""), question, "Telford").is_doubtful


def test_a_guess_is_never_sure() -> None:
    told = asked("The letter was written by Hanna.", "Who wrote the letter?", "Hanna")
    guessed = asked("Perhaps the letter was written by Hanna.", "Who wrote the letter?", "Hanna")
    assert told.confidence > GUESSED >= guessed.confidence > ALONE


@pytest.mark.parametrize(
    ("sentence", "question", "answer", "other", "is_told"),
    [
        ("She had wanted to call the boat Seal; most were for Alk.", "What is the boat called?", "Seal", "Alk", True),
        ("Mr Grey had asked for a fee of £900, in the end he got £600.", "How much was the fee?", "£900", "£600", True),
        ("She guessed that the tower is 90 metres high; it's 71.", "How high is the tower?", "90 metres", "71", True),
        # the later clause tells something else
        (
            "The pool was nearly closed in 2015 and was painted in 2017.",
            "When was the pool closed?",
            "2015",
            "2017",
            False,
        ),
        ("It isn't true that Telford built it; Rennie paid for it.", "Who built it?", "Telford", "Rennie", False),
        (
            "She had wanted to call the boat Seal; most were for it in 1950.",
            "What is the boat called?",
            "Seal",
            "1950",
            False,
        ),
    ],
)
def test_what_is_told_instead(sentence: str, question: str, answer: str, other: str, is_told: bool) -> None:
    doc = evidence(("Notes", sentence)).docs[0]
    one, rival = (doc.found(doc.text.index(text), doc.text.index(text) + len(text), 0.9) for text in (answer, other))
    assert (told_instead(question, one, [rival]) is rival) == is_told


@pytest.mark.parametrize("letters", [600, 160_000])  # it is read up to 600
@pytest.mark.parametrize("unit", ["not ", "it is said that ", "a rumour that ", "who, "])
def test_a_long_sentence_takes_linear_time(unit: str, letters: int) -> None:
    assert is_linear(lambda size: reality_in("Who is it?", unit * (size // len(unit)) + "Ann", 10, 13), letters)
