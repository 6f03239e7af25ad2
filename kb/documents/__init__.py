"""Reading documents: from files and folders to clean text with its structure, cut into passages. Knows no database."""
