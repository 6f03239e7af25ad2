"""Conversations: the session that answers, what is kept of it, follow-up questions, threads, transcripts."""
