"""What stands behind ingest's ports."""
