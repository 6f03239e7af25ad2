"""The agent: its loop and tools, the offline model, and the reply with all that supports it. It knows no endpoint."""
