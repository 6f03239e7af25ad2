"""The command line: a module for each group of commands, gathered in `cli`."""

__all__ = ["cli"]
