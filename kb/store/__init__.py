"""The store: the one SQLite file, how it is opened, read, written, followed and checked, and the vectors in it."""
