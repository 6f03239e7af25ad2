"""Reading documents: from files and folders to clean text with its structure, cut into passages. Knows no database."""

__all__ = [
    "extent",
    "file_stamps",
    "file_types",
    "found_files",
    "links",
    "passages",
    "plaintext",
    "sources",
    "structure",
    "table_shape",
]
