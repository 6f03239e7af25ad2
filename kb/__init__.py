"""The knowledge base: one SQLite file with documents, passages, entities, triples and their vectors.

Everything that speaks SQL is in this package; it knows nothing of the techniques, agents and surfaces above it.
"""
