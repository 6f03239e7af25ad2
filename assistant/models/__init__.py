"""Language models: endpoints, keys, budgets, ways of calling, and judgements and facts asked of them. The offline model
is in `assistant/agent/offline`; readers and scorers that ship are in `tools/`.
"""

__all__ = [
    "budget",
    "calling",
    "endpoints",
    "extracting",
    "judging",
    "keys",
    "local",
    "metered",
    "model_list",
    "openai_chat",
]
