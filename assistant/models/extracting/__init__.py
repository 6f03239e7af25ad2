"""Facts from passages by a language model: asked once, kept, and paid for within a budget."""
