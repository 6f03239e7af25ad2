"""The store: the one SQLite file, how it is opened, read, written, followed and checked, and the vectors in it."""

__all__ = [
    "answer_store",
    "changed_files",
    "changed_links",
    "check",
    "damage",
    "embeddings",
    "fingerprint",
    "following",
    "knowledge_base",
    "linking",
    "listing",
    "locking",
    "migrations",
    "model_cache",
    "sqlite",
    "stamps",
    "text_traces",
    "vocabulary",
    "writer",
]
