"""From the Workspace of a finished question to the reply: chains, certainty, trace, closest sentences. What the answer
is has been decided before, and no model is asked any more.
"""

__all__ = ["closest", "composing", "reply", "trust"]
