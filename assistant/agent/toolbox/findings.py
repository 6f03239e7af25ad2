"""How the findings read to a language model: numbered, bounded, and fenced as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.agent.short_text import LINE_CHARACTERS, attribute, clip, unfenced
from assistant.agent.toolbox.excerpts import Sentence, Sentences, choose_sentences
from assistant.agent.workspace import Evidence, Workspace
from kb.records import Passage
from tools.constraint_retrieval import ConstraintState
from tools.planning.plan import Constraint
from tools.reading.answering import Hop

RESULT_CHARACTERS = 2_700
"""Of the passages in one tool's answer: about 650 tokens, so that a question of four requests takes under 6,000."""

NAME_CHARACTERS = 60
"""Of a title or value that is only named."""

PASSAGE_CHARACTERS = 6_000
"""Of a passage read in full: passages fit 256 tokens, about 1,100 characters, so only odd ones are cut."""

BLOCK = 5
"""Passages of a step's evidence, as many as textual recovery keeps."""

BEST = 3
"""Passages at the front of the ranking that are shown first where they are no step's evidence."""

NAMED = 5
"""Passages not shown here whose titles are given; of the others the numbers are."""


def render_evidence(
    found: Sequence[Evidence],
    sentences: Sentences,
    shown: set[int],
    seen: set[tuple[int, int]],
    limit: int = RESULT_CHARACTERS,
    steps: Sequence[Step] = (),
) -> str:
    """The sentences that matter of each passage as fenced data, in the order found; none is shown twice.

    What is left out of a passage is marked with an ellipsis; a passage for which there is no room is named. The numbers
    of the passages go to `shown`, and the sentences, by number and place in the text, to `seen`. With `steps` each
    passage stands below the step that it is evidence for.
    """
    if not found:
        return "\n".join([*(step.text for step in steps), "Nothing found. Try other words, or another tool."])
    fresh = [[one for one in sentences[item.passage.id] if (item.number, one.start) not in seen] for item in found]
    chosen = choose_sentences(found, fresh, limit)
    lines = _below_steps(
        steps,
        [
            (item.number, fenced(item.number, item.passage, some))
            for item, some in zip(found, chosen, strict=True)
            if some
        ],
    )
    others = [item for item, some in zip(found, chosen, strict=True) if not some]
    seen.update((item.number, one.start) for item, some in zip(found, chosen, strict=True) for one in some)
    before = [item for item in others if item.number in shown]
    shown.update(item.number for item, some in zip(found, chosen, strict=True) if some)
    without = [item for item in others if item not in before]
    return "\n".join([*lines, *_named("Shown before", before), *_named("Not shown, read_passage shows it", without)])


def fenced(number: int, passage: Passage, sentences: Sequence[Sentence] | None = None) -> str:
    """A passage as data, in full or these sentences of it: nothing in its text can end the fence."""
    text = clip(passage.text, PASSAGE_CHARACTERS) if sentences is None else _excerpt(passage.text, sentences)
    return f'<passage number="{number}" title="{attribute(passage.title)}">\n{unfenced(text)}\n</passage>'


def summarised(found: Sequence[Evidence]) -> str:
    """Findings in a line for people."""
    titles = "; ".join(dict.fromkeys(item.passage.title for item in found[:3]))
    return f"{len(found)} passages: {titles}" if found else "nothing found"


def render_lines(lines: Sequence[str]) -> str:
    """Graphs, paths or chains, one a line; nothing for none."""
    return "".join(f"- {attribute(line, 2 * LINE_CHARACTERS)}\n" for line in lines)


def render_constraints(workspace: Workspace) -> str:
    """Each constraint of the plan with whether its evidence is sufficient, and what the variables may be."""
    lines = [_constraint_line(place, state) for place, state in enumerate(workspace.states, 1)]
    for variable, values in workspace.bindings.items():
        lines.append(f"{variable} may be: " + "; ".join(attribute(value) for value in values[:5]))
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the plan in words, and the numbers of the passages that are its evidence."""

    text: str
    numbers: frozenset[int] = frozenset()


def steps_of(workspace: Workspace, hops: Sequence[Hop]) -> list[Step]:
    """Each step of the plan with what the graph says for certain, or perhaps the text, and its evidence (CS-RAG,
    equation 4): the passage that says so, and of the others those that are nearer to the front here than at any other
    step.
    """
    values = {hop.constraint: hop for hop in hops if hop.value}
    places: dict[int, tuple[int, int]] = {}
    for at, state in enumerate(workspace.states):
        hop = values.get(state.constraint)
        says = state.triples[0].triple.passage if state.status == "resolved" and state.triples else None
        if (passage := says or (hop.passage if hop else None)) is not None:
            places.setdefault(passage, (-1, at))
    for at, block in enumerate(workspace.blocks):
        for rank, hit in enumerate(block.hits[:BLOCK]):
            places[hit.passage.id] = min(places.get(hit.passage.id, (rank, at)), (rank, at))
    found: list[set[int]] = [set() for _ in workspace.states]
    for passage, (_, at) in places.items():
        if evidence := workspace.of_passage(passage):
            found[at].add(evidence.number)
    return [
        Step(
            f"{place + 1}. {attribute(_step_text(state.constraint))}: "
            f"{_value(state, values.get(state.constraint), workspace)}",
            frozenset(found[place]),
        )
        for place, state in enumerate(workspace.states)
    ]


def _below_steps(steps: Sequence[Step], passages: Sequence[tuple[int, str]]) -> list[str]:
    """The passages, best first as given, each by its number below its step. What belongs to none comes last, but for
    the best of all, which come first: where a step is hardly said anywhere, its own evidence is worth less.
    """
    if not steps:
        return [text for _, text in passages]
    claimed = frozenset(number for step in steps for number in step.numbers)
    best = [text for number, text in passages[:BEST] if number not in claimed]
    rest = [text for number, text in passages[BEST:] if number not in claimed]
    lines: list[str] = []
    for step in steps:
        lines += [step.text, *(text for number, text in passages if number in step.numbers)]
    return [*best, *lines, *(["Found besides:", *rest] if rest else [])]


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


def _step_text(step: Constraint) -> str:
    return f"{step.head} | {step.relation} | {step.tail}"


def _value(state: ConstraintState, hop: Hop | None, workspace: Workspace) -> str:
    if state.status == "resolved" and state.triples:
        fact = state.triples[0].triple
        return f"{attribute(fact.text(), 2 * NAME_CHARACTERS)} {workspace.numbers(fact.passage)}".rstrip()
    evidence = workspace.of_passage(hop.passage) if hop is not None and hop.passage is not None else None
    if hop is None or evidence is None:
        return "not found so far"
    if not state.constraint.variables:
        return f"perhaps so [{evidence.number}]"
    return f"perhaps {attribute(hop.value, NAME_CHARACTERS)} [{evidence.number}]"


def _constraint_line(place: int, state: ConstraintState) -> str:
    facts = "; ".join(attribute(scored.triple.text()) for scored in state.triples[:3])
    return f"constraint {place}: {attribute(state.constraint.text())}: {state.status}" + (
        f" ({facts})" if facts else ""
    )
