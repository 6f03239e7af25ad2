"""The triple scorer (ReG, section 4.1): what is measured of a fact, and the trained network over it. How it is trained
is in `tools/scorer_training`.
"""

__all__ = ["triple_measures", "triple_model", "triple_scorer"]
