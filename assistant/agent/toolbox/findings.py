"""How the findings read to a language model: numbered, bounded, and fenced as data."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.agent.toolbox.excerpts import Sentence, Sentences, choose_sentences
from assistant.agent.workspace import Evidence, Workspace
from kb.records import EntityMatch, Passage, Triple
from tools.constraint_retrieval import ConstraintState
from tools.planning.plan import Constraint
from tools.reading.answering import Hop

LINE_CHARACTERS = 300
"""Of one group, graph, path or chain in words."""

RESULT_CHARACTERS = 3_000
"""Of the passages in one tool's answer: about 700 tokens, so that a question of four requests takes under 6,000."""

NAME_CHARACTERS = 60
"""Of a title or value that is only named."""

PASSAGE_CHARACTERS = 6_000
"""Of a passage read in full: passages fit 256 tokens, about 1,100 characters, so only odd ones are cut."""

NAMED = 5
"""Passages not shown here whose titles are given; of the others the numbers are."""

_FENCE = re.compile(r"[<＜﹤](?=" + "".join(rf"[^\w<>]*{letter}" for letter in "passage") + ")", re.IGNORECASE)
"""What reads as the end or the beginning of a passage, whatever invisible characters stand within it."""


def render_evidence(
    found: Sequence[Evidence],
    sentences: Sentences,
    shown: set[int],
    seen: set[tuple[int, int]],
    limit: int = RESULT_CHARACTERS,
) -> str:
    """The sentences that matter of each passage as fenced data, in the order found; none is shown twice.

    What is left out of a passage is marked with an ellipsis; a passage for which there is no room is named. The numbers
    of the passages go to `shown`, and the sentences, by number and place in the text, to `seen`.
    """
    if not found:
        return "Nothing found. Try other words, another entity or another tool."
    fresh = [[one for one in sentences[item.passage.id] if (item.number, one.start) not in seen] for item in found]
    chosen = choose_sentences(found, fresh, limit)
    lines = [fenced(item.number, item.passage, some) for item, some in zip(found, chosen, strict=True) if some]
    others = [item for item, some in zip(found, chosen, strict=True) if not some]
    seen.update((item.number, one.start) for item, some in zip(found, chosen, strict=True) for one in some)
    before = [item for item in others if item.number in shown]
    shown.update(item.number for item, some in zip(found, chosen, strict=True) if some)
    without = [item for item in others if item not in before]
    return "\n".join([*lines, *_named("Shown before", before), *_named("Not shown, read_passage shows it", without)])


def fenced(number: int, passage: Passage, sentences: Sequence[Sentence] | None = None) -> str:
    """A passage as data, in full or these sentences of it: nothing in its text can end the fence."""
    text = clip(passage.text, PASSAGE_CHARACTERS) if sentences is None else _excerpt(passage.text, sentences)
    return f'<passage number="{number}" title="{attribute(passage.title)}">\n{_FENCE.sub("‹", text)}\n</passage>'


def summarised(found: Sequence[Evidence]) -> str:
    """Findings in a line for people."""
    titles = "; ".join(dict.fromkeys(item.passage.title for item in found[:3]))
    return f"{len(found)} passages: {titles}" if found else "nothing found"


def render_entities(matches: Sequence[EntityMatch]) -> str:
    """Entities with what share of the mention their names cover and how many passages mention them."""
    if not matches:
        return "No entity of that name. Try passage_search with other words."
    return "\n".join(
        f"- {attribute(match.entity.name)} ({match.entity.kind}, in {match.entity.passages} passages, "
        f"covers {match.score:.0%} of the mention)"
        for match in matches
    )


def render_triples(triples: Sequence[Triple], workspace: Workspace) -> str:
    """Facts, each with the number of the passage that states it."""
    if not triples:
        return "No facts about that entity. Look it up by name, or search the passages."
    return "\n".join(f"- {attribute(triple.text())}{_number(triple, workspace)}" for triple in triples)


def render_lines(lines: Sequence[str]) -> str:
    """Groups, graphs, paths or chains, one a line; nothing for none."""
    return "".join(f"- {attribute(line, LINE_CHARACTERS)}\n" for line in lines)


def render_constraints(workspace: Workspace) -> str:
    """Each constraint of the plan with whether its evidence is sufficient, and what the variables may be."""
    lines = [_constraint_line(place, state) for place, state in enumerate(workspace.states, 1)]
    for variable, values in workspace.bindings.items():
        lines.append(f"{variable} may be: " + "; ".join(attribute(value) for value in values[:5]))
    return "\n".join(lines)


def render_steps(workspace: Workspace, hops: Sequence[Hop]) -> str:
    """Each step of the plan with what the graph says for certain, or perhaps the text, and the passage that says so."""
    values = {hop.constraint: hop for hop in hops if hop.value}
    return "\n".join(
        f"{place}. {attribute(_step_text(state.constraint))}: {_value(state, values.get(state.constraint), workspace)}"
        for place, state in enumerate(workspace.states, 1)
    )


def clip(text: str, limit: int) -> str:
    """`text` cut at a word to at most `limit` characters, marked with an ellipsis where something is missing."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 2]
    return (cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut) + " …"


def _excerpt(text: str, sentences: Sequence[Sentence]) -> str:
    """The sentences as they stand in the text, with an ellipsis for what is between, before and behind them."""
    pieces, end = [], 0
    for one in sentences:
        between = text[end : one.start]
        pieces += [" … " if between.strip() else between, clip(text[one.start : one.end], one.size)]
        end = one.end
    return "".join([*pieces, " …" if text[end:].strip() else ""]).strip()


def _named(what: str, items: Sequence[Evidence]) -> list[str]:
    """A line that names passages, the first of them with their titles; none for none."""
    named = [f"[{item.number}] {attribute(item.passage.title, NAME_CHARACTERS)}" for item in items[:NAMED]]
    rest = [f"[{item.number}]" for item in items[NAMED:]]
    return [f"{what}: {'; '.join([*named, *rest])}"] if items else []


def _number(triple: Triple, workspace: Workspace) -> str:
    evidence = workspace.of_passage(triple.passage)
    return f" [{evidence.number}]" if evidence else ""


def attribute(text: str, limit: int = 200) -> str:
    """Text of a document in a line of the tool's own: no fence, no line end and no quotation mark of its own."""
    return clip(" ".join(_FENCE.sub("‹", text).replace('"', "'").split()), limit)


def _step_text(step: Constraint) -> str:
    return f"{step.head} | {step.relation} | {step.tail}"


def _value(state: ConstraintState, hop: Hop | None, workspace: Workspace) -> str:
    if state.status == "resolved" and state.triples:
        fact = state.triples[0].triple
        return f"{attribute(fact.text(), 2 * NAME_CHARACTERS)}{_number(fact, workspace)}"
    evidence = workspace.of_passage(hop.passage) if hop is not None and hop.passage is not None else None
    if hop is None or evidence is None:
        return "not found so far"
    return f"perhaps {attribute(hop.value, NAME_CHARACTERS)} [{evidence.number}]"


def _constraint_line(place: int, state: ConstraintState) -> str:
    facts = "; ".join(attribute(scored.triple.text()) for scored in state.triples[:3])
    return f"constraint {place}: {attribute(state.constraint.text())}: {state.status}" + (
        f" ({facts})" if facts else ""
    )
