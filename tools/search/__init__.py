"""Plain looking up: passages by meaning and words, entities by name, what is around them, and how close it all is. No
paper's technique: those are modules of `tools` itself.
"""

__all__ = ["closeness", "entity_lookup", "neighbours", "passage_search", "read_passage", "surroundings", "word_match"]
