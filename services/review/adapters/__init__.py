"""What stands behind the ports of the review service."""
