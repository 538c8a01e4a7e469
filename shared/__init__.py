"""What the five services agree on: contracts, bus, ledger and their foundations."""
