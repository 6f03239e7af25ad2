"""The triple scorer (ReG, section 4.1): what is measured of a fact, and the trained network over it."""

__all__ = ["triple_measures", "triple_model", "triple_scorer"]
