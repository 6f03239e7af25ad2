"""The agent's tools: thin wrappers around `tools/`, and how what they found reads to a model. No technique is in it,
and which tool is called when is decided in `offline`, or by a model.
"""

__all__ = ["excerpts", "findings", "method_tools", "search_stages", "stage_tools", "text_tools"]
