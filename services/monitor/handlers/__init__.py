"""What the monitor does: keep letters, replay them, watch facts, show where things stand."""
