"""The thread of an answer in words: hop by hop, the passages, and what the tools did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assistant.agent.replying.reply import Chain, Link, RankedPassage, Reply, ToolUse
from assistant.conversations.threads.answer_graph import numbers_of
from assistant.conversations.threads.marks import Marker
from assistant.shared.rendering import CLOSEST, STATE_MARKS, Line, Part, Role, certainty_mark, duration, location, plain
from assistant.shared.text_lines import text_lines

PASSAGE = 4000
"""Characters of a passage that are shown."""

PASSAGES = 20
"""Passages that are shown, unless more are cited."""


def thread_lines(reply: Reply) -> list[Line]:
    """What led from the question to the answer: what is missing and what is closest, each chain hop by hop, and the
    answer with its mark.
    """
    lines: list[Line] = []
    mark: tuple[Part, ...] = (("   ", ""), certainty_mark(reply.told_certainty))
    if not reply.found and not reply.partial:
        missing = plain(reply.missing, 400) or "not said"
        lines += [Line((("∅ missing: ", "warning"), (missing, ""), *mark)), Line()]
    lines += [*closest_lines(reply), Line()] if reply.closest else []
    titles = {passage.id: _title(passage) for passage in reversed(reply.passages)}
    for index, chain in enumerate(reply.chains, 1):
        if len(reply.chains) > 1:
            lines.append(Line(((f"chain {index} of {len(reply.chains)}", "dim"),)))
        lines += chain_lines(chain, numbers_of(reply), titles)
    if not reply.chains:
        lines.append(Line((("No chain of facts; see Passages.", "dim"),)))
    if reply.answer:
        lines.append(Line((("⇒ ", "good"), (plain(reply.answer, 400), "strong"), *mark)))
    return lines


def closest_lines(reply: Reply) -> list[Line]:
    """The sentences closest to a question without an answer, quoted and cited; no lines where there are none."""
    quoted = [
        Line((("“", "dim"), (plain(one.sentence, 400), ""), ("” ", "dim"), (f"[{one.number}]", "link")), indent=2)
        for one in reply.closest
    ]
    return [Line(((CLOSEST, "strong"),)), *quoted] if quoted else []


def chain_lines(chain: Chain, numbers: Mapping[int, int], titles: Mapping[int, str] | None = None) -> list[Line]:
    """A chain hop by hop, the last line of each empty; `numbers` gives a cited passage's citation number.

    With the `titles` of passages also what was planned, what the unknown became and might have been, and what comes
    nearest to a hop that was left open.
    """
    lines: list[Line] = []
    for hop, link in enumerate(chain.links, 1):
        lines += _head_lines(hop, link, numbers)
        if titles is not None:
            lines += _planned_lines(link)
        if sentence := plain(link.sentence, 400):
            terms = Marker((), (link.head, link.tail, link.value)).parts(sentence, usual="dim")
            lines.append(Line((("“", "dim"), *terms, ("”", "dim")), indent=4))
        if titles is not None and link.state == "unresolved":
            lines.append(_nearest_line(link, numbers, titles))
        lines.append(Line())
    return lines


def passage_lines(passage: RankedPassage, number: int | None, marker: Marker | None = None) -> list[Line]:
    """A passage as a title line, a line on where it is from and what found it, and the lines of its text with what
    counts marked.
    """
    mark: Part = (f"[{number}] ", "link") if number else ("· ", "dim")
    where = (location(passage.source, passage.page), plain(passage.document, 80), f"relevance {passage.score:.3g}")
    details = " · ".join(part for part in dict.fromkeys((*where, _found_by(passage))) if part)
    told = (marker or Marker((), ())).lines(text_lines(passage.text, PASSAGE))
    return [Line((mark, (_title(passage), "strong"))), Line(((details, "dim"),)), *map(Line, told)]


def shown_passages(reply: Reply, limit: int = PASSAGES) -> list[tuple[int | None, RankedPassage, Marker]]:
    """The passages of a reply, each with its citation number, if any, and what marks its text.

    Cited ones first in the order of their numbers, then the others as ranked, `limit` in all unless more are cited.
    """
    numbers = numbers_of(reply)
    ranked = sorted(reply.passages, key=lambda passage: numbers.get(passage.id, 1_000_000))
    links = [link for chain in reply.chains for link in chain.links]
    names = [term for link in links for term in (link.head, link.tail, link.value)]
    shown = []
    for passage in ranked[: max(limit, len(numbers))]:
        quotes = [citation.quote for citation in reply.sources if citation.passage_id == passage.id]
        quotes += [one.sentence for one in reply.closest if one.passage_id == passage.id]
        quotes += [link.sentence for link in links if link.passage_id == passage.id]
        shown.append((numbers.get(passage.id), passage, Marker(quotes, names)))
    return shown


def tools_lines(reply: Reply) -> list[Line]:
    """What each tool call came to, which tool found what, what was pruned and brought back, and the graphs between."""
    lines = [_tool_line(tool) for tool in reply.tools]
    lines = lines or [Line((("No tool was called.", "dim"),))]
    trace, numbers = reply.trace, numbers_of(reply)
    found = [passage for _, passage, _ in shown_passages(reply) if passage.sources]
    lines += _section("found by (place in what that tool found)", [_found_line(one, numbers) for one in found])
    told = f"paths: {trace.kept} things on those kept, {trace.pruned} pruned"
    paths = [_text_line("  ", one, "") for one in trace.paths]
    revived = [_text_line("↺ brought back: ", one, "good") for one in trace.revived]
    lines += _section(told, [*paths, *revived])
    lines += _section("what the concepts may mean", [_text_line("  ", one, "") for one in trace.groups])
    return lines + _section("evidence graphs", [_text_line("  ", one, "") for one in trace.graphs])


def _head_lines(hop: int, link: Link, numbers: Mapping[int, int]) -> list[Line]:
    mark, role = STATE_MARKS[link.state]
    head, relation, tail = (plain(term, 120) for term in (link.head, link.relation, link.tail))
    state: list[Part] = [(f"{hop} ", "dim"), (f"{mark} {link.state}", role)]
    if link.n_eff is not None:
        state.append((f" · about {link.n_eff:.1f} candidates", "dim"))
    if link.passage_id is not None and link.passage_id in numbers:
        state += [(" · ", "dim"), (f"[{numbers[link.passage_id]}]", "link")]
    return [Line(tuple(state)), Line(((head, "strong"), (f" — {relation} → ", "dim"), (tail, "strong")), indent=4)]


def _planned_lines(link: Link) -> list[Line]:
    """The constraint as it was planned where that says more, what its unknown became, and what else it might be."""
    parts: list[str] = []
    if len(link.planned) == 3 and link.planned != (link.head, link.relation, link.tail):
        head, relation, tail = (plain(term, 120) for term in link.planned)
        parts.append(f"planned: {head} — {relation} → {tail}")
    if link.unknown and link.value:
        parts.append(f"{plain(link.unknown, 60)} = {plain(link.value, 120)}")
    if link.rivals:
        others = ", ".join(plain(one, 60) for one in link.rivals)
        parts.append(f"{'not' if link.value else 'perhaps'} {others}")
    return [Line(((" · ".join(parts), "dim"),), indent=4)] if parts else []


def _nearest_line(link: Link, numbers: Mapping[int, int], titles: Mapping[int, str]) -> Line:
    parts: list[Part] = [("no passage says so", "bad")]
    near = [passage for passage in link.nearest if passage in titles]
    for place, passage in enumerate(near):
        parts.append(("; nearest: " if place == 0 else "; ", "dim"))
        parts += [(f"[{numbers[passage]}] ", "link")] if passage in numbers else []
        parts.append((titles[passage], ""))
    return Line(tuple(parts), indent=4)


def _section(title: str, lines: Sequence[Line]) -> list[Line]:
    return [Line(), Line(((title, "dim"),)), *lines] if lines else []


def _tool_line(tool: ToolUse) -> Line:
    mark: Part = ("✗ ", "bad") if tool.failed else ("✓ ", "good")
    summary = plain(tool.summary, 200)
    outcome: Part = (f"  failed: {summary}", "bad") if tool.failed else (f"  {summary}" if summary else "", "dim")
    return Line((mark, (plain(tool.name, 60), ""), (f"  {duration(tool.seconds)}", "dim"), outcome))


def _found_line(passage: RankedPassage, numbers: Mapping[int, int]) -> Line:
    number = numbers.get(passage.id)
    mark: Part = (f"[{number}] ", "link") if number else ("· ", "dim")
    return Line((mark, (_title(passage), ""), (f"  {_found_by(passage)}", "dim")))


def _text_line(before: str, text: str, role: Role) -> Line:
    return Line(((before, role or "dim"), (plain(text, 200), "")))


def _found_by(passage: RankedPassage) -> str:
    """The tools that found a passage, each with its place there as far as that is known."""
    places: Iterable[int] = (*passage.ranks, *[0] * len(passage.sources))
    return ", ".join(
        f"{plain(name, 40)} {place}" if place > 0 else plain(name, 40)
        for name, place in zip(passage.sources, places, strict=False)
    )


def _title(passage: RankedPassage) -> str:
    return plain(passage.title, 160) or plain(passage.document, 160) or "untitled"
