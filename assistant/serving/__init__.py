"""One knowledge base served to other assistants over the Model Context Protocol (MCP)."""
