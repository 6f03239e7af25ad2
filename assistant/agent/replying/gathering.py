"""From the Workspace of a finished question to its trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.agent.replying.reply import Chain
from assistant.agent.replying.trace import Fact, Trace
from assistant.agent.workspace import Workspace
from kb.name_keys import name_key
from kb.records import Triple
from kb.store.knowledge_base import KnowledgeBase
from tools.path_search import path_texts

FACTS = 14
"""Around the thread: with its own things about thirty, which is what a terminal shows."""

AT_ONE = 4
"""Facts of one thing of the thread, so that a hub leaves room for the others."""

TITLES = 3
"""Passages whose things the facts are around where there is no thread."""

LOOKED_AT = 60
"""Facts of a thing that are looked at, at either end."""

LINES = 3
"""Groups, graphs and paths of each kind that are kept."""

TERM = 60
"""Characters of a name, and of a relation."""

LINE = 160
"""Characters of a group, a graph or a path as a line."""


def trace_of(kb: KnowledgeBase, workspace: Workspace, chains: Sequence[Chain], passages: Sequence[int]) -> Trace:
    """The trace of a question; `passages` are the ids of the reply's, best first."""
    paths = workspace.paths
    held = {entity for path in paths.paths for entity in path.entities} if paths else set[int]()
    return Trace(
        facts=tuple(_facts_around(kb, workspace, chains, passages)),
        groups=_lines(_group_lines(kb, workspace)),
        graphs=_lines(_graph_lines(kb, workspace)),
        paths=_lines(path_texts(kb, [path for path in paths.paths if path.facts][:LINES]) if paths else ()),
        revived=_lines(path_texts(kb, workspace.revived[:LINES])),
        kept=len(held),
        pruned=len(set(paths.visited) - held) if paths else 0,
    )


def _facts_around(
    kb: KnowledgeBase, workspace: Workspace, chains: Sequence[Chain], passages: Sequence[int]
) -> list[Fact]:
    """Facts at the names of the thread that are not in it: candidates of the hops before other facts, those that lead
    to something with a document of its own before others, and of each pair of things one. Without a thread it is the
    facts at the things that the first passages are of.
    """
    links = [link for chain in chains for link in chain.links]
    terms = [term for link in links for term in (link.head, link.tail)]
    terms = terms or [passage.title for passage in kb.passages(passages[:TITLES])]
    names = list(dict.fromkeys(key for term in terms if (key := name_key(term))))
    known = {frozenset((name_key(link.head), name_key(link.tail))) for link in links}
    ranks = {passage: rank for rank, passage in enumerate(passages, 1)}
    chosen: list[Fact] = []
    counts = dict.fromkeys(names, 0)
    for triple in _ordered(kb, workspace, names, ranks):
        ends = [name_key(triple.head_name), name_key(triple.tail_name)]
        at = next((end for end in ends if end in counts), "")
        if not all(ends) or frozenset(ends) in known or counts.get(at, AT_ONE) >= AT_ONE:
            continue
        known.add(frozenset(ends))
        counts[at] += 1
        head, relation, tail = (term[:TERM] for term in (triple.head_name, triple.relation, triple.tail_name))
        chosen.append(Fact(head, relation, tail, ranks.get(triple.passage, 0)))
    return chosen[:FACTS]


def _ordered(kb: KnowledgeBase, workspace: Workspace, names: Sequence[str], ranks: dict[int, int]) -> list[Triple]:
    """Facts that may be shown: what the tools looked at, then those of the reply's passages at the names."""
    ids = [entity for found in kb.named(names).values() for entity in found[:1]]
    near = [triple for triple in kb.triples_of(ids, LOOKED_AT) if triple.passage in ranks]
    own = kb.title_entities({end for triple in near for end in (triple.head, triple.tail)})
    near.sort(key=lambda one: (_is_bare(one.relation), not {one.head, one.tail} <= own, ranks[one.passage], one.id))
    return [*workspace.triples.values(), *near]


def _is_bare(relation: str) -> bool:
    """Whether a relation is but "in", "is" or the like, which tells little."""
    return all(len(word) < 4 for word in relation.split())


def _lines(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(line if len(line) <= LINE else f"{line[: LINE - 1].rstrip()}…" for line in list(lines)[:LINES])


def _group_lines(kb: KnowledgeBase, workspace: Workspace) -> list[str]:
    lines = []
    for group in workspace.groups[:LINES]:
        names = [entity.name for entity in kb.entities(list(group.entities)[:LINES])]
        facts = [triple.text() for triple in kb.triples(list(group.facts)[: LINES - len(names)])]
        lines.append(f"{' / '.join(group.concepts)}: {'; '.join([*names, *facts]) or 'nothing'}")
    return lines


def _graph_lines(kb: KnowledgeBase, workspace: Workspace) -> list[str]:
    graphs = [graph for graph in workspace.graphs if graph.facts][:LINES]
    return ["; ".join(triple.text() for triple in kb.triples(graph.facts[:LINES])) for graph in graphs]
