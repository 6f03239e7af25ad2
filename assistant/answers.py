"""The typed end of a question, and the check that it cites nothing but what was found."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field

from assistant.workspace import Workspace

_SPACED_CITATION = re.compile(r"\s?\[\d{1,4}(?:\s*,\s*\d{1,4})*\]")
_CITATION = re.compile(r"\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")


class Found(BaseModel):
    """The answer, once the evidence is sufficient."""

    answer: str = Field(description="The answer alone, as short as it can be: a name, a date, a number, yes or no.")
    explanation: str = Field(
        description="One to four sentences of Markdown that lead to the answer step by step, each with the numbers of "
        "the passages that say so, like [1] or [2][5]."
    )
    cited: list[int] = Field(description="The numbers of all passages that the explanation rests on.")


class NotFound(BaseModel):
    """The knowledge base does not hold the answer, or not all of it."""

    missing: str = Field(description="What is missing, in a sentence: which fact about whom or what was not found.")
    cited: list[int] = Field(default=[], description="The numbers of passages that hold a part of the answer.")


Output = Found | NotFound


def cited_numbers(output: Output) -> tuple[int, ...]:
    """All numbers cited in the text or listed, each once: those in the text first, in their order."""
    text = output.explanation if isinstance(output, Found) else output.missing
    inline = (int(number) for group in _CITATION.findall(text) for number in group.split(","))
    return tuple(dict.fromkeys((*inline, *output.cited)))


def citation_problem(output: Output, workspace: Workspace) -> str:
    """What is wrong with the citations of `output`, in words for the model; empty where nothing is."""
    count = len(workspace.evidence)
    numbers = cited_numbers(output)
    unknown = [number for number in numbers if workspace.cited(number) is None]
    if unknown:
        return f"There is no passage {_brackets(unknown)}. {_valid(count)}"
    if isinstance(output, Found) and not numbers:
        return f"The answer cites no passage. {_valid(count)}"
    if isinstance(output, Found) and not output.answer.strip():
        return "The answer is empty. Give it, or call not_found with what is missing."
    return ""


def without_citations(text: str) -> str:
    """The text without its `[n]`, whose numbers mean nothing to the next question."""
    return _SPACED_CITATION.sub("", text)


def single_citations(text: str) -> str:
    """The text with "[1, 2]" as "[1][2]", the form that surfaces make links of."""
    return _CITATION.sub(lambda match: "".join(f"[{number.strip()}]" for number in match[1].split(",")), text)


def _valid(count: int) -> str:
    if not count:
        return "Nothing has been found yet: search first, or call not_found with what is missing."
    return f"Cite only passages that were found, [1] to [{count}], and only those that say what you say."


def _brackets(numbers: list[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)
