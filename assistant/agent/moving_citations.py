"""Citations that name another of the shown passages than the one that says so, put right."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from assistant.agent.citing.cited_claims import CITATION, Check, Fault, Sentence, numbers_in
from assistant.agent.citing.cited_text import CitedText, source
from assistant.agent.final_answer import Found, checked_claims
from assistant.agent.workspace import Workspace

LONG = 5
"""Words of an answer that do not stand in a passage by chance."""


def with_moved_citations(output: Found, workspace: Workspace, shown: Collection[int]) -> Found:
    """The output, each sentence with the answer that does not hold citing the passage that it does hold in, where one
    was shown. Sentences without the answer are left alone: the answer does not fall with them.

    A passage is cited in the place of others only if it has all that the sentence says; beside them, if it has all that
    they lack. An answer that stands in none of the passages cited has the first one cited that it stands in. Either has
    to have another name of the question or the explanation as well, or a long answer word for word: a place alone
    stands in many passages. What stands nowhere stays as it was, for the check that follows.
    """
    others = Found(answer=output.answer, explanation=output.explanation, cited=sorted(shown))
    known = checked_claims(others, workspace, shown)
    own = checked_claims(output, workspace, shown)
    moved = {
        sentence: numbers
        for sentence, fault in own.faults()
        if source(sentence.text).has_text(output.answer)
        and (numbers := _better(sentence, fault, own, known, output.answer))
    }
    explanation = "".join(
        _citing(sentence.written, moved[sentence]) if sentence in moved else sentence.written
        for sentence in own.sentences
    )
    before = {number for sentence in moved for number in sentence.cited}
    taken = before - {*numbers_in(explanation)}
    kept = [number for number in output.cited if number not in taken]
    cited = list(dict.fromkeys([*kept, *(number for numbers in moved.values() for number in numbers)]))
    made = Found(answer=output.answer, explanation=explanation, cited=cited)
    if not checked_claims(made, workspace, shown).answer_fault(made.answer):
        return made
    stating = [
        number
        for number, passage in known.passages.items()
        if passage.has_text(made.answer) and _is_meant(passage, known, made.answer, made.answer)
    ]
    return made.model_copy(update={"cited": [*made.cited, *stating[:1]]}) if stating else made


def _better(sentence: Sentence, fault: Fault, own: Check, known: Check, answer: str) -> tuple[int, ...]:
    """The numbers that a sentence holds with, those of its own that it can keep first; () for none."""
    cited = tuple(number for number in sentence.cited or own.cited if number in known.passages)
    lacking = " ".join(fault.absent)
    tried = [number for number, passage in known.passages.items() if _is_meant(passage, known, lacking, answer)]
    for number in tried:
        if known.rests_on(sentence, [known.passages[number]]):
            return (number,)
    for number in tried:
        if number not in cited and known.rests_on(sentence, _passages((*cited, number), known.passages)):
            return (*cited, number)
    return ()


def _is_meant(passage: CitedText, known: Check, lacking: str, answer: str) -> bool:
    """Whether a passage that has what is lacking has it of what is asked about."""
    quoted = len(answer.split()) >= LONG and passage.has_text(answer)
    return quoted or known.speaks_of_more(passage, lacking)


def _passages(numbers: Sequence[int], passages: Mapping[int, CitedText]) -> list[CitedText]:
    return [passages[number] for number in numbers]


def _citing(written: str, numbers: Sequence[int]) -> str:
    """A sentence as written with these citations in the place of its own, or at its end."""
    marks = "".join(f"[{number}]" for number in numbers)
    first = CITATION.search(written)
    if first is None:
        body = written.rstrip()
        end = body[-1:] if body.endswith((".", "!", "?")) else ""
        return f"{body.removesuffix(end) if end else body} {marks}{end}{written[len(body) :]}"
    rest = CITATION.sub("", written[first.end() :])
    return f"{written[: first.start()]}{marks}{rest}"
