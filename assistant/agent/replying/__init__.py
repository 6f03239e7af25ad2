"""From the Workspace of a finished question to the reply: chains, certainty, trace, closest sentences."""
