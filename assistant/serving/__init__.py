"""One knowledge base served to others: over the Model Context Protocol (MCP), and the chat in a browser."""

__all__ = ["chat_server", "http", "in_python", "mcp_server", "served_file", "stdio"]
