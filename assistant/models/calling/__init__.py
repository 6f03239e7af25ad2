"""Tool calls from any model: native ones, JSON in their place, or an answer to what the offline policy has found."""

__all__ = [
    "json_calls",
    "json_chat",
    "lenient",
    "one_request",
    "remembered",
    "repair",
    "rungs",
    "shapes",
    "worded_steps",
]
