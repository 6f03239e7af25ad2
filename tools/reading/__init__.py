"""Reading passages for an answer: the trained reader, what it is asked, and the choice among what was read. Which
passages are read is decided by who asks; what rules read is in `tools/answer_rules`.
"""

__all__ = [
    "abbreviated",
    "answering",
    "certainty",
    "choice",
    "considering",
    "defining",
    "guess",
    "lists",
    "parts",
    "procedures",
    "reader",
    "reading_order",
    "reasons",
    "reckoning",
    "second_reader",
    "spans",
    "telling",
    "times",
    "told",
    "wanted_sort",
    "weighing",
    "yes_or_no",
]
