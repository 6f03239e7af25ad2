"""The library of files: the knowledge bases that were used, looking around in one, building and watching. Nothing is
asked here, and how a file is built is in `kb/build.py`.
"""

__all__ = ["browsing", "building", "known_files", "watching"]
