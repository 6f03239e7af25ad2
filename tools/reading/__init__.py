"""Reading passages for an answer: the trained reader, what it is asked, and the choice among what was read."""

__all__ = [
    "answering",
    "certainty",
    "defining",
    "guess",
    "lists",
    "parts",
    "reader",
    "second_reader",
    "telling",
    "times",
    "told",
]
