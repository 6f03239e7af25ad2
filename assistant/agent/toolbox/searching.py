"""A whole search as the offline policy makes it: the same stages, in the same order, until it would answer."""

from __future__ import annotations

from assistant.agent.deps import Deps
from assistant.agent.offline.extracted_answer import Extracted
from assistant.agent.offline.policy import next_calls
from assistant.agent.offline.situation import situated
from assistant.agent.toolbox.search_stages import STAGES, rank_again


async def search_all(deps: Deps) -> Extracted:
    """Search for the question of the Workspace, which has been planned; what the evidence comes to, read offline.

    Judgements on the way are the offline ones: a model's are made where it calls a technique itself.
    """
    called: list[str] = []
    while True:
        situation, extracted = await deps.call(situated, deps.workspace, tuple(called))
        calls = next_calls(situation)
        if not calls:
            if deps.workspace.unranked:
                await deps.call(rank_again, deps.workspace)
            return extracted
        for call in calls:
            called.append(call.tool)
            await STAGES[call.tool](deps, **call.arguments)
