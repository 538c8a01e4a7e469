"""What the review service does: open, withdraw, claim, decide."""
