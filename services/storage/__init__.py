"""Storage keeps results: an extraction goes in, JSON and Parquet that an analyst can trust."""
