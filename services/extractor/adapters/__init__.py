"""What stands behind the ports of the extractor: engines, the sandbox, PostgreSQL."""
