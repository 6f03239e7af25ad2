"""Attacks on clew that end in a number: kills, damaged bytes, hostile input. `make torture` runs them for hours."""
