"""The agent that chooses and chains the tools, and the surfaces that need no terminal interface."""
