"""Takes documents in, promises to process them, and tells how far they are."""
