"""A knowledge base in a PostgreSQL database with pgvector, for many who ask while one builds. Only what differs from a
file is here: look-ups and writes stand once, in `kb/store`.
"""

__all__ = [
    "connecting",
    "server_engine",
    "server_writer",
]
