"""Reading a question by rule: the parts of the offline planner in tools/planning/planner.py."""

__all__ = ["described", "lexicon", "plan", "planner", "possessed", "words"]
