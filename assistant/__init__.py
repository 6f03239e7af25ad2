"""The agent that chooses and chains the tools, and the surfaces that need no terminal interface.

What a technique does is in `tools/`, what is on the screen in `screens/`; Python code comes in by `clew`.
"""

__all__ = ["agent", "commands", "conversations", "library", "models", "serving", "shared"]
