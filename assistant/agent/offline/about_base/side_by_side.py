"""Two records, as the rows of a table are, with what both tell of the same side by side."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.agent.offline.about_base.quoting import cite, one_line
from assistant.agent.workspace import Workspace
from assistant.shared.rendering import escape_markdown
from kb.documents.structure import structured_lines
from kb.records import Passage


def side_by_side(workspace: Workspace, passages: Sequence[Passage]) -> str:
    """The titles of two passages and the values that both have, in lines of Markdown; "" where they share none."""
    told = [_values(passage) for passage in passages]
    shared = [relation for relation in told[0] if relation in told[1]]
    if not shared:
        return ""
    titles = [f"{escape_markdown(passage.title, 120)} [{cite(workspace, passage)}]" for passage in passages]
    lines = [f"- {escape_markdown(one)}: {' · '.join(escape_markdown(each[one]) for each in told)}" for one in shared]
    return "\n".join([" · ".join(titles), "", *lines])


def _values(passage: Passage) -> dict[str, str]:
    """What a record tells, by the names of its values."""
    told: dict[str, str] = {}
    for line in structured_lines(passage.title, passage.text):
        for value in line.values if line.kind == "row" else ():
            told.setdefault(value.relation, one_line(passage.text[value.start : value.end]))
    return told
