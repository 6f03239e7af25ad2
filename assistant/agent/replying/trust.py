"""How sure an answer is: by the offline reading, and for a language model's answer by that reading beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from assistant.agent.citing.cited_claims import is_free
from assistant.agent.citing.terms import compared, name_words, readable, terms
from assistant.agent.final_answer import (
    NO_ANSWER,
    Found,
    NotFound,
    Output,
    checked_claims,
    cited_numbers,
    without_citations,
)
from assistant.agent.replying.chains import chains
from assistant.agent.replying.reply import Chain
from assistant.agent.workspace import Workspace
from assistant.shared.rendering import plain, words_said
from kb.name_keys import MAX_NAME, name_key
from tools.answer_rules.text import says
from tools.planning.plan import is_variable
from tools.reading.answering import FoundAnswer
from tools.reading.certainty import RISK, Certainty, certainty_of, least_confidence
from tools.reading.choice import chance_of

STATED = least_confidence(RISK)
"""Confidence in a model's answer that stands in what it cites, where the offline reading has nothing against it: just
likely at the default risk. With less risk such an answer needs the reading to agree.
"""

BACKED = 0.5
"""Probability that the reading gives an answer from which that of a model counts which was only asked for one. Of 26
such answers of a model of 1.5 billion parameters to what the reading left open, 5 of the 6 from here on were right, and
4 of the 20 below (docs/results.md).
"""


_OF_LIKELIHOOD, _OF_BACKING, _BEFORE = 0.65, 0.34, 0.3


@dataclass(frozen=True, slots=True)
class BesideReading:
    """A language model's answer beside what the evidence, read offline, comes to.

    `reading` is the confidence (0..1) in the reading's own answer, 0 where it has none. `agrees` says that it is the
    same answer, `differs` that it is another one; neither, that one is a part of the other, or there is no other.
    `stated` says that the model's answer stands in a passage that it cites, or follows from sentences that all hold
    there; `held` that nothing of its explanation was struck out; `open_hop` and `partial` are the thread's and the
    run's. `free` says that it is a yes or a no, which no passage need have. `backing` (0..1) is the probability that
    the reading gives the model's answer, also where it holds another for likelier, and `answers_only` says that the
    model was only asked for an answer: it chose no tool, as small ones cannot. `likelihood` (0..1) is how likely such a
    model holds its answer itself, None where its server does not tell.
    """

    reading: float = 0.0
    agrees: bool = False
    differs: bool = False
    stated: bool = True
    held: bool = True
    open_hop: bool = False
    free: bool = False
    partial: bool = False
    backing: float = 0.0
    answers_only: bool = False
    likelihood: float | None = None


def certainty_beside(answer: BesideReading, risk: float = RISK) -> tuple[float, Certainty]:
    """The confidence in a language model's answer (0..1) and its certainty; never sure on the model's word alone.

    Sure where a reading that is sure itself agrees, every citation holds, no hop is open and the run came to its end.
    Where the reading would give another answer, the model's is what that leaves of certainty; yes and no, which stand
    in any passage, also where the reading is not sure enough to be given. Else likely, where the
    reading agrees or the answer is stated; none where neither is so, and where a model that was only asked for an
    answer gives one that it holds for unlikely itself, or, where it does not say so, the reading does. A smaller `risk`
    asks for more of each. Raises ValueError for a risk outside 0..1.
    """
    backing = max(answer.backing, answer.reading if answer.agrees else 0.0)
    if answer.answers_only and answer.likelihood is not None:
        confidence = held_alone(answer.likelihood, backing) if answer.stated else 0.0
        return confidence, _at_most_likely(confidence, risk)
    if answer.answers_only and backing < BACKED:
        return 0.0, "none"
    read = certainty_of(answer.reading, has_open_hop=answer.open_hop, risk=risk)
    if answer.agrees:
        confidence = max(answer.reading, STATED)
        is_sure = read == "sure" and answer.held and not answer.partial
        return confidence, "sure" if is_sure else _at_most_likely(confidence, risk)
    confidence = STATED if answer.stated else 0.0
    if answer.differs and (read != "none" or answer.free):
        confidence = min(confidence, round(1 - answer.reading, 4))
    return confidence, _at_most_likely(confidence, risk)


def held_alone(likelihood: float, backing: float) -> float:
    """The probability (0..1) that a model's answer is right which it was only asked for, by how likely it holds it
    itself and how likely the reading does: logistic in the logarithms of the odds of both, fitted over what the reading
    left open (docs/results.md).
    """
    odds = _OF_LIKELIHOOD * _log_odds(likelihood, 0.02) + _OF_BACKING * _log_odds(backing, 0.05) + _BEFORE
    return round(1 / (1 + math.exp(-odds)), 4)


def _log_odds(probability: float, least: float) -> float:
    """The logarithm of the odds; nobody's word counts for less than `least`, or for more than 1 less it."""
    held = min(max(probability, least), 1 - least)
    return math.log(held / (1 - held))


def _at_most_likely(confidence: float, risk: float) -> Certainty:
    return certainty_of(confidence, has_open_hop=True, risk=risk)


def is_contradicted(answer: str, reading: FoundAnswer | None) -> bool:
    """Whether the evidence, read offline, comes to another answer than this one, however unsure of it."""
    return reading is not None and differ(reading.text, answer)


