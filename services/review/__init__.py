"""Shows every result to a person and carries what the person decides back to storage."""
