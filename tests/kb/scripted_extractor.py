"""An extractor without a model: it says what a test has written down for each text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb.graph.model_extraction import ModelPrompt, extraction_key
from kb.store.model_cache import EXTRACTION, ModelAnswer, ModelCache, PassageText


@dataclass
class ScriptedExtractor:
    """Answers for the texts in `said`, by a part of the text, and says nothing of others; `asked` are all texts."""

    said: Mapping[str, Mapping[str, Any]]
    prompt: ModelPrompt = field(default=ModelPrompt("scripted", "1"))
    asked: list[str] = field(default_factory=list)

    def ask(self, passages: Sequence[PassageText], cache: ModelCache) -> None:
        for one in passages:
            if cache.known([extraction_key(one, self.prompt)]):
                continue
            self.asked.append(one.text)
            for part, said in self.said.items():
                if part in one.text:
                    answer = ModelAnswer(one.content, json.dumps(said), 10, 5)
                    cache.put(EXTRACTION, self.prompt.model, self.prompt.version, [answer])
