"""The judgements inside the techniques, made by a language model."""
