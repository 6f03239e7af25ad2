"""The agent's tools: thin wrappers around `tools/`, and how what they found reads to a model."""
