"""The thread of an answer: what led from the question to it, drawn, told hop by hop, and exported.

All of it is made from a `Reply` alone, so that kept sessions and transcripts show it too; the chains themselves are
found in `assistant/agent/replying`.
"""

__all__ = ["answer_graph", "drawing", "lines", "marks", "source_file", "thread_export"]
