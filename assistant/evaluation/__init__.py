"""How good it all is: runs over question files, scores, comparisons, calibration, and the bench. What ships trained is
trained in `benchmarks/`.
"""

__all__ = [
    "bench",
    "calibration",
    "comparison",
    "damage_target",
    "evaluate",
    "evaluation_text",
    "failures",
    "question_run",
    "race",
    "run_lines",
    "trained_scorer",
]
