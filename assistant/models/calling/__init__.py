"""Tool calls from any model: native ones, JSON in their place, or an answer to what the offline policy has found. The
tools, and the policy, are in `assistant/agent`.
"""

__all__ = [
    "json_calls",
    "json_chat",
    "lenient",
    "likelihood",
    "one_request",
    "remembered",
    "repair",
    "rungs",
    "shapes",
    "worded_steps",
]
