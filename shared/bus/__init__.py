"""Speaking to the broker: one publisher, one consumer, one place that decides a fate."""
