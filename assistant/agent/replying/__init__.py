"""From the Workspace of a finished question to the reply: chains, certainty, trace, closest sentences."""

__all__ = ["closest", "composing", "reply", "trust"]
