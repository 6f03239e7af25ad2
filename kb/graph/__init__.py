"""The graph: facts found in passages, by rule or by a model, and the arrays that whole-graph work reads."""
