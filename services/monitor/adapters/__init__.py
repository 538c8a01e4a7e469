"""What stands behind the ports of the monitor."""
