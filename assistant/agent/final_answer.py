"""The typed end of a question, and the check that it cites what was found and says what stands there."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from assistant.agent.citing.cited_claims import CITATION, SPACED_CITATION, Check, Fault, numbers_in, titled
from assistant.agent.short_text import clip
from assistant.agent.workspace import Workspace
from assistant.shared.rendering import plain_block, words_said

_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
_JOINERS = re.compile(r"(?<=[\[\d,])[\u200c\u200d]+|[\u200c\u200d]+(?=[\d,\]])")
_OTHER_CITATION = re.compile(
    r"(?<!\\)[\[【［](?:passages?|sources?)?\s*#?(\d{1,3}(?:\s*(?:[,，、;–-]|and)\s*#?\d{1,3})*)[\]】］](?!\()",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")
_MOST_IN_RANGE = 9
"""Passages that "[2-4]" may stand for: more is no citation."""


def visible(text: str) -> str:
    """What is seen of a model's text, which is what is checked: no control or invisible characters, and citations in
    the form that counts as such: "[1, 2, 3]" for "【1】", "[1; 2]", "[passage 1]" and "[1-3]".
    """
    return _OTHER_CITATION.sub(_cited_plainly, _JOINERS.sub("", _INVISIBLE.sub("", plain_block(text))))


def _cited_plainly(match: re.Match[str]) -> str:
    numbers = re.findall(r"\d+", _RANGE.sub(_counted_out, match[1]))
    return f"[{', '.join(numbers)}]" if len(numbers) <= _MOST_IN_RANGE else match[0]


def _counted_out(match: re.Match[str]) -> str:
    first, last = sorted((int(match[1]), int(match[2])))
    return " ".join(str(number) for number in range(first, min(last, first + _MOST_IN_RANGE) + 1))


Visible = Annotated[str, AfterValidator(visible)]


class Found(BaseModel):
    """The answer, once the evidence is sufficient."""

    answer: Visible = Field(description="The answer alone, as short as it can be: a name, a date, a number, yes or no.")
    explanation: Visible = Field(
        description="One to four sentences of Markdown that lead to the answer step by step, each with the numbers of "
        "the passages that say so, like [1] or [2][5]."
    )
    cited: list[int] = Field(description="The numbers of all passages that the explanation rests on.")


class NotFound(BaseModel):
    """The knowledge base does not hold the answer, or not all of it."""

    missing: Visible = Field(description="What is missing, in a sentence: which fact about whom or what was not found.")
    cited: list[int] = Field(default=[], description="The numbers of passages that hold a part of the answer.")


Output = Found | NotFound

NO_ANSWER = "no passage gives the answer for certain"
"""What is missing, where no step of the question can be named."""

_FAULTS = 3
"""Faults, and words of each, that are told to the model: enough to mend the answer, and short."""
_ANSWER, _EXPLANATION = 1_000, 8_000
"""Characters that are checked: ten times what is asked for."""
_TOLD = 120
"""Characters of a sentence that are told back."""


def cited_numbers(output: Output) -> tuple[int, ...]:
    """All numbers cited in the text or listed, each once: those in the text first, in their order."""
    text = output.explanation if isinstance(output, Found) else output.missing
    return tuple(dict.fromkeys((*numbers_in(text), *output.cited)))


def citation_problem(output: Output, workspace: Workspace, shown: Collection[int] | None = None) -> str:
    """What is wrong with the citations of `output`, in words for the model; empty where nothing is.

    `shown` are the numbers of the passages whose text the model was given, None where it reads the Workspace itself.
    """
    numbers = cited_numbers(output)
    unknown = [number for number in numbers if workspace.cited(number) is None]
    if unknown:
        return f"There is no passage {_brackets(unknown)}. {_valid(len(workspace.evidence))}"
    unseen = [number for number in numbers if shown is not None and number not in shown]
    if unseen:
        return f"You have not been shown {_brackets(unseen)}: call read_passage before you cite it, or leave it out."
    if isinstance(output, NotFound) or workspace.about_base:
        return ""  # what the catalogue tells, such as how many documents there are, stands in no passage
    if not numbers:
        return f"The answer cites no passage. {_valid(len(workspace.evidence))}"
    if not output.answer.strip():
        return "The answer is empty. Give it, or call not_found with what is missing."
    if _too_long(output):
        return "That is too long. Give the bare answer, and lead to it in one to four sentences."
    return _claim_problem(output, workspace, shown)


def struck_out(output: Output, workspace: Workspace, shown: Collection[int] | None = None) -> Output:
    """What is left of an output whose citations do not hold, once it has been sent back in vain.

    Numbers that may not be cited go. Sentences that do not hold without them go to `workspace.struck`, and their
    citations with them; an answer that does not hold is not found. `workspace.notes` says so. An output without a fault
    stays as it is.
    """
    usable = [number for number in cited_numbers(output) if _usable(number, workspace, shown)]
    if isinstance(output, NotFound):
        missing = _citing_only(output.missing, usable)
        return NotFound(missing=missing, cited=[number for number in output.cited if number in usable])
    if _too_long(output):
        workspace.notes.append("the model's answer was refused, as it is too long to be checked")
        return NotFound(missing="an answer that is short enough to be checked", cited=usable)
    check = checked_claims(output, workspace, shown)
    lost = {sentence for sentence, fault in check.faults() if fault.absent or not {*sentence.cited} & {*usable}}
    left = [sentence for sentence in check.sentences if sentence not in lost]
    held = check.holding(output.answer)
    workspace.struck += [sentence.text for sentence in check.sentences if sentence in lost and sentence.text]
    unfounded = lost and not held and not any(sentence.cited for sentence in left)
    is_unsaid = check.answer_fault(output.answer) and not _is_worked_out(output, workspace)
    if is_unsaid or unfounded or not usable or not output.answer.strip():
        workspace.notes.append("the model's answer was refused, as it is in none of the passages that it cites")
        return NotFound(missing=_refused(output.answer), cited=usable)
    if lost:
        workspace.notes.append(_struck_note(len(lost)))
    explanation = _citing_only("".join(sentence.written for sentence in left), usable).strip()
    lost_with_them = {number for sentence in lost for number in sentence.cited} - {*numbers_in(explanation), *held}
    cited = [number for number in usable if number not in lost_with_them]
    return Found(answer=output.answer, explanation=explanation, cited=cited)


def checked_claims(output: Found, workspace: Workspace, shown: Collection[int] | None = None) -> Check:
    """The explanation beside the passages that it may cite."""
    numbers = (number for number in cited_numbers(output) if _usable(number, workspace, shown))
    found = {number: one for number in numbers if (one := workspace.cited(number))}
    passages = {number: titled(one.passage) for number, one in found.items()}
    given = f"{workspace.question}\n{workspace.standalone}\n{workspace.worked_out}"
    return Check(output.explanation, output.cited, passages, given)


def without_citations(text: str) -> str:
    """The text without its `[n]`, whose numbers mean nothing to the next question."""
    return SPACED_CITATION.sub("", text)


def single_citations(text: str) -> str:
    """The text with "[1, 2]" as "[1][2]", the form that surfaces make links of."""
    return CITATION.sub(lambda match: "".join(f"[{number.strip()}]" for number in match[1].split(",")), text)


def _valid(count: int) -> str:
    if not count:
        return "Nothing has been found yet: search first, or call not_found with what is missing."
    return f"Cite only passages that were found, [1] to [{count}], and only those that say what you say."


def _brackets(numbers: Sequence[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)


def _too_long(output: Found) -> bool:
    return len(output.answer) > _ANSWER or len(output.explanation) > _EXPLANATION


def _citing_only(text: str, usable: Sequence[int]) -> str:
    return CITATION.sub(lambda match: _brackets([number for number in numbers_in(match[0]) if number in usable]), text)


def _usable(number: int, workspace: Workspace, shown: Collection[int] | None) -> bool:
    return workspace.cited(number) is not None and (shown is None or number in shown)


def _is_worked_out(output: Found, workspace: Workspace) -> bool:
    """Whether an answer is what the rules have worked out of the cells cited."""
    return bool(workspace.worked_out) and workspace.worked_out.startswith(f"{output.answer}. ")


def _claim_problem(output: Found, workspace: Workspace, shown: Collection[int] | None) -> str:
    check = checked_claims(output, workspace, shown)
    faults = [_told(fault) for _, fault in check.faults()]
    fault = None if _is_worked_out(output, workspace) else check.answer_fault(output.answer)
    if fault:
        faults.append(f"The answer “{clip(fault.text, _TOLD)}” is not in {_among(fault.numbers)}.")
    if not faults:
        return ""
    return " ".join([*faults[:_FAULTS], "Cite the passage that says it, in its words, or leave it out and say less."])


def _told(fault: Fault) -> str:
    terms = ", ".join(f"“{clip(term, _TOLD)}”" for term in fault.absent[:_FAULTS])
    return f"In “{clip(fault.text, _TOLD)}”: {terms} is not in {_among(fault.numbers)}."


def _among(numbers: Sequence[int]) -> str:
    return _brackets(numbers) or "any passage cited"


def _refused(answer: str) -> str:
    said = words_said(answer, 200)
    return (
        f"the model's answer “{said}” is in none of the passages that it cites" if said else "the model gave no answer"
    )


def _struck_note(count: int) -> str:
    if count == 1:
        return "a sentence of the explanation was struck out, as it is not in the passages cited"
    return f"{count} sentences of the explanation were struck out, as they are not in the passages cited"
