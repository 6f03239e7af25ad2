"""The library of files: the knowledge bases that were used, looking around in one, building and watching."""

__all__ = ["browsing", "building", "known_files", "watching"]
