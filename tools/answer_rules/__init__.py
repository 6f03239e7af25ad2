"""Reading the answer out of the evidence, by rule: one module for each kind of question and each measure."""
