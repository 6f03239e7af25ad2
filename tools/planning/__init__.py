"""Reading a question by rule: the parts of the offline planner in tools/planning/planner.py. Nothing is looked up: what
the plan's names are in the file is found by who uses it.
"""

__all__ = ["described", "in_full", "lexicon", "plan", "planner", "possessed", "words"]
