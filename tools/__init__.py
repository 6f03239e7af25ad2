"""The retrieval techniques: one module each, callable from plain Python over a knowledge base opened to read."""
