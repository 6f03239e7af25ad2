"""The knowledge base: one SQLite file or PostgreSQL database with documents, passages, names, facts and their vectors.

Everything that speaks SQL is in this package; it knows nothing of the techniques, agents and surfaces above it.
"""

__all__ = [
    "build",
    "cluster",
    "documents",
    "enriching",
    "errors",
    "graph",
    "name_keys",
    "named_files",
    "networks",
    "private_folders",
    "records",
    "store",
    "wellformed",
]
