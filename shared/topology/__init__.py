"""The broker's exchanges, queues and bindings, as data."""
