"""The offline judgements, one module for each kind."""
