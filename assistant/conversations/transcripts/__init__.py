"""Transcripts: what was asked, done, found and answered for each question, kept to be shown and replayed. What runs one
again, with a session, is `conversations/replay.py`.
"""

__all__ = ["contents", "form", "playback", "recorder", "transcript_folder", "transcript_text"]
