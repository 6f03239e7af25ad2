"""Language models: endpoints, keys, budgets, ways of calling, and judgements and facts asked of them."""

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
