"""Review items, their values, and what may be decided over them."""
