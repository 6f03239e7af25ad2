"""Follow-up questions, put so that they stand alone."""
