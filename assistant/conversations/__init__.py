"""Conversations: the session that answers, what is kept of it, follow-up questions, threads, transcripts. How one
question is answered is in `assistant/agent`, how it looks in `screens/`.
"""

__all__ = [
    "background",
    "chat",
    "events",
    "narration",
    "opening",
    "recall",
    "replay",
    "reply_lines",
    "session",
    "session_export",
    "session_files",
    "session_listing",
    "several",
    "status",
    "threads",
    "transcripts",
]
