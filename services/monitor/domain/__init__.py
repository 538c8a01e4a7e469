"""What the monitor knows of letters, replays, documents and queues. No I/O."""
