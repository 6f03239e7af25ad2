"""One knowledge base served to others: to Python code, over the Model Context Protocol (MCP), and the chat in a
browser. It answers nothing itself: that is `assistant/conversations`.
"""

__all__ = ["chat_server", "http", "in_python", "mcp_server", "served_file", "stdio"]
