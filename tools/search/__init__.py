"""Plain looking up: passages by meaning and words, entities by name, what is around them, and how close it all is."""

__all__ = ["closeness", "entity_lookup", "neighbours", "passage_search", "read_passage", "surroundings", "word_match"]
