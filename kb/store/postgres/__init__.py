"""A knowledge base in a PostgreSQL database with pgvector, for many who ask while one builds."""

__all__ = [
    "connecting",
    "server_engine",
    "server_writer",
]
