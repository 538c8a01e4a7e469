"""What stands behind the ports of storage: Parquet, PostgreSQL."""
