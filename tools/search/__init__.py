"""Plain looking up: passages by meaning and words, entities by name, what is around them, and how close it all is."""
