"""Transcripts: what was asked, done, found and answered for each question, kept to be shown and replayed."""
