"""The offline model: what to do next, what a question means, and an answer extracted from what was found."""
