"""How good it all is: runs over question files, scores, comparisons, calibration, and the bench."""
