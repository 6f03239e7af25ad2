"""Whether what an answer says is in the passages that it cites: names, dates and numbers."""