def differ(answer: str, other: str) -> bool:
    """Whether two answers, neither of them empty, say different things: neither is a part of the other."""
    if max(len(answer), len(other)) > MAX_NAME:  # a sentence, of which a key would have the beginning alone
        return not (says(answer, other) or says(other, answer))
    one, two = name_key(answer), name_key(other)
    return bool(one and two) and not (_within(one, two) or _within(two, one))


def mark_certainty(workspace: Workspace, output: Output, confidence: float, *, is_quoted: bool = False) -> None:
    """Note in the Workspace how sure the offline answer is, by the `confidence` (0..1) in it; of a sentence that is
    quoted, as its words were in doubt, never sure.
    """
    open_hop = is_quoted or _has_open_hop(workspace, output)
    workspace.confidence = confidence
    is_found = isinstance(output, Found)
    workspace.certainty = certainty_of(confidence, has_open_hop=open_hop, risk=workspace.risk) if is_found else "none"


def mark_beside_reading(
    workspace: Workspace, output: Output, reading: FoundAnswer | None, *, answers_only: bool = False
) -> Output:
    """Note how sure a language model's answer is, beside the offline reading of its evidence (None for none).

    `answers_only` says that the model was only asked for an answer. Gives the output; NotFound, with the reason, where
    the answer is not sure enough to be given.
    """
    if isinstance(output, NotFound):
        workspace.confidence, workspace.certainty = 0.0, "none"
        return output
    answer = replace(_beside(workspace, output, reading), answers_only=answers_only)
    if answers_only and answer.backing < BACKED and _speaks_of_another(workspace, output):
        answer = replace(answer, stated=False)
    workspace.confidence, workspace.certainty = certainty_beside(answer, workspace.risk)
    if workspace.certainty != "none":
        return output
    return NotFound(missing=_doubt(output, answer, reading), cited=list(cited_numbers(output)))


def withheld(workspace: Workspace, output: Output, asked: str = "") -> Output:
    """The offline output as it may be given: NotFound for an answer whose certainty, as marked, is "none".

    `asked` is the fact asked for, as a clause ("where Ann Lee died"), "" where nobody would put it so.
    """
    if isinstance(output, NotFound) or workspace.certainty != "none":
        return output
    missing = f"no passage says for certain {asked}" if asked else NO_ANSWER
    return NotFound(missing=missing, cited=list(cited_numbers(output)))


def stopped_early(workspace: Workspace) -> None:
    """Note that the run was cut short: its answer is likely at most."""
    if workspace.certainty == "sure":
        workspace.certainty = "likely"


def has_open_hop(thread: Iterable[Chain]) -> bool:
    """Whether a link of the thread found nothing."""
    return any(link.state == "unresolved" for chain in thread for link in chain.links)


def _has_open_hop(workspace: Workspace, output: Output) -> bool:
    cited = [evidence.passage.id for number in cited_numbers(output) if (evidence := workspace.cited(number))]
    return has_open_hop(chains(workspace, cited))


def _beside(workspace: Workspace, output: Found, reading: FoundAnswer | None) -> BesideReading:
    read, said = name_key(reading.text) if reading else "", name_key(output.answer)
    check = checked_claims(output, workspace)
    held = not workspace.struck
    stated = check.answer_fault(output.answer) is None and (held or bool(check.holding(output.answer)))
    return BesideReading(
        reading=reading.confidence if reading and reading.text else 0.0,
        agrees=bool(read) and read == said,
        differs=is_contradicted(output.answer, reading),
        stated=stated,
        held=held,
        open_hop=_has_open_hop(workspace, output),
        free=is_free(output.answer),
        backing=chance_of(without_citations(output.answer), reading.chances) if reading else 0.0,
        likelihood=workspace.likelihood,
    )


def _speaks_of_another(workspace: Workspace, output: Found) -> bool:
    """Whether one thing is asked of a name, and the explanation tells it of others: when Noor joined, and Ana's day."""
    steps = workspace.plan.constraints if workspace.plan is not None else ()
    ends = [end for step in steps[:1] for end in (step.head, step.tail) if not is_variable(end)]
    asked = {word for end in ends if any(part[0].isupper() for part in end.split()) for word in name_words(end)}
    said = readable(output.explanation)
    words = frozenset(compared(said)[0])
    if len(steps) != 1 or not asked or asked & words:
        return False
    known = {*compared(output.answer)[0], *compared(workspace.standalone)[0]}
    return any(term.kind == "name" and not known & set(term.words) for term in terms(said))


def _within(part: str, whole: str) -> bool:
    return f" {part} " in f" {whole} "


def _doubt(output: Found, answer: BesideReading, reading: FoundAnswer | None) -> str:
    """Why a model's answer is not given."""
    said = words_said(output.answer, 200)
    if reading is not None and answer.differs and answer.stated:
        return f"the model answers “{said}”, and the passages, read without it, say “{plain(reading.text, 200)}”"
    if answer.stated and answer.answers_only and answer.likelihood is not None:
        return f"the model answers “{said}”, which stands in a passage, but it is not sure enough of it"
    return f"the model's answer “{said}” is not borne out well enough by the passages that it cites"
