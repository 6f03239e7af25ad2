"""Tool calls from any model: native ones, JSON in their place, or a plan and an answer around the offline policy. The
tools, and the policy, are in `assistant/agent`.
"""

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
