"""What is done every so often, by name: the outcome is kept under it for all monitors."""

LEVELS = "service_levels"
CONSERVATION = "conservation"
SNAPSHOTS = "snapshots"
