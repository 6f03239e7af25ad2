"""The agent: its loop and tools, the offline model, and the reply with all that supports it. It knows no endpoint."""

__all__ = [
    "deps",
    "final_answer",
    "ladder",
    "loop",
    "offline",
    "replying",
    "short_text",
    "streaming",
    "toolbox",
    "workspace",
]
