"""The store: a SQLite file or a PostgreSQL database, how it is opened, read, written, followed, copied and checked.
What is written, and in which order, is decided in `kb/build.py`; arrays of a whole graph are in `kb/graph`.
"""

__all__ = [
    "addresses",
    "answer_store",
    "changed_files",
    "changed_links",
    "check",
    "copying",
    "damage",
    "deriving",
    "embeddings",
    "file_state",
    "fingerprint",
    "following",
    "knowledge_base",
    "linking",
    "listing",
    "locking",
    "minilm",
    "model_cache",
    "open_base",
    "sqlite",
    "stamps",
    "subgraph",
    "text_traces",
    "vocabulary",
    "writer",
]
