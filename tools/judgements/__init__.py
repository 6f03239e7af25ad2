"""What the papers ask a language model: the protocol, `judge`, and the offline answers to it, one module for each kind.
The answers of a language model are in `assistant/models/judging`.
"""

__all__ = ["judge", "offline_judge", "sensible_paths", "summaries"]
