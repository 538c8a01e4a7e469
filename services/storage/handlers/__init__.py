"""What the storage service does: store, publish, withdraw."""
