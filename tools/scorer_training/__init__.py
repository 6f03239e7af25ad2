"""Training the triple scorer on questions whose answers are known (ReG, section 4.1): what counts as evidence, the fit,
and how the result ranks questions that it has not seen. The scorer itself is in `tools/triple_scoring`.
"""

__all__ = ["evidence_labels", "examples", "fitting"]
