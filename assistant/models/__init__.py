"""Language models: endpoints, keys, budgets, ways of calling, and judgements and facts asked of them."""
