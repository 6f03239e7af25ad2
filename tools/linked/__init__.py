"""Two lines of different passages read as one text: which lines share a name, and what two that do say together."""

__all__ = ["line_pool", "pairing", "together"]
