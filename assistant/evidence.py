"""How the findings read to a language model: numbered, bounded, and fenced as data."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.workspace import Evidence, Workspace
from kb.records import EntityMatch, Passage, Triple
from tools.constraint_retrieval import ConstraintState

PASSAGE_CHARACTERS = 1_200
"""Of one passage: passages fit 256 tokens, about 1,100 characters, so only odd ones are cut."""

LINE_CHARACTERS = 300
"""Of one group, graph, path or chain in words."""

TOTAL_CHARACTERS = 12_000
"""Of one tool's answer: about 3,000 tokens, so that ten calls fit a context of 32,000."""

_FENCE = re.compile(r"<(?=\s*/?\s*passage)", re.IGNORECASE)


def render_evidence(found: Sequence[Evidence], shown: set[int]) -> str:
    """Passages as fenced data, best first; one that the model has seen (`shown`, added to here) is only named again."""
    if not found:
        return "Nothing found. Try other words, another entity or another tool."
    lines: list[str] = []
    left = TOTAL_CHARACTERS
    for item in found:
        text = fenced(item.number, item.passage, PASSAGE_CHARACTERS)
        if item.number in shown or len(text) > left:
            lines.append(f"[{item.number}] {_attribute(item.passage.title)} ({_why_short(item, shown)})")
            continue
        shown.add(item.number)
        left -= len(text)
        lines.append(text)
    return "\n".join(lines)


def fenced(number: int, passage: Passage, limit: int = TOTAL_CHARACTERS) -> str:
    """A passage as data: nothing in its text can end the fence."""
    text = _FENCE.sub("‹", clip(passage.text, limit))
    return f'<passage number="{number}" title="{_attribute(passage.title)}">\n{text}\n</passage>'


def summarised(found: Sequence[Evidence]) -> str:
    """Findings in a line for people."""
    titles = "; ".join(dict.fromkeys(item.passage.title for item in found[:3]))
    return f"{len(found)} passages: {titles}" if found else "nothing found"


def render_entities(matches: Sequence[EntityMatch]) -> str:
    """Entities with what share of the mention their names cover and how many passages mention them."""
    if not matches:
        return "No entity of that name. Try passage_search with other words."
    return "\n".join(
        f"- {_attribute(match.entity.name)} ({match.entity.kind}, in {match.entity.passages} passages, "
        f"covers {match.score:.0%} of the mention)"
        for match in matches
    )


def render_triples(triples: Sequence[Triple], workspace: Workspace) -> str:
    """Facts, each with the number of the passage that states it."""
    if not triples:
        return "No facts about that entity. Look it up by name, or search the passages."
    return "\n".join(f"- {_attribute(triple.text())}{_number(triple, workspace)}" for triple in triples)


def render_lines(lines: Sequence[str]) -> str:
    """Groups, graphs, paths or chains, one a line; nothing for none."""
    return "".join(f"- {_attribute(line, LINE_CHARACTERS)}\n" for line in lines)


def render_constraints(workspace: Workspace) -> str:
    """Each constraint of the plan with whether its evidence is sufficient, and what the variables may be."""
    lines = [_constraint_line(place, state) for place, state in enumerate(workspace.states, 1)]
    for variable, values in workspace.bindings.items():
        lines.append(f"{variable} may be: " + "; ".join(_attribute(value) for value in values[:5]))
    return "\n".join(lines)


def clip(text: str, limit: int) -> str:
    """`text` cut at a word to at most `limit` characters, marked with an ellipsis where something is missing."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 2]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut) + " …"


def _attribute(text: str, limit: int = 200) -> str:
    return clip(" ".join(_FENCE.sub("‹", text).replace('"', "'").split()), limit)


def _why_short(item: Evidence, shown: set[int]) -> str:
    return "shown before" if item.number in shown else "read_passage shows it"


def _number(triple: Triple, workspace: Workspace) -> str:
    evidence = workspace.of_passage(triple.passage)
    return f" [{evidence.number}]" if evidence else ""


def _constraint_line(place: int, state: ConstraintState) -> str:
    facts = "; ".join(_attribute(scored.triple.text()) for scored in state.triples[:3])
    return f"constraint {place}: {_attribute(state.constraint.text())}: {state.status}" + (
        f" ({facts})" if facts else ""
    )
