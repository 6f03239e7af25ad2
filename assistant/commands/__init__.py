"""The command line: a module for each group of commands, gathered in `cli`. What they do is in the packages below; here
are options, help and what is printed.
"""

__all__ = ["cli"]
