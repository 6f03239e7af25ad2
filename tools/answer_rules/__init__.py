"""Reading the answer out of the evidence, by rule: one module for each kind of question and each measure. What trained
readers find, and the choice, are in `tools/reading`.
"""

__all__ = [
    "asked_before",
    "asked_most",
    "asked_relation",
    "asked_rows",
    "compare",
    "countries",
    "dated_entries",
    "day_rows",
    "docs",
    "joined_rows",
    "key_records",
    "least_version",
    "listed_states",
    "others",
    "permissions",
    "recorded_rows",
    "recorded_sides",
    "row_figures",
    "row_ranges",
    "rows_beyond",
    "rows_marked",
    "signed_roles",
    "text",
    "things",
    "told_changes",
    "values",
    "walk",
    "whole_tables",
]
