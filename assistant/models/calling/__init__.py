"""Tool calls from any model: native ones, JSON in their place, or a plan and an answer around the offline policy."""
