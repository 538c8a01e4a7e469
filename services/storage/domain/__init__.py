"""What a stored result is, where it lies, and what is told about it."""
