"""How a request says whether a model is to think before it answers."""

from __future__ import annotations

from typing import Any

from assistant.shared.model_choice import Thinking

LOW, MEDIUM = 1_024, 8_192
"""Tokens for thinking that OpenAI's low and medium effort stand for, as other services translate them."""

_BUDGETS = ("thinking_budget_tokens", "thinking_token_budget")
"""The field for a budget of llama.cpp, and of vLLM."""


def thinking_fields(thinking: Thinking, at_openai: bool) -> dict[str, Any]:
    """The fields of a request that turn thinking on or off, or bound it; none where nothing is said of it.

    There is no one way. OpenAI, Ollama and llama.cpp know an effort, whose "none" is off; llama.cpp, vLLM and SGLang
    hand on to the model's template whether it thinks; llama.cpp and vLLM each have a field for a budget. What a server
    does not know it passes over; only OpenAI, which has no budgets, refuses it.
    """
    if thinking is None:
        return {}
    if at_openai:
        efforts = ((LOW, "low"), (MEDIUM, "medium"))
        tokens = MEDIUM if thinking is True else thinking
        return {"reasoning_effort": next((e for most, e in efforts if tokens <= most), "high") if tokens else "none"}
    template = {"chat_template_kwargs": {"enable_thinking": bool(thinking)}}
    if thinking is False:
        return {"reasoning_effort": "none", **template}
    return template if thinking is True else {**template, **dict.fromkeys(_BUDGETS, thinking)}
