"""One knowledge base served to others: over the Model Context Protocol (MCP), and the chat in a browser."""
